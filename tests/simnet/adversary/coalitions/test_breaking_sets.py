"""The smallest sets of users who can read a part of another user's secret are compared with
verdicts and brute force.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import attrs
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from protocols.dpds.script import DPDS
from protocols.tss.prime import TSSPrime
from protocols.tss.script import TSS
from simnet import (
    BadInput,
    Field,
    FieldArray,
    Judge,
    Party,
    Run,
    Sealed,
    Seat,
    Tag,
    constant,
    every_coalition,
    index,
    run,
    seats,
)
from simnet.adversary.coalitions.breaking_sets import (
    BreakingSet,
    BreakingSets,
    smallest_breaking_sets,
)
from simnet.scenario.breaking import Sizes, smallest_sizes
from simnet.scenario.find import find
from simnet.scenario.scenario import Scenario
from simnet.scenario.verify import played
from simnet.testing import instances, seeds
from tests.harness.fuzz import cases
from tests.harness.mutants import (
    ElectsOneTooFew,
    LeavesOneOut,
    PublishesCounts,
    PublishesPartialSums,
)

F = Field(101)
PIECE, BACK = Tag("piece"), Tag("back")
ADDITIVE = "shares whose coins occur in at most two elements: sets of any size were searched"
Instance = tuple[Any, list[int]]

SIZES = {
    "users": st.integers(2, 6),
    "items": st.just(3),
    "participation": st.sampled_from([0.5, 1.0]),
}
STAGED = {"reported": st.integers(1, 3), "gamma": st.sampled_from([None, 2.0])}
ADDITIVE_INSTANCES = st.one_of(
    instances(DPDS, **SIZES),
    instances(TSS, **SIZES, **STAGED),
    instances(TSSPrime, **SIZES, **STAGED, bound=st.just(1)),
)
SHAMIR = st.sampled_from(["shamir:1", "shamir:2", "shamir:3", "shamir:4"])
SHAMIR_INSTANCES = st.one_of(
    instances(DPDS, **SIZES, sharing=SHAMIR),
    instances(TSS, **SIZES, **STAGED, sharing=SHAMIR),
    instances(TSSPrime, **SIZES, **STAGED, bound=st.just(1), sharing=SHAMIR),
)


class Oracle:
    """Finds by verdicts what sets of users can read of one user's secret."""

    def __init__(self, done: Run) -> None:
        self._judge = Judge([done], done.roster.names)
        self.users = [name for name in done.roster.names if name.startswith("u")]

    def read(self, corrupt: Sequence[str], user: str) -> dict[int, int]:
        """Return the values that attacks give, by item."""
        if not corrupt:
            return {}
        leaks = self._judge.verdict(list(corrupt)).leaks
        assert all(leak.value == leak.true for leak in leaks)
        return {
            one.exposes.item: one.value
            for one in leaks
            if one.exposes and one.exposes.party == user
        }

    def minimal(self, user: str) -> dict[tuple[str, ...], dict[int, int]]:
        """Return all minimal sets of other users that can read a part of the user's secret, by
        trying all sets.
        """
        others = [name for name in self.users if name != user]
        found: dict[tuple[str, ...], dict[int, int]] = {}
        for size in range(1, len(others) + 1):
            for chosen in combinations(others, size):
                if not any(set(one) < set(chosen) for one in found) and (
                    told := self.read(chosen, user)
                ):
                    found[chosen] = told
        return found


def search(
    protocol: Any, inputs: Sequence[int], user: str, seed: int = 0, max_size: int = 3
) -> BreakingSets:
    return smallest_breaking_sets(run(protocol, inputs, seed), user, max_size)


def searched(
    instance: Instance, seed: int, data: st.DataObject
) -> tuple[Oracle, str, BreakingSets]:
    """Search a run for the sets that break a user who is drawn. Return an oracle of the run, the
    user and the sets.
    """
    protocol, inputs = instance
    done = run(protocol, inputs, seed)
    oracle = Oracle(done)
    user = data.draw(st.sampled_from(oracle.users))
    return oracle, user, smallest_breaking_sets(done, user)


# Against verdicts.


@pytest.mark.slow
@cases(30)
@given(st.one_of(ADDITIVE_INSTANCES, SHAMIR_INSTANCES), seeds(), st.data())
def test_every_set_found_reads_what_is_listed_and_no_proper_subset_reads_anything(
    instance: Instance, seed: int, data: st.DataObject
) -> None:
    oracle, user, found = searched(instance, seed, data)
    event("some set breaks" if found.sets else "none breaks")
    for one in found.sets:
        assert user not in one.users
        told = oracle.read(one.users, user)
        assert one.values
        assert one.values.items() <= told.items()
        for left_out in one.users:  # a larger set reads all that a smaller one reads
            assert oracle.read([name for name in one.users if name != left_out], user) == {}


@pytest.mark.slow
@cases(30)
@given(ADDITIVE_INSTANCES, seeds(), st.data())
def test_with_additive_sharing_the_sets_are_all_there_are(
    instance: Instance, seed: int, data: st.DataObject
) -> None:
    oracle, user, found = searched(instance, seed, data)
    assert (found.complete, found.searched, found.note) == (True, None, ADDITIVE)
    assert {one.users: one.values for one in found.sets} == oracle.minimal(user)


@pytest.mark.slow
@cases(30)
@given(SHAMIR_INSTANCES, seeds(), st.data())
def test_with_shamirs_sharing_the_smallest_size_is_the_smallest_there_is(
    instance: Instance, seed: int, data: st.DataObject
) -> None:
    oracle, user, found = searched(instance, seed, data)
    assert found.complete
    assert found.smallest == min(map(len, oracle.minimal(user)), default=None)


@cases(15)
@given(st.one_of(ADDITIVE_INSTANCES, SHAMIR_INSTANCES), seeds())
def test_sets_come_smallest_first_and_once_each_with_users_in_their_order(
    instance: Instance, seed: int
) -> None:
    protocol, inputs = instance
    names = list(protocol.parties())
    found = search(protocol, inputs, "u1", seed)
    keys = [(len(one.users), one.users) for one in found.sets]
    assert keys == sorted(set(keys))
    for one in found.sets:
        assert list(one.users) == sorted(set(one.users), key=names.index)
        assert list(one.values) == sorted(one.values)
    assert not any(set(a.users) < set(b.users) for a in found.sets for b in found.sets)


@cases(15)
@given(st.one_of(ADDITIVE_INSTANCES, SHAMIR_INSTANCES), seeds())
def test_a_set_that_fixes_what_is_held_reads_the_one_at_the_item(
    instance: Instance, seed: int
) -> None:
    protocol, inputs = instance
    for one in search(protocol, inputs, "u1", seed).sets:
        assert one.identifies_input == (one.values.get(inputs[0]) == 1)
        assert all(value == 0 for item, value in one.values.items() if item != inputs[0])


# Properties that the protocols have and their mutants lack.


@pytest.mark.slow
@cases(25)
@given(st.integers(0, 4), st.sampled_from([None, 3.0]), seeds(), st.data())
def test_no_set_up_to_the_bound_breaks_anybody_in_tss_prime(
    bound: int, gamma: float | None, seed: int, data: st.DataObject
) -> None:
    protocol, inputs = data.draw(
        instances(
            TSSPrime,
            users=st.integers(bound + 1, 7).filter(lambda n: n > 1),
            items=st.integers(1, 4),
            participation=st.just(0.5),
            reported=st.just(1),
            gamma=st.just(gamma),
            bound=st.just(bound),
        )
    )
    for user in ("u1", "u2"):
        smallest = search(protocol, inputs, user, seed).smallest
        event("nobody breaks" if smallest is None else "some do")
        assert smallest is None or smallest > bound


@pytest.mark.slow
def test_a_set_of_one_more_than_the_bound_breaks_somebody_in_tss_prime() -> None:
    protocol = TSSPrime(users=7, items=3, participation=0.5, reported=1, bound=2)
    sizes = {
        search(protocol, [1, 2, 3, 1, 2, 3, 1], user, seed).smallest
        for user in ("u1", "u2")
        for seed in range(8)
    }
    assert 3 in sizes
    assert not sizes & {1, 2}


@pytest.mark.slow
def test_electing_one_too_few_lets_as_many_as_the_bound_break_somebody() -> None:
    protocol = ElectsOneTooFew(users=7, items=3, participation=0.5, reported=1, bound=2)
    sizes = {
        search(protocol, [1, 2, 3, 1, 2, 3, 1], user, seed).smallest
        for user in ("u1", "u2")
        for seed in range(8)
    }
    assert 2 in sizes


@cases(15)
@given(instances(DPDS, **SIZES), seeds())
def test_no_set_breaks_anybody_in_dpds(instance: Instance, seed: int) -> None:
    protocol, inputs = instance
    for user in ("u1", f"u{protocol.users}"):
        assert search(protocol, inputs, user, seed) == BreakingSets(
            user, (), True, None, ADDITIVE, "coalitions with parties of another role (server)"
        )


@cases(15)
@given(st.integers(3, 6), seeds())
def test_leaving_the_last_user_out_lets_all_others_break_it_and_nobody_else(
    users: int, seed: int
) -> None:
    done = run(LeavesOneOut(users, 2, 1.0), [1] * users, seed)
    others = tuple(f"u{number}" for number in range(1, users))
    assert smallest_breaking_sets(done, f"u{users}").sets == (
        BreakingSet(others, {1: 1, 2: 0}, True),
    )
    assert smallest_breaking_sets(done, "u1").sets == ()


@pytest.mark.parametrize("threshold", [1, 2, 3, 4])
def test_as_many_users_as_the_threshold_break_everybody_in_dpds(threshold: int) -> None:
    done = run(DPDS(5, 2, 1.0, f"shamir:{threshold}"), [2, 1, 2, 1, 2], 0)
    for user in ("u1", "u3", "u5"):
        assert smallest_breaking_sets(done, user, max_size=1).smallest == threshold
    assert (
        smallest_breaking_sets(run(DPDS(4, 2, 1.0, "shamir:4"), [1, 1, 1, 1], 0), "u2").sets == ()
    )


def test_a_zero_alone_does_not_fix_what_a_user_of_three_items_holds_and_a_one_does() -> None:
    protocol, inputs = TSS(5, 3, 1.0, 1, gamma=5.0), [1, 2, 3, 1, 2]
    found = [one for seed in range(8) for one in search(protocol, inputs, "u1", seed).sets]
    assert {one.identifies_input for one in found if set(one.values.values()) == {0}} == {False}
    assert {one.identifies_input for one in found if 1 in one.values.values()} == {True}


# Scripts of other kinds.


@attrs.frozen
class Talk:
    """Four users with two secret numbers each; subclasses define what the users send to each
    other.
    """

    items: int = 5

    def parties(self) -> dict[str, Seat]:
        return {**seats("u", self.user, 4), "server": Seat(self.server)}  # type: ignore[attr-defined]

    def declared(self, me: Party, item: Sealed) -> FieldArray:
        return me.secret(lambda item: [item, item + 3], item, field=F, shape=(2,))

    async def server(self, me: Party) -> None:
        """Nothing to do."""


class ManyMessages(Talk):
    """u1 sends its coins to three users, and its number masked by these coins to the fourth."""

    async def user(self, me: Party, item: Sealed) -> None:
        held = self.declared(me, item)
        if me.name == "u1":
            coins = me.coins.field(F, (2,))
            for name, payload in {"u2": coins, "u3": coins, "u4": coins + held}.items():
                await me.send(PIECE, name, payload)
        else:
            await me.receive(PIECE, "u1", shape=(2,))


class AllOfThree(Talk):
    """u1 shares its number among three users, but one coin occurs in all three shares."""

    async def user(self, me: Party, item: Sealed) -> None:
        held = self.declared(me, item)
        if me.name == "u1":
            one, other = me.coins.field(F, (2,)), me.coins.field(F, (2,))
            for name, payload in {
                "u2": one + other,
                "u3": one,
                "u4": held + one + other + other,
            }.items():
                await me.send(PIECE, name, payload)
        else:
            await me.receive(PIECE, "u1", shape=(2,))


class Relays(Talk):
    """u1 sends u2 a number masked by a coin; u2 forwards it to u3, and u4 gets the coin."""

    async def user(self, me: Party, item: Sealed) -> None:
        held = self.declared(me, item)
        if me.name == "u1":
            coins = me.coins.field(F, (2,))
            await me.send(PIECE, "u2", held + coins)
            await me.send(PIECE, "u4", coins)
        elif me.name == "u2":
            await me.send(BACK, "u3", await me.receive(PIECE, "u1", shape=(2,)))
        else:
            await me.receive(*((BACK, "u2") if me.name == "u3" else (PIECE, "u1")), shape=(2,))


class SumAndDifference(Talk):
    """u1 tells u2 the sum of its numbers, and u3 their difference."""

    async def user(self, me: Party, item: Sealed) -> None:
        held = self.declared(me, item)
        if me.name == "u1":
            await me.send(PIECE, "u2", held[0:1] + held[1:2])
            await me.send(PIECE, "u3", held[0:1] - held[1:2])
        elif me.name != "u4":
            await me.receive(PIECE, "u1", shape=(1,))


class SpreadOverTwo(Talk):
    """u1 shares its numbers a and b in two ways: a + b + c, c and a + c with a coin c; and a - b +
    d, d and a + d with a coin d. `u2` and `u3` receive the first two shares of both, and `third`
    receives the third shares.
    """

    third = "u4"

    async def user(self, me: Party, item: Sealed) -> None:
        held = self.declared(me, item)
        a, b = held[0:1], held[1:2]
        if me.name == "u1":
            for sign in (1, -1):
                coin = me.coins.field(F, (1,))
                await me.send(PIECE, "u2", a + b * sign + coin)
                await me.send(PIECE, "u3", coin)
                await me.send(PIECE, self.third, a + coin)
        if me.name in ("u2", "u3", self.third):
            for _ in range(2):
                await me.receive(PIECE, "u1", shape=(1,))


class SpreadAndKept(SpreadOverTwo):
    """The third shares stay with u1."""

    third = "u1"


class PublicNumber(Talk):
    """u1 adds a public number to a share."""

    async def user(self, me: Party, item: Sealed) -> None:
        held = self.declared(me, item)
        if me.name == "u1":
            coins = me.coins.field(F, (2,))
            await me.send(PIECE, "u2", held + coins + constant(F, [5, 7]))
            await me.send(PIECE, "u3", coins)
        elif me.name != "u4":
            await me.receive(PIECE, "u1", shape=(2,))


class Multiplies(Talk):
    """u1 multiplies a number by a coin that u2 receives, too."""

    async def user(self, me: Party, item: Sealed) -> None:
        held = self.declared(me, item)
        if me.name == "u1":
            coins = me.coins.field(F, (2,))
            await me.send(PIECE, "u2", held * coins)
            await me.send(BACK, "u2", coins)
        elif me.name == "u2":
            await me.receive(PIECE, "u1", shape=(2,))
            await me.receive(BACK, "u1", shape=(2,))


class Boxed(Talk):
    """u1 sends its number to u3 in a box, whose key u2 receives."""

    async def user(self, me: Party, item: Sealed) -> None:
        held = self.declared(me, item)
        if me.name == "u1":
            key = me.coins.field(Field(2**31 - 1), (4,))
            await me.send(PIECE, "u2", key)
            await me.send(BACK, "u3", me.encrypt(key, held))
        elif me.name != "u4":
            await me.receive(PIECE if me.name == "u2" else BACK, "u1")


class ToldByADoor(Talk):
    """u1 masks a number for u2 by a coin that u3 discloses."""

    async def user(self, me: Party, item: Sealed) -> None:
        held = self.declared(me, item)
        if me.name == "u1":
            coins = me.coins.field(F, (1,))
            await me.send(PIECE, "u2", held[0:1] + coins)
            await me.send(PIECE, "u3", coins)
        elif me.name == "u3":
            told = me.disclose(lambda x: int(x[0]), await me.receive(PIECE, "u1", shape=(1,)))
            await me.send(BACK, "u2", index(told, 101))
        elif me.name == "u2":
            await me.receive(PIECE, "u1", shape=(1,))
            await me.receive(BACK, "u3")


@attrs.frozen
class TooHighThreshold(DPDS):
    """States that more shares are needed than is true."""

    def enough_shares(self, shares: int) -> int:
        return shares


class MaskedByAnother(Talk):
    """u2 sends its number to u3, masked by coins that u1 gave to u2."""

    async def user(self, me: Party, item: Sealed) -> None:
        held = self.declared(me, item)
        if me.name == "u1":
            await me.send(PIECE, "u2", me.coins.field(F, (2,)))
        elif me.name == "u2":
            await me.send(BACK, "u3", held + await me.receive(PIECE, "u1", shape=(2,)))
        elif me.name == "u3":
            await me.receive(BACK, "u2", shape=(2,))


HELD = [5, 4, 3, 2]
WHOLE = {1: 5, 2: 8}


def test_coins_in_many_messages_are_searched_by_size_and_the_note_says_so() -> None:
    found = search(ManyMessages(), HELD, "u1")
    assert found.sets[0] == BreakingSet(("u2", "u4"), WHOLE, True)
    assert "shares whose coins occur in more than two elements" in found.note


class OneSecret:
    """Only u1 declares a secret, and sends it to u2."""

    def parties(self) -> dict[str, Seat]:
        return seats("u", self.user, 3)

    async def user(self, me: Party, item: Any) -> None:
        if me.name == "u1":
            mine = me.secret(lambda x: [x], item, field=F, shape=(1,))
            await me.send(PIECE, "u2", mine)
        elif me.name == "u2":
            await me.receive(PIECE, "u1", shape=(1,))


def test_a_recipient_that_declares_no_secret_may_break_a_user() -> None:
    found = search(OneSecret(), [5, 0, 0], "u1")
    assert found.sets == (BreakingSet(("u2",), {1: 5}, True),)


class TwoSecrets:
    """u1 declares two secrets and sends both to u2, who sends its own secret to u1, who sends it on
    to u3.
    """

    def parties(self) -> dict[str, Seat]:
        return seats("u", self.user, 3)

    async def user(self, me: Party, item: Any) -> None:
        if me.name == "u1":
            for more in (0, 7):
                held = me.secret(lambda x, more=more: [x + more], item, field=F, shape=(1,))
                await me.send(PIECE, "u2", held)
            await me.send(PIECE, "u3", await me.receive(BACK, "u2", shape=(1,)))
        elif me.name == "u2":
            await me.send(BACK, "u1", me.secret(lambda x: [x], item, field=F, shape=(1,)))
            for _ in range(2):
                await me.receive(PIECE, "u1", shape=(1,))
        else:
            await me.receive(PIECE, "u1", shape=(1,))


def test_the_items_of_two_secrets_differ_and_a_secret_passed_on_is_not_the_senders() -> None:
    found = search(TwoSecrets(), [5, 6, 0], "u1")
    assert found.sets == (BreakingSet(("u2",), {1: 5, 2: 12}, True),)
    assert not found.complete
    assert search(TwoSecrets(), [5, 6, 0], "u2").sets == (BreakingSet(("u1",), {1: 6}, True),)


def test_sets_larger_than_those_tried_are_said_to_be_untried() -> None:
    found = search(ManyMessages(), HELD, "u1", max_size=1)
    assert (found.sets, found.smallest, found.complete, found.searched) == ((), None, False, 1)
    assert found.note == (
        "shares whose coins occur in more than two elements: sets of up to 1 user were tried"
    )
    assert search(AllOfThree(), HELD, "u1", max_size=2).complete is False
    assert search(AllOfThree(), HELD, "u1").sets == (BreakingSet(("u2", "u3", "u4"), WHOLE, True),)


def test_what_others_pass_on_makes_a_search_incomplete_and_the_note_says_so() -> None:
    found = search(Relays(), HELD, "u1")
    assert found.sets == (BreakingSet(("u2", "u4"), WHOLE, True),)
    assert (found.complete, found.searched) == (False, 3)
    assert "other parties forward values" in found.note
    oracle = Oracle(run(Relays(), HELD, 0))
    assert set(oracle.minimal("u1")) == {
        ("u2", "u4"),
        ("u3", "u4"),
    }  # the second is what the note warns of


def minimal_by_every_coalition(protocol: Any, user: str) -> set[tuple[str, ...]]:
    """The minimal sets of users that expose a user, by a verdict on every coalition."""
    exposing = every_coalition(run(protocol, HELD, 0)).of(user).exposing
    return {coalition for coalition in exposing if "server" not in coalition}


@pytest.mark.parametrize(
    "protocol", [SumAndDifference(), SpreadOverTwo(), SpreadAndKept(), PublicNumber()], ids=str
)
def test_a_set_that_reads_a_function_of_several_elements_or_groups_breaks(protocol: Any) -> None:
    found = search(protocol, HELD, "u1")
    assert found.complete
    assert {one.users for one in found.sets} == minimal_by_every_coalition(protocol, "u1") != set()


def test_a_sum_of_two_elements_breaks_although_no_element_is_known() -> None:
    found = search(SumAndDifference(), HELD, "u1")
    assert found.sets == (BreakingSet(("u2",), {}), BreakingSet(("u3",), {}))
    assert search(SpreadAndKept(), HELD, "u1").sets == (BreakingSet(("u2", "u3"), WHOLE, True),)


@pytest.mark.parametrize("protocol", [Multiplies(), Boxed(), ToldByADoor()], ids=str)
def test_a_run_that_is_more_than_linear_forms_is_not_searched_completely(protocol: Any) -> None:
    found = search(protocol, HELD, "u1")
    assert not found.complete
    assert found.overlooked


def test_a_threshold_that_is_too_high_is_not_believed() -> None:
    protocol = TooHighThreshold(4, 2, 1.0, "shamir:2")
    assert search(protocol, [1, 2, 1, 2], "u1").smallest == 2


class OfTwoSchemes:
    """u1 shares one number additively among five users, and another so that any four of them can
    read it. The protocol states no threshold.
    """

    users = 6

    def parties(self) -> dict[str, Seat]:
        return seats("u", self.user, self.users)

    async def user(self, me: Party, item: Sealed) -> None:
        held = me.secret(lambda item: [item, item + 3], item, field=F, shape=(2,))
        others = me.names("user")[1:]
        if me.name == "u1":
            coins = me.coins.field(F, (4,))
            summands = [*(coins[k : k + 1] for k in range(4)), held[0:1] - coins.sum()[None]]
            drawn = me.coins.field(F, (3,))
            powers = [drawn[k : k + 1] for k in range(3)]
            for point, (name, summand) in enumerate(zip(others, summands, strict=True), 1):
                await me.send(PIECE, name, summand)
                value = held[1:2]
                for power, coin in enumerate(powers, 1):
                    value = value + coin * pow(point, power, 101)
                await me.send(BACK, name, value)
        else:
            await me.receive(PIECE, "u1", shape=(1,))
            await me.receive(BACK, "u1", shape=(1,))


@attrs.frozen
class UnlikeShares:
    """u1 shares a number among five users with two coins. The first three of them can read it, and
    the first two cannot; but the last two can. The protocol states that three are enough.
    """

    def parties(self) -> dict[str, Seat]:
        return seats("u", self.user, 6)

    def enough_shares(self, shares: int) -> int:
        return 3

    async def user(self, me: Party, item: Sealed) -> None:
        held = me.secret(lambda item: [item], item, field=F, shape=(1,))
        if me.name == "u1":
            drawn = me.coins.field(F, (2,))
            first, second = drawn[0:1], drawn[1:2]
            shares = [
                held + first + second,
                held + first * 2 + second * 4,
                held + first * 3 + second * 9,
                held + first * 4 + second * 16,
                first * 4 + second * 16,
            ]
            for name, share in zip(me.names("user")[1:], shares, strict=True):
                await me.send(PIECE, name, share)
        else:
            await me.receive(PIECE, "u1", shape=(1,))


def test_a_threshold_is_not_believed_of_recipients_who_are_not_alike() -> None:
    found = search(UnlikeShares(), [5] * 6, "u1")
    assert found.sets[0] == BreakingSet(("u5", "u6"), {1: 5}, True)


def test_a_large_set_that_was_found_is_not_called_the_smallest_if_smaller_were_not_tried() -> None:
    scenario = Scenario(summary="own", protocol=OfTwoSchemes, items=9)
    sizes = smallest_sizes(scenario, [0], max_size=3)
    assert (sizes.smallest, sizes.safe, sizes.is_least) == (5, 3, False)
    sizes = smallest_sizes(scenario, [0], max_size=4)
    assert (sizes.smallest, sizes.safe, sizes.is_least) == (4, 3, True)


@pytest.mark.parametrize(
    ("name", "words"),
    [("server", "declared no secret"), *((one, "no party") for one in ("u9", "", "u1, u2"))],
)
def test_only_who_declares_a_secret_can_be_searched(name: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        search(DPDS(3, 2, 0.5), [1, 2, 2], name)


# A search that claims to be complete has every size: what is not so yet.

BLIND = [
    pytest.param(MaskedByAnother(), HELD, "u2", id="masks that another user made, and knows"),
    pytest.param(
        PublishesCounts(3, 2, 1.0), [1, 2, 2], "u1", id="what a server sends to users, additive"
    ),
    pytest.param(
        PublishesPartialSums(4, 2, 1.0, "shamir:4"),
        [1, 2, 2, 1],
        "u1",
        id="what a server sends, Shamir",
    ),
]


@pytest.mark.parametrize(("protocol", "inputs", "user"), BLIND)
def test_a_complete_search_misses_no_size(protocol: Any, inputs: list[int], user: str) -> None:
    found = search(protocol, inputs, user)
    sizes = [len(one) for one in Oracle(run(protocol, inputs, 0)).minimal(user)]
    assert sizes
    assert not found.complete or found.smallest == min(sizes)


def test_a_complete_search_lists_all_minimal_sets_where_not_all_of_a_size_break() -> None:
    found = search(ManyMessages(), HELD, "u1")
    wanted = Oracle(run(ManyMessages(), HELD, 0)).minimal("u1")
    assert set(wanted) == {("u2", "u4"), ("u3", "u4")}
    assert not found.complete or {one.users for one in found.sets} == set(wanted)


def test_all_that_a_set_reads_is_listed_with_shamirs_sharing_in_tss() -> None:
    done = run(TSS(5, 3, 1.0, 2, sharing="shamir:2"), [1, 2, 3, 1, 2], 1)
    (found,) = [one for one in smallest_breaking_sets(done, "u2").sets if one.users == ("u3", "u4")]
    assert Oracle(done).read(["u3", "u4"], "u2") == {1: 0, 2: 1}
    assert (found.values, found.identifies_input) == ({1: 0, 2: 1}, True)


def test_all_zeros_but_one_fix_what_a_user_holds_who_always_takes_part() -> None:
    assert TSS(5, 2, 1.0, 1).identifies_input({1: 0})


# Over users and runs.


def sizes_of(name: str, runs: int, max_size: int = 3, **more: Any) -> tuple[Any, Sizes]:
    scenario = find(name)[1].with_settings({key: str(value) for key, value in more.items()})
    return scenario, smallest_sizes(scenario, range(runs), max_size)


CASES = [
    ("tss", {"users": 6, "items": 3, "reported": 1}),
    ("tss", {"users": 6, "items": 4, "gamma": 2}),
    ("tss_prime", {"users": 6, "items": 3, "bound": 2}),
    ("dpds_shamir", {"users": 5, "items": 2}),
    ("dpds", {"users": 4, "items": 2}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "more"), CASES, ids=str)
def test_the_distribution_is_that_of_the_runs(name: str, more: dict[str, Any]) -> None:
    scenario, sizes = sizes_of(name, 4, **more)
    runs = []
    for seed in range(4):
        done = played(scenario, seed)
        runs.append(tuple(smallest_breaking_sets(done, user).smallest for user in done.inputs))
    assert sizes.runs == tuple(runs)
    assert sizes.complete
    known = [[size for size in of if size is not None] for of in runs]
    flat = [size for of in known for size in of]
    assert [row["size"] for row in sizes.rows()] == sorted(set(flat))
    for row in sizes.rows():
        assert row["users"] == pytest.approx(
            sum(size <= row["size"] for size in flat) / (4 * len(runs[0]))
        )
        share = sum(min(of, default=99) <= row["size"] for of in known) / 4
        assert row["runs"] == share
        low, high = row["interval"]
        assert 0 <= low <= share <= high <= 1
    assert sizes.safe == (min(flat) - 1 if flat else None)


RUNS = st.integers(1, 5).flatmap(
    lambda users: st.lists(
        st.tuples(*[st.one_of(st.none(), st.integers(1, 8))] * users), min_size=1, max_size=12
    )
)


@given(RUNS)
def test_rows_rise_with_the_size_and_nobody_up_to_the_safe_size_breaks_anybody(
    runs: list[tuple[int | None, ...]],
) -> None:
    sizes = Sizes(tuple(runs), True, "")
    rows = sizes.rows()
    for key in ("users", "runs"):
        assert [row[key] for row in rows] == sorted(row[key] for row in rows)
    assert all(row["users"] <= row["runs"] for row in rows)
    assert len({row["size"] for row in rows}) == len(rows)
    for row in rows:
        assert row["runs"] * len(runs) == pytest.approx(
            sum(any(size is not None and size <= row["size"] for size in one) for one in runs)
        )
    flat = [size for one in runs for size in one if size is not None]
    if sizes.safe is None:
        assert flat == []
        assert rows == []
    else:
        assert sizes.safe + 1 in flat
        assert all(size > sizes.safe for size in flat)
        assert rows[0]["size"] == sizes.safe + 1


@pytest.mark.slow
def test_the_bound_of_tss_prime_is_safe_and_that_of_dpds_is_everybody() -> None:
    assert (sizes_of("tss_prime", 6, users=6, items=3, bound=2)[1].safe or 0) >= 2
    assert sizes_of("dpds", 2, users=4, items=2)[1].safe is None
    assert sizes_of("dpds_shamir", 2, users=6, items=2, sharing="shamir:4")[1].safe == 3
    assert sizes_of("tss", 5, users=8, items=4)[1].safe == 0


def test_progress_is_told_of_every_run() -> None:
    told: list[int] = []
    scenario = find("tss")[1].with_settings({"users": "4", "items": "2"})
    smallest_sizes(scenario, [3, 1, 4], progress=told.append)
    assert told == [1, 1, 1]


def test_json_holds_the_table_and_what_it_says() -> None:
    _, sizes = sizes_of("tss", 3, users=6, items=3)
    told = sizes.as_json()
    assert told["rows"] == sizes.rows()
    assert (told["runs"], told["confidence"], told["safe"]) == (3, 0.95, sizes.safe)
    assert (told["complete"], told["note"]) == (True, ADDITIVE)
