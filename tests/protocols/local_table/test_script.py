"""Whole tables: reports arrive as they were sent, errors meet their exact expectations, and
sampling columns gives smaller errors than splitting the budget.

Statistical tests have a false-alarm rate of 1e-6 or less each; seeds are fixed.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.catalogue import about
from protocols.local_table.script import TableCollection, local_table
from protocols.mechanisms.attributes import Attributes, Estimates, Reports
from protocols.mechanisms.split import JOINT, SINGLE, Split
from protocols.mechanisms.tuples import INNER, Tuples, optimal_k
from simnet import run
from simnet.coins.sampled import SampledCoins
from simnet.errors import BadInput
from simnet.scenario.columns import Column, read_columns
from simnet.scenario.from_columns import table_of_columns
from simnet.scenario.population import TablePopulation
from simnet.scenario.schema import Categorical, Numeric, Schema
from simnet.scenario.synthetic import uniform_table
from tests.harness.data import DATA
from tests.harness.fuzz import cases
from tests.harness.many_cases import for_each
from tests.harness.marks import slow_but
from tests.harness.shell import Result, refusal, simnet

METHODS = (*INNER, *JOINT, *SINGLE)
methods = for_each("method", METHODS)
SCHEMA = Schema(
    (Numeric("age", 20, 60), Numeric("pay", -5, 5)),
    (Categorical("sex", ("f", "m")), Categorical("dish", ("a", "b", "c"))),
)
ROWS = np.array(
    [[20, 1.5, 1, 3], [60, -5, 2, 3], [33, 5, 2, 1], [41, 0, 2, 2], [50, 2, 1, 3]], dtype=float
)


def mechanism_of(method: str, epsilon: float, attributes: Attributes, k: int) -> Tuples | Split:
    if method in INNER:
        return Tuples(epsilon, attributes, method, k)
    return Split(epsilon, attributes, method)


# on the wire


@given(
    st.sampled_from(METHODS),
    st.integers(0, 3),
    st.lists(st.integers(2, 5), max_size=3),
    st.integers(0, 9),
    st.data(),
)
def test_reports_arrive_as_they_were_made(
    method: str, numeric: int, domains: list[int], users: int, data: st.DataObject
) -> None:
    if not numeric + len(domains):
        return
    attributes = Attributes(numeric, domains)
    mechanism = mechanism_of(method, 2.0, attributes, data.draw(st.integers(1, attributes.count)))
    numbers = np.linspace(-1, 1, users * numeric).reshape(users, numeric)
    items = np.array([[1 + user % size for size in domains] for user in range(users)], int).reshape(
        users, len(domains)
    )
    made = mechanism.perturb(numbers, items, SampledCoins(data.draw(st.integers(0, 99)), "u1"))
    came = mechanism.received(mechanism.payload(made))
    np.testing.assert_array_equal(came.reported, made.reported)
    np.testing.assert_array_equal(came.numbers, made.numbers)
    assert came.users == users
    for one, other in zip(came.encodings, made.encodings, strict=True):
        np.testing.assert_array_equal(one, other)


@methods
def test_users_alone_and_as_a_crowd_cost_the_same_and_as_expected(method: str) -> None:
    ledgers = []
    for population in ("actors", "crowd"):
        protocol = local_table(users=5, schema=SCHEMA, method=method, population=population)
        done = run(protocol, ROWS, seed=3)
        for entry in about(protocol).expected_bill(done):
            if entry.quantity != "rounds":
                elements: Any = done.ledger.by("role", entry.direction)[entry.role].elements
                assert elements[entry.quantity] == entry.exact * (
                    5 if entry.scope == "per-user" else 1
                )
        ledgers.append((done.ledger.total(), done.ledger.by("tag", "received")))
        assert not done.ledger.unread()
        assert done.outputs["server"].shape == (7,)
    assert ledgers[0] == ledgers[1]


def test_a_report_takes_as_many_bytes_as_its_slots() -> None:
    """k = 2 of 4 columns: two indices of 2 bits, two reals, two times the 3 bits of the largest
    domain.
    """
    protocol = local_table(users=5, schema=SCHEMA, k=2, epsilon=4.0)
    total = run(protocol, ROWS, seed=3).ledger.total()
    assert (total.messages, total.payload_bytes) == (5, 5 * -(-(2 * 2 + 2 * 64 + 2 * 3) // 8))


# errors


@pytest.mark.slow
@methods
def test_mean_and_error_of_the_estimates_meet_their_expectations(method: str) -> None:
    """400 runs; |z| < 5.5 for every mean and for the error of every estimate: false alarm about
    4e-8 each.
    """
    rows, runs = np.tile(ROWS, (8, 1)), 400
    protocol = local_table(users=40, schema=SCHEMA, method=method, epsilon=3.0)
    people = TablePopulation(rows, SCHEMA, "")
    done = run(protocol, rows, seed=0)
    assessed = about(protocol).assess(done, people.totals)
    assert assessed.truth == pytest.approx([*rows.mean(axis=0)[:2], 0.4, 0.6, 0.2, 0.2, 0.6])
    drawn = []
    for seed in range(runs):
        reports = protocol.mechanism.perturb(*protocol.scaled(rows), SampledCoins(seed, "u1"))
        drawn.append(protocol.unscaled(protocol.mechanism.estimate(reports)))
    errors = np.array(drawn) - assessed.truth
    assert (abs(errors.mean(axis=0)) < 5.5 * errors.std(axis=0) / np.sqrt(runs)).all()
    squares = errors**2
    assert (
        abs(squares.mean(axis=0) - assessed.variance) < 5.5 * squares.std(axis=0) / np.sqrt(runs)
    ).all()
    assert assessed.expected_squared_l2 == pytest.approx(
        (assessed.variance / protocol.units**2).sum()
    )
    whole = (squares / protocol.units**2).sum(axis=1)
    assert whole.std() == pytest.approx(
        assessed.deviation_squared_l2, rel=0.25
    )  # nearly normal and uncorrelated


@pytest.mark.long
@pytest.mark.parametrize("method", slow_but(["hm", "duchi"], "hm"))
def test_intervals_cover_at_their_rate(method: str) -> None:
    """1,400 intervals at 95 %; those of means are by the worst variance and cover more often.

    Within 6 deviations.
    """
    people = uniform_table(1000, SCHEMA, 1)
    protocol, covered = (
        local_table(users=1000, schema=SCHEMA, method=method, epsilon=2.0),
        np.zeros(7),
    )
    for seed in range(200):
        assessed = about(protocol).assess(run(protocol, people.inputs, seed), people.totals)
        covered += (assessed.low <= assessed.truth) & (assessed.truth <= assessed.high)
    slack = 6 * np.sqrt(200 * 0.05 * 0.95)
    assert (covered >= 200 * 0.95 - slack).all()
    assert (covered[2:] <= 200 * 0.95 + slack).all()


def test_shares_that_are_not_debiased_are_caught() -> None:
    """The counterpart of the test above: the paper's formula for frequencies, d / (k n) times the
    count of bits.
    """

    class Undebiased(Tuples):
        def estimate(self, reports: Reports) -> Estimates:
            found = super().estimate(reports)
            counts = [bits.sum(axis=0) * self.rate / reports.users for bits in reports.encodings]
            return Estimates(found.means, tuple(counts))

    people, attributes = uniform_table(2000, SCHEMA, 1), Attributes(2, (2, 3))
    for kind, right in ((Tuples, True), (Undebiased, False)):
        protocol = TableCollection(2000, SCHEMA, kind(2.0, attributes), "crowd")
        assessed = about(protocol).assess(run(protocol, people.inputs, 0), people.totals)
        assert (abs(assessed.deviations) < 6) == right


def test_squared_errors_are_those_of_scaled_numbers_and_of_shares() -> None:
    protocol = local_table(users=5, schema=SCHEMA)
    assessed = about(protocol).assess(
        run(protocol, ROWS, seed=1), TablePopulation(ROWS, SCHEMA, "").totals
    )
    errors = (assessed.estimate - assessed.truth) / [20, 5, 1, 1, 1, 1, 1]
    assert assessed.squared_l2 == pytest.approx((errors**2).sum())
    parts = assessed.mse_of_parts()
    assert list(parts) == ["means, scaled to [-1, 1]", "shares"]
    assert parts["shares"]["mse"] == pytest.approx((errors[2:] ** 2).mean())
    assert parts["shares"]["expected_mse"] == pytest.approx(assessed.variance[2:].mean())


@for_each(
    "schema", [Schema(SCHEMA.numeric), Schema((), SCHEMA.categorical), Schema(SCHEMA.numeric[:1])]
)
@methods
def test_tables_of_one_kind_and_of_one_column_run(method: str, schema: Schema) -> None:
    people = uniform_table(50, schema, 0)
    protocol = local_table(users=50, schema=schema, method=method)
    assessed = about(protocol).assess(run(protocol, people.inputs, 1), people.totals)
    assert np.isfinite([assessed.estimate, assessed.low, assessed.high]).all()
    assert len(assessed.parts) == 1
    assert abs(assessed.deviations) < 6


# privacy


@methods
def test_the_stated_epsilon_is_that_of_a_whole_report(method: str) -> None:
    protocol = local_table(users=5, schema=SCHEMA, method=method, epsilon=1.2)
    done = run(protocol, ROWS)
    (stated,) = about(protocol).privacy(done, ROWS, None, None)
    told = about(protocol).disclosure({"report"})
    assert told is not None
    assert stated.epsilon == told.epsilon == protocol.mechanism.exact_epsilon
    dense = (
        method not in JOINT and protocol.mechanism.continuous
    )  # hm at ε = 1.2 mixes; Duchi et al.'s are corners
    assert dense == (method not in JOINT)
    assert (told.tier, stated.assumption.startswith("exact reals")) == (
        ("proved for exact reals", True) if dense else ("proved", False)
    )
    if method == "duchi-as-printed":
        assert stated.epsilon > 1.2 + 0.1
    else:
        assert stated.epsilon == pytest.approx(1.2, rel=1e-9)


# real data


def test_tables_of_categories_alone_are_stated_without_reserve() -> None:
    protocol = local_table(users=5, schema=Schema((), SCHEMA.categorical))
    told = about(protocol).disclosure({"report"})
    assert told is not None
    assert told.tier == "proved"


def census_income() -> TablePopulation:
    path = DATA / "census_income.csv.gz"
    numeric = [Numeric("age", 0, 100), Numeric("weeks_worked", 0, 52)]
    names = ["age", "weeks_worked", "sex", "race", "marital_status"]
    columns = read_columns(path, names, ["?"], drop_missing=True)
    categorical = {"sex": ("Female", "Male"), "race": None, "marital_status": None}
    return table_of_columns(dict(zip(names, columns, strict=True)), numeric, categorical)


@pytest.mark.long
@pytest.mark.data("census_income.csv.gz")
def test_census_income_is_estimated_within_its_expected_error() -> None:
    """199,523 rows.

    Every column of the answer within six deviations of the truth, a false alarm in 10^7 or less.
    """
    people = census_income()
    assert len(people.inputs) == 199_523
    assert people.schema.origins == {
        "sex": "declared",
        "race": "read off the data",
        "marital_status": "read off the data",
    }
    for method in ("hm", "least-variance"):
        protocol = local_table(
            users=len(people.inputs), schema=people.schema, method=method, epsilon=2.0
        )
        assessed = about(protocol).assess(run(protocol, people.inputs, 1), people.totals)
        assert (abs(assessed.estimate - assessed.truth) < 6 * np.sqrt(assessed.variance)).all()


def test_the_source_counts_its_columns() -> None:
    age = Column.of("age", "people.csv", ["30", "40"])
    people = table_of_columns({"age": age}, [Numeric("age", 0, 100)], {})
    assert people.source == "1 column of people.csv"


def census(users: int | None = None) -> TablePopulation:
    path = DATA / "adult.csv.gz"
    numeric = [
        Numeric("age", 0, 100),
        Numeric("education_num", 1, 16),
        Numeric("hours_per_week", 0, 100),
    ]
    categorical = ["workclass", "marital_status", "race", "sex", "income"]
    names = [*(one.name for one in numeric), *categorical]
    columns = read_columns(path, names, ["?"], drop_missing=True)
    people = table_of_columns(
        dict(zip(names, columns, strict=True)), numeric, dict.fromkeys(categorical)
    )
    return people if users is None else people.sample(users, 0)


@pytest.mark.slow
@pytest.mark.data("adult.csv.gz")
def test_sampled_columns_beat_a_split_budget_on_census_data() -> None:
    """By expectation more than twice.

    Measured, in the mean over 8 runs, which spreads by a third for means, at all. The gaps are 3
    and more: about one choice of seeds in 300 would raise a false alarm.
    """
    people = census()
    assert people.source == "8 columns of adult.csv.gz without 2,799 rows that lack a value"
    errors: dict[str, Any] = {}
    for method in ("hm", "pm", "duchi", "laplace"):
        protocol = local_table(
            users=len(people.inputs), schema=people.schema, method=method, epsilon=1.0
        )
        assessed = [
            about(protocol).assess(run(protocol, people.inputs, seed), people.totals)
            for seed in range(8)
        ]
        assert max(abs(one.deviations) for one in assessed) < 6
        errors[method] = [one.mse_of_parts() for one in assessed]
    for which in ("means, scaled to [-1, 1]", "shares"):
        for key in ("mse", "expected_mse"):
            found = {
                method: np.mean([one[which][key] for one in runs])
                for method, runs in errors.items()
            }
            margin = 2 if key == "expected_mse" else 1
            assert max(found["hm"], found["pm"]) * margin < min(found["duchi"], found["laplace"])


@pytest.mark.slow
@pytest.mark.data("adult.csv.gz")
def test_census_rows_without_a_value_are_refused_until_they_are_left_out() -> None:
    people = census(1000)
    assert people.inputs.shape == (1000, 8)
    with pytest.raises(
        BadInput,
        match=r"row 28 of column 'workclass' .* \('\?'\), and so do 2,798 other rows: .*drop",
    ):
        read_columns(DATA / "adult.csv.gz", ["workclass", "age"], ["?"])


# refusals


@for_each(
    "change, what",
    [
        ({"method": "rappor"}, "method is pm or hm or duchi or .*, got 'rappor'"),
        ({"population": "aggregate"}, "for tables use population=crowd"),
        ({"k": 5}, "k is at most 4, got 5"),
        ({"k": 0}, "k is at least 1, got 0"),
        ({"k": 1, "method": "duchi"}, "k says on how many columns, .*; got k=1"),
        ({"k": "most"}, "k is a whole number, best or none, got 'most'"),
        ({"epsilon": 0.0}, "epsilon is positive"),
        ({"users": 0}, "users is at least 1"),
        ({"schema": Schema()}, "at least one attribute"),
        (
            {"schema": Schema((Numeric("x", 1, 1),))},
            "a range of finite length, with low below high, got 1..1",
        ),
        (
            {"schema": Schema((), (Categorical("x", ("only",)),))},
            "a domain's size is at least 2, got 1",
        ),
    ],
)
def test_nonsense_is_refused(change: dict[str, Any], what: str) -> None:
    with pytest.raises((ValueError, TypeError), match=what):
        local_table(**{"users": 5, "schema": SCHEMA} | change)


@pytest.mark.parametrize(
    ("place", "value", "what"),
    [
        ((0, 0), 61, "declared range 20..60, got 61"),
        ((1, 1), np.nan, "got nan"),
        ((2, 3), 4, "from 1 to 3, got 4"),
        ((2, 3), 1.5, "items are whole numbers, got 1.5"),
        ((0, 2), np.nan, "items are whole numbers, got nan"),
    ],
)
def test_rows_out_of_range_are_refused(place: tuple[int, int], value: float, what: str) -> None:
    rows = ROWS.copy()
    rows[place] = value
    with pytest.raises(Exception, match=what):
        run(local_table(users=5, schema=SCHEMA), rows)


def test_rows_of_another_length_are_refused() -> None:
    with pytest.raises(Exception, match=r"rows have shape \(n, 4\), got \(5, 3\)"):
        run(local_table(users=5, schema=SCHEMA), ROWS[:, :3])


def test_a_mechanism_for_other_columns_is_refused() -> None:
    with pytest.raises(ValueError, match="the mechanism is for"):
        TableCollection(5, SCHEMA, Tuples(1.0, Attributes(3)))


def test_the_best_k_is_that_of_least_worst_variance() -> None:
    protocol = local_table(users=5, schema=SCHEMA, epsilon=4.9, k="best")
    assert isinstance(protocol.mechanism, Tuples)
    assert protocol.mechanism.k == optimal_k(4.9, 4, "hm") == 2
    assert local_table(users=5, schema=SCHEMA, epsilon=4.9).mechanism.k == 1  # type: ignore[union-attr]


# the population


@cases(20)
@given(st.integers(1, 40), st.integers(0, 99))
def test_a_uniform_table_keeps_to_its_schema(users: int, seed: int) -> None:
    people = uniform_table(users, SCHEMA, seed)
    assert people.inputs.shape == (users, 4)
    for column, one in zip(people.inputs.T, SCHEMA.numeric, strict=False):
        assert ((column >= one.low) & (column <= one.high)).all()
    assert len(people.totals) == len(people.labels) == 7
    assert people.totals[2:4].sum() == people.totals[4:].sum() == users
    assert people.sample(1, seed).inputs.shape == (1, 4)


def test_labels_and_groups_say_what_is_estimated() -> None:
    assert SCHEMA.labels == ("age", "pay", "sex=f", "sex=m", "dish=a", "dish=b", "dish=c")
    assert {name: SCHEMA.labels[where] for name, where in SCHEMA.groups} == {
        "age": ("age",),
        "pay": ("pay",),
        "sex": ("sex=f", "sex=m"),
        "dish": ("dish=a", "dish=b", "dish=c"),
    }
    assert SCHEMA.within(np.array([40, 5, 0.3, 0.7, 1, 0, 0])).tolist() == [
        0.5,
        1,
        0.3,
        0.7,
        1,
        0,
        0,
    ]


# the command

AGES = [20 + user % 40 for user in range(90)]
CELLS = [f"{age},{'fm'[user % 2]},{'abc'[user % 3]}" for user, age in enumerate(AGES)]
PEOPLE = "\n".join(["age,sex,dish", *CELLS, "25,?,a", ""])
COLUMNS = ("--numeric", "age:18:60", "--categorical", "sex,dish")


def estimated(folder: Path, *options: object) -> Result:
    """`simnet run local_table` on the people of a file."""
    file = folder / "people.csv"
    file.write_text(PEOPLE)
    return simnet("run", "local_table", "--input", file, *options)


@pytest.mark.parametrize("method", ["hm", "duchi"])
def test_the_command_estimates_a_file(method: str, tmp_path: Path) -> None:
    options = (
        *COLUMNS,
        "--drop-missing",
        "--set",
        f"method={method}",
        "--figure",
        tmp_path / "x.png",
        "--json",
        "-",
    )
    status, out, _ = estimated(tmp_path, *options)
    found = json.loads(out)
    assert status == 0
    assert list(found["estimate"]) == ["age", "sex=f", "sex=m", "dish=a", "dish=b", "dish=c"]
    assert list(found["truth"].values()) == pytest.approx(
        [sum(AGES) / 90, 0.5, 0.5, 1 / 3, 1 / 3, 1 / 3]
    )
    assert set(found["parts"]) == {"means, scaled to [-1, 1]", "shares"}
    assert found["privacy"]["epsilon"] == pytest.approx(1)
    assert found["ledger"]["messages"] == 90
    assert [one["holds"] for one in found["adversaries"]] == [True, True]
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")


def test_the_command_prints_means_and_shares(tmp_path: Path) -> None:
    status, out, _ = estimated(tmp_path, *COLUMNS, "--drop-missing", "--users", 50)
    assert status == 0
    for text in (
        "age",
        "sex=f",
        "dish=c",
        "MSE",
        "(shares)",
        "50 users, 6 means and shares from 3 columns of people.csv without 1 row",
        "value, drawn from its 90 users",
    ):
        assert text in " ".join(out.split())


def test_domains_are_declared_or_read_off_and_it_is_said_which(tmp_path: Path) -> None:
    options = ("--categorical", "sex:m|f|x,dish", "--drop-missing")
    found = json.loads(estimated(tmp_path, *options, "--json", "-")[1])
    assert list(found["truth"]) == ["sex=m", "sex=f", "sex=x", "dish=a", "dish=b", "dish=c"]
    assert found["truth"]["sex=x"] == 0
    assert found["domains"] == {"sex": "declared", "dish": "read off the data"}
    assert "read off the data: dish" in estimated(tmp_path, *options)[1]
    every = ("--categorical", "sex:m|f", "--drop-missing")
    assert "read off" not in estimated(tmp_path, *every)[1]


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (
            COLUMNS,
            (
                "row 91 of column 'sex' of people.csv has no value ('?'): fill it in, or "
                "leave such rows out with --drop-missing"
            ),
        ),
        (
            ("--numeric", "age:18:50"),
            "row 32 of column 'age' of people.csv holds 51, which is outside the declared",
        ),
        (
            ("--numeric", "age"),
            "--numeric takes name:low:high, the range declared for each column, got 'age'",
        ),
        (("--numeric", "age:60:18"), "with high above low, got 'age:60:18'"),
        (("--numeric", "dish:0:1"), "holds 'a', which is no number"),
        (("--numeric", "age:0:99", "--categorical", "age"), "column 'age' is named twice"),
        (
            ("--categorical", "dish:a|b"),
            "row 3 of column 'dish' of people.csv holds 'c', which is outside the domain",
        ),
        (
            ("--categorical", "sex:f|"),
            "--categorical takes name or name:label|label, with no label empty, got 'sex:f|'",
        ),
        (("--categorical", "dish:a|b|b|c"), "the domain names 'b' more than once"),
        (("--categorical", "sex:f|m,sex"), "column 'sex' is named twice"),
        (
            ("--numeric", "age:0:99", "--set", "k=foo"),
            "k is a whole number, best or none, got 'foo'",
        ),
        (("--categorical", "town"), "people.csv has no column 'town'"),
        (
            ("--column", "age"),
            "--column is for one column, and this scenario takes a table",
        ),
        ((), "--input needs --numeric or --categorical"),
        (("--categorical", "dish", "--set", "k=2"), "k is at most 1, got 2"),
    ],
    ids=str,
)
def test_the_command_refuses_in_one_line(
    options: tuple[str, ...], what: str, tmp_path: Path
) -> None:
    status, out, error = estimated(tmp_path, *options)
    assert (status, out) == (2, "")
    assert what in error
    assert len(error.splitlines()) == 1


def test_options_of_tables_are_refused_elsewhere() -> None:
    for arguments in (
        ["dpds", "--numeric", "x:0:1"],
        ["local_mean", "--input", "x.csv", "--categorical", "x"],
    ):
        assert refusal(simnet("run", *arguments)).startswith("--")
