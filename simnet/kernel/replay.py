"""Reading a run again, and checking that it is the same run.

Theory of operation. A run is a function of its protocol, its inputs and its seed. Many instruments
rely on this: a verdict plays the run once more with unknowns in the place of field coins, an exact
view plays it on every outcome of its coins, a replay plays it from a file. What they find is true
of the first run only if the second does the same. A script that draws from `random`, reads a clock
or keeps something from one run to the next breaks the rule, and nothing else would tell.

So the second run is compared with the first: what every observed party sent and was sent, in each
sender's own order, then the bill, which covers the other parties too, then the outputs. The rounds
of a run are causal: a message of round r depends on messages of earlier rounds alone. Hence, among
the messages that differ, one of the earliest round was not changed by another message but by its
own sender, and it is this sender that the error names.

Example. A user adds `random.randrange(2)` to its report:

    u2 in round 1 (tag "report"): its message to server differs when the run is read again, and the
    state of `random` changed meanwhile: a script draws every random number from me.coins, ...
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from simnet.contract import Protocol
from simnet.errors import ScriptError, SimnetError
from simnet.kernel.run import Run, run
from simnet.record.message import Block, Message
from simnet.record.trace import NoCanonicalForm, canonical
from simnet.record.transcript import Transcript
from simnet.values.rows import Rows, Tally

RULE = (
    "a script draws every random number from me.coins, reads no clock and keeps nothing "
    "from one run to the next"
)


def replay(transcript: Transcript, protocol: Protocol) -> Run:
    """The run that left this transcript, from its inputs and seed.

    Raises `SimnetError` naming the first message that comes out differently, as it does after a
    change of the protocol.
    """
    observed = [transcript.names[number] for number in sorted(transcript.observed)]
    again = run(protocol, transcript.inputs, transcript.seed, observe=observed)
    names = transcript.names
    for then, now in zip(transcript.messages, again.transcript.messages, strict=False):
        if not _same_message(then, now):
            link = f"{names[then.sender]} to {names[then.recipient]}"
            raise SimnetError(
                f'the replay differs in round {then.round}, {link} (tag "{then.tag}")'
            )
    before, after = len(transcript.messages), len(again.transcript.messages)
    if before != after:
        raise SimnetError(f"the replay has {after} messages, the transcript {before}")
    return again


def compare_runs(first: Run, second: Run) -> None:
    """Raise `ScriptError` unless two runs of one protocol, inputs and seed did the same.

    The error names the party and the first message in which the runs differ, and, where it is
    known, what the script drew from instead of its coins. Messages are compared where both runs
    observed their sender or recipient; bills and outputs are compared for everyone. Values beside
    the forms of a symbolic reading count as the numbers that they are.
    """
    difference = (
        _message_difference(first.transcript, second.transcript)
        or _bill_difference(first, second)
        or _output_difference(first.outputs, second.outputs)
    )
    if difference is None:
        return
    generators = sorted({*first.foreign_randomness, *second.foreign_randomness})
    source = ""
    if generators:
        changed = " and of ".join(f"`{name}`" for name in generators)
        source = f", and the state of {changed} changed meanwhile"
    raise ScriptError(f"{difference} when the run is read again{source}: {RULE}")


def _message_difference(first: Transcript, second: Transcript) -> str | None:
    """The earliest message that differs, in words."""
    watched = first.observed & second.observed
    before, after = _by_sender(first, watched), _by_sender(second, watched)
    found = [
        pair
        for sender in sorted({*before, *after})
        if (pair := _first_pair(before.get(sender, []), after.get(sender, []))) is not None
    ]
    if not found:
        return None
    then, now = min(found, key=lambda pair: min(m.round for m in pair if m is not None))
    message = then or now
    assert message is not None
    names = first.names
    blame = f'{names[message.sender]} in round {message.round} (tag "{message.tag}")'
    whose = f"its message to {names[message.recipient]}"
    if then is None or now is None:
        return f"{blame}: {whose} is sent only once of two times"
    if then.place != now.place:
        other = f'round {now.round}, to {names[now.recipient]} (tag "{now.tag}")'
        return f"{blame}: {whose} becomes one in {other}"
    return f"{blame}: {whose} differs"


def _by_sender(transcript: Transcript, watched: frozenset[int]) -> dict[int, list[Block]]:
    """What each party sent, as far as these parties see it, in the order of sending."""
    if not watched:
        return {}
    sent: dict[int, list[Block]] = {}
    for block in transcript.blocks:
        if watched == transcript.observed or block.sender in watched:
            sent.setdefault(block.sender, []).append(block)
        elif not watched.isdisjoint(block.recipients):  # a run can have millions of messages
            seen = [
                Block.of(message) for message in block.messages() if message.recipient in watched
            ]
            sent.setdefault(block.sender, []).extend(seen)
    return sent


def _first_pair(
    before: Sequence[Block], after: Sequence[Block]
) -> tuple[Message | None, Message | None] | None:
    """The first message of a sender that differs, as it was and as it is now."""
    pairs = zip(before, after, strict=False)
    alike = sum(1 for _ in itertools.takewhile(lambda pair: _same_block(*pair), pairs))
    if alike == len(before) == len(after):
        return None
    # Only what may differ is taken apart: a run can have millions of messages in few blocks.
    return next(
        (
            (then, now)
            for then, now in itertools.zip_longest(
                _messages(before[alike:]), _messages(after[alike:])
            )
            if then is None or now is None or not _same_message(then, now)
        ),
        None,
    )


def _messages(blocks: Sequence[Block]) -> Iterable[Message]:
    return itertools.chain.from_iterable(block.messages() for block in blocks)


def _same_block(one: Block, other: Block) -> bool:
    return (
        (one.round, one.tag, one.key_wire) == (other.round, other.tag, other.key_wire)
        and _same_items(one.recipients, other.recipients)
        and _same_items(one.keys, other.keys)
        and _same_payload(one.rows, other.rows)
    )


def _same_items(one: Sequence[object], other: Sequence[object]) -> bool:
    return one == other or list(one) == list(other)  # nearly always two lists


def _same_message(one: Message, other: Message) -> bool:
    return one.place == other.place and _same_payload(one.payload, other.payload)


def _same_payload(one: Any, other: Any) -> bool:
    """Whether two payloads, or the rows of two blocks, hold the same numbers in the same way."""
    if isinstance(one, Rows):
        one = one.pieces
    if isinstance(other, Rows):
        other = other.pieces
    if isinstance(one, tuple | list):
        return (
            isinstance(other, tuple | list)
            and len(one) == len(other)
            and all(_same_payload(*pair) for pair in _runs_of_copies(one, other))
        )
    if isinstance(other, tuple | list) or one.wire != other.wire or one.shape != other.shape:
        return False
    if isinstance(one, Tally) or isinstance(other, Tally):
        return type(one) is type(other) and canonical(one) == canonical(other)
    return np.array_equal(one.numbers(), other.numbers(), equal_nan=one.wire.kind == "rd")


def _runs_of_copies(one: Sequence[Any], other: Sequence[Any]) -> Iterable[tuple[Any, Any]]:
    """Pairs of payloads, copies left out: what is published is one payload many times."""
    known: tuple[Any, Any] = (None, None)
    for pair in zip(one, other, strict=True):
        if pair[0] is not known[0] or pair[1] is not known[1]:
            yield pair
        known = pair


def _bill_difference(first: Run, second: Run) -> str | None:
    """The earliest line of the bills that differs, in words."""
    different = set(first.ledger.entries()) ^ set(second.ledger.entries())
    if not different:
        return None
    round_, sender, tag, *_ = min(different)
    name = first.roster.names[sender]
    return f'{name} in round {round_} (tag "{tag}"): what it sends differs'


def _output_difference(first: Mapping[str, Any], second: Mapping[str, Any]) -> str | None:
    for name in sorted({*first, *second}):
        if name not in first or name not in second or not _same_output(first[name], second[name]):
            return f"{name}: its messages are the same, but what it returns differs"
    return None


def _same_output(one: Any, other: Any) -> bool:
    """Whether two outputs are equal; objects that cannot be compared count as equal."""
    try:
        return canonical(one) == canonical(other)
    except NoCanonicalForm:
        # What compares by identity alone differs from run to run, whatever the script does.
        compared_by: object = type(one).__eq__
        return compared_by is object.__eq__ or bool(np.all(one == other))
