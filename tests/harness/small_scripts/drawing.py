"""Small scripts drawn at random, from a seed.

Steps are drawn one by one, each from the values that its party holds at this point. Two scripts in
five begin as a known script (see `bases`), in which some steps are left out, changed or followed by
other steps: rules for verdicts go wrong most often where a protocol is nearly sound.
"""

import random
from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import TypeVar

import attrs

from tests.harness.small_scripts.bases import BASES
from tests.harness.small_scripts.rewriting import (
    ideal_secrets,
    made_by,
    renamed,
    repaired,
)
from tests.harness.small_scripts.steps import (
    Argument,
    Block,
    Coins,
    Disclose,
    Handed,
    Mix,
    Number,
    Open,
    Output,
    Pick,
    Script,
    Secret,
    Send,
    Share,
    Sort,
    Step,
    Take,
    Terms,
    Times,
    Toss,
    Total,
    Turn,
    Value,
    input_name,
    names_in,
    values_of,
)
from tests.harness.small_scripts.worlds import number_of_worlds

T = TypeVar("T")
MOST_WORLDS = 5_000


def drawn(seed: int, most_worlds: int = MOST_WORLDS) -> Script:
    """Return the script of a seed."""
    rng = random.Random(seed)
    while True:
        script = _Drawing(rng, most_worlds).script()
        if any(isinstance(step, Send | Share | Block | Disclose) for step in script.steps):
            return script


class _Drawing:
    """A script that is being drawn."""

    def __init__(self, rng: random.Random, most_worlds: int) -> None:
        self.rng = rng
        self.most_worlds = most_worlds
        self.field = rng.choice([2, 2, 2, 3])
        self.other_field = 5 - self.field if rng.random() < 0.08 else self.field
        self.steps: list[Step] = []
        self.parties: tuple[str, ...] = ()
        self.inputs: tuple[tuple[str, int], ...] = ()
        self.held: dict[str, list[str]] = {}
        self.values: dict[str, Value] = {}
        self.style = rng.choice(["plain", "plain", "doors", "products"])
        self.names = 0
        self.width = 1

    def script(self) -> Script:
        """Return a whole script."""
        if self.chance(0.4):
            self.vary(self.rng.choice(BASES))
        else:
            self.width = 2 if self.chance(0.12) else 1
            self.begin()
            self.grow(self.rng.randint(3, 12))
        script = Script(self.parties, self.inputs, tuple(self.steps), width=self.width)
        return attrs.evolve(script, ideal=self.ideal(script))

    # The state

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def new(self, letter: str) -> str:
        """Return a name that no value has yet."""
        self.names += 1
        return f"{letter}{self.names}"

    def open_script(self, parties: tuple[str, ...], inputs: tuple[tuple[str, int], ...]) -> None:
        self.parties, self.inputs = parties, inputs
        self.held = {who: [] for who in parties}
        for who, size in inputs:
            self.values[input_name(who)] = Value("sealed", size, who)
            self.held[who].append(input_name(who))

    def add(self, step: Step) -> bool:
        """Add a step to the script, unless the script would then have too many worlds. Return
        whether the step was added.
        """
        longer = Script(self.parties, self.inputs, (*self.steps, step), width=self.width)
        if number_of_worlds(longer) > self.most_worlds:
            return False
        self.steps.append(step)
        values = values_of(longer)
        for name in made_by(step):
            assert name not in self.values, f"two values are called {name}"
            self.values[name] = values[name]
            if values[name].who:
                self.held[values[name].who].append(name)
        return True

    def among(self, who: str, *sorts: Sort, field: int | None = None) -> list[str]:
        """Return the values of these sorts that a party holds; with `field`, only forms over this
        field.
        """
        return [
            name
            for name in self.held[who]
            if self.values[name].sort in sorts
            and (field is None or self.values[name].size == field)
        ]

    def one(self, names: Sequence[str]) -> str:
        """Return one of these values at random; a value that was made late comes more often."""
        place = max(self.rng.randrange(len(names)) for _ in range(self.rng.choice([1, 2])))
        return names[place]

    def others(self, who: str) -> list[str]:
        return [other for other in self.parties if other != who]

    def some_field(self) -> int:
        return self.rng.choice([self.field, self.field, self.other_field])

    # Beginnings

    def begin(self) -> None:
        """Begin with parties and inputs; most parties make a secret of their input."""
        rng = self.rng
        parties = ("a", "b", "c", "d")[: rng.choice([2, 3, 3, 3, 4])]
        holders = parties[: rng.choice([1, len(parties) - 1, len(parties)])]
        size = self.field if self.chance(0.9) else 5 - self.field
        self.open_script(parties, tuple((who, size) for who in holders))
        for who in holders:
            if self.chance(0.75):
                field = self.some_field()
                table = tuple((value % field,) for value in range(size))
                self.add(Secret(who, (self.new("s"),), field, (input_name(who),), table))

    def vary(self, base: Script) -> None:
        """Begin with a known script, leave out or change some of its steps, and put other steps
        between them.
        """
        self.open_script(base.parties, base.inputs)
        taken = set(values_of(base))
        self.names = sum(len(made_by(step)) for step in base.steps)
        level = self.rng.choice([0.03, 0.1, 0.2])
        kept: list[Step] = []
        for step in base.steps:
            if self.chance(level / 2):
                continue
            kept.append(step)
        shorter = repaired(attrs.evolve(base, steps=tuple(kept), ideal=()))
        for step in shorter.steps if shorter else ():
            if self.chance(level) and not isinstance(step, Take):
                before = len(self.steps)
                self.random_step()
                fresh = {name for new in self.steps[before:] for name in made_by(new)}
                assert not fresh & taken, "names of steps put between are new"
            self.add(self.changed(step) if self.chance(level) else step)
        if self.chance(0.5):
            self.grow(self.rng.randint(1, 3))

    def changed(self, step: Step) -> Step:
        """Return the step with something in it changed."""
        if isinstance(step, Secret | Disclose) and self.chance(0.4):
            return self.with_another_function(step)
        if isinstance(step, Mix) and self.chance(0.4):
            size = self.values[step.terms[0][1]].size
            terms = tuple((self.factor(step.who, size), name) for _, name in step.terms)
            return attrs.evolve(step, terms=terms)
        own = made_by(step)

        def other(name: str) -> str:
            if name in own or self.chance(0.5):
                return name
            value = self.values[name]
            alike = [
                found
                for found in self.among(value.who, value.sort)
                if self.values[found].size == value.size
            ]
            return self.one(alike) if alike else name

        return renamed(step, other) or step

    def with_another_function(self, step: Secret | Disclose) -> Secret | Disclose:
        sizes = [self.values[name].size for name in names_in(step.args)]
        if isinstance(step, Secret):
            rows = self.rows(sizes, step.coin, [step.field] * len(step.makes), refuses=0.0)
            return attrs.evolve(step, table=rows)
        return attrs.evolve(step, table=self.entries(sizes, step.coin, step.size))

    def grow(self, steps: int) -> None:
        for _ in range(steps):
            self.random_step()

    # Steps

    def random_step(self) -> None:
        """Add one step, or a few steps that belong together."""
        doors = 2.0 if self.style == "doors" else 1.0
        kinds: list[tuple[float, Callable[[str], None]]] = [
            (3.0, self.coins),
            (0.7, self.toss),
            (2.5 * doors, self.secret),
            (2.5 * doors, self.disclose),
            (0.8, self.output),
            (0.5, self.open),
            (4.0, self.mix),
            (6.0 if self.style == "products" else 1.0, self.times),
            (1.0 if self.width > 1 else 0.0, self.turn),
            (5.0, self.send),
            (0.8, self.send_freely),
            (1.0, self.share),
            (0.5, self.block),
            (2.0, self.mask_and_send),
            (1.0, self.split),
            (1.0 if self.style == "plain" else 3.0, self.mask_and_disclose),
        ]
        [draw] = self.rng.choices([kind for _, kind in kinds], [weight for weight, _ in kinds])
        draw(self.rng.choice(self.parties))

    def coins(self, who: str) -> None:
        makes = tuple(self.new("r") for _ in range(self.rng.choice([1, 1, 1, 2])))
        self.add(Coins(who, makes, self.some_field(), self.condition(who, 0.05)))

    def toss(self, who: str) -> None:
        self.add(Toss(who, self.new("c"), self.rng.choice([2, 2, 3])))

    def secret(self, who: str) -> None:
        field = self.some_field()
        makes = tuple(self.new("s") for _ in range(self.rng.choice([1, 1, 1, 2])))
        args = self.arguments(who)
        coin = self.rng.choice([1, 1, 1, 1, 2, 3])
        if self.chance(0.12):
            args, coin = (), self.rng.choice([1, 2, 2, 3])
        sizes = [self.values[name].size for name in names_in(args)]
        rows = self.rows(sizes, coin, [field] * len(makes), refuses=0.04)
        self.add(Secret(who, makes, field, args, rows, coin, self.condition(who, 0.05)))

    def disclose(self, who: str) -> None:
        args = self.arguments(who)
        if not args:
            return
        coin = self.rng.choice([1, 1, 1, 1, 1, 2, 3])
        sizes = [self.values[name].size for name in names_in(args)]
        size = self.rng.choice([self.field, self.field, 2, 3])
        table = self.entries(sizes, coin, size, refuses=0.04)
        when = self.condition(who, 0.1)
        self.add(Disclose(who, self.new("v"), size, args, table, coin, when))

    def output(self, who: str) -> None:
        args = self.arguments(who)
        if args:
            sizes = [self.values[name].size for name in names_in(args)]
            table = tuple(entry or 0 for entry in self.entries(sizes, 1, self.field))
            self.add(Output(who, self.new("z"), self.field, args, table))

    def open(self, who: str) -> None:
        if forms := self.among(who, "form"):
            self.add(Open(who, self.new("o"), self.one(forms)))

    def mix(self, who: str) -> None:
        if forms := self.among(who, "form"):
            field = self.values[self.one(forms)].size
            self.add(self.mixture(who, field))

    def mixture(self, who: str, field: int) -> Mix:
        alike = self.among(who, "form", field=field)
        names = {self.one(alike) for _ in range(self.rng.choice([1, 2, 2, 2, 3, 4]))}
        terms: Terms = tuple((self.factor(who, field), name) for name in sorted(names))
        constant = self.number(who, field, 0.3) if self.chance(0.1) else 0
        combined = constant == 0 and self.chance(0.15)
        return Mix(who, self.new("m"), terms, constant, combined)

    def times(self, who: str) -> None:
        if forms := self.among(who, "form"):
            field = self.values[self.one(forms)].size
            alike = self.among(who, "form", field=field)
            self.add(Times(who, self.new("p"), self.one(alike), self.one(alike)))

    def turn(self, who: str) -> None:
        if forms := self.among(who, "form"):
            items = tuple(self.rng.randrange(self.width) for _ in range(self.width))
            self.add(Turn(who, self.new("m"), self.one(forms), items))

    def send(self, who: str) -> None:
        """Send a message, which its recipient may receive and use."""
        forms = self.among(who, "form")
        field = self.values[self.one(forms)].size if forms else 0
        alike = self.among(who, "form", field=field)
        count = self.rng.choice([1, 1, 1, 2, 3]) if alike else 0
        message = tuple(self.one(alike) for _ in range(count))
        plains = self.among(who, "plain")
        plain = (self.one(plains),) if plains and self.chance(0.3 if message else 1) else ()
        if message or plain:
            self.post(who, self.rng.choice(self.others(who)), message, plain)

    def post(
        self, who: str, to: str, message: tuple[str, ...], plain: tuple[str, ...] = ()
    ) -> None:
        tag = self.new("tag")
        self.add(Send(who, (to,), tag, ((message,),), plain=plain))
        if self.chance(0.6):
            forms = tuple(self.new("g") for _ in message)
            values = tuple(self.new("w") for _ in plain)
            self.add(Take(to, who, tag, forms, values, self.condition(to, 0.04)))

    def send_freely(self, who: str) -> None:
        """Send messages whose number, order, size, tag and recipient depend on plain values."""
        if not self.among(who, "plain") or not (forms := self.among(who, "form")):
            return
        alike = self.among(who, "form", field=self.values[self.one(forms)].size)

        def message() -> tuple[str, ...]:
            return tuple(self.one(alike) for _ in range(self.rng.choice([0, 1, 1, 2])))

        choices = tuple(
            tuple(message() for _ in range(self.rng.choice([0, 1, 1, 2])))
            for _ in range(self.rng.choice([1, 2, 2, 3]))
        )
        if self.chance(0.3) and len(alike) > 1:
            one, other = self.rng.sample(alike, 2)
            choices = (((one,), (other,)), ((other,), (one,)))
        others = self.others(who)
        to = tuple(self.rng.sample(others, self.rng.randint(1, len(others))))
        tags = self.rng.choice([1, 1, 2])
        if any(choices):
            self.add(
                Send(
                    who,
                    to,
                    self.new("tag"),
                    choices,
                    self.number(who, len(choices), 0.9),
                    self.number(who, len(to), 0.9),
                    tags,
                    self.number(who, tags, 0.9),
                )
            )

    def share(self, who: str) -> None:
        """Scatter rows of one or two senders, which the recipients add up."""
        others = self.others(who)
        to = tuple(self.rng.sample(others, self.rng.randint(1, len(others))))
        tag = self.new("sum")
        senders = []
        for sender in (who, *(one for one in others if one not in to and self.chance(0.5))):
            if forms := self.among(sender, "form", field=self.field):
                rows = tuple(self.one(forms) for _ in to)
                if self.add(Share(sender, to, tag, rows)):
                    senders.append(sender)
        self.totals(senders, to, tag)

    def block(self, who: str) -> None:
        others = self.others(who)
        to = tuple(self.rng.sample(others, self.rng.randint(1, len(others))))
        coins = tuple(self.new("r") for _ in range(self.rng.choice([1, 1, 2])))
        forms = self.among(who, "form", field=self.field)

        def row() -> Terms:
            names = {self.rng.choice(coins)} | (
                {self.one(forms)} if forms and self.chance(0.7) else set()
            )
            return tuple((self.factor(who, self.field), name) for name in sorted(names))

        tag = self.new("sum")
        if self.add(Block(who, to, tag, self.field, coins, tuple(row() for _ in to))):
            self.totals([who], to, tag)

    def totals(self, senders: Sequence[str], to: Sequence[str], tag: str) -> None:
        for recipient in to if senders else ():
            if self.chance(0.7):
                self.add(Total(recipient, tuple(senders), tag, self.new("t")))

    def mask_and_send(self, who: str) -> None:
        """Send a form plus a fresh coin to one party; the coin may be sent to another party."""
        forms = self.among(who, "form", field=self.field)
        coin, mixed = self.new("r"), self.new("m")
        if not forms or not self.add(Coins(who, (coin,), self.field)):
            return
        self.add(Mix(who, mixed, ((1, self.one(forms)), (self.factor(who, self.field), coin))))
        others = self.others(who)
        self.rng.shuffle(others)
        self.post(who, others[0], (mixed,))
        if self.chance(0.6):
            self.post(who, others[-1], (coin,))

    def split(self, who: str) -> None:
        """Send additive shares of a form to all other parties."""
        forms, others = self.among(who, "form", field=self.field), self.others(who)
        if not forms or len(others) < 2:
            return
        masks = tuple(self.new("r") for _ in others[1:])
        last = self.new("m")
        if self.add(Coins(who, masks, self.field)):
            terms = ((1, self.one(forms)), *((self.field - 1, mask) for mask in masks))
            self.add(Mix(who, last, terms))
            for other, row in zip(others, (*masks, last), strict=True):
                self.post(who, other, (row,))

    def mask_and_disclose(self, who: str) -> None:
        """Disclose a function of a masked form; its holder opens it, or a party that receives
        it.
        """
        forms = self.among(who, "form", field=self.field)
        coin, mixed = self.new("r"), self.new("m")
        if not forms or not self.add(Coins(who, (coin,), self.field)):
            return
        self.add(Mix(who, mixed, ((1, self.one(forms)), (1, coin))))
        opener = who
        if self.chance(0.4):
            opener, tag = self.rng.choice(self.others(who)), self.new("tag")
            self.add(Send(who, (opener,), tag, (((mixed,),),)))
            mixed = self.new("g")
            self.add(Take(opener, who, tag, (mixed,)))
        args: tuple[Argument, ...] = (mixed,)
        if self.chance(0.25) and (more := self.among(opener, "form", "sealed")):
            args = (mixed, self.one(more))
        sizes = [self.values[name].size for name in names_in(args)]
        table = self.entries(sizes, 1, self.field)
        self.add(Disclose(opener, self.new("v"), self.field, args, table))

    # What steps are made of

    def arguments(self, who: str) -> tuple[Argument, ...]:
        """Return one to three arguments of a door: inputs, rows, sealed and plain values."""
        held = self.held[who]
        if not held:
            return ()
        args: list[Argument] = []
        for _ in range(self.rng.choice([1, 1, 2, 2, 3])):
            name = self.one(held) if self.chance(0.6) else self.rng.choice(held)
            alike = self.among(who, "form", field=self.values[name].size)
            if self.values[name].sort == "form" and len(alike) > 1 and self.chance(0.2):
                args.append((name, self.one(alike)))
            else:
                args.append(name)
        sizes = [self.values[name].size for name in names_in(tuple(args))]
        return tuple(args) if prod(sizes) <= 81 else tuple(args[:1])

    def condition(self, who: str, probability: float) -> Number:
        """Return 1; with this probability return a number that depends on plain values, if the
        party holds any.
        """
        return self.number(who, 2, 1) if self.chance(probability) else 1

    def factor(self, who: str, field: int) -> Number:
        if self.chance(0.08):
            return self.number(who, field, 1)
        return 1 if self.chance(0.6) else self.rng.randrange(1, field)

    def number(self, who: str, below: int, probability: float) -> Number:
        """Return a number in `0..below-1`; with this probability one that depends on plain
        values.
        """
        plains = self.among(who, "plain")
        if not plains or not self.chance(probability):
            return self.rng.randrange(below)
        by = tuple(self.one(plains) for _ in range(self.rng.choice([1, 1, 2])))
        size = prod(self.values[name].size for name in by)
        if below == self.values[by[0]].size and len(by) == 1 and self.chance(0.5):
            return Pick(tuple(range(below)), by)
        return Pick(tuple(self.rng.randrange(below) for _ in range(size)), by)

    def rows(
        self, sizes: Sequence[int], coin: int, fields: Sequence[int], refuses: float
    ) -> tuple[tuple[int, ...] | None, ...]:
        """Return the table of a function that gives several numbers."""
        columns = [self.entries(sizes, coin, field, refuses) for field in fields]
        return tuple(
            None if None in row else tuple(entry or 0 for entry in row)
            for row in zip(*columns, strict=True)
        )

    def entries(
        self, sizes: Sequence[int], coin: int, size: int, refuses: float = 0.0
    ) -> tuple[int | None, ...]:
        """Return the table of a function: a sum, a product, a threshold, a choice, or any
        function.
        """
        rng = self.rng
        kind = rng.choice(["sum", "sum", "first", "product", "threshold", "random", "mixed"])
        weights = [rng.randrange(1, max(2, one)) for one in sizes]
        bound = rng.randint(1, max(1, sum(one - 1 for one in sizes)))
        which = rng.randrange(len(sizes)) if sizes else 0
        noisy = rng.choice(["added", "instead", "any"])
        refused = self.refusal(sizes) if self.chance(refuses) else None
        table: list[int | None] = []
        for *args, tossed in product(*map(range, sizes), range(coin)):
            match kind:
                case "sum":
                    value = sum(weight * arg for weight, arg in zip(weights, args, strict=True))
                case "first":
                    value = args[which] if args else 0
                case "product":
                    value = prod(args)
                case "threshold":
                    value = int(sum(args) >= bound)
                case "mixed":
                    value = args[-1] * args[0] + sum(args[1:-1]) if args else 0
                case _:
                    value = rng.randrange(size)
            if coin > 1:
                match noisy:
                    case "added":
                        value += tossed
                    case "instead":
                        value = value if tossed else bound
                    case _:
                        value = rng.randrange(size)
            table.append(None if refused is not None and refused(args) else value % size)
        return tuple(table)

    def refusal(self, sizes: Sequence[int]) -> Callable[[Sequence[int]], bool]:
        wrong = [self.rng.randrange(size) for size in sizes]
        only = self.rng.randrange(len(sizes)) if sizes and self.chance(0.5) else None

        def refused(args: Sequence[int]) -> bool:
            if only is not None:
                return bool(args[only] == wrong[only])
            return list(args) == wrong and bool(args)

        return refused

    def ideal(self, script: Script) -> tuple[Handed, ...]:
        """Return what the ideal world hands out: nothing, or sums of secrets to some parties."""
        eligible = list(ideal_secrets(script))
        if not eligible or self.chance(0.35):
            return ()
        values = values_of(script)
        handed = []
        for _ in range(self.rng.choice([1, 1, 2, 3])):
            first = self.rng.choice(eligible)
            alike = [name for name in eligible if values[name].size == values[first].size]
            terms: list[tuple[int, tuple[str, ...]]] = []
            count = self.rng.choice([1, 2, 2, len(alike)])
            for name in self.rng.sample(alike, min(count, len(alike))):
                factor = self.rng.randrange(1, values[first].size)
                names = (name, self.rng.choice(alike)) if self.chance(0.15) else (name,)
                terms.append((factor, names))
            handed.append(Handed(self.rng.choice(script.parties), tuple(terms)))
        return tuple(handed)
