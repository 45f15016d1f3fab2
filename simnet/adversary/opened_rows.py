"""What opened field elements can add to what messages tell: the upper end of a verdict.

Theory of operation
-------------------

Elimination says what the messages M of a coalition tell if the coins in M are uniform. Doors that
are given rows of field elements can make this answer wrong, in two ways.

*Disclosed values.* A door that discloses a function of a row with coins may tell something about
these coins. For example, a coin w hides x in the message x + w. If a party also sends the coin r,
and discloses whether w + r is 0, then this tells something about w, and so about x.

*Derived secrets.* A secret that an honest party makes from a row with coins is called derived. A
derived secret is neither uniform like a coin nor free like other secrets, because it depends on the
coins that it is made from. The product of a row with coins and a row that is not public is also a
derived secret, if it cannot be expanded (`simnet.adversary.expansion`), and so is a secret that is
made from a derived secret.

Let Y be the rows that were given to doors with disclosed values. (A door counts too if its refusal
may depend on coins: it is known that the door did not refuse.) Fix everything that was disclosed.
If three conditions hold, the answer from M alone is right:

1. *Derived secrets are hidden.* We eliminate all coins from M and Y together, except for the coins
   that derived secrets are made from. If none of the rows that remain contains a derived secret,
   the law of M and Y is the same for all values of the derived secrets.
2. *Coins are separate.* A row of Y that is a combination of rows of M is known to the coalition.
   The coins of the other rows of Y must be independent of the coins in M. This means rank(A_M, A_Y)
   = rank A_M + rank A_Y, where A_M and A_Y are the matrices of the coins' coefficients in M and in
   these rows. Then M and these rows are independent, given all secrets.
3. *Known arguments stay alone.* Suppose that a door is given a row that contains coins and that the
   coalition knows. Then all arguments of the door must be known rows, or the door must disclose all
   its rows in full. (Example: a party sends the coin r, and gives x and r to a door that
   discloses x + r. Each of the two tells nothing alone, but both together tell x.)

If a condition fails, we give the coalition more rows. For condition 1 these are a derived secret
and the rows that it is made from; for condition 2, the rows of Y that depend on M; for condition 3,
all rows of the door. Somebody who knows more never learns less, so the answer for the *widened
view* is an upper bound. Then we check the three conditions again. Every addition gives a derived
secret or rows that were not given before, and there are finitely many of both, so this ends. We
cannot give the coalition an input: if the door that breaks a condition was also given an input, the
upper bound is `leaks`.

*Seeds.* Whether seeds are known or may be guessed is found for a coalition that has all opened rows
(`simnet.adversary.deductions`). If the answer would be another one without these rows, we add all
of them to the view at once. Example: a party discloses x + k for a short coin k, and shows a row
that is made from the seed k. A coalition that was given k learns nothing from this row, but another
coalition finds k, and so x, by trying all seeds.

*Unknowns that the coalition knows* are treated as numbers, with one exception: a secret or
product that a member of the coalition made from field elements with coins of honest parties. Such
an unknown counts as a coin, and we add a row that tells this coin to the coalition.

Example over F_7. User u1 sends x + r, and gives w + r to a door. The coin w hides r, so the
coalition learns nothing:

>>> from simnet.linear.unknowns import Unknowns
>>> from simnet.values.field import Field
>>> from simnet.values.residues import constant
>>> unknowns, one = Unknowns(), constant(Field(7), [1])
>>> x = unknowns.family("secret", "x", "", "u1", one).first
>>> r, w = (unknowns.family("coin", key, "", "u1", one).first for key in "rw")
>>> roles = Roles(unknowns, [], [])
>>> given = Terms.of_vectors([{w: 1, r: 1}])
>>> door = DoorRows(
...     party="u1", kind="disclose", function="is_large", rows={7: given}, has_input=False,
...     discloses=True,
... )
>>> WidenedView({7: Terms.of_vectors([{x: 1, r: 1}])}, {}, [door], roles).functions
{7: []}

If u1 sends w as well, then the row w + r depends on the messages. This row is given to the
coalition, which then knows x:

>>> widened = WidenedView({7: Terms.of_vectors([{x: 1, r: 1}, {w: 1}])}, {}, [door], roles)
>>> widened.functions == {7: [{x: 1}]}, widened.given
(True, ['me.disclose(is_large) of u1'])

Rows are sorted by the modulus of their field. Coins of different fields are independent, so each
field has its own elimination.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import attrs
import numpy as np
import numpy.typing as npt

from simnet.adversary.roles import Roles
from simnet.arrays import Bools, Ints
from simnet.linear.elimination import Elimination
from simnet.linear.span import Span
from simnet.linear.terms import Terms, accumulate, common_lanes, fresh, join, no_rows, refine, take
from simnet.linear.unknowns import PLACES
from simnet.linear.vectors import Vector

# The marks of opened rows are numbered from here, so that their numbers are larger than those of
# all unknowns.
FIRST_MARK = 1 << 62

NOTHING = no_rows(0)

# a function that says, for each unknown of an array, whether the unknown has some property
Which = Callable[[Ints], Bools]


@attrs.frozen(eq=False, kw_only=True)
class DoorRows:
    """The field elements that one door or product was given, by modulus.

    `made` is the family of the secret that the door made, if it made one. `discloses` is true if
    the door's value is disclosed, and also if the fact that the door did not refuse counts as
    disclosed. `in_full` says whether the value certainly determines the numbers of all rows.
    """

    party: str
    kind: Literal["secret", "disclose", "product"]
    function: str = ""  # the name of the function, for people
    rows: Mapping[int, Terms]
    has_input: bool
    discloses: bool
    in_full: bool = False
    made: int | None = None

    @property
    def title(self) -> str:
        """The door's name for people."""
        if self.kind == "product":
            return f"a multiplication that {self.party} computes"
        return f"me.{self.kind}({self.function}) of {self.party}"


class WidenedView:
    """A coalition's view, to which opened rows are added until the three conditions hold.

    `functions` are functions of secrets, by modulus, that span everything that the widened view can
    tell. `ideal` is the ideal output in the same lanes. If the conditions cannot be met, then the
    view may tell anything, `breach` says at which door and why, and `functions` and `ideal` are
    empty. `given` names the doors whose rows were added. `doors` are the doors with rows that
    depend on coins. `fields` are their rows, the rows of messages and those of the ideal output, by
    field. `counts_as_coin` says for each family of unknowns whether it is treated as coins. With
    `gives_all` all opened rows are added before the conditions are checked.
    """

    def __init__(
        self,
        messages: Mapping[int, Terms],
        ideal: Mapping[int, Terms],
        doors: Sequence[DoorRows],
        roles: Roles,
        gives_all: bool = False,
    ) -> None:
        self.breach: str | None = None
        self.doors = doors
        self._roles = roles
        self.counts_as_coin = roles.coin | roles.moving
        self._hidden = [number for number, door in enumerate(doors) if door.made is not None]
        moduli = sorted({*messages, *ideal, *(modulus for door in doors for modulus in door.rows)})
        self.fields = [
            FieldRows(
                modulus,
                messages.get(modulus, NOTHING),
                ideal.get(modulus, NOTHING),
                [door.rows.get(modulus, NOTHING) for door in doors],
            )
            for modulus in moduli
        ]
        for rows in self.fields:
            rows.is_given[:] = gives_all
        while self.breach is None and not self._is_settled():
            pass
        settled = [] if self.breach else self.fields
        self.functions = {rows.modulus: rows.functions for rows in settled}
        self.ideal = {rows.modulus: rows.ideal for rows in settled}

    @property
    def rows(self) -> dict[int, Terms]:
        """The rows of messages and the added rows, by modulus."""
        return {
            rows.modulus: join([rows.messages, take(rows.opened, np.flatnonzero(rows.is_given))])
            for rows in self.fields
        }

    @property
    def given(self) -> list[str]:
        """The different titles of the doors whose rows were added."""
        numbers = {number for rows in self.fields for number in rows.doors_given()}
        return list(dict.fromkeys(self.doors[number].title for number in sorted(numbers)))

    # The three conditions. Each of these methods says whether one condition holds. If the condition
    # does not hold, the method adds rows to the view, or sets `breach`.

    def _is_settled(self) -> bool:
        return self._are_secrets_hidden() and self._are_coins_separate() and self._are_known_alone()

    def _are_secrets_hidden(self) -> bool:
        visible: set[int] = set()
        if self._hidden:
            for rows in self.fields:
                visible |= self._visible(rows)
        for number in sorted(visible):
            door = self.doors[number]
            if door.has_input:
                self.breach = (
                    f"{door.title} makes a secret from an input and from field elements, "
                    "and messages or disclosed values may tell something about this secret"
                )
            self._hidden.remove(number)
            self.counts_as_coin[door.made] = True
            self._give(number)
        return not visible

    def _visible(self, rows: "FieldRows") -> set[int]:
        """The doors whose derived secrets are not hidden over one field (condition 1)."""
        chosen = rows.of_doors([door.discloses for door in self.doors]) | rows.is_given
        stack = self._with_reveals(join([rows.messages, take(rows.opened, np.flatnonzero(chosen))]))
        if not self._doors_behind(stack.unknowns):
            return set()
        is_hidden_door = np.zeros(len(self.doors), dtype=np.bool_)
        is_hidden_door[self._hidden] = True
        of_hidden = take(rows.opened, np.flatnonzero(rows.of_doors(is_hidden_door))).unknowns
        held_back = np.unique(of_hidden[self._is_coin(of_hidden)])
        is_coin = self._is_coin(stack.unknowns) & ~np.isin(stack.unknowns, held_back)
        is_target = ~is_coin & ~self._is_known(stack.unknowns)
        remnants = Elimination(stack, is_coin, is_target, rows.modulus).remnants
        left = {unknown for remnant in remnants for unknown in remnant.targets}
        return self._doors_behind(np.array(sorted(left), dtype=np.int64))

    def _doors_behind(self, unknowns: Ints) -> set[int]:
        families = set((unknowns // PLACES).tolist())
        return {number for number in self._hidden if self.doors[number].made in families}

    def _are_coins_separate(self) -> bool:
        discloses = [door.discloses for door in self.doors]
        is_separate = True
        for rows in self.fields:
            marked = np.flatnonzero(rows.of_doors(discloses) & ~rows.is_given)
            seen = self._with_reveals(
                join([rows.messages, take(rows.opened, np.flatnonzero(rows.is_given))]),
                also=take(rows.opened, marked).unknowns,
            )
            found = MarkedRows(
                seen, take(rows.opened, marked), self._is_coin, self._is_known, rows.modulus
            )
            rows.functions = found.functions
            rows.is_known[:] = rows.is_given
            rows.is_known[marked] = found.is_known
            rows.is_given[marked[found.is_dependent]] = True
            is_separate &= not found.is_dependent.any()
        return is_separate

    def _are_known_alone(self) -> bool:
        is_alone = True
        for number, door in enumerate(self.doors):
            if not door.discloses:
                continue
            of_door = [(rows, rows.of_door(number)) for rows in self.fields]
            if not any(self._has_known_coins(rows, places) for rows, places in of_door):
                continue
            if door.has_input:
                self.breach = (
                    f"{door.title} is given an input and field elements, and messages or disclosed "
                    "values may tell something about these elements"
                )
                return False
            if not door.in_full and not all(
                rows.is_known[places].all() for rows, places in of_door
            ):
                self._give(number)
                is_alone = False
        return is_alone

    def _has_known_coins(self, rows: "FieldRows", places: Ints) -> bool:
        known = take(rows.opened, places[rows.is_known[places]])
        return bool(np.any(self._is_coin(known.unknowns)))

    def _give(self, number: int) -> None:
        for rows in self.fields:
            rows.is_given[rows.of_door(number)] = True

    # The current roles of unknowns.

    def _is_coin(self, unknowns: Ints) -> Bools:
        """Which unknowns count as coins: honest coins, known unknowns that depend on honest
        coins, and derived secrets that were given to the coalition.
        """
        return np.asarray(self.counts_as_coin[unknowns // PLACES])

    def _is_known(self, unknowns: Ints) -> Bools:
        return np.asarray((self._roles.known & ~self.counts_as_coin)[unknowns // PLACES])

    def _with_reveals(self, rows: Terms, also: Ints | None = None) -> Terms:
        """The rows, and one more row for each unknown in them, or in `also`, that counts as a coin
        but is not an honest coin. The additional row tells this unknown to the coalition.
        """
        unknowns = rows.unknowns if also is None else np.concatenate([rows.unknowns, also])
        unknowns = np.unique(unknowns)
        moving = unknowns[self._is_coin(unknowns) & ~self._roles.is_coin(unknowns)]
        if not moving.size:
            return rows
        ones = np.ones(len(moving), dtype=np.int64)
        reveals = Terms(np.arange(len(moving) + 1), moving, ones, rows.lanes)
        return join([rows, reveals])


class FieldRows:
    """The rows of a widened view over one field: those of messages, those that the ideal world
    hands out, and the opened rows. All rows have the same number of lanes.

    `doors` gives for each opened row the door that was given the row. `is_given` says which opened
    rows were added to the view, and `is_known` which were found to be determined by the view.
    """

    def __init__(
        self, modulus: int, messages: Terms, ideal: Terms, by_door: Sequence[Terms]
    ) -> None:
        self.modulus = modulus
        self.functions: list[Vector] = []
        lanes = self.lanes = common_lanes([messages, ideal, *by_door]) or 1
        self.messages, self.ideal = _in_lanes([messages], lanes), _in_lanes([ideal], lanes)
        self.opened = _in_lanes(by_door, lanes)
        sizes = [terms.rows * terms.lanes // lanes for terms in by_door]
        self._door = np.repeat(np.arange(len(by_door)), sizes)
        self._starts = np.cumsum([0, *sizes])
        self.doors = self._door.tolist()
        self.is_given = np.zeros(self.opened.rows, dtype=np.bool_)
        self.is_known = np.zeros(self.opened.rows, dtype=np.bool_)

    def of_door(self, number: int) -> Ints:
        """The places of a door's rows among the opened rows."""
        return np.arange(self._starts[number], self._starts[number + 1])

    def of_doors(self, is_chosen: npt.ArrayLike) -> Bools:
        """Which opened rows belong to the chosen doors."""
        return np.asarray(is_chosen, dtype=np.bool_)[self._door]

    def doors_given(self) -> set[int]:
        """The doors whose rows were added."""
        return set(self._door[self.is_given].tolist())


def _everything(unknowns: Ints) -> Bools:
    return np.ones(len(unknowns), dtype=np.bool_)


def _in_lanes(parts: Sequence[Terms], lanes: int) -> Terms:
    refined = [refine(part, lanes) for part in parts if part.rows]
    return join(refined) if refined else no_rows(lanes)


class MarkedRows:
    """Rows that a coalition sees, and opened rows with one mark each, eliminated together.

    A mark is an additional target that only one opened row contains. So the result of the
    elimination shows which opened rows were used for each function of secrets::

        no marks            a function that the seen rows tell
        one mark alone      an opened row that is a combination of seen rows: it is known
        otherwise           opened rows that can be combined with seen rows so that coins cancel

    In the last case the coins of the opened rows may cancel even without the seen rows. If this is
    so for all combinations of the last kind, the coins of the seen rows are independent of the
    coins of the opened rows that the coalition does not know. If it is not so for some combination,
    the opened rows in this combination are called *dependent*.
    """

    def __init__(
        self, seen: Terms, opened: Terms, is_coin: Which, is_known: Which, modulus: int
    ) -> None:
        self.is_known = np.zeros(opened.rows, dtype=np.bool_)
        self.is_dependent = np.zeros(opened.rows, dtype=np.bool_)
        self._modulus = modulus
        self._lanes = opened.lanes
        marked = self._with_marks(opened)
        left = self._left(join([seen, marked]) if opened.rows else seen, is_coin, is_known)
        self.functions = [vector for vector in left if not self._marks(vector)]
        with_marks = [vector for vector in left if self._marks(vector)]
        for vector in with_marks:
            if len(vector) == 1:
                self.is_known[self._places(vector)] = True
        if len(with_marks) == np.count_nonzero(self.is_known):
            return
        unknown = np.flatnonzero(~self.is_known)
        alone = Span(modulus)
        for vector in self._left(take(marked, unknown), is_coin, _everything):
            alone.add(vector)
        for vector in with_marks:
            marks = self._marks(vector)
            if len(vector) > 1 and marks not in alone:
                self.is_dependent[self._places(marks)] = True

    def _with_marks(self, rows: Terms) -> Terms:
        both = join([rows, fresh(FIRST_MARK, rows.rows, rows.lanes)])
        into = np.tile(np.arange(rows.rows), 2)
        return accumulate(both, into, None, rows.rows, self._modulus)

    def _left(self, rows: Terms, is_coin: Which, is_known: Which) -> list[Vector]:
        """A reduced basis of the combinations of rows without coins, in which marks are the first
        pivots.
        """
        is_mark = rows.unknowns >= FIRST_MARK
        unknowns = np.where(is_mark, 0, rows.unknowns)
        coins = is_coin(unknowns) & ~is_mark
        targets = is_mark | ~(coins | is_known(unknowns))
        elimination = Elimination(rows, coins, targets, self._modulus)
        span = Span(self._modulus, order=lambda unknown: (unknown < FIRST_MARK, unknown))
        # Short vectors come first, so that they reduce the longer ones.
        for remnant in sorted(elimination.remnants, key=lambda remnant: len(remnant.targets)):
            span.add(remnant.targets)
        return [vector for vector, _ in span.basis()]

    def _marks(self, vector: Vector) -> Vector:
        return {unknown: value for unknown, value in vector.items() if unknown >= FIRST_MARK}

    def _places(self, marks: Vector) -> list[int]:
        return [(mark - FIRST_MARK) // self._lanes for mark in marks]
