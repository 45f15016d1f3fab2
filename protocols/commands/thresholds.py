"""`simnet privacy thresholds`: which threshold survives which rate of drop-outs."""

from typing import Annotated

from cyclopts import Parameter

from protocols.commands.refusing import call_or_refuse
from simnet.cli.options import JsonFile
from simnet.errors import BadInput
from simnet.printable import count_of


def thresholds(
    *,
    users: int,
    drop: Annotated[str, Parameter(allow_leading_hyphen=True)] = "0.05,0.1,0.2,0.3",
    items: int = 12,
    reported: int | None = None,
    bits: float = 40,
    json: JsonFile = None,
) -> int:
    """Find large thresholds with which runs still complete if users drop out at a rate.

    The command prints the largest t of `dpds_robust` (`--sharing shamir:t`), and for `tss_robust`
    the largest percentage P that a union bound allows (`--sharing shamir:P%`). A run of
    `tss_robust` completes if all items have an estimate.

    For example:

    - `simnet privacy thresholds --users 1000 --drop 0.1`
    - `simnet privacy thresholds --users 1000 --drop 0.1,0.2 --items 30 --reported 12 --bits 20`

    Parameters
    ----------
    users
        The number of users, n.
    drop
        The probabilities that a user drops out, separated by commas.
    items
        The number of items, N, for `tss_robust`.
    reported
        k, how many items a user of `tss_robust` reports on; by default about two fifths of N.
    bits
        A run completes with probability at least 1 - 2^-bits.
    json
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    from protocols.sharing.thresholds import largest_percent, largest_threshold
    from protocols.tss.prime import items_reported
    from simnet.cli.grid import Grid
    from simnet.cli.output import console, write_json

    k = call_or_refuse(items_reported, items, reported, None)
    rows = [
        {
            "rate": rate,
            "threshold": call_or_refuse(largest_threshold, users, rate, bits),
            "percent": call_or_refuse(largest_percent, users, items, k, rate, bits),
        }
        for rate in _rates(drop)
    ]
    out = console(json)
    out.print(
        f"users: {users:,}; a run completes with probability at least 1 - 2^-{bits:g}; users of "
        f"tss_robust report on {k} of {count_of(items, 'item')}\n"
    )
    grid = Grid("drop-outs", "dpds_robust", "tss_robust")
    for row in rows:
        t, percent = row["threshold"], row["percent"]
        grid.add_row(
            f"{row['rate']:g}",
            "none" if t is None else f"shamir:{t}",
            "none" if percent is None else f"shamir:{percent}%",
        )
    out.print(grid)
    result = {"users": users, "items": items, "reported": k, "bits": bits, "rates": rows}
    write_json(result, json)
    return 0


def _rates(text: str) -> list[float]:
    from protocols import checks

    try:
        rates = [float(part) for part in text.split(",")]
    except ValueError:
        raise BadInput(
            f"--drop takes probabilities separated by commas, such as 0.05,0.1; got {text!r}"
        ) from None
    for rate in rates:
        call_or_refuse(checks.chance, "--drop", rate)
    return rates
