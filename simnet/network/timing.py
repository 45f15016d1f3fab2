"""How long a run takes on a network, by role and by party, and which chain of messages and work
decides this time.
"""

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from simnet.errors import BadInput
from simnet.kernel.limits import refuse_above
from simnet.kernel.run import Run
from simnet.network.clock import DEADLINE_PASSED, NOBODY, Clock, Wait
from simnet.network.links import Time
from simnet.network.network import Network
from simnet.network.recorded import RecordedRun, recorded
from simnet.network.toml_file import as_toml, network_from_toml, network_named
from simnet.printable import rounded

# The columns of a table of roles, as `RoleTiming.in_words` fills them, and what they mean.
# What a message costs the clock: so many elements of messages take as long, and so many bytes if
# its sender or its recipient is a member of a crowd.
ELEMENTS_A_MESSAGE, BYTES_A_MESSAGE = 25, 60
ROLE_HEADS = (
    *("role", "parties", "ended", "computing", "waiting", "sending"),
    *("bytes up", "bytes down"),
)
ROLE_NOTE = (
    "ended: when the last party of the role ends. The later columns are means over the parties of "
    "the role. sending: how long the uplink is busy, also while the party itself waits. The bytes "
    "include the headers of packets. If packets may be lost, bytes up also include those that are "
    "sent again, as many as there are on average."
)


@attrs.frozen
class RoleTiming:
    """The times and bytes of the parties of one role.

    `parties` counts every member of a crowd. `ended` is when the last of them ended. `computing`
    and `waiting` are the seconds in which a party computed and waited, and `sending` those in which
    its uplink was busy; each is the mean over the parties. `bytes_up` and `bytes_down` are means
    too, with the transport's headers; `bytes_up` counts a packet that may be lost as often as it is
    sent on average. For a crowd, `waiting` is computed from the latest times of its members.
    """

    role: str
    parties: int
    ended: float
    computing: float
    waiting: float
    sending: float
    bytes_up: float
    bytes_down: float

    @property
    def in_words(self) -> list[str]:
        """The role's row of a table with the columns `ROLE_HEADS`."""
        times = self.ended, self.computing, self.waiting, self.sending
        sizes = rounded(self.bytes_up), rounded(self.bytes_down)
        return [self.role, f"{self.parties:,}", *map(in_units, times), *sizes]


@attrs.frozen
class Leg:
    """One step of the longest chain, from `began` to `ended`. If there is a `tag`, a message of
    `sender` was on its way to `party`. Without a tag, `party` computed, unless the step is `told`
    or has a `deadline`.

    The message was sent at `began`, began to leave the uplink at `left`, was wholly sent at `gone`,
    came to the downlink at `came`, and was there at `ended`. `told` says that no message ended the
    wait: `party` went on because nobody else could go on, and `sender` was the last party to
    stop. `deadline` says that the party waited until its deadline.
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
    deadline: bool = False

    def __str__(self) -> str:
        at, began = in_units(self.ended), in_units(self.began)
        if self.deadline:
            return f"{self.party} waits from {began} until its deadline at {at}"
        if self.told:
            return (
                f"{self.party} goes on at {at}, because nobody else could go on: {self.sender} "
                f"was the last to stop, at {began}"
            )
        if self.tag is None:
            return f"{self.party} computes for {in_units(self.ended - self.began)}, until {at}"
        parts = [
            (self.left - self.began, f"{self.sender}'s uplink is busy with other messages for"),
            (self.gone - self.left, "sending the message takes"),
            (self.came - self.gone, "it is under way for"),
            (self.ended - self.came, f"{self.party}'s downlink takes"),
        ]
        words = ", ".join(f"{what} {in_units(took)}" for took, what in parts if took > 1e-12)
        on_its_way = f"; {words}" if words else ""
        return f"{self.party} has {self.sender}'s {self.tag} at {at}: sent at {began}{on_its_way}"


def in_units(seconds: float) -> str:
    """Return a time with at most three significant digits, in s, ms or µs; a time of 1,000 s or
    more has all digits before the point, and one of 10^15 s or more an exponent.

    >>> in_units(0.05808), in_units(0.9999), in_units(1234.5)
    ('58.1 ms', '1 s', '1,234 s')
    """
    if seconds >= 999.5:
        return f"{rounded(seconds)} s"
    for unit, scale in (("s", 1.0), ("ms", 1e3)):
        if seconds * scale >= 0.9995:  # three digits of a smaller number are below 1
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs" if seconds else "0 s"


@attrs.frozen(eq=False, repr=False)
class Timing:
    """How long a run takes on a network. All times are seconds from the start of the run.

    `ended` maps each party to the time at which its script ended, or began to wait for ever; for a
    crowd it is that of the last member. `legs` is the longest chain of messages and work, from the
    start to the end. `waits` has the waits of all parties.

    >>> from simnet import Timing, run, timed
    >>> from protocols import DPDS
    >>> done: Timing = timed(run(DPDS(users=4, items=3, participation=1.0), [1, 3, 3, 2]), "rounds")
    >>> done.ended["server"], [leg.tag for leg in done.legs]
    (2.0, ['share', 'partial'])
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

    def as_json(self) -> dict[str, Any]:
        """Return the times of the roles and the longest chain, for JSON."""
        return {
            "network": self.network.name,
            "source": self.network.source,
            "completion": self.completion,
            "roles": [attrs.asdict(role) for role in self.roles],
            "longest_chain": [{**attrs.asdict(leg), "words": str(leg)} for leg in self.legs],
        }


def timed(run: Run | RecordedRun, network: Network | str, seed: int | None = None) -> Timing:
    """Return how long a run, or the log of a run, takes on a network; the chances of the links
    follow from `seed`. `network` is a `Network`, the name of a network, or the name of a TOML file.

    Without `seed`, the chances follow from the seed of the run, or from 0 for a log that does not
    tell the seed. If scripts wait with deadlines, the network and the chances must be those of the
    run, and `seed` is ignored for a `Run`. Raises `BadInput` for another network than that of such
    a run, for a seed with which other messages come in time, for an unknown network, and for a
    network that does not fit the parties of the run.

    >>> from simnet import Field, Seat, Tag, run, timed
    >>> class Send:
    ...     def parties(self):
    ...         return {"a": Seat(self.sender), "b": Seat(self.reader)}
    ...     async def sender(self, me):
    ...         await me.send(Tag("note"), "b", me.coins.field(Field(101), (2,)))
    ...     async def reader(self, me):
    ...         await me.receive(Tag("note"), "a")
    >>> timed(run(Send()), "rounds").completion
    1.0
    """
    log = recorded(run) if isinstance(run, Run) else run
    network = network_named(network) if isinstance(network, str) else network
    own_seed = run.seed if isinstance(run, Run) else log.seed
    if log.deadlines:
        _refuse_other_network(log, network)
    if seed is None or (log.deadlines and isinstance(run, Run)):
        seed = 0 if own_seed is None else own_seed
    _refuse_large(log)
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


def _refuse_large(log: RecordedRun) -> None:
    """Raise `BadInput` if the messages of the log are too many for the clock. It keeps times for
    each message of a crowd, and to a crowd.
    """
    sizes = np.array(log.sizes, dtype=np.float64)
    of_groups = [sizes[group].sum() for group in log.groups]
    # A post to the group g has the recipient -1 - g, which counts from the end of this array.
    recipients = np.concatenate([sizes, of_groups[::-1]])[log.post_to]
    senders = np.array([line.sender for line in log.lines], dtype=np.int64)
    messages = float(recipients @ sizes[senders[log.post_line]])
    in_crowds = min(messages, len(log.post_to) * float(sizes[sizes > 1].sum()))
    what = f"timing {rounded(messages)} messages"
    refuse_above(what, elements=ELEMENTS_A_MESSAGE * messages, memory=BYTES_A_MESSAGE * in_crowds)


def _refuse_other_network(log: RecordedRun, network: Network) -> None:
    """Raise `BadInput` unless the deadlines of a run were decided on this network."""
    if as_toml(network) != log.network:
        known = f"on another network, {network_from_toml(log.network).name}" if log.network else ""
        raise BadInput(
            f"scripts of this run wait with deadlines, which were decided "
            f"{known or 'without a network'}: make a run on the network {network.name} to see how "
            "long it takes there"
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
        sum(float(links.bytes_up[number]) for number in numbers) / people,
        sum(int(links.bytes_down[number]) for number in numbers) / people,
    )


def _longest(clock: Clock, at: Sequence[float]) -> list[Leg]:
    """Return the chain of messages and work that ends when the last party ends, in order of
    time.
    """
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
        if wait.post == DEADLINE_PASSED:
            legs.append(Leg(names[party], wait.began, wait.ended, deadline=True))
            time, before = wait.began, before - 1
            continue
        if wait.post == NOBODY:
            legs.append(Leg(names[party], wait.came, wait.ended, names[wait.after], told=True))
            party, time, before = wait.after, wait.came, _waits_until(clock, wait.after, wait.came)
            continue
        if wait.post in clock.forwarded and party != clock.links.relay:
            legs.append(_message(clock, wait, clock.forwarded[wait.post].ended))
            wait = clock.forwarded[wait.post]
        time, before = clock.sent[wait.post]
        legs.append(_message(clock, wait, time))
        party = wait.after


def _message(clock: Clock, wait: Wait, sent: float) -> Leg:
    log = clock.log
    links, number = clock.links, wait.post
    if wait.party == links.relay and links.goes_through_relay(wait.post):
        number = links.uploaded(wait.post)
    latency = links.seconds_under_way(number, wait.party, wait.after)
    _, step = links.left.get(number, (0.0, 0.0))
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
