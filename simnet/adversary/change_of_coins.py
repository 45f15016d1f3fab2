"""Replacing coins by messages: the upper end of a verdict if numbers are multiplied or opened.

Theory of operation
-------------------

*The rule.* Take a row of a coalition's view, or a row that was given to a door. Let the row be ::

    a·c + rest

with a number a other than 0, a coin c that the coalition does not know, and a polynomial `rest`
without c. For all values of the other unknowns, c and the row determine each other. So we may take
the row itself as a new unknown in the place of c: it is uniform and independent of all other
unknowns, as c was. Everywhere else, c is replaced by (row - rest)/a. This is repeated. A new
unknown is *seen* if the coalition sees the row, and hidden otherwise.

*What is left.* Suppose that in the new unknowns

1. every row that the coalition sees consists of unknowns that it knows: seen ones and its own; and
2. no door that matters depends on seen unknowns, but for doors without inputs of which the
   coalition knows all rows.

Then the messages are independent of all inputs, given what was disclosed
(docs/proofs/change-of-coins.md). A door matters if it discloses, or if it made a secret that
occurs in a row of a door that matters. If seen rows are left that contain secrets, they tell at
most what these rows tell: the verdict is `output-only` if all of them follow from the ideal output.

*Giving more.* If a door breaks condition 2, or if a secret that was made from coins is left in a
seen row, we give the rows of this door, and the secret that it made, to the coalition, and begin
again. If no secrets but coins are left in a seen row, we give these coins. Somebody who sees more
never learns less. An input cannot be given: then the upper end is `leaks`, and `breach` says why.

*Seeds.* Whether seeds are known or may be guessed is found for a coalition that has the rows of all
doors (`simnet.adversary.deductions`). If the answer would be another one without these rows, they
are all given at once (`gives_all`).

Example over F_7. Party u1 shares a secret x as r and x - r, and multiplies its share r by a secret
y. A coin w hides the product. The coalition sees the share x - r, and r·y + w:

>>> from simnet.linear.unknowns import Unknowns
>>> from simnet.values.field import Field
>>> from simnet.values.residues import constant
>>> unknowns, one = Unknowns(), constant(Field(7), [1])
>>> x, y = (unknowns.family("secret", key, "", "u1", one).first for key in "xy")
>>> r, w = (unknowns.family("coin", key, "", "u1", one).first for key in "rw")
>>> ry, share = unknowns.monomial((r, y), 7), {x: 1, r: 6}
>>> roles = Roles(unknowns, [], [])
>>> hidden = Terms.of_vectors([share, {ry: 1, w: 1}])
>>> ChangeOfCoins({7: hidden}, {}, [], roles, unknowns).left
{}

Without w, the row r·y would be left. In the new unknowns it is x·y less a seen unknown times y:

>>> changed = ChangeOfCoins({7: Terms.of_vectors([share, {ry: 1}])}, {}, [], roles, unknowns)
>>> changed.left == {7: [{(x, y): 1, (-1, y): 6}]}
True
"""

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

import attrs
import numpy as np

from simnet.adversary.roles import Roles
from simnet.linear.polynomials import Monomial, Polynomial, put
from simnet.linear.span import Span
from simnet.linear.terms import Terms, refine
from simnet.linear.unknowns import ONE, PLACES, Unknowns
from simnet.linear.vectors import Vector

Score = tuple[int, int]


@attrs.frozen(eq=False, kw_only=True)
class DoorRows:
    """The field elements that one door was given, by modulus.

    `made` is the family of the secret that the door made, if it made one. `discloses` is true if
    the door's value is disclosed, and also if the fact that the door did not refuse counts as
    disclosed. `in_full` says whether the value certainly determines the numbers of all rows.
    """

    party: str
    kind: Literal["secret", "disclose"]
    function: str = ""  # the name of the function, for people
    rows: Mapping[int, Terms]
    has_input: bool
    discloses: bool
    in_full: bool = False
    made: int | None = None

    @property
    def title(self) -> str:
        """The door's name for people."""
        return f"me.{self.kind}({self.function}) of {self.party}"


@attrs.define(eq=False)
class Row:
    """A row of the view or of a door, or a coin that was given to the coalition. `form` is the row
    as it was, and `now` the same row in the new unknowns. `door` is the number of its door.
    """

    place: int
    modulus: int
    form: Vector
    door: int | None
    is_seen: bool
    now: Polynomial = attrs.field(factory=dict)

    @property
    def unknowns(self) -> set[int]:
        """The unknowns that occur in the row now."""
        return {unknown for monomial in self.now for unknown in monomial}


@attrs.frozen(eq=False)
class Change:
    """A coin was replaced by a row: it is now `value`, in which `fresh` stands for the row."""

    row: Row
    coin: int
    fresh: int
    value: Polynomial


class ChangeOfCoins:
    """The coins of a view, replaced by rows as far as this is possible.

    `left` are the seen rows, by modulus, that do not consist of unknowns that the coalition knows;
    terms that it knows are left out. `is_in_output` says whether they follow from `ideal`, what the
    ideal world hands out. `changes` lists the changes in their order. `told` are the families that
    were given to the coalition, and `coins` the rows of given coins. If a door breaks the
    conditions and cannot be given, `breach` says why.
    """

    def __init__(
        self,
        messages: Mapping[int, Terms],
        ideal: Mapping[int, Sequence[Vector]],
        doors: Sequence[DoorRows],
        roles: Roles,
        unknowns: Unknowns,
        gives_all: bool = False,
    ) -> None:
        self.breach: str | None = None
        self.doors = doors
        self.told: set[int] = set()
        self._roles = roles
        self._unknowns = unknowns
        self._ideal = {
            modulus: [self._open_part(self.polynomial(row)) for row in rows]
            for modulus, rows in ideal.items()
        }
        # The unknowns that the ideal output tells by themselves.
        self._handed = {
            each[0]
            for rows in self._ideal.values()
            for row in rows
            for each in row
            if len(row) == len(each) == 1
        }
        self.coins: list[Row] = []
        self.rows: list[Row] = []
        self._add_rows(messages, None)
        for number, door in enumerate(doors):
            self._add_rows(door.rows, number)
        if gives_all:
            for row in self.rows:
                self._give(row)
        self._begin()
        while self.breach is None and not self._is_settled():
            self._begin()

    @property
    def given(self) -> list[str]:
        """The different titles of the doors whose rows were given to the coalition."""
        numbers = {row.door for row in self.rows if row.is_seen and row.door is not None}
        return list(dict.fromkeys(self.doors[number].title for number in sorted(numbers)))

    def _add_rows(self, rows: Mapping[int, Terms], door: int | None) -> None:
        for modulus, terms in sorted(rows.items()):
            for form in refine(terms, 1).vectors():
                self.rows.append(Row(len(self.rows), modulus, form, door, is_seen=door is None))

    def rows_over(self, modulus: int) -> list[Row]:
        """The rows over one field: those of messages, then those of doors, then given coins."""
        return [row for row in self.rows if row.modulus == modulus]

    # The roles of unknowns.

    @property
    def known_families(self) -> list[int]:
        """The families of secrets that the coalition knows and that depend on what it sees."""
        moving = np.flatnonzero(self._roles.moving).tolist()
        return sorted(self.told.union(n for n in moving if not self._unknowns.families[n].factors))

    def is_secret(self, unknown: int) -> bool:
        """Whether an unknown is a secret or a product of secrets that depends on no coins, and that
        the coalition does not know.
        """
        family = unknown // PLACES
        roles = self._roles
        return not (roles.known[family] or roles.coin[family] or roles.derived[family])

    def _is_coin(self, unknown: int) -> bool:
        return unknown >= 0 and bool(self._roles.coin[unknown // PLACES])

    def _moves(self, unknown: int) -> bool:
        """Whether the coalition knows an unknown that depends on what it sees."""
        if unknown < 0:
            return self.changes[-1 - unknown].row.is_seen
        family = unknown // PLACES
        return family in self.told or bool(self._roles.moving[family])

    def _is_known(self, unknown: int) -> bool:
        return self._moves(unknown) or (unknown >= 0 and bool(self._roles.known[unknown // PLACES]))

    def _open_part(self, form: Polynomial) -> Polynomial:
        """The terms of a polynomial that the coalition does not know."""
        return {each: value for each, value in form.items() if not all(map(self._is_known, each))}

    # Changing coins.

    def _begin(self) -> None:
        """Change the coins, first those in seen rows."""
        self.changes: list[Change] = []
        self._number_of: dict[int, int] = {}  # the number of each coin's change
        self._rows_with: dict[int, set[int]] = defaultdict(set)
        for row in self.rows:
            row.now = self.polynomial(row.form)
            for unknown in row.unknowns:
                self._rows_with[unknown].add(row.place)
        self._replace(row for row in self.rows if row.is_seen)
        self.left: dict[int, list[Polynomial]] = defaultdict(list)
        for row in self.rows:
            if row.is_seen and (rest := self._open_part(row.now)):
                self.left[row.modulus].append(rest)
        self.left = dict(self.left)
        self._spans = {modulus: MonomialSpan(modulus, rows) for modulus, rows in self.left.items()}
        self._replace(row for row in self._rows_of_doors() if self._discloses(row))
        self._replace(self._rows_of_doors())

    def _discloses(self, row: Row) -> bool:
        return row.door is not None and self.doors[row.door].discloses

    def _rows_of_doors(self) -> Iterator[Row]:
        """The rows of doors that matter and that are not seen."""
        needed = self._needed()
        return (row for row in self.rows if row.door in needed and not row.is_seen)

    def _replace(self, rows: Iterable[Row]) -> None:
        """Replace a coin by each of these rows in which this is possible. A row that is not seen is
        used only if it depends on seen unknowns.
        """
        wanted = {row.place: row for row in rows}
        agenda: list[tuple[Score, int]] = [((0, 0), place) for place in wanted]
        heapq.heapify(agenda)
        done: set[int] = set()
        while agenda:
            score, place = heapq.heappop(agenda)
            row = wanted[place]
            if place in done or not (row.is_seen or any(map(self._moves, row.unknowns))):
                continue
            best = min(((self._score(coin), coin) for coin in self._coins(row)), default=None)
            if best is None:
                continue
            if best[0] > score:
                heapq.heappush(agenda, (best[0], place))
                continue
            done.add(place)
            for other in self._change(row, best[1]):
                if other in wanted and other not in done:
                    heapq.heappush(agenda, ((0, 0), other))

    def _coins(self, row: Row) -> Iterator[int]:
        """The coins that a row can replace: each occurs in one term of the row, and alone."""
        times: dict[int, int] = defaultdict(int)
        for each in row.now:
            for unknown in set(each):
                times[unknown] += 1
        for each in row.now:
            if len(each) == 1 and times[each[0]] == 1 and self._is_coin(each[0]):
                yield each[0]

    def _score(self, coin: int) -> Score:
        """How much is spoilt by a change of this coin: in how many doors, and in how many rows, it
        occurs. Coins with a low score come first.
        """
        rows = [self.rows[place] for place in self._rows_with[coin]]
        return len({row.door for row in rows if row.door is not None}), len(rows)

    def _change(self, row: Row, coin: int) -> set[int]:
        """Replace a coin by a row, and return the places of the rows that have changed."""
        modulus, fresh = row.modulus, -1 - len(self.changes)
        scale = pow(row.now[(coin,)], -1, modulus)
        value = {each: -scale * factor % modulus for each, factor in row.now.items()}
        del value[(coin,)]
        value[(fresh,)] = scale
        self._number_of[coin] = len(self.changes)
        self.changes.append(Change(row, coin, fresh, value))
        changed = self._rows_with.pop(coin)
        for place in changed:
            other = self.rows[place]
            for unknown in other.unknowns:
                self._rows_with[unknown].discard(place)
            other.now = put(other.now, coin, value, modulus)
            for unknown in other.unknowns:
                self._rows_with[unknown].add(place)
        return changed

    # The conditions.

    def _needed(self) -> set[int]:
        """The doors that matter. The others made secrets that occur in no row that matters: these
        secrets can be summed out, because their probabilities add up to 1.
        """
        needed = set(range(len(self.doors)))
        by_door: dict[int | None, set[int]] = defaultdict(set)  # the families in the rows
        for row in self.rows:
            families = {unknown // PLACES for unknown in row.unknowns if unknown >= 0}
            by_door[row.door if not row.is_seen else None] |= families
            by_door[row.door] |= families
        while True:
            present = by_door[None].union(*(by_door[number] for number in needed))
            idle = {
                number
                for number in needed
                if not self.doors[number].discloses
                and self.doors[number].made not in present
                and self.doors[number].made not in self.told
            }
            if not idle:
                return needed
            needed -= idle

    def _is_settled(self) -> bool:
        """Whether the conditions hold. If not, give more rows to the coalition, or set `breach`."""
        failing = self._visible() or self._depending()
        for number in sorted({row.door for row in failing if row.door is not None}):
            door = self.doors[number]
            if door.has_input:
                makes = door.made is not None
                does = "makes a secret from" if makes else "is given"
                self.breach = (
                    f"{door.title} {does} an input and {'from ' * makes}field elements, and "
                    "messages or disclosed values may tell something about "
                    f"{'this secret' if makes else 'these elements'}"
                )
                return False
        new = [row for row in failing if not row.is_seen]
        for row in new:
            self._give(row)
        coins = set() if failing else self._coins_left()
        for modulus, coin in sorted(coins):
            self.coins.append(Row(len(self.rows), modulus, {coin: 1}, None, is_seen=True))
            self.rows.append(self.coins[-1])
        return not new and not coins

    def _give(self, row: Row) -> None:
        row.is_seen = True
        if row.door is not None and not self.doors[row.door].has_input:
            made = self.doors[row.door].made
            self.told |= set() if made is None else {made}

    def _coins_left(self) -> set[tuple[int, int]]:
        """The coins, with their moduli, that are left in seen rows which contain no other unknowns
        that neither the coalition knows nor the ideal output tells.
        """
        coins: set[tuple[int, int]] = set()
        for modulus, rows in self.left.items():
            for form in rows:
                unknowns = {unknown for each in form for unknown in each}
                found = {unknown for unknown in unknowns if self._is_coin(unknown)}
                if all(map(self._is_known, unknowns - found - self._handed)):
                    coins |= {(modulus, coin) for coin in found}
        return coins

    def _visible(self) -> list[Row]:
        """The rows from which secrets were made that are left in seen rows."""
        families = {
            unknown // PLACES
            for rows in self.left.values()
            for form in rows
            for monomial in form
            for unknown in monomial
            if unknown >= 0
        }
        families -= self.told
        return [
            row
            for row in self.rows
            if row.door is not None and self.doors[row.door].made in families
        ]

    def _depending(self) -> list[Row]:
        """The rows of doors that matter and that break condition 2. If a door does not disclose all
        its rows in full, these are either all its rows or none.
        """
        needed = self._needed()
        by_door: dict[int, list[Row]] = defaultdict(list)
        for row in self.rows:
            if row.door in needed:
                by_door[row.door].append(row)
        failing: list[Row] = []
        for number, rows in by_door.items():
            door = self.doors[number]
            moving = [row for row in rows if row.is_seen or any(map(self._moves, row.unknowns))]
            hidden = [row for row in rows if not self._knows_row(row)]
            if door.in_full and not door.has_input:
                failing += [row for row in moving if row in hidden]
            elif moving or door.made in self.told:
                makes_hidden = door.made is not None and door.made not in self.told
                failing += rows if door.has_input or hidden or makes_hidden else []
        return failing

    def _knows_row(self, row: Row) -> bool:
        return row.is_seen or self.knows(row.modulus, row.now)

    # What others ask.

    def polynomial(self, form: Vector) -> Polynomial:
        """A row as a polynomial in the old unknowns."""
        families = self._unknowns.families
        return {
            () if u == ONE else families[u // PLACES].factors or (u,): value
            for u, value in form.items()
        }

    def changed(self, modulus: int, row: Vector) -> Polynomial:
        """A row in the new unknowns."""
        form = self.polynomial(row)
        # A coin's new value may contain coins that were replaced later, but none replaced before.
        while numbers := {
            self._number_of[unknown]
            for each in form
            for unknown in each
            if unknown in self._number_of
        }:
            change = self.changes[min(numbers)]
            form = put(form, change.coin, change.value, modulus)
        return form

    def functions(self) -> dict[int, list[Vector]]:
        """Functions of the old unknowns that tell all that is left, by modulus: if a row that is
        left is not linear, each unknown in it that the coalition does not know.
        """
        found: dict[int, list[Vector]] = {}
        for modulus, rows in self.left.items():
            found[modulus] = []
            for form in rows:
                open_unknowns = {u for each in form for u in each if not self._is_known(u)}
                if all(len(each) == 1 and each[0] >= 0 for each in form):
                    found[modulus].append({each[0]: value for each, value in form.items()})
                else:
                    found[modulus] += [
                        {unknown: 1} for unknown in sorted(open_unknowns) if unknown >= 0
                    ]
        return found

    def knows(self, modulus: int, form: Polynomial) -> bool:
        """Whether the coalition can compute a polynomial in the new unknowns from what it sees."""
        rest = self._open_part(form)
        return not rest or (modulus in self._spans and rest in self._spans[modulus])

    def is_apart(self, form: Polynomial) -> bool:
        """Whether a polynomial in the new unknowns is independent of what the coalition sees."""
        return not any(self._moves(unknown) for each in form for unknown in each)

    @property
    def is_in_output(self) -> bool:
        """Whether all that is left follows from the ideal output."""
        for modulus, rows in self.left.items():
            span = MonomialSpan(modulus, map(self._beside_output, self._ideal.get(modulus, ())))
            if not all(self._beside_output(row) in span for row in rows):
                return False
        return True

    def _beside_output(self, form: Polynomial) -> Polynomial:
        """A polynomial without the terms that consist of unknowns that the coalition knows, or that
        the ideal output tells by themselves.
        """
        return {
            each: value
            for each, value in form.items()
            if not all(self._is_known(u) or u in self._handed for u in each)
        }


class MonomialSpan:
    """The linear combinations of some polynomials, with numbers as coefficients."""

    def __init__(self, modulus: int, forms: Iterable[Polynomial]) -> None:
        self._places: dict[Monomial, int] = {}
        self._span = Span(modulus)
        for form in forms:
            self._span.add(self._vector(form))

    def __contains__(self, form: Polynomial) -> bool:
        return self._vector(form) in self._span

    def _vector(self, form: Polynomial) -> dict[int, int]:
        return {
            self._places.setdefault(each, len(self._places)): value for each, value in form.items()
        }
