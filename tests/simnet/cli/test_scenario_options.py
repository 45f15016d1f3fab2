"""Every setting of every scenario is an option: described where it is defined, never in the way of
an option that the command has, and set as `--set` sets it.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cyclopts import App, CycloptsError

from simnet.bench.benchmark import registered
from simnet.cli.main import OF_SCENARIOS, OTHERS, build
from simnet.cli.options import Settings
from simnet.cli.scenario_options import (
    option_names,
    scenario_word,
    setting_option,
    with_setting_options,
)
from simnet.nearest import nearest
from simnet.scenario.find import find, names
from simnet.studies.find import names as experiments
from tests.harness.many_cases import for_each
from tests.harness.marks import long_but
from tests.harness.shell import RING, process, refusal, simnet, words

SCENARIOS = list(names())
# here `--users` draws rows of a file or makes so many people: what the setting says, and more
SAME_MEANING = {"run": {"--users"}, "show": {"--users"}, "verify": {"--users"}}


def test_no_setting_has_the_name_of_an_option_by_accident() -> None:
    """One that has it is deliberate, and has another option there."""
    renamed = set()
    for command, function in OF_SCENARIOS.items():
        own = option_names(function)
        for scenario in SCENARIOS:
            settings = find(scenario)[1].settings_in_words.values()
            options = [setting_option(setting, own) for setting in settings]
            named = [option for option in options if option is not None]
            assert len(named) == len(set(named))
            assert not own & set(named)
            assert all(
                setting.option in SAME_MEANING.get(command, ())
                for setting, option in zip(settings, options, strict=True)
                if option is None
            )
            renamed |= {
                (command, scenario, setting.name)
                for setting, option in zip(settings, options, strict=True)
                if option not in (None, setting.option)
            }
    assert renamed == {(command, "local_frequency", "yes") for command in ("run", "show")}


def test_a_renamed_setting_is_set_by_its_new_option() -> None:
    few = ("run", "local_frequency", "--users", 50, "--items", 2, "--mechanism", "joy-gerla")
    chances = ("--truthful", 0.5, "--setting-yes", 0.25, "--json", "-")
    assert simnet(*few, *chances).json["parameters"]["yes"] == 0.25
    assert refusal(simnet(*few, "--truthful", 0.5, "--yes", 0.25)).startswith(
        "run does not take '0.25'"
    )


@for_each("scenario", SCENARIOS)
def test_every_setting_says_what_it_is(scenario: str) -> None:
    for setting in find(scenario)[1].settings_in_words.values():
        assert setting.meaning, f"{setting.name} of {scenario} has no words"
        assert setting.type_in_words in setting.in_words
        assert setting.default_in_words in setting.in_words


@pytest.mark.slow
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_an_option_sets_what_set_sets(scenario: str) -> None:
    """One by one, with an equals sign and all at once; before the scenario's name and behind it."""
    given: list[Any] = []

    def command(scenario: str, /, *, seed: int = 0, set_: Settings = None) -> None:
        given.append((scenario, seed, sorted(set_ or ())))

    def told(*tokens: str) -> Any:
        app = App(result_action="return_value")
        app.default(with_setting_options(command, tokens))
        app([*tokens], exit_on_error=False, print_error=False)
        return given.pop()

    settings = find(scenario)[1].settings_in_words.values()
    for setting in settings:
        text = [f"{setting.name}=-1"]
        assert told(scenario, setting.option, "-1") == (scenario, 0, text)
        assert told(f"{setting.option}=-1", "--seed", "3", scenario) == (scenario, 3, text)
    every = [part for setting in settings for part in (setting.option, "tss")]
    assert told(*every, scenario)[2] == sorted(f"{setting.name}=tss" for setting in settings)
    assert told(scenario, "--set", "a=1", *every)[2][0] == "a=1"


@pytest.mark.slow
@pytest.mark.parametrize("command", OF_SCENARIOS)
def test_help_shows_every_setting(command: str) -> None:
    shown = words(re.sub("[│╭╮╰╯─]", " ", simnet(command, "tss", "--help").out))
    for setting in find("tss")[1].settings_in_words.values():
        assert setting.option in shown
        if setting.option not in SAME_MEANING.get(command, ()):
            assert setting.in_words in shown
    assert "Settings of tss" not in simnet(command, "--help").out


def test_settings_of_a_class_of_ones_own_are_options_too(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    text = RING.read_text(encoding="utf-8")
    text = text.replace("users: int = 5", 'users: Annotated[int, "who stands in the ring"] = 5')
    marker = "    items: int = 3\n"
    file.write_text(
        "from typing import Annotated\nprint('executed')\n"
        + text.replace(marker, marker + "    seed: int = 4\n    timeout: float = 0.001\n"),
        encoding="utf-8",
    )
    shown = simnet("check", f"{file}:RingSum", "--help").out
    assert "who stands in the ring" in words(re.sub("[│─]", " ", shown))
    assert "--setting-seed" in shown, "the command's own option keeps its meaning"
    result = simnet("verify", file, "--corrupt", "u1", "--users", 4, "--items", 2, "--json", "-")
    assert result.out.count("executed") == 1
    assert '"users": 4' in result.out
    told = simnet("run", file, "--setting-timeout", 7, "--json", "-").out
    assert '"timeout": 7.0' in told, "--timeout itself ends the command"
    options = {"--users", "--items", "--setting-seed", "--setting-timeout"}
    listed = simnet("list", file, "--json", "-").out
    assert {one["option"] for one in json.loads(listed[listed.index("{") :])["settings"]} == options


@pytest.mark.parametrize(
    ("tokens", "word"),
    [
        ("tss --gamma 2", "tss"),
        ("--gamma 2 --seed=3 tss dpds", "tss"),
        ("--no-claims tss", "tss"),
        ("--drop-missing --column dpds tss", "tss"),
        ("--help tss", "tss"),
        ("-- tss", "tss"),
        ("--gamma 2", None),
        ("", None),
    ],
)
def test_the_scenario_is_the_first_word_that_is_no_value(tokens: str, word: str | None) -> None:
    assert scenario_word(OF_SCENARIOS["run"], tokens.split()) == word


# Who drops out


@pytest.mark.parametrize(
    ("drop", "said"),
    [
        ("often", "takes a probability or PARTY@TAG"),
        ("1.5", "lies in [0, 1]"),
        ("u33@share", "no party is called 'u33' (did you mean u3?)"),
        ("u3@shares", "u3 does not send"),
        ("u3@share#2", '"share" 2 times'),
    ],
)
def test_a_drop_out_that_cannot_be_is_refused(drop: str, said: str) -> None:
    assert said in refusal(simnet("run", "dpds", "--users", 5, "--items", 2, "--drop", drop))


def test_members_of_a_crowd_do_not_drop_out_silently() -> None:
    crowd = ("run", "local_frequency", "--users", 9, "--items", 2, "--population", "crowd")
    assert "cannot drop out one by one" in refusal(simnet(*crowd, "--drop", 0.2))


# What the options were called before


@pytest.mark.slow
def test_what_to_report_is_asked_for_by_a_name_of_its_own() -> None:
    few = ("--users", 12, "--items", 2, "--no-claims", "--json", "-")
    told = simnet("run", "dpdg", *few, "--epsilon", 0.9).json
    assert told["parameters"]["epsilon"] == told["privacy"]["epsilon"] == 0.9
    told = simnet("run", "dpdg", *few, "--epsilon", 0.9, "--at-epsilon", 0.3).json
    assert (told["parameters"]["epsilon"], told["privacy"]["epsilon"]) == (0.9, 0.3)
    for option in ("epsilon", "delta"):
        asked = refusal(simnet("run", "dpds", *few, f"--{option}", 0.1))
        assert f"--{option}: --at-{option} sets the number at which privacy is stated" in asked


@for_each(
    "tokens, said",
    [
        ("run dpds --epsilon 1", "run dpds has no option --epsilon: --at-epsilon sets"),
        ("run --epsilon 1 dpds", "run dpds has no option --epsilon: --at-epsilon sets"),
        (f"run {RING} --epsilon 1", f"run {RING} has no option --epsilon: "),
        ("list --epsilon 1", "list has no option --epsilon"),
        ("run --epsilon 1", "run has no option --epsilon: "),
    ],
)
def test_an_option_that_a_scenario_lacks_is_missing_from_that_scenario(
    tokens: str, said: str
) -> None:
    assert refusal(simnet(*tokens.split())).startswith(said)


# What was meant


@pytest.mark.parametrize(
    "known",
    [SCENARIOS, experiments(), [*OF_SCENARIOS, *OTHERS], [one.name for one in registered([])]],
    ids=["scenarios", "experiments", "commands", "benchmarks"],
)
def test_a_name_with_a_slip_is_taken_for_that_name(known: list[str]) -> None:
    for name in known:
        assert nearest(name.upper(), known) == name
        assert nearest(f"{name}x", known) == name
        if len(name) > 4:
            assert nearest(name[1:], known) is not None
    assert nearest("nothing like it at all", known) is None


@pytest.mark.slow
@for_each(
    "tokens, meant",
    [
        ("runn dpds", "did you mean run?"),
        ("LIST", "did you mean list?"),
        ("--verison", "did you mean --version?"),
        ("privacy dpc", "did you mean dpcs?"),
        ("run DPDS", "did you mean dpds?"),
        ("check dpd", "did you mean dpds?"),
        ("list tsss", "did you mean tss?"),
        ("reproduce fig22", "did you mean fig2?"),
        ("bench ping-pon", "did you mean ping-pong?"),
        ("run dpds --participaton 1", "did you mean --participation?"),
        ("run dpds --set participaton=1", "did you mean participation?"),
        ("run dpds --colum x", "did you mean --column?"),
        ("run local_frequency --mechanism our", "did you mean oue?"),
        ("mechanism piecewis --epsilon 1", "mechanism is oue"),
        ("sweep fig2 --set eplison=1", "did you mean epsilon?"),
    ],
)
def test_what_was_meant_is_said(tokens: str, meant: str) -> None:
    assert meant in refusal(simnet(*tokens.split()))


@for_each("command", [*OF_SCENARIOS, "new", "sweep", "table1", "privacy dpds"])
def test_what_is_missing_is_called_missing(command: str) -> None:
    said = refusal(simnet(*command.split()))
    assert "missing: " in said


def test_a_value_that_is_missing_and_a_word_too_much_are_told_apart() -> None:
    assert refusal(simnet("run", "dpds", "--seed")).startswith("--seed needs a value: ")
    assert refusal(simnet("table1", "--users")).startswith("--users needs a value: ")
    assert refusal(simnet("run", "dpds", "tss")).startswith("run does not take 'tss' here: ")


# `simnet list NAME`, and ways to call the program


@pytest.mark.slow
@for_each("name", SCENARIOS)
def test_a_scenario_is_described(name: str) -> None:
    told = simnet("list", name, "--json", "-").json
    scenario = find(name)[1]
    assert told["summary"] == scenario.summary
    assert [one["name"] for one in told["settings"]] == list(scenario.settings())
    assert len(told["claims"]) == len(scenario.claims)
    assert told["source"]
    shown = simnet("list", name).out
    assert max(map(len, shown.splitlines())) <= 80
    assert all(one["option"] in shown for one in told["settings"])
    assert all(str(claim.corrupt) in words(shown) for claim in scenario.claims)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", long_but(SCENARIOS, *({*SCENARIOS} - {"tss", "tss_prime", "tss_robust"}))
)
def test_its_example_runs(name: str) -> None:
    example = simnet("list", name, "--json", "-").json["example"].split()
    assert example.pop(0) == "simnet"
    assert simnet(*example).status == 0


def test_an_experiment_and_a_file_are_described_too() -> None:
    told = simnet("list", "fig2", "--json", "-").json
    assert (told["kind"], told["source"]) == ("experiment", "Yang et al., Fig. 2")
    assert [one["name"] for one in told["settings"]] == [
        "population",
        "protocol",
        "users",
        "epsilon",
    ]
    assert "--items" in simnet("list", RING).out


def test_list_groups_what_there_is_within_80_columns() -> None:
    shown = simnet("list").out
    assert max(map(len, shown.splitlines())) <= 80
    parts = [part.splitlines() for part in shown.split("\n\n")[:-1]]
    headings = [part[0] for part in parts]
    assert headings[0] == "Scenarios: simnet run NAME"
    assert "Experiments of Yang et al.: simnet reproduce NAME" in headings[1:-1]
    assert headings[-1] == "Experiments of this project: simnet reproduce NAME"
    for heading, *rows in parts:  # only a heading begins at the margin
        assert not heading.startswith(" ")
        assert rows
        assert all(row.startswith("  ") for row in rows)


@pytest.mark.slow
def test_no_option_takes_a_fraction_for_a_whole_number() -> None:
    """Options that commands share are checked like a command's own."""
    tried = set()
    for name, command in {**OF_SCENARIOS, **OTHERS}.items():
        own = App()
        own.default(command)
        arguments = own.assemble_argument_collection()
        needed = [f"{one.name}=1" for one in arguments if one.required and one.name[0] == "-"]
        for argument in arguments:
            if argument.hint not in (int, int | None):
                continue
            line = [name, "dpds", *needed, f"{argument.name}=1.5"]
            with pytest.raises(CycloptsError, match=r"takes a whole number, got 1\.5"):
                build(line).parse_args(line, exit_on_error=False, print_error=False)
            tried.add((name, argument.name))
    assert {("run", "--users"), ("run", "--seed"), ("sweep", "--trials")} <= tried


@pytest.mark.slow
def test_python_runs_the_package_as_a_program() -> None:
    assert simnet("-V").out == simnet("--version").out != ""
    done = process("-V")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_can_complete_commands_and_options(shell: Any) -> None:
    script = build(["--install-completion"]).generate_completion(shell=shell)
    for word in ("exact-view", "at-epsilon", "table1"):
        assert word in script
