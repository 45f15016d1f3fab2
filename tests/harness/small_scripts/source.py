"""Small scripts written as protocols: the Python source that a user would write, ready to run.

Names of values become names of variables, and tables become tuples with an index. Every party
returns its outer coins, its disclosed values and its sealed outputs, as a dictionary by the names
of the values.
"""

import itertools
import linecache
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tests.harness.small_scripts.rewriting import ideal_secrets
from tests.harness.small_scripts.steps import (
    Argument,
    Block,
    Coins,
    Disclose,
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
    input_name,
    names_in,
    values_of,
)

_numbers = itertools.count()

HEADER = """\
import numpy as np

from simnet import Field, Seat, Summed, Tag, bits, constant, index


def known(value):
    if value is None:
        raise ValueError("a door refuses")
    return value


def join(*arrays):
    return type(arrays[0]).join(arrays)


def stack(*arrays):
    return type(arrays[0]).stack(arrays)

"""


def protocol_of(script: Script, *, captured: bool = False) -> Any:
    """Return the protocol of a script. With `captured`, doors read plain values from outside
    instead of getting them as arguments.
    """
    text = source_of(script, captured=captured)
    name = f"<small script {next(_numbers)}>"
    # Error messages that quote a line of the script find the line here.
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {"__name__": "small_script"}
    exec(compile(text, name, "exec"), namespace)
    return namespace["SmallScript"]()


def forget_sources() -> None:
    """Forget the lines of all scripts that were written so far."""
    for name in [name for name in linecache.cache if name.startswith("<small script")]:
        del linecache.cache[name]


def source_of(script: Script, *, captured: bool = False) -> str:
    """Return the source of a module whose only class, `SmallScript`, is the protocol."""
    return _Source(script, captured).text()


def coin_of(step: Secret | Disclose | Output) -> int:
    """Return how many outcomes a door's own coin has; 1 if the door draws no coin."""
    return 1 if isinstance(step, Output) else step.coin


class _Source:
    def __init__(self, script: Script, captured: bool) -> None:
        self.script = script
        self.width = script.width
        self.item = "0" if script.width == 1 else "i"
        self.captured = captured
        self.values = values_of(script)
        self.ideal = ideal_secrets(script)
        self.named: set[str] = set()  # secrets whose functions the ideal world also needs
        self.variables: dict[str, str] = {}
        self.lines: list[str] = []

    def text(self) -> str:
        script = self.script
        fields = {value.size for value in self.values.values() if value.sort == "form"}
        head = [f"F{modulus} = Field({modulus})" for modulus in sorted(fields)]
        self.line(0, "")
        self.line(0, "class SmallScript:")
        self.line(1, "def parties(self):")
        seats = ", ".join(f'"{who}": Seat(self.{who}, role="role_{who}")' for who in script.parties)
        self.line(2, f"return {{{seats}}}")
        handed = {name for one in script.ideal for _, names in one.terms for name in names}
        last: dict[str, int] = {}
        for place, step in enumerate(script.steps):
            if isinstance(step, Secret) and handed & set(step.makes):
                last[step.who] = place
        for place, step in enumerate(script.steps):
            if isinstance(step, Secret) and place <= last.get(step.who, -1):
                self.named.add(step.makes[0])
                self.method(step)
        for who in script.parties:
            self.role(who)
        if script.ideal:
            self.functionality(last)
        return HEADER + "\n".join([*head, *self.lines]) + "\n"

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def variable(self, name: str) -> str:
        """Return the name of a value as a Python variable."""
        if name not in self.variables:
            plain = "v_" + re.sub(r"\W", "_", name)
            while plain in self.variables.values():
                plain += "_"
            self.variables[name] = plain
        return self.variables[name]

    # Roles

    def role(self, who: str) -> None:
        parameters = ["self", "me"]
        if who in self.script.domains:
            parameters.append(self.variable(input_name(who)))
        self.line(0, "")
        self.line(1, f"async def {who}({', '.join(parameters)}):")
        told = []
        for step in self.script.steps:
            if step.who == who:
                self.step(step)
                if isinstance(step, Toss | Disclose | Output):
                    told.append(step.makes)
        inside = ", ".join(f'"{name}": {self.variable(name)}' for name in told)
        self.line(2, f"return {{{inside}}}")

    def step(self, step: Step) -> None:  # noqa: C901  # one case a step
        match step:
            case Coins():
                self.array(
                    step.makes,
                    f"me.coins.field(F{step.field}, ({len(step.makes) * self.width},))",
                    step.when,
                    step.field,
                )
            case Toss():
                self.let(step.makes, f"int(me.coins.integers({step.size}, 1)[0])")
            case Secret():
                function = (
                    f"self.{self.function(step)}"
                    if step.makes[0] in self.named
                    else self.door_function(step.args, step)
                )
                call = self.call("secret", function, step.args, step)
                self.array(step.makes, f"{call}", step.when, step.field)
            case Disclose():
                call = self.call("disclose", self.door_function(step.args, step), step.args, None)
                self.guarded([(step.makes, call, "0")], step.when)
            case Output():
                call = self.call("output", self.door_function(step.args, step), step.args, None)
                self.let(step.makes, call)
            case Open():
                self.let(step.makes, f"{self.variable(step.form)}.open()")
            case Mix():
                field = self.values[step.makes].size
                value = self.combined(step.terms) if step.combined else self.combination(step.terms)
                if step.constant != 0:
                    number = self.number(step.constant)
                    value += f" + constant(F{field}, {self.items(number)})"
                self.let(step.makes, value)
            case Times():
                self.let(step.makes, f"{self.variable(step.left)} * {self.variable(step.right)}")
            case Turn():
                self.let(step.makes, f"{self.variable(step.form)}[{list(step.items)}]")
            case Send():
                self.send(step)
            case Take():
                self.take(step)
            case Share():
                rows = ", ".join(self.variable(name) for name in step.rows)
                self.scatter(step.tag, step.to, f"stack({rows})")
            case Block():
                self.block(step)
            case Total():
                self.let(
                    step.makes,
                    f'await me.gather_sum(Summed("{step.tag}"), senders={list(step.senders)})',
                )

    def let(self, name: str, value: str) -> None:
        self.line(2, f"{self.variable(name)} = {value}")

    def guarded(self, made: Iterable[tuple[str, str, str]], when: Number) -> None:
        """Write assignments that are made if `when` is not 0; otherwise the names get other
        values.
        """
        if when == 1:
            for name, value, _ in made:
                self.let(name, value)
            return
        self.line(2, f"if {self.number(when)}:")
        for name, value, _ in made:
            self.line(3, f"{self.variable(name)} = {value}")
        self.line(2, "else:")
        for name, _, other in made:
            self.line(3, f"{self.variable(name)} = {other}")

    def array(self, names: Sequence[str], value: str, when: Number, field: int) -> None:
        zero = f"constant(F{field}, {self.items('0')})"
        if len(names) == 1:
            self.guarded([(names[0], value, zero)], when)
            return
        whole = f"rows_{len(self.lines)}"
        parts = [(name, f"{whole}{self.slice(place)}", zero) for place, name in enumerate(names)]
        if when == 1:
            self.line(2, f"{whole} = {value}")
            self.guarded(parts, 1)
        else:
            self.line(2, f"{whole} = {value} if {self.number(when)} else None")
            self.guarded(parts, when)

    # Doors

    def call(
        self, door: str, function: str, args: tuple[Argument, ...], secret: Secret | None
    ) -> str:
        given = [function, *(self.argument(arg) for arg in self.passed(args))]
        if secret is not None:
            given += [f"field=F{secret.field}", f"shape=({len(secret.makes) * self.width},)"]
        return f"me.{door}({', '.join(given)})"

    def argument(self, arg: Argument) -> str:
        if isinstance(arg, str):
            return self.variable(arg)
        return f"join({', '.join(self.variable(name) for name in arg)})"

    def passed(self, args: tuple[Argument, ...]) -> list[Argument]:
        """Return the arguments that a door is given; with `captured`, plain values are not among
        them.
        """
        return [arg for arg in args if not (self.captured and self.is_plain(arg))]

    def is_plain(self, arg: Argument) -> bool:
        return isinstance(arg, str) and self.values[arg].sort == "plain"

    def function(self, step: Secret) -> str:
        return f"function_{self.variable(step.makes[0])}"

    def method(self, step: Secret) -> None:
        """Write a door's function as a method of the class, because the ideal world calls it
        too.
        """
        parameters, body = self.parts(step.args, step)
        self.line(0, "")
        self.line(1, f"def {self.function(step)}({', '.join(['self', *parameters])}):")
        self.line(2, f"return {body}")

    def door_function(self, args: tuple[Argument, ...], step: Secret | Disclose | Output) -> str:
        parameters, body = self.parts(args, step)
        return f"lambda {', '.join(parameters)}: {body}" if parameters else f"lambda: {body}"

    def parts(
        self, args: tuple[Argument, ...], step: Secret | Disclose | Output
    ) -> tuple[list[str], str]:
        """Return the parameters and the expression of a door's function."""
        parameters = [
            f"p{place}"
            for place, arg in enumerate(args)
            if not (self.captured and self.is_plain(arg))
        ]
        digits = list(self.digits(args))
        sizes = [self.values[name].size for name in names_in(args)]
        if coin_of(step) > 1:
            parameters.append("coins")
            digits.append(f"tossed[{self.item}]")
            sizes.append(coin_of(step))
        place_text = "0"
        for digit, size in zip(digits, sizes, strict=True):
            number = f"int({digit})"
            place_text = number if place_text == "0" else f"({place_text}) * {size} + {number}"
        looked_up = f"{step.table!r}[{place_text}]"
        if None in step.table:
            looked_up = f"known({looked_up})"
        return parameters, self.body(step, looked_up)

    def digits(self, args: tuple[Argument, ...]) -> Iterator[str]:
        """Return where a door's function finds each of its arguments, for item `i`."""
        for place, arg in enumerate(args):
            if not isinstance(arg, str):
                for item in range(len(arg)):
                    yield (
                        f"p{place}[{item}]"
                        if self.width == 1
                        else f"p{place}[{item * self.width} + i]"
                    )
            elif self.is_plain(arg):
                yield self.variable(arg) if self.captured else f"p{place}"
            else:
                yield f"p{place}[{self.item}]"

    def body(self, step: Secret | Disclose | Output, looked_up: str) -> str:
        """Return the expression that a door's function returns, given what it looks up for item
        `i`.
        """
        if self.width == 1:
            looked_up = looked_up.replace("tossed", f"coins.integers({coin_of(step)}, 1)")
            if isinstance(step, Output):
                return f"[{looked_up}]"
            return f"list({looked_up})" if isinstance(step, Secret) else looked_up
        each = f"{looked_up} for i in range({self.width})"
        if isinstance(step, Output):
            return f"[{each}]"
        if isinstance(step, Disclose):
            body = f"sum({each}) % {step.size}"
        else:  # the arrays of several secrets, one after another
            rows = f"row[k] for k in range({len(step.makes)}) for row in rows"
            body = f"(lambda rows: [{rows}])([{each}])"
        if coin_of(step) > 1:
            body = f"(lambda tossed: {body})(coins.integers({step.coin}, {self.width}))"
        return body

    def items(self, number: str) -> str:
        """Return an array with the same number for each item."""
        return f"[{number}]" if self.width == 1 else f"[{number}] * {self.width}"

    def slice(self, place: int) -> str:
        """Return the expression for form number `place` of the forms that travel as one array."""
        return f"[{place * self.width}:{(place + 1) * self.width}]"

    # Numbers and forms

    def number(self, number: Number) -> str:
        if isinstance(number, Pick):
            place = "0"
            for name in number.by:
                size, one = self.values[name].size, self.variable(name)
                place = one if place == "0" else f"({place}) * {size} + {one}"
            return f"{number.table!r}[{place}]"
        return str(number)

    def combination(self, terms: Terms) -> str:
        parts = []
        for factor, name in terms:
            variable = self.variable(name)
            parts.append(variable if factor == 1 else f"{variable} * {self.number(factor)}")
        return " + ".join(parts)

    def combined(self, terms: Terms) -> str:
        names = ", ".join(self.variable(name) for _, name in terms)
        weights = ", ".join(self.number(factor) for factor, _ in terms)
        return f"stack({names}).combine(np.array([[{weights}]]))[0]"

    # Messages

    def send(self, step: Send) -> None:
        tags = [f'Tag("{step.tag}{"" if number == 0 else number}")' for number in range(step.tags)]
        tag = tags[0] if step.tags == 1 else f"({', '.join(tags)})[{self.number(step.tag_number)}]"
        to = (
            f'"{step.to[0]}"'
            if len(step.to) == 1
            else f"{step.to!r}[{self.number(step.addressee)}]"
        )
        which = step.which if isinstance(step.which, Pick) else None
        for number, choice in enumerate(step.choices):
            depth = 2
            if which is not None:
                if not choice:
                    continue
                self.line(2, f"if {self.number(which)} == {number}:")
                depth = 3
            elif number != step.which:
                continue
            for message in choice:
                payload = self.payload(message, step.plain)
                self.line(depth, f"await me.send({tag}, {to}, {payload})")

    def payload(self, message: tuple[str, ...], plain: tuple[str, ...]) -> str:
        pieces = [
            f"index([{self.variable(name)}], {max(self.values[name].size, 2)})" for name in plain
        ]
        if message:
            names = ", ".join(self.variable(name) for name in message)
            pieces.append(names if len(message) == 1 else f"join({names})")
        if not pieces:
            return "bits([1])"
        return pieces[0] if len(pieces) == 1 else f"({', '.join(pieces)})"

    def take(self, step: Take) -> None:
        pieces = len(step.plain) + bool(step.forms)
        payload = f"payload_{len(self.lines)}"
        receive = f'await me.receive(Tag("{step.tag}"), "{step.sender}")'
        self.line(
            2,
            f"{payload} = {receive}"
            + ("" if step.when == 1 else f" if {self.number(step.when)} else None"),
        )
        made = []
        for place, name in enumerate(step.plain):
            piece = payload if pieces == 1 else f"{payload}[{place}]"
            made.append((name, f"int({piece}.numbers()[0])", "0"))
        piece = payload if pieces == 1 else f"{payload}[-1]"
        for place, name in enumerate(step.forms):
            field = self.values[name].size
            zero = f"constant(F{field}, {self.items('0')})"
            made.append((name, f"{piece}{self.slice(place)}", zero))
        self.guarded(made, step.when)

    def scatter(self, tag: str, to: Sequence[str], rows: str) -> None:
        self.line(2, f'await me.scatter(Summed("{tag}"), to={list(to)}, rows={rows})')

    def block(self, step: Block) -> None:
        function = f"rows_{len(self.lines)}"
        self.line(0, "")
        self.line(2, f"def {function}(coins):")
        inner = f"inner_{len(self.lines)}"
        count = len(step.coins) * self.width
        self.line(3, f"{inner} = coins.field(F{step.field}, ({count},))")
        for place, name in enumerate(step.coins):
            self.line(3, f"{self.variable(name)} = {inner}{self.slice(place)}")
        rows = ", ".join(self.combination(terms) for terms in step.rows)
        self.line(3, f"return stack({rows})")
        self.line(0, "")
        shape = f"({len(step.to)}, {self.width})"
        self.scatter(step.tag, step.to, f"me.coins.deferred(F{step.field}, {shape}, {function})")

    # The ideal world

    def functionality(self, last: dict[str, int]) -> None:
        self.line(0, "")
        self.line(1, "def functionality(self, inputs, users):")
        for number, (who, _) in enumerate(self.script.inputs):
            for place, step in enumerate(self.script.steps):
                if isinstance(step, Secret) and step.who == who and place <= last.get(who, -1):
                    assert set(step.makes) <= set(self.ideal)
                    args = [
                        f"inputs[{number}]" if arg == input_name(who) else self.argument(arg)
                        for arg in step.args
                    ]
                    given = [f"self.{self.function(step)}", *args]
                    given += [f"field=F{step.field}", f"shape=({len(step.makes) * self.width},)"]
                    call = f"users[{number}].secret({', '.join(given)})"
                    self.array(step.makes, call, 1, step.field)
        handed: dict[str, list[str]] = {}
        for one in self.script.ideal:
            terms = []
            for factor, names in one.terms:
                product = " * ".join(self.variable(name) for name in names)
                terms.append(product if factor == 1 else f"{product} * {factor}")
            handed.setdefault(one.to, []).append(" + ".join(terms))
        inside = ", ".join(f'"{who}": [{", ".join(sums)}]' for who, sums in handed.items())
        self.line(2, f"return {{{inside}}}")
