"""`simnet privacy survive`: how likely it is that random users who collude break a run of TSS."""

from typing import TYPE_CHECKING

from protocols.commands.refusing import call_or_refuse
from simnet.cli.options import FigureFile, JsonFile
from simnet.printable import count_of

if TYPE_CHECKING:
    from protocols.tss.survival import Survival

LEAST = 1e-300  # a smaller probability may be computed as 0


def survive(
    *,
    users: int,
    items: int,
    reported: int,
    colluders: int,
    phi: int = 0,
    gamma: float | None = None,
    sharing: str = "additive",
    figure: FigureFile = None,
    json: JsonFile = None,
) -> int:
    """Bound the probability that random colluders break a run of TSS or TSS'.

    Colluders break an item, and so the run, if they include enough of the users elected for this
    item, while an honest user reports on it. The largest probability for one given item is exact;
    for at least one item there are bounds.

    For example:

    - `simnet privacy survive --users 1000 --items 30 --reported 12 --colluders 960`
    - `simnet privacy survive --users 1000 --items 30 --reported 3 --phi 200 --colluders 100`

    Parameters
    ----------
    users
        The number of users, n.
    items
        The number of items, N. The numbers of users who hold two items differ by at most 1.
    reported
        The number of items that a user reports on, k = αN.
    colluders
        The number of users who collude. Who they are does not depend on elections.
    phi
        φ of TSS': more than this number of users are elected for every item.
    gamma
        The weight γ of the adaptive law of reporting sets. Without this option the law is uniform.
    sharing
        `additive`, or `shamir:T` with the threshold T, such as 3 or 60%.
    figure
        Draw the probability against the number of honest users into this file (PNG, SVG or PDF;
        this needs matplotlib).
    json
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    from protocols.tss.prime import tss
    from protocols.tss.survival import broken, draw_survival
    from simnet.cli.output import console, write_json

    protocol = call_or_refuse(
        tss,
        users=users,
        items=items,
        participation=1.0,
        reported=reported,
        gamma=gamma,
        bound=phi,
        sharing=sharing,
    )
    found = call_or_refuse(broken, protocol, colluders)
    honest = users - colluders
    out = console(json)
    at_most = "at most " if found.items.min() < found.items.max() else ""
    out.print(
        f"{count_of(colluders, 'random user')} of {users:,} "
        f"{'colludes' if colluders == 1 else 'collude'}, and {honest:,} "
        f"{'is' if honest == 1 else 'are'} honest:\n"
        f"the colluders break a given item with probability {at_most}"
        f"{_in_words(found.items.max())}, and at least one item with probability {_between(found)}"
    )
    write_json(
        {
            "colluders": colluders,
            "honest": honest,
            "lowest": found.lowest,
            "highest": found.highest,
            "one_item": float(found.items.max()),
        },
        json,
    )
    if figure is not None:
        draw_survival(protocol, honest, figure)
    return 0


def _in_words(probability: float) -> str:
    return f"{probability:.5g}" if probability >= LEAST else f"less than {LEAST:g}"


def _between(found: "Survival") -> str:
    # Equal bounds are printed twice: they are bounds, and equal only after rounding.
    highest = _in_words(found.highest)
    return highest if found.highest < LEAST else f"{_in_words(found.lowest)} to {highest}"
