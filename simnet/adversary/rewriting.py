"""Rewrites what a coalition sees as polynomials: writes products out, and finds the doors whose
rows depend on coins.

Theory of operation. In the symbolic reading the product of two forms is a new unknown. Here it is
replaced by the product of the two forms, as a linear form in *monomials*, which are unknowns that
stand for products of unknowns. If the coalition holds the product, the product stays as it is: the
coalition knows it.

*Opened rows.* If a row was disclosed in full, its number is public. So the row gives an equation,
such as d = x - a with a public number d, and a coin that occurs in one place of the equation can be
replaced: a = x - d. This is the rule of `simnet.adversary.change_of_coins` for a row whose number
is known. It is used for coins that occur in products. The equation holds in every run with the same
disclosed values, and so in every run that a verdict is about. It does not hold for a row that was
disclosed with noise, or through a function that merges values.

Example: Beaver's multiplication. With d = x - a and e = y - b, the product a·b is written out as
(x - d)(y - e) = x·y - e·x - d·y + d·e.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from math import prod

import attrs
import numpy as np

from simnet.adversary.change_of_coins import DoorRows
from simnet.adversary.door_uses import DoorUse, Product
from simnet.adversary.field_view import BlockForms
from simnet.adversary.knowledge import Knowledge
from simnet.adversary.roles import Making, Roles
from simnet.linear.forms import Forms
from simnet.linear.mixtures import listed
from simnet.linear.polynomials import Polynomial, product, put
from simnet.linear.polynomials import add_to as add_polynomial
from simnet.linear.terms import Terms, common_lanes, join, pick, refine
from simnet.linear.unknowns import ONE, PLACES, Unknowns
from simnet.linear.vectors import Vector, add_to

MOST_PAIRS = 100_000  # the most products of two terms in all products together


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
    """Forms in which products are written out, for one coalition, and the roles of unknowns.

    `with_opened` says whether rows that were disclosed in full are used. `equations` are the rows
    that were used, by modulus. `written_out` is the number of products that were written out, and
    `is_complete` says whether these are all products that the coalition does not hold. `streams`
    are the families of random rows whose seeds the coalition knows.
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
        self._replaced: dict[int, Vector] = {}  # products and coins, by their number
        self._replaced_families: frozenset[int] = frozenset()
        self.equations: dict[int, list[Vector]] = defaultdict(list)
        self.written_out = 0
        self.is_complete = True
        self._families = [each.families for each in doors.arguments]
        self.roles = self._find_roles()
        if doors.products:
            self._write_out(with_opened)
            self._families = [
                families_of(map(self.terms, each.forms)) for each in self._doors.arguments
            ]
            self.roles = self._find_roles()

    def terms(self, forms: Forms) -> Terms:
        """The terms of these forms, with products written out."""
        return self._rewritten(forms.field.modulus, forms.terms)

    def part(self, part: BlockForms) -> BlockForms:
        """The rows of `part`, which messages carry, with products written out."""
        if self._replaced_families.isdisjoint(families_of([listed(part.rows)])):
            return part
        terms = self._rewritten(part.field.modulus, part.terms)
        return attrs.evolve(part.refined(1), rows=refine(terms, 1))

    def open_doors(self) -> list[DoorRows]:
        """The doors that were given rows that depend on coins. Those of the coalition and outputs
        are left out.
        """
        return [
            self._rows_of_door(each.source, each.forms)
            for each, families in zip(self._doors.arguments, self._families, strict=True)
            if isinstance(each.source, DoorUse)
            and each.source.kind != "output"
            and each.source.party not in self._corrupt
            and self.roles.depends_on_coins(families)
        ]

    def open_factors(self) -> list[tuple[int, Terms]]:
        """The factors of products of which a factor depends on coins, with the moduli. Products of
        the coalition are left out.
        """
        return [
            (form.field.modulus, self.terms(form))
            for each, families in zip(self._doors.arguments, self._families, strict=True)
            if isinstance(each.source, Product)
            and each.source.party not in self._corrupt
            and self.roles.depends_on_coins(families)
            for form in each.forms
        ]

    def has_products_of_coins(self, parts: Iterable[BlockForms]) -> bool:
        """Whether these rows contain a product of which a factor depends on honest coins."""
        if not self._doors.products:
            return False
        families = self._doors.unknowns.families
        present = families_of(listed(self.part(part).rows) for part in parts)
        return any(
            bool(self.roles.derived[number]) and families[number].kind == "product"
            for number in present
        )

    def _rows_of_door(self, use: DoorUse, forms: Sequence[Forms]) -> DoorRows:
        assert use.kind != "output"
        rows: dict[int, list[Terms]] = defaultdict(list)
        for form in forms:
            rows[form.field.modulus].append(self.terms(form))
        return DoorRows(
            party=use.party,
            kind=use.kind,
            function=use.function,
            rows={modulus: joined(each) for modulus, each in rows.items()},
            has_input=use.has_input,
            discloses=use.kind == "disclose" or not self._doors.checks.refuses_by_inputs_alone(use),
            in_full=use.in_full,
            made=None if use.made is None else use.made.number,
        )

    def _find_roles(self) -> Roles:
        makings = [
            Making(each.source.made.number, families)
            for each, families in zip(self._doors.arguments, self._families, strict=True)
            if each.source.made is not None
        ]
        makings += [
            Making(family.number, {factor // PLACES for factor in family.factors})
            for family in self._doors.unknowns.families
            if family.factors
        ]
        return Roles(self._doors.unknowns, self._corrupt, makings, self._streams)

    # Writing products out.

    def _write_out(self, with_opened: bool) -> None:
        values = self._products()
        self.written_out = len(values)
        if with_opened and values:
            self._solve(values)
        # All monomials are made here, before the roles of their families are found.
        self._replaced = {
            unknown: self._vector(form, modulus) for unknown, (modulus, form) in values.items()
        }
        self._replaced_families = frozenset(unknown // PLACES for unknown in values)

    def _products(self) -> dict[int, tuple[int, Polynomial]]:
        """The products that the coalition does not hold, by their unknowns: modulus and value."""
        values: dict[int, tuple[int, Polynomial]] = {}
        pairs = 0
        for each in self._doors.products:
            if self.roles.known[each.made.number]:
                continue
            modulus = each.left.field.modulus
            for unknown, (left, right) in _factors(each):
                first, second = (self._polynomial(row, modulus, values) for row in (left, right))
                pairs += len(first) * len(second)
                if pairs > MOST_PAIRS:
                    self.is_complete = False
                    return values
                values[unknown] = modulus, product(first, second, modulus)
        return values

    def _polynomial(
        self, row: Vector, modulus: int, values: Mapping[int, tuple[int, Polynomial]]
    ) -> Polynomial:
        total: Polynomial = {}
        for unknown, coefficient in row.items():
            own: Polynomial = {() if unknown == ONE else (unknown,): 1}
            _, value = values.get(unknown, (modulus, own))
            add_polynomial(total, value, coefficient, modulus)
        return total

    def _solve(self, values: dict[int, tuple[int, Polynomial]]) -> None:
        """Solve rows that were disclosed in full for coins that occur in products, and replace
        these coins.
        """
        rows = [
            (form.field.modulus, row)
            for each in self._doors.arguments
            if isinstance(each.source, DoorUse) and each.source.in_full
            for form in each.forms
            for row in refine(form.terms, 1).vectors()
        ]
        before = -1
        while before != len(rows):
            before, waiting = len(rows), []
            for modulus, row in rows:
                form = self._polynomial(row, modulus, values)
                add_polynomial(form, {(): 1}, -self._number(row), modulus)
                coin = self._coin(form, values)
                if coin is None:
                    waiting.append((modulus, row))
                    continue
                self.equations[modulus].append(row)
                scale = -pow(form.pop((coin,)), -1, modulus)
                value: Polynomial = {}
                add_polynomial(value, form, scale, modulus)
                for unknown, (of, known) in values.items():
                    if of == modulus:
                        values[unknown] = of, put(known, coin, value, modulus)
                values[coin] = modulus, value
            rows = waiting

    def _number(self, row: Vector) -> int:
        unknowns = self._doors.unknowns
        return sum(factor * int(unknowns.values(unknown)[0]) for unknown, factor in row.items())

    def _coin(self, form: Polynomial, values: Mapping[int, tuple[int, Polynomial]]) -> int | None:
        """A coin that occurs in one term of a row, alone, and in some product."""
        times = Counter(unknown for each in form for unknown in set(each))
        multiplied = {
            unknown
            for _, value in values.values()
            for each in value
            if len(each) > 1
            for unknown in each
        }
        coins = (each[0] for each in form if len(each) == 1 and times[each[0]] == 1)
        return next((u for u in coins if u in multiplied and self.roles.coin[u // PLACES]), None)

    def _vector(self, form: Polynomial, modulus: int) -> Vector:
        unknowns = self._doors.unknowns
        return {
            unknowns.monomial(each, modulus) if each else ONE: value for each, value in form.items()
        }

    def _rewritten(self, modulus: int, terms: Terms) -> Terms:
        if self._replaced_families.isdisjoint(families_of([terms])):
            return terms
        rows: list[Vector] = []
        for row in refine(terms, 1).vectors():
            rows.append({})
            for unknown, coefficient in row.items():
                value = self._replaced.get(unknown, {unknown: 1})
                add_to(rows[-1], value, coefficient, modulus)
        return Terms.of_vectors(rows)


def _factors(each: Product) -> Iterator[tuple[int, tuple[Vector, Vector]]]:
    """Yield the unknown of each product of two elements, and the two elements."""
    shape = np.broadcast_shapes(each.left.shape, each.right.shape)
    sides = []
    for factor in (each.left, each.right):
        items = np.broadcast_to(np.arange(prod(factor.shape)).reshape(factor.shape), shape)
        sides.append(refine(pick(factor.terms, items.reshape(-1)), 1).vectors())
    for place, pair in enumerate(zip(*sides, strict=True)):
        yield each.made.first + place, pair


def joined(rows: Sequence[Terms]) -> Terms:
    """The rows of several arrays, one after another, in their common lanes."""
    lanes = common_lanes(rows)
    return join([refine(terms, lanes) for terms in rows])
