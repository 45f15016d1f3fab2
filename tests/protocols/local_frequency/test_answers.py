"""Yes-or-no answers on the kernel: Warner's and Joy and Gerla's mechanisms, where users who are
left out stay silent.
"""

import json
from math import sqrt
from typing import Any

import numpy as np
import pytest

from protocols.catalogue import about
from protocols.local_frequency.script import local_frequency
from protocols.reports.accuracy import squared_l2_deviation
from simnet import run
from simnet.cli.main import main
from simnet.exhaustive.compare import Comparison
from simnet.record.ledger import Traffic
from simnet.stated.bill import measured
from tests.harness.laws import SEATINGS, output_law

SETTINGS: dict[str, dict[str, Any]] = {
    "warner": {"epsilon": 0.7},
    "joy-gerla": {"truthful": 0.5, "yes": 0.25},
    "joy-gerla, sampled": {"truthful": 0.5, "yes": 0.75, "sampling": 0.5},
}
every_setting = pytest.mark.parametrize("name", SETTINGS)


def collected(name: str, users: int, seating: str = "actors") -> Any:
    mechanism = name.partition(",")[0]
    return local_frequency(
        users=users, items=2, mechanism=mechanism, population=seating, **SETTINGS[name]
    )


@pytest.mark.slow
@every_setting
def test_one_law_unbiased_however_users_are_seated(name: str) -> None:
    held = [1, 2, 1] if "sampled" not in name else [1, 1]
    protocol, support = collected(name, len(held)), np.bincount(held, minlength=3)[1:]
    laws: list[Any] = [
        output_law(collected(name, len(held), seating), held) for seating in SEATINGS
    ]
    assert laws[0] == laws[1] == laws[2]
    chances, estimates = np.array([float(one) for one in laws[0].values()]), np.array(list(laws[0]))
    np.testing.assert_allclose(chances @ estimates, support / len(held), atol=1e-10)
    errors = np.sum((estimates - support / len(held)) ** 2, axis=1)
    assessed = about(protocol).assess(run(protocol, held), support)
    assert assessed.expected_squared_l2 == pytest.approx(chances @ errors, rel=1e-9)
    spread = sqrt(chances @ errors**2 - (chances @ errors) ** 2)
    assert squared_l2_deviation(protocol.mechanism, support) == pytest.approx(spread, rel=1e-7)
    assert assessed.low[1] == pytest.approx(1 - assessed.high[0])


@every_setting
@pytest.mark.parametrize("seating", SEATINGS)
def test_silent_users_send_nothing(name: str, seating: str) -> None:
    protocol = collected(name, 60, seating)
    done = run(protocol, np.arange(60) % 2 + 1, 4)
    sent = done.ledger.by("role", "sent").get("user", Traffic()).messages
    assert sent == 60 if "sampled" not in name else 15 < sent < 45  # a false alarm in 20,000 seeds
    rows = [
        measured("", row, done.ledger, 60 if row.role == "user" else 1)
        for row in about(protocol).expected_bill(done)
    ]
    assert all(row.holds for row in rows)
    assert not done.ledger.unread()


@every_setting
def test_the_servers_view_has_the_epsilon_that_is_stated(name: str) -> None:
    protocol = collected(name, 2)
    stated, exact = (
        about(protocol).disclosure(["report"]),
        Comparison(protocol, "server").worst([1, 2]).largest_epsilon,
    )
    assert stated.epsilon == pytest.approx(exact, rel=1e-12)
    assert stated.tier == "proved"
    assert protocol.epsilon == pytest.approx(exact, rel=1e-12)
    assert (
        Comparison(protocol, "network").compare([1, 2], [2, 2]).same
    )  # who is silent depends on no value


@pytest.mark.parametrize(
    ("given", "what"),
    [
        (
            {"mechanism": "warner", "items": 3},
            "warner is for questions with two answers, .* it needs 2 items, got 3",
        ),
        (
            {"mechanism": "joy-gerla", "truthful": 0.5},
            "yes is missing: joy-gerla takes truthful, yes, sampling",
        ),
        (
            {"mechanism": "joy-gerla", "truthful": 0.5, "yes": 0.5, "epsilon": 1.0},
            "epsilon does not belong here: joy-gerla takes truthful, yes, sampling",
        ),
        ({"mechanism": "oue", "yes": 0.5}, "yes does not belong here: oue takes epsilon, items"),
        ({"mechanism": "warner", "epsilon": 0.0}, "epsilon is positive"),
    ],
)
def test_settings_of_another_mechanism_are_refused(given: dict[str, Any], what: str) -> None:
    with pytest.raises(ValueError, match=what):
        local_frequency(**{"users": 3, "items": 2, **given})


@every_setting
def test_the_command_collects_answers(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    settings = [f"{key}={value}" for key, value in SETTINGS[name].items()]
    settings += [f"mechanism={name.partition(',')[0]}", "items=2", "users=20000"]
    with pytest.raises(SystemExit) as left:
        main(
            [
                "run",
                "local_frequency",
                *(text for one in settings for text in ("--set", one)),
                "--json",
                "-",
            ]
        )
    found = json.loads(capsys.readouterr().out)
    assert left.value.code == 0
    assert (
        abs(found["squared_l2"] - found["expected_squared_l2"]) < 8 * found["deviation_squared_l2"]
    )
    assert found["privacy"]["epsilon"] == pytest.approx(collected(name, 2).mechanism.exact_epsilon)
