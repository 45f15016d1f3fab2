"""The exhaustive reading: a script is played for every outcome of its discrete coins.

A tape gives the outcomes of the discrete coins. Field elements are linear forms in unknowns
*without values* (or numbers, if field coins are enumerated). Each party is played alone, so every
unknown belongs to one party::

    number of an unknown = (party + 1) * 2**44 + kind + stream * 2**22 + place

    kind       stream                                     place
    COIN       number of the deferred block, or 0         number of the draw in the block
    SECRET     number of the party's secret               position of the element in the secret
    RECEIVED   number of the received array               position of the element in the array

A received unknown represents an element of a message; the network replaces it by the sender's form.
The unknown `ONE` is always 1, so that a plain number is a multiple of `ONE`, and a constant in a
message is part of its form.

*Doors.* A door's function needs numbers. The values of the party's own secrets are known, so
numbers that depend on these secrets alone are computed. An element that depends on coins or on
messages has no number yet. Then an `Ask` for the rows stops the script, and the script is played
again, once for each possible list of numbers. The numbers are then on the script's tape, like
outcomes of coins. The network knows the possible numbers (`network`), because received elements are
made from other parties' coins and secrets. The numbers of an output's arguments are asked for only
if another door needs the output.

Example. Party 0 declares a secret of one element, and draws a coin:

>>> secret, coin = unknown(0, SECRET, stream=0), unknown(0, COIN, stream=0, place=0)
>>> owner(secret), is_coin(secret), is_coin(coin)
(0, False, True)
>>> received_place(unknown(1, RECEIVED, stream=2, place=5))
(2, 5)
"""

import math
from collections.abc import Sequence
from typing import Any, NoReturn

import attrs
import numpy as np

from simnet.coins.coins import Coins
from simnet.coins.tape import Tape, TapeDiscrete, TapeField, tape_coins
from simnet.doors.call import Argument, DoorCall, called, open_door, value_of
from simnet.errors import BadInput
from simnet.kernel.actor import Actor
from simnet.kernel.reading import Sampled
from simnet.linear.forms import Forms, lanes_of
from simnet.linear.terms import fresh, multiples, refine
from simnet.linear.unknowns import ONE
from simnet.linear.vectors import Vector
from simnet.values.field import Field, FieldArray
from simnet.values.meter import Meter
from simnet.values.residues import Residues, constant, residues_of
from simnet.values.sealed import Made, Opened

_BLOCKS = 1000  # a party or a deferred block may make fewer deferred blocks than this number
# the positions of the party's number and of the stream's number in the number of an unknown, in
# bits
_PARTY, _STREAM = 44, 22
COIN, SECRET, RECEIVED = 0, 1 << 42, 1 << 43
NO_RANDOM_FUNCTIONS = (
    "cannot be played out: an ideal primitive (me.expand, me.public_key, me.agree, me.sign, "
    "me.encrypt, me.decrypt) has too many outcomes; `simnet verify` can judge the script"
)


def unknown(party: int, kind: int, stream: int, place: int = 0, count: int = 1) -> int:
    """Return the number of a party's unknown, the first of `count` consecutive unknowns.

    Raises `BadInput` if a party has too many unknowns to give each its own number.
    """
    most, most_streams = 1 << _STREAM, SECRET >> _STREAM
    if place + count > most:
        raise BadInput(
            "a run can be played out only if no party has more than "
            f"{most:,} field elements in one array or from its own draws; one party has "
            f"{place + count:,}"
        )
    if stream >= most_streams:
        raise BadInput(
            f"a party with more than {most_streams:,} secrets, received arrays or deferred blocks "
            "cannot be played out"
        )
    return ((party + 1) << _PARTY) + kind + (stream << _STREAM) + place


def owner(number: int) -> int:
    """Return the number of the party that owns the unknown; -1 for `ONE`."""
    return (number >> _PARTY) - 1


def is_coin(number: int) -> bool:
    """Return whether an unknown is a field coin."""
    return number != ONE and not number & (SECRET | RECEIVED)


def received_place(number: int) -> tuple[int, int] | None:
    """Return the number of the received array and the element's position in it; None if the unknown
    was not received.
    """
    if not number & RECEIVED:
        return None
    rest = number & (SECRET - 1)
    return rest >> _STREAM, rest & ((1 << _STREAM) - 1)


@attrs.frozen(eq=False)
class Ask:
    """Rows whose numbers a script needs to continue. Each row is a modulus and a form of the party.

    `reason` says in words why the script needs the numbers.
    """

    rows: tuple[tuple[int, Vector], ...]
    reason: str

    @property
    def structure(self) -> tuple[tuple[int, tuple[tuple[int, int], ...]], ...]:
        """A key that two requests share if their rows have the same moduli and forms."""
        return tuple((modulus, tuple(sorted(form.items()))) for modulus, form in self.rows)


class RowsAsked(BaseException):
    """Raised inside a script that asks for numbers which are not on its tape."""

    def __init__(self, ask: Ask) -> None:
        super().__init__("the script needs the numbers of rows")
        self.ask = ask


class LocalReading(Sampled):
    """One execution of one party's script.

    `secrets` are the values that the party has declared so far, by unknown. It stays empty if field
    coins are enumerated.
    """

    lifts = True
    notes_sums = False
    hides_numbers = True  # unknowns have no numbers here, so scripts get no numbers of forms at all

    def __init__(self, party: int, tape: Tape, enumerate_field: bool) -> None:
        """With `enumerate_field`, field coins are played out too."""
        self.secrets: dict[int, int] = {}
        self._party = party
        self._tape = tape
        self._enumerate_field = enumerate_field

    def coins(self, seed: int, party: str, meter: Meter) -> Coins:
        """Coins that play the tape."""
        del seed, party
        fields = TapeField(self._tape) if self._enumerate_field else _Unknowns(self)
        return Coins(TapeDiscrete(self._tape), fields, meter)

    def door(self, call: DoorCall, coins: Coins | None, meter: Meter) -> Any:
        """Return what the door gives.

        If field coins are enumerated, the door works as in a run. Otherwise a secret gives one
        unknown for each element, and an output's function is not called before another door needs
        its value.
        """
        if self._tape.stop is not None:
            raise self._tape.stop  # the script is being left through a `finally`
        if self._enumerate_field:
            return open_door(call, coins, meter)
        if call.kind == "output":
            call.fix()  # the output's function may be called after the script has gone on
            return None
        values = self._values(call)
        result = called(call, values, coins)
        call.result = result
        if call.kind == "disclose":
            return result
        first = self.unknown(SECRET, call.number, count=math.prod(call.shape))
        for place, element in enumerate(residues_of(result).reshape(-1).tolist()):
            self.secrets[first + place] = element
        return named(result.field, result.shape, first, self)

    def _values(self, call: DoorCall) -> list[Any]:
        arrays = [array for array in call.rows if isinstance(array, Forms)]
        numbers = iter(self._numbers(arrays, f"by me.{call.kind} of {call.name}"))

        def value(argument: Argument) -> Any:
            if isinstance(argument, Made):
                inner = argument.call
                if inner.has_changed:
                    self.refuse(
                        f"{call.party} uses an output of {inner.name}, which reads variables that "
                        "have changed since me.output was called: give the function their values "
                        "as arguments"
                    )
                return called(inner, [value(each) for each in inner.arguments], None)
            if isinstance(argument, Opened) and isinstance(argument.array, Forms):
                return next(numbers).as_integers(argument.signed)
            return value_of(argument)

        return [value(argument) for argument in call.arguments]

    def _numbers(self, arrays: Sequence[Forms], purpose: str) -> list[Residues]:
        """Return the numbers of these arrays. Numbers that depend on the party's own secrets alone
        are computed; the others come from the tape.
        """
        rows = [
            (array.field.modulus, row)
            for array in arrays
            for row in refine(array.terms, 1).vectors()
        ]
        foreign = [row for row in rows if not self._is_own(row[1])]
        answers = iter(())
        if foreign:
            ask = Ask(tuple(foreign), f"opens field elements {purpose}")
            answers = iter(self._tape.answer(RowsAsked(ask)))
        numbers = iter(
            [
                self._own_number(form, modulus) if self._is_own(form) else next(answers)
                for modulus, form in rows
            ]
        )
        found = []
        for array in arrays:
            values = [next(numbers) for _ in range(math.prod(array.shape))]
            elements = np.array(values, dtype=np.int64).reshape(array.shape)
            found.append(constant(array.field, elements))
        return found

    def _is_own(self, form: Vector) -> bool:
        return all(number == ONE or number in self.secrets for number in form)

    def _own_number(self, form: Vector, modulus: int) -> int:
        total = 0
        for number, coefficient in form.items():
            total += coefficient * (1 if number == ONE else self.secrets[number])
        return total % modulus

    def refuse(self, text: str) -> NoReturn:
        """Raise `BadInput` for an operation that a run allows, but that cannot be played out. The
        error ends the reading even if the script catches the error.
        """
        raise self._tape.stopped(BadInput(text))

    def unknown(self, kind: int, stream: int, place: int = 0, count: int = 1) -> int:
        """Return the number of the first of `count` consecutive unknowns of the party."""
        try:
            return unknown(self._party, kind, stream, place, count)
        except BadInput as error:
            self.refuse(str(error))

    def outgoing(self, party: str, payload: Any) -> Any:
        """Return the payload, with plain field elements as multiples of `ONE`, unless field coins
        are enumerated.
        """
        if self._enumerate_field:
            return payload
        if isinstance(payload, Residues):
            return self.lifted(payload)
        if isinstance(payload, tuple):
            return tuple(self.outgoing(party, piece) for piece in payload)
        if isinstance(payload, list):
            return [self.outgoing(party, row) for row in payload]
        return payload

    def received(self, field: Field, shape: tuple[int, ...], number: int) -> Forms:
        """The unknowns for the `number`-th array received."""
        first = self.unknown(RECEIVED, number, count=math.prod(shape))
        return named(field, shape, first, self)

    def lifted(self, values: Residues) -> Forms:
        """Return plain numbers as multiples of the unknown `ONE`."""
        return Forms(values, multiples(ONE, residues_of(values).reshape(-1).astype(np.int64)), self)

    def product(self, left: Forms, right: Forms, sampled: Residues) -> Forms:
        """Return the product, as multiples of the elements of one factor. The numbers of the other
        factor are computed or played out.

        Raises `RowsAsked` for numbers that are not known.
        """
        del sampled  # the sampled values beside these forms have no meaning here

        def foreign_elements(factor: Forms) -> int:
            return sum(not self._is_own(row) for row in refine(factor.terms, 1).vectors())

        factor, other = sorted((left, right), key=foreign_elements)
        (numbers,) = self._numbers([factor], "to multiply with them")
        return other * numbers

    def inverse(self, forms: Forms) -> Forms:
        """The inverses of numbers that are computed or played out.

        Raises `RowsAsked` for numbers that are not known.
        """
        (numbers,) = self._numbers([forms], "to invert them")
        return self.lifted(numbers.inverse())

    def digests(self, kind: str, seeds: FieldArray) -> list[bytes]:
        """Refuse: a random function has more outcomes than can be played out."""
        del seeds
        self.refuse(f"a script that uses a {kind} {NO_RANDOM_FUNCTIONS}")

    def signed(self, signature: bytes, public_keys: Sequence[bytes]) -> None:
        """Refuse: a signature is a random function of what it signs."""
        del signature, public_keys
        self.refuse(f"a script that uses a signature {NO_RANDOM_FUNCTIONS}")

    def begin(self, actors: Sequence[Actor]) -> None:
        """Do nothing: this reading needs no preparation."""


class OnTape(Sampled):
    """A reading in which coins play a tape, and field elements are numbers."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape

    def coins(self, seed: int, party: str, meter: Meter) -> Coins:
        """The tape's coins, field elements included; all parties play one tape."""
        del seed, party, meter
        return tape_coins(self._tape)


class _Unknowns:
    """A field source whose elements are unknowns of a party.

    The unknowns belong to one deferred block, or to the party's own draws (block 0).
    """

    def __init__(self, reading: LocalReading, block: int = 0) -> None:
        self._reading = reading
        self._block = block
        self._place = 0

    def draw(self, field: Field, shape: tuple[int, ...], meter: Meter | None) -> FieldArray:
        """Return consecutive unknowns."""
        count = math.prod(shape)
        first = self._reading.unknown(COIN, self._block, self._place, count)
        self._place += count
        return named(field, shape, first, self._reading).metered(meter)

    def lift(self, rows: FieldArray) -> FieldArray:
        """A block of rows with plain field elements as multiples of `ONE`."""
        lifted: FieldArray = self._reading.outgoing("", rows)
        return lifted

    def block(self, number: int) -> "_Unknowns":
        """The unknowns of a deferred block. A block inside a block has its own number."""
        if number >= _BLOCKS:
            self._reading.refuse(
                f"a party that makes {_BLOCKS:,} or more deferred blocks cannot be played out"
            )
        return _Unknowns(self._reading, self._block * _BLOCKS + number)


def named(field: Field, shape: tuple[int, ...], first: int, reading: LocalReading) -> Forms:
    """Consecutive unknowns as forms; the values beside them are zeros and mean nothing."""
    zeros = constant(field, np.zeros(shape, dtype=np.int64))
    lanes = lanes_of(shape)
    return Forms(zeros, fresh(first, math.prod(shape) // lanes, lanes), reading)
