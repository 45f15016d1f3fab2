"""The option `--set name=value`: which values it accepts and refuses, and which values reach the
protocol; and the option `--network` in the command on a page.
"""

from typing import Any

import pytest

from simnet.cli.asked import network_option
from simnet.cli.options import settings_of
from simnet.errors import BadInput
from simnet.scenario.scenario import Scenario
from tests.harness.many_cases import for_each

DEFAULTS = {"participation": 0.5, "depth": 3, "mode": "fast", "verify": True}
SCENARIO = Scenario(
    summary="test", protocol=dict, parameters=DEFAULTS, users=10, items=4
)  # a dict "protocol" shows what it was given


def after(*given: str) -> dict[str, Any]:
    """The settings of the scenario after `--set` options."""
    return SCENARIO.with_settings(settings_of(given)).settings()


def refusal(*given: str) -> str:
    with pytest.raises(BadInput) as caught:
        after(*given)
    text = str(caught.value)
    assert text.splitlines() == [text], "an error is one line"
    return text


def test_without_options_the_defaults_stand() -> None:
    assert settings_of(None) == {}
    assert after() == {"users": 10, "items": 4, **DEFAULTS}


@pytest.mark.parametrize(
    ("given", "name", "value"),
    [
        ("participation=0.2", "participation", 0.2),
        ("participation=1", "participation", 1.0),
        ("participation=1e-3", "participation", 0.001),
        ("depth=-7", "depth", -7),
        ("users=3", "users", 3),
        ("items=5", "items", 5),
        ("mode=slow", "mode", "slow"),
        ("mode=a=b=c", "mode", "a=b=c"),
        ("mode=", "mode", ""),
        ("  depth =  8 ", "depth", 8),
        (" mode = two words\t", "mode", "two words"),
    ],
)
def test_a_setting_takes_the_type_of_its_default(given: str, name: str, value: Any) -> None:
    settings = after(given)
    assert settings[name] == value
    assert type(settings[name]) is type(value)
    assert settings == {**after(), name: value}


@pytest.mark.parametrize(
    ("text", "value"),
    [("True", True), ("true", True), ("1", True), ("False", False), ("false", False), ("0", False)],
)
def test_a_switch_can_be_turned_off(text: str, value: bool) -> None:
    assert after(f"verify={text}")["verify"] is value


def test_a_setting_given_twice_is_refused() -> None:
    with pytest.raises(BadInput, match="depth is given twice: 1 and 2"):
        after("depth=1", "mode=x", "depth=2")


def test_settings_leave_the_scenario_as_it_was() -> None:
    after("depth=9", "users=3")
    assert (SCENARIO.settings()["depth"], SCENARIO.users) == (3, 10)


@pytest.mark.parametrize("name", ["nonsense", "Depth", "", "summary", "protocol"])
def test_an_unknown_name_lists_the_known_ones(name: str) -> None:
    text = refusal(f"{name}=1")
    meant = " (did you mean depth?)" if name == "Depth" else ""
    assert text == (
        f"no setting is called {name!r}{meant}: this scenario has users, items, participation, "
        f"depth, mode, verify"
    )


@for_each("value", ["", "many", "3.5", "1e3", "3 4", "0x10", "nan"])
@for_each("name", ["users", "items", "depth"])
def test_what_is_no_whole_number_is_refused(name: str, value: str) -> None:
    assert refusal(f"{name}={value}").startswith(f"{name}={value} is not a whole number, such as ")


@pytest.mark.parametrize("value", ["", "half", "1/2", "0,5", "50%"])
def test_what_is_no_number_is_refused(value: str) -> None:
    assert (
        refusal(f"participation={value}") == f"participation={value} is not a number, such as 0.5"
    )


def test_what_is_no_switch_is_refused() -> None:
    assert refusal("verify=perhaps") == "verify takes true or false, got 'perhaps'"


@pytest.mark.parametrize("text", ["depth", "depth 3", "", "--depth"])
def test_an_option_without_an_equals_sign_is_refused(text: str) -> None:
    assert refusal(text) == f"--set takes name=value, got {text!r}"


def test_a_default_of_none_is_no_reason_for_a_traceback() -> None:
    optional = Scenario(summary="test", protocol=dict, parameters={"limit": None})
    try:
        optional.with_settings({"limit": "3"})
    except BadInput as error:
        assert "limit" in str(error)  # noqa: PT017  # to take the value is as good


def test_the_protocol_is_given_users_items_and_settings() -> None:
    scenario = SCENARIO.with_settings({"depth": "5", "users": "99"})
    assert scenario.build(7, 2) == {"users": 7, "items": 2, **DEFAULTS, "depth": 5}


@pytest.mark.parametrize("error", [ValueError, TypeError])
def test_parameters_that_the_protocol_refuses_are_bad_input(error: type[Exception]) -> None:
    def picky(**given: Any) -> None:
        raise error(f"depth is even, got {given['depth']}")

    with pytest.raises(BadInput, match="depth is even, got 3") as caught:
        Scenario(summary="test", protocol=picky, parameters=DEFAULTS).build(10, 4)
    assert isinstance(caught.value.__cause__, error)


@pytest.mark.parametrize("file", ["office.toml", "office"])
def test_a_page_names_the_file_of_a_network_without_its_folders(file: str) -> None:
    assert network_option(f"clients/acme/{file}") == ["--network", file]
    assert network_option("mobile") == ["--network", "mobile"]
