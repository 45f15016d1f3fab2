"""A mechanism in numbers, all of them computed from the law of a report: exact ε, bias, variances, and the law itself.

Bias and variance are those of one user's part in the estimate: of a number's report, or of an item's share.
"""

from collections.abc import Iterator
from math import exp, sqrt
from typing import Any

import attrs

from protocols.local import checks
from protocols.local.density import Atom, Density, Flat, Tail
from protocols.local.mechanisms import OfItems, OfNumbers
from protocols.local.pure import Pure
from protocols.local.response import JoyGerla
from protocols.local.unary import FEW, UnaryReports

ROUNDING = 1e-12  # relative to the size of reports: a bias that small is none
MOST_LISTED = 4  # bits of reports that are listed one by one; of more, bit by bit


@attrs.frozen
class Described:
    """What there is to know of a mechanism at one value, or at one share of holders."""

    mechanism: OfItems | OfNumbers
    at: float
    epsilon: float  # exact
    stated: float | None  # the ε that it was made with, if any
    bias: float
    variance: float
    worst_variance: float
    law: tuple[dict[str, Any], ...]

    @property
    def what(self) -> str:
        """What `at` is."""
        return "share" if isinstance(self.mechanism, Pure) else "value"

    @property
    def keeps_what_it_states(self) -> bool:
        """Whether the exact ε is no more than the stated one, up to rounding."""
        return self.stated is None or self.epsilon <= self.stated * (1 + 1e-9)

    def as_json(self) -> dict[str, Any]:
        """The keys that scripts rely on."""
        shown = attrs.asdict(self, filter=lambda field, _: field.name != "mechanism", recurse=False)
        return {"mechanism": repr(self.mechanism), **shown, "law": list(self.law)}


def described(mechanism: OfItems | OfNumbers, at: float | None = None) -> Described:
    """A mechanism at a value in [-1, 1], or at the share of the users who hold an item.

    The value is 0 unless given, the share that of a uniform population. Raises `ValueError` for one out of range.
    """
    stated = None if isinstance(mechanism, JoyGerla) else mechanism.epsilon
    if isinstance(mechanism, Pure):
        place = 1 / mechanism.items if at is None else at
        checks.chance("at", place)
        bias, variance, law = bias_of_share(mechanism, place), float(mechanism.variance(place, 1)), chances(mechanism)
    else:
        place = float(checks.within_one(0.0 if at is None else at))
        density = mechanism.law(place)
        bias, variance, law = density.mean - place, float(mechanism.variance(place)), pieces(density)
    seen = 0.0 if abs(bias) <= ROUNDING * sqrt(variance + place**2) else bias
    return Described(
        mechanism, place, mechanism.exact_epsilon, stated, seen, variance, mechanism.worst_variance, tuple(law)
    )


def bias_of_share(mechanism: Any, share: float) -> float:
    """What the expected estimate of an item's share is above the share, from the law of a report.

    `estimate` is linear in the supports, so what it makes of 0 and of 1 supports of one user tells its expectation.
    """
    nothing, something = (float(mechanism.estimate([count, 0] + [0] * (mechanism.items - 2), 1)[0]) for count in (0, 1))
    holder, other = (support_chance(mechanism, value) for value in (1, 2))
    expected = share * holder + (1 - share) * other
    return nothing + (something - nothing) * float(expected) - share


def support_chance(mechanism: OfItems, value: int) -> Any:
    """The chance that the report of a user who holds `value` supports item 1, from the report's law."""
    if isinstance(mechanism, UnaryReports):
        return mechanism.bit_law(value)[0]
    return mechanism.law(value)[1 if isinstance(mechanism, JoyGerla) else 0]


def chances(mechanism: OfItems) -> Iterator[dict[str, Any]]:
    """The chance of each report of a user who holds item 1, and of one who holds item 2; of many bits, bit by bit."""
    if isinstance(mechanism, UnaryReports) and mechanism.items > MOST_LISTED:
        own, other = (mechanism.bit_law(value) for value in (1, 2))
        names = [f"bit {item} is 1" for item in range(1, mechanism.items + 1)]
    else:
        own, other = (mechanism.law(value) for value in (1, 2))
        names = report_names(mechanism)
    for name, first, second in zip(names, own, other, strict=True):
        yield {"report": name, "holder of 1": float(first), "holder of 2": float(second)}


def report_names(mechanism: OfItems) -> list[str]:
    """The reports in the order of a row of the law."""
    if isinstance(mechanism, JoyGerla):
        return ["none", "yes", "no"]
    if isinstance(mechanism, UnaryReports):
        assert mechanism.items <= FEW
        return [f"{number:0{mechanism.items}b}" for number in range(2**mechanism.items)]
    return [str(item) for item in range(1, mechanism.items + 1)]


def pieces(density: Density) -> Iterator[dict[str, Any]]:
    """The law's atoms and the parts of its density from left to right; an end that is infinite is None."""
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


def _row(piece: Atom | Flat | Tail) -> dict[str, Any]:
    match piece:
        case Atom():
            return {"part": "atom", "low": float(piece.at), "high": float(piece.at), "mass": piece.moments[0]}
        case Flat():
            ends = {"low": float(piece.low), "high": float(piece.high)}
            return {"part": "flat", **ends, "mass": piece.moments[0], "density": exp(piece.log_height)}
        case Tail():
            edge = float(piece.edge)
            low, high = (edge, None) if piece.side > 0 else (None, edge)
            row = {"part": "tail", "low": low, "high": high, "mass": piece.moments[0]}
            return {**row, "density": exp(piece.log_height), "fall": piece.fall, "step": piece.step}
