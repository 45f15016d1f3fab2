"""Finds what the equations of a certificate tell, by an elimination that shares no code with the
package.

Theory of operation. A checker verifies the proof that the file contains: its shifts and
combinations. This module does not read the proof. It writes out the rows, unknown by unknown and
lane by lane, and finds what they tell by Gaussian elimination with Python's integers. If the file's
statement, its numbers of functions and its ideal output agree with the result, this module makes
from it the second line that a checker should print.

Example: the rows s + c and c, with a coin c, tell s. Elimination subtracts the second row from the
first, and s is left:

>>> seen = [{"s": 1, "c": 1}, {"c": 1}]
>>> list(left_over(seen, lambda unknown: unknown == "c", 7))
[{'s': 6}]

Where a proof replaces coins by rows, elimination does not decide. Over tiny fields, `tiny_law`
plays coins and doors, and compares the exact laws.
"""

import itertools
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs
import flint

Name = Any  # an unknown: the pair of its family and its place in the family, with lanes written out
Row = dict[Name, int]
MOST_WRITTEN_OUT = 12  # parties
STATEMENTS = ("nothing", "output-only", "leaks", "no-shares")


class Untrue(ValueError):
    """Raised for a file whose statement is not true of the equations that it lists, or that has no
    meaning.
    """


class TooLarge(Exception):
    """Raised for classes of so many parties that their rows are not written out."""


def second_line(text: str) -> str:
    """Return the second line that is true of a file. Raises `Untrue` if no such line exists."""
    listing = Listing(text)
    listing.prove()
    return listing.sentence()


# Elimination.


class Echelon:
    """Rows over F_q in echelon form: each row has a pivot, and no later row contains this pivot."""

    def __init__(self, modulus: int) -> None:
        self._modulus = modulus
        self._rows: list[tuple[Name, Row]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def reduced(self, row: Mapping[Name, int]) -> Row:
        """Return the row after its pivots have been eliminated with the rows of this object."""
        left = dict(row)
        for pivot, other in self._rows:
            factor = left.get(pivot, 0)
            if factor:
                for unknown, value in other.items():
                    left[unknown] = (left.get(unknown, 0) - factor * value) % self._modulus
        return {unknown: value for unknown, value in left.items() if value}

    def add(
        self, row: Mapping[Name, int], may_be_pivot: Callable[[Name], bool] = lambda _: True
    ) -> Row | None:
        """Reduce a row and add it. If no unknown of the reduced row may be a pivot, return this row
        and add nothing.
        """
        left = self.reduced(row)
        pivot = next((unknown for unknown in left if may_be_pivot(unknown)), None)
        if pivot is None:
            return left
        inverse = pow(left[pivot], -1, self._modulus)
        self._rows.append((pivot, {u: v * inverse % self._modulus for u, v in left.items()}))
        return None


def left_over(
    rows: Iterable[Mapping[Name, int]], is_removed: Callable[[Name], bool], modulus: int
) -> Iterator[Row]:
    """Return a basis of the combinations of the rows in which the given unknowns do not occur."""
    echelon, found = Echelon(modulus), Echelon(modulus)
    for row in rows:
        left = echelon.add(row, is_removed)
        if left and found.add(left) is None:
            yield left


def rank(rows: Iterable[Mapping[Name, int]], modulus: int) -> int:
    """Return the rank of the rows."""
    echelon = Echelon(modulus)
    for row in rows:
        echelon.add(row)
    return len(echelon)


def span(rows: Iterable[Mapping[Name, int]], modulus: int) -> Echelon:
    """Return the echelon form of the rows' span."""
    echelon = Echelon(modulus)
    for row in rows:
        echelon.add(row)
    return echelon


# Reading.


def demand(condition: object, complaint: str) -> None:
    if not condition:
        raise Untrue(complaint)


def number(value: Any, least: int | None = 0) -> int:
    demand(type(value) is int and (least is None or value >= least), f"{value!r:.40} as a number")
    return int(value)


def words(value: Any) -> list[str]:
    """Return the value, which must be a list of different texts that are not empty."""
    demand(type(value) is list, "no list of names")
    demand(all(type(name) is str and name for name in value), "a name is no text, or empty")
    demand(len(set(value)) == len(value), "a name is twice there")
    return list(value)


def entries(value: Any) -> list[Any]:
    demand(type(value) is list, "no list")
    return list(value)


def flag(value: Any) -> bool:
    demand(type(value) is bool, "neither true nor false")
    return bool(value)


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    demand(len({key for key, _ in pairs}) == len(pairs), "a key is twice there")
    return dict(pairs)


@attrs.frozen
class Door:
    """A call by which an honest party gave rows to a function."""

    made: Name | None
    has_input: bool
    discloses: bool
    in_full: bool


@attrs.frozen
class Opened:
    """A row that a door was given, in one lane."""

    door: int
    is_seen: bool
    row: Row


@attrs.define
class OneField:
    """What is listed over one field, lanes written out."""

    modulus: int
    lanes: int
    vectors: int = 0
    rows: list[Row] = attrs.Factory(list)
    boxes: list[int | None] = attrs.Factory(list)  # for each row, the seed that is its box's key
    seeds: dict[int, list[Row]] = attrs.Factory(dict)  # the elements of seeds that were made
    opened: list[Opened] = attrs.Factory(list)
    learned: list[Row] = attrs.Factory(list)
    given: list[Name] = attrs.Factory(list)
    changes: list[tuple[int, Name]] = attrs.Factory(list)
    has_changes: bool = False
    ideal: list[Row] = attrs.Factory(list)


class Listing:
    """The equations that a file lists, and what they tell. An unknown is a pair of its family and
    its place in the family.
    """

    def __init__(self, text: str) -> None:
        """Read the file. Raises `Untrue` for a file that has no meaning."""
        try:
            content = json.loads(text, object_pairs_hook=once)
            self._read(content)
        except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
            raise Untrue(f"{type(error).__name__}: {error}") from error

    def _read(self, content: dict[str, Any]) -> None:
        demand(content["statement"] in STATEMENTS, "no such statement")
        self.statement: str = content["statement"]
        self.members = words(content["set"])
        demand(self.members, "nobody colludes")
        self._sent = [run["sent"] for run in entries(content["runs"])]
        if self.statement == "no-shares":
            lists = ("families", "doors", "told", "fields", "seeds", "closed")
            demand(not any(content[key] for key in lists), "equations without shares")
            demand(not any(pair[1] for sent in self._sent for pair in sent.values()), "was sent")
        self._read_seeds(content)
        self._sizes: dict[Name, int] = {}
        self._own: dict[Name, bool] = {}
        self._is_coin: dict[Name, bool] = {}
        self._factors: dict[Name, list[tuple[Name, int]]] = {}
        self._named: list[Name] = []
        for family in entries(content["families"]):
            self._named.append(self._family(family))
        self.doors = [self._door(door) for door in entries(content["doors"])]
        self.told = {self._named[number(family)] for family in entries(content["told"])}
        self.made = {door.made for door in self.doors if door.made is not None}
        for family in self.told:
            is_free = not (self._is_coin[family] or self._factors[family] or family == "1")
            demand(is_free and (self._own[family] or family in self.made), "this cannot be told")
        self._listed: Counter[tuple[int, str]] = Counter()
        self.fields = [self._field(part) for part in entries(content["fields"])]
        for (run, tag), elements in self._listed.items():
            demand(elements <= number(self._sent[run][tag][1]), "more than was sent")

    def _read_seeds(self, content: dict[str, Any]) -> None:
        self.agreed: dict[int, tuple[int, int]] = {}
        self.how_many_seeds = len(entries(content["seeds"]))
        for seed, keys in enumerate(content["seeds"]):
            if entries(keys):
                one, other = map(number, keys)
                self.agreed[seed] = one, other
        made = set(range(self.how_many_seeds)) - self.agreed.keys()
        demand(all(made.issuperset(keys) for keys in self.agreed.values()), "no such secret key")
        demand(len({*self.agreed.values()}) == len(self.agreed), "two agreed seeds are one")
        self.public_keys = {number(key) for key in entries(content["public_keys"])}
        demand(made >= self.public_keys, "no such public key")
        self.known = {number(seed) for seed in entries(content["known"])}
        demand(len(self.known) == len(content["known"]), "known twice")
        demand(all(seed < self.how_many_seeds for seed in self.known), "no such seed")
        for box in entries(content["closed"]):
            demand(box["from"] not in self.members and box["to"] in self.members, "no box seen")
            demand(number(box["run"], 1) <= len(self._sent), "no such run")
            seed = number(box["box"][1])
            demand(seed < self.how_many_seeds and seed not in self.known, "an open box")

    def _family(self, family: dict[str, Any]) -> Name:
        kind, holders = family["kind"], words(family["holders"])
        factors = [(self._named[number(f)], number(at)) for f, at in entries(family["factors"])]
        demand(all(at < self._sizes[f] for f, at in factors), "no such factor")
        if kind == "monomial":
            demand(not holders and len(factors) > 1, "no monomial")
            demand(all(f[0] != "stream" and f != "1" for f, _ in factors), "no such factor")
            name: Name = ("monomial", tuple(sorted(factors, key=repr)))
        elif kind == "public":
            demand(not holders and not factors, "held by somebody")
            name = "1"
        elif kind == "stream":
            demand(not holders and not factors, "held by somebody")
            demand(type(family["label"]) is str, "no label")
            demand(number(family["seed"]) < self.how_many_seeds, "no such seed")
            name = (kind, family["seed"], family["label"])
        else:
            demand(kind in ("coin", "secret", "product"), "no such kind")
            demand(holders and not factors, "nobody holds it")
            demand(type(family["label"]) is str, "no label")
            name = (kind, tuple(sorted(holders)), family["label"])
        demand(name not in self._sizes, "a family is twice there")
        self._sizes[name] = number(family["size"], 1)
        demand(kind == "stream" or family["seed"] is None, "a seed of something else")
        self._is_coin[name] = kind in ("coin", "stream")
        self._factors[name] = factors
        is_known = all(self._own[f] for f, _ in factors) if factors else name == "1"
        self._own[name] = is_known or not set(holders).isdisjoint(self.members)
        if kind == "stream":
            self._own[name] = family["seed"] in self.known
        return name

    def _door(self, door: dict[str, Any]) -> Door:
        demand(type(door["party"]) is str and door["party"] not in self.members, "a member's door")
        made = None if door["made"] is None else self._named[number(door["made"])]
        demand(door["kind"] in ("secret", "disclose"), "no such door")
        demand((made is None) == (door["kind"] == "disclose"), "no such door")
        if made is not None:
            is_apt = not (self._own[made] or self._is_coin[made] or self._factors[made])
            demand(is_apt and made != "1", "this cannot be made")
        return Door(made, *(flag(door[key]) for key in ("has_input", "discloses", "in_full")))

    def _field(self, part: dict[str, Any]) -> OneField:
        if part["alike"] is not None:
            return self._field_of_classes(part, part["alike"])
        modulus, lanes = number(part["modulus"], 2), number(part["lanes"], 1)
        demand(modulus < 1 << 64 and flint.fmpz(modulus).is_prime(), "no field")
        demand(lanes <= 1000 or not part["unknowns"], "too many lanes to write out")
        unknowns = [(self._named[number(f)], number(at)) for f, at in entries(part["unknowns"])]
        demand(all(at + lanes <= self._sizes[f] for f, at in unknowns), "no such unknown")
        apart = {(f, at + lane) for f, at in unknowns for lane in range(lanes)}
        demand(len(apart) == len(unknowns) * lanes, "one unknown under two numbers")
        field = OneField(modulus, lanes)

        def written_out(form: Any) -> list[Row]:
            pairs = [(unknowns[number(u)], number(value, 1)) for u, value in entries(form)]
            demand(len({u for u, _ in pairs}) == len(pairs), "an unknown is twice there")
            demand(all(value < modulus for _, value in pairs), "no coefficient")
            if not pairs:
                return [{}] * min(lanes, 1000)
            return [{(f, at + lane): v for (f, at), v in pairs} for lane in range(lanes)]

        for message in entries(part["messages"]):
            demand(message["from"] not in self.members, "from a member")
            demand(message["to"] in self.members, "to somebody else")
            run, rows = number(message["run"], 1) - 1, entries(message["rows"])
            demand(run < len(self._sent), "no such run")
            elements = sorted(number(element) for element, _ in rows)
            is_apart = all(b - a >= lanes for a, b in itertools.pairwise(elements))
            demand(is_apart, "an element is twice there")
            box = None if message["box"] is None else number(message["box"][1])
            demand(box is None or box in self.known, "a closed box")
            if box is None:
                self._listed[run, message["tag"]] += len(rows) * lanes
            field.vectors += len(rows)
            field.rows += [row for _, form in rows for row in written_out(form)]
            field.boxes += [box] * (len(field.rows) - len(field.boxes))
        for opened in entries(part["opened"]):
            door, is_seen = number(opened["door"]), flag(opened["seen"])
            demand(door < len(self.doors), "no such door")
            field.opened += [Opened(door, is_seen, row) for row in written_out(opened["form"])]
        for entry in entries(part["seeds"]):
            rows = [row for form in entries(entry["rows"]) for row in written_out(form)]
            demand(rows and entry["seed"] not in field.seeds, "no such seed")
            field.seeds[number(entry["seed"])] = rows
        for entry in entries(part["learned"]):
            field.learned += written_out(entry["function"])
            self._compare_numbers(entry, field)
        field.has_changes = part["changes"] is not None
        field.given = [unknowns[number(coin)] for coin in entries(part["given"])]
        field.changes = [
            (number(row), unknowns[number(coin)]) for row, coin in entries(part["changes"] or [])
        ]
        field.ideal = [row for form in entries(part["ideal"]) for row in written_out(form)]
        return field

    def _field_of_classes(self, part: dict[str, Any], alike: dict[str, Any]) -> OneField:
        """Write out, in one lane, the rows of parties that are alike: one row for each way to put
        different parties into the places of its word.
        """
        modulus = number(part["modulus"], 2)
        demand(flint.fmpz(modulus).is_prime(), "no field")
        beside = ("messages", "opened", "given", "seeds", "changes")
        demand(not any(part[key] for key in beside), "messages beside classes")
        sizes = [number(size) for _, size in entries(alike["classes"])]
        if sum(sizes) > MOST_WRITTEN_OUT:
            raise TooLarge
        field = OneField(modulus, number(part["lanes"], 1))

        def tuples(word: Any) -> list[tuple[tuple[int, int], ...]]:
            parties = [[(of, at) for at in range(sizes[of])] for of in map(number, entries(word))]
            return [each for each in itertools.product(*parties) if len({*each}) == len(each)]

        holders = [
            (self._named[number(family)], tuples(word))
            for (family, _), word in zip(part["unknowns"], alike["unknowns"], strict=True)
        ]

        def written_out(word: Any, form: Any) -> list[Row]:
            terms = [
                (*holders[number(unknown)], number(value, 1), more[0] if more else [])
                for unknown, value, *more in entries(form)
            ]
            demand(all(value < modulus for _, _, value, _ in terms), "no coefficient")
            return [
                {
                    (family, owner): value
                    for family, owners, value, matching in terms
                    for owner in owners
                    if matched(row, owner) == matching
                }
                for row in tuples(word)
            ]

        for _, word, form in entries(alike["rows"]):
            field.rows += written_out(word, form)
        field.vectors, field.boxes = len(field.rows), [None] * len(field.rows)
        for word, entry in zip(alike["functions"], entries(part["learned"]), strict=True):
            field.learned += written_out(word, entry["function"])
        for word, form in zip(alike["ideal"], entries(part["ideal"]), strict=True):
            field.ideal += written_out(word, form)
        return field

    def _compare_numbers(self, entry: dict[str, Any], field: OneField) -> None:
        """Check that the listed numbers, with their weights, give the listed value."""
        for lane, value in enumerate(entry["values"]):
            total = sum(w * number(shown[lane]) for _, w, shown in entry["weights"])
            total -= sum(w * number(shown[lane]) for _, w, shown in entry["own"])
            demand((total - number(value)) % field.modulus == 0, "another value")

    # Classes of unknowns.

    def is_known(self, unknown: Any) -> bool:
        """Return whether the coalition holds the unknown as a number that does not move."""
        return self._own[unknown[0]] and unknown[0] not in self.told

    def is_coin(self, unknown: Any) -> bool:
        """Return whether the unknown moves: it is an honest party's coin, or is treated like such a
        coin.
        """
        family = unknown[0]
        return family in self.told or (self._is_coin[family] and not self._own[family])

    def is_hidden(self, unknown: Any) -> bool:
        """Return whether a door made the unknown, and the coalition was not told it."""
        return unknown[0] in self.made and unknown[0] not in self.told

    def is_secret(self, unknown: Any) -> bool:
        """Return whether the unknown is a secret of an honest party that is made of no coins. In a
        linear proof, products of coins count as secrets.
        """
        is_other = self.is_known(unknown) or self.is_coin(unknown) or self.is_hidden(unknown)
        return not is_other and not (self.has_changes and self.is_mixed(unknown))

    def is_mixed(self, unknown: Any) -> bool:
        """Return whether the unknown is a product of which a factor depends on coins."""
        return any(
            not self.is_known(u) and (self.is_coin(u) or self.is_hidden(u))
            for u in self.factors(unknown)
        )

    @property
    def has_changes(self) -> bool:
        """Whether the proof replaces coins by rows."""
        return any(field.has_changes for field in self.fields)

    def is_known_with(self, unknown: Any, known: Collection[int]) -> bool:
        """Return whether the coalition holds the unknown if it knows only these seeds."""
        family = unknown[0]
        return self._own[family] and (family[0] != "stream" or family[1] in known)

    def factors(self, unknown: Any) -> list[tuple[Name, int]]:
        """Return the unknowns whose product a monomial is."""
        return self._factors[unknown[0]]

    # What is told.

    def prove(self) -> None:
        """Compare the file's statement with what its rows tell. Raises `Untrue` if they differ."""
        families = [
            {
                family
                for unknown in unknowns_of(field)
                for family, _ in [unknown, *self.factors(unknown)]
            }
            - {"1"}
            for field in self.fields
        ]
        is_once = sum(map(len, families)) == len(set().union(*families))
        demand(is_once, "an unknown over two fields")
        prove_seeds(self)
        for field in self.fields:
            self._prove(field)
        self._prove_statement()

    def _prove(self, field: OneField) -> None:
        q = field.modulus
        functions = field.learned
        demand(all(self.is_secret(u) for row in functions for u in row), "no function of secrets")
        # The lower end: the listed functions can be computed from the messages alone.
        messages = [self._without(row, self._is_own) for row in field.rows]
        told = span(left_over(messages, lambda u: not self.is_secret(u), q), q)
        demand(not any(told.reduced(row) for row in field.learned), "more is stated than is told")
        # The upper end.
        if field.has_changes:
            return  # `tiny_law` plays the coins and doors
        seen = [self._without(row, self.is_known) for row in field.rows]
        bound = span(functions, q)
        for row in left_over(seen, self.is_coin, q):
            demand(not bound.reduced(row), "more is told than is stated")

    def _prove_statement(self) -> None:
        learned = self._count("learned")
        mixed = [u for field in self.fields for u in unknowns_of(field) if self.is_mixed(u)]
        demand(self.has_changes or not (self.doors or self.told), "doors beside a linear proof")
        demand(len({field.has_changes for field in self.fields}) < 2, "changes in some fields only")
        if self.statement == "nothing":
            demand(not learned, "functions beside nothing")
        elif self.statement == "output-only":
            demand(learned, "nothing is learned")
            demand(not self._beyond("learned"), "beyond the ideal")
            ideal = [u for field in self.fields for row in field.ideal for u in row]
            demand(all(map(self.is_secret, ideal)), "an ideal output that moves with coins")
        elif self.statement == "leaks":
            demand(self._beyond("learned"), "no leak")
            demand(not self.has_changes, "a leak is listed in full")
        demand(self.statement == "leaks" or self.has_changes or not mixed, "a product of coins")

    def _count(self, key: str) -> int:
        return sum(len(getattr(field, key)) for field in self.fields)

    def _beyond(self, key: str) -> int:
        """Return how many functions do not lie in the span of the ideal output."""
        ideals = [(field, span(field.ideal, field.modulus)) for field in self.fields]
        return sum(bool(ideal.reduced(r)) for field, ideal in ideals for r in getattr(field, key))

    def _is_own(self, unknown: Any) -> bool:
        return self._own[unknown[0]]

    @staticmethod
    def _without(row: Row, is_dropped: Callable[[Name], bool]) -> Row:
        return {unknown: value for unknown, value in row.items() if not is_dropped(unknown)}

    def sentence(self) -> str:
        """Return the second line that a checker should print, in the words of
        docs/reference/certificates.md.
        """
        hidden = len(self.members) - 5
        more = f" and {hidden} more" if hidden > 0 else ""
        who = "{" + ", ".join(map(_escaped, self.members[:5])) + more + "}"
        if self.statement == "no-shares":
            return (
                f"Nothing was to be proved of {who}: according to this file, no field element was "
                "sent."
            )
        vectors = sum(field.vectors for field in self.fields)
        elements = sum(field.vectors * field.lanes for field in self.fields)
        listed = f"{_some(vectors, 'vector')}, {_some(elements, 'field element')}"
        head = f"Proved: what is listed here ({listed}) tells {who}"
        unknown = self.how_many_seeds - len(self.known | self.agreed.keys())
        seeds = "1 seed or key" if unknown == 1 else f"{unknown} seeds and keys"
        model = (
            f" The coalition does not know {seeds} made from field elements. Assumed: ideal random "
            "functions, key agreement and encryption, and that nobody guesses 80 bits."
        ) * (unknown > 0)
        if self.statement == "nothing":
            return f"{head} nothing about the secrets of other parties.{model}"
        head += " the linear functions of the secrets of other parties that are listed"
        if self.statement == "output-only":
            rest = "at most what follows" if self.has_changes else "no more; each follows"
            return f"{head}, and {rest} from the ideal output listed here.{model}"
        return f"{head}; they do not all follow from the ideal output listed here."


def prove_seeds(listing: Listing) -> None:
    """Find which seeds the coalition knows, and whether it may guess others. Raises `Untrue` if the
    file states something else.
    """
    found = [seed for field in listing.fields for seed in field.seeds]
    made = sorted(set(range(listing.how_many_seeds)) - listing.agreed.keys())
    demand(sorted(found) == made, "a seed without elements, or with elements twice")
    if listing.how_many_seeds:
        demand(not listing.doors and not listing.told, "doors beside seeds")
    known: set[int] = set()
    before = None
    while known != before:
        before = set(known)
        known |= {seed for seed in listing.agreed if can_agree(listing, seed, known)}
        for field in listing.fields:
            known |= known_elements(listing, field, frozenset(known))
    demand(listing.known <= known, "a seed that the coalition does not know")
    if listing.statement in ("nothing", "output-only"):
        demand(listing.known == known, "the coalition knows another seed")
        for field in listing.fields:
            prove_unknown(listing, field)


def can_agree(listing: Listing, seed: int, known: Collection[int]) -> bool:
    one, other = listing.agreed[seed]
    pairs = ((one, other), (other, one))
    return any(a in known and (b in known or b in listing.public_keys) for a, b in pairs)


def known_elements(listing: Listing, field: OneField, known: Collection[int]) -> set[int]:
    """Return the seeds over a field all of whose elements are combinations of what can be read."""

    def unheld(row: Row) -> Row:
        return {u: value for u, value in row.items() if not listing.is_known_with(u, known)}

    readable = [
        unheld(row)
        for row, box in zip(field.rows, field.boxes, strict=True)
        if box is None or box in known
    ]
    told = span(readable, field.modulus)
    return {
        seed
        for seed, elements in field.seeds.items()
        if not any(told.reduced(unheld(element)) for element in elements)
    }


def prove_unknown(listing: Listing, field: OneField) -> None:
    """Count how many bits of the unknown seeds, and of their differences, are uniform given what is
    seen, whatever the secrets are.
    """

    def coins(row: Row) -> Row:
        return {u: value for u, value in row.items() if listing.is_coin(u)}

    q = field.modulus
    unknown = {
        seed: [coins(element) for element in elements]
        for seed, elements in field.seeds.items()
        if seed not in listing.known
    }
    seen = [coins(row) for row in field.rows]
    fixed = rank(seen, q)
    for one, elements in unknown.items():
        demand(q ** (rank([*seen, *elements], q) - fixed) >= 2**80, "a seed that may be guessed")
        for other, others in unknown.items():
            if one < other and len(elements) == len(others):
                pairs = zip(elements, others, strict=True)
                differences = [minus(a, b, q) for a, b in pairs]
                free = rank([*seen, *differences], q) - fixed
                demand(q**free >= 2**80, "two seeds that may be equal")
    keys = {key for pair in listing.agreed.values() for key in pair} | listing.public_keys
    for key in keys & unknown.keys():
        rest = [element for seed in unknown.keys() - {key} for element in unknown[seed]]
        free = rank([*seen, *rest, *unknown[key]], q) - rank([*seen, *rest], q)
        demand(free == len(unknown[key]), "a secret key that other things depend on")


def minus(one: Row, other: Row, modulus: int) -> Row:
    result = dict(one)
    for unknown, value in other.items():
        result[unknown] = (result.get(unknown, 0) - value) % modulus
    return {unknown: value for unknown, value in result.items() if value}


def unknowns_of(field: OneField) -> set[Any]:
    """Return all unknowns that occur in the rows of a field."""
    opened = [each.row for each in field.opened]
    rows: Sequence[Row] = [*field.rows, *opened, *field.learned, *field.ideal]
    rows = [*rows, *itertools.chain.from_iterable(field.seeds.values())]
    return {unknown for row in rows for unknown in row}


def matched(row: Sequence[Any], column: Sequence[Any]) -> list[list[int]]:
    """Return the pairs of places that contain one party."""
    return [[p, r] for p, one in enumerate(row) for r, other in enumerate(column) if one == other]


def _some(count: int, noun: str) -> str:
    return f"{count} {noun}" + "s" * (count != 1)


def _escaped(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]", lambda found: f"\\u{{{ord(found[0]):x}}}", name)
