"""By how much Calibrate errs less than OUE-Zero, in both ways to say it, and other statements on errors (Fig. 7)."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from math import hypot, sqrt
from typing import Any

from scenarios.jia.people import TITLES
from scenarios.jia.trials import RUNS
from simnet.study.quote import Counterpart, Quote
from simnet.study.statements import Told, share_of
from simnet.study.table import Estimate, NoSuchPoint, Table

SOURCE = "Jia and Gong, section 4.2"
PRINTED = {("kosarak", 1.0): 16.0, ("kosarak", 5.0): 97.0, ("retail", 1.0): 2.4, ("retail", 5.0): 65.0}  # per cent
MANY = 100.0  # "orders of magnitude", two at least
NEGLIGIBLE = 1.1  # times the error
EXCESS = "the gain is OUE-Zero's error over Calibrate's, less 1, with the likeliest exponent (Eq. 16)"
WHY = {
    "kosarak": "on the first sessions of Kosarak the gain is another, either way to say it; the whole is not at hand, "
    "and the text does not give the support of the power law",
    "retail": "the gain is another, either way to say it; the text does not give the support of the power law",
}


def ratio(table: Table, above: str, below: str, population: str, epsilon: float) -> Counterpart:
    """The error of one method by that of another; the spread is that of the paper's average of dozens of runs."""
    one, other = (table.at(name, population=population, epsilon=epsilon) for name in (above, below))
    expected = _expected(one) / _expected(other)
    runs = 1 / RUNS + (0 if one.expected is not None and other.expected is not None else 1 / one.trials)
    return Counterpart(
        expected, one.mean / other.mean, one.low / other.high, one.high / other.low,
        hypot(one.spread, other.spread) * sqrt(runs),
    )  # fmt: skip


def _expected(found: Estimate) -> float:
    return found.mean if found.expected is None else found.expected


def gain(population: str, epsilon: float) -> Quote:
    """A printed improvement: as the share of the error saved, or as the excess of OUE-Zero's error."""
    per_cent = PRINTED[population, epsilon]
    another: dict[str, Any] = {} if population == "kosarak" else {  # those are other people than in the paper
        "correction": EXCESS, "instead": lambda _: 1 / (1 + per_cent / 100),
        "corrected": partial(ratio, above="likelihood", below="zero", population=population, epsilon=epsilon),
    }  # fmt: skip
    rest = f"{1 - per_cent / 100:.{3 if per_cent < 10 else 2}f}"  # as many digits as printed
    return Quote(
        SOURCE, f"error of Calibrate by OUE-Zero's, {TITLES[population]}, ε={epsilon:g} (printed {per_cent:g} % less)",
        rest, partial(ratio, above="calibrate", below="zero", population=population, epsilon=epsilon),
        why=WHY[population], **another,
    )  # fmt: skip


def gains(table: Table, population: str) -> list[tuple[float, Counterpart]]:
    """The ratio of Calibrate's error to OUE-Zero's by ε, in order. Raises `NoSuchPoint` when there are none."""
    epsilons = sorted(table.where(population=population).values("epsilon"))
    if not epsilons:
        raise NoSuchPoint(f"nothing was run on {population}")
    return [(epsilon, ratio(table, "calibrate", "zero", population, epsilon)) for epsilon in epsilons]


def wins(table: Table, population: str) -> Counterpart:
    """The share of ε at which Calibrate errs less."""
    found = [reading for _, reading in gains(table, population)]
    return _shares([(one, Counterpart(1.0, 1.0, 1.0, 1.0)) for one in found])


def growth(table: Table, population: str) -> Counterpart:
    """The share of steps of ε at which the gain grows."""
    found = [reading for _, reading in gains(table, population)]
    if len(found) < 2:
        raise NoSuchPoint("one ε makes no step")
    return _shares([(b, a) for a, b in pairwise(found)])


def _shares(pairs: Sequence[tuple[Counterpart, Counterpart]]) -> Counterpart:
    """In which share of the pairs the first is smaller."""

    def told(one: Any, other: Any) -> Told:
        return Told(one.measured < other.measured, one.high < other.low, one.low < other.high, one.law < other.law)

    found = [told(*pair) for pair in pairs]
    return share_of(found, sum(bool(one.by_law) for one in found) / len(found))


def statements(population: str) -> Iterator[Quote]:
    """What the text says of the errors on a population without a number of its own."""
    title = TITLES[population]
    yield Quote(
        SOURCE, f"share of ε at which Calibrate errs less than OUE-Zero, {title}", lambda _: 1.0,
        partial(wins, population=population),
        why="Theorem 2 is for the true prior; a fitted power law loses to OUE-Zero at ε = 1",
    )  # fmt: skip
    yield Quote(
        SOURCE,
        f"share of steps of ε at which the gain grows, {title}",
        lambda _: 1.0,
        partial(growth, population=population),
    )
    for epsilon in (1.0, 5.0):
        yield Quote(
            SOURCE, f"OUE's error by OUE-Zero's, {title}, ε={epsilon:g} (orders of magnitude)", lambda _: MANY,
            partial(ratio, above="oue", below="zero", population=population, epsilon=epsilon), bound="at least",
            why="OUE errs only a few times as much when ε is large",
        )  # fmt: skip
    for epsilon in (1.0, 5.0):
        yield Quote(
            SOURCE, f"error of Calibrate zeroed too by Calibrate's own, {title}, ε={epsilon:g} (negligible)",
            lambda _: NEGLIGIBLE,
            partial(ratio, above="again", below="calibrate", population=population, epsilon=epsilon),
            bound="at most", why="what Calibrate makes of counts below the threshold is worth keeping",
        )  # fmt: skip


def quotes() -> Iterator[Quote]:
    """All of them."""
    for population, epsilon in PRINTED:
        yield gain(population, epsilon)
    for population in ("retail", "kosarak"):
        yield from statements(population)
