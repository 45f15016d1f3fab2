"""The statistical tier, and the exact assertions that tests of protocols use.

False alarms: every comparison of equal laws below is made at a rate of at most 1e-3, six of them at
that rate.
"""

from collections.abc import Sequence
from math import exp, log
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.dpds.script import DPDS
from protocols.tss.prime import TSSPrime
from protocols.tss.script import TSS
from simnet import BadInput, Coins, Party, Sealed, Seat, Tag, bits
from simnet.adversary.sampled_views import FALSE_ALARM, SampledComparison, sampled_views_differ
from simnet.testing import assert_same_view, exact_epsilon
from tests.harness.exact_mutants import MaskFromRange, Masking, TellsWhoTakesPart
from tests.harness.marks import long_but
from tests.harness.scripts import F, disclosed, protected

PIECE = Tag("piece")
ONES, TWOS = [1, 1, 1], [2, 2, 2]
LIVELY = DPDS(3, 2, 0.9)


def compared(
    protocol: Any, one: Sequence[int], other: Sequence[int], corrupt: str, **more: Any
) -> SampledComparison:
    return sampled_views_differ(protocol, one, other, corrupt, **more)


# The statistical tier.


@pytest.mark.slow
@pytest.mark.parametrize("seed", long_but([0, 1000, 2000], 0))
@pytest.mark.parametrize("corrupt", ["server", "u1, u2"])
def test_views_on_equal_inputs_never_differ(corrupt: str, seed: int) -> None:
    found = compared(LIVELY, [1, 2, 2], [1, 2, 2], corrupt, runs=20, seed=seed, false_alarm=1e-3)
    assert not found.differs
    assert 1e-3 <= found.p_value <= 1


@pytest.mark.slow
def test_other_inputs_of_the_same_law_do_not_differ_for_users_alone() -> None:
    found = compared(LIVELY, [1, 1, 1], [1, 2, 2], "u1", runs=40)
    assert not found.differs
    assert found.p_value >= FALSE_ALARM


@pytest.mark.slow
def test_the_server_tells_different_counts_apart() -> None:
    found = compared(LIVELY, ONES, TWOS, "server", runs=60)
    assert found.differs
    assert found.p_value < 1e-20
    assert found.feature.startswith(("sum of partial", "function", "partial"))


@pytest.mark.slow
def test_all_users_but_one_learn_nothing_where_two_with_the_server_do() -> None:
    assert not compared(LIVELY, [1, 1, 1], [1, 1, 2], "u1, u2", runs=40).differs
    assert compared(LIVELY, [1, 1, 1], [1, 1, 2], "u1, u2, server", runs=40).differs


@pytest.mark.slow
def test_a_mask_drawn_from_too_small_a_range_is_found() -> None:
    assert not compared(Masking(), [1], [4], "server", runs=60).differs
    assert compared(MaskFromRange(below=2), [1], [4], "server", runs=60).differs


@pytest.mark.slow
def test_the_outcome_says_what_it_is() -> None:
    found = compared(LIVELY, ONES, TWOS, "server", runs=20, false_alarm=1e-4)
    assert (found.tier, found.runs, found.false_alarm) == ("sampled", 20, 1e-4)
    assert found.features > 1
    assert found.differs == (found.p_value < found.false_alarm)
    assert 0 <= found.p_value <= 1
    assert 0 < found.detectable <= 1


@pytest.mark.slow
def test_the_same_seed_gives_the_same_outcome() -> None:
    first, second = (compared(LIVELY, ONES, [1, 1, 2], "server", runs=20, seed=7) for _ in range(2))
    assert first == second


@pytest.mark.slow
def test_more_runs_and_a_looser_rate_detect_smaller_differences() -> None:
    few, many = (compared(Masking(), [1], [2], "server", runs=runs) for runs in (25, 100))
    loose = compared(Masking(), [1], [2], "server", runs=100, false_alarm=1e-2)
    assert 1 > few.detectable > many.detectable > loose.detectable > 0
    assert few.detectable == pytest.approx(2 * many.detectable)


@pytest.mark.slow
def test_a_difference_somewhat_above_what_is_detectable_is_detected() -> None:
    one, other = Biased(0.2), Biased(0.8)
    sizes = [compared(protocol, [1], [2], "server", runs=80) for protocol in (one, other)]
    assert all(found.differs and found.detectable < 0.6 for found in sizes)
    assert not compared(Biased(0.5), [1], [2], "server", runs=60).differs


@pytest.mark.parametrize("runs", [-1, 0, 1, 19])
def test_fewer_than_twenty_runs_are_refused(runs: int) -> None:
    with pytest.raises(BadInput, match=f"at least 20 runs, got {runs}"):
        compared(LIVELY, ONES, TWOS, "server", runs=runs)


def test_twenty_runs_are_enough_to_be_tried_and_progress_is_told_of_each() -> None:
    told: list[int] = []
    found = compared(Masking(), [1], [1], "server", runs=20, progress=told.append)
    assert told == [1] * 40
    assert found.runs == 20


def test_a_set_that_names_nobody_is_refused() -> None:
    with pytest.raises(BadInput, match="u9"):
        compared(LIVELY, ONES, TWOS, "u9", runs=20)


@attrs.frozen
class Biased:
    """A user sends the server a coin, which is 1 with probability `chance` if the user holds 1,
    otherwise with probability 1 - `chance`.
    """

    chance: float
    items = 2

    def parties(self) -> dict[str, Seat]:
        return {"u1": Seat(self.user), "server": Seat(self.server)}

    async def user(self, me: Party, item: Sealed) -> None:
        protected(me, item)
        await me.send(PIECE, "server", bits([me.disclose(self.coin, item)]))

    def coin(self, item: int, coins: Coins) -> bool:
        return coins.bernoulli(self.chance if item == 1 else 1 - self.chance)

    async def server(self, me: Party) -> None:
        await me.receive(PIECE, "u1")


@attrs.frozen
class AsManyMessagesAsHeld:
    """The number of masked numbers that a user sends is its input."""

    items: int = 5

    def parties(self) -> dict[str, Seat]:
        return {"u1": Seat(self.user), "server": Seat(self.server)}

    async def user(self, me: Party, item: Sealed) -> None:
        protected(me, item)
        for _ in range(disclosed(me, item)):
            await me.send(PIECE, "server", me.coins.field(F, (1,)))

    async def server(self, me: Party) -> None:
        """Leave the messages unread."""


@pytest.mark.long
@pytest.mark.slow
def test_several_messages_of_a_tag_from_one_sender_are_compared() -> None:
    protocol = TSS(4, 2, 0.5, 1, sharing="shamir:2")
    assert not compared(protocol, [1, 1, 2, 2], [1, 1, 2, 2], "S2", runs=100).differs


def test_the_network_tells_apart_how_many_messages_there_are() -> None:
    assert compared(AsManyMessagesAsHeld(), [1], [4], "network", runs=20).differs


def test_a_corrupt_party_must_hold_the_same_on_both_sides() -> None:
    with pytest.raises(BadInput, match="u1 is in the coalition"):
        compared(LIVELY, ONES, [2, 1, 1], "u1", runs=20)


# Exact assertions for tests.

EXAMPLE: dict[str, Any] = {"users": 3, "items": 2, "participation": 0.5, "reported": 1, "bound": 1}


@pytest.mark.slow
def test_the_exact_epsilon_of_the_printed_example_is_ln_1_4() -> None:
    told = exact_epsilon(TSSPrime(**EXAMPLE, gamma=2.0), [1, 1, 1], [1, 1, 2], "u1")
    assert told == pytest.approx(log(1.4), abs=1e-12)
    assert exp(told) == pytest.approx(1.4)
    assert exact_epsilon(TSSPrime(**EXAMPLE), [1, 1, 1], [1, 1, 2], "u1") == 0


@pytest.mark.slow
def test_a_view_that_is_the_same_passes() -> None:
    assert_same_view(LIVELY, [1, 1, 1], [1, 2, 2], "u1")
    assert_same_view(LIVELY, [1, 1, 1], [1, 1, 2], ["u1", "u2"])
    assert_same_view(TSSPrime(**EXAMPLE), [1, 1, 1], [1, 1, 2], "u1")


@pytest.mark.slow
def test_a_view_that_differs_fails_and_the_message_says_by_how_much() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_same_view(TSSPrime(**EXAMPLE, gamma=2.0), [1, 1, 1], (1, 1, 2), "u1")
    assert str(caught.value) == (
        "expected the same view on [1, 1, 1] and [1, 1, 2]: ε = 0.336472, δ(0) = 103/648"
    )


def test_a_certain_difference_fails_with_an_infinite_epsilon() -> None:
    with pytest.raises(AssertionError, match=r"ε = inf, δ\(0\) = 1$"):
        assert_same_view(DPDS(2, 2, 1.0), [1, 1], [1, 2], "server")
    assert exact_epsilon(DPDS(2, 2, 1.0), [1, 1], [1, 2], "server") == float("inf")


@pytest.mark.slow
@given(st.permutations([1, 1, 2]))
def test_a_server_sees_no_order_of_inputs_but_where_it_is_told_who_takes_part(
    order: list[int],
) -> None:
    assert_same_view(DPDS(3, 2, 0.5), [1, 1, 2], order, "server")
    if order != [1, 1, 2]:
        with pytest.raises(AssertionError, match="expected the same view"):
            assert_same_view(TellsWhoTakesPart(3, 2, 0.5), [1, 1, 2], order, "server")


@pytest.mark.parametrize("check", [assert_same_view, exact_epsilon])
def test_exact_comparisons_refuse_inputs_that_the_set_knows_apart(check: Any) -> None:
    with pytest.raises(BadInput, match="u1 is in the coalition and knows its own input"):
        check(LIVELY, [1, 1, 1], [2, 1, 1], "u1")


@pytest.mark.slow
@pytest.mark.parametrize("protocol", [Masking(), MaskFromRange(below=2)], ids=str)
def test_the_sampled_tier_agrees_with_the_exact_one(protocol: Any) -> None:
    exact = exact_epsilon(protocol, [1], [4], "server")
    assert compared(protocol, [1], [4], "server", runs=60).differs == (exact > 0)
