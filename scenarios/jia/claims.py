"""What Jia and Gong claim in their text: the posterior mean, the noise, and the threshold."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise, product
from math import exp

from protocols.mechanisms.grr import GRR
from protocols.mechanisms.pure import Pure
from protocols.mechanisms.unary import OUE, SUE
from protocols.postprocess.noise import BETA, Noise
from protocols.postprocess.posterior import posterior_mean
from protocols.postprocess.power_law import exponent_of_mean
from protocols.postprocess.priors import FinitePrior, PowerLaw
from scenarios.jia.noise import false_alarm
from scenarios.jia.people import SIZES
from simnet.studies.paper_claim import PaperClaim
from simnet.studies.search import Instance, Search, searched

SLACK = 1e-9
EPSILONS = (1.0, 2.0, 3.0, 4.0, 5.0)
MECHANISMS: Mapping[str, Callable[[float, int], Pure]] = {"OUE": OUE, "SUE": SUE, "k-RR": GRR}
SEE = "`simnet claims jia --show"


def squared_error(prior: FinitePrior, estimate: float, deviation: float, answer: float) -> float:
    """Return the expected squared error of an answer, given an estimate with normal noise."""
    logs = [-((estimate - count) ** 2) / (2 * deviation**2) for count in prior.counts.tolist()]
    raw = [m * exp(value - max(logs)) for m, value in zip(prior.masses.tolist(), logs, strict=True)]
    squares = ((answer - count) ** 2 for count in prior.counts.tolist())
    return float(sum(w * s for w, s in zip(raw, squares, strict=True)) / sum(raw))


def posterior_is_best() -> Search:
    """Compare the posterior mean with other answers under the true law of the counts."""

    def instances() -> Iterator[Instance]:
        masses = [(a, b, 4 - a - b) for a, b in product(range(5), repeat=2) if a + b <= 4]
        for quarters, deviation, estimate in product(masses, (0.5, 2.0), (-2.0, 0.5, 1.0, 5.0)):
            prior = FinitePrior.of([part / 4 for part in quarters])
            noise = Noise(users=2, floor=deviation**2)
            ours = float(posterior_mean([estimate], prior, noise)[0])
            least = min(squared_error(prior, estimate, deviation, k / 20) for k in range(-20, 61))
            exact = squared_error(prior, estimate, deviation, ours)
            yield Instance(
                where={"masses of 0, 1, 2": quarters, "σ": deviation, "f̂": estimate},
                claimed=least,
                exact=exact,
                holds=exact <= least * (1 + SLACK) + SLACK,
            )

    return searched(instances(), "laws on 0, 1, 2 in quarters, σ = 1/2, 2, answers -1, ..., 3")


def moments(variance: bool) -> Search:
    """Judge Eq. 13 or, for the `variance`, Eq. 14, in exact fractions."""

    def instances() -> Iterator[Instance]:
        sizes = product((1, 2, 3, 10), (2, 5), (0.5, 1.0, 4.0))
        for (users, items, epsilon), (name, make) in product(sizes, MECHANISMS.items()):
            p, q = make(epsilon, items).exact_chances
            for held in range(users + 1):
                where = {"n": users, "d": items, "ε": epsilon, "mechanism": name, "f_i": held}
                if variance:
                    spread = held * p * (1 - p) + (users - held) * q * (1 - q)
                    claimed = users * q * (1 - q) / (p - q) ** 2
                    exact = spread / (p - q) ** 2
                else:
                    claimed = Fraction(0)
                    exact = (held * p + (users - held) * q - users * q) / (p - q) - held
                yield Instance(where=where, claimed=claimed, exact=exact, holds=claimed == exact)

    return searched(instances(), "n up to 10, d = 2, 5, ε = 1/2, 1, 4, OUE, SUE, k-RR, every f_i")


def level(population: str, epsilon: float) -> float:
    """Return the probability of a false alarm at the significance threshold of Eq. 22."""
    users, items = SIZES[population]
    mechanism = OUE(epsilon, items)
    threshold = Noise.of(mechanism, users).threshold(items, BETA)
    return false_alarm(mechanism, users, items, threshold)


def reduces() -> float:
    """Return at which share of ε Calibrate lowers every high estimate, for Retail's size."""
    users, items = SIZES["retail"]
    prior = PowerLaw(exponent_of_mean(users / items, users), users)
    found = []
    for epsilon in EPSILONS:
        noise = Noise.of(OUE(epsilon, items), users)
        high = [noise.threshold(items) * 1.05**k for k in range(100)]
        found.append(bool((posterior_mean(high, prior, noise.alike) < high).all()))
    return sum(found) / len(found)


def better_fit() -> float:
    """Return at which share of steps of ε the mean of the estimates scatters less."""
    users, items = SIZES["retail"]
    scatter = [
        float(Noise.of(OUE(epsilon, items), users).variance(users / items)) for epsilon in EPSILONS
    ]
    return sum(a > b for a, b in pairwise(scatter)) / (len(scatter) - 1)


CLAIMS: Sequence[PaperClaim] = (
    PaperClaim(
        "Theorem 2",
        "section III-A, Theorem 2, Eq. 12",
        "Given an estimate, the conditional expectation of the count has the least expected "
        "squared error",
        law=posterior_is_best,
        proved=True,
        why="It needs the true law of the counts. With a fitted power law, as Calibrate has it, "
        "the posterior mean need not be best, and can err more than OUE-Zero.",
    ),
    PaperClaim(
        "Eq. 13",
        "section III-B, Eq. 13",
        "The noise of an estimated count has mean 0",
        law=partial(moments, variance=False),
        proved=True,
    ),
    PaperClaim(
        "Eq. 14",
        "section III-B, Eq. 14",
        "The noise of every item has variance n q (1 - q)/(p - q)², whatever the item",
        law=partial(moments, variance=True),
        correction="An item with f holders has (1 - p - q)/(p - q) f more; for OUE, f more.",
        why="It holds for basic RAPPOR, where p + q = 1, and for items that nobody holds. For the "
        "most held item of Retail it is 10 % off or less at ε = 1, and not at ε = 5 (see Eq. 14, "
        "Retail).",
        check="by hand: f p (1 - p) + (n - f) q (1 - q), divided by (p - q)²",
        top="Of Eq. 13 and 14 the mean is right; the variance of Eq. 14 lacks a term with f_i.",
    ),
    *(
        PaperClaim(
            f"Eq. 22, {words}",
            "section IV-A2, Eq. 22",
            "β = 0.05 is the probability that one or more of d items that nobody holds reach the "
            f"threshold, ε = 5; as many users and items as in {words}",
            f"{BETA}",
            partial(level, population, 5.0),
            condition="It holds for ε up to 3, where β is 0.052: the upper tail of the binomial is "
            "heavier than the Gaussian's for large ε."
            if population == "retail"
            else "",
            under=partial(level, population, 3.0) if population == "retail" else None,
        )
        for population, words in (("retail", "Retail"), ("all of kosarak", "Kosarak"))
    ),
    PaperClaim(
        "High frequencies",
        "section IV-B",
        "Calibrate tends to reduce the high frequencies that OUE estimates (from the threshold "
        "on; a power law with Retail's mean)",
        law=reduces,
    ),
    PaperClaim(
        "Larger ε",
        "section IV-B",
        "With a larger ε Calibrate can better estimate the law of the counts: the mean of the "
        "estimates scatters less",
        law=better_fit,
    ),
)
