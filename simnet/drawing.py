"""Figures of matplotlib, which is an extra: a blank one, and one of lines."""

from collections.abc import Mapping, Sequence
from typing import Any

from simnet.errors import BadInput
from simnet.installed import extra_missing

INK, TRUTH, ESTIMATE = "#22304a", "#b9c4d6", "#c8502d"
LINES = (INK, ESTIMATE, "#3d8b7d", "#8a97ad", "#7a5aa6", "#b08b2e")
LINE_STYLES = ("-", "--", ":")
FEW_POINTS = 20  # of a line: so few are marked by dots


def blank_figure() -> Any:
    """Matplotlib's class of figures that no window shows.

    Raises `BadInput` when matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise BadInput(extra_missing("drawing", "matplotlib", "plots")) from None
    return Figure


def line_figure(
    x: Sequence[float],
    lines: Mapping[str, Sequence[float]],
    *,
    x_label: str = "",
    y_label: str = "",
    title: str = "",
    log_x: bool = False,
    log_y: bool = False,
) -> Any:
    """Return a matplotlib figure with one line for each name: `lines[name][i]` stands over `x[i]`.

    With `log_x` or `log_y` that axis is logarithmic. Raises `BadInput` for a line that has another
    number of values than `x`, and when matplotlib is not installed.

    >>> figure = line_figure([1, 2, 4], {"square": [1, 4, 16]}, x_label="x", log_y=True)
    >>> figure.axes[0].get_yscale(), figure.axes[0].lines[0].get_label()
    ('log', 'square')
    """
    figure = blank_figure()(figsize=(6.8, 3.8), layout="constrained")
    axes = figure.subplots()
    for place, (name, values) in enumerate(lines.items()):
        if len(values) != len(x):
            raise BadInput(f"the line {name!r} has {len(values)} values, and x has {len(x)}")
        style = LINE_STYLES[place // len(LINES) % len(LINE_STYLES)]
        mark = "o" if len(x) <= FEW_POINTS else ""
        color = LINES[place % len(LINES)]
        axes.plot(x, values, style, marker=mark, color=color, markersize=4, label=name)
    axes.set_xscale("log" if log_x else "linear")
    axes.set_yscale("log" if log_y else "linear")
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.set_title(title, loc="left", fontsize=10, color=INK)
    axes.spines[["top", "right"]].set_visible(False)
    for text in axes.legend(frameon=False, fontsize=9).get_texts():
        text.set_parse_math(False)
    return figure
