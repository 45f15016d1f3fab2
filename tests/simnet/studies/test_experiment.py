"""Experiments: grids, seeds, settings; tables with their intervals; verdicts on claims.

Statistical tests have a stated false-alarm rate; seeds are fixed.
"""

import csv
from math import inf, isfinite, isnan, nan, sqrt
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from simnet.coins.sampled import SampledCoins
from simnet.errors import BadInput
from simnet.scenario.find import find
from simnet.studies.experiment import Experiment, seed_of
from simnet.studies.find import find_experiment
from simnet.studies.paper_claim import Bound, Counterpart, PaperClaim, Verdict
from simnet.studies.readings import quotient
from simnet.studies.table import (
    CONFIDENCE,
    Estimate,
    Measure,
    NoSuchPoint,
    Table,
    estimated,
    gamma_interval,
    write_csv,
    write_parquet,
)
from tests.harness.many_cases import for_each

SQUARE = Measure("square", "squared error", "expected", "deviation")


def experiment(**changed: Any) -> Experiment:
    given: dict[str, Any] = {
        "summary": "s",
        "source": "nobody",
        "trial": lambda *_: {"value": 1.0},
        "grid": [
            {"kind": ["a"], "x": [1, 2, 3], "on": [True]},
            {"kind": ["b"], "x": [1, 2], "y": [0.5, 1.0]},
        ],
        "measures": [Measure("value")],
        "trials": 4,
    }
    return Experiment(**{**given, **changed})


# grids and seeds


def test_a_grid_is_a_union_of_products() -> None:
    points = experiment().points()
    assert points[:3] == [{"kind": "a", "x": x, "on": True} for x in (1, 2, 3)]
    assert points[3:] == [{"kind": "b", "x": x, "y": y} for x in (1, 2) for y in (0.5, 1.0)]
    assert experiment().axes == ("kind", "x", "on", "y")
    assert (
        len(experiment(grid=[{"x": [1, 2]}, {"x": [2, 3]}]).points()) == 3
    )  # a point in both is one


def test_every_trial_has_a_seed_of_its_own_that_only_it_decides() -> None:
    jobs = list(experiment().jobs("e"))
    assert len({job.seed for job in jobs}) == len(jobs) == 28
    fewer = list(experiment(grid=[{"kind": ["b"], "x": [2], "y": [1.0]}], trials=2).jobs("e"))
    assert set(fewer) <= set(jobs)
    assert not set(experiment().jobs("other")) & set(jobs)


def test_seeds_stay_what_they_are() -> None:
    """So that a table is the same again with any version of this module."""
    assert seed_of("e", '{"x":1}', 0) == 7367671462503117537


def test_settings_replace_the_values_of_an_axis_in_its_own_kind() -> None:
    changed = experiment().with_settings({"x": "7, 8", "on": "false", "y": "1"})
    assert changed.grid == [
        {"kind": ["a"], "x": [7, 8], "on": [False]},
        {"kind": ["b"], "x": [7, 8], "y": [1.0]},
    ]
    commas = experiment(grid=[{"kind": ["a, b", "a", "c"]}])
    assert commas.with_settings({"kind": "a, b"}).points() == [{"kind": "a, b"}]
    assert commas.with_settings({"kind": "a,c"}).points() == [{"kind": "a"}, {"kind": "c"}]
    only = experiment().with_settings({"kind": "b", "y": "1"})
    assert only.points() == [{"kind": "b", "x": x, "y": 1.0} for x in (1, 2)]
    for texts, words in (
        ({"z": "1"}, "no parameter is called 'z': this experiment has kind, x, on, y"),
        ({"x": "many"}, "x=many is not a whole number, such as 1"),
        ({"x": "1,"}, "x= is not a whole number"),
        ({"on": "perhaps"}, "on takes true or false, got 'perhaps'"),
    ):
        with pytest.raises(BadInput, match=words):
            experiment().with_settings(texts)
    apart = experiment(grid=[{"kind": ["a"], "x": [1]}, {"kind": ["b"], "x": [2]}])
    assert len(apart.with_settings({"kind": "b", "x": "2"}).points()) == 1
    with pytest.raises(BadInput, match="this experiment has no trial with kind=b and x=1"):
        apart.with_settings({"kind": "b", "x": "1"})
    with pytest.raises(BadInput, match="the number of trials is at least 1, got trials=0"):
        experiment().with_trials(0)
    assert experiment().with_trials(None).trials == 4


def test_a_quick_run_is_a_part_of_the_full_one() -> None:
    full = experiment(quick={"x": [2], "kind": ["b"]}, quick_trials=2)
    quick = full.quickly()
    assert [point["x"] for point in quick.points()] == [2, 2]
    assert set(quick.jobs("e")) < set(full.jobs("e"))


def test_what_is_quick_alone_stands_in_place_of_the_grids() -> None:
    quick = experiment(quick={"x": [77]}).quickly()
    assert {point["x"] for point in quick.points()} == {77}
    assert experiment(quick={"x": []}).quickly().points() == []


# tables


def rows(
    count: int, expected: float = 2.0, spread: float = 0.5, seed: int = 1, **point: Any
) -> list[dict[str, Any]]:
    """Squared errors: means of chi-squares with 2 / spread² degrees of freedom, times what is
    expected.
    """
    degrees = round(2 / spread**2)
    drawn = SampledCoins(seed, "u1").normal(count * degrees).plain.reshape(count, degrees)
    squares = expected * (drawn**2).mean(axis=1)
    return [
        {
            **point,
            "trial": trial,
            "seed": trial,
            "square": float(one),
            "expected": expected,
            "deviation": expected * spread,
            "people": "made up",
        }
        for trial, one in enumerate(squares)
    ]


def table(*, synthetic: bool = False) -> Table:
    made = [row for x in (1, 2) for row in rows(20, expected=2.0 / x, seed=x, x=x)]
    return Table(made, ("x",), [SQUARE], synthetic)


def test_a_point_has_a_mean_an_interval_and_what_is_expected() -> None:
    found = table().at("square", x=2)
    assert found.expected == 1.0
    assert found.spread == pytest.approx(0.5)
    assert found.trials == 20
    assert found.low < found.mean < found.high
    assert found.holds
    with pytest.raises(NoSuchPoint, match="no point"):
        table().at("square", x=3)
    with pytest.raises(NoSuchPoint, match="2 points"):
        table().at("square")
    with pytest.raises(NoSuchPoint, match="no point with 'circle' at x = 1 was run"):
        table().at("circle", x=1)


def test_the_interval_of_a_squared_error_is_that_of_a_variance() -> None:
    """With 20 means of 8 squares there are 160 degrees of freedom."""
    low, high = gamma_interval(1.0, 0.5, 20, 0.01)
    assert low == pytest.approx(160 / chi2.ppf(0.995, 160))
    assert high == pytest.approx(160 / chi2.ppf(0.005, 160))
    assert gamma_interval(3.0, 0.0, 20, 0.01) == (3.0, 3.0)
    assert (
        gamma_interval(3.0, 50.0, 1, 0.01)[1] > 1e30
    )  # one trial of a wild number says next to nothing


@pytest.mark.parametrize("degrees", [1, 3, 12])
def test_intervals_hold_as_often_as_they_say(degrees: int) -> None:
    """4,000 tables; the number of failures is within 5 deviations of 200 (false alarm 6e-7)."""
    drawn = SampledCoins(degrees, "u1").normal(4000 * 5 * degrees).plain.reshape(4000, 5, degrees)
    means = (drawn**2).mean(axis=(1, 2))
    found = [gamma_interval(float(mean), sqrt(2 / degrees), 5, 0.05) for mean in means]
    failed = sum(not low <= 1.0 <= high for low, high in found)
    assert abs(failed - 200) < 5 * sqrt(4000 * 0.05 * 0.95)


def test_an_interval_without_a_known_deviation_is_students() -> None:
    """False alarm 1e-4 a seed; the width is that of the t law with two degrees of freedom."""
    values = [{"value": value} for value in (1.0, 2.0, 4.5)]
    found = estimated(values, Measure("value"), 0.05)
    assert found.high - found.mean == pytest.approx(
        4.302653 * np.std([1, 2, 4.5], ddof=1) / sqrt(3), rel=1e-6
    )
    alone = estimated(values[:1], Measure("value"), 0.05)
    assert (alone.mean, alone.low, alone.high, alone.holds) == (1.0, -inf, inf, True)
    assert isnan(alone.spread)
    assert estimated(values[:1], Measure("value"), 0.05, exact=True) == Estimate(
        1.0, 1.0, 1.0, None, 0.0, 1, exact=True
    )
    thrice = estimated(
        [{"value": 0.1}] * 3, Measure("value"), 0.05, exact=True
    )  # whose mean rounds to another
    assert thrice.low == thrice.mean == thrice.high == 0.1
    unknown = [
        {"value": one["value"], "spread": nan} for one in values
    ]  # as of errors whose law nobody knows
    assert estimated(unknown, Measure("value", expected=None, deviation="spread"), 0.05) == found


@for_each("expected", [None, 0.0, -1.0, nan])
def test_a_deviation_without_a_mean_gives_no_relative_deviation(expected: float | None) -> None:
    """The interval was the mean itself, without width, or had no numbers as its ends."""
    rows = [{"value": value, "law": expected, "spread": 1.0} for value in (1.0, 2.0, 4.5)]
    measure = Measure("value", expected=None if expected is None else "law", deviation="spread")
    plain = estimated([{"value": row["value"]} for row in rows], Measure("value"), 0.05)
    found = estimated(rows, measure, 0.05)
    assert (found.low, found.high, found.spread) == (plain.low, plain.high, plain.spread)
    assert (found.expected is None) == (expected is None or isnan(expected))


def test_a_point_without_the_number_does_not_count() -> None:
    rows = [{"a": 1, "y": 2.0}, {"a": 2, "z": 1.0}, {"a": 3, "z": 1.0}]
    table = Table(rows, ["a"], [Measure("y")])
    assert table.at("y").mean == 2.0
    with pytest.raises(NoSuchPoint, match="2 points, not one, with 'z' at any place were run"):
        table.at("z")
    with pytest.raises(NoSuchPoint, match="no point with 'y' at a = 2 was run"):
        table.at("y", a=2)


def test_an_expected_value_that_is_not_known_lies_outside_no_interval() -> None:
    """Such as the mean squared error of estimates that were scaled to add up to 1."""
    rows = [{"value": value, "law": nan, "spread": nan} for value in (1.0, 2.0, 4.5)]
    assert estimated(rows, Measure("value", expected="law", deviation="spread"), 0.05).holds


@for_each(
    "low, high, bound, share, runs",
    [
        (0.9, 1.1, "", False, "confirm"),
        (0.5, 1.5, "", False, "undecided"),  # too wide to confirm a number
        (1.5, 2.0, "", False, "contradict"),
        (-inf, inf, "", False, "undecided"),
        (0.5, 1.5, "at least", False, "undecided"),
        (1.0, 1.5, "at least", False, "confirm"),
        (0.5, 0.9, "at least", False, "contradict"),
        (0.5, 1.5, "at most", False, "undecided"),
        (0.5, 1.0, "at most", False, "confirm"),
        (1.1, 1.5, "at most", False, "contradict"),
        (0.5, 1.0, "", True, "undecided"),
        (1.0, 1.0, "", True, "confirm"),
        (0.0, 0.9, "", True, "contradict"),
    ],
)
def test_the_measured_interval_confirms_contradicts_or_decides_nothing(
    low: float, high: float, bound: Bound, share: bool, runs: str
) -> None:
    middle = (low + high) / 2 if isfinite(low) else 1.0
    found = Counterpart(None, middle, low, high, share=share)
    assert found.by_runs(1.0, 0.0, bound) == runs
    assert found.by_law(1.0, 0.0, bound) == ("none", None)
    assert Counterpart(None).by_runs(1.0, 0.0, bound) == "none"
    assert Counterpart(1.0, spread=nan).by_law(1.0, 0.0, bound) == ("none", None)


def test_the_scatter_of_the_papers_own_runs_counts() -> None:
    """A mean of few runs may lie outside our narrow interval for the true mean."""
    found = Counterpart(None, 1.0, 0.98, 1.02, spread=0.1)
    assert found.by_runs(1.2, 0.0, "") == "confirm"
    assert found.by_runs(0.8, 0.0, "") == "confirm"
    assert found.by_runs(1.5, 0.0, "") == found.by_runs(0.5, 0.0, "") == "contradict"


def test_a_wrong_expectation_is_noticed_and_a_right_one_is_not() -> None:
    right = Table(rows(20, x=1), ("x",), [SQUARE])
    wrong = Table(
        [{**row, "expected": 6.0, "deviation": 3.0} for row in right.rows], ("x",), [SQUARE]
    )
    assert [line["holds"] for line in right.summary()] == [True]
    assert [line["holds"] for line in wrong.summary()] == [False]


def test_intervals_widen_with_the_number_of_points() -> None:
    alone = Table(rows(20, x=1), ("x",), [SQUARE]).summary()[0]
    among = Table([row for x in range(50) for row in rows(20, x=x)], ("x",), [SQUARE]).summary()[0]
    assert among["low"] < alone["low"] < alone["mean"] < alone["high"] < among["high"]
    low, high = gamma_interval(among["mean"], 0.5, 20, (1 - CONFIDENCE) / 50)
    assert (among["low"], among["high"]) == (pytest.approx(low), pytest.approx(high))


def test_files_hold_every_row(tmp_path: Path) -> None:
    import pyarrow.parquet

    mixed = [{"x": 1, "y": None, "z": "a"}, {"x": 2.5, "z": 3, "w": True}]
    write_csv(mixed, tmp_path / "t.csv")
    with (tmp_path / "t.csv").open() as file:
        assert list(csv.DictReader(file)) == [
            {"x": "1", "y": "", "z": "a", "w": ""},
            {"x": "2.5", "y": "", "z": "3", "w": "True"},
        ]
    write_parquet(mixed, tmp_path / "t.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "t.parquet").to_pylist() == [
        {"x": 1.0, "y": None, "z": "a", "w": None},
        {"x": 2.5, "y": None, "z": "3", "w": True},
    ]
    for write in (write_csv, write_parquet):
        with pytest.raises(BadInput, match="cannot be written"):
            write(mixed, tmp_path / "no" / "t")
    for value in (10**30, "\udc80"):
        with pytest.raises(BadInput, match="cannot be written as Parquet"):
            write_parquet([{"x": value}], tmp_path / "t.parquet")


ODD = st.sampled_from([0.0, -1.0, nan, inf, -inf, 1e308, -1e308, 5e-324, 1e200, 3, 2**62])


@given(
    st.lists(st.fixed_dictionaries({"a": ODD, "e": ODD, "d": ODD}), min_size=2, max_size=5),
    st.sampled_from([("e", "d"), ("e", None), (None, None), (None, "d")]),
)
def test_numbers_of_any_size_have_a_summary_and_a_verdict(
    numbers: list[dict[str, float]], known: tuple[str | None, str | None]
) -> None:
    """NaN and infinity too, where sums overflow and quotients do not exist."""
    rows = [{"x": place % 2, **one} for place, one in enumerate(numbers)]
    odd = Table(rows, ["x"], [Measure("a", "", *known)])
    for line in odd.summary():
        assert all(isinstance(line[name], float) for name in ("mean", "low", "high"))
    ratio = PaperClaim(
        *("a", "nobody", "q", "1"),
        runs=lambda table: quotient(table.at("a", x=0), table.at("a", x=1)),
    )
    assert ratio.of_table(odd).verdict in get_args(Verdict)


# claims


def test_a_simulated_number_agrees_if_it_is_not_too_unlikely() -> None:
    """The mean of 20 runs of relative deviation 0.5 has one of 0.11."""
    found = Estimate(1.1, 0.9, 1.3, 1.0, 0.5, 100)
    told = Counterpart.of(found, 20)
    for printed, agrees in ((1.0, True), (1.25, True), (0.8, True), (1.4, False), (0.7, False)):
        assert (told.by_law(printed, 0.0005, "")[0] == "agrees") == agrees
    assert (told.expected, told.measured, told.low, told.high) == (1.0, 1.1, 0.9, 1.3)
    chance = told.by_law(1.25, 0.0005, "")[1]
    assert chance == pytest.approx(2 * chi2.sf(2 * 80 * 1.2495, 160), rel=1e-6)


@given(st.floats(0.01, 100), st.floats(0.01, 0.5))
def test_what_is_expected_is_never_unlikely(expected: float, spread: float) -> None:
    agrees, likely = Counterpart(expected, spread=spread).by_law(expected, 0.0, "")
    assert agrees == "agrees"
    assert likely is not None
    assert likely > 0.8
    far = expected * (1 + 10 * spread)
    differs, unlikely = Counterpart(expected, spread=spread).by_law(far, 0.0, "")
    assert differs == "disagrees"
    assert unlikely is not None
    assert unlikely < 1e-3
    assert Counterpart(expected).by_law(inf, 0.0, "at most") == ("agrees", None)


# finding


def test_experiments_and_scenarios_are_told_apart() -> None:
    assert find_experiment("fig2")[0] == "fig2"
    with pytest.raises(BadInput, match="fig2 is an experiment: run it with simnet reproduce fig2"):
        find("fig2")
    with pytest.raises(
        BadInput, match=r"no experiment is called 'dpds': the names are .*fig1, fig2"
    ):
        find_experiment("dpds")


def test_a_file_without_an_experiment_is_refused(tmp_path: Path) -> None:
    (tmp_path / "none.py").write_text("X = 1\n")
    with pytest.raises(BadInput, match="defines no EXPERIMENT of type simnet"):
        find_experiment(str(tmp_path / "none.py"))


def test_a_few_trials_that_agree_by_chance_have_no_interval() -> None:
    """Two collections may both find all items; that is no proof that every collection does."""
    measure = Measure("precision")
    same = [{"precision": 1.0}] * 5
    few, enough = estimated(same[:4], measure, 0.001), estimated(same, measure, 0.001)
    assert (few.low, few.high) == (-inf, inf)
    assert Counterpart.of(few).by_runs(1.0, 0.0, "") == "undecided"
    assert (enough.low, enough.high) == (1, 1)
    exact = estimated(same[:2], measure, 0.001, exact=True)
    assert (exact.low, exact.high) == (1, 1)
