"""Table I of Wang et al.: the stated orders of worst variances, compared with exact variances."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from protocols import checks
from protocols.mechanisms.duchi_multi import DuchiVariant
from protocols.mechanisms.hybrid import EPS_SHARP, EPS_STAR
from protocols.mechanisms.split import SINGLE
from scenarios.wang.claims import ODD_ONLY, corollary_2
from scenarios.wang.compared import DUCHI_CHOICE
from scenarios.wang.orders import TABLE_1, check_order, worst_variances
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment, Measurements
from simnet.studies.paper_claim import Counterpart, PaperClaim
from simnet.studies.parameters import typed
from simnet.studies.statements import exact
from simnet.studies.table import Measure, NoSuchPoint, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ORDERS = {order.setting: order for order in TABLE_1}
SEVERAL = TABLE_1[0].setting
EPSILONS = sorted([*(place / 10 for place in range(1, 301)), EPS_STAR, EPS_SHARP])
EPSILONS_IN_WORDS = "ε of 0.1, 0.2 and so on to 30, ε* and ε#"
K_IN_WORDS = "k by Eq. 12"
ADDITIVE, OURS = ("laplace", "scdf", "staircase"), ("HM", "PM")
VARIANTS = {"corrected": "Duchi et al. corrected, ε-LDP", "as-printed": "Duchi et al. as printed"}


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


def share(measure: str, setting: str, variant: str) -> Callable[[Table], Counterpart]:
    """Return the reading of the share of the points at which an order holds."""

    def reading(table: Table) -> Counterpart:
        found = table.where(setting=setting, variant=variant).rows
        rows = [row for row in found if measure in row]
        if not rows:
            raise NoSuchPoint(f"nothing was tried with {setting}, {variant}")
        return exact(sum(row[measure] for row in rows) / sum(row["tried"] for row in rows))

    return reading


def claims() -> Iterator[PaperClaim]:
    """Yield the claims on the orders of the table, and of the abstract."""
    for setting, order in ORDERS.items():
        several = order.several
        yield PaperClaim(
            f"Table I, {setting}",
            "Table I",
            f"{setting}: {order.stated}",
            runs=share("kept", setting, "corrected"),
            condition="It holds against Algorithm 3 as printed, which is not ε-LDP for even d."
            if several
            else "",
            under=(lambda: corollary_2("as-printed")) if several else None,
            why=ODD_ONLY if several else "",
            check='`simnet claims wang --show "Corollary 2"`' if several else "",
        )
    for ours, from_, up_to in (("HM", "5.38", "7.72"), ("PM", "4.77", "7.88")):
        yield PaperClaim(
            f"Abstract, {ours}, d > 1",
            "abstract",
            f"For d > 1 {ours} has a smaller worst variance than the existing solutions",
            runs=share(f"best_{ours}", SEVERAL, "corrected"),
            condition="It holds against Algorithm 3 as printed alone, which section IV calls the "
            "only existing solution.",
            under=lambda: corollary_2("as-printed"),
            why=f"SCDF with ε/d has a smaller one for ε/d from {from_} to {up_to}, and Algorithm 3 "
            "corrected for some ε and even d.",
        )


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
    claims=list(claims()),
    figure=drawn_orders,
    cost=lambda _: 0.035,
)
