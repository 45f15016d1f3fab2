"""Several attributes per user: the list of attributes, the reports, the estimates, and the wire
format.

A report of the mechanism `Tuples`, on k of the attributes, travels as k *slots*, which all have the
same parts. A slot holds the number of its attribute, a real, and as many bits as the largest domain
has values. A slot uses either the real or the bits; the unused part is zero. (Slots have no real if
all attributes are categorical, and no bits if all are numeric.) So all reports have the same
length, and the length does not tell which attributes a user reports on.
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
    """The attributes of a user: numeric ones in [-1, 1], and categorical ones with values 1..c.

    `numeric` is the number d_n >= 0 of numeric attributes; `domains` has the size c >= 2 of each of
    the d_c categorical attributes. Numeric attributes come first. Raises `ValueError` for numbers
    out of range, and for no attributes at all.

    >>> attributes = Attributes(numeric=2, domains=(3, 5))
    >>> attributes.count
    4
    """

    numeric: int  # d_n >= 0
    domains: tuple[int, ...] = attrs.field(default=(), converter=_sizes)  # each c >= 2

    def __attrs_post_init__(self) -> None:
        checks.whole("numeric", self.numeric, 0)
        for size in self.domains:
            checks.whole("a domain's size", size, 2)
        if not self.count:
            raise ValueError("a tuple has at least one attribute, numeric or categorical, got none")

    @property
    def count(self) -> int:
        """The number of attributes of both kinds, d; the numeric ones come first."""
        return self.numeric + len(self.domains)

    def checked(
        self, numbers: npt.ArrayLike, categories: npt.ArrayLike | None
    ) -> tuple[Floats, Ints]:
        """Return the users' values, checked; shapes (n, d_n) and (n, d_c), row j from user j.

        `categories` may be None if no attribute is categorical. Raises `ValueError` for other
        shapes, for categories outside their domain and for numbers outside [-1, 1]; a number that
        is outside by a rounding error counts as -1 or 1.
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
        """Return one user's numbers and categories, shapes (d_n,) and (d_c,), checked as in
        `checked`.
        """
        rows = checks.as_doubles("numbers", numbers)[np.newaxis], np.asarray(categories)[np.newaxis]
        values, labels = self.checked(*rows)
        return values[0].tolist(), labels[0].tolist()

    def encoders(self, epsilon: float) -> tuple[OUE, ...]:
        """Return the mechanism of each categorical attribute for this ε."""
        return tuple(OUE(epsilon, size) for size in self.domains)


@attrs.frozen(eq=False)
class Reports:
    """The reports of n users. Row j of `numbers` and of `reported` is from user j.

    The bits of a categorical attribute have a row for each user who reported the attribute, in the
    order of the users.
    """

    numbers: Floats  # (n, d_n); 0 where a user did not report the attribute
    # (m, c) for each categorical attribute, of the m users that reported it
    encodings: tuple[Bools, ...]
    reported: Bools  # (n, d), which attributes each user reported

    @property
    def users(self) -> int:
        """The number of users."""
        return len(self.reported)


def no_reports(attributes: Attributes) -> Reports:
    """Return an empty batch of reports."""
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
    """Return the means of the numbers, and unbiased estimates of the categories' frequencies.

    Each user reported each attribute with probability 1 / `rate`, and the numbers in `reports` were
    multiplied by `rate`. Raises `ValueError` if there is no user, and for a number that is not
    finite or whose absolute value exceeds `bound`.
    """
    if not reports.users:
        raise ValueError("an estimate needs at least one user")
    numbers = reports.numbers
    if numbers.size:
        numbers = checks.reports_of_reals(numbers, (None, None), bound)
    return Estimates(numbers.mean(axis=0), tuple(_frequencies(reports, encoders, rate)))


def _frequencies(reports: Reports, encoders: tuple[OUE, ...], rate: float) -> Iterator[Floats]:
    """Yield, for each categorical attribute, rate / n times the sum of (y - q) / (p - q) over its
    reports, where y are the bits of a report, and p and q the probabilities of OUE.

    Shapes (c,); zeros for an attribute that no user reported.
    """
    for encoder, encodings in zip(encoders, reports.encodings, strict=True):
        if len(encodings):
            share = rate * len(encodings) / reports.users
            yield share * encoder.estimate(encoder.supports(encodings), len(encodings))
        else:
            yield np.zeros(encoder.items)


def as_slots(attributes: Attributes, k: int, reports: Reports) -> Pieces:
    """Return the reports as slots: attributes (n, k), reals (n, k), bits (n, k, largest domain).

    The attributes of a report are given by their numbers, from 0, in rising order. The reals are
    left out if no attribute is numeric, and the bits if none is categorical.
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
    """Return the reports that the received slots represent."""
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
