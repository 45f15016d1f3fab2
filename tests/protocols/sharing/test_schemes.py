"""Additive sharing: shares add up to the secret, and all but one of them tell nothing."""

from collections import Counter
from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from protocols.sharing.schemes import Additive
from simnet import Field, constant
from simnet.coins.sampled import SampledCoins
from simnet.values.meter import Meter
from tests.harness.tape import TapeCoins


@given(
    st.integers(1, 9), st.lists(st.integers(0, 10**6), min_size=1, max_size=4), st.integers(0, 50)
)
def test_shares_add_up_to_the_secret(parties: int, values: list[int], bound: int) -> None:
    field = Field.above(bound)
    secret = constant(field, values)
    block = Additive().share(secret, parties, SampledCoins(0, "u1"))
    assert block.shape == (parties, len(values))
    assert block.evaluate().sum() == secret


def test_all_shares_but_one_are_uniform_and_independent_of_the_secret() -> None:
    """Exactly: three shares over F_5, every tape played.

    Any two take each pair of values equally often.
    """
    field = Field(5)
    laws = {}
    for value, left_out in product((0, 3), range(3)):
        seen: Counter[tuple[int, ...]] = Counter()
        for tape in product(range(5), repeat=2):
            rows = (
                Additive()
                .share(constant(field, [value]), 3, TapeCoins(iter(tape), True))
                .evaluate()
            )
            seen[tuple(np.delete(rows.numbers()[:, 0], left_out).tolist())] += 1
        laws[value, left_out] = seen
        assert set(seen.values()) == {1}
        assert len(seen) == 25
    assert all(laws[0, k] == laws[3, k] for k in range(3))


def test_all_shares_together_give_the_secret_away() -> (
    None
):  # a law blind to the secret would pass the test above
    seen = set()
    for value in (0, 3):
        tape = TapeCoins(iter((1, 2)), True)
        rows = Additive().share(constant(Field(5), [value]), 3, tape).evaluate()
        seen.add(tuple(rows.numbers()[:, 0].tolist()))
    assert len(seen) == 2


@given(st.integers(2, 9), st.integers(1, 5))
def test_sharing_costs_what_table_1_says(parties: int, width: int) -> None:
    meter = Meter()
    secret = constant(Field(101), [0] * width).metered(meter)
    Additive().share(secret, parties, SampledCoins(0, "u1", meter)).evaluate()
    assert meter.counts == {"FS": (parties - 1) * width, "FA": (parties - 1) * width}
