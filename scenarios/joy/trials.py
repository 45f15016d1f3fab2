"""The trials of Joy and Gerla: errors of a hundred collections, and ε estimated from counts of
answers.

The counts are drawn by their law, without drawing the answer of each owner.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import log, sqrt
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from protocols import checks
from protocols.mechanisms.response import NO, YES, JoyGerla
from protocols.two_rounds.estimators import (
    VARIANTS,
    Variant,
    fresh_estimate,
    kept_estimate,
    round_two_estimate,
    variance,
)
from protocols.two_rounds.mechanism import TwoRounds
from protocols.two_rounds.privacy import epsilon_round_two
from scenarios.joy.expected import BAR, COMPETITOR, SAMPLINGS
from scenarios.joy.people import at_locations, patients
from scenarios.joy.printed import equation_29, equation_30
from simnet.arrays import Floats
from simnet.coins.sampled import SampledCoins
from simnet.errors import BadInput
from simnet.studies.experiment import Measurements, Parameters, Product
from simnet.studies.parameters import typed
from simnet.studies.table import Measure

COLLECTIONS = 100  # a trial
BOUND = Measure("bound", "95 % bound of the error, owners", "expected_bound", "deviation_bound")
RESPONSE: Product = {
    "mechanism": ["response"],
    "truthful": [float(COMPETITOR.truthful)],
    "coin": [float(COMPETITOR.yes)],
}
SAMPLING: Product = {"mechanism": ["sampling"], "sampling": list(SAMPLINGS)}


@attrs.frozen(kw_only=True)
class Answers:
    """How owners answer: by randomised response or by sampling.

    `rounds` says what happens to the faces: they are kept for round two (`kept`) or thrown anew
    (`fresh`), or there is no round one (`round-two`).
    """

    mechanism: str  # response or sampling
    truthful: float = float(COMPETITOR.truthful)  # the coins of randomised response
    coin: float = float(COMPETITOR.yes)
    sampling: float = SAMPLINGS[0]
    rounds: Variant = "kept"


@attrs.frozen(kw_only=True)
class LocationPoint(Answers):
    """Check-ins at a location of Gowalla, which is named by its rank, among `owners` owners."""

    location: str
    owners: int


@typed(LocationPoint)
def location(point: LocationPoint, seed: int, data: Path | None) -> Measurements:
    """Return the measured and the expected error at a location (Fig. 2).

    Raises `ValueError` for an unknown location.
    """
    counts, source = at_locations(data)
    checks.one_of("location", point.location, tuple(counts))
    return {**collected(point, point.owners, counts[point.location], seed), "people": source}


@attrs.frozen(kw_only=True)
class PatientsPoint(Answers):
    """A group of patients, by age or by the size of the tumour, among `owners` owners."""

    by: str
    group: str
    owners: int


@typed(PatientsPoint)
def cancer(point: PatientsPoint, seed: int, data: Path | None) -> Measurements:
    """Return the measured and the expected error for a group of patients (Fig. 4 to 7).

    Raises `ValueError` for an unknown group.
    """
    counts, source = patients(point.by, data)
    checks.one_of("group", point.group, tuple(counts))
    return {**collected(point, point.owners, counts[point.group], seed), "people": source}


@attrs.frozen(kw_only=True)
class OwnersPoint(Answers):
    """A number of owners, `yes` of whom hold the value."""

    owners: int
    yes: int


@typed(OwnersPoint)
def populations(point: OwnersPoint, seed: int, data: Path | None) -> Measurements:
    """Return the measured and the expected error for `yes` holders among `owners` owners."""
    del data
    return collected(point, point.owners, point.yes, seed)


def collected(how: Answers, owners: int, yes: int, seed: int) -> dict[str, float]:
    """Return the 95 % bound of the error, measured and expected, with its standard deviation, when
    `yes` of the owners hold the value. The number of holders stands beside them.

    Raises `BadInput` for a `yes` outside 0..`owners`, and `ValueError` for fewer than one owner, an
    unknown mechanism or an unknown `rounds`.
    """
    checks.whole("owners", owners, 1)
    checks.one_of("mechanism", how.mechanism, ("response", "sampling"))
    checks.one_of("rounds", how.rounds, VARIANTS)
    if not 0 <= yes <= owners:
        raise BadInput(f"0 to {owners} of {owners} owners can hold the value, got {yes}")
    coins, deviation = SampledCoins(seed, "collections"), deviation_of(how, owners, yes)
    if how.mechanism == "response":
        response = JoyGerla(how.truthful, how.coin)
        estimates = [
            owners
            * response.estimate(response.draw_supports([yes, owners - yes], coins), owners)[0]
            for _ in range(COLLECTIONS)
        ]
        spread = _excess([(yes, response.law(1)[1]), (owners - yes, response.law(2)[1])])
        return _numbers(np.array(estimates) - yes, deviation, spread, yes)
    mechanism = TwoRounds.even(how.sampling, 1, none=True)
    found = [_DRAWS[how.rounds](mechanism, owners, yes, coins) for _ in range(COLLECTIONS)]
    spread = _excess([(yes, how.sampling)]) if how.rounds == "kept" else 0.0
    return _numbers(np.array(found) - yes, deviation, spread, yes)


def deviation_of(how: Answers, owners: int, yes: int) -> float:
    """Return the exact standard deviation of the estimate when `yes` of the owners hold the
    value.
    """
    if how.mechanism == "response":
        return owners * sqrt(JoyGerla(how.truthful, how.coin).variance(yes / owners, owners))
    mechanism = TwoRounds.even(how.sampling, 1, none=True)
    return float(sqrt(variance(mechanism, yes, owners - yes, how.rounds)[0]))


def _numbers(off: Floats, deviation: float, excess: float, yes: int) -> dict[str, float]:
    """Return the measurements of a trial from its errors."""
    bound = BAR * deviation
    # The root mean square of m errors has a relative standard deviation of about
    # √((2 + excess) / m) / 2.
    return {
        "bound": BAR * float(np.sqrt(np.mean(off**2))),
        "expected_bound": bound,
        "deviation_bound": bound * sqrt((2 + excess) / COLLECTIONS) / 2,
        "holders": yes,
    }


def _excess(terms: Sequence[tuple[int, Any]]) -> float:
    """The excess kurtosis of a sum of independent binomials; 0 if the sum has no variance."""
    second = sum(n * float(c * (1 - c)) for n, c in terms)
    fourth = sum(n * float(c * (1 - c) * (1 - 6 * c * (1 - c))) for n, c in terms)
    return fourth / second**2 if second else 0.0


def _kept(mechanism: TwoRounds, owners: int, yes: int, coins: SampledCoins) -> float:
    one_face, s = mechanism.background[1], mechanism.sampling
    sampled = _drawn(coins, yes, s)
    ones = _drawn(coins, yes - sampled, float(one_face / (1 - s))) + _drawn(
        coins, owners - yes, one_face
    )
    first, second = [owners - ones, ones], [owners - ones - sampled, ones + sampled]
    return float(kept_estimate(mechanism, first, second)[0])


def _fresh(mechanism: TwoRounds, owners: int, yes: int, coins: SampledCoins) -> float:
    ones = _drawn(coins, owners, mechanism.background[1])
    return float(
        fresh_estimate(mechanism, [owners - ones, ones], _second(mechanism, owners, yes, coins))[0]
    )


def _once(mechanism: TwoRounds, owners: int, yes: int, coins: SampledCoins) -> float:
    return float(round_two_estimate(mechanism, _second(mechanism, owners, yes, coins), owners)[0])


def _second(mechanism: TwoRounds, owners: int, yes: int, coins: SampledCoins) -> list[int]:
    ones = _drawn(coins, yes, mechanism.round_two_law(1)[1]) + _drawn(
        coins, owners - yes, mechanism.background[1]
    )
    return [owners - ones, ones]


def _drawn(coins: SampledCoins, trials: int, chance: Any) -> int:
    return int(coins.binomials(np.array([trials], dtype=np.int64), chance).plain[0])


_DRAWS: dict[str, Callable[[TwoRounds, int, int, SampledCoins], float]] = dict(
    zip(VARIANTS, (_kept, _fresh, _once), strict=True)
)


def cost(parameters: Parameters) -> float:
    """Return about how many seconds a trial takes."""
    return 0.05 if parameters["mechanism"] == "response" else 0.03


CURVES = ("eq. 29", "eq. 30", "sampling", "response")


@attrs.frozen(kw_only=True)
class LeakagePoint:
    """A point of one of the `CURVES` of ε (Fig. 3).

    `x` is the probability of the second coin on the curves of randomised response, and of one
    value's face on the other curves.
    """

    curve: str
    x: float
    users: int  # so many users hold one value, and equally many users hold the other value
    truthful: float = 0.8
    sampling: float = 0.45
    values: int = 1  # the number of values, V


@typed(LeakagePoint)
def leakage(point: LeakagePoint, seed: int, data: Path | None) -> Measurements:
    """Return the ε of round two, or of randomised response: by a formula, and estimated from
    answers.

    Equally many users hold each of two truths. The estimate is the logarithm of the quotient of the
    numbers of users who give the most telling answer under one truth and under the other. For a
    printed formula, which is about one answer, this answer is taken.

    Raises `ValueError` for an unknown curve, for an `x` that no coin or face can have, and for a
    face with `x` = 0; `BadInput` if under one of the truths nobody gives the answer.
    """
    del data
    checks.one_of("curve", point.curve, CURVES)
    users, coins = point.users, SampledCoins(seed, "answers")
    if point.curve in ("eq. 30", "response"):
        response = JoyGerla(point.truthful, point.x)
        printed, exact = equation_30(point.truthful, point.x), response.exact_epsilon
        answer = YES if point.curve == "eq. 30" or printed >= exact else NO
        laws = [response.law(truth)[answer] for truth in (answer, YES + NO - answer)]
        return _counted(printed if point.curve == "eq. 30" else exact, laws, users, coins)
    mechanism = die_of_value(point.sampling, point.values, point.x)
    answer = len(mechanism.background) - 1
    expected = equation_29(point.sampling, point.x)
    if point.curve == "sampling":
        answer = mechanism.background.index(min(mechanism.background))
        expected = epsilon_round_two(mechanism)
    laws = [mechanism.round_two_law(truth)[answer] for truth in (answer, 0 if answer else 1)]
    return _counted(expected, laws, users, coins)


def die_of_value(sampling: float, values: int, own: float) -> TwoRounds:
    """Return the die on which the last value's face has probability `own`.

    The faces of "none" and of all other values are equally likely.
    """
    rest = max((1 - sampling - own) / values, 0.0)
    return TwoRounds(sampling, (*[rest] * values, own), none=True)


def _counted(
    expected: float, laws: Sequence[Fraction], users: int, coins: SampledCoins
) -> Measurements:
    """Return ε estimated from how many of `users` give one answer under each of two truths.

    `laws` are the probabilities of this answer under the two truths. Raises `BadInput` if under one
    of the truths nobody gives the answer.
    """
    if not all(laws):
        raise BadInput(
            "users of one of the two groups never give the answer that is counted, so ε is "
            "infinite and has no estimate: choose other parameters"
        )
    ours, other = (int(coins.binomials(np.array([users]), chance).plain[0]) for chance in laws)
    if not (ours and other):
        raise BadInput(
            f"in one of the two groups of {users} users nobody gives the answer that is counted: "
            "take more users"
        )
    scatter = sqrt(sum(float((1 - chance) / (users * chance)) for chance in laws))
    return {
        "epsilon": log(ours / other),
        "expected_epsilon": expected,
        "deviation_epsilon": scatter,
    }
