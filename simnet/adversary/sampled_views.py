"""Test by statistics whether a coalition's views on two inputs have the same law.

This test is for instances that are too large for `simnet exact-view`, which plays every outcome of
the discrete coins.

Theory of operation
-------------------

1. *Runs.* The protocol runs many times on each of the two inputs, with different seeds.
2. *Features.* Whole views are too large to be compared: two of them are rarely equal. So each view
   is reduced to features, numbers with few values. Among them are all elements that the coalition
   receives, and the sum of each sender's elements under one tag at each place. They are put into at
   most `BINS` classes (real and very large numbers into some 8,000 classes). Other features are the
   number of messages, the traffic, if the network is watched, and the value of every function that
   the verdict lists.
3. *Tests.* For each feature a chi-square test compares how often each class occurs on both sides.
   Classes that occur fewer than 10 times on both sides together are merged into one, so that the
   chi-square law fits.
4. *Correction.* With 500 features, some p-values are small by accident. Bonferroni's correction
   multiplies the smallest p-value by the number of features. As far as the chi-square law fits, the
   probability of a false alarm in any feature is then at most the stated rate.

Example: u1 reports a bit to the server. The bit is 1 with probability 1/4 on one input and 3/4 on
the other. In 400 runs on each side the bit in this message is 1 about 100 and 300 times, the
p-value is about 2e-45, and the test reports a difference.

The finding is *sampled*. If the test reports no difference, the views may still differ:
`detectable` says how large a difference in one feature would probably have been found, and the test
misses a difference that no feature shows.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import attrs
import numpy as np

from simnet.adversary.coalition import Coalition, CoalitionLike, coalition_of
from simnet.adversary.discrete import traffic
from simnet.adversary.judge import Judge
from simnet.adversary.verdict import LearnedFunction, Verdict
from simnet.contract import Protocol
from simnet.errors import BadInput
from simnet.kernel.run import Run, run
from simnet.record.message import Message
from simnet.record.trace import canonical
from simnet.stated.about import About

BINS = 8
MAX_LINK_BYTES = 1 << 32  # the largest number of bytes on one link in one round
LEAST_RUNS = 20
FALSE_ALARM = 1e-6
POWER = 0.9

Feature = tuple[str, int]  # the feature's name, and the class of its value
Counts = Counter[Feature]  # how often each feature occurs in the runs on one side


@attrs.frozen(kw_only=True)
class SampledComparison:
    """The outcome of a two-sample test of views."""

    differs: bool
    p_value: float  # the smallest p-value, corrected for the number of features
    feature: str  # the feature with the smallest p-value
    features: int  # the number of features
    runs: int  # the number of runs on each side
    false_alarm: float
    # A total variation distance in one feature that would be found with probability `POWER`.
    detectable: float
    tier: str = "sampled"


def sampled_views_differ(
    protocol: Protocol,
    one: Sequence[Any],
    other: Sequence[Any],
    corrupt: CoalitionLike,
    *,
    runs: int = 400,
    seed: int = 0,
    false_alarm: float = FALSE_ALARM,
    about: About | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> SampledComparison:
    """Test whether a coalition's views on two inputs have different laws.

    `one` and `other` are the inputs of the two sides, `runs` is the number of runs on each side.
    These runs have the seeds from `seed` to `seed + 2 * runs - 1`. `false_alarm` is the allowed
    probability that the test reports a difference between equal laws. `about` is what the protocol
    states about itself, as for `verdict`. `progress` is called with 1 after each of these runs.

    Raises `BadInput` for fewer than 20 runs, for a coalition that is empty or cannot be read, and
    if a member of it has different inputs on the two sides. Other errors are as for `run` and
    `verdict`.
    """
    sides = (one, other)
    first_runs = [run(protocol, inputs, seed) for inputs in sides]
    coalition = coalition_of(corrupt, first_runs[0].roster)
    _check_own_inputs(coalition, *first_runs)
    if runs < LEAST_RUNS:
        raise BadInput(f"views are compared over at least {LEAST_RUNS} runs, got {runs}")
    counts: list[Counts] = []
    for side, inputs in enumerate(sides):
        count: Counts = Counter()
        for number in range(runs):
            done = run(protocol, inputs, seed + 2 * number + side)
            # The first run on each side is replayed on as many other inputs as for a verdict. Every
            # later run is replayed once: the rest would take most of the time.
            count.update(_features(done, coalition, about))
            progress(1)
        counts.append(count)
    names = sorted({name for count in counts for name, _ in count})
    p_values = [(_p_value(counts, name, runs), name) for name in names]
    least, feature = min(p_values, default=(1.0, "nothing seen"))
    corrected = min(1.0, least * max(len(p_values), 1))
    return SampledComparison(
        differs=corrected < false_alarm,
        p_value=corrected,
        feature=feature,
        features=len(p_values),
        runs=runs,
        false_alarm=false_alarm,
        detectable=_detectable(runs, len(p_values), false_alarm),
    )


def _check_own_inputs(coalition: Coalition, first: Run, second: Run) -> None:
    """Raise `BadInput` if a member of the coalition has different inputs on the two sides: then the
    member would know the side.
    """
    for name in coalition.parties:
        if canonical(first.inputs.get(name)) != canonical(second.inputs.get(name)):
            raise BadInput(
                f"{name} is in the coalition and knows its own input: it must be the same in "
                "both lists of inputs"
            )


def _features(done: Run, coalition: Coalition, about: About | None) -> set[Feature]:
    """The features of a run's view, each with the class of its value."""
    judge = Judge([done], done.roster.names, about)
    found = judge.verdict(coalition)
    sampled = judge.sampled_runs[0]
    received = sampled.view(coalition.parties).received if coalition.parties else ()
    features = {
        *_message_features(received, sampled.roster.names),
        ("messages", len(received)),
        *_function_features(found),
    }
    if coalition.network:
        features.update(_traffic_features(sampled))
    return features


def _message_features(received: Sequence[Message], names: Sequence[str]) -> Iterator[Feature]:
    seen: Counter[str] = Counter()  # the number of messages so far, by tag, link and key
    # The sums of elements so far. The key is the name of the sum, and the number of values that an
    # element can take.
    sums: dict[tuple[str, int], int] = {}
    for message in received:
        sender = names[message.sender]
        link = f"{message.tag} {sender}→{names[message.recipient]} {message.key}"
        seen[link] += 1
        for place, (value, below) in enumerate(_elements(message)):
            yield f"{link} #{seen[link]} [{place}]", _class(value, below)
            name = f"sum of {message.tag} from {sender} [{place}] mod {below}"
            sums[name, below] = sums.get((name, below), 0) + value
    for (name, below), total in sums.items():
        yield name, _class(total % below if below else total, below)


def _traffic_features(done: Run) -> Iterator[Feature]:
    names = done.roster.names
    for round_, sender, recipient, messages, size in traffic(done).tolist():
        name = f"traffic {names[sender]}→{names[recipient]} in round {round_}"
        yield name, messages * MAX_LINK_BYTES + size


def _function_features(verdict_: Verdict) -> Iterator[Feature]:
    for learned in verdict_.functions:
        yield _function_name(learned), _class(learned.value, 0)


def _function_name(learned: LearnedFunction) -> str:
    terms = [f"{weight}{secret.party}[{secret.item}]" for secret, weight in learned.terms]
    for product, weight in learned.products:
        factors = "·".join(f"{secret.party}[{secret.item}]" for secret in product.factors)
        terms.append(f"{weight}{factors}")
    return f"function {' '.join(terms)}"


def _elements(message: Message) -> Iterator[tuple[int, int]]:
    """Every element of a message, with the number of values that it can take. The number is 0 for
    reals, and if there are 2**62 values or more.
    """
    for piece in message.pieces:
        below = piece.wire.below if piece.wire.below < 1 << 62 else 0
        for value in np.asarray(piece.numbers()).reshape(-1).tolist():
            yield (int(value) if below else hash(float(value))), below


def _class(value: int, below: int) -> int:
    """The class of a value: its place among `BINS` equal ranges, or the value itself if at most
    `BINS` values are possible.

    If `below` is 0, the class is the remainder of the value modulo `BINS` * 1009.
    """
    if below and below > BINS:
        return value * BINS // below
    return value if below else value % (BINS * 1009)


def _p_value(counts: Sequence[Counts], name: str, runs: int) -> float:
    """The p-value of a chi-square test on one feature.

    Runs without the feature form a class of their own; rare classes are merged.
    """
    # Scipy loads slowly, so we import it only where it is needed.
    from scipy.stats import chi2_contingency

    classes = sorted({value for count in counts for feature, value in count if feature == name})
    table = np.array([[count[name, value] for value in classes] for count in counts])
    table = np.column_stack([table, runs - table.sum(axis=1)])
    common = table.sum(axis=0) >= 10
    table = np.column_stack([table[:, common], table[:, ~common].sum(axis=1)])
    table = table[:, table.sum(axis=0) > 0]
    return 1.0 if table.shape[1] < 2 else float(chi2_contingency(table, correction=False).pvalue)


def _detectable(runs: int, features: int, false_alarm: float) -> float:
    """Return about the smallest difference of two coins' probabilities that `runs` tosses of each
    coin detect with probability `POWER`.

    `false_alarm` is the rate of false alarms over all features.
    """
    from scipy.special import ndtri  # scipy loads slowly, so we import it only where it is needed

    threshold = -float(ndtri(false_alarm / max(features, 1) / 2)) + float(ndtri(POWER))
    return min(1.0, threshold * float(np.sqrt(0.5 / runs)))
