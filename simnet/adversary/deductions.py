"""Which seeds, random rows and boxes a coalition knows: ideal primitives in a verdict.

Theory of operation
-------------------

Let F(s) be the random row that is made from the seed s. To a coalition that does not know s, this
row is like coins. A coalition that knows s knows the row, too. So the unknowns of a row are *known*
if the coalition knows the seed, and *coins* otherwise. The same holds for a seed that two parties
agree on, which is known to whoever knows one of the two secret keys and the other public key. In
the same way, the content of a box is in the view of whoever has the box and knows its key. One
thing that becomes known can make others known: a share in a box completes a seed, the seed gives a
mask, and so on. So we repeat two steps until nothing changes (docs/proofs/ideal-primitives.md has
the proof):

1. A seed is known if it consists of unknowns that are known.
2. We write the elements of the seeds below the rows of the view, and eliminate the coins from all
   these rows. A seed is *known* if the view and what the coalition knows determine all its
   elements.

An unknown seed that matters for the view must be *hard to guess*. Elimination says how many
elements of the seed are uniform given the view. The bits of these elements are the seed's *free
bits*. A seed with too few free bits may be guessed, and a guess may be tested with the seed's row.
Then we cannot say that the row hides anything, and the upper end of the verdict is `leaks`;
`doubts` says why. It may also be `leaks` if the view tells something about two seeds together,
because their rows may then depend on each other.

Example. In F_101, s is a seed of one coin, and the coalition sees x + F(s). The coalition does not
know s, but s has only log2(101) = 6.7 free bits, so the coalition may guess s.
"""

import functools
import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import floor, log2

import attrs
import numpy as np

from simnet.adversary.check import LEAST_BITS
from simnet.adversary.door_uses import DoorUse
from simnet.adversary.field_view import BlockForms, BoxesReceived
from simnet.adversary.rewriting import Doors, Rewriting, families_of
from simnet.adversary.roles import Roles
from simnet.linear.elimination import Elimination
from simnet.linear.forms import Forms
from simnet.linear.seeds import Agreement, Query, Seed, form_key
from simnet.linear.span import Span
from simnet.linear.terms import Terms, accumulate, common_lanes, fresh, join, refine
from simnet.linear.unknowns import PLACES, Unknowns
from simnet.linear.vectors import Vector
from simnet.printable import count_of

IDEAL = "an ideal random function"
FIRST_MARK = 1 << 62  # marks are numbered from here, above all unknowns


@attrs.frozen(eq=False)
class Sight:
    """What a coalition sees: messages with field elements, boxes, and public keys (as digests).

    `public_keys` also has keys of which the coalition sees only a signature, because a signature
    may tell what it signs. `shown_keys` are the keys that the coalition sees itself. `handed` is
    what the ideal world hands to the coalition.
    """

    parts: Sequence[BlockForms]
    boxes: Sequence[BoxesReceived] = ()
    public_keys: frozenset[bytes] = frozenset()
    shown_keys: frozenset[bytes] = frozenset()
    handed: Sequence[Forms] = ()


@attrs.define(eq=False)
class _Node:
    """One form that is used as a seed, a secret key, or the key of a box. If it is used in two or
    three of these ways, `digests` has one digest for each way.
    """

    seed: Seed
    families: frozenset[int]
    digests: list[bytes] = attrs.field(factory=list)
    free_rows: int | None = None  # None if all elements are free
    lanes: int = 1

    @property
    def free_bits(self) -> float:
        """How many bits of the seed are uniform, given the view."""
        count = self.seed.length if self.free_rows is None else self.free_rows * self.lanes
        return count * log2(self.seed.modulus)


class Deductions:
    """The seeds, random rows and boxes that a coalition knows.

    With `generous`, the coalition also gets the rows with coins that honest parties gave to doors
    or multiplied, the public keys of which it sees signatures, and its ideal output. `rewriting`
    has the resulting roles of unknowns, and `parts` are the messages with the contents of opened
    boxes.
    """

    def __init__(
        self,
        doors: Doors,
        corrupt: Sequence[str],
        sight: Sight,
        with_opened: bool = True,
        generous: bool = False,
    ) -> None:
        self._doors = doors
        self._corrupt = corrupt
        self.sight = sight
        self._with_opened = with_opened
        self.generous = generous
        self._unknowns: Unknowns = doors.unknowns
        self.known: set[bytes] = set()  # digests
        self._streams: dict[int, bytes] = {
            family.number: family.seed
            for family in self._unknowns.families
            if family.kind == "stream"
        }
        self._nodes = self._make_nodes()
        self._found: dict[int, _MarkedSeeds] = {}
        self.parts: list[BlockForms] = list(sight.parts)
        self.rewriting = self._rewriting()
        self._unopened = {
            (at, place)
            for at, received in enumerate(sight.boxes)
            for place in range(len(received.boxes.keys))
        }
        if self._unknowns.queries:
            self._settle()

    @property
    def is_final(self) -> bool:
        """Whether it is certain that the coalition deduces no more with `generous`."""
        if not self._unknowns.queries:
            return True
        roles = self.rewriting.roles
        given = families_of(self.rewriting.terms(forms) for forms in self.sight.handed)
        # Rows without coins make a seed known only if the view tells it up to secrets already.
        return (
            not self.rewriting.open_doors()
            and not self.rewriting.open_factors()
            and not self.may_agree_by_signatures()
            and not roles.depends_on_coins(given)
            and not any(found.groups() for found in self._found.values())
        )

    def widened(self) -> "Deductions":
        """What the coalition deduces if it is given more: see `generous`."""
        return Deductions(self._doors, self._corrupt, self.sight, self._with_opened, generous=True)

    def without_output(self) -> "Deductions":
        """What the coalition deduces if it gets no ideal output."""
        sight = attrs.evolve(self.sight, handed=())
        return Deductions(
            self._doors, self._corrupt, sight, self._with_opened, generous=self.generous
        )

    def relies_on_more_than(self, other: "Deductions") -> bool:
        """Whether this coalition knows seeds that matter for its view and that `other` does not
        know, or there are doubts about what is hidden from `other`. `other` is the same coalition,
        but is given less.
        """
        return bool((self.known - other.known) & self.reached or other.doubts())

    # The fixpoint.

    def _settle(self) -> None:
        while True:
            self._know_trivial()
            self._open_boxes()
            self.rewriting = self._rewriting()
            if not self._eliminate():
                return

    def _rewriting(self) -> Rewriting:
        streams = {number for number, digest in self._streams.items() if digest in self.known}
        return Rewriting(self._doors, self._corrupt, self._with_opened, streams)

    def _make_nodes(self) -> list[_Node]:
        by_form: dict[tuple[int, int, bytes], _Node] = {}
        for digest, query in self._unknowns.queries.items():
            if isinstance(query, Agreement):
                continue
            key = (query.modulus, query.length, form_key(query.terms))
            if key not in by_form:
                families = frozenset(np.unique(query.terms.unknowns // PLACES).tolist())
                by_form[key] = _Node(query, families)
            by_form[key].digests.append(digest)
        return list(by_form.values())

    def _know_trivial(self) -> None:
        """Note the seeds whose unknowns are all known, and the seeds that the coalition can agree
        on, until there are no more.
        """
        held = self._unknowns.held_by(self._corrupt)
        agreements = {
            digest: query
            for digest, query in self._unknowns.queries.items()
            if isinstance(query, Agreement)
        }

        def is_known(family: int) -> bool:
            return bool(held[family]) or self._streams.get(family, b"") in self.known

        before = -1
        while before != len(self.known):
            before = len(self.known)
            for node in self._nodes:
                if node.digests[0] not in self.known and all(map(is_known, node.families)):
                    self.known.update(node.digests)
            for digest, query in agreements.items():
                if self._can_agree(query):
                    self.known.add(digest)

    def _can_agree(self, query: Agreement, by_signatures: bool = False) -> bool:
        sight = self.sight
        public = sight.public_keys if self.generous or by_signatures else sight.shown_keys
        return any(
            mine in self.known and (other in self.known or other in public)
            for mine, other in (query.keys, query.keys[::-1])
        )

    def may_agree_by_signatures(self) -> bool:
        """Whether the coalition could agree on one more seed if signatures told what they sign."""
        if self.sight.public_keys == self.sight.shown_keys:
            return False
        return any(
            isinstance(query, Agreement)
            and digest not in self.known
            and self._can_agree(query, by_signatures=True)
            for digest, query in self._unknowns.queries.items()
        )

    def _open_boxes(self) -> None:
        openable: dict[int, list[int]] = defaultdict(list)
        for at, place in sorted(self._unopened):
            if self.sight.boxes[at].boxes.keys[place] in self.known:
                openable[at].append(place)
                self._unopened.discard((at, place))
        self.parts += [self.sight.boxes[at].opened(which) for at, which in openable.items()]

    def _rows(self) -> dict[int, list[Terms]]:
        rows: dict[int, list[Terms]] = defaultdict(list)
        for part in self.parts:
            rows[part.field.modulus].append(self.rewriting.part(part).terms)
        if self.generous:
            for forms in self.sight.handed:
                rows[forms.field.modulus].append(self.rewriting.terms(forms))
            for door in self.rewriting.open_doors():
                for modulus, terms in door.rows.items():
                    rows[modulus].append(terms)
            for modulus, terms in self.rewriting.open_factors():
                rows[modulus].append(terms)
        return rows

    def _eliminate(self) -> bool:
        rows = self._rows()
        unsettled = [node for node in self._nodes if node.digests[0] not in self.known]
        by_modulus: dict[int, list[_Node]] = defaultdict(list)
        for node in unsettled:
            by_modulus[node.seed.modulus].append(node)
        is_new = False
        for modulus, nodes in by_modulus.items():
            found = _MarkedSeeds(modulus, rows.get(modulus, []), nodes, self.rewriting.roles)
            self._found[modulus] = found
            for node in found.known:
                self.known.update(node.digests)
                is_new = True
        return is_new

    # What is left unknown.

    @functools.cached_property
    def reached(self) -> set[bytes]:
        """The digests of all seeds, known or not, that matter for what the coalition sees.

        We also go through known seeds, for the following reason. A coalition that knows one of two
        secret keys and the other public key knows the seed that was agreed on. The rows of this
        seed, or a box that it opens, show whether a guess of the other secret key is right.
        """
        queries = self._unknowns.queries
        if not queries:
            return set()  # no seeds; the rows of a large run need not be gone through
        present = families_of(terms for each in self._rows().values() for terms in each)
        # A door may disclose something about known rows, which are not added to the view.
        for each in self._doors.arguments:
            if not (isinstance(each.source, DoorUse) and each.source.kind == "output"):
                present |= each.families
        pending = [self._streams[number] for number in present if number in self._streams]
        pending += [key for received in self.sight.boxes for key in received.boxes.keys]
        pending += [key for key in self.sight.public_keys if key in queries]
        pending += [key for keys in self._unknowns.compared for key in keys if key in queries]
        by_digest = {digest: node for node in self._nodes for digest in node.digests}
        found: set[bytes] = set()
        while pending:
            digest = pending.pop()
            if digest in found:
                continue
            found.add(digest)
            query = queries[digest]
            if isinstance(query, Agreement):
                pending += query.keys
            else:
                pending += [
                    self._streams[number]
                    for number in by_digest[digest].families
                    if number in self._streams
                ]
        return found

    @functools.cached_property
    def _relevant(self) -> set[bytes]:
        return self.reached - self.known

    def listed(self) -> list[tuple[Query, list[bytes]]]:
        """All seeds that matter for what the coalition sees, each with its digests, in the order in
        which the run used them.
        """
        nodes = {digest: node for node in self._nodes for digest in node.digests}
        found: dict[int, tuple[Query, list[bytes]]] = {}
        for digest, query in self._unknowns.queries.items():
            if digest in self.reached:
                node = nodes.get(digest)
                entry = (query, [digest]) if node is None else (node.seed, node.digests)
                found.setdefault(id(entry[0]), entry)
        return list(found.values())

    def closed_boxes(self) -> Iterator[tuple[BoxesReceived, int]]:
        """The boxes that the coalition cannot open: each message, and the place of the box."""
        return ((self.sight.boxes[at], place) for at, place in sorted(self._unopened))

    def unknown_seeds(self) -> list[tuple[Seed, float]]:
        """The seeds that matter for the view and that the coalition does not know, each with its
        number of free bits. Agreed seeds are left out.
        """
        return [(node.seed, node.free_bits) for node in self._unknown_nodes]

    @property
    def _unknown_nodes(self) -> list[_Node]:
        return [
            node for node in self._nodes if any(digest in self._relevant for digest in node.digests)
        ]

    def doubts(self) -> list[str]:
        """At most three sentences that say why random rows or boxes perhaps hide nothing; empty if
        there is no doubt.
        """
        if not self._unknowns.queries:
            return []
        found = [
            f"{self._title(node)} has only {_bits(node.free_bits)} that the coalition does not "
            f"know, and at least {LEAST_BITS} are needed: it may be guessed"
            for node in self._unknown_nodes
            if node.free_bits < LEAST_BITS
        ]
        if found:
            return sorted(found)[:3]
        return self._pairs_in_doubt()

    def _pairs_in_doubt(self) -> list[str]:
        """Return a sentence about two unknown seeds that may depend on each other; the list is
        empty if there are none. Two seeds may depend on each other if the view tells something
        about both together.

        Seeds of random rows must be different, and secret keys must be independent.
        """
        relevant = set(map(id, self._unknown_nodes))
        for found in self._found.values():
            for group in found.groups():
                present = [node for node in group if id(node) in relevant]
                for one, other in itertools.combinations(present, 2):
                    kinds = self._kinds(one) | self._kinds(other)
                    is_close = not found.are_surely_different(one, other)
                    both_stretched = "seed" in self._kinds(one) & self._kinds(other)
                    may_show = both_stretched or self._were_compared(one, other)
                    if "secret key" in kinds or (may_show and is_close):
                        return [
                            f"the view tells something about {self._title(one)} and "
                            f"{self._title(other)} together, so they may depend on each other"
                        ]
        return []

    def _were_compared(self, one: _Node, other: _Node) -> bool:
        return any(
            keys.issuperset(pair)
            for pair in itertools.product(one.digests, other.digests)
            for keys in self._unknowns.compared
        )

    def _kinds(self, node: _Node) -> set[str]:
        queries = (self._unknowns.queries[digest] for digest in node.digests)
        return {query.kind for query in queries if isinstance(query, Seed)}

    def _title(self, node: _Node) -> str:
        vector = node.seed.terms.vectors()[0]
        names = [self._unknowns.name(unknown) for unknown in vector]
        who = sorted({holder for name in names for holder in name.holders})
        of = f" made from values of {_listed(who)}" if who else ""
        return f"a {node.seed.kind}{of}"

    def model(self) -> list[str]:
        """Sentences that name the assumptions on which the upper end of the verdict rests."""
        nodes = self._unknown_nodes
        if not self._relevant:
            return []
        queries = self._unknowns.queries
        relevant = [queries[digest] for digest in self._relevant]
        kinds = {"agreed" if isinstance(query, Agreement) else query.kind for query in relevant}
        assumptions = [IDEAL] if kinds & {"seed", "agreed"} else []
        if kinds & {"agreed", "secret key"}:
            assumptions.append(
                "hashed Diffie-Hellman with independent secret keys and authentic public keys"
            )
        if self._unopened or "key" in kinds:
            assumptions.append("ideal encryption")
        if self._unknowns.signed:
            assumptions.append("ideal signatures")
        least = min((node.free_bits for node in nodes), default=0.0)
        several = len(nodes) != 1
        unknown = f"one of {len(nodes)} seeds and keys, each" if several else "a seed or key"
        return [
            f"the statement holds in the model of {_listed(assumptions)}: to learn more, the "
            f"coalition would have to guess {unknown} with at least {_whole(least)} bits that it "
            f"does not know"
            f"{self._about_generators() if IDEAL in assumptions else ''}"
        ]

    def _about_generators(self) -> str:
        if self.generator_is_enough():
            return "; a pseudo-random generator is enough in place of the random function"
        return "; whether a pseudo-random generator is enough is not known"

    def generator_is_enough(self) -> bool:
        """Whether a pseudo-random generator can stand in for the random function; False if we do
        not know.

        We look for an order of the unknown seeds in which each seed is uniform, given the view and
        the seeds after it. When we test a seed, the rows of the seeds before it count as coins, and
        its own rows and all other rows count as known numbers. A seed that can come first can also
        come later, so the order is found step by step (see the page "Random functions, agreed seeds
        and boxes" in the documentation). Agreed seeds, secret keys and keys of boxes need more than
        a generator.
        """
        queries = (self._unknowns.queries[digest] for digest in self.reached)
        if any(isinstance(query, Agreement) or query.kind != "seed" for query in queries):
            return False
        left, rows = self._unknown_nodes, self._rows()
        while left:
            waiting = {digest for node in left for digest in node.digests} | self.known
            as_numbers = {number for number, digest in self._streams.items() if digest in waiting}
            roles = Roles(self._unknowns, self._corrupt, (), as_numbers)
            by_modulus: dict[int, list[_Node]] = defaultdict(list)
            for node in left:
                by_modulus[node.seed.modulus].append(attrs.evolve(node))
            bound: set[bytes] = set()  # the first digests of seeds that cannot come next
            for modulus, nodes in by_modulus.items():
                found = _MarkedSeeds(modulus, rows.get(modulus, []), nodes, roles)
                told = [*found.known, *itertools.chain.from_iterable(found.groups())]
                bound.update(node.digests[0] for node in told)
            if len(bound) == len(left):
                return False
            left = [node for node in left if node.digests[0] in bound]
        return True


class _MarkedSeeds:
    """Seeds beside the rows of a view over one field, with a mark at each row of a seed.

    A *mark* is an additional target that only one row of one seed contains. So a combination of
    rows from which all coins are gone shows by its marks which seeds take part in it::

        one mark alone            this row of the seed is known
        several marks             a combination of rows of seeds is known
        marks, and also secrets   such a combination is known up to secrets: it may be guessed
        no combination            given the view, the rows of all seeds are uniform together

    `known` are the seeds that the view determines. The attribute `free_rows` of the seeds is set,
    too.
    """

    def __init__(
        self, modulus: int, rows: Sequence[Terms], nodes: Sequence[_Node], roles: Roles
    ) -> None:
        self._modulus = modulus
        for node in nodes:
            node.free_rows = None
        checked = _not_apart(nodes, rows, roles)
        self._lanes = common_lanes([*rows, *(node.seed.terms for node in checked)]) or 1
        self._checked = checked
        self._marks: dict[int, range] = {}
        first = 0
        for node in checked:
            node.lanes = self._lanes
            self._marks[id(node)] = range(first, first := first + node.seed.length // self._lanes)
        vectors = self._remnants(rows, roles) if checked else []
        self._known = self._known_combinations(vectors)
        known = {mark for vector in self._known if len(vector) == 1 for mark in vector}
        self.known = [node for node in checked if known.issuperset(self._marks[id(node)])]
        settled = {mark for node in self.known for mark in self._marks[id(node)]}
        span = Span(modulus)
        for vector in vectors:
            span.add({mark: value for mark, value in self._of_marks(vector) if mark not in settled})
        # The combinations of rows of unknown seeds that the view tells, perhaps up to secrets.
        self._told = [vector for vector, _ in span.basis()]
        involved = {mark for vector in self._told for mark in vector}
        for node in checked:
            marks = self._marks[id(node)]
            node.free_rows = len(marks) - (self._alone(marks) if involved & set(marks) else 0)

    def groups(self) -> list[list[_Node]]:
        """The unknown seeds of which the view tells something, in groups. What the view tells about
        seeds of different groups follows from what it tells about each group.
        """
        owner = {mark: node for node in self._checked for mark in self._marks[id(node)]}
        groups: list[set[int]] = []
        for vector in self._told:
            joined = set(vector)
            for group in [each for each in groups if each & joined]:
                joined |= group
                groups.remove(group)
            groups.append(joined)
        return [list({id(owner[mark]): owner[mark] for mark in group}.values()) for group in groups]

    def are_surely_different(self, one: _Node, other: _Node) -> bool:
        """Whether two seeds differ, except with a chance of at most 2 to the power of
        -`LEAST_BITS`.

        Seeds of different lengths differ. Seeds of equal length differ in two cases: enough bits of
        their difference are uniform, given the view; or the view tells the whole difference. In the
        second case the difference is not 0, because seeds of different forms and equal values are
        refused when they are used. In all other cases the answer is False.
        """
        if one.seed.length != other.seed.length:
            return True
        told, known = Span(self._modulus), Span(self._modulus)
        for vector in self._told:
            told.add(vector)
        for vector in self._known:
            known.add(vector)
        pairs = zip(self._marks[id(one)], self._marks[id(other)], strict=True)
        differences = [{mine: 1, others: self._modulus - 1} for mine, others in pairs]
        if all(difference in known for difference in differences):
            return True
        free = sum(told.add(difference) for difference in differences)
        return free * self._lanes * log2(self._modulus) >= LEAST_BITS

    def _known_combinations(self, vectors: Sequence[Vector]) -> list[Vector]:
        """A basis of the combinations of rows of seeds that the view tells, by marks."""
        # Unknowns without marks are the first pivots, so that functions of secrets that the view
        # tells are removed from all other vectors.
        span = Span(self._modulus, order=lambda unknown: (unknown >= FIRST_MARK, unknown))
        for vector in sorted(vectors, key=len):
            span.add(vector)
        return [
            dict(self._of_marks(vector))
            for vector, _ in span.basis()
            if all(unknown >= FIRST_MARK for unknown in vector)
        ]

    def _of_marks(self, vector: Vector) -> Iterator[tuple[int, int]]:
        for unknown, value in vector.items():
            if unknown >= FIRST_MARK:
                yield (unknown - FIRST_MARK) // self._lanes, value

    def _alone(self, marks: Sequence[int]) -> int:
        """The dimension of the space of all combinations that the view tells and that contain no
        marks but these.
        """
        own = set(marks)
        span = Span(self._modulus, order=lambda mark: (mark in own, mark))
        for vector in self._told:
            span.add(vector)
        return sum(own.issuperset(vector) for vector, _ in span.basis())

    def _remnants(self, rows: Sequence[Terms], roles: Roles) -> list[Vector]:
        """The combinations of rows and seeds from which all coins are gone."""
        lanes = self._lanes
        own = join([refine(node.seed.terms, lanes) for node in self._checked])
        both = join([own, fresh(FIRST_MARK, own.rows, lanes)])
        marked = accumulate(both, np.tile(np.arange(own.rows), 2), None, own.rows, self._modulus)
        stack = join([*(refine(terms, lanes) for terms in rows), marked])
        is_mark = stack.unknowns >= FIRST_MARK
        unknowns = np.where(is_mark, 0, stack.unknowns)
        is_coin = roles.is_coin(unknowns) & ~is_mark
        is_target = is_mark | ~(is_coin | roles.is_known(unknowns))
        elimination = Elimination(stack, is_coin, is_target, self._modulus)
        return [remnant.targets for remnant in elimination.remnants]


def _not_apart(nodes: Sequence[_Node], rows: Sequence[Terms], roles: Roles) -> list[_Node]:
    """The seeds that have to be eliminated together with the view.

    The other seeds are *apart*: they consist of different coins, and these occur neither in the
    view nor in another seed. So they are uniform whatever the view is.
    """
    present = families_of(rows)
    uses = Counter(number for node in nodes for number in node.families)

    def is_apart(node: _Node) -> bool:
        terms = node.seed.terms
        if any(number in present or uses[number] > 1 for number in node.families):
            return False
        is_single = bool(np.all(terms.lengths == 1)) and bool(roles.is_coin(terms.unknowns).all())
        return is_single and len(np.unique(refine(terms, 1).unknowns)) == node.seed.length

    return [node for node in nodes if not is_apart(node)]


def _whole(bits: float) -> int:
    """A number of bits, rounded down. A number that lies at most 0.01 below a whole number counts
    as this whole number.
    """
    return floor(bits + 0.01)


def _bits(bits: float) -> str:
    """A number of bits that is too small, in words."""
    return count_of(min(_whole(bits), LEAST_BITS - 1), "bit")


def _listed(words: Iterable[str]) -> str:
    each = list(words)
    if len(each) < 2:
        return "".join(each)
    return ", ".join(each[:-1]) + " and " + each[-1]
