"""Replay: run a protocol again from a transcript and hold every message against it."""

from typing import Any

from simnet.errors import SimnetError
from simnet.kernel.run import Run, canonical, run
from simnet.record.transcript import Transcript


def replay(transcript: Transcript, protocol: Any) -> Run:
    """The run that left this transcript, from its inputs and seed.

    Raises `SimnetError` naming the first message that comes out differently, as it does after a
    change of the protocol.
    """
    observed = [transcript.names[number] for number in sorted(transcript.observed)]
    again = run(protocol, transcript.inputs, transcript.seed, observe=observed)
    names = transcript.names
    for then, now in zip(transcript.messages, again.transcript.messages, strict=False):
        if then.place != now.place or canonical(then.payload) != canonical(now.payload):
            link = f"{names[then.sender]} to {names[then.recipient]}"
            raise SimnetError(
                f'the replay differs in round {then.round}, {link} (tag "{then.tag}")'
            )
    before, after = len(transcript.messages), len(again.transcript.messages)
    if before != after:
        raise SimnetError(f"the replay has {after} messages, the transcript {before}")
    return again
