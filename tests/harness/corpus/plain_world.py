"""An interpreter of small scripts that knows neither seals, nor forms, nor readings.

The truth about a script of the corpus must not come from the instruments that are tested on it. So
this module plays the script by itself: with parties of its own (`PlainParty`), field elements of
its own (`Elements`), mail, rounds and coins of its own, all of them plain numbers. It shares no
code with the kernel, with verdicts or with exact views; it uses only those names of the package
that scripts use: `Field`, `Tag`, `Seat`, `bits`, `index`.

Theory of operation. Every coin is played out, field coins and coins in doors too. A `Tape` is the
row of outcomes of one world. Where the script asks for a coin that the tape does not have yet, the
first outcome is taken; later, `worlds` plays the worlds with the other outcomes:

    first world     0 0 0
    next worlds     0 0 1    0 1 0    ...    the last coin that has an outcome left moves on

There are as many worlds as ways in which coins can fall, so scripts and fields have to be tiny.

A door calls its function with plain numbers. Nothing is sealed, so scripts that the kernel refuses
run here, and the law of what they send can be found: that is how the corpus knows that they leak.
"""

import inspect
import itertools
import types
from collections import defaultdict, deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, cast

import attrs
import numpy as np
import numpy.typing as npt

from simnet import Field, Tag
from simnet.roster import Seat
from simnet.values.typed import Typed

MOST_COINS = 14
"""A world with more coins is given up: a loop that waits for a coin would never end."""


class TapeTooLongError(BaseException):
    """Raised out of a script that has tossed too many coins; no `except Exception` may catch it."""


class DoorRefusedError(Exception):
    """Raised instead of any error of a door's function; it ends the world."""


class Elements:
    """Field elements as plain numbers mod q, with the operations that scripts use."""

    __array_ufunc__ = None  # so that `array * elements` is left to `__rmul__`

    def __init__(self, field: Field, values: npt.ArrayLike) -> None:
        self.field = field
        self.values = np.asarray(values, dtype=np.int64) % field.modulus

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    def numbers(self) -> npt.NDArray[np.int64]:
        return self.values

    def open(self, signed: bool = False) -> Any:
        """Return the numbers; a single number is a Python integer, so that it can be a key of a
        dictionary.
        """
        half = self.field.modulus // 2
        values = self.values
        if signed:
            values = np.where(values > half, values - self.field.modulus, values)
        return int(values) if values.ndim == 0 else values

    def __add__(self, other: Any) -> "Elements":
        return self._with(self.values + self._values_of(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> "Elements":
        return self._with(self.values - self._values_of(other))

    def __rsub__(self, other: Any) -> "Elements":
        return self._with(self._values_of(other) - self.values)

    def __mul__(self, other: Any) -> "Elements":
        is_field = hasattr(other, "field")
        return self._with(self.values * (self._values_of(other) if is_field else np.asarray(other)))

    __rmul__ = __mul__

    def __neg__(self) -> "Elements":
        return self._with(-self.values)

    def __getitem__(self, where: Any) -> "Elements":
        return self._with(self.values[where])

    def sum(self) -> "Elements":
        return self._with(self.values.sum(axis=0))

    def append(self, row: Any) -> "Elements":
        return self._with(np.concatenate([self.values, self._values_of(row)[np.newaxis]]))

    def combine(self, weights: Any) -> "Elements":
        return self._with(np.tensordot(np.asarray(weights), self.values, axes=1))

    @staticmethod
    def stack(rows: Sequence[Any]) -> "Elements":
        return Elements(rows[0].field, np.stack([row.numbers() for row in rows]))

    @staticmethod
    def join(parts: Sequence[Any]) -> "Elements":
        return Elements(parts[0].field, np.concatenate([part.numbers() for part in parts]))

    def _with(self, values: npt.ArrayLike) -> "Elements":
        return Elements(self.field, values)

    def _values_of(self, other: Any) -> npt.NDArray[np.int64]:
        assert other.field == self.field, "elements of two fields do not mix"
        return np.asarray(other.numbers(), dtype=np.int64)


class Tape:
    """The outcomes of the coins of one world, in the order in which they are tossed."""

    def __init__(self, path: list[list[int]]) -> None:
        self._path = path  # for each coin its outcome, and the number of its possible outcomes
        self._at = 0
        self._numerator = self._denominator = 1

    @property
    def chance(self) -> Fraction:
        """The probability of the coins tossed so far."""
        return Fraction(self._numerator, self._denominator)

    def toss(self, weights: Sequence[int]) -> int:
        """Return the outcome of a coin, counted from 0; probabilities are proportional to the
        weights.
        """
        possible = [outcome for outcome, weight in enumerate(weights) if weight]
        if len(possible) == 1:
            return possible[0]
        if self._at == MOST_COINS:
            raise TapeTooLongError
        if self._at == len(self._path):
            self._path.append([0, len(possible)])
        place = self._path[self._at][0]
        self._at += 1
        self._numerator *= weights[possible[place]]
        self._denominator *= sum(weights)
        return possible[place]


def worlds(play: Callable[[Tape], "World"]) -> Iterator[tuple[Fraction, "World"]]:
    """Yield every choice of outcomes of all coins, with its probability and the world that it leads
    to.

    Worlds that toss too many coins are left out.
    """
    path: list[list[int]] = []
    while True:
        tape = Tape(path)
        try:
            world = play(tape)
        except TapeTooLongError:
            pass
        else:
            yield tape.chance, world
        while path and path[-1][0] + 1 == path[-1][1]:
            path.pop()
        if not path:
            return
        path[-1][0] += 1


Toss = Callable[[Sequence[int]], int]


class DiscreteCoins:
    """The discrete coins of a party, or of one of its doors."""

    def __init__(self, toss: Toss) -> None:
        self._toss = toss

    def bernoulli(self, chance: float | Fraction) -> bool:
        exact = Fraction(chance)
        return bool(self._toss((exact.denominator - exact.numerator, exact.numerator)))

    def bernoullis(self, chance: float | Fraction, count: int) -> npt.NDArray[np.bool_]:
        return np.array([self.bernoulli(chance) for _ in range(count)], dtype=np.bool_)

    def integers(self, below: int, count: int) -> npt.NDArray[np.int64]:
        return np.array([self._toss((1,) * below) for _ in range(count)], dtype=np.int64)

    def subset(self, count: int, below: int) -> npt.NDArray[np.int64]:
        sets = list(itertools.combinations(range(below), count))
        return np.array(sets[self._toss((1,) * len(sets))], dtype=np.int64)


class AllCoins(DiscreteCoins):
    """The coins that a script has outside doors, including field elements."""

    def __init__(self, toss: Toss, toss_field: Toss) -> None:
        super().__init__(toss)
        self._toss_field = toss_field

    def field(self, field: Field, shape: tuple[int, ...]) -> Elements:
        even = (1,) * field.modulus
        drawn = [self._toss_field(even) for _ in range(int(np.prod(shape)))]
        return Elements(field, np.array(drawn, dtype=np.int64).reshape(shape))

    def deferred(
        self, field: Field, shape: tuple[int, ...], rows: Callable[["AllCoins"], Any]
    ) -> Elements:
        """Evaluate a deferred block at once, which changes no law."""
        block = rows(self)
        assert block.field == field
        assert block.shape == shape
        return Elements(field, block.numbers())


class Everyone(tuple[str, ...]):
    """A group of parties by the names that the run gives them."""

    __slots__ = ()


@attrs.define(eq=False)
class Actor:
    """What one party of a world has done and seen so far."""

    name: str
    seat: Seat
    depth: int = 0  # the causal depth: the largest round of a message that it received
    coins: list[Any] = attrs.field(factory=list)  # every outcome, field coins and doors included
    history: list[Any] = attrs.field(factory=list)  # outer discrete coins and disclosed values
    secrets: list[Elements] = attrs.field(factory=list)
    disclosed: list[Any] = attrs.field(factory=list)
    mail: dict[tuple[str, str], deque[tuple[int, Any]]] = attrs.field(
        factory=lambda: defaultdict(deque)
    )  # by tag and sender
    sent: dict[str, int] = attrs.field(factory=lambda: defaultdict(int))  # by recipient


class World:
    """One run of a protocol with one outcome of every coin."""

    def __init__(self, protocol: Any, inputs: Sequence[Any], tape: Tape, known: Any = None) -> None:
        """`known` maps (party, number of the coin) to outcomes that another run has fixed."""
        self.protocol = protocol
        self.actors = {name: Actor(name, seat) for name, seat in protocol.parties().items()}
        self.inputs = _inputs_by_name(self.actors, inputs)
        self.seen: list[tuple[Any, ...]] = []  # (recipient, round, sender, number, tag, content)
        self.error: Exception | None = None  # what ended the world early
        self.steps = 0
        self.handed: Mapping[str, Any] = {}
        self._tape = tape
        self._known = known
        self._play()
        if self.error is None and hasattr(protocol, "functionality"):
            holders = [PlainHolder(self.actors[name]) for name in self.inputs]
            handed = protocol.functionality(list(self.inputs.values()), holders)
            self.handed = {name: frozen(value) for name, value in handed.items()}

    def toss(self, actor: Actor, weights: Sequence[int], kind: str) -> int:
        """Toss a coin of a party. In another run from the same seed the same coin has the same
        outcome.
        """
        key = actor.name, len(actor.coins), tuple(weights)
        if self._known is None:
            outcome = self._tape.toss(weights)
        elif key in self._known:
            outcome = self._known[key]
        else:
            outcome = self._known[key] = self._tape.toss(weights)
        actor.coins.append((kind, outcome))
        return outcome

    def post(self, sender: Actor, tag: Tag, recipient: str, payload: Any) -> None:
        """Deliver a message."""
        to = self.actors[recipient]
        self.steps += 1
        sent = sender.depth + 1
        number = sender.sent[recipient]
        sender.sent[recipient] += 1
        self.seen.append((recipient, sent, sender.name, number, tag.name, frozen(payload)))
        to.mail[tag.name, sender.name].append((sent, payload))

    def take(self, actor: Actor, tag: Tag, sender: str) -> Any:
        """Return the next message of a sender, which must have arrived already."""
        arrived, payload = actor.mail[tag.name, sender].popleft()
        actor.depth = max(actor.depth, arrived)
        self.steps += 1
        return payload

    def view(self, members: Sequence[str]) -> tuple[Any, ...]:
        """Return what the members receive: each message with its round, and with its place among
        the messages of its sender.
        """
        received = sorted((row for row in self.seen if row[0] in members), key=lambda row: row[:4])
        return self.error is not None, tuple(received)

    def own(self, members: Sequence[str]) -> tuple[Any, ...]:
        """Return the coins of the members."""
        return tuple(tuple(self.actors[name].coins) for name in members)

    @property
    def history(self) -> tuple[Any, ...]:
        """The discrete coins outside doors and the disclosed values of all parties."""
        return tuple(tuple(actor.history) for actor in self.actors.values())

    def _play(self) -> None:
        pending = {}
        for name, actor in self.actors.items():
            party = PlainParty(self, actor)
            held = (self.inputs[name],) if name in self.inputs else ()
            pending[name] = cast(Generator[None, None, Any], actor.seat.script(party, *held))
        try:
            while pending and self.error is None:
                before = self.steps
                self._go_round(pending)
                waiting = ", ".join(sorted(pending))
                assert self.steps > before, f"{waiting}: waits for a message that nobody sends"
        finally:
            for script in pending.values():
                script.close()

    def _go_round(self, pending: dict[str, Generator[None, None, Any]]) -> None:
        """Let every script continue until it waits or ends."""
        for name, script in list(pending.items()):
            try:
                script.send(None)
            except StopIteration:
                del pending[name]
                self.steps += 1
            except Exception as error:  # any error that ends a script ends the world
                self.error = self.error or error
            if (
                self.error is not None
            ):  # a door's refusal also ends the world if the script has caught the error
                self.steps += 1
                return


def _inputs_by_name(actors: Mapping[str, Actor], inputs: Sequence[Any]) -> dict[str, Any]:
    by_name: dict[str, Any] = {}
    rest = list(inputs)
    for name, actor in actors.items():
        if len(inspect.signature(actor.seat.script).parameters) > 1:
            members = actor.seat.members
            own = [rest.pop(0) for _ in range(members or 1)]
            by_name[name] = own[0] if members is None else np.array(own)
    assert not rest, "more inputs than parties that take one"
    return by_name


@types.coroutine
def _pause() -> Generator[None, None, None]:
    """Wait until the other scripts have continued."""
    yield


class PlainHolder:
    """A party of the ideal world: its doors return what they returned in the script."""

    def __init__(self, actor: Actor) -> None:
        self.name = actor.name
        self._secrets = iter(actor.secrets)
        self._disclosed = iter(actor.disclosed)

    def secret(self, function: Any, *arguments: Any, field: Field, shape: Any = ()) -> Elements:
        del function, arguments, field, shape
        return next(self._secrets)

    def disclose(self, function: Any, *arguments: Any) -> Any:
        del function, arguments
        return next(self._disclosed)


class PlainParty:
    """The party object that a script gets in this interpreter. All its values are plain numbers."""

    def __init__(self, world: World, actor: Actor, scope: str = "") -> None:
        self._world = world
        self._actor = actor
        self._scope = scope
        self.coins = AllCoins(self._toss_outside, lambda weights: self._toss(weights, "field"))

    def within(self, scope: str) -> "PlainParty":
        return PlainParty(self._world, self._actor, self._scope + scope)

    @property
    def name(self) -> str:
        return self._actor.name.removeprefix(self._scope)

    @property
    def index(self) -> int:
        return self._actor.seat.index

    def all(self, role: str) -> Everyone:
        wanted = self._scope + role
        actors = self._world.actors.values()
        return Everyone(actor.name for actor in actors if actor.seat.role == wanted)

    def names(self, role: str) -> list[str]:
        return [name.removeprefix(self._scope) for name in self.all(role)]

    # The three doors.

    def secret(
        self, function: Any, *arguments: Any, field: Field, shape: tuple[int, ...] = ()
    ) -> Elements:
        values = np.asarray(self._called(function, arguments, coins_allowed=True))
        if values.shape != tuple(shape) or values.dtype.kind not in "bui":
            self._world.error = DoorRefusedError("a secret is whole numbers of its shape")
            raise self._world.error
        made = Elements(field, values)
        self._actor.secrets.append(made)
        return made

    def disclose(self, function: Any, *arguments: Any) -> Any:
        value = self._called(function, arguments, coins_allowed=True)
        self._actor.disclosed.append(value)
        self._actor.history.append(("disclosed", frozen(value)))
        return value

    def output(self, function: Any, *arguments: Any) -> Any:
        return self._called(function, arguments, coins_allowed=False)

    def _called(self, function: Any, arguments: Sequence[Any], coins_allowed: bool) -> Any:
        values = [value.numbers() if isinstance(value, Elements) else value for value in arguments]
        if coins_allowed and _has_place_for_coins(function, len(values)):
            values.append(DiscreteCoins(lambda weights: self._toss(weights, "door")))
        try:
            return function(*values)
        except Exception as error:
            self._world.error = DoorRefusedError(repr(error))
            raise self._world.error from error

    def _toss(self, weights: Sequence[int], kind: str) -> int:
        return self._world.toss(self._actor, weights, kind)

    def _toss_outside(self, weights: Sequence[int]) -> int:
        outcome = self._toss(weights, "outside")
        self._actor.history.append(("coin", outcome))
        return outcome

    # Messages.

    async def send(self, tag: Tag, to: str, payload: Any) -> None:
        self._world.post(self._actor, tag, self._scope + to, payload)

    async def publish(self, tag: Tag, to: Any, payload: Any) -> None:
        for name in self._named(to):
            self._world.post(self._actor, tag, name, payload)

    async def scatter(self, tag: Tag, to: Any, rows: Any) -> None:
        for place, name in enumerate(self._named(to)):
            self._world.post(self._actor, tag, name, rows[place])

    async def send_rows(self, tag: Tag, to: str, rows: Any) -> None:
        self._world.post(self._actor, tag, self._scope + to, rows)

    async def receive(self, tag: Tag, sender: str, shape: Any = None) -> Any:
        del shape
        return await self._taken(tag, self._scope + sender)

    async def gather(self, tag: Tag, senders: Any, shape: Any = None) -> list[Any]:
        del shape
        return [await self._taken(tag, name) for name in self._named(senders)]

    async def gather_sum(self, tag: Tag, senders: Any) -> Elements:
        first, *others = await self.gather(tag, senders)
        total = Elements(first.field, first.numbers())
        for other in others:
            total = total + other
        return total

    async def _taken(self, tag: Tag, sender: str) -> Any:
        while not self._actor.mail[tag.name, sender]:
            await _pause()
        return self._world.take(self._actor, tag, sender)

    def _named(self, to: Any) -> Sequence[str]:
        if isinstance(to, Everyone):
            return to
        return [self._scope + name for name in ([to] if isinstance(to, str) else to)]


def _has_place_for_coins(function: Any, arguments: int) -> bool:
    """Return whether a function takes one argument more than there are values: this argument is the
    coins.
    """
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # a built-in such as `int` does not tell its arguments, but takes no coins
        return False
    required = [
        parameter
        for parameter in parameters
        if parameter.default is parameter.empty
        and parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    return len(required) == arguments + 1


def frozen(value: Any) -> Any:
    """Return a message, a disclosed value or an output in a form that can be compared and
    hashed.
    """
    if isinstance(value, Typed):
        return value.wire.kind, value.wire.below, *_numbers(value)
    if hasattr(value, "field"):
        return "F", value.field.modulus, *_numbers(value)
    if isinstance(value, np.ndarray | np.generic):
        return value.shape, tuple(value.ravel().tolist())
    if isinstance(value, list | tuple):
        return tuple(frozen(part) for part in value)
    return value


def _numbers(array: Any) -> tuple[Any, tuple[Any, ...]]:
    numbers = np.asarray(array.numbers())
    return numbers.shape, tuple(numbers.ravel().tolist())
