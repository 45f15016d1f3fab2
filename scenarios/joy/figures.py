"""The paper's figures and quoted numbers as data: errors beside randomised response, and the curve
of ε.

Errors are standard deviations of estimated numbers of owners; a bar is `BAR` of them, a 95 % bound.
They depend on how many owners there are and hold the value, and on nothing else; the background
faces, which the paper does not give, do not matter to them. Source: Joy and Gerla, *Differential
Privacy By Sampling*, section 5 and Fig. 2 to 7.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import inf, sqrt
from pathlib import Path

import attrs

from protocols import checks
from protocols.mechanisms.response import JoyGerla
from protocols.two_rounds.estimators import variance
from protocols.two_rounds.mechanism import TwoRounds
from protocols.two_rounds.printed import equation_29, equation_30
from simnet.errors import BadInput
from simnet.scenario.columns import read_column, whole_numbers

BAR = 1.96  # standard deviations
COMPETITOR = JoyGerla(0.8, 0.2)
SAMPLINGS = (0.45, 0.25)  # "H Privacy 1" and "H Privacy 2"
POPULATIONS = ((286, 29), (286, 85), (10_000, 29), (10_000, 85), (1_000_000, 85), (1_000_000, 201))
AGES = tuple(f"{low}-{low + 9}" for low in range(10, 100, 10))
TUMOR_SIZES = tuple(f"{low}-{low + 4}" for low in range(0, 60, 5))
GROUPS: Mapping[str, Sequence[str]] = {"age": AGES, "tumor_size": TUMOR_SIZES}


@attrs.frozen
class Errors:
    """The standard deviations of one estimate by randomised response, and by sampling with each
    π_s.
    """

    label: str
    owners: int
    yes: int
    response: float
    sampling: tuple[float, ...]

    @property
    def factors(self) -> tuple[float, ...]:
        """How many times larger the error of randomised response is.

        Inf where sampling has none.
        """
        return tuple(self.response / one if one else inf for one in self.sampling)

    @property
    def bars(self) -> tuple[float, ...]:
        """The 95 % bounds: of randomised response, and of sampling with each π_s."""
        return tuple(BAR * one for one in (self.response, *self.sampling))


def errors(
    owners: int,
    yes: int,
    label: str = "",
    competitor: JoyGerla = COMPETITOR,
    samplings: Sequence[float] = SAMPLINGS,
) -> Errors:
    """The errors when `yes` of the owners hold the value.

    Raises `ValueError` for more holders than owners.
    """
    checks.whole("owners", owners, 1)
    checks.whole("yes", yes, 0, owners)
    response = owners * sqrt(competitor.variance(yes / owners, owners))
    mechanisms = [TwoRounds.even(s, 1, none=True) for s in samplings]
    return Errors(
        label, owners, yes, response, tuple(sqrt(variance(one, yes)[0]) for one in mechanisms)
    )


def table(populations: Sequence[tuple[int, int]] = POPULATIONS) -> list[Errors]:
    """The errors for pairs of owners and holders."""
    return [errors(owners, yes) for owners, yes in populations]


def crossover(sampling: float, factor: float = 1.0, competitor: JoyGerla = COMPETITOR) -> float:
    """The owners per holder, N / yes, at which randomised response errs `factor` times as much as
    sampling.

    Both variances are linear in yes, and the competitor's in N too, so their ratio depends on N /
    yes alone.
    """
    holder, other = competitor.variance(1.0, 1), competitor.variance(0.0, 1)
    per_holder = variance(TwoRounds.even(sampling, 1, none=True), 1)[0]
    return float(1 + (factor**2 * per_holder - holder) / other)


def holders_for(owners: int, factor: float, sampling: float) -> float:
    """How many holders among the owners make randomised response err `factor` times as much."""
    return owners / crossover(sampling, factor)


@attrs.frozen
class Leakage:
    """A point of the curve of ε: randomised response as printed and exact, and sampling; None where
    x is no chance.
    """

    x: float
    printed: float
    exact: float
    sampling: float | None


def privacy_curve(
    points: Sequence[float], truthful: float = 0.8, sampling: float = SAMPLINGS[0]
) -> list[Leakage]:
    """ε as the second coin of randomised response, and as one value's background face, has chance x
    (Fig. 3).
    """
    return [
        Leakage(
            x,
            equation_30(truthful, x),
            JoyGerla(truthful, x).exact_epsilon,
            equation_29(sampling, x) if x + sampling <= 1 else None,
        )
        for x in points
    ]


def breast_cancer(path: Path, group: str, owners: int | None = None) -> list[Errors]:
    """The errors for each group of patients, by `age` or `tumor_size`.

    Shape (groups,) (Fig. 4 to 7). `owners` adds people who are in no group to the patients. Raises
    `BadInput` for a file, a group or a number of owners that does not fit.
    """
    if group not in GROUPS:
        raise BadInput(f"patients are grouped by {' or '.join(GROUPS)}, got {group!r}")
    counts = Counter(read_column(path, group).values)
    strange = sorted(set(counts) - set(GROUPS[group]))
    if strange:
        raise BadInput(
            f"{path.name} has {strange[0]!r} as {group}, which is none of "
            f"{', '.join(GROUPS[group])}"
        )
    patients = counts.total()
    if owners is not None and owners < patients:
        raise BadInput(
            f"{path.name} has {patients} patients, got owners={owners}: give at least as many"
        )
    return [
        errors(patients if owners is None else owners, counts[label], label)
        for label in GROUPS[group]
    ]


def gowalla(path: Path, locations: int = 4, owners: int = 1_000_000) -> list[Errors]:
    """The errors for the locations with the most check-ins, among so many check-ins in all (Fig.
    2).

    Raises `BadInput` for a file that cannot be used.
    """
    names, counts = (
        whole_numbers(read_column(path, column)) for column in ("location_id", "checkins")
    )
    most = sorted(zip(counts, names, strict=True), key=lambda one: (-one[0], one[1]))[:locations]
    return [errors(owners, count, str(name)) for count, name in most]
