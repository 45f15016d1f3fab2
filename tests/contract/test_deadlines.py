"""Who comes in time follows from the run's seed and the network, not from schedule or threads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.completion.families import script_of
from scenarios.completion.hurried import hurried
from scenarios.completion.waiting import BY_NAME, longest_wait, with_jitter
from simnet.kernel.run import run
from simnet.kernel.schedule import Shuffled
from simnet.network.timing import timed
from tests.harness.fuzz import cases

USERS = 20
SEEDS = st.integers(0, 2**32 - 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["secagg", "secagg_plus", "committee", "oue"])
@cases(8)
@given(patience=st.floats(0.3, 1.5), seed=SEEDS, order=SEEDS)
def test_deadlines_of_protocols_do_not_depend_on_schedule_or_threads(
    name: str, patience: float, seed: int, order: int
) -> None:
    protocol = hurried(script_of(name, USERS), patience * longest_wait(name, USERS, "mobile"))
    network = with_jitter(BY_NAME["mobile"])
    held = [1 + user % 3 for user in range(USERS)]
    found = []
    for schedule, threads in ((None, None), (Shuffled(order), 3), (Shuffled(order + 1), 1)):
        done = run(
            protocol,
            held,
            seed,
            observe=list(protocol.parties()),
            network=network,
            schedule=schedule,
            threads=threads,
        )
        ended = timed(done, network, seed).ended
        found.append((done.trace_hash, done.deadlines, done.late, done.aborts, ended))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize(("patience", "is_complete"), [(0.3, False), (3.0, True)])
def test_a_short_deadline_leaves_users_out(patience: float, is_complete: bool) -> None:
    # Without such runs the test above would compare runs in which no deadline matters.
    protocol = hurried(script_of("oue", USERS), patience * longest_wait("oue", USERS, "mobile"))
    done = run(protocol, [1] * USERS, 0, network=with_jitter(BY_NAME["mobile"]))
    passed = [one for one in done.deadlines if one.silent]
    assert (not passed) is is_complete
