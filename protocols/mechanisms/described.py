"""A mechanism in numbers: its exact ε, bias, variances, and the law of a report.

For numbers, bias, variance and law are those of one number that a user reports. For items, bias and
variance are those of the share that is estimated from one user's report.
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
from simnet import markup

LawEntry = dict[str, Any]  # a report or a part of a density: names, numbers, None

ROUNDING = 1e-12  # relative to the size of reports; we take a smaller bias for rounding error
SLACK = 1e-13  # rounding error of an ε that is a difference of logarithms
# About 72. At this ε, half the width of PM's high piece for t = 0, e^(-ε/2), is the distance from
# 1 to the next double.
FINEST_EPSILON = 104 * log(2)


@attrs.frozen(kw_only=True, repr=False)
class Described:
    """The properties of a mechanism at one value, or at one share of users who hold an item."""

    mechanism: OfItems | OfNumbers
    at: float
    epsilon: float  # exact
    stated: float | None  # the requested ε; None if the mechanism takes probabilities instead
    bias: float
    variance: float
    worst_variance: float
    law: tuple[LawEntry, ...]

    @property
    def argument(self) -> str:
        """What `at` means: the word `share` (of users who hold an item) or `value`."""
        return "share" if isinstance(self.mechanism, Pure) else "value"

    @property
    def keeps_what_it_states(self) -> bool:
        """Whether the exact ε is at most the requested ε, up to rounding; True if the mechanism
        takes probabilities instead of an ε.
        """
        return self.stated is None or self.epsilon <= self.stated * (1 + 1e-9) + SLACK

    @property
    def assumption(self) -> str:
        """The assumption behind ε: exact real numbers if the law has a continuous part,
        else nothing.
        """
        return EXACT_REALS if self.mechanism.continuous else "nothing"

    @property
    def below_doubles(self) -> bool:
        """Whether the law has a continuous part and ε is above about 72.

        With so large an ε the noise may be smaller than the distance from the user's value to the
        next double. Then the report is the value itself.
        """
        return self.mechanism.continuous and self.epsilon > FINEST_EPSILON

    def plot(self) -> Any:
        """Return a matplotlib figure of the law of a report, or of one number of a report that
        holds several numbers.

        For a mechanism for numbers, the figure has the laws for the value `at` and for both ends
        of [-1, 1]; for a mechanism for items, the laws for holders of items 1 and 2.
        """
        from protocols.mechanisms.drawing import (
            law_figure,
        )  # imported here, because that module needs this one

        return law_figure(self.mechanism, 0.0 if isinstance(self.mechanism, Pure) else self.at)

    @property
    def _numbers(self) -> dict[str, str]:
        stated = "" if self.stated is None else f" (requested {self.stated:.6g})"
        return {
            "actual ε": f"{self.epsilon:.6g}{stated}",
            f"bias at {self.argument} {self.at:.4g}": f"{self.bias:.4g}",
            f"variance at {self.argument} {self.at:.4g}": f"{self.variance:.4g}",
            "worst variance": f"{self.worst_variance:.4g}",
        }

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name} {number}" for name, number in self._numbers.items())
        return f"{self.mechanism!r}: {numbers}"

    def _repr_html_(self) -> str:
        title = markup.paragraph(repr(self.mechanism), bold=True)
        return title + markup.table(["", ""], list(self._numbers.items()), numbers=[1])

    def as_json(self) -> dict[str, Any]:
        """Return the record as a JSON object, with keys that stay the same in later versions."""
        shown = attrs.asdict(self, filter=lambda field, _: field.name != "mechanism", recurse=False)
        return {
            "mechanism": repr(self.mechanism),
            "assumption": self.assumption,
            **shown,
            "law": list(self.law),
        }


def described(mechanism: OfItems | OfNumbers, at: float | None = None) -> Described:
    """Return the properties of a mechanism at a value, or at the share of users who hold an
    item.

    `at` is a value in [-1, 1], by default 0, or a share in [0, 1], by default 1/N. Raises
    `ValueError` for an `at` out of range.

    >>> from protocols import GRR
    >>> facts = described(GRR(epsilon=1.0, items=2))
    >>> facts.bias, round(facts.epsilon, 6), round(facts.variance, 4)
    (0.0, 1.0, 0.9207)
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
    """Return how much the expected estimate of an item's share exceeds the share."""
    nothing, something = map(float, mechanism.debiased([0, 1]))
    holder, other = (mechanism.support_chance(value) for value in (1, 2))
    expected = share * holder + (1 - share) * other
    return float(nothing + (something - nothing) * float(expected) - share)


def chances(mechanism: OfItems) -> Iterator[LawEntry]:
    """Yield the entries of the mechanism's `named_chances`, each with its probability for a user
    who holds item 1, and for one who holds item 2.
    """
    own, other = (mechanism.named_chances(value) for value in (1, 2))
    for (name, first), (_, second) in zip(own, other, strict=True):
        yield {"report": name, "holder of 1": float(first), "holder of 2": float(second)}


def pieces(density: Density) -> Iterator[LawEntry]:
    """Yield the law's atoms and the parts of its density from left to right.

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
