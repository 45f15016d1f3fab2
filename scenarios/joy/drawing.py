"""Figures on Joy and Gerla: estimates for locations and groups of patients, errors by the number of
owners, and leakage.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import numpy.typing as npt

from protocols.mechanisms.response import JoyGerla
from protocols.two_rounds.privacy import epsilon_round_two
from scenarios.joy.expected import BAR, COMPETITOR, SAMPLINGS
from scenarios.joy.printed import equation_29, equation_30
from scenarios.joy.trials import Answers, deviation_of, die_of_value
from simnet.drawing import COLOURS, DASHES, INK, MARKERS, PAGE, SMALL, blank_figure, dress
from simnet.studies.curves import note as write_notes
from simnet.studies.table import Estimate, Table, estimated

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RED = "#cc0000"  # the colour of the circles, as in the paper's caption
POINTWISE = 0.05  # the probability that a drawn interval does not contain the true value
GRID = np.linspace(0.03, 0.97, 189)  # the x at which curves of formulas are evaluated


def way(row: Mapping[str, Any]) -> str:
    """Return in words how the owners of a row answer."""
    if row["mechanism"] == "response":
        return f"randomised response, {row['truthful']:g} and {row['coin']:g}"
    return f"sampling, π_s={row['sampling']:g}"


def named(table: Table) -> Table:
    """Return the table with one more axis, `way`: how owners answer, in words."""
    return attrs.evolve(
        table, rows=[{**row, "way": way(row)} for row in table.rows], axes=[*table.axes, "way"]
    )


def pointwise(table: Table, measure: str, **at: Any) -> Estimate:
    """Return the estimate of a measure at a point, with an interval of 95 % for this point
    alone.
    """
    found = next(one for one in table.measures if one.name == measure)
    return estimated(table.where(**at).rows, found, POINTWISE, table.exact)


def only_first(table: Table, *axes: str) -> tuple[Table, list[str]]:
    """Return the rows with the first value of some axes, and a note for each axis with more values.

    Rows that lack an axis stay.
    """
    notes = []
    for axis in axes:
        first, *others = [*table.values(axis), None]
        if others[:-1]:
            kept = [row for row in table.rows if row.get(axis) in (None, first)]
            table = attrs.evolve(table, rows=kept)
            notes.append(f"Rows with a value of {axis} other than {first} are not drawn.")
    return table, notes


def bounds(
    table: Table, group: str, x_label: str, count_label: str, title: str, note: str
) -> "Figure":
    """Draw the true counts and the bounds of the estimates, for each location or group of patients.

    `note` is a further sentence below the figure.
    """
    table, left_out = only_first(table, "owners")
    found = named(table)
    groups, ways = found.values(group), found.values("way")
    figure: Figure = blank_figure()(figsize=(PAGE, 5.4), layout="constrained")
    counts, errors = figure.subplots(2, 1, sharex=True, height_ratios=[1.3, 1])
    places = np.arange(len(groups))
    held = [found.where(**{group: one}).rows[0]["holders"] for one in groups]
    counts.hlines(
        held, places - 0.42, places + 0.42, color=INK, linewidth=1.5, label="ground truth", zorder=0
    )
    for place, one in enumerate(ways):
        at = places + (place - (len(ways) - 1) / 2) * 0.22
        rows = [pointwise(found, "bound", **{group: spot, "way": one}) for spot in groups]
        colour, mark = COLOURS[place], MARKERS[place]
        law = np.array([row.expected for row in rows], dtype=np.float64)
        counts.errorbar(
            at,
            held,
            yerr=law,
            fmt=mark,
            color=colour,
            markersize=4,
            elinewidth=1.4,
            capsize=2.5,
            label=one,
        )
        _mark(errors, at, rows, place)
        errors.plot(at, law, "_", color=INK, markersize=9, markeredgewidth=2, zorder=1)
    errors.plot([], [], "_", color=INK, markersize=9, markeredgewidth=2, label="by the law")
    dress(counts, f"{title}, among {int(found.rows[0]['owners']):,} owners")
    dress(errors, "Half the width of these ranges, by the law and in our collections")
    counts.set_ylabel(f"{count_label}: truth ±\n{BAR} standard deviations", fontsize=8)
    errors.set_ylabel("95 % bound of the error,\nowners", fontsize=8)
    errors.set_ylim(bottom=-0.04 * errors.get_ylim()[1])  # a bound of 0 stays visible
    errors.set_xlabel(x_label, fontsize=8)
    errors.set_xticks(places, [str(one) for one in groups])
    figure.legend(
        loc="outside upper left", ncols=5, fontsize=SMALL, frameon=False, columnspacing=1.0
    )
    for axes in (counts, errors):
        axes.tick_params(labelsize=SMALL + 0.5)
    notes = [
        f"Upper panel: the truth ± {BAR} standard deviations of the estimate, by the law.",
        "Lower panel: marks are measured, with 95 % intervals; short lines are by the law.",
        note,
        *left_out,
        *(["If nobody holds a value, sampling estimates 0 without error."] if 0 in held else []),
    ]
    write_notes(figure, table, notes)
    return figure


ROUNDS = {
    "kept": "sampling, faces kept for round two",
    "fresh": "sampling, faces thrown anew",
    "round-two": "sampling, round two alone",
}


def growth(table: Table) -> "Figure":
    """Draw the 95 % bound of the error over the number of owners, with the exact curves."""
    table, left_out = only_first(table, "yes", "sampling", "truthful", "coin")
    figure: Figure = blank_figure()(figsize=(PAGE, 3.4), layout="constrained")
    axes, yes = figure.subplots(), int(table.values("yes")[0])
    kinds = list(dict.fromkeys((row["mechanism"], row.get("rounds")) for row in table.rows))
    for place, (mechanism, rounds) in enumerate(kinds):
        part = table.where(mechanism=mechanism, rounds=rounds)
        owners = sorted(part.values("owners"))
        rows = [pointwise(part, "bound", owners=one) for one in owners]
        given = part.rows[0]
        named_here = ("mechanism", "truthful", "coin", "sampling", "rounds")
        how = Answers(**{name: given[name] for name in named_here if given.get(name) is not None})
        grid = np.geomspace(owners[0], owners[-1], 60)
        law = [BAR * deviation_of(how, round(one), yes) for one in grid]
        label = "randomised response" if rounds is None else ROUNDS[rounds]
        _mark(axes, owners, rows, place, label=label)
        axes.plot(grid, law, linestyle=DASHES[place], color=COLOURS[place], linewidth=0.9)
    dress(axes, f"{yes} owners hold yes", "owners", "95 % bound of the error, owners")
    axes.set_xscale("log")
    axes.set_yscale("log")
    figure.legend(loc="outside upper left", ncols=2, fontsize=SMALL, frameon=False)
    notes = [
        f"Marks: {BAR} root mean square errors, with 95 % intervals. Lines: by the law.",
        "The paper's mechanism keeps the faces. The paper has no such figure.",
        *left_out,
    ]
    write_notes(figure, table, notes)
    return figure


def leakage(table: Table) -> "Figure":
    """Draw ε over the probability of a coin or face: by the paper's formulas, and exactly."""
    table, left_out = only_first(table, "sampling", "truthful", "users")
    figure: Figure = blank_figure()(figsize=(PAGE, 3.9), layout="constrained")
    printed, exact = figure.subplots(1, 2, sharey=True)
    sampling = float(next(iter(table.values("sampling")), SAMPLINGS[0]))
    truthful = float(next(iter(table.values("truthful")), float(COMPETITOR.truthful)))
    room = GRID[1 - sampling - 0.02 > GRID]
    response = JoyGerla(truthful, float(COMPETITOR.yes))
    curves: list[tuple[Axes, str, int | None, str, Any, Callable[[float], float]]] = [
        (printed, "eq. 30", None, "randomised response, Eq. 30", GRID, partial(_by_30, response)),
        (printed, "eq. 29", None, "sampling, Eq. 29", room, partial(equation_29, sampling)),
        (exact, "response", None, "randomised response", GRID, partial(_exactly, response)),
    ]
    for values in table.values("values"):
        words = "sampling, yes or no" if values == 1 else f"sampling, {values} values"
        exactly = partial(_all_values, sampling, values)
        curves.append((exact, "sampling", values, words, room, exactly))
    for place, (axes, curve, values, words, xs, formula) in enumerate(curves):
        part = table.where(curve=curve, values=values)
        points = sorted(part.values("x"))
        rows = [pointwise(part, "epsilon", x=x) for x in points]
        colour = COLOURS[place % 2 if place < 4 else place]
        if rows:
            _mark(axes, points, rows, place, color=colour, label=words)
            line = [formula(float(x)) for x in xs]
            axes.plot(xs, line, linestyle=DASHES[place], color=colour, linewidth=0.9)
    notes = ["Marks: ε estimated from the answers of users, with 95 % intervals. Lines: formulas."]
    if sampling in SAMPLINGS and truthful == COMPETITOR.truthful:
        circles = (
            (float(COMPETITOR.yes), equation_30(truthful, float(COMPETITOR.yes))),
            ((1 - sampling) / 2, equation_29(sampling, (1 - sampling) / 2)),
        )
        printed.plot(
            *zip(*circles, strict=True),
            "o",
            color=RED,
            markerfacecolor="none",
            markersize=11,
            markeredgewidth=1.4,
            label="evaluated in Fig. 2 and 4 to 7",
        )
        notes.append(
            'For Fig. 2 and 4 to 7 the paper\'s text names the probability of the face "sampled" '
            "alone; the circle on the curve of sampling stands where the two other faces are "
            "equally likely."
        )
    dress(printed, "Paper's formulas")
    dress(exact, "Exact, over all answers and values")
    exact.tick_params(labelleft=True)
    for axes in (printed, exact):
        axes.set_xlabel("probability of the second coin,\nor of a value's face", fontsize=8)
        axes.set_ylabel("ε of one answer", fontsize=8)
        axes.legend(fontsize=SMALL, frameon=False, loc="upper right", bbox_to_anchor=(1, 1.02))
    top = max(printed.get_ylim()[1], 5.2)
    printed.set_ylim(0, top)
    notes.append("Both rounds together, of one owner or summed up, have no finite ε.")
    write_notes(figure, table, [*notes, *left_out])
    return figure


def _by_30(response: JoyGerla, x: float) -> float:
    return equation_30(response.truthful, x)


def _exactly(response: JoyGerla, x: float) -> float:
    return JoyGerla(response.truthful, x).exact_epsilon


def _all_values(sampling: float, values: int, x: float) -> float:
    return epsilon_round_two(die_of_value(sampling, values, x))


def _mark(
    axes: "Axes", at: npt.ArrayLike, rows: Sequence[Estimate], place: int, **style: Any
) -> None:
    """Mark means with their intervals, without one where the interval has no bounds."""
    arms = [
        (row.mean - row.low, row.high - row.mean) if np.isfinite(row.high - row.low) else (0.0, 0.0)
        for row in rows
    ]
    usual = {"fmt": MARKERS[place], "color": COLOURS[place], "markersize": 4, "elinewidth": 1.0}
    axes.errorbar(at, [row.mean for row in rows], yerr=np.transpose(arms), **{**usual, **style})
