"""Fig. 3 of Wang et al.: worst variances of PM and HM divided by Duchi et al.'s, for several
attributes.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from protocols.mechanisms.attributes import Attributes
from protocols.mechanisms.duchi_multi import DuchiMulti, DuchiVariant
from protocols.mechanisms.tuples import Inner, Tuples, optimal_k, printed_k
from scenarios.wang.claims import ODD_ONLY
from scenarios.wang.compared import DUCHI_CHOICE
from scenarios.wang.orders import worst_variances
from simnet.drawing import horizontal
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment, Measurements
from simnet.studies.paper_claim import PaperClaim, Stated
from simnet.studies.parameters import typed
from simnet.studies.table import Measure, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EPSILONS = tuple(place / 10 for place in range(1, 81))
DUCHI = {"as-printed": "Duchi et al. as printed", "corrected": "Duchi et al. corrected"}
LINES: Mapping[tuple[str, str], str] = {
    (mechanism, variant): f"{mechanism.upper()}, over {words}"
    for variant, words in DUCHI.items()
    for mechanism in ("pm", "hm")
}
GRID = (5, 10, 20, 40)


@attrs.frozen(kw_only=True)
class RatioPoint:
    """PM or HM beside a variant of Duchi et al.'s mechanism."""

    variant: DuchiVariant
    mechanism: Inner
    attributes: int
    epsilon: float


@typed(RatioPoint)
def relative(point: RatioPoint, seed: int, data: Path | None) -> Measurements:
    """Return the exact worst variance of PM or HM divided by the worst variance of Duchi et al.'s
    mechanism, as `ratio`.

    `excess` is the worst variance with `k` by Eq. 12, divided by that with the `best_k`, and
    `exact_epsilon` is the actual ε of Duchi et al.'s mechanism.
    """
    del seed, data
    return numbers_at(point.variant, point.mechanism, point.attributes, point.epsilon)


def numbers_at(variant: DuchiVariant, mechanism: Inner, d: int, epsilon: float) -> dict[str, float]:
    """Return the numbers of a trial."""
    worst, best = worst_variances(epsilon, d, variant), optimal_k(epsilon, d, mechanism)
    ours = worst[mechanism.upper()]
    return {
        "ratio": ours / worst["Duchi"],
        "k": printed_k(epsilon, d),
        "best_k": best,
        "excess": ours / Tuples(epsilon, Attributes(d), mechanism, best).worst_variance,
        "exact_epsilon": DuchiMulti(epsilon, d, variant).exact_epsilon,
    }


def largest(measure: str, mechanism: Inner, variant: DuchiVariant) -> Callable[[], float]:
    """Return the law that computes the largest number over the d and ε of the figure."""

    def law() -> float:
        return max(
            float(numbers_at(variant, mechanism, d, epsilon)[measure])
            for d, epsilon in product(GRID, EPSILONS)
        )

    return law


def claims() -> Iterator[PaperClaim]:
    """Yield the claims of this figure."""
    bounds: Mapping[Inner, str | Stated] = {"hm": "0.77", "pm": Stated(1.0)}
    for mechanism, printed in bounds.items():
        yield PaperClaim(
            f"Fig. 3, {mechanism.upper()}",
            "section IV-B",
            f"The worst variance of {mechanism.upper()}, divided by Duchi et al.'s: the largest "
            "quotient over all d and ε of the figure",
            printed,
            largest("ratio", mechanism, "corrected"),
            bound="at most",
            condition="It holds against Algorithm 3 as printed, which is not ε-LDP for even d.",
            under=largest("ratio", mechanism, "as-printed"),
            why=ODD_ONLY,
            check="`simnet reproduce wang_fig3`",
        )
    ratios: Mapping[Inner, str] = {"pm": "2.42", "hm": "2.16"}
    for mechanism, best in ratios.items():
        yield PaperClaim(
            f"Eq. 12, {mechanism.upper()}",
            "Eq. 12",
            f"The k of Eq. 12 minimises the worst variance of {mechanism.upper()}: divided by that "
            "with the best k, the largest quotient",
            Stated(1.0),
            largest("excess", mechanism, "as-printed"),
            bound="at most",
            why="Eq. 12 is a rule of thumb: it rounds ε/2.5 down, and without rounding the best "
            f"ε/k is {best}.",
            check="by hand: at ε = 4.9 and d = 5, k = 1 against k = 2",
            top="Eq. 12 does not give the best k." if mechanism == "hm" else "",
        )


def ratio_at(point: Mapping[str, Any]) -> float:
    """Return the ratio at a point of the figure."""
    worst = worst_variances(point["epsilon"], point["attributes"], point["variant"])
    return worst[point["mechanism"].upper()] / worst["Duchi"]


def drawn_ratios(table: Table) -> "Figure":
    """Draw the ratios over ε, one panel for each number of attributes."""
    figure = curves(
        table,
        "epsilon",
        panel="attributes",
        line=["mechanism", "variant"],
        words=lambda *key: LINES[key],
        titles={d: f"d = {d}" for d in (5, 10, 20, 40)},
        x_label="ε",
        y_label="relative worst variance",
        log_y=False,
        law=ratio_at,
        notes=[
            "Worst variance divided by that of Duchi et al., computed. Below 1 PM or HM is better.",
            "The paper compares with Duchi et al. as printed, which is not ε-LDP for even d.",
            "For d = 5 both versions of Duchi et al. are the same.",
            "Curves jump at ε = 5 and 7.5, where k of Eq. 12 goes from 1 to 2 and to 3.",
        ],
    )
    for axes in figure.axes:
        horizontal(axes, 1.0, "as good as Duchi et al.")
        horizontal(axes, 0.77, "0.77")
    return figure


EXPERIMENT = Experiment(
    summary="Worst variances of PM and HM, divided by Duchi et al.'s",
    source="Wang et al., Fig. 3",
    trial=relative,
    grid=[
        {
            "variant": ["as-printed", "corrected"],
            "mechanism": ["pm", "hm"],
            "attributes": list(GRID),
            "epsilon": list(EPSILONS),
        }
    ],
    measures=[Measure("ratio", "worst variance divided by Duchi et al.'s", expected="ratio")],
    quick={"epsilon": [0.1, 0.5, 1.0, 1.2, 1.5, 2.0, 2.5, 3.2, 4.0, 4.9, 5.0, 6.0, 7.0, 8.0]},
    choices=(
        "ε goes from 0.1 to 8; the paper's range can be seen in its figure only.",
        "We compute k by Eq. 12.",
        DUCHI_CHOICE,
    ),
    claims=list(claims()),
    figure=drawn_ratios,
    cost=lambda parameters: 0.0002 * int(str(parameters["attributes"])) + 0.001,
)
