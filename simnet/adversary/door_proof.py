"""The proof of what a coalition learns at most beside opened rows, for a certificate.

Theory of operation. The proof shows that three conditions hold (`simnet.adversary.opened_rows`). To
*find* that they hold takes an elimination. To *check* that they hold is easier, if the certificate
shows how coins can be moved:

- along `shift`, secrets move from the seen rows into coins, until only the listed functions are
  left;
- along `apart`, an opened row that is not seen changes, and the seen rows stay as they are;
- along `hiding`, secrets that were made from field elements, and that must stay hidden, disappear
  from the seen rows and from the rows given to doors that disclose, and the coins that they were
  made from do not move.

We find all three with `Elimination`, which answers this question: which shift of given coins
removes given targets from given rows? Targets that cannot be removed leave *remnants*. Only the
first of the three may have remnants.

Example. The coalition sees x + r, and a door receives w + r, where r and w are coins. Adding 1 to w
changes only the opened row. In the call, the unknowns x, r and w have the numbers 1, 2 and 3, and 9
is a mark that only the opened row contains:

>>> coins_to_move(7, [{1: 1, 2: 1}, {3: 1, 2: 1, 9: 1}], lambda u: u in (2, 3), lambda u: u == 9)
({3: {9: 1}}, [])
"""

from collections.abc import Callable, Sequence

import attrs
import numpy as np

from simnet.adversary.bounds import ShareBounds
from simnet.adversary.opened_rows import FIRST_MARK, FieldRows, WidenedView
from simnet.arrays import Ints
from simnet.linear.elimination import Elimination
from simnet.linear.span import Span
from simnet.linear.terms import Terms
from simnet.linear.unknowns import PLACES
from simnet.linear.vectors import Vector

Which = Callable[[int], bool]


def coins_to_move(
    modulus: int, rows: Sequence[Vector], is_coin: Which, is_target: Which
) -> tuple[dict[int, Vector], list[Vector]]:
    """Return what to add to each coin to get new coins, and the combinations of targets that cannot
    be removed. Written in the new coins, a row has no targets but multiples of these combinations.
    """
    terms = Terms.of_vectors(rows)
    elimination = Elimination(
        terms, chosen(terms.unknowns, is_coin), chosen(terms.unknowns, is_target), modulus
    )
    return elimination.shift(), [remnant.targets for remnant in elimination.remnants]


def chosen(unknowns: Ints, which: Which) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """For each unknown, whether `which` is true of it."""
    return np.array([which(unknown) for unknown in unknowns.tolist()], dtype=np.bool_)


@attrs.frozen(eq=False, kw_only=True)
class FieldProof:
    """The part of a certificate about doors over one field. Opened rows are numbered by their
    places in `opened`.
    """

    # for each opened row: the door, whether the coalition sees the row, and the row's form
    opened: list[tuple[int, bool, Vector]]
    functions: list[Vector]  # these functions span everything that the coalition may learn
    shift: dict[int, Vector]
    apart: dict[int, Vector]
    combined: dict[int, Vector]
    hiding: dict[int, Vector]


class DoorProof:
    """The proof that a widened view meets the three conditions, over all fields.

    `told` lists the families that are no coins but count as coins, and that the coalition knows.
    """

    def __init__(self, bounds: ShareBounds, view: WidenedView) -> None:
        self.doors = view.doors
        self._roles = bounds.rewriting.roles
        self.view = view
        self.told = set(np.flatnonzero(view.counts_as_coin & ~self._roles.coin).tolist())
        self._made = {door.made for door in view.doors if door.made is not None}
        self._seen_doors = {
            number
            for rows in view.fields
            for at, (number, form) in enumerate(zip(rows.doors, rows.opened.vectors(), strict=True))
            if rows.is_given[at] or (rows.is_known[at] and self._has_coins(form))
        }
        self.fields = {rows.modulus: self._of_field(rows) for rows in view.fields}

    def _of_field(self, rows: FieldRows) -> FieldProof:
        modulus, forms = rows.modulus, rows.opened.vectors()
        is_seen = self._is_seen(rows, forms)
        seen = [*rows.messages.vectors(), *(form for at, form in enumerate(forms) if is_seen[at])]
        present = {u for form in [*seen, *forms, *rows.ideal.vectors()] for u in form}
        seen += [{u: 1} for u in sorted(present) if u // PLACES in self.told]
        unseen = [
            at
            for at, number in enumerate(rows.doors)
            if self.doors[number].discloses and not is_seen[at]
        ]
        shift, functions = coins_to_move(modulus, seen, self._is_coin, self.is_secret)
        basic, combined = self._basic(modulus, unseen, forms)
        marked = [{**forms[at], FIRST_MARK + at: 1} for at in basic]
        apart, _ = coins_to_move(modulus, [*seen, *marked], self._is_coin, _is_mark)
        held_back = {
            unknown
            for number, form in zip(rows.doors, forms, strict=True)
            if self.doors[number].made is not None and self.doors[number].made not in self.told
            for unknown in form
        }
        hiding, _ = coins_to_move(
            modulus,
            [*seen, *(forms[at] for at in unseen)],
            lambda unknown: self._is_coin(unknown) and unknown not in held_back,
            self._is_hidden,
        )
        return FieldProof(
            opened=list(zip(rows.doors, is_seen, forms, strict=True)),
            functions=functions,
            shift=shift,
            apart={coin: _places(marks) for coin, marks in apart.items()},
            combined=combined,
            hiding=hiding,
        )

    def _is_seen(self, rows: FieldRows, forms: Sequence[Vector]) -> list[bool]:
        """Which opened rows the coalition sees: rows added to its view, and rows that it can
        compute.

        A row without coins that the coalition can compute need not count as seen: it is a function
        of secrets, which is listed anyway. But it does count as seen if another row of its door is
        seen, because then the certificate must list all rows of the door as seen, unless the door
        discloses them in full (condition 9 of certificates).
        """
        return [
            bool(rows.is_given[at])
            or (bool(rows.is_known[at]) and (number in self._seen_doors or self._has_coins(form)))
            for at, (number, form) in enumerate(zip(rows.doors, forms, strict=True))
        ]

    def _has_coins(self, form: Vector) -> bool:
        return any(map(self._is_coin, form))

    def _basic(
        self, modulus: int, rows: Sequence[int], forms: Sequence[Vector]
    ) -> tuple[list[int], dict[int, Vector]]:
        """Return the *basic* rows, whose coins are linearly independent. For each other row, return
        the combination of basic rows that has the same coins.
        """
        span, basic, combined = Span(modulus), [], {}
        for row in rows:
            coins = {u: value for u, value in forms[row].items() if self._is_coin(u)}
            rest, source = span.reduce(coins)
            if rest:
                span.add(coins, {row: 1})
                basic.append(row)
            else:
                combined[row] = {other: -value % modulus for other, value in source.items()}
        return basic, combined

    # The classes of unknowns, as certificates define them.

    def _is_coin(self, unknown: int) -> bool:
        return unknown < FIRST_MARK and bool(self.view.counts_as_coin[unknown // PLACES])

    def _is_hidden(self, unknown: int) -> bool:
        return unknown // PLACES in self._made and not self._is_coin(unknown)

    def is_secret(self, unknown: int) -> bool:
        """Whether an unknown is a secret, or a product of secrets, that depends on no coins and
        that the coalition does not know.
        """
        is_own = bool(self._roles.known[unknown // PLACES])
        return not (is_own or self._is_coin(unknown) or self._is_hidden(unknown))


def _is_mark(unknown: int) -> bool:
    return unknown >= FIRST_MARK


def _places(marks: Vector) -> Vector:
    return {mark - FIRST_MARK: value for mark, value in marks.items()}
