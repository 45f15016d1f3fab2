"""Changes of small scripts: other names in a step, and shorter scripts.

`smaller` yields scripts that lack one thing; a search for the smallest script that refutes a
verdict uses it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from math import prod
from typing import TypeVar

import attrs

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

Rename = Callable[[str], str | None]
Door = Secret | Disclose | Output
T = TypeVar("T")


def made_by(step: Step) -> tuple[str, ...]:
    """Return the values that a step makes."""
    match step:
        case Coins() | Secret():
            return step.makes
        case Take():
            return step.forms + step.plain
        case Block():
            return step.coins
        case Send() | Share():
            return ()
        case _:
            return (step.makes,)


def renamed(step: Step, rename: Rename) -> Step | None:
    """Return the step with other values in place of the values that it needs.

    Returns None if `rename` has no replacement for a value that the step cannot do without.
    """
    try:
        return _renamed(step, rename)
    except _Missing:
        return None


class _Missing(Exception):
    """Raised for a step that has to be left out because a value that it uses has been left out."""


def _renamed(step: Step, rename: Rename) -> Step:  # noqa: C901  # one case a step
    def one(name: str) -> str:
        other = rename(name)
        if other is None:
            raise _Missing
        return other

    def number(number: Number) -> Number:
        if isinstance(number, Pick):
            return attrs.evolve(number, by=tuple(one(name) for name in number.by))
        return number

    def arguments(args: tuple[Argument, ...]) -> tuple[Argument, ...]:
        return tuple(
            one(arg) if isinstance(arg, str) else tuple(one(name) for name in arg) for arg in args
        )

    def terms(old: Terms, own: Sequence[str] = ()) -> Terms:
        kept = []
        for factor, name in old:
            other = name if name in own else rename(name)
            if other is not None:
                kept.append((number(factor), other))
        if not kept:
            raise _Missing
        return tuple(kept)

    match step:
        case Coins():
            return attrs.evolve(step, when=number(step.when))
        case Secret() | Disclose():
            return attrs.evolve(step, args=arguments(step.args), when=number(step.when))
        case Output():
            return attrs.evolve(step, args=arguments(step.args))
        case Open() | Turn():
            return attrs.evolve(step, form=one(step.form))
        case Mix():
            return attrs.evolve(step, terms=terms(step.terms), constant=number(step.constant))
        case Times():
            return attrs.evolve(step, left=one(step.left), right=one(step.right))
        case Send():
            choices = tuple(
                tuple(tuple(one(name) for name in message) for message in choice)
                for choice in step.choices
            )
            return attrs.evolve(
                step,
                choices=choices,
                which=number(step.which),
                addressee=number(step.addressee),
                tag_number=number(step.tag_number),
                plain=tuple(one(name) for name in step.plain),
            )
        case Take():
            return attrs.evolve(step, when=number(step.when))
        case Share():
            return attrs.evolve(step, rows=tuple(one(name) for name in step.rows))
        case Block():
            return attrs.evolve(step, rows=tuple(terms(row, step.coins) for row in step.rows))
        case Toss() | Total():
            return step


def repaired(script: Script) -> Script | None:
    """Return the script without the steps whose values or messages are missing, and without the
    steps that depend on these.

    Returns None if no step is left, or if a sum would leave out a message.
    """
    known = {input_name(who) for who, _ in script.inputs}
    steps: list[Step] = []
    sent: dict[
        str, tuple[int, int]
    ] = {}  # the numbers of forms and of plain values in the message, by tag
    rows: set[tuple[str, str, str]] = set()
    read: set[tuple[str, str, str]] = set()

    def found(name: str) -> str | None:
        return name if name in known else None

    for step in script.steps:
        kept = renamed(step, found)
        if isinstance(kept, Take) and sent.get(kept.tag) != (len(kept.forms), len(kept.plain)):
            continue
        if isinstance(kept, Total):
            senders = tuple(one for one in kept.senders if (kept.tag, one, kept.who) in rows)
            read |= {(kept.tag, one, kept.who) for one in senders}
            kept = attrs.evolve(kept, senders=senders) if senders else None
        if kept is None:
            continue
        if isinstance(kept, Share | Block):
            rows |= {(kept.tag, kept.who, to) for to in kept.to}
        if isinstance(kept, Send) and is_fixed(kept):
            sent[kept.tag] = len(kept.choices[0][0]), len(kept.plain)
        steps.append(kept)
        known |= set(made_by(kept))
    sums = {(tag, to) for tag, _, to in read}
    if not steps or any((tag, to) in sums for tag, _, to in rows - read):
        return None
    return _with_ideal(attrs.evolve(script, steps=tuple(steps)))


def _with_ideal(script: Script) -> Script:
    """Return the script with only those outputs of its ideal world whose secrets can still be
    named.
    """
    eligible = set(ideal_secrets(script))
    ideal = []
    for handed in script.ideal:
        terms = tuple(term for term in handed.terms if set(term[1]) <= eligible)
        if terms:
            ideal.append(Handed(handed.to, terms))
    return attrs.evolve(script, ideal=tuple(ideal))


def is_fixed(step: Send) -> bool:
    """Return whether the step sends one message to one party under one tag, whatever is
    disclosed.
    """
    return (
        len(step.choices) == 1
        and len(step.choices[0]) == 1
        and len(step.to) == 1
        and step.tags == 1
        and step.which == step.addressee == step.tag_number == 0
    )


def ideal_secrets(script: Script) -> dict[str, str]:
    """Return the secrets that an ideal world can name, with their holders.

    In the ideal world a holder makes its secrets in the order of its script, but it has neither
    coins nor messages. So the first secret that needs a coin or a message cannot be named, and no
    later secret of this holder can.
    """
    found: dict[str, str] = {}
    over: set[str] = set()
    holders = script.domains
    for step in script.steps:
        if isinstance(step, Secret) and step.who in holders and step.who not in over:
            own = {name for name, who in found.items() if who == step.who}
            own.add(input_name(step.who))
            if step.when == 1 and set(names_in(step.args)) <= own:
                found |= dict.fromkeys(step.makes, step.who)
            else:
                over.add(step.who)
    return found


def smaller(script: Script) -> Iterator[Script]:
    """Yield scripts that lack one thing: a step, a party, an argument, and so on."""
    for candidate in _shorter(script):
        kept = repaired(candidate)
        if kept is not None and kept != script:
            yield kept


def _shorter(script: Script) -> Iterator[Script]:
    steps = script.steps
    for place in range(len(steps)):
        yield attrs.evolve(script, steps=steps[:place] + steps[place + 1 :])
    if script.width > 1:
        narrow = tuple(
            Mix(step.who, step.makes, ((1, step.form),)) if isinstance(step, Turn) else step
            for step in steps
        )
        yield attrs.evolve(script, steps=narrow, width=1)
    for who, _ in script.inputs:
        yield attrs.evolve(script, inputs=tuple(one for one in script.inputs if one[0] != who))
    for place in range(len(script.ideal)):
        yield attrs.evolve(script, ideal=script.ideal[:place] + script.ideal[place + 1 :])
    for place, handed in enumerate(script.ideal):
        for term in range(len(handed.terms)):
            terms = handed.terms[:term] + handed.terms[term + 1 :]
            fewer = (Handed(handed.to, terms),) if terms else ()
            ideal = script.ideal[:place] + fewer + script.ideal[place + 1 :]
            yield attrs.evolve(script, ideal=ideal)
    values = values_of(script)
    for place, step in enumerate(steps):
        for one in _simpler(step, values):
            yield attrs.evolve(script, steps=(*steps[:place], one, *steps[place + 1 :]))


def _simpler(step: Step, values: dict[str, Value]) -> Iterator[Step]:  # noqa: C901  # as above
    for name in ("when", "which", "addressee", "tag_number", "constant"):
        number = getattr(step, name, 0)
        if isinstance(number, Pick):
            for value in sorted(set(number.table)):
                yield attrs.evolve(step, **{name: value})
    match step:
        case Secret() | Disclose() | Output():
            yield from _simpler_doors(step, values)
        case Mix():
            for place in range(len(step.terms) if len(step.terms) > 1 else 0):
                yield attrs.evolve(step, terms=step.terms[:place] + step.terms[place + 1 :])
            for place, (factor, name) in enumerate(step.terms):
                if factor != 1:
                    terms = (*step.terms[:place], (1, name), *step.terms[place + 1 :])
                    yield attrs.evolve(step, terms=terms)
            if step.constant:
                yield attrs.evolve(step, constant=0)
            if step.combined:
                yield attrs.evolve(step, combined=False)
        case Send():
            yield from _simpler_messages(step)
        case Share():
            for place in range(len(step.to) if len(step.to) > 1 else 0):
                yield attrs.evolve(step, to=_cut(step.to, place), rows=_cut(step.rows, place))
        case Block():
            for place in range(len(step.to) if len(step.to) > 1 else 0):
                yield attrs.evolve(step, to=_cut(step.to, place), rows=_cut(step.rows, place))
        case _:
            pass


def _simpler_messages(step: Send) -> Iterator[Step]:
    if step.plain:
        yield attrs.evolve(step, plain=())
    if not isinstance(step.which, Pick) and len(step.choices) > 1:
        yield attrs.evolve(step, choices=(step.choices[step.which],), which=0)
    if not isinstance(step.addressee, Pick) and len(step.to) > 1:
        yield attrs.evolve(step, to=(step.to[step.addressee],), addressee=0)
    if not isinstance(step.tag_number, Pick) and step.tags > 1:
        yield attrs.evolve(step, tags=1, tag_number=0)
    for number, choice in enumerate(step.choices):
        others = [_cut(choice, place) for place in range(len(choice))]
        for place, message in enumerate(choice):
            for position in range(len(message)):
                one = (*choice[:place], _cut(message, position), *choice[place + 1 :])
                others.append(one)
        for other in others:
            choices = (*step.choices[:number], other, *step.choices[number + 1 :])
            yield attrs.evolve(step, choices=choices)


def _simpler_doors(step: Door, values: dict[str, Value]) -> Iterator[Step]:
    names = list(names_in(step.args))
    coin = 1 if isinstance(step, Output) else step.coin
    sizes = [*(values[name].size for name in names), coin]
    if not isinstance(step, Output) and step.coin > 1:
        for outcome in range(step.coin):
            yield attrs.evolve(step, coin=1, table=_at(step.table, sizes, len(names), outcome))
    for place, name in enumerate(names):
        args = _without(step.args, name)
        for value in range(values[name].size):
            yield attrs.evolve(step, args=args, table=_at(step.table, sizes, place, value))
    for place, arg in enumerate(step.args):
        if not isinstance(arg, str):
            yield attrs.evolve(step, args=(*step.args[:place], *arg, *step.args[place + 1 :]))
    if isinstance(step, Secret) and len(step.makes) > 1:
        for place in range(len(step.makes)):
            table = tuple(None if row is None else _cut(row, place) for row in step.table)
            yield attrs.evolve(step, makes=_cut(step.makes, place), table=table)


def _at(table: Sequence[T], sizes: list[int], place: int, value: int) -> tuple[T, ...]:
    """Return the table of a function whose argument number `place` has a given value."""
    inside = prod(sizes[place + 1 :])
    outside = prod(sizes[:place])
    return tuple(
        table[(before * sizes[place] + value) * inside + after]
        for before, after in product(range(outside), range(inside))
    )


def _without(args: tuple[Argument, ...], name: str) -> tuple[Argument, ...]:
    """Return the arguments without the first use of a value."""
    kept: list[Argument] = []
    gone = False
    for arg in args:
        if gone:
            kept.append(arg)
        elif isinstance(arg, str):
            gone = arg == name
            kept += [] if gone else [arg]
        elif name in arg:
            gone = True
            rest = _cut(arg, arg.index(name))
            kept += [rest] if rest else []
        else:
            kept.append(arg)
    return tuple(kept)


def _cut(items: tuple[T, ...], place: int) -> tuple[T, ...]:
    return items[:place] + items[place + 1 :]


def smallest(script: Script, refutes: Callable[[Script], bool], tries: int = 2_000) -> Script:
    """Return a script that still refutes the verdict, and of which nothing can be left out."""
    left = tries

    def better(candidates: Iterable[Script]) -> Script | None:
        nonlocal left
        for candidate in candidates:
            left -= 1
            if left < 0:
                return None
            if refutes(candidate):
                return candidate
        return None

    while (found := better(smaller(script))) is not None:
        script = found
    return script
