"""Unknowns: the variables of linear forms.

Theory of operation. In a symbolic reading, each uniform field coin, each element of a declared
secret, each element of a random row (which `me.expand` makes from a seed), and each product of two
forms that is not itself linear is an unknown. The unknowns that are drawn or declared together form
a *family*; a product is a family of its own. An unknown is given by its family and its place in the
family. Both are packed into one integer::

    unknown = number of the family * 2**36 + place

So an array of unknowns is an array of int64, the unknowns of a family are consecutive numbers (see
the lanes of `terms`), and shifting an unknown by 36 bits gives the number of its family.

The first family has a single unknown, `ONE`, whose value is 1. Plain numbers are public, and each
of them is a multiple of `ONE`.

Most families are found by a key. The key of a family of coins consists of the seed, the party, a
purpose, and a digest of the draws so far. So equal draws in runs of one seed give the same
unknowns.

Example. Party u1 declares a secret of three elements, and then draws two coins. (The keys are
shortened here.)

>>> from simnet.values.field import Field
>>> from simnet.values.residues import constant
>>> unknowns = Unknowns()
>>> secret = unknowns.family("secret", ("u1", 0), "0/1", "u1", constant(Field(7), [4, 0, 0]))
>>> coins = unknowns.family("coin", (7, "u1", 1), "seed 7", "u1", constant(Field(7), [2, 6]))
>>> unknowns.name(coins.first + 1)
Name(kind='coin', holders=('u1',), label='seed 7', place=1)
>>> unknowns.values(secret.first, lanes=3)
array([4, 0, 0])

A coalition knows the value of an unknown if one of its members holds it. A coalition also knows a
monomial if it knows all factors, and a random row if it knows the seed.
"""

import itertools
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from math import prod
from typing import Literal

import attrs
import numpy as np
import numpy.typing as npt

from simnet.arrays import Bools, Ints
from simnet.errors import SimnetError
from simnet.linear.polynomials import monomial as monomial_of
from simnet.linear.seeds import Query
from simnet.values.residues import Residues, residues_of

UnknownKind = Literal["coin", "secret", "product", "public", "stream", "message"]

PLACES = 1 << 36  # the largest number of unknowns in one family
KINDS: tuple[UnknownKind, ...] = ("coin", "secret", "product", "public", "stream", "message")
ONE = 0  # the unknown that everybody knows, and that is 1: plain numbers are multiples of it


@attrs.define(eq=False)
class Family:
    """Unknowns of one kind that were drawn or declared at once, with their sampled values.

    `holders` are parties that know the unknowns. A *monomial* is a family of one unknown: the
    product of the unknowns `factors`, mostly secrets. A *stream* is made by a random function from
    the seed with the digest `seed`; a stream has no holders, because whoever knows the seed knows
    the stream. A *message* is what a party receives in an outline
    (`simnet.adversary.orbits.outline`).

    The values may be given by a function, which is called when somebody asks for them.
    """

    kind: UnknownKind
    label: str
    number: int
    _values: npt.NDArray[np.integer] | Callable[[], Residues]
    holders: set[str] = attrs.field(factory=set)
    factors: tuple[int, ...] = ()
    seed: bytes = b""

    @property
    def first(self) -> int:
        """The number of the family's first unknown."""
        return self.number * PLACES

    @property
    def values(self) -> npt.NDArray[np.integer]:
        """The sampled values, one for each unknown."""
        if callable(self._values):
            self._values = _flat(residues_of(self._values()))
        return self._values


@attrs.frozen
class Name:
    """The name of an unknown: its kind, its holders, its family's label, and its place in the
    family, from 0.
    """

    kind: UnknownKind
    holders: tuple[str, ...]
    label: str
    place: int


def _flat(numbers: npt.NDArray[np.integer]) -> npt.NDArray[np.integer]:
    """Return the numbers as an array with one axis. If the given array stores a single number for
    all places, the result does so, too.
    """
    if numbers.size and not any(numbers.strides):
        return np.broadcast_to(numbers[(0,) * numbers.ndim], numbers.size)
    return numbers.reshape(-1)


class Unknowns:
    """All unknowns of one run, or of several runs that are judged together."""

    def __init__(self) -> None:
        one = Family("public", "one", ONE, np.ones(1, dtype=np.int64))
        self.families: list[Family] = [one]
        self._by_key: dict[Hashable, Family] = {}
        self._digests: dict[Hashable, str] = {}
        self.queries: dict[bytes, Query] = {}  # what each digest of a seed stands for
        self._forms_of_queries: dict[bytes, bytes] = {}
        # The public keys that each signature signs, and the sets of keys of which a script was told
        # that no two are equal.
        self.signed: dict[bytes, tuple[bytes, ...]] = {}
        self.compared: set[frozenset[bytes]] = set()
        self._lock = threading.Lock()

    def family(
        self,
        kind: UnknownKind,
        key: Hashable,
        label: str,
        holder: str,
        values: Residues | Callable[[], Residues],
    ) -> Family:
        """Return the family with the given kind and key, after adding `holder` to its holders. The
        first call makes the family. `values` are the sampled values, or a function that returns
        them.
        """
        with self._lock:  # deferred blocks may be evaluated in threads
            family = self._by_key.get((kind, key))
            if family is None:
                numbers = values if callable(values) else _flat(residues_of(values))
                family = self._by_key[kind, key] = Family(kind, label, len(self.families), numbers)
                self.families.append(family)
            family.holders.add(holder)
        return family

    def ask(self, digest: bytes, query: Query, form: bytes) -> None:
        """Note the seed that a digest stands for. Raises `SimnetError` if the digest stands for a
        seed of another form already.
        """
        before = self._forms_of_queries.setdefault(digest, form)
        if before != form:
            raise SimnetError(
                "two seeds, or two keys, have the same value although they are made in different "
                "ways, so a verdict cannot tell them apart: if they are drawn, draw more elements "
                "for each of them, or run with another --seed; if an input or a constant makes "
                "them equal, append a constant to one of them"
            )
        self.queries.setdefault(digest, query)

    def stream(self, key: bytes, digest: bytes, label: str, values: Residues) -> Family:
        """Return the family with this key: the elements that a random function makes from the seed
        with this digest. The first call with a key makes the family.
        """
        family = self._by_key.get(("stream", key))
        if family is None:
            numbers = residues_of(values).reshape(-1)
            family = Family("stream", label, len(self.families), numbers, seed=digest)
            self._by_key["stream", key] = family
            self.families.append(family)
        return family

    def monomial(self, factors: tuple[int, ...], modulus: int) -> int:
        """Return the unknown that is the product of these factors, which may be monomials.

        Equal products are one unknown: the order of the factors does not matter, and x**q = x over
        F_q. A monomial has no holders: whoever holds all its factors knows the monomial.
        """
        single = [self.families[factor // PLACES].factors or (factor,) for factor in factors]
        ordered = monomial_of(itertools.chain.from_iterable(single), modulus)
        if len(ordered) == 1:
            return ordered[0]
        key = ("monomial", ordered)
        with self._lock:
            family = self._by_key.get(key)
            if family is None:
                value = prod(int(self.values(factor)[0]) for factor in ordered) % modulus
                family = Family("product", "", len(self.families), np.array([value]))
                family.factors = ordered
                self._by_key[key] = family
                self.families.append(family)
        return family.first

    def agree(self, place: Hashable, digest: str) -> bool:
        """Return whether `digest` equals the digest that was first given for `place`.

        A place is a portion of one party's field coins: a seed, the party's name, a purpose, and
        the portion's number. The digest is computed from the moduli and shapes of all draws up to
        the portion.
        """
        return self._digests.setdefault(place, digest) == digest

    def kinds(self) -> Ints:
        """Return, for each family, the place of its kind in `KINDS`."""
        return np.array([KINDS.index(family.kind) for family in self.families], dtype=np.int64)

    def held_by(self, parties: Iterable[str], streams: AbstractSet[int] = frozenset()) -> Bools:
        """Return, for each family, whether these parties together hold it. `streams` lists the
        families of random rows whose seeds they know, by number.

        All parties hold what is public. Parties hold a monomial if they hold all its factors.
        """
        members = frozenset(parties)
        is_held = [
            family.kind == "public"
            or family.number in streams
            or not members.isdisjoint(family.holders)
            for family in self.families
        ]
        for family in self.families:
            if family.factors:
                is_held[family.number] = all(is_held[factor // PLACES] for factor in family.factors)
        return np.array(is_held, dtype=np.bool_)

    def name(self, unknown: int) -> Name:
        """Return the name of an unknown."""
        family = self.families[unknown // PLACES]
        return Name(family.kind, tuple(sorted(family.holders)), family.label, unknown % PLACES)

    def values(self, unknown: int, lanes: int = 1) -> Ints:
        """Return the sampled values of an unknown and of the unknowns after it, `lanes` values in
        all.
        """
        return next(rows[0] for _, rows in self.values_by_family(np.array([unknown]), lanes))

    def values_by_family(self, unknowns: Ints, lanes: int) -> Iterator[tuple[Ints, Ints]]:
        """Yield the sampled values of many unknowns, family by family. Each unknown comes with the
        unknowns that follow it, `lanes` in all.

        Yields pairs: the places in `unknowns` of one family's unknowns, and their values, shape
        (places, lanes).
        """
        order = np.argsort(unknowns, kind="stable")
        families, places = unknowns[order] // PLACES, unknowns[order] % PLACES
        for begin, end in itertools.pairwise(
            [*np.flatnonzero(np.diff(families, prepend=-1)).tolist(), len(order)]
        ):
            wanted = places[begin:end, np.newaxis] + np.arange(lanes)
            yield (
                order[begin:end],
                self.families[int(families[begin])].values[wanted].astype(np.int64),
            )
