r"""Checks a certificate with Python's standard library alone. This module imports no other module
of this package.

Call it in one of two ways. The first one needs the package `simnet`, and the second one does not::

    python -m simnet.adversary.check FILE
    python check.py FILE

`docs/reference/certificates.md` says what a certificate is and what must hold of it. Numbers such
as 7.3 (condition 3 of section 7) refer to this page. A second reader, `check.mjs`, was written from
the same page.

Theory of operation. A text is read in three steps. *Reading* refuses a text that does not have the
form that the page describes, so the later steps need not check the kinds of values. *Counting*
computes how many products of numbers the proof takes, and refuses too many. *Checking* computes
these products and compares the results.

Example. The checker refuses a file in which a key is missing:

>>> check('{"fields":[{"modulus":1}]}\n')
Traceback (most recent call last):
simnet.adversary.check.BadCertificate: the file: the key 'closed' is missing
"""

import argparse
import io
import itertools
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

VERSION = 6
MOST_DIGITS = 1_000  # of a number
MOST_NAMED = 5  # members of a coalition
LEAST_BITS = 80  # an unknown seed with fewer bits may be guessed
MOST_BYTES = 1 << 26  # of a file
LIMIT = 100_000_000  # the most products; to compute so many takes some twenty seconds

STATEMENTS = ("nothing", "output-only", "leaks", "no-shares")
TIERS = ("proved", "enumerated", "sampled", "stated", "bound", "not judged")
KINDS = ("coin", "secret", "product", "monomial", "public", "stream")

# The class of an unknown. A product of others is mixed if it depends on coins.
COIN, OWN, TOLD, HIDDEN, SECRET, MIXED = "coin", "own", "told", "hidden", "secret", "mixed"

# A place in a list; beside a matching that is not empty (section 10), the pair of both.
Place = Any
Vector = dict[Place, int]  # maps places to coefficients, which are not 0

# Polynomials. An unknown is a pair of its family and its place in the family; the row that replaced
# a coin in change number k is the pair (-1, k).
Key = TypeVar("Key")
Monomial = tuple[tuple[int, int], ...]
Polynomial = dict[Monomial, int]


class BadCertificate(ValueError):
    """Raised for a text that is no certificate, that does not prove what it states, or whose check
    takes too many products.
    """


@dataclass(frozen=True)
class Checked:
    """What a certificate states, what it proves, and what it cannot show. `proved` and `not_shown`
    are sentences.
    """

    statement: str
    products: int  # the number of products that the check computed
    proved: str
    not_shown: str
    listed: int  # the number of vectors or systems of equations that the file lists


def check(text: str, limit: int = LIMIT) -> Checked:
    """Return what a certificate proves.

    Raises `BadCertificate` for a text that does not prove what it states, that is no certificate,
    or whose check takes more products than `limit`.
    """
    return Certificate(text).checked(limit)


class Certificate:
    """A certificate that was read and has the right form.

    `content` is the JSON value, `products` the number of products that checking takes.
    """

    def __init__(self, text: str) -> None:
        """Read the text of a certificate.

        Raises `BadCertificate` for a text of another form, or with lists that do not fit together.
        """
        content = self.content = _parsed(text)
        keys = (
            "closed disclosed doors families fields format known notes protocol public_keys "
            "reveals runs seeds set statement told version written_out"
        )
        _record(content, keys, "the file")
        if content["format"] != "simnet certificate" or not _is(content["version"], VERSION):
            raise BadCertificate(f"the file: this is not a simnet certificate of version {VERSION}")
        self._statement: str = _one_of(content["statement"], STATEMENTS, "statement")
        self._members: list[str] = _names(content["set"], "set", least=1)
        self._name, self._tier = _header(content)
        sent = [_sent(run, f"runs[{at}]") for at, run in enumerate(content["runs"])]
        if self._statement == "no-shares":
            _refuse_shares(content, sent)
        self._seeds = _Seeds(content, self._statement)
        families = _Families(content, frozenset(self._members), self._statement, self._seeds)
        self._seeds.read_closed(content["closed"], families.members, len(sent))
        self._fields = [
            _Field(part, families, self._seeds, len(sent), f"fields[{at}]")
            for at, part in enumerate(_list(content["fields"], "fields"))
        ]
        moduli = [field.modulus for field in self._fields]
        _require(moduli == sorted(moduli), "fields: the moduli are not in ascending order")
        families.check_fields(self._fields)
        self._families = families
        has_changes = {field.has_changes for field in self._fields}
        _require(len(has_changes) < 2, "fields: `changes` is null in some fields only")
        if has_changes != {True}:
            families.check_without_changes(self._fields, self._statement)
        elif self._statement == "leaks" or self._seeds.keys:
            raise BadCertificate("fields: `changes` must be null with this statement or with seeds")
        _check_sent(self._fields, sent)

    @property
    def products(self) -> int:
        """The number of products that checking takes, as the format counts them."""
        return sum(field.products for field in self._fields)

    def checked(self, limit: int = LIMIT) -> Checked:
        """Check the certificate, and return what it proves.

        Raises `BadCertificate` if the certificate does not prove its statement, or if the check
        takes more products than `limit`.
        """
        is_short = self.products <= limit
        _require(
            is_short,
            f"the check takes {self.products} products, more than the limit of {limit} products",
        )
        self._seeds.check(self._fields, self._families)
        for field in self._fields:
            field.check()
        if any(field.has_changes for field in self._fields):
            self._families.check_doors(self._fields)
        return Checked(
            self._statement,
            self.products,
            self._proved(),
            "Not shown by this file: that these are the equations, coins, seeds, doors and ideal "
            f"output of {_printable(self._name)}, and what disclosed values tell ({self._tier}). "
            "`simnet verify --check` reads the run again.",
            sum(field.vectors for field in self._fields),
        )

    def _proved(self) -> str:
        """Return what is proved, in words. Raises `BadCertificate` if the listed functions do not
        agree with the statement.
        """
        who = ", ".join(map(_printable, self._members[:MOST_NAMED]))
        more = len(self._members) - MOST_NAMED
        who = f"{{{who}{f' and {more} more' if more > 0 else ''}}}"
        model = self._seeds.model
        if self._statement == "no-shares":
            return (
                f"Nothing was to be proved of {who}: according to this file, no field element was "
                "sent."
            )
        vectors = sum(field.vectors for field in self._fields)
        elements = sum(field.vectors * field.lanes for field in self._fields)
        learned = any(field.learned for field in self._fields)
        listed = f"{_counted(vectors, 'vector')}, {_counted(elements, 'field element')}"
        head = f"Proved: what is listed here ({listed}) tells {who}"
        functions = "the linear functions of the secrets of other parties that are listed"
        if self._statement == "nothing":
            _require(not learned, "statement: it is `nothing`, but functions are listed")
            return f"{head} nothing about the secrets of other parties.{model}"
        if self._statement == "output-only":
            _require(learned, "statement: it is `output-only`, but no function is learned")
            changed = any(field.has_changes for field in self._fields)
            for field in self._fields:
                field.check_ideal()
            more_words = "at most what follows" if changed else "no more; each follows"
            return f"{head} {functions}, and {more_words} from the ideal output listed here.{model}"
        beyond = any(field.beyond for field in self._fields)
        _require(beyond, "statement: it is `leaks`, but no function exceeds the ideal output")
        return f"{head} {functions}; they do not all follow from the ideal output listed here."


class _Families:
    """The families of unknowns, and the doors that made some of them."""

    def __init__(
        self,
        content: Mapping[str, Any],
        members: frozenset[str],
        statement: str,
        seeds: "_Seeds",
    ) -> None:
        self.members = members
        self.statement = statement
        self._seeds = seeds
        self.stream_of: list[int | None] = []  # the seed of each family of random rows
        self._own: list[bool] = []
        self._kinds: list[str] = []
        self.sizes: list[int] = []
        self.factors: list[list[tuple[int, int]]] = []
        seen: set[object] = set()
        for at, family in enumerate(_list(content["families"], "families")):
            self._add(family, seen, f"families[{at}]")
        if statement == "leaks" and (content["doors"] or content["told"]):
            raise BadCertificate(
                "doors, told: both lists must be empty if the statement is `leaks`"
            )
        self.doors = [
            self._door(door, f"doors[{at}]")
            for at, door in enumerate(_list(content["doors"], "doors"))
        ]
        made = [door["made"] for door in self.doors if door["made"] is not None]
        _require(len(made) == len(set(made)), "doors: two doors made the same family")
        told = _list(content["told"], "told")
        for family in told:
            self._number(family, "told")
        _ascending(told, "told")
        self._told, self._made = frozenset(told), frozenset(made)
        for family in told:
            is_apt = self._kinds[family] in ("secret", "product")
            if not is_apt or not (self._own[family] or family in self._made):
                raise BadCertificate(
                    f"told: family {family} must be a secret or a product, and either the "
                    "coalition holds it or a door made it"
                )
        self.classes = list(map(self._class, range(len(self.sizes))))

    def is_public(self, family: int) -> bool:
        """Return whether the family's only unknown is the number 1, which everybody knows."""
        return self._kinds[family] == "public"

    def is_own(self, family: int) -> bool:
        return self._own[family]

    def is_own_before(self, family: int, known: Set[int]) -> bool:
        """Whether the coalition holds the family if it knows only the seeds `known`."""
        seed = self.stream_of[family]
        return self._own[family] and (seed is None or seed in known)

    def check_fields(self, fields: Sequence["_Field"]) -> None:
        present = Counter(
            each
            for field in fields
            for each in field.families.union(
                factor for family in field.families for factor, _ in self.factors[family]
            )
        )
        for family, times in present.items():
            is_right = times == 1 or self.is_public(family)
            _require(is_right, f"families[{family}]: it has unknowns in two fields")

    def check_without_changes(self, fields: Sequence["_Field"], statement: str) -> None:
        """Check that the linear proof is enough: there are no doors, and no unknown is mixed."""
        is_bare = not self.doors and not self._told
        _require(is_bare, "doors, told: both lists must be empty if `changes` is null")
        present = {family for field in fields for family in field.families}
        is_linear = not any(self.classes[family] == MIXED for family in present)
        _require(
            is_linear or statement == "leaks",
            "families: a monomial contains a coin, so `changes` must not be null",
        )

    def check_doors(self, fields: Sequence["_Field"]) -> None:
        """Check the doors that matter (7.5)."""
        rows: list[list[_DoorRow]] = [[] for _ in self.doors]
        seen: set[int] = set()
        for field in fields:
            seen |= field.families_seen()
            for row in field.door_rows():
                rows[row.door].append(row)
        needed = set(range(len(self.doors)))
        while True:
            present = seen.union(*(row.families for door in needed for row in rows[door]))
            idle = {door for door in needed if not self._matters(self.doors[door], present)}
            if not idle:
                break
            needed -= idle
        for door in needed:
            record = self.doors[door]
            is_told = record["made"] in self._told
            if record["in_full"] and not record["has_input"]:
                is_right = all(row.is_known or not row.moves for row in rows[door])
            elif is_told or any(row.moves for row in rows[door]):
                is_right = all(row.is_known for row in rows[door])
                is_right = is_right and not record["has_input"]
                is_right = is_right and (is_told or record["made"] is None)
            else:
                is_right = True
            _require(is_right, f"doors[{door}]: what it makes or tells may depend on messages")

    def _matters(self, door: Mapping[str, Any], present: Set[int]) -> bool:
        made = door["made"]
        return door["discloses"] or made in present or made in self._told

    def _add(self, family: Any, seen: set[object], where: str) -> None:
        _record(family, "factors holders kind label seed size", where)
        kind = _one_of(family["kind"], KINDS, where)
        holders = _names(family["holders"], where)
        _ascending(holders, f"{where}.holders")
        label, size = _text(family["label"], where), _whole(family["size"], where, least=1)
        factors = [
            self._factor(pair, f"{where}.factors") for pair in _list(family["factors"], where)
        ]
        seed = family["seed"]
        _require(
            (kind == "stream") == (seed is not None),
            f"{where}: a stream must have a seed, and other families must have none",
        )
        if seed is not None:
            _whole(seed, f"{where}.seed", below=len(self._seeds.keys))
        identity = kind, tuple(holders), label, tuple(factors), seed
        _require(identity not in seen, f"{where}: this family is listed twice")
        seen.add(identity)
        if kind == "public":
            is_right = not holders and label == "one" and size == 1 and not factors
            is_right = is_right and kind not in self._kinds
            _require(
                is_right,
                f"{where}: a public family must be the number 1, called `one`, and listed once",
            )
        elif kind == "monomial":
            is_right = not holders and not label and size == 1 and len(factors) > 1
            is_right = is_right and factors == sorted(factors)
            _require(
                is_right,
                f"{where}: a monomial must have size 1, two factors or more in order, no holder "
                "and no label",
            )
        else:
            is_right = bool(holders) == (kind != "stream")
            _require(
                is_right,
                f"{where}: a stream must have no holder, and coins, secrets and products at least "
                "one",
            )
            _require(not factors, f"{where}: only a monomial may have factors")
        is_own = not self.members.isdisjoint(holders) or kind == "public"
        if kind == "monomial":
            is_own = all(self._own[number] for number, _ in factors)
        if kind == "stream":
            is_own = seed in self._seeds.is_known
        self.factors.append(factors)
        self.stream_of.append(seed)
        self._own.append(is_own)
        self._kinds.append(kind)
        self.sizes.append(size)

    def _factor(self, pair: Any, where: str) -> tuple[int, int]:
        _pair(pair, where)
        number = self._number(pair[0], where)
        _whole(pair[1], where, below=self.sizes[number])
        is_right = self._kinds[number] in ("coin", "secret", "product")
        _require(is_right, f"{where}: a factor must be a coin, a secret or a product")
        return number, pair[1]

    def _door(self, door: Any, where: str) -> Mapping[str, Any]:
        _record(door, "discloses function has_input in_full kind made party", where)
        kind = _one_of(door["kind"], ("secret", "disclose"), where)
        is_honest = _name(door["party"], where) not in self.members
        _require(is_honest, f"{where}: the party of the door is in the coalition")
        _text(door["function"], where)
        for key in ("discloses", "has_input", "in_full"):
            _flag(door[key], f"{where}.{key}")
        if kind == "disclose":
            is_right = door["discloses"] and door["made"] is None
        else:
            made = self._number(door["made"], where)
            is_right = self._kinds[made] == "secret" and not self._own[made]
            is_right = is_right and not door["in_full"]
        _require(
            is_right,
            f"{where}: discloses, has_input, in_full and made do not fit the kind `{kind}`",
        )
        return {**door}

    def _number(self, value: Any, where: str) -> int:
        return _whole(value, where, below=len(self.sizes))

    def _class(self, family: int) -> str:
        if family in self._told:
            return TOLD
        if self.factors[family]:
            classes = {self._class(factor) for factor, _ in self.factors[family]}
            if classes == {OWN}:
                return OWN
            return SECRET if classes <= {SECRET, OWN} else MIXED
        if self._own[family]:
            return OWN
        if self._kinds[family] in ("coin", "stream"):
            return COIN
        return HIDDEN if family in self._made else SECRET


class _Seeds:
    """What random rows, agreements and boxes are made from: seeds, secret keys and keys of boxes.

    `keys` has a list for each seed: the two secret keys if the seed was agreed on, and no key if
    the seed was made from field elements. `known` lists the seeds that the coalition knows. Each
    seed of this list must follow from the messages, from what the coalition holds, and from the
    seeds before it in the list.
    """

    def __init__(self, content: Mapping[str, Any], statement: str) -> None:
        self.keys: list[list[int]] = [
            self._read_keys(keys, f"seeds[{at}]")
            for at, keys in enumerate(_list(content["seeds"], "seeds"))
        ]
        agreed = [tuple(keys) for keys in self.keys if keys]
        _require(len(set(agreed)) == len(agreed), "seeds: one seed is agreed on twice")
        for at, keys in enumerate(self.keys):
            is_right = all(key < len(self.keys) and not self.keys[key] for key in keys)
            _require(
                is_right,
                f"seeds[{at}]: each key must be the number of a seed that has no keys itself",
            )
        self.known: list[int] = [
            self.number(each, "known") for each in _list(content["known"], "known")
        ]
        self.is_known = frozenset(self.known)
        _require(len(self.is_known) == len(self.known), "known: a seed is named twice")
        public = _list(content["public_keys"], "public_keys")
        for key in public:
            self._made(key, "public_keys")
        _ascending(public, "public_keys")
        self._public = frozenset(public)
        self.secret_keys = self._public.union(*self.keys)
        self._needs_proof = statement in ("nothing", "output-only")
        if self.keys and (content["doors"] or content["told"]):
            raise BadCertificate("doors, told: both lists must be empty if seeds are listed")

    @property
    def model(self) -> str:
        """A text on how many seeds are unknown, and under which assumptions they hide anything;
        empty if the coalition knows all seeds that were made from field elements.
        """
        made = (number for number, keys in enumerate(self.keys) if not keys)
        unknown = sum(number not in self.is_known for number in made)
        if not unknown:
            return ""
        seeds = "1 seed or key" if unknown == 1 else f"{unknown} seeds and keys"
        return (
            f" The coalition does not know {seeds} made from field elements. Assumed: ideal random "
            f"functions, key agreement and encryption, and that nobody guesses {LEAST_BITS} bits."
        )

    def read_closed(self, closed: Any, members: frozenset[str], runs: int) -> None:
        for at, box in enumerate(_list(closed, "closed")):
            where = f"closed[{at}]"
            _record(box, "box from key piece round run tag to", where)
            _read_header(box, members, runs, where)
            is_unknown = self.read_box(box["box"], where) not in self.is_known
            _require(is_unknown, f"{where}: the coalition knows the key of this box")

    def read_box(self, box: Any, where: str) -> int:
        _pair(box, where)
        _whole(box[0], where)
        return self.number(box[1], where)

    def number(self, value: Any, where: str) -> int:
        return _whole(value, where, below=len(self.keys))

    def check(self, fields: Sequence["_Field"], families: _Families) -> None:
        """Check that each known seed follows from the messages and from the known seeds before it
        (7.7), and check what unknown seeds must have (7.8).
        """
        found: dict[int, tuple[_Field, _SeedRows]] = {}
        for field in fields:
            for entry in field.seeds:
                _require(
                    entry.seed not in found,
                    f"seeds[{entry.seed}]: the rows of the seed are listed twice",
                )
                found[entry.seed] = field, entry
        for number, keys in enumerate(self.keys):
            is_right = (number in found) == (not keys)
            _require(
                is_right,
                f"seeds[{number}]: made seeds must have rows, and agreed seeds must have none",
            )
        before: set[int] = set()
        for number in self.known:
            if self.keys[number]:
                is_agreed = self._can_agree(number, before)
                _require(is_agreed, f"known: seed {number} does not follow from seeds before it")
            else:
                field, entry = found[number]
                field.check_known(entry, before, families)
            before.add(number)
        for number, keys in enumerate(self.keys):
            is_known = number in self.is_known
            is_open = bool(keys) and not is_known and self._can_agree(number, self.is_known)
            _require(not is_open, f"known: seed {number} is missing: the coalition can agree on it")
            if not keys:
                field, entry = found[number]
                field.check_entry(entry, is_known, self._needs_proof, number in self.secret_keys)

    def _can_agree(self, number: int, known: Set[int]) -> bool:
        mine, other = self.keys[number]
        return (mine in known and (other in known or other in self._public)) or (
            other in known and mine in self._public
        )

    def _read_keys(self, keys: Any, where: str) -> list[int]:
        read = [_whole(key, where) for key in _list(keys, where)]
        is_right = len(read) in (0, 2) and read == sorted(read)
        _require(is_right, f"{where}: expected two keys in ascending order, or none")
        return read

    def _made(self, value: Any, where: str) -> None:
        number = self.number(value, where)
        _require(
            not self.keys[number], f"{where}: seed {number} was agreed on, and is no secret key"
        )


Word = tuple[int, ...]  # the classes of parties that fill the places of a type
Matching = tuple[tuple[int, int], ...]  # places of two words that contain one party
LONGEST_WORD = 4  # two words of four places have at most 209 matchings


class _Alike:
    """The classes of parties who are alike, and the words of rows and columns (section 10).

    Without such classes every word is empty, and a matrix is a list of rows.
    """

    def __init__(self, alike: Any, where: str) -> None:
        self.is_plain = alike is None
        self.names: list[str] = []
        self.sizes: list[int] = []
        self._words: dict[str, list[Word]] = {}
        self.listed: list[Any] = []
        if self.is_plain:
            return
        _record(alike, "classes columns functions ideal rows unknowns", where)
        for pair in _list(alike["classes"], f"{where}.classes"):
            _pair(pair, f"{where}.classes")
            self.names.append(_name(pair[0], f"{where}.classes"))
            self.sizes.append(_whole(pair[1], f"{where}.classes", least=1))
        self.listed = [self._row(row, f"{where}.rows") for row in _list(alike["rows"], where)]
        self._words = {
            kind: [self._word(word, f"{where}.{kind}") for word in _list(alike[kind], where)]
            for kind in ("columns", "functions", "ideal", "unknowns")
        }
        self._words["rows"] = [self._word(word, f"{where}.rows") for _, word, _ in self.listed]

    def check_number(self, kind: str, number: int, where: str) -> None:
        """Check that the list of words of a kind has as many words as the list it is about."""
        is_right = self.is_plain or len(self._words[kind]) == number
        _require(is_right, f"{where}.alike: `{kind}` does not have {number} words")

    @property
    def columns(self) -> int:
        return len(self._words["columns"])

    def word(self, kind: str, place: int) -> Word:
        return () if self.is_plain else self._words[kind][place]

    def size(self, kind: str, place: int) -> int:
        """In how many ways different parties can fill the places of a word."""
        count = 1
        word = self.word(kind, place)
        for at, of in enumerate(word):
            count *= max(self.sizes[of] - word[:at].count(of), 0)
        return count

    def matchings(self, row: Word, column: Word) -> list[Matching]:
        """All matchings of two words for which each class has enough parties."""
        found = []
        choices = [[None, *(r for r, other in enumerate(column) if other == own)] for own in row]
        for choice in itertools.product(*choices):
            matching = tuple((p, r) for p, r in enumerate(choice) if r is not None)
            if len({r for _, r in matching}) == len(matching) and all(
                self._unused(row, column, matching, of) >= 0 for of in {*row, *column}
            ):
                found.append(matching)
        return found

    def count(
        self,
        words: tuple[Word, Word, Word],
        first: Matching,
        second: Matching,
        matching: Matching,
    ) -> int:
        """A *tuple* of a word puts different parties into the word's places. Take a tuple of the
        first word and a tuple of the third that are matched as `matching` says. Return how many
        tuples of the second word are matched with the one as `first` says, and with the other as
        `second` says.
        """
        row, middle, column = words
        to_row = {x: p for p, x in first}
        to_column = dict(second)
        by_row, by_column = dict(matching), {r: p for p, r in matching}
        # A middle place and the row place that it is matched with contain one party. So both must
        # be matched with the same column place, or with none. The same holds if row and column
        # change places.
        if any(by_row.get(p) != to_column.get(x) for x, p in to_row.items()):
            return 0
        if any(by_column.get(r) != to_row.get(x) for x, r in to_column.items()):
            return 0
        count = 1
        taken: Counter[int] = Counter()
        for x, of in enumerate(middle):
            if x not in to_row and x not in to_column:
                count *= max(self._unused(row, column, matching, of) - taken[of], 0)
                taken[of] += 1
        return count

    def _unused(self, row: Word, column: Word, matching: Matching, of: int) -> int:
        shared = sum(row[p] == of for p, _ in matching)
        return self.sizes[of] - row.count(of) - column.count(of) + shared

    def _row(self, row: Any, where: str) -> list[Any]:
        is_row = type(row) is list and len(row) == 3
        _require(is_row, f"{where}: expected a list of three values, got {_short(row)}")
        _text(row[0], where)
        return list(row)

    def _word(self, word: Any, where: str) -> Word:
        places = _list(word, where)
        is_short = len(places) <= LONGEST_WORD
        _require(is_short, f"{where}: a word has more than {LONGEST_WORD} places")
        return tuple(_whole(place, where, below=len(self.sizes)) for place in places)


@dataclass(frozen=True)
class _SeedRows:
    """The rows of a seed. `told` says how messages give the rows, or is empty. `private` has the
    private shifts, each with the number of the row that the shift changes.
    """

    seed: int
    rows: list[Vector]
    told: list[tuple[Vector, Vector]]
    private: list[tuple[int, Vector]]


@dataclass(frozen=True)
class _Opened:
    door: int
    is_seen: bool
    form: Vector


@dataclass(frozen=True)
class _DoorRow:
    """A row of a door after all changes: whether the coalition knows it, whether it depends on what
    the coalition sees, and the families of its unknowns.
    """

    door: int
    is_known: bool
    moves: bool
    families: Set[int]


@dataclass(frozen=True)
class _Learned:
    function: Vector
    weights: Vector  # of rows
    own: Vector
    shown: dict[tuple[str, int], list[int]]  # the numbers of rows and of own unknowns
    values: list[int]


@dataclass(frozen=True)
class _Matrix:
    """A matrix as its rows that are not 0, by place, and the kinds of its rows and columns."""

    kind: str
    columns: str
    rows: Mapping[int, Vector]


def _split(key: Place) -> tuple[int, Matching]:
    """The place and the matching that a key of a vector stands for."""
    return (key, ()) if type(key) is int else key


def _column(key: Place) -> int:
    return _split(key)[0]


class _Field:
    """The part of a certificate about one field."""

    def __init__(
        self, part: Any, families: _Families, seeds: _Seeds, runs: int, where: str
    ) -> None:
        keys = (
            "alike changes factor given ideal lanes learned messages modulus opened rest seeds "
            "shift unknowns witness"
        )
        _record(part, keys, where)
        self._where = where
        self._alike = _Alike(part["alike"], f"{where}.alike")
        self._changed: list[Polynomial] = []
        self._families = families
        self._all_seeds = seeds
        self.modulus = _whole(part["modulus"], f"{where}.modulus", least=2, below=1 << 64)
        _require(_is_prime(self.modulus), f"{where}.modulus: {self.modulus} is not prime")
        self.lanes = _whole(part["lanes"], f"{where}.lanes", least=1)
        self._family = self._read_unknowns(part["unknowns"])
        self._places: list[tuple[int, int]] = list(map(tuple, part["unknowns"]))
        self.families = frozenset(self._family)
        self._class = [families.classes[family] for family in self._family]
        self.rows: list[Vector] = []
        self._box_of: list[int | None] = []  # for each row, the seed that is the key of its box
        # The number of field elements sent, by run and tag.
        self.elements: Counter[tuple[int, str]] = Counter()
        learned, ideal = (_list(part[key], f"{where}.{key}") for key in ("learned", "ideal"))
        # How many entries there are of each kind of rows and columns.
        self._numbers = {
            "unknowns": len(self._family),
            "functions": len(learned),
            "ideal": len(ideal),
            "columns": len(learned) if self._alike.is_plain else self._alike.columns,
        }
        for kind in ("unknowns", "functions", "ideal"):
            self._alike.check_number(kind, self._numbers[kind], where)
        if not self._alike.is_plain:
            self._check_bare(part)
        for at, message in enumerate(_list(part["messages"], where)):
            self._read_message(message, runs, f"{where}.messages[{at}]")
        for at, (_, _, form) in enumerate(self._alike.listed):
            self.rows.append(self._form(form, f"{where}.alike.rows[{at}]", "rows", at))
            self._box_of.append(None)
        self._numbers["rows"] = len(self.rows)
        self.opened = [
            self._read_opened(row, f"{where}.opened[{at}]")
            for at, row in enumerate(_list(part["opened"], where))
        ]
        self._learned = [
            self._read_learned(entry, at, f"{where}.learned[{at}]")
            for at, entry in enumerate(learned)
        ]
        self.learned = [entry.function for entry in self._learned]
        self.ideal = [
            self._form(form, f"{where}.ideal", "ideal", at) for at, form in enumerate(ideal)
        ]
        self._seen = _Matrix("rows", "unknowns", dict(enumerate(self.rows)))
        self._functions = _Matrix("functions", "unknowns", dict(enumerate(self.learned)))
        self._handed = _Matrix("ideal", "unknowns", dict(enumerate(self.ideal)))
        self._shift = self._matrix(part, "shift", "unknowns", "unknowns")
        self._rest = self._matrix(part, "rest", "rows", "functions")
        self._factor = self._matrix(part, "factor", "functions", "ideal")
        self._witness = self._matrix(part, "witness", "unknowns", "columns")
        self._given = [self._coin(coin, f"{where}.given") for coin in _list(part["given"], where)]
        is_right = len(set(self._given)) == len(self._given)
        _require(is_right, f"{where}.given: a coin is given twice")
        self.has_changes = part["changes"] is not None
        self._list_of_changes = self._read_changes(part["changes"] if self.has_changes else [])
        self.seeds = [
            self._read_seed(entry, f"{where}.seeds[{at}]")
            for at, entry in enumerate(_list(part["seeds"], where))
        ]
        _ascending([entry.seed for entry in self.seeds], f"{where}.seeds")
        self._check_classes()
        self.products = self._count()
        if self.has_changes:
            self._change()

    # Reading.

    def _read_unknowns(self, unknowns: Any) -> list[int]:
        where = f"{self._where}.unknowns"
        places: dict[int, list[int]] = {}
        numbers = []
        for pair in _list(unknowns, where):
            _pair(pair, where)
            family = _whole(pair[0], where, below=len(self._families.sizes))
            size = self._families.sizes[family]
            places.setdefault(family, []).append(_whole(pair[1], where))
            _require(
                pair[1] + self.lanes <= size,
                f"{where}: family {family} has only {_counted(size, 'unknown')}",
            )
            numbers.append(family)
        for each in places.values():
            each.sort()
            for before, after in itertools.pairwise(each):
                is_apart = after - before >= self.lanes
                _require(is_apart, f"{where}: one unknown is listed twice")
        return numbers

    def _read_message(self, message: Any, runs: int, where: str) -> None:
        _record(message, "box from key piece round rows run tag to", where)
        run, tag = _read_header(message, self._families.members, runs, where)
        seed = None
        if message["box"] is not None:
            seed = self._all_seeds.read_box(message["box"], where)
            is_open = seed in self._all_seeds.is_known
            _require(is_open, f"{where}: the coalition does not know the key of this box")
        rows = _list(message["rows"], where)
        _require(bool(rows), f"{where}: the message has no rows")
        free = 0  # the first element after those of the row before
        for row in rows:
            _pair(row, where)
            element = _whole(row[0], where)
            _require(element >= free, f"{where}: two rows overlap or are not in ascending order")
            free = element + self.lanes
            self.rows.append(self._form(row[1], where))
            self._box_of.append(seed)
        if seed is None:
            self.elements[run, tag] += len(rows) * self.lanes

    def _read_seed(self, entry: Any, where: str) -> _SeedRows:
        _record(entry, "private rows seed told", where)
        rows = [self._form(form, where) for form in _list(entry["rows"], where)]
        _require(bool(rows), f"{where}: the seed has no rows")
        told = []
        for pair in _list(entry["told"], where):
            _pair(pair, where)
            weights = self._vector(pair[0], where, ("rows", 0), "rows")
            told.append((weights, self._form(pair[1], where)))
        private = []
        for pair in _list(entry["private"], where):
            _pair(pair, where)
            row = _whole(pair[0], where, below=len(rows))
            moves = self._form(pair[1], where)
            is_of_coins = all(self._class[unknown] == COIN for unknown in moves)
            _require(is_of_coins, f"{where}.private: an unknown is not a coin")
            private.append((row, moves))
        _ascending([row for row, _ in private], f"{where}.private")
        return _SeedRows(self._all_seeds.number(entry["seed"], where), rows, told, private)

    def _read_opened(self, row: Any, where: str) -> _Opened:
        _record(row, "door form seen", where)
        door = _whole(row["door"], where, below=len(self._families.doors))
        _flag(row["seen"], f"{where}.seen")
        return _Opened(door, row["seen"], self._form(row["form"], where))

    def _read_learned(self, entry: Any, at: int, where: str) -> _Learned:
        _record(entry, "function own values weights", where)
        shown: dict[tuple[str, int], list[int]] = {}

        def factors(key: str, kind: str) -> Vector:
            pairs = []
            for part in _list(entry[key], where):
                is_right = type(part) is list and len(part) > 2
                _require(is_right, f"{where}.{key}: expected three values, got {_short(part)}")
                place, coefficient, numbers, *matching = part
                pairs.append([place, coefficient, *matching])
                if type(place) is int:
                    shown[kind, place] = self._residues(numbers, f"{where}.{key}")
            return self._vector(pairs, f"{where}.{key}", ("functions", at), kind)

        weights = factors("weights", "rows")
        _require(bool(weights), f"{where}: `weights` names no message")
        own = factors("own", "unknowns")
        values = self._residues(entry["values"], f"{where}.values")
        function = self._form(entry["function"], where, "functions", at)
        _require(bool(function), f"{where}: the function is empty")
        return _Learned(function, weights, own, shown, values)

    def _residues(self, numbers: Any, where: str) -> list[int]:
        given = len(_list(numbers, where))
        is_right = given == (self.lanes if self._alike.is_plain else 0)
        _require(is_right, f"{where}: expected a number for each lane ({self.lanes}), got {given}")
        return [_whole(number, where, below=self.modulus) for number in numbers]

    def _form(self, pairs: Any, where: str, kind: str = "rows", at: int = 0) -> Vector:
        """Read the form of an entry of a list: of place `at` in the list of a kind."""
        return self._vector(pairs, where, (kind, at), "unknowns")

    def _vector(self, pairs: Any, where: str, row: tuple[str, int], columns: str) -> Vector:
        """Read a row of a matrix: `row` is its kind and its place, and `columns` is the kind of the
        columns.
        """
        below = self._numbers[columns]
        vector: Vector = {}
        before: tuple[int, Any] = (-1, [])
        modulus, is_plain = self.modulus, self._alike.is_plain
        for pair in _list(pairs, where):
            if type(pair) is not list or len(pair) not in ((2,) if is_plain else (2, 3)):
                raise BadCertificate(f"{where}: expected a pair, got {_short(pair)}")
            place, coefficient, *more = pair
            matching = more[0] if more else []
            if type(place) is not int or not 0 <= place < below:
                raise BadCertificate(
                    f"{where}: expected numbers from 0 to {below - 1} in ascending order, got "
                    f"{_short(place)}"
                )
            if not is_plain:
                _require(more != [[]], f"{where}: an empty matching must be left out")
                words = self._alike.word(*row), self._alike.word(columns, place)
                self._check_matching(matching, *words, where)
            if not before < (place, matching):
                raise BadCertificate(f"{where}: the places are not in ascending order")
            if type(coefficient) is not int or not 0 < coefficient < modulus:
                raise BadCertificate(
                    f"{where}: expected a coefficient from 1 to {modulus - 1}, got "
                    f"{_short(coefficient)}"
                )
            key = (place, tuple(map(tuple, matching))) if more else place
            vector[key] = coefficient
            before = place, matching
        return vector

    def _check_matching(self, matching: Any, row: Word, column: Word, where: str) -> None:
        for pair in _list(matching, where):
            _pair(pair, where)
            _whole(pair[0], where)
            _whole(pair[1], where)
        found = tuple((p, r) for p, r in matching)
        is_listed = found in self._alike.matchings(row, column)
        _require(is_listed, f"{where}: {_short(matching)} is no matching of its two words")

    def _matrix(self, part: Any, key: str, kind: str, columns: str) -> _Matrix:
        """Read a matrix, of which the rows that are not 0 are listed."""
        where = f"{self._where}.{key}"
        found: dict[int, Vector] = {}
        for entry in _list(part[key], where):
            _pair(entry, where)
            at = _whole(entry[0], where, below=self._numbers[kind])
            row = found[at] = self._vector(entry[1], where, (kind, at), columns)
            _require(bool(row), f"{where}: the list of row {at} is empty")
        _ascending([entry[0] for entry in part[key]], where)
        return _Matrix(kind, columns, found)

    def _check_bare(self, part: Any) -> None:
        """Check that beside classes of parties there is nothing that goes with messages."""
        keys = ("messages", "opened", "given", "seeds", "changes")
        is_bare = not any(part[key] for key in keys) and part["changes"] is None
        is_bare = is_bare and set(self._class) <= {COIN, SECRET}
        _require(is_bare, f"{self._where}: `alike` is beside messages, doors, seeds or changes")

    def _coin(self, unknown: Any, where: str) -> int:
        coin = _whole(unknown, where, below=len(self._class))
        _require(self._class[coin] == COIN, f"{where}: unknown {coin} is not of class coin")
        return coin

    def _read_changes(self, changes: Any) -> list[tuple[int, int]]:
        where = f"{self._where}.changes"
        rows = len(self.rows) + len(self.opened) + len(self._given)
        read = []
        for change in _list(changes, where):
            _pair(change, where)
            read.append((_whole(change[0], where, below=rows), self._coin(change[1], where)))
        if self.has_changes:
            is_right = self.lanes == 1 and not self._shift.rows and not self._rest.rows
            _require(is_right, f"{where}: beside changes, there must be one lane and no shift")
        else:
            _require(not self._given, f"{self._where}.given: it must be empty without changes")
        return read

    def _check_classes(self) -> None:
        """Check the classes of unknowns, and what else 7.1, 7.2 and 7.3 ask of the lists."""
        for coin in self._shift.rows:
            self._coin(coin, f"{self._where}.shift")
        not_known = (SECRET,) if self.has_changes else (SECRET, MIXED)
        self._check_class(self.learned, not_known, "learned")
        self._check_class(self._shift.rows.values(), not_known, "shift")
        not_own = (SECRET, COIN, TOLD, HIDDEN, MIXED)
        self._check_class([*self.ideal, dict.fromkeys(self._witness.rows, 1)], not_own, "ideal")
        before: dict[tuple[str, int], list[int]] = {}
        for entry in self._learned:
            for (kind, place), numbers in entry.shown.items():
                is_same = before.setdefault((kind, place), numbers) == numbers
                _require(
                    is_same,
                    f"{self._where}.learned: place {place} of {kind} has two lists of numbers",
                )
            for unknown in entry.own:
                family = self._family[unknown]
                is_own = self._families.is_own(family)
                _require(
                    is_own, f"{self._where}.learned: unknown {unknown} is not the coalition's own"
                )
                if self._families.is_public(family):
                    _require(
                        set(entry.shown["unknowns", unknown]) == {1},
                        f"{self._where}.learned: the number of the public unknown is not 1",
                    )

    def _check_class(self, forms: Iterable[Vector], classes: Sequence[str], key: str) -> None:
        for form in forms:
            for unknown in map(_column, form):
                if self._class[unknown] not in classes:
                    raise BadCertificate(
                        f"{self._where}.{key}: unknown {unknown} is of class "
                        f"{self._class[unknown]}, not {' or '.join(classes)}"
                    )

    def check_ideal(self) -> None:
        """Check that all functions follow from an ideal output that is made of secrets."""
        self._check_class(self.ideal, (SECRET,), "ideal")
        is_right = len(self._factor.rows) == len(self.learned)
        _require(is_right, "statement: a function does not follow from the ideal output")

    @property
    def vectors(self) -> int:
        """The number of rows that the coalition sees."""
        return sum(self._alike.size("rows", at) for at in range(len(self.rows)))

    # Counting.

    def _count(self) -> int:
        total = 0
        for at, row in enumerate(self.rows):
            total += len(row) + self._cost(("rows", at), self._coins(row), self._shift)
            total += self._cost(("rows", at), self._rest.rows.get(at, {}), self._functions)
        for at, entry in enumerate(self._learned):
            function = ("functions", at)
            total += self._cost(function, entry.weights, self._seen) + len(entry.own)
            total += self._cost(function, self._factor.rows.get(at, {}), self._handed)
            total += sum(map(len, entry.shown.values()))
        if self._witness.rows:
            for matrix in (self._handed, self._functions):
                for at, form in matrix.rows.items():
                    total += self._cost((matrix.kind, at), form, self._witness)
        return total + self._count_of_seeds()

    def _cost(self, row: tuple[str, int], left: Vector, right: _Matrix) -> int:
        """The number of products that a row of a matrix times another matrix takes."""
        alike, rows = self._alike, right.rows
        if alike.is_plain:
            return sum(len(rows[place]) for place in left if place in rows)
        word, kind = alike.word(*row), right.columns
        return sum(
            len(alike.matchings(word, alike.word(kind, _column(each))))
            for place in left
            for each in rows.get(_column(place), ())
        )

    def _count_of_seeds(self) -> int:
        total = 0
        shifts = Counter(u for entry in self.seeds for _, moves in entry.private for u in moves)
        if shifts:
            for row in [*self.rows, *self._rows_of_unknown_seeds()]:
                total += sum(shifts.get(unknown, 0) for unknown in row)
        for seed in self.seeds:
            for (weights, own), row in zip(seed.told, seed.rows, strict=False):
                total += sum(len(self.rows[at]) for at in weights) + len(own) + len(row)
        return total

    def _rows_of_unknown_seeds(self) -> Iterable[Vector]:
        for entry in self.seeds:
            if entry.seed not in self._all_seeds.is_known:
                yield from entry.rows

    # Checking.

    def check(self) -> None:
        self._check_private()
        for at, entry in enumerate(self._learned):
            self._check_learned(entry, at, f"{self._where}.learned[{at}]")
        self._check_witness()
        if not self.has_changes:
            for at in range(len(self.rows)):
                self._check_hidden(at, f"{self._where}: seen row {at}")
        for at, form in enumerate(self._changed):
            if self._is_seen(at):
                is_right = not self._beside_known(form)
                _require(is_right, f"{self._where}: row {at} may tell more than what is listed")

    def check_known(self, entry: _SeedRows, known: Set[int], families: _Families) -> None:
        where = f"{self._where}: known seed {entry.seed}"
        is_right = len(entry.told) in (0, len(entry.rows))
        _require(is_right, f"{where}: `told` must be empty or have an entry for each row")
        for (weights, own), row in zip(entry.told, entry.rows, strict=False):
            total: Vector = {}
            for at, weight in weights.items():
                box = self._box_of[at]
                is_open = box is None or box in known
                _require(
                    is_open,
                    f"{where}: a box that gives it opens only with this seed or a later one",
                )
                self._add(total, self.rows[at], weight)
            self._add(total, own, -1)
            _require(total == row, f"{where}: the messages give another row")
        for unknown in (u for form in ([own for _, own in entry.told] or entry.rows) for u in form):
            is_own = families.is_own_before(self._family[unknown], known)
            _require(is_own, f"{where}: before it, the coalition does not know unknown {unknown}")

    def check_entry(
        self, entry: _SeedRows, is_known: bool, needs_proof: bool, is_secret_key: bool
    ) -> None:
        where = f"{self._where}: seed {entry.seed}"
        _require(
            is_known or not entry.told, f"{where}: `told` must be empty: the seed is not known"
        )
        if is_known or not needs_proof:
            _require(
                not entry.private, f"{where}: `private` must be empty: the seed needs no shifts"
            )
            return
        is_long = are_enough(self.modulus, len(entry.private) * self.lanes)
        _require(is_long, f"{where}: it may be guessed: it has too few private shifts")
        is_whole = len(entry.private) == len(entry.rows) or not is_secret_key
        _require(is_whole, f"{where}: a row of this secret key has no private shift")

    def _check_private(self) -> None:
        """Check what the private shifts change (7.6). Each shift changes its own row by 1. Each
        shift changes no seen row, no row of another unknown seed, and no other row that has a
        private shift.
        """
        shifts: dict[int, list[tuple[int, int, int]]] = {}  # by coin: seed, row and coefficient
        for entry in self.seeds:
            for row, moves in entry.private:
                for coin, value in moves.items():
                    shifts.setdefault(coin, []).append((entry.seed, row, value))
        if not shifts:
            return
        for seen in self.rows:
            changes = self._changes(seen, shifts)
            _require(not changes, f"{self._where}: a private shift changes a seen row")
        for entry in self.seeds:
            if entry.seed in self._all_seeds.is_known:
                continue
            own = {row for row, _ in entry.private}
            for at, form in enumerate(entry.rows):
                changes = self._changes(form, shifts)
                if at not in own:  # the shifts of this seed may change the row in any way
                    changes = {key: value for key, value in changes.items() if key[0] != entry.seed}
                is_right = changes == ({(entry.seed, at): 1} if at in own else {})
                _require(
                    is_right,
                    f"{self._where}: a private shift changes another row, or its own row not by 1",
                )

    def _changes(
        self, form: Vector, shifts: Mapping[int, Sequence[tuple[int, int, int]]]
    ) -> dict[tuple[int, int], int]:
        total: Counter[tuple[int, int]] = Counter()
        for unknown, factor in form.items():
            for seed, row, value in shifts.get(unknown, ()):
                total[seed, row] += factor * value
        reduced = {shift: value % self.modulus for shift, value in total.items()}
        return {shift: value for shift, value in reduced.items() if value}

    @property
    def beyond(self) -> int:
        """The number of functions of which `witness` shows that they do not follow from the ideal
        output.
        """
        return sum(
            bool(self._through(("functions", at), form, self._witness))
            for at, form in self._functions.rows.items()
        )

    def _check_learned(self, entry: _Learned, at: int, where: str) -> None:
        total = self._through(("functions", at), entry.weights, self._seen)
        self._add(total, entry.own, -1)
        _require(total == entry.function, f"{where}: the messages give another function")
        numbers = [0] * len(entry.values)
        for sign, kind, vector in ((1, "rows", entry.weights), (-1, "unknowns", entry.own)):
            for key, factor in vector.items():
                shown = entry.shown[kind, _column(key)]
                numbers = [a + sign * factor * b for a, b in zip(numbers, shown, strict=True)]
        is_value = [number % self.modulus for number in numbers] == entry.values
        _require(is_value, f"{where}: `weights` and `own` give other values than `values`")
        if at in self._factor.rows:
            given = self._through(("functions", at), self._factor.rows[at], self._handed)
            _require(given == entry.function, f"{where}: `factor` gives another function")

    def _check_witness(self) -> None:
        is_apt = not self._witness.rows or self._families.statement == "leaks"
        _require(is_apt, f"{self._where}.witness: it is for the statement `leaks` alone")
        for at, form in self._handed.rows.items():
            change = self._through(("ideal", at), form, self._witness)
            _require(not change, f"{self._where}.witness: it changes the ideal output")

    def _check_hidden(self, at: int, where: str) -> None:
        """Check what coins must hide in a seen row (7.3)."""
        row = self.rows[at]
        rest = self._of_class(row, (SECRET, MIXED))
        self._multiply(rest, ("rows", at), self._coins(row), self._shift, -1)
        self._multiply(rest, ("rows", at), self._rest.rows.get(at, {}), self._functions, -1)
        _require(not rest, f"{where} may tell more than what is listed")

    def _coins(self, row: Vector) -> Vector:
        return self._of_class(row, (COIN,))

    def _of_class(self, row: Vector, classes: Sequence[str]) -> Vector:
        return {key: value for key, value in row.items() if self._class[_column(key)] in classes}

    def _through(self, row: tuple[str, int], left: Vector, right: _Matrix) -> Vector:
        """The product of one row of a matrix with another matrix."""
        total: Vector = {}
        self._multiply(total, row, left, right, 1)
        return total

    def _multiply(
        self, total: Vector, row: tuple[str, int], left: Vector, right: _Matrix, sign: int
    ) -> None:
        """Add the product of a row and a matrix to `total`, or subtract it."""
        if self._alike.is_plain:
            for place, factor in left.items():
                self._add(total, right.rows.get(place, {}), sign * factor)
            return
        alike = self._alike
        for key, factor in left.items():
            middle, first = _split(key)
            for other, value in right.rows.get(middle, {}).items():
                column, second = _split(other)
                words = (
                    alike.word(*row),
                    alike.word(right.kind, middle),
                    alike.word(right.columns, column),
                )
                for matching in alike.matchings(words[0], words[2]):
                    place = (column, matching) if matching else column
                    count = alike.count(words, first, second, matching)
                    self._add(total, {place: value * count}, sign * factor)

    def _add(self, vector: dict[Key, int], other: Mapping[Key, int], factor: int) -> None:
        """`vector += factor * other`, in place."""
        for key, value in other.items():
            total = (vector.get(key, 0) + factor * value) % self.modulus
            if total:
                vector[key] = total
            else:
                vector.pop(key, None)

    # Changes of coins (7.4). Rows are numbered: those of messages, opened rows, and given coins.

    def _change(self) -> None:
        """Make the changes, one after another, and count products. Check that each is possible."""
        self._changed = [
            self._polynomial(form)
            for form in [
                *self.rows,
                *(row.form for row in self.opened),
                *({coin: 1} for coin in self._given),
            ]
        ]
        for number, (row, unknown) in enumerate(self._list_of_changes):
            ((coin,),) = self._polynomial({unknown: 1})
            value = dict(self._changed[row])
            factor = value.pop((coin,), 0)
            _require(
                factor != 0 and not any(coin in monomial for monomial in value),
                f"{self._where}.changes: in change {number}, the coin does not occur alone",
            )
            scale = pow(factor, -1, self.modulus)
            value = {each: -scale * other % self.modulus for each, other in value.items()}
            value[((-1, number),)] = scale
            for at, form in enumerate(self._changed):
                if any(coin in monomial for monomial in form):
                    self._changed[at] = self._put(form, coin, value)

    def _put(self, form: Polynomial, coin: tuple[int, int], value: Polynomial) -> Polynomial:
        total: Polynomial = {}
        for monomial, factor in form.items():
            terms: Polynomial = {tuple(each for each in monomial if each != coin): factor}
            for _ in range(monomial.count(coin)):
                self.products += len(terms) * len(value)
                _require(self.products <= LIMIT, "the changes of coins take too many products")
                terms = self._times(terms, value)
            self._add(total, terms, 1)
        return total

    def _times(self, left: Polynomial, right: Polynomial) -> Polynomial:
        total: Polynomial = {}
        for one, factor in left.items():
            for two, other in right.items():
                self._add(total, {self._monomial([*one, *two]): factor * other}, 1)
        return total

    def _monomial(self, factors: Sequence[tuple[int, int]]) -> Monomial:
        """A product of unknowns, in which a power is reduced by x**q = x."""
        most = self.modulus - 1
        powers = sorted(Counter(factors).items())
        return tuple(each for each, power in powers for _ in range((power - 1) % most + 1))

    def _polynomial(self, form: Vector) -> Polynomial:
        total: Polynomial = {}
        for unknown, factor in form.items():
            family, place = self._places[unknown]
            factors = self._families.factors[family] or [(family, place)]
            key = () if self._families.is_public(family) else self._monomial(factors)
            self._add(total, {key: factor}, 1)
        return total

    def _is_seen(self, row: int) -> bool:
        at = row - len(self.rows)
        return not 0 <= at < len(self.opened) or self.opened[at].is_seen

    def _moves(self, unknown: tuple[int, int]) -> bool:
        """Whether the coalition knows an unknown that depends on what it sees."""
        family, number = unknown
        if family < 0:
            return self._is_seen(self._list_of_changes[number][0])
        return self._families.classes[family] == TOLD

    def _is_known(self, unknown: tuple[int, int]) -> bool:
        is_own = unknown[0] >= 0 and self._families.classes[unknown[0]] == OWN
        return is_own or self._moves(unknown)

    def _beside_known(self, form: Polynomial) -> Polynomial:
        """What is left of a row beside what the coalition knows, and, with the statement
        `output-only`, beside what the ideal output tells.
        """
        ideal = self.ideal if self._families.statement == "output-only" else []
        forms = [self._polynomial(each) for each in ideal]
        handed = {each for row in forms for each in row if len(row) == len(each) == 1}

        def open_part(row: Polynomial) -> Polynomial:
            return {
                each: value
                for each, value in row.items()
                if not all(self._is_known(u) or (u,) in handed for u in each)
            }

        basis: list[tuple[Monomial, Polynomial]] = []

        def reduced(row: Polynomial) -> Polynomial:
            rest = open_part(row)
            for pivot, other in basis:
                self._add(rest, other, -rest.get(pivot, 0))
            return rest

        for each in forms:
            rest = reduced(each)
            if rest:
                pivot = min(rest)
                scale = pow(rest[pivot], -1, self.modulus)
                basis.append((pivot, {key: value * scale for key, value in rest.items()}))
        return reduced(form)

    def families_seen(self) -> set[int]:
        """The families of the unknowns in seen rows."""
        return {
            family
            for at, form in enumerate(self._changed)
            if self._is_seen(at)
            for monomial in form
            for family, _ in monomial
        }

    def door_rows(self) -> Iterable[_DoorRow]:
        """The rows of doors, after all changes."""
        for at, opened in enumerate(self.opened, len(self.rows)):
            form = self._changed[at]
            unknowns = {unknown for monomial in form for unknown in monomial}
            yield _DoorRow(
                opened.door,
                opened.is_seen or not self._beside_known(form),
                opened.is_seen or any(map(self._moves, unknowns)),
                {family for family, _ in unknowns},
            )


# The header.


def _header(content: Mapping[str, Any]) -> tuple[str, str]:
    """Check the header. Return the protocol's name, and the tier of the statement about disclosed
    values.
    """
    protocol_name = _read_protocol(content["protocol"])
    _whole(content["written_out"], "written_out")
    for key in ("notes", "reveals"):
        for text in _list(content[key], key):
            _text(text, key)
    _require(bool(_list(content["runs"], "runs")), "runs: at least one run is expected, got none")
    disclosed = content["disclosed"]
    _record(disclosed, "argument doors epsilon independent tier", "disclosed")
    _disclosure(disclosed, ("epsilon",), "disclosed")
    is_known = disclosed["independent"] is None or type(disclosed["independent"]) is bool
    _require(is_known, "disclosed.independent: expected true, false or null")
    for at, door in enumerate(_list(disclosed["doors"], "disclosed.doors")):
        where = f"disclosed.doors[{at}]"
        _record(door, "argument calls epsilon functions given_secrets parties tier", where)
        _disclosure(door, ("epsilon", "given_secrets"), where)
        for key in ("parties", "functions"):
            for name in _list(door[key], where):
                _name(name, where)
        _whole(door["calls"], where)
    return protocol_name, disclosed["tier"]


def _read_protocol(protocol: Any) -> str:
    """Check the object that says what ran. Return the protocol's name."""
    _record(protocol, "name parameters scenario simnet source", "protocol")
    _record(protocol["parameters"], None, "protocol.parameters")
    for name, text in protocol["parameters"].items():
        _name(name, "protocol.parameters")
        _text(text, "protocol.parameters")
    if protocol["scenario"] is not None:
        _name(protocol["scenario"], "protocol.scenario")
    _name(protocol["simnet"], "protocol.simnet")
    _digest(protocol["source"], 64, "protocol.source")
    return _name(protocol["name"], "protocol.name")


def _disclosure(record: Mapping[str, Any], losses: Sequence[str], where: str) -> None:
    _text(record["argument"], where)
    _one_of(record["tier"], TIERS, where)
    for key in losses:
        if record[key] is not None:
            _text(record[key], f"{where}.{key}")


def _sent(run: Any, where: str) -> dict[str, int]:
    """Check the entry of a run. Return the number of field elements that the run sent, by tag."""
    astray = type(run) is dict and "message_fates" in run
    _record(run, f"fates inputs {'message_fates ' if astray else ''}seed sent trace", where)
    if astray:
        texts = _list(run["message_fates"], f"{where}.message_fates")
        _require(len(texts) > 0, f"{where}.message_fates: an empty list must be left out")
        for text in texts:
            _name(text, f"{where}.message_fates")
    _record(run["fates"], None, f"{where}.fates")
    for party, fate in run["fates"].items():
        _name(party, where)
        _name(fate, f"{where}.fates")
    if run["seed"] is not None:
        _whole(run["seed"], f"{where}.seed", least=None)
    _digest(run["inputs"], 64, f"{where}.inputs")
    _digest(run["trace"], 32, f"{where}.trace")
    _record(run["sent"], None, f"{where}.sent")
    elements = {}
    for tag, pair in run["sent"].items():
        _name(tag, where)
        _pair(pair, where)
        _whole(pair[0], where)
        elements[tag] = _whole(pair[1], where)
    return elements


def _read_header(
    message: Mapping[str, Any], members: frozenset[str], runs: int, where: str
) -> tuple[int, str]:
    is_right = _name(message["from"], where) not in members
    _require(is_right, f"{where}: the sender is in the coalition")
    is_right = _name(message["to"], where) in members
    _require(is_right, f"{where}: the recipient is not in the coalition")
    run = _whole(message["run"], where, least=1, below=runs + 1)
    _whole(message["round"], where)
    _whole(message["piece"], where)
    if message["key"] is not None:
        _whole(message["key"], where, least=None)
    return run, _name(message["tag"], where)


def _refuse_shares(content: Mapping[str, Any], sent: Sequence[Mapping[str, int]]) -> None:
    lists = ("families", "doors", "told", "fields", "seeds", "closed")
    is_bare = not any(content[key] for key in lists)
    _require(
        is_bare,
        f"statement: it is `no-shares`, but one of these lists is not empty: {', '.join(lists)}",
    )
    _require(
        not any(any(run.values()) for run in sent),
        "statement: it is `no-shares`, but field elements were sent",
    )


def _check_sent(fields: Sequence[_Field], sent: Sequence[Mapping[str, int]]) -> None:
    """Check that no more elements are listed for a run and a tag, except in boxes, than the run
    sent under this tag.
    """
    listed: Counter[tuple[int, str]] = Counter()
    for field in fields:
        listed.update(field.elements)
    for (run, name), elements in listed.items():
        is_right, tag = elements <= sent[run - 1].get(name, 0), _short(name)
        _require(is_right, f"runs[{run - 1}].sent: more is listed under {tag} than was sent")


def are_enough(modulus: int, elements: int) -> bool:
    """Whether `elements` uniform elements of the field with this modulus have at least `LEAST_BITS`
    bits.
    """
    return elements >= LEAST_BITS or modulus**elements >= 1 << LEAST_BITS


# Checks that values have the right form.


def _parsed(text: str) -> Any:
    def refused(number: str) -> Any:
        raise BadCertificate(
            f"the file: {_short(number)} is not a whole number of at most {MOST_DIGITS:,} digits"
        )

    def whole(number: str) -> Any:
        return int(number) if len(number.lstrip("-")) <= MOST_DIGITS else refused(number)

    try:
        content = json.loads(text, parse_float=refused, parse_constant=refused, parse_int=whole)
        is_canonical = canonical_text(content) == text
    except RecursionError:
        raise BadCertificate("the file: it is nested too deeply") from None
    except BadCertificate:
        raise
    except ValueError as error:
        raise BadCertificate(f"the file: this cannot be read as JSON: {error}") from None
    _require(is_canonical, "the file: it is not written in the canonical form")
    return content


def canonical_text(content: Any) -> str:
    """Return a JSON value as a text in the canonical form of certificates: equal values have equal
    texts.
    """
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text + "\n"


def _require(condition: bool, complaint: str) -> None:
    if not condition:
        raise BadCertificate(complaint)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _printable(name: str) -> str:
    """A name in which all characters but ASCII letters, digits, `.`, `_` and `-` are escaped, so
    that a reader sees where the name begins and ends.
    """
    return re.sub(r"[^A-Za-z0-9._-]", lambda found: f"\\u{{{ord(found[0]):x}}}", name)


def _record(value: Any, keys: str | None, where: str) -> None:
    """Refuse a value that is not an object with exactly these keys; without `keys`, any keys are
    allowed.
    """
    _require(type(value) is dict, f"{where}: expected an object, got {_short(value)}")
    if keys is not None and sorted(value) != keys.split():
        odd = min(value.keys() ^ set(keys.split()))
        fault = "is not expected here" if odd in value else "is missing"
        raise BadCertificate(f"{where}: the key {_short(odd)} {fault}")


def _list(value: Any, where: str) -> list[Any]:
    if type(value) is not list:
        raise BadCertificate(f"{where}: expected a list, got {_short(value)}")
    return value


def _pair(value: Any, where: str) -> None:
    _require(
        type(value) is list and len(value) == 2, f"{where}: expected a pair, got {_short(value)}"
    )


def _whole(value: Any, where: str, least: int | None = 0, below: int | None = None) -> int:
    is_right = type(value) is int and (least is None or value >= least)
    if not is_right or (below is not None and value >= below):
        raise BadCertificate(f"{where}: {_short(value)} is not a whole number in the allowed range")
    return int(value)


def _is(value: Any, number: int) -> bool:
    return type(value) is int and value == number  # in Python, true equals 1


def _flag(value: Any, where: str) -> None:
    _require(type(value) is bool, f"{where}: expected true or false, got {_short(value)}")


def _text(value: Any, where: str) -> str:
    if type(value) is not str:
        raise BadCertificate(f"{where}: expected a text, got {_short(value)}")
    return value


def _name(value: Any, where: str) -> str:
    _require(bool(_text(value, where)), f"{where}: a name is empty")
    return str(value)


def _names(value: Any, where: str, least: int = 0) -> list[str]:
    names = [_name(name, where) for name in _list(value, where)]
    _require(len(set(names)) == len(names) >= least, f"{where}: a name is missing or repeated")
    return names


def _one_of(value: Any, words: Sequence[str], where: str) -> str:
    if _text(value, where) not in words:
        raise BadCertificate(f"{where}: {_short(value)} is not one of {', '.join(words)}")
    return str(value)


def _digest(value: Any, digits: int, where: str) -> None:
    if value is not None:
        is_right = re.fullmatch(rf"[0-9a-f]{{{digits}}}", _text(value, where)) is not None
        _require(is_right, f"{where}: {_short(value)} is not a digest of {digits} digits")


def _ascending(values: Sequence[Any], where: str) -> None:
    is_right = all(a < b for a, b in itertools.pairwise(values))
    _require(is_right, f"{where}: the entries are not in ascending order")


def _is_prime(number: int) -> bool:
    """Whether a number is prime, by the test of Miller and Rabin. With these bases the test is
    exact below 3 * 10**23.
    """
    small = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
    if number < 2 or any(number % prime == 0 for prime in small):
        return number in small
    odd, halvings = number - 1, 0
    while odd % 2 == 0:
        odd, halvings = odd // 2, halvings + 1
    for base in small:
        power = pow(base, odd, number)
        squares = [pow(power, 1 << step, number) for step in range(halvings)]
        if power != 1 and number - 1 not in squares:
            return False
    return True


def _line(error: Exception) -> str:
    """An error as one line, without control characters."""
    text = " ".join(str(error).split())
    return "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text
    )


def text_of(file: Path) -> str:
    """The text of a certificate's file. Raises `BadCertificate` for a file that is not UTF-8 or too
    large, and `OSError` for a file that cannot be read.
    """
    with file.open("rb") as opened:
        content = opened.read(MOST_BYTES + 1)
    _require(len(content) <= MOST_BYTES, f"the file: it has more than {MOST_BYTES:,} bytes")
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise BadCertificate("the file: this is not a text in UTF-8") from None


def main() -> int:
    """Check the files that are named on the command line. Return the exit status, which is 1 if a
    file is refused or cannot be read, or if nobody reads the output any more.
    """
    parser = argparse.ArgumentParser(
        prog="python -m simnet.adversary.check",
        description="Checks certificates of verdicts with Python's standard library alone.",
        epilog="example: python -m simnet.adversary.check proof.json",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", type=Path)
    parser.add_argument(
        "--limit",
        type=int,
        default=LIMIT,
        help="refuse a certificate whose check takes more products than this number",
    )
    options = parser.parse_args()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # The name of a file may contain letters that the terminal cannot show.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        return _check_files(options.files, options.limit)
    except (
        BrokenPipeError
    ):  # the program that reads our output has ended, which says nothing about the proof
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _check_files(files: Sequence[Path], limit: int) -> int:
    status = 0
    for file in files:
        head = f"{file}: " if len(files) > 1 else ""
        try:
            read = Certificate(text_of(file))
            print(f"Checking takes {read.products} products.", flush=True)  # noqa: T201
            checked = read.checked(limit)
            is_empty = checked.statement != "no-shares" and not checked.listed
            _require(not is_empty, "it lists no message, so by itself it proves nothing")
            print(f"{head}{checked.proved}\n{checked.not_shown}", flush=True)  # noqa: T201
        except BrokenPipeError:
            raise
        except OSError as error:
            print(f"{head}the file cannot be read: {error.strerror}", file=sys.stderr)  # noqa: T201
            status = 1
        except BadCertificate as error:
            print(f"{head}the certificate is refused: {_line(error)}", file=sys.stderr)  # noqa: T201
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
