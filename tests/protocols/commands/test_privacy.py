"""`simnet privacy` with sub-commands of other packages."""

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from protocols.commands.privacy import GROUP, application
from simnet.errors import BadInput
from tests.harness.many_cases import for_each
from tests.harness.shell import refusal, simnet


def test_a_sub_command_that_does_not_load_says_why_and_the_others_work(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken_privacy.py").write_text("raise OSError('no such library')\n")
    monkeypatch.syspath_prepend(tmp_path)
    app = application([EntryPoint("theirs", "broken_privacy:THING", GROUP)])
    why = "broken_privacy:THING fails to load: OSError: no such library"
    app(["--help"], result_action="return_value")
    assert f"broken: {why}" in " ".join(capsys.readouterr().out.replace("│", " ").split())
    with pytest.raises(BadInput, match=why):
        app(["theirs", "--users", "3"], exit_on_error=False, result_action="return_value")
    app(
        ["users", "--share", "0.1", "--participation", "0.5", "--epsilon", "1", "--delta", "1e-6"],
        exit_on_error=False,
        result_action="return_value",
    )
    assert "490 users" in capsys.readouterr().out


def test_a_probability_that_is_too_small_for_the_computer_is_not_called_zero() -> None:
    options = ("--users", 1000, "--items", 30, "--reported", 27, "--colluders", 500)
    said = " ".join(simnet("privacy", "survive", *options).out.split())
    assert "a given item with probability less than 1e-300, and" in said
    assert "with probability 0" not in said


def test_no_fewer_users_are_proposed_than_dpds_has() -> None:
    target = ("--participation", 0.3, "--epsilon", 50, "--delta", 0.4, "--relation", "remove")
    done = simnet("privacy", "users", "--share", 1, *target)
    assert done.out.startswith("2 users are needed")


def test_a_single_random_user_colludes_in_the_singular() -> None:
    few = ("--users", 4, "--items", 2, "--reported", 1)
    said = simnet("privacy", "survive", *few, "--colluders", 1).out
    assert "1 random user of 4 colludes, and 3 are honest:" in said
    said = simnet("privacy", "survive", *few, "--colluders", 3).out
    assert "3 random users of 4 collude, and 1 is honest:" in said


@for_each(
    "command, said",
    [
        ("degree --users 100 --corrupt 0.1 --drop 2", "--drop is a probability from 0 to 1, got 2"),
        ("completes --users 100 --drop nan", "--drop is a probability from 0 to 1, got nan"),
        (
            "completes --users 100 --drop 0.1 --member-drop 2",
            "--member-drop is a probability from 0 to 1, got 2",
        ),
        ("thresholds --users 10 --drop 0.1,2", "--drop is a probability from 0 to 1, got 2"),
    ],
)
def test_a_rate_of_drop_outs_is_refused_under_the_name_of_its_option(
    command: str, said: str
) -> None:
    assert refusal(simnet("privacy", *command.split())).startswith(said)


ADVISE = ("advise", "--epsilon", "1", "--delta", "1e-6", "--rarest", "1")
GROUPS = [word for count in range(31, 41) for word in ("--group", f"{count},{count + 9}@0.1x3")]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((*ADVISE, "--users", 10**12, "--items", 10**9), "--max-elements"),
        ((*ADVISE, "--users", 10**8, "--items", 10**8), "--max-memory"),
        (("compose", *GROUPS, "--delta", "1e-6"), "1,024 combinations"),
    ],
)
def test_what_takes_too_much_is_refused_before_it_begins(
    words: tuple[object, ...], message: str
) -> None:
    said = refusal(simnet("privacy", *words))
    assert message in said
    assert "raise the limit with --max-" in said


def test_a_larger_limit_allows_more_and_a_smaller_one_less() -> None:
    words = ("privacy", "compose", "--group", "33,40@0.1", "--delta", "1e-6")
    assert "raise the limit" in refusal(simnet(*words, "--max-elements", 1000))
    assert simnet(*words, "--max-elements", 10**12).status == 0
