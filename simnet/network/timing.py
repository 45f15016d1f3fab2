"""How long a run takes on a network, by role and by party, and the chain of messages that took
longest.
"""

from collections.abc import Sequence

import attrs
import numpy as np

from simnet.network.clock import NOBODY, Clock, Wait
from simnet.network.links import Time
from simnet.network.network import Network
from simnet.network.recorded import RecordedRun


@attrs.frozen
class RoleTiming:
    """The parties of one role: when the last one ended, and the mean seconds of a party in which it
    computed, waited, and had its uplink busy. Bytes count the headers of the transport, and are
    those of a party on average.
    """

    role: str
    parties: int
    ended: float
    computing: float
    waiting: float
    sending: float
    bytes_up: float
    bytes_down: float


@attrs.frozen
class Leg:
    """One step of the longest chain: between `began` and `ended`, `party` computed or, if there is
    a `tag`, waited for a message of `sender`.

    The message was sent at `began`, began to leave the uplink at `left`, was wholly sent at
    `gone`, came to the downlink at `came`, and was there at `ended`. `told` says that no message
    ended the wait: everybody had to wait for `sender`.
    """

    party: str
    began: float
    ended: float
    sender: str | None = None
    tag: str | None = None
    left: float = 0.0
    gone: float = 0.0
    came: float = 0.0
    told: bool = False

    def __str__(self) -> str:
        took = f"{self.ended - self.began:.4g} s"
        if self.told:
            return (
                f"{self.party} goes on at {self.ended:.4g} s: nobody could send any more, "
                f"{self.sender} being the last to stop at {self.began:.4g} s"
            )
        if self.tag is None:
            return f"{self.party} computes until {self.ended:.4g} s: {took}"
        queued, sent = self.left - self.began, self.gone - self.left
        under_way, down = self.came - self.gone, self.ended - self.came
        return (
            f"{self.party} has {self.sender}'s {self.tag} at {self.ended:.4g} s: "
            f"{queued:.4g} s behind others at {self.sender}'s uplink, {sent:.4g} s to send, "
            f"{under_way:.4g} s under way, {down:.4g} s at {self.party}'s downlink"
        )


@attrs.frozen(eq=False, repr=False)
class Timing:
    """How long a run takes on a network. All times are seconds from the start of the run.

    `ended` maps each party to the time at which its script ended; for a crowd it is that of the
    last member. `legs` is the longest chain of messages and work, from the start to the end.
    """

    log: RecordedRun
    network: Network
    ended: dict[str, float]
    roles: tuple[RoleTiming, ...]
    legs: tuple[Leg, ...]
    waits: tuple[Wait, ...]

    @property
    def completion(self) -> float:
        """When the last party ended."""
        return max(self.ended.values())


def timed(log: RecordedRun, network: Network, seed: int = 0) -> Timing:
    """Return how long a recorded run takes on a network; the chances of the links follow from
    `seed`.

    Raises `BadInput` if the network does not fit the parties of the run.

    >>> from simnet import Field, Seat, Tag, run
    >>> from simnet.network.presets import PRESETS
    >>> from simnet.network.recorded import recorded
    >>> class Send:
    ...     def parties(self):
    ...         return {"a": Seat(self.sender), "b": Seat(self.reader)}
    ...     async def sender(self, me):
    ...         await me.send(Tag("note"), "b", me.coins.field(Field(101), (2,)))
    ...     async def reader(self, me):
    ...         await me.receive(Tag("note"), "a")
    >>> timed(recorded(run(Send())), PRESETS["rounds"]).completion
    1.0
    """
    clock = Clock(log, network, seed)
    clock.play()
    at = [float(np.max(time)) for time in clock.at]
    return Timing(
        log,
        network,
        dict(zip(log.names, at, strict=True)),
        tuple(_of_role(clock, role) for role in dict.fromkeys(log.roles)),
        tuple(_longest(clock, at)),
        tuple(wait for waits in clock.waits for wait in waits),
    )


def _of_role(clock: Clock, role: str) -> RoleTiming:
    log, links = clock.log, clock.links
    numbers = [number for number, own in enumerate(log.roles) if own == role]
    people = sum(log.sizes[number] for number in numbers)

    def mean(values: Sequence[Time]) -> float:
        return sum(float(np.sum(values[number])) for number in numbers) / people

    waited = [sum(wait.ended - wait.began for wait in waits) for waits in clock.waits]
    return RoleTiming(
        role,
        people,
        max(float(np.max(clock.at[number])) for number in numbers),
        mean(clock.computing),
        sum(waited[number] * log.sizes[number] for number in numbers) / people,
        mean(links.sending),
        sum(int(links.bytes_up[number]) for number in numbers) / people,
        sum(int(links.bytes_down[number]) for number in numbers) / people,
    )


def _longest(clock: Clock, at: Sequence[float]) -> list[Leg]:
    """Return the chain that ends with the last party, from its start."""
    names = clock.log.names
    party = int(np.argmax(at))
    time, before = at[party], len(clock.waits[party])
    legs: list[Leg] = []
    while True:
        wait = clock.waits[party][before - 1] if before else None
        since = 0.0 if wait is None else wait.ended
        if time > since:
            legs.append(Leg(names[party], since, time))
        if wait is None:
            return legs[::-1]
        if wait.post == NOBODY:
            legs.append(Leg(names[party], wait.came, wait.ended, names[wait.after], told=True))
            party, time, before = wait.after, wait.came, _waits_until(clock, wait.after, wait.came)
            continue
        if wait.post in clock.forwarded:
            legs.append(_message(clock, wait, clock.forwarded[wait.post].ended))
            wait = clock.forwarded[wait.post]
        time, before = clock.sent[wait.post]
        legs.append(_message(clock, wait, time))
        party = wait.after


def _message(clock: Clock, wait: Wait, sent: float) -> Leg:
    log = clock.log
    latency = clock.links.seconds_under_way(wait.post, wait.party, wait.after)
    _, step = clock.links.left.get(wait.post, (0.0, 0.0))
    gone = max(wait.came - latency, sent + step)  # without what rounding takes away
    return Leg(
        log.names[wait.party],
        sent,
        wait.ended,
        log.names[wait.after],
        log.lines[int(log.post_line[wait.post])].tag,
        gone - step,
        gone,
        wait.came,
    )


def _waits_until(clock: Clock, party: int, time: float) -> int:
    return sum(wait.ended <= time for wait in clock.waits[party])
