"""What Wang et al. claim in their text: densities, variances, orders of mechanisms, and rates.

Statements are judged at ε from 0.1 to 8 and d up to 40, and statements on a value t at t = 0, 1/4,
1/2, 3/4 and 1. Where no other k is named, it is that of Eq. 12.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise, product
from math import ceil, cosh, exp, expm1, isclose, log, log2, sinh, sqrt, tanh
from typing import Any, Literal

from protocols.mechanisms.additive import SCDF, Laplace, Staircase
from protocols.mechanisms.attributes import Attributes
from protocols.mechanisms.density import Flat, epsilon_between
from protocols.mechanisms.duchi import Duchi
from protocols.mechanisms.duchi_multi import DuchiMulti, DuchiVariant
from protocols.mechanisms.hybrid import EPS_STAR, HM
from protocols.mechanisms.piecewise import PM
from protocols.mechanisms.split import Split
from protocols.mechanisms.tuples import Inner, Tuples, optimal_k, printed_k
from protocols.mechanisms.unary import OUE
from scenarios.wang.people import SHAPES
from simnet.studies.paper_claim import STATED, PaperClaim, Stated
from simnet.studies.search import Instance, Search, searched

EPSILONS = (0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)
DIMENSIONS = (1, 2, 3, 5, 10, 16, 20, 40)
VALUES = (0.0, 0.25, 0.5, 0.75, 1.0)
QUARTERS = tuple(step / 4 for step in range(1, 33))  # the ε of lemmas
BETAS = (0.5, 0.1, 1e-3, 1e-6)
MANY = 4096  # so many attributes show how an error grows
EQUAL = 1e-9
CONSTANT_2, CONSTANT_5 = 17.0, 33.0
INNER: tuple[Inner, ...] = ("pm", "hm")
RANGE = "ε = 1/4, 1/2, ..., 8"
SEE = "`simnet claims wang --show"
ODD_ONLY = (
    "Algorithm 3 as printed is ε-LDP for odd d only; for even d its ε is ln(1 + e^ε), and the "
    "corrected mechanism has a smaller variance."
)


def near(one: float, other: float, least: float = 1e-300) -> bool:
    """Return whether two numbers are equal up to rounding."""
    return abs(one - other) <= EQUAL * max(abs(one), abs(other), least)


def on_grid(
    holds: Callable[[float, int], bool],
    dimensions: Sequence[int] = (1,),
    epsilons: Sequence[float] = EPSILONS,
) -> Callable[[], float]:
    """Return the law that computes at which share of points a statement holds."""

    def share() -> float:
        found = [holds(epsilon, d) for epsilon, d in product(epsilons, dimensions)]
        return sum(found) / len(found)

    return share


def variance_of(mechanism: Any, value: float) -> float:
    """Return the variance of a report on a value."""
    law = mechanism.law(value)
    return float(law.second_moment - law.mean**2)


def unbiased(mechanism: Any) -> bool:
    """Return whether reports have their value as the mean."""
    return all(isclose(mechanism.law(t).mean, t, rel_tol=EQUAL, abs_tol=EQUAL) for t in VALUES)


def printed_steps(name: str, epsilon: float) -> tuple[float, float]:
    """Return the height a and half of the width of the steps of Eq. 2."""
    fall = exp(-epsilon)
    if name == "SCDF":
        return epsilon / 4, 2 * (1 - fall - epsilon * fall) / (epsilon * -expm1(-epsilon))
    half = 2 / (1 + exp(epsilon / 2))
    return (1 - fall) / (2 * half + 4 * fall - 2 * half * fall), half


def mass_of_steps(name: str, epsilon: float, first: int) -> float:
    """Return the mass of the density of Eq. 2 if the steps have heights a e^(-jε) from j = `first`
    on.
    """
    height, half = printed_steps(name, epsilon)
    return height * (2 * half + 2 * 2 * exp(-first * epsilon) / -expm1(-epsilon))


def absolute_noise(stairs: Any) -> float:
    """Return the expected absolute noise of SCDF or Staircase."""
    fall, rest = exp(-stairs.epsilon), -expm1(-stairs.epsilon)
    tails = (2 * stairs.middle + 2) / rest + 4 * fall / rest**2
    return float(exp(stairs.log_height) * (stairs.middle**2 + 2 * fall * tails))


def pieces(epsilon: float, t: float) -> list[tuple[float, float]]:
    """Return the lengths and heights of the pieces of PM's density."""
    parts = PM(epsilon).law(t).parts
    return [
        (float(part.high - part.low), exp(part.log_height))
        for part in parts
        if isinstance(part, Flat)
    ]


def pieces_as_said(epsilon: float, _: int) -> bool:
    """Return whether PM's density is as the text describes it."""
    found = [pieces(epsilon, t) for t in VALUES]
    right = [one[2][0] if len(one) > 2 else 0.0 for one in found]
    return (
        len(found[0]) == 3
        and all(near(a, b) for a, b in zip(found[0][0], found[0][2], strict=True))
        and all(one[1][1] > max(height for _, height in one[::2]) for one in found)
        and all(near(one[1][0], PM(epsilon).bound - 1) for one in found)
        and all(a > b for a, b in pairwise(right))
    )


def variance_orders(epsilon: float, _: int) -> bool:
    """Return whether PM's variance grows with |t| and Duchi et al.'s falls."""
    ours, theirs = ([variance_of(one(epsilon), t) for t in VALUES] for one in (PM, Duchi))
    return ours == sorted(ours) and theirs == sorted(theirs, reverse=True)


def equation_8(epsilon: float, _: int) -> bool:
    """Return whether HM's worst variance is that of Eq. 8."""
    root = exp(epsilon / 2)
    binary = ((exp(epsilon) + 1) / (exp(epsilon) - 1)) ** 2
    mixed = (root + 3) / (3 * root * (root - 1)) + binary / root
    return near(HM(epsilon).worst_variance, mixed if epsilon > EPS_STAR else binary)


def numeric(epsilon: float, d: int, inner: Inner, k: int | None = None) -> Tuples:
    """Return Algorithm 4 for numeric attributes."""
    return Tuples(epsilon, Attributes(d), inner, k)


def fewer_steps(epsilon: float, d: int, best: bool) -> bool:
    """Return whether asking users m times leaves fewer steps of equal noise."""

    def worst(budget: float) -> float:
        k = optimal_k(budget, d, "hm") if best else None
        return numeric(budget, d, "hm", k).worst_variance

    return all(m * worst(epsilon) < worst(epsilon / m) for m in (2, 3, 4, 5, 10))


def noise_of_group(epsilon: float, d: int) -> bool:
    """Return whether the noise of a gradient's entry falls if d is doubled."""
    here, twice = (
        numeric(epsilon, many, "hm").worst_variance / (many * log(many)) for many in (d, 2 * d)
    )
    return twice < here


def splitting_is_worse(epsilon: float, d: int) -> bool:
    """Return whether PM with ε/d for each attribute has a larger worst variance."""
    ours = numeric(epsilon, d, "pm").worst_variance
    return PM(epsilon / d).worst_variance > ours * (1 + EQUAL)


def sampled_categories(epsilon: float, d: int, share: float = 1.0) -> bool:
    """Return whether OUE on k of d attributes varies less than OUE on all of them."""
    every = Attributes(0, (2,) * d)
    ours, split = Tuples(epsilon, every, "hm"), Split(epsilon, every, "laplace")
    most = float(split.frequency_variance(share, 1)) * (1 - EQUAL)
    return float(ours.frequency_variance(share, 1)) < most


def unheld_categories(epsilon: float, d: int) -> bool:
    """Return whether this holds for a category that nobody holds, where k is not d."""
    return printed_k(epsilon, d) == d or sampled_categories(epsilon, d, 0.0)


def exponent(deviation: Callable[[int], float]) -> float:
    """Return the power of d with which a deviation grows."""
    return log2(deviation(2 * MANY) / deviation(MANY))


def grows(power: float, deviation: Callable[[int], float]) -> float:
    """Return 1.0 if a deviation grows with this power of d, and 0.0 otherwise."""
    return float(abs(exponent(deviation) - power) <= 0.01)


def larger_constant(inner: Inner, epsilon: float, d: int) -> bool:
    """Return whether both versions of Duchi et al.'s mechanism have the larger worst variance."""
    versions: tuple[DuchiVariant, ...] = ("corrected", "as-printed")
    least = min(DuchiMulti(epsilon, d, one).worst_variance for one in versions)
    return least > numeric(epsilon, d, inner).worst_variance


GROWTH: dict[str, tuple[str, float, Callable[[int], float]]] = {
    "OUE": ("linearly", 1.0, lambda d: sqrt(float(OUE(1.0 / d, 2).variance(0.5, 1)))),
    "Laplace": ("linearly", 1.0, lambda d: sqrt(Laplace(1.0 / d).worst_variance)),
    "HM": ("sublinearly", 0.5, lambda d: sqrt(numeric(1.0, d, "hm").worst_variance)),
    "PM": ("sublinearly", 0.5, lambda d: sqrt(numeric(1.0, d, "pm").worst_variance)),
    "Duchi": ("sublinearly", 0.5, lambda d: DuchiMulti(1.0, d, "as-printed").bound),
}


def largest_error(epsilon: float, d: int) -> float:
    """Return the bound of the largest of d errors of Duchi et al., over √(d log d) / (ε √n)."""
    bound = DuchiMulti(epsilon, d, "as-printed").bound
    return bound * epsilon * sqrt(2 * log(2 * d) / (d * log(d)))


def largest_of_split(d: int) -> float:
    """Return the largest of d errors of PM with ε/d, exceeded with probability 5 %."""
    from scipy.special import ndtri  # imported only here: scipy loads slowly

    return sqrt(PM(1.0 / d).worst_variance) * float(ndtri((1 + 0.95 ** (1 / d)) / 2))


def printed_variance_pm(t: float, epsilon: float) -> float:
    """Return PM's variance by Lemma 1."""
    s = exp(epsilon / 2)
    return t * t / (s - 1) + (s + 3) / (3 * (s - 1) ** 2)


def printed_variances(d: int, epsilon: float, t: float) -> dict[str, float]:
    """Return the variances of Eqs. 13 to 15."""
    k = printed_k(epsilon, d)
    inner, rate, s = epsilon / k, d / k, exp(epsilon / k / 2)
    if inner > EPS_STAR:
        first = (s + 3) / (3 * s * (s - 1)) + (s * s + 1) ** 2 / (s * (s * s - 1) ** 2)
    else:
        first = tanh(inner / 2) ** -2
    return {
        "Eq. 13": DuchiMulti(epsilon, d, "as-printed").bound ** 2 - t * t,
        "Eq. 14": rate * (s + 3) / (3 * expm1(inner / 2) ** 2)
        + (rate * s / expm1(inner / 2) - 1) * t * t,
        "Eq. 15": rate * first + (rate - 1) * t * t,
    }


def lemma_1() -> Search:
    """Judge PM's ε, mean and variance."""

    def instances() -> Iterator[Instance]:
        for epsilon in QUARTERS:
            laws = [PM(epsilon).law(value) for value in (*VALUES, -1.0)]
            private = epsilon_between(laws) <= epsilon * (1 + EQUAL)
            for value, law in zip((*VALUES, -1.0), laws, strict=True):
                claimed = printed_variance_pm(value, epsilon)
                exact = law.second_moment - law.mean**2
                kept = private and near(law.mean, value, 1.0) and near(claimed, exact, 1.0)
                where = {"ε": epsilon, "t": value}
                yield Instance(where=where, claimed=claimed, exact=exact, holds=kept)

    return searched(instances(), f"{RANGE}, t = -1, 0, 1/4, ..., 1")


def lemma_2() -> Search:
    """Judge Lemma 2 with one constant, by Hoeffding's inequality."""

    def instances() -> Iterator[Instance]:
        for epsilon, n, beta in product(QUARTERS, (1, 10, 10**6), BETAS):
            claimed = CONSTANT_2 * sqrt(log(1 / beta) / n) / epsilon
            exact = PM(epsilon).bound * sqrt(2 * log(2 / beta) / n)
            where = {"ε": epsilon, "n": n, "β": beta}
            yield Instance(where=where, claimed=claimed, exact=exact, holds=exact <= claimed)

    return searched(instances(), f"the constant {CONSTANT_2:g}, {RANGE}, β from 1/2 to 10^-6")


def lemma_3() -> Search:
    """Compare HM's worst variance with that of other mixtures of PM and Duchi et al."""

    def worst(alpha: float, epsilon: float) -> float:
        pm, duchi = PM(epsilon), Duchi(epsilon)
        return max(
            alpha * float(pm.variance(t)) + (1 - alpha) * float(duchi.variance(t))
            for t in (0.0, 1.0)
        )

    def instances() -> Iterator[Instance]:
        for epsilon in (*QUARTERS, EPS_STAR, EPS_STAR * 1.001):
            claimed = HM(epsilon).worst_variance
            least = min(worst(step / 100, epsilon) for step in range(101))
            holds = claimed <= least * (1 + EQUAL)
            yield Instance(where={"ε": epsilon}, claimed=claimed, exact=least, holds=holds)

    return searched(instances(), f"{RANGE} and near ε*, α = 0, 0.01, ..., 1")


def lemma_4() -> Search:
    """Judge the ε and the means of Algorithm 4."""

    def instances() -> Iterator[Instance]:
        for d, epsilon, inner in product(range(1, 5), QUARTERS[::2], INNER):
            tuples = numeric(epsilon, d, inner)
            kept = unbiased(tuples.mechanism) and tuples.exact_epsilon <= epsilon * (1 + EQUAL)
            where = {"d": d, "ε": epsilon, "inner": inner}
            yield Instance(where=where, claimed=epsilon, exact=tuples.exact_epsilon, holds=kept)

    return searched(instances(), "d = 1..4, ε = 1/4, 3/4, ..., PM and HM")


def lemma_5() -> Search:
    """Judge Lemma 5 with one constant, by Bernstein's inequality."""

    def instances() -> Iterator[Instance]:
        for epsilon, d, beta, inner in product(QUARTERS, (1, 2, 16, 100), BETAS, INNER):
            for users in (1, 100):
                length = log(2 * d / beta)
                n, tuples = ceil(users * d * length), numeric(epsilon, d, inner)
                claimed = CONSTANT_5 * sqrt(d * log(d / beta) / n) / epsilon
                exact = sqrt(2 * tuples.worst_variance * length / n)
                exact += 2 * (tuples.bound + 1) * length / (3 * n)
                where = {"ε": epsilon, "d": d, "β": beta, "n": n, "inner": inner}
                yield Instance(where=where, claimed=claimed, exact=exact, holds=exact <= claimed)

    return searched(instances(), f"the constant {CONSTANT_5:g}, {RANGE}, d up to 100")


def lemma_6() -> Search:
    """Judge Eqs. 13 to 15."""

    def instances() -> Iterator[Instance]:
        for d, epsilon, t in product(range(2, 6), QUARTERS, (0.0, 0.5, 1.0)):
            duchi = DuchiMulti(epsilon, d, "as-printed")
            half, corners = 2 ** (d - 1), duchi.law_of_tuple([t] * d)
            mean = duchi.bound * float(sum(corners[half:]) - sum(corners[:half]))
            exact = {"Eq. 13": duchi.bound**2 - mean**2}
            for name, inner in (("Eq. 14", INNER[0]), ("Eq. 15", INNER[1])):
                tuples = numeric(epsilon, d, inner)
                exact[name] = tuples.rate * tuples.mechanism.law(t).second_moment - t * t
            for name, claimed in printed_variances(d, epsilon, t).items():
                yield Instance(
                    where={"d": d, "ε": epsilon, "t": t, "equation": name},
                    claimed=claimed,
                    exact=exact[name],
                    holds=near(claimed, exact[name], 1.0),
                )

    return searched(instances(), f"d = 2..5, {RANGE}, t = 0, 1/2, 1")


def corollary_1() -> Search:
    """Judge the order of HM, PM and Duchi et al. for one value."""

    def instances() -> Iterator[Instance]:
        for epsilon in QUARTERS:
            hm, pm, duchi = (each(epsilon).worst_variance for each in (HM, PM, Duchi))
            kept = hm < min(pm, duchi) if epsilon > EPS_STAR else near(hm, duchi) and hm < pm
            yield Instance(where={"ε": epsilon}, claimed=min(pm, duchi), exact=hm, holds=kept)

    return searched(instances(), RANGE)


WIDE = tuple(
    sorted(
        [0.01, 0.1, *(step / 4 for step in range(1, 81)), *(2.5 * k - 0.001 for k in range(2, 9))]
    )
)  # k jumps at the multiples of 2.5


def corollary_2(variant: DuchiVariant) -> Search:
    """Judge the order of HM, PM and Duchi et al. for several values."""

    def instances() -> Iterator[Instance]:
        for d in range(2, 41):
            for epsilon in WIDE:
                duchi = DuchiMulti(epsilon, d, variant).worst_variance
                pm, hm = (numeric(epsilon, d, inner).worst_variance for inner in INNER)
                where = {"d": d, "ε": epsilon, "HM": hm}
                yield Instance(where=where, claimed=duchi, exact=pm, holds=hm < pm < duchi)

    return searched(
        instances(),
        "d = 2..40, ε from 0.01 to 20",
        "claimed is the worst variance of Duchi et al., corrected, and exact is PM's",
    )


def best_effort(method: str) -> float:
    """Return the ε of the best effort of section VI-A on as many attributes as BR has, at ε = 1."""
    numbers, domains = SHAPES["BR"]
    name: Literal["duchi", "duchi-as-printed"] = (
        "duchi" if method == "corrected" else "duchi-as-printed"
    )
    return Split(1.0, Attributes(numbers, domains), name).exact_epsilon


def bias_of_frequencies() -> float:
    """Return the mean of the frequency of section IV-C that nobody holds, by OUE with k = 1."""
    numbers, domains = SHAPES["BR"]
    encoding = OUE(1.0 / printed_k(1.0, numbers + len(domains)), 2)
    return float(encoding.support_chances[1])


CLAIMS: Sequence[PaperClaim] = (
    *(
        PaperClaim(
            f"Eq. 2, {name}",
            "Eq. 2",
            f"The printed density of {name} has mass 1, ε = 1",
            Stated(1.0),
            partial(mass_of_steps, name, 1.0, 0),
            correction="The steps have height a e^(-(j+1)ε), and not a e^(-jε).",
            why="If j began at 1, the intervals would leave a gap from m to m + 2.",
            check="by hand: a (2m + 4/(1 - e^-ε)) for the printed heights",
        )
        for name in ("SCDF", "Staircase")
    ),
    PaperClaim(
        "Laplace",
        "section III-A",
        "The report of Laplace's mechanism is unbiased with variance 8/ε²",
        law=on_grid(
            lambda epsilon, _: (
                unbiased(Laplace(epsilon))
                and all(
                    near(float(Laplace(epsilon).variance([t])[0]), 8 / epsilon**2) for t in VALUES
                )
            )
        ),
    ),
    PaperClaim(
        "Eq. 3",
        "section I, Eq. 3",
        "The report of Duchi et al. for one value is unbiased, and outside [-1, 1]",
        law=on_grid(
            lambda epsilon, _: (
                unbiased(Duchi(epsilon))
                and all(abs(one.at) > 1 for t in VALUES for one in Duchi(epsilon).law(t).atoms)
            )
        ),
    ),
    PaperClaim(
        "Eq. 4",
        "Eq. 4",
        "The variance of Duchi et al. for one value t is ((e^ε + 1)/(e^ε - 1))² - t²",
        law=on_grid(
            lambda epsilon, _: all(
                near(
                    variance_of(Duchi(epsilon), t),
                    (cosh(epsilon / 2) / sinh(epsilon / 2)) ** 2 - t**2,
                )
                for t in VALUES
            )
        ),
    ),
    PaperClaim(
        "SCDF and Staircase, small ε",
        "section III-A",
        "For small ε (up to 1) the worst variances of SCDF and Staircase are above Duchi et al.'s",
        law=on_grid(
            lambda epsilon, _: (
                min(SCDF(epsilon).worst_variance, Staircase(epsilon).worst_variance)
                > Duchi(epsilon).worst_variance
            ),
            epsilons=EPSILONS[:4],
        ),
        why="At ε = 2 they are 1.691 and 1.710, and that of Duchi et al. is 1.724.",
    ),
    PaperClaim(
        "Staircase",
        "section III-A",
        "Staircase is optimal for unbounded values: less expected absolute noise than SCDF and "
        "Laplace",
        law=on_grid(
            lambda epsilon, _: (
                absolute_noise(Staircase(epsilon)) < min(absolute_noise(SCDF(epsilon)), 2 / epsilon)
            )
        ),
        why="Its variance is larger than that of SCDF.",
    ),
    PaperClaim(
        "Eq. 5",
        "section III-B, Eq. 5",
        "PM's density has a centre piece of length C - 1 that is the highest, is symmetric with "
        "three pieces at t = 0, and the rightmost piece shrinks as t grows to 1",
        law=on_grid(pieces_as_said),
    ),
    PaperClaim(
        "PM's worst variance",
        "section III-B, below Lemma 1",
        "PM's worst variance is 4 e^(ε/2)/(3 (e^(ε/2) - 1)²)",
        law=on_grid(
            lambda epsilon, _: near(
                PM(epsilon).worst_variance, 4 * exp(epsilon / 2) / (3 * expm1(epsilon / 2) ** 2)
            )
        ),
    ),
    PaperClaim(
        "|t|",
        "section III-B",
        "PM's variance falls as |t| falls, and that of Duchi et al. grows",
        law=on_grid(variance_orders),
    ),
    PaperClaim(
        "Eq. 8", "Eq. 8", "HM's worst variance with α by Eq. 7 is Eq. 8", law=on_grid(equation_8)
    ),
    PaperClaim(
        "Eqs. 9 and 10",
        "Eqs. 9 and 10",
        "The report of Duchi et al. (as printed) for d values is unbiased",
        law=on_grid(lambda epsilon, d: unbiased(DuchiMulti(epsilon, d, "as-printed")), DIMENSIONS),
    ),
    PaperClaim(
        "Algorithm 3",
        "Algorithm 3",
        "Algorithm 3, Duchi et al.'s mechanism for d values, is ε-LDP: its ε for d = 10, ε = 1",
        Stated(1.0),
        lambda: DuchiMulti(1.0, 10, "as-printed").exact_epsilon,
        bound="at most",
        correction="Reports whose signs agree with v in half of the coordinates belong to T- only.",
        why="For odd d it is ε-LDP. As printed such reports are in T+ and T-, and ε is ln(1 + "
        "e^ε).",
        check='`simnet claims wang --show "Algorithm 3"`; by hand: ln(1 + e)',
        top="Algorithm 3 is not ε-LDP for even d.",
    ),
    PaperClaim(
        "Algorithm 4, range",
        "Algorithm 4",
        "The reports of PM and HM on d attributes lie in [-C d, C d], with the C of PM at ε",
        law=on_grid(
            lambda epsilon, d: all(
                numeric(epsilon, d, inner).bound <= PM(epsilon).bound * d * (1 + EQUAL)
                for inner in INNER
            ),
            DIMENSIONS,
        ),
    ),
    PaperClaim(
        "Lemma 1",
        "Lemma 1",
        "PM is ε-LDP and unbiased, with its variance",
        law=lemma_1,
        proved=True,
    ),
    PaperClaim(
        "Lemma 2",
        "Lemma 2",
        "With probability 1 - β, PM's mean estimate has an error of O(√log(1/β)/(ε √n)); one "
        "constant for ε up to 8 and β up to 1/2",
        law=lemma_2,
        proved=True,
        why="No constant is enough for every ε.",
    ),
    PaperClaim(
        "Lemma 3",
        "Lemma 3, Eqs. 6 and 7",
        "HM's worst variance is least if it uses PM with α = 1 - e^(-ε/2) above ε*, and never up "
        "to ε*",
        law=lemma_3,
        proved=True,
    ),
    PaperClaim(
        "Corollary 1",
        "Corollary 1",
        "HM's worst variance is below those of PM and Duchi et al. if ε > ε*, else that of Duchi "
        "et al., which is below PM's",
        law=corollary_1,
        proved=True,
    ),
    PaperClaim(
        "Lemma 4",
        "Lemma 4",
        "Algorithm 4 is ε-LDP, and every attribute of its report is unbiased",
        law=lemma_4,
        proved=True,
    ),
    PaperClaim(
        "Lemma 5",
        "Lemma 5",
        "With probability 1 - β, the largest error of Algorithm 4's d means is "
        "O(√(d log(d/β))/(ε √n)); one constant for ε up to 8, β up to 1/2 and n >= d ln(2d/β)",
        law=lemma_5,
        proved=True,
        why="No constant is enough for every n: one user's largest error grows faster with d.",
    ),
    PaperClaim(
        "Lemma 6",
        "Lemma 6, Eqs. 13 to 15",
        "The variances for d attributes of Duchi et al. (as printed), PM and HM are Eqs. 13 to 15",
        law=lemma_6,
        correction="For ε/k up to ε* the last term of Eq. 15 is -t², and not (d/k - 1) t².",
        why="Eqs. 13 and 14 hold, and Eq. 15 does for ε/k > ε*. With d = 16, k = 1, ε = 0.5, t = 1 "
        "Eq. 15 gives 281.7 in place of 265.7.",
        check=f'{SEE} "Lemma 6"`',
        top="Eq. 15 (HM) is too large for ε/k up to ε*.",
    ),
    PaperClaim(
        "Corollary 2",
        "Corollary 2, Eq. 16",
        "For every d > 1 and ε, the worst variance of HM is below PM's, and PM's is below Duchi et "
        "al.'s",
        law=lambda: corollary_2("corrected"),
        condition="It holds against Algorithm 3 as printed, which is not ε-LDP for even d.",
        under=lambda: corollary_2("as-printed"),
        why=ODD_ONLY,
        check=f'{SEE} "Corollary 2"`',
        top="The order HM < PM < Duchi (Corollary 2, Table I) fails against an ε-LDP rival.",
    ),
    PaperClaim(
        "Eq. 11",
        "section IV-A, Eq. 11",
        "The expected largest of the d errors of Duchi et al. (as printed) is at most a constant "
        "times √(d log d)/(ε √n), for ε up to 1",
        law=lambda: float(
            all(
                largest_error(epsilon, d) <= largest_error(epsilon, 2)
                for epsilon in (0.1, 0.5, 1.0)
                for d in (*range(2, 42), MANY, MANY + 1)
            )
        ),
        why="By Hoeffding's bound. For large ε no constant is enough.",
    ),
    PaperClaim(
        "PM with ε/d",
        "section IV",
        "If each of d > 1 attributes is processed by PM with ε/d, the accuracy is inferior to that "
        "of Algorithm 4",
        STATED,
        on_grid(splitting_is_worse, DIMENSIONS[1:]),
        condition="It holds for d of 5 and more.",
        under=on_grid(splitting_is_worse, DIMENSIONS[3:]),
        why="Where Eq. 12 gives k = d, both are the same; at ε = 4, d = 2 and ε = 6, d = 3 k = d "
        "would be better than its k.",
    ),
    PaperClaim(
        "PM with ε/d, super-linear",
        "section IV",
        "The noise in the means by PM with ε/d for each attribute is super-linear in d: the "
        "largest of the d errors",
        law=lambda: float(exponent(largest_of_split) > 1.01),
        why="The error of a single mean grows linearly.",
    ),
    PaperClaim(
        "Categories",
        "abstract",
        "For d > 1 categorical attributes, frequencies from OUE on k of them with ε/k vary less "
        "than from OUE on all with ε/d",
        STATED,
        on_grid(sampled_categories, DIMENSIONS[1:]),
        condition="It holds for a category that nobody holds, where Eq. 12 does not give k = d.",
        under=on_grid(unheld_categories, DIMENSIONS[1:]),
        why="For large ε most of the variance comes from the choice of attributes: at ε = 4 and "
        "d = 2 the worst variance is 3.15 with k of them and 1.72 with all.",
    ),
    PaperClaim(
        "Section IV-C",
        "section IV-C",
        "The frequency that the estimator gives a category that nobody holds, on average; k = 1, "
        "ε = 1",
        Stated(0.0),
        bias_of_frequencies,
        condition="It holds with (g - q)/(p - q) in place of g.",
        under=lambda: 0.0,
        why="With g = 1 for a report of OUE that supports the category, the bias is not removed.",
        check="by hand: a report supports such a category with q = 1/(1 + e)",
    ),
    PaperClaim(
        "Groups",
        "section V",
        "With groups of d ln d/ε² users the noise of an averaged gradient entry (HM) does not grow "
        "if d, at least 10, is doubled",
        law=on_grid(noise_of_group, DIMENSIONS[4:]),
    ),
    PaperClaim(
        "m > 1",
        "section V",
        "Asking users m > 1 times with ε/m each leaves fewer steps of equal noise (HM)",
        STATED,
        on_grid(partial(fewer_steps, best=False), DIMENSIONS),
        condition="It holds with the best k.",
        under=on_grid(partial(fewer_steps, best=True), DIMENSIONS),
        why="With the k of Eq. 12, at ε = 4 and d = 40 two reports with ε = 2 give 18 % more "
        "steps.",
    ),
    PaperClaim(
        "Steps",
        "section V",
        "If users are asked m times and groups are m² times as large, the number of steps is "
        "inversely proportional to 1/m: the power of m",
        Stated(1.0),
        lambda: log2(2 / 2**2),
        correction="It is proportional to 1/m.",
        instead=lambda: -1.0,
        check="by hand: n m users' answers make n m / m² groups",
    ),
    *(
        PaperClaim(
            f"Growth, {name}",
            "section VI-A",
            f"The error of {name} on d attributes grows {how} with d",
            law=partial(grows, power, deviation),
            why="" if how == "linearly" else "The standard deviation grows like the root of d.",
        )
        for name, (how, power, deviation) in GROWTH.items()
    ),
    *(
        PaperClaim(
            f"Constant, {inner.upper()}",
            "section I",
            "The optimal error of Duchi et al. involves a larger constant than that of "
            f"{inner.upper()}",
            law=on_grid(
                partial(larger_constant, inner),
                (MANY, MANY + 1),
            ),
        )
        for inner in INNER
    ),
    PaperClaim(
        "Best effort",
        "section VI-A",
        "The best effort of existing methods on BR is ε-LDP: its ε at ε = 1",
        Stated(1.0),
        partial(best_effort, "as printed"),
        bound="at most",
        correction="With the corrected Algorithm 3 it is.",
        why="BR has 6 numeric attributes, an even number.",
        check="by hand: ln(1 + e^ε') for the numbers, ε' = 6/16, and 10/16 for the categories",
    ),
)
