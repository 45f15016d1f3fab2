"""The log of a run as arrays: what the clock reads, and what a file of a log contains.

A log has names, tags, sizes and numbers of operations, and no payload. It may have the command of
the run, and the run's seed: whoever has the seed can compute the coins of all parties. A *post* of
the log is one message to a party (if the sender is a crowd: one message of each member that sends),
or the messages to a group that are sent together.
"""

import io
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from simnet.arrays import Indices, Ints
from simnet.errors import BadInput
from simnet.files import write_whole
from simnet.foreign import parsed
from simnet.kernel.limits import refuse_above
from simnet.kernel.run import Run
from simnet.network.network import Network
from simnet.network.toml_file import as_toml
from simnet.record import log as written
from simnet.roster import Roster
from simnet.values.frames import HEADER_BYTES
from simnet.values.meter import Operation

FORMAT = "simnet log"
VERSION = 2  # version 1 has no deadlines and no delays
# Limits of what a file may say, so that numbers computed from it fit into 64 bits.
MOST, MOST_BYTES = 1 << 62, 1 << 40
COPIES = 4  # of the arrays of a file, in memory
BYTES_A_PART = 150  # of an array that is split: each part is an object
# The most members of all crowds of a file together: the clock has arrays with a number for each.
MOST_MEMBERS = 100_000_000


@attrs.frozen
class LoggedLine:
    """What many posts have in common: posts of one sender, tag and round whose messages have the
    same kinds and numbers of values. `frame_bytes` is the size of one message with the header of
    its frame.
    """

    sender: int
    tag: str
    round: int
    frame_bytes: int


@attrs.frozen(eq=False, repr=False, kw_only=True)
class RecordedRun:
    """The log of one run.

    `names`, `roles`, `sizes` and `brings_input` describe the parties; the size is 1, or the number
    of members of a crowd. `events` has shape (3, E): its rows are the parties, the kinds and the
    values of the E events. Unlike in `simnet.record.log`, posts are counted 0, 1, 2 and so on, and
    the value of the event of a post is the number of the post. The post p has the line
    `lines[post_line[p]]` and goes to the party `post_to[p]` or, if `post_to[p]` is negative, to the
    group `groups[-1 - post_to[p]]`. Each of `lists` has posts that are taken out at once. Each of
    `works` has the operations of one piece of work. `members` has, by post of
    `send_rows`, how many members of a crowd sent a message (0 or 1 for a single party). `deferred`
    has, by post, the work that made its rows later. `delays` has, by post and recipient, the
    seconds by which a message comes later. `deadlines` says how the waits with a deadline ended. If
    a `Network` decided them, `network` describes it as TOML; otherwise `network` is empty.
    `command` says how the run can be repeated. `seed` is that of the run, or None if the log does
    not tell it.
    """

    names: tuple[str, ...]
    roles: tuple[str, ...]
    sizes: tuple[int, ...]
    brings_input: tuple[bool, ...]
    events: Ints
    post_line: Ints
    post_to: Ints
    lines: tuple[LoggedLine, ...]
    groups: tuple[Indices, ...]
    lists: tuple[Indices, ...]
    works: tuple[Mapping[Operation, int], ...]
    members: Mapping[int, int]
    deferred: Mapping[int, int]
    delays: Mapping[tuple[int, int], float] = attrs.field(factory=dict)
    deadlines: tuple[written.EndedWait, ...] = ()
    network: str = ""
    command: str = ""
    seed: int | None = None

    @property
    def messages(self) -> int:
        """The number of messages between different parties."""
        total = 0
        for post in range(len(self.post_to)):
            total += self.recipients_of(post) * self.members.get(post, 1)
        return total

    def sender(self, post: int) -> int:
        """Return the party that sent a post."""
        return self.lines[int(self.post_line[post])].sender

    def recipients_of(self, post: int) -> int:
        """Return the number of parties that a post goes to, without its sender. Every member of a
        crowd counts.
        """
        to, sender = int(self.post_to[post]), self.sender(post)
        if to >= 0:
            return self.sizes[to] * (to != sender)
        group = self.groups[-1 - to]
        return sum(self.sizes[number] for number in group.tolist() if number != sender)

    def save(self, path: Path) -> None:
        """Write the log into a file. Raises `BadInput` if the file cannot be written."""
        described = {
            "format": FORMAT,
            "version": VERSION if self.deadlines or self.delays else 1,
            "command": self.command,
            "names": self.names,
            "roles": self.roles,
            "sizes": self.sizes,
            "brings_input": self.brings_input,
            "lines": [attrs.astuple(line) for line in self.lines],
            "works": self.works,
            "members": list(self.members.items()),
            "deferred": list(self.deferred.items()),
        }
        if self.seed is not None:
            described["seed"] = self.seed
        if self.delays:
            described["delays"] = [[*message, delay] for message, delay in self.delays.items()]
        if self.deadlines:
            described |= {"deadlines": self.deadlines, "network": self.network}
        arrays: dict[str, Any] = {
            "described": np.frombuffer(json.dumps(described).encode(), dtype=np.uint8),
            "events": self.events,
            "post_line": self.post_line,
            "post_to": self.post_to,
            **_joined("groups", self.groups),
            **_joined("lists", self.lists),
        }
        content = io.BytesIO()
        np.savez_compressed(content, **arrays)
        write_whole(path, content.getvalue(), private=True)


def recorded(run: Run, command: str = "", *, with_seed: bool = False) -> RecordedRun:
    """Return the log of a run; `command` says how the run can be repeated. `with_seed` notes the
    seed of the run in the log: do not use it if the inputs are private.

    >>> from simnet import Seat, recorded, run
    >>> class Wait:
    ...     def parties(self):
    ...         return {"server": Seat(self.server)}
    ...     async def server(self, me):
    ...         return None
    >>> recorded(run(Wait())).names
    ('server',)
    """
    brings_input = [name in run.inputs for name in run.roster.names]
    log, _ = so_far(run.roster, brings_input, run.log)
    network = ""
    if run.log.deadlines and isinstance(run.network, Network):
        network = as_toml(run.network)
    seed = run.seed if with_seed else None
    return attrs.evolve(log, command=command, network=network, seed=seed)


def so_far(
    roster: Roster, brings_input: Sequence[bool], log: written.Log
) -> tuple[RecordedRun, Ints]:
    """Return the log of a run as it is now, and the number of the post at each place of the log.

    If scripts wait with deadlines, the operations of doors' functions count as taking no time: they
    may depend on inputs, and a deadline must not tell about inputs.
    """
    coded = np.array(log.events, dtype=np.int64)
    subjects = coded >> written.VALUE_BITS >> written.KIND_BITS
    kinds, values = coded >> written.VALUE_BITS & written.KIND_MASK, coded & written.VALUE_MASK
    is_post, is_take = kinds == written.SEND, kinds == written.TAKE
    number = np.cumsum(is_post) - 1  # of the post at each place
    post_line, post_to = subjects[is_post], values[is_post] - written.TO_ZERO
    parties = subjects.copy()
    parties[is_post] = np.array([line.sender for line in log.lines], dtype=np.int64)[post_line]
    values[is_post], values[is_take] = number[is_post], number[values[is_take]]
    works = log.works
    if log.has_deadlines:
        works = [_less(work, doors) for work, doors in zip(works, log.in_doors, strict=True)]
    found = RecordedRun(
        names=tuple(roster.names),
        roles=tuple(seat.role for seat in roster.seats),
        sizes=tuple(seat.size for seat in roster.seats),
        brings_input=tuple(brings_input),
        events=np.stack([parties, kinds, values]),
        post_line=post_line,
        post_to=post_to,
        lines=tuple(
            LoggedLine(
                line.sender,
                line.lot.tag,
                line.lot.round,
                line.lot.manifest.payload_bytes + HEADER_BYTES,
            )
            for line in log.lines
        ),
        groups=tuple(group.numbers for group in log.groups),
        lists=tuple(number[list(posts.values())] for posts in log.lists),
        works=tuple(works),
        members={int(number[post]): sent for post, sent in log.members.items()},
        deferred={int(number[post]): work for post, work in log.deferred.items()},
        delays={(int(number[post]), to): delay for (post, to), delay in log.delays.items()},
        deadlines=tuple(log.deadlines),
    )
    return found, number


def _less(work: Mapping[Operation, int], doors: Mapping[Operation, int]) -> Mapping[Operation, int]:
    return {kind: times - doors.get(kind, 0) for kind, times in work.items()}


def load(path: Path) -> RecordedRun:
    """Return the log in a file. Raises `BadInput` unless the file holds a whole log of a version
    that this program reads, and for crowds with more than `MOST_MEMBERS` members together.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            unpacked = sum(entry.file_size for entry in arrays.zip.infolist())
            refuse_above(f"reading {path}", memory=COPIES * unpacked)
            described = parsed(bytes(arrays["described"]), "JSON")
            if described["format"] != FORMAT or not 1 <= described["version"] <= VERSION:
                raise BadInput(
                    f"{path} has version {described['version']} of the format "
                    f"{described['format']!r}: this program reads versions 1 and {VERSION} of "
                    f"{FORMAT!r}"
                )
            parties, posts = len(described["names"]), len(arrays["post_line"])
            seed = described.get("seed")
            works = described["works"]
            log = RecordedRun(
                names=tuple(_text(name) for name in described["names"]),
                roles=tuple(_text(role) for role in described["roles"]),
                sizes=tuple(_number(size, 1, MOST) for size in described["sizes"]),
                brings_input=tuple(bool(brings) for brings in described["brings_input"]),
                events=_whole_numbers(arrays["events"], axes=2),
                post_line=_whole_numbers(arrays["post_line"]),
                post_to=_whole_numbers(arrays["post_to"]),
                lines=tuple(
                    LoggedLine(
                        _number(sender, 0, parties - 1),
                        _text(tag),
                        _number(round_, 0, MOST),
                        _number(frame_bytes, 0, MOST_BYTES),
                    )
                    for sender, tag, round_, frame_bytes in described["lines"]
                ),
                groups=_parted("groups", arrays),
                lists=_parted("lists", arrays),
                works=tuple(
                    {kind: _number(times, 0, MOST) for kind, times in work.items()}
                    for work in works
                ),
                members={
                    _number(post, 0, posts - 1): _number(sent, 0, MOST)
                    for post, sent in described["members"]
                },
                deferred={
                    _number(post, 0, posts - 1): _number(work, 0, len(works) - 1)
                    for post, work in described["deferred"]
                },
                delays={
                    (_number(post, 0, posts - 1), _number(to, 0, parties - 1)): _seconds(delay)
                    for post, to, delay in described.get("delays", ())
                },
                deadlines=tuple(
                    written.EndedWait(
                        _seconds(within), bool(passed), _seconds(at), _number(taken, 0, MOST)
                    )
                    for within, passed, at, taken in described.get("deadlines", ())
                ),
                network=_text(described.get("network", "")),
                command=_text(described["command"]),
                seed=None if seed is None else _number(seed, -math.inf, math.inf),
            )
    except BadInput:
        raise
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}") from error
    except Exception as error:
        raise BadInput(f"{path} is no log of a run: simnet run --log writes one") from error
    _refuse_inconsistent(log, path)
    return log


def _number(value: Any, least: float, most: float) -> int:
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"{value!r} is no whole number from {least} to {most}")
    return value


def _seconds(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise ValueError(f"{value!r} is no number of seconds")
    return float(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def _whole_numbers(array: Any, axes: int = 1) -> Ints:
    if array.dtype != np.int64 or array.ndim != axes:
        raise TypeError(f"an array of {array.dtype} with the shape {array.shape} does not belong")
    numbers: Ints = array
    return numbers


def _joined(name: str, parts: tuple[Indices, ...]) -> dict[str, Ints]:
    """Return arrays of different lengths as one array and their lengths."""
    lengths = np.array([len(part) for part in parts], dtype=np.int64)
    return {
        name: np.concatenate([np.zeros(0, dtype=np.int64), *parts]),
        f"{name}_lengths": lengths,
    }


def _parted(name: str, arrays: Any) -> tuple[Indices, ...]:
    lengths, joined = _whole_numbers(arrays[f"{name}_lengths"]), _whole_numbers(arrays[name])
    if (len(lengths) and lengths.min() < 0) or lengths.sum() != len(joined):
        raise ValueError(f"the lengths of the {name} do not fit")
    refuse_above(f"a log with {len(lengths):,} {name}", memory=BYTES_A_PART * len(lengths))
    ends = np.cumsum(lengths)
    return tuple(np.split(joined, ends)[: len(ends)])


def _refuse_inconsistent(log: RecordedRun, path: Path) -> None:
    """Raise `BadInput` if the parts of the log do not fit together, or if crowds are too large."""
    members = sum(size for size in log.sizes if size > 1)
    if members > MOST_MEMBERS:
        raise BadInput(
            f"{path} has crowds with {members:,} members together; a log that is read may have at "
            f"most {MOST_MEMBERS:,}"
        )
    parties, posts, groups = len(log.names), len(log.post_to), len(log.groups)
    if len(log.events) != 3 or len(log.post_line) != posts:
        raise BadInput(f"{path} is no log of a run: its arrays do not fit together")
    actors, kinds, values = log.events
    limits = [posts, posts, len(log.lists), len(log.works), 1, len(log.deadlines)]
    numbers = [
        (actors, parties),
        (kinds, len(limits)),
        (log.post_line, len(log.lines)),
        (log.post_to[log.post_to >= 0], parties),
        (-1 - log.post_to[log.post_to < 0], groups),
        (np.array(list(log.members.values()), dtype=np.int64), MOST_MEMBERS + 1),
        *((group, parties) for group in log.groups),
        *((list_, posts) for list_ in log.lists),
        (np.array([line.sender for line in log.lines], dtype=np.int64), parties),
        *((values[kinds == kind], limit) for kind, limit in enumerate(limits)),
    ]
    if any(len(given) and not (given.min() >= 0 and given.max() < top) for given, top in numbers):
        raise BadInput(f"{path} is no log of a run: a number in it is out of range")
    sent = values[kinds == written.SEND]
    if len(np.unique(sent)) != len(sent):
        raise BadInput(f"{path} is no log of a run: a message in it is sent twice")
    if {len(log.roles), len(log.sizes), len(log.brings_input), len(set(log.names))} != {parties}:
        raise BadInput(f"{path} is no log of a run: it does not describe every party once")
