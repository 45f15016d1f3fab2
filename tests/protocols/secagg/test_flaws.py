"""Known mistakes in secure aggregation: each is caught, and the sound twin beside it is not."""

import pytest

from protocols import SecAgg
from simnet import certificate_of, certificate_text, run, verdict
from simnet.adversary.check import check
from tests.harness.secagg_flaws import (
    EVERYBODY,
    BothShares,
    KeysAlong,
    LiarWithoutSelfMask,
    ShortSeeds,
    SwappedKeys,
    TwoIterations,
    collected_twice,
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


def test_the_sound_protocol_discloses_its_output() -> None:
    assert found(sound()) == "output-only"


def test_shares_of_both_secrets_open_a_vector() -> None:
    assert found(BothShares(question(4), 3)) == "leaks"


@pytest.mark.parametrize(("threshold", "finding"), [(2, "leaks"), (3, "nothing")])
def test_a_threshold_of_half_the_users_lets_a_liar_open_both_secrets(
    threshold: int, finding: str
) -> None:
    assert found(liar(threshold)) == finding


@pytest.mark.parametrize(("label", "finding"), [("mask", "leaks"), ("mask 2", "nothing")])
def test_masks_of_two_iterations_need_two_labels(label: str, finding: str) -> None:
    assert found(TwoIterations(question(4), 3, label=label)) == finding


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


def test_a_server_in_the_middle_knows_all_masks() -> None:
    assert found(SwappedKeys(question(4), 3)) == "leaks"
