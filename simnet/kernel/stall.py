"""Saying why a run cannot go on."""

from collections.abc import Sequence
from typing import Any

from simnet.errors import Stall
from simnet.kernel.actor import Actor

SHOWN = 3  # waiting parties that the message names


def stall(actors: Sequence[Actor]) -> Stall:
    """Who waits for what from whom, those first who wait for somebody who has finished."""
    waiting = [actor for actor in actors if not actor.finished]
    waiting.sort(key=lambda actor: not _hopeless(actor, actors))
    lines = [_describe(actor, actors) for actor in waiting[:SHOWN]]
    if len(waiting) > SHOWN:
        lines.append(f"{len(waiting) - SHOWN} more parties wait")
    return Stall("the run cannot go on: " + "; ".join(lines))


def _hopeless(actor: Actor, actors: Sequence[Actor]) -> bool:
    return any(actors[number].finished for number in actor.want.missing())


def _describe(actor: Actor, actors: Sequence[Actor]) -> str:
    want: Any = actor.want
    missing = want.missing()
    finished = [actors[number].name for number in missing if actors[number].finished]
    text = (
        f"{actor.name} waits for {_whom(want, missing, actors)} in round {actor.depth + 1} (tag "
        f'"{want.tag}")'
    )
    if finished:
        text += f", but {finished[0]} has finished: does its script forget a send to {actor.name}?"
    return text


def _whom(want: Any, missing: list[int], actors: Sequence[Actor]) -> str:
    if missing:
        return actors[missing[0]].name + (
            f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        )
    if getattr(want, "senders", None) is None and hasattr(want, "sum"):
        have = len(want.sum.senders(want.recipient))
        return f"{want.count - have} more of {want.count} messages with key {want.sum.key}"
    return "anyone"
