"""The exact law of a real-valued report: atoms, flat pieces and falling tails.

Positions are exact fractions, so that neighbouring pieces meet exactly, however narrow they are.
Heights and masses are stored as logarithms, so that none underflows. The ε of a mechanism is the
largest log ratio between the laws of two inputs.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations, pairwise
from math import exp, expm1, floor, inf, log

import attrs
import numpy as np
import numpy.typing as npt

from simnet.arrays import Floats

MomentTriple = tuple[float, float, float]  # the integrals of 1, x and x²
Real = float | Fraction


def _place(value: Real) -> Fraction:
    return Fraction(value)


@attrs.frozen
class Atom:
    """A single point and its probability."""

    at: Fraction = attrs.field(converter=_place)
    log_mass: float

    @property
    def moments(self) -> MomentTriple:
        """The atom's mass, first moment and second moment."""
        mass, at = exp(self.log_mass), float(self.at)
        return mass, mass * at, mass * at * at


@attrs.frozen
class Flat:
    """A constant density on an interval. Raises `ValueError` for an empty interval."""

    low: Fraction = attrs.field(converter=_place)
    high: Fraction = attrs.field(converter=_place)
    log_height: float

    def __attrs_post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(
                "a flat piece of a density has a positive width, got "
                f"{float(self.low)} to {float(self.high)}"
            )

    @cached_property
    def moments(self) -> MomentTriple:
        """The piece's mass, first moment and second moment."""
        low, high = float(self.low), float(self.high)
        mass = exp(self.log_height + log(float(self.high - self.low)))
        return mass, mass * (low + high) / 2, mass * (low * low + low * high + high * high) / 3

    @property
    def ends(self) -> tuple[Fraction, ...]:
        """Both ends of the interval."""
        return self.low, self.high

    def edges(self, horizon: tuple[Fraction, Fraction]) -> list[Fraction]:
        """Return the positions where the density jumps: both ends."""
        del horizon
        return [self.low, self.high]

    def log_limits(self, low: Fraction, high: Fraction) -> tuple[float, float] | None:
        """Return the log density at both ends of an interval without an edge inside, as limits
        from inside the interval.

        None if the piece does not cover the interval.
        """
        return (self.log_height, self.log_height) if self.low <= low and high <= self.high else None

    def log_density(self, x: Floats) -> Floats:
        """Return the log density at x, -inf outside the piece; shape as given."""
        return np.where((float(self.low) <= x) & (x <= float(self.high)), self.log_height, -inf)

    def mass_below(self, x: Floats) -> Floats:
        """Return the piece's mass at or below x; shape as given."""
        return self.moments[0] * np.clip((x - float(self.low)) / float(self.high - self.low), 0, 1)


@attrs.frozen
class Tail:
    """A density that falls away from an edge without end, to the right (`side` 1) or to the left
    (-1).

    The log density falls by `fall` per unit of distance: continuously if `step` is 0, otherwise
    only at the end of each step of width `step`.
    """

    edge: Fraction = attrs.field(converter=_place)
    side: int
    log_height: float  # at the edge
    fall: float
    step: int = 0

    @cached_property
    def moments(self) -> MomentTriple:
        """The tail's mass, first moment and second moment."""
        height, edge = exp(self.log_height), float(self.edge)
        mass, first, second = (height * moment for moment in self._moments_of_distance)
        return (
            mass,
            edge * mass + self.side * first,
            second + 2 * edge * self.side * first + edge * edge * mass,
        )

    @property
    def _moments_of_distance(self) -> MomentTriple:
        """The tail's mass, and the first and second moment of the distance from its edge, if the
        density has height 1 at the edge.
        """
        if not self.step:
            return 1 / self.fall, 1 / self.fall**2, 2 / self.fall**3
        ratio, rest = exp(-self.fall * self.step), -expm1(-self.fall * self.step)
        # the sums over j of r^j, of j r^j, and of j² r^j
        s0, s1, s2 = (1 / rest, ratio / rest**2, ratio * (1 + ratio) / rest**3)
        return self.step * s0, self.step**2 * (s1 + s0 / 2), self.step**3 * (s2 + s1 + s0 / 3)

    @property
    def ends(self) -> tuple[Fraction, ...]:
        """The tail's only end."""
        return (self.edge,)

    def edges(self, horizon: tuple[Fraction, Fraction]) -> list[Fraction]:
        """Return the positions where the density jumps, from the edge outwards.

        The list ends at the horizon, a pair of a lowest and a highest position.
        """
        if not self.step:
            return [self.edge]
        reach = abs((horizon[1] if self.side > 0 else horizon[0]) - self.edge)
        return [self.edge + self.side * self.step * j for j in range(floor(reach / self.step) + 1)]

    def log_limits(self, low: Fraction, high: Fraction) -> tuple[float, float] | None:
        """Return the log density at both ends of an interval without an edge inside, as limits
        from inside the interval.

        None if the interval is not on the tail's side of its edge.
        """
        near, far = self.side * (low - self.edge), self.side * (high - self.edge)
        if near < 0 or far < 0:
            return None
        if self.step:
            near = far = Fraction(self.step * floor((near + far) / 2 / self.step))
        return self.log_height - self.fall * float(near), self.log_height - self.fall * float(far)

    def log_density(self, x: Floats) -> Floats:
        """Return the log density at x, -inf on the other side of the edge; shape as given."""
        distance = self.side * (x - float(self.edge))
        fallen = self.step * np.floor(distance / self.step) if self.step else distance
        return np.where(distance >= 0, self.log_height - self.fall * fallen, -inf)

    def mass_below(self, x: Floats) -> Floats:
        """Return the tail's mass at or below x; shape as given."""
        beyond = self._mass_beyond(np.maximum(self.side * (x - float(self.edge)), 0))
        return self.moments[0] - beyond if self.side > 0 else beyond

    def _mass_beyond(self, distance: Floats) -> Floats:
        if not self.step:
            return self.moments[0] * np.exp(-self.fall * distance)
        steps, inside = np.divmod(distance / self.step, 1)
        rest = -expm1(-self.fall * self.step)
        return self.moments[0] * np.exp(-self.fall * self.step * steps) * (1 - rest * inside)


@attrs.frozen
class Density:
    """A law on the real line: its atoms, and the parts of its density, which do not overlap."""

    parts: tuple[Flat | Tail, ...] = ()
    atoms: tuple[Atom, ...] = ()

    @property
    def mass(self) -> float:
        """The total probability: 1 up to rounding."""
        return self._moment(0)

    @property
    def mean(self) -> float:
        """The expected report."""
        return self._moment(1)

    @property
    def second_moment(self) -> float:
        """The expected square of the report."""
        return self._moment(2)

    def _moment(self, degree: int) -> float:
        return sum(piece.moments[degree] for piece in (*self.parts, *self.atoms))

    def log_density(self, x: npt.ArrayLike) -> Floats:
        """Return the log of the density at x, without the atoms; -inf where the density is zero.

        Shape as given. Where two parts meet, the result is the larger of both sides. At the end of
        a step of a tail it is the lower one, that of the next step.
        """
        at = np.asarray(x, dtype=np.float64)
        highest = np.full(at.shape, -inf)
        for part in self.parts:
            highest = np.maximum(highest, part.log_density(at))
        return highest

    def cdf(self, x: npt.ArrayLike) -> Floats:
        """Return the probability of a report of at most x; shape as given."""
        at = np.asarray(x, dtype=np.float64)
        below = np.zeros(at.shape)
        for part in self.parts:
            below = below + part.mass_below(at)
        for atom in self.atoms:
            below = below + exp(atom.log_mass) * (float(atom.at) <= at)
        return below

    def log_limits(self, low: Fraction, high: Fraction) -> tuple[float, float] | None:
        """Return the log density at both ends of an interval without an edge inside, as limits
        from inside the interval.

        None if the density is zero in the interval.
        """
        each = (part.log_limits(low, high) for part in self.parts)
        return next((limits for limits in each if limits is not None), None)

    def falls(self) -> dict[int, float]:
        """Return `fall` of each tail, by its side, 1 or -1."""
        return {part.side: part.fall for part in self.parts if isinstance(part, Tail)}


def mixture(weighted: Iterable[tuple[float, Density]]) -> Density:
    """Return the law of a report that is made by one of several mechanisms, chosen at random.

    Each mechanism is given by the log of its probability, and its law. Neither the densities nor
    the atoms may overlap: the function only puts the parts side by side.
    """
    parts: list[Flat | Tail] = []
    atoms: list[Atom] = []
    for weight, law in weighted:
        parts += [attrs.evolve(part, log_height=part.log_height + weight) for part in law.parts]
        atoms += [attrs.evolve(atom, log_mass=atom.log_mass + weight) for atom in law.atoms]
    return Density(tuple(parts), tuple(atoms))


def epsilon_between(laws: Sequence[Density]) -> float:
    """Return the largest log ratio of any two of the laws, at any report; 0 for fewer than two
    laws.

    Atoms are compared with atoms, and densities with densities. The result is exact up to rounding.
    It is inf if an outcome is possible under one law and impossible under another one, and if tails
    on the same side fall at different rates. Raises `ValueError` for tails that fall equally
    fast, but in steps of different widths.
    """
    return max(
        (max(_atoms_apart(p, q), _densities_apart(p, q)) for p, q in combinations(laws, 2)),
        default=0.0,
    )


def _atoms_apart(p: Density, q: Density) -> float:
    mine, other = (
        {atom.at: atom.log_mass for atom in law.atoms if atom.log_mass > -inf} for law in (p, q)
    )
    if mine.keys() != other.keys():
        return inf
    return max((abs(mass - other[at]) for at, mass in mine.items()), default=0.0)


def _densities_apart(p: Density, q: Density) -> float:
    if p.falls() != q.falls():
        return inf
    worst = 0.0
    for low, high in pairwise(_common_edges(p, q)):
        mine, other = p.log_limits(low, high), q.log_limits(low, high)
        if (mine is None) != (other is None):
            return inf
        if mine and other:
            worst = max(worst, abs(mine[0] - other[0]), abs(mine[1] - other[1]))
    return worst


def _common_edges(p: Density, q: Density) -> list[Fraction]:
    """Return the edges of both laws' densities, as far out as the ratio still changes."""
    parts = [*p.parts, *q.parts]
    if not parts:
        return []
    ends = [end for part in parts for end in part.ends]
    steps = {part.step for part in parts if isinstance(part, Tail)} - {0}
    if len(steps) > 1:
        raise ValueError(
            f"tails are compared only if their steps have the same width, got {sorted(steps)}"
        )
    period = max(steps, default=1)
    horizon = (min(ends) - period, max(ends) + period)
    return sorted({*horizon, *(edge for part in parts for edge in part.edges(horizon))})
