"""Wrong numbers are refused in words: public functions that take counts, chances and lists."""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from protocols import checks
from simnet import (
    Access,
    CodecError,
    Fate,
    Field,
    Latency,
    MessageFate,
    SampledCoins,
    Seat,
    Shuffled,
    bits,
    constant,
    drawn_fates,
    index,
    reals,
    run,
    seats,
    tally,
)
from simnet.network.network import Transport

F = Field(101)
Call = Callable[[Any], object]


async def script(me: object) -> None:
    """Do nothing."""


class Nobody:
    """A single party that does nothing."""

    def parties(self) -> dict[str, Seat]:
        return {"a": Seat(script)}


def coins() -> SampledCoins:
    return SampledCoins(7, "u1")


COUNTS: Mapping[str, Call] = {
    "Seat, index": lambda n: Seat(script, n),
    "Seat, members": lambda n: Seat(script, members=n),
    "seats": lambda n: seats("u", script, n),
    "Field": lambda n: Field(n),
    "Field.above": lambda n: Field.above(n),
    "tally, counts": lambda n: tally([n], messages=5, like=bits([[0]])),
    "tally, messages": lambda n: tally([1], messages=n, like=bits([[0]])),
    "index, below": lambda n: index([0], below=n),
    "Fate, place": lambda n: Fate("note", n),
    "Fate, reached": lambda n: Fate("note", 1, n),
    "MessageFate, place": lambda n: MessageFate("a", "b", "note", n),
    "Transport, payload": lambda n: Transport(payload=n),
    "Transport, header": lambda n: Transport(header=n),
    "Shuffled": lambda n: Shuffled(n),
    "SampledCoins": lambda n: SampledCoins(n, "u1"),
    "run, threads": lambda n: run(Nobody(), threads=n),
    "bernoullis": lambda n: coins().bernoullis(0.5, n),
    "binomials": lambda n: coins().binomials([n], 0.5),
    "integers, below": lambda n: coins().integers(n, 1),
    "integers, count": lambda n: coins().integers(3, n),
    "subset, count": lambda n: coins().subset(n, 5),
    "subset, below": lambda n: coins().subset(1, n),
    "weighted subset, count": lambda n: coins().weighted_subset(n, 5),
    "weighted subset, below": lambda n: coins().weighted_subset(1, n),
    "weighted subset, favoured": lambda n: coins().weighted_subset(1, 5, n, 2.0),
    "categorical, weight": lambda n: coins().categorical([n, 1], 1),
    "categorical, count": lambda n: coins().categorical([1, 1], n),
    "uniform": lambda n: coins().uniform(n),
    "normal": lambda n: coins().normal(n),
    "exponential": lambda n: coins().exponential(n),
    "discrete normal, count": lambda n: coins().discrete_normal(Fraction(1), n),
    "field": lambda n: coins().field(F, (n,)),
}
# A seed may be negative, and every bound below 2 is a bound of the field of two elements.
MAY_BE_NEGATIVE = ("Shuffled", "SampledCoins", "Field.above")
REALS: Mapping[str, Call] = {
    "Access, up": lambda x: Access(up=x),
    "Access, slowness": lambda x: Access(slowness=x),
    "Latency, seconds": lambda x: Latency(x),
    "Latency, jitter": lambda x: Latency(jitter=x),
    "Latency, loss": lambda x: Latency(loss=x),
    "MessageFate, seconds": lambda x: MessageFate("a", "b", "note", 1, "late", x),
    "drawn_fates": lambda x: drawn_fates({}, x, seed=1),
    "bernoulli": lambda x: coins().bernoulli(x),
    "bernoullis": lambda x: coins().bernoullis(x, 3),
    "binomials": lambda x: coins().binomials(np.array([3]), x),
    "weighted subset": lambda x: coins().weighted_subset(1, 5, 2, x),
    "discrete normal": lambda x: coins().discrete_normal(x, 1),
    "discrete Laplace": lambda x: coins().discrete_laplace(x, 1),
    "Skellam": lambda x: coins().skellam(x, 1),
}
LISTS: Mapping[str, Call] = {
    "reals": reals,
    "bits": bits,
    "index": lambda values: index(values, below=5),
    "constant": lambda values: constant(F, values),
    "tally": lambda values: tally(values, messages=5, like=bits([[0]])),
}


@pytest.mark.parametrize("name", COUNTS)
def test_a_count_is_a_whole_number(name: str) -> None:
    fractions = [2.5, 2.0, math.nan, math.inf, 1j, Fraction(2), np.float64(2)]
    # `True` among integers is 1 in an array of numpy, so a list of weights may have it
    bools = [np.True_] if name == "categorical, weight" else [np.True_, True]
    for wrong in [*fractions, *bools, "2", [2.5]]:
        with pytest.raises(TypeError, match=r"whole number|integers"):
            COUNTS[name](wrong)


@pytest.mark.parametrize("name", COUNTS)
def test_a_count_may_be_an_integer_of_numpy_and_is_not_negative(name: str) -> None:
    COUNTS[name](np.int64(2))
    if name in MAY_BE_NEGATIVE:
        COUNTS[name](-1)
    else:
        with pytest.raises(ValueError, match="-1"):
            COUNTS[name](-1)


@pytest.mark.parametrize("name", REALS)
def test_a_real_parameter_is_a_number(name: str) -> None:
    for wrong in [1j, np.complex128(0.5), "0.5", [0.5], np.True_, True]:
        with pytest.raises(TypeError, match="must be a real number"):
            REALS[name](wrong)


@pytest.mark.parametrize("name", REALS)
def test_a_real_parameter_is_neither_nan_nor_negative(name: str) -> None:
    for good in (0.5, np.float64(0.5), np.float32(0.5), Fraction(1, 2)):
        REALS[name](good)
    for wrong in (math.nan, -0.5, -math.inf):
        with pytest.raises(ValueError, match=f"{wrong}|-1/2"):
            REALS[name](wrong)


@pytest.mark.parametrize("name", LISTS)
def test_lists_of_numbers_have_numbers_only(name: str) -> None:
    for wrong in [1j, "2", None, np.datetime64("2026-01-01")]:
        for values in ([wrong], [1, wrong], wrong):
            with pytest.raises((TypeError, CodecError), match=r"integers|real numbers"):
                LISTS[name](values)


def test_reals_are_all_that_fits_a_double() -> None:
    given = [True, 2, 0.5, np.float32(0.25), Fraction(1, 8), math.inf, 10**30]
    assert reals(given).values.tolist() == [1.0, 2.0, 0.5, 0.25, 0.125, math.inf, 1e30]
    with pytest.raises(CodecError, match="real numbers that fit a double"):
        reals([10**400])


def test_the_error_names_the_value_that_is_no_whole_number() -> None:
    with pytest.raises(TypeError, match=r"such as 2\.5$"):
        checks.whole_numbers("items", [1, 2.5], 1, 5)
    with pytest.raises(TypeError, match="whole numbers, got a bool"):
        checks.whole_numbers("items", [2, True], 1, 5)  # which numpy takes for [2, 1]
