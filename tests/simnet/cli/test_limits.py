"""What takes too much is refused before it begins, in one sentence that names an option."""

from pathlib import Path
from unittest import mock

import attrs
import pytest

from simnet.kernel.limits import limited
from simnet.network.recorded import load
from simnet.scenario.by_name import perform
from tests.harness.hostile import failures
from tests.harness.shell import refusal, simnet

LARGE = 10**12
TARGET = "--epsilon 1 --delta 1e-6"
TOO_LARGE = [
    f"run dpds --users {LARGE} --items 1",
    f"run local_frequency --no-claims --users 10 --items {LARGE}",
    f"run local_mean --no-claims --users {LARGE}",
    f"run sampling_privacy --no-claims --users {'9' * 400}",
    f"run ldp_sgd --no-claims --users {LARGE}",
    f"check dpds --users {LARGE} --items 1",
    f"show dpds --users {LARGE}",
    f"verify dpds --users 3 --items 1 --corrupt u1 --runs {LARGE}",
    f"coalitions dpds --users 4 --items 1 --runs {LARGE}",
    f"coalitions dpds --users {LARGE}",
    f"exact-view dpds --users {LARGE} --corrupt u1 --inputs 1,1",
    f"table1 --users 10 --items 3 --participation 0.5 --trials {LARGE}",
    f"compare --items {LARGE} {TARGET}",
    f"privacy completes --users 100 --drop 0.1 --degree 10 --neighbour-threshold 6 --runs {LARGE}",
    f"privacy thresholds --users {LARGE} --drop 0.1",
    f"privacy survive --users {LARGE} --items 30 --reported 12 --colluders 960",
    f"privacy survive --users 1000 --items {LARGE} --reported 12 --colluders 960",
]


@pytest.mark.parametrize("line", TOO_LARGE)
def test_work_above_the_limits_is_refused_with_the_option_that_allows_it(line: str) -> None:
    said = refusal(simnet(*line.split()))
    assert "more than the limit of" in said
    assert "raise the limit with --max-" in said


def test_the_limits_of_memory_can_be_moved() -> None:
    few = ("run", "dpds", "--no-claims", "--users", 20, "--items", 3)
    assert "1.7e-06 GB of memory" in refusal(simnet(*few, "--max-memory", "1.6e-6"))
    assert simnet(*few, "--max-memory", "1.7e-6").status == 0
    with limited(elements=431), pytest.raises(ValueError, match="432 elements"):
        perform("dpds", users=12, items=3)


@pytest.mark.parametrize("error", [MemoryError(), OverflowError("int too large"), RecursionError()])
def test_what_exceeds_the_machine_ends_in_one_sentence(error: Exception) -> None:
    with mock.patch("simnet.cli.main._status_of", side_effect=error):
        assert "too" in refusal(simnet("list")) or "more memory" in refusal(simnet("list"))


def test_a_log_that_claims_many_members_is_refused_before_it_is_timed(tmp_path: Path) -> None:

    log = tmp_path / "run.log"
    assert (
        simnet("run", "dpds", "--users", 5, "--items", 2, "--no-claims", "--log", log).status == 0
    )
    read = load(log)
    attrs.evolve(read, sizes=(99_999_999, *read.sizes[1:])).save(log)
    assert "timing" in refusal(simnet("time", log, "--network", "mobile"))
    assert "reading" in refusal(simnet("time", log, "--max-memory", "1e-6"))


def test_a_device_is_no_certificate_and_no_network(tmp_path: Path) -> None:
    link = tmp_path / "network.toml"
    link.symlink_to("/dev/zero")
    done = simnet("verify", "--check", "/dev/zero")
    assert (done.status, "it has more than" in done.out) == (1, True)
    assert "too many for a text file" in refusal(simnet("network", link))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["settings", "files"])
def test_some_absurd_settings_and_damaged_files_end_in_a_result_or_a_sentence(kind: str) -> None:
    assert failures(kind, 8, 1) == []


@pytest.mark.long
@pytest.mark.parametrize("kind", ["settings", "files"])
def test_absurd_settings_and_damaged_files_end_in_a_result_or_a_sentence(kind: str) -> None:
    assert failures(kind, 2000, 2) == []
