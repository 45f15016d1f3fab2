"""Verdicts on runs in which honest parties disclose something."""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from protocols.tss.about import about as about_tss
from protocols.tss.script import TSS
from simnet import Field, Party, Sealed, Seat, Tag, run, verdict
from simnet.adversary.verdict import Verdict
from simnet.adversary.whole_view import disclosed_in_words
from simnet.adversary.words import verdict_in_words
from simnet.contract import Holder
from simnet.kernel.run import Run
from simnet.kernel.schedule import Shuffled
from simnet.stated.about import About
from simnet.stated.disclosure import Disclosure

F5 = Field(5)
NOTE = Tag("note")
Script = Callable[..., Any]


class Asked:
    """User u1 plays a script with an input, `asker` another one; inputs are items."""

    def __init__(self, user: Script, asker: Script, items: int = 3) -> None:
        self.user, self.asker, self.items = user, asker, items

    def parties(self) -> Mapping[str, Seat]:
        return {"u1": Seat(self.user, role="user"), "asker": Seat(self.asker, role="asker")}


async def listens(me: Party) -> None:
    await me.receive(NOTE, "u1", shape=(1,))


async def idle(me: Party) -> None:
    del me


def on(user: Script, asker: Script = idle, corrupt: str = "asker", **stated: Any) -> Verdict:
    done = run(Asked(user, asker), [1], seed=0)
    about = None
    if stated:
        disclosure = Disclosure(tier="proved", argument="so it is said", **stated)
        about = About(name="asked", disclosure=lambda _: disclosure)
    return verdict(done, corrupt, about)


def same(x: int) -> list[int]:
    return [x]


def noisy(x: int, coins: Any) -> int:
    return x if coins.bernoulli(Fraction(1, 2)) else 1 + int(coins.integers(3, 1)[0])


async def perturbs(me: Party, item: Sealed) -> None:
    me.disclose(noisy, item)


def test_a_disclosed_value_has_its_exact_loss() -> None:
    found = on(perturbs)
    assert found.finding == "no-shares"
    assert found.discrete.disclosure is not None
    assert found.discrete.disclosure.epsilon == math.log(4)
    assert found.discrete.disclosure.tier == "enumerated"
    (record,) = found.as_json()["discrete"]["disclosed"]
    assert (record["parties"], record["functions"], record["calls"]) == (["u1"], ["noisy"], 1)


def test_a_smaller_loss_that_is_stated_is_shown_as_stated() -> None:
    disclosure = on(perturbs, independent=True, epsilon=0.0).discrete.disclosure
    assert disclosure is not None
    assert (disclosure.independent, disclosure.tier) == (True, "stated")


def test_a_larger_loss_that_is_stated_is_not() -> None:
    disclosure = on(perturbs, independent=False, epsilon=7.0, bound=8.0).discrete.disclosure
    assert disclosure is not None
    assert (disclosure.epsilon, disclosure.bound) == (math.log(4), 8.0)


def test_what_cannot_be_enumerated_is_stated_or_not_judged() -> None:
    async def user(me: Party, item: Sealed) -> None:
        me.disclose(lambda x, c: float(x + c.normal(1)[0]), item)

    stated = on(user, independent=False, epsilon=1.0).discrete.disclosure
    assert stated is not None
    assert (stated.epsilon, stated.tier) == (1.0, "stated")
    found = on(user)
    assert found.discrete.disclosure is None
    assert found.as_json()["discrete"]["tier"] == "not judged"
    assert "normal reals" in found.as_json()["discrete"]["argument"]


def test_a_run_that_discloses_nothing_is_proved_independent_for_everybody() -> None:
    async def user(me: Party, item: Sealed) -> None:
        mask = me.coins.field(F5, (1,))
        await me.send(NOTE, "asker", me.secret(same, item, field=F5, shape=(1,)) + mask)

    for corrupt in ("asker", "network"):
        found = on(user, listens, corrupt)
        assert (found.finding, found.tier) == ("nothing", "proved")
        assert found.discrete.disclosure is not None
        assert found.discrete.disclosure.independent
        assert verdict_in_words(found).startswith(f"{{{corrupt}}} learns nothing")


def test_a_mask_that_is_disclosed_as_well_gives_the_input_away() -> None:
    async def user(me: Party, item: Sealed) -> None:
        mask = me.coins.field(F5, (1,))
        mine = me.secret(same, item, field=F5, shape=(1,))
        await me.send(NOTE, "asker", mine + mask)
        me.disclose(lambda r: int(r[0]), mask)

    assert on(user, listens).at_most == "leaks"


def test_e3_of_two_disclosed_values_alone() -> None:
    async def user(me: Party, item: Sealed) -> None:
        mask = me.coins.field(F5, (1,))
        me.disclose(lambda r: int(r[0]), mask)
        me.disclose(lambda x, r: (x + int(r[0])) % 5, item, mask)

    found = on(user)
    assert found.discrete.disclosure is not None
    assert found.discrete.disclosure.epsilon == math.inf


class HandsOut(Asked):
    """The ideal world hands the asker the value that `handed` returns."""

    def __init__(self, user: Script, handed: Script) -> None:
        super().__init__(user, listens)
        self._handed = handed

    def functionality(self, items: Sequence[Sealed], users: Sequence[Holder]) -> Any:
        return {"asker": self._handed(users[0], items[0])}


def test_e2_of_an_output_and_the_coin_in_it() -> None:
    def masked(user: Holder, item: Sealed) -> Any:
        coin = user.secret(drawn, field=F5, shape=(1,))
        return coin, user.secret(add, item, coin, field=F5, shape=(1,))

    async def user(me: Party, item: Sealed) -> None:
        coin, total = masked(me, item)
        await me.send(NOTE, "asker", total)
        me.disclose(lambda n: int(n[0]), coin)

    found = verdict(run(HandsOut(user, lambda u, x: masked(u, x)[1]), [1], seed=0), "asker")
    disclosure = found.discrete.disclosure
    assert found.finding == "output-only"
    assert disclosure is not None
    assert (disclosure.independent, disclosure.epsilon, disclosure.by_itself) == (
        False,
        math.inf,
        0,
    )
    assert "ε ≤ 0 alone" in verdict_in_words(found)


def drawn(coins: Any) -> Any:
    return coins.integers(5, 1).plain


def add(x: int, n: Any) -> Any:
    return x + n


# What calling the doors shows about the two ends of a verdict.


def related(told: int) -> Verdict:
    """The asker is handed x, and is sent x or x²."""

    def both(user: Holder, item: Sealed) -> Any:
        return (
            user.secret(same, item, field=F5, shape=(1,)),
            user.secret(lambda x: [x * x], item, field=F5, shape=(1,)),
        )

    async def user(me: Party, item: Sealed) -> None:
        await me.send(NOTE, "asker", both(me, item)[told])

    return verdict(run(HandsOut(user, lambda u, x: both(u, x)[0]), [1], seed=0), "asker")


def test_a_square_beside_its_root_is_no_leak_that_is_known() -> None:
    assert related(0).finding == "output-only"
    assert related(1).at_least != "leaks"


def test_a_root_beside_its_square_is_a_leak() -> None:
    def both(user: Holder, item: Sealed) -> Any:
        return (
            user.secret(same, item, field=F5, shape=(1,)),
            user.secret(lambda x: [x * x], item, field=F5, shape=(1,)),
        )

    async def user(me: Party, item: Sealed) -> None:
        await me.send(NOTE, "asker", both(me, item)[0])

    found = verdict(run(HandsOut(user, lambda u, x: both(u, x)[1]), [1], seed=0), "asker")
    assert found.finding == "leaks"  # 2² = 3² in F_5


@pytest.mark.parametrize(("corrupt", "epsilon"), [("S1", 0.3483), ("u1", 0.3483)])
def test_reporting_sets_are_enumerated(corrupt: str, epsilon: float) -> None:
    protocol = TSS(users=4, items=5, participation=0.5, reported=2, gamma=2.0)
    found = verdict(run(protocol, [1, 2, 3, 3], seed=2), corrupt, about_tss(protocol))
    disclosure = found.discrete.disclosure
    assert disclosure is not None
    assert disclosure.tier == "enumerated"
    assert (disclosure.by_itself or disclosure.epsilon) == pytest.approx(epsilon, abs=1e-4)
    assert disclosure.bound == math.log(2)


def test_what_the_counting_server_is_told_on_top_of_the_output_is_bounded() -> None:
    protocol = TSS(users=4, items=5, participation=0.5, reported=2, gamma=2.0)
    found = verdict(run(protocol, [1, 2, 3, 3], seed=2), "S2", about_tss(protocol))
    disclosure = found.discrete.disclosure
    assert disclosure is not None
    assert disclosure.by_itself == pytest.approx(0.3483, abs=1e-4)
    assert disclosure.epsilon == pytest.approx(4 * math.log(2))


def test_runs_with_other_seeds_add_up_and_equal_ones_count_once() -> None:
    protocol = Asked(perturbs, idle)

    def played(seed: int) -> Run:
        return run(protocol, [1], seed=seed)

    first = played(1)
    for others, times in (((played(2), played(3)), 3), ((first,), 1), ((played(1),), 1)):
        disclosure = verdict([first, *others], "asker", same_inputs=True).discrete.disclosure
        assert disclosure is not None
        assert disclosure.epsilon == pytest.approx(times * math.log(4))


def test_every_loss_of_a_repeated_statement_adds_up() -> None:
    stated = Disclosure(
        independent=False, epsilon=0.5, bound=1.0, by_itself=0.25, tier="bound", argument="bits"
    )
    repeated = stated.repeated(3)
    assert (repeated.epsilon, repeated.bound, repeated.by_itself) == (1.5, 3.0, 0.75)


def asked(tells: bool, numbers: type = int) -> Run:
    """A run of a class that has the same name and the same `repr` for both values of `tells`."""

    class Silent(Asked):
        def __repr__(self) -> str:
            return "Silent()"

    async def user(me: Party, item: Sealed) -> None:
        me.disclose(lambda item: item if tells and type(item) is int else 0, item)

    return run(Silent(user, idle), [numbers(2)], seed=1)


@pytest.mark.parametrize("same_inputs", [False, True])
@pytest.mark.parametrize("silent", [asked(tells=False), asked(tells=True, numbers=np.int64)])
def test_runs_that_only_look_alike_are_not_one_run_that_is_given_twice(
    silent: Run, same_inputs: bool
) -> None:
    found = verdict([silent, asked(tells=True)], "asker", same_inputs=same_inputs).discrete
    assert found.disclosure is not None
    assert found.disclosure.epsilon == math.inf


def test_runs_with_different_schedules_are_different_runs() -> None:
    first, second = (run(Asked(perturbs, idle), [1], 0, schedule=Shuffled(n)) for n in (1, 2))
    assert verdict([first, first], "asker").discrete.disclosure is not None
    assert verdict([first, second], "asker").discrete.disclosure is None


# What values tell alone, when the coalition also got what they were made of.


class Beside:
    """The helper discloses a function of u1's bit, which S is sent too, and of u2's noisy bit."""

    items = 2

    def __init__(self, disclosed: Callable[..., int], takes_both: bool, relayed: bool) -> None:
        self._disclosed, self._takes_both, self._relayed = disclosed, takes_both, relayed

    def parties(self) -> Mapping[str, Seat]:
        scripts = {"u1": self.first, "u2": self.second, "H": self.helper, "S": self.server}
        return {name: Seat(script) for name, script in scripts.items()}

    def bit(self, item: Sealed, user: Holder) -> Any:
        return user.secret(lambda x: x - 1, item, field=F2, shape=())

    async def first(self, me: Party, item: Sealed) -> None:
        bit = self.bit(item, me)
        await me.send(NOTE, "S", bit)
        if not self._relayed:
            await me.send(NOTE, "H", bit)

    async def second(self, me: Party, item: Sealed) -> None:
        noisy_bit = me.secret(
            lambda x, coins: (x - 1) ^ coins.bernoulli(0.5), item, field=F2, shape=()
        )
        await me.send(NOTE, "H", noisy_bit)

    async def server(self, me: Party) -> None:
        bit = await me.receive(NOTE, "u1", shape=())
        if self._relayed:
            await me.send(NOTE, "H", me.secret(int, bit, field=F2, shape=()))

    async def helper(self, me: Party) -> None:
        bit = await me.receive(NOTE, "S" if self._relayed else "u1", shape=())
        other = await me.receive(NOTE, "u2", shape=())
        me.disclose(self._disclosed, *([bit, other] if self._takes_both else [bit]))


F2 = Field(2)
BESIDE: dict[str, tuple[Callable[..., int], bool]] = {
    "either": (lambda a, b: int(a == 1 or b == 1), True),
    "the known one of two": (lambda a, b: int(a) + 0 * int(b), True),
    "the known one": (int, False),
}


@pytest.mark.parametrize("disclosed", BESIDE)
@pytest.mark.parametrize("inputs", [[1, 1], [2, 1]])
def test_a_value_made_of_what_shares_tell_is_not_independent_alone(
    disclosed: str, inputs: list[int]
) -> None:
    found = verdict(run(Beside(*BESIDE[disclosed], relayed=False), inputs, seed=0), "S")
    disclosure = found.discrete.disclosure
    assert disclosure is not None
    assert (disclosure.epsilon, disclosure.by_itself) == (0, math.inf)
    words = "no finite ε alone, independent given what shares tell"
    assert disclosed_in_words(found) == words
    (doors,) = found.discrete.disclosed
    assert doors.epsilon == math.inf
    assert "that the coalition knows" in doors.argument


@pytest.mark.parametrize("disclosed", BESIDE)
def test_a_secret_that_the_coalition_made_of_what_it_got_is_no_coin_of_its_own(
    disclosed: str,
) -> None:
    found = verdict(run(Beside(*BESIDE[disclosed], relayed=True), [1, 1], seed=0), "S")
    (doors,) = found.discrete.disclosed
    assert doors.epsilon is None
    assert found.discrete.disclosure is not None
    assert found.discrete.disclosure.by_itself is None
