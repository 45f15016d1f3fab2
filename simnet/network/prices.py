"""Prices of operations, measured on this machine.

Operations are counted one by one, as in the papers, but all kinds except `aS` are done on whole
arrays. So their prices are times of one operation among many that are done together.
"""

import time
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import get_args

import numpy as np

from simnet.arrays import Numbers
from simnet.coins.sampled import SampledCoins
from simnet.values.field import Field
from simnet.values.meter import Meter, Operation
from simnet.values.residues import constant

COUNT = 200_000
FIELD = Field.above(1 << 20)


def measured_prices(repeat: int = 5) -> dict[Operation, float]:
    """Return the seconds of one operation of each kind: the median of `repeat` measurements."""
    return {kind: _price(kind, work, repeat) for kind, work in _works().items()}


def _works() -> Mapping[Operation, Callable[[SampledCoins, Meter], object]]:
    numbers = np.arange(COUNT) % FIELD.modulus
    held = constant(FIELD, numbers)
    reals = np.linspace(0.0, 1.0, COUNT)

    def subsets(coins: SampledCoins, _: Meter) -> None:
        for _number in range(300):
            coins.weighted_subset(12, 30, 3, Fraction(1, 2))

    works: dict[Operation, Callable[[SampledCoins, Meter], object]] = {
        "FA": lambda _, meter: held.metered(meter) + held,
        "FM": lambda _, meter: held.metered(meter) * held,
        "RM": lambda _, meter: _billed(meter, "RM", reals * reals),
        "BS": lambda coins, _: coins.bernoullis(0.3, COUNT),
        "aS": subsets,
        "FS": lambda coins, _: coins.field(FIELD, (COUNT,)),
        "nA": lambda _, meter: _billed(meter, "nA", (numbers + numbers) % 1000),
        "nS": lambda coins, _: coins.integers(1000, COUNT),
        "RS": lambda coins, _: coins.uniform(COUNT),
    }
    assert set(works) == set(get_args(Operation))
    return works


def _billed(meter: Meter, kind: Operation, result: Numbers) -> None:
    meter.bill(kind, result.size)


def _price(kind: Operation, work: Callable[[SampledCoins, Meter], object], repeat: int) -> float:
    seconds = []
    for number in range(repeat):
        meter = Meter()
        coins = SampledCoins(number, "prices", meter)
        begun = time.perf_counter()
        work(coins, meter)
        seconds.append((time.perf_counter() - begun) / meter.counts[kind])
    return float(np.median(seconds))
