"""Figures of a result, item by item, and of the sizes of breaking sets."""

import io
from math import isnan
from pathlib import Path
from typing import Any

from simnet.drawing import COLUMN, NORMAL, PAGE, SMALL, dress
from simnet.drawing import ESTIMATE as ESTIMATE
from simnet.drawing import INK as INK
from simnet.drawing import TRUTH as TRUTH
from simnet.drawing import blank_figure as blank_figure
from simnet.errors import BadInput
from simnet.files import refuse_unwritable, write_whole
from simnet.printable import printable
from simnet.scenario.breaking import Sizes
from simnet.scenario.perform import Performance
from simnet.scenario.population import (
    IntegerPopulation,
    ItemPopulation,
    NumberPopulation,
    Population,
    TablePopulation,
)
from simnet.scenario.scenario import CATEGORIES_SHOWN
from simnet.stated.assessment import ITEMS_SHOWN

# In characters: if some label is longer than 3, all are turned; labels longer than 28 are cut.
LABELS_UPRIGHT, LONGEST_LABEL = 3, 28


def estimate_figure(result: Performance) -> Any:
    """Return a matplotlib figure of a result's estimate, intervals and truth.

    Raises `BadInput` when matplotlib is not installed.
    """
    figures = blank_figure()
    assessed, people = result.assessment, result.population
    truth, low, high, estimate = (
        people.schema.within(values)
        if isinstance(people, TablePopulation) and assessed.labels is None
        else values
        for values in (assessed.truth, assessed.low, assessed.high, assessed.estimate)
    )
    shown = _shown(result)
    truth, low, high, estimate = (values[shown] for values in (truth, low, high, estimate))
    labels = [_shortened(result.labels[place]) for place in shown]
    places = range(len(labels))
    short = max(map(len, labels)) <= LABELS_UPRIGHT
    interval = f"{assessed.confidence:.0%} interval"
    figure = figures(figsize=(PAGE, 3.2), layout="constrained")
    axes = figure.subplots()
    axes.bar(
        places,
        truth,
        width=0.72,
        color=TRUTH,
        edgecolor=INK,
        linewidth=0.5,
        label="truth" if assessed.labels is None else "without noise",
    )
    if assessed.has_intervals:
        axes.vlines(places, low, high, color=ESTIMATE, linewidth=1.6, label=interval)
    axes.plot(places, estimate, "o", color=ESTIMATE, markersize=4, label="estimate")
    axes.set_xticks(
        list(places), labels, rotation=0 if short else 60, ha="center" if short else "right"
    )
    for text in axes.get_xticklabels():
        text.set_parse_math(False)
    axes.set_xlim(-0.8, len(labels) - 0.2)
    if len(labels) < len(result.labels):
        axes.set_xlabel(
            f"{_selection(result)}: {len(labels)} of {len(result.labels):,}", fontsize=NORMAL
        )
    else:
        axes.set_xlabel(_order(people), fontsize=NORMAL)
    dress(axes, _title(result), y_label=_what(people) if assessed.labels is None else "weight")
    axes.legend(frameon=False, ncols=3, fontsize=SMALL)
    return figure


def _shown(result: Performance) -> list[int]:
    people, assessed = result.population, result.assessment
    if assessed.labels is None and isinstance(people, ItemPopulation):
        return sorted(assessed.shown, key=lambda place: -assessed.truth[place])
    if (
        assessed.labels is not None
        or not isinstance(people, TablePopulation)
        or len(result.labels) <= ITEMS_SHOWN
    ):
        return assessed.shown
    places = [
        where.start + assessed.truth[where].argsort(kind="stable")[::-1]
        for _, where in people.schema.groups
    ]
    return [int(place) for group in places for place in group[:CATEGORIES_SHOWN]]


def _order(people: Population) -> str:
    match people:
        case ItemPopulation():
            return "item, the most frequent first"
        case NumberPopulation() | IntegerPopulation():
            return "mean of the users' numbers"
        case TablePopulation():
            return "columns of the table"


def _selection(result: Performance) -> str:
    if result.assessment.labels is not None:
        return "the largest weights"
    return (
        "means and frequent categories"
        if isinstance(result.population, TablePopulation)
        else "the most frequent items"
    )


def _what(people: Population) -> str:
    match people:
        case ItemPopulation():
            return "share of the users"
        case NumberPopulation() | IntegerPopulation():
            return "value"
        case TablePopulation():
            return "share of the users, or place of the mean in its range"


def _shortened(label: str) -> str:
    label = printable(label)
    label = label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1] + "…"
    return label.replace("$", r"\$")  # else matplotlib reads what is between two of them as TeX


def draw_estimate(result: Performance, path: Path) -> None:
    """Write the figure of an estimate to a file; the file's ending names the format.

    Raises `BadInput` when the file cannot be written.
    """
    write_figure(estimate_figure(result), path)


def draw_breaking(sizes: Sizes, path: Path) -> None:
    """Write the figure of the sizes of breaking sets to a file; its ending names the format."""
    write_figure(breaking_figure(sizes), path)


def breaking_figure(sizes: Sizes) -> Any:
    """Return a matplotlib figure of the sizes of the smallest breaking sets.

    For each number of colluding users, the figure shows the share of users for whom a breaking set
    of at most this size was found, and the share of runs with at least one such user.
    """
    figure = blank_figure()(figsize=(COLUMN, 2.6), layout="constrained")
    axes = figure.subplots()
    rows = sizes.rows()
    places = [row["size"] for row in rows]
    axes.step(
        places,
        [row["users"] for row in rows],
        where="post",
        color=INK,
        label="users with a readable secret",
    )
    axes.step(
        places,
        [row["runs"] for row in rows],
        where="post",
        color=ESTIMATE,
        label="runs with such a user",
    )
    low, high = zip(*(row["interval"] for row in rows), strict=True) if rows else ((), ())
    axes.fill_between(places, low, high, step="post", color=ESTIMATE, alpha=0.15, linewidth=0)
    axes.set_ylim(0, 1.02)
    dress(axes, "", "number of colluding users", "share")
    axes.legend(frameon=False, fontsize=SMALL)
    return figure


def refuse_undrawable(path: Path) -> None:
    """Raise `BadInput` if matplotlib is not installed, if the file's ending names no format that
    matplotlib writes, or if the file cannot be written.
    """
    formats = blank_figure()().canvas.get_supported_filetypes()
    if _format(path) not in formats:
        raise BadInput(
            f"{path} cannot be drawn: its ending is none of {', '.join(sorted(formats))}"
        )
    refuse_unwritable(path)


def _format(path: Path) -> str:
    return path.suffix.removeprefix(".").lower()


def write_figure(figure: Any, path: Path) -> None:
    """Write a figure to a file; the file's ending names the format.

    Raises `BadInput` when the file cannot be written.
    """
    refuse_undrawable(path)
    write_whole(path, drawn(figure, _format(path)))


def drawn(figure: Any, form: str) -> bytes:
    """Return the bytes of a figure in a format, such as `svg`. Equal figures give equal bytes in
    `svg` and `png`.
    """
    import matplotlib  # matplotlib is installed, because a figure was made
    from matplotlib.text import Text

    for text in figure.findobj(Text):  # an SVG file with a control character would not be valid XML
        text.set_text("\n".join(map(printable, text.get_text().split("\n"))))
    picture = io.BytesIO()
    # Matplotlib makes the names inside an SVG file from this salt, which is otherwise random.
    with matplotlib.rc_context({"svg.hashsalt": "simnet"}):
        figure.savefig(
            picture, format=form, dpi=160, metadata={"Date": None} if form == "svg" else None
        )
    return picture.getvalue()


def _in_words(name: str) -> str:
    """Return a protocol's name for a title. A word without vowels is taken for an abbreviation and
    written in capitals.
    """
    words = name.split("_")
    title = " ".join(word if set(word.lower()) & set("aeiouy") else word.upper() for word in words)
    return title[:1].upper() + title[1:]


def _title(result: Performance) -> str:
    total, assessed = result.run.ledger.total(), result.assessment
    expected = assessed.expected_squared_l2
    known = "" if isnan(expected) else f", expected {expected:.1e}"
    return (
        f"{_in_words(result.about.name)}, {len(result.population.inputs):,} users: "
        f"{total.messages:,} messages, {total.payload_bytes / 1e6:,.1f} MB; "
        f"squared L2 {assessed.squared_l2:.1e}{known}"
    )
