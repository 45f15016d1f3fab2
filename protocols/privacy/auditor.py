"""An auditor: lower bounds on ε or δ from samples of any mechanism or view.

It is for where no closed form is known, or where a stated one is to be tested.

Theory of operation. Reports are drawn under an input P and under its neighbour Q. Whatever the
event S, (ε, δ)-privacy asks for P[S] <= e^ε Q[S] + δ; so chances p = P[S] and q = Q[S] show that

    δ >= p - e^ε q        and        ε >= ln((p - δ) / q).

1. `audit_rows` deals the reports out: one eighth to learn scores from, one eighth to choose an
   event by, the rest to certify.
2. `audit_events` learns scores, which are high for reports that are likelier under P. An event says
   that a score is above a threshold, or below it. The auditor takes the event with the largest
   bound on the choosing rows.
3. The certifying rows, never used before, are counted. Clopper and Pearson's exact limits give a
   lower limit on p and an upper limit on q, and the formulas above turn these into a bound.

Nothing is chosen on the certifying rows, neither the event nor the direction (P against Q, or Q
against P), so the allowed error is split between the two limits only. A bound exceeds the truth
with probability at most 1 - confidence, whatever the mechanism and however bad the choice. It may
lie far below the truth: an audit refutes claims and proves none.

Example. Randomised response with ε = ln 3, 10,000 reports under yes and under no. The event is "the
report is yes"; of 7,500 certifying rows some 5,625 and 1,875 are in it. With confidence 0.95, p >=
0.740 and q <= 0.260, so ε >= 1.046, where ln 3 is 1.099.

Sources: Bichsel et al., *DP-Sniper*, 2021, for events from a classifier; Jagielski et al.,
*Auditing Differentially Private Machine Learning*, 2020, for the limits.
"""

from collections.abc import Iterator, Sequence
from math import exp, inf

import attrs
import numpy as np

from protocols.privacy.audit_events import Event, Score, learnt_scores
from protocols.privacy.audit_rows import Sample, SampleParts, parts
from simnet.arrays import Floats, Ints, Numbers
from simnet.coins.coins import Coins
from simnet.errors import BadInput

CountPair = tuple[Ints, Ints]  # under the input that the event favours, and under the other

LEVELS = 1000  # thresholds on a score are tried one by one up to here
# divides the error allowed to an event when it is chosen: many are tried, and rare ones are lucky
CAUTION = 100
STEP = 1.02  # between the ranks of thresholds, from either end, on a score with more levels


@attrs.frozen
class DeltaAt:
    """δ at a given ε."""

    epsilon: float
    name = "delta"

    def needed(self, p: Floats, q: Floats) -> Floats:
        """The δ that events with these chances ask for: p - e^ε q; elementwise."""
        return p - exp(self.epsilon) * q

    def advantage(self, p: Floats, q: Floats) -> Floats:
        """Ranks events where none certifies a positive bound: again p - e^ε q."""
        return self.needed(p, q)

    def __str__(self) -> str:
        return f"delta at epsilon = {self.epsilon:g}"


@attrs.frozen
class EpsilonAt:
    """ε at a given δ."""

    delta: float
    name = "epsilon"

    def needed(self, p: Floats, q: Floats) -> Floats:
        """The ε that events with these chances ask for: ln((p - δ) / q); elementwise.

        Infinite where only q is 0, -inf where p is at most δ.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            excess = np.log(np.maximum(p - self.delta, 0.0))
            return np.where(excess > -inf, excess - np.log(q), -inf)

    def advantage(self, p: Floats, q: Floats) -> Floats:
        """Ranks events where none certifies a positive bound: p - q."""
        return p - q

    def __str__(self) -> str:
        return f"epsilon at delta = {self.delta:g}"


@attrs.frozen(kw_only=True)
class Audit:
    """What an audit found about `of`.

    Its bound is at most the truth with probability at least `confidence`. `estimate` is what the
    event's shares of the certifying rows ask for, without any margin; it too tends to lie below the
    truth, since a better event may exist. Both are at least 0. `hits` are the counts of the event
    and `samples` those of all certifying rows, under P and under Q; `direction` says which of them
    the event favours.
    """

    of: DeltaAt | EpsilonAt
    bound: float
    estimate: float
    confidence: float
    event: Event
    direction: str
    hits: tuple[int, int]
    samples: tuple[int, int]

    def __str__(self) -> str:
        return (
            f"{self.of}: {self.of.name} >= {self.bound:.6g} with confidence {self.confidence:g} "
            f"(estimate {self.estimate:.6g}) by {self.event}: {self.hits[0]} of {self.samples[0]} "
            f"under P, {self.hits[1]} of {self.samples[1]} under Q"
        )


def audit_epsilon(
    p_sample: Sample,
    q_sample: Sample,
    coins: Coins,
    *,
    delta: float = 0.0,
    confidence: float = 0.95,
    samples: int | None = None,
    names: Sequence[str] = (),
) -> Audit:
    """A lower bound on ε at δ, from independent reports under two neighbouring inputs.

    `p_sample` holds the reports under P and `q_sample` those under Q. Both are arrays (m, features)
    or (m,), a row for a report, or functions `sample(count, coins)` that draw `count` reports; then
    `samples` says how many are drawn on either side. `names` are those of the features, by default
    coordinate 1, 2, and so on. Coins split the arrays and feed the functions: equal coins give
    equal audits.

    Raises `ValueError` for δ outside [0, 1) or a confidence outside (0, 1), `BadInput` for samples
    that cannot be used.
    """
    if not 0 <= delta < 1:
        raise ValueError(f"delta lies in [0, 1), got {delta}")
    return _audit(EpsilonAt(delta), p_sample, q_sample, coins, confidence, samples, names)


def audit_delta(
    p_sample: Sample,
    q_sample: Sample,
    coins: Coins,
    *,
    epsilon: float,
    confidence: float = 0.95,
    samples: int | None = None,
    names: Sequence[str] = (),
) -> Audit:
    """A lower bound on δ at ε; the rest as for `audit_epsilon`.

    For use from Python: no command calls it.

    Raises `ValueError` for ε outside [0, inf).
    """
    if not 0 <= epsilon < inf:
        raise ValueError(f"epsilon is finite and at least 0, got {epsilon}")
    return _audit(DeltaAt(epsilon), p_sample, q_sample, coins, confidence, samples, names)


def _audit(
    of: DeltaAt | EpsilonAt,
    p_sample: Sample,
    q_sample: Sample,
    coins: Coins,
    confidence: float,
    samples: int | None,
    names: Sequence[str],
) -> Audit:
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies strictly between 0 and 1, got {confidence}")
    sides = parts(p_sample, samples, coins), parts(q_sample, samples, coins)
    names = _feature_names(names, *(side.fit.shape[1] for side in sides))
    scores = learnt_scores(sides[0].fit, sides[1].fit, names, coins)
    event = max(
        (_best(of, score, sides, 1 - confidence) for score in scores),
        key=lambda candidate: candidate[0],
    )[1]
    hits = _counts(event, sides[0].rest), _counts(event, sides[1].rest)
    sizes = sides[0].certifying, sides[1].certifying
    pair, rows = (
        _favoured_first(np.array(hits), event.above),
        _favoured_first(np.array(sizes), event.above),
    )
    bound = certified_value(of, pair, rows, 1 - confidence)
    estimate = of.needed(pair[0] / rows[0], pair[1] / rows[1])
    direction = "P over Q" if event.above else "Q over P"
    return Audit(
        of=of,
        bound=max(0.0, float(bound)),
        estimate=max(0.0, float(estimate)),
        confidence=confidence,
        event=event,
        direction=direction,
        hits=hits,
        samples=sizes,
    )


def _feature_names(names: Sequence[str], features: int, others: int) -> Sequence[str]:
    if features != others:
        raise BadInput(
            f"reports under both inputs have the same features, got {features} and {others}"
        )
    if names and len(names) != features:
        raise BadInput(
            f"{features} features have as many names, got {len(names)}: {', '.join(names)}"
        )
    if features == 1:
        return names or ["the report"]
    return names or [f"coordinate {place}" for place in range(1, features + 1)]


def _counts(event: Event, chunks: Iterator[Numbers]) -> int:
    return sum(int(np.count_nonzero(event.holds(rows))) for rows in chunks)


def certified_value(
    of: DeltaAt | EpsilonAt, hits: CountPair, sizes: CountPair, error: float
) -> Floats:
    """The value that the limits on an event's chances ask for; elementwise.

    First comes the input that the event favours. It exceeds the truth with probability at most
    `error`, by a union bound over the two limits.
    """
    return of.needed(lower(hits[0], sizes[0], error / 2), upper(hits[1], sizes[1], error / 2))


def _best(
    of: DeltaAt | EpsilonAt, score: Score, sides: tuple[SampleParts, SampleParts], error: float
) -> tuple[tuple[float, float], Event]:
    """The event of a score that promises most on the choosing rows.

    It has the greatest bound, or where no event has one the greatest advantage.
    """
    ordered = [np.sort(score.of(side.choose)) for side in sides]
    thresholds = _thresholds(np.sort(np.concatenate(ordered)))
    below = [np.searchsorted(scores, thresholds) for scores in ordered]
    sizes = [np.array(len(scores)) for scores in ordered]
    candidates = []
    for above in (True, False):
        hits = [
            len(scores) - under if above else under
            for scores, under in zip(ordered, below, strict=True)
        ]
        promises = _promises(of, _favoured_first(hits, above), _favoured_first(sizes, above), error)
        place = max(range(len(thresholds)), key=promises.__getitem__)
        candidates.append((promises[place], Event(score, float(thresholds[place]), above)))
    return max(candidates, key=lambda candidate: candidate[0])


def _promises(
    of: DeltaAt | EpsilonAt, hits: CountPair, sizes: CountPair, error: float
) -> list[tuple[float, float]]:
    """Bounds and advantages of events by their hits among the choosing rows.

    The bounds are those that so few rows certify, not those to expect of all the certifying ones:
    where many events are tried, rare ones that look good by luck would win otherwise.
    """
    bounds = np.maximum(certified_value(of, hits, sizes, error / CAUTION), 0.0)
    advantages = of.advantage(hits[0] / sizes[0], hits[1] / sizes[1])
    return list(zip(bounds.tolist(), advantages.tolist(), strict=True))


def _favoured_first(pair: Sequence[Ints] | Ints, above: bool) -> CountPair:
    """The pair with the input that the event favours in front."""
    return (pair[0], pair[1]) if above else (pair[1], pair[0])


def _thresholds(ordered: Floats) -> Floats:
    """Thresholds midway between neighbouring levels of sorted scores.

    So the last digits of a sum decide nothing.
    """
    starts = np.flatnonzero(ordered[1:] > ordered[:-1]) + 1
    if len(starts) > LEVELS:
        ranks = np.unique((STEP ** np.arange(np.log(len(ordered)) / np.log(STEP))).astype(np.int64))
        tails = np.concatenate([ordered[ranks - 1], ordered[-ranks]])
        starts = np.unique(np.searchsorted(ordered, tails))
        starts = starts[starts > 0]
    return (ordered[starts] + ordered[starts - 1]) / 2 if starts.size else ordered[:1]


def lower(hits: Ints, size: Ints, error: float) -> Floats:
    """Clopper and Pearson's lower limit; elementwise.

    It lies above a binomial's chance with probability at most `error`.
    """
    from scipy.special import betaincinv  # here, not above: it takes a while to load

    return np.where(hits > 0, betaincinv(np.maximum(hits, 1), size - hits + 1, error), 0.0)


def upper(hits: Ints, size: Ints, error: float) -> Floats:
    """Clopper and Pearson's upper limit; elementwise.

    It lies below a binomial's chance with probability at most `error`.
    """
    return 1 - lower(size - hits, size, error)
