"""The experiments of Joy and Gerla: measured values have the exact law, and the verdicts agree with
the list of errata.

Seeds are fixed. Intervals of a table hold their expected values together with a probability of 99.9
%.
"""

from fractions import Fraction
from functools import cache
from math import isclose, log

import attrs
import pytest

from protocols.mechanisms.response import JoyGerla
from protocols.two_rounds.mechanism import TwoRounds, binary
from scenarios.joy import cancer, fig2, fig3
from scenarios.joy import population as growth
from scenarios.joy.claims import advantage
from scenarios.joy.expected import BAR
from scenarios.joy.tiny import mean_counts, ratio_of_sums
from scenarios.joy.trials import BOUND, RESPONSE, Answers, collected, location
from simnet.errors import BadInput
from simnet.studies.experiment import Experiment
from simnet.studies.table import Table
from tests.harness.marks import slow_but
from tests.harness.tables import outside, table_of

WAYS = (
    {name: values[0] for name, values in RESPONSE.items()},
    {"mechanism": "sampling", "sampling": 0.45},
    {"mechanism": "sampling", "sampling": 0.25},
)
DEVIATIONS = {  # by owners and holders, of the three ways
    (286, 29): (4.638, 5.954, 9.327),
    (286, 85): (5.469, 10.193, 15.969),
    (10_000, 29): (24.584, 5.954, 9.327),
    (10_000, 85): (24.754, 10.193, 15.969),
    (1_000_000, 85): (244.975, 10.193, 15.969),
    (1_000_000, 201): (245.011, 15.674, 24.556),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("owners", "yes"), slow_but(DEVIATIONS, *(one for one in DEVIATIONS if one[0] < 10**6))
)
def test_expected_bounds_are_those_of_the_exact_variances(owners: int, yes: int) -> None:
    for way, deviation in zip(WAYS, DEVIATIONS[owners, yes], strict=True):
        assert isclose(
            collected(Answers(**way), owners, yes, 1)["expected_bound"],
            BAR * deviation,
            rel_tol=2e-4,
        )


@pytest.mark.slow
def test_the_error_at_a_location_is_that_among_as_many_owners_as_asked_for() -> None:
    few, many = (
        location({**WAYS[0], "location": "4", "owners": owners}, 1, None)["expected_bound"]
        for owners in (1000, 1_000_000)
    )
    assert isinstance(few, float)
    assert isinstance(many, float)
    assert many > 10 * few


@pytest.mark.parametrize(
    ("experiment", "unknown", "words"),
    [
        (fig2.EXPERIMENT, {"mechanism": "x"}, "mechanism is response or sampling, got 'x'"),
        (fig2.EXPERIMENT, {"location": "5"}, "location is 1 or 2 or 3 or 4, got '5'"),
        (growth.EXPERIMENT, {"rounds": "x"}, "rounds is kept or fresh or round-two, got 'x'"),
        (cancer.figure_of(5, "age", 286), {"group": "x"}, "group is 10-19 or .*, got 'x'"),
        (fig3.EXPERIMENT, {"curve": "x"}, "curve is eq. 29 or .*, got 'x'"),
    ],
)
def test_a_trial_refuses_an_unknown_name(
    experiment: Experiment, unknown: dict[str, str], words: str
) -> None:
    for point in experiment.with_settings(unknown).points():
        if unknown.items() <= point.items():
            with pytest.raises(ValueError, match=words):
                experiment.trial(point, 1, None)


def test_a_collection_from_nobody_is_refused() -> None:
    for mechanism in ("response", "sampling"):
        with pytest.raises(ValueError, match="owners is at least 1, got 0"):
            collected(Answers(mechanism=mechanism), 0, 0, 1)


@cache
def population(rounds: str | None = None) -> Table:
    experiment = growth.EXPERIMENT.with_settings({"owners": "286,10000"}).with_trials(2)
    if rounds is not None:
        experiment = experiment.with_settings({"rounds": rounds})
    return table_of(experiment, "test")


@pytest.mark.long
def test_measured_bounds_have_the_expected_law_and_others_do_not() -> None:
    table = population()
    assert not outside(table)
    wrong = [
        {**row, "bound": row["bound"] * 1.3} for row in table.rows
    ]  # as if rounds of others were noisier
    assert len(outside(attrs.evolve(table, rows=wrong))) > len(table.points()) / 2


def test_the_face_that_four_times_lower_leakage_would_need() -> None:
    """An answer with the face f has the probability f, or f + π_s if it is the truth, so its ε is
    ln(1 + π_s / f).
    """
    sampling, fourth = 0.45, JoyGerla(0.8, 0.2).exact_epsilon / 4
    face = 0.3945
    assert log(1 + sampling / face) <= fourth < log(1 + sampling / (face - 1e-4))


def test_a_few_owners_have_the_mean_counts_and_the_ratio_that_is_known() -> None:
    mechanism = TwoRounds(
        Fraction(9, 20), (Fraction(1, 20), Fraction(1, 5), Fraction(3, 10)), none=True
    )
    for played, known in zip(
        mean_counts(mechanism, [0, 2, 2]), mechanism.expected_counts([0, 2], 1), strict=True
    ):
        assert [float(count) for count in played] == pytest.approx(known)
    assert ratio_of_sums(binary(Fraction(1, 4), Fraction(1, 4)), 2, 3) == 2  # (1/4 + 1/4) / (1/4)


@pytest.mark.parametrize(("x", "users", "words"), [(0, 1000, "never give"), (0.05, 5, "nobody")])
def test_an_answer_that_nobody_gives_has_no_estimate(x: float, users: int, words: str) -> None:
    with pytest.raises(BadInput, match=rf"{words}.* the answer"):
        fig3.EXPERIMENT.trial({"curve": "response", "x": x, "users": users}, 1, None)


def test_bounds_are_the_only_measure_and_know_their_law() -> None:
    assert BOUND.expected is not None
    assert all(
        experiment.measures == [BOUND]
        for experiment in (fig2.EXPERIMENT, cancer.FIG4, cancer.FIG7, growth.EXPERIMENT)
    )


def test_the_advantage_of_round_two_depends_on_the_die() -> None:
    """With r = (1 - π_0) / (1 - π_0 - π_s) the largest gain is (√r - 1) / (√r + 1), above 1/2 for r
    > 9: that is for π_0 > 1 - 9/8 π_s, 0.494 for π_s = 0.45.
    """
    assert advantage(binary(0.3, 0.45)) == pytest.approx(0.2518, abs=5e-5)
    assert advantage(binary(0.493, 0.45)) < 0.5 < advantage(binary(0.4945, 0.45))
    for sampling in (0.01, 0.2, 0.49):
        assert advantage(binary(1 - 1.05 * sampling, sampling)) > 0.5
