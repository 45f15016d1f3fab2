"""What the network sees: who sends how much to whom, in which round, and no more."""

import json
from typing import Any

import pytest

from simnet import BadInput, Judge, Party, Run, Verdict, bits, index, reals, run, verdict
from simnet.adversary.coalition import Coalition
from tests.harness.adding import PARTIAL, added, as_index, masked
from tests.harness.scripts import NOTE, SHARE, Crowd, F, elements


def traffic_of(found: Verdict) -> dict[str, Any]:
    (seen,) = [one for one in found.discrete.sees if one["what"] == "traffic"]
    return seen


async def busy(me: Party) -> None:
    others = me.group([name for name in me.names("user") if name != me.name])
    number = me.index
    secret = me.secret(lambda: [number, 3], field=F, shape=(2,))
    await me.scatter(SHARE, to=me.all("user"), rows=masked(secret, me, 3))
    await me.publish(NOTE, to=others, payload=(index([1, 2], 77), bits([1]), elements(4)))
    await me.send(NOTE, me.name, reals([1.0]))
    await me.gather(NOTE, others)
    await me.receive(NOTE, me.name)
    await me.gather_sum(SHARE, senders=me.all("user"))
    await me.scatter(PARTIAL, to=[others], rows=me.coins.field(F, (2, 1)), keys=index([0], 9))
    await me.gather_sum(PARTIAL, key=0, count=2)


@pytest.mark.parametrize("done", [run(Crowd(3, busy)), added(4, as_index)], ids=["busy", "adding"])
def test_the_network_sees_who_sends_how_much_to_whom_in_which_round_and_no_more(done: Run) -> None:
    found = verdict(done, "network")
    assert found.finding == "nothing"
    assert [one["what"] for one in found.discrete.sees] == ["traffic"]
    seen = traffic_of(found)
    total = done.ledger.total()
    assert sum(size for *_, size in seen["links"]) == total.frame_bytes
    assert sum(messages for *_, messages, _ in seen["links"]) == seen["messages"] == total.messages
    for sender, recipient, round_, messages, size in seen["links"]:
        assert {sender, recipient} <= set(done.roster.names)
        assert sender != recipient
        assert 1 <= round_ <= done.ledger.rounds
        assert 0 < messages <= size
    written = json.dumps(seen)
    assert not [tag for tag in done.ledger.by("tag", "sent") if json.dumps(tag) in written]
    sent = done.ledger.by("party", "sent")
    for name in done.roster.names:
        assert sum(size for sender, *_, size in seen["links"] if sender == name) == (
            sent[name].frame_bytes if name in sent else 0
        )


def test_users_beside_the_network_see_their_messages_and_the_traffic() -> None:
    done = added(4, as_index)
    alone, both = verdict(done, "u1"), verdict(done, "u1, network")
    assert "traffic" not in [one["what"] for one in alone.discrete.sees]
    assert [one for one in both.discrete.sees if one["what"] != "traffic"] == list(
        alone.discrete.sees
    )
    assert traffic_of(both) == traffic_of(verdict(done, "network"))
    assert both.corrupt == Coalition(("u1",), network=True)
    assert both.as_json()["corrupt"] == ["u1", "network"]


def test_a_judge_that_did_not_observe_everybody_does_not_speak_for_the_network() -> None:
    done = added(4)
    judge = Judge([done], ["u1"])
    try:
        seen = traffic_of(judge.verdict("u1, network"))
    except BadInput:
        return
    assert sum(size for *_, size in seen["links"]) == done.ledger.total().frame_bytes
