"""What the values tell that honest parties disclose: by themselves, and together with the
shares.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from protocols.local_frequency.script import local_frequency
from protocols.mechanisms.reporting import epsilon_of_set
from protocols.tss.prime import TSSPrime
from protocols.tss.script import TSS
from simnet import Field, Party, Sealed, Tag, run
from simnet.adversary.door_laws.calling import NotEnumerable
from simnet.adversary.door_laws.disclosed import DisclosedDoors, Disclosures
from simnet.adversary.door_laws.door_law import DoorLaws
from tests.harness.door_laws import ReadRuns, play_with, read
from tests.harness.many_cases import for_each
from tests.harness.scripts import idle

F3, F5 = Field(3), Field(5)
NOTE = Tag("note")


def noisy(vote: int, coins: Any) -> int:
    """A vote of 1 or 2, told truthfully three times of four."""
    return vote if coins.bernoulli(Fraction(3, 4)) else 3 - vote


def disclosed_by(script: Callable[..., Any], items: int = 2, item: int = 1) -> Disclosures:
    """What a single party with an input discloses to somebody who is told nothing else."""
    return read(play_with([item], a=script, b=idle), {"b"}, items).disclosed()


def only(found: Disclosures) -> DisclosedDoors:
    (record,) = found.doors
    return record


# Laws that are known.


@pytest.mark.slow
@pytest.mark.parametrize("participation", [1, 0.5])
@pytest.mark.parametrize(("items", "k", "gamma"), [(5, 2, 2), (8, 3, 1.5), (12, 5, 2)])
@pytest.mark.parametrize("bound", [None, 1])
def test_reporting_sets_have_the_stated_epsilon(
    items: int, k: int, gamma: float, participation: float, bound: int | None
) -> None:
    parameters: dict[str, Any] = {
        "users": 3,
        "items": items,
        "reported": k,
        "gamma": gamma,
        "participation": participation,
    }
    protocol = TSS(**parameters) if bound is None else TSSPrime(**parameters, bound=bound)
    found = read(run(protocol, [1, 2, 2], seed=3), {"S1"}, items).disclosed()
    stated = epsilon_of_set(k, items, participation, gamma)[0]
    assert found.epsilon == pytest.approx(stated, rel=1e-14)  # another formula
    assert found.tier == "enumerated"
    assert only(found).calls == 3
    assert only(found).strong_epsilon == pytest.approx(math.log(gamma))


def test_uniform_reporting_sets_are_proved_independent() -> None:
    protocol = TSS(users=3, items=30, reported=12, participation=0.5)
    found = read(run(protocol, [1, 2, 2], seed=3), {"S1"}, 30).disclosed()
    assert (found.independent, found.epsilon, found.tier) == (True, 0, "proved")


def test_reporting_sets_that_are_too_many_are_not_judged() -> None:
    protocol = TSS(users=3, items=30, reported=12, participation=0.5, gamma=2.0)
    found = read(run(protocol, [1, 2, 2], seed=3), {"S1"}, 30).disclosed()
    assert (found.independent, found.epsilon, found.tier) == (False, None, "not judged")
    assert "arguments and coins takes too many calls" in found.argument


@for_each("epsilon", [0.5, 2.0])
@for_each("mechanism, items", [("grr", 2), ("grr", 5), ("warner", 2), ("oue", 4), ("sue", 3)])
def test_reports_have_the_epsilon_of_their_mechanism(
    mechanism: str, items: int, epsilon: float
) -> None:
    protocol = local_frequency(users=3, items=items, mechanism=mechanism, epsilon=epsilon)
    found = read(run(protocol, [1, 2, 1], seed=3), {"server"}, items).disclosed()
    assert found.epsilon == pytest.approx(protocol.mechanism.exact_epsilon, rel=1e-12)
    assert found.tier == "enumerated"


def test_a_noisy_vote_has_the_log_ratio_of_its_chances() -> None:
    async def a(me: Party, vote: Sealed) -> None:
        me.disclose(noisy, vote)

    found = disclosed_by(a)
    assert found.epsilon == math.log(3)
    assert not found.independent


def test_a_vote_that_is_told_has_no_finite_epsilon() -> None:
    async def a(me: Party, vote: Sealed) -> None:
        me.disclose(lambda vote: vote, vote)

    assert disclosed_by(a).epsilon == math.inf


def test_a_chain_of_noise_has_the_law_of_the_chain() -> None:
    async def a(me: Party, vote: Sealed) -> None:
        answer = me.secret(lambda v, c: [noisy(v, c)], vote, field=F3, shape=(1,))
        me.disclose(lambda answer, coins: noisy(int(answer[0]), coins), answer)

    # The vote comes out as it is with chance 9/16 + 1/16.
    found = disclosed_by(a)
    assert found.epsilon == pytest.approx(math.log(10 / 6))
    assert only(found).strong_epsilon == math.log(3)


def test_values_differ_if_their_types_do() -> None:
    async def a(me: Party, vote: Sealed) -> None:
        me.disclose(lambda vote: True if vote == 1 else 1, vote)

    assert disclosed_by(a).epsilon == math.inf


def test_a_value_that_is_the_same_for_all_inputs_is_independent() -> None:
    async def a(me: Party, vote: Sealed) -> None:
        me.disclose(lambda vote: vote in (1, 2), vote)

    found = disclosed_by(a)
    assert found.independent
    assert found.tier == "enumerated"


def test_nothing_disclosed_is_proved_independent() -> None:
    async def a(me: Party, vote: Sealed) -> None:
        me.secret(lambda vote: [vote], vote, field=F3, shape=(1,))

    found = disclosed_by(a)
    assert (found.independent, found.epsilon, found.tier) == (True, 0, "proved")


def test_losses_of_doors_that_share_an_input_add_up() -> None:
    async def a(me: Party, vote: Sealed) -> None:
        me.disclose(noisy, vote)
        me.disclose(noisy, vote)

    found = disclosed_by(a)
    assert found.epsilon == pytest.approx(2 * math.log(3))
    assert only(found).calls == 2


def test_every_party_has_a_loss_of_its_own() -> None:
    async def user(me: Party, vote: Sealed) -> None:
        me.disclose(noisy, vote)

    found = read(play_with([1, 2, 1], a=user, b=user, c=user, d=idle), {"d"}, 2).disclosed()
    assert found.epsilon == math.log(3)
    assert only(found).parties == ("a", "b", "c")


def test_functions_that_captured_other_values_are_other_functions() -> None:
    def chances(chance: Fraction) -> Callable[..., Any]:
        async def user(me: Party, vote: Sealed) -> None:
            me.disclose(lambda v, coins: v if coins.bernoulli(chance) else 3 - v, vote)

        return user

    a, b = chances(Fraction(3, 4)), chances(Fraction(7, 8))
    found = read(play_with([1, 1], a=a, b=b, c=idle), {"c"}, 2).disclosed()
    assert sorted(record.epsilon or 0 for record in found.doors) == [math.log(3), math.log(7)]
    assert found.epsilon == math.log(7)


# Values that say nothing each, and everything together.


def test_a_coin_and_a_secret_masked_by_it_are_judged_together() -> None:
    """E1: a secret coin is disclosed, and so is the sum of an input and it."""

    async def a(me: Party, item: Sealed) -> None:
        coin = me.secret(lambda c: c.integers(3, 1).plain, field=F3, shape=(1,))
        masked = me.secret(lambda x, n: x + n, item, coin, field=F3, shape=(1,))
        me.disclose(lambda n: int(n[0]), coin)
        me.disclose(lambda t: int(t[0]), masked)

    found = disclosed_by(a, items=3)
    assert found.epsilon == math.inf
    assert found.by_itself == math.inf


def test_each_half_of_it_is_independent_by_itself() -> None:
    async def first(me: Party, item: Sealed) -> None:
        coin = me.secret(lambda c: c.integers(3, 1).plain, field=F3, shape=(1,))
        me.secret(lambda x, n: x + n, item, coin, field=F3, shape=(1,))
        me.disclose(lambda n: int(n[0]), coin)

    async def second(me: Party, item: Sealed) -> None:
        coin = me.secret(lambda c: c.integers(3, 1).plain, field=F3, shape=(1,))
        masked = me.secret(lambda x, n: x + n, item, coin, field=F3, shape=(1,))
        me.disclose(lambda t: int(t[0]), masked)

    for script in (first, second):
        record = only(disclosed_by(script, items=3))
        assert record.epsilon == 0
        assert not record.independent


def test_a_disclosed_coin_and_an_output_that_it_masks_are_judged_together() -> None:
    """E2: the coalition is handed x + n, and n is disclosed."""

    async def a(me: Party, item: Sealed) -> None:
        coin = me.secret(lambda c: c.integers(3, 1).plain, field=F3, shape=(1,))
        me.secret(lambda x, n: x + n, item, coin, field=F3, shape=(1,))
        me.disclose(lambda n: int(n[0]), coin)

    runs = read(play_with([1], a=a, b=idle), {"b"}, 3)
    masked = runs.secret("a", 1).family
    assert masked is not None
    found = runs.disclosed([{masked}])
    assert (found.independent, found.epsilon, found.by_itself) == (False, math.inf, 0)
    assert runs.disclosed([]).epsilon == 0


def test_a_coin_of_one_party_tells_of_anothers_secret_that_it_masks() -> None:
    async def a(me: Party, item: Sealed) -> None:
        me.secret(lambda x: [x], item, field=F3, shape=(1,))

    async def b(me: Party) -> None:
        coin = me.secret(lambda c: c.integers(3, 1).plain, field=F3, shape=(1,))
        me.disclose(lambda n: int(n[0]), coin)

    runs = read(play_with([1], a=a, b=b, c=idle), {"c"}, 3)
    families = {runs.secret("a").family or 0, runs.secret("b").family or 0}
    assert runs.disclosed([families]).epsilon == math.inf
    assert runs.disclosed([{each} for each in families]).epsilon == 0


def test_a_mask_and_what_it_masks_are_judged_together() -> None:
    """E3: r and x + r are disclosed, and there are no messages at all."""

    async def a(me: Party, item: Sealed) -> None:
        mask = me.coins.field(F3, (1,))
        me.disclose(lambda r: int(r[0]), mask)
        me.disclose(lambda x, r: int(x + r[0]) % 3, item, mask)

    found = disclosed_by(a, items=3)
    assert found.epsilon == math.inf


def test_a_masked_input_alone_is_independent() -> None:
    async def a(me: Party, item: Sealed) -> None:
        mask = me.coins.field(F3, (1,))
        me.disclose(lambda x, r: int(x + r[0]) % 3, item, mask)

    found = disclosed_by(a, items=3)
    assert found.independent
    assert found.tier == "enumerated"


def test_a_masked_input_is_told_to_whoever_knows_the_mask() -> None:
    async def a(me: Party, item: Sealed) -> None:
        mask = me.coins.field(F3, (1,))
        await me.send(NOTE, "b", mask)
        me.disclose(lambda x, r: int(x + r[0]) % 3, item, mask)

    async def b(me: Party) -> None:
        await me.receive(NOTE, "a", shape=(1,))

    found = read(play_with([1], a=a, b=b), {"b"}, 3).disclosed()
    assert found.epsilon == math.inf


def test_masks_that_occur_in_messages_are_not_taken_for_uniform() -> None:
    """With r + w known, neither r nor w is known, but both together are not free."""

    async def a(me: Party, item: Sealed) -> None:
        r, w = me.coins.field(F3, (1,)), me.coins.field(F3, (1,))
        await me.send(NOTE, "b", r + w)
        me.disclose(lambda x, r: int(x + r[0]) % 3, item, r)
        me.disclose(lambda w: int(w[0]), w)

    async def b(me: Party) -> None:
        await me.receive(NOTE, "a", shape=(1,))

    found = read(play_with([1], a=a, b=b), {"b"}, 3).disclosed()
    assert (found.epsilon, found.tier) == (None, "not judged")


def test_masked_secrets_are_uniform_also_in_a_large_field() -> None:
    large = Field.above(1_000_000)

    async def a(me: Party, item: Sealed) -> None:
        mask = me.coins.field(large, (2,))
        mine = me.secret(lambda x: [x, 2 * x], item, field=large, shape=(2,))
        me.disclose(lambda d: d.tolist(), mine + mask)

    found = disclosed_by(a)
    assert (found.independent, found.tier) == (True, "proved")


def test_a_mask_that_is_used_twice_hides_nothing() -> None:
    async def a(me: Party, item: Sealed) -> None:
        mask = me.coins.field(F5, (1,))
        mine = me.secret(lambda x: [x], item, field=F5, shape=(1,))
        me.disclose(lambda d: d.tolist(), mine + mask)
        me.disclose(lambda d: d.tolist(), mine + mask + mask)

    async def again(me: Party, item: Sealed) -> None:
        mask = me.coins.field(F5, (1,))
        mine = me.secret(lambda x: [x], item, field=F5, shape=(1,))
        me.disclose(lambda d: d.tolist(), mine + mask)
        me.disclose(lambda d: d.tolist(), mask)

    assert disclosed_by(again, items=3).epsilon == math.inf
    assert disclosed_by(a, items=3).epsilon == math.inf


def test_numbers_that_the_coalition_knows_tell_it_nothing_new() -> None:
    async def a(me: Party, item: Sealed) -> None:
        mine = me.secret(lambda x: [x], item, field=F5, shape=(1,))
        await me.send(NOTE, "b", mine)
        me.disclose(lambda x: int(x[0]) > 1, mine)

    async def b(me: Party) -> None:
        await me.receive(NOTE, "a", shape=(1,))

    found = read(play_with([1], a=a, b=b), {"b"}, 3).disclosed()
    assert (found.independent, found.tier) == (True, "proved")
    outsider = read(play_with([1], a=a, b=b, c=idle), {"c"}, 3).disclosed()
    assert outsider.epsilon == math.inf


def test_coins_made_secret_and_shared_are_entangled_with_what_hides_behind_them() -> None:
    async def a(me: Party, item: Sealed) -> None:
        mask = me.coins.field(F5, (1,))
        me.secret(lambda x, r: x + r, item, mask, field=F5, shape=(1,))
        me.disclose(lambda r: int(r[0]), mask)

    runs = read(play_with([1], a=a, b=idle), {"b"}, 3)
    assert runs.disclosed().independent
    derived = runs.secret("a").family
    assert derived is not None
    found = runs.disclosed([{derived}])
    assert (found.independent, found.epsilon, found.tier) == (False, None, "not judged")


# Outputs.


def test_an_output_that_is_disclosed_carries_what_it_was_made_of() -> None:
    async def a(me: Party, item: Sealed) -> None:
        doubled = me.output(lambda x: 2 * x, item)
        me.disclose(lambda y: y - 1, doubled)

    assert disclosed_by(a).epsilon == math.inf


def test_what_stands_behind_an_output_hangs_together_with_other_doors() -> None:
    async def a(me: Party, item: Sealed) -> None:
        mask = me.coins.field(F3, (1,))
        opened = me.output(lambda r: int(r[0]), mask)
        me.disclose(lambda r: r, opened)
        me.disclose(lambda x, r: (x + r) % 3, item, opened)

    assert disclosed_by(a, items=3).epsilon == math.inf


# Bounds where the joint law is too large.


def test_many_values_of_one_secret_are_bounded_by_the_sum_of_their_losses() -> None:
    async def a(me: Party, vote: Sealed) -> None:
        answer = me.secret(lambda v: [v], vote, field=F3, shape=(1,))
        for _ in range(20):
            me.disclose(lambda answer, coins: noisy(int(answer[0]), coins), answer)

    found = disclosed_by(a)
    assert found.epsilon == pytest.approx(20 * math.log(3))
    assert found.tier == "bound"
    assert "a bound" in only(found).argument


def test_a_sum_over_many_is_bounded_by_the_noise_of_each() -> None:
    async def user(me: Party, vote: Sealed) -> None:
        answer = me.secret(lambda v, c: [noisy(v, c)], vote, field=Field.above(100), shape=(1,))
        await me.send(NOTE, "s", answer)

    def summing(users: list[str]) -> Callable[..., Any]:
        async def s(me: Party) -> None:
            answers = [await me.receive(NOTE, name, shape=(1,)) for name in users]
            total = answers[0]
            for answer in answers[1:]:
                total = total + answer
            me.disclose(lambda total: int(total[0]), total)

        return s

    names = [f"u{number}" for number in range(20)]
    scripts: dict[str, Any] = dict.fromkeys(names, user)
    done = play_with([1] * 20, **scripts, s=summing(names), z=idle)
    found = read(done, {"z"}, 2).disclosed()
    assert found.epsilon == pytest.approx(math.log(3))
    assert not found.independent


def test_a_sum_over_many_without_noise_is_not_judged() -> None:
    async def user(me: Party, vote: Sealed) -> None:
        answer = me.secret(lambda v: [v], vote, field=Field.above(100), shape=(1,))
        await me.send(NOTE, "s", answer)

    async def s(me: Party) -> None:
        names = [f"u{number}" for number in range(20)]
        answers = [await me.receive(NOTE, name, shape=(1,)) for name in names]
        total = answers[0]
        for answer in answers[1:]:
            total = total + answer
        me.disclose(lambda total: int(total[0]), total)

    scripts: dict[str, Any] = {f"u{number}": user for number in range(20)}
    done = play_with([1] * 20, **scripts, s=s, z=idle)
    found = read(done, {"z"}, 2).disclosed()
    assert (found.epsilon, found.tier) == (None, "not judged")


# What cannot be judged.


def test_coins_without_end_are_not_judged() -> None:
    async def a(me: Party, vote: Sealed) -> None:
        me.disclose(lambda v, coins: float(v + coins.normal(1)[0]), vote)

    found = disclosed_by(a)
    assert found.tier == "not judged"
    assert "normal reals" in found.argument


def test_a_rejection_loop_is_not_judged() -> None:
    def stubborn(vote: int, coins: Any) -> int:
        while coins.bernoulli(0.5):
            pass
        return vote

    async def a(me: Party, vote: Sealed) -> None:
        me.disclose(stubborn, vote)

    assert disclosed_by(a).tier == "not judged"


def test_inputs_without_a_domain_are_not_judged() -> None:
    async def a(me: Party, vote: Sealed) -> None:
        me.disclose(noisy, vote)

    class Boundless(ReadRuns):
        def domain(self, place: tuple[int, str]) -> range:
            raise NotEnumerable(f"nobody knows what {place[1]} may hold")

    runs = read(play_with([1], a=a, b=idle), {"b"}, 2)
    boundless = Boundless(graph=runs.graph, doors=runs.doors, runs=runs.runs, items=2)
    found = boundless.disclosed()
    assert found.tier == "not judged"
    assert "nobody knows" in found.argument


def test_functions_with_a_memory_are_not_judged() -> None:
    calls: list[int] = []

    def remembering(vote: int) -> int:
        calls.append(vote)
        return len(calls)

    async def a(me: Party, vote: Sealed) -> None:
        me.disclose(remembering, vote)

    assert "two different values" in disclosed_by(a).argument


def test_what_is_not_judged_does_not_hide_what_is() -> None:
    async def a(me: Party, vote: Sealed) -> None:
        me.disclose(noisy, vote)
        me.disclose(lambda v, coins: float(v + coins.normal(1)[0]), vote)

    found = disclosed_by(a)
    assert {record.tier for record in found.doors} == {"enumerated", "not judged"}
    assert found.epsilon is None


# Refusals.


def picky(item: int, coins: Any) -> int:
    if item > 2:
        raise ValueError("an item is 1 or 2")
    return noisy(item, coins)


def test_an_input_that_is_refused_is_left_out() -> None:
    async def a(me: Party, item: Sealed) -> None:
        me.disclose(picky, item)

    found = disclosed_by(a, items=3)
    assert found.epsilon == math.log(3)
    assert "always refused (1 of 3)" in found.argument


def test_a_refusal_that_coins_decide_is_told() -> None:
    def moody(item: int, coins: Any) -> int:
        if coins.bernoulli(Fraction(1, 2 * item)):
            raise ValueError("not today")
        return 0

    async def a(me: Party, item: Sealed) -> None:
        me.disclose(moody, item)

    # It goes on with chance 1/2 or 3/4, and refuses with 1/2 or 1/4.
    assert disclosed_by(a).epsilon == pytest.approx(math.log(2))


# Several runs.


async def noisy_script(me: Party, vote: Sealed) -> None:
    me.disclose(noisy, vote)


def test_losses_of_runs_with_other_seeds_add_up() -> None:
    runs = [play_with([1], seed=seed, a=noisy_script, b=idle) for seed in (1, 2, 3)]
    assert read(runs, {"b"}, 2, same_inputs=True).disclosed().epsilon == pytest.approx(
        3 * math.log(3)
    )


def test_a_run_that_is_given_twice_counts_once() -> None:
    done = play_with([1], seed=1, a=noisy_script, b=idle)
    found = read([done, done], {"b"}, 2, same_inputs=True).disclosed()
    assert found.epsilon == math.log(3)


def test_runs_that_share_their_coins_are_not_judged() -> None:
    runs = [play_with([vote], seed=1, a=noisy_script, b=idle) for vote in (1, 2)]
    found = read(runs, {"b"}, 2).disclosed()
    assert found.tier == "not judged"
    assert "the same seed" in found.argument


def test_a_secret_that_two_runs_share_makes_one_component() -> None:
    async def a(me: Party, item: Sealed) -> None:
        mine = me.secret(lambda x: [x], item, field=F5, shape=(1,))
        me.disclose(lambda y, coins: noisy(int(y[0]), coins), mine)

    runs = [play_with([1], seed=seed, a=a, b=idle) for seed in (1, 2)]
    found = read(runs, {"b"}, 2, same_inputs=True).disclosed()
    assert found.epsilon == pytest.approx(2 * math.log(3))
    assert only(found).calls == 2


# Budgets.


def test_a_budget_of_calls_is_kept() -> None:
    async def a(me: Party, vote: Sealed) -> None:
        me.disclose(lambda v, coins: int(coins.bernoullis(0.5, 8).sum()) + v, vote)

    runs = read(play_with([1], a=a, b=idle), {"b"}, 2)
    assert runs.disclosed(laws=DoorLaws(calls_of_one_door=500)).tier == "not judged"
    assert runs.disclosed(laws=DoorLaws(calls_of_one_door=5_000)).tier == "enumerated"


# What functions know besides their arguments.


def test_a_variable_of_a_loop_has_the_value_that_it_had() -> None:
    async def a(me: Party, item: Sealed) -> None:
        for factor in (1, 0):
            me.disclose(lambda item: item * factor, item)  # noqa: B023

    found = disclosed_by(a)
    assert sorted(record.epsilon or 0 for record in found.doors) == [0, math.inf]


def test_a_list_that_has_grown_since_is_noticed() -> None:
    async def a(me: Party, item: Sealed) -> None:
        ignored = [3]
        me.disclose(lambda item: 0 if item in ignored else item, item)
        ignored += [1, 2]

    assert "has changed" in disclosed_by(a).argument


def test_a_plain_argument_that_has_grown_since_is_noticed() -> None:
    async def a(me: Party, item: Sealed) -> None:
        ignored = [3]
        me.disclose(lambda item, ignored: 0 if item in ignored else item, item, ignored)
        ignored += [1, 2]

    assert "has changed" in disclosed_by(a).argument


LIMIT = 1


def test_a_global_name_that_has_changed_since_is_noticed() -> None:
    async def a(me: Party, item: Sealed) -> None:
        global LIMIT
        LIMIT = 1
        me.disclose(lambda item: item > LIMIT, item)
        LIMIT = 5

    assert "has changed" in disclosed_by(a).argument


def test_a_binary_search_tells_the_input() -> None:
    async def a(me: Party, item: Sealed) -> None:
        low, high = 1, 8
        while low < high:
            middle = (low + high) // 2
            if me.disclose(lambda item: item > middle, item):  # noqa: B023
                low = middle + 1
            else:
                high = middle

    assert disclosed_by(a, items=8).epsilon == math.inf
