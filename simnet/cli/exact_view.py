"""`simnet exact-view`."""

from typing import Annotated

from cyclopts import Parameter

from simnet.cli.options import JsonFile, Settings, settings_of, whole_numbers, with_sizes


def exact_view(
    protocol: str,
    *,
    corrupt: Annotated[list[str], Parameter(negative=())],
    inputs: str,
    versus: str | None = None,
    users: int | None = None,
    items: int | None = None,
    set_: Settings = None,
    epsilon: float = 0.0,
    enumerate_field: bool = False,
    limit: int | None = None,
    json: JsonFile = None,
) -> None:
    """Compare, exactly, what a collusion set sees on two inputs of a tiny instance: every coin is played out.

    Without --versus the inputs are held against all neighbours (one honest input replaced), and the worst is told.

    Examples: `simnet exact-view dpds --users 3 --items 2 --corrupt u1,u2 --inputs 1,1,1 --versus 1,1,2`,
    `simnet exact-view tss_prime --users 3 --items 2 --set reported=1 --set bound=1 --set gamma=2 --corrupt u1
    --inputs 1,1,1 --versus 1,1,2`.

    Parameters
    ----------
    protocol
        A scenario's name, a file with a scenario or one protocol, or `FILE.py:Class`.
    corrupt
        Who colludes, as for `simnet verify`.
    inputs
        What the parties hold, separated by commas.
    versus
        What they hold in the other world; members of the set the same.
    users
        Number of users, short for `--set users=n`.
    items
        Number of items, short for `--set items=N`.
    set_
        Set a parameter: `--set participation=0.2`. May be given several times.
    epsilon
        Also give δ at this ε.
    enumerate_field
        Play out field coins too, by brute force.
    limit
        Refuse more worlds than this (default a million).
    json
        Write JSON to this file; `-` for standard output.

    """
    from simnet.cli.output import console, write_json
    from simnet.cli.progress import progress_bar
    from simnet.errors import BadInput
    from simnet.exhaustive.compare import Comparison
    from simnet.exhaustive.worlds import LIMIT
    from simnet.study.verify import protocol_of

    if not 0 <= epsilon < float("inf"):
        raise BadInput(f"--epsilon is a number from 0, got {epsilon}")
    scenario = protocol_of(protocol).with_settings(with_sizes(settings_of(set_), users, items))
    made = scenario.build(scenario.users, scenario.items)
    out = console(json)
    held = whole_numbers("--inputs", inputs)
    comparison = Comparison(made, ",".join(corrupt), enumerate_field, LIMIT if limit is None else limit)
    with progress_bar("worlds", 1000) as bar:
        count = comparison.tapes(held, lambda share: bar(share * 1000))
    out.print(f"{count:,} worlds on these inputs")
    neighbours = list(comparison.neighbours(held)) if versus is None else []
    if versus is None:
        with progress_bar("neighbours", len(neighbours)) as step:
            worst = comparison.worst(held, epsilon, step)
        found, other, largest = worst.compared, worst.neighbour, worst.epsilon
    else:
        other = whole_numbers("--versus", versus)
        found = comparison.compare(held, other)
        largest = found.epsilon
    result = {
        "protocol": getattr(made, "name", type(made).__name__), "corrupt": list(comparison.corrupt.parties),
        "inputs": held, "versus": other, "same": found.same, "epsilon": largest, "delta0": float(found.delta()),
        "delta0_exact": str(found.delta()), "delta": {"epsilon": epsilon, "delta": float(found.delta(epsilon))},
        "tapes": max(found.tapes), "tier": "enumerated",
    }  # fmt: skip
    name = f"{{{comparison.corrupt}}}"
    side = f"{', '.join(map(str, held))} and {', '.join(map(str, other))}"
    if found.same:
        out.print(f"{name} sees exactly the same on {side}: the two laws are equal")
    else:
        total = found.delta()
        also = f", δ({epsilon:g}) = {float(found.delta(epsilon)):.6g}" if epsilon else ""
        out.print(f"{name} can tell {side} apart: ε = {largest:.6g}, δ(0) = {total} = {float(total):.6g}{also}")
    if versus is None:
        out.print(f"the worst of {len(neighbours)} neighbours")
    write_json(result, json)
