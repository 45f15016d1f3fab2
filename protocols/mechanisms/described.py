"""A mechanism in numbers: exact ε, bias, variances, and the law of a report.

All are computed from that law. Bias and variance are those of one user's part in the estimate: of a
number's report, or of an item's share.
"""

from collections.abc import Iterator
from math import exp, log, sqrt
from typing import Any

import attrs

from protocols import checks
from protocols.mechanisms.density import Atom, Density, Flat, Tail
from protocols.mechanisms.named import OfItems, OfNumbers
from protocols.mechanisms.pure import Pure
from protocols.mechanisms.reader import EXACT_REALS

LawEntry = dict[str, Any]  # one report or one part of a density: names, numbers, None

ROUNDING = 1e-12  # relative to the size of reports: a bias that small is none
SLACK = 1e-13  # of an ε that is a difference of logarithms
# About 72, where e^(-ε/2), half the width in which PM reports t = 0 likely, is one step of 1.
FINEST_EPSILON = 104 * log(2)


@attrs.frozen(kw_only=True)
class Described:
    """What there is to know of a mechanism at one value, or at one share of holders."""

    mechanism: OfItems | OfNumbers
    at: float
    epsilon: float  # exact
    stated: float | None  # the ε that it was made with, if any
    bias: float
    variance: float
    worst_variance: float
    law: tuple[LawEntry, ...]

    @property
    def argument(self) -> str:
        """What `at` is: a share of holders, or a value."""
        return "share" if isinstance(self.mechanism, Pure) else "value"

    @property
    def keeps_what_it_states(self) -> bool:
        """Whether the exact ε is no more than the stated one, up to rounding."""
        return self.stated is None or self.epsilon <= self.stated * (1 + 1e-9) + SLACK

    @property
    def assumption(self) -> str:
        """What ε rests on; of a law with a density, that reals are exact."""
        return EXACT_REALS if self.mechanism.continuous else "nothing"

    @property
    def below_doubles(self) -> bool:
        """Whether some of the noise falls below the precision of doubles.

        Then reports may tell their value.
        """
        return self.mechanism.continuous and self.epsilon > FINEST_EPSILON

    def as_json(self) -> dict[str, Any]:
        """The keys that scripts rely on."""
        shown = attrs.asdict(self, filter=lambda field, _: field.name != "mechanism", recurse=False)
        return {
            "mechanism": repr(self.mechanism),
            "assumption": self.assumption,
            **shown,
            "law": list(self.law),
        }


def described(mechanism: OfItems | OfNumbers, at: float | None = None) -> Described:
    """A mechanism at a value in [-1, 1], or at the share of the users who hold an item.

    The value is 0 unless given, the share that of a uniform population. Raises `ValueError` for one
    out of range.
    """
    stated: float | None
    if isinstance(mechanism, Pure):
        stated = mechanism.stated_epsilon
        place = 1 / mechanism.items if at is None else at
        checks.chance("at", place)
        bias = bias_of_share(mechanism, place)
        variance = float(mechanism.variance(place, 1))
        law = chances(mechanism)
    else:
        stated = mechanism.epsilon
        place = float(checks.within_one(0.0 if at is None else at))
        density = mechanism.law(place)
        bias = density.mean - place
        variance = float(mechanism.variance(place))
        law = pieces(density)
    shown_bias = 0.0 if abs(bias) <= ROUNDING * sqrt(variance + place**2) else bias
    return Described(
        mechanism=mechanism,
        at=place,
        epsilon=mechanism.exact_epsilon,
        stated=stated,
        bias=shown_bias,
        variance=variance,
        worst_variance=mechanism.worst_variance,
        law=tuple(law),
    )


def bias_of_share(mechanism: OfItems, share: float) -> float:
    """What the expected estimate of an item's share is above the share, from the law of a report.

    Estimates are linear in the supports, so what is made of 0 and of 1 supports of one user tells
    their expectation.
    """
    nothing, something = map(float, mechanism.debiased([0, 1]))
    holder, other = (mechanism.support_chance(value) for value in (1, 2))
    expected = share * holder + (1 - share) * other
    return float(nothing + (something - nothing) * float(expected) - share)


def chances(mechanism: OfItems) -> Iterator[LawEntry]:
    """The chance of each report of a user who holds item 1, and of one who holds item 2.

    Reports of many bits are listed bit by bit. Of many items, those two are listed and any one of
    the others, which are all alike.
    """
    own, other = (mechanism.named_chances(value) for value in (1, 2))
    for (name, first), (_, second) in zip(own, other, strict=True):
        yield {"report": name, "holder of 1": float(first), "holder of 2": float(second)}


def pieces(density: Density) -> Iterator[LawEntry]:
    """The law's atoms and the parts of its density from left to right.

    None stands for an infinite end.
    """
    everything = [(_left(piece), _row(piece)) for piece in (*density.parts, *density.atoms)]
    yield from (row for _, row in sorted(everything, key=lambda pair: pair[0]))


def _left(piece: Atom | Flat | Tail) -> float:
    match piece:
        case Atom():
            return float(piece.at)
        case Flat():
            return float(piece.low)
        case Tail():
            return float(piece.edge) if piece.side > 0 else float("-inf")


def _row(piece: Atom | Flat | Tail) -> LawEntry:
    match piece:
        case Atom():
            return {
                "part": "atom",
                "low": float(piece.at),
                "high": float(piece.at),
                "mass": piece.moments[0],
            }
        case Flat():
            ends = {"low": float(piece.low), "high": float(piece.high)}
            return {
                "part": "flat",
                **ends,
                "mass": piece.moments[0],
                "density": exp(piece.log_height),
            }
        case Tail():
            edge = float(piece.edge)
            low, high = (edge, None) if piece.side > 0 else (None, edge)
            row = {"part": "tail", "low": low, "high": high, "mass": piece.moments[0]}
            return {**row, "density": exp(piece.log_height), "fall": piece.fall, "step": piece.step}
