"""Sampling Privacy as a protocol: real outputs equal ideal ones; exact privacy of each view;
violations, bills and statements.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from protocols.catalogue import about
from protocols.mechanisms.channel import delta_of
from protocols.two_rounds.about import in_the_clear
from protocols.two_rounds.coalitions import CLAIMS_IN_THE_CLEAR, CLAIMS_OF_AGGREGATORS
from protocols.two_rounds.mechanism import TwoRounds
from protocols.two_rounds.privacy import aggregate_delta, difference_delta, epsilon_round_two
from protocols.two_rounds.script import ROUND_ONE, ROUND_TWO, SamplingPrivacy
from simnet import ScriptError, Sealed, Stall, run, verdict
from simnet.exhaustive.compare import Comparison
from simnet.kernel.ideal import ideal_world
from simnet.kernel.party import Party
from simnet.scenario.judging import judge_claims
from simnet.scenario.perform import bill
from tests.harness.fuzz import cases
from tests.harness.ideal import users_with_inputs
from tests.harness.many_cases import for_each
from tests.harness.two_rounds import counts_law

F = Fraction
TINY: dict[str, Any] = {"users": 2, "items": 2, "sampling": F(9, 20), "faces": (F(3, 10), F(1, 4))}


@st.composite
def instances(draw: st.DrawFn) -> tuple[SamplingPrivacy, list[int]]:
    items = draw(st.integers(2, 4))
    held = draw(st.lists(st.integers(1, items), min_size=1, max_size=8))
    return SamplingPrivacy(
        len(held),
        items,
        draw(st.sampled_from([0.1, 0.45, 0.9])),
        None,
        draw(st.booleans()),
        draw(st.sampled_from(["kept", "fresh", "round-two"])),
        draw(st.integers(1, 3)),
        draw(st.sampled_from(["additive", "shamir:1", "shamir:2"])),
    ), held


def symbols(protocol: SamplingPrivacy, held: Sequence[int], seed: int) -> list[list[int]]:
    """What each owner answers in each round of a run, by its coins."""
    answers = [
        protocol.answers(item, user) for user, item in users_with_inputs(protocol, held, seed)
    ]
    return [answer.numbers().argmax(axis=1).tolist() for answer in answers]


@pytest.mark.parametrize(
    ("aggregators", "claims", "silent"),
    [(2, CLAIMS_OF_AGGREGATORS, 2), (1, CLAIMS_IN_THE_CLEAR, 1)],
)
def test_claims_are_judged_of_a_single_owner_too(
    aggregators: int, claims: Any, silent: int
) -> None:
    """A claim about all owners but one is about nobody then."""
    protocol = SamplingPrivacy(1, 2, 0.45, aggregators=aggregators)
    judged = judge_claims(claims, run(protocol, [1], 0), about(protocol))
    assert all(one.holds for one in judged)
    assert sum(one.verdict is None for one in judged) == silent


@given(instances(), st.integers(0, 1000))
@cases(40)
def test_real_and_ideal_worlds_agree_on_the_same_coins(
    instance: tuple[SamplingPrivacy, list[int]], seed: int
) -> None:
    protocol, held = instance
    done = run(protocol, held, seed)
    handed: Any = ideal_world(protocol, done.inputs, seed)["reader"]
    counts = [of_round.numbers() for of_round in handed]
    assert np.array_equal(done.outputs["reader"], protocol.estimate(*counts))
    answered = zip(*symbols(protocol, held, seed), strict=True)
    assert all(
        np.array_equal(seen, protocol.mechanism.counts(said))
        for seen, said in zip(counts, answered, strict=True)
    )
    assert done.outputs["reader"].shape == (protocol.items,)
    assert not protocol.none or done.outputs["reader"].sum() == pytest.approx(1)
    assert all(row.holds for row in bill(about(protocol), done))
    assert not done.ledger.unread()


# Verdicts


@pytest.mark.slow
@given(instances(), st.integers(0, 1000))
@cases(30)
def test_all_claims_hold(instance: tuple[SamplingPrivacy, list[int]], seed: int) -> None:
    protocol, held = instance
    if protocol.users < 2:
        return
    claims = CLAIMS_IN_THE_CLEAR if in_the_clear(protocol) else CLAIMS_OF_AGGREGATORS
    assert all(
        one.holds for one in judge_claims(claims, run(protocol, held, seed), about(protocol))
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_an_aggregator_with_both_answers_identifies_every_sampled_holder(seed: int) -> None:
    """(11), by what its verdict exposes.

    And with two aggregators by nothing that one of them sees.
    """
    held = [1, 2, 1, 1, 2, 1]
    protocol = SamplingPrivacy(6, 2, aggregators=1)
    found = verdict(run(protocol, held, seed), "A1", about(protocol))
    assert found.finding == "leaks"
    values = {}
    for leak in found.leaks:
        assert leak.exposes is not None
        assert leak.value == leak.true
        values[leak.exposes.party, leak.exposes.item] = leak.value
    symbol_1 = 2, 4  # in each round, of two symbols
    identified = {
        f"u{user}"
        for user in range(1, 7)
        if [values[f"u{user}", item] for item in symbol_1] == [0, 1]
    }
    assert identified == {
        f"u{k}" for k, said in enumerate(symbols(protocol, held, seed), start=1) if said == [0, 1]
    }
    assert all(held[int(name[1:]) - 1] == 1 for name in identified)
    assert (
        verdict(run(attrs.evolve(protocol, aggregators=2), held, seed), "A1").finding == "nothing"
    )
    assert (
        verdict(run(attrs.evolve(protocol, aggregators=2), held, seed), "A1, A2").finding == "leaks"
    )


# Exact laws


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variant", "corrupt", "epsilon", "delta"),
    [
        ("kept", "A1", math.inf, F(9, 20)),
        ("fresh", "A1", None, F(9, 20)),
        ("round-two", "A1", None, F(9, 20)),
    ],
)
@pytest.mark.parametrize("items", [2, 3])
def test_what_an_aggregator_sees_in_the_clear(
    variant: Any, corrupt: str, epsilon: float | None, delta: Fraction, items: int
) -> None:
    """Both rounds: ε = inf.

    One round, or two without a kept face: ε of round two, to the last digit of a float.
    """
    faces = TINY["faces"] if items == 2 else (F(1, 4), F(1, 5), F(1, 10))
    protocol = SamplingPrivacy(
        **{**TINY, "items": items, "faces": faces}, variant=variant, aggregators=1
    )
    expected = epsilon_round_two(protocol.mechanism) if epsilon is None else epsilon
    worst = Comparison(protocol, corrupt).worst([1, 2])
    assert worst.largest_epsilon == pytest.approx(expected, rel=1e-14)
    assert worst.compared.delta() == delta
    stated = about(protocol).disclosure(
        {ROUND_ONE.name, ROUND_TWO.name} if variant != "round-two" else {ROUND_TWO.name}
    )
    assert stated is not None
    assert stated.epsilon == expected
    assert not stated.independent


@pytest.mark.parametrize("corrupt", ["A1", "A2", "u1, A1", "u1", "network", "A2, network"])
def test_whoever_lacks_a_share_sees_the_same_whatever_others_hold(corrupt: str) -> None:
    protocol = SamplingPrivacy(**TINY, aggregators=2)
    assert Comparison(protocol, corrupt).compare([1, 1], [1, 2]).same
    stated = about(protocol).disclosure({ROUND_ONE.name, ROUND_TWO.name})
    assert stated is not None
    assert (stated.independent, stated.epsilon) == (True, None)


@pytest.mark.parametrize("corrupt", ["reader", "A1, reader", "A1, A2"])
def test_whoever_holds_all_shares_of_both_rounds_has_no_finite_epsilon(corrupt: str) -> None:
    compared = Comparison(SamplingPrivacy(**TINY, aggregators=2), corrupt).compare([1, 1], [1, 2])
    assert compared.epsilon == math.inf
    for epsilon in (0, 0.5, 1.0):
        delta = aggregate_delta(SamplingPrivacy(**TINY).mechanism, epsilon, 2, 0)
        linked = corrupt == "A1, A2"
        assert float(compared.delta(epsilon)) == pytest.approx(0.45 if linked else delta, abs=1e-12)
        assert linked or compared.delta(epsilon) < F(9, 20)


@pytest.mark.slow
@pytest.mark.parametrize(
    "protocol",
    [
        SamplingPrivacy(**TINY),
        attrs.evolve(SamplingPrivacy(**TINY), faces=(0, F(11, 20))),
        SamplingPrivacy(2, 3, F(1, 4)),
        SamplingPrivacy(2, 2, F(1, 4), none=False),
        SamplingPrivacy(3, 3, F(1, 4)),
    ],
    ids=str,
)
def test_the_stated_delta_of_the_sums_is_the_least_of_any_epsilon(
    protocol: SamplingPrivacy,
) -> None:
    for held in ([1, 1, 1], [1, 2, 1], [1, protocol.items, 2]):
        given_ = held[: protocol.users]
        worst = Comparison(protocol, "reader").worst(given_, 60.0)
        support = np.bincount(given_, minlength=protocol.items + 1)[1:]
        stated = about(protocol).privacy(None, support, 0.7, None)[0]
        assert stated.epsilon == worst.largest_epsilon == math.inf
        assert math.exp(stated.log_delta) == pytest.approx(
            float(worst.compared.delta(60.0)), rel=1e-9
        )


# Statements


@given(instances(), st.none() | st.floats(0.01, 5), st.none() | st.sampled_from([1e-9, 0.3, 0.6]))
def test_no_view_with_both_rounds_is_given_a_finite_epsilon(
    instance: tuple[SamplingPrivacy, list[int]], epsilon: float | None, delta: float | None
) -> None:
    protocol, held = instance
    support = np.bincount(held, minlength=protocol.items + 1)[1:]
    found = about(protocol).privacy(None, support, epsilon, delta)
    second = epsilon_round_two(protocol.mechanism)
    if protocol.variant != "kept":
        assert {one.epsilon for one in found} == {second}
        assert {one.log_delta for one in found} == {-math.inf}
        return
    sums, difference, both, alone, first = found
    assert (difference.epsilon, difference.log_delta) == (math.inf, sums.log_delta)
    assert delta is None or f"at δ = {delta:g}" in sums.assumption
    assert sums.epsilon == both.epsilon == math.inf
    assert math.exp(both.log_delta) == pytest.approx(protocol.sampling)
    assert sums.log_delta <= both.log_delta + 1e-12
    assert (alone.epsilon, first.epsilon, alone.log_delta, first.log_delta) == (
        second,
        0,
        -math.inf,
        -math.inf,
    )
    stated = about(protocol).disclosure(
        {ROUND_ONE.name, ROUND_TWO.name, protocol.sharing.partial.name}
    )
    assert stated is not None
    assert stated.epsilon == (math.inf if in_the_clear(protocol) else None)


@pytest.mark.parametrize("variant", ["kept", "fresh", "round-two"])
def test_where_round_two_has_no_epsilon_its_delta_is_stated(variant: Any) -> None:
    """With π_0 = 0 an owner who answers 0 is known to hold no value.

    The least δ is that of the exact law.
    """
    protocol = SamplingPrivacy(20, 4, F(9, 20), (0, F(1, 5), F(1, 5), F(3, 20)), variant=variant)
    laws = [protocol.mechanism.round_two_law(truth) for truth in (0, 1)]
    found = about(protocol).privacy(None, np.array([5, 5, 5, 5]), None, 0.1)
    alone = found[3] if variant == "kept" else found[1]
    assert (alone.epsilon, math.exp(alone.log_delta)) == (
        math.inf,
        pytest.approx(float(delta_of(*laws, 50))),
    )
    assert "at δ = 0.1 no ε is finite" in alone.assumption
    assert all((one.log_delta == -math.inf) == (one.epsilon < math.inf) for one in found)


@pytest.mark.parametrize(
    ("held", "words"),
    [
        ([0, 6], "a value that nobody holds may gain a holder"),
        ([1, 5], "1 owner holds the rarest value"),
        ([2, 4], "2 owners hold the rarest value"),
    ],
)
def test_a_statement_says_how_many_hold_the_rarest_value(held: list[int], words: str) -> None:
    sums, difference, *_ = about(SamplingPrivacy(6, 2)).privacy(None, np.array(held), None, None)
    assert sums.assumption.startswith(f"{words};")
    assert difference.assumption.startswith(f"{words};")


def test_a_delta_that_is_asked_for_is_answered() -> None:
    """Three holders, all sampled with chance 0.45³ = 0.091: above that δ the difference has a
    finite ε.
    """
    protocol = SamplingPrivacy(6, 2)
    for delta, told in ((1e-6, "no ε is finite"), (0.2, "ε = ")):
        _, difference, *_ = about(protocol).privacy(None, np.array([3, 3]), None, delta)
        assert f"at δ = {delta:g} {told}" in difference.assumption
    least = float(difference.assumption.rpartition(" ")[2])
    assert difference_delta(protocol.mechanism, least, 3) == pytest.approx(0.2, rel=1e-3)


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(0.0, None), (-1.0, None), (math.inf, None), (None, 0.0), (None, 1.0)]
)
def test_an_epsilon_or_delta_that_is_none_is_refused(epsilon: Any, delta: Any) -> None:
    with pytest.raises(ValueError, match=r"epsilon is positive|delta lies between"):
        about(SamplingPrivacy(**TINY)).privacy(None, np.array([1, 1]), epsilon, delta)


def test_disclosures_speak_of_the_protocol_s_own_messages_alone() -> None:
    protocol = SamplingPrivacy(**TINY, aggregators=1)
    assert about(protocol).disclosure({"gossip"}) is None
    first, second = (about(protocol).disclosure({tag.name}) for tag in (ROUND_ONE, ROUND_TWO))
    assert first is not None
    assert second is not None
    assert (first.independent, first.epsilon) == (True, 0)
    assert second.epsilon == epsilon_round_two(protocol.mechanism)


# Assessment


@pytest.mark.parametrize("none", [True, False])
def test_mean_and_deviation_of_the_squared_error_are_exact(none: bool) -> None:
    protocol = SamplingPrivacy(4, 3, F(9, 20), none=none)
    support = np.array([1, 2, 1])
    by_truth = [1, 1, 2] if none else [0, 1, 2, 1]
    law = counts_law(protocol.mechanism, by_truth)
    errors = np.array(
        [
            np.sum((protocol.estimate(*(np.array(c) for c in counts)) - support / 4) ** 2)
            for counts in law
        ]
    )
    chances = np.array([float(chance) for chance in law.values()])
    done = run(protocol, [1, 2, 2, 3], 0)
    assessed = about(protocol).assess(done, support)
    assert assessed.expected_squared_l2 == pytest.approx(chances @ errors)
    assert assessed.deviation_squared_l2**2 == pytest.approx(
        chances @ errors**2 - (chances @ errors) ** 2
    )


@pytest.mark.slow
def test_intervals_cover_at_their_rate() -> None:
    """60 runs.

    Each item's interval covers with at least 95 %, a false alarm has probability 3e-6 in all.
    """
    protocol, held = SamplingPrivacy(40, 3), [1] * 20 + [2] * 5 + [3] * 15
    covered = np.zeros(3)
    for seed in range(60):
        assessed = about(protocol).assess(run(protocol, held, seed), np.array([20, 5, 15]))
        covered += (assessed.low <= assessed.truth) & (assessed.truth <= assessed.high)
    assert covered.min() >= stats.binom(60, 0.95).ppf(1e-6)


# Violations and refusals


class Changes(SamplingPrivacy):
    """An owner with face one takes it back in round two."""

    def symbols(self, item: int, coins: Any) -> list[int]:
        super().symbols(item, coins)
        return [1, 0]


class Leaves(SamplingPrivacy):
    """The first owner sends nothing in round two."""

    async def user(self, me: Party, item: Sealed) -> None:
        if me.name != "u1":
            await super().user(me, item)
            return
        first = self.answers(item, me)[0]
        await me.scatter(
            ROUND_ONE, me.all("aggregator"), self.sharing.share(first, self.aggregators, me.coins)
        )


class Blank(SamplingPrivacy):
    """The first owner's answer in round two counts for no symbol."""

    def answers(self, item: Sealed, user: Any) -> Any:
        said: Any = super().answers(item, user)
        return type(said).stack([said[0], said[1] - said[1]]) if user.name == "u1" else said


class Silent(SamplingPrivacy):
    """The first owner's answers count for no symbol, in any round."""

    def answers(self, item: Sealed, user: Any) -> Any:
        said = super().answers(item, user)
        return said - said if user.name == "u1" else said


@pytest.mark.parametrize("variant", ["kept", "fresh", "round-two"])
def test_an_owner_whose_answers_count_for_nothing_is_an_error(variant: Any) -> None:
    """The rounds agree with each other, and not with the number of owners."""
    with pytest.raises(ScriptError, match=r"reader .*1 answer came from 2 owners"):
        run(Silent(**TINY, variant=variant), [1, 2])


def test_users_may_be_an_integer_of_numpy() -> None:
    one, other = (SamplingPrivacy(users=number, items=2) for number in (np.int64(50), 50))
    assert type(one.field.modulus) is int
    assert about(one).workload == about(other).workload


def test_a_count_that_falls_is_a_violation() -> None:
    with pytest.raises(
        ScriptError, match=r"reader .*value 1 falls from 2 in round one to 0 in round two"
    ):
        run(Changes(**TINY), [1, 2])


def test_an_owner_who_misses_a_round_is_an_error() -> None:
    with pytest.raises(Stall, match="u1"):
        run(Leaves(**TINY), [1, 2])
    with pytest.raises(
        ScriptError, match=r"reader .*2 owners answered in round one and 1 owner in round two"
    ):
        run(Blank(**TINY), [1, 2])


@for_each(
    "change, what",
    [
        ({"users": 0}, "users is at least 1"),
        ({"items": 1}, "items is at least 2"),
        ({"aggregators": 0}, "aggregators is at least 1"),
        ({"variant": "both"}, "variant is kept or fresh or round"),
        ({"sampling": 1}, "strictly between 0 and 1"),
        ({"sampling": 0.5}, "background faces need the sum 0.5"),
        (
            {"items": 3},
            "need a die with 3 background faces, face 0 and one for each value: "
            "the number of faces given is 2",
        ),
        ({"sharing": "xor"}, "sharing is 'additive'"),
        ({"none": "yes"}, "none"),
        ({"faces": "0.3"}, "at least one value"),
    ],
)
def test_bad_parameters_are_refused(change: dict[str, Any], what: str) -> None:
    with pytest.raises((ValueError, TypeError), match=what):
        SamplingPrivacy(**{**TINY, **change})


@pytest.mark.parametrize("item", [0, 3])
def test_an_item_outside_the_domain_is_refused(item: int) -> None:
    with pytest.raises(ScriptError, match=r"an item is at (least 1|most 2), got"):
        run(SamplingPrivacy(**TINY), [1, item])


def test_faces_may_be_given_as_text() -> None:
    assert SamplingPrivacy(2, 2, 0.45, "0.3,0.25").mechanism == TwoRounds(
        0.45, (0.3, 0.25), none=True
    )
