"""Who drops out of a run, and which messages go astray: read from the texts of `--drop`.

`0.1` means that each party that has an input and sends something drops out with probability 0.1,
at a point before, between or after its sends that is drawn uniformly. `u3@masked` means that u3
drops out just before its first send under the tag "masked"; `simnet.Fate` has all forms of the text
behind the `@`. `u3@masked:lost:server` means that the message to the server in u3's first send
under "masked" is lost; `simnet.MessageFate` has all forms. All draws are made before the run, from
the run's seed.
"""

from collections.abc import Sequence
from typing import Any

import attrs

from simnet.contract import Protocol
from simnet.errors import BadInput, SimnetError
from simnet.kernel.deadlines import Clocked
from simnet.kernel.fates import Send, drawn_fates
from simnet.kernel.run import Run, run, sends
from simnet.nearest import did_you_mean
from simnet.printable import count_of
from simnet.record.fate import Fate, MessageFate
from simnet.stated.about import About


def fates_of(
    drop: Sequence[str],
    protocol: Protocol,
    inputs: Any,
    seed: int,
    network: Clocked | None = None,
) -> tuple[dict[str, Fate], list[MessageFate]]:
    """Return the fates of a run on these inputs: of parties, and of messages.

    If `drop` is not empty, the protocol is first played once without fates, to find its sends;
    `network` decides its deadlines.

    Raises `BadInput` for a text that is no fate, and for fates that do not fit the protocol or each
    other.
    """
    if not drop:
        return {}, []
    sent = sends(protocol, inputs, seed, network)
    fates: dict[str, Fate] = {}
    messages: list[MessageFate] = []
    by_chance = [text for text in drop if "@" not in text]
    if len(by_chance) > 1:
        raise BadInput(
            "--drop takes one probability for all parties, and otherwise PARTY@TAG; got "
            f"{' and '.join(by_chance)}"
        )
    for text in sorted(drop, key=lambda text: "@" not in text):
        name, at, fate = text.partition("@")
        if at and fate.count(":") > 1:
            messages += _checked_messages(text, sent)
            continue
        if at and name in fates:
            raise BadInput(f"--drop {text}: {name} drops out once only, so name it once")
        if at:
            fates[name] = _checked(text, name, Fate.parse(fate), sent)
            continue
        try:
            chance = float(text)
        except ValueError:
            raise BadInput(
                f"--drop takes a probability or PARTY@TAG, such as 0.1 or u3@masked; got {text!r}"
            ) from None
        seats = protocol.parties()
        for name, seat in seats.items():
            if seat.takes_input and seat.members is not None:
                raise BadInput(
                    f"--drop {text}: {name} is a crowd, whose members cannot drop out one by one; "
                    "seat them as actors, for example with --population actors"
                )
        may_drop = {name: own for name, own in sent.items() if seats[name].takes_input}
        fates = {**drawn_fates(may_drop, chance, seed), **fates}
    return fates, messages


def _checked(text: str, name: str, fate: Fate, sent: dict[str, tuple[Send, ...]]) -> Fate:
    _refuse_unreachable(text, fate, _send_of(text, name, fate, sent))
    return fate


def _send_of(text: str, name: str, fate: Fate, sent: dict[str, tuple[Send, ...]]) -> Send:
    if name not in sent:
        raise BadInput(f"--drop {text}: no party is called {name!r}{did_you_mean(name, sent)}")
    own = sent[name]
    if not any((send.tag, send.place) == (fate.tag, fate.place) for send in own):
        made = ", ".join(dict.fromkeys(send.tag for send in own)) or "nothing"
        times = f" {fate.place} times" if fate.place > 1 else ""
        count = count_of(len(own), "send")
        raise BadInput(
            f'--drop {text}: {name} does not send "{fate.tag}"{times}; it sends {made} ({count})'
        )
    return next(send for send in own if (send.tag, send.place) == (fate.tag, fate.place))


def _checked_messages(text: str, sent: dict[str, tuple[Send, ...]]) -> tuple[MessageFate, ...]:
    fates = MessageFate.parse(text)
    for fate in fates:
        send = _send_of(text, fate.sender, Fate(fate.tag, fate.place), sent)
        _refuse_unreachable(text, Fate(fate.tag, fate.place, (fate.recipient,)), send)
    return fates


def _refuse_unreachable(text: str, fate: Fate, send: Send) -> None:
    count = len(send.recipients)
    if isinstance(fate.reached, int) and fate.reached >= max(count, 1):
        recipients = count_of(count, "recipient")
        raise BadInput(
            f'--drop {text}: this send of "{fate.tag}" has {recipients}; write '
            f"{text.partition(':')[0]}:after if all of them are reached"
        )
    for name in fate.reached if isinstance(fate.reached, tuple) else ():
        if name not in send.recipients:
            # The fate of a message names recipients, and cannot give their number.
            write = "" if text.count(":") > 1 else "; write a number of recipients, or names"
            raise BadInput(
                f'--drop {text}: {name!r} is no recipient of this send of "{fate.tag}"'
                f"{did_you_mean(name, send.recipients)}{write}"
            )


def lacks_estimate(done: Run, about: About) -> bool:
    """Return whether there is no estimate: the run was aborted, or the party that returns the
    estimate dropped out.

    If this party drops out when nobody waits for it any more, `Run.aborts` may be empty; therefore
    we look for the party among those that dropped out.
    """
    return bool(done.aborts) or about.estimator in done.gone


def drop_outs_json(done: Run, about: About) -> dict[str, Any]:
    """Return the outcome of a run with drop-outs, aborts, deadlines or messages that go astray, for
    JSON. The result is empty for any other run.
    """
    if not (done.fates or done.aborts or done.deadlines or done.message_fates):
        return {}
    names = done.roster.names
    deadlines = [
        {
            "party": names[one.recipient],
            "tag": one.tag,
            "at": one.at,
            "silent": [names[number] for number in one.silent],
        }
        for one in done.deadlines
    ]
    late = [attrs.asdict(one) for one in done.late]
    return {
        **(
            {"message_fates": [str(fate) for fate in done.message_fates]}
            if done.message_fates
            else {}
        ),
        **({"deadlines": deadlines, "late": late} if deadlines else {}),
        "outcome": "aborted" if lacks_estimate(done, about) else "result",
        "fates": {name: str(fate) for name, fate in done.fates.items()},
        "dropped_out": list(done.gone),
        "aborts": [
            {"party": ending.party, "round": ending.round, "reason": ending.reason}
            for ending in done.aborts
        ],
    }


def truth_in_words(done: Run) -> str:
    """Return a remark on the truth beside an estimate, if a party went on without a message of
    somebody who brings an input; otherwise an empty text.
    """
    missed = done.happened.missed.values()
    if not any(name in done.inputs for calls in missed for names in calls for name in names):
        return ""
    return "that of all users; those who were counted are taken for a random sample of them"


def outcome_in_words(done: Run, about: About) -> list[str]:
    """Return sentences about who dropped out, what went astray or came late, and who aborted; none
    if nothing of this happened.
    """
    sentences = []
    if done.message_fates:
        shown = ", ".join(map(str, done.message_fates[:SHOWN]))
        count = len(done.message_fates)
        more = f" and {count - SHOWN:,} more" if count > SHOWN else ""
        went = (
            "message goes astray if it is sent"
            if count == 1
            else "messages go astray if they are sent"
        )
        sentences.append(f"{count:,} {went}: {shown}{more}")
    if done.late:
        shown = ", ".join(map(str, done.late[:SHOWN]))
        more = f" and {len(done.late) - SHOWN:,} more" if len(done.late) > SHOWN else ""
        came = (
            "message came after its deadline and was"
            if len(done.late) == 1
            else "messages came after their deadlines and were"
        )
        sentences.append(f"{len(done.late):,} {came} not read: {shown}{more}")
    if done.gone:
        after_last = _after_last_message(done, done.gone[:SHOWN])
        shown = ", ".join(
            f"{name} ({after_last.get(name) or _where(done.fates[name])})"
            for name in done.gone[:SHOWN]
        )
        more = f" and {len(done.gone) - SHOWN:,} more" if len(done.gone) > SHOWN else ""
        were = "party" if len(done.gone) == 1 else "parties"
        sentences.append(f"{len(done.gone):,} {were} dropped out: {shown}{more}")
    if done.aborts:
        # A party that gave up says more than the parties that wait for it.
        first = min(done.aborts, key=lambda ending: WAITS in ending.reason)
        sentences.append(f"the run was aborted: {first}")
        others = len(done.aborts) - 1
        if others:
            ended = "1 more party" if others == 1 else f"{others:,} more parties"
            sentences.append(f"{ended} could not finish either")
    elif about.estimator in done.gone:
        sentences.append(
            f"the run was aborted: {about.estimator}, who would have the estimate, dropped out"
        )
    return sentences


def _after_last_message(done: Run, names: Sequence[str]) -> dict[str, str]:
    """Return, for each of these parties that dropped out after its last message, words that say
    what is lost by this.

    To find out whether a party would have sent more, we play the run again without its fate.
    """
    late = {name for name in names if done.fates[name].reached is None}
    while late:
        try:
            again = run(
                done.protocol,
                done.inputs,
                done.seed,
                fates={name: fate for name, fate in done.fates.items() if name not in late},
                network=done.network,
                message_fates=done.message_fates,
            )
        except SimnetError:  # then the fates have an effect
            return {}
        before, after = (each.ledger.by("party", "sent", "logical") for each in (done, again))
        changed = {name for name in late if before.get(name) != after.get(name)}
        if not changed:
            return {
                name: "after its last message: "
                + ("only its output is lost" if name in again.outputs else "no effect")
                for name in late
            }
        late -= changed
    return {}


def _where(fate: Fate) -> str:
    when = "before" if fate.reached == 0 else "after" if fate.reached is None else "within"
    number = "" if fate.place == 1 else f" number {fate.place}"
    return f'{when} sending "{fate.tag}"{number}'


SHOWN = 5
WAITS = "for ever"  # in the reason of a party that waits
