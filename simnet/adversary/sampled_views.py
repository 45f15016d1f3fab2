"""The statistical tier: are views on two inputs drawn from the same law? For instances too large to
enumerate.

Views of many runs on either side are reduced to numbers with few values: every field element and
every plain element that the set receives, folded into at most `BINS` classes, the sums of each
sender's elements, and the values of all functions that elimination finds. For each number a
chi-square test holds the two samples against each other; Bonferroni's correction keeps the chance
of any false alarm below the stated rate, as far as the chi-square law fits (classes have at least
10 counts). What it finds is labelled *sampled*: it may miss a difference, and says how large one it
would have seen.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import attrs
import numpy as np

from simnet.adversary.coalition import coalition_of
from simnet.adversary.discrete import traffic
from simnet.adversary.judge import Judge
from simnet.adversary.verdict import Verdict
from simnet.errors import BadInput
from simnet.kernel.run import Run, run
from simnet.record.message import Message
from simnet.record.trace import canonical

BINS = 8
PACKED = 1 << 32  # bytes on one link and in one round at most
FALSE_ALARM = 1e-6
POWER = 0.9


@attrs.frozen
class SampledComparison:
    """The outcome of a two-sample test of views. `p_value` is the least, corrected for the number
    of features.

    `detectable` is a total variation distance in a feature that would have been found with
    probability `POWER`.
    """

    differs: bool
    p_value: float
    feature: str
    features: int
    runs: int
    false_alarm: float
    detectable: float
    tier: str = "sampled"


def sampled_views_differ(
    protocol: Any,
    one: Sequence[Any],
    other: Sequence[Any],
    corrupt: Any,
    *,
    runs: int = 400,
    seed: int = 0,
    false_alarm: float = FALSE_ALARM,
    progress: Callable[[int], None] = lambda _: None,
) -> SampledComparison:
    """Test whether a set's views on two inputs have different laws, from `runs` runs on either
    side.

    Raises `BadInput` for fewer than 20 runs, with which nothing could be found.
    """
    sampled, twin = run(protocol, one, seed), run(protocol, other, seed)
    corrupt = coalition_of(corrupt, sampled.roster)
    held = [
        [canonical(side.inputs.get(name)) for name in corrupt.parties] for side in (sampled, twin)
    ]
    own = [
        name for name, first, second in zip(corrupt.parties, *held, strict=True) if first != second
    ]
    if own:
        raise BadInput(
            f"{own[0]} is corrupt and knows its own input: it must hold the same on both sides"
        )
    if runs < 20:
        raise BadInput(f"views are compared over at least 20 runs, got {runs}")
    sides: list[Counter[tuple[str, int]]] = []
    for side, inputs in enumerate((one, other)):
        counts: Counter[tuple[str, int]] = Counter()
        for number in range(runs):
            counts.update(_features(run(protocol, inputs, seed + 2 * number + side), corrupt))
            progress(1)
        sides.append(counts)
    names = sorted({name for counts in sides for name, _ in counts})
    tests = [(_p_value(sides, name, runs), name) for name in names]
    least, feature = min(tests, default=(1.0, "nothing seen"))
    corrected = min(1.0, least * max(len(tests), 1))
    found = corrected < false_alarm
    return SampledComparison(
        found,
        corrected,
        feature,
        len(tests),
        runs,
        false_alarm,
        _detectable(runs, len(tests), false_alarm),
    )


def _features(done: Run, corrupt: Any) -> dict[tuple[str, int], int]:
    """One class for each feature of a run's view, as keys."""
    judge = Judge([done], done.roster.names)
    found = judge.verdict(corrupt)
    names = done.roster.names
    features: dict[tuple[str, int], int] = {}
    sums: Counter[str] = Counter()
    received = (
        judge.sampled[0].view(found.corrupt.parties).received if found.corrupt.parties else ()
    )
    seen: Counter[str] = Counter()
    for message in received:
        link = f"{message.tag} {names[message.sender]}→{names[message.recipient]} {message.key}"
        seen[link] += 1
        for place, (value, below) in enumerate(_elements(message)):
            name = f"{link} #{seen[link]} [{place}]"
            features[name, _class(value, below)] = 1
            sums[f"{message.tag} from {names[message.sender]} [{place}] mod {below}"] += value
    for name, total in sums.items():
        below = int(name.rpartition(" ")[2])
        features[f"sum of {name}", _class(total % below if below else total, below)] = 1
    features["messages", len(received)] = 1
    if found.corrupt.network:
        for round_, sender, to, messages, size in traffic(judge.sampled[0]).tolist():
            features[
                f"traffic {names[sender]}→{names[to]} in round {round_}", messages * PACKED + size
            ] = 1
    for learned, name in _functions(found):
        features[name, _class(learned, 0)] = 1
    return features


def _functions(found: Verdict) -> list[tuple[int, str]]:
    return [
        (learned.value, "function " + " ".join(f"{c}{s.party}[{s.item}]" for s, c in learned.terms))
        for learned in found.functions
    ]


def _elements(message: Message) -> list[tuple[int, int]]:
    """Every element of a message with the number of values that it can take, 0 for reals."""
    found = []
    for piece in message.pieces:
        below = piece.wire.below if piece.wire.below < 1 << 62 else 0
        values = np.asarray(piece.numbers()).reshape(-1)
        found += [(int(value) if below else hash(float(value)), below) for value in values.tolist()]
    return found


def _class(value: int, below: int) -> int:
    """A value's class: itself when there are few, its place among `BINS` equal ranges, or its
    remainder.
    """
    if below and below > BINS:
        return value * BINS // below
    return value if below else value % (BINS * 1009)


def _p_value(sides: Sequence[Counter[tuple[str, int]]], name: str, runs: int) -> float:
    """Of a chi-square test on one feature; runs without it are a class of their own, rare classes
    are put together.
    """
    from scipy.stats import chi2_contingency  # here, not above: it takes a while to load

    classes = sorted({value for counts in sides for feature, value in counts if feature == name})
    table = np.array([[counts[name, value] for value in classes] for counts in sides])
    table = np.column_stack([table, runs - table.sum(axis=1)])
    common = table.sum(axis=0) >= 10
    table = np.column_stack([table[:, common], table[:, ~common].sum(axis=1)])
    table = table[:, table.sum(axis=0) > 0]
    return 1.0 if table.shape[1] < 2 else float(chi2_contingency(table, correction=False).pvalue)


def _detectable(runs: int, features: int, false_alarm: float) -> float:
    """How far apart two coins are that so many tosses tell apart with power `POWER`, at this rate
    of false alarms.
    """
    from scipy.special import ndtri  # here, not above: it takes a while to load

    threshold = -float(ndtri(false_alarm / max(features, 1) / 2)) + float(ndtri(POWER))
    return min(1.0, threshold * float(np.sqrt(0.5 / runs)))
