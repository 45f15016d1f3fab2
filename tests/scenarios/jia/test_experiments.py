"""The experiments of Jia and Gong: errors have the expected law, and quotes are read either way
that they may be meant.

Seeds are fixed. Intervals of a table hold their expected values together with a probability of 99.9
%.
"""

from math import isclose
from pathlib import Path
from typing import Any

import attrs
import pytest

from scenarios.jia import fig3, fig4, fig7, hitters, trials
from scenarios.jia.fig7 import gain
from scenarios.jia.hitters import melted
from scenarios.jia.people import SIZES, holders
from simnet.errors import BadInput
from simnet.studies.experiment import Experiment
from simnet.studies.remembered import forget as forget_memories
from simnet.studies.table import Table
from tests.harness.data import DATA
from tests.harness.experiments import finding
from tests.harness.tables import outside, table_of, verdicts

SMALL = (100_000, 1000)  # users and items


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every population is small."""
    for population in SIZES:
        monkeypatch.setitem(SIZES, population, SMALL)
    forget_memories()


@pytest.fixture(autouse=True)
def forget() -> Any:
    """Leave no small populations behind."""
    yield
    forget_memories()


def few(experiment: Experiment, count: int, **settings: str) -> Experiment:
    return experiment.with_settings(settings).with_trials(count)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_errors_have_the_expected_law_and_others_do_not() -> None:
    """The benchmark of 1,000 items: OUE, OUE-Zero and Calibrate as by quadrature."""
    table = table_of(few(fig7.EXPERIMENT, 1, population="retail", epsilon="1,4"), "test")
    assert not outside(table)
    known = {1.0: (368_369, 34_433, 26_013), 4.0: (7_702, 4_845, 2_861)}
    for epsilon, errors in known.items():
        for name, error in zip(("oue", "zero", "calibrate"), errors, strict=True):
            assert isclose(table.at(name, epsilon=epsilon).expected or 0, error, rel_tol=2e-3), (
                name,
                epsilon,
            )
    wrong = [{**row, "zero": row["oue"]} for row in table.rows]
    assert len(outside(attrs.evolve(table, rows=wrong))) == 2


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_a_likelihood_that_does_not_fit_is_left_out_and_the_rest_stays() -> None:
    point = {"population": "retail", "epsilon": 0.05, "beta": 0.05}
    found = [trials.errors(point, seed, None) for seed in range(6)]
    assert all({"oue", "zero", "calibrate", "again"} <= set(row) for row in found)
    assert any(
        "fitted" not in row for row in found
    )  # the mean of noise of a deviation of 1,270 may be below 1


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_oue_and_its_zeroed_counts_find_the_same_from_the_threshold_on() -> None:
    experiment = few(hitters.FIG5, 5, cut="0.5,1,2")
    table = table_of(experiment, "test")
    for row in table.rows:
        assert (row["cut"] >= 1) == all(
            row[f"{rate}_oue"] == row[f"{rate}_zero"] for rate in trials.RATES
        )
    found = {what.partition(",")[0]: one for what, one in verdicts(experiment, table).items()}
    alike = next(one for what, one in found.items() if "alike" in what)
    assert finding(alike) == "agrees"
    broken = [{**row, "precision_zero": row["precision_zero"] / 2} for row in table.rows]
    again = verdicts(experiment, attrs.evolve(table, rows=broken))
    assert all(finding(one) != "agrees" for what, one in again.items() if "alike" in what)
    assert len(melted(table).points()) == 3 * len(table.points())
    assert experiment.figure is not None
    assert len(experiment.figure(table).axes) == 3


def test_the_printed_variance_is_a_standard_deviation() -> None:
    """As 29,531,581 is the variance, 5,434 its root; the fitted numbers are likely ones."""
    point: dict[str, Any] = {"population": "all of kosarak", "epsilon": 1.0}
    some = [{**point, "items": 50, "trial": 0, **trials.noise({**point, "items": 50}, 1, None)}]
    experiment = fig4.EXPERIMENT
    predicted, fitted = verdicts(
        experiment, Table(some, experiment.axes, experiment.measures)
    ).values()
    assert finding(predicted) == finding(fitted) == "with correction"
    assert predicted.expected is not None
    assert fitted.chance is not None
    assert isclose(predicted.expected, 5434.297, rel_tol=1e-6)
    assert 0.01 < fitted.chance < 0.5
    wrong = [{**row, "expected_deviation": 5000.0} for row in some]
    predicted, _ = verdicts(experiment, Table(wrong, experiment.axes, experiment.measures)).values()
    assert finding(predicted) == "disagrees"


def test_the_mean_of_the_noise_of_all_items_is_a_likely_one() -> None:
    """As quoted, -3.2 of a deviation of 26.7; and of one of 2,000 it would not be."""
    row: dict[str, Any] = {
        "population": "all of kosarak",
        "epsilon": 1.0,
        "items": fig4.ITEMS,
        "trial": 0,
    }
    for size, verdict in ((26.75, "agrees"), (2000.0, "disagrees")):
        row |= {"offset": 420.0, "expected_offset": size**2, "deviation_offset": 2**0.5 * size**2}
        table = Table([row], fig4.EXPERIMENT.axes, fig4.EXPERIMENT.measures)
        found = verdicts(fig4.EXPERIMENT, table)
        assert finding(next(iter(found.values()))) == verdict


@pytest.mark.usefixtures("small")
def test_noise_has_the_predicted_deviation() -> None:
    table = table_of(few(fig4.EXPERIMENT, 2, epsilon="1", items="500,1000"), "test")
    assert len(table.points()) == 6
    assert not outside(table)
    with pytest.raises(BadInput, match="2 to 1000 items"):
        trials.noise({"population": "retail", "epsilon": 1.0, "items": 1001}, 1, None)


def compared(zero: float, calibrate: float, likelihood: float) -> Table:
    """A table with these errors on Retail at ε = 5."""
    row = {
        "population": "retail",
        "epsilon": 5.0,
        "beta": 0.05,
        "zero": zero,
        "calibrate": calibrate,
        "likelihood": likelihood,
    }
    for name, value in (("zero", zero), ("calibrate", calibrate)):
        row |= {f"expected_{name}": value, f"deviation_{name}": value / 50}
    measures = [one for one in fig7.EXPERIMENT.measures if one.name in row]
    return Table(
        [{**row, "trial": trial} for trial in range(5)], ["population", "epsilon", "beta"], measures
    )


def test_a_gain_may_be_a_share_saved_or_an_excess() -> None:
    quote = gain("retail", 5.0)
    for errors, expected in (
        ((1000, 350, 350), "agrees"),  # 65 % saved
        ((1000, 660, 606), "disagrees"),  # 1000 is 65 % more than 606
        ((1000, 660, 800), "disagrees"),
    ):
        found = quote.judge(compared(*errors))
        assert found is not None
        assert finding(found) == expected


def test_sizes_count_only_where_data_are(tmp_path: Path) -> None:
    made_up = verdicts(fig3.EXPERIMENT, table_of(fig3.EXPERIMENT, "jia_fig3"))
    assert not made_up
    with pytest.raises(BadInput, match="population is one of"):
        holders("brazil", tmp_path)


@pytest.mark.data
def test_sizes_of_the_real_data() -> None:
    found = verdicts(fig3.EXPERIMENT, table_of(fig3.EXPERIMENT, "jia_fig3", DATA))
    assert [finding(one) for one in found.values()] == [
        "agrees",
        "agrees",
        "disagrees",
        "disagrees",
    ]


@pytest.mark.slow
@pytest.mark.data
def test_errors_on_retail_are_those_expected_and_65_per_cent_is_an_excess() -> None:
    experiment = few(fig7.EXPERIMENT, 2, population="retail", epsilon="1,5")
    table = table_of(experiment, "test", DATA)
    assert not outside(table)
    for epsilon, oue, zero, calibrate in (
        (1.0, 3.35e6, 21_200, 21_500),
        (5.0, 2.49e4, 7_480, 4_980),
    ):
        expected = [
            table.at(name, epsilon=epsilon).expected or 0 for name in ("oue", "zero", "calibrate")
        ]
        assert all(
            isclose(a, b, rel_tol=0.02)
            for a, b in zip(expected, (oue, zero, calibrate), strict=True)
        )
    found = verdicts(experiment, table)
    one = next(one for what, one in found.items() if "printed 65" in what)
    assert finding(one) == "with correction"


@pytest.mark.slow
@pytest.mark.data
def test_quick_figure_of_heavy_hitters_on_retail() -> None:
    table = table_of(hitters.FIG9.quickly().with_trials(1), "test", DATA)
    assert all(row["above"] > 30 for row in table.rows)
