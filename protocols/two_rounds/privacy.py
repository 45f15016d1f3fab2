"""The privacy of views of the two-round mechanism.

Each owner rolls one die, and gives one answer in each of two rounds. If there are two or more legal
truths:

- *Round one alone* tells nothing about the owner's truth.
- *Round two alone* has a finite ε if the background face of every legal truth has a probability
  above 0; ε depends on the least probable of these faces.
- *Both answers of one owner* together can show that the die showed its sampled face. Then they
  show the owner's truth. So δ = π_s at every ε, and no finite ε is possible.
- *The exact sums of both rounds* differ by a number with the law Bin(h, π_s), where h owners hold
  the value. If one owner fewer held the value, a difference of h would be impossible. So no finite
  ε is possible either. δ falls as h grows, and h is the number that the protocol estimates.

Source: Joy and Gerla, section 4.4. Joy and Gerla analyse only round two. Eq. 18 to 25 of the paper
are about one value: an owner answers yes or no, and both answers are compared. Eq. 26 to 29 are
about several values, and take the largest ε over all values.
"""

import math
from collections.abc import Iterator
from fractions import Fraction

import attrs
import numpy as np

from protocols import checks
from protocols.checks import Chance
from protocols.mechanisms import odds
from protocols.mechanisms.odds import log
from protocols.privacy.binomial import law
from protocols.privacy.profile import delta_at
from protocols.privacy.sampled_counts import Removal
from protocols.two_rounds.mechanism import TwoRounds, proper_sampling
from simnet.arrays import Floats

LawPiece = tuple[int, Floats]  # an outcome, and the probabilities of it and of later outcomes

LARGEST_TABLE, LARGEST_WORK = 10**7, 10**10
BRACKET = (
    "take bounds: the delta is at least difference_delta for the same number of yes, and at most "
    "aggregate_delta for the same number of yes and a smaller number of no"
)


def epsilon_round_one(mechanism: TwoRounds) -> float:
    """Return the ε of an owner's answer in round one alone: 0, because the answer has the same law
    for every truth.
    """
    del mechanism
    return 0.0


def epsilon_round_two(mechanism: TwoRounds) -> float:
    """Return the ε of an owner's answer in round two alone: max over legal truths v of ln(1 + π_s /
    π_v).

    The ε is 0 if there is only one legal truth. Otherwise it is infinite if one of these π_v is 0.
    """
    if len(mechanism.truths) < 2:
        return 0.0
    rarest = min(mechanism.background[truth] for truth in mechanism.truths)
    return log(1 + Fraction(mechanism.sampling) / rarest) if rarest else math.inf


def delta_round_two(mechanism: TwoRounds, epsilon: Chance) -> float:
    """Return the δ at ε >= 0 of an owner's answer in round two alone.

    This δ is the largest π_s - (e^ε - 1) π_v over legal truths v. It is 0 if all these numbers are
    negative, or if there is only one legal truth. Otherwise the δ is π_s at every ε if one of these
    π_v is 0, because then no holder of another truth gives this answer. Raises `ValueError` for an
    ε that is negative, infinite or NaN.
    """
    _epsilon(epsilon)
    if len(mechanism.truths) < 2:
        return 0.0
    rarest = min(mechanism.background[truth] for truth in mechanism.truths)
    # computed with fractions, because the two numbers may be nearly equal
    answered = (odds.exp(Fraction(min(epsilon, checks.LARGEST_EPSILON))) - 1) * rarest
    return odds.real(max(Fraction(mechanism.sampling) - answered, Fraction(0)))


def best_epsilon_round_two(sampling: Chance, values: int, none: bool = False) -> float:
    """Return the least ε of round two that any background gives: ln(1 + π_s t / (1 - π_s)).

    `sampling` is π_s, `values` is V, and t = V + `none` is the number of legal truths. For t = 1
    the result is 0, because a single truth cannot be told from another. Raises `ValueError` unless
    0 < π_s < 1 and V >= 1.

    >>> round(best_epsilon_round_two(sampling=0.5, values=1, none=True), 4)  # ln 3
    1.0986
    """
    proper_sampling(sampling)
    checks.whole("values", values, 1)
    truths = values + none
    exact = Fraction(sampling)
    return log(1 + exact * truths / (1 - exact)) if truths > 1 else 0.0


def epsilon_joint(mechanism: TwoRounds) -> float:
    """Return the ε of both answers of an owner: inf.

    A change from 0 to v is impossible unless the truth is v. The sums of both rounds, and their
    differences, have ε = inf too. There must be at least two legal truths.
    """
    del mechanism
    return math.inf


def delta_joint(mechanism: TwoRounds, epsilon: Chance) -> float:
    """Return the δ of both answers of an owner at any ε >= 0: π_s, the probability to be
    sampled.

    There must be at least two legal truths. Raises `ValueError` for an ε that is negative, infinite
    or NaN.

    >>> from protocols import TwoRounds
    >>> delta_joint(TwoRounds(sampling=0.45, faces=(0.25, 0.3), none=True), epsilon=10.0)
    0.45
    """
    _epsilon(epsilon)
    return float(mechanism.sampling)


def aggregate_law(mechanism: TwoRounds, yes: int, no: int) -> Floats:
    """Return the joint law of A, the number of owners who roll the background face of yes, and D,
    the number of sampled owners who hold yes.

    Shape (yes + no + 1, yes + 1). The published counts of yes are A and A + D. Raises `ValueError`
    unless the mechanism is binary, for negative populations, and for populations whose table has
    more than ten million entries.
    """
    _populations(mechanism, yes, no)
    if (yes + no + 1) * (yes + 1) > LARGEST_TABLE:
        raise ValueError(
            f"the table for yes={yes:,} and no={no:,} has more than "
            f"{LARGEST_TABLE:,} entries: aggregate_delta finds the delta of the sums without "
            "this table"
        )
    joint = np.zeros((yes + no + 1, yes + 1))
    for d, (first, chances) in _rows(mechanism, yes, no):
        joint[first : first + len(chances), d] = chances
    return joint


def aggregate_delta(mechanism: TwoRounds, epsilon: Chance, yes: int, no: int) -> float:
    """Return the δ at ε of the published sums of both rounds.

    One of `yes` >= 1 owners changes its truth to no. The other owners whose truth is no add noise
    that does not depend on this change, so δ never rises with `no`. The absolute error is below
    1e-12. Raises `ValueError` unless the mechanism is binary, for populations out of range, for an
    ε that is negative, infinite or NaN, and for populations that take more than 10^10
    multiplications.
    """
    checks.whole("yes", yes, 1)
    _epsilon(epsilon)
    _populations(mechanism, yes, no)
    if _multiplications(mechanism, yes, no) > LARGEST_WORK:
        raise ValueError(
            f"the delta for yes={yes:,} and no={no:,} takes more than {LARGEST_WORK:,} "
            f"multiplications: {BRACKET}"
        )
    without = dict(_rows(mechanism, yes - 1, no + 1))
    excess = np.zeros(2)
    for d, row in _rows(mechanism, yes, no):
        excess += _excesses(row, without.get(d, (row[0], np.zeros(0))), float(epsilon))
    return float(excess.max())


def _rows(mechanism: TwoRounds, yes: int, no: int) -> Iterator[tuple[int, LawPiece]]:
    """Yield, for each D, this number, the first number A, and the joint probabilities of D with
    this A and with the numbers after it. The probabilities left out are below 1e-13.
    """
    s, face_one = float(mechanism.sampling), float(mechanism.background[1])
    first, others = law(no, face_one)
    least, sampled = law(yes, s)
    for d, chance in enumerate(sampled.tolist(), start=least):
        start, ones = law(yes - d, min(face_one / (1 - s), 1.0))
        yield d, (first + start, chance * np.convolve(ones, others))


def _excesses(here: LawPiece, other: LawPiece, epsilon: float) -> Floats:
    start = min(here[0], other[0])
    end = max(first + len(chances) for first, chances in (here, other))
    p, q = (
        np.pad(chances, (first - start, end - first - len(chances)))
        for first, chances in (here, other)
    )
    factor = math.exp(epsilon) if epsilon < 700 else math.inf
    with np.errstate(invalid="ignore"):  # inf times 0 counts as 0
        most = [np.where(chances > 0, factor * chances, 0.0) for chances in (p, q)]
    return np.array([np.maximum(p - most[1], 0).sum(), np.maximum(q - most[0], 0).sum()])


def _multiplications(mechanism: TwoRounds, yes: int, no: int) -> float:
    s, face_one = float(mechanism.sampling), float(mechanism.background[1])
    binomials = ((yes, s), (yes, face_one), (no, face_one))
    return 2.0 * math.prod(len(law(trials, chance)[1]) for trials, chance in binomials)


def difference_delta(mechanism: TwoRounds, epsilon: float, yes: int) -> float:
    """Return the δ at ε of the difference of one value's sums alone.

    The function compares Bin(yes, π_s) with Bin(yes - 1, π_s), for `yes` >= 1 holders. Raises
    `ValueError` for `yes` < 1 and for an ε that is negative, infinite or NaN.

    >>> from protocols import TwoRounds
    >>> die = TwoRounds(sampling=0.45, faces=(0.25, 0.3), none=True)
    >>> f"{difference_delta(die, epsilon=0.5, yes=100):.1e}"
    '2.2e-07'
    """
    checks.whole("yes", yes, 1)
    _epsilon(epsilon)
    return delta_at(Removal(yes, float(mechanism.sampling)), epsilon)


@attrs.frozen
class TruthPosterior:
    """The probability of yes, given what somebody has seen of an owner."""

    round_two_one: float
    round_two_zero: float
    both_rounds_0_then_1: float
    both_rounds_0_0: float
    both_rounds_1_1: float


def posterior_yes(mechanism: TwoRounds, prior: Chance) -> TruthPosterior:
    """Return the posterior probabilities of yes by Bayes' rule; NaN for an impossible
    observation.

    `prior` is the probability of yes before the observation, 0 < prior < 1. Raises `ValueError` for
    another prior, and unless the mechanism is binary.
    """
    _binary(mechanism)
    checks.chance("prior", prior)
    if not 0 < prior < 1:
        raise ValueError(f"a prior lies strictly between 0 and 1, got {prior}")
    before = Fraction(prior)

    def after(if_yes: Fraction, if_no: Fraction) -> float:
        evidence = before * if_yes + (1 - before) * if_no
        return float(before * if_yes / evidence) if evidence else math.nan

    (says_zero, says_one), (stays, keeps, changes) = (
        tuple(zip(law(1), law(0), strict=True))
        for law in (mechanism.round_two_law, mechanism.joint_law)
    )
    return TruthPosterior(
        after(*says_one), after(*says_zero), after(*changes), after(*stays), after(*keeps)
    )


def _populations(mechanism: TwoRounds, yes: int, no: int) -> None:
    _binary(mechanism)
    checks.whole("yes", yes, 0)
    checks.whole("no", no, 0)


def _binary(mechanism: TwoRounds) -> None:
    if mechanism.values != 1 or not mechanism.none:
        raise ValueError(
            f"this function is about yes and no, got {mechanism!r}: use a mechanism of binary(...)"
        )


def _epsilon(epsilon: Chance) -> None:
    checks.number("epsilon", epsilon)
    if not 0 <= epsilon < math.inf:  # also refuses NaN
        raise ValueError(f"delta is computed for a finite epsilon of at least 0, got {epsilon}")
