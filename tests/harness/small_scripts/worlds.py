"""Every world of a small script, all played at once, so that tests can compare verdicts with the
truth.

A world is one outcome of all inputs and all coins: field coins, coins of doors and outer coins.
Coins are uniform and independent. So worlds with equal inputs are equally likely, and we find a law
by counting worlds. A value is an array with a row for each of its items and a column for each
world; plain values have one row. This module uses no unknowns, linear forms or verdicts: it plays
the steps with numbers.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import prod

import attrs
import numpy as np
import numpy.typing as npt

from tests.harness.small_scripts.steps import (
    Argument,
    Block,
    Coins,
    Disclose,
    Mix,
    Number,
    Open,
    Output,
    Pick,
    Script,
    Secret,
    Send,
    Share,
    Step,
    Take,
    Terms,
    Times,
    Toss,
    Total,
    Turn,
    input_name,
    names_in,
    values_of,
)

Column = npt.NDArray[np.int64]  # one number for each world
Items = npt.NDArray[np.int64]  # shape (items, worlds)


@attrs.frozen(eq=False)
class Entry:
    """A whole number in `0..size-1` for each world."""

    column: Column
    size: int


@attrs.frozen(eq=False)
class Delivery:
    """What one party may receive from another in one step.

    In the worlds where `comes` is 1, the sender sends `sent` messages under tag number
    `tag_number`. Message k has `lengths[k]` field elements, which are the first ones of
    `elements[k]`.
    """

    sender: str
    recipient: str
    tag: str
    comes: Entry
    sent: Entry
    tag_number: Entry
    depth: Entry
    lengths: tuple[Entry, ...]
    elements: tuple[tuple[Entry, ...], ...]
    plain: tuple[Entry, ...] = ()

    @property
    def entries(self) -> Iterator[Entry]:
        """All numbers that the recipient sees; 0 in worlds where no message comes, or where the
        element is missing.
        """
        yield self.comes
        for entry in (
            self.sent,
            self.tag_number,
            self.depth,
            *self.lengths,
            *self.plain,
            *(element for message in self.elements for element in message),
        ):
            yield Entry(entry.column * self.comes.column, entry.size)

    def messages(self, world: int) -> tuple[str, list[list[int]]]:
        """Return the tag and the field elements of the messages that come in one world."""
        if not self.comes.column[world]:
            return self.tag, []
        number = int(self.tag_number.column[world])
        sent = [
            [int(entry.column[world]) for entry in elements[: int(length.column[world])]]
            for length, elements in zip(self.lengths, self.elements, strict=True)
        ]
        return self.tag + (str(number) if number else ""), sent[: int(self.sent.column[world])]


def number_of_worlds(script: Script) -> int:
    """Return how many worlds a script has, including the worlds in which a door refuses."""
    return prod(size**script.width if wide else size for _, size, _, wide in _sources(script))


def _sources(script: Script) -> list[tuple[str, int, str, bool]]:
    """Return the name, number of outcomes and owner of each input and each draw, inputs first.

    The last entry says whether there is one draw for each item of a vector.
    """
    found = [(input_name(who), size, who, True) for who, size in script.inputs]
    for step in script.steps:
        match step:
            case Coins():
                found += [(name, step.field, step.who, True) for name in step.makes]
            case Block():
                found += [(name, step.field, step.who, True) for name in step.coins]
            case Toss():
                found.append((step.makes, step.size, step.who, False))
            case Secret() | Disclose():
                found.append((_door_coin(step), step.coin, step.who, True))
            case _:
                pass
    return found


def _door_coin(step: Secret | Disclose) -> str:
    first = step.makes[0] if isinstance(step, Secret) else step.makes
    return f"coin of {first}"


class Worlds:
    """All worlds of a script, as columns.

    `history` names the outer coins and disclosed values in the order of the steps; `completed` says
    in which worlds no door refuses.
    """

    def __init__(self, script: Script) -> None:
        self.script = script
        self.values = values_of(script)
        self.width = script.width
        self.columns: dict[str, Items] = {}
        self.drawn: dict[str, list[Entry]] = {who: [] for who in script.parties}
        self.history: list[str] = []
        self.deliveries: list[Delivery] = []
        sources = _sources(script)
        self.count = number_of_worlds(script)
        row, stride = np.arange(self.count, dtype=np.int64), self.count
        for name, size, who, wide in sources:
            items = []
            for _ in range(self.width if wide else 1):
                stride //= size
                items.append(row // stride % size)
            self.columns[name] = np.array(items)
            self.drawn[who] += [Entry(column, size) for column in items]
        self.completed = np.ones(self.count, dtype=bool)
        self._depth = {who: np.zeros(self.count, dtype=np.int64) for who in script.parties}
        self._messages: dict[str, tuple[str, ...]] = {}  # the forms in a message, by tag
        self._rounds: dict[str, Column] = {}
        self._rows: dict[tuple[str, str, str], Items] = {}  # tag, sender, recipient
        for step in script.steps:
            self._take(step)

    def entries(self, name: str) -> Iterator[Entry]:
        """Yield the items of a value."""
        for column in self.columns[name]:
            yield Entry(column, self.values[name].size)

    def ideal(self, members: Iterable[str]) -> list[Entry]:
        """Return what the ideal world hands to these parties."""
        handed = []
        for one in self.script.ideal:
            if one.to in members:
                modulus = self.values[one.terms[0][1][0]].size
                total = self._zero_items()
                for factor, names in one.terms:
                    term = self._zero_items() + factor
                    for name in names:
                        term = term * self.columns[name] % modulus
                    total = (total + term) % modulus
                handed += [Entry(column, modulus) for column in total]
        return handed

    def _zeros(self) -> Column:
        return np.zeros(self.count, dtype=np.int64)

    def _zero_items(self) -> Items:
        return np.zeros((self.width, self.count), dtype=np.int64)

    def _take(self, step: Step) -> None:  # noqa: C901  # one case a step
        columns = self.columns
        match step:
            case Coins():
                for name in step.makes:
                    columns[name] = columns[name] * (self._number(step.when) != 0)
            case Toss():
                self.history.append(step.makes)
            case Secret():
                self._secret(step)
            case Disclose():
                given, refused = self._looked_up(step.table, step.args, step)
                total = given.sum(axis=0, keepdims=True) % step.size
                columns[step.makes] = self._called(step.when, total, refused)
                self.history.append(step.makes)
            case Output():
                columns[step.makes], _ = self._looked_up(step.table, step.args, None)
            case Open():
                columns[step.makes] = columns[step.form]
            case Mix():
                modulus = self.values[step.makes].size
                total = self._combination(step.terms, modulus) + self._number(step.constant)
                columns[step.makes] = total % modulus
            case Times():
                product = columns[step.left] * columns[step.right]
                columns[step.makes] = product % self.values[step.makes].size
            case Send():
                self._send(step)
            case Take():
                self._receive(step)
            case Share():
                self._scatter(step, [columns[name] for name in step.rows])
            case Turn():
                columns[step.makes] = columns[step.form][list(step.items)]
            case Block():
                rows = [self._combination(terms, step.field) for terms in step.rows]
                self._scatter(step, rows)
            case Total():
                rows = [self._rows[step.tag, sender, step.who] for sender in step.senders]
                columns[step.makes] = np.sum(rows, axis=0) % self.values[step.makes].size
                self._hear(step.who, self._rounds[step.tag], self._zeros() == 0)

    def _number(self, number: Number) -> Column:
        if not isinstance(number, Pick):
            return self._zeros() + number
        place = self._zeros()
        for name in number.by:
            place = place * self.values[name].size + self.columns[name][0]
        found: Column = np.array(number.table)[place]
        return found

    def _looked_up(
        self,
        table: Sequence[int | None],
        args: tuple[Argument, ...],
        coin: Secret | Disclose | None,
    ) -> tuple[Items, npt.NDArray[np.bool_]]:
        """Return the value of a door's function for each item in each world, and whether the
        function raises an error there.
        """
        place = self._zero_items()
        for name in names_in(args):
            place = place * self.values[name].size + self.columns[name]
        if coin is not None:
            place = place * coin.coin + self.columns[_door_coin(coin)]
        numbers = np.array([0 if given is None else given for given in table], dtype=np.int64)
        refuses = np.array([given is None for given in table])
        return numbers[place], np.any(refuses[place], axis=0)

    def _called(self, when: Number, given: Items, refused: npt.NDArray[np.bool_]) -> Items:
        called = self._number(when) != 0
        self.completed &= ~(called & refused)
        return given * called

    def _secret(self, step: Secret) -> None:
        for place, name in enumerate(step.makes):
            table = [None if given is None else given[place] for given in step.table]
            given, refused = self._looked_up(table, step.args, step)
            self.columns[name] = self._called(step.when, given, refused)

    def _combination(self, terms: Terms, modulus: int) -> Items:
        total = self._zero_items()
        for factor, name in terms:
            total = (total + self._number(factor) * self.columns[name]) % modulus
        return total

    def _send(self, step: Send) -> None:
        which, to = self._number(step.which), self._number(step.addressee)
        tag, depth = self._number(step.tag_number), self._depth[step.who] + 1
        field = next(
            (self.values[name].size for choice in step.choices for part in choice for name in part),
            1,
        )
        messages = max(len(choice) for choice in step.choices)
        places = [
            max((len(choice[number]) for choice in step.choices if number < len(choice)), default=0)
            for number in range(messages)
        ]
        sent = self._zeros()  # the number of messages
        lengths = [self._zeros() for _ in range(messages)]
        elements = [[self._zero_items() for _ in range(forms)] for forms in places]
        for number, choice in enumerate(step.choices):
            taken = which == number
            sent = np.where(taken, len(choice), sent)
            for place, message in enumerate(choice):
                lengths[place] = np.where(taken, self.width * len(message), lengths[place])
                for position, name in enumerate(message):
                    elements[place][position] = np.where(
                        taken, self.columns[name], elements[place][position]
                    )
        for place, recipient in enumerate(step.to):
            self.deliveries.append(
                Delivery(
                    step.who,
                    recipient,
                    step.tag,
                    Entry(((to == place) & (sent > 0)).astype(np.int64), 2),
                    Entry(sent, messages + 1),
                    Entry(tag, step.tags),
                    Entry(depth, len(self.script.steps) + 2),
                    tuple(
                        Entry(column, self.width * forms + 1)
                        for column, forms in zip(lengths, places, strict=True)
                    ),
                    tuple(
                        tuple(Entry(column, field) for items in row for column in items)
                        for row in elements
                    ),
                    tuple(entry for name in step.plain for entry in self.entries(name)),
                )
            )
        if len(step.choices) == 1 and messages == 1:
            [[self._messages[step.tag]]] = step.choices
        self._rounds[step.tag] = depth

    def _receive(self, step: Take) -> None:
        taken = self._number(step.when) != 0
        for name, sent in zip(step.forms, self._messages[step.tag], strict=True):
            self.columns[name] = self.columns[sent] * taken
        [send] = [one for one in self.script.steps if isinstance(one, Send) and one.tag == step.tag]
        for name, sent in zip(step.plain, send.plain, strict=True):
            self.columns[name] = self.columns[sent] * taken
        self._hear(step.who, self._rounds[step.tag], taken)

    def _scatter(self, step: Share | Block, rows: Sequence[Items]) -> None:
        depth = self._depth[step.who] + 1
        field = step.field if isinstance(step, Block) else self.values[step.rows[0]].size
        for recipient, row in zip(step.to, rows, strict=True):
            once = Entry(self._zeros() + 1, 2)
            self.deliveries.append(
                Delivery(
                    step.who,
                    recipient,
                    step.tag,
                    once,
                    once,
                    Entry(self._zeros(), 1),
                    Entry(depth, len(self.script.steps) + 2),
                    (Entry(self._zeros() + self.width, self.width + 1),),
                    (tuple(Entry(column, field) for column in row),),
                )
            )
            self._rows[step.tag, step.who, recipient] = row
        latest = self._rounds.get(step.tag, depth)
        self._rounds[step.tag] = np.maximum(latest, depth)

    def _hear(self, who: str, depth: Column, taken: npt.NDArray[np.bool_]) -> None:
        self._depth[who] = np.where(taken, np.maximum(self._depth[who], depth), self._depth[who])
