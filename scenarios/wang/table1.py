"""Table I of Wang et al.: the stated orders of worst variances, compared with exact variances."""

from collections.abc import Callable, Sequence
from math import tanh
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from protocols import checks
from protocols.mechanisms.duchi_multi import DuchiVariant
from protocols.mechanisms.hybrid import EPS_SHARP, EPS_STAR, HM
from protocols.mechanisms.split import SINGLE
from scenarios.theorems.of_wang import AS_PRINTED_ONLY
from scenarios.wang.compared import DUCHI_CHOICE
from scenarios.wang.orders import TABLE_1, check_order, worst_variances
from simnet.scenario.perform import parameters_in_words
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment, Measurements
from simnet.studies.parameters import typed
from simnet.studies.quote import STATED, Counterpart, Quote
from simnet.studies.statements import exact
from simnet.studies.table import Measure, NoSuchPoint, Table, TrialRow

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ORDERS = {order.setting: order for order in TABLE_1}
SEVERAL = TABLE_1[0].setting
EPSILONS = sorted([*(place / 10 for place in range(1, 301)), EPS_STAR, EPS_SHARP])
EPSILONS_IN_WORDS = "ε of 0.1, 0.2 and so on to 30, ε* and ε#"
K_IN_WORDS = "k by Eq. 12"
ADDITIVE, OURS = ("laplace", "scdf", "staircase"), ("HM", "PM")
MANY, SMALL = 16, 0.5  # the number of attributes and the ε at which Lemma 6 is judged, with k = 1
VARIANTS = {"corrected": "Duchi et al. corrected, ε-LDP", "as-printed": "Duchi et al. as printed"}
FAIR = (
    "The statement holds against Duchi et al.'s mechanism as printed, whose actual ε is ln(1 + "
    "e^ε) for even d. For these d the corrected mechanism, which is ε-LDP, has a smaller variance "
    "than the printed one."
)


@attrs.frozen(kw_only=True)
class OrderPoint:
    """A row of the table (`setting`) for a number of attributes."""

    setting: str
    variant: DuchiVariant
    attributes: int


@typed(OrderPoint)
def kept(point: OrderPoint, seed: int, data: Path | None) -> Measurements:
    """Return at how many values of ε the order of a row holds by exact variances. For several
    attributes, return the numbers of `outperforming`, too.

    Raises `ValueError` for an unknown setting, and for a number of attributes that the row is not
    about.
    """
    del seed, data
    checks.one_of("setting", point.setting, tuple(ORDERS))
    order = ORDERS[point.setting]
    least, most = (2, None) if order.several else (1, 1)
    checks.whole(f"attributes, d, in the row {point.setting!r}", point.attributes, least, most)
    checked = check_order(order, [point.attributes], EPSILONS, point.variant)
    numbers: dict[str, float | str] = {
        "tried": checked.tried,
        "kept": checked.kept,
        "share": checked.kept / checked.tried,
    }
    if checked.counterexample is not None:
        numbers["first_failing_epsilon"] = checked.counterexample[1]
    if point.attributes > 1:
        numbers |= outperforming(point.attributes, point.variant)
    return numbers


def outperforming(attributes: int, variant: DuchiVariant) -> dict[str, float]:
    """Return at how many values of ε HM has a smaller worst variance than all rivals, and at how
    many PM has.

    The rivals are Duchi et al., and Laplace, SCDF and Staircase with ε/d for each attribute.
    """
    worst = {epsilon: worst_variances(epsilon, attributes, variant) for epsilon in EPSILONS}
    rivals = {
        e: min(
            worst[e]["Duchi"], *(SINGLE[name](e / attributes).worst_variance for name in ADDITIVE)
        )
        for e in EPSILONS
    }
    return {f"best_{name}": sum(worst[e][name] < rivals[e] for e in EPSILONS) for name in OURS}


def share(measure: str, **at: Any) -> Callable[[Table], Counterpart]:
    """Return a function that reads the share of all points (d, ε) at which an order holds, or at
    which HM or PM beats all rivals.
    """

    def reading(table: Table) -> Counterpart:
        rows = [row for row in table.where(**at).rows if measure in row]
        if not rows:
            raise NoSuchPoint(f"nothing was tried with {parameters_in_words(at)}")
        total = (
            len(EPSILONS) * len(rows)
            if measure.startswith("best")
            else sum(row["tried"] for row in rows)
        )
        found = exact(sum(row[measure] for row in rows) / total)
        return attrs.evolve(found, judged_at=dimensions_in_words(rows))

    return reading


def dimensions_in_words(rows: Sequence[TrialRow]) -> str:
    """Return as text which numbers of attributes occur in these rows; the number 1 is left out."""
    found = sorted({row["attributes"] for row in rows if row["attributes"] > 1})
    if len(found) > 1 and found == list(range(found[0], found[-1] + 1)):
        return f"d from {found[0]} to {found[-1]}"
    return f"d of {', '.join(map(str, found))}" if found else ""


def order_quote(setting: str, variant: str) -> Quote:
    """The quote of a row of the table, with a variant of Duchi et al.'s mechanism."""
    which = f"against {VARIANTS[variant]}" if ORDERS[setting].several else ""
    return Quote(
        "Wang et al., Table I",
        f"{setting}: {ORDERS[setting].stated}",
        STATED,
        share("kept", setting=setting, variant=variant),
        why=FAIR,
        under=which,
        disputed=AS_PRINTED_ONLY if ORDERS[setting].several and variant == "corrected" else "",
        points=EPSILONS_IN_WORDS
        + ("" if ORDERS[setting].several else ", as far as the row is about them"),
    )


# Where HM and PM do not have the smallest worst variance. SCDF with ε/d each has a smaller one for
# ε/d in this range, and for d = 2 also from this ε to just below 5, from which on k is 2. Duchi et
# al. corrected has a smaller one at some ε for even d up to this number.
SCDF_BEATS = {"HM": ("5.38", "7.72"), "PM": ("4.77", "7.88")}
SCDF_BEATS_TWO_FROM = {"HM": "4.41", "PM": "4.35"}
DUCHI_BEATS_UP_TO = {"HM": 18, "PM": 32}


def outperforming_quote(ours: str, variant: str) -> Quote:
    """The quote that HM or PM has the smallest worst variance for several attributes."""
    low, high = SCDF_BEATS[ours]
    why = (
        "SCDF with ε/d for each attribute has a smaller worst variance for ε/d from "
        f"{low} to {high}, and for d = 2 also from ε = {SCDF_BEATS_TWO_FROM[ours]} to just below "
        "ε = 5."
    )
    if variant == "corrected":
        why += (
            " Duchi et al. corrected has a smaller one at some ε for every even d up to "
            f"{DUCHI_BEATS_UP_TO[ours]}."
        )
    return Quote(
        "Wang et al., abstract",
        f"for d > 1 {ours} has a smaller worst variance than the existing solutions",
        STATED,
        share(f"best_{ours}", setting=SEVERAL, variant=variant),
        why=why,
        under="existing solutions: Laplace, SCDF and Staircase with ε/d each, and "
        + VARIANTS[variant],
        points=f"{EPSILONS_IN_WORDS}, {K_IN_WORDS}",
        disputed="Section IV calls Duchi et al.'s mechanism the only existing solution. Against "
        "it as printed the statement holds.",
    )


def lemma_6(value: float, last: float) -> float:
    """The variance of HM by Lemma 6 at ε = 0.5, which is below ε*, for 16 attributes and k = 1; the
    last term is `last` times the value's square.
    """
    return MANY / tanh(SMALL / 2) ** 2 + last * value**2


def variance_by_law(value: float) -> float:
    """The variance of HM at ε = 0.5, for 16 attributes and k = 1, computed from a report's law."""
    # A user reports on one of MANY attributes, and this report is multiplied by MANY; the estimates
    # of the other attributes are 0.
    return MANY * HM(SMALL).law(value).second_moment - value**2


def drawn_orders(table: Table) -> "Figure":
    """Draw, for each number of attributes, the share of the values of ε at which the first row's
    order holds.
    """
    return curves(
        table.where(setting=SEVERAL),
        "attributes",
        panel="setting",
        line=["variant"],
        words=VARIANTS.__getitem__,
        titles={SEVERAL: f"{ORDERS[SEVERAL].stated}, d > 1"},
        x_label="d",
        notes=[f"{EPSILONS_IN_WORDS}. {K_IN_WORDS}. Points are not joined: odd and even d differ."],
        log_y=False,
        joined=False,
    )


EXPERIMENT = Experiment(
    summary="Orders of worst variances of PM, HM and Duchi et al.'s mechanism",
    source="Wang et al., Table I and Corollary 2",
    trial=kept,
    grid=[
        {
            "setting": [one for one in ORDERS if one != SEVERAL],
            "variant": ["corrected"],
            "attributes": [1],
        },
        {"setting": [SEVERAL], "variant": list(VARIANTS), "attributes": list(range(2, 41))},
    ],
    measures=[Measure("share", "share of the ε at which the order holds")],
    quick={"attributes": [1, 2, 3, 4, 5, 10, 16, 20, 40]},
    choices=(
        "ε is 0.1, 0.2 and so on to 30, ε* and ε#; d goes from 2 to 40 where a row is about "
        "d > 1. The row on Lemma 6 names its own point.",
        "We compute k by Eq. 12.",
        DUCHI_CHOICE,
    ),
    quotes=[
        order_quote(SEVERAL, "as-printed"),
        *(order_quote(setting, "corrected") for setting in ORDERS),
        *(outperforming_quote(ours, variant) for ours in OURS for variant in VARIANTS),
        Quote(
            "Wang et al., Lemma 6",
            "variance with HM up to ε*, d=16, k=1, ε=0.5, t=1",
            lambda _: lemma_6(1.0, MANY - 1),
            lambda _: exact(variance_by_law(1.0)),
            correction="The right formula is d/k coth²(ε/(2k)) - t². Its last term is not (d/k - "
            "1) t².",
            instead=lambda _: lemma_6(1.0, -1),
        ),
    ],
    figure=drawn_orders,
    cost=lambda _: 0.035,
)
