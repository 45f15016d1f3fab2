"""Verdicts on random scripts with seeds, keys and boxes, compared with an enumeration.

`python -m tests.harness.random_functions --seeds 0:5000` prints how many verdicts are decided, and
how many are wrong. None may be wrong.

Theory of operation
-------------------

Alice has secrets and draws coins. She makes sums, random rows, agreed seeds and boxes from them,
and sends some arrays to eve. The words of all arrays are elements of F_3.

*The tool* judges a run of the script in which each word is written 64 times: an array of two words
has 128 elements, and element i of word j takes part in the same sums for each i. So a word of a
seed has 64 log2(3) = 101 bits. One free word makes a seed hard to guess, and no free word makes it
easy. Thus most verdicts are decided although the field is small.

*The enumeration* takes each word once, and goes through all coins, all secrets, and random
functions on F_3. It is written from docs/concepts/ideal-primitives.md and shares no code with the
tool. An array is a tuple of words; a word is a sum of *symbols*; a symbol is a coin, a secret, the
number 1, or a word of a random row.

1. *Known seeds*, by the rules of the page: the rows of all seeds that are not known are fresh
   coins; the enumeration then shows which seeds are a function of what eve sees. Repeat with these.
2. *The new world*. The rows of the seeds that the tool calls unknown are fresh coins. All other
   seeds, also those that the tool forgot, use a random function that is given to eve as a complete
   table. A public key of a seed in the first group tells nothing. A public key or a signature of
   another seed tells the seed. A box of an unknown key tells nothing; another box tells its key and
   its content.

If a verdict says *nothing* or *output-only*, then the following must hold, exactly, for each table:

- the law of the view in the new world is the same for all secrets (with the same ideal output; eve
  then counts as knowing the ideal output);
- given the view and the secrets, an unknown seed with f free words according to the tool has no
  value with a probability above 3^-f;
- given the view and the secrets, two unknown seeds that are stretched, or used as secret keys, are
  equal with a probability of at most 1/3, or their difference is a function of the view.

Why this is sound: in the run of the tool all words are written 64 times, and its coins and fresh
rows are independent. So its new world is 64 independent copies of this one (the secrets of the
copies may differ), and the probabilities are taken to the power of 64. Then
docs/proofs/ideal-primitives.md leads from the new world to the real one. That proof is tested by
itself: `check_coupling` compares the law of the real view, with random functions that are sampled
lazily, and with some answers of the random function to eve's own questions, with the law in the
new world. They may differ by at most the probability that a question hits an unknown seed, or that
two unknown seeds are equal.

If a verdict says that eve learns *at least* something, the laws of the view must differ in the new
world in which the seeds of step 1 are known.
"""

import argparse
import itertools
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from simnet import (
    Field,
    FieldArray,
    Party,
    Run,
    Seat,
    SimnetError,
    Tag,
    constant,
    run,
    verdict,
)
from simnet.adversary.deductions import Deductions
from simnet.adversary.verdict import Verdict
from simnet.linear.seeds import form_key, split_rows
from simnet.values.sealed import Sealed

Q = 3
FIELD = Field(Q)
LANES = 64  # how often the tool's run writes each word
MOST_WORDS = 9  # the largest number of words that an enumeration goes through
MOST_SYMBOLS = 6  # the same, where random functions are sampled where they are asked

Word = frozenset[tuple[int, int]]  # symbols with coefficients 1 or 2
Form = tuple[Word, ...]
Values = npt.NDArray[np.int64]


# Scripts.


@attrs.frozen
class Step:
    """One array that alice makes from the arrays of earlier steps, which `of` names by number."""

    kind: str  # secret, coins, eve, plain, sum, turned, part, pair, row or agreed
    of: tuple[int, ...] = ()
    numbers: tuple[int, ...] = ()  # coefficients of a sum; the words of plain numbers; a place
    width: int = 1  # the number of words
    label: str = ""

    def __str__(self) -> str:
        made = f"{self.kind}{list(self.of)}" if self.of else self.kind
        numbers = f" {list(self.numbers)}" if self.numbers else ""
        return f"{made}{numbers}{f' {self.label!r}' if self.label else ''} ({self.width})"


@attrs.frozen
class Sent:
    """One message to eve: an array, the public key or a signature of a secret key, or a box."""

    kind: str  # rows, public key, signature or box
    of: tuple[int, ...]  # for a box: its key and its content


@attrs.frozen
class Script:
    """What alice does. `handed` are sums of words of the secret that the ideal world gives eve."""

    steps: tuple[Step, ...]
    sent: tuple[Sent, ...]
    handed: tuple[tuple[int, ...], ...] = ()

    def __str__(self) -> str:
        lines = [f"  {place}: {step}" for place, step in enumerate(self.steps)]
        lines += [f"  send {sent.kind} {list(sent.of)}" for sent in self.sent]
        lines += [f"  the ideal world hands eve {list(sums)}" for sums in self.handed]
        return "\n".join(lines)


def drawn(seed: int) -> Script:
    """A random script."""
    return _Drawing(random.Random(seed)).script()


class _Drawing:
    """Draws one script, step by step."""

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice
        self._wide = 2 if dice.random() < 0.3 else 1  # the largest width
        self._steps = [Step("secret", width=self._width())]

    def script(self) -> Script:
        for _ in range(self._dice.randint(3, 10)):
            self._steps.append(self._step())
        sent = tuple(self._message() for _ in range(self._dice.randint(1, 4)))
        handed: tuple[tuple[int, ...], ...] = ()
        if self._dice.random() < 0.25:
            handed = (tuple(self._dice.randrange(Q) for _ in range(self._steps[0].width)),)
        return Script(tuple(self._steps), sent, tuple(sums for sums in handed if any(sums)))

    def _width(self) -> int:
        return self._dice.choice([1, self._wide])

    def _place(self, width: int) -> int:
        """An earlier array of this width; new coins if there is none."""
        places = [place for place, step in enumerate(self._steps) if step.width == width]
        if not places:
            self._steps.append(Step("coins", width=width))
            return len(self._steps) - 1
        return self._dice.choice(places)

    def _seed(self) -> int:
        """An array that is used as a seed or a key."""
        place = self._place(self._width())
        # A seed that is a secret is nearly always undecided, so we draw such seeds less often.
        if self._steps[place].kind in ("secret", "plain") and self._dice.random() < 0.7:
            self._steps.append(Step("coins", width=self._steps[place].width))
            return len(self._steps) - 1
        return place

    def _step(self) -> Step:
        dice, width = self._dice, self._width()
        kind = dice.choices(
            ["coins", "eve", "plain", "sum", "turned", "part", "pair", "row", "agreed"],
            [5, 1, 0.5, 6, 0.5, 0.5, 0.5, 6, 2],
        )[0]
        if kind == "sum":
            of = tuple(self._place(width) for _ in range(dice.choice([2, 2, 2, 3])))
            return Step(kind, of, tuple(dice.choice([1, 2]) for _ in of), width)
        if kind == "plain":
            return Step(kind, (), tuple(dice.randrange(Q) for _ in range(width)), width)
        if kind == "turned":
            return Step(kind, (self._place(2),), (), 2)
        if kind == "part":
            return Step(kind, (self._place(2),), (dice.randrange(2),), 1)
        if kind == "pair":
            return Step(kind, (self._place(1), self._place(1)), (), 2)
        if kind in ("row", "agreed"):
            of = tuple(self._seed() for _ in range(1 if kind == "row" else 2))
            return Step(kind, of, (), width, dice.choice("aab"))
        return Step(kind, (), (), width)

    def _message(self) -> Sent:
        kind = self._dice.choices(["rows", "public key", "signature", "box"], [8, 2, 0.7, 2])[0]
        late = max(self._dice.randrange(len(self._steps)) for _ in range(2))
        if kind == "rows":
            return Sent(kind, (late,))
        key = self._seed()
        return Sent(kind, (key, late) if kind == "box" else (key,))


# The tool.


class Played:
    """A script as a protocol, in which each word is written `LANES` times.

    `queries` are the places of the arrays that were used as seeds or keys, by their length and
    form in the symbolic reading.
    """

    def __init__(self, script: Script) -> None:
        self.script = script
        self.queries: dict[tuple[int, bytes], int] = {}

    def parties(self) -> dict[str, Seat]:
        return {"alice": Seat(self.alice), "eve": Seat(self.eve)}

    @staticmethod
    def words(number: Sequence[int]) -> Sequence[int]:
        """Alice's secret is her input."""
        return number

    async def alice(self, me: Party, number: Sealed) -> None:
        arrays: list[FieldArray] = []
        for place, step in enumerate(self.script.steps):
            if step.kind == "eve":
                array = await me.receive(Tag(f"own {place}"), "eve", shape=(step.width * LANES,))
            else:
                array = self._made(me, step, arrays, number)
            arrays.append(array)
        for place, sent in enumerate(self.script.sent):
            first = arrays[sent.of[0]]
            if sent.kind != "rows":
                self._note(sent.of[0], first)
            payload: Any = first
            if sent.kind == "public key":
                payload = me.public_key(first)
            elif sent.kind == "signature":
                payload = me.sign(me.public_key(first))
            elif sent.kind == "box":
                payload = me.encrypt(first, arrays[sent.of[1]])
            await me.send(Tag(f"note {place}"), "eve", payload)

    async def eve(self, me: Party) -> None:
        for place, step in enumerate(self.script.steps):
            if step.kind == "eve":
                own = me.coins.field(FIELD, (step.width * LANES,))
                await me.send(Tag(f"own {place}"), "alice", own)

    def functionality(self, numbers: Sequence[Sealed], users: Sequence[Any]) -> dict[str, Any]:
        size = self.script.steps[0].width * LANES
        secret = users[0].secret(self.words, numbers[0], field=FIELD, shape=(size,))
        sums = [
            sum(
                (
                    secret[place * LANES : (place + 1) * LANES] * weight
                    for place, weight in enumerate(weights)
                ),
                constant(FIELD, [0] * LANES),
            )
            for weights in self.script.handed
        ]
        return {"eve": sums} if sums else {}

    def _made(
        self, me: Party, step: Step, arrays: Sequence[FieldArray], number: Sealed
    ) -> FieldArray:
        of = [arrays[place] for place in step.of]
        size = step.width * LANES
        if step.kind == "secret":
            return me.secret(self.words, number, field=FIELD, shape=(size,))
        if step.kind == "coins":
            return me.coins.field(FIELD, (size,))
        if step.kind == "plain":
            return constant(FIELD, np.repeat(np.array(step.numbers), LANES))
        if step.kind == "sum":
            return sum(
                (array * weight for array, weight in zip(of[1:], step.numbers[1:], strict=True)),
                of[0] * step.numbers[0],
            )
        if step.kind == "turned":
            return of[0][np.r_[LANES : 2 * LANES, 0:LANES]]
        if step.kind == "part":
            return of[0][step.numbers[0] * LANES : (step.numbers[0] + 1) * LANES]
        if step.kind == "pair":
            return of[0].join(of)
        for place, array in zip(step.of, of, strict=True):
            self._note(place, array)
        if step.kind == "row":
            return me.expand(of[0], FIELD, (size,), step.label)
        return me.agree(of[0], me.public_key(of[1]), FIELD, (size,), step.label)

    def _note(self, place: int, array: FieldArray) -> None:
        terms = getattr(array, "terms", None)
        if terms is not None:
            self.queries[array.shape[0], form_key(split_rows(terms, 1)[0])] = place


def judged(script: Script, seed: int) -> tuple[Verdict, Played]:
    """Run the script, and judge eve. Raises `SimnetError` if the tool refuses the run."""
    played = Played(script)
    dice = random.Random(seed)
    secret = [dice.randrange(Q) for _ in range(script.steps[0].width * LANES)]
    done: Run = run(played, {"alice": secret}, seed=seed)
    return verdict(done, "eve"), played


def called_unknown(found: Deductions, played: Played, forms: Sequence[Form]) -> dict[Form, int]:
    """The seeds that the tool calls unknown, with their numbers of free words."""
    word = LANES * np.log2(Q)
    result = {}
    for seed, free_bits in found.unknown_seeds():
        place = played.queries[seed.length, form_key(seed.terms)]
        result[forms[place]] = int(free_bits / word + 1e-9)
    return result


# The enumeration.

ONE = 0


@attrs.frozen
class Symbol:
    """A word that is no sum: `kind` is one, coins, eve, secret, row or agreed.

    `of` are the forms of the seed, or of the two secret keys.
    """

    kind: str
    of: frozenset[Form] = frozenset()
    name: tuple[Any, ...] = ()  # for a random row: its label and its width
    place: int = 0


class Model:
    """The forms of all arrays of a script."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.symbols = [Symbol("one")]
        self._numbers = {self.symbols[0]: ONE}
        self.forms: list[Form] = []
        # How each form is used: seed, secret key or key.
        self.uses: dict[Form, set[str]] = defaultdict(set)
        self.agreed: dict[frozenset[Form], list[Form]] = defaultdict(list)
        for place, step in enumerate(script.steps):
            self.forms.append(self._form(place, step))
        self.public = {self.forms[sent.of[0]] for sent in script.sent if sent.kind == "public key"}
        for sent in script.sent:
            if sent.kind != "rows":
                use = "key" if sent.kind == "box" else "secret key"
                self.uses[self.forms[sent.of[0]]].add(use)
        self.own = [
            form for form, step in zip(self.forms, script.steps, strict=True) if step.kind == "eve"
        ]
        self.secret = self.forms[0]
        self.handed = [_sum(zip(self.secret, weights, strict=True)) for weights in script.handed]

    def _form(self, place: int, step: Step) -> Form:
        of = [self.forms[each] for each in step.of]
        if step.kind in ("secret", "coins", "eve"):
            return self._fresh(Symbol(step.kind, name=(place,)), step.width)
        if step.kind == "plain":
            return tuple(_sum([(_single(ONE), number)]) for number in step.numbers)
        if step.kind == "sum":
            return tuple(
                _sum(zip(words, step.numbers, strict=True)) for words in zip(*of, strict=True)
            )
        if step.kind == "turned":
            return of[0][::-1]
        if step.kind == "part":
            return (of[0][step.numbers[0]],)
        if step.kind == "pair":
            return of[0] + of[1]
        name = (step.label, step.width)
        form = self._fresh(Symbol(step.kind, frozenset(of), name), step.width)
        for each in of:
            self.uses[each].add("seed" if step.kind == "row" else "secret key")
        if step.kind == "agreed":
            self.agreed[frozenset(of)].append(form)
        return form

    def _fresh(self, symbol: Symbol, width: int) -> Form:
        """The words of a new symbol; equal symbols are one."""
        form = []
        for place in range(width):
            each = attrs.evolve(symbol, place=place)
            if each not in self._numbers:
                self._numbers[each] = len(self.symbols)
                self.symbols.append(each)
            form.append(_single(self._numbers[each]))
        return tuple(form)


def _single(symbol: int) -> Word:
    return frozenset([(symbol, 1)])


def _sum(words: Iterable[tuple[Word, int]]) -> Word:
    total: Counter[int] = Counter()
    for word, weight in words:
        for symbol, coefficient in word:
            total[symbol] += weight * coefficient
    return frozenset((symbol, value % Q) for symbol, value in total.items() if value % Q)


class TooLarge(Exception):
    """Raised for a script with too many coins to go through all of them."""


class World:
    """All values of all arrays of a script, one for each outcome of the coins and the secrets.

    The rows of the seeds in `fresh` are fresh coins. All other rows are looked up in tables, which
    are drawn from `tables`. With `is_generator`, the rows of all seeds of one width are the words
    of a permutation of the seed, so that a uniform seed gives uniform rows. Raises `TooLarge`, also
    if there are more words of rows than words of a seed.
    """

    def __init__(
        self, model: Model, fresh: frozenset[Form], tables: int, is_generator: bool = False
    ) -> None:
        self.model, self.fresh, self._tables = model, fresh, tables
        self._is_generator = is_generator
        # For each width of seeds, the words of rows.
        self._outputs: dict[int, list[Any]] = defaultdict(list)
        roots = [model.secret, *model.own, tuple(model.handed), *fresh]
        for sent in model.script.sent:
            roots += [model.forms[place] for place in sent.of]
        for forms in model.agreed.values():
            roots += forms
        needed = self.needed = self._needed(roots)
        drawn_symbols = [number for number in needed if self._is_drawn(model.symbols[number])]
        if len(drawn_symbols) > MOST_WORDS:
            raise TooLarge
        everything = np.arange(Q ** len(drawn_symbols))
        self.uses_tables = False
        self._values: dict[int, Values] = {ONE: np.ones_like(everything)}
        for at, number in enumerate(drawn_symbols):
            self._values[number] = everything // Q**at % Q
        for number in needed:
            if number not in self._values:
                self._values[number] = self._looked_up(model.symbols[number])
                self.uses_tables = True

    def word(self, word: Word) -> Values:
        """The value of a word in each outcome."""
        total = np.zeros_like(self._values[ONE])
        for symbol, coefficient in word:
            total += coefficient * self._values[symbol]
        return total % Q

    def code(self, words: Iterable[Word]) -> Values:
        """A number for the values of some words in each outcome."""
        code = np.zeros_like(self._values[ONE])
        for word in words:
            code = np.unique(code * Q + self.word(word), return_inverse=True)[1].reshape(-1)
        return code

    def plain_code(self, form: Form) -> Values:
        """The values of an array as one number with base 3."""
        return sum(
            (self.word(word) * Q**at for at, word in enumerate(form)), 0 * self.word(form[0])
        )

    def view(self, known: frozenset[Form]) -> list[Word]:
        """The words that eve sees; `known` are the seeds that she knows."""
        words = [word for form in self.model.own for word in form]
        for sent in self.model.script.sent:
            forms = [self.model.forms[place] for place in sent.of]
            if sent.kind == "rows" or forms[0] not in self.fresh:
                words += [word for form in forms for word in form]
        for keys, agreed in self.model.agreed.items():
            if knows_agreement(keys, known, self.model.public):
                words += [word for form in agreed for word in form]
        return words

    def _is_drawn(self, symbol: Symbol) -> bool:
        if symbol.kind in ("row", "agreed"):
            return not self.fresh.isdisjoint(symbol.of)
        return symbol.kind != "one"

    def _needed(self, roots: Iterable[Form]) -> list[int]:
        found: set[int] = set()
        pending = [symbol for form in roots for word in form for symbol, _ in word]
        while pending:
            number = pending.pop()
            if number not in found:
                found.add(number)
                symbol = self.model.symbols[number]
                if not self._is_drawn(symbol):
                    pending += [each for form in symbol.of for word in form for each, _ in word]
        return sorted(found)

    def _looked_up(self, symbol: Symbol) -> Values:
        forms = sorted(symbol.of, key=len)
        codes = [self.plain_code(form) for form in forms]
        widths = tuple(map(len, forms))
        if symbol.kind == "agreed":
            if len(forms) == 1:
                forms, codes, widths = forms * 2, codes * 2, widths * 2
            if widths[0] == widths[1]:
                codes = [np.minimum(*codes), np.maximum(*codes)]
        place = codes[0] if len(codes) == 1 else codes[0] * Q ** widths[1] + codes[1]
        name = (self._tables, symbol.kind, widths, symbol.name, symbol.place)
        size = Q ** sum(widths)
        if self._is_generator and symbol.kind == "row":
            return self._generated(widths[0], (symbol.name, symbol.place), place)
        dice = random.Random(repr(name))
        # Every fourth table is as injective as it can be.
        each = [at // Q**symbol.place % Q for at in range(size)]
        dice.shuffle(each)
        if self._tables % 4:
            each = [dice.randrange(Q) for _ in range(size)]
        return np.array(each)[place]

    def _generated(self, width: int, name: Any, place: Values) -> Values:
        outputs = self._outputs[width]
        if name not in outputs:
            outputs.append(name)
        if len(outputs) > width:
            raise TooLarge
        codes = list(range(Q**width))
        random.Random(repr((self._tables, width))).shuffle(codes)
        return np.array(codes)[place] // Q ** outputs.index(name) % Q


def knows_agreement(
    keys: frozenset[Form], known: frozenset[Form], public: frozenset[Form] | set[Form]
) -> bool:
    """Whether eve can compute an agreed seed: she knows one secret key, and the other secret key
    or its public key.
    """
    pair = list(keys) * 2 if len(keys) == 1 else list(keys)
    return any(
        mine in known and (other in known or other in public)
        for mine, other in itertools.permutations(pair, 2)
    )


def known_seeds(model: Model, with_handed: bool) -> frozenset[Form]:
    """The seeds that eve knows, by the rules of the page; `with_handed` gives her the ideal output
    too.
    """
    known: frozenset[Form] = frozenset()
    every = frozenset(model.uses)
    while True:
        world = World(model, every - known, tables=0)
        words = world.view(known) + (model.handed if with_handed else [])
        view = world.code(words)
        more = {form for form in every - known if _is_function(world.plain_code(form), view)}
        if not more:
            return known
        known |= more


def _is_function(values: Values, of: Values) -> bool:
    """Whether one array is a function of another."""
    return len(np.unique(of * (int(values.max()) + 1) + values)) == len(np.unique(of))


def _counts(rows: Values, columns: Values) -> Values:
    width = int(columns.max()) + 1
    counts = np.bincount(rows * width + columns, minlength=(int(rows.max()) + 1) * width)
    return counts.reshape(-1, width)


def law_depends(world: World, known: frozenset[Form], with_handed: bool) -> bool:
    """Whether the law of the view depends on the secret; if `with_handed`, whether it does among
    secrets with the same ideal output.
    """
    view, secret = world.code(world.view(known)), world.plain_code(world.model.secret)
    counts = _counts(view, secret)
    groups = defaultdict(set)
    handed = world.code(world.model.handed if with_handed else [])
    for value, group in zip(secret.tolist(), handed.tolist(), strict=True):
        groups[group].add(value)
    return any(
        np.any(counts[:, sorted(group)] != counts[:, [min(group)]]) for group in groups.values()
    )


# The comparison.


@attrs.frozen
class Outcome:
    """What came out for one script: the verdict, and what is wrong with it, if anything."""

    finding: str
    wrong: str = ""


def check(script: Script, seed: int) -> Outcome:
    """Compare the verdict on a script with the enumeration. Raises `TooLarge`.

    `check_real` is the same with the real view in place of the new one.
    """
    model = Model(script)
    least, most = known_seeds(model, False), known_seeds(model, True)
    try:
        found, played = judged(script, seed)
    except SimnetError as error:
        return Outcome("refused: " + str(error)[:40])
    wrong = _wrong_least(model, least, found)
    if not wrong and found.at_most != "leaks":
        # A view that tells nothing does so for somebody without the ideal output, too.
        known = least if found.at_most == "nothing" else most
        wrong = _wrong_most(model, known, found, played)
    return Outcome(found.finding, wrong)


def check_real(script: Script, seed: int, questions: Sequence[int] = (1,)) -> Fraction | None:
    """Return how far the real view is from the new view, for a verdict with an upper end below
    `leaks`; None for another verdict.

    Raises `AssertionError` if this is more than the probability of an unlucky event. Raises
    `TooLarge`.
    """
    model = Model(script)
    known = known_seeds(model, with_handed=False)
    if len(World(model, frozenset(), 0).needed) > MOST_SYMBOLS:
        raise TooLarge
    try:
        found, played = judged(script, seed)
    except SimnetError:
        return None
    if found.at_most == "leaks":
        return None
    unknown = called_unknown(found.bounds.most, played, model.forms)
    excess, distance = check_coupling(model, known, unknown, questions)
    assert excess <= 0, f"the real view is further away than proved, by {excess}\n{script}"
    return distance


def check_generator(script: Script, seed: int) -> str | None:
    """Say what is wrong with a verdict that finds a pseudo-random generator enough: an empty text
    if nothing is, and None for another verdict. Raises `TooLarge`.

    A permutation of the seed gives uniform rows if the seed is uniform, as a generator does, and
    everybody can invert it. So with each permutation in place of the random function, the law of
    the view must be the same for all secrets.
    """
    model = Model(script)
    try:
        found, _ = judged(script, seed)
    except SimnetError:
        return None
    if found.at_most == "leaks" or not any("is enough in place" in note for note in found.notes):
        return None
    is_nothing = found.at_most == "nothing"
    known = known_seeds(model, with_handed=not is_nothing)
    for tables in range(6):
        world = World(model, frozenset(), tables, is_generator=True)
        if law_depends(world, known, with_handed=not is_nothing):
            return f"a permutation in place of the random function tells something:\n{script}"
    return ""


def _wrong_least(model: Model, known: frozenset[Form], found: Verdict) -> str:
    if found.at_least == "nothing":
        return ""
    world = World(model, frozenset(model.uses) - known, tables=0)
    if not law_depends(world, known, with_handed=found.at_least == "leaks"):
        return f"at least {found.at_least}: the law of the view does not depend on the secret"
    return ""


def _wrong_most(model: Model, known: frozenset[Form], found: Verdict, played: Played) -> str:
    unknown = called_unknown(found.bounds.most, played, model.forms)
    if clash := known & unknown.keys():
        return f"at most {found.at_most}: a seed is called unknown that is known: {clash}"
    for tables in range(4):
        world = World(model, frozenset(unknown), tables)
        if law_depends(world, known, with_handed=found.at_most == "output-only"):
            return f"at most {found.at_most}: the law of the view depends on the secret"
        handed = model.handed if found.at_most == "output-only" else []
        view = world.code([*world.view(known), *handed])
        if wrong := _wrong_seeds(world, view, unknown):
            return f"at most {found.at_most}: {wrong}"
        if not world.uses_tables:
            return ""
    return ""


def _wrong_seeds(world: World, view: Values, unknown: Mapping[Form, int]) -> str:
    """Say which of the unknown seeds can be guessed, or may be equal; an empty text if none."""
    given = np.unique(view * Q**2 + world.plain_code(world.model.secret), return_inverse=True)[1]
    given = given.reshape(-1)
    for form, free in unknown.items():
        counts = _counts(given, world.plain_code(form))
        if free < 1:
            return "a seed without free words is accepted"
        if np.any(counts.max(axis=1) * Q**free > counts.sum(axis=1)):
            return f"a seed with {free} free words takes a value too often"
    for one, other in itertools.combinations(unknown, 2):
        shared = world.model.uses[one] & world.model.uses[other] - {"key"}
        if len(one) != len(other) or not shared:
            continue
        difference = tuple(
            _sum([(mine, 1), (others, Q - 1)]) for mine, others in zip(one, other, strict=True)
        )
        code = world.plain_code(difference)
        is_equal = _counts(given, (code == 0).astype(np.int64))
        often = is_equal.shape[1] > 1 and np.any(is_equal[:, 1] * Q > is_equal.sum(axis=1))
        if often and not _is_function(code, view):
            return "two seeds may be equal"
    return ""


# The proof's step from the new world to the real one.


def check_coupling(
    model: Model, known: frozenset[Form], unknown: Iterable[Form], questions: Sequence[int]
) -> tuple[Fraction, Fraction]:
    """Return the largest distance of the real view from the new view, over all secrets, minus the
    probability of an unlucky event; and the largest distance.

    The first number must not be positive. Eve asks the random functions at the values `questions`.
    """
    fresh = frozenset(unknown)
    width = len(model.secret)
    worst = (Fraction(-1), Fraction(0))
    for secret in itertools.product(range(Q), repeat=width):
        real: dict[Any, Fraction] = defaultdict(Fraction)
        new: dict[Any, Fraction] = defaultdict(Fraction)
        unlucky = Fraction(0)
        for view, _, weight in _Lazy(model, known, frozenset(), fresh, questions, secret).views():
            real[view] += weight
        for view, is_unlucky, weight in _Lazy(
            model, known, fresh, fresh, questions, secret
        ).views():
            new[view] += weight
            unlucky += weight * is_unlucky
        distance = sum((abs(real[view] - new[view]) for view in real | new), Fraction(0)) / 2
        worst = max(worst[0], distance - unlucky), max(worst[1], distance)
    return worst


class _Lazy:
    """The exact law of the real view, or of the new view, with random functions that are sampled
    where they are asked.

    A public key or a signature is a random function with so many values that two are equal only for
    equal secret keys: eve sees which of them are equal.
    """

    def __init__(
        self,
        model: Model,
        known: frozenset[Form],
        fresh: frozenset[Form],
        unknown: frozenset[Form],
        questions: Sequence[int],
        secret: Sequence[int],
    ) -> None:
        self.model, self.known, self.fresh, self.unknown = model, known, fresh, unknown
        self.questions = questions
        self.secret = dict(enumerate(secret))
        worlds = [World(model, each, 0) for each in (frozenset(), unknown)]
        self.needed = sorted({number for world in worlds for number in world.needed})
        computed = {ONE, *self.needed}
        # The seeds and keys that have a value in both worlds; no other is seen.
        self.uses = {
            form: uses
            for form, uses in model.uses.items()
            if all(symbol in computed for word in form for symbol, _ in word)
        }

    def views(self) -> Iterator[tuple[Any, bool, Fraction]]:
        """Yield views with their weights, and whether an unlucky event happens."""
        yield from self._go_on(0, {ONE: 1}, {}, Fraction(1))

    def _go_on(
        self, at: int, values: dict[int, int], table: dict[Any, int], weight: Fraction
    ) -> Iterator[tuple[Any, bool, Fraction]]:
        if at == len(self.needed):
            yield from self._seen(values, table, weight)
            return
        number = self.needed[at]
        symbol = self.model.symbols[number]
        if symbol.kind == "one":
            yield from self._go_on(at + 1, values, table, weight)
        elif symbol.kind == "secret":
            each = {**values, number: self.secret[symbol.place]}
            yield from self._go_on(at + 1, each, table, weight)
        elif symbol.kind in ("coins", "eve"):
            for value in range(Q):
                yield from self._go_on(at + 1, {**values, number: value}, table, weight / Q)
        else:
            if self.fresh.isdisjoint(symbol.of):
                inputs = sorted(self._value(form, values) for form in symbol.of)
                inputs *= 2 if symbol.kind == "agreed" and len(inputs) == 1 else 1
                query: Any = (symbol.kind, tuple(inputs), symbol.name, symbol.place)
            else:
                query = (symbol,)
            for value, filled, share in _asked(table, query, weight):
                yield from self._go_on(at + 1, {**values, number: value}, filled, share)

    def _seen(
        self, values: dict[int, int], table: dict[Any, int], weight: Fraction
    ) -> Iterator[tuple[Any, bool, Fraction]]:
        model = self.model
        view: list[Any] = [self._value(form, values) for form in model.own]
        handles: list[Any] = []
        for sent in model.script.sent:
            forms = [model.forms[place] for place in sent.of]
            value = self._value(forms[0], values)
            handle = forms[0] if forms[0] in self.fresh else value
            if sent.kind == "rows":
                view.append(value)
            elif sent.kind == "box":
                guesses = [self._digits(guess, len(forms[0])) for guess in self.questions]
                is_guessed = forms[0] not in self.fresh and value in guesses
                is_open = forms[0] in self.known or is_guessed
                view.append(self._value(forms[1], values) if is_open else None)
            else:
                handles.append((sent.kind, handle))
        widths = {len(form) for form in model.uses if "secret key" in model.uses[form]}
        for width, guess, kind in itertools.product(
            sorted(widths), self.questions, ("public key", "signature")
        ):
            handles.append((kind, self._digits(guess, width)))
        view.append(tuple(handles.index(handle) for handle in handles))
        for keys, agreed in model.agreed.items():
            if knows_agreement(keys, self.known, model.public):
                view += [self._value(form, values) for form in agreed]
        asked = self._queries(values)
        is_unlucky = self._is_unlucky(values)

        def answers(
            place: int, table: dict[Any, int], weight: Fraction, found: tuple[int, ...]
        ) -> Iterator[tuple[Any, bool, Fraction]]:
            if place == len(asked):
                yield (*view, found), is_unlucky, weight
                return
            for value, filled, each in _asked(table, asked[place], weight):
                yield from answers(place + 1, filled, each, (*found, value))

        yield from answers(0, table, weight, ())

    def _queries(self, values: dict[int, int]) -> list[Any]:
        """What eve asks the random functions."""
        queries: dict[Any, None] = {}
        for symbol in self.model.symbols:
            for guess in self.questions:
                if symbol.kind == "row":
                    (form,) = symbol.of
                    inputs = (self._digits(guess, len(form)),)
                    queries["row", inputs, symbol.name, symbol.place] = None
                elif symbol.kind == "agreed":
                    forms = list(symbol.of) * (2 if len(symbol.of) == 1 else 1)
                    for mine, other in itertools.permutations(forms, 2):
                        if mine in self.known and mine in self.uses:
                            pair = [self._value(mine, values), self._digits(guess, len(other))]
                            queries["agreed", tuple(sorted(pair)), symbol.name, symbol.place] = None
        return list(queries)

    def _is_unlucky(self, values: dict[int, int]) -> bool:
        """Whether a question hits an unknown seed, or two unknown seeds are equal."""
        uses = self.uses
        for form in self.unknown:
            value = self._value(form, values)
            if value in [self._digits(guess, len(form)) for guess in self.questions]:
                return True
            for other in uses:
                if (
                    other != form
                    and uses[other] & uses[form] - {"key"}
                    and self._value(other, values) == value
                ):
                    return True
        return False

    @staticmethod
    def _digits(guess: int, width: int) -> tuple[int, ...]:
        return tuple(guess // Q**at % Q for at in range(width))

    @staticmethod
    def _value(form: Form, values: Mapping[int, int]) -> tuple[int, ...]:
        return tuple(
            sum(coefficient * values[symbol] for symbol, coefficient in word) % Q for word in form
        )


def _asked(
    table: dict[Any, int], query: Any, weight: Fraction
) -> Iterator[tuple[int, dict[Any, int], Fraction]]:
    """Yield each answer of a random function to a query, with the table that remembers it."""
    if query in table:
        yield table[query], table, weight
        return
    for value in range(Q):
        yield value, {**table, query: value}, weight / Q


# Many scripts.


def check_seeds(seeds: Iterable[int]) -> tuple[Counter[str], list[str]]:
    """Check the scripts of these seeds. Return counts, and a text for each wrong verdict."""
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    for seed in seeds:
        script = drawn(seed)
        try:
            outcome = check(script, seed)
        except TooLarge:
            counts["too large"] += 1
            continue
        counts[outcome.finding] += 1
        if outcome.wrong:
            counts["wrong"] += 1
            wrong.append(f"seed {seed}: {outcome.wrong}\n{script}")
    return counts, wrong


def check_proofs(seeds: Iterable[int]) -> tuple[Counter[str], list[str]]:
    """Check the real view, and generators in place of the random function, for the scripts of these
    seeds that are small enough. Return counts, and a text for each failure.
    """
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    for seed in seeds:
        script = drawn(seed)
        try:
            with_generator = check_generator(script, seed)
        except TooLarge:
            with_generator = None
        if with_generator is not None:
            counts["a generator is enough"] += 1
            wrong += [with_generator] * bool(with_generator)
        if len(script.steps) > 7 or len(script.sent) > 2:
            continue
        try:
            distance = check_real(script, seed)
        except TooLarge:
            continue
        except AssertionError as error:
            wrong.append(str(error))
            continue
        if distance is not None:
            counts["real view at a distance" if distance else "real view as the new one"] += 1
    return counts, wrong


def main() -> int:
    """Check a range of seeds; the exit status is 1 if a verdict is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", default="0:5000", help="FIRST:AFTER")
    first, after = map(int, parser.parse_args().seeds.split(":"))
    started = time.monotonic()
    counts, wrong = check_seeds(range(first, after))
    others, failures = check_proofs(range(first, after))
    counts += others
    wrong += failures
    for finding, count in sorted(counts.items()):
        sys.stdout.write(f"{count:8,} {finding}\n")
    sys.stdout.write(f"{time.monotonic() - started:8.0f} s\n")
    for text in wrong[:5]:
        sys.stdout.write(f"\n{text}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
