"""Pictures of a mechanism's output law: pieces and atoms of a density, bars of a finite channel."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from protocols.mechanisms.density import Density
from protocols.mechanisms.described import chances
from protocols.mechanisms.named import OfItems, OfNumbers
from protocols.mechanisms.pure import Pure
from simnet.arrays import Floats
from simnet.scenario.figure import ESTIMATE, INK, TRUTH, blank_figure, write_figure

MARGIN = 0.03  # of the width of the picture
STEEP = 1e-9  # on either side of an edge, relative to the width of the picture
FINE = 1000.0  # width of a picture in which single steps are seen
REST = 0.002  # mass that is left out at each end
FEWEST_TURNED = 12  # reports from which on their names are turned


def law_figure(mechanism: OfItems | OfNumbers, at: float = 0.0) -> Any:
    """A matplotlib figure of the law of a report.

    A mechanism for numbers is drawn on the value `at` and on both ends, one for items on two items.
    Raises `BadInput` when matplotlib is not installed.
    """
    figure = blank_figure()(figsize=(7.5, 3.8), layout="constrained")
    if isinstance(mechanism, Pure):
        _draw_channel(figure.subplots(), mechanism)
    else:
        _draw_densities(figure, mechanism, at)
    for axes in figure.axes:
        axes.spines["top"].set_visible(False)
    figure.suptitle(
        f"{mechanism!r}: exact ε = {mechanism.exact_epsilon:.6g}", x=0.01, ha="left", fontsize=10
    )
    return figure


def draw_law(mechanism: OfItems | OfNumbers, at: float, path: Path) -> None:
    """Write the figure to a file; its ending names the format.

    Raises `BadInput` when that cannot be done.
    """
    write_figure(law_figure(mechanism, at), path)


def _draw_channel(axes: Any, mechanism: OfItems) -> None:
    """Bars side by side: the chances of each report of a holder of item 1 and of item 2."""
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
    axes.set_ylabel("chance")
    axes.spines["right"].set_visible(False)
    axes.figure.legend(*axes.get_legend_handles_labels(), loc="outside right upper", frameon=False)


def _draw_densities(figure: Any, mechanism: OfNumbers, at: float) -> None:
    """The densities as lines over the reports.

    Atoms are stems on an axis of their own to the right.
    """
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
    """Stems side by side, so that the atoms of different values at one place are told apart."""
    for place, (law, value, color) in enumerate(laws):
        x = [float(atom.at) + (place - 1) * apart for atom in law.atoms]
        mass = [atom.moments[0] for atom in law.atoms]
        axes.vlines(x, 0, mass, color=color, linewidth=2)
        axes.plot(x, mass, "o", color=color, label=f"value {value:g}", markersize=5)
    axes.set_ylabel("mass of an atom (dots)")
    axes.set_ylim(0)


def _reach(law: Density) -> tuple[float, float]:
    """From where to where all but a little of the law lies."""
    ends = [float(end) for part in law.parts for end in part.ends] + [
        float(atom.at) for atom in law.atoms
    ]
    low, high, step = min(ends), max(ends), 1.0
    while law.falls() and (float(law.cdf(low)) > REST or float(law.cdf(high)) < 1 - REST):
        low, high, step = low - step, high + step, 1.2 * step
    return low, high


def _grid(law: Density, low: float, high: float) -> Floats:
    """Reports between the limits and a little beyond.

    There is one on either side of every edge of the density.
    """
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
