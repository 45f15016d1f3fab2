"""What Yang et al. claim in their text: theorems, lemmas, and sentences on privacy and error."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations, pairwise, product
from math import ceil, log2

import attrs

from protocols.dpdg.script import DPDG
from protocols.dpds.script import DPDS
from protocols.mechanisms.grr import GRR
from protocols.mechanisms.unary import OUE
from protocols.tss.prime import TSSPrime
from protocols.weighted.weights import weights
from scenarios.yang import laws
from scenarios.yang.laws import ITEMS, USERS
from scenarios.yang.table1 import overhead_claims
from scenarios.yang.trials import SETTINGS
from simnet.exhaustive.compare import Comparison
from simnet.scenario.find import find
from simnet.scenario.verify import verify
from simnet.studies.paper_claim import STATED, PaperClaim, Stated

SECTION_1, SECTION_2, SECTION_3 = (f"section 3.1.{number}" for number in (1, 2, 3))
SMALL_USERS, SEEDS = 4, (1, 2, 3)
CHANCES, SHARES, FACTORS = (0.1, 0.3, 0.5, 0.8), (3, 12, 20), (None, 2.0, 5.0, 10.0)
PRIME = {"participation": "0.9", "alpha": "0.5", "bound": "2"}
RUNS = f"proved on {len(SEEDS)} runs of {SMALL_USERS} users and 2 items"
WHY_3_1 = (
    "The bound is a product over all N items, but neighbours differ in one or two of them. It "
    "fails also if the neighbouring population has βn holders of every item."
)


def judged(
    scenario: str, coalitions: Sequence[str], wanted: Sequence[str], **settings: str
) -> Callable[[], float]:
    """Return the law that computes in which share of small runs the verdict on coalitions is one of
    those wanted.
    """

    def share() -> float:
        made = attrs.evolve(find(scenario)[1], users=SMALL_USERS, items=2).with_settings(settings)
        found = [
            verify(made, corrupt, seed).verdict.finding in wanted
            for corrupt, seed in product(coalitions, SEEDS)
        ]
        return sum(found) / len(found)

    return share


def any_users(count: int) -> list[str]:
    """Return all sets of so many users."""
    return [",".join(f"u{place}" for place in one) for one in combinations(range(1, 5), count)]


def same_views(corrupt: str, gamma: float | None) -> float:
    """Return at which share of neighbouring inputs a party of TSS′ sees the same law."""
    protocol = TSSPrime(users=3, items=2, participation=0.5, reported=1, gamma=gamma, bound=1)
    comparison = Comparison(protocol, corrupt)
    same = [
        comparison.compare(inputs, other).same
        for inputs in map(list, product((1, 2), repeat=3))
        for other in comparison.neighbours(inputs)
    ]
    return sum(same) / len(same)


def more_bits(fraction_bits: int) -> float:
    """Return by how many bits the field of DPDG is larger than that of DPDS."""
    gaussian = DPDG(USERS, ITEMS, epsilon=0.5, delta=1e-5, fraction_bits=fraction_bits)
    one, other = (made.field.modulus.bit_length() for made in (gaussian, DPDS(USERS, ITEMS, 0.5)))
    return float(one - other)


def all_of(*found: bool) -> float:
    """Return the share of the places at which a statement holds."""
    return sum(found) / len(found)


def larger_budgets_weigh_more() -> float:
    """Return the share of pairs of groups in which the larger budget has the larger weight."""
    found = []
    for setting in SETTINGS:
        budgets = laws.budgets_of(setting)
        made = weights("vwa", [250] * 4, laws.variances(budgets))
        found += [
            bool(made[i] > made[j])
            for i, j in product(range(4), range(4))
            if budgets[i] > budgets[j]
        ]
    return all_of(*found)


CLAIMS: Sequence[PaperClaim] = (
    PaperClaim(
        "Theorem 3.1",
        f"{SECTION_1}, Eq. 2",
        "If every item has at least βn holders and β meets the bound (2), DPCS with p = 1 - e^-ε "
        "is (ε, δ)-DP",
        law=lambda: laws.sampling_theorem(second=False),
        why=WHY_3_1,
        check="by hand: n = 10, N = 5, β = 1/5 and e^-ε = 1/2 give δ = 2/π² in Eq. 2; two holders "
        "are both counted with probability 1/4, a single one never counts twice",
        top="Theorem 3.1 is false.",
        at=laws.deltas,
    ),
    PaperClaim(
        "Theorem 3.2",
        SECTION_1,
        "If every item has at least βn holders and β and z meet two bounds, DPCS with "
        "p = 1 - e^-(z+ε) is (ε, δ)-DP",
        law=lambda: laws.sampling_theorem(second=True),
        why=WHY_3_1,
        check='`simnet claims yang --show "Theorem 3.2"`',
        top="Theorem 3.2 is false.",
        at=laws.deltas_3_2,
    ),
    PaperClaim(
        "Theorem 3.2, stronger",
        SECTION_1,
        "For the same sampling probability, Theorem 3.2 has a stronger guarantee than Theorem 3.1, "
        "and a stricter requirement on the data",
        STATED,
        # At n = 1000, N = 30, β = 0.03 and ε + z = 1 the second δ is larger.
        lambda: float(
            laws.deltas_3_2(USERS, ITEMS, 0.03, 0.5, 0.5)[0]
            <= laws.deltas(USERS, ITEMS, 0.03, 1.0)[0]
        ),
        condition="It holds of ε alone: for the same β the δ of Theorem 3.2 is larger.",
        under=lambda: 1.0,
    ),
    PaperClaim(
        "Lemma 3.1",
        SECTION_1,
        "DPCS is unbiased, its covariance is (1 - p)/(p n²) diag(Π), and its expected squared L2 "
        "error is (1 - p)/(p n)",
        law=laws.sampling_law,
        proved=True,
    ),
    PaperClaim(
        "DPDS, receiver",
        SECTION_2,
        "From the receiver's perspective DPDS is indistinguishable from DPCS*: both learn the "
        "counts of those who take part, and no more",
        law=lambda: min(
            judged(name, ["server"], ("nothing", "output-only"))() for name in ("dpds", "dpcs_star")
        ),
        why=f"{RUNS[0].upper()}{RUNS[1:]}.",
        check="`simnet verify dpds --users 5 --items 2 --corrupt server`",
    ),
    PaperClaim(
        "DPDS, n - 1 users",
        SECTION_2,
        "A collusion of up to n - 1 users learns nothing on the remaining user's value",
        law=judged("dpds", any_users(SMALL_USERS - 1), ("nothing",)),
        why=f"All sets of 3 users, {RUNS}.",
        check="`simnet verify dpds --users 4 --items 2 --corrupt u1,u2,u3`",
    ),
    PaperClaim(
        "DPDG, noise share",
        SECTION_2,
        "If each user adds noise of variance (G_f σ_G / n)², DPDG is (ε, δ)-DP: its δ at n = 1000, "
        "ε = 0.5",
        lambda: laws.noise_share()[0],
        lambda: laws.noise_share()[1],
        bound="at most",
        correction="A user's share of the variance of its counts is n σ², as the n shares add up.",
        why="The printed shares add up to 1/n of the variance that (ε, δ) needs.",
        check="by hand: n · (G σ / n)² = G²σ²/n",
        top="DPDG: the printed noise share is n times too small; δ is 0.87 and not 1e-5.",
        at=laws.noise_share,
    ),
    PaperClaim(
        "DPDG, crossover",
        SECTION_2,
        "DPDG errs less than DPDS from n = 4 (e^ε - 1) ln(1.25/δ)/ε² users on; N = 30, ε = 0.5, "
        "δ = 1e-5",
        lambda: laws.crossover()[0],
        lambda: laws.crossover()[1],
        correction="With the same measure on both sides n is N times as large.",
        instead=lambda: ITEMS * laws.crossover()[0],
        why="The formula compares one item's error of DPDG with the error of all items of DPDS.",
        check="by hand: N · 4 ln(1.25/δ)/(n ε)² < 1/(n (e^ε - 1))",
        top="DPDG errs less than DPDS only from N times as many users on.",
        at=laws.crossover,
    ),
    PaperClaim(
        "L2 sensitivity",
        SECTION_2,
        "The L2 sensitivity of the frequencies is √2/n; here times n",
        "1.414",
        laws.sensitivity,
    ),
    PaperClaim(
        "DPDG, field",
        SECTION_2,
        "For 16 bits of accuracy the field of DPDG is at least 16 bits larger than that of DPDS",
        Stated(16),
        partial(more_bits, ceil(16 - log2(USERS))),
        bound="at least",
        condition="It holds for 16 bits after the point of a count: then 18 bits. The paper's DPDG "
        "shares frequencies, of which log₂ n bits are those of a count.",
        under=partial(more_bits, 16),
    ),
    PaperClaim(
        "Theorem 3.3",
        SECTION_3,
        "Against S1, TSS is 0-LDP with uniform reporting sets and log γ-LDP with adaptive ones",
        law=laws.private_against_s1,
        proved=True,
        check="`simnet privacy tss-s1 --items 30 --reported 12 --gamma 2 --participation 0.5`",
    ),
    PaperClaim(
        "Theorem 3.4",
        SECTION_3,
        "Against S2, who sees the lists and all sums, TSS is at least as private as DPDS with the "
        "same p",
        law=laws.private_against_s2,
        proved=True,
    ),
    PaperClaim(
        "Lemma 3.2",
        SECTION_3,
        "A user who takes part reports on its own item with probability α (US) or "
        "αγ/(αγ + 1 - α) (AS)",
        law=laws.inclusion_law,
        proved=True,
    ),
    PaperClaim(
        "Theorem 3.5",
        SECTION_3,
        "TSS is unbiased, and its expected squared L2 error, called Var, is (1 - q_χ)/(n q_χ)",
        law=laws.sampling_law,
        proved=True,
        why="Each holder is counted with probability q_χ, as in Lemma 3.1 with p = q_χ.",
    ),
    PaperClaim(
        "TSS, accuracy",
        SECTION_3,
        "Reporting on some items only decreases the accuracy",
        law=lambda: all_of(
            *(
                laws.noise_of_sampling(p * laws.included(k, factor)) > laws.noise_of_sampling(p)
                for p, k, factor in product(CHANCES, SHARES, FACTORS)
            )
        ),
    ),
    PaperClaim(
        "TSS, adaptive sets",
        SECTION_3,
        "Adaptive sampling limits the decrease of the accuracy: it errs less than uniform sampling",
        law=lambda: all_of(
            *(
                laws.noise_of_sampling(p * laws.included(k, factor))
                < laws.noise_of_sampling(p * laws.included(k, None))
                for p, k, factor in product(CHANCES, SHARES, FACTORS[1:])
            )
        ),
    ),
    PaperClaim(
        "TSS, ε*",
        "section 4.2.3",
        "The larger ε*, the higher the probability that the true value is among the reported ones",
        law=lambda: all_of(
            *(
                laws.included(k, one) < laws.included(k, other)
                for k in SHARES
                for one, other in pairwise(FACTORS[1:])
            )
        ),
    ),
    PaperClaim(
        "TSS′, φ users",
        SECTION_3,
        "TSS′ gives privacy against any φ users (φ = 2): the shares that they receive tell them "
        "nothing",
        law=judged("tss_prime", any_users(2), ("nothing",), **PRIME),
        why=f"All sets of 2 users, {RUNS}.",
    ),
    PaperClaim(
        "TSS′, S2",
        SECTION_3,
        "TSS′ gives privacy against S2: it learns the sums, and what S1 sends it",
        law=judged("tss_prime", ["S2"], ("nothing", "output-only"), **PRIME),
        why=f"{RUNS[0].upper()}{RUNS[1:]}.",
    ),
    PaperClaim(
        "TSS′, one user and S1",
        SECTION_3,
        "TSS′ gives privacy against a single user and against S1 (φ = 1): all that they see has "
        "the same law whatever the others hold",
        STATED,
        lambda: min(same_views("u1", 2.0), same_views("S1", None)),
        condition="It holds with uniform reporting sets.",
        under=lambda: min(same_views("u1", None), same_views("S1", None)),
        why="An elected user sees who reports on its item, which with adaptive sets depends on "
        "what the others hold; for 3 users and γ = 2 with an ε of ln 1.4, below log γ.",
    ),
    *overhead_claims(),
    PaperClaim(
        "Lemma 3.3",
        "section 3.2",
        "The critical points of the error of weighted aggregation are w_j = c/V_j",
        law=laws.critical_weights,
        proved=True,
        why="The error is defined where the weighted sizes do not add up to 0.",
    ),
    PaperClaim(
        "Lemma 3.4",
        "section 3.2, Eq. 4",
        "Weights 1/V_j err no more than equal weights, and as much only if all V_j are equal",
        law=laws.best_weights,
        proved=True,
    ),
    PaperClaim(
        "Weights, budgets",
        "section 3.2",
        "Users who choose a larger privacy budget have more weight",
        law=larger_budgets_weigh_more,
    ),
    PaperClaim(
        "Weights, sizes",
        "section 5",
        "Weights that only depend on the size of a group are not optimal",
        law=laws.sizes_are_worse,
    ),
    PaperClaim(
        "DPDG, small budgets",
        "section 4.2.1",
        "The Gaussian mechanism has a large error with a small budget and a small population: it "
        "grows at every step",
        law=lambda: all_of(
            *(
                laws.error_of_gaussian(ITEMS, a, 1e-7) < laws.error_of_gaussian(ITEMS, b, 1e-7)
                for a, b in pairwise((1.0, 0.5, 0.2, 0.1))
            ),
            *(
                laws.error_of_gaussian(ITEMS, 0.5, 1e-7, n)
                < laws.error_of_gaussian(ITEMS, 0.5, 1e-7, m)
                for n, m in pairwise((5000, 2000, 1000))
            ),
        ),
    ),
    *(
        PaperClaim(
            f"LDP, {name}",
            "section 5",
            f"Local mechanisms need millions of users for the accuracy of DPDS with 1000: {name}, "
            "30 evenly held items, ε = 1",
            Stated(1e6),
            partial(laws.users_for, mechanism, 1.0),
            bound="at least",
            condition=f"It holds for small ε, such as 0.1: {laws.users_for(mechanism, 0.1):,.0f} "
            "users.",
            under=partial(laws.users_for, mechanism, 0.1),
        )
        for name, mechanism in (("OUE", OUE), ("GRR", GRR))
    ),
)
