"""When doors refuse, and whether the fact that no door refused tells something."""

import io
import math
from collections.abc import Callable, Collection, Mapping
from typing import Any

import pytest
from rich.console import Console

from simnet import Field, Party, Sealed, Seat, Tag, run, seats, verdict
from simnet.adversary.door_laws.disclosed import Known, disclosures
from simnet.adversary.door_laws.door_law import DoorLaws
from simnet.adversary.door_laws.refusals import refusal, telling_refusals
from simnet.adversary.words import tier_in_words, verdict_in_words
from simnet.cli.verdicts import print_verdict
from tests.harness.door_laws import ReadRuns, play_with, read
from tests.harness.scripts import idle

F3 = Field(3)


def secret_of(script: Any, items: int = 3) -> ReadRuns:
    for seed in range(20):  # a run that is not refused
        try:
            return read(play_with([1], seed=seed, a=script, b=idle), {"b"}, items)
        except ValueError:
            continue
    raise AssertionError("every run is refused")


def accept(condition: bool, value: int) -> list[int]:
    if not condition:
        raise ValueError("refused")
    return [value]


def found(runs: ReadRuns) -> str:
    return refusal(runs.secret("a"), runs.graph, runs.domain, DoorLaws())


def test_a_door_that_takes_everything_never_refuses() -> None:
    async def a(me: Party, item: Sealed) -> None:
        me.secret(lambda x, c: [x * c.bernoulli(0.5)], item, field=F3, shape=(1,))

    runs = secret_of(a)
    assert found(runs) == "never"


def test_a_refusal_by_inputs_tells_nothing_of_accepted_ones() -> None:
    async def a(me: Party, item: Sealed) -> None:
        me.secret(lambda x, c: accept(x < 3, x + c.bernoulli(0.5)), item, field=F3, shape=(1,))

    runs = secret_of(a)
    assert found(runs) == "by inputs"


def test_an_element_outside_the_shape_is_a_refusal() -> None:
    async def a(me: Party, item: Sealed) -> None:
        me.secret(lambda x: [1] * x, item, field=F3, shape=(1,))

    assert found(secret_of(a)) == "by inputs"


def test_a_refusal_by_a_coin_and_an_input_tells_that_they_differ() -> None:
    async def a(me: Party, item: Sealed) -> None:
        mask = me.coins.field(F3, (1,))
        me.secret(lambda x, r: accept(x % 3 != r[0], x), item, mask, field=F3, shape=(1,))

    runs = secret_of(a)
    assert found(runs) == "telling"
    telling, unchecked = telling_refusals(runs.doors, runs.graph, runs.domain, DoorLaws())
    assert not unchecked
    # By itself the refusal has chance 1/3, whatever x is. Given the coin it tells of x.
    assert judged(runs, telling).epsilon == 0
    assert not judged(runs, telling).doors[0].argument.startswith("nothing")


def test_a_refusal_by_the_coins_of_the_door_is_told() -> None:
    def moody(item: int, coins: Any) -> list[int]:
        return accept(not coins.bernoulli(1 / 2**item), item)

    async def a(me: Party, item: Sealed) -> None:
        me.secret(moody, item, field=F3, shape=(1,))

    runs = secret_of(a, items=2)
    telling, _ = telling_refusals(runs.doors, runs.graph, runs.domain, DoorLaws())
    disclosed = judged(runs, telling)
    assert disclosed.epsilon == math.log(2)
    # What is told of the secret itself goes together with its refusal.
    assert judged(runs, telling, {runs.secret("a").family or 0}).epsilon is None


def test_what_has_too_many_arguments_is_not_checked() -> None:
    async def a(me: Party, item: Sealed) -> None:
        masks = me.coins.field(Field.above(100), (5,))
        me.secret(lambda x, r: [x + r[0]], item, masks, field=F3, shape=(1,))

    runs = secret_of(a)
    assert found(runs) == "not checked"
    assert len(telling_refusals(runs.doors, runs.graph, runs.domain, DoorLaws())[1]) == 1


def test_a_door_without_coins_that_is_given_inputs_alone_need_not_be_checked() -> None:
    async def a(me: Party, item: Sealed) -> None:
        me.secret(lambda x: accept(x < 3, x), item, field=F3, shape=(1,))

    runs = secret_of(a)
    assert telling_refusals(runs.doors, runs.graph, runs.domain, DoorLaws()) == ([], [])


def judged(runs: ReadRuns, doors: Any, *functions: set[int]) -> Any:
    known = Known(functions=functions, runs=[0], seeds=[0])
    return disclosures(runs.graph, doors, runs.domain, known)


class MayRefuse:
    """A door refuses the number 7 for some coins."""

    def parties(self) -> dict[str, Any]:
        return seats("u", self.user, 2)

    async def user(self, me: Party, number: Sealed) -> None:
        field, tag = Field(101), Tag("masked")
        mine = me.secret(self.secret, number, field=field, shape=(1,))
        other = "u2" if me.name == "u1" else "u1"
        await me.send(tag, other, mine + me.coins.field(field, (1,)))
        await me.receive(tag, other, shape=(1,))

    def secret(self, number: int, coins: Any) -> list[int]:
        return accept(number != 7 or coins.bernoulli(0.5), number)


class OfNine(MayRefuse):
    items = 9


def test_a_refusal_that_could_not_be_tried_is_a_condition() -> None:
    """Without `items` the possible inputs are not known."""
    found = verdict(run(MayRefuse(), [5, 6], seed=1), "u1")
    condition = "if no coin and no field element decides whether secret raises an error"
    assert found.finding == "nothing"
    assert found.discrete.reason == f"honest parties disclose nothing, {condition}"
    assert verdict_in_words(found) == f"{{u1}} learns nothing in this run (seed 1), {condition}"
    assert tier_in_words(found) == f"proved, {condition}"
    tried = verdict(run(OfNine(), [5, 6], seed=1), "u1").discrete
    assert tried.disclosure is not None
    assert (tried.disclosure.epsilon, condition in tried.reason) == (math.inf, False)


# Inputs that a verdict is not about.


def refusing(values: Collection[int]) -> Callable[..., Any]:
    def function(x: int) -> int:
        if x in values:
            raise ValueError(x)
        return x

    return function


def sometimes(x: int, coins: Any) -> int:
    if x == 2 or (x == 3 and coins.bernoulli(0.5)):
        raise ValueError(x)
    return int(coins.integers(1 << 40, 1)[0]) % 11


class Refusing:
    """u1 and u2 make secrets, each with its own function, and send them masked."""

    items = 4

    def __init__(self, **functions: Callable[..., Any]) -> None:
        self._functions = functions

    def parties(self) -> Mapping[str, Seat]:
        return {"u1": Seat(self.user), "u2": Seat(self.user), "server": Seat(self.server)}

    async def user(self, me: Party, item: Sealed) -> None:
        secret = me.secret(self._functions[me.name], item, field=F11, shape=())
        await me.send(SENT, "server", secret + me.coins.field(F11, ()))

    async def server(self, me: Party) -> None:
        await me.gather(SENT, ["u1", "u2"])


F11, SENT = Field(11), Tag("sent")


@pytest.mark.parametrize(
    ("functions", "refused"),
    [
        ([refusing([]), refusing([])], []),
        ([refusing([2]), refusing([])], [(("u1",), (2,))]),
        ([refusing([2, 4])] * 2, [(("u1", "u2"), (2, 4))]),
        ([refusing([2]), refusing([3])], [(("u1",), (2,)), (("u2",), (3,))]),
        ([sometimes, refusing([])], [(("u1",), (2,))]),  # a refusal by coins is no such input
    ],
)
def test_a_verdict_names_the_inputs_that_it_is_not_about(
    functions: list[Callable[..., Any]], refused: list[Any]
) -> None:
    done = run(Refusing(u1=functions[0], u2=functions[1]), [1, 1], seed=0)
    found = verdict(done, "server")
    assert [(each.parties, each.inputs) for each in found.refused] == refused
    json = found.as_json()["shares"]["refused"]
    assert [(each["parties"], each["inputs"]) for each in json] == refused
    file = io.StringIO()
    print_verdict(Console(file=file, width=200), found)
    assert file.getvalue().count(": the verdict is about the other inputs") == len(refused)
