"""Figures and theorems of Biswas, Cormode and Maple: the expected values, and the verdicts on the
quotes.
"""

from typing import Any

import attrs
import pytest

from protocols.mechanisms.grr import GRR
from protocols.sampled_frequency.estimators import direct
from protocols.sampled_frequency.sampling_design import SamplingDesign
from scenarios.biswas import estimators, fig3, histograms, theorems
from scenarios.biswas.people import LAWS, holders
from scenarios.biswas.trials import collected
from tests.harness.experiments import finding, played, the, verdicts
from tests.harness.tables import table_of

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


def test_expected_squares_lie_in_their_intervals() -> None:
    table = played(fig3.EXPERIMENT, "biswas_fig3", {"sampling": [0.1, 0.9]}, 5)
    assert all(line["holds"] for line in table.summary())


def test_formulas_as_printed_are_those_of_the_text() -> None:
    few = (estimators.FEW, 0.4)
    assert estimators.printed_variance_g(*few) == pytest.approx(22.5276, abs=1e-4)
    assert estimators.printed_variance_c_hat(*few) == pytest.approx(26.0598, abs=1e-4)
    assert estimators.order_of(estimators.normalised_by_reports) == pytest.approx(3, abs=1e-5)


@pytest.mark.slow
def test_verdicts_on_theorems() -> None:
    experiment = theorems.EXPERIMENT
    table = played(experiment, "biswas_theorems", {}, 4)
    assert all(line["holds"] for line in table.summary())
    found = verdicts(experiment, table)
    biased = the(found, "Eq. 4, last", "π = 0.1")
    assert finding(biased) == REPRODUCED
    assert biased.expected == pytest.approx(-25_789, abs=1)
    assert the(found, "Eq. 4, last", "π = 0.9").expected == pytest.approx(690, abs=1)
    assert the(found, "Theorem 3.2, proof", "2 of 4").expected == pytest.approx(24.0276, abs=1e-4)
    assert the(found, "Theorem 3.5, proof").expected == pytest.approx(18.5036, abs=1e-4)
    assert the(found, "Theorem 3.6", "mean of c", "Eq. 4").expected == pytest.approx(
        -522.8, abs=0.1
    )
    assert the(found, "6, iii", "add up to the").expected == pytest.approx(53.50 / 48.42, abs=2e-4)
    assert the(found, "5.1, proof", "fixed").expected == pytest.approx(16.874, abs=1e-3)
    findings = {what: finding(one) for what, one in found.items()}
    wrong = {
        "small sampling probability": 1,
        "Definition 3.1": 1,
        "Theorem 3.5:": 3,
        "sampled users, as in Eq. 4": 2,
        "largest π_j": 1,
        "6, iii": 2,
    }
    failed = [what for what, one in findings.items() if one == NOT]
    assert len(failed) == sum(wrong.values())
    for words, times in wrong.items():
        assert sum(words in what for what in failed) == times, words
    corrected = [what for what, one in findings.items() if one == CORRECTED]
    mended = ["Definition 2.3", "third line", "limit of c", "sentence before", "proof:"]
    assert all(any(words in what for words in mended) for what in corrected)
    assert len(corrected) == 9
    assert set(findings.values()) == {REPRODUCED, CORRECTED, NOT}


def test_a_row_is_judged_only_at_the_sampling_probability_that_it_names() -> None:
    """The rows on four users name π = 0.4, and those of Fig. 1 and 2 name π = 0.1 and 0.9."""
    few = theorems.EXPERIMENT.with_settings({"case": estimators.FEW, "sampling": "0.5"})
    table = table_of(few.with_trials(2), "biswas_theorems")
    assert table.rows
    named = [
        one
        for one in few.quotes
        if one.what.endswith("2 of 4 users hold the item, 3 items, ε = 1, π = 0.4")
    ]
    assert {one.judge(table).verdict for one in named} == {"not run"}
    assert len(named) == 3
    other = histograms.FIG1.with_settings({"sampling": "0.2,0.5", "users": "1000"})
    table = table_of(other.with_trials(2), "biswas_fig1")
    assert table.rows
    (closer,) = (one for one in other.quotes if "closer" in one.what)
    assert closer.judge(table).verdict == "not run"


def test_t_is_biased_where_chances_go_with_values() -> None:
    found: Any = estimators.estimated({"case": estimators.OWN, "estimator": "T"}, 1, None)
    assert found["expected_estimate"] == pytest.approx(3.4)
    assert found["expected_variance"] == pytest.approx(16.874, abs=1e-3)
    other: Any = estimators.estimated(
        {"case": estimators.OWN, "estimator": "Horvitz-Thompson"}, 1, None
    )
    assert other["expected_estimate"] == pytest.approx(2)
    assert other["expected_variance"] == pytest.approx(23.599, abs=1e-3)


@pytest.mark.parametrize("name", ["g", "ĉ"])
def test_every_way_to_report_gives_the_exact_variance_and_the_corrected_formula(name: str) -> None:
    known = estimators.sample(estimators.FEW, 0.4)
    mean, variance = estimators.played(estimators.FEW, name, 0.4)
    assert mean == pytest.approx(0.5)
    assert variance == pytest.approx(estimators.SHARED[name](known).variance(0.5))
    formula = {"g": estimators.corrected_variance_g, "ĉ": estimators.corrected_variance_c_hat}[name]
    assert 16 * variance == pytest.approx(formula(estimators.FEW, 0.4))


@pytest.mark.slow
def test_a_correction_that_is_wrong_is_found_wrong() -> None:
    experiment = theorems.EXPERIMENT
    table = played(experiment, "biswas_theorems", {"case": [estimators.FEW]}, 2)
    rows = [{**row, "expected_variance": row["expected_variance"] * 1.01} for row in table.rows]
    found = verdicts(experiment, attrs.evolve(table, rows=rows))
    assert (
        finding(the(found, "Theorem 3.2, proof", "2 of 4"))
        == finding(the(found, "Theorem 3.5, proof"))
        == NOT
    )
    pictured = played(histograms.FIG1, "biswas_fig1", {"epsilon": [6.0], "sampling": [0.9]})
    fewer = attrs.evolve(pictured, rows=[{**row, "values": 99} for row in pictured.rows])
    assert finding(the(verdicts(histograms.FIG1, fewer), "size of the domain")) == NOT


def test_small_probabilities_make_the_mean_of_c_negative() -> None:
    """At every point of the grid up to the named probability, and not one step further."""

    def everywhere(pi: float) -> bool:
        return all(
            direct(SamplingDesign(GRR(epsilon, items), theorems.USERS, pi)).mean(f) < 0
            for epsilon in theorems.EPSILONS
            for items in theorems.SIZES
            for f in theorems.SHARES
        )

    assert everywhere(theorems.NEGATIVE_UP_TO)
    assert not everywhere(theorems.NEGATIVE_UP_TO + 0.001)


@pytest.mark.slow
def test_figures_and_their_verdicts() -> None:
    shown = played(
        fig3.EXPERIMENT,
        "biswas_fig3",
        {"sampling": [0.1, 0.5, 0.9, 1.0], "epsilon": [1.0, 4.0]},
        3,
    )
    found = verdicts(fig3.EXPERIMENT, shown)
    assert finding(the(found, "it is proportional to n π")) == REPRODUCED
    for words in ("falls at every step", "smaller at π", "does not decrease significantly"):
        assert finding(the(found, words, "raw")) == REPRODUCED
    by_difference = the(found, "drastic", "clipped")
    assert "no number for a drastic difference" in by_difference.note
    judged = verdicts(
        fig3.EXPERIMENT, attrs.evolve(shown, words={fig3.ABSOLUTE: 0.3, fig3.RELATIVE: 2.0})
    )
    assert finding(the(judged, "drastic", "clipped")) == REPRODUCED
    assert finding(the(judged, "drastic", "raw")) == NOT
    assert len(fig3.trade_off(shown).axes) == 4
    pictured = played(histograms.FIG1, "biswas_fig1", {"epsilon": [6.0]})
    assert len(histograms.histograms(pictured).axes) == 2
    found = verdicts(histograms.FIG1, pictured)
    assert finding(the(found, "size of the domain")) == CORRECTED
    assert finding(the(found, "closer")) == REPRODUCED
    assert histograms.FIG2.figure is histograms.histograms
