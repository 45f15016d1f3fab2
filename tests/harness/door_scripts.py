"""Random scripts with doors, played with every choice of inputs and coins, to find what a coalition
truly learns.

A script is a list of steps of two honest parties, `a` and `b`, and of a corrupt one, `c`, over one
or two tiny fields. It is *played* on every choice of inputs, coins and door coins, by an
interpreter of plain integers that shares no code with verdicts; and it is *read* once, on one
choice, which gives the linear forms that verdicts are computed from. So these tests need no run,
and test only the rules for verdicts.
"""

import itertools
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np

from simnet.adversary.bounds import ENDS, End, ShareBounds
from simnet.adversary.deductions import Sight
from simnet.adversary.door_uses import DoorUse, Product
from simnet.adversary.field_view import BlockForms
from simnet.adversary.rewriting import DoorChecks, Doors
from simnet.linear.forms import Forms
from simnet.linear.terms import Terms
from simnet.linear.unknowns import ONE, Family, Unknowns
from simnet.linear.vectors import Vector, add_to
from simnet.record.message import Block
from simnet.values.field import Field
from simnet.values.residues import constant, residues_of

NOWHERE = Block(0, 0, (), "", (), ())


class Refused(Exception):
    """Raised if the function of a door raises an error."""


@attrs.frozen(eq=False)
class Choice:
    """One way in which a script can be played."""

    inputs: tuple[int, ...]
    coins: tuple[int, ...]
    own: tuple[int, ...]
    bits: tuple[int, ...]


@attrs.define(eq=False)
class Function:
    """A random function of small numbers: a table that gets an entry when the function is called
    with new arguments.
    """

    style: str
    size: int
    seed: int
    refuses: bool = False
    table: dict[tuple[int, ...], int] = attrs.field(factory=dict)

    def __call__(self, arguments: tuple[int, ...]) -> int:
        known = self.table.get(arguments)
        if known is None:
            known = self.table[arguments] = self._value(arguments)
        if known < 0:
            raise Refused
        return known

    def _value(self, arguments: tuple[int, ...]) -> int:
        rng = random.Random(f"{self.seed}/{arguments}")
        if self.refuses and rng.random() < 0.3:
            return -1
        if self.style == "sum":
            return sum(arguments) % self.size
        if self.style == "product":
            result = 1
            for argument in arguments:
                result = result * argument % self.size
            return result
        if self.style == "first":
            return arguments[0] % self.size if arguments else 0
        if self.style == "equal":
            return int(len(set(arguments)) < 2) % self.size
        return rng.randrange(self.size)


@attrs.frozen(eq=False)
class Step:
    """One step of a script: the operation, the party that does it, and the registers
    that it uses.
    """

    deed: str
    party: str = "a"
    modulus: int = 2
    rows: tuple[int, ...] = ()  # registers
    weights: tuple[
        tuple[int, ...], ...
    ] = ()  # for each register its weights, one for each last disclosed value
    added: int = 0
    takes_input: bool = False
    takes_coin: bool = False
    function: Function | None = None
    into: int = -1  # the register that is written
    only_if: int | None = (
        None  # if set, the step sends only if the last disclosed value, mod 2, is this
    )


@attrs.frozen(eq=False)
class Script:
    """A script: its steps, over some fields.

    The first registers hold the coins of the honest parties, the next ones the coins of the corrupt
    party.
    """

    coins: tuple[int, ...]  # the moduli of the honest parties' coins
    own: tuple[int, ...]  # the moduli of the corrupt party's coins
    domain: int  # the number of values of an input
    steps: tuple[Step, ...]
    bits: int  # the number of steps that take a door coin

    def choices(self) -> Iterator[Choice]:
        """Yield every way to play the script: every choice of inputs, coins and door coins."""
        for inputs in itertools.product(range(self.domain), repeat=2):
            for coins in itertools.product(*map(range, self.coins)):
                for own in itertools.product(*map(range, self.own)):
                    for bits in itertools.product(range(2), repeat=self.bits):
                        yield Choice(inputs, coins, own, bits)


@attrs.frozen
class Outcome:
    """The result of one way of playing; `own` are the corrupt party's own coins."""

    history: tuple[Any, ...]
    own: tuple[int, ...]
    messages: tuple[Any, ...]
    ideal: tuple[int, ...]


class _Player:
    """Plays a script in plain numbers."""

    def __init__(self, script: Script, choice: Choice) -> None:
        self._registers = dict(enumerate([*choice.coins, *choice.own]))
        self._choice = choice
        self._bits = iter(choice.bits)
        self._last = 0  # the last disclosed value
        self.history: list[Any] = []
        self.own = list(choice.own)
        self.messages: list[int] = []
        self.ideal: list[int] = []
        for step in script.steps:
            getattr(self, step.deed)(step, self._given(step))

    def _given(self, step: Step) -> tuple[int, ...]:
        given = tuple(self._registers[row] for row in step.rows)
        if step.takes_input:
            given += (self._choice.inputs["ab".index(step.party)],)
        if step.takes_coin:
            given += (next(self._bits),)
            if step.party == "c":
                self.own.append(given[-1])
        return given

    def combine(self, step: Step, given: tuple[int, ...]) -> None:
        weights = [weight[self._last % len(weight)] for weight in step.weights]
        total = sum(map(int.__mul__, weights, given)) + step.added
        self._registers[step.into] = total % step.modulus

    def multiply(self, step: Step, given: tuple[int, ...]) -> None:
        self._registers[step.into] = given[0] * given[1] % step.modulus

    def secret(self, step: Step, given: tuple[int, ...]) -> None:
        self._registers[step.into] = step.function(given)

    def disclose(self, step: Step, given: tuple[int, ...]) -> None:
        self._last = step.function(given)
        self.history.append(self._last)

    def disclose_in_full(self, step: Step, given: tuple[int, ...]) -> None:
        self._last = given[0]
        self.history.append(given)

    def send(self, step: Step, given: tuple[int, ...]) -> None:
        if step.only_if is None or step.only_if == self._last % 2:
            self.messages.append(given[0])

    def hand_out(self, step: Step, given: tuple[int, ...]) -> None:
        self.ideal.append(given[0])


def played(script: Script, choice: Choice) -> Outcome | None:
    """Return the result of one way of playing; None if a door refuses."""
    try:
        player = _Player(script, choice)
    except Refused:
        return None
    return Outcome(
        tuple(player.history), tuple(player.own), tuple(player.messages), tuple(player.ideal)
    )


# What the coalition really learns.


Laws = dict[tuple[int, ...], Counter[Any]]  # for each input, how often each result occurs


def truth(script: Script, sampled: Outcome) -> tuple[End, bool]:
    """Return what the coalition learns at the history of one outcome, and whether history and
    messages together tell anything beyond the ideal output.

    For the first answer, the history and the coalition's own inputs and coins are given. Then
    `nothing` says that the law of the coalition's messages is the same for all inputs, and
    `output-only` that this law is the same for all inputs with equal ideal outputs.
    """
    by_own: dict[Any, Laws] = defaultdict(lambda: defaultdict(Counter))
    by_output: dict[Any, Laws] = defaultdict(lambda: defaultdict(Counter))
    whole: dict[Any, Laws] = defaultdict(lambda: defaultdict(Counter))
    for choice in script.choices():
        outcome = played(script, choice)
        if outcome is not None:
            place = outcome.own, outcome.ideal
            whole[place][choice.inputs][outcome.history, outcome.messages] += 1
            if outcome.history == sampled.history:
                by_own[outcome.own][choice.inputs][outcome.messages] += 1
                by_output[place][choice.inputs][outcome.messages] += 1
    found: End = "leaks"
    if all(map(_is_one_law, by_own.values())):
        found = "nothing"
    elif all(map(_is_one_law, by_output.values())):
        found = "output-only"
    return found, not all(map(_is_one_law, whole.values()))


def _is_one_law(laws: Laws) -> bool:
    """Return whether the law is the same for all inputs. Counts are divided by their totals before
    they are compared.
    """
    first, *others = laws.values()
    return all(
        law.keys() == first.keys()
        and all(law[key] * first.total() == first[key] * law.total() for key in law)
        for law in others
    )


# The linear forms from which verdicts are computed.


class _Reader:
    """Reads a script on one choice."""

    def __init__(self, script: Script, choice: Choice) -> None:
        self.unknowns = Unknowns()
        self.uses: list[DoorUse] = []
        self.products: list[Product] = []
        self.parts: list[BlockForms] = []
        self.handed: list[Forms] = []
        self.never_refusing: set[int] = set()
        self._keys = itertools.count()
        self._numbers: Counter[tuple[str, str]] = Counter()
        self._registers: dict[int, Forms] = {}
        self._script, self._choice = script, choice
        self._last = 0  # the last disclosed value
        for place, modulus in enumerate(script.coins):
            family = self._family("coin", "a", modulus, choice.coins[place])
            self._registers[place] = self._of(family, modulus)
        for place, modulus in enumerate(script.own):
            family = self._family("coin", "c", modulus, choice.own[place])
            self._registers[len(script.coins) + place] = self._of(family, modulus)
        self._read()

    def _family(self, kind: Any, holder: str, modulus: int, value: int) -> Family:
        values = constant(Field(modulus), [value])
        return self.unknowns.family(kind, next(self._keys), "0/1", holder, values)

    def _of(self, family: Family, modulus: int) -> Forms:
        return self._form(modulus, {family.first: 1}, int(family.values[0]))

    def _form(self, modulus: int, vector: Vector, value: int) -> Forms:
        return Forms(constant(Field(modulus), [value]), Terms.of_vectors([vector]), None)

    def _read(self) -> None:
        bits = iter(self._choice.bits)
        for step in self._script.steps:
            forms = tuple(self._registers[row] for row in step.rows)
            given = tuple(int(residues_of(form.sampled)[0]) for form in forms)
            if step.takes_input:
                given += (self._choice.inputs["ab".index(step.party)],)
            if step.takes_coin:
                given += (next(bits),)
            getattr(self, step.deed)(step, forms, given)

    def combine(self, step: Step, forms: tuple[Forms, ...], given: tuple[int, ...]) -> None:
        vector: Vector = {}
        add_to(vector, {ONE: 1}, step.added, step.modulus)
        value = step.added
        for weights, form, number in zip(step.weights, forms, given, strict=True):
            weight = weights[self._last % len(weights)]
            add_to(vector, form.terms.vectors()[0], weight, step.modulus)
            value += weight * number
        self._registers[step.into] = self._form(step.modulus, vector, value % step.modulus)

    def secret(self, step: Step, forms: tuple[Forms, ...], given: tuple[int, ...]) -> None:
        family = self._family("secret", step.party, step.modulus, step.function(given))
        self._registers[step.into] = self._of(family, step.modulus)
        self._use("secret", step, forms, family)
        if not step.function.refuses:
            self.never_refusing.add(id(self.uses[-1]))

    def disclose(self, step: Step, forms: tuple[Forms, ...], given: tuple[int, ...]) -> None:
        self._last = step.function(given)
        self._use("disclose", step, forms, None)

    def disclose_in_full(
        self, step: Step, forms: tuple[Forms, ...], given: tuple[int, ...]
    ) -> None:
        self._last = given[0]
        self._use("disclose", step, forms, None)

    def send(self, step: Step, forms: tuple[Forms, ...], given: tuple[int, ...]) -> None:
        if step.only_if is None or step.only_if == self._last % 2:
            at = np.zeros(1, dtype=np.int64)
            self.parts.append(BlockForms.of(0, 0, NOWHERE, forms[0][np.newaxis], at))

    def hand_out(self, step: Step, forms: tuple[Forms, ...], given: tuple[int, ...]) -> None:
        self.handed.append(forms[0])

    def multiply(self, step: Step, forms: tuple[Forms, ...], given: tuple[int, ...]) -> None:
        value = given[0] * given[1] % step.modulus
        family = self._family("product", step.party, step.modulus, value)
        self._registers[step.into] = self._of(family, step.modulus)
        self.products.append(
            Product(party=step.party, run=0, left=forms[0], right=forms[1], made=family)
        )

    def _use(self, kind: Any, step: Step, forms: tuple[Forms, ...], made: Family | None) -> None:
        number = self._numbers[kind, step.party]
        self._numbers[kind, step.party] += 1
        self.uses.append(
            DoorUse(
                kind=kind,
                party=step.party,
                number=number,
                run=0,
                function="f",
                rows=tuple(form for form in forms if np.any(form.terms.unknowns != ONE)),
                has_input=step.takes_input,
                in_full=step.deed == "disclose_in_full",
                made=made,
            )
        )


class _Checks(DoorChecks):
    def __init__(self, never_refusing: set[int]) -> None:
        self._never_refusing = never_refusing

    def refuses_by_inputs_alone(self, use: DoorUse) -> bool:
        return id(use) in self._never_refusing


def bounds(script: Script, choice: Choice, checked: bool) -> ShareBounds:
    """Return the two ends of the verdict on the corrupt party, from a reading on one choice."""
    read = _Reader(script, choice)
    checks = _Checks(read.never_refusing if checked else set())
    doors = Doors(read.unknowns, read.uses, read.products, checks)
    return ShareBounds(doors, ["c"], Sight(read.parts, handed=read.handed))


# Random scripts.


def random_script(rng: random.Random, is_plain: bool = False) -> Script:
    """Return a random script of a few steps. In a plain script every secret is an input."""
    moduli = rng.choice([(2,), (2,), (2,), (3,), (3,), (2, 3)])
    most = {(2,): 4, (3,): 3, (2, 3): 2}[moduli]
    coins = tuple(q for q in moduli for _ in range(rng.randint(1, most)))
    own = tuple(q for q in moduli if rng.random() < 0.4)
    maker = _Maker(rng, coins, own, max(moduli), is_plain)
    for _ in range(rng.randint(3, 11)):
        maker.step()
    return Script(coins, own, max(moduli), tuple(maker.steps), maker.bits)


class _Maker:
    def __init__(
        self,
        rng: random.Random,
        coins: tuple[int, ...],
        own: tuple[int, ...],
        domain: int,
        is_plain: bool,
    ) -> None:
        self.rng, self.domain, self.is_plain = rng, domain, is_plain
        self.steps: list[Step] = []
        self.bits = 0
        self.modulus: dict[int, int] = dict(enumerate([*coins, *own]))
        self.honest = list(range(len(coins)))
        self.corrupt = list(range(len(coins), len(coins) + len(own)))
        self.free: list[int] = []  # the registers that the ideal world may use
        self.moduli = sorted(set(coins))
        self.made_input: set[tuple[str, int]] = set()

    def step(self) -> None:
        deeds = {
            self.secret_of_input: 5,
            self.send: 6,
            self.combine: 3,
            self.disclose: 3,
            self.derive: 2,
            self.disclose_in_full: 2,
            self.multiply: 2,
            self.hand_out: 2,
            self.corrupt_step: 2,
        }
        if self.is_plain:
            del deeds[self.derive], deeds[self.multiply]
        self.rng.choices(list(deeds), list(deeds.values()))[0]()

    def _new(self, modulus: int, holders: list[int]) -> int:
        register = len(self.modulus)
        self.modulus[register] = modulus
        holders.append(register)
        return register

    def _some(self, held: list[int], most: int, modulus: int | None = None) -> tuple[int, ...]:
        fitting = [r for r in held if modulus in (None, self.modulus[r])]
        recent = [r for r in fitting if r >= len(self.modulus) - 4]
        pool = recent + fitting
        if not pool:
            return ()
        return tuple(dict.fromkeys(self.rng.choice(pool) for _ in range(self.rng.randint(1, most))))

    def _function(self, size: int, refuses: bool = False) -> Function:
        style = self.rng.choice(["sum", "sum", "product", "random", "first", "equal"])
        return Function(style, size, self.rng.randrange(1 << 30), refuses)

    def _coin(self) -> bool:
        if self.bits < 2 and self.rng.random() < 0.2:
            self.bits += 1
            return True
        return False

    def secret_of_input(self) -> None:
        party, modulus = self.rng.choice("ab"), self.rng.choice(self.moduli)
        if self.is_plain:
            if (party, modulus) in self.made_input or self.domain != modulus:
                return
            self.made_input.add((party, modulus))
            function, coin = Function("first", modulus, 0), False
        else:
            function, coin = self._function(modulus), self._coin()
            if self.rng.random() < 0.5:
                function, coin = Function("first", modulus, 0), False
        rows: tuple[int, ...] = ()
        if not self.is_plain and self.rng.random() < 0.15:
            rows = self._some(self.free, 1)
        self.steps.append(
            Step(
                "secret",
                party,
                modulus,
                rows,
                takes_input=True,
                takes_coin=coin,
                function=function,
                into=self._new(modulus, self.honest),
            )
        )
        self.free.append(len(self.modulus) - 1)

    def derive(self) -> None:
        modulus = self.rng.choice(self.moduli)
        rows = self._some(self.honest, 2)
        self.steps.append(
            Step(
                "secret",
                self.rng.choice("ab"),
                modulus,
                rows,
                takes_input=self.rng.random() < 0.4,
                takes_coin=self._coin(),
                function=self._function(modulus, self.rng.random() < 0.3),
                into=self._new(modulus, self.honest),
            )
        )

    def disclose(self) -> None:
        rows = self._some(self.honest, 3) if self.rng.random() < 0.9 else ()
        self.steps.append(
            Step(
                "disclose",
                self.rng.choice("ab"),
                rows=rows,
                takes_input=self.rng.random() < 0.35 or not rows,
                takes_coin=self._coin(),
                function=self._function(self.rng.choice([2, 2, 3])),
            )
        )

    def disclose_in_full(self) -> None:
        rows = self._some(self.honest, 2)
        self.steps.append(Step("disclose_in_full", self.rng.choice("ab"), rows=rows))

    def combine(self) -> None:
        modulus = self.rng.choice(self.moduli)
        rows = self._some(self.honest, 4, modulus)
        if len(rows) > 1:
            self.steps.append(self._combination(rows, modulus, self.honest))

    def _combination(self, rows: tuple[int, ...], modulus: int, holders: list[int]) -> Step:
        def weights() -> tuple[int, ...]:
            if self.rng.random() < 0.15:
                return self.rng.randrange(modulus), self.rng.randrange(modulus)
            return (self.rng.randint(1, modulus - 1),)

        return Step(
            "combine",
            "a",
            modulus,
            rows,
            tuple(weights() for _ in rows),
            self.rng.choice([0, 0, 1]),
            into=self._new(modulus, holders),
        )

    def multiply(self) -> None:
        held, party = self.honest, "a"
        if self.rng.random() < 0.15:
            held = self.free
        modulus = self.rng.choice(self.moduli)
        pair = [self._some(held, 1, modulus) for _ in range(2)]
        if all(pair):
            rows = (pair[0][0], pair[1][0])
            step = Step("multiply", party, modulus, rows, into=self._new(modulus, self.honest))
            self.steps.append(step)
            if set(rows) <= set(self.free):
                self.free.append(step.into)

    def send(self) -> None:
        if self.rng.random() < 0.6:
            self.combine()
        row = self._some(self.honest, 1)
        only_if = self.rng.choice([None, None, None, None, 0, 1])
        if not any(step.deed.startswith("disclose") for step in self.steps):
            only_if = None
        self.steps.append(Step("send", rows=row, only_if=only_if))
        if only_if is None:
            self.corrupt += row

    def hand_out(self) -> None:
        held = self.free if self.rng.random() < 0.9 else self.honest
        modulus = self.rng.choice(self.moduli)
        rows = self._some(held, 2, modulus)
        if rows:
            step = self._combination(rows, modulus, [])
            self.steps.append(attrs.evolve(step, weights=tuple((w[0],) for w in step.weights)))
            self.steps.append(Step("hand_out", rows=(step.into,)))

    def corrupt_step(self) -> None:
        rows = self._some(self.corrupt, 2)
        if not rows:
            return
        deed = self.rng.choice(["give", "secret", "multiply", "disclose"])
        modulus = self.modulus[rows[0]]
        if deed == "give":
            self.honest.append(rows[0])
        elif deed == "secret":
            register = self._new(modulus, self.corrupt)
            function = self._function(modulus)
            self.steps.append(
                Step(
                    "secret",
                    "c",
                    modulus,
                    rows,
                    takes_coin=self._coin(),
                    function=function,
                    into=register,
                )
            )
            if self.rng.random() < 0.8:
                self.honest.append(register)
        elif deed == "multiply":
            if len(rows) == 2 and self.modulus[rows[1]] == modulus:
                register = self._new(modulus, self.corrupt)
                self.steps.append(Step("multiply", "c", modulus, rows, into=register))
                self.honest.append(register)
        else:
            self.steps.append(
                Step(
                    "disclose", "c", rows=rows, takes_coin=self._coin(), function=self._function(2)
                )
            )


def tried(
    rng: random.Random, is_plain: bool = False
) -> tuple[Script, Choice, ShareBounds, End, bool]:
    """Return a random script, a random choice that no door refuses, the ends of the verdict, and
    the two answers of `truth`.
    """
    while True:
        script = random_script(rng, is_plain)
        choices = list(script.choices())
        if len(choices) > 3000:
            continue
        choice = rng.choice(choices)
        sampled = played(script, choice)
        if sampled is not None:
            found = bounds(script, choice, rng.random() < 0.5)
            return script, choice, found, *truth(script, sampled)


def is_below(one: End, other: End) -> bool:
    """Return whether the first finding says less than the second."""
    return ENDS.index(one) < ENDS.index(other)
