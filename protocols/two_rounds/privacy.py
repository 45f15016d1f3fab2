"""The exact privacy of every view of the two-round mechanism.

A view that holds both rounds has ε = inf.

Round one says nothing. Round two alone has a finite ε, decided by the rarest background face. Both
rounds of one owner together show that it was sampled and what it holds: δ = π_s at every ε. Exact
sums of both rounds differ by Bin(yes, π_s), in which one owner fewer makes an outcome impossible:
still no finite ε, with a δ that falls as `yes` grows, which is what is being estimated. Source: Joy
and Gerla, section 4.4, who analyse round two alone: Eq. 18 to 25 for one value, with both outputs,
and Eq. 26 to 29 for several, with the largest over all values.
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

LawPiece = tuple[int, Floats]  # the first outcome, and the chances from it on

LARGEST_TABLE, LARGEST_WORK = 10**7, 10**10
BRACKET = (
    "their delta lies between difference_delta, with as many yes, and aggregate_delta with fewer no"
)


def epsilon_round_one(mechanism: TwoRounds) -> float:
    """The ε of an owner's answer in round one alone: 0, for its law is the same for every truth."""
    del mechanism
    return 0.0


def epsilon_round_two(mechanism: TwoRounds) -> float:
    """The ε of an owner's answer in round two alone: max over legal truths of ln(1 + π_s / π_v).

    It is infinite if some π_v is 0, and 0 where there is only one legal truth.
    """
    if len(mechanism.truths) < 2:
        return 0.0
    rarest = min(mechanism.background[truth] for truth in mechanism.truths)
    return log(1 + Fraction(mechanism.sampling) / rarest) if rarest else math.inf


def delta_round_two(mechanism: TwoRounds, epsilon: Chance) -> float:
    """The δ at ε >= 0 of an owner's answer in round two alone.

    For use from Python: no command calls it.

    It is the largest π_s - (e^ε - 1) π_v over legal truths v; 0 where there is one legal truth
    only; π_s at every ε where some π_v is 0: nobody who holds another truth gives this answer.
    Raises `ValueError` for an ε that is negative, infinite or undefined, `TypeError` for what is no
    number.
    """
    _epsilon(epsilon)
    if len(mechanism.truths) < 2:
        return 0.0
    rarest = min(mechanism.background[truth] for truth in mechanism.truths)
    # In fractions, for the two may be near each other
    answered = (odds.exp(Fraction(min(epsilon, checks.LARGEST_EPSILON))) - 1) * rarest
    return odds.real(max(Fraction(mechanism.sampling) - answered, Fraction(0)))


def best_epsilon_round_two(sampling: Chance, values: int, none: bool = False) -> float:
    """The least ε of round two that any background gives.

    ln(1 + π_s t / (1 - π_s)) for t legal truths.
    """
    proper_sampling(sampling)
    checks.whole("values", values, 1)
    truths = values + none
    exact = Fraction(sampling)
    return log(1 + exact * truths / (1 - exact)) if truths > 1 else 0.0


def epsilon_joint(mechanism: TwoRounds) -> float:
    """The ε of both answers of an owner: inf.

    A change from 0 to v is impossible unless the truth is v. So is that of the sums of both rounds,
    and of their differences.
    """
    del mechanism
    return math.inf


def delta_joint(mechanism: TwoRounds, epsilon: Chance) -> float:
    """The δ of both answers of an owner at any ε >= 0: π_s, the chance to be sampled.

    Raises `ValueError` for an ε that is negative, infinite or undefined, `TypeError` for what is no
    number.
    """
    _epsilon(epsilon)
    return float(mechanism.sampling)


def aggregate_law(mechanism: TwoRounds, yes: int, no: int) -> Floats:
    """The law of A owners with face "one" and D sampled ones who hold yes.

    Shape (yes + no + 1, yes + 1). The published counts of ones are A, and A + D. Raises
    `ValueError` unless the mechanism is binary, and for populations whose table has more than ten
    million entries.
    """
    _populations(mechanism, yes, no)
    if (yes + no + 1) * (yes + 1) > LARGEST_TABLE:
        raise ValueError(
            f"the table of {yes:,} yes and {no:,} no has more than {LARGEST_TABLE:,} "
            f"entries: {BRACKET}"
        )
    joint = np.zeros((yes + no + 1, yes + 1))
    for d, (first, chances) in _rows(mechanism, yes, no):
        joint[first : first + len(chances), d] = chances
    return joint


def aggregate_delta(mechanism: TwoRounds, epsilon: Chance, yes: int, no: int) -> float:
    """The δ at ε of the published sums of both rounds.

    One of `yes` >= 1 owners comes to hold no instead. Owners who hold no add noise that does not
    depend on the change, so δ never rises with `no`. Absolute error below 1e-12. Raises
    `ValueError` as `aggregate_law` does, for populations that take more than 10^10 multiplications.
    """
    checks.whole("yes", yes, 1)
    _epsilon(epsilon)
    _populations(mechanism, yes, no)
    if _multiplications(mechanism, yes, no) > LARGEST_WORK:
        raise ValueError(
            f"{yes:,} yes and {no:,} no take more than {LARGEST_WORK:.0e} multiplications: "
            f"{BRACKET}"
        )
    without = dict(_rows(mechanism, yes - 1, no + 1))
    excess = np.zeros(2)
    for d, row in _rows(mechanism, yes, no):
        excess += _excesses(row, without.get(d, (row[0], np.zeros(0))), float(epsilon))
    return float(excess.max())


def _rows(mechanism: TwoRounds, yes: int, no: int) -> Iterator[tuple[int, LawPiece]]:
    """For each D the least A that matters, and the chances of it and those after.

    What is left out is below 1e-13.
    """
    s, face_one = float(mechanism.sampling), float(mechanism.background[1])
    first, others = law(no, face_one)
    least, sampled = law(yes, s)
    for d, chance in enumerate(sampled.tolist(), start=least):
        start, ones = law(yes - d, min(face_one / (1 - s), 1.0))
        yield d, (first + start, chance * np.convolve(ones, others))


def _excesses(here: LawPiece, other: LawPiece, epsilon: float) -> Floats:
    """Σ max(P - e^ε Q, 0) and Σ max(Q - e^ε P, 0); shape (2,)."""
    start = min(here[0], other[0])
    end = max(first + len(chances) for first, chances in (here, other))
    p, q = (
        np.pad(chances, (first - start, end - first - len(chances)))
        for first, chances in (here, other)
    )
    factor = math.exp(epsilon) if epsilon < 700 else math.inf
    with np.errstate(invalid="ignore"):  # inf times 0, which is taken for 0
        most = [np.where(chances > 0, factor * chances, 0.0) for chances in (p, q)]
    return np.array([np.maximum(p - most[1], 0).sum(), np.maximum(q - most[0], 0).sum()])


def _multiplications(mechanism: TwoRounds, yes: int, no: int) -> float:
    """About how many the convolutions take."""
    s, face_one = float(mechanism.sampling), float(mechanism.background[1])
    binomials = ((yes, s), (yes, face_one), (no, face_one))
    return 2.0 * math.prod(len(law(trials, chance)[1]) for trials, chance in binomials)


def difference_delta(mechanism: TwoRounds, epsilon: float, yes: int) -> float:
    """The δ at ε of the difference of one value's sums alone.

    Bin(yes, π_s) against Bin(yes - 1, π_s), yes >= 1.
    """
    checks.whole("yes", yes, 1)
    _epsilon(epsilon)
    return delta_at(Removal(yes, float(mechanism.sampling)), epsilon)


@attrs.frozen
class TruthPosterior:
    """The chance of yes once something of an owner has been seen."""

    round_two_one: float
    round_two_zero: float
    both_rounds_0_then_1: float
    both_rounds_0_0: float
    both_rounds_1_1: float


def posterior_yes(mechanism: TwoRounds, prior: Chance) -> TruthPosterior:
    """By Bayes' rule, from the chance before, 0 < prior < 1; NaN for what is never seen.

    Raises `ValueError` unless the mechanism is binary.
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
            f"this is about yes and no, got a mechanism for {mechanism.values} values: use "
            f"binary(...)"
        )


def _epsilon(epsilon: Chance) -> None:
    checks.number("epsilon", epsilon)
    if not 0 <= epsilon < math.inf:  # also refuses NaN
        raise ValueError(f"delta belongs to a finite epsilon from 0 on, got {epsilon}")
