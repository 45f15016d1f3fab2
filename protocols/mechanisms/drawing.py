"""Pictures of a mechanism's law: densities with their atoms, or bars for what a report can say."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from protocols import checks
from protocols.mechanisms.density import Density
from protocols.mechanisms.described import chances
from protocols.mechanisms.named import OfItems, OfNumbers
from protocols.mechanisms.pure import Pure
from simnet.arrays import Floats
from simnet.drawing import NORMAL, PAGE, SMALL
from simnet.scenario.figure import ESTIMATE, INK, TRUTH, blank_figure, write_figure

MARGIN = 0.03  # the margin on either side of the reports, relative to the picture's width
STEEP = 1e-9  # distance of grid points from an edge, relative to the width of the picture
FINE = 1000.0  # in pictures narrower than this, every step of a density is drawn
REST = 0.002  # probability that the picture leaves out at each end
FEWEST_TURNED = 12  # if there are at least so many reports, their names are turned by 90 degrees


def law_figure(mechanism: OfItems | OfNumbers, at: float = 0.0) -> Any:
    """Return a matplotlib figure of the law of a report, or of one number of a report that holds
    several numbers.

    For a mechanism for numbers, the figure has the laws for the value `at` and for both ends of
    [-1, 1]; for a mechanism for items, the laws for holders of items 1 and 2. Raises `BadInput` if
    matplotlib is not installed, and `ValueError` for a mechanism for numbers and an `at` outside
    [-1, 1].

    >>> from protocols import GRR
    >>> law_figure(GRR(epsilon=1.0, items=3)).get_suptitle()
    'GRR(epsilon=1.0, items=3): exact ε = 1'
    """
    figure = blank_figure()(figsize=(PAGE, 2.9), layout="constrained")
    if isinstance(mechanism, Pure):
        _draw_channel(figure.subplots(), mechanism)
    else:
        _draw_densities(figure, mechanism, at)
    for axes in figure.axes:
        axes.spines["top"].set_visible(False)
        axes.tick_params(labelsize=SMALL)
    figure.suptitle(
        f"{mechanism!r}: exact ε = {mechanism.exact_epsilon:.6g}",
        x=0.01,
        ha="left",
        fontsize=NORMAL,
    )
    return figure


def draw_law(mechanism: OfItems | OfNumbers, at: float, path: Path) -> None:
    """Write the figure to a file, in the format that its ending names.

    Raises `BadInput` if that is impossible, and `ValueError` as `law_figure` does.
    """
    write_figure(law_figure(mechanism, at), path)


def _draw_channel(axes: Any, mechanism: OfItems) -> None:
    rows = list(chances(mechanism))
    places = np.arange(len(rows))
    for side, (holder, color) in enumerate((("holder of 1", ESTIMATE), ("holder of 2", TRUTH))):
        axes.bar(
            places + 0.4 * side - 0.2,
            [row[holder] for row in rows],
            width=0.4,
            color=color,
            label=holder,
        )
    turned = len(rows) >= FEWEST_TURNED
    axes.set_xticks(places, [row["report"] for row in rows], rotation=90 if turned else 0)
    axes.set_ylabel("probability", fontsize=NORMAL)
    axes.set_xlabel("report", fontsize=NORMAL)
    axes.spines["right"].set_visible(False)
    axes.figure.legend(*axes.get_legend_handles_labels(), loc="outside right upper", frameon=False)


def _draw_densities(figure: Any, mechanism: OfNumbers, at: float) -> None:
    at = float(checks.within_one(at))
    axes = figure.subplots()
    values = (
        [(-1.0, TRUTH), (1.0, INK), (at, ESTIMATE)]
        if abs(at) < 1
        else [(-at, TRUTH), (at, ESTIMATE)]
    )
    laws = [(mechanism.law(value), value, color) for value, color in values]
    lows, highs = zip(*(_reach(law) for law, *_ in laws), strict=True)
    low, high = min(lows), max(highs)
    if any(law.parts for law, *_ in laws):
        for law, value, color in laws:
            x = _grid(law, low, high)
            axes.plot(x, np.exp(law.log_density(x)), color=color, label=f"value {value:g}")
        axes.set_ylabel("density")
        axes.set_ylim(0)
    if any(law.atoms for law, *_ in laws):
        stems = axes.twinx() if axes.lines else axes
        _draw_atoms(stems, laws, (high - low) / 100)
    axes.spines["right"].set_visible(len(figure.axes) > 1)
    axes.set_xlabel("report")
    axes.figure.legend(*axes.get_legend_handles_labels(), loc="outside right upper", frameon=False)


def _draw_atoms(axes: Any, laws: list[tuple[Density, float, str]], apart: float) -> None:
    for place, (law, value, color) in enumerate(laws):
        x = [float(atom.at) + (place - 1) * apart for atom in law.atoms]
        mass = [atom.moments[0] for atom in law.atoms]
        axes.vlines(x, 0, mass, color=color, linewidth=2)
        axes.plot(x, mass, "o", color=color, label=f"value {value:g}", markersize=5)
    axes.set_ylabel("mass of an atom (dots)")
    axes.set_ylim(0)


def _reach(law: Density) -> tuple[float, float]:
    ends = [float(end) for part in law.parts for end in part.ends] + [
        float(atom.at) for atom in law.atoms
    ]
    low, high, step = min(ends), max(ends), 1.0
    while law.falls() and (float(law.cdf(low)) > REST or float(law.cdf(high)) < 1 - REST):
        low, high, step = low - step, high + step, 1.2 * step
    return low, high


def _grid(law: Density, low: float, high: float) -> Floats:
    low, high = low - MARGIN * (high - low), high + MARGIN * (high - low)
    x = np.linspace(low, high, 500)
    if high - low < FINE:
        edges = np.array(
            [
                float(edge)
                for part in law.parts
                for edge in part.edges((Fraction(low), Fraction(high)))
            ]
        )
        near = STEEP * (high - low)
        x = np.concatenate([x, edges - near, edges + near])
    return np.unique(np.clip(x, low, high))
