"""Exact laws of views, and how far apart two of them are.

A view is what a collusion set's members know: their inputs and coins, the discrete messages they
receive and who sends them, and of the field elements they receive the reduced part (K, K·y): K is
the reduced basis of all combinations of the messages seen from which honest coins cancel, and
honest coins make the rest uniform. Where one discrete part occurs with different K the pair is not
the whole view, and no law is claimed.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs

from simnet.adversary.coalition import Coalition, coalition_of
from simnet.errors import BadInput
from simnet.exhaustive.node import Letter
from simnet.exhaustive.reading import ONE, is_coin, owner, received_place
from simnet.exhaustive.worlds import LIMIT, Course, World, Worlds
from simnet.linear.span import Span
from simnet.linear.vectors import Vector, add_to

Law = Mapping[Hashable, Fraction]


@attrs.frozen(eq=False)
class _Reduced:
    """What one structure of forms means for a set: K·y as functions of secrets, and what they rest
    on.

    That is K in terms of the messages seen, and what of K·y is the set's own and comes off.
    """

    basis: Hashable
    functions: tuple[tuple[Vector, int], ...]  # with the modulus


class Views:
    """Laws of the view that a collusion set has of a protocol."""

    def __init__(self, worlds: Worlds, corrupt: Any) -> None:
        self.corrupt: Coalition = coalition_of(corrupt, worlds.roster)
        self._worlds = worlds
        self._members = frozenset(worlds.roster.find(name) for name in self.corrupt.parties)
        self._reduced: dict[Course, tuple[Hashable, _Reduced]] = {}
        self._bases: dict[Hashable, Hashable] = {}  # by discrete part

    def law(
        self, inputs: Any, limit: int = LIMIT, progress: Callable[[float], None] = lambda _: None
    ) -> Law:
        """The exact law of the view on these inputs. Raises `BadInput` where there is none to
        claim.
        """
        return self.law_of(self._worlds.of(inputs, limit, progress))

    def law_of(self, worlds: Iterable[World]) -> Law:
        """The exact law of the view over these worlds."""
        law: dict[Hashable, Fraction] = {}
        for world in worlds:
            view = self.view(world)
            law[view] = law.get(view, Fraction(0)) + world.probability
        return law

    def view(self, world: World) -> Hashable:
        """What the set sees of one world."""
        own = tuple((party, world.nodes[party].history.mark) for party in sorted(self._members))
        known = self._reduced.get(world.course)
        if known is None:
            known = self._reduced[world.course] = (
                self._seen(world.course),
                self._reduce(world.course),
            )
        seen, reduced = known
        discrete = own, seen
        if self._bases.setdefault(discrete, reduced.basis) != reduced.basis:
            raise BadInput(
                f"{{{self.corrupt}}} cannot tell which combinations of messages are free of "
                f"coins, so the reduced view "
                "has no exact law: enumerate field coins too"
            )
        values = []
        for function, modulus in reduced.functions:
            total = 0
            for unknown, coefficient in function.items():
                total += coefficient * (
                    1 if unknown == ONE else world.nodes[owner(unknown)].secrets[unknown]
                )
            values.append(total % modulus)
        return discrete, reduced.basis, tuple(values)

    def _letters(self, course: Course) -> list[Letter]:
        """The letters that reach members from outside, in an order of their own."""
        reaching = [letter for _, letter in course.state.posted if letter.sent.to in self._members]
        return sorted(
            (letter for letter in reaching if letter.sender not in self._members), key=_place
        )

    def _seen(self, course: Course) -> Hashable:
        """Who sends what to members, contents of plain messages included, and the traffic that the
        network sees.
        """
        received = tuple(
            (letter.sender, letter.sent.to, letter.sent.tag, letter.sent.key, letter.key)
            for letter in self._letters(course)
        )
        if not self.corrupt.network:
            return received
        crossing = sorted(
            (round_, letter.sender, letter.sent.to, letter.frame_bytes)
            for round_, letter in course.state.posted
            if letter.sent.to != letter.sender
        )
        return received, tuple(crossing)

    def _reduce(self, course: Course) -> _Reduced:
        """K and K·y for the forms that members see."""
        rows: dict[int, list[tuple[int, Vector]]] = {}
        place = 0
        for letter in self._letters(course):
            for field, elements in zip(letter.moduli, letter.rows, strict=True):
                for element in elements:
                    rows.setdefault(field, []).append(
                        (place, self._resolved(course, letter.sender, element, field))
                    )
                    place += 1
        bases, functions = [], []
        for modulus, numbered in sorted(rows.items()):
            forms = dict(numbered)
            for combination in _kernel(numbered, modulus, self._members):
                bases.append((modulus, tuple(sorted(combination.items()))))
                total: Vector = {}
                for row, weight in combination.items():
                    add_to(total, forms[row], weight, modulus)
                kept = {
                    unknown: value
                    for unknown, value in total.items()
                    if owner(unknown) not in self._members
                }
                own = {
                    unknown: value
                    for unknown, value in total.items()
                    if owner(unknown) in self._members
                }
                bases.append((modulus, tuple(sorted(own.items()))))
                functions.append((kept, modulus))
        return _Reduced(tuple(bases), tuple(functions))

    def _resolved(self, course: Course, party: int, form: Vector, modulus: int) -> Vector:
        """A form of a party's, with what it has received replaced by what was sent."""
        result: Vector = {}
        for unknown, value in form.items():
            place = received_place(unknown)
            if place is None:
                add_to(result, {unknown: value}, 1, modulus)
                continue
            number, element = place
            for letter in course.state.linked[party][number]:
                piece = letter.rows[_piece(course.state.linked[party], number)][element]
                add_to(
                    result, self._resolved(course, letter.sender, piece, modulus), value, modulus
                )
        return result


def _place(letter: Letter) -> Any:
    """Where a letter stands among others: by sender, recipient, tag and key; those alike as they
    were sent.
    """
    key = letter.sent.key
    return letter.sender, letter.sent.to, letter.sent.tag, -1 if key is None else key


def _piece(linked: Sequence[Any], number: int) -> int:
    """Which of its letter's forms the `number`-th thing received is: letters of several stand
    several times.
    """
    group = linked[number]
    start = number
    while start and linked[start - 1] is group:
        start -= 1
    return number - start


def _kernel(
    rows: Sequence[tuple[int, Vector]], modulus: int, members: frozenset[int]
) -> list[Vector]:
    """The reduced basis of the combinations of rows from which honest coins cancel."""
    coins, kernel = Span(modulus), Span(modulus)
    for place, form in rows:
        honest = {
            unknown: value
            for unknown, value in form.items()
            if is_coin(unknown) and owner(unknown) not in members
        }
        rest, origin = coins.reduce(honest, {place: 1})
        if rest:
            coins.add(honest, {place: 1})
        else:
            kernel.add(origin)
    return [vector for vector, _ in kernel.basis()]


def epsilon(one: Law, other: Law) -> float:
    """The largest log-ratio of probabilities, in either direction; infinite where only one law has
    a view.
    """
    if set(one) != set(other):
        return math.inf
    worst = max(max(one[view] / other[view], other[view] / one[view]) for view in one)
    return math.log(worst)


def delta(one: Law, other: Law, epsilon: float = 0) -> Any:
    """The larger, over both directions, of Σ max(0, P - e^ε Q); exact, as a fraction, for ε = 0."""
    factor: Any = Fraction(1) if epsilon == 0 else math.exp(min(epsilon, 700.0))
    return max(_excess(one, other, factor), _excess(other, one, factor))


def _excess(one: Law, other: Law, factor: Any) -> Any:
    nothing: Any = Fraction(0)
    return sum(
        (max(nothing, chance - factor * other.get(view, nothing)) for view, chance in one.items()),
        nothing,
    )
