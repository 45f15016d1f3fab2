"""What a certificate says about seeds: how the coalition deduces some, and why others are hidden.

Theory of operation
-------------------

`deductions` finds the seeds that a coalition knows. A reader of a certificate must be able to check
this with sums alone. So the certificate lists the known seeds in an order in which each follows
from the seeds before it, in one of three ways. The coalition knows all unknowns of the seed; or it
can agree on the seed; or each row of the seed is a combination of messages and of unknowns that it
knows.

For each unknown seed that was not agreed on, a certificate of `nothing` or `output-only` lists
*private shifts*. A private shift is a change of honest coins that adds 1 to one row of this seed. A
private shift changes no message, no other unknown seed, and no other row of this seed that has a
private shift. So each private shift shows that one element in each lane is uniform, whatever else
the coalition sees.

Example. A seed has two elements, the coins 1 and 2. The coalition sees a message with both coins
and a third coin, 1 + 2 + 3. Adding 1 to coin 1 and subtracting 1 from coin 3 changes the first row
of the seed alone. For the second row the coin 2 takes the place of the coin 1:

>>> private_shifts(7, [{1: 1, 2: 1, 3: 1}], {0: [{1: 1}, {2: 1}]}, lambda u: True)
{(0, 0): {1: 1, 3: 6}, (0, 1): {2: 1, 3: 6}}
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

import attrs
import numpy as np

from simnet.adversary.bounds import ShareBounds
from simnet.adversary.check import LEAST_BITS, are_enough
from simnet.adversary.deductions import FIRST_MARK
from simnet.adversary.knowledge import Knowledge
from simnet.arrays import Ints
from simnet.errors import SimnetError
from simnet.linear.elimination import Elimination
from simnet.linear.seeds import Agreement, Query, Seed
from simnet.linear.span import Span
from simnet.linear.terms import Terms, common_lanes, refine
from simnet.linear.unknowns import PLACES, Unknowns
from simnet.linear.vectors import Vector, add_to

Which = Callable[[int], bool]
Derivation = tuple[Vector, Vector]  # weights of messages, and the own unknowns to subtract


@attrs.frozen(eq=False, kw_only=True)
class SeedRows:
    """The entry of a seed in a certificate, under the field of the seed's elements.

    `told` has a pair for each row: a combination of messages, and the coalition's own unknowns,
    which must be subtracted from this combination to get the row. `told` is empty for a seed that
    the coalition does not learn from messages. `private` are private shifts, each with the number
    of the row that it changes.
    """

    number: int
    rows: list[Vector]
    told: list[Derivation]
    private: list[tuple[int, Vector]]


class SeedProof:
    """The seeds that matter for what a coalition sees, and the proof of which seeds the coalition
    knows.

    `keys` has a list for each seed: the numbers of the two secret keys if the seed was agreed on,
    and an empty list otherwise. `known` lists the seeds that the coalition knows, in an order in
    which each follows from the seeds before it. `knowledge` is what messages determine, in lanes
    that suit the seeds too. Raises `SimnetError` if the proof cannot show how the coalition learns
    a seed that it knows, or, unless `is_leak` is true, why a seed stays secret.
    """

    def __init__(self, bounds: ShareBounds, unknowns: Unknowns, is_leak: bool) -> None:
        self._unknowns = unknowns
        self._deductions = bounds.least
        self._listed = _listed(bounds)
        self.number_of = {
            digest: number for number, (_, each) in enumerate(self._listed) for digest in each
        }
        self.keys = [
            sorted(self.number_of[key] for key in query.keys)
            if isinstance(query, Agreement)
            else []
            for query, _ in self._listed
        ]
        sight = self._deductions.sight
        self.public_keys = sorted(
            {self.number_of[key] for key in sight.public_keys if key in self.number_of}
        )
        self._lanes = self._common_lanes(bounds)
        self.knowledge = bounds.knowledge_in(self._lanes)
        self._views = {each.modulus: each.view.terms.vectors() for each in self.knowledge}
        self._boxes = {each.modulus: list(self.boxes_of(each)) for each in self.knowledge}
        self._rows = self._rows_of_seeds()
        self._own = unknowns.held_by(bounds.corrupt)
        self.known: list[int] = []
        self._is_known: set[int] = set()
        self._told: dict[int, list[Derivation]] = {}
        self._deduce()
        deduced = {
            self.number_of[each] for each in self._deductions.known if each in self.number_of
        }
        if deduced != set(self.known):
            raise SimnetError(
                "no certificate can be written: it could not show how the coalition learns some of "
                "the seeds that it knows"
            )
        self.by_field = self._entries(is_leak)

    def boxes_of(self, knowledge: Knowledge) -> Iterator[tuple[int, int] | None]:
        """Yield a pair for each row of the view: the place of the row's box in the message, and the
        seed that is the key of the box. Yield None for a row without a box.
        """
        for part in knowledge.view.parts:
            keys = () if part.boxes is None else part.boxes.keys
            for place in part.box_numbers.tolist():
                yield (place, self.number_of[keys[place]]) if keys else None

    # The seeds, and their rows.

    def _common_lanes(self, bounds: ShareBounds) -> dict[int, int]:
        terms: dict[int, list[Terms]] = defaultdict(list)
        for knowledge in bounds.knowledge:
            both = knowledge.view.terms, knowledge.view.ideal
            terms[knowledge.modulus] += [each for each in both if each.rows]
        for query, _ in self._listed:
            if isinstance(query, Seed):
                terms[query.modulus].append(query.terms)
        return {modulus: common_lanes(each) or 1 for modulus, each in terms.items()}

    def _rows_of_seeds(self) -> dict[int, list[Vector]]:
        return {
            number: refine(query.terms, self._lanes[query.modulus]).vectors()
            for number, (query, _) in enumerate(self._listed)
            if isinstance(query, Seed)
        }

    def _made(self, modulus: int) -> list[int]:
        return [
            number
            for number, (query, _) in enumerate(self._listed)
            if isinstance(query, Seed) and query.modulus == modulus
        ]

    # Which seeds are known.

    def _is_own(self, unknown: int) -> bool:
        """Whether the coalition holds the unknown, or the unknown is of a random row whose seed was
        found to be known.
        """
        family = unknown // PLACES
        if self._own[family]:
            return True
        return self.number_of.get(self._unknowns.families[family].seed, -1) in self._is_known

    def _is_coin(self, unknown: int) -> bool:
        kind = self._unknowns.families[unknown // PLACES].kind
        return kind in ("coin", "stream") and not self._is_own(unknown)

    def _deduce(self) -> None:
        before = -1
        while before != len(self.known):
            before = len(self.known)
            for number, keys in enumerate(self.keys):
                if number not in self._is_known and self._follows(number, keys):
                    self._note([number])
            if before == len(self.known):
                for modulus in self._views:
                    self._deduce_from_messages(modulus)

    def _note(self, numbers: Sequence[int]) -> None:
        self.known += numbers
        self._is_known.update(numbers)

    def _follows(self, number: int, keys: Sequence[int]) -> bool:
        if keys:
            mine, other = keys
            return any(
                one in self._is_known and (two in self._is_known or two in self.public_keys)
                for one, two in ((mine, other), (other, mine))
            )
        return all(self._is_own(unknown) for row in self._rows[number] for unknown in row)

    def _deduce_from_messages(self, modulus: int) -> None:
        unknown = [number for number in self._made(modulus) if number not in self._is_known]
        readable = [
            row
            for row, box in enumerate(self._boxes[modulus])
            if box is None or box[1] in self._is_known
        ]
        told = _told_rows(
            modulus,
            {row: self._views[modulus][row] for row in readable},
            {number: self._rows[number] for number in unknown},
            self._is_coin,
            self._is_own,
        )
        for number in unknown:
            derived = [told.get((number, row)) for row in range(len(self._rows[number]))]
            if None not in derived:
                self._told[number] = [each for each in derived if each is not None]
        self._note([number for number in unknown if number in self._told])

    # Why the other seeds are unknown.

    def _entries(self, is_leak: bool) -> dict[int, list[SeedRows]]:
        """The entries of the seeds that have rows, by modulus. A certificate of `leaks` needs no
        private shifts.
        """
        entries = {}
        for modulus, view in self._views.items():
            made = self._made(modulus)
            unknown = {
                number: self._rows[number] for number in made if number not in self._is_known
            }
            moves: Mapping[tuple[int, int], Vector] = {}
            if unknown and not is_leak:
                moves = private_shifts(modulus, view, unknown, self._is_coin)
            entries[modulus] = [self._entry(modulus, number, moves) for number in made]
        if not is_leak:
            for modulus, each in entries.items():
                for entry in each:
                    self._check_private(modulus, entry)
        return entries

    def _entry(
        self, modulus: int, number: int, moves: Mapping[tuple[int, int], Vector]
    ) -> SeedRows:
        rows = self._rows[number]
        private = [(row, moves[number, row]) for row in range(len(rows)) if (number, row) in moves]
        if not self._is_secret_key(number):
            lanes = self._lanes[modulus]
            enough = (n for n in range(len(private)) if are_enough(modulus, n * lanes))
            private = private[: next(enough, len(private))]
        return SeedRows(number=number, rows=rows, told=self._told.get(number, []), private=private)

    def _is_secret_key(self, number: int) -> bool:
        return number in self.public_keys or any(number in keys for keys in self.keys)

    def _check_private(self, modulus: int, entry: SeedRows) -> None:
        needs_all = self._is_secret_key(entry.number)
        is_free = are_enough(modulus, len(entry.private) * self._lanes[modulus])
        is_whole = len(entry.private) == len(entry.rows)
        if entry.number not in self._is_known and (not is_free or (needs_all and not is_whole)):
            raise SimnetError(
                "no certificate can be written: it would show that the unknown seeds are "
                "independent by bits of each seed on which nothing else depends. It needs "
                f"{LEAST_BITS} such bits of each unknown seed, and all bits of each unknown secret "
                "key, and here there are fewer"
            )


def _listed(bounds: ShareBounds) -> list[tuple[Query, list[bytes]]]:
    """The seeds that matter at the lower or at the upper end of a verdict."""
    listed = bounds.least.listed()
    if bounds.most is not bounds.least:
        present = {digest for _, digests in listed for digest in digests}
        listed += [each for each in bounds.most.listed() if present.isdisjoint(each[1])]
    return listed


def _marked(seeds: Mapping[int, Sequence[Vector]]) -> dict[tuple[int, int], int]:
    rows = [(number, row) for number, each in seeds.items() for row in range(len(each))]
    return {row: FIRST_MARK + at for at, row in enumerate(rows)}


def _told_rows(
    modulus: int,
    messages: Mapping[int, Vector],
    seeds: Mapping[int, Sequence[Vector]],
    is_coin: Which,
    is_own: Which,
) -> dict[tuple[int, int], Derivation]:
    """The rows of seeds that messages give, each with its derivation."""
    marks = _marked(seeds)
    order = [*messages]
    stack = [*messages.values(), *({**seeds[n][row], mark: 1} for (n, row), mark in marks.items())]
    terms = Terms.of_vectors(stack)
    elimination = Elimination(
        terms,
        chosen(terms.unknowns, lambda unknown: unknown < FIRST_MARK and is_coin(unknown)),
        chosen(
            terms.unknowns,
            lambda unknown: unknown >= FIRST_MARK or not (is_coin(unknown) or is_own(unknown)),
        ),
        modulus,
    )
    # Unknowns that are no marks are the first pivots, so that we find the vectors of marks alone.
    span = Span(modulus, order=lambda unknown: (unknown >= FIRST_MARK, unknown))
    for place, remnant in enumerate(elimination.remnants):
        span.add(remnant.targets, {place: 1})
    found: dict[tuple[int, int], Derivation] = {}
    for (number, row), mark in marks.items():
        rest, source = span.reduce({mark: 1})
        if rest:
            continue
        # The combination contains the seed's row once, so the messages give the seed's row negated.
        combined = elimination.weights({at: -value % modulus for at, value in source.items()})
        weights = {order[at]: -w % modulus for at, w in combined.items() if at < len(order)}
        own: Vector = {}
        for at, weight in weights.items():
            add_to(own, messages[at], weight, modulus)
        add_to(own, seeds[number][row], -1, modulus)
        found[number, row] = weights, own
    return found


def private_shifts(
    modulus: int,
    seen: Sequence[Vector],
    seeds: Mapping[int, Sequence[Vector]],
    is_coin: Which,
) -> dict[tuple[int, int], Vector]:
    """Return private shifts, by the number of the seed and the row that the shift changes by 1.

    `seen` are the rows of messages, and `seeds` the rows of unknown seeds by their numbers. A row
    has no private shift if messages, secrets and rows with private shifts determine it. If the
    messages tell something about several seeds together, such as the sum of two rows, these seeds
    have no private shifts at all.
    """
    rows = {mark: row for row, mark in _marked(seeds).items()}

    def moves_of(marks: Sequence[int]) -> tuple[dict[int, Vector], list[Vector]]:
        marked = [{**seeds[rows[mark][0]][rows[mark][1]], mark: 1} for mark in marks]
        return coins_to_move(
            modulus,
            [*seen, *marked],
            lambda unknown: unknown < FIRST_MARK and is_coin(unknown),
            lambda unknown: unknown >= FIRST_MARK,
        )

    shift, told = moves_of([*rows])
    if told:
        span = Span(modulus)
        for vector in told:
            span.add(vector)
        dropped: set[int] = set()
        for vector, _ in span.basis():
            of_seeds = {rows[mark][0] for mark in vector}
            if len(of_seeds) == 1:
                dropped.add(min(vector))  # the other rows of the seed tell this row
            else:
                dropped.update(mark for mark in rows if rows[mark][0] in of_seeds)
        shift, _ = moves_of([mark for mark in rows if mark not in dropped])
    found: dict[tuple[int, int], Vector] = defaultdict(dict)
    for coin in sorted(shift):
        for mark, value in shift[coin].items():
            found[rows[mark]][coin] = value
    return {row: found[row] for row in rows.values() if row in found}


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
