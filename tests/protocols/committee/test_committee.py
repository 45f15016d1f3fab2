"""DPDS with a committee: whoever drops out, a result is right, and a coalition learns what counting
shares says.
"""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols import DPDS
from protocols.committee.about import about
from protocols.committee.script import AGREED, HEARD, PARTIAL, Committee, RobustDPDS
from simnet import Fate, bits, run, sends, verdict
from simnet.scenario.perform import bill
from simnet.testing import fates as fate_strategy
from tests.harness.fuzz import cases


@st.composite
def runs(draw):
    """A run in which everybody takes part, and any users and members drop out anywhere."""
    users, members = draw(st.integers(2, 4)), draw(st.integers(1, 4))
    threshold = draw(st.integers(1, members))
    made = draw(
        st.sampled_from(
            [
                Committee(users, 2, 1.0, members, f"shamir:{threshold}"),
                Committee(users, 2, 1.0, members, "additive"),
                RobustDPDS(users, 2, 1.0, sharing=f"shamir:{min(threshold, users)}"),
            ]
        )
    )
    held = draw(st.lists(st.integers(1, 2), min_size=users, max_size=users))
    sent = {name: own for name, own in sends(made, held).items() if name != "server"}
    return run(
        made, held, draw(st.integers(0, 99)), fates=draw(fate_strategy(sent)), observe=["server"]
    )


@cases(60)
@given(runs())
def test_a_result_is_the_exact_frequency_among_the_users_who_were_counted(done) -> None:
    protocol = done.protocol
    counted = protocol.counted(done.happened)
    if "server" not in done.outputs:
        assert done.outcome == "aborted"
        return
    held = [done.inputs[name] for name in counted]
    expected = np.bincount(held, minlength=3)[1:] / len(counted)
    assert np.allclose(done.outputs["server"], expected)
    for row in bill(about(protocol), done):
        assert row.holds, row


def received(done, user: str, coalition) -> int:
    """How many members of the coalition got a share of a user, from its fate."""
    protocol = done.protocol
    role = "user" if isinstance(protocol, RobustDPDS) else "member"
    holders = list(done.roster.role(role))
    fate = done.fates.get(user)
    if fate is not None and fate.tag == "share" and fate.reached is not None:
        holders = (
            holders[: fate.reached]
            if isinstance(fate.reached, int)
            else [holder for holder in holders if holder in fate.reached]
        )
    return len(set(holders) & set(coalition))


@pytest.mark.slow
@cases(25)
@given(runs(), st.data())
def test_members_open_a_user_s_item_exactly_with_enough_shares(done, data) -> None:
    protocol = done.protocol
    role = "user" if isinstance(protocol, RobustDPDS) else "member"
    coalition = data.draw(
        st.lists(st.sampled_from(list(done.roster.role(role))), min_size=1, unique=True)
    )
    honest = [name for name in done.inputs if name not in coalition]
    if not honest:
        return
    needed = protocol.sharing.needed(protocol.holders)
    exposed = [name for name in honest if received(done, name, coalition) >= needed]
    found = verdict(done, coalition)
    leaking = {leak.exposes.party for leak in found.leaks if leak.exposes}
    assert leaking == set(exposed), (done.fates, coalition)
    if not exposed:
        assert found.finding == "nothing"
    with_server = verdict(done, [*coalition, "server"])
    if len(set(coalition)) < needed and with_server.finding == "leaks":
        raise AssertionError((done.fates, coalition))


class LyingServer(Committee):
    """The server tells the first half of the committee that nobody is missing, and the others that
    the last user is.
    """

    async def server(self, me):
        members = self.committee(me)
        lists = await me.gather_some(HEARD, senders=members)
        everybody = [True] * self.users
        without = [*everybody[:-1], False]
        half = (len(members) + 1) // 2
        for place, name in enumerate(members):
            await me.send(AGREED, to=name, payload=bits(everybody if place < half else without))
        await me.gather_some(PARTIAL, senders=list(lists))


@pytest.mark.slow
@pytest.mark.parametrize(("members", "threshold"), list(itertools.product((2, 3, 4), (1, 2, 3))))
def test_a_lying_server_opens_an_item_exactly_if_two_lists_have_enough_members(
    members: int, threshold: int
) -> None:
    if threshold > members:
        return
    done = run(LyingServer(3, 2, 1.0, members, f"shamir:{threshold}"), [1, 2, 2], seed=1)
    for helpers in range(min(members, threshold)):
        # helpers of both halves: they answer for both lists
        coalition = ["server", *[f"c{members - place}" for place in range(helpers)]]
        first = (members + 1) // 2 - sum(
            int(name[1:]) <= (members + 1) // 2 for name in coalition[1:]
        )
        second = members - (members + 1) // 2 - (helpers - ((members + 1) // 2 - first))
        opens = first + helpers >= threshold and second + helpers >= threshold
        exposes = any(leak.exposes for leak in verdict(done, coalition).leaks)
        assert exposes == opens, (members, threshold, coalition)


class NamingServer(Committee):
    """The server tells all members that only the first user is counted."""

    async def server(self, me):
        lists = await me.gather_some(HEARD, senders=self.committee(me))
        counted = bits([place == 0 for place in range(self.users)])
        await me.publish(AGREED, to=list(lists), payload=counted)
        await me.gather_some(PARTIAL, senders=list(lists))


@pytest.mark.parametrize("sharing", ["additive", "shamir:2", "shamir:3"])
def test_a_server_that_names_only_one_user_learns_the_answer_of_this_user(sharing: str) -> None:
    done = run(NamingServer(4, 2, 1.0, 3, sharing), [1, 2, 2, 1], seed=1)
    found = verdict(done, "server")
    assert (found.finding, found.exposed_parties) == ("leaks", ("u1",))


def test_dpds_itself_is_aborted_where_the_robust_protocol_gives_a_result() -> None:
    held, fates = [1, 2, 2, 1, 1], {"u3": Fate("share", reached=2)}
    robust = RobustDPDS(5, 2, 1.0, sharing="shamir:3")
    assert run(robust, held, fates=fates).outcome == "result"
    plain = run(DPDS(5, 2, 1.0, "shamir:3"), held, fates=fates)
    assert plain.outcome == "aborted"
    assert "server" not in plain.outputs
