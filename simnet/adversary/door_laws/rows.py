"""The field elements that a door is given, as linear forms in secrets, coins and what is known.

The numbers that a door's function is given are linear in unknowns. To find the law of a door, we
sort the terms of every element into four kinds. (We find no law for elements with products that the
coalition does not know.) ::

    element     = secrets              honest secrets: each has a law of its own, given the inputs
                + coins                honest coins: uniform, and unknown to the coalition
                + known                unknowns that the coalition knows
                + a public number

Several elements may share coins. `basis_of` picks elements whose coin parts are linearly
independent, so that these coin parts are jointly uniform. It writes every other coin part as a
combination of them. For example, take two elements r and 2r + s over F_5, with a coin r and a
secret s. The basis is the coin part r, which is uniform; the coin parts of the two elements are 1
and 2 times r.
"""

from collections.abc import Collection, Mapping, Sequence

import attrs

from simnet.adversary.roles import Roles
from simnet.linear.forms import Forms
from simnet.linear.span import Span
from simnet.linear.terms import refine
from simnet.linear.unknowns import ONE, PLACES, Family, Unknowns
from simnet.linear.vectors import Vector
from simnet.values.residues import residues_of


@attrs.frozen(eq=False, kw_only=True)
class Element:
    """One field element that a door is given."""

    modulus: int
    # Each vector maps unknowns to coefficients that are not 0.
    secrets: Vector
    coins: Vector
    # Products of two honest elements, and random rows of which we do not know whether the coalition
    # knows them: we do not compute their law.
    products: Vector
    known: Vector
    number: int  # the public number

    @property
    def is_hidden(self) -> bool:
        """Whether the element contains an unknown that the coalition does not know."""
        return bool(self.secrets or self.coins or self.products)


class ElementReader:
    """Sorts the terms of forms by kind: honest secrets, honest coins, unknowns that the coalition
    knows, public numbers, and products that it does not know.

    `roles` says which random rows of seeds the coalition knows. Without `roles`, a random row
    counts as a product, and no law is computed for elements that contain it.

    `received` is given for somebody who sees no messages. It lists the secrets of the coalition
    that were made from field elements. These secrets, the coalition's products, and random rows of
    seeds that the coalition knows may depend on what honest parties sent, so they count as products
    as well.
    """

    def __init__(
        self,
        unknowns: Unknowns,
        corrupt: Collection[str],
        roles: Roles | None = None,
        received: Collection[int] | None = None,
    ) -> None:
        self._unknowns = unknowns
        self._is_known = unknowns.held_by(corrupt)
        self._roles = roles
        self._received = received
        # By the identity of an array. The arrays are kept alive, so that Python does not give their
        # ids to other objects.
        self._read: dict[int, tuple[Forms, list[Element]]] = {}

    def elements(self, forms: Forms) -> list[Element]:
        """The elements of an array, one after another."""
        found = self._read.get(id(forms))
        if found is None:
            vectors = refine(forms.terms, 1).vectors()
            sampled = residues_of(forms.sampled).reshape(-1).tolist()
            modulus = forms.field.modulus
            elements = [
                self._element(vector, number, modulus)
                for vector, number in zip(vectors, sampled, strict=True)
            ]
            found = self._read[id(forms)] = forms, elements
        return found[1]

    def _element(self, vector: Mapping[int, int], sampled: int, modulus: int) -> Element:
        parts: dict[str, Vector] = {"secret": {}, "coin": {}, "product": {}, "known": {}}
        number = sampled
        for unknown, coefficient in vector.items():
            if unknown == ONE:
                continue  # this term is part of the element's public number
            family = self._unknowns.families[unknown // PLACES]
            parts[self._kind(family)][unknown] = coefficient
            number -= coefficient * int(family.values[unknown % PLACES])
        return Element(
            modulus=modulus,
            secrets=parts["secret"],
            coins=parts["coin"],
            products=parts["product"],
            known=parts["known"],
            number=number % modulus,
        )

    def _kind(self, family: Family) -> str:
        is_known = self._is_known[family.number]
        kind = family.kind
        if kind == "stream":
            kind = "product" if self._roles is None else "coin"
            is_known = self._roles is not None and self._roles.known[family.number]
        if not is_known:
            return kind
        may_depend = self._received is not None and (
            family.kind in ("product", "stream") or family.number in self._received
        )
        return "product" if may_depend else "known"


def basis_of(vectors: Sequence[Vector], modulus: int) -> tuple[int, list[Vector]]:
    """The rank of some vectors, and each vector as a combination of basis vectors 0..rank-1.

    The basis consists of the vectors that do not depend linearly on the vectors before them.
    """
    span = Span(modulus)
    rank, combinations = 0, []
    for vector in vectors:
        rest, origin = span.reduce(vector, {})
        # `vector - rest` is a combination of basis vectors. `origin` has the coefficients of this
        # combination with the opposite sign.
        combination: Vector = {place: -weight % modulus for place, weight in origin.items()}
        if rest:
            span.add(vector, {rank: 1})
            combination = {rank: 1}
            rank += 1
        combinations.append(combination)
    return rank, combinations
