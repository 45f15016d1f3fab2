"""A picture of the probability that a run completes, against the rate of drop-outs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from protocols import checks
from protocols.privacy.completion import Completion, Deployment, completions
from simnet.drawing import COLOURS, DASHES, SMALL, dress, panels, vertical
from simnet.scenario.figure import write_figure

POINTS = 121  # rates for which a curve is computed
WIDEST = 0.9  # the largest rate that is drawn


def completion_figure(deployment: Deployment, rate: float) -> Any:
    """Return a matplotlib figure of the probability to complete, against the rate of drop-outs. A
    line marks `rate` if it lies inside the picture.

    Protocols with equal probabilities share a curve. SecAgg+ is drawn as the area between its
    bounds, where these differ. Raises `ValueError` for a rate outside [0, 1], and `BadInput` if
    matplotlib is not installed.

    >>> figure = completion_figure(Deployment(users=100, threshold=67), 0.1)
    >>> [text.get_text() for text in figure.legends[0].get_texts()]
    ['dpds, tss, dpdg', 'dpds_robust, secagg', 'committee, local mechanisms']
    """
    checks.chance("rate", rate)
    figure, (axes,) = panels(1)
    rates = np.linspace(0.0, min(WIDEST, max(0.5, 1.5 * rate)), POINTS)
    found = [completions(deployment, one) for one in rates.tolist()]
    for place, (name, options) in enumerate(_curves(found).items()):
        lowest, highest = zip(*((one.lowest, one.highest) for one in options), strict=True)
        look = {"color": COLOURS[place], "linewidth": 1.0}
        if lowest == highest:
            axes.plot(rates, lowest, linestyle=DASHES[place], label=name, **look)
        else:
            axes.fill_between(
                rates, lowest, highest, color=COLOURS[place], alpha=0.35, label=f"{name} (bounds)"
            )
    if 0 < rate < rates[-1]:
        vertical(axes, rate, f"{rate:g}")
    title = f"{deployment.users:,} users"
    dress(axes, title, "rate of drop-outs", "probability to complete")
    handles = axes.get_legend_handles_labels()
    where: Any = {"loc": "outside lower center", "ncols": 2, "frameon": False, "fontsize": SMALL}
    for text in figure.legend(*handles, **where).get_texts():
        text.set_parse_math(False)
    return figure


def _curves(found: Sequence[Sequence[Completion]]) -> dict[str, list[Completion]]:
    by_law: dict[tuple[tuple[float, float], ...], list[int]] = {}
    for place in range(len(found[0])):
        law = tuple((row[place].lowest, row[place].highest) for row in found)
        by_law.setdefault(law, []).append(place)
    return {
        ", ".join(found[0][place].protocol for place in places): [row[places[0]] for row in found]
        for places in by_law.values()
    }


def draw_completion(deployment: Deployment, rate: float, path: Path) -> None:
    """Write the figure to a file, in the format that its ending names.

    Raises `BadInput` if that is impossible, and `ValueError` for a rate outside [0, 1].
    """
    write_figure(completion_figure(deployment, rate), path)
