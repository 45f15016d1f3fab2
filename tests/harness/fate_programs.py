"""Random programs of parties that send, wait and drop out, and a reference that plays them.

A program gives every party a list of steps. The reference shares nothing with the kernel: it keeps
mailboxes in dictionaries, and finds out by repeated closure, instead of by components of a graph,
who may stop waiting.
"""

import random
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from simnet import Abort, Fate, Seat, Tag, index
from simnet.kernel.party import Party

TAGS = ("a", "b")
MODULUS = 1_000_003


@attrs.frozen
class Step:
    """One step of a party: `send`, `all` (wait for all senders) or `some` (senders may stay
    silent).
    """

    kind: str
    tag: str
    others: tuple[int, ...]
    at_least: int = 0


Program = tuple[tuple[Step, ...], ...]


@attrs.frozen
class Played:
    """A program as a protocol. Every party returns a digest of all that it has seen."""

    program: Program

    def parties(self) -> Mapping[str, Seat]:
        """One seat for each list of steps."""
        return {name_of(place): Seat(self.party) for place in range(len(self.program))}

    async def party(self, me: Party) -> int:
        """Carry out the steps."""
        place = int(me.name[1:])
        seen = place
        for step in self.program[place]:
            tag, names = Tag(step.tag), [name_of(other) for other in step.others]
            if step.kind == "send":
                await me.scatter(tag, names, [index([seen], below=MODULUS)] * len(names))
                continue
            if step.kind == "all":
                got = dict(zip(names, await me.gather(tag, names), strict=True))
            else:
                got = await me.gather_some(tag, names, at_least=step.at_least)
            came = {int(name[1:]): int(load.numbers()[0]) for name, load in got.items()}
            seen = digest(seen, step, came)
        return seen


def name_of(place: int) -> str:
    """The name of the party with this place."""
    return f"p{place}"


def digest(seen: int, step: Step, came: Mapping[int, int]) -> int:
    """What a party has seen after a wait."""
    for other in step.others:
        seen = (seen * 31 + came.get(other, -1) + 7) % MODULUS
    return seen


def random_program(source: random.Random) -> tuple[Program, dict[int, tuple[int, int]]]:
    """Return a program, and the fates of some parties: at which of its sends a party drops out, and
    how many recipients that send reaches.
    """
    count = source.randint(2, 5)
    steps: list[list[Step]] = [[] for _ in range(count)]
    for _ in range(source.randint(1, 9)):
        party = source.randrange(count)
        others = tuple(source.sample(range(count), source.randint(1, count)))
        tag = source.choice(TAGS)
        roll = source.random()
        if roll < 0.35:
            steps[party].append(Step("send", tag, others))
        elif roll < 0.6:
            steps[party].append(Step("all", tag, others))
            _mostly_sent(source, steps, party, tag, others)
        else:
            steps[party].append(Step("some", tag, others, source.choice((0, 0, 1, len(others)))))
            _mostly_sent(source, steps, party, tag, others)
    fates = {}
    for party, own in enumerate(steps):
        sends = [place for place, step in enumerate(own) if step.kind == "send"]
        if sends and source.random() < 0.4:
            place = source.choice(sends)
            fates[party] = (place, source.randint(0, len(own[place].others)))
    return tuple(map(tuple, steps)), fates


def _mostly_sent(
    source: random.Random, steps: list[list[Step]], party: int, tag: str, others: Sequence[int]
) -> None:
    """Let most of the parties that somebody waits for send something."""
    for other in others:
        if source.random() < 0.75:
            own = steps[other]
            own.insert(source.randint(0, len(own)), Step("send", tag, (party,)))


def as_fates(program: Program, cuts: Mapping[int, tuple[int, int]]) -> dict[str, Fate]:
    """The fates in the kernel's words: a send is counted under its own tag."""
    fates = {}
    for party, (place, reached) in cuts.items():
        step = program[party][place]
        number = sum(s.kind == "send" and s.tag == step.tag for s in program[party][: place + 1])
        fates[name_of(party)] = Fate(step.tag, number, reached)
    return fates


@attrs.define
class _Party:
    steps: tuple[Step, ...]
    cut: tuple[int, int] | None
    place: int = 0
    seen: int = 0
    state: str = "goes on"  # or "finished", "gone", "aborted"
    depth: int = 0
    mail: dict[tuple[str, int], list[tuple[int, int]]] = attrs.field(factory=dict)
    skipped: dict[tuple[str, int], int] = attrs.field(factory=dict)

    def lacks(self) -> set[int]:
        """The parties without whose message this party cannot go on."""
        step = self.steps[self.place]
        return {other for other in step.others if not self.mail.get((step.tag, other))}


@attrs.frozen
class Reference:
    """What the reference finds: outputs, who is gone, and the round of every other ending."""

    outputs: dict[str, int]
    gone: frozenset[str]
    endings: dict[str, int]
    stalls: bool


def reference(program: Program, cuts: Mapping[int, tuple[int, int]]) -> Reference:
    """Play a program by the rules, without the kernel."""
    parties = [_Party(steps, cuts.get(place), seen=place) for place, steps in enumerate(program)]
    silenced: set[int] = set()
    while True:
        while any(_go_on(number, parties) for number in range(len(parties))):
            pass
        released = _released(parties)
        if not released:
            break
        silenced |= released.keys()
        for number, (silent, depth) in released.items():
            party = parties[number]
            step = party.steps[party.place]
            for other in silent:
                key = (step.tag, other)
                party.skipped[key] = party.skipped.get(key, 0) + 1
            party.depth = max(party.depth, depth)
            _read(party, set(step.others) - silent)
    waiting = {n for n, party in enumerate(parties) if party.state == "goes on"}
    lost = {n for n, p in enumerate(parties) if p.state in ("gone", "aborted")} | silenced
    stalls = bool(waiting) and not lost
    ends = waiting | {n for n, p in enumerate(parties) if p.state == "aborted"}
    return Reference(
        {name_of(n): p.seen for n, p in enumerate(parties) if p.state == "finished"},
        frozenset(name_of(n) for n, p in enumerate(parties) if p.state == "gone"),
        {name_of(n): parties[n].depth + 1 for n in ends},
        stalls,
    )


def _go_on(number: int, parties: list[_Party]) -> bool:
    """Let a party carry out its next step if it can; return whether it could."""
    party = parties[number]
    if party.state != "goes on":
        return False
    if party.place == len(party.steps):
        party.state = "finished"
        return True
    step = party.steps[party.place]
    if step.kind == "send":
        reached: int | None = None
        if party.cut is not None and party.cut[0] == party.place:
            party.state, reached = "gone", party.cut[1]
        for other in step.others[:reached]:
            to, key = parties[other], (step.tag, number)
            if to.skipped.get(key):
                to.skipped[key] -= 1
            else:
                letter = (party.seen, party.depth + (other != number))
                to.mail.setdefault(key, []).append(letter)
        party.place += 1
        return True
    if party.lacks():
        return False
    _read(party, set(step.others))
    return True


def _read(party: _Party, senders: set[int]) -> None:
    """Take one message of each of these senders, and go to the next step, or abort."""
    step = party.steps[party.place]
    came: dict[int, int] = {}
    for other in step.others:
        if other in senders:
            came[other], depth = party.mail[step.tag, other].pop(0)
            party.depth = max(party.depth, depth)
    if step.kind == "some" and len(came) < step.at_least:
        party.state = "aborted"
        return
    party.seen = digest(party.seen, step, came)
    party.place += 1


def _waits(party: _Party) -> bool:
    return party.state == "goes on"


def _reachable(start: int, parties: Sequence[_Party]) -> set[int]:
    """Everybody whom a party waits for, directly or through others; not the party itself unless it
    waits for itself.
    """
    found: set[int] = set()
    while True:
        origins = {start} | {n for n in found if _waits(parties[n])}
        more = found.union(*(parties[n].lacks() for n in origins if _waits(parties[n])))
        if more == found:
            return found
        found = more


def _released(parties: Sequence[_Party]) -> dict[int, tuple[set[int], int]]:
    """Who may stop waiting, with the silent senders and the round of their silence."""
    some = {n for n, p in enumerate(parties) if _waits(p) and p.steps[p.place].kind == "some"}
    moving = set(some)
    while True:
        more = moving | {n for n, p in enumerate(parties) if _waits(p) and p.lacks() <= moving}
        if more == moving:
            break
        moving = more
    arrows = {n: parties[n].lacks() & moving for n in moving}

    def reach(start: int) -> set[int]:
        found = {start}
        while True:
            more = found.union(*(arrows[n] for n in found))
            if more == found:
                return found
            found = more

    reached = {n: reach(n) for n in moving}
    # in a sink component: everybody that can be reached can reach back
    sinks = {n for n in moving if all(n in reached[other] for other in reached[n])}
    result: dict[int, tuple[set[int], int]] = {}
    for n in sinks & some:
        silent = parties[n].lacks()
        depths: list[int] = []
        for other in silent:
            origin = {other} | (_reachable(other, parties) if _waits(parties[other]) else set())
            top = max(parties[k].depth for k in origin)
            depths.append(top + 1 + _waits(parties[other]))
        result[n] = silent, max(depths, default=0)
    return result


def compared(done: Any) -> tuple[dict[str, int], frozenset[str], dict[str, int]]:
    """What the reference says of a run, read off a run of the kernel."""
    return (
        {name: int(value) for name, value in done.outputs.items()},
        frozenset(done.gone),
        {ending.party: ending.round for ending in done.aborts},
    )


__all__ = ["Abort", "Played", "as_fates", "compared", "random_program", "reference"]
