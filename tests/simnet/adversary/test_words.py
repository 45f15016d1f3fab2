"""Verdicts in words."""

from collections.abc import Callable
from typing import Any

import pytest

from simnet import Party, Run, Sealed, Tag, bits, run, verdict
from simnet.adversary.verdict import LearnedFunction, Secret
from simnet.adversary.words import (
    evidence_in_words,
    exposed_in_words,
    finding_in_short,
    finding_in_words,
    function_in_words,
    interval_in_words,
    verdict_in_words,
)
from tests.harness.adding import PARTIAL, Adding, added, as_elements, as_index, hears, masked
from tests.harness.door_laws import play_with
from tests.harness.many_cases import for_each
from tests.harness.scripts import NOTE, SHARE, F, as_it_is, elements, protected


def said(script: Callable[[Any], Any], *values: int) -> LearnedFunction:
    """Return what `b` learns, in words, if `a` sends it a function of a declared secret."""

    async def a(me: Party, held: Sealed) -> None:
        mine = me.secret(as_it_is, held, field=F, shape=(len(values),))
        await me.send(NOTE, "b", script(mine))

    (learned,) = verdict(play_with([list(values)], a=a, b=hears), "b").functions
    return learned


FUNCTIONS: list[tuple[Callable[[Any], Any], tuple[int, ...], str]] = [
    (lambda x: x[:1], (5, 6), "a[1] = 5"),
    (lambda x: x[1:] * 7, (5, 6), "a[2] = 6"),
    (lambda x: x[:1] + x[1:], (5, 6), "a[1] + a[2] = 11"),
    (lambda x: x[:1] + x[1:] * 2 + elements(7), (5, 6), "a[1] + 2 a[2] = 17"),
    (lambda x: x[:1] + x[1:2] * x[2:], (5, 6, 7), "a[1] + a[2]·a[3] = 47"),
    (lambda x: x[:1] - x[1:], (6, 5), "a[1] - a[2] = 1"),
    (lambda x: x[:1] + x[1:] * 3, (5, 6), "a[1] + 3 a[2] = 23"),
    (lambda x: x[:1] * 2 - x[1:] * 4, (50, 6), "a[1] - 2 a[2] = 38"),
    (lambda x: x[:1] + x[1:] * 50, (1, 2), "a[1] + 50 a[2] = 0"),
    (lambda x: x[:1] + x[1:] * 51, (1, 2), "a[1] - 50 a[2] = 2"),
    (lambda x: x[:, None].sum(), (1, 2, 3, 4), "a[1] + a[2] + a[3] + a[4] = 10"),
    (
        lambda x: x[:, None].sum(),
        (1, 2, 3, 4, 5, 6),
        "a[1] + a[2] + a[3] + a[4] + ... (2 more) = 21",
    ),
]


@for_each("script, values, words", FUNCTIONS)
def test_a_function_in_words(
    script: Callable[[Any], Any], values: tuple[int, ...], words: str
) -> None:
    assert function_in_words(said(script, *values)) == words


def learned_function(modulus: int, *terms: tuple[Secret, int]) -> LearnedFunction:
    """Return a learned function with the value 1, made by hand."""
    return LearnedFunction(
        terms=terms,
        value=1,
        true=1,
        in_output=False,
        own=0,
        modulus=modulus,
        source=(0, 0, 0),
    )


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (
            lambda x: x + elements(7),
            "12 (note, a→b) - 7 (own coins and secrets, and plain numbers)",
        ),
        (lambda x: x, "5 (note, a→b)"),
    ],
)
def test_evidence_says_that_plain_numbers_are_subtracted(
    script: Callable[[Any], Any], words: str
) -> None:
    async def a(me: Party, held: Sealed) -> None:
        mine = me.secret(as_it_is, held, field=F, shape=(1,))
        await me.send(NOTE, "b", script(mine))

    found = verdict(play_with([[5]], a=a, b=hears), "b")
    assert evidence_in_words(found, found.functions[0], 5) == f"{words}  mod {F.modulus}"


def test_second_secrets_and_long_names_in_words() -> None:
    difference = learned_function(5, (Secret("u2", 0, 1), 1), (Secret("u10", 1, 3), 4))
    assert function_in_words(difference) == "u2[1] - u10'[3] = 1"
    third_secret = learned_function(2, (Secret("u1", 2, 1), 1))
    assert function_in_words(third_secret) == "u1''[1] = 1"
    second_run = learned_function(2, (Secret("u1", 0, 1, run=2), 1))
    assert function_in_words(second_run) == "u1[1] (run 2) = 1"


def test_what_is_exposed_is_drawn_together_by_party() -> None:
    of_two = [
        Secret(f"u{user}", number, item)
        for user in range(1, 6)
        for number in (0, 1)
        for item in (1, 2)
    ]
    assert exposed_in_words(of_two[:4]) == "u1's items 1, 2 and items 1, 2 of its secret 2"
    assert exposed_in_words(of_two[2:3]) == "u1's item 1 of its secret 2"
    assert exposed_in_words(of_two).endswith("of its secret 2 and 2 more parties")
    assert exposed_in_words(of_two[:16]).endswith("of its secret 2 and 1 more party")


def test_terms_stand_in_the_order_of_the_users_numbers() -> None:
    found = verdict(added(12), "server")
    assert (
        function_in_words(found.functions[0]) == "u1[1] + u2[1] + u3[1] + u4[1] + ... (8 more) = 78"
    )
    assert [secret.party for secret, _ in found.functions[0].terms] == [
        f"u{number}" for number in range(1, 13)
    ]


def test_findings_in_words() -> None:
    assert finding_in_words(verdict(added(3), "u1")) == "learns nothing"
    assert finding_in_words(verdict(added(3), "server")) == "learns only the output"
    revealed = finding_in_words(verdict(added(3), "server, u1, u2"))
    assert revealed == "learns only the output; the output itself reveals u3's secret"
    assert finding_in_words(verdict(added(3, as_elements), "u1")) == "learns u2[1] + u3[1] = 5"
    assert finding_in_words(verdict(added(2, as_elements, width=2), "u1")) == "learns u2's secret"
    parts = [Secret("u2", 0, place, size=6, is_by_item=False) for place in range(1, 6)]
    assert exposed_in_words(parts) == "u2's secret (entries 1, 2, 3, 4...)"
    assert exposed_in_words(parts[2:3]) == "u2's secret (entry 3)"


class Bounded(Adding):
    """A protocol that states its possible inputs, so that the laws of its doors can be found."""

    items = 3


def noisy_parity(total: Any, me: Party) -> Any:
    """Return the last bit of the sum, which is right with probability 3/4."""

    def told(numbers: Any, coins: Any) -> Any:
        return (numbers + coins.bernoulli(0.25)) % 2

    return bits(me.disclose(told, total))


def test_what_is_disclosed_is_in_the_words() -> None:
    not_judged = finding_in_words(verdict(added(3, as_index), "u1"))
    assert not_judged == ("learns nothing from secret shares; disclosed values: not judged")
    exact = finding_in_words(verdict(run(Bounded(3, as_index), [1, 2, 3]), "u1"))
    assert exact == "learns nothing from secret shares; disclosed values: no finite ε"
    noisy = finding_in_words(verdict(run(Bounded(3, noisy_parity), [1, 2, 3]), "u1"))
    assert noisy == "learns nothing from secret shares; disclosed values: ε ≤ 1.099"
    nothing = run(Bounded(3, lambda total, me: bits(me.disclose(len, total))), [1, 2, 3])
    assert finding_in_words(verdict(nothing, "u1")) == "learns nothing"


def opened(*told: str) -> Run:
    """`a` sends `b` x + r, and by name r and w; it discloses whether w + r is large."""

    async def a(me: Party, held: Sealed) -> None:
        coins = {"r": me.coins.field(F, (1,)), "w": me.coins.field(F, (1,))}
        await me.send(NOTE, "b", protected(me, held) + coins["r"])
        me.disclose(lambda numbers: bool(numbers[0] > 50), coins["w"] + coins["r"])
        for name in told:
            await me.send(Tag(name), "b", coins[name])

    async def b(me: Party) -> None:
        await me.receive(NOTE, "a")
        for name in told:
            await me.receive(Tag(name), "a")

    return play_with([5], a=a, b=b)


def test_a_finding_with_two_ends_in_words() -> None:
    found = verdict(opened("w"), "b")
    assert interval_in_words(found) == "at least nothing and at most more than the output"
    assert finding_in_words(found).startswith(f"learns {interval_in_words(found)}")
    assert finding_in_short(found) == "at least nothing, at most more than the output"
    assert "field elements given to me.disclose(a lambda) of a;" in verdict_in_words(found)
    assert finding_in_short(verdict(opened("r"), "b")) == "exposes a"
    assert finding_in_short(verdict(opened(), "b")) == "nothing"


class Chatty(Adding):
    """The last user also sends the server the difference of two of its items."""

    def numbers(self, held: int) -> list[int]:
        return [held ** (place + 1) for place in range(self.width)]

    async def user(self, me: Party, held: Sealed) -> None:
        secret, users = self.answer(held, me), me.all("user")
        await me.scatter(SHARE, to=users, rows=masked(secret, me, self.users))
        await me.send(PARTIAL, "server", await me.gather_sum(SHARE, senders=users))
        if me.index == self.users:
            await me.send(NOTE, "server", secret[1:2] - secret[2:])

    async def server(self, me: Party) -> None:
        await me.gather_sum(PARTIAL, senders=me.all("user"))
        await me.receive(NOTE, f"u{self.users}")


def test_a_leak_in_words_names_what_the_output_does_not_tell() -> None:
    found = verdict(run(Chatty(3, width=3), [1, 2, 3]), "server")
    assert found.finding == "leaks"
    told = [function_in_words(one) for one in found.functions if one.in_output]
    assert finding_in_words(found).removeprefix("learns ") not in told


def test_an_exposed_second_secret_in_words_is_told_from_the_first() -> None:
    async def two(me: Party, held: Sealed) -> None:
        first, second = protected(me, held), me.secret(lambda x: [x + 1], held, field=F, shape=(1,))
        await me.send(NOTE, "b", second)
        await me.send(SHARE, "c", first)

    async def c(me: Party) -> None:
        await me.gather_sum(SHARE, senders=["a"])

    done = play_with([5], a=two, b=hears, c=c)
    assert finding_in_words(verdict(done, "b")) != finding_in_words(verdict(done, "c"))


def test_a_verdict_described_says_who_in_which_run_and_why() -> None:
    assert (
        verdict_in_words(verdict(added(3, seed=5), "u1"))
        == "{u1} learns nothing in this run (seed 5)"
    )
    told = verdict_in_words(verdict(added(4, seed=5), "server, u1"))
    assert (
        told
        == "{u1, server} learns only the output in this run (seed 5) (u2[1] + u3[1] + u4[1] = 9)"
    )
    assert (
        verdict_in_words(verdict(added(3, as_index), "u1"))
        == "{u1} learns nothing from secret shares; disclosed values: not judged in this "
        "run (seed 0)"
    )
    assert verdict_in_words(verdict(added(3), "all users")).endswith(
        "; every party that has a secret is in the coalition: nothing is left to learn"
    )


def test_nothing_beside_a_list_of_masked_values_says_so() -> None:
    async def a(me: Party, held: Sealed) -> None:
        sent = protected(me, held) + me.coins.field(F, (1,))
        await me.send(NOTE, "b", sent)
        await me.send(NOTE, "b", me.secret(lambda row: row, sent, field=F, shape=(1,)))

    async def b(me: Party) -> None:
        await me.gather(NOTE, "a")
        await me.gather(NOTE, "a")

    found = verdict(play_with([5], a=a, b=b), "b")
    assert (found.finding, len(found.functions)) == ("nothing", 1)
    assert finding_in_words(found) == (
        "learns nothing about inputs; the functions listed tell nothing about them"
    )
