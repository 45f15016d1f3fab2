"""Several attributes a user: which there are, reports on them, estimates, and how reports travel.

A report on k of the attributes travels as k slots of one form. A slot has the number of its
attribute, a real, and as many bits as the largest domain; of the last two only one is used, the
other is zero. So a report has one length whichever attributes it is on, and whoever sees its length
alone learns nothing.
"""

from collections.abc import Iterable, Iterator

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.mechanisms.unary import OUE
from simnet.arrays import Bools, Floats, Ints
from simnet.values.typed import Typed, bits, index, reals

Pieces = tuple[Typed, ...]


def _sizes(domains: Iterable[int]) -> tuple[int, ...]:
    return tuple(domains)


@attrs.frozen
class Attributes:
    """Numeric attributes in [-1, 1], and categorical ones with values 1..c.

    Each categorical attribute has a domain of its own size.
    """

    numeric: int  # d_n >= 0
    domains: tuple[int, ...] = attrs.field(default=(), converter=_sizes)  # each c >= 2

    def __attrs_post_init__(self) -> None:
        checks.whole("numeric", self.numeric, 0)
        for size in self.domains:
            checks.whole("a domain's size", size, 2)
        if not self.count:
            raise ValueError("a tuple has at least one attribute, numeric or categorical")

    @property
    def count(self) -> int:
        """d, of both kinds; the numeric ones come first."""
        return self.numeric + len(self.domains)

    def checked(
        self, numbers: npt.ArrayLike, categories: npt.ArrayLike | None
    ) -> tuple[Floats, Ints]:
        """The users' values, shapes (n, d_n) and (n, d_c), row j from user j.

        Raises `ValueError` for other shapes and for values outside [-1, 1] or the domains,
        `TypeError` for categories that are no whole numbers.
        """
        values = checks.within_one(checks.shaped("numbers", numbers, (None, self.numeric)))
        labels = (
            np.empty((len(values), 0), dtype=np.int64)
            if categories is None
            else np.asarray(categories)
        )
        checks.shaped("categories", labels, (len(values), len(self.domains)))
        columns = [
            checks.whole_numbers("categories", labels[:, j], 1, size)
            for j, size in enumerate(self.domains)
        ]
        return values, np.array(columns, dtype=np.int64).reshape(len(self.domains), len(values)).T

    def single(
        self, numbers: npt.ArrayLike, categories: npt.ArrayLike
    ) -> tuple[list[float], list[int]]:
        """One user's numbers and categories, shapes (d_n,) and (d_c,). Raises as `checked` does."""
        rows = np.asarray(categories)[np.newaxis] if self.domains else None
        values, labels = self.checked(np.asarray(numbers, dtype=np.float64)[np.newaxis], rows)
        return values[0].tolist(), labels[0].tolist()

    def encoders(self, epsilon: float) -> tuple[OUE, ...]:
        """The mechanism of each categorical attribute at this budget."""
        return tuple(OUE(epsilon, size) for size in self.domains)


@attrs.frozen(eq=False)
class Reports:
    """What the users sent: row j from user j."""

    numbers: Floats  # (n, d_n); 0 where a user did not report the attribute
    # (m, c) for each categorical attribute, of the m users that reported it
    encodings: tuple[Bools, ...]
    reported: Bools  # (n, d), which attributes each user reported

    @property
    def users(self) -> int:
        """How many users there are."""
        return len(self.reported)


def no_reports(attributes: Attributes) -> Reports:
    """The reports of no users."""
    encodings = tuple(np.zeros((0, size), dtype=np.bool_) for size in attributes.domains)
    return Reports(
        np.zeros((0, attributes.numeric)),
        encodings,
        np.zeros((0, attributes.count), dtype=np.bool_),
    )


@attrs.frozen(eq=False)
class Estimates:
    """The server's estimates from the reports, all unbiased and not clipped."""

    means: Floats  # (d_n,)
    frequencies: tuple[Floats, ...]  # (c,) for each categorical attribute, shares of all users


def estimates_of(
    reports: Reports, encoders: tuple[OUE, ...], rate: float, bound: float
) -> Estimates:
    """Means of the numbers, and debiased frequencies.

    Each user reported an attribute with the chance 1 / `rate`.

    Raises `ValueError` when there is no user, and for a number that is not finite or exceeds the
    bound.
    """
    if not reports.users:
        raise ValueError("an estimate needs at least one user")
    numbers = reports.numbers
    if numbers.size:
        numbers = checks.reports_of_reals(numbers, (None, None), bound)
    return Estimates(numbers.mean(axis=0), tuple(_frequencies(reports, encoders, rate)))


def _frequencies(reports: Reports, encoders: tuple[OUE, ...], rate: float) -> Iterator[Floats]:
    """The sum of (y - q) / (p - q) over those who reported, times rate / n; shapes (c,)."""
    for encoder, encodings in zip(encoders, reports.encodings, strict=True):
        if len(encodings):
            share = rate * len(encodings) / reports.users
            yield share * encoder.estimate(encoder.supports(encodings), len(encodings))
        else:
            yield np.zeros(encoder.items)


def as_slots(attributes: Attributes, k: int, reports: Reports) -> Pieces:
    """The attributes (n, k) in rising order, the reals (n, k) and the bits (n, k, largest domain).

    Reals and bits are left out where there are no attributes of that kind.
    """
    slot_attributes = np.nonzero(reports.reported)[1].reshape(-1, k)
    pieces = [index(slot_attributes, attributes.count, "Nd")]
    if attributes.numeric:
        places = np.minimum(slot_attributes, attributes.numeric - 1)
        numbers = np.take_along_axis(reports.numbers, places, axis=1)
        pieces.append(reals(np.where(slot_attributes < attributes.numeric, numbers, 0.0)))
    if attributes.domains:
        encoded = np.zeros((*slot_attributes.shape, max(attributes.domains)), dtype=np.bool_)
        for place, encodings in enumerate(reports.encodings, start=attributes.numeric):
            encoded[..., : encodings.shape[1]][slot_attributes == place] = encodings
        pieces.append(bits(encoded))
    return tuple(pieces)


def from_slots(attributes: Attributes, pieces: Pieces) -> Reports:
    """Reports from what arrived."""
    slot_attributes = pieces[0].numbers()
    users = np.arange(len(slot_attributes))[:, np.newaxis]
    reported = np.zeros((len(slot_attributes), attributes.count), dtype=np.bool_)
    reported[users, slot_attributes] = True
    numbers = np.zeros((len(slot_attributes), attributes.count))
    if attributes.numeric:
        numbers[users, slot_attributes] = pieces[1].numbers()
    encodings = [
        pieces[-1].numbers()[slot_attributes == place][:, :size].astype(np.bool_)
        for place, size in enumerate(attributes.domains, start=attributes.numeric)
    ]
    return Reports(numbers[:, : attributes.numeric], tuple(encodings), reported)
