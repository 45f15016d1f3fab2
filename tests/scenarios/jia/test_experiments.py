"""The experiments of Jia and Gong: errors have the expected law, and each quote is judged under
every reading of the text.

Seeds are fixed. Intervals of a table hold their expected values together with a probability of 99.9
%.
"""

from math import isclose
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from scipy.stats import binom

from protocols.mechanisms.unary import OUE
from scenarios.jia import fig3, fig4, fig7, hitters, laws, noise, paired, theorem2, trials
from scenarios.jia.hitters import melted
from scenarios.jia.people import SIZES, holders
from simnet.errors import BadInput
from simnet.studies.experiment import Experiment
from simnet.studies.quote import Ruling
from simnet.studies.remembered import forget as forget_memories
from simnet.studies.table import NoSuchPoint, Table
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


def judged(experiment: Experiment, table: Table) -> dict[tuple[str, str], Ruling]:
    """The verdicts by what they are about and how the text is read."""
    found = [quote.judge(table) for quote in experiment.quotes]
    return {(one.what, one.under): one for one in found if one.verdict != "not run"}


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_errors_have_the_expected_law_and_others_do_not() -> None:
    """The benchmark of 1,000 items: OUE, OUE-Zero and Calibrate as by quadrature."""
    table = table_of(few(fig7.EXPERIMENT, 1, population="retail", epsilon="1,4"), "test")
    assert not outside(table)
    known = {1.0: (368_369, 34_433, 26_013), 4.0: (7_702, 4_845, 2_861)}
    for epsilon, errors in known.items():
        for name, error in zip(("oue", "zero", "known"), errors, strict=True):
            assert isclose(table.at(name, epsilon=epsilon).expected or 0, error, rel_tol=2e-3), (
                name,
                epsilon,
            )
    wrong = [{**row, "zero": row["oue"]} for row in table.rows]
    assert len(outside(attrs.evolve(table, rows=wrong))) == 2


@pytest.mark.long
@pytest.mark.usefixtures("small")
def test_the_law_of_a_fitted_prior_is_that_of_the_runs() -> None:
    """At ε = 0.5 the mean of the estimates is uncertain; the law averages over it.

    40 collections; the mean within five standard errors: a false alarm in 1e-6.
    """
    point = {"population": "retail", "epsilon": 0.5, "beta": 0.05}
    rows = [trials.errors(point, seed, None) for seed in range(40)]
    for name in ("calibrate", "again", "infinite", "ideal"):
        found = np.array([float(row[name]) for row in rows if name in row])
        expected = float(rows[0][f"expected_{name}"])
        assert abs(found.mean() - expected) < 5 * found.std(ddof=1) / len(found) ** 0.5, name


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_a_prior_that_does_not_fit_is_left_out_and_the_rest_stays() -> None:
    point = {"population": "retail", "epsilon": 0.05, "beta": 0.05}
    found = [trials.errors(point, seed, None) for seed in range(6)]
    assert all({"oue", "zero", "known", "ideal"} <= set(row) for row in found)
    assert any(
        "calibrate" not in row and "again" not in row for row in found
    )  # the mean of noise of a deviation of 1,270 may be below 1


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_oue_and_its_zeroed_counts_find_the_same_from_the_threshold_on() -> None:
    """The threshold of the small population at ε = 4 is 339."""
    experiment = few(hitters.FIG5, 5, cut="150,300,400,600")
    table = table_of(experiment, "test")
    for row in table.rows:
        assert row["threshold"] == pytest.approx(339.22, abs=0.01)
        assert (row["cut"] >= 339.22) == all(
            row[f"{rate}_oue"] == row[f"{rate}_zero"] for rate in trials.RATES
        )
    same = "when the threshold is larger than the significance threshold"
    found = next(one for what, one in verdicts(experiment, table).items() if same in what)
    assert (found.law, found.runs) == ("agrees", "confirm")
    assert found.points.startswith("cut 400.0, 600.0; the significance threshold is")
    rises, lower = hitters.precision_of_zero(table), hitters.recall_of_zero_and_oue(table)
    assert (rises.expected, rises.holds, lower.expected, lower.holds) == (1, True, 1, True)
    calibrated = hitters.lower_recall(hitters.by_cut(table), "cut")
    assert (calibrated.expected, calibrated.holds) == (1, True)
    unknown = {0.0: [{**row, "lowered": 0} for row in table.rows]}
    assert hitters.lower_recall(unknown, "cut").expected is None
    missed = hitters.counts_of_zero(table, "missed_zero", "right_zero")
    assert (missed.expected, missed.holds) == (1, True)
    recall = hitters.recall_of_zero(table)
    assert (recall.expected, recall.holds) == (1, True)
    alike = [{**row, "above": 7} for row in table.rows]  # no items between the two cuts
    assert hitters.precision_of_zero(attrs.evolve(table, rows=alike)).expected == 0
    assert hitters.recall_of_zero(attrs.evolve(table, rows=alike)).expected == 0
    none = [{**row, "above": 7 * (row["cut"] < 200)} for row in table.rows]  # recall 0 at 300
    assert hitters.recall_of_zero(attrs.evolve(table, rows=none)).expected == 0
    broken = [{**row, "precision_zero": row["precision_zero"] / 2} for row in table.rows]
    again = verdicts(experiment, attrs.evolve(table, rows=broken))
    assert next(one for what, one in again.items() if same in what).runs == "contradict"
    assert len(melted(table).points()) == 3 * len(table.points())
    assert experiment.figure is not None
    assert len(experiment.figure(table).axes) == 3


def test_the_printed_variance_is_a_standard_deviation() -> None:
    """As 29,531,581 is the variance, 5,434 its root; the law needs no run."""
    experiment = fig4.EXPERIMENT
    predicted, fitted = verdicts(
        experiment, Table([], experiment.axes, experiment.measures)
    ).values()
    assert finding(predicted) == finding(fitted) == "with correction"
    assert predicted.expected is not None
    assert fitted.chance is not None
    assert isclose(predicted.expected, 5434.297, rel_tol=1e-6)
    assert 0.01 < fitted.chance < 0.5


def test_the_mean_of_the_noise_of_all_items_is_a_likely_one() -> None:
    """As quoted, -3.2 of a deviation of 26.7; and of one of 2,000 it would not be."""
    row: dict[str, Any] = {**fig4.WHOLE, "trial": 0, "variance": 1.0}
    row |= {"expected_variance": 1.0, "deviation_variance": 0.1}
    for size, verdict in ((26.75, "agrees"), (2000.0, "disagrees")):
        row |= {"offset": 420.0, "expected_offset": size**2, "deviation_offset": 2**0.5 * size**2}
        table = Table([row], fig4.EXPERIMENT.axes, fig4.EXPERIMENT.measures)
        found = verdicts(fig4.EXPERIMENT, table)
        assert finding(next(iter(found.values()))) == verdict


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_noise_has_the_predicted_law_and_only_unary_noise_is_a_gaussian() -> None:
    """k-RR on 1,000 items is on a lattice with few steps a deviation; OUE and RAPPOR are not."""
    table = table_of(few(fig4.EXPERIMENT, 6, population="retail"), "test")
    assert not outside(table)
    found = judged(fig4.EXPERIMENT, attrs.evolve(table, words={"Gaussian": 0.005}))
    shape = {
        what.partition(" by ")[2].partition(" on ")[0]: one
        for (what, under), one in found.items()
        if under.startswith("its distribution function")
    }
    assert [shape[name].law for name in ("OUE", "basic RAPPOR", "k-RR")] == [
        "agrees",
        "agrees",
        "disagrees",
    ]
    for part in table.points().values():
        distance, arm = noise.pooled_distance(part.rows)
        row = part.rows[0]
        assert abs(distance - row["expected_distance"]) < arm
        assert max(row["expected_distance"], row["mixture_distance"]) <= row["most_distance"]
    with pytest.raises(BadInput, match="mechanism is one of oue"):
        noise.noise({"population": "retail", "mechanism": "warner", "epsilon": 1.0}, 1, None)


@pytest.mark.parametrize(("users", "holders_"), [(50, 20), (50, 0), (300, 299), (4, 1)])
def test_the_law_of_noise_is_that_of_two_binomials(users: int, holders_: int) -> None:
    p, q = 0.5, 0.2
    chances = np.convolve(
        binom.pmf(np.arange(holders_ + 1), holders_, p),
        binom.pmf(np.arange(users - holders_ + 1), users - holders_, q),
    )
    numbers = (np.arange(users + 1) - users * q) / (p - q) - holders_
    law = noise.NoiseLaw.of(p, q, users, holders_)
    np.testing.assert_allclose(law.below(numbers), np.cumsum(chances), atol=1e-12)
    assert law.below(numbers[:1] - 1e-6) == 0
    deviation = (holders_ * p * (1 - p) + (users - holders_) * q * (1 - q)) ** 0.5 / (p - q)
    gaussian, cumulated = noise.normal(numbers / deviation), np.cumsum(chances)
    off = max(np.abs(cumulated - gaussian).max(), np.abs(cumulated - chances - gaussian).max())
    assert law.distance(deviation) == pytest.approx(off, abs=1e-12)


def test_a_threshold_raises_as_many_false_alarms_as_binomials_do() -> None:
    mechanism = OUE(1.0, 20)
    q = mechanism.support_chances[1]
    above = binom.sf(40, 100, q)  # 41 reports and more
    threshold = (40.5 - 100 * q) / (0.5 - q)
    found = noise.false_alarm(mechanism, 100, 20, threshold)
    assert found == pytest.approx(1 - (1 - above) ** 20, rel=1e-9)


@pytest.mark.usefixtures("small")
def test_eq_14_lacks_a_term_except_for_symmetric_reports() -> None:
    """The top item of the small population: 13,360 holders, and 4,600 more by Eq. 14 at ε = 5."""
    experiment = few(laws.EQ14, 10, population="retail", epsilon="5")
    table = table_of(experiment, "test")
    assert not outside(table)
    names = ("OUE", "basic RAPPOR", "k-RR")
    for change, laws_ in (
        (0.1, ["with correction", "agrees", "with correction"]),
        (1e3, ["agrees"] * 3),
    ):
        found = judged(experiment, attrs.evolve(table, words={"approximately": change}))
        columns = {
            (name, under): one.law
            for (what, under), one in found.items()
            for name in names
            if "variance" in what and name in what
        }
        assert [columns[name, laws.APPROXIMATELY] for name in names] == laws_
        exactly = [law for (_, under), law in columns.items() if under != laws.APPROXIMATELY]
        assert exactly == ["with correction", "agrees", "with correction"]


def test_no_calibrator_beats_the_posterior_mean_under_the_true_prior() -> None:
    point: dict[str, Any] = {"prior": "power-law", "largest": 100, "deviation": 5.0}
    row = {**point, **theorem2.risk(point, 1, None)}
    table = Table([row], list(point), theorem2.EXPERIMENT.measures, exact=True)
    assert theorem2.optimal(table).expected == 1
    assert theorem2.optimal(table).judged_at == "1 triple of prior, largest count and deviation"
    assert theorem2.optimal(attrs.evolve(table, rows=[{**row, "excess": -0.1}])).expected == 0
    with pytest.raises(BadInput, match="the prior must be one of power-law"):
        theorem2.risk({**point, "prior": "beta"}, 1, None)
    with pytest.raises(BadInput, match="largest must be at least 1, got 0"):
        theorem2.risk({**point, "largest": 0}, 1, None)
    sources = [quote.source for quote in theorem2.EXPERIMENT.quotes]
    assert sum("Lemma 3" in source for source in sources) == 1
    assert sum("Theorem 2" in source for source in sources) == 3


def compared(zero: float, calibrate: float, likelihood: float) -> Table:
    """A table with about these errors on Retail at ε = 5, which rise and fall together."""
    point = {"population": "retail", "epsilon": 5.0, "beta": 0.05}
    errors = {"zero": zero, "calibrate": calibrate, "likelihood": likelihood}
    known: dict[str, float] = {}
    for name, value in (("zero", zero), ("calibrate", calibrate)):
        known |= {f"expected_{name}": value, f"deviation_{name}": value / 50}
    rows = []
    for trial in range(6):
        scale = 1 + (trial - 2.5) / 10
        own = 1 + (trial % 2 - 0.5) / 100  # what a method's error has for itself
        shaken = {
            name: value * scale * (own if name == "zero" else 1) for name, value in errors.items()
        }
        rows.append({**point, **known, **shaken, "trial": trial})
    measures = [one for one in fig7.EXPERIMENT.measures if one.name in errors]
    return Table(rows, list(point), measures)


def test_a_gain_may_be_a_share_saved_or_an_excess() -> None:
    """A share of 65 % saved is an error of 0.35 times; an excess of 65 % is one of 1.65 times."""
    for errors, laws_, runs in (
        ((1000, 350, 350), ("agrees", "disagrees"), ("confirm", "contradict")),
        ((1000, 606, 606), ("disagrees", "agrees"), ("contradict", "confirm")),
        ((1000, 800, 606), ("disagrees", "disagrees"), ("contradict", "confirm")),
    ):
        found = [quote.judge(compared(*errors)) for quote in fig7.gains("retail", 5.0)]
        assert tuple(one.law for one in found[:2]) == laws_
        assert tuple(one.runs for one in found[2:]) == runs


def test_methods_are_compared_on_the_same_collections() -> None:
    """Errors scatter by a fifth between collections, but the gain by a hundredth only.

    Intervals of the two means would overlap; the pairs decide.
    """
    table = compared(1000, 950, 950)
    rows = table.rows
    found = paired.less({5.0: rows}, "calibrate", "zero")
    assert (found.expected, found.low, found.high) == (1.0, 1.0, 1.0)
    assert table.at("calibrate").high > table.at("zero").low
    few_trials = paired.less({5.0: rows[:3]}, "calibrate", "zero")
    assert (few_trials.low, few_trials.high) == (0.0, 1.0)
    gain = paired.ratio(rows, "calibrate", "zero")
    assert gain.expected == 0.95
    assert (gain.low or 0) < 0.95 < (gain.high or 0) < 1


def test_two_comparisons_hold_at_a_place_only_if_both_do() -> None:
    """At ε = 5 Calibrate errs less, but not by half: the place does not count as half a place."""
    table = compared(1000, 950, 950)
    pairs = [("calibrate", "zero", 1.0), ("calibrate", "zero", 0.5)]
    found = paired.all_less({5.0: table.rows}, pairs)
    assert (found.expected, found.measured, found.low, found.high) == (0.0, 0.0, 0.0, 0.0)
    first = paired.all_less({5.0: table.rows}, pairs[:1])
    assert (first.expected, first.measured) == (1.0, 1.0)
    with pytest.raises(NoSuchPoint, match="no trial has"):
        paired.all_less({5.0: table.rows}, [("calibrate", "nothing", 1.0)])


def test_sizes_count_only_where_data_are(tmp_path: Path) -> None:
    made_up = verdicts(fig3.EXPERIMENT, table_of(fig3.EXPERIMENT, "jia_fig3"))
    assert not made_up
    with pytest.raises(BadInput, match="population is one of"):
        holders("brazil", tmp_path)


@pytest.mark.data
def test_sizes_of_the_real_data() -> None:
    found = verdicts(fig3.EXPERIMENT, table_of(fig3.EXPERIMENT, "jia_fig3", DATA))
    assert [finding(one) for one in found.values()] == ["agrees", "agrees"]  # Retail's


@pytest.mark.long
@pytest.mark.data
def test_errors_on_retail_are_those_expected_and_65_per_cent_is_an_excess() -> None:
    experiment = few(fig7.EXPERIMENT, 2, population="retail", epsilon="1,5")
    table = table_of(experiment, "test", DATA)
    assert not outside(table)
    for epsilon, oue, zero, known in (
        (1.0, 3.35e6, 21_200, 21_500),
        (5.0, 2.49e4, 7_480, 4_980),
    ):
        expected = [
            table.at(name, epsilon=epsilon).expected or 0 for name in ("oue", "zero", "known")
        ]
        assert all(
            isclose(a, b, rel_tol=0.02) for a, b in zip(expected, (oue, zero, known), strict=True)
        )
    saved, excess, *_, likeliest = (quote.judge(table) for quote in fig7.gains("retail", 5.0))
    assert saved.law == excess.law == "disagrees"
    assert likeliest.measured == pytest.approx(1.65, abs=0.05)


@pytest.mark.slow
@pytest.mark.data
def test_quick_figure_of_heavy_hitters_on_retail() -> None:
    table = table_of(hitters.FIG9.quickly().with_trials(1), "test", DATA)
    assert len(table.values("epsilon")) == 3
    assert all(row["above"] > 0 for row in table.rows)
