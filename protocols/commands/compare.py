"""`simnet compare`: protocols at equal privacy, over numbers of users."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from protocols.commands.holdings import ItemsOfFile
from protocols.commands.refusing import call_or_refuse
from simnet.cli.options import FigureFile, JsonFile, Networks
from simnet.errors import BadInput
from simnet.kernel.limits import BYTES_AN_ITEM, refuse_above
from simnet.printable import count_of, rounded

if TYPE_CHECKING:
    from rich.console import Console

    from protocols.advice.comparing import Compared

DEFAULT_USERS = "1e3,1e4,1e5"


def compare(
    *protocols: str,
    epsilon: float,
    delta: float,
    data: ItemsOfFile | None = None,
    items: int | None = None,
    users: str = DEFAULT_USERS,
    html: Path | None = None,
    network: Networks = None,
    figure: FigureFile = None,
    markdown: Path | None = None,
    csv: Path | None = None,
    json: JsonFile = None,
) -> int:
    """Compare protocols at equal privacy, for several numbers of users.

    From a file, the comparison takes two things: the number of items in the column, and the share
    of the users who hold the rarest item. This share is rounded down to one significant digit, so
    that no exact count is shown. All other items are taken to be equally frequent.

    The table shows what is sent, who may drop out, who must not collude and, with `--network`, how
    long a run takes. It also shows by how many percentage points an estimated frequency may be off
    (95 %), for a typical item and for the rarest one.

    For example:

    - `simnet compare dpds oue secagg_plus --items 20 --epsilon 1 --delta 1e-6`
    - `simnet compare --input people.csv --column city --epsilon 1 --delta 1e-6 --html compare.html`
    - `simnet compare dpds dpdg grr --items 5 --users 500,2000,1e6 --epsilon 0.5 --delta 1e-6`
    - `simnet compare dpds tss --items 20 --epsilon 1 --delta 1e-6 --network mobile`

    Parameters
    ----------
    protocols
        The protocols to compare: dpds, tss, committee, secagg, secagg_plus, dpdg, grr, oue, olh,
        hadamard. Without names, all of them.
    epsilon
        The ε to meet, if one user's item is replaced.
    delta
        The δ to meet; local mechanisms meet the ε with δ = 0.
    data
        The users, from a file.
    items
        The number of items, N, if no file is given. All items are equally frequent then.
    users
        The numbers of users, separated by commas, such as 500,1e4,1e6.
    network
        Say how long a run takes on this network, if nobody drops out: a name (see `simnet network`)
        or a TOML file. You can give this option several times.
    html
        Write a page with the table and the figure into this file. It loads nothing else.
    figure
        Draw the margins, the bytes and, with `--network`, the times over the number of users into
        this file (PNG, SVG or PDF; this needs matplotlib).
    markdown
        Write the table in Markdown into this file.
    csv
        Write the rows, with plain numbers, into this file.
    json
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    from protocols.advice.advice import NAMES
    from protocols.advice.compared_page import (
        as_csv,
        as_json,
        as_markdown,
        compared_figure,
        page_of,
    )
    from protocols.advice.comparing import compare as compared_by
    from simnet.cli.output import console, write_json
    from simnet.cli.progress import progress_bar
    from simnet.files import write_whole
    from simnet.network.toml_file import network_named
    from simnet.scenario.figure import refuse_undrawable, write_figure
    from simnet.studies import typeset

    numbers = _numbers(users)
    networks = [network_named(name) for name in network or ()]
    shares, about, about_shares = _shares(data, items)
    if figure is not None:
        refuse_undrawable(figure)
    names = list(dict.fromkeys(protocols)) or list(NAMES)
    with progress_bar("numbers of users", len(numbers), announces=True) as progress:
        compared = call_or_refuse(
            compared_by, names, shares, numbers, epsilon, delta, progress, networks, about_shares
        )
    _print(console(json), compared)
    title = f"Protocols compared for {about}, at ε = {epsilon:g} and δ = {delta:g}"
    if html is not None:
        again = _command(names, data, items, users, epsilon, delta, network or (), html)
        write_whole(html, page_of(compared, title, again, [about]))
    if figure is not None:
        write_figure(compared_figure(compared), figure)
    if markdown is not None:
        write_whole(markdown, f"# {typeset.markdown(title)}\n\n{as_markdown(compared)}")
    if csv is not None:
        write_whole(csv, as_csv(compared))
    write_json(as_json(compared), json)
    return 0


def _print(out: "Console", compared: "Compared") -> None:
    from protocols.advice.advice import OF_TRUST
    from protocols.advice.compared_page import cells, heads
    from protocols.advice.compared_page import numbers as columns_of_numbers
    from protocols.advice.comparing import assumptions
    from simnet.cli.grid import Grid

    shown = [cells(row) for row in compared.rows]
    trusted = len(heads(compared)) - len(OF_TRUST)  # the first column that is the same for all n
    table = Grid(*heads(compared)[:trusted], numbers=columns_of_numbers(compared))
    for place, row in enumerate(shown):
        is_same = place > 0 and shown[place - 1][0] == row[0]
        table.add_row("" if is_same else row[0], *row[1:trusted])
    out.print(table)
    most = compared.users[-1]
    out.print(f"\nwith {count_of(most, 'user')}:")
    trust = Grid(heads(compared)[1], *OF_TRUST)
    for row in shown:
        if row[0] == f"{compared.users[-1]:,}":
            trust.add_row(row[1], *row[trusted:])
    out.print(trust)
    out.print()
    for sentence in compared.crossings_in_words:
        out.print(sentence)
    for sentence in assumptions(compared):
        out.print(sentence)


def _shares(data: ItemsOfFile | None, items: int | None) -> tuple[list[float], str, str]:
    """Return the items' frequencies, words that name the items, and a sentence on the frequencies.

    Counts of a column are left out, because the comparison may be handed on.
    """
    from protocols.advice.comparing import without_counts

    people = (data or ItemsOfFile()).population(items=items)
    if people is not None:
        held = people.support[people.support > 0]
        shares = without_counts(held.tolist())
        about_shares = (
            f"The share of the rarest item is taken to be {shares[0]:.3g}: this is the share in "
            "the column, rounded down to one significant digit, so that no exact count is shown. "
            "In a small column a reader may still find the exact count."
        )
        many = "item" if len(held) == 1 else f"{len(held):,} items"
        return shares, f"the {many} of {people.source}", about_shares
    if items is None:
        raise BadInput("give --input FILE --column COLUMN, or --items for equally frequent items")
    if items < 1:
        raise BadInput(f"--items takes a whole number from 1, got {items}")
    refuse_above(f"comparing {rounded(items)} items", memory=BYTES_AN_ITEM * items)
    many = "1 item" if items == 1 else count_of(items, "equally frequent item")
    return [1 / items] * items, many, ""


def _numbers(text: str) -> list[int]:
    numbers = []
    for word in text.split(","):
        try:
            number = float(word)
        except ValueError:
            number = 0.0
        if not (1 <= number <= 1e9 and number.is_integer()):
            raise BadInput(
                f"--users takes whole numbers from 1 to 1e9, separated by commas, got {word!r}"
            )
        numbers.append(int(number))
    return numbers


def _command(
    names: list[str],
    data: ItemsOfFile | None,
    items: int | None,
    users: str,
    epsilon: float,
    delta: float,
    networks: Sequence[str],
    html: Path,
) -> str:
    import shlex

    words = ["simnet", "compare", *names]
    if data is not None and data.input is not None:
        words += ["--input", Path(data.input).name, "--column", str(data.column)]
        for field in attrs.fields(type(data))[2:]:  # after the input and the column
            value = getattr(data, field.name)
            if value != field.default:
                words.append(f"--{field.name.replace('_', '-')}")
                words += [] if value is True else [str(value)]
    else:
        words += ["--items", str(items)]
    words += ["--users", users, "--epsilon", str(epsilon), "--delta", str(delta)]
    for network in networks:
        words += ["--network", Path(network).name]
    words += ["--html", html.name]
    return shlex.join(words)
