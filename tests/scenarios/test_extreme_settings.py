"""Absurd settings of every scenario end in a result or in one clear sentence."""

import hashlib
import itertools

import pytest

from simnet.scenario.find import find, names
from tests.harness.shell import refusal, simnet

EXTREMES = (
    *("0", "-1", "1", "nan", "inf", "-inf", "1e-320", "1e-300", "1e-160", "1e-100", "1e-9"),
    *("0.999999999999", "1e155", "1e308", str(10**12), "9" * 400, "", "x", "1,2", "true"),
)
CASES = [
    (name, setting, value)
    for name in names()
    for setting, value in itertools.product(find(name)[1].settings(), EXTREMES)
    if (setting, value) not in {("users", str(10**12)), ("items", str(10**12))}  # fill the memory
]


def ends_well(name: str, setting: str, value: str) -> None:
    done = simnet("run", name, "--no-claims", f"--{setting.replace('_', '-')}={value}")
    if done.status not in (0, 1):
        assert "Traceback" not in refusal(done)


def one_in(cases: int) -> list[tuple[str, str, str]]:
    """Some cases, the same in every run of the tests."""
    return [
        case
        for case in CASES
        if int(hashlib.sha256("/".join(case).encode()).hexdigest(), 16) % cases == 0
    ]


@pytest.mark.parametrize(
    ("name", "setting", "value"),
    [
        ("local_mean", "high", "1e155"),
        ("sampled_frequency", "sampling", "1e-160"),
        ("sampled_personal", "sampling", "1e-300"),
        ("dpds", "participation", "1e-300"),
        ("committee", "participation", "1e-160"),
    ],
)
def test_a_setting_that_leaves_the_range_of_floats_is_refused(
    name: str, setting: str, value: str
) -> None:
    done = simnet("run", name, "--no-claims", f"--{setting}={value}")
    assert value in refusal(done).replace("e+", "e")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "setting", "value"), one_in(40))
def test_some_extreme_settings_end_well(name: str, setting: str, value: str) -> None:
    ends_well(name, setting, value)


@pytest.mark.long
@pytest.mark.parametrize(("name", "setting", "value"), CASES)
def test_every_extreme_setting_ends_well(name: str, setting: str, value: str) -> None:
    ends_well(name, setting, value)
