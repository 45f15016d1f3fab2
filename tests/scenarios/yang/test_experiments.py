"""The figures and tables of Yang et al.: the people and the expected errors."""

import gzip
from math import exp, expm1, log, sqrt
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from scipy.special import ndtr

from scenarios.yang.people import CELLS, FILES, STAND_IN, drawn, drawn_with_least
from scenarios.yang.table2 import BUDGETS, ERRORS, WEIGHTS, law
from scenarios.yang.trials import SETTINGS
from simnet.errors import BadInput
from simnet.studies.report import table_of
from simnet.studies.store import Store
from simnet.studies.sweep import Study
from simnet.studies.table import Table
from tests.harness.data import DATA
from tests.harness.marks import long_but
from tests.harness.sweeping import swept

# The errors of Table II for which the error of drawing the people changes the answer.
TURNED_BY_DRAWING = {
    *(("uniform", "vwa", setting) for setting in ("s1", "s2", "s4")),
    *(
        (population, "uwa", setting)
        for population in ("uniform", "normal")
        for setting in ("s2", "s4")
    ),
}


def small(name: str, trials: int = 1, quick: bool = True, **settings: str) -> Study:
    """A study with few trials."""
    found = Study.of(name)
    experiment = found.experiment.quickly() if quick else found.experiment
    return attrs.evolve(found, experiment=experiment.with_settings(settings).with_trials(trials))


def table(study: Study, path: Path) -> Table:
    assert swept(study, path).failed == 0
    with Store(path) as store:
        return table_of(study, store)


# people


@pytest.mark.parametrize("population", ["gowalla", "census", "synthetic", "normal"])
def test_people_without_data_are_made_up_and_labelled(population: str) -> None:
    people = drawn(population, 500, None, 1)
    assert len(people.inputs) == 500
    assert "synthetic" in people.source
    assert np.array_equal(people.inputs, drawn(population, 500, None, 1).inputs)
    assert not np.array_equal(people.inputs, drawn(population, 500, None, 2).inputs)


@pytest.mark.parametrize(
    ("name", "changed", "words"),
    [
        ("fig1", {"protocol": "secagg"}, "protocol is dpds or dpdg, got 'secagg'"),
        ("fig3", {"law": "AS"}, "law is US, got 'AS'"),
        ("fig3", {"epsilon_star": 1.0}, "law is AS, got 'US'"),
        ("yang_fig1_delta", {"protocol": "secagg"}, "protocol is dpds or dpdg, got 'secagg'"),
        ("yang_fig1_delta", {"protocol": "dpdg", "level": "no"}, r"level is by \(2\) or exact"),
        ("table1", {"protocol": "dpdg"}, "protocol is dpds or tss, got 'dpdg'"),
    ],
)
def test_a_trial_refuses_what_it_would_not_do(
    name: str, changed: dict[str, Any], words: str
) -> None:
    experiment = Study.of(name).experiment
    with pytest.raises(ValueError, match=words):
        experiment.trial({**experiment.points()[0], **changed}, 1, None)


def test_people_of_an_unknown_population_are_refused() -> None:
    with pytest.raises(BadInput, match="population is one of gowalla, census, synthetic"):
        drawn("martians", 10, None, 1)


def test_normal_people_have_the_normal_law() -> None:
    """Half of 20,000 hold an item up to 15, within 5 deviations; 68 % one within one deviation
    (6e-7 each).
    """
    held = drawn("normal", 20_000, None, 1).inputs
    assert held.min() >= 1
    assert held.max() <= 30
    assert abs(np.mean(held <= 15) - 0.5) < 5 * 0.5 / sqrt(20_000)
    inside = np.mean((held >= 12) & (held <= 19))  # -1.0667 to 1.0667
    assert abs(inside - 0.71390) < 5 * sqrt(0.2 / 20_000)


@pytest.mark.slow
@pytest.mark.data(*FILES)
def test_people_of_real_data_are_those_of_the_choices() -> None:
    gowalla, census = drawn("gowalla", 1000, DATA, 1), drawn("census", 1000, DATA, 1)
    assert gowalla.labels == CELLS
    assert abs(gowalla.frequencies[0] - 0.625) < 5 * 0.48 / sqrt(1000)  # the data's README; 6e-7
    assert len(gowalla.labels) == STAND_IN["gowalla"]
    assert len(census.labels) == STAND_IN["census"]
    assert "gowalla_cells.csv.gz" in gowalla.source
    assert "census_income.csv.gz" in census.source
    assert all((DATA / name).is_file() for name in FILES)


@pytest.mark.slow
@pytest.mark.data(*FILES)
@pytest.mark.parametrize("name", ["fig2", "fig4"])
def test_experiments_run_on_real_data(name: str, tmp_path: Path) -> None:
    study = attrs.evolve(small(name, users="200"), data=DATA)
    people = {row["people"] for row in table(study, tmp_path / "s").rows}
    assert all("cell' of gowalla_cells.csv.gz, drawn from its 8,569 users" in one for one in people)


def test_every_item_of_a_sample_occurs_as_often_as_beta_says() -> None:
    people = drawn_with_least("synthetic", 400, None, 1, 0.025)
    assert len(people.inputs) == 400
    assert people.support.min() >= 10
    assert np.array_equal(people.inputs, drawn_with_least("synthetic", 400, None, 1, 0.025).inputs)
    with pytest.raises(
        BadInput, match=r"each of the 30 items has at least 20 of 400 users, which would be 600"
    ):
        drawn_with_least("synthetic", 400, None, 1, 0.05)


def test_no_more_users_are_drawn_than_the_data_have(tmp_path: Path) -> None:
    rows = "\n".join(CELLS * 3)
    (tmp_path / "gowalla_cells.csv.gz").write_bytes(gzip.compress(f"cell\n{rows}\n".encode()))
    assert len(drawn_with_least("gowalla", 36, tmp_path, 1, 1 / 12).inputs) == 36
    with pytest.raises(BadInput, match=r"up to 36 users can be drawn from .*, got 37"):
        drawn_with_least("gowalla", 37, tmp_path, 1, 1 / 37)


@pytest.mark.data(*FILES)
def test_every_item_of_a_sample_of_real_data_occurs_as_often_as_beta_says() -> None:
    people = drawn_with_least("gowalla", 1000, DATA, 1, 0.01)
    assert len(people.inputs) == 1000
    assert people.support.min() >= 10
    with pytest.raises(BadInput, match=r"item .* has .* in the data, and 50 are needed"):
        drawn_with_least("gowalla", 1000, DATA, 1, 0.05)


# what is expected of the points


@pytest.mark.slow
def test_what_is_expected_is_what_the_paper_derives(tmp_path: Path) -> None:
    """Lemma 3.1, Theorem 3.5 and section 3.2, written out here; 40 users, one trial."""
    for row in table(small("fig2", users="40"), tmp_path / "2").rows:
        assert row["expected_squared_l2"] == pytest.approx(1 / (40 * expm1(row["epsilon"])))
        assert row["mse"] == pytest.approx(row["squared_l2"] / 12)
    for row in table(small("fig1", users="40", protocol="dpdg"), tmp_path / "1").rows:
        if row["protocol"] == "dpdg":
            gaussian = 12 * 4 * log(1.25 / row["delta"]) / (40 * row["epsilon"]) ** 2
            assert row["expected_squared_l2"] == pytest.approx(
                gaussian, rel=1e-3
            )  # rounding adds a little
    for row in table(small("fig3", users="40"), tmp_path / "3").rows:
        weight = exp(row.get("epsilon_star", 0.0))
        inside = 5 / 12 * weight / (5 / 12 * weight + 7 / 12)
        chance = row["participation"] * inside
        assert row["expected_squared_l2"] == pytest.approx((1 - chance) / (40 * chance))


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS)
def test_weights_and_errors_of_groups_are_those_of_section_3_2(
    tmp_path: Path, setting: str
) -> None:
    budgets = [float(text) for text in setting.split("/")]
    unit = [1 / expm1(epsilon) for epsilon in budgets]
    expected = {
        "vwa": 1 / sum(10 / one for one in unit),
        "owa": 1 / sum(10 / one for one in unit),
        "uwa": sum(10 * one for one in unit) / 1600,
        "cpa": unit[0] / 40,
    }
    study = small("table2", quick=False, population="uniform", budgets=setting, users="40")
    for row in table(study, tmp_path / "s").rows:
        assert row["expected_squared_l2"] == pytest.approx(expected[row["method"]], rel=1e-6)
        if row["method"] in ("vwa", "owa"):
            best = np.array([1 / one for one in unit])
            assert [row[f"w{place}"] for place in range(1, 5)] == pytest.approx(
                best / best.sum(), rel=1e-4
            )


# verdicts


# figures and the rest


@pytest.mark.slow
@pytest.mark.parametrize("name", long_but(["fig1", "fig3", "fig4", "fig5"], "fig1"))
def test_a_figure_has_a_panel_a_population_and_says_what_is_made_up(
    name: str, tmp_path: Path
) -> None:
    study = small(
        name, users="40", **({} if name == "fig5" else {"population": "gowalla,synthetic"})
    )
    drawn: Any = table(study, tmp_path / "s")
    figure = study.experiment.figure(drawn) if study.experiment.figure else None
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    if name == "fig5":
        assert titles == ["GRR", "OUE", "Duchi et al.", "PM"]
    else:
        assert titles == ["Gowalla: synthetic stand-in", "Synthetic"]
        assert "Made-up people stand in for real data." in figure.get_supxlabel()


@pytest.mark.long
@pytest.mark.parametrize("name", ["fig1", "fig2", "fig3", "fig4"])
def test_expected_errors_are_inside_their_intervals_at_every_point(
    name: str, tmp_path: Path
) -> None:
    """All points, 3 trials each, on 500 users at most; false alarm 1e-3 a figure."""
    settings = {"users": "200,300,400,500"} if name == "fig2" else {"users": "300"}
    found = table(small(name, trials=3, quick=False, **settings), tmp_path / "s").summary()
    assert len(found) > 30
    assert all(line["holds"] for line in found)


@pytest.mark.parametrize(
    ("population", "file", "header", "row"),
    [("gowalla", FILES[0], "cell", "99"), ("census", FILES[1], "wage_per_hour", "a lot")],
)
def test_a_cell_of_the_data_that_cannot_be_is_named(
    population: str, file: str, header: str, row: str, tmp_path: Path
) -> None:
    (tmp_path / file).write_bytes(gzip.compress(f"{header}\n0\n{row}\n".encode()))
    with pytest.raises(
        BadInput,
        match=f"row 2 of column '{header}' of {file} has '{row}', where a whole number from 0",
    ):
        drawn(population, 1, tmp_path, 1)


@pytest.mark.long
@pytest.mark.parametrize("population", ["uniform", "normal"])
@pytest.mark.parametrize("method", ["vwa", "uwa"])
@pytest.mark.parametrize("setting", BUDGETS)
def test_some_verdicts_of_table_2_depend_on_the_chance_of_drawing_the_people(
    population: str, method: str, setting: str
) -> None:
    """We draw 2,000 times what the paper measured, the mean error of 20 runs, with people that are
    drawn anew in each run: the error of the noise alone, and the error from the law of the people.
    """
    coins, means = np.random.default_rng(1), 2000
    cuts = ndtr(np.linspace(-4, 4, 31))
    shares = np.full(30, 1 / 30)
    if population == "normal":
        shares = np.diff(cuts) / (cuts[-1] - cuts[0])
    weights = map(float, WEIGHTS[setting]) if method == "vwa" else [1 / 4] * 4
    with_drawing, noise = -shares, np.zeros(30)
    for weight, budget in zip(weights, BUDGETS[setting].split("/"), strict=True):
        chance = -expm1(-float(budget))
        holders = coins.multinomial(250, shares, size=(means, 20))
        estimate = coins.binomial(holders, chance) / chance
        noise = noise + weight * (estimate - holders) / 250
        with_drawing = with_drawing + weight * estimate / 250

    printed = ERRORS[population, method][list(WEIGHTS).index(setting)]
    expected = {"noise": noise, "drawn": with_drawing}
    for words, error in expected.items() if population == "normal" else ():
        found = law(method, setting, drawn=words == "drawn")
        if method == "uwa" or words == "noise":
            assert (error**2).sum(axis=-1).mean() == pytest.approx(found, rel=0.02)

    def may_be(error: Any) -> bool:
        drawn_means = (error**2).sum(axis=-1).mean(axis=-1)
        above = float(np.mean(drawn_means >= float(printed)))
        return 2 * min(above, 1 - above) > 0.01

    turned = (population, method, setting) in TURNED_BY_DRAWING
    assert (may_be(noise) != may_be(with_drawing)) == turned
