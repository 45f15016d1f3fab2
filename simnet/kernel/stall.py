"""The error message of a run that cannot go on."""

from collections.abc import Sequence

from simnet.errors import Stall
from simnet.kernel.actor import Actor
from simnet.kernel.waits import ForSum, FromNamed, FromSome, Wait
from simnet.printable import count_of

SHOWN = 3  # the message names at most this many waiting parties


def stall(actors: Sequence[Actor]) -> Stall:
    """Return an error that says, of up to `SHOWN` waiting parties, for what they wait and from
    whom. Parties that wait for a finished party come first.
    """
    waiting = [actor for actor in actors if not actor.finished]
    waiting.sort(key=lambda actor: not _hopeless(actor, actors))
    lines = [_describe(actor, actors) for actor in waiting[:SHOWN]]
    if len(waiting) > SHOWN:
        more = len(waiting) - SHOWN
        lines.append("1 more party waits" if more == 1 else f"{more} more parties wait")
    if all(_waits_in_circle(actor, actors) for actor in waiting):
        lines.append("they wait for each other: one of them must send before it waits")
    return Stall("the run cannot go on: " + "; ".join(lines))


def _hopeless(actor: Actor, actors: Sequence[Actor]) -> bool:
    return any(actors[number].finished for number in _missing(actor))


def _waits_in_circle(actor: Actor, actors: Sequence[Actor]) -> bool:
    """Return whether a party lacks only messages of other parties that wait too, and has not
    received another message of one of these.
    """
    missing = _missing(actor)
    return bool(missing) and not any(
        actors[number] is actor or actors[number].finished or _other_tags(actor, number)
        for number in missing
    )


def _missing(actor: Actor) -> list[int]:
    """Return the named parties whose messages a party lacks; an empty list if any party may send
    them. If the party waits for all of several single messages, only the next sender is returned.
    """
    wait = actor.wait
    if isinstance(wait, FromSome):
        return sorted(wait.missing)
    if isinstance(wait, FromNamed):
        return [wait.senders[wait.place]]
    if isinstance(wait, ForSum) and wait.senders is not None:
        arrived = set(wait.arrived(actor.number))
        return [number for number in wait.senders.numbers.tolist() if number not in arrived]
    return []


def _describe(actor: Actor, actors: Sequence[Actor]) -> str:
    assert actor.wait is not None
    missing = _missing(actor)
    finished = [actors[number].name for number in missing if actors[number].finished]
    text = (
        f"{actor.name} waits for {_awaited(actor, actor.wait, actors)} in round "
        f'{actor.depth + 1} (tag "{actor.wait.tag}")'
    )
    others = [(number, tag) for number in missing for tag in _other_tags(actor, number)]
    if others:
        number, tag = others[0]
        text += f', and a message "{tag}" from {actors[number].name} waits unread'
    elif finished:
        text += f", but {finished[0]} has finished: has its script forgotten to send to "
        text += f"{actor.name}?"
    return text


def _awaited(actor: Actor, wait: Wait, actors: Sequence[Actor]) -> str:
    missing = _missing(actor)
    if missing:
        others = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        return actors[missing[0]].name + others
    if isinstance(wait, ForSum):
        lacking = wait.count - len(wait.arrived(actor.number))
        key = "" if wait.key is None else f" with key {wait.key}"
        return f"{lacking} more of {count_of(wait.count, 'message')}{key}"
    return "anyone"


def _other_tags(actor: Actor, sender: int) -> list[str]:
    return [tag for tag, box in actor.boxes.items() if sender in box.held]
