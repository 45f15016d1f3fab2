"""Figures of what every coalition of a run learns: a lattice of coalitions, or a table by roles.

The lattice has a mark for each coalition, small coalitions below, and a line from each coalition to
each coalition that has the same members and one more. It is drawn for at most six parties. For more
parties a table is drawn. Each of its fields stands for all coalitions with the same number of
members of each role, and a bar in it shows how often each finding occurs among these coalitions.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import product
from math import comb
from pathlib import Path
from typing import Any

from simnet.adversary.coalitions.every_coalition import EveryCoalition
from simnet.drawing import COLOURS, COLUMN, ESTIMATE, INK, NORMAL, PAGE, SMALL, TRUTH, blank_figure
from simnet.scenario.figure import write_figure

MOST_IN_LATTICE = 6  # parties
MARKS = {  # by finding: marker, colour, and words for the legend
    "nothing": ("o", "white", "learns nothing"),
    "output-only": ("o", TRUTH, "learns only its output"),
    "undecided": ("^", COLOURS[4], "undecided"),
    "leaks": ("s", ESTIMATE, "learns more than its output"),
}


def draw_coalitions(found: EveryCoalition, path: Path) -> None:
    """Write the figure to a file; its ending names the format."""
    write_figure(coalitions_figure(found), path)


def coalitions_figure(found: EveryCoalition) -> Any:
    """Return a matplotlib figure of what every coalition learns.

    Raises `BadInput` when matplotlib is not installed.
    """
    is_small = len(found.parties) <= MOST_IN_LATTICE
    return _lattice(found) if is_small else _table(found)


def _lattice(found: EveryCoalition) -> Any:
    count = len(found.parties)
    figure = blank_figure()(figsize=(PAGE, 0.62 * (count + 2)), layout="constrained")
    axes = figure.subplots()
    at: dict[frozenset[str], tuple[float, int]] = {}
    for size in range(1, count + 1):
        level = [members for members, _ in found.coalitions() if len(members) == size]
        level.sort(key=lambda members: [found.parties.index(name) for name in members])
        for place, members in enumerate(level):
            at[frozenset(members)] = (place - (len(level) - 1) / 2) / len(level), size
    for smaller, (x, y) in at.items():
        for name in set(found.parties) - smaller:
            other_x, other_y = at[smaller | {name}]
            ends = found.finding([*smaller]) == "leaks"
            ends = ends and found.finding([*smaller, name]) in ("nothing", "output-only")
            axes.plot(
                [x, other_x],
                [y, other_y],
                color=ESTIMATE if ends else TRUTH,
                linewidth=1.0 if ends else 0.4,
                linestyle=(0, (3, 2)) if ends else "-",
                zorder=1,
            )
    for members, finding in found.coalitions():
        x, y = at[frozenset(members)]
        marker, colour, _ = MARKS[finding]
        axes.plot([x], [y], marker, color=colour, markeredgecolor=INK, markersize=7, zorder=3)
        if count < MOST_IN_LATTICE or len(members) in (1, count - 1, count):
            everybody = len(members) == count
            axes.annotate(
                "all parties" if everybody else _short(members, found.parties),
                (x, y),
                xytext=(0, -7),
                textcoords="offset points",
                ha="center",
                va="top",
                fontsize=SMALL if comb(count, len(members)) <= MOST_IN_LATTICE else SMALL - 1,
                color=INK,
                linespacing=0.9,
                parse_math=False,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.85},
                zorder=2,
            )
    axes.set_ylim(0.35, count + 0.4)
    axes.set_axis_off()
    _legend(axes, found, has_ends=any(line.get_linewidth() == 1.0 for line in axes.lines))
    return figure


def _short(members: Sequence[str], parties: Sequence[str]) -> str:
    missing = [name for name in parties if name not in members]
    if len(missing) == 1:
        return f"all but\n{missing[0]}"
    return "\n".join(members)


def _table(found: EveryCoalition) -> Any:
    roles = found.role_names
    sizes = [found.roles.count(role) for role in roles]
    large = sizes.index(max(sizes))
    others = [place for place in range(len(roles)) if place != large]
    columns = list(product(*(range(sizes[place] + 1) for place in others)))
    by_class = found.by_class()
    height = 0.28 * (sizes[large] + 1) + 1.3
    figure = blank_figure()(
        figsize=(COLUMN if len(columns) <= 4 else PAGE, height), layout="constrained"
    )
    axes = figure.subplots()
    for column, chosen in enumerate(columns):
        for members in range(sizes[large] + 1):
            counts = dict(zip(others, chosen, strict=True)) | {large: members}
            findings = by_class.get(tuple(counts[place] for place in range(len(roles))), Counter())
            left, total = column - 0.4, findings.total()
            for finding, (_, colour, _) in MARKS.items():
                width = 0.8 * findings[finding] / total if total else 0
                if width:
                    axes.barh(members, width, 0.7, left, color=colour, edgecolor=INK, linewidth=0.4)
                    left += width
    axes.set_xticks(
        range(len(columns)),
        [_with(chosen, [roles[place] for place in others], sizes, others) for chosen in columns],
        fontsize=SMALL,
    )
    axes.set_yticks(range(sizes[large] + 1))
    axes.tick_params(labelsize=SMALL, length=0)
    axes.set_ylabel(f"members with the role {roles[large]}", fontsize=NORMAL)
    axes.spines[["top", "right", "left", "bottom"]].set_visible(False)
    _legend(axes, found, has_ends=False)
    return figure


def _with(
    chosen: Sequence[int], names: Sequence[str], sizes: Sequence[int], others: Sequence[int]
) -> str:
    words = [
        name if sizes[place] == 1 else f"{count} {name}"
        for count, name, place in zip(chosen, names, others, strict=True)
        if count
    ]
    return "\n".join(f"+ {word}" for word in words) or "alone"


def _legend(axes: Any, found: EveryCoalition, has_ends: bool) -> None:
    present = set(found.findings)
    for finding, (marker, colour, words) in MARKS.items():
        if finding in present:
            axes.plot([], [], marker, color=colour, markeredgecolor=INK, label=words)
    if has_ends:
        axes.plot(
            [],
            [],
            color=ESTIMATE,
            dashes=(3, 2),
            label="learns no more than its output if one more joins",
        )
    axes.legend(
        frameon=False, fontsize=SMALL, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2
    )
