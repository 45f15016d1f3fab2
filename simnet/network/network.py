"""Networks: how fast parties are connected, and how long their computing takes.

A network puts every party into a *class*, such as "client" or "server". The class says how fast the
uplink and the downlink of a party are, and a pair of classes has a latency. A network says how long
a run takes (see `simnet.network.clock`). It changes what a run computes only if scripts wait with
deadlines, because it then decides which messages come in time.
"""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import attrs

from simnet.checks import integer, real
from simnet.errors import BadInput
from simnet.record.log import Log
from simnet.roster import Roster
from simnet.values.meter import Operation

if TYPE_CHECKING:
    from simnet.network.deadlines import OnNetwork

Law = Literal["exponential", "uniform"]
CLIENT, SERVER = "client", "server"


def _is_rate(_: object, attribute: "attrs.Attribute[float | None]", value: float | None) -> None:
    if value is not None and not real(f"the rate {attribute.name} of a class", value) > 0:
        raise BadInput(
            f"the rate {attribute.name} of a class is a number of bits per second above 0, got "
            f"{value}"
        )


def _is_time(_: object, attribute: "attrs.Attribute[float]", value: float) -> None:
    if not 0 <= real(f"the time {attribute.name} of a latency", value) < math.inf:
        raise BadInput(
            f"the times of a latency are finite and not negative, got {attribute.name}={value}"
        )


@attrs.frozen
class Access:
    """How the parties of one class are connected, each by links of its own.

    `up` and `down` are bits per second, None without a limit. Computing takes `slowness` times as
    long as the prices of the network say.

    Raises `TypeError` for a rate or a slowness that is no number. Raises `BadInput` for a rate or a
    slowness that is not positive, and for an infinite slowness.

    >>> from simnet import Access
    >>> Access(up=3e6, down=35e6).up
    3000000.0
    """

    up: float | None = attrs.field(default=None, validator=_is_rate)
    down: float | None = attrs.field(default=None, validator=_is_rate)
    slowness: float = attrs.field(default=1.0)

    @slowness.validator
    def _is_positive(self, _: object, value: float) -> None:
        if not 0 < real("the slowness of a class", value) < math.inf:
            raise BadInput(f"the slowness of a class is a finite factor above 0, got {value}")


@attrs.frozen
class Latency:
    """How long a message is under way between two parties, beside the time on their links.

    It takes `seconds`, and `jitter` more seconds on average, drawn for each message from `law`: an
    exponential law, or the uniform law on [0, 2 jitter]. Each packet is lost with probability
    `loss` and is then sent again one round trip later, 2 (`seconds` + `jitter`).

    Raises `TypeError` for times and a `loss` that are no numbers. Raises `BadInput` for negative
    and infinite times, for an unknown law, and unless `loss` lies in [0, 1).

    >>> from simnet import Latency
    >>> Latency(0.02).round_trip
    0.04
    """

    seconds: float = attrs.field(default=0.0, validator=_is_time)
    jitter: float = attrs.field(default=0.0, validator=_is_time)
    loss: float = attrs.field(default=0.0)
    law: Law = attrs.field(default="exponential")

    @loss.validator
    def _is_share(self, _: object, value: float) -> None:
        if not 0 <= real("the share of lost packets", value) < 1:
            raise BadInput(f"the share of lost packets lies in [0, 1), got {value}")

    @law.validator
    def _is_known(self, _: object, value: str) -> None:
        if value not in ("exponential", "uniform"):
            raise BadInput(f"the law of the jitter is exponential or uniform, got {value!r}")

    @property
    def round_trip(self) -> float:
        """Twice the mean of the seconds that a message is under way if no packet is lost."""
        return 2 * (self.seconds + self.jitter)


@attrs.frozen
class Transport:
    """What the transport adds to a message: a message is cut into packets of at most `payload`
    bytes, and every packet has `header` bytes more. Raises `TypeError` unless both are whole
    numbers, and `BadInput` for a `payload` below 1 and for a negative `header`.

    >>> Transport(payload=1448, header=66).bytes(3000)
    3198
    """

    payload: int = 1448
    header: int = 66

    def __attrs_post_init__(self) -> None:
        integer("the payload of a packet", self.payload)
        integer("the header of a packet", self.header)
        if self.payload < 1 or self.header < 0:
            raise BadInput(
                "a transport has packets of at least 1 byte and headers of at least 0 bytes, got "
                f"payload={self.payload}, header={self.header}"
            )

    def packets(self, message: int) -> int:
        """Return the number of packets of a message of `message` bytes, at least 1."""
        return max(1, -(-message // self.payload))

    def bytes(self, message: int) -> int:
        """Return the bytes of a message of `message` bytes with the headers of its packets."""
        return message + self.packets(message) * self.header


# Ethernet 14, IPv4 20, TCP with timestamps 32: a packet of 1,514 bytes has 1,448 of a message.
TCP = Transport(payload=1448, header=66)
NO_HEADERS = Transport(payload=1, header=0)


@attrs.frozen(kw_only=True)
class Network:
    """A network: classes of parties with their links, and the latencies between the classes.

    `classes` maps the name of a class to its access, and `roles` maps a role of the protocol to a
    class. Parties of other roles are clients if they bring an input, and servers if not.
    `latencies` maps pairs of classes to a latency; a pair holds in both directions unless the pair
    in the other order is given too. `transport` says what is added to the bytes of a message.
    `prices` has the seconds that one operation takes; an operation without a price takes no time.

    With `relay`, the name of a party, all messages between two other parties go through this party.
    If a party publishes a payload or scatters an array, its messages go up together: one upload,
    with a copy or a row for each recipient. (An array with keys has one upload for each key. A
    party that drops out amid a scatter may upload the rows one by one.) The relay sends the
    messages on when it has received the whole upload. `source` says where the numbers come from.

    Raises `BadInput` without classes, if a role or a latency names a class that the network does
    not have, for a pair of classes without a latency, and for a negative or infinite price.

    >>> from simnet import Access, Latency, Network
    >>> Network(name="steps", classes={"client": Access(), "server": Access()},
    ...         latencies={("client", "client"): Latency(1), ("client", "server"): Latency(1),
    ...                    ("server", "server"): Latency(1)}).latency("server", "client").seconds
    1
    """

    name: str
    source: str = ""
    classes: Mapping[str, Access]
    latencies: Mapping[tuple[str, str], Latency]
    roles: Mapping[str, str] = attrs.field(factory=dict)
    transport: Transport = TCP
    prices: Mapping[Operation, float] = attrs.field(factory=dict)
    relay: str | None = None

    def __attrs_post_init__(self) -> None:
        if not self.classes:
            raise BadInput(f"the network {self.name} has no classes, such as {CLIENT!r}")
        used = {*self.roles.values(), *(name for pair in self.latencies for name in pair)}
        for name in sorted(used.difference(self.classes)):
            raise BadInput(
                f"the network {self.name} has no class {name!r}: it has {', '.join(self.classes)}"
            )
        for one in self.classes:
            for other in self.classes:
                self.latency(one, other)
        for kind, price in self.prices.items():
            if not 0 <= price < math.inf:
                raise BadInput(
                    f"the price of {kind} is a finite number of seconds, 0 or more, got {price}"
                )

    def latency(self, sender: str, recipient: str) -> Latency:
        """Return the latency from a class to a class, or the latency in the other direction if only
        that one is stated. Raises `BadInput` if neither is stated.
        """
        found = self.latencies.get((sender, recipient), self.latencies.get((recipient, sender)))
        if found is None:
            raise BadInput(
                f"the network {self.name} states no latency between its classes {sender!r} and "
                f"{recipient!r}"
            )
        return found

    def timekeeper(
        self, roster: Roster, brings_input: Sequence[bool], log: Log, seed: int
    ) -> "OnNetwork":
        """Return the object that decides the deadlines of one run on this network."""
        from simnet.network.deadlines import OnNetwork  # it needs the clock, which needs networks

        return OnNetwork(self, roster, brings_input, log, seed)

    def class_of(self, role: str, brings_input: bool) -> str:
        """Return the class of the parties of a role. Raises `BadInput` if the network has no class
        for this role.
        """
        name = self.roles.get(role, CLIENT if brings_input else SERVER)
        if name not in self.classes:
            raise BadInput(
                f"the network {self.name} has no class for the role {role!r}: name the class of "
                f"this role among the roles, such as {role} = {next(iter(self.classes))!r}"
            )
        return name
