"""Fates of parties and of messages, which a run is told, and records of what followed."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Literal, get_args

import attrs

from simnet.checks import integer, is_integer, real
from simnet.errors import BadInput

EVERYBODY = "after"  # in text: the last send reaches all its recipients


def _place(place: int) -> int:
    return integer("the place of a send", place)


def _reached(reached: int | tuple[str, ...] | None) -> int | tuple[str, ...] | None:
    if reached is None or (
        isinstance(reached, tuple) and all(isinstance(name, str) for name in reached)
    ):
        return reached
    if is_integer(reached):
        return int(reached)
    raise TypeError(
        "the recipients whom a last send reaches must be a whole number of recipients, a tuple "
        f'of names such as ("u1", "u4"), or None for all, got {reached!r}'
    )


def _seconds(seconds: float) -> float:
    return float(real("the number of seconds", seconds))


@attrs.frozen
class Fate:
    """The place in a party's script at which the party drops out.

    The party's last send is the `place`-th under `tag`, counted from 1; a call of `scatter`,
    `publish`, `publish_each` or `send_rows` counts as one send. `reached` says which recipients
    this last send still reaches: a number m for the first m recipients (0 by default), a tuple of
    names for these recipients, and None for all. A party that never comes to this send does not
    drop out: `Run.gone` names the parties that did. Raises `TypeError` for a `place` that is not a
    whole number, and for a `reached` of another type. Raises `BadInput` for a `place` below 1, for
    a negative number of recipients, and for a recipient that is named twice.

    >>> Fate("masked"), Fate.parse("share#2:after")
    (Fate(tag='masked', place=1, reached=0), Fate(tag='share', place=2, reached=None))
    """

    tag: str
    place: int = attrs.field(default=1, converter=_place)
    reached: int | tuple[str, ...] | None = attrs.field(default=0, converter=_reached)

    def __attrs_post_init__(self) -> None:
        if self.place < 1:
            raise BadInput(f"the place of a send must be 1 or more, got {self.place}")
        if isinstance(self.reached, int) and self.reached < 0:
            raise BadInput(
                "the number of recipients whom a last send reaches must be 0 or more, got "
                f"{self.reached}"
            )
        if isinstance(self.reached, tuple) and len({*self.reached}) < len(self.reached):
            raise BadInput(
                f"a fate names a recipient of the last send twice: {', '.join(self.reached)}"
            )

    @classmethod
    def parse(cls, text: str) -> "Fate":
        """Return the fate that a text such as `masked`, `share#2`, `share:2`, `share:after` or
        `share:u1+u4` describes.

        Raises `BadInput` for any other text.
        """
        head, colon, ending = text.partition(":")
        tag, hash_, number = head.partition("#")
        names = ending.split("+")
        if not tag or (hash_ and not number.isdecimal()) or (colon and not all(names)):
            raise BadInput(
                f"a fate is written TAG, TAG#PLACE, TAG:NUMBER, TAG:after or TAG:NAME+NAME, such "
                f"as share#2:after; got {text!r}"
            )
        place = int(number) if hash_ else 1
        if not colon:
            return cls(tag, place)
        if ending == EVERYBODY:
            return cls(tag, place, None)
        return cls(tag, place, int(ending) if ending.isdecimal() else tuple(names))

    def __str__(self) -> str:
        match self.reached:
            case None:
                ending = f":{EVERYBODY}"
            case 0 | ():
                ending = ""
            case int():
                ending = f":{self.reached}"
            case names:
                ending = ":" + "+".join(names)
        return self.tag + ("" if self.place == 1 else f"#{self.place}") + ending


Fates = Mapping[str, Fate]  # by the name of the party

What = Literal["lost", "damaged", "duplicated", "late"]
LOST: frozenset[What] = frozenset({"lost", "damaged"})  # the recipient never reads the message


@attrs.frozen
class MessageFate:
    """What happens to the messages of one send to one recipient.

    The send is the `place`-th of `sender` under `tag`, counted as for a `Fate`. `what` is

    - "lost": the message never comes;
    - "damaged": it comes, but its checksum does not fit, so it is not read;
    - "duplicated": it comes twice, and is read once;
    - "late": it comes `seconds` later.

    Raises `TypeError` for a `place` that is not a whole number, and for `seconds` that are no
    number. Raises `BadInput` for a `place` below 1, for another `what`, for "late" without a finite
    number of seconds above 0, and for seconds without "late".

    >>> MessageFate.parse("u3@masked#2:late=1.5:server")
    (MessageFate(sender='u3', recipient='server', tag='masked', place=2, what='late', seconds=1.5),)
    """

    sender: str
    recipient: str
    tag: str
    place: int = attrs.field(default=1, converter=_place)
    what: What = "lost"
    seconds: float = attrs.field(default=0.0, converter=_seconds)

    def __attrs_post_init__(self) -> None:
        if self.place < 1:
            raise BadInput(f"the place of a send must be 1 or more, got {self.place}")
        if self.what not in get_args(What):
            raise BadInput(
                f"the fate `what` of a message is one of {', '.join(get_args(What))}, "
                f"got {self.what!r}"
            )
        if not 0 <= self.seconds < float("inf") or (self.seconds > 0) != (self.what == "late"):
            raise BadInput(
                "a late message needs a finite number of seconds above 0, and other messages have "
                f"no seconds: got {self.what} with {self.seconds} seconds"
            )

    @classmethod
    def parse(cls, text: str) -> "tuple[MessageFate, ...]":
        """Return the fates, one for each recipient, that a text such as `u3@masked:lost:server` or
        `u3@share#2:late=1.5:u1+u4` describes.

        Raises `BadInput` for any other text.
        """
        head, _, ending = text.partition(":")
        what, colon, recipients = ending.partition(":")
        sender, at, place = head.partition("@")
        tag, hash_, number = place.partition("#")
        kind, equals, seconds = what.partition("=")
        names = recipients.split("+")
        is_number = kind == "late" and seconds.replace(".", "", 1).isdecimal() if equals else True
        is_place = number.isdecimal() if hash_ else True
        if not (sender and at and tag and colon and all(names) and is_number and is_place):
            raise BadInput(
                "the fate of a message is written PARTY@TAG:WHAT:RECIPIENT, where WHAT is lost, "
                f"damaged, duplicated or late=SECONDS, such as u3@masked:lost:server; got {text!r}"
            )
        late = float(seconds) if equals else 0.0
        told: Any = kind  # checked below
        return tuple(
            cls(sender, name, tag, int(number) if hash_ else 1, told, late) for name in names
        )

    def __str__(self) -> str:
        place = "" if self.place == 1 else f"#{self.place}"
        # All digits and no exponent, so that `parse` reads the same number.
        seconds = f"{Decimal(repr(self.seconds)):f}".removesuffix(".0")
        what = f"late={seconds}" if self.what == "late" else self.what
        return f"{self.sender}@{self.tag}{place}:{what}:{self.recipient}"


@attrs.frozen
class Ending:
    """A party that did not finish its script although it did not drop out: it aborted, or it waits
    for ever. `round` is the round that it was in.
    """

    party: str
    round: int
    reason: str

    def __str__(self) -> str:
        return f"{self.party} in round {self.round}: {self.reason}"


@attrs.frozen
class Happened:
    """Who dropped out of a run, and who was heard: what the ideal world is told besides the inputs.

    `gone` names the parties that dropped out. `came` is about calls of `gather_some`, `heard` and
    `gather_rows(..., at_least=...)`. For each party and tag it has the names of the senders whose
    messages had come, call by call. `missed` has in the same way the senders that the party waited
    for in vain.

    >>> asked = "server", "masked"
    >>> happened = Happened(("u2",), {asked: (("u1", "u3"),)}, {asked: (("u2",),)})
    >>> happened.heard("server", "masked")
    ('u1', 'u3')
    >>> happened.heard("server", "unmask")
    ()
    >>> happened.missed[asked]
    (('u2',),)
    """

    gone: tuple[str, ...] = ()
    came: Mapping[tuple[str, str], tuple[tuple[str, ...], ...]] = attrs.field(factory=dict)
    missed: Mapping[tuple[str, str], tuple[tuple[str, ...], ...]] = attrs.field(factory=dict)

    def heard(self, party: str, tag: str, call: int = 1) -> tuple[str, ...]:
        """Return the senders that a party heard in its `call`-th call under this tag, counted from
        1. The result is empty if there was no such call.
        """
        calls = self.came.get((party, tag), ())
        return calls[call - 1] if 1 <= call <= len(calls) else ()

    def within(self, scope: str) -> "Happened":
        """Return what happened among the parties whose names begin with `scope`, under tags whose
        names begin with it as well. Names in the result are without `scope`.

        >>> Happened(("g1.u2", "g2.u1"), {("g1.server", "g1.note"): (("g1.u1",),)}).within("g1.")
        Happened(gone=('u2',), came={('server', 'note'): (('u1',),)}, missed={})
        """

        def inside(names: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(name.removeprefix(scope) for name in names if name.startswith(scope))

        def calls(
            waits: Mapping[tuple[str, str], tuple[tuple[str, ...], ...]],
        ) -> dict[tuple[str, str], tuple[tuple[str, ...], ...]]:
            return {
                (party.removeprefix(scope), tag.removeprefix(scope)): tuple(map(inside, senders))
                for (party, tag), senders in waits.items()
                if party.startswith(scope) and tag.startswith(scope)
            }

        return Happened(inside(self.gone), calls(self.came), calls(self.missed))


@attrs.frozen(order=True)
class Silence:
    """A party stopped waiting for some senders: `recipient` is the number of the party, and
    `senders` has the numbers of the senders. `round` is the round of their silence.
    """

    round: int
    recipient: int
    tag: str
    senders: tuple[int, ...]


@attrs.frozen
class Deadline:
    """How a wait with a deadline ended. Parties are numbers.

    `at` is the time, in seconds, at which the party went on. `silent` are the senders whose
    messages had not come by then. `step` counts the moments at which deadlines were decided:
    parties with the same step went on together. `round` is the round of the end of the wait.

    >>> Deadline(step=0, round=1, recipient=3, tag="note", at=2.5, silent=(1,)).silent
    (1,)
    """

    step: int
    round: int
    recipient: int
    tag: str
    at: float
    silent: tuple[int, ...]


@attrs.frozen
class Late:
    """A message that came `seconds` after its recipient had stopped waiting for it.

    >>> str(Late("note", "u1", "server", 0.25))
    'note from u1 to server, 0.25 s late'
    """

    tag: str
    sender: str
    recipient: str
    seconds: float

    def __str__(self) -> str:
        return f"{self.tag} from {self.sender} to {self.recipient}, {self.seconds:.3g} s late"
