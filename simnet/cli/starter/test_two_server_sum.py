"""Properties of the protocol: the sum is right, and coalitions learn what they should."""

from hypothesis import given, settings
from hypothesis import strategies as st

from simnet import run
from simnet.cli.starter.two_server_sum import TwoServerSum
from simnet.testing import (
    assert_learns,
    assert_learns_nothing,
    assert_learns_only_output,
    instances,
    seeds,
)

SMALL = instances(TwoServerSum, users=st.integers(2, 5), items=st.integers(1, 4))
# Hypothesis fails a case that takes longer than 200 ms; a busy machine may need more.
UNTIMED = settings(deadline=None)


@UNTIMED
@given(SMALL, seeds())
def test_the_output_is_the_sum(instance: tuple[TwoServerSum, list[int]], seed: int) -> None:
    protocol, values = instance
    assert run(protocol, values, seed).outputs["A"] == sum(values)


@UNTIMED
@given(SMALL, seeds())
def test_a_learns_only_the_sum_and_b_nothing(
    instance: tuple[TwoServerSum, list[int]], seed: int
) -> None:
    done = run(*instance, seed)
    assert_learns_only_output(done, "A")
    assert_learns_nothing(done, "B")


@UNTIMED
@given(SMALL, seeds())
def test_both_servers_together_learn_a_value(
    instance: tuple[TwoServerSum, list[int]], seed: int
) -> None:
    assert_learns(run(*instance, seed), "A, B", party="u1")
