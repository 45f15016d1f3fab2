"""`simnet exact-view`."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from simnet.cli.options import DropOuts, JsonFile, Settings, settings_of, whole_numbers

if TYPE_CHECKING:  # the command starts faster without these modules
    from simnet.exhaustive.compare import Comparison
    from simnet.record.fate import Ending, Fate, MessageFate

SHOWN = 20  # the most characters of a fraction that a person still reads


def exact_view(
    protocol: str,
    /,
    *,
    corrupt: Annotated[list[str], Parameter(negative=())],
    inputs: str,
    versus: str | None = None,
    set_: Settings = None,
    drop: DropOuts = None,
    seed: int = 0,
    at_epsilon: float = 0.0,
    enumerate_field: bool = False,
    limit: int = 1_000_000,
    json: JsonFile = None,
) -> None:
    """Compare, exactly, what a coalition sees on two inputs of a tiny instance.

    The command plays the protocol once for each outcome of the discrete coins, and for each value
    of a field element that a script gives to `me.disclose` or `me.secret`. Other field coins stay
    unknown, unless `--enumerate-field` plays them out.

    The parties that `--drop` names or draws drop out whenever the protocol is played, and the
    messages that `--drop` names go astray. With `--drop`, the command also says, if it can, how
    well the coalition could tell the inputs apart in the protocol's ideal world.

    Without `--versus`, the inputs are compared with all neighbouring inputs (one honest party's
    input is replaced), and the command shows the neighbour that the coalition can tell apart best.

    For example:

    - `simnet exact-view dpds --users 3 --items 2 --corrupt u1,u2 --inputs 1,1,1 --versus 1,1,2`
    - `simnet exact-view tss_prime --users 3 --items 2 --reported 1 --bound 1 --gamma 2 --corrupt u1
      --inputs 1,1,1 --versus 1,1,2`
    - `simnet exact-view committee --users 2 --items 2 --members 3 --sharing shamir:2 --corrupt
      server --inputs 1,1 --versus 1,2 --drop u2@share`

    Parameters
    ----------
    protocol
        The name of a scenario (see `simnet list`), a file that has a scenario or one protocol, or
        `FILE.py:Class`. Every setting of the scenario is an option of this command: `simnet
        exact-view dpds --help` shows them.
    corrupt
        The coalition, written as for `simnet verify`.
    inputs
        The inputs of the parties, separated by commas.
    versus
        The inputs to compare with. The members of the coalition must keep their inputs.
    set_
        Set a setting of the scenario: `--set participation=0.2` means the same as `--participation
        0.2`. You can give this option several times.
    drop
        Let parties drop out: `u3@share`, or `0.1`; or let messages go astray, such as
        `u3@share:lost:server` (see `simnet run --help`).
    seed
        The seed from which `--drop 0.1` draws who drops out.
    at_epsilon
        Give δ also at this ε. Without `--versus`, the neighbour with the largest δ at this ε is
        shown.
    enumerate_field
        Play out every field coin too, by brute force.
    limit
        Refuse an instance whose coins have more outcomes (worlds) than this.
    json
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    from simnet.cli.output import console, write_json
    from simnet.cli.progress import progress_bar
    from simnet.errors import BadInput
    from simnet.exhaustive.compare import Comparison
    from simnet.exhaustive.model import NoClock
    from simnet.scenario.drops import fates_of
    from simnet.scenario.find import find

    epsilon = at_epsilon
    if not 0 <= epsilon < float("inf"):
        raise BadInput(f"--at-epsilon takes a finite number from 0, got {epsilon}")
    if limit < 1:
        raise BadInput(f"--limit takes a whole number from 1, got {limit}")
    scenario = find(protocol)[1].with_settings(settings_of(set_))
    built = scenario.build(scenario.users, scenario.items)
    out = console(json)
    own_inputs = whole_numbers("--inputs", inputs)
    fates, astray = fates_of(drop or (), built, own_inputs, seed, NoClock())
    comparison = Comparison(built, ",".join(corrupt), enumerate_field, limit, fates, astray)
    with progress_bar("worlds", 1000) as bar:
        count = comparison.tapes(own_inputs, lambda share: bar(share * 1000))
    out.print(f"{count:,} world{'s' if count != 1 else ''} on these inputs")
    ended = _ended(comparison.endings(own_inputs))
    for line in _fates_in_words(fates, astray, ended["aborted"]):
        out.print(line)
    neighbours = list(comparison.neighbours(own_inputs)) if versus is None else []
    if versus is None and not neighbours:
        raise BadInput("there are no neighbouring inputs: no honest party could have another item")
    with progress_bar("the other side", 1000 * max(len(neighbours), 1)) as bar:
        if versus is None:
            worst = comparison.worst(own_inputs, epsilon, lambda done: bar(1000 * done))
            compared, other, largest = worst.compared, worst.neighbour, worst.largest_epsilon
        else:
            other = whole_numbers("--versus", versus)
            compared = comparison.compare(own_inputs, other, lambda share: bar(share * 1000))
            largest = compared.epsilon
    ideal = _ideal(comparison, own_inputs, other) if fates or astray else None
    result = {
        "protocol": scenario.described(built).name,
        "corrupt": list(comparison.corrupt.parties),
        "inputs": own_inputs,
        "versus": other,
        "same": compared.same,
        "epsilon": compared.epsilon,
        "delta0": float(compared.delta()),
        "delta0_exact": str(compared.delta()),
        "delta": {"epsilon": epsilon, "delta": float(compared.delta(epsilon))},
        "neighbours": len(neighbours),
        "largest_epsilon": largest,
        "tapes": max(compared.tapes),
        "tier": "enumerated",
        "fates": {name: str(fate) for name, fate in fates.items()},
        **({"message_fates": [str(fate) for fate in astray]} if astray else {}),
        "endings": ended["endings"],
        "ideal": ideal,
    }
    name, among = (
        f"{{{comparison.corrupt}}}",
        f"; no neighbouring input has a larger δ({epsilon:g})" if neighbours else "",
    )
    side = f"{', '.join(map(str, own_inputs))} and {', '.join(map(str, other))}"
    if compared.same:
        side = (
            f"{', '.join(map(str, own_inputs))} and {_all_in_words(len(neighbours))}"
            if neighbours
            else side
        )
        out.print(f"{name} sees exactly the same on {side}: the laws of its view are equal")
    else:
        total = compared.delta()
        also = f", δ({epsilon:g}) = {float(compared.delta(epsilon)):.6g}" if epsilon else ""
        is_shown = "/" in str(total) and len(str(total)) <= SHOWN
        exactly = f"{total} = " if is_shown else ""  # JSON has longer fractions
        distance = f"ε = {compared.epsilon:.6g}, δ(0) = {exactly}{float(total):.6g}{also}"
        out.print(f"{name} can tell {side} apart: {distance}{among}")
        if largest > compared.epsilon:
            out.print(f"the largest ε of all neighbouring inputs is {largest:.6g}")
    if ideal is not None:
        out.print(_ideal_in_words(ideal))
    write_json(result, json)


def _all_in_words(neighbours: int) -> str:
    return (
        "the only neighbouring input"
        if neighbours == 1
        else f"all {neighbours:,} neighbouring inputs"
    )


def _fates_in_words(
    fates: "Mapping[str, Fate]", astray: "Sequence[MessageFate]", aborted: str
) -> Iterator[str]:
    if fates:
        told = ", ".join(f"{name}@{fate}" for name, fate in fates.items())
        yield f"these parties drop out: {told}"
    if astray:
        yield f"these messages go astray: {', '.join(map(str, astray))}"
    if aborted:
        yield f"on the given inputs, the run is aborted with probability {aborted}"


def _ended(endings: "Mapping[tuple[Ending, ...], Fraction]") -> dict[str, Any]:
    aborted = sum((chance for ending, chance in endings.items() if ending), start=Fraction(0))
    listed = [
        {
            "probability": str(chance),
            "outcome": "aborted" if ending else "result",
            "aborts": [
                {"party": one.party, "round": one.round, "reason": one.reason} for one in ending
            ],
        }
        for ending, chance in endings.items()
    ]
    return {"aborted": str(aborted) if aborted else "", "endings": listed}


def _ideal(
    comparison: "Comparison", inputs: Sequence[int], other: Sequence[int]
) -> dict[str, Any] | None:
    """Return how well the coalition can tell the two inputs apart in the ideal world, or None if
    they cannot be compared there.
    """
    from simnet.errors import BadInput

    try:
        compared = comparison.compare_ideal(inputs, other)
    except BadInput:
        return None
    return {
        "same": compared.same,
        "epsilon": compared.epsilon,
        "delta0": float(compared.delta()),
        "delta0_exact": str(compared.delta()),
    }


def _ideal_in_words(ideal: dict[str, Any]) -> str:
    if ideal["same"]:
        return (
            "the ideal world is told who was heard; there the coalition gets the same on both "
            "inputs"
        )
    return (
        "the ideal world is told who was heard; there the coalition can tell the inputs apart too: "
        f"ε = {ideal['epsilon']:.6g}, δ(0) = {ideal['delta0']:.6g}"
    )
