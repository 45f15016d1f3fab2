"""Sentences and equations of Wang et al. that have no figure, tested without a run of a protocol.

Each entry of `CLAIMS` is a statement and its test at one point (ε, d). The last quotes are the
lemmas and corollaries, as `simnet theorems` judges them.
"""

from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise
from math import cosh, exp, expm1, isclose, log, log2, sinh, sqrt
from pathlib import Path
from typing import Any, Literal

import attrs

from protocols import checks
from protocols.mechanisms.additive import SCDF, Laplace, Staircase
from protocols.mechanisms.attributes import Attributes
from protocols.mechanisms.duchi import Duchi
from protocols.mechanisms.duchi_multi import DuchiMulti, DuchiVariant
from protocols.mechanisms.hybrid import EPS_STAR, HM
from protocols.mechanisms.piecewise import PM
from protocols.mechanisms.split import Split
from protocols.mechanisms.tuples import Tuples, optimal_k, printed_k
from protocols.mechanisms.unary import OUE
from scenarios.theorems.rows import theorem_quotes
from simnet.studies.experiment import Experiment, Measurements, Word
from simnet.studies.parameters import typed
from simnet.studies.quote import STATED, Counterpart, Quote, Stated
from simnet.studies.statements import everywhere, exact
from simnet.studies.table import Measure, Table

EPSILONS = (0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)
DIMENSIONS = (1, 2, 3, 5, 10, 16, 20, 40)
VALUES = (0.0, 0.25, 0.5, 0.75, 1.0)
TIMES = (2, 3, 4, 5, 10)  # how many times a user is asked
MANY = 4096  # the number of attributes at which a rate of growth is computed
Ours = Literal["pm", "hm"]
OURS: tuple[Ours, ...] = ("pm", "hm")
OTHERS = (("SCDF", SCDF), ("Staircase", Staircase))
EQUAL = 1e-9  # numbers with at most this relative difference count as equal


def alike(one: float, other: float) -> bool:
    """Whether two numbers are equal up to rounding."""
    return abs(one - other) <= EQUAL * max(abs(one), abs(other), 1e-300)


def variance_of(mechanism: Any, value: float) -> float:
    """The variance of a report on this value, from the report's law."""
    law = mechanism.law(value)
    return float(law.second_moment - law.mean**2)


def equation_4(epsilon: float, _: int) -> bool:
    """Whether Duchi et al.'s variance for one value is the variance of Eq. 4."""
    squared = (cosh(epsilon / 2) / sinh(epsilon / 2)) ** 2
    return all(alike(variance_of(Duchi(epsilon), t), squared - t**2) for t in VALUES)


def laplace_variance(epsilon: float, _: int) -> bool:
    """Whether Laplace's variance is 8 / ε²."""
    return all(alike(float(Laplace(epsilon).variance([t])[0]), 8 / epsilon**2) for t in VALUES)


def piecewise_grows(epsilon: float, _: int) -> bool:
    """Whether PM's variance falls as |t| falls, and Duchi et al.'s variance grows as |t| falls."""
    ours, theirs = ([variance_of(one(epsilon), t) for t in VALUES] for one in (PM, Duchi))
    return ours == sorted(ours) and theirs == sorted(theirs, reverse=True)


def equation_13(epsilon: float, d: int) -> bool:
    """Whether the variance of Duchi et al.'s printed mechanism for d values is the variance of Eq.
    13.
    """
    made = DuchiMulti(epsilon, d, "as-printed")
    return all(alike(variance_of(made, t), made.bound**2 - t**2) for t in VALUES)


def equation_14(epsilon: float, d: int) -> bool:
    """Whether PM's variance for d values is the variance of Eq. 14."""
    k = printed_k(epsilon, d)
    root, made = exp(epsilon / (2 * k)), Tuples(epsilon, Attributes(d), "pm")
    first = d * (root + 3) / (3 * k * (root - 1) ** 2)
    factor = d * root / (k * (root - 1)) - 1
    return all(alike(float(made.variance([t])[0]), first + factor * t**2) for t in VALUES)


def unbiased(make: Callable[[float], Any]) -> "Claim":
    """Return the claim that a report's mean is the value."""
    return lambda epsilon, _: all(
        isclose(make(epsilon).law(t).mean, t, rel_tol=EQUAL, abs_tol=EQUAL) for t in VALUES
    )


def outside_domain(epsilon: float, _: int) -> bool:
    """Whether Duchi et al.'s possible reports lie outside [-1, 1]."""
    return all(abs(atom.at) > 1 for t in VALUES for atom in Duchi(epsilon).law(t).atoms)


def like_laplace(make: Callable[[float], Any]) -> "Claim":
    """Return the claim that a mechanism has a larger worst variance than Duchi et al.'s."""
    return lambda epsilon, _: make(epsilon).worst_variance > Duchi(epsilon).worst_variance


def absolute_noise(stairs: Any) -> float:
    """The expected absolute noise of SCDF or Staircase."""
    # With r = e^-ε the noise is a m² + 2 a (r (2 m + 2) + r² (2 m + 6) + ...).
    fall, rest = exp(-stairs.epsilon), -expm1(-stairs.epsilon)
    tails = (2 * stairs.middle + 2) / rest + 4 * fall / rest**2
    return float(exp(stairs.log_height) * (stairs.middle**2 + 2 * fall * tails))


def staircase_least_absolute(epsilon: float, _: int) -> bool:
    """Whether Staircase has less expected absolute noise than SCDF and Laplace."""
    others = absolute_noise(SCDF(epsilon)), 2 / epsilon
    return absolute_noise(Staircase(epsilon)) < min(others)


def staircase_least_variance(epsilon: float, _: int) -> bool:
    """Whether Staircase has less variance than SCDF and Laplace."""
    others = SCDF(epsilon).worst_variance, Laplace(epsilon).worst_variance
    return Staircase(epsilon).worst_variance < min(others)


def within_printed_range(epsilon: float, d: int) -> bool:
    """Whether the reports of Algorithm 4 lie in [-C d, C d], with the C of PM at ε."""
    most = PM(epsilon).bound * d * (1 + EQUAL)
    return all(Tuples(epsilon, Attributes(d), ours).bound <= most for ours in OURS)


def pieces(epsilon: float, t: float) -> list[tuple[float, float]]:
    """Return the length and the height of each piece of PM's density, from left to right."""
    parts = PM(epsilon).law(t).parts
    return [(float(part.high - part.low), exp(part.log_height)) for part in parts]  # type: ignore[union-attr]


def symmetric(epsilon: float, _: int) -> bool:
    """Whether PM's density for 0 has three pieces, and is symmetric."""
    found = pieces(epsilon, 0.0)
    return len(found) == 3 and all(map(alike, found[0], found[2]))


def centre_highest(epsilon: float, _: int) -> bool:
    """Whether the density of PM's centre piece is above that of the other pieces."""
    return all(
        pieces(epsilon, t)[1][1] > max(height for _, height in pieces(epsilon, t)[::2])
        for t in VALUES
    )


def centre_likeliest(epsilon: float, _: int) -> bool:
    """Whether PM's centre piece is likelier than each of the other pieces."""

    def masses(t: float) -> list[float]:
        return [length * height for length, height in pieces(epsilon, t)]

    return all(masses(t)[1] > max(masses(t)[::2]) for t in VALUES)


def centre_keeps_length(epsilon: float, _: int) -> bool:
    """Whether PM's centre piece has the length C - 1 for all values, and the right piece shrinks as
    the value grows.
    """
    found = [pieces(epsilon, t) for t in VALUES]
    right = [pieces_of_t[2][0] if len(pieces_of_t) > 2 else 0.0 for pieces_of_t in found]
    return all(alike(each[1][0], PM(epsilon).bound - 1) for each in found) and all(
        one > other for one, other in pairwise(right)
    )


def piecewise_worst(epsilon: float, _: int) -> bool:
    """Whether PM's largest variance is 4 e^(ε/2) / (3 (e^(ε/2) - 1)²)."""
    root = exp(epsilon / 2)
    return alike(PM(epsilon).worst_variance, 4 * root / (3 * (root - 1) ** 2))


def equation_8(epsilon: float, _: int) -> bool:
    """Whether HM's largest variance is that of Eq. 8."""
    root = exp(epsilon / 2)
    binary = ((exp(epsilon) + 1) / (exp(epsilon) - 1)) ** 2
    mixed = (root + 3) / (3 * root * (root - 1)) + binary / root
    return alike(HM(epsilon).worst_variance, mixed if epsilon > EPS_STAR else binary)


def multi_unbiased(variant: DuchiVariant) -> "Claim":
    """Return the claim that Algorithm 3 is unbiased in this variant."""
    return lambda epsilon, d: all(
        isclose(DuchiMulti(epsilon, d, variant).law(t).mean, t, rel_tol=EQUAL, abs_tol=EQUAL)
        for t in VALUES
    )


def fewer_steps(epsilon: float, d: int, best: bool = False) -> bool:
    """Whether asking each user m > 1 times, with ε/m each, leaves fewer steps of equal noise.

    k is by Eq. 12, or the `best` one.
    """

    def worst(budget: float) -> float:
        k = optimal_k(budget, d, "hm") if best else None
        return Tuples(budget, Attributes(d), "hm", k).worst_variance

    # The size of a step's group is proportional to the worst variance of a report, and m n reports
    # are divided among the groups.
    return all(m * worst(epsilon) < worst(epsilon / m) for m in TIMES)


def noise_of_group(epsilon: float, d: int) -> bool:
    """Whether the noise of a gradient averaged over d ln(d) / ε² users shrinks as d doubles."""
    here, twice = (
        Tuples(epsilon, Attributes(many), "hm").worst_variance / (many * log(many))
        for many in (d, 2 * d)
    )
    return twice < here


def splitting_is_worse(epsilon: float, d: int) -> bool:
    """Whether PM with ε/d for each attribute has a larger worst variance than Algorithm 4 has with
    PM.
    """
    split, ours = PM(epsilon / d).worst_variance, Tuples(epsilon, Attributes(d), "pm")
    return split > ours.worst_variance * (1 + EQUAL)


def sampled_categories(share: float) -> "Claim":
    """Return the claim that OUE on k attributes has a smaller variance than OUE on all attributes,
    for a category that this share of the users holds.
    """

    def holds(epsilon: float, d: int) -> bool:
        # The sizes of the domains do not matter.
        every = Attributes(0, (2,) * d)
        ours, split = Tuples(epsilon, every, "hm"), Split(epsilon, every, "laplace")
        most = float(split.frequency_variance(share, 1)) * (1 - EQUAL)
        return float(ours.frequency_variance(share, 1)) < most

    return holds


Claim = Callable[[float, int], bool]
ASKED = (
    f"asking users m > 1 times ({', '.join(map(str, TIMES))}), with ε/m each, leaves fewer steps "
    "of equal noise (HM)"
)
# SCDF and Staircase, up to which ε, and the names of these claims.
ADDITIVE = [(name, make, most) for name, make in OTHERS for most in (1.0, 2.0)]
OF_ADDITIVE = [f"{name.lower()}-{most:g}" for name, _, most in ADDITIVE]
# The largest ε that a claim is about, if it is not about all of them.
LARGEST = {name: most for name, (*_, most) in zip(OF_ADDITIVE, ADDITIVE, strict=True)}
STAIRCASE = "Staircase is optimal for unbounded values: it is more accurate than SCDF and Laplace"
CENTRE = "PM's centre piece has a higher probability than the other two"
CATEGORIES = (
    "for d > 1 categorical attributes, frequencies from OUE on k of them with ε/k vary less than "
    "those from OUE on all of them with ε/d, the best effort of section VI-A"
)
SAME_IF_ALL = "Where the k of Eq. 12 is d, both methods are the same."
# Readings of one statement.
UNDER = {
    "group": "the variance of a single entry",
    "asked": "k by Eq. 12",
    "asked-best": "the best k",
    **{
        name: f"small: up to ε = {most:g}"
        + (", up to which the text calls Laplace considerably worse" if most == 2 else "")
        for name, (*_, most) in zip(OF_ADDITIVE, ADDITIVE, strict=True)
    },
    "staircase-absolute": "less expected absolute noise",
    "staircase-variance": "less variance",
    "centre-density": "a higher probability density",
    "centre-mass": "a report lies in this piece with a higher probability",
    "split": "inferior: a larger worst variance; k by Eq. 12",
    "categories-worst": "the worst variance, which is that of a category that all users hold",
    "categories-unheld": "the variance for a category that no user holds",
    "duchi-multi-mean": "Algorithm 3 as printed, which is not ε-LDP for even d",
    "duchi-multi-mean-corrected": "Algorithm 3 corrected; B then differs from Eq. 10 for even d",
}
# For each claim: its source, statement and test, and why it fails.
CLAIMS: Mapping[str, tuple[str, str, Claim, str]] = {
    "laplace": (
        "section III-A",
        "the variance of Laplace's mechanism is 8/ε²",
        laplace_variance,
        "",
    ),
    "laplace-mean": (
        "section III-A",
        "the report of Laplace's mechanism is unbiased",
        unbiased(Laplace),
        "",
    ),
    "outside": (
        "section I",
        "the reports of Duchi et al. for one value always lie outside [-1, 1]",
        outside_domain,
        "",
    ),
    "duchi-mean": (
        "Eq. 3",
        "the report of Duchi et al. for one value is unbiased",
        unbiased(Duchi),
        "",
    ),
    **{
        f"{name.lower()}-{most:g}": (
            "section III-A",
            f"{name} suffers from the same issue as Laplace: for small ε its worst variance is "
            "above that of Duchi et al.",
            like_laplace(make),
            f"At ε = {most:g} the worst variance of {name} is {make(most).worst_variance:.3f}, and "
            f"that of Duchi et al. is {Duchi(most).worst_variance:.3f}.",
        )
        for name, make, most in ADDITIVE
    },
    "staircase-absolute": (
        "section III-A",
        STAIRCASE,
        staircase_least_absolute,
        "",
    ),
    "staircase-variance": (
        "section III-A",
        STAIRCASE,
        staircase_least_variance,
        "With the m of the text, which is best for the expected absolute noise, Staircase has a "
        "larger variance than SCDF.",
    ),
    "symmetric": (
        "section III-B, Eq. 5",
        "PM's density for the value 0 is symmetric and has three pieces",
        symmetric,
        "",
    ),
    "centre-density": (
        "section III-B, Eq. 5",
        CENTRE,
        centre_highest,
        "",
    ),
    "centre-mass": (
        "section III-B, Eq. 5",
        CENTRE,
        centre_likeliest,
        "",
    ),
    "centre-length": (
        "section III-B, Eq. 5",
        "as the value grows from 0 to 1, the length of PM's centre piece stays C - 1 and that of "
        "its rightmost piece falls",
        centre_keeps_length,
        "",
    ),
    "pm-worst": (
        "section III-B, below Lemma 1",
        "PM's worst variance is 4 e^(ε/2) / (3 (e^(ε/2) - 1)²)",
        piecewise_worst,
        "",
    ),
    "eq8": (
        "Eq. 8",
        "HM's worst variance with α by Eq. 7 is that of Eq. 8",
        equation_8,
        "",
    ),
    "duchi-multi-mean": (
        "Eqs. 9 and 10",
        "the report of Duchi et al. for d values is unbiased",
        multi_unbiased("as-printed"),
        "",
    ),
    "duchi-multi-mean-corrected": (
        "Eqs. 9 and 10",
        "the report of Duchi et al. for d values is unbiased",
        multi_unbiased("corrected"),
        "",
    ),
    "eq4": (
        "Eq. 4",
        "the variance of Duchi et al. for one value t is ((e^ε + 1) / (e^ε - 1))² - t²",
        equation_4,
        "",
    ),
    "magnitude": (
        "section III-B",
        "PM's variance falls as |t| falls, and that of Duchi et al. grows",
        piecewise_grows,
        "",
    ),
    "eq13": (
        "Eq. 13",
        "the variance of Duchi et al. (as printed) for d values is that of Eq. 13, B² - t²",
        equation_13,
        "",
    ),
    "eq14": (
        "Eq. 14",
        "the variance of PM for d values is that of Eq. 14, k by Eq. 12",
        equation_14,
        "",
    ),
    "range": (
        "Algorithm 4",
        "the reports of PM and HM on d attributes lie in [-C d, C d], with the C of PM at ε",
        within_printed_range,
        "",
    ),
    "group": (
        "section V",
        "with groups of d ln d / ε² users the noise of an averaged gradient entry (HM) does not "
        "grow if d, at least 10, is doubled",
        noise_of_group,
        "",
    ),
    "asked": (
        "section V",
        ASKED,
        fewer_steps,
        "The k of Eq. 12 is 1 at ε = 4 and 2 at ε = 6, which is not the best. At ε = 4 and d = "
        "40, two reports with ε = 2 give 18 % more steps than one report.",
    ),
    "asked-best": ("section V", ASKED, partial(fewer_steps, best=True), ""),
    "split": (
        "section IV",
        "if each of d > 1 numeric attributes is processed by PM with ε/d, the accuracy is inferior "
        "to that of Algorithm 4",
        splitting_is_worse,
        f"{SAME_IF_ALL} At ε = 4 and d = 2, and at ε = 6 and d = 3, the k of Eq. 12 is smaller "
        "than d, but d would be the best k.",
    ),
    "categories-worst": (
        "abstract",
        CATEGORIES,
        sampled_categories(1.0),
        "For large ε, most of the variance comes from the choice of the users who report on the "
        "category: at ε = 4 and d = 2 the worst variance is 3.15 with k attributes and 1.72 with "
        f"all. {SAME_IF_ALL}",
    ),
    "categories-unheld": ("abstract", CATEGORIES, sampled_categories(0.0), SAME_IF_ALL),
}


OF_ONE_VALUE, OF_MANY = (
    (
        "laplace",
        "laplace-mean",
        "duchi-mean",
        "eq4",
        "outside",
        *OF_ADDITIVE,
        "staircase-absolute",
        "staircase-variance",
        "symmetric",
        "centre-density",
        "centre-mass",
        "centre-length",
        "pm-worst",
        "magnitude",
        "eq8",
    ),
    ("group",),
)  # claims, by what they are about
OF_SEVERAL = ("split", "categories-worst", "categories-unheld")


@attrs.frozen(kw_only=True)
class ClaimPoint:
    """A statement, and where it is tested."""

    claim: str
    epsilon: float
    attributes: int


@typed(ClaimPoint)
def tested(point: ClaimPoint, seed: int, data: Path | None) -> Measurements:
    """Return 1 if the statement holds at this point, and 0 if it fails.

    Raises `ValueError` for an unknown claim.
    """
    del seed, data
    checks.one_of("claim", point.claim, tuple(CLAIMS))
    return {"holds": float(CLAIMS[point.claim][2](point.epsilon, point.attributes))}


def claim_quote(name: str) -> Quote:
    """The quote of a statement, at those tested points that the statement is about."""
    source, what, _, why = CLAIMS[name]

    def reading(table: Table) -> Counterpart:
        holds = everywhere("", "", "holds", "claim", ["epsilon", "attributes"], _is_one)
        rows = [
            row
            for row in table.where(claim=name).rows
            if row["epsilon"] <= LARGEST.get(name, row["epsilon"])
        ]
        return holds.reading(attrs.evolve(table, rows=rows))

    return Quote(
        f"Wang et al., {source}",
        what,
        STATED,
        reading,
        why=why or "The statement fails at one or more points.",
        under=UNDER.get(name, ""),
        disputed=_dispute(name),
    )


def _dispute(name: str) -> str:
    if LARGEST.get(name) == 2:
        return (
            "The text names no small ε for these two mechanisms. Up to ε = 1 the statement holds."
        )
    if name == "staircase-variance":
        return "The text names no measure. By expected absolute noise the statement holds."
    if name == "split":
        return (
            "The text goes on with large d. For d of 5 and more the statement holds at all these "
            "points."
        )
    if name == "categories-worst":
        return (
            "The text gives no variance for frequencies. For a category that no user holds, the "
            "statement holds wherever k is not d."
        )
    if name == "categories-unheld":
        return "A comparison of two methods may leave out the points where they are the same."
    if name == "asked":
        return "The text argues with orders of magnitude. With the best k the statement holds."
    return ""


def _is_one(numbers: Mapping[Any, float]) -> bool:
    return all(number == 1 for number in numbers.values())


def exponent(deviation: Callable[[int], float]) -> float:
    """The power of d with which a standard deviation grows, from `MANY` attributes to twice as
    many.
    """
    return log2(deviation(2 * MANY) / deviation(MANY))


AS_ROOT = (
    "like the root of d; the factor √(log d) of Eq. 11 and Lemma 5 is for the largest of d errors"
)
# For each claim: its statement, how it is read, the power, and the function for the standard
# deviation.
GROWTH: Mapping[str, tuple[str, str, float, Callable[[int], float]]] = {
    "oue": (
        "the error of OUE with ε/d for each attribute grows linearly with d",
        "",
        1.0,
        lambda d: sqrt(float(OUE(1.0 / d, 2).variance(0.5, 1))),
    ),
    "laplace": (
        "the error of Laplace with ε/d for each attribute grows linearly with d",
        "",
        1.0,
        lambda d: sqrt(Laplace(1.0 / d).worst_variance),
    ),
    "hm": (
        "the error of HM on d attributes grows sublinearly with d",
        AS_ROOT,
        0.5,
        lambda d: sqrt(Tuples(1.0, Attributes(d), "hm").worst_variance),
    ),
    "pm": (
        "the error of PM on d attributes grows sublinearly with d",
        AS_ROOT,
        0.5,
        lambda d: sqrt(Tuples(1.0, Attributes(d), "pm").worst_variance),
    ),
    "duchi": (
        "the error of Duchi et al. (as printed) on d attributes is asymptotically optimal, as "
        "those of PM and HM are",
        AS_ROOT,
        0.5,
        lambda d: DuchiMulti(1.0, d, "as-printed").bound,
    ),
}


def growth_quote(name: str) -> Quote:
    """The quote of a rate of growth, at ε = 1."""
    what, under, power, deviation = GROWTH[name]

    def reading(table: Table) -> Counterpart:
        return exact(float(abs(exponent(deviation) - power) <= table.word("rate")))

    return Quote(
        "Wang et al., section VI-A",
        what,
        STATED,
        reading,
        under=under,
        points=f"standard deviation of one attribute's report, d from {MANY} to {2 * MANY}, ε = 1",
    )


def largest_error(epsilon: float, d: int) -> float:
    """A bound of the expected largest of the d errors of Duchi et al. (as printed), divided by
    √(d log d) / (ε √n), for any number n of reports.
    """
    # Every number of a report is B or -B. So by Hoeffding's lemma the mean of the largest of d
    # errors, with either sign, is at most B √(2 ln(2d) / n).
    bound = DuchiMulti(epsilon, d, "as-printed").bound
    return bound * epsilon * sqrt(2 * log(2 * d) / (d * log(d)))


def largest_error_quote() -> Quote:
    """The quote of Eq. 11."""
    return Quote(
        "Wang et al., section IV-A, Eq. 11",
        "the expected largest of the d errors of Duchi et al. (as printed) is at most a constant "
        "times √(d log d) / (ε √n)",
        STATED,
        lambda _: exact(
            float(
                all(
                    largest_error(epsilon, d) <= largest_error(epsilon, 2)
                    for epsilon in (0.1, 0.5, 1.0)
                    for d in (*range(2, 42), MANY, MANY + 1)
                )
            )
        ),
        under=(
            "for ε up to 1 and every n; Hoeffding's bound takes the place of the expected largest "
            "error"
        ),
        points=f"d from 2 to 41, {MANY} and {MANY + 1}, ε 0.1, 0.5 and 1; the quotient is largest "
        "for d = 2",
        disputed="For large ε no constant is enough, because B does not fall below C_d. The text "
        "names no range of ε.",
    )


def one_of_split(d: int) -> float:
    """The standard deviation of one attribute's report by PM, with ε = 1/d."""
    return sqrt(PM(1.0 / d).worst_variance)


def largest_of_split(d: int) -> float:
    """The number that the largest of d errors exceeds with probability 5 %, up to a factor that is
    the same for all d.

    Each attribute is reported by PM with ε = 1/d, and there are enough users for normal errors.
    """
    from scipy.special import ndtri  # scipy loads slowly, so we import it only where it is needed

    return one_of_split(d) * float(ndtri((1 + 0.95 ** (1 / d)) / 2))


# For each reading of the noise of PM with ε/d each: how the text is read, the function for the
# noise, and why a fair reader may judge otherwise.
SUPERLINEAR: Mapping[str, tuple[Callable[[int], float], str]] = {
    "the standard deviation of one attribute's mean": (
        one_of_split,
        "The text calls O(d √(log d) / (ε √n)) super-linear. This is right, and the largest of "
        "the d errors grows at this rate, but the error of one mean does not.",
    ),
    "the largest error of the d means, exceeded with probability 5 %, of many users": (
        largest_of_split,
        "",
    ),
}


def superlinear_quote(under: str) -> Quote:
    """The quote that the noise of PM with ε/d for each attribute grows faster than linearly."""
    noise, disputed = SUPERLINEAR[under]

    def reading(table: Table) -> Counterpart:
        return exact(float(exponent(noise) > 1 + table.word("rate")))

    return Quote(
        "Wang et al., section IV",
        "the noise in the means by PM with ε/d for each attribute is super-linear in d",
        STATED,
        reading,
        under=under,
        why="The noise grows linearly. Only the largest of d errors has the factor √(log d).",
        points=f"d from {MANY} to {2 * MANY}, ε = 1",
        disputed=disputed,
    )


VARIANTS: tuple[DuchiVariant, ...] = ("corrected", "as-printed")


def constant_quote(ours: Ours, variant: DuchiVariant) -> Quote:
    """The quote that Duchi et al.'s asymptotic error has a larger constant than PM's or HM's."""

    def reading(_: Table) -> Counterpart:
        larger = [
            DuchiMulti(epsilon, d, variant).worst_variance
            > Tuples(epsilon, Attributes(d), ours).worst_variance
            for epsilon in EPSILONS
            for d in (MANY, MANY + 1)
        ]
        return Counterpart(sum(larger) / len(larger), share=True)

    return Quote(
        "Wang et al., section I",
        "the optimal error of Duchi et al. for numeric attributes involves a larger constant than "
        f"that of {ours.upper()}",
        STATED,
        reading,
        under="worst variances for many attributes, against Algorithm 3 "
        + variant.replace("-", " "),
        points=f"d of {MANY} and {MANY + 1}, ε from {EPSILONS[0]:g} to {EPSILONS[-1]:g}",
    )


def printed_steps(name: str, epsilon: float) -> tuple[float, float]:
    """Return a(m) and m of SCDF or of Staircase, as printed below Eq. 2."""
    fall = exp(-epsilon)
    if name == "SCDF":
        return epsilon / 4, 2 * (1 - fall - epsilon * fall) / (epsilon * -expm1(-epsilon))
    half = 2 / (1 + exp(epsilon / 2))
    return (1 - fall) / (2 * half + 4 * fall - 2 * half * fall), half


def mass_of_steps(name: str, epsilon: float, first: int) -> float:
    """The mass of a density of Eq. 2 if the first step beside the centre has height a e^(-first
    ε).
    """
    height, half = printed_steps(name, epsilon)
    return height * (2 * half + 2 * 2 * exp(-first * epsilon) / -expm1(-epsilon))


def mass_quote(name: str) -> Quote:
    """The quote that the mass of the density of SCDF, or of Staircase, is one."""
    return Quote(
        "Wang et al., Eq. 2",
        f"mass of {name}'s density, ε=1",
        Stated(1.0),
        lambda _: exact(mass_of_steps(name, 1.0, 0)),
        correction="The steps have height a e^{-(j+1)ε}, not a e^{-jε}.",
        disputed="If j begins at 1, the heights have mass 1 as printed. Then the intervals are "
        "wrong, because they leave a gap from m to m + 2.",
        corrected=lambda _: exact(mass_of_steps(name, 1.0, 1)),
    )


def power_of_steps(_: Table) -> Counterpart:
    """The power of m to which the number of steps is proportional, from m = 1 to m = 2.

    There are m n reports, and a group is m² times as large as for m = 1.
    """
    steps = {m: m / m**2 for m in (1, 2)}
    return exact(log2(steps[2] / steps[1]))


def second_label(_: Table) -> Counterpart:
    """Of the labels 0 and -1, the one for which both losses depend on the model.

    A loss is given a label and the product x·β, here 0 or 1.
    """
    losses: tuple[Callable[[float, float], float], ...] = (
        lambda label, product: log(1 + exp(-label * product)),
        lambda label, product: max(0.0, 1 - label * product),
    )
    (found,) = (y for y in (0.0, -1.0) if all(loss(y, 0.0) != loss(y, 1.0) for loss in losses))
    return exact(found)


EXPERIMENT = Experiment(
    summary="Equations, lemmas and sentences without a figure",
    source="Wang et al., sections I to VI",
    trial=tested,
    grid=[
        {"claim": list(claims), "epsilon": list(EPSILONS), "attributes": list(dimensions)}
        for claims, dimensions in (
            (OF_ONE_VALUE, (1,)),
            (OF_MANY, [d for d in DIMENSIONS if d >= 10]),
            (OF_SEVERAL, [d for d in DIMENSIONS if d > 1]),
            (
                [name for name in CLAIMS if name not in {*OF_ONE_VALUE, *OF_MANY, *OF_SEVERAL}],
                DIMENSIONS,
            ),
        )
    ],
    measures=[Measure("holds", "1 where the statement holds", exact=True)],
    words={
        "rate": Word(
            0.01,
            "a power of d counts as the stated one if the two exponents differ by at most this",
        )
    },
    choices=(
        f'Of the rows, {len(CLAIMS)} list values of epsilon after "judged at". We chose '
        f"{len(EPSILONS)} values of ε from {EPSILONS[0]:g} to {EPSILONS[-1]:g} and "
        f"{len(DIMENSIONS)} values of d from {DIMENSIONS[0]} to {DIMENSIONS[-1]} for them; a row "
        "lists those that it is judged at. A statement on the value t of a user is tested for t "
        "of 0, 0.25, 0.5, 0.75 and 1.",
        "The other rows name their own points, where they need any. Rates of growth and constants "
        f"for many attributes are computed at d from {MANY} on, and lemmas and corollaries have "
        "their own instances.",
        "Where a row does not say that k is the best one, we compute k by Eq. 12.",
    ),
    quotes=[
        *(mass_quote(name) for name, _ in OTHERS),
        *map(claim_quote, CLAIMS),
        Quote(
            "Wang et al., section V",
            "power of m to which the number of steps is proportional if users are asked m times "
            "and groups are m² times as large",
            Stated(1.0),
            power_of_steps,
            correction="The number of steps is proportional to 1/m, and not inversely "
            "proportional to 1/m.",
            instead=lambda _: -1.0,
        ),
        Quote(
            "Wang et al., section VI-B",
            "label of a user whose income is not above the mean",
            "0",
            second_label,
            correction="The label is -1, as in section V. With 0 the losses of these users do not "
            "depend on the model.",
            instead=lambda _: -1.0,
            disputed="The numbers 0 and 1 may be no more than names of the two classes.",
        ),
        *map(growth_quote, GROWTH),
        largest_error_quote(),
        *map(superlinear_quote, SUPERLINEAR),
        *(constant_quote(ours, variant) for ours in OURS for variant in VARIANTS),
        *theorem_quotes("wang"),
    ],
    cost=lambda _: 0.001,
)
