"""The trials of Joy and Gerla: errors of a hundred collections, beside their exact standard
deviation.

Counts are drawn by their law, without the answers of each owner.
"""

from collections.abc import Callable, Sequence
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

from protocols.mechanisms.response import JoyGerla
from protocols.two_rounds.estimators import VARIANTS, fresh, kept, round_two, variance
from protocols.two_rounds.mechanism import TwoRounds
from scenarios.joy.figures import BAR, COMPETITOR, SAMPLINGS
from scenarios.joy.people import CHECKINS, at_locations, patients
from simnet.coins.sampled import SampledCoins
from simnet.errors import BadInput
from simnet.studies.experiment import Numbers, Parameters, Product
from simnet.studies.table import Measure

COLLECTIONS = 100  # a trial
BOUND = Measure("bound", "95 % bound of the error, owners", "expected_bound", "deviation_bound")
RESPONSE: Product = {
    "mechanism": ["response"],
    "truthful": [float(COMPETITOR.truthful)],
    "coin": [float(COMPETITOR.yes)],
}
SAMPLING: Product = {"mechanism": ["sampling"], "sampling": list(SAMPLINGS)}
Binomial = tuple[int, float]  # trials and chance


def location(parameters: Parameters, seed: int, data: Path | None) -> Numbers:
    """Errors at a location of Gowalla, by its rank (Fig. 2)."""
    counts, source = at_locations(data)
    return {
        **collected(parameters, CHECKINS, counts[str(parameters["location"])], seed),
        "people": source,
    }


def cancer(parameters: Parameters, seed: int, data: Path | None) -> Numbers:
    """Errors for a group of patients (Fig. 4 to 7)."""
    p: Any = parameters
    counts, source = patients(p["by"], data)
    return {**collected(p, p["owners"], counts[p["group"]], seed), "people": source}


def populations(parameters: Parameters, seed: int, data: Path | None) -> Numbers:  # noqa: ARG001  # as all trials
    """Errors for a number of holders among a number of owners."""
    p: Any = parameters
    return collected(p, p["owners"], p["yes"], seed)


def collected(p: Any, owners: int, yes: int, seed: int) -> dict[str, float]:
    """The 95 % bound as measured and as expected when `yes` of the owners hold the value."""
    if not 0 <= yes <= owners:
        raise BadInput(f"of the owners some hold the value, 0..{owners}, got {yes}")
    coins = SampledCoins(seed, "collections")
    if p["mechanism"] == "response":
        response = JoyGerla(p["truthful"], p["coin"])
        deviation = owners * sqrt(response.variance(yes / owners, owners))
        estimates = [
            owners
            * response.estimate(response.draw_supports([yes, owners - yes], coins), owners)[0]
            for _ in range(COLLECTIONS)
        ]
        spread = _excess([(yes, response.law(1)[1]), (owners - yes, response.law(2)[1])])
        return _numbers(np.array(estimates) - yes, deviation, spread, yes)
    variant = p.get("rounds", "kept")
    mechanism = TwoRounds.even(p["sampling"], 1, none=True)
    deviation = sqrt(variance(mechanism, yes, owners - yes, variant)[0])
    found = [_DRAWS[variant](mechanism, owners, yes, coins) for _ in range(COLLECTIONS)]
    spread = _excess([(yes, p["sampling"])]) if variant == "kept" else 0.0
    return _numbers(np.array(found) - yes, deviation, spread, yes)


def _numbers(off: Any, deviation: float, excess: float, yes: int) -> dict[str, float]:
    """The root mean square of m errors has a relative deviation of about √((2 + excess) / m) /
    2.
    """
    bound = BAR * deviation
    return {
        "bound": BAR * float(np.sqrt(np.mean(off**2))),
        "expected_bound": bound,
        "deviation_bound": bound * sqrt((2 + excess) / COLLECTIONS) / 2,
        "yes": yes,
    }


def _excess(terms: Sequence[tuple[int, Any]]) -> float:
    """The excess kurtosis of a sum of binomials; 0 of one without variance."""
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
    return float(kept(mechanism, first, second)[0])


def _fresh(mechanism: TwoRounds, owners: int, yes: int, coins: SampledCoins) -> float:
    ones = _drawn(coins, owners, mechanism.background[1])
    return float(fresh(mechanism, [owners - ones, ones], _second(mechanism, owners, yes, coins))[0])


def _once(mechanism: TwoRounds, owners: int, yes: int, coins: SampledCoins) -> float:
    return float(round_two(mechanism, _second(mechanism, owners, yes, coins), owners)[0])


def _second(mechanism: TwoRounds, owners: int, yes: int, coins: SampledCoins) -> list[int]:
    """The counts of round two, from faces thrown for it."""
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
    """About how many seconds a trial takes."""
    return 0.05 if parameters["mechanism"] == "response" else 0.03
