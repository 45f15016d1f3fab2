"""Figures of Biswas, Cormode and Maple: the people, and the expected distances."""

from typing import Any

import pytest

from scenarios.biswas import fig3
from scenarios.biswas.people import LAWS, holders
from scenarios.biswas.trials import collected
from tests.harness.experiments import played

REPRODUCED, CORRECTED, NOT = (
    "agrees",
    "with correction",
    "disagrees",
)
RAW = {(1.0, 0.1): 3.372, (2.0, 0.5): 0.423, (4.0, 0.9): 0.0498, (6.0, 0.1): 0.0537}  # by ε and π
NORMALISED = {(1.0, 1.0): 0.471, (2.0, 0.5): 0.261, (6.0, 0.9): 0.011}


def distance(epsilon: float, sampling: float, seed: int) -> Any:
    return collected(
        {
            "law": "binomial",
            "users": 50_000,
            "estimator": "per-report",
            "sampling": sampling,
            "epsilon": epsilon,
        },
        seed,
        None,
    )


@pytest.mark.parametrize("law", LAWS)
def test_all_users_hold_something(law: str) -> None:
    assert holders(law, 50_000).sum() == 50_000
    assert holders(law, 50_000).shape == (101,)


@pytest.mark.parametrize(
    ("name", "wrong"), [("law", "binomial or"), ("estimator", "per-report or")]
)
def test_a_trial_refuses_an_unknown_name(name: str, wrong: str) -> None:
    point = fig3.EXPERIMENT.points()[0]
    with pytest.raises(ValueError, match=f"{name} is {wrong}.*, got 'x'"):
        collected({**point, name: "x"}, 1, None)


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "sampling"), RAW)
def test_raw_distances_are_the_known_ones(epsilon: float, sampling: float) -> None:
    """30 runs, whose distances scatter by less than a tenth: 0.1 / √30 is 1.8 %, and normality is
    off by up to 3 %.
    """
    mean = sum(distance(epsilon, sampling, seed)["raw_tv"] for seed in range(30)) / 30
    assert mean == pytest.approx(RAW[epsilon, sampling], rel=0.08)


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "sampling"), NORMALISED)
def test_normalised_distances_are_the_known_ones(epsilon: float, sampling: float) -> None:
    """The known ones are means of 150 runs, printed with up to 5 % of rounding; these are of 30."""
    mean = sum(distance(epsilon, sampling, seed)["normalised_tv"] for seed in range(30)) / 30
    assert mean == pytest.approx(NORMALISED[epsilon, sampling], rel=0.1)


@pytest.mark.slow
def test_expected_squares_lie_in_their_intervals() -> None:
    table = played(fig3.EXPERIMENT, "biswas_fig3", {"sampling": [0.1, 0.9]}, 5)
    assert all(line["holds"] for line in table.summary())
