"""Privacy losses: the law of log P(x)/Q(x) for x drawn from P, and its masses on a grid.

Theory of operation. Let P and Q be two laws of a view x. The privacy loss is L = log P(x)/Q(x) with
x drawn from P; it is infinite if Q(x) = 0. Then δ(ε) = E[(1 - e^(ε - L))+]. The losses of
independent views add up. `convolution` adds them on a grid of the numbers i h with whole i, so each
loss must be moved to the grid, in a way that never makes δ smaller.

The mass of a loss (i + f) h, 0 <= f < 1, is split between two grid points: the share w goes to i h,
and the share 1 - w to (i + 1) h. We choose w so that the mean of exp(-L) does not change::

    w e^(-ih) + (1 - w) e^(-(i+1)h) = e^(-(i+f)h)     so     w = (e^((1-f)h) - 1) / (e^h - 1).

The mass under P is the sum of the masses, and the mass of the same views under Q is the mean of
exp(-L). Splitting changes neither, so the result is again a pair of laws. The function (1 - e^ε v)+
is convex in v = exp(-L). So splitting never lowers δ, whether for one loss or for a sum of losses.

Example. Let P = (0.75, 0.25) and Q = (0.25, 0.75). The loss is ln 3 with mass 0.75, and -ln 3 with
mass 0.25. On the grid of spacing 1, ln 3 = 1.0986 has f = 0.0986 and w = 0.851, so mass 0.639 goes
to 1 and mass 0.111 goes to 2. At ε = 0.5, splitting does not change δ = 0.338, because 0.5 lies
outside 1..2 and -2..-1. At ε = 1.2 the true δ is 0, because 1.2 exceeds ln 3; the δ of the grid is
0.061, which is larger.

Source: Sommer, Meiser, Mohammadi, *Privacy Loss Classes*, 2019, for the notion; Doroshenko, Ghazi,
Kamath, Kumar, Manurangsi, *Connect the Dots*, 2022, for the split.
"""

from math import ceil, exp, inf, log, pi
from typing import Protocol

import attrs
import numpy as np

from protocols.privacy.convolution import ROUNDING, Moments, Summand, atoms_moments, fold, tilted
from protocols.privacy.gaussian import GaussianProfile
from simnet.arrays import Floats

# the nodes of a Gauss-Legendre rule on a quarter of a deviation; its relative error is below 1e-15
NODES = 6
# the range of a tilted Gaussian loss, in standard deviations; the mass outside is 2e-44, far below
# any rounding
TAIL = 14.0
LEAST_RATIO, LARGEST_RATIO = 1e-15, 1e6  # of a sensitivity and a deviation
RELATIVE = 1e-11  # bounds the relative error of the δ of Gaussian noise
TOTAL = 1e-6  # the largest difference from 1 that a sum of probabilities may have


class LossLaw(Summand, Protocol):
    """The law of one loss in one direction. `moments` and `masses` treat only the finite and known
    losses.
    """

    @property
    def infinite(self) -> float:
        """The mass under P of outcomes that are impossible under Q."""
        ...

    @property
    def unknown(self) -> float:
        """A bound on the mass under P of outcomes that were left out; their loss is unknown and may
        be any number.
        """
        ...

    @property
    def error(self) -> float:
        """A bound on the error of a stated loss."""
        ...

    @property
    def mass_error(self) -> float:
        """A bound on the error of the logarithm of a stated mass."""
        ...

    @property
    def largest(self) -> float:
        """The least upper bound on all finite losses; minus infinity if no loss is finite."""
        ...

    def delta(self, epsilon: float) -> float:
        """Return an upper bound on the δ(ε) of this loss alone."""
        ...

    def trimmed(self, mass: float) -> "LossLaw":
        """Return the law with the largest losses declared unknown, up to this total mass.

        Returns the law unchanged if the largest loss alone has at least this mass, or if losses
        have a density.
        """
        ...


@attrs.frozen
class Pair:
    """Two laws P and Q of a view, given by the privacy losses in both directions.

    The δ of the pair is the larger one of the δ of the two directions.
    """

    forward: LossLaw  # log P/Q under P
    backward: LossLaw  # log Q/P under Q


@attrs.frozen(eq=False)
class Losses:
    """Finitely many losses.

    Raises `ValueError` if the masses and `infinite` do not add up to 1 (the sum may be smaller by
    `unknown`), for logarithms or losses that are not finite, and for other shapes.
    """

    log_masses: Floats  # (n,), log P of each outcome, finite
    losses: Floats  # (n,), log P/Q of each outcome, finite
    infinite: float = 0.0
    unknown: float = 0.0
    error: float = 0.0
    mass_error: float = 0.0

    def __attrs_post_init__(self) -> None:
        if self.log_masses.shape != self.losses.shape or self.losses.ndim != 1:
            raise ValueError(
                f"expected a list of losses and one mass for each, got losses of shape "
                f"{self.losses.shape} and masses of shape {self.log_masses.shape}"
            )
        if not (np.isfinite(self.log_masses).all() and np.isfinite(self.losses).all()):
            raise ValueError(
                "losses and logarithms of masses must be finite: give the mass of infinite losses "
                "as `infinite`"
            )
        total = float(np.exp(self.log_masses).sum()) + self.infinite
        if not 1 - TOTAL - self.unknown <= total <= 1 + TOTAL:
            raise ValueError(f"probabilities add up to 1, got {total}")

    def delta(self, epsilon: float) -> float:
        """Return an upper bound on the δ(ε) of this loss alone."""
        over = -np.expm1(np.minimum(epsilon - self.error - self.losses, 0.0))
        finite = float(np.exp(self.log_masses + self.mass_error) @ over)
        return (finite + self.infinite + self.unknown) * (1 + ROUNDING * (8 + len(over)))

    def trimmed(self, mass: float) -> "Losses":
        """Return the law with the largest losses declared unknown, up to this total mass."""
        order = np.argsort(self.losses)[::-1]
        lost = np.cumsum(np.exp(self.log_masses[order] + self.mass_error))
        cut = int(np.searchsorted(lost, mass))
        if cut == 0:
            return self
        places = np.sort(order[cut:])
        unknown = self.unknown + float(lost[cut - 1]) * (1 + ROUNDING * len(lost))
        return attrs.evolve(
            self, log_masses=self.log_masses[places], losses=self.losses[places], unknown=unknown
        )

    @property
    def largest(self) -> float:
        """The largest finite loss; minus infinity if there is none."""
        return float(self.losses.max(initial=-inf))

    def moments(self, tilt: float) -> Moments:
        """Return the moments of the finite losses under a tilt."""
        return atoms_moments(self.log_masses, self.losses, tilt)

    def masses(self, tilt: float, spacing: float, points: int) -> tuple[Floats, float]:
        """Return the tilted masses on the grid, and a bound on the sum of their errors."""
        return split(
            self.log_masses, self.losses, tilt, self.moments(tilt).cumulant, spacing, points
        )


def split(
    log_masses: Floats, losses: Floats, tilt: float, cumulant: float, spacing: float, points: int
) -> tuple[Floats, float]:
    """Return the tilted masses on the grid, folded modulo `points`, and a bound on their summed
    errors.
    """
    place = losses / spacing
    below = np.floor(place)
    lower = np.expm1((1 - (place - below)) * spacing) / np.expm1(spacing)
    folded, off = np.zeros(points), 0.0
    for index, weight in ((below, lower), (below + 1, 1 - lower)):
        masses, rounding = tilted(log_masses, tilt * spacing * index, cumulant)
        folded += fold(index.astype(np.int64), weight * masses, points)
        off += rounding
    return folded, off


@attrs.frozen
class GaussianLoss:
    """The loss of Gaussian noise, which is itself Gaussian with mean μ²/2 and variance μ².

    μ is the sensitivity divided by the deviation. Raises `ValueError` for a μ outside 1e-15 to
    10^6.
    """

    ratio: float  # μ > 0
    infinite = 0.0
    unknown = 0.0
    error = 0.0
    mass_error = 0.0
    largest = inf

    def __attrs_post_init__(self) -> None:
        if not LEAST_RATIO <= self.ratio <= LARGEST_RATIO:  # also refuses NaN
            raise ValueError(
                f"sensitivity divided by deviation must lie between {LEAST_RATIO:g} and "
                f"{LARGEST_RATIO:g}, got {self.ratio:.15g}"
            )

    def delta(self, epsilon: float) -> float:
        """Return an upper bound on the δ(ε) of this loss alone."""
        return exp(GaussianProfile(1.0, self.ratio).log_delta(epsilon)) * (1 + RELATIVE)

    def trimmed(self, mass: float) -> "GaussianLoss":
        """Return the law unchanged."""
        del mass
        return self

    def moments(self, tilt: float) -> Moments:
        """Return the moments under a tilt; a tilted Gaussian is a Gaussian."""
        square = self.ratio**2
        return Moments(tilt * (tilt + 1) * square / 2, (tilt + 0.5) * square, square)

    def masses(self, tilt: float, spacing: float, points: int) -> tuple[Floats, float]:
        """Return the tilted masses on the grid, and a bound on the sum of their rounding errors."""
        here = self.moments(tilt)
        # pieces that are narrow compared with the deviation, and with the slope of the tilt
        pieces = ceil(spacing * max(4 / self.ratio, 2 * tilt))
        width = spacing / pieces
        first, last = (
            round((here.mean + sign * TAIL * self.ratio) / spacing) * pieces for sign in (-1, 1)
        )
        nodes, weights = np.polynomial.legendre.leggauss(NODES)
        starts = np.arange(first - pieces, last + pieces)
        losses = ((starts[:, None] + (nodes + 1) / 2) * width).ravel()
        offs = (losses - self.ratio**2 / 2) / self.ratio
        scale = np.tile(np.log(weights * width / 2 / self.ratio) - log(2 * pi) / 2, len(starts))
        return split(scale - offs**2 / 2, losses, tilt, here.cumulant, spacing, points)


def gaussian_pair(sensitivity: float, deviation: float) -> Pair:
    """Return the losses of Gaussian noise on values that lie `sensitivity` apart (L2).

    `deviation` is the standard deviation of the noise. Both directions are equal. Raises
    `ValueError` unless `sensitivity` over `deviation` lies between 1e-15 and 10^6.

    >>> gaussian_pair(sensitivity=1.0, deviation=2.0).forward.ratio
    0.5
    """
    law = GaussianLoss(sensitivity / deviation if deviation else inf)
    return Pair(law, law)


def finite_pair(log_p: Floats, log_q: Floats, unknown: float = 0.0, error: float = 0.0) -> Pair:
    """Return the losses of two laws over the same outcomes, given by log probabilities.

    Shapes (n,).

    Minus infinity stands for an impossible outcome. `unknown` bounds the mass of either law on
    outcomes that are left out, and `error` bounds the error of each logarithm. Raises `ValueError`
    for laws that do not add up to 1, for laws of different lengths, and for NaN.

    >>> import numpy as np
    >>> from protocols import Composition
    >>> pair = finite_pair(np.log([0.75, 0.25]), np.log([0.25, 0.75]))
    >>> Composition([(pair, 1)]).delta(epsilon=0.0).high  # doctest: +ELLIPSIS
    0.50...
    """
    p, q = np.asarray(log_p, dtype=np.float64), np.asarray(log_q, dtype=np.float64)
    if p.shape != q.shape or p.ndim != 1:
        raise ValueError(
            f"both laws are lists over the same outcomes, got shapes {p.shape} and {q.shape}"
        )
    if np.isnan(p).any() or np.isnan(q).any():
        raise ValueError("logarithms of probabilities are numbers, got nan")
    return Pair(_one_way(p, q, unknown, error), _one_way(q, p, unknown, error))


def _one_way(p: Floats, q: Floats, unknown: float, error: float) -> Losses:
    shared = np.isfinite(p) & np.isfinite(q)
    infinite = float(np.exp(p[np.isfinite(p) & ~np.isfinite(q)]).sum())
    largest = float(np.maximum(abs(p[shared]), abs(q[shared])).max(initial=0.0))
    return Losses(
        p[shared],
        p[shared] - q[shared],
        infinite,
        unknown,
        2 * error + 8 * ROUNDING * largest,
        error,
    )
