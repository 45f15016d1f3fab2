"""What `simnet compare` writes: the table as Markdown, CSV and JSON, the figure, and a page of HTML
that needs no other file.
"""

import base64
import hashlib
from collections.abc import Sequence
from math import isnan
from pathlib import Path
from typing import Any

import attrs

from protocols.advice.advice import OF_TRUST
from protocols.advice.comparing import (
    Compared,
    Quantity,
    Row,
    assumptions,
    parameters_in_words,
    protocols_in_words,
)
from simnet.drawing import COLOURS, DASHES, MARKERS, SMALL, dress, panels
from simnet.network.timing import in_units
from simnet.page.isolating import isolator
from simnet.scenario.figure import drawn
from simnet.studies.typeset import csv_table, markdown, markdown_table

HEADS = (
    "users",
    "protocol",
    "parameters",
    "typical item",
    "rarest item",
    "a user sends",
    "at the servers",
)
WORST = 200.0  # percentage points: a figure shows no larger margin
SAME = 0.03  # curves that differ by at most this ratio are drawn as one, because both look alike
WIDEST, NARROWER = (
    3.0,
    0.3,
)  # the width of the first curve, and by how much each next one is thinner


def heads(compared: Compared) -> list[str]:
    """The heads of the columns."""
    return [*HEADS, *(f"done, {one.name}" for one in compared.networks), *OF_TRUST]


def numbers(compared: Compared) -> list[int]:
    """The indices of the columns that are flush right: those with numbers."""
    return [0, *range(3, len(HEADS) + len(compared.networks))]


def cells(row: Row) -> list[str]:
    """The cells of a row: margins in percentage points, bytes and times with a unit."""
    from simnet.cli.output import sized

    option = row.option
    if option is None:
        empty = [""] * (len(HEADS) + len(row.seconds) + len(OF_TRUST) - 3)
        return [f"{row.users:,}", row.label, f"not possible: {row.why_not}", *empty]
    return [
        f"{row.users:,}",
        row.label,
        option.parameters,
        in_points(row.typical),
        in_points(row.rarest),
        sized(option.bytes),
        sized(option.server_bytes),
        *("?" if isnan(seconds) else in_units(seconds) for seconds in row.seconds),
        *option.of_trust,
    ]


def in_points(margin: float) -> str:
    """A margin of a frequency in percentage points.

    >>> in_points(0.00216), in_points(0.5), in_points(1.2)
    ('± 0.22 pp', '± 50 pp', 'over 100 pp')
    """
    if margin >= 0.995:  # two digits would show it as 1e+02
        return "± 100 pp" if margin <= 1 else "over 100 pp"
    return f"± {100 * margin:.2g} pp"


def as_json(compared: Compared) -> dict[str, Any]:
    """The comparison as JSON; NaN becomes null."""
    return {
        "epsilon": compared.epsilon,
        "delta": compared.delta,
        "items": len(compared.shares),
        "rows": [
            {
                "users": row.users,
                "protocol": row.label,
                "why_not": row.why_not,
                "parameters": row.option.parameters if row.option else None,
                "typical": None if isnan(row.typical) else row.typical,
                "rarest": None if isnan(row.rarest) else row.rarest,
                "squared_l2": row.option.error if row.option else None,
                "bytes": row.option.bytes if row.option else None,
                "messages": row.option.messages if row.option else None,
                "server_bytes": row.option.server_bytes if row.option else None,
                "seconds": {
                    one.name: None if isnan(seconds) else seconds
                    for one, seconds in zip(compared.networks, row.seconds, strict=True)
                },
                "drop_outs": row.option.drop_outs if row.option else None,
                "answer_readers": row.option.answer_readers if row.option else None,
                "epsilon_breakers": row.option.epsilon_breakers if row.option else None,
                "trusts": row.option.trusts if row.option else None,
            }
            for row in compared.rows
        ],
        "crossings": [
            {
                "quantity": each.quantity,
                "users": each.users,
                "better": each.better,
                "other": each.other,
                "network": each.network or None,
                "after": each.after,
            }
            for each in compared.crossings
        ],
        "assumptions": assumptions(compared),
    }


def as_csv(compared: Compared) -> str:
    """The rows as CSV, with a column of seconds for each network."""
    rows = as_json(compared)["rows"]
    for row in rows:
        row |= {f"seconds {name}": value for name, value in row.pop("seconds").items()}
    return csv_table(list(rows[0]), rows)


def as_markdown(compared: Compared) -> str:
    """The table, a line on each protocol, the crossing points, the meaning of the parameters and
    the assumptions, in Markdown.
    """
    table = markdown_table(heads(compared), [cells(row) for row in compared.rows])
    points = "".join(f"- {markdown(sentence)}\n" for sentence in compared.crossings_in_words)
    names = "".join(
        f"- {markdown(name)}: {markdown(words)}\n" for name, words in protocols_in_words(compared)
    )
    paragraphs = filter(None, [parameters_in_words(compared), *assumptions(compared)])
    said = "\n\n".join(map(markdown, paragraphs))
    return f"{table}\n\n{names}\n{points}{chr(10) if points else ''}{said}\n"


def compared_figure(compared: Compared) -> Any:
    """Return a matplotlib figure over the number of users: the margin of a typical item, what a
    user sends, and the seconds on each network. Protocols whose curves look alike share a line, and
    the legend names all of these protocols.

    Raises `BadInput` if matplotlib is not installed.
    """
    parts = _panels_of(compared)
    figure, axes = panels(len(parts), columns=2)
    if len(parts) > 2:  # legends take the height of a panel
        figure.set_figheight(1.6 * figure.get_figheight())
    leaders = list(
        dict.fromkeys(
            names[0]
            for part in parts
            for names, _ in curves_of(compared, part.quantity, part.network)
        )
    )
    for panel, part in zip(axes, parts, strict=True):
        label = part.label
        for order, (names, values) in enumerate(curves_of(compared, part.quantity, part.network)):
            place = leaders.index(names[0])  # the same look in all panels
            panel.plot(
                compared.users,
                [part.scale * value for value in values],
                marker=MARKERS[place % len(MARKERS)],
                linestyle=DASHES[place % len(DASHES)],
                color=COLOURS[place % len(COLOURS)],
                markersize=max(7.0 - order, 3.5),
                linewidth=max(WIDEST - NARROWER * order, 0.8),
                label=", ".join(names),
            )
        panel.set_xscale("log")
        panel.set_yscale("log")
        if part.quantity == "error" and cut_off(compared):
            # If all margins are larger, the panel is empty, and its axis is not upside down.
            panel.set_ylim(bottom=min(panel.get_ylim()[0], WORST / 10), top=WORST)
            label = f"margin (pp), up to {WORST:g}"
        dress(panel, "", "users", label)
        if not panel.lines:  # no protocol has a value to draw
            continue
        legend = panel.legend(
            frameon=False, fontsize=SMALL, loc="upper center", bbox_to_anchor=(0.5, -0.22)
        )
        for text in legend.get_texts():
            text.set_parse_math(False)
    return figure


@attrs.frozen
class _Panel:
    """A panel of the figure; values are multiplied by `scale`."""

    quantity: Quantity
    words: str
    label: str
    scale: float = 1.0
    network: int = 0


def _panels_of(compared: Compared) -> list[_Panel]:
    return [
        _Panel("error", "margins", "margin, typical item (pp)", 100.0),
        _Panel("bytes", "bytes", "bytes that a user sends"),
        *(
            _Panel("seconds", f"times on {one.name}", f"seconds, {one.name}", network=number)
            for number, one in enumerate(compared.networks)
        ),
    ]


def curves_of(
    compared: Compared, quantity: Quantity, network: int = 0
) -> list[tuple[list[str], list[float]]]:
    """The curves of a panel: the names of the protocols that share a curve, and the values of the
    first protocol. A protocol without any value has no curve.
    """
    curves: list[tuple[list[str], list[float]]] = []
    for name in compared.labels:
        series = compared.series(name, quantity, network)
        if all(map(isnan, series)):
            continue
        same = next((names for names, values in curves if _look_alike(series, values)), None)
        if same is None:
            curves.append(([name], series))
        else:
            same.append(name)
    return curves


def _look_alike(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(
        isnan(a) == isnan(b) and not abs(a - b) > SAME * max(a, b)
        for a, b in zip(one, other, strict=True)
    )


def cut_off(compared: Compared) -> list[str]:
    """The protocols whose margins are so large that the figure does not show all of them."""
    return [
        name
        for name in compared.labels
        if any(100 * margin > WORST for margin in compared.series(name, "error"))
    ]


def _about_figure(compared: Compared) -> list[str]:
    said = []
    for part in _panels_of(compared):
        curves = curves_of(compared, part.quantity, part.network)
        shared = [names for names, _ in curves if len(names) > 1]
        if shared:
            groups = "; ".join(" and ".join(names) for names in shared)
            said.append(
                f"One line stands for several protocols: their {part.words} differ by at most "
                f"{SAME:.0%} of the larger value from those of the one named first. These are "
                f"{groups}."
            )
    cut = cut_off(compared)
    if cut:
        said.append(
            f"The first panel ends at {WORST:g} percentage points. It does "
            f"not show all margins of {', '.join(cut)}."
        )
    return said


def page_of(compared: Compared, title: str, command: str, labels: Sequence[str] = ()) -> str:
    """Return the comparison as one HTML file that loads nothing else.

    `title` says what was compared, and `command` is the command that makes the page again. `labels`
    are the parts of the title that may hold a text from a file: marks in them that change the
    direction of letters do not change the text around them. Raises `BadInput` if matplotlib is not
    installed.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    folder = Path(__file__).parent
    style = (folder / "compared.css").read_text(encoding="utf-8")
    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    names = [text for one in compared.networks for text in (one.name, one.source)]
    environment.filters["isolated"] = isolator([*labels, *names])
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return environment.get_template("compared.html").render(
        title=title,
        heads=heads(compared),
        numbers=numbers(compared),
        groups=[(n, list(_rows_of(compared, n))) for n in compared.users],
        crossings=compared.crossings_in_words,
        protocols=protocols_in_words(compared),
        parameters=parameters_in_words(compared),
        about_figure=_about_figure(compared),
        assumptions=assumptions(compared),
        figure=base64.b64encode(drawn(compared_figure(compared), "svg")).decode(),
        timed=bool(compared.networks),
        style=style,
        style_hash=f"sha256-{digest}",
        command=command,
    )


def _rows_of(compared: Compared, users: int) -> Sequence[list[str]]:
    return [cells(row) for row in compared.rows if row.users == users]
