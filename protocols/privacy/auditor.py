"""An auditor: lower bounds on ε or δ from samples of any mechanism or view.

Use the auditor if no closed form is known, or to test a stated value.

Theory of operation. Reports are drawn under an input P and under its neighbour Q. For every event
S, (ε, δ)-privacy demands P[S] <= e^ε Q[S] + δ. So the probabilities p = P[S] and q = Q[S] show::

    δ >= p - e^ε q        and        ε >= ln((p - δ) / q).

1. `audit_rows` splits the reports into three parts: one eighth to learn scores, one eighth to
   select an event, and the rest to certify.
2. `audit_events` learns scores. An event says that a score is at least a threshold, or below it.
   The auditor selects the event with the largest bound on the second part.
3. The auditor counts the event in the certifying part, which no earlier step has used. Clopper and
   Pearson's exact limits give a lower limit on p and an upper limit on q, and the formulas above
   turn these into a bound.

Neither the event nor the direction (P against Q, or Q against P) is selected on the certifying
part. So the allowed error is split between the two limits only. If the reports are independent, a
bound exceeds the truth with probability at most 1 - confidence, whatever the mechanism is. A bound
may lie far below the truth: an audit can refute a claim, but it cannot prove a claim.

Example. Randomised response with ε = ln 3, with 10,000 reports of users whose truth is yes, and
10,000 of users whose truth is no. The event is "the report is yes"; about 5,625 and 1,875 of 7,500
certifying rows are in it. With confidence 0.95, p >= 0.740 and q <= 0.260, so ε >= 1.046, while ln
3 is 1.099.

Sources: Bichsel et al., *DP-Sniper*, 2021, for events from a classifier; Jagielski et al.,
*Auditing Differentially Private Machine Learning*, 2020, for the limits.
"""

from collections.abc import Iterator, Sequence
from decimal import ROUND_FLOOR, Context
from math import exp, inf

import attrs
import numpy as np

from protocols.privacy.audit_events import Event, Score, learnt_scores
from protocols.privacy.audit_rows import Sample, SampleParts, parts
from simnet.arrays import Floats, Ints, Numbers
from simnet.coins.coins import Coins
from simnet.errors import BadInput

CountPair = tuple[Ints, Ints]  # under the input that the event favours, and under the other

LEVELS = 1000  # up to this many levels of a score, every threshold is tried
# The selection divides the allowed error by this number: it tries many events, and some rare
# events look good by luck.
CAUTION = 100
LARGE_EPSILON = 700.0  # beyond it, e^ε is taken as infinite, which only lowers a bound on δ
STEP = 1.02  # ratio of successive ranks of thresholds, from either end, for more levels


@attrs.frozen
class DeltaAt:
    """The quantity "δ at a given ε"."""

    epsilon: float
    name = "delta"

    def needed(self, p: Floats, q: Floats) -> Floats:
        """Return the δ that events with these probabilities demand: p - e^ε q; elementwise."""
        factor = exp(self.epsilon) if self.epsilon < LARGE_EPSILON else inf
        with np.errstate(invalid="ignore"):
            return np.where(q > 0, p - factor * q, p)

    def advantage(self, p: Floats, q: Floats) -> Floats:
        """Return p - e^ε q, which ranks events if none certifies a positive bound."""
        return self.needed(p, q)

    def __str__(self) -> str:
        return f"delta at epsilon = {self.epsilon:.15g}"


@attrs.frozen
class EpsilonAt:
    """The quantity "ε at a given δ"."""

    delta: float
    name = "epsilon"

    def needed(self, p: Floats, q: Floats) -> Floats:
        """Return the ε that events with these probabilities demand: ln((p - δ) / q);
        elementwise.

        The result is -inf if p is at most δ; otherwise it is inf if q is 0.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            excess = np.log(np.maximum(p - self.delta, 0.0))
            return np.where(excess > -inf, excess - np.log(q), -inf)

    def advantage(self, p: Floats, q: Floats) -> Floats:
        """Return p - q, which ranks events if none certifies a positive bound."""
        return p - q

    def __str__(self) -> str:
        return f"epsilon at delta = {self.delta:.15g}"


@attrs.frozen(kw_only=True)
class Audit:
    """The result of an audit of `of`, which is ε at a δ or δ at an ε.

    `bound` is at most the truth with probability at least `confidence`, if the reports are
    independent. `estimate` is what the formula for the bound gives for the event's shares of the
    certifying rows, without a margin for chance. `bound` and `estimate` are at least 0. `samples`
    has the numbers of certifying rows under P and under Q, and `hits` says how many of them are in
    the event. `direction` is `P over Q` if p in the formulas above is the event's probability under
    P, and q that under Q; it is `Q over P` if they are exchanged.

    >>> import numpy as np
    >>> from simnet.coins.sampled import SampledCoins
    >>> answers = np.arange(800) % 4 > 0  # yes with probability 3/4
    >>> found = audit_epsilon(answers, ~answers, SampledCoins(7, "audit"))
    >>> found.direction in ("P over Q", "Q over P"), sum(found.samples)
    (True, 1200)
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
            f"{self.of}: {self.of.name} >= {rounded_down(self.bound):.6g} "
            f"with confidence {self.confidence:.15g} "
            f"(estimate {self.estimate:.6g}) by {self.event}: {self.hits[0]} of {self.samples[0]} "
            f"under P, {self.hits[1]} of {self.samples[1]} under Q"
        )


def rounded_down(bound: float) -> float:
    """Return a bound rounded down to six digits, so that it stays a lower bound."""
    return float(Context(prec=6, rounding=ROUND_FLOOR).create_decimal(bound))


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
    """Return a lower bound on ε at δ, from independent reports under two neighbouring inputs.

    `p_sample` holds the reports under one input, P, and `q_sample` those under the other, Q. Both
    are arrays (m, features) or (m,) with one row per report, or functions `sample(count, coins)`
    that draw `count` reports; then `samples` says how many are drawn under each input. `names` are
    the names of the features, by default `coordinate 1`, `coordinate 2` and so on, or `the report`
    for a single feature. The coins split the arrays and feed the functions. To get the same
    audit again, make new coins with the same seed and name; the functions must use no other
    randomness.

    Raises `ValueError` for δ outside [0, 1) or a confidence outside (0, 1), and `BadInput` for
    samples or names that cannot be used, and if scikit-learn is needed and missing.

    >>> from protocols import GRR
    >>> from simnet.coins.sampled import SampledCoins
    >>> grr = GRR(epsilon=1.0, items=2)
    >>> def reports(item):
    ...     return lambda count, coins: grr.perturb([item] * count, coins)
    >>> audit = audit_epsilon(reports(1), reports(2), SampledCoins(7, "audit"), samples=4000)
    >>> 0.7 < audit.bound < 1.1
    True
    """
    if not 0 <= delta < 1:
        raise ValueError(f"delta must lie in [0, 1), got {delta}")
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
    """Return a lower bound on δ at ε; the other arguments are those of `audit_epsilon`.

    Raises `ValueError` for ε outside [0, inf), and for other arguments the errors of
    `audit_epsilon`.

    >>> from simnet.coins.sampled import SampledCoins
    >>> coins = SampledCoins(7, "audit")
    >>> audit = audit_delta([0, 1] * 400, [1, 1] * 400, coins, epsilon=0.0)
    >>> 0.3 < audit.bound < 0.6  # the true distance is 0.5
    True
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
        raise ValueError(f"a confidence must lie strictly between 0 and 1, got {confidence}")
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
            f"reports under both inputs must have the same number of features, got {features} and "
            f"{others}"
        )
    if names and len(names) != features:
        raise BadInput(
            f"give a name for each feature ({features}), got {len(names)}: {', '.join(names)}"
        )
    if features == 1:
        return names or ["the report"]
    return names or [f"coordinate {place}" for place in range(1, features + 1)]


def _counts(event: Event, chunks: Iterator[Numbers]) -> int:
    return sum(int(np.count_nonzero(event.holds(rows))) for rows in chunks)


def certified_value(
    of: DeltaAt | EpsilonAt, hits: CountPair, sizes: CountPair, error: float
) -> Floats:
    """Return the ε or δ that the limits on an event's probabilities demand; elementwise.

    `hits` and `sizes` each have two entries: first for the input that the event favours, then for
    the other input. The result exceeds the truth with probability at most `error`, by a union bound
    over the two limits.
    """
    return of.needed(lower(hits[0], sizes[0], error / 2), upper(hits[1], sizes[1], error / 2))


def _best(
    of: DeltaAt | EpsilonAt, score: Score, sides: tuple[SampleParts, SampleParts], error: float
) -> tuple[tuple[float, float], Event]:
    """Return the best event of a score on the selecting rows, with its bound and its advantage.

    The best event has the largest bound, and among equal bounds the largest advantage.
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
    """Return the bounds and advantages of events, by their hits among the selecting rows.

    The bounds are those that the selecting rows themselves certify. So rare events that look good
    by luck seldom win.
    """
    bounds = np.maximum(certified_value(of, hits, sizes, error / CAUTION), 0.0)
    advantages = of.advantage(hits[0] / sizes[0], hits[1] / sizes[1])
    return list(zip(bounds.tolist(), advantages.tolist(), strict=True))


def _favoured_first(pair: Sequence[Ints] | Ints, above: bool) -> CountPair:
    return (pair[0], pair[1]) if above else (pair[1], pair[0])


def _thresholds(ordered: Floats) -> Floats:
    """Return thresholds midway between neighbouring levels of sorted scores: all of them, or some
    of them if there are more than 1,000. A single level is itself the threshold.
    """
    starts = np.flatnonzero(ordered[1:] > ordered[:-1]) + 1
    if len(starts) > LEVELS:
        ranks = np.unique((STEP ** np.arange(np.log(len(ordered)) / np.log(STEP))).astype(np.int64))
        tails = np.concatenate([ordered[ranks - 1], ordered[-ranks]])
        starts = np.unique(np.searchsorted(ordered, tails))
        starts = starts[starts > 0]
    return (ordered[starts] + ordered[starts - 1]) / 2 if starts.size else ordered[:1]


def lower(hits: Ints, size: Ints, error: float) -> Floats:
    """Return Clopper and Pearson's lower limit for a binomial's probability; elementwise.

    The limit lies above the true probability with probability at most `error`.
    """
    from scipy.special import betaincinv  # imported only here: scipy loads slowly

    return np.where(hits > 0, betaincinv(np.maximum(hits, 1), size - hits + 1, error), 0.0)


def upper(hits: Ints, size: Ints, error: float) -> Floats:
    """Return Clopper and Pearson's upper limit for a binomial's probability; elementwise.

    The limit lies below the true probability with probability at most `error`.
    """
    return 1 - lower(size - hits, size, error)
