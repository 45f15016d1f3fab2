"""Playing a run again, and checking that it is the same run.

Theory of operation. A run is a function of its protocol, its inputs, its seed, its schedule, the
fates of its parties and messages and, if scripts wait with deadlines, its network. Many instruments
rely on this and play a run again: for example, a verdict plays it with unknowns in the place of
field coins. The results of these instruments hold for the first run only if the second run does the
same. A script that draws from `random`, reads a clock or keeps something from one run to the next
may break this rule.

So the second run is compared with the first. `replay` has only the transcript of the first run, and
compares the messages of the observed parties. `compare_runs` has both runs, and compares these
messages, then the numbers and sizes of all messages, the outputs, and how the parties ended.

The rounds of a run are causal: before a party sends a message of round r to another party, it has
read only messages of earlier rounds from others. (A message of a party to itself may also depend on
messages of its round.) Hence, if all parties are observed, the first message that differs was
changed by its own sender. Here *first* means: in the earliest round and, among the messages of one
round, those to other parties before those of a party to itself. The error of `compare_runs` names
the sender of the first observed message that differs.

Example. A user adds `random.randrange(2)` to its report. If the two runs add different numbers,
`compare_runs` raises this error::

    u2 in round 1 (tag "report"): its message to server differs when the run is read again, and
    the state of `random` changed meanwhile: a script must draw every random number from me.coins,
    read no clock and keep nothing from one run to the next, and the function of a door may only
    return a value
"""

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from simnet.contract import Protocol
from simnet.errors import ScriptError, SimnetError
from simnet.kernel.deadlines import Repeated
from simnet.kernel.run import Run, run
from simnet.printable import count_of
from simnet.record.message import Block, Message
from simnet.record.trace import NoCanonicalForm, canonical
from simnet.record.transcript import Transcript
from simnet.values.rows import Rows, Tally

RULE = (
    "a script must draw every random number from me.coins, read no clock and keep nothing "
    "from one run to the next, and the function of a door may only return a value"
)

SAME_PROTOCOL = "replay a transcript with the protocol and the parameters of its run"


def replay(transcript: Transcript, protocol: Protocol) -> Run:
    """Play again the run that left this transcript, and return the new run.

    The inputs, the seed, the fates and the ends of waits with deadlines are those of the
    transcript. `late` of the new run is empty. Raises `SimnetError` if the observed messages of the
    new run differ from those in the transcript.

    >>> from simnet import Field, Seat, Tag, constant, run
    >>> F, NOTE = Field(101), Tag("note")
    >>> class Send:
    ...     def parties(self):
    ...         return {"a": Seat(self.sender), "b": Seat(self.reader)}
    ...     async def sender(self, me):
    ...         await me.send(NOTE, "b", me.coins.field(F, (2,)))
    ...     async def reader(self, me):
    ...         await me.receive(NOTE, "a")
    >>> done = run(Send(), seed=3, observe=["b"])
    >>> replay(done.transcript, Send()).trace_hash == done.trace_hash
    True
    """
    observed = [transcript.names[number] for number in sorted(transcript.observed)]
    again = run(
        protocol,
        transcript.inputs,
        transcript.seed,
        observe=observed,
        fates=transcript.fates,
        network=Repeated(transcript.deadlines) if transcript.deadlines else None,
        message_fates=transcript.message_fates,
    )
    names = transcript.names
    for then, now in zip(transcript.messages, again.transcript.messages, strict=False):
        if not _same_message(then, now):
            link = f"from {names[then.sender]} to {names[then.recipient]}"
            raise SimnetError(
                f"the replay differs from the transcript in round {then.round}, in a message "
                f'{link} (tag "{then.tag}"): {SAME_PROTOCOL}'
            )
    before, after = len(transcript.messages), len(again.transcript.messages)
    if before != after:
        raise SimnetError(
            f"the replay has {count_of(after, 'message')}, and the transcript has {before:,}: "
            f"{SAME_PROTOCOL}"
        )
    return again


def compare_runs(first: Run, second: Run, elements: bool = True) -> None:
    """Raise `ScriptError` if two runs of one protocol, with the same inputs and seed, differ in a
    message, in the number or the size of messages, in an output or in how a party ended.

    The error names the party and what differs. It also names the global generators, such as
    `random`, whose state changed during one of the runs. A message is compared if both runs
    observed its sender, or both observed its recipient. Symbolic messages are compared by their
    numbers. Without `elements`, outputs that contain field elements are compared by the fields
    and shapes of these alone. Outputs that Python cannot compare count as equal.
    """
    difference = (
        _message_difference(first.transcript, second.transcript)
        or _bill_difference(first, second)
        or _output_difference(first, second, elements)
        or _ending_difference(first, second)
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
    watched = first.observed & second.observed
    before, after = _by_sender(first, watched), _by_sender(second, watched)
    pairs = [
        pair
        for sender in sorted({*before, *after})
        if (pair := _first_pair(before.get(sender, []), after.get(sender, []))) is not None
    ]
    if not pairs:
        return None
    then, now = min(pairs, key=_earliest)
    message = then or now
    assert message is not None
    names = first.names
    blame = f'{names[message.sender]} in round {message.round} (tag "{message.tag}")'
    description = f"its message to {names[message.recipient]}"
    if then is None or now is None:
        return f"{blame}: {description} is sent in only one of the two runs"
    if then.place != now.place:
        other = f'round {now.round}, to {names[now.recipient]} (tag "{now.tag}")'
        return f"{blame}: instead of {description} there is a message in {other}"
    return f"{blame}: {description} differs"


def _earliest(pair: tuple[Message | None, Message | None]) -> tuple[int, bool]:
    # A message of a party to itself comes after the messages of its round.
    return min((one.round, one.sender == one.recipient) for one in pair if one is not None)


def _by_sender(transcript: Transcript, watched: frozenset[int]) -> dict[int, list[Block]]:
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
    """Return the first message of a sender that differs, as it was and as it is now; None in the
    place of a message that only one run has. Return None if no message differs.
    """
    pairs = zip(before, after, strict=False)
    alike = sum(1 for _ in itertools.takewhile(lambda pair: _same_block(*pair), pairs))
    if alike == len(before) == len(after):
        return None
    # Only blocks that may differ are split into messages: few blocks can hold millions of them.
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


def _same_block(first: Block, second: Block) -> bool:
    return (
        (first.round, first.tag, first.key_wire) == (second.round, second.tag, second.key_wire)
        and _same_items(first.recipients, second.recipients)
        and _same_items(first.keys, second.keys)
        and _same_payload(first.rows, second.rows)
    )


def _same_items(first: Sequence[object], second: Sequence[object]) -> bool:
    return first == second or list(first) == list(second)  # nearly always two lists


def _same_message(first: Message, second: Message) -> bool:
    return first.place == second.place and _same_payload(first.payload, second.payload)


def _same_payload(first: Any, second: Any) -> bool:
    if isinstance(first, Rows):
        first = first.pieces
    if isinstance(second, Rows):
        second = second.pieces
    if isinstance(first, tuple | list):
        return (
            isinstance(second, tuple | list)
            and len(first) == len(second)
            and all(_same_payload(*pair) for pair in _runs_of_copies(first, second))
        )
    if isinstance(second, tuple | list) or first.wire != second.wire or first.shape != second.shape:
        return False
    if isinstance(first, Tally) or isinstance(second, Tally):
        return type(first) is type(second) and canonical(first) == canonical(second)
    return np.array_equal(first.numbers(), second.numbers(), equal_nan=first.wire.kind == "rd")


def _runs_of_copies(first: Sequence[Any], second: Sequence[Any]) -> Iterable[tuple[Any, Any]]:
    """Yield pairs of payloads, without a pair that is the same as the pair before it: a published
    payload occurs once for each recipient.
    """
    known: tuple[Any, Any] = (None, None)
    for pair in zip(first, second, strict=True):
        if pair[0] is not known[0] or pair[1] is not known[1]:
            yield pair
        known = pair


def _bill_difference(first: Run, second: Run) -> str | None:
    different = set(first.ledger.entries()) ^ set(second.ledger.entries())
    if not different:
        return None
    # Lines with messages of a party to itself alone come last in their round, as in `_earliest`.
    round_, sender, tag, *_ = min(
        different, key=lambda line: (line[0], line[4] == line[5], line[1:])
    )
    name = first.roster.names[sender]
    return f'{name} in round {round_} (tag "{tag}"): what it sends differs'


def _output_difference(first: Run, second: Run, elements: bool) -> str | None:
    watched = first.transcript.observed & second.transcript.observed
    before, after = first.outputs, second.outputs
    for name in sorted({*before, *after}):
        if name in before and name in after:
            rows, others = (each.door_notes.returned.get(name, ()) for each in (first, second))
            shapes = [[(row.wire, row.shape) for row in each] for each in (rows, others)]
            if shapes[0] == shapes[1] and (
                (rows and not elements) or _same_output(before[name], after[name])
            ):
                continue
        if first.roster.number[name] in watched:
            return f"{name}: its messages are the same, but what it returns differs"
        return f"{name}: what it returns differs"
    return None


def _ending_difference(first: Run, second: Run) -> str | None:
    watched = first.transcript.observed & second.transcript.observed
    silences = [
        [silence for silence in done.transcript.silences if silence.recipient in watched]
        for done in (first, second)
    ]
    if silences[0] != silences[1]:
        # A party that waits in vain in one run only; without one, the first whose turn differs.
        alone = [silence for silence in silences[0] if silence not in silences[1]]
        alone += [silence for silence in silences[1] if silence not in silences[0]]
        alone += [then for then, now in itertools.zip_longest(*silences) if then != now]
        name = first.roster.names[alone[0].recipient]
        return (
            f'{name} (tag "{alone[0].tag}"): the parties that it waits for in vain, or the round '
            "of this wait, differ"
        )
    if (first.happened, first.aborts) == (second.happened, second.aborts):
        return None
    ends = [{*done.gone, *(ending.party for ending in done.aborts)} for done in (first, second)]
    before, after = first.happened, second.happened
    came = {*before.came.items()} ^ {*after.came.items()}
    missed = {*before.missed.items()} ^ {*after.missed.items()}
    heard = {party for (party, _), _ in came | missed}
    ended = sorted(ends[0] ^ ends[1])
    if heard and not ended:
        return f"{min(heard)}: whom it hears differs"
    changed = sorted((end.round, end.party) for end in {*first.aborts} ^ {*second.aborts})
    return f"{ended[0] if ended else changed[0][1]}: its part in the run ends differently"


def _same_output(first: Any, second: Any) -> bool:
    """Return whether two outputs are equal. Objects that cannot be compared count as equal."""
    try:
        return canonical(first) == canonical(second)
    except NoCanonicalForm:
        # Objects that are equal only to themselves differ in every run, whatever the script does.
        compared_by: object = type(first).__eq__
        try:
            return compared_by is object.__eq__ or bool(np.all(first == second))
        except Exception:  # such as a list that holds a set and an array
            return True
