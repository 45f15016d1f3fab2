"""The rows of one sender, with its coins eliminated: which rows are independent, which are not.

Theory of operation. Rows are read block by block. Many rows of a large block are a single coin that
occurs in no earlier row. Such rows are independent. Consecutive rows of a block form a *stretch* if
row k of the stretch is the coin `first + k * lanes` times a fixed factor. In all other rows, coins
are replaced by the rows that determine them: rows of stretches, or rows that were read before. If a
coin is left that no such row determines, the row is independent, too. If no coin is left, the row
is a combination of other rows, secrets, and what the sender received: a `Relation`. Public numbers
are left out.

Example over F_7: u1 sends c, d and b - c - d, in one block.

>>> from simnet.linear.terms import Terms
>>> book = Book({1: "coin", 2: "secret"}.__getitem__)
>>> c, b = 1 << 36, 2 << 36
>>> block = Terms.of_vectors([{c: 1}, {c + 1: 1}, {c: 6, c + 1: 6, b: 1}])
>>> book.read([Sent(("share",), np.array([0, 1, 2]))], block, modulus=7)
>>> [(each.is_tie, each.terms) for each in book.relations]
[(True, {('secret', 137438953472, 0): 1, ('sent', 0, 0): 6})]

The relation is a tie: b minus the sum of all rows of the block is 0. Relations name whole blocks
where possible. So senders who do the same have relations that look the same.
"""

import bisect
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal

import attrs
import numpy as np

from simnet.arrays import Bools, Ints
from simnet.errors import SimnetError
from simnet.linear.ranges import Range, Ranges, RangeSum
from simnet.linear.terms import Terms
from simnet.linear.unknowns import PLACES
from simnet.linear.vectors import back_substitute

Kind = Literal["coin", "secret", "received", "public"]
# One term of a relation: all rows of a block ("sent", block, 0), one row ("row", block, row), or a
# coin, a secret or something received, ("coin", unknown, 0) and so on.
Part = tuple[str, int, int]

MOST_SINGLE_ROWS = 64  # the most rows of a block that one relation names one by one
MOST_STRETCHES = 2_000_000  # of one sender
DIFFERENT_NUMBERS = "elements of one array are sent together in one place, and apart in another"
TOO_MANY_WAYS = "a party's messages contain its coins in too many different ways"


class NotAlike(SimnetError):
    """Raised for a run that cannot be judged by symmetry; the text says why.

    If a relation contains a message from or to one of several parties that are otherwise alike,
    `party` is the number of this party.
    """

    def __init__(self, reason: str, party: int | None = None) -> None:
        super().__init__(reason)
        self.party = party


class NotInLanes(NotAlike):
    """Raised if the elements of an array are not all treated alike. Perhaps the run can be judged
    if its elements are read one by one.
    """


@attrs.frozen(eq=False)
class Sent:
    """Rows that were sent under one label: row k went to `recipients[k]`. In a book, all labels are
    different: a label that occurs again is followed by the number of blocks that had it before.

    If `is_published`, there is a single row, which went to all recipients.
    """

    label: tuple[object, ...]
    recipients: Ints
    is_published: bool = False

    @property
    def rows(self) -> int:
        """The number of rows."""
        return 1 if self.is_published else len(self.recipients)


@attrs.frozen
class Relation:
    """A row that is not independent. Either the row is the combination `terms`, or there is a tie
    among the rows of its block: `terms`, which include the row, add up to 0.
    """

    block: int
    row: int
    terms: dict[Part, int]
    is_tie: bool


@attrs.frozen
class _Stretch:
    """Consecutive rows of a block, each of which is one coin, times `factor`."""

    first: int
    last: int
    lanes: int
    count: int
    factor: int
    block: int
    row: int


class Book:
    """All rows of one sender, in the order in which they are read.

    `sent` are its blocks, and `relations` the rows that are not independent. `kind_of` says what
    the unknowns of a family are to the sender; it raises `NotAlike` for families that the sender's
    rows may not contain. All rows are over one field.
    """

    def __init__(self, kind_of: Callable[[int], Kind]) -> None:
        self.sent: list[Sent] = []
        self._blocks: Counter[tuple[object, ...]] = Counter()  # the blocks so far, by label
        self.relations: list[Relation] = []
        self._kind_of = kind_of
        self._lanes: dict[int, int] = {}
        self._firsts: list[int] = []  # of the stretches, ascending
        self._stretches: list[_Stretch] = []
        self._coins: dict[int, dict[Part, int]] = {}  # coins that other rows determine
        self._ranks: dict[int, int] = {}  # of these coins: the coin noted first has the largest
        self._families: set[int] = set()

    def read(self, blocks: Sequence[Sent], rows: Terms | Ranges, modulus: int) -> None:
        """Read rows, which belong to the blocks one after another."""
        first = len(self.sent)
        ends = np.cumsum([block.rows for block in blocks])
        for block in blocks:
            again = self._blocks[block.label]
            self._blocks[block.label] = again + 1
            label = (*block.label, again) if again else block.label
            self.sent.append(attrs.evolve(block, label=label))
        if isinstance(rows, Terms):
            self._read_terms(rows, first, ends, modulus)
        elif self._are_fresh(rows):
            self._read_ranges(rows, first, ends, modulus)
        else:
            self._read_terms(rows.terms, first, ends, modulus)

    def _are_fresh(self, rows: Ranges) -> bool:
        """Whether every range certainly consists of coins that occur in no earlier row, and no row
        that is written out as terms has fewer than two terms.
        """
        last = -1
        for part in rows.parts:
            if isinstance(part, Range):
                family = part.first // PLACES
                if (
                    part.first <= last
                    or family in self._families
                    or part.last // PLACES != family
                    or part.first % PLACES % part.lanes
                    or self._kind_of(family) != "coin"
                ):
                    return False
                last = part.last
            elif isinstance(part, Terms) and np.any(part.lengths < 2):
                return False
        return True

    def _read_ranges(self, rows: Ranges, first: int, ends: Ints, modulus: int) -> None:
        """Read rows whose ranges are fresh coins. The rows belong to blocks, from block `first` on;
        `ends` has the row after the last row of each block.
        """
        limits = ends.tolist()
        begins = [0, *limits]
        at = 0
        others: list[tuple[int, RangeSum | Terms]] = []  # the first row of each other part
        families: set[int] = set()
        for part in rows.parts:
            if not isinstance(part, Range):
                others.append((at, part))
            elif part.count:
                families.add(self._note_lanes(part))
                done = 0
                while done < part.count:  # a range may reach over several blocks
                    place = bisect.bisect(limits, at + done)
                    count = min(part.count - done, limits[place] - at - done)
                    begin = part.first + done * part.lanes
                    within = at + done - begins[place]
                    end = begin + (count - 1) * part.lanes
                    self._add_stretch(
                        _Stretch(begin, end, part.lanes, count, 1, first + place, within)
                    )
                    done += count
            at += part.rows
        self._families |= families
        for begin, part in others:
            places = [bisect.bisect(limits, begin + row) for row in range(part.rows)]
            homes = [
                (row, first + place, begin + row - begins[place])
                for row, place in enumerate(places)
            ]
            if isinstance(part, RangeSum):
                self._relate_sum(part, *homes[0][1:], modulus)
            else:
                is_coin, more = self._coins_among(part)
                self._families |= more
                self._relate_rows(part, is_coin, homes, modulus)

    def _note_lanes(self, coins: Range) -> int:
        """Return the family of a range of coins. Raises `NotAlike` if elements of the family are
        used with different numbers of lanes.
        """
        family = coins.first // PLACES
        if self._lanes.setdefault(family, coins.lanes) != coins.lanes:
            raise NotInLanes(DIFFERENT_NUMBERS)
        return family

    def _relate_rows(
        self,
        terms: Terms,
        is_coin: Bools,
        homes: Sequence[tuple[int, int, int]],
        modulus: int,
    ) -> None:
        """Express rows by other rows. `homes` has the number of each row in the terms, its block,
        and its place in the block.
        """
        for row, block, within in homes:
            span = slice(int(terms.starts[row]), int(terms.starts[row + 1]))
            unknowns, factors = terms.unknowns[span], terms.coefficients[span]
            self._relate(block, within, unknowns, factors, is_coin[span], modulus)

    def _relate_sum(self, row: RangeSum, block: int, within: int, modulus: int) -> None:
        coins = row.range
        stretch = self._stretch_of(coins.first)
        is_whole = stretch is not None and (stretch.first, stretch.count, stretch.lanes) == (
            coins.first,
            coins.count,
            coins.lanes,
        )
        terms = row.own if is_whole else row.terms
        self._note_lanes(coins)
        is_coin, families = self._coins_among(terms)
        self._families |= families
        if stretch is None or not is_whole:
            self._relate_rows(terms, is_coin, [(0, block, within)], modulus)
            return
        value = row.weight * pow(stretch.factor, -1, modulus) % modulus
        span = stretch.block, stretch.row, stretch.row + stretch.count, value
        self._relate(block, within, terms.unknowns, terms.coefficients, is_coin, modulus, span)

    def _read_terms(self, terms: Terms, first: int, ends: Ints, modulus: int) -> None:
        is_coin, families = self._coins_among(terms)
        fresh = self._fresh_coins(terms, is_coin, families)
        self._families |= families
        self._note_stretches(terms, fresh, first, ends)
        is_rest = np.ones(terms.rows, dtype=np.bool_)
        is_rest[fresh] = False
        rest = np.flatnonzero(is_rest)
        places = np.searchsorted(ends, rest, side="right")
        begins = np.concatenate([[0], ends])[places]
        homes = zip(rest.tolist(), (first + places).tolist(), (rest - begins).tolist(), strict=True)
        self._relate_rows(terms, is_coin, list(homes), modulus)

    def _coins_among(self, terms: Terms) -> tuple[Bools, set[int]]:
        """Which terms are coins, and the families of these coins.

        Raises `NotAlike` if the elements of one array are used with different numbers of lanes, or
        not from the beginning of a row of lanes. Two lanes could then share unknowns.
        """
        families = terms.unknowns // PLACES
        is_next = families[1:] != families[:-1]
        first = families[:1].tolist()
        kinds = {
            family: self._kind_of(family) for family in {*first, *families[1:][is_next].tolist()}
        }
        for family, kind in kinds.items():
            if kind != "public" and self._lanes.setdefault(family, terms.lanes) != terms.lanes:
                raise NotInLanes(DIFFERENT_NUMBERS)
        coins = {family for family, kind in kinds.items() if kind == "coin"}
        if len(coins) == len(kinds):
            is_coin = np.ones(len(families), dtype=np.bool_)
        else:
            is_coin = np.zeros(len(families), dtype=np.bool_)
            for family in coins:
                is_coin |= families == family
        if terms.lanes > 1:
            is_public = families == 0
            if np.any(terms.unknowns[~is_public] % PLACES % terms.lanes):
                raise NotInLanes("elements of one array are used in different places of a message")
        return is_coin, coins

    def _fresh_coins(self, terms: Terms, is_coin: Bools, families: set[int]) -> Ints:
        single = np.flatnonzero(terms.lengths == 1)
        single = single[is_coin[terms.starts[:-1][single]]]
        unknowns = terms.unknowns[terms.starts[:-1][single]]
        if self._families.isdisjoint(families) and np.all(unknowns[1:] > unknowns[:-1]):
            return single
        _, firsts = np.unique(unknowns, return_index=True)
        chosen = [
            place
            for place in np.sort(firsts).tolist()
            if self._stretch_of(unknown := int(unknowns[place])) is None
            and unknown not in self._coins
        ]
        return single[np.array(chosen, dtype=np.int64)]

    def _note_stretches(self, terms: Terms, fresh: Ints, first: int, ends: Ints) -> None:
        """Note the rows `fresh`, each of which is one coin. See `_read_ranges` for `first` and
        `ends`.
        """
        if not len(fresh):
            return
        at = terms.starts[fresh]
        unknowns, factors = terms.unknowns[at], terms.coefficients[at]
        breaks = (np.diff(unknowns) != terms.lanes) | (np.diff(fresh) != 1)
        breaks |= factors[1:] != factors[:-1]
        # The first row of every block begins a stretch, too.
        between = np.searchsorted(fresh, ends[:-1])
        breaks[between[(between > 0) & (between < len(fresh))] - 1] = True
        begins = [0, *(np.flatnonzero(breaks) + 1).tolist()]
        if len(self._stretches) + len(begins) > MOST_STRETCHES:
            raise NotAlike(TOO_MANY_WAYS)
        for begin, end in zip(begins, [*begins[1:], len(unknowns)], strict=True):
            row = int(fresh[begin])
            place = int(np.searchsorted(ends, row, side="right"))
            stretch = _Stretch(
                int(unknowns[begin]),
                int(unknowns[end - 1]),
                terms.lanes,
                end - begin,
                int(factors[begin]),
                first + place,
                row - (int(ends[place - 1]) if place else 0),
            )
            self._add_stretch(stretch)

    def _add_stretch(self, stretch: _Stretch) -> None:
        if len(self._stretches) >= MOST_STRETCHES:
            raise NotAlike(TOO_MANY_WAYS)
        before = bisect.bisect(self._firsts, stretch.first)
        self._firsts.insert(before, stretch.first)
        self._stretches.insert(before, stretch)

    def _stretch_of(self, unknown: int) -> _Stretch | None:
        place = bisect.bisect(self._firsts, unknown) - 1
        if place < 0 or unknown > self._stretches[place].last:
            return None
        return self._stretches[place]

    def _relate(
        self,
        block: int,
        row: int,
        unknowns: Ints,
        coefficients: Ints,
        is_coin: Bools,
        modulus: int,
        span: tuple[int, int, int, int] | None = None,
    ) -> None:
        """Express a row by other rows. Note the relation, or the coin that makes the row
        independent. If `span` is given, the row also contains these rows: block, first row, end,
        coefficient.
        """
        terms: Counter[Part] = Counter()
        for unknown, value in zip(
            unknowns[~is_coin].tolist(), coefficients[~is_coin].tolist(), strict=True
        ):
            kind = self._kind_of(unknown // PLACES)
            if kind != "public":
                terms[kind, unknown, 0] += value
        spans: list[tuple[int, int, int, int]] = [] if span is None else [span]
        coins, values = unknowns[is_coin], coefficients[is_coin]
        left: list[tuple[int, int]] = []
        place = 0
        while place < len(coins):
            coin, value = int(coins[place]), int(values[place])
            stretch = self._stretch_of(coin)
            if stretch is None:
                left.append((coin, value))
                place += 1
                continue
            end = int(np.searchsorted(coins, stretch.last, side="right"))
            inverse = pow(stretch.factor, -1, modulus)
            if end - place == stretch.count and np.all(values[place:end] == value):
                spans.append(
                    (
                        stretch.block,
                        stretch.row,
                        stretch.row + stretch.count,
                        value * inverse % modulus,
                    )
                )
                place = end
                continue
            within = stretch.row + (coin - stretch.first) // stretch.lanes
            spans.append((stretch.block, within, within + 1, value * inverse % modulus))
            place += 1
        missing = self._replaced(left, terms, modulus)
        if missing:
            self._note_coin(block, row, missing, spans, terms, modulus)
            return
        parts = {part for part, value in terms.items() if value % modulus}
        is_alone = all(span[0] != block for span in spans) and not any(
            kind in ("sent", "row") and number == block for kind, number, _ in parts
        )
        is_tie = not is_alone and not any(kind == "received" for kind, _, _ in parts)
        if is_tie:
            spans.append((block, row, row + 1, modulus - 1))
        self._add_spans(spans, terms)
        found = {part: value % modulus for part, value in terms.items() if value % modulus}
        self.relations.append(Relation(block, row, found, is_tie))

    def _replaced(
        self, coins: Sequence[tuple[int, int]], terms: Counter[Part], modulus: int
    ) -> dict[int, int]:
        """Some of the `coins` are determined by other rows: add to `terms` what stands for them.
        Return the remaining coins with their coefficients.
        """
        known = self._coins

        def determining(coin: int) -> list[tuple[int, int]]:
            parts = known[coin].items()
            return [
                (at, factor) for (kind, at, _), factor in parts if kind == "coin" and at in known
            ]

        # A coin is determined by coins that were free at that time, and some of these coins may be
        # determined since. Each of them is replaced once, however many ways lead to it.
        used = {coin: value for coin, value in coins if coin in known}
        free = Counter({coin: value for coin, value in coins if coin not in known})
        for coin, value in back_substitute(used, self._ranks, determining, modulus).items():
            for part, factor in known[coin].items():
                if part[0] != "coin":
                    terms[part] += value * factor % modulus
                elif part[1] not in known:
                    free[part[1]] += value * factor % modulus
        missing: dict[int, int] = {}
        for coin, value in free.items():
            stretch = self._stretch_of(coin)
            if stretch is None:
                missing[coin] = value
            else:
                within = stretch.row + (coin - stretch.first) // stretch.lanes
                inverse = pow(stretch.factor, -1, modulus)
                terms["row", stretch.block, within] += value * inverse % modulus
        for part in [part for part, value in terms.items() if not value % modulus]:
            del terms[part]
        return {coin: value % modulus for coin, value in missing.items() if value % modulus}

    def _note_coin(
        self,
        block: int,
        row: int,
        missing: dict[int, int],
        spans: list[tuple[int, int, int, int]],
        terms: Counter[Part],
        modulus: int,
    ) -> None:
        self._add_spans(spans, terms)
        pivot = min(missing)
        factor = -pow(missing.pop(pivot), -1, modulus)
        terms["row", block, row] -= 1
        for coin, value in missing.items():
            terms["coin", coin, 0] += value
        self._ranks[pivot] = -len(self._coins)
        self._coins[pivot] = {
            part: value * factor % modulus for part, value in terms.items() if value % modulus
        }

    def _add_spans(self, spans: Sequence[tuple[int, int, int, int]], terms: Counter[Part]) -> None:
        by_block: dict[int, list[tuple[int, int, int]]] = {}
        for block, begin, end, value in spans:
            by_block.setdefault(block, []).append((begin, end, value))
        for block, parts in by_block.items():
            pieces = _with_gaps(sorted(parts), self.sent[block].rows)
            lengths: Counter[int] = Counter()
            for begin, end, value in pieces:
                lengths[value] += end - begin
            usual = max(lengths, key=lambda value: (lengths[value], value))
            if lengths.total() - lengths[usual] > MOST_SINGLE_ROWS:
                raise NotAlike(
                    f"a party gives more than {MOST_SINGLE_ROWS} of its messages from one array "
                    "another coefficient than the rest, in one sum"
                )
            if usual:
                terms["sent", block, 0] += usual
            for begin, end, value in pieces:
                if value != usual:
                    for row in range(begin, end):
                        terms["row", block, row] += value - usual


def _with_gaps(parts: Sequence[tuple[int, int, int]], rows: int) -> list[tuple[int, int, int]]:
    """Return spans of all `rows` rows of a block: the `parts`, and with coefficient 0 the rows
    between them. Raises `NotAlike` if a row is in two parts.
    """
    pieces: list[tuple[int, int, int]] = []
    at = 0
    for begin, end, value in parts:
        if begin < at:
            raise NotAlike("one equation between messages contains the same message twice")
        if begin > at:
            pieces.append((at, begin, 0))
        pieces.append((begin, end, value))
        at = end
    if at < rows:
        pieces.append((at, rows, 0))
    return pieces
