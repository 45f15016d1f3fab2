"""Sentences of Yang et al. Most are tested by computation, some by small runs.

What coalitions learn is judged as `simnet verify` does it, or by playing out every outcome of the
coins.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations, pairwise, product
from math import ceil, exp, expm1, hypot, log, log2, pi
from pathlib import Path

import attrs

from protocols.dpdg.script import DPDG
from protocols.dpds.script import DPDS
from protocols.mechanisms.grr import GRR
from protocols.mechanisms.reporting import inclusion
from protocols.mechanisms.unary import OUE
from protocols.privacy.gaussian import sigma
from protocols.privacy.theorems import theorem_3_1, theorem_3_2
from protocols.tss.prime import TSSPrime
from protocols.weighted.weights import error, weights
from scenarios.yang.fig1 import crossing
from scenarios.yang.fig1_delta import BETA, READINGS, Level, deltas
from scenarios.yang.fig1_delta import EPSILONS as LEVEL_EPSILONS
from scenarios.yang.people import CENSUS_DATA
from scenarios.yang.trials import SETTINGS
from simnet.exhaustive.compare import Comparison
from simnet.scenario.find import find
from simnet.scenario.verify import verify
from simnet.studies.experiment import Experiment, Measurements, Parameters
from simnet.studies.quote import STATED, Stated
from simnet.studies.sentences import AXIS, Computed, Sentence, evaluated
from simnet.studies.table import Measure

USERS, ITEMS = 1000, 30  # of the synthetic data
KINDS = {"Gowalla": 12, "Census-Income": 17, "Synthetic": ITEMS}  # numbers of items, as in Fig. 1
SMALL_USERS, SMALL_ITEMS, SEEDS = 4, 2, (1, 2, 3)  # of the runs that are judged
BITS = 16  # k of fixed-point numbers
OF_COUNT = ceil(BITS - log2(USERS))  # a count's bits that give k bits of a frequency, or more
CHANCES, SHARES, FACTORS = (0.1, 0.3, 0.5, 0.8), (3, 12, 20), (None, 2.0, 5.0, 10.0)
ERRORS = (
    f"p of {', '.join(map(str, CHANCES))}; {', '.join(map(str, SHARES))} of {ITEMS} items are "
    "reported"
)
TOTALS, COUNTS, BETAS = (0.5, 1.0, 2.0), (3, 5, 10, ITEMS), (0.01, 0.02, 0.03)
SIZES = ((250, 250, 250, 250), (100, 200, 300, 400), (400, 300, 200, 100))


def noise_of_sampling(chance: float, users: int = USERS) -> float:
    """The expected squared L2 error of sampling with this probability (Lemma 3.1)."""
    return (1 - chance) / (chance * users)


def error_of_dpds(epsilon: float, users: int = USERS) -> float:
    """The expected squared L2 error of DPDS with p = 1 - e^-ε."""
    return noise_of_sampling(-expm1(-epsilon), users)


def error_of_gaussian(items: int, epsilon: float, delta: float, users: int = USERS) -> float:
    """The expected squared L2 error of DPDG with the paper's calibration: N times the variance of a
    frequency.
    """
    return items * 4 * log(1.25 / delta) / (users * epsilon) ** 2


def share_of(found: Sequence[bool]) -> float:
    """The share of points at which a statement holds."""
    return sum(found) / len(found)


def judged(
    scenario: str, coalitions: Sequence[str], wanted: Sequence[str], **settings: str
) -> Computed:
    """Return a function that gives the share of the pairs of a small run and a coalition for which
    the verdict is one of `wanted`.
    """

    def share(_: Path | None) -> float:
        made = attrs.evolve(find(scenario)[1], users=SMALL_USERS, items=SMALL_ITEMS)
        made = made.with_settings(settings)
        found = [
            verify(made, corrupt, seed).verdict.finding in wanted
            for corrupt, seed in product(coalitions, SEEDS)
        ]
        return share_of(found)

    return share


def any_users(count: int) -> list[str]:
    """All coalitions of `count` users of a small run."""
    users = [f"u{place}" for place in range(1, SMALL_USERS + 1)]
    return [",".join(chosen) for chosen in combinations(users, count)]


def same_views(corrupt: str, gamma: float | None, _: Path | None) -> float:
    """The share of pairs of inputs on which the view of a party of TSS′ has the same law. The
    inputs of a pair differ in the item of one other party.

    The view is all that the party sees, also what is not secret-shared. All outcomes of the coins
    of three users with two items are played out; φ is 1, and a user reports on one item.
    """
    protocol = TSSPrime(users=3, items=2, participation=0.5, reported=1, gamma=gamma, bound=1)
    comparison = Comparison(protocol, corrupt)
    return share_of(
        [
            comparison.compare(inputs, other).same
            for inputs in map(list, product((1, 2), repeat=3))
            for other in comparison.neighbours(inputs)
        ]
    )


def splits() -> list[tuple[float, float]]:
    """ε and z of Theorem 3.2 for some sampling probabilities p = 1 - e^-(ε + z)."""
    return [(total - z, z) for total in TOTALS for z in (total / 4, total / 2, 3 * total / 4)]


def stronger_by_3_2(_: Path | None) -> float:
    """The share of points at which Theorem 3.2 claims no larger δ than Theorem 3.1 for the same
    sampling probability and the same β. The ε of Theorem 3.2 is the smaller one. Points at which
    Theorem 3.2 claims nothing, or a δ of 1, are left out.
    """
    found = []
    for items, beta, (epsilon, z) in product(COUNTS, BETAS, splits()):
        claimed = theorem_3_2(USERS, items, beta, epsilon, z)
        if claimed is not None and claimed < 0:
            found.append(claimed <= theorem_3_1(USERS, items, beta, epsilon + z))
    return share_of(found)


def stricter_by_3_2(_: Path | None) -> float:
    """The share of points at which Theorem 3.2 asks for a larger β than Theorem 3.1, for the same
    sampling probability and the same δ.
    """
    found = []
    for items, delta, (epsilon, z) in product(COUNTS, (1e-3, 1e-7), splits()):
        total, powers = epsilon + z, (2 / (items + 1), 2 / items)
        first = max((2 * pi / delta) ** powers[0], (1 / delta) ** powers[1])
        second = max(
            (2 * pi / delta) ** powers[0] / (1 + exp(-epsilon / 2)) ** 2,
            (4 * pi / delta) ** powers[1],
        )
        first /= exp(-total) - exp(-2 * total)
        second *= exp(total) / (1 - exp(-epsilon / 2)) ** 2
        found.append(second > first)  # both are the least 2πnβ
    return share_of(found)


def sensitivity(_: Path | None) -> float:
    """The largest L2 distance of the frequencies, times n, when one user's item is replaced.

    All populations of three users and three items, and all replacements, are tried.
    """

    def counts(held: Sequence[int]) -> list[int]:
        return [held.count(item) for item in range(3)]

    every = list(product(range(3), repeat=3))
    return max(
        hypot(*(one - other for one, other in zip(counts(held), counts(changed), strict=True)))
        for held in every
        for place, item in product(range(3), range(3))
        for changed in [(*held[:place], item, *held[place + 1 :])]
    )


def more_bits(fraction_bits: int, _: Path | None) -> float:
    """By how many bits a field element of DPDG is longer than one of DPDS, if a count has
    `fraction_bits` bits after the point.
    """
    gaussian = DPDG(USERS, ITEMS, epsilon=0.5, delta=1e-5, fraction_bits=fraction_bits)
    lengths = [one.field.modulus.bit_length() for one in (gaussian, DPDS(USERS, ITEMS, 0.5))]
    return lengths[0] - lengths[1]


def two_stages_cost_accuracy(_: Path | None) -> float:
    """The share of points at which TSS errs more than DPDS with the same p."""
    return share_of(
        [
            noise_of_sampling(p * float(inclusion(k, ITEMS, factor))) > noise_of_sampling(p)
            for p, k, factor in product(CHANCES, SHARES, FACTORS)
        ]
    )


def adaptive_limits_the_decrease(_: Path | None) -> float:
    """The share of points at which adaptive sets err less than uniform ones."""
    return share_of(
        [
            noise_of_sampling(p * float(inclusion(k, ITEMS, factor)))
            < noise_of_sampling(p * float(inclusion(k, ITEMS, None)))
            for p, k, factor in product(CHANCES, SHARES, FACTORS[1:])
        ]
    )


def includes_more_often(_: Path | None) -> float:
    """The share of the steps to a larger γ at which a user's own item is reported with a higher
    probability.
    """
    return share_of(
        [
            inclusion(k, ITEMS, one) < inclusion(k, ITEMS, other)
            for k in SHARES
            for one, other in pairwise(FACTORS[1:])
        ]
    )


def gaussian_suffers(_: Path | None) -> float:
    """The share of steps to a smaller ε, or to fewer users, at which DPDG's error grows."""
    budgets, sizes = (1.0, 0.5, 0.2, 0.1), (5000, 2000, 1000)
    by_budget = [error_of_gaussian(ITEMS, epsilon, 1e-7) for epsilon in budgets]
    by_size = [error_of_gaussian(ITEMS, 0.5, 1e-7, users) for users in sizes]
    return share_of([a < b for row in (by_budget, by_size) for a, b in pairwise(row)])


def budgets_of(setting: str) -> list[float]:
    """The budgets of the four groups of a setting of Table II."""
    return [float(budget) for budget in setting.split("/")]


def favours_large_budgets(_: Path | None) -> float:
    """The share of pairs of groups with different budgets in Table II in which the larger budget
    has the larger weight.
    """
    found = []
    for setting in SETTINGS:
        budgets = budgets_of(setting)
        made = weights("vwa", [250] * 4, [error_of_dpds(epsilon, 1) for epsilon in budgets])
        found += [
            made[one] > made[other]
            for one, other in product(range(4), range(4))
            if budgets[one] > budgets[other]
        ]
    return share_of([bool(each) for each in found])


def sizes_are_not_optimal(_: Path | None) -> float:
    """The share of points at which weights by the sizes of the groups err more than VWA."""
    found = []
    for setting, sizes in product(SETTINGS, SIZES):
        variances = [error_of_dpds(epsilon, 1) for epsilon in budgets_of(setting)]
        best = error(weights("vwa", sizes, variances), sizes, variances)
        # each group's own estimate, weighted by the group's size: all users weigh the same
        found.append(error(weights("uwa", sizes, variances), sizes, variances) > best)
    return share_of(found)


def users_for(mechanism: Callable[[float, int], GRR | OUE], epsilon: float) -> Computed:
    """Return a function that gives the number of users with which a local mechanism has the
    expected squared L2 error of DPDS with 1000 users, if 30 items are evenly held.
    """

    def users(_: Path | None) -> float:
        one = ITEMS * float(mechanism(epsilon, ITEMS).variance(1 / ITEMS, 1))
        return one / error_of_dpds(epsilon)

    return users


def gaussian_needs_more_users(level: Level, _: Path | None) -> float:
    """The share of points at which DPDG needs more users for the error that DPDS has with 1000,
    at the same ε and with a δ of this level.
    """
    # The standard deviation of DPDG's noise is inversely proportional to the number of users. So
    # DPDG needs more users if and only if it errs more with equally many.
    found = []
    for items, epsilon in product(KINDS.values(), LEVEL_EPSILONS):
        claimed, exact = deltas(USERS, items, BETA, epsilon)
        by_paper = level == "by (2)"
        deviation = sigma(
            "classic" if by_paper else "analytic",
            2**0.5 / USERS,
            epsilon,
            claimed if by_paper else exact,
        )
        found.append(items * deviation**2 > error_of_dpds(epsilon))
    return share_of(found)


def gain(items: int, _: Path | None) -> float:
    """The share by which DPDS errs less than DPDG at ε = 0.1 and δ = 1e-7, for 1000 users."""
    return 1 - error_of_dpds(0.1) / error_of_gaussian(items, 0.1, 1e-7)


def crossed(population: str, _: Path | None) -> float:
    """The ε at which DPDS and DPDG with δ = 0.5 have the same expected error, for 1000 users."""
    return crossing(population)


CALIBRATED = "DPDG with the classic calibration and the corrected noise share"
NO_NUMBER = "The text says 'similar results', and names no number for these data."
SIMILAR = {
    "Census-Income": f"{NO_NUMBER} It does not say how many items they have, either.",
    "Synthetic": NO_NUMBER,
}
SECTION_1, SECTION_2, SECTION_3 = (f"Yang et al., section 3.1.{number}" for number in (1, 2, 3))
TINY = "3 users, 2 items, k = 1, p = 1/2; all inputs; every coin is played out"
DEPENDS = (
    "An elected user sees who reports on its item. With adaptive sets this depends on what the "
    "others hold; here ε is ln 1.4."
)
ONE_USER = "the view of u1, since all users follow the same script; "
RUNS_JUDGED = (
    f"proved on {len(SEEDS)} runs of {SMALL_USERS} users and {SMALL_ITEMS} items, whatever the "
    "other parties hold: simnet verify"
)
OF_BOTH = (
    f"n = {USERS}; {', '.join(map(str, COUNTS))} items; ε + z of {', '.join(map(str, TOTALS))}, "
    "and z of 1/4, 1/2 and 3/4 of this sum"
)
NOTHING, OUTPUT = ("nothing",), ("nothing", "output-only")
PRIME = {"participation": "0.9", "alpha": "0.5", "bound": "2"}
SENTENCES = (
    Sentence(
        SECTION_1,
        "for the same sampling probability, Theorem 3.2 provides a stronger privacy guarantee than "
        "Theorem 3.1",
        STATED,
        stronger_by_3_2,
        under="the guarantees that the theorems state, for the same populations: the smaller ε of "
        "Theorem 3.2, and a δ that is not larger",
        points=f"{OF_BOTH}; β of {', '.join(map(str, BETAS))}; where Theorem 3.2 claims a δ "
        "below 1",
        why="For the same β, the δ of Theorem 3.2 is larger.",
        disputed="The text may mean ε alone. It may also mean populations with a larger β for "
        "Theorem 3.2, for which its δ is as small as that of Theorem 3.1.",
    ),
    Sentence(
        SECTION_1,
        "for the same sampling probability, Theorem 3.2 has a stricter requirement on the data "
        "than Theorem 3.1",
        STATED,
        stricter_by_3_2,
        under="for the same δ, every item needs more holders",
        points=f"{OF_BOTH}; δ of 1e-3 and 1e-7",
    ),
    *(
        Sentence(
            SECTION_2,
            "from the perspective of the receiver DPDS is indistinguishable from DPCS*",
            STATED,
            judged(scenario, ["server"], OUTPUT),
            under=f"what the server of {name} learns is fixed by the counts of the users who take "
            "part, which have one law in both protocols",
            points=RUNS_JUDGED,
        )
        for scenario, name in (("dpds", "DPDS"), ("dpcs_star", "DPCS*"))
    ),
    Sentence(
        SECTION_2,
        "a collusion of up to n - 1 users in DPDS learns nothing on the remaining user's value",
        STATED,
        judged("dpds", any_users(SMALL_USERS - 1), NOTHING),
        points=f"all sets of {SMALL_USERS - 1} users; {RUNS_JUDGED}",
    ),
    Sentence(
        SECTION_2,
        "the L2 sensitivity of the frequencies, times n: √2",
        "1.414",
        sensitivity,
        under="neighbours differ in one user's item",
        points="all populations of three users and three items",
    ),
    *(
        Sentence(
            SECTION_2,
            f"by how many bits the field of DPDG is larger than that of DPDS, for {BITS} bits of "
            "accuracy",
            Stated(BITS),
            partial(more_bits, bits),
            bound="at least",
            under=under,
            points=f"n = {USERS}, N = {ITEMS}, ε = 0.5, δ = 1e-5",
            why="The field of DPDS holds counts up to n, and frequencies are at most 1. So log₂ n "
            "of the bits are not additional.",
            disputed=f"The text does not say what the accuracy is about. {other}",
        )
        for bits, under, other in (
            (
                BITS,
                f"{BITS} bits after the point of a count",
                "The paper's DPDG shares frequencies, for which the statement fails, as another "
                "row says.",
            ),
            (
                OF_COUNT,
                f"{BITS} bits after the point of a frequency, which are at most {OF_COUNT} after "
                "the point of a count",
                "For counts the statement holds, as another row says.",
            ),
        )
    ),
    Sentence(
        SECTION_3,
        "reporting on some items only comes with a decrease of the accuracy: TSS errs more than "
        "DPDS with the same p",
        STATED,
        two_stages_cost_accuracy,
        points=f"{ERRORS}; uniform sets, and γ of 2, 5 and 10",
    ),
    Sentence(
        SECTION_3,
        "adaptive sampling limits the decrease of the accuracy: it errs less than uniform sampling",
        STATED,
        adaptive_limits_the_decrease,
        points=f"{ERRORS}; γ of 2, 5 and 10",
    ),
    *(
        Sentence(
            SECTION_3,
            f"TSS′ with φ = 2 gives privacy against {words}",
            STATED,
            judged("tss_prime", coalitions, wanted, **PRIME),
            under=under,
            points=points,
        )
        for words, coalitions, wanted, under, points in (
            (
                "any φ users",
                any_users(2),
                NOTHING,
                "from the shares that they receive they learn nothing of the others' values",
                f"all sets of 2 users; {RUNS_JUDGED}",
            ),
            (
                "S2",
                ["S2"],
                OUTPUT,
                "S2 learns no more than its output, the sums of the reports, and what S1 sends it: "
                "the numbers m_j and the names of the elected users",
                RUNS_JUDGED,
            ),
        )
    ),
    *(
        Sentence(
            SECTION_3,
            f"TSS′ with φ = 1 gives privacy against {words}",
            STATED,
            partial(same_views, corrupt, gamma),
            under=f"all that {words} sees has the same law whatever the others hold; {law} "
            "reporting sets",
            points=f"{coalition}{TINY}{'' if gamma is None else '; γ = 2'}",
            why=DEPENDS,
            disputed=disputed,
        )
        for words, corrupt, gamma, law, coalition, disputed in (
            ("any single user", "u1", None, "uniform", ONE_USER, ""),
            (
                "any single user",
                "u1",
                2.0,
                "adaptive",
                ONE_USER,
                "The text says 'a privacy guarantee', and not that nothing is learned. The ε is "
                "below the ε* = log γ of Theorem 3.3.",
            ),
            ("S1", "S1", None, "uniform", "", ""),
        )
    ),
    *(
        Sentence(
            "Yang et al., section 4.2.1, Fig. 1",
            f"share by which DPDS errs less than DPDG with δ=1e-7, {name}, ε=0.1",
            Stated(0.9),
            partial(gain, KINDS[name]),
            bound="at least",
            disputed=SIMILAR[name],
            under="'similar results' as for Gowalla, where the text says 'over 90 %'",
            points=f"N = {KINDS[name]}, n = {USERS}; by the law of both errors, {CALIBRATED}",
            data=CENSUS_DATA if name == "Census-Income" else None,
        )
        for name in ("Census-Income", "Synthetic")
    ),
    *(
        Sentence(
            "Yang et al., section 4.2.1, Fig. 1",
            f"ε up to which DPDS errs less than DPDG with δ=0.5, {name}",
            Stated(0.6),
            partial(crossed, population),
            bound="at least",
            why="The squared L2 errors cross at a far smaller ε.",
            disputed=SIMILAR[name],
            under="'similar results' as for Gowalla, where the text says 0.6",
            points=f"N = {KINDS[name]}, n = {USERS}; by the law of both errors, {CALIBRATED}",
            data=CENSUS_DATA if name == "Census-Income" else None,
        )
        for name, population in (("Census-Income", "census"), ("Synthetic", "synthetic"))
    ),
    *(
        Sentence(
            "Yang et al., section 1",
            "for the same privacy and accuracy as DPDS with 1000 users, DPDG needs more users",
            STATED,
            partial(gaussian_needs_more_users, level),
            under=f"{under}; the accuracy of both is the expected squared L2 error of all items",
            points=f"N of {', '.join(map(str, KINDS.values()))}; every item has {BETA:g} n holders "
            f"at least; ε of {', '.join(map(str, LEVEL_EPSILONS))}",
            why="With equally many users and the same exact δ, DPDG has the smaller expected "
            "error.",
            disputed="The text takes the level of privacy from its Theorem 3.1, with inequality "
            "(2)."
            if level == "exact"
            else "",
        )
        for level, under in READINGS.items()
    ),
    Sentence(
        "Yang et al., section 4.2.1",
        "the Gaussian mechanism has a large error with a small budget and a small population: the "
        "error of DPDG grows at every step",
        STATED,
        gaussian_suffers,
        points="ε from 1 to 0.5, 0.2 and 0.1; n from 5000 to 2000 and 1000",
    ),
    Sentence(
        "Yang et al., section 4.2.3",
        "the larger ε*, the higher the probability that the true value is among the reported ones",
        STATED,
        includes_more_often,
        points=f"{', '.join(map(str, SHARES))} of {ITEMS} items; γ = e^ε* of 2, 5 and 10",
    ),
    Sentence(
        "Yang et al., section 3.2",
        "users who choose a larger privacy budget have more weight",
        STATED,
        favours_large_budgets,
        under="weights 1/V_j by Eq. 4, and DPDS as the mechanism",
        points="in each setting of Table II, all pairs of groups with different budgets",
    ),
    Sentence(
        "Yang et al., section 5",
        "weights that only depend on the size of a group are not optimal",
        STATED,
        sizes_are_not_optimal,
        under="each group's estimate has the size of the group as its weight; compared with the "
        "weights 1/V_j of Eq. 4",
        points="budgets of Table II; equal groups of 250, and groups of 100, 200, 300 and 400 in "
        "this order and in reverse",
    ),
    *(
        Sentence(
            "Yang et al., section 5",
            f"users that {name} needs for the accuracy of DPDS with 1000 users, ε = {epsilon:g}: "
            "millions",
            Stated(1e6),
            users_for(mechanism, epsilon),
            bound="at least",
            under=f"the expected squared L2 error of {ITEMS} evenly held items, at the same ε",
            why="At this ε fewer users are enough.",
            disputed="The sentence is about local mechanisms in general, and names neither an ε "
            "nor an accuracy.",
        )
        for name, mechanism in (("OUE", OUE), ("GRR", GRR))
        for epsilon in (0.1, 1.0)
    ),
)


def trial(parameters: Parameters, seed: int, data: Path | None) -> Measurements:
    """Return the numbers that are computed for a sentence."""
    del seed
    return evaluated(SENTENCES, parameters, data)


EXPERIMENT = Experiment(
    summary="Sentences of the text",
    source="Yang et al., sections 1 and 3 to 5",
    trial=trial,
    grid=[{AXIS: [one.name for one in SENTENCES]}],
    measures=[Measure("value", "what is right", exact=True)],
    choices=(
        "DPDS samples with p = 1 - exp(-ε). We take n = 1000 and N = 30, unless a row names "
        "others.",
        "DPDG has the corrected noise share. It has the analytic calibration where a row gives it "
        "the exact δ of DPDS, and the classic one elsewhere.",
        "An error is the expected squared L2 error of all items.",
        "Census-Income has N = 17 items, which are the intervals of 100 cents that hold at least "
        "1 % of the users with a wage.",
    ),
    quotes=[one.quote() for one in SENTENCES],
    cost=lambda _: 0.1,
)
