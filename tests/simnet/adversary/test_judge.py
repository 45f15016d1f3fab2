"""Verdicts on small scripts with disclosures, constants, several runs and several fields."""

import itertools
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simnet.kernel.summing
from simnet import (
    BadInput,
    Field,
    Judge,
    Party,
    Run,
    Sealed,
    Seat,
    SimnetError,
    Summed,
    Tag,
    Verdict,
    bits,
    certificate_of,
    certificate_text,
    constant,
    index,
    run,
    seats,
    verdict,
)
from simnet.adversary.check import BadCertificate, check
from simnet.adversary.verdict import uncovered_in_words
from simnet.adversary.words import (
    function_in_words,
    verdict_in_words,
)
from simnet.record.trace import NoCanonicalForm
from simnet.testing import (
    assert_learns,
    assert_learns_nothing,
    assert_learns_only_output,
    coalitions,
)
from tests.harness.adding import (
    PARTIAL,
    PUBLISHED,
    Adding,
    added,
    as_bits,
    as_elements,
    as_index,
    as_reals,
    beside_elements,
    hears,
    secrets_of,
)
from tests.harness.door_laws import play_with
from tests.harness.fuzz import cases
from tests.harness.scripts import (
    NOTE,
    SHARE,
    F,
    Scripts,
    as_it_is,
    disclosed,
    elements,
    idle,
    play,
    protected,
)

G = Field.above(1000)
MASK = Tag("mask")


# What is opened and disclosed.


class Bounded(Adding):
    """A protocol that states its possible inputs, so that the laws of its doors can be found."""

    items = 3


def told_in_a_domain(told: Callable[[Any, Party], Any] | None) -> Run:
    return run(Bounded(3, told), [1, 2, 3])


def first_bit(total: Any, me: Party) -> Any:
    """Return the first bit of the sum; nothing else about the sum is disclosed."""
    return bits(me.disclose(lambda numbers: numbers[:1] % 2, total))


@pytest.mark.slow
@pytest.mark.parametrize("told", [as_index, as_reals, as_bits, first_bit, beside_elements])
@pytest.mark.parametrize("corrupt", ["u1", "all users but one", "u2, network"])
def test_shares_tell_nothing_beside_numbers_that_were_disclosed(
    told: Callable[[Any, Party], Any], corrupt: str
) -> None:
    for done in (added(3, told), told_in_a_domain(told)):
        found = assert_learns_nothing(done, corrupt, from_shares=True)
        assert (found.tier, found.functions, found.notes) == ("proved", (), ())
        assert check(certificate_text(certificate_of(found))).statement == "nothing"
        with pytest.raises(AssertionError, match="learns nothing from secret shares; "):
            assert_learns_nothing(done, corrupt)


def test_what_is_disclosed_is_judged_where_the_inputs_are_known() -> None:
    unknown = verdict(added(3, as_index), "u1").discrete
    assert unknown.disclosure is None
    assert "items" in unknown.reason
    (doors,) = unknown.disclosed
    assert (doors.parties, doors.tier) == (("server",), "not judged")
    known = verdict(told_in_a_domain(as_index), "u1").discrete.disclosure
    assert known is not None
    assert (known.independent, known.epsilon, known.by_itself) == (False, math.inf, None)


@pytest.mark.parametrize("corrupt", ["server", "server, u1", "server, all users but one"])
def test_a_disclosure_tells_nothing_to_those_who_made_it(corrupt: str) -> None:
    found = assert_learns_only_output(added(3, as_index), corrupt)
    assert found.tier == "proved"
    assert not found.notes
    assert not found.discrete.disclosed


@pytest.mark.parametrize("corrupt", ["network", "everyone", "all users"])
def test_shares_tell_nothing_to_those_who_get_none_or_hold_all(corrupt: str) -> None:
    assert verdict(added(3, as_index), corrupt).finding == "nothing"


def test_the_form_itself_decides_the_verdict() -> None:
    found = verdict(added(3, as_elements), "u1")
    assert found.finding == "leaks"
    assert [function_in_words(one) for one in found.functions] == ["u2[1] + u3[1] = 5"]


def test_the_form_beside_its_number_decides_the_verdict() -> None:
    found = verdict(added(3, lambda total, me: (as_index(total, me), total)), "u1")
    assert (found.finding, found.notes) == ("leaks", ())


def test_opened_numbers_that_are_sent_as_field_elements_are_disclosed_ones() -> None:
    def constants(total: Any, me: Party) -> Any:
        return constant(F, disclosed(me, total))

    found = assert_learns_nothing(added(3, constants), "u1", from_shares=True)
    assert [doors.parties for doors in found.discrete.disclosed] == [("server",)]


class Early(Adding):
    """The server sends a number before it has the sum, and discloses nothing."""

    async def server(self, me: Party) -> Any:
        await me.publish(PUBLISHED, to=me.all("user"), payload=index([7], 10))
        return (await me.gather_sum(PARTIAL, senders=me.all("user"))).open()


@pytest.mark.slow
def test_an_opening_that_is_only_returned_discloses_nothing() -> None:
    done = run(Early(3, as_index), [1, 2, 3])
    assert done.outputs["server"].tolist() == [6]
    assert_learns_nothing(done, "u1")


def masks_that_are_opened(told: Callable[[Any], Any], sends_mask: bool = False) -> Run:
    """`a` sends `b` its input x + r, and discloses something of w + r.

    It may also send `b` the mask w.
    """

    async def a(me: Party, held: Sealed) -> None:
        mask, other = me.coins.field(F, (1,)), me.coins.field(F, (1,))
        await me.send(NOTE, "b", protected(me, held) + mask)
        me.disclose(told, other + mask)
        if sends_mask:
            await me.send(MASK, "b", other)

    async def b(me: Party) -> None:
        await me.receive(NOTE, "a")
        if sends_mask:
            await me.receive(MASK, "a")

    return play_with([5], a=a, b=b)


def is_large(numbers: Any) -> bool:
    return bool(numbers[0] > 50)


def test_a_disclosed_row_that_a_coin_hides_leaves_nothing_open() -> None:
    found = verdict(masks_that_are_opened(is_large), "b")
    assert (found.at_least, found.at_most, found.notes) == ("nothing", "nothing", ())


def test_a_disclosed_row_whose_coins_are_in_messages_gives_two_ends() -> None:
    found = verdict(masks_that_are_opened(is_large, sends_mask=True), "b")
    assert (found.finding, found.at_least, found.at_most) == ("undecided", "nothing", "leaks")
    assert (found.tier, found.functions) == ("bound", ())
    assert found.as_json()["shares"]["tier"] == "bound"
    assert any("the upper bound assumes" in note for note in found.notes)
    assert "at least nothing and at most more than the output" in verdict_in_words(found)
    with pytest.raises(SimnetError, match="undecided"):
        certificate_of(found)


class Ranged(Scripts):
    """Scripts whose inputs lie in 1..9, as the protocol states."""

    items = 9


def passed_on(told: Callable[[Any], Any]) -> Run:
    """`a` sends `b` a secret, which `b` opens; what it discloses of it goes to `c` by `d`."""

    async def a(me: Party, held: Sealed) -> None:
        await me.send(NOTE, "b", protected(me, held))

    async def b(me: Party) -> None:
        opened = me.disclose(told, await me.receive(NOTE, "a"))
        await me.send(NOTE, "d", index(opened, F.modulus))

    async def d(me: Party) -> None:
        await me.send(NOTE, "c", await me.receive(NOTE, "b"))

    async def c(me: Party) -> None:
        await me.receive(NOTE, "d")

    return run(Ranged(a=a, b=b, c=c, d=d), [5])


def test_what_was_opened_may_come_by_another_party() -> None:
    done = passed_on(as_it_is)
    found = assert_learns_nothing(done, "c", from_shares=True).discrete.disclosure
    assert found is not None
    assert found.epsilon == math.inf
    assert_learns(done, "b", "a")
    assert_learns_nothing(passed_on(lambda numbers: 0 * numbers), "c")


class Keyed(Adding):
    """The server chooses a key by what it has disclosed."""

    async def user(self, me: Party, held: Sealed) -> None:
        await super().user(me, held)
        if me.index == 1:
            await me.gather_sum(Summed("keyed"), key=6, count=1)

    async def server(self, me: Party) -> None:
        total = await me.gather_sum(PARTIAL, senders=me.all("user"))
        rows, to = me.coins.field(F, (1, 1)), [me.group("u1")]
        key = disclosed(me, total)
        await me.scatter(Summed("keyed"), to=to, rows=rows, keys=index(key, F.modulus))


def test_a_key_that_was_disclosed_is_listed_beside_what_shares_tell() -> None:
    found = assert_learns_nothing(run(Keyed(3), [1, 2, 3]), "u1", from_shares=True)
    assert [(seen["what"], seen["carries"]) for seen in found.discrete.sees] == [("keyed", "key")]
    assert found.discrete.disclosure is None


# Numbers that scripts make themselves.


def with_a_constant(hidden: bool, tells_mask: bool = False) -> Run:
    """`a` sends `b` its input with a constant added, and a mask if it is hidden.

    `c` may get the mask.
    """

    async def a(me: Party, held: Sealed) -> None:
        form = protected(me, held) * 3 + elements(9)
        mask = me.coins.field(F, (1,))
        await me.send(NOTE, "b", form + mask if hidden else form)
        if tells_mask:
            await me.send(NOTE, "c", mask)

    return play_with([5], a=a, b=hears, c=hears if tells_mask else idle)


def test_a_constant_in_a_masked_message_does_not_matter() -> None:
    assert_learns_nothing(with_a_constant(hidden=True), "b")
    assert_learns_nothing(with_a_constant(hidden=True, tells_mask=True), "b")
    assert_learns_nothing(with_a_constant(hidden=True, tells_mask=True), "c")


@pytest.mark.slow
def test_constants_and_factors_are_public() -> None:
    for done, corrupt in (
        (with_a_constant(hidden=False), "b"),
        (with_a_constant(hidden=True, tells_mask=True), "b, c"),
    ):
        found = verdict(done, corrupt)
        assert (found.finding, found.tier, found.notes) == ("leaks", "proved", ())
        assert found.attack("a", 1) == 5
        assert check(certificate_text(certificate_of(found))).statement == "leaks"


def test_no_certificate_proves_nothing_where_the_verdict_is_another() -> None:
    found = verdict(with_a_constant(hidden=False), "b")
    with pytest.raises(BadCertificate):
        check(certificate_text({**certificate_of(found), "statement": "nothing"}))


def returned(corrupt: str) -> Verdict:
    """`b` gives `a` a constant, which comes back with a secret on it."""

    async def a(me: Party, held: Sealed) -> None:
        await me.send(NOTE, "c", await me.receive(NOTE, "b") + protected(me, held))

    async def b(me: Party) -> None:
        await me.send(NOTE, "a", elements(9))

    async def c(me: Party) -> None:
        await me.receive(NOTE, "a")

    return verdict(play_with([5], a=a, b=b, c=c), corrupt)


def test_a_constant_that_comes_from_another_party_is_public_too() -> None:
    assert returned("b").finding == "nothing"
    for corrupt in ("c", "b, c"):
        found = returned(corrupt)
        assert (found.finding, found.attack("a", 1)) == ("leaks", 5)


@pytest.mark.parametrize("corrupt", ["b", "b, network"])
def test_what_is_disclosed_of_an_input_is_no_secret_but_is_seen(corrupt: str) -> None:
    async def a(me: Party, held: Sealed) -> None:
        protected(me, held)
        await me.send(NOTE, "b", elements(disclosed(me, held)))

    done = run(Ranged(a=a, b=hears), [5])
    found = assert_learns_nothing(done, corrupt, from_shares=True).discrete.disclosure
    assert found is not None
    assert (found.independent, found.epsilon) == (False, math.inf)
    with pytest.raises(AssertionError, match="disclosed values: no finite ε"):
        assert_learns_nothing(done, corrupt)


# What there is to judge.


async def tells(me: Party) -> None:
    await me.send(NOTE, "b", elements(1))


@pytest.mark.parametrize("corrupt", ["b", "network", "everyone"])
def test_a_run_without_secrets_is_refused(corrupt: str) -> None:
    with pytest.raises(SimnetError, match=r"no honest party declared a secret.*me\.secret"):
        verdict(play(a=tells, b=hears), corrupt)


class CountsElements:
    """A user sends the number of elements of its set."""

    def parties(self) -> Mapping[str, Seat]:
        return {**seats("u", self.user, 1), "server": Seat(self.server)}

    async def user(self, me: Party, held: Sealed) -> None:
        count = me.secret(lambda elements_: [len(elements_)], held, field=F, shape=(1,))
        await me.send(NOTE, "server", count)

    async def server(self, me: Party) -> None:
        await me.gather(NOTE, me.all("user"))


def test_inputs_without_a_canonical_form_are_named() -> None:
    done = run(CountsElements(), [{1, 2}], seed=1)
    with pytest.raises(NoCanonicalForm, match="the inputs of a run contain a set, which has no"):
        verdict(done, "server")


class Partly:
    """Only the first user declares its input as a secret; the other users disclose theirs."""

    def parties(self) -> Mapping[str, Seat]:
        return {**seats("u", self.user, 3), "server": Seat(self.server)}

    async def user(self, me: Party, held: Sealed) -> None:
        first = me.index == 1
        value = protected(me, held) if first else elements(disclosed(me, held))
        await me.send(NOTE, "server", value)

    async def server(self, me: Party) -> None:
        await me.gather(NOTE, me.all("user"))


def test_an_honest_input_without_a_secret_is_named_in_a_note() -> None:
    done = run(Partly(), [1, 2, 3])
    found = assert_learns(done, "server", "u1")
    assert [note for note in found.notes if note.startswith("u2 and 1 more party have inputs but")]
    assert not assert_learns(done, "server, u2, u3", "u1").notes
    assert uncovered_in_words(["u2", "u3"]) == [
        "u2 and 1 more party have inputs but declared no secret: what the verdict says about "
        "secret shares does not cover these inputs"
    ]
    with pytest.raises(SimnetError, match="no honest party declared a secret"):
        verdict(done, "server, u1")


def test_nothing_is_left_to_learn_when_all_who_declare_are_corrupt() -> None:
    done = added(3)
    assert verdict(done, "all users").notes == (
        "every party that has a secret is in the coalition: nothing is left to learn",
    )
    assert verdict(done, "everyone").notes == (
        "every party is in the coalition: nothing is left to learn",
    )
    assert verdict(done, "all users but one").notes == ()


class OnlyIdeally(Adding):
    """The script forgets to declare what the functionality declares."""

    async def user(self, me: Party, held: Sealed) -> None:
        await me.send(PARTIAL, "server", elements(disclosed(me, held)))

    async def server(self, me: Party) -> None:
        await me.gather_sum(PARTIAL, senders=me.all("user"))


def test_a_script_that_declares_less_than_its_functionality_is_not_cleared() -> None:
    with pytest.raises(SimnetError, match="secret"):
        verdict(run(OnlyIdeally(2), [1, 2]), "server")


class Misspelt(Adding):
    """The functionality gives the sum to a party that does not exist."""

    def functionality(self, held: Any, users: Any) -> Mapping[str, Any]:
        return {"sever": super().functionality(held, users)["server"]}


def test_a_functionality_that_names_a_stranger_is_told_who_is_there() -> None:
    with pytest.raises(SimnetError, match=r"'sever', .*mean server.*users: u1..u2, server"):
        verdict(run(Misspelt(2), [1, 2]), "server")


class Failing(Misspelt):
    """Its functionality adds a number to field elements."""

    def functionality(self, held: Any, users: Any) -> Mapping[str, Any]:
        return {"server": 1 + Adding.functionality(self, held, users)["server"]}


def test_a_functionality_that_fails_is_named_with_its_line_and_the_remedy() -> None:
    with pytest.raises(BadInput, match=r"functionality fails: .*constant\(field.*test_judge.py:"):
        verdict(run(Failing(2), [1, 2]), "server")


def test_no_runs_and_strangers_to_the_judge_are_refused() -> None:
    with pytest.raises(BadInput, match="at least one run"):
        verdict([], "u1")
    judge = Judge([added(3)], ["u1", "server"])
    with pytest.raises(BadInput, match="u2 was not observed"):
        judge.verdict("u1, u2")
    assert judge.verdict("u1").finding == "nothing"


# Several runs.


class Returning(Adding):
    """A user declares the same function of its input, whatever the number of users is."""

    def answer(self, held: Sealed, user: Any) -> Any:
        return protected(user, held, self.field)


def returning(users: int, seed: int) -> Run:
    return run(Returning(users), range(1, users + 1), seed)


@pytest.mark.slow
@cases(20)
@given(st.integers(3, 6), st.booleans(), st.booleans())
def test_a_user_who_stays_away_once_is_exposed_by_the_two_outputs(
    users: int, reverse: bool, network: bool
) -> None:
    both = [returning(users, seed=1), returning(users - 1, seed=2)]
    for done in both:
        assert not assert_learns_only_output(done, "server").leaks
    corrupt = "server, network" if network else "server"
    found = verdict(both[::-1] if reverse else both, corrupt, same_inputs=True)
    assert (found.finding, found.notes) == ("output-only", ())
    assert secrets_of(found) == {(f"u{users}", 1)}
    assert found.attack(f"u{users}", 1) == users
    assert check(certificate_text(certificate_of(found))).statement == "output-only"
    assert verdict(both, "all users but 2", same_inputs=True).finding == "nothing"


def test_runs_that_may_have_other_inputs_have_other_secrets() -> None:
    found = assert_learns_only_output([returning(4, seed=1), returning(3, seed=2)], "server")
    assert not found.leaks
    assert len(found.functions) == 2
    names = [secret for one in found.functions for secret, _ in one.terms]
    assert len(set(names)) == len(names) == 7
    assert {secret.run for secret in names if secret.party != "u4"} == {1, 2}


class Tossing(Adding):
    """A user's secret depends on a coin that the user tosses in every run."""

    def answer(self, held: Sealed, user: Any) -> Any:
        def tossed(number: int, coins: Any) -> list[int]:
            return [number + int(coins.integers(2, 1)[0])]

        return user.secret(tossed, held, field=self.field, shape=(1,))


def test_secrets_that_hang_on_coins_are_other_ones_in_every_run() -> None:
    both = [run(Tossing(4), [1, 2, 3, 4], 1), run(Tossing(3), [1, 2, 3], 2)]
    found = verdict(both, "server", same_inputs=True)
    assert found.finding == "output-only"
    assert not found.leaks
    assert len(found.functions) == 2
    assert all(one.value == one.true for one in found.functions)


def test_equal_runs_of_the_same_people_tell_no_more_than_one() -> None:
    pair = [returning(3, seed=0), returning(3, seed=0)]
    one, both = verdict(pair[0], "server"), verdict(pair, "server", same_inputs=True)
    assert [learned.terms for learned in both.functions] == [
        learned.terms for learned in one.functions
    ]
    assert both.finding == one.finding == "output-only"
    assert both.seeds == (0, 0)


def test_equal_coins_under_inputs_that_may_differ_give_their_difference_away() -> None:
    done = run(hides(2), [5])
    assert verdict([done, done], "b", same_inputs=True).finding == "nothing"
    assert verdict([done, done], "b").finding == "leaks"


@pytest.mark.slow
@cases(10)
@given(st.integers(1, 100))
def test_runs_over_two_fields_with_seeds_of_their_own_are_judged_over_both(seed: int) -> None:
    found = assert_learns_only_output(
        [added(3, seed=seed), added(3, seed=seed + 1, field=G)], "server, u1"
    )
    assert sorted(one.modulus for one in found.functions) == [F.modulus, G.modulus]
    assert all(one.value == one.true for one in found.functions)
    assert check(certificate_text(certificate_of(found))).statement == "output-only"


@pytest.mark.parametrize(
    "other", [added(3, field=Field(5)), added(3)], ids=["another field", "fewer users"]
)
def test_runs_of_one_seed_that_draw_differently_are_not_judged_together(other: Run) -> None:
    with pytest.raises(SimnetError, match="neither equal nor independent"):
        verdict([added(5), other], "server, u1")


def hides(drawn: int) -> Any:
    """Party `a` sends `b` its input, masked by the first of several coins."""

    class Hiding:
        def parties(self) -> Mapping[str, Seat]:
            return {"a": Seat(self.a), "b": Seat(self.b)}

        async def a(self, me: Party, held: Sealed) -> None:
            await me.send(NOTE, "b", protected(me, held) + me.coins.field(F, (drawn,))[:1])

        async def b(self, me: Party) -> None:
            await me.receive(NOTE, "a")

    return Hiding()


def test_a_seed_used_twice_gives_the_difference_away() -> None:
    same = [run(hides(2), [5]), run(hides(2), [9])]
    found = verdict(same, "b")
    assert found.finding == "leaks"
    assert found.functions[0].value in (4, F.modulus - 4)
    assert_learns_nothing([run(hides(2), [5], 1), run(hides(2), [9], 2)], "b")


def test_a_seed_used_twice_is_never_cleared_while_the_same_numbers_come_out() -> None:
    both = [run(hides(2), [5], observe=["b"]), run(hides(3), [9], observe=["b"])]
    seen = [int(done.transcript.messages[0].payload.numbers()[0]) for done in both]
    assert (seen[1] - seen[0]) % F.modulus == 4, (
        "the coins are other ones: there is nothing to find"
    )
    with pytest.raises(SimnetError, match="neither equal nor independent"):
        verdict(both, "b")


@pytest.mark.slow
def test_a_party_of_a_later_run_can_be_named() -> None:
    both = [added(4, seed=1), added(3, seed=2)]
    assert verdict(both, "u4").finding == "nothing"
    assert verdict(both[::-1], "u4").finding == "nothing"


def test_different_secrets_of_two_runs_have_different_names() -> None:
    found = verdict([run(Adding(2), [1, 2], 1), run(Adding(2), [3, 4], 2)], "server")
    names = [secret for one in found.functions for secret, _ in one.terms]
    assert len(set(names)) == 4


# One judge for many sets.

ONE_JUDGE = added(4, as_index), added(4)
JUDGES = [(done, Judge([done], done.roster.names)) for done in ONE_JUDGE]


@pytest.mark.slow
@cases(40)
@given(st.sampled_from(JUDGES), coalitions(Adding(4)), st.booleans())
def test_a_judge_used_again_and_again_gives_the_verdicts_of_a_fresh_one(
    pair: tuple[Run, Judge], names: list[str], network: bool
) -> None:
    done, judge = pair
    corrupt = [*names, *["network"] * network]
    assert judge.verdict(corrupt).as_json() == verdict(done, corrupt).as_json()


def test_more_parties_never_learn_less() -> None:
    done, judge = JUDGES[1]
    names = done.roster.names
    learned = {
        corrupt: {one.terms for one in judge.verdict(corrupt).functions}
        for size in (1, 2, 3)
        for corrupt in itertools.combinations(names, size)
    }
    silent = {corrupt for corrupt, told in learned.items() if not told}
    assert all(
        set(fewer) - set(more) or more not in silent or fewer in silent
        for fewer in learned
        for more in learned
    )
    assert silent == {corrupt for corrupt in learned if "server" not in corrupt}


# Fields, functionalities, threads.


def two_fields(hidden: bool, scripts: type[Scripts] = Ranged) -> Run:
    """`a` makes two secrets of one input, one in each field."""

    async def a(me: Party, held: Sealed) -> None:
        small = protected(me, held)
        large = me.secret(lambda number: [100 * number + 200], held, field=G, shape=(1,))
        await me.send(NOTE, "b", (small, large + me.coins.field(G, (1,)) if hidden else large))

    return run(scripts(a=a, b=hears), [5])


@pytest.mark.slow
def test_two_fields_in_one_run_are_both_judged() -> None:
    found = assert_learns(two_fields(hidden=False), "b", "a", 1)
    assert [(one.modulus, one.value, one.terms[0][0].number) for one in found.functions] == [
        (F.modulus, 5, 0),
        (G.modulus, 700, 1),
    ]
    assert (found.attack("a", 1), found.attack("a", 1, number=1)) == (5, 700)
    assert check(certificate_text(certificate_of(found))).statement == "leaks"
    half = verdict(two_fields(hidden=True), "b")
    assert [one.modulus for one in half.functions] == [F.modulus]
    with pytest.raises(SimnetError, match="no secret in `leaks`"):
        half.attack("a", 1, number=1)


def test_secrets_of_one_input_are_decided_where_inputs_are_known() -> None:
    found = verdict(two_fields(hidden=False, scripts=Scripts), "b")
    assert (found.at_least, found.at_most, len(found.leaks)) == ("nothing", "leaks", 2)
    assert any("several secrets of one input" in note for note in found.notes)
    assert verdict(two_fields(hidden=False), "b").at_least == "leaks"


class Unspecified(Adding):
    functionality = None

    def __getattribute__(self, name: str) -> Any:
        if name == "functionality":
            raise AttributeError(name)
        return super().__getattribute__(name)


def test_without_a_functionality_whatever_is_learned_is_a_leak() -> None:
    done = run(Unspecified(3), [1, 2, 3])
    assert verdict(done, "server").finding == "leaks"
    assert not any(one.in_output for one in verdict(done, "server").functions)
    assert_learns_nothing(done, "all users but one")
    assert_learns_only_output(added(3), "server")


class TossingFirst(Adding):
    """Users toss a coin before they declare their secrets, and the functionality does not use this
    coin.
    """

    async def user(self, me: Party, held: Sealed) -> None:
        me.coins.integers(2, 1)
        await super().user(me, held)


def test_a_coin_that_the_functionality_does_not_toss_changes_no_verdict() -> None:
    assert_learns_only_output(run(TossingFirst(3), [1, 2, 3]), "server")


class Deferring(Adding):
    """Shares are made when they are needed; large blocks are made in threads."""

    async def user(self, me: Party, held: Sealed) -> None:
        secret, users, n = self.answer(held, me), me.all("user"), self.users

        def rows(coins: Any) -> Any:
            masks = coins.field(self.field, (n - 1, self.width))
            return masks.append(secret - masks.sum())

        await me.scatter(SHARE, to=users, rows=me.coins.deferred(self.field, (n, self.width), rows))
        await me.send(PARTIAL, "server", await me.gather_sum(SHARE, senders=users))


def test_deferred_blocks_are_judged_like_others() -> None:
    assert_learns_only_output(run(Deferring(5, width=2), [1, 2, 3, 4, 5]), "server, u1")
    assert_learns_nothing(run(Deferring(5, width=2), [1, 2, 3, 4, 5]), "all users but one")


@pytest.mark.slow
def test_threads_do_not_keep_an_attack_from_its_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simnet.kernel.summing, "WORTH_A_THREAD", 1)
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    done = run(Deferring(40, width=3), range(40))
    for _ in range(5):
        found = assert_learns_only_output(done, "server, u1")
        assert all(one.value == one.true for one in found.functions)


@attrs.frozen
class Power:
    """A user sends a power of its bit under the same mask in every run of one seed."""

    power: int

    def parties(self) -> Mapping[str, Seat]:
        return {"a": Seat(self.a), "b": Seat(self.b)}

    async def a(self, me: Party, bit: Sealed) -> None:
        secret = me.secret(lambda bit: [bit**self.power], bit, field=Field(11), shape=(1,))
        await me.send(NOTE, "b", secret + me.coins.field(Field(11), (1,)))

    async def b(self, me: Party) -> None:
        await me.receive(NOTE, "a", shape=(1,))


def test_secrets_of_one_input_in_two_runs_are_related() -> None:
    both = [run(Power(1), [1], seed=1), run(Power(2), [1], seed=1)]
    # x - x**2 is 0 for both bits; without `same_inputs` the inputs may be different bits
    assert verdict(both, "b", same_inputs=True).at_least == "nothing"
    assert verdict(both, "b").at_least == "leaks"


@attrs.frozen
class Masking:
    """User a multiplies something that b knows by something else, and sends b the product."""

    factors: str

    def parties(self) -> Mapping[str, Seat]:
        return {"a": Seat(self.a), "b": Seat(self.b)}

    async def a(self, me: Party, value: Sealed) -> None:
        secret = me.secret(lambda value: [value], value, field=F, shape=(1,))
        coin = await me.receive(NOTE, "b")
        seeds = me.coins.field(F, (2, 4))
        await me.send(PUBLISHED, "b", seeds)
        rows = me.expand(seeds, F, (1,))
        factors = {"r": rows[0], "s": rows[1], "c": coin, "x": secret}
        one, other = (factors[name] for name in self.factors)
        await me.send(NOTE, "b", one * other)

    async def b(self, me: Party) -> None:
        await me.send(NOTE, "a", me.coins.field(F, (1,)))
        await me.receive(PUBLISHED, "a")
        await me.receive(NOTE, "a")


@pytest.mark.parametrize("factors", ["rs", "cr", "rx", "cx"])
def test_products_with_known_unknowns_are_judged_and_written(factors: str) -> None:
    found = verdict(run(Masking(factors), [1], seed=1), "b")
    assert found.finding == ("undecided" if "x" in factors else "nothing")
    assert found.functions == ()
    assert verdict_in_words(found).startswith("{b} learns ")


@attrs.frozen
class Boxed:
    """Users send their numbers in boxes to a server, which sends them to v, perhaps shuffled."""

    shuffles: bool

    def parties(self) -> Mapping[str, Seat]:
        return {**seats("u", self.user, 2), "server": Seat(self.server), "v": Seat(self.v)}

    async def user(self, me: Party, value: Sealed) -> None:
        secret = me.secret(lambda value: [[value]], value, field=F, shape=(1, 1))
        key = await me.receive(NOTE, "v")
        await me.send(PUBLISHED, "server", me.encrypt(key, secret))

    async def server(self, me: Party) -> None:
        boxes = [await me.receive(PUBLISHED, name) for name in ("u1", "u2")]
        if self.shuffles and me.coins.bernoulli(Fraction(1, 2)):
            boxes.reverse()
        for box in boxes:
            await me.send(PUBLISHED, "v", box)

    async def v(self, me: Party) -> None:
        key = me.coins.field(F, (1, 8))
        for name in ("u1", "u2"):
            await me.send(NOTE, name, key)
        for _ in range(2):
            me.decrypt(key, await me.receive(PUBLISHED, "server"))


def test_an_attack_reads_the_contents_of_opened_boxes() -> None:
    found = verdict(run(Boxed(shuffles=False), [2, 1], seed=1), "v")
    assert found.finding == "leaks"
    assert [found.attack(name, 1) for name in ("u1", "u2")] == [2, 1]
    assert found.has_true_attacks


def test_who_sent_a_shuffled_box_is_hidden() -> None:
    found = verdict(run(Boxed(shuffles=True), [2, 1], seed=1), "v")
    assert (found.at_least, found.at_most) == ("nothing", "leaks")
