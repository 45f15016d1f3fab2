"""Rows of forms in which many consecutive unknowns occur, not written out.

Theory of operation. A sender of additive shares may draw thousands of coins at once. They are
consecutive unknowns, and each of them is a share. The last share is the secret minus the sum of the
others. `Ranges` keeps such rows as a few numbers. Let c be the number of the first of 100 coins,
and s that of the secret::

    shares of a sender                       parts
    the unknowns c, c + 1, ..., c + 99       Range(first=c, count=100, lanes=1)
    the unknown s minus all these unknowns   RangeSum(own=s, range=the same range, weight=q - 1)

Example over F_7: a secret, the unknown 9, is split into four shares with the coins 20, 21 and 22.

>>> coins = Ranges((Range(20, 3, 1),), 1)
>>> secret = Terms.of_vectors([{9: 1}])
>>> shares = joined([coins, combined(secret, total(coins), -1, 7)])
>>> shares.parts[1].weight, shares.terms.vectors()
(6, [{20: 1}, {21: 1}, {22: 1}, {9: 1, 20: 6, 21: 6, 22: 6}])
"""

from collections.abc import Sequence

import attrs
import numpy as np

from simnet.linear.terms import Terms, accumulate, between, blank, fresh, join, refine, shared


@attrs.frozen
class Range:
    """Rows of one unknown each: lane l of row k is the unknown `first + k * lanes + l`."""

    first: int
    count: int
    lanes: int

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.count

    @property
    def last(self) -> int:
        """The unknown in lane 0 of the last row."""
        return self.first + (self.count - 1) * self.lanes

    @property
    def terms(self) -> Terms:
        """The rows, written out."""
        return fresh(self.first, self.count, self.lanes)


@attrs.frozen(eq=False)
class RangeSum:
    """One row: the row `own`, plus `weight` times the sum of a range of at least two unknowns.

    No unknown of `own` is between the first and the last unknown of the range.
    """

    own: Terms
    range: Range
    weight: int

    @property
    def rows(self) -> int:
        """The number of rows."""
        return 1

    @property
    def terms(self) -> Terms:
        """The row, written out."""
        unknowns = self.range.terms.unknowns
        weights = np.full(len(unknowns), self.weight, dtype=np.int64)
        before = int(np.searchsorted(self.own.unknowns, self.range.first))
        own, factors = self.own.unknowns, self.own.coefficients
        return Terms(
            np.array([0, len(own) + len(unknowns)]),
            np.concatenate([own[:before], unknowns, own[before:]]),
            np.concatenate([factors[:before], weights, factors[before:]]),
            self.range.lanes,
        )


@attrs.frozen(eq=False)
class Ranges:
    """Rows, given as a sequence of parts, each with one or more rows. All parts have the same
    number of lanes.
    """

    parts: tuple[Range | RangeSum | Terms, ...]
    lanes: int

    @property
    def rows(self) -> int:
        """The number of rows, of `lanes` forms each."""
        return sum([part.rows for part in self.parts])

    @property
    def terms(self) -> Terms:
        """The rows, written out. They are computed anew at each call."""
        parts = [part if isinstance(part, Terms) else part.terms for part in self.parts]
        return parts[0] if len(parts) == 1 else join(parts) if parts else blank(0, self.lanes)

    def refined(self, lanes: int) -> "Ranges | Terms":
        """Return the same forms with fewer lanes in a row."""
        if lanes == self.lanes:
            return self
        if all(isinstance(part, Range) for part in self.parts):
            pieces = self.lanes // lanes
            parts = [part for part in self.parts if isinstance(part, Range)]
            return Ranges(
                tuple(Range(part.first, part.count * pieces, lanes) for part in parts), lanes
            )
        return refine(self.terms, lanes)


def _written(rows: Ranges | Terms) -> Terms:
    return rows.terms if isinstance(rows, Ranges) else rows


def joined(parts: Sequence[Ranges | Terms]) -> Ranges | Terms:
    """Return several arrays of rows, one after another."""
    if len({part.lanes for part in parts}) > 1 or all(isinstance(part, Terms) for part in parts):
        # Rows of senders who share in the same way differ in their unknowns alone.
        rows = join([_written(part) for part in parts])
        return Terms(shared(rows.starts), rows.unknowns, shared(rows.coefficients), rows.lanes)
    pieces: list[Range | RangeSum | Terms] = []
    for part in parts:
        pieces += part.parts if isinstance(part, Ranges) else [part]
    return Ranges(tuple(pieces), parts[0].lanes)


def total(rows: Ranges) -> Ranges | None:
    """Return the sum of the rows of one range of at least two rows; None for other rows."""
    if len(rows.parts) != 1 or not isinstance(rows.parts[0], Range) or rows.parts[0].count < 2:
        return None
    return Ranges((RangeSum(blank(1, rows.lanes), rows.parts[0], 1),), rows.lanes)


def combined(left: Ranges | Terms, right: Ranges | Terms, sign: int, modulus: int) -> Ranges | None:
    """Return `left + sign * right` as one row, if exactly one of the two contains the sum of a
    range. None means that the caller has to write the terms out, for example if the other row
    contains unknowns of this range.
    """
    if left.rows != 1 or right.rows != 1 or left.lanes != right.lanes:
        return None
    owns, sums = [], []
    for rows, factor in ((left, 1), (right, sign)):
        part = rows.parts[0] if isinstance(rows, Ranges) else rows
        if isinstance(part, Range):
            return None
        if isinstance(part, RangeSum):
            sums.append((part.range, part.weight * factor % modulus))
            part = part.own
        owns.append(part)
    if len(sums) != 1:
        return None
    weights = np.array([1, sign % modulus], dtype=np.int64)
    own = accumulate(join(owns), np.array([0, 0]), weights, 1, modulus)
    (range_, weight) = sums[0]
    if not _is_apart(own, range_):
        return None
    return Ranges((RangeSum(own, range_, weight),), left.lanes)


def closed(
    rows: Ranges | Terms, totals: Terms, sizes: Sequence[int], modulus: int
) -> Ranges | None:
    """Return the rows of one range with one more row after each group of rows: a total minus the
    sum of the group. The k-th group has `sizes[k]` rows. All rows have one lane.

    None means that the caller has to write the terms out, for example if totals contain unknowns of
    the range.
    """
    if not isinstance(rows, Ranges) or len(rows.parts) != 1:
        return None
    whole = rows.parts[0]
    if not isinstance(whole, Range) or not whole.count or not _is_apart(totals, whole):
        return None
    parts: list[Range | RangeSum | Terms] = []
    first = whole.first
    for place, size in enumerate(sizes):
        own = between(totals, place, place + 1)
        group = Range(first, size, 1)
        first += size
        if size > 1:
            parts += [group, RangeSum(own, group, modulus - 1)]
        elif size == 1:
            targets, weights = np.array([0, 0]), np.array([1, modulus - 1], dtype=np.int64)
            parts += [group, accumulate(join([own, group.terms]), targets, weights, 1, modulus)]
        else:
            parts.append(own)
    return Ranges(tuple(parts), 1)


def _is_apart(terms: Terms, range_: Range) -> bool:
    inside = (terms.unknowns >= range_.first) & (terms.unknowns < range_.last + range_.lanes)
    return not np.any(inside)
