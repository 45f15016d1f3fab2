"""Known mistakes in secure aggregation: each is caught, and the sound twin beside it is not."""

import itertools
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols import SecAgg
from simnet import Verdict, certificate_of, certificate_text, run, verdict
from simnet.adversary.check import check
from tests.harness.fuzz import cases
from tests.harness.marks import long_but
from tests.harness.secagg_flaws import (
    EVERYBODY,
    BothShares,
    CopiedKeys,
    InTheMiddle,
    KeysAlong,
    LiarAtEveryStep,
    LiarWithoutSelfMask,
    ReturnedBoxes,
    ShortSeeds,
    TwoIterations,
    collected_twice,
    in_the_middle,
    liar,
    sound,
)
from tests.harness.secagg_prediction import Liar, question


def found(protocol: SecAgg) -> str:
    """Return what the server learns from a run in which every user has the item 1."""
    judged = verdict(run(protocol, [1] * protocol.users, seed=1), "server")
    if judged.finding != "undecided":
        assert check(certificate_text(certificate_of(judged))).statement == judged.finding
    return judged.finding


@pytest.mark.slow
def test_the_sound_protocol_discloses_its_output() -> None:
    assert found(sound()) == "output-only"


@pytest.mark.slow
def test_shares_of_both_secrets_open_a_vector() -> None:
    assert found(BothShares(question(4), 3)) == "leaks"


@pytest.mark.parametrize(("threshold", "finding"), [(2, "leaks"), (3, "nothing")])
def test_a_threshold_of_half_the_users_lets_a_liar_open_both_secrets(
    threshold: int, finding: str
) -> None:
    assert found(liar(threshold)) == finding


@pytest.mark.slow
@pytest.mark.parametrize(("label", "finding"), [("mask", "leaks"), ("mask 2", "nothing")])
def test_masks_of_two_iterations_need_two_labels(label: str, finding: str) -> None:
    assert found(TwoIterations(question(4), 3, label=label)) == finding


@pytest.mark.slow
@pytest.mark.parametrize(("seeds", "finding"), [((1, 1), "leaks"), ((1, 2), "output-only")])
def test_masks_that_are_used_again_in_the_next_collection_tell_what_changed(
    seeds: tuple[int, int], finding: str
) -> None:
    judged = collected_twice(seeds)
    assert judged.finding == finding
    assert check(certificate_text(certificate_of(judged))).statement == finding


@pytest.mark.parametrize(("words", "finding"), [(1, "undecided"), (8, "nothing")])
def test_a_short_seed_may_be_guessed(words: int, finding: str) -> None:
    """Nobody shares this seed. So the server learns nothing if the seed is long enough."""
    assert found(ShortSeeds(question(4), 3, words=words)) == finding


@pytest.mark.parametrize(
    ("make", "exposed"), [(LiarWithoutSelfMask, {"u4"}), (Liar, set())], ids=["without", "with"]
)
def test_a_self_mask_hides_a_vector_that_comes_late(make: type[Liar], exposed: set[str]) -> None:
    """The server has the vector of u4, and says that it came too late."""
    in_time = dict.fromkeys(EVERYBODY, EVERYBODY[:3])
    done = run(make(question(4), 3, lists=in_time), [1] * 4, seed=1)
    judged = verdict(done, "server")
    assert judged.finding == "leaks"  # in both: the sum over three of the four vectors that came
    assert {leak.exposes.party for leak in judged.leaks if leak.exposes} == exposed


def test_keys_of_boxes_open_everything() -> None:
    assert found(KeysAlong(question(4), 3)) == "leaks"


# Keys that are not the users' own.


@pytest.mark.parametrize(("active", "finding"), [(False, "leaks"), (True, "nothing")])
def test_signed_keys_stop_a_server_in_the_middle(active: bool, finding: str) -> None:
    protocol = in_the_middle(active)
    done = run(protocol, [1] * 4, seed=1)
    judged = verdict(done, "server")
    assert judged.finding == finding
    assert check(certificate_text(certificate_of(judged))).statement == finding
    exposed = {leak.exposes.party for leak in judged.leaks if leak.exposes}
    assert exposed == (set() if active else set(EVERYBODY))
    reasons = [ending.reason for ending in done.aborts if ending.party in EVERYBODY]
    assert len(reasons) == (4 if active else 0)
    assert all("has not signed the keys" in reason for reason in reasons)


USERS = ("u1", "u2", "u3")
LINKS = tuple(itertools.permutations(USERS, 2))  # a reader, and the user whose keys it is told


def open_sums(swapped: frozenset[tuple[str, str]]) -> list[set[str]]:
    """Predict, for users who do not sign, the users of each sum that a server in the middle opens.

    Two users hide each other if both have the true key of the other. If only one has it, the mask
    of this user never cancels, and hides the user and everybody who is connected with it.
    """
    parts: list[set[str]] = [{name} for name in USERS]
    for one, other in itertools.combinations(USERS, 2):
        if not {(one, other), (other, one)} & swapped:
            joined = [part for part in parts if part & {one, other}]
            parts = [part for part in parts if part not in joined] + [set().union(*joined)]
    hidden = {
        reader
        for reader, other in LINKS
        if (reader, other) not in swapped and (other, reader) in swapped
    }
    return [part for part in parts if not part & hidden]


@pytest.mark.slow
@pytest.mark.parametrize("active", long_but([False, True], True))
def test_every_set_of_keys_that_a_server_replaces(active: bool) -> None:
    """n = 3, t = 2. All 64 sets of links between a reader and a user in whose place the server
    stands.
    """
    findings = set()
    for chosen in itertools.product([False, True], repeat=len(LINKS)):
        swapped = frozenset(itertools.compress(LINKS, chosen))
        told = {name: [other for reader, other in swapped if reader == name] for name in USERS}
        protocol = InTheMiddle(question(3), 2, active, swapped=told)
        judged = verdict(run(protocol, [1] * 3, seed=1), "server")
        deceived = {reader for reader, _ in swapped}
        if active:  # who was told a false key stops; the others go on if they are enough
            left = set(USERS) - deceived
            expected = [left] if len(left) >= 2 else []
        else:
            expected = open_sums(swapped)
        by_name = sorted(users_in_sums(judged), key=sorted)
        if judged.finding == "output-only":
            assert len(expected) == 1, swapped
        else:
            assert by_name == sorted(expected, key=sorted), swapped
        assert (judged.finding == "nothing") == (not expected), swapped
        findings.add(judged.finding)
    assert findings == {"nothing", "output-only"} | (set() if active else {"leaks"})


@pytest.mark.parametrize(("active", "exposed"), [(False, {"u2"}), (True, set())])
def test_a_user_that_copies_keys_takes_masks_away(active: bool, exposed: set[str]) -> None:
    done = run(CopiedKeys(question(3), 2, active), [1] * 3, seed=1)
    judged = verdict(done, ["server", "u3"])
    assert {leak.exposes.party for leak in judged.leaks if leak.exposes} == exposed
    assert (judged.finding == "nothing") == active
    same_key = [ending.party for ending in done.aborts if "the same key" in ending.reason]
    assert same_key == (["u1", "u2"] if active else [])


@pytest.mark.parametrize("active", [False, True])
def test_nobody_opens_its_own_boxes_for_those_of_others(active: bool) -> None:
    """Without the check, u1 opens shares of its own seed, and the others open its secret key."""
    lists = {name: ["u2", "u3", "u4"] for name in EVERYBODY} | {"u1": ["u1", "u2", "u3"]}
    protocol = ReturnedBoxes(question(4), 3, active, lists={} if active else lists)
    done = run(protocol, [1] * 4, seed=1)
    judged = verdict(done, "server")
    exposed = {leak.exposes.party for leak in judged.leaks if leak.exposes}
    stopped = [ending.party for ending in done.aborts if "cannot be opened" in ending.reason]
    assert (exposed, stopped) == ((set(), ["u1"]) if active else ({"u1"}, []))


# What a server tells.


def same_places() -> dict[str, Any]:
    """Tell users 1 to 3 that u9 never sent keys, and the others that u3 did not, so that two
    different lists have the same places in the rings.
    """
    without_u9 = [f"u{number}" for number in range(1, 9)]
    without_u3 = [f"u{number}" for number in (1, 2, 4, 5, 6, 7, 8, 9)]
    rings = {f"u{n}": without_u9 if n <= 3 else without_u3 for n in range(1, 10)}
    one, other = ["u1", "u2", "u4", "u6", "u8"], ["u1", "u2", "u5", "u7", "u9"]
    lists = {name: one if name in ("u1", "u2", "u3") else other for name in rings}
    return {
        "rings_told": {name: [v for v in ring if v != name] for name, ring in rings.items()},
        "sharers_told": {
            name: one if name in ("u1", "u2") else ring for name, ring in rings.items()
        },
        "lists": lists,
    }


def users_in_sums(judged: Verdict) -> list[set[str]]:
    """Return the users in each sum that the coalition learns."""
    return [{secret.party for secret, _ in function.terms} for function in judged.functions]


def test_lists_with_the_same_places_in_different_rings_are_different_lists() -> None:
    """2t = 10 > n = 9: with signatures of the sets, nobody opens a sum over fewer than t users."""
    liar = LiarAtEveryStep(question(9), 5, active=True, **same_places())
    judged = verdict(run(liar, [1] * 9, seed=3), "server")
    assert judged.finding == "nothing"


@st.composite
def stories(draw: Any) -> dict[str, Any]:
    """Draw what a server tells five users at every step."""
    users = [f"u{number}" for number in range(1, 6)]
    few = st.sampled_from([3, 4, 5])

    def some(of: Sequence[str], size: int) -> list[str]:
        drawn = draw(st.permutations(list(of)))[:size]
        return [name for name in of if name in drawn]

    worlds = [some(users, draw(few)) for _ in range(draw(st.integers(1, 3)))]
    told = {name: draw(st.sampled_from(worlds)) for name in users}
    rings = {name: [other for other in told[name] if other != name] for name in users}
    alive = [some(users, draw(few)) for _ in range(draw(st.integers(1, 3)))]
    return {
        "rings_told": {name: ring or [users[name == "u1"]] for name, ring in rings.items()},
        "sharers_told": {name: some(users, draw(st.sampled_from([4, 5]))) for name in users},
        "lists": {name: draw(st.sampled_from(alive)) for name in users},
    }


@pytest.mark.slow
@given(stories())
@cases(120)
def test_whatever_a_server_tells_at_any_step_sums_have_at_least_t_users(
    story: dict[str, Any],
) -> None:
    """n = 5, t = 3, so 2t > n, and the users sign their keys and lists."""
    liar = LiarAtEveryStep(question(5), 3, active=True, **story)
    judged = verdict(run(liar, [1] * 5, seed=1), "server")
    assert judged.finding != "undecided"
    assert all(len(users) >= 3 for users in users_in_sums(judged))


def test_without_the_check_some_story_opens_a_sum_over_fewer_users() -> None:
    lists = {name: ["u1", "u2", "u3"] for name in ("u1", "u2")}
    lists |= {name: ["u1", "u3", "u4"] for name in ("u3", "u4")} | {"u5": ["u1", "u3", "u5"]}
    users = [f"u{number}" for number in range(1, 6)]
    rings = {name: [other for other in users if other != name] for name in users}
    liar = LiarAtEveryStep(
        question(5), 3, rings_told=rings, sharers_told=dict.fromkeys(users, users), lists=lists
    )
    judged = verdict(run(liar, [1] * 5, seed=1), "server")
    assert judged.finding == "leaks"
    assert min(len(users) for users in users_in_sums(judged)) == 2
