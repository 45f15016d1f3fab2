"""`simnet.testing`: strategies that generate what they say, and assertions that pass and fail as
they should.
"""

import functools
import random
from collections.abc import Callable, Mapping
from typing import Any

import attrs
import pytest
from hypothesis import find as found_by
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException, InvalidArgument

from simnet import (
    BadInput,
    Fate,
    Field,
    FieldArray,
    Holder,
    Party,
    Sealed,
    Seat,
    Shuffled,
    SimnetError,
    Tag,
    Verdict,
    bits,
    run,
    seats,
)
from simnet import verdict as judge
from simnet.adversary import verdict as verdicts
from simnet.adversary.attack import replay_attack
from simnet.coins.coins import Coins
from simnet.kernel.fates import Send
from simnet.record.fate import MessageFate
from simnet.testing import (
    assert_leaks,
    assert_learns,
    assert_learns_nothing,
    assert_learns_only_output,
    coalitions,
    fates,
    inputs,
    instances,
    message_fates,
    schedules,
    seeds,
)
from tests.harness.adding import Telling, added, as_elements, as_index
from tests.harness.many_cases import for_each
from tests.harness.marks import long_but

F = Field.above(1000)
HIDDEN, BARE, MASK = Tag("hidden"), Tag("bare"), Tag("mask")


@attrs.frozen
class Tell:
    """All users but the last hide their secrets from the server; the last user shows both elements
    of its secret.

    The first user gives its mask to the second. In the ideal world, only the sum of the first
    elements is handed out. An honest referee has no input.
    """

    users: int
    items: int = 9

    def parties(self) -> Mapping[str, Seat]:
        return {
            **seats("u", self.user, self.users),
            "server": Seat(self.server),
            "referee": Seat(self.referee),
        }

    def answer(self, item: Sealed, user: Holder) -> FieldArray:
        return user.secret(lambda item: [item, 2 * item], item, field=F, shape=(2,))

    async def user(self, me: Party, item: Sealed) -> None:
        mine = self.answer(item, me)
        if me.index == self.users:
            await me.send(BARE, to="server", payload=mine)
            return
        mask = me.coins.field(F, (2,))
        await me.send(HIDDEN, to="server", payload=mine + mask)
        if me.index == 1 and self.users > 2:
            await me.send(MASK, to="u2", payload=mask)
        if me.index == 2:
            await me.receive(MASK, "u1")

    async def server(self, me: Party) -> None:
        users = me.names("user")
        for name in users[:-1]:
            await me.receive(HIDDEN, name)
        await me.receive(BARE, users[-1])

    async def referee(self, me: Party) -> None:
        pass


@attrs.frozen
class Sum(Tell):
    """The last user's value is handed to the server in the ideal world too."""

    def functionality(self, items: list[Sealed], users: list[Holder]) -> Mapping[str, FieldArray]:
        answers = [self.answer(item, user) for item, user in zip(items, users, strict=True)]
        return {"server": answers[-1]}


@attrs.frozen
class Unsure(Tell):
    """Users hide their secrets, and disclose whether their masks are large."""

    async def user(self, me: Party, item: Sealed) -> None:
        mask = me.coins.field(F, (2,))
        await me.send(HIDDEN, to="server", payload=self.answer(item, me) + mask)
        large = me.disclose(lambda numbers: numbers > 500, mask)
        await me.send(BARE, to="server", payload=bits(large))

    async def server(self, me: Party) -> None:
        for name in me.names("user"):
            await me.receive(HIDDEN, name)
            await me.receive(BARE, name)


@attrs.frozen
class Vote(Tell):
    """Users hide their secrets, and disclose whether the secret is odd; a coin may change the
    answer.
    """

    flips: float = 0.25  # the chance that a user does not tell the truth

    async def user(self, me: Party, item: Sealed) -> None:
        await me.send(HIDDEN, to="server", payload=self.answer(item, me) + me.coins.field(F, (2,)))
        await me.send(BARE, to="server", payload=bits([me.disclose(self.odd, item)]))

    def odd(self, item: int, coins: Coins) -> int:
        return (item + coins.bernoulli(self.flips)) % 2

    async def server(self, me: Party) -> None:
        for name in me.names("user"):
            await me.receive(HIDDEN, name)
            await me.receive(BARE, name)


@attrs.frozen
class SumAndVote(Vote):
    """The ideal world hands all answers to the server, and all users send their answers in the
    clear.
    """

    async def user(self, me: Party, item: Sealed) -> None:
        await me.send(HIDDEN, to="server", payload=self.answer(item, me))
        await me.send(BARE, to="server", payload=bits([me.disclose(self.odd, item)]))

    def functionality(self, items: list[Sealed], users: list[Holder]) -> Mapping[str, Any]:
        return {"server": [self.answer(item, one) for item, one in zip(items, users, strict=True)]}


HELD = [4, 7, 2]
TELLING = run(Tell(3), HELD, seed=6)
SUMMING = run(Sum(3), HELD, seed=6)


# Strategies


@given(seeds())
def test_seeds_are_seeds_of_runs(seed: int) -> None:
    assert isinstance(seed, int)
    assert 0 <= seed < 2**32
    assert run(Tell(2), [1, 1], seed).seed == seed


@given(schedules(), st.integers(1, 9))
def test_schedules_choose_among_those_who_are_ready(schedule: Any, ready: int) -> None:
    names = [f"u{user}" for user in range(ready)]
    assert 0 <= schedule.party(names) < ready
    assert 0 <= schedule.message("note", names) < ready


@given(schedules(), seeds())
def test_no_schedule_changes_a_run(schedule: Any, seed: int) -> None:
    protocol = Tell(4)
    plain = run(protocol, [1, 2, 3, 4], seed, observe=protocol.parties())
    other = run(protocol, [1, 2, 3, 4], seed, observe=protocol.parties(), schedule=schedule)
    assert plain.trace_hash == other.trace_hash


def test_schedules_are_not_all_alike() -> None:
    def first(schedule: Any) -> list[int]:
        return [schedule.party(["a", "b", "c"]) for _ in range(8)]

    usual = first(Shuffled(0))
    assert first(found_by(schedules(), lambda schedule: first(schedule) != usual)) != usual


@given(st.integers(2, 6), st.integers(1, 5), st.data())
def test_inputs_are_items_of_those_who_take_one(
    users: int, items: int, data: st.DataObject
) -> None:
    drawn = data.draw(inputs(Tell(users, items)))
    assert len(drawn) == users  # and none for server or referee
    assert all(isinstance(item, int) and 1 <= item <= items for item in drawn)


def test_a_protocol_without_items_has_no_inputs_to_draw() -> None:
    class Bare:
        def parties(self) -> Mapping[str, Seat]:
            return seats("u", self.user, 2)

        async def user(self, me: Party, value: Sealed) -> None:
            del me, value

    with pytest.raises(BadInput, match=r"^Bare has no `items`.*st.lists"):
        inputs(Bare())


@pytest.mark.parametrize("item", [1, 5])
def test_every_item_is_among_the_inputs(item: int) -> None:
    assert found_by(inputs(Tell(2, 5)), lambda drawn: drawn == [item, 6 - item]) == [item, 6 - item]


@attrs.frozen
class ByScript:
    """Roles that are not known before the protocol is made."""

    items: int = 3

    def parties(self) -> Mapping[str, Seat]:
        async def asks(me: Party, item: Sealed) -> None:
            pass

        async def does_not(me: Party) -> None:
            pass

        return {"a": Seat(asks), "b": Seat(asks), "c": Seat(does_not, role="does not")}


@attrs.frozen
class InACrowd:
    """Three users, played together."""

    items: int = 3

    def parties(self) -> Mapping[str, Seat]:
        async def asks(me: Party, items: Sealed) -> None:
            pass

        return {"users": Seat(asks, members=3)}


@given(inputs(InACrowd()))
def test_each_member_of_a_crowd_has_an_input(drawn: list[int]) -> None:
    assert len(drawn) == 3
    assert len(run(InACrowd(), drawn).inputs["users"]) == 3


@given(inputs(ByScript()))
def test_inputs_fit_a_protocol_of_scripts(drawn: list[int]) -> None:
    assert len(drawn) == 2
    assert set(run(ByScript(), drawn).inputs) == {"a", "b"}


@given(instances(Tell, users=st.integers(2, 5), items=st.integers(1, 4)), seeds())
def test_instances_are_protocols_with_inputs_that_fit(
    instance: tuple[Any, list[int]], seed: int
) -> None:
    protocol, drawn = instance
    assert isinstance(protocol, Tell)
    assert 2 <= protocol.users <= 5
    assert 1 <= protocol.items <= 4
    assert len(drawn) == protocol.users
    assert all(1 <= item <= protocol.items for item in drawn)
    assert list(run(protocol, drawn, seed).inputs.values()) == drawn


@given(instances(Tell, users=st.just(3)))
def test_parameters_that_are_not_drawn_have_their_defaults(instance: tuple[Any, list[int]]) -> None:
    assert instance[0] == Tell(3, 9)


@pytest.mark.long
def test_instances_reach_the_ends_of_their_ranges() -> None:
    ranges = instances(Tell, users=st.integers(2, 5), items=st.integers(1, 4))
    for users, items in ((2, 1), (5, 4), (2, 4)):
        protocol, _ = found_by(
            ranges,
            lambda one, wanted=(users, items): (one[0].users, one[0].items) == wanted,  # type: ignore[misc]
        )
        assert (protocol.users, protocol.items) == (users, items)


@pytest.mark.slow
def test_a_parameter_may_be_called_protocol() -> None:
    @attrs.frozen
    class Around(Tell):
        protocol: str = ""

    around, _ = found_by(
        instances(Around, users=st.just(2), protocol=st.just("inner")), lambda _: True
    )
    assert around.protocol == "inner"


@given(st.integers(2, 6), st.data())
def test_a_collusion_set_is_some_parties_each_once(users: int, data: st.DataObject) -> None:
    protocol = Tell(users)
    drawn = data.draw(coalitions(protocol))
    assert 1 <= len(drawn) == len(set(drawn)) <= users + 2
    assert set(drawn) <= set(protocol.parties())


@given(st.integers(2, 6), st.data())
def test_a_collusion_set_of_a_role_spares_as_many_as_asked(users: int, data: st.DataObject) -> None:
    spare = data.draw(st.integers(0, users - 1))
    drawn = data.draw(coalitions(Tell(users), role="user", spare=spare))
    assert 1 <= len(drawn) == len(set(drawn)) <= users - spare
    assert set(drawn) <= {f"u{user}" for user in range(1, users + 1)}


@given(st.integers(2, 6), st.data())
def test_a_collusion_set_is_no_larger_than_asked(users: int, data: st.DataObject) -> None:
    largest, spare = data.draw(st.integers(1, 9)), data.draw(st.integers(0, 1))
    drawn = data.draw(coalitions(Tell(users), role="user", spare=spare, largest=largest))
    assert 1 <= len(drawn) <= min(largest, users - spare)


@pytest.mark.parametrize(
    ("options", "parties", "sizes"),
    [
        ({}, ["u1", "u2", "u3", "referee", "server"], [1, 5]),
        ({"role": "user"}, ["u1", "u2", "u3"], [1, 3]),
        ({"role": "server"}, ["server"], [1]),
        ({"role": "user", "spare": 1}, ["u1", "u2", "u3"], [1, 2]),
        ({"largest": 2}, ["u1", "server"], [1, 2]),
        ({"role": "user", "spare": 1, "largest": 9}, ["u3"], [1, 2]),
    ],
)
def test_every_party_and_every_size_can_be_drawn(
    options: Any, parties: list[str], sizes: list[int]
) -> None:
    strategy = coalitions(Tell(3), **options)
    for party in parties:
        assert party in found_by(strategy, lambda drawn, wanted=party: wanted in drawn)  # type: ignore[misc]
    for size in sizes:
        assert len(found_by(strategy, lambda drawn, wanted=size: len(drawn) == wanted)) == size  # type: ignore[misc]


@pytest.mark.parametrize(
    "options",
    [
        {"role": "user", "spare": 3},
        {"largest": 0},
        {"role": "server", "spare": 1},
    ],
)
def test_where_there_is_no_set_none_is_drawn(options: Any) -> None:
    with pytest.raises(InvalidArgument):
        found_by(coalitions(Tell(3), **options), lambda _: True)
    assert issubclass(InvalidArgument, HypothesisException)


# Assertions


def test_assert_learns_nothing_passes_where_nothing_is_learned() -> None:
    for corrupt in (
        "u1",
        "u2",
        ["u1", "u2"],
        "all users but one",
        "referee",
        "network",
        "everyone",
    ):
        assert assert_learns_nothing(TELLING, corrupt).finding == "nothing"


def test_assert_learns_only_output_passes_where_the_output_is_learned() -> None:
    for corrupt in ("server", ["u1", "server"], ["server", "referee"], "server, network"):
        assert assert_learns_only_output(SUMMING, corrupt).finding == "output-only"


def test_assert_learns_passes_where_secrets_are_learned() -> None:
    for party, item in ((None, None), ("u3", None), ("u3", 1), ("u3", 2), (None, 2)):
        assert assert_learns(TELLING, "server", party, item).finding == "leaks"
    found = assert_learns(TELLING, ["u2", "server"], party="u1", item=2)
    assert found.attack("u1", 2) == 2 * HELD[0]


def test_assert_learns_passes_where_the_output_itself_exposes() -> None:
    assert assert_learns(SUMMING, "server", "u3").finding == "output-only"


MESSAGES = [  # assertion, run, set, what the message begins with, what else it holds
    (
        assert_learns_nothing,
        TELLING,
        "server",
        "expected to learn nothing: {server} learns u3's secret in this run (seed 6)",
        ["u3[1] = 2", "u3[2] = 4"],
    ),
    (
        assert_learns_nothing,
        SUMMING,
        "server",
        "expected to learn nothing: {server} learns only the output; the output "
        "itself reveals u3's secret in this run (seed 6)",
        ["u3[1] = 2"],
    ),
    (
        assert_learns_only_output,
        TELLING,
        ["server", "u1"],
        "expected to learn only the output: {u1, server} learns u3",
        ["seed 6", "u3[1] = 2"],
    ),
    (
        assert_learns_only_output,
        SUMMING,
        "u1, u2",
        "expected to learn only the output: {u1, u2} learns nothing in this run (seed 6)",
        [],
    ),
    (
        assert_learns,
        TELLING,
        "u1",
        "expected to learn a secret: {u1} learns nothing in this run (seed 6)",
        [],
    ),
    (assert_learns, TELLING, "network", "expected to learn a secret: {network} learns nothing", []),
]


@pytest.mark.parametrize(("assertion", "done", "corrupt", "begins", "holds"), MESSAGES)
def test_a_failed_assertion_says_what_is_learned_instead(
    assertion: Callable[..., Any], done: Any, corrupt: Any, begins: str, holds: list[str]
) -> None:
    with pytest.raises(AssertionError) as failed:
        assertion(done, corrupt)
    message = str(failed.value)
    assert message.startswith(begins)
    assert all(part in message for part in holds)
    assert "\n" not in message
    assert len(message) < 300


@pytest.mark.parametrize(("party", "item"), [("u1", None), ("u2", 1), ("u3", 3), (None, 3)])
def test_another_secret_than_the_one_asked_for_does_not_count(
    party: str | None, item: int | None
) -> None:
    with pytest.raises(
        AssertionError, match=f"expected to learn a secret{f' of {party}' if party else ''}.*: .*u3"
    ):
        assert_learns(TELLING, "server", party, item)


def test_a_failed_assertion_names_the_item_that_was_asked_for() -> None:
    with pytest.raises(AssertionError) as failed:
        assert_learns(TELLING, "server", "u3", 3)
    expected, _, _ = str(failed.value).partition(": ")
    assert "item 3" in expected or "u3[3]" in expected


ASSERTIONS: list[Callable[..., Verdict]] = [
    assert_learns_nothing,
    assert_learns_only_output,
    assert_learns,
    functools.partial(assert_learns_nothing, from_shares=True),
    functools.partial(assert_learns_only_output, from_shares=True),
]


def test_an_undecided_verdict_passes_for_nothing_else() -> None:
    done = run(Unsure(3), HELD, seed=1)
    for assertion in ASSERTIONS:
        with pytest.raises(
            AssertionError,
            match=r"\{server\} learns at least nothing and at most more than the output.* in this "
            r"run \(seed 1\); .*the upper bound assumes",
        ):
            assertion(done, "server")


def test_assertions_are_about_the_whole_view_or_about_shares_alone() -> None:
    done = run(Vote(3), HELD, seed=1)
    assert assert_learns_nothing(done, "server", from_shares=True).finding == "nothing"
    with pytest.raises(
        AssertionError,
        match=r"expected to learn nothing: \{server\} learns nothing from secret shares; "
        r"disclosed values: ε ≤ 1.099 in this run",
    ):
        assert_learns_nothing(done, "server")
    # A vote that depends only on a fair coin is disclosed, and tells nothing.
    assert_learns_nothing(run(Vote(3, flips=0.5), HELD, seed=1), "server")


def test_an_output_that_shares_tell_may_come_with_more() -> None:
    done = run(SumAndVote(3), HELD, seed=1)
    found = assert_learns_only_output(done, "server", from_shares=True)
    assert (found.finding, len(found.leaks)) == ("output-only", 6)
    with pytest.raises(
        AssertionError, match=r"expected to learn only the output: .*; disclosed values"
    ):
        assert_learns_only_output(done, "server")
    assert_learns_only_output(run(SumAndVote(3, flips=0.5), HELD, seed=1), "server")


def test_an_attack_that_gives_another_value_than_the_secret_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = replay_attack

    def wrong(*arguments: Any) -> Any:
        values, own = right(*arguments)
        return values + 1, own

    monkeypatch.setattr(verdicts, "replay_attack", wrong)
    with pytest.raises(
        AssertionError, match=r"the attack gives 3 where the secret is 2: \{server\} learns u3"
    ):
        assert_learns(TELLING, "server", "u3", 1)


def test_runs_may_be_judged_together() -> None:
    runs = [run(Tell(3), HELD, seed) for seed in (1, 2)]
    assert assert_learns(runs, "server", "u3").seeds == (1, 2)
    assert assert_learns_nothing(runs, "u1").seeds == (1, 2)
    with pytest.raises(AssertionError, match=r"seeds 1, 2"):
        assert_learns_nothing(runs, "server")


@for_each("assertion", [assert_learns_nothing, assert_learns_only_output, assert_learns])
@for_each("corrupt", ["", [], "u9", "all readers"])
def test_a_set_of_nobody_is_no_assertion(assertion: Callable[..., Any], corrupt: Any) -> None:
    with pytest.raises(BadInput, match="coalition"):
        assertion(TELLING, corrupt)


@pytest.mark.parametrize(
    "assertion", [assert_learns_nothing, assert_learns_only_output, assert_learns]
)
def test_where_nothing_is_declared_nothing_passes(assertion: Callable[..., Any]) -> None:
    with pytest.raises(SimnetError, match="no honest party declared a secret"):
        assertion(run(ByScript(), [1, 2]), "c")


@pytest.mark.slow
@given(instances(Tell, users=st.integers(3, 5), items=st.integers(1, 9)), seeds(), st.data())
def test_assertions_agree_with_the_verdict(
    instance: tuple[Any, list[int]], seed: int, data: st.DataObject
) -> None:
    protocol, drawn = instance
    done = run(protocol, drawn, seed)
    corrupt = data.draw(coalitions(protocol))
    found = judge(done, corrupt)
    for assertion, passes in (
        (assert_learns_nothing, found.finding == "nothing"),
        (assert_learns_only_output, found.finding == "output-only"),
        (assert_learns, bool(found.leaks)),
        (assert_leaks, found.finding == "leaks"),
    ):
        if passes:
            assert assertion(done, corrupt).finding == found.finding
        else:
            with pytest.raises(AssertionError, match="expected to learn"):
                assertion(done, corrupt)
    shown = "server" in corrupt and f"u{protocol.users}" not in corrupt
    opened = {"server", "u2"} <= set(corrupt) and "u1" not in corrupt
    assert found.finding == ("leaks" if shown or opened else "nothing")


# Assertions on sums.


def test_assertions_hold_where_the_claim_is_true_and_return_the_verdict() -> None:
    assert assert_learns_nothing(added(3), "all users but one").finding == "nothing"
    assert assert_learns_only_output(added(3), "server").finding == "output-only"
    found = assert_learns(added(3), "server, all users but one", "u3", 1)
    assert found.attack("u3", 1) == 3
    assert assert_learns(added(3), "server, all users but one").finding == "output-only"


Claim = tuple[Callable[..., Verdict], Telling | None, tuple[Any, ...], str]

FALSE: list[Claim] = [
    (
        assert_learns_nothing,
        None,
        ("server",),
        r"expected to learn nothing: \{server\} learns only the output.*= 6",
    ),
    (
        assert_learns_nothing,
        as_index,
        ("u1",),
        r"expected to learn nothing: \{u1\} learns nothing from secret shares; "
        "disclosed values: not judged",
    ),
    (
        assert_learns_only_output,
        None,
        ("u1",),
        r"expected to learn only the output: \{u1\} learns nothing",
    ),
    (
        assert_learns_only_output,
        as_elements,
        ("u1",),
        r"only the output: \{u1\} learns u2\[1\] \+ u3\[1\] = 5",
    ),
    (assert_learns, None, ("u1",), r"expected to learn a secret: \{u1\} learns nothing"),
    (
        assert_learns,
        None,
        ("server", "u2"),
        r"expected to learn a secret of u2: \{server\} learns only the output",
    ),
    (
        assert_learns,
        None,
        ("server, u1, u2", "u2"),
        r"expected to learn a secret of u2: .* reveals u3's secret",
    ),
    (assert_learns, None, ("server, u1, u2", "u3", 2), r"expected to learn a secret of u3"),
]


@pytest.mark.parametrize(("claim", "told", "said", "message"), FALSE)
def test_assertions_fail_in_words_where_the_claim_is_false(
    claim: Callable[..., Verdict], told: Any, said: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(AssertionError, match=message):
        claim(added(3, told), *said)


def test_a_sum_of_two_secrets_is_a_leak_and_no_secret() -> None:
    done = added(3, as_elements)
    assert assert_leaks(done, "u1").finding == "leaks"
    with pytest.raises(AssertionError, match="expected to learn a secret") as failed:
        assert_learns(done, "u1")
    assert str(failed.value).count("u2[1] + u3[1] = 5") == 1  # said once
    with pytest.raises(AssertionError, match="to learn more than the output"):
        assert_leaks(added(3), "server")


def test_assertions_refuse_a_set_that_names_nobody() -> None:
    with pytest.raises(BadInput):
        assert_learns_nothing(added(3), "u7")


SENT = {
    name: (Send("share", 1, ("u1", "u2", "u3", "u4")), Send("sum", 1, ("server",)))
    for name in ("u1", "u2", "u3", "u4")
}


@pytest.mark.slow
@pytest.mark.parametrize("seed", long_but([0, 1], 1))
def test_fates_shrink_to_the_one_fate_that_matters(seed: int) -> None:
    dice = random.Random(seed)
    least = found_by(fates(SENT), lambda drawn: "u4" in drawn, random=dice)
    assert least == {"u4": Fate("share")}
    cut = found_by(
        fates(SENT),
        lambda drawn: any(
            isinstance(fate.reached, tuple) and "u3" in fate.reached for fate in drawn.values()
        ),
        random=dice,
    )
    assert cut == {"u1": Fate("share", reached=("u3",))}
    lost = found_by(
        message_fates(SENT), lambda drawn: any(one.sender == "u3" for one in drawn), random=dice
    )
    assert lost == [MessageFate("u3", "u1", "share")]


@given(st.data(), st.integers(0, 4), st.integers(0, 4))
def test_fates_are_as_many_as_asked_for(data: st.DataObject, least: int, most: int) -> None:
    drawn = data.draw(fates(SENT, most=most, least=least))
    assert min(least, most) <= len(drawn) <= most


@pytest.mark.parametrize("strategy", [fates, message_fates])
def test_fates_of_a_protocol_are_refused_with_the_remedy(strategy: Callable[..., Any]) -> None:
    with pytest.raises(TypeError, match=r"type Tell: give simnet\.sends\(protocol, items\)"):
        strategy(Tell(3))
