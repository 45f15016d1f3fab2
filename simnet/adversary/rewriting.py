"""Rewrites what a coalition sees as linear forms: expands products, and finds the doors whose rows
depend on coins.

The rules for verdicts are about rows of linear forms (`expansion`, `opened_rows`). This module
makes such rows from runs that were read symbolically: from messages, the ideal output, and the
arguments of doors and products.

Expanding products can change whether a secret depends on coins. In turn, whether a product can be
expanded depends on which secrets depend on coins. So we expand products, and find out which secrets
depend on coins, by turns until nothing changes.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from math import prod

import attrs
import numpy as np

from simnet.adversary.door_uses import DoorUse, Product
from simnet.adversary.expansion import Expansion, ProductTerm
from simnet.adversary.field_view import BlockForms
from simnet.adversary.knowledge import Knowledge
from simnet.adversary.opened_rows import DoorRows
from simnet.adversary.roles import Making, Roles
from simnet.linear.forms import Forms
from simnet.linear.mixtures import listed
from simnet.linear.terms import Terms, common_lanes, join, pick, refine
from simnet.linear.unknowns import PLACES, Unknowns
from simnet.linear.vectors import Vector


class DoorChecks:
    """What an instrument can find out about doors by calling their functions.

    This base class calls no function and finds nothing out. Its answers are that a refusal may
    depend on more than inputs, that the coalition knows the forms, and that no witness is known.
    """

    def refuses_by_inputs_alone(self, use: DoorUse) -> bool:  # # noqa: ARG002  # subclasses use it
        """Return whether only inputs decide if the door's function raises an error."""
        return False

    def knows_structure(self, corrupt: Sequence[str]) -> bool:  # noqa: ARG002  # subclasses use it
        """Whether the coalition knows the forms of its messages (`hidden_structure`)."""
        return True

    def has_witness(self, corrupt: Sequence[str], knowledge: Sequence[Knowledge]) -> bool:  # noqa: ARG002  # subclasses use it
        """Whether two inputs are known that give the coalition equal ideal outputs and disclosed
        values, but other values of the functions that it determines.
        """
        return False


@attrs.frozen(eq=False)
class Arguments:
    """The forms that a door or a product was given, and the families of their unknowns."""

    source: DoorUse | Product
    forms: tuple[Forms, ...]
    families: frozenset[int]

    @classmethod
    def of(cls, source: DoorUse | Product) -> "Arguments":
        """The arguments of a door, or of a product."""
        forms = source.rows if isinstance(source, DoorUse) else (source.left, source.right)
        return cls(source, forms, families_of(form.terms for form in forms))


def families_of(rows: Iterable[Terms]) -> frozenset[int]:
    """The families of all unknowns in some rows."""
    numbers: set[int] = set()
    for terms in rows:
        numbers.update(np.unique(terms.unknowns // PLACES).tolist())
    return frozenset(numbers)


class Doors:
    """All doors and products of runs that were read symbolically together."""

    def __init__(
        self,
        unknowns: Unknowns,
        uses: Sequence[DoorUse],
        products: Sequence[Product],
        checks: DoorChecks | None = None,
        same_inputs: bool = False,
    ) -> None:
        """`products` contains the products of the ideal world as well. `same_inputs` says that all
        runs have the same inputs.
        """
        self.same_inputs = same_inputs
        self.unknowns = unknowns
        self.checks = checks or DoorChecks()
        self.uses = tuple(uses)
        self.products = tuple(products)
        with_rows = [use for use in uses if use.rows]
        self.arguments = [*map(Arguments.of, with_rows), *map(Arguments.of, products)]


class Rewriting:
    """Forms with expanded products, for one coalition, and the resulting roles of unknowns.

    `with_opened` says whether rows that were disclosed in full are used to expand products.
    `rows_used` are the rows that were used, by modulus. `streams` are the families of random rows
    whose seeds the coalition knows.
    """

    def __init__(
        self,
        doors: Doors,
        corrupt: Sequence[str],
        with_opened: bool,
        streams: AbstractSet[int] = frozenset(),
    ) -> None:
        self._doors = doors
        self._streams = streams
        self._corrupt = frozenset(corrupt)
        self._with_opened = with_opened
        self._expansions: dict[int, Expansion] = {}
        self._opened: dict[int, list[Vector]] = {}
        self._families = [each.families for each in doors.arguments]
        self.roles = self._find_roles()
        self._of_products = {product.made.number for product in doors.products}
        before = -1
        while doors.products and before != self.written_out:
            before = self.written_out
            self._expand()
        self.rows_used = {
            modulus: Terms.of_vectors(
                [expansion.written_out(self._opened[modulus][n]) for n in expansion.rows_used]
            )
            for modulus, expansion in self._expansions.items()
            if expansion.rows_used
        }

    def terms(self, forms: Forms) -> Terms:
        """The terms of these forms, with products expanded."""
        return self._rewritten(forms.field.modulus, forms.terms)

    def part(self, part: BlockForms) -> BlockForms:
        """The rows of `part`, which messages carry, with products expanded."""
        if not self._has_products(part.field.modulus, listed(part.rows)):
            return part
        terms = self._rewritten(part.field.modulus, part.terms)
        return attrs.evolve(part.refined(1), rows=refine(terms, 1))

    def open_doors(self) -> list[DoorRows]:
        """The doors and products that were given rows that depend on coins. Those of the coalition,
        outputs, and products that were expanded, are left out.
        """
        doors: list[DoorRows] = []
        for each, families in zip(self._doors.arguments, self._families, strict=True):
            if each.source.party in self._corrupt or not self.roles.depends_on_coins(families):
                continue
            if isinstance(each.source, DoorUse):
                doors += self._rows_of_door(each.source, each.forms)
            else:
                doors += self._rows_of_product(each.source)
        return doors

    def _rows_of_door(self, use: DoorUse, forms: Sequence[Forms]) -> Iterator[DoorRows]:
        if use.kind == "output":
            return
        rows: dict[int, list[Terms]] = defaultdict(list)
        for form in forms:
            rows[form.field.modulus].append(self.terms(form))
        yield DoorRows(
            party=use.party,
            kind=use.kind,
            function=use.function,
            rows={modulus: joined(each) for modulus, each in rows.items()},
            has_input=use.has_input,
            discloses=use.kind == "disclose" or not self._doors.checks.refuses_by_inputs_alone(use),
            in_full=use.in_full,
            made=None if use.made is None else use.made.number,
        )

    def _rows_of_product(self, product: Product) -> Iterator[DoorRows]:
        modulus = product.left.field.modulus
        expansion = self._expansions[modulus]
        rows = [
            expansion.written_out(factor)
            for each in self._products(product)
            if each.unknown not in expansion.substitutes
            for factor in each.factors
        ]
        if rows:
            yield DoorRows(
                party=product.party,
                kind="product",
                rows={modulus: Terms.of_vectors(rows)},
                has_input=False,
                discloses=False,
                made=product.made.number,
            )

    # Expanding products.

    @property
    def written_out(self) -> int:
        """The number of products that were expanded."""
        return sum(len(expansion.substitutes) for expansion in self._expansions.values())

    def _find_roles(self) -> Roles:
        makings = [
            Making(each.source.made.number, families)
            for each, families in zip(self._doors.arguments, self._families, strict=True)
            if each.source.made is not None
        ]
        return Roles(self._doors.unknowns, self._corrupt, makings, self._streams)

    def _expand(self) -> None:
        """Expand the products that can be expanded with these roles, and find the roles again."""
        products: dict[int, list[ProductTerm]] = defaultdict(list)
        for product in self._doors.products:
            if not self.roles.known[product.made.number]:
                products[product.left.field.modulus] += self._products(product)
        if self._with_opened:
            self._opened = self._rows_in_full(products.keys())
        self._expansions = {
            modulus: self._expansion(modulus, terms) for modulus, terms in products.items()
        }
        self._families = [
            families_of(map(self.terms, each.forms))
            if each.families & self._of_products
            else each.families
            for each in self._doors.arguments
        ]
        self.roles = self._find_roles()

    def _expansion(self, modulus: int, products: Sequence[ProductTerm]) -> Expansion:
        unknowns, roles = self._doors.unknowns, self.roles

        def is_free(unknown: int) -> bool:
            number = unknown // PLACES
            if unknowns.families[number].factors:
                return True  # new families may have been made after the roles were computed
            is_fixed = roles.known[number] and not roles.moving[number]
            is_secret = unknowns.families[number].kind == "secret"
            return bool(
                is_fixed or (is_secret and not (roles.derived[number] or roles.known[number]))
            )

        def is_coin(unknown: int) -> bool:
            number = unknown // PLACES
            return number < len(roles.coin) and bool(roles.coin[number])

        return Expansion(
            modulus,
            products,
            self._opened.get(modulus, []),
            is_coin=is_coin,
            is_free=is_free,
            value=lambda unknown: int(unknowns.values(unknown)[0]),
            monomial=lambda factors: unknowns.monomial(factors, modulus),
        )

    def _rows_in_full(self, moduli: Collection[int]) -> dict[int, list[Vector]]:
        rows: dict[int, list[Vector]] = defaultdict(list)
        for each in self._doors.arguments:
            if isinstance(each.source, DoorUse) and each.source.in_full:
                for form in each.forms:
                    if form.field.modulus in moduli:
                        rows[form.field.modulus] += refine(form.terms, 1).vectors()
        return rows

    def _products(self, product: Product) -> list[ProductTerm]:
        shape = np.broadcast_shapes(product.left.shape, product.right.shape)
        sides = []
        for factor in (product.left, product.right):
            items = np.broadcast_to(np.arange(prod(factor.shape)).reshape(factor.shape), shape)
            numbers = np.broadcast_to(factor.sampled.numbers(), shape).reshape(-1).tolist()
            vectors = refine(pick(factor.terms, items.reshape(-1)), 1).vectors()
            sides.append(list(zip(vectors, numbers, strict=True)))
        return [
            ProductTerm(
                unknown=product.made.first + place,
                factors=(left, right),
                values=(left_number, right_number),
            )
            for place, ((left, left_number), (right, right_number)) in enumerate(
                zip(*sides, strict=True)
            )
        ]

    def _rewritten(self, modulus: int, terms: Terms) -> Terms:
        if not self._has_products(modulus, terms):
            return terms
        return self._expansions[modulus].rewritten(terms)

    def _has_products(self, modulus: int, terms: Terms) -> bool:
        expansion = self._expansions.get(modulus)
        if expansion is None or not expansion.substitutes:
            return False
        return bool(self._of_products & families_of([terms]))


def joined(rows: Sequence[Terms]) -> Terms:
    """The rows of several arrays, one after another, in their common lanes."""
    lanes = common_lanes(rows)
    return join([refine(terms, lanes) for terms in rows])
