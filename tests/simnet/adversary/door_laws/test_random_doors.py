"""The laws of random doors are compared with laws that are found in another way: by playing whole
programs.

A program draws field coins and secrets, and discloses random functions of inputs, coins and
secrets, some of them with noise; some rows of coins are sent to the coalition. The brute force
knows nothing of forms, components or doors: it plays the program on every input with every outcome
of every coin, and compares the laws of all that the coalition sees. The ε that is found from the
doors must never be smaller than the true one, and must be equal to it if there is only one
component.

The coalition may also be told functions of secrets. Then laws are compared given their values.
"""

import itertools
import math
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from simnet import Field, Party, Sealed, Tag
from simnet.adversary.door_laws.disclosed import Disclosures
from simnet.coins.law import Law, law_of
from simnet.coins.tape import Choice, Tape
from tests.harness.door_laws import play_with, read
from tests.harness.marks import long_but

NOTE = Tag("note")
ITEMS = 2


class Program:
    """Some rows of field coins, some secrets, and some disclosed values, over a small field."""

    def __init__(self, random: Random) -> None:
        self.q = random.choice([2, 3])
        self.coins = random.randint(0, 2)
        self.rows: list[list[int]] = []  # each row: coefficients of coins, then of secrets
        self.secrets: list[Door] = []
        self.disclosed: list[Door] = []
        self.sent: list[list[int]] = []  # rows of coins
        for _ in range(random.randint(0, 2)):
            self.secrets.append(self._door(random, secret=True))
        for _ in range(random.randint(1, 3)):
            self.disclosed.append(self._door(random, secret=False))
        self.functions = [  # of secrets, told to the coalition
            [random.randrange(self.q) for _ in self.secrets]
            for _ in range(random.randint(0, 1) if self.secrets else 0)
        ]
        # What shares tell together with rows that secrets were made of is no matter of doors.
        derived = any(any(weights) for door in self.secrets for weights in door.rows)
        may_send = self.coins and not (self.functions and derived)
        for _ in range(random.randint(0, 1) if may_send else 0):
            self.sent.append([random.randrange(self.q) for _ in range(self.coins)])

    def _door(self, random: Random, secret: bool) -> "Door":
        known = len(self.secrets)
        rows = [
            [random.randrange(self.q) for _ in range(self.coins)]
            + [random.randrange(self.q) * random.randrange(2) for _ in range(known)]
            for _ in range(random.randint(0, 2) if self.coins + known else 0)
        ]
        has_input = random.random() < (0.8 if secret else 0.4)
        return Door(random, self.q, rows, has_input)


class Door:
    """A table of values by arguments, with noise in some of them."""

    def __init__(self, random: Random, q: int, rows: list[list[int]], has_input: bool) -> None:
        self.rows, self.has_input = rows, has_input
        self.takes_coins = random.random() < 0.5
        domains = [[1, 2]] * has_input + [list(range(q))] * len(rows)
        self.table: dict[tuple[int, ...], list[int]] = {}
        kind = random.random()
        for arguments in itertools.product(*domains):
            total = sum(arguments) % q
            first = total if kind < 0.5 else random.randrange(q)
            second = random.randrange(q) if kind < 0.75 else (first + 1) % q
            self.table[arguments] = [first, second]

    def value(self, arguments: Sequence[int], heads: bool) -> int:
        return self.table[tuple(arguments)][int(heads)]

    @property
    def function(self) -> Callable[..., Any]:
        def plain(*values: Any) -> int:
            return self.value([int(value) for value in values], False)

        def noisy(*values: Any) -> int:
            *arguments, coins = values
            return self.value([int(value) for value in arguments], coins.bernoulli(0.25))

        # Doors look at how many arguments a function takes.
        count = len(self.rows) + self.has_input
        names = [f"a{number}" for number in range(count)]
        function, listed = (noisy, [*names, "coins"]) if self.takes_coins else (plain, names)
        text = ", ".join(listed)
        made: Callable[..., Any] = eval(f"lambda f: lambda {text}: f({text})")(function)
        return made


def disclosed(program: Program, seed: int) -> tuple[Disclosures, int]:
    """Return what the doors tell, and the number of components."""
    field = Field(program.q)

    async def a(me: Party, item: Sealed) -> None:
        coins = me.coins.field(field, (max(program.coins, 1),))
        secrets: list[Any] = []

        def row(weights: Sequence[int]) -> Any:
            terms = [coins[number] * weights[number] for number in range(program.coins)]
            terms += [
                secret * weight
                for secret, weight in zip(secrets, weights[program.coins :], strict=False)
            ]
            total = terms[0]
            for term in terms[1:]:
                total = total + term
            return total

        def arguments(door: Door) -> list[Any]:
            return [item] * door.has_input + [row(weights) for weights in door.rows]

        for door in program.secrets:
            made = me.secret(door.function, *arguments(door), field=field, shape=())
            secrets.append(made)  # later ones are made of earlier ones
        for weights in program.sent:
            await me.send(NOTE, "b", row(weights))
        for door in program.disclosed:
            me.disclose(door.function, *arguments(door))

    async def b(me: Party) -> None:
        for _ in program.sent:
            await me.receive(NOTE, "a", shape=())

    runs = read(play_with([1], seed=seed, a=a, b=b), {"b"}, ITEMS)
    components = runs.graph.partition(runs.disclosing).components
    families = [runs.secret("a", number).family or 0 for number in range(len(program.secrets))]
    functions = [
        {family for family, weight in zip(families, weights, strict=True) if weight}
        for weights in program.functions
    ]
    return runs.disclosed(functions), len(components)


def view(program: Program, item: int, tape: Tape) -> tuple[Hashable, Hashable]:
    """Return what the coalition is told about secrets and what else it sees, for these outcomes of
    the coins.
    """
    uniform = Choice.of([(value, 1) for value in range(program.q)])
    noise = Choice.of([(True, 1), (False, 3)])
    coins = [tape.toss(uniform) for _ in range(program.coins)]
    secrets: list[int] = []

    def row(weights: Sequence[int]) -> int:
        pairs = zip([*coins, *secrets], weights, strict=False)
        return sum(value * weight for value, weight in pairs) % program.q

    def given(door: Door) -> int:
        arguments = [item] * door.has_input + [row(weights) for weights in door.rows]
        return door.value(arguments, door.takes_coins and tape.toss(noise))

    for door in program.secrets:
        secrets.append(given(door))  # noqa: PERF401  # later ones are made of earlier ones
    sent = tuple(row(weights) for weights in program.sent)
    told = tuple(
        sum(value * weight for value, weight in zip(secrets, weights, strict=True)) % program.q
        for weights in program.functions
    )
    return told, (sent, tuple(given(door) for door in program.disclosed))


def largest(laws: Sequence[Law]) -> float:
    worst = Fraction(1)
    for outcome in {outcome for law in laws for outcome in law}:
        chances = [law.get(outcome, Fraction(0)) for law in laws]
        if not min(chances):
            return math.inf
        worst = max(worst, max(chances) / min(chances))
    return math.log(worst)


def true_epsilon(program: Program) -> float:
    """The largest log ratio, given what is told of secrets, where both inputs allow that."""
    laws = [law_of(lambda tape, x=x: view(program, x, tape)) for x in (1, 2)]  # type: ignore[misc]
    given: list[dict[Hashable, dict[Hashable, Fraction]]] = []
    for law in laws:
        by_told: dict[Hashable, dict[Hashable, Fraction]] = {}
        for outcome, chance in law.items():
            assert isinstance(outcome, tuple)
            by_told.setdefault(outcome[0], {})[outcome[1]] = chance
        given.append(by_told)
    worst = 0.0
    for told in set(given[0]) & set(given[1]):
        totals = [sum(law[told].values(), Fraction(0)) for law in given]
        conditional = [
            {seen: chance / total for seen, chance in law[told].items()}
            for law, total in zip(given, totals, strict=True)
        ]
        worst = max(worst, largest(conditional))
    return worst


@pytest.mark.slow
@pytest.mark.parametrize("block", long_but(range(8), 0, 2, 3, 5))
def test_no_loss_is_larger_than_the_doors_say(block: int) -> None:
    judged = exact = 0
    for number in range(40):
        seed = 40 * block + number
        program = Program(Random(seed))
        found, components = disclosed(program, seed)
        truth = true_epsilon(program)
        if found.epsilon is None:
            continue
        judged += 1
        assert truth <= found.epsilon + 1e-9, f"program {seed}"
        assert not (found.independent and truth), f"program {seed}"
        if components == 1 and not program.sent and not program.functions:
            exact += 1
            assert truth == pytest.approx(found.epsilon), f"program {seed}"
    assert judged > 10
    assert exact
