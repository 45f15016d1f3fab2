"""LDP-SGD on the columns of a table: rows become examples, noise costs accuracy, and users who test
the model are never asked.
"""

import json
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from protocols.catalogue import about
from protocols.ldp_sgd.features import encoded, names_of
from protocols.ldp_sgd.losses import LOSSES
from protocols.ldp_sgd.made_up import dependent_table
from protocols.ldp_sgd.table import TableDescent, table_descent
from simnet import ScriptError, run
from simnet.cli.main import main
from simnet.coins.sampled import SampledCoins
from simnet.errors import BadInput
from simnet.scenario.claims import SeesNoShares
from simnet.scenario.find import find
from simnet.scenario.judging import judge_claims
from simnet.scenario.perform import judged, perform
from simnet.scenario.population import TablePopulation, in_chance_order
from simnet.scenario.scenario import Scenario
from simnet.scenario.schema import Categorical, Numeric, Schema
from simnet.scenario.synthetic import uniform_table
from tests.harness.data import DATA
from tests.harness.many_cases import for_each
from tests.harness.shell import simnet
from tests.harness.timing import stopwatch

SCHEMA = Schema(
    (Numeric("age", 20, 60), Numeric("pay", -4, 4)),
    (Categorical("dish", ("a", "b", "c")), Categorical("sex", ("f", "m"))),
)
ROWS = np.array([[20, 2, 1, 1], [60, -4, 2, 2], [40, 0, 3, 2]], dtype=float)
TARGETS = {"squared": "pay", "logistic": "sex", "hinge": "sex"}


@pytest.mark.parametrize(("numeric", "categorical"), [(0, 2), (2, 0), (1, 1), (2, 1), (1, 2)])
def test_dependent_columns_need_a_column_on_which_they_depend(
    numeric: int, categorical: int
) -> None:
    schema = Schema(SCHEMA.numeric[:numeric], SCHEMA.categorical[:categorical])
    if numeric and categorical and numeric + categorical > 2:
        assert np.isfinite(dependent_table(3, schema, 0).inputs).all()
    else:
        with pytest.raises(BadInput, match="a numeric column, a categorical one with two"):
            dependent_table(3, schema, 0)


def test_dependent_columns_need_columns_with_more_than_one_value() -> None:
    age, one, two = SCHEMA.numeric[0], Categorical("x", ("a",)), SCHEMA.categorical[0]
    for schema in (
        Schema((age,), (one, two)),  # nothing to depend on
        Schema(SCHEMA.numeric, (one,)),  # no second class
    ):
        with pytest.raises(BadInput, match="one more column with more than one value"):
            dependent_table(3, schema, 0)


def descent(users: int, loss: str = "logistic", **settings: Any) -> TableDescent:
    return table_descent(
        **{"users": users, "schema": SCHEMA, "target": TARGETS[loss], "loss": loss, **settings}
    )


def scenario(users: int, **settings: object) -> Scenario:
    return find("ldp_sgd")[1].with_settings(
        {"users": str(users), **{k: str(v) for k, v in settings.items()}}
    )


def errors(made: Scenario, seed: int, people: TablePopulation | None = None) -> dict[str, float]:
    drawn: Any = people or made.synthetic(made.users, seed)
    scores = perform("ldp_sgd", made, drawn, seed).assessment.scores
    assert scores is not None
    return dict(scores.errors)


# rows


def test_a_row_becomes_its_features_a_constant_and_its_label() -> None:
    """Numbers by their ranges, a category of c values as c - 1 flags, the first of two classes as
    -1.
    """
    assert descent(3).examples(ROWS).tolist() == [
        [-1, 0.5, 1, 0, 1, -1],
        [1, -1, 0, 1, 1, 1],
        [0, 0, 0, 0, 1, 1],
    ]
    assert descent(3, "squared").examples(ROWS).tolist() == [
        [-1, 1, 0, 1, 1, 0.5],
        [1, 0, 1, 0, 1, -1],
        [0, 0, 0, 0, 1, 0],
    ]


@given(st.integers(0, 3), st.lists(st.integers(2, 5), max_size=3))
@examples(max_examples=30)
def test_every_feature_has_a_name(numbers: int, domains: list[int]) -> None:
    if not numbers + len(domains):
        return
    schema = Schema(
        tuple(Numeric(f"n{k}", 0, 1) for k in range(numbers)),
        tuple(Categorical(f"c{k}", tuple("abcde"[:size])) for k, size in enumerate(domains)),
    )
    names = names_of(schema)
    assert (
        len(set(names))
        == len(names)
        == encoded(uniform_table(2, schema, 0).inputs, schema).shape[1]
    )


@pytest.mark.parametrize(
    ("place", "value", "wrong"),
    [
        ((0, 0), 61, "declared range 20..60, got 61"),
        ((0, 0), np.nan, "got nan"),
        ((1, 2), 0, "items are whole numbers from 1 to 3, got 0"),
        ((1, 2), 1e30, r"items are whole numbers from 1 to 3, got 1e\+30"),
        ((1, 2), 4, "from 1 to 3, got 4"),
        ((1, 2), 1.5, "items are whole numbers, got 1.5"),
        ((2, 3), 3, "from 1 to 2, got 3"),
        ((2, 3), np.nan, "items are whole numbers, got nan"),
    ],
)
def test_what_no_user_can_hold_is_refused(place: tuple[int, int], value: float, wrong: str) -> None:
    rows = ROWS.copy()
    rows[place] = value
    with pytest.raises(ValueError, match=wrong):
        descent(3).examples(rows)
    with pytest.raises(ScriptError, match=wrong):
        run(descent(3), rows)


@for_each(
    "settings, wrong",
    [
        (
            {"target": "pay"},
            "target is a column of two categories, got 'pay': such columns are sex",
        ),
        ({"target": "dish"}, "such columns are sex"),
        ({"target": "town"}, "got 'town': such columns are sex"),
        (
            {"target": "sex", "loss": "squared"},
            "target is a column of numbers, got 'sex': such columns are age, pay",
        ),
        ({"schema": Schema((Numeric("age", 0, 1),))}, "got 'sex': the table has no such column"),
        (
            {"schema": Schema((), SCHEMA.categorical[1:])},
            "sex is learnt from other columns, and the table has no other column",
        ),
        ({"loss": "absolute"}, "loss is squared or logistic or hinge, got 'absolute'"),
        (
            {"held_out": 0.0},
            "held_out is the share of the users who are never asked, above 0 and below 1, got 0",
        ),
        ({"held_out": 1.0}, "above 0 and below 1, got 1"),
        ({"held_out": float("nan")}, "above 0 and below 1, got nan"),
        ({"group_size": 10}, "group_size is at most 9, got 10"),
        ({"users": 1}, "users is at least 2, got 1"),
        ({"population": "aggregate"}, "population is actors or crowd"),
        ({"mechanism": "gauss"}, "mechanism is hm or pm or duchi"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any], wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        table_descent(**{"users": 10, "schema": SCHEMA, "target": "sex", **settings})


def test_a_descent_for_other_columns_is_refused() -> None:
    other = descent(10).descent
    with pytest.raises(ValueError, match=r"the table has 2 features, .* was made for 5"):
        TableDescent(Schema(SCHEMA.numeric[:1], SCHEMA.categorical[1:]), "sex", other)


# noise


@pytest.mark.slow
@given(
    st.sampled_from(sorted(LOSSES)),
    st.sampled_from(["actors", "crowd"]),
    st.integers(2, 30),
    st.integers(0, 9),
)
@examples(max_examples=10)
def test_without_noise_is_the_run_of_no_mechanism(
    loss: str, seating: Any, users: int, seed: int
) -> None:
    people = dependent_table(users, SCHEMA, seed)
    protocol = descent(users, loss, mechanism="none", population=seating, first_step=0.1)
    assessed = about(protocol).assess(run(protocol, people.inputs, seed), None)
    np.testing.assert_allclose(assessed.estimate, assessed.truth, rtol=1e-12, atol=1e-15)
    same = {"group_size": protocol.descent.group_size, "population": seating, "first_step": 0.1}
    noisy = descent(users, loss, mechanism="hm", **same)
    beside = about(noisy).assess(run(noisy, people.inputs, seed), None)
    np.testing.assert_array_equal(beside.truth, assessed.truth)
    assert (beside.estimate != beside.truth).any()


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_without_noise_the_minimiser_is_reached_and_with_noise_it_is_not(loss: str) -> None:
    """The same twenty rows in each of 300 groups: descent on one function, none of whose gradients
    is cut.
    """
    rows, penalty = dependent_table(20, SCHEMA, 3).inputs, 0.2
    rows[:, 1] /= 10  # squared gradients are short enough
    held = np.tile(rows, (301, 1))
    common = {
        "held_out": 20 / len(held),
        "group_size": 20,
        "schedule": "constant",
        "regularisation": penalty,
    }
    models = {}
    for mechanism in ("none", "hm"):
        protocol = descent(
            len(held),
            loss,
            mechanism=mechanism,
            first_step=1 / (10 if loss == "squared" else 1),
            **common,
        )
        models[mechanism] = run(protocol, held, 0).outputs["server"]
    pairs, objective = protocol.examples(rows), LOSSES[loss]

    def slope(model: Any) -> float:
        """The gradient's largest entry, 0 at the minimiser and nowhere else."""
        gradients = objective.gradients(model, pairs[:, :-1], pairs[:, -1])
        return float(np.max(np.abs(gradients.mean(axis=0) + penalty * model)))

    assert slope(models["none"]) < 1e-5
    assert slope(models["hm"]) > 1e-2


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_a_weaker_budget_gives_a_worse_model(loss: str) -> None:
    """Mean errors over 4 runs at equal schedules.

    The least gap is several times what a run's error varies by.
    """
    target, first = ("hours", 0.1) if loss == "squared" else ("income", 0.3)
    means = {}
    for epsilon in (0.3, 6.0):
        made = scenario(
            2000, loss=loss, target=target, epsilon=epsilon, group_size=45, first_step=first
        )
        runs = [errors(made, seed) for seed in range(4)]
        means[epsilon] = {name: np.mean([one[name] for one in runs]) for name in runs[0]}
    plain, same = means[6.0]["without noise"], means[6.0]["the same for all"]
    assert means[0.3]["without noise"] == plain
    assert plain < same
    assert means[6.0]["this run"] - plain < 0.2 * (same - plain)
    assert means[0.3]["this run"] - plain > 0.4 * (same - plain)


def test_made_up_people_have_something_to_learn_and_uniform_ones_have_not() -> None:
    made = scenario(4000, mechanism="none")
    dependent, uniform = (
        errors(attrs.evolve(made, table=table), 0) for table in (dependent_table, uniform_table)
    )
    assert dependent["this run"] < 0.8 * dependent["the same for all"]
    assert uniform["this run"] > 0.9 * uniform["the same for all"]


@given(st.integers(1, 60), st.integers(0, 99))
@examples(max_examples=20)
def test_made_up_people_keep_to_their_schema(users: int, seed: int) -> None:
    people = dependent_table(users, SCHEMA, seed)
    assert people.inputs.shape == (users, 4)
    assert np.all(np.abs(descent(max(users, 2)).examples(people.inputs)) <= 1)
    assert "synthetic" in people.source


# who is asked


def test_those_who_judge_are_never_asked() -> None:
    people, protocol = dependent_table(200, SCHEMA, 0), descent(200, held_out=0.25, group_size=40)
    assert (protocol.descent.users_asked, protocol.descent.steps) == (120, 3)
    first = run(protocol, people.inputs, 1)
    changed = people.inputs.copy()
    changed[120:, 3] = 3 - changed[120:, 3]
    second = run(protocol, changed, 1)
    np.testing.assert_array_equal(first.outputs["server"], second.outputs["server"])
    assert first.ledger.by("role", "sent")["user"].messages == 120
    one, other = (about(protocol).assess(done, None).scores for done in (first, second))
    assert one is not None
    assert other is not None
    assert one.judges == "80 users who were never asked"
    assert one.errors["this run"] == pytest.approx(
        1 - other.errors["this run"]
    )  # their classes were exchanged
    changed = people.inputs.copy()
    changed[:120, 3] = 3 - changed[:120, 3]
    assert (run(protocol, changed, 1).outputs["server"] != first.outputs["server"]).any()


def test_scores_are_in_the_units_of_the_column_and_the_constant_is_of_those_asked() -> None:
    people = dependent_table(50, SCHEMA, 0)
    protocol = descent(50, "squared", held_out=0.2, group_size=20)
    done = run(protocol, people.inputs, 0)
    scores = about(protocol).assess(done, None).scores
    assert scores is not None
    pay = people.inputs[:, 1]
    assert scores.errors["the same for all"] == pytest.approx(
        np.mean((pay[40:] - pay[:40].mean()) ** 2)
    )
    features = protocol.examples(people.inputs)[40:, :-1]
    assert scores.errors["this run"] == pytest.approx(
        np.mean((pay[40:] - 4 * features @ done.outputs["server"]) ** 2)
    )


def test_users_are_seated_in_an_order_drawn_by_chance() -> None:
    """Of rows sorted by class, those never asked would all be of the rarer one."""
    made = scenario(1000, mechanism="none")
    people = made.synthetic(1000, 0)
    assert isinstance(people, TablePopulation)
    ordered = attrs.evolve(
        people, inputs=people.inputs[np.argsort(-people.inputs[:, -1], kind="stable")]
    )
    assert 0.2 < errors(made, 0, ordered)["the same for all"] < 0.6
    assert errors(attrs.evolve(made, in_chance_order=False), 0, ordered)["the same for all"] == 1
    drawn = in_chance_order(ordered, 1)
    assert sorted(map(tuple, drawn.inputs)) == sorted(map(tuple, ordered.inputs))
    assert (drawn.inputs != in_chance_order(ordered, 2).inputs).any()


@pytest.mark.slow
@for_each("seating", ["actors", "crowd"])
@for_each("mechanism", ["hm", "pm", "duchi", "laplace", "none"])
def test_the_bill_is_as_expected(mechanism: str, seating: str) -> None:
    made = scenario(60, mechanism=mechanism, population=seating, group_size=7)
    result = perform("ldp_sgd", made, made.synthetic(60, 0), 0)
    assert {row.expectation.quantity for row in result.bill} >= {"rd", "rounds"}
    assert all(row.holds for row in result.bill)
    assert result.run.ledger.total().messages == 2 * 49
    assert not result.run.ledger.unread()


# what is learnt by whom


@pytest.mark.slow
def test_claims_hold_with_a_finite_epsilon_and_fail_without_noise() -> None:
    for mechanism, holds in (("hm", True), ("duchi", True), ("none", False)):
        made = scenario(40, mechanism=mechanism)
        result = judged(perform("ldp_sgd", made, made.synthetic(40, 0), 0))
        assert [one.holds for one in result.adversaries] == [holds] * 3
        assert [str(one.claim.corrupt) for one in result.adversaries] == [
            "server",
            "the last group",
            "network",
        ]
    (unasked,) = judge_claims([SeesNoShares("rest")], result.run, result.about)
    assert unasked.verdict is not None
    assert unasked.verdict.discrete.disclosure.independent


def test_the_privacy_statement_says_how_many_are_asked_and_how_often() -> None:
    made = scenario(100, group_size=30, epsilon=0.7)
    (stated,) = perform("ldp_sgd", made, made.synthetic(100, 0), 0).privacy
    assert stated.whose == "whoever reads its report: 90 users are asked once, 10 never"
    assert stated.as_json()["epsilon"] == pytest.approx(0.7)


# the command


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Three hundred people, sorted by what is learnt."""
    coins = SampledCoins(0, "people")
    hours = np.sort(coins.uniform(300).plain * 60)
    lines = [
        f"{hour:.2f},{'fm'[row % 2]},{'yes' if hour > 30 else 'no'}"
        for row, hour in enumerate(hours)
    ]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["hours,sex,full", *lines, "12,?,no", ""]))
    return path


COLUMNS = (
    "--numeric",
    "hours:0:60",
    "--categorical",
    "sex,full:no|yes",
    "--drop-missing",
    "--set",
    "target=full",
)


@pytest.mark.slow
def test_the_command_learns_from_a_file(file: Path, tmp_path: Path) -> None:
    options = (
        "--input",
        file,
        *COLUMNS,
        "--set",
        "epsilon=4",
        "--figure",
        tmp_path / "model.svg",
        "--json",
        "-",
    )
    status, out, _ = simnet("run", "ldp_sgd", *options)
    assert status == 0
    found = json.loads(out)
    assert list(found["estimate"]) == list(found["truth"]) == ["hours", "sex=f", "intercept"]
    assert found["interval"]["hours"] == [None, None]
    assert found["expected_squared_l2"] is None
    assert found["scores"]["target"] == "full=yes"
    assert list(found["scores"]["errors"]) == ["this run", "without noise", "the same for all"]
    assert found["scores"]["errors"]["without noise"] < 0.2
    assert found["privacy"]["epsilon"] == pytest.approx(4)
    assert found["parameters"]["group_size"] == 27
    assert found["domains"] == {"sex": "read off the data", "full": "declared"}
    assert "300 of" not in found["source"]
    assert "without noise" in (tmp_path / "model.svg").read_text()


@pytest.mark.slow
def test_the_command_prints_weights_and_errors(file: Path) -> None:
    status, out, _ = simnet("run", "ldp_sgd", "--input", file, *COLUMNS)
    text = " ".join(out.split())
    assert status == 0
    for words in (
        "300 users, 3 weights of a model from 3 columns of people.csv",
        "sex=f",
        "full=yes: share misclassified, over 30 users who were never asked",
        "the same for all",
        "270 users are asked once, 30 never",
        "the categories of these columns were not declared, but read off the data: sex",
        "ε ≤ 1",
    ):
        assert words in text
    assert "intervals" not in text
    assert "nan" not in text


@pytest.mark.slow
def test_without_noise_the_command_says_that_claims_fail() -> None:
    status, out, _ = simnet("run", "ldp_sgd", "--users", 100, "--set", "mechanism=none")
    assert status == 1
    assert "no finite ε" in out
    assert "epsilon=inf" in out


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        (
            ("--set", "target=hours"),
            "target is a column of two categories, got 'hours': such columns are income",
        ),
        (
            ("--set", "loss=squared"),
            "target is a column of numbers, got 'income': such columns are education, age, hours",
        ),
        (("--postprocess", "clip"), "run ldp_sgd has no option --postprocess"),
        (
            ("--set", "group_size=half"),
            "group_size=half is not a whole number; group_size is how many users a step averages",
        ),
        (("--users", 0), "users is at least 2, got 0"),
        (
            ("--users", 50, "--at-epsilon", 0.5),
            "reports have a pure ε of 1; the δ of the smaller ε = 0.5 is not computed",
        ),
        (("--users", 50, "--at-epsilon", "nan"), "epsilon is positive and finite, got nan"),
        (("--input", "people.csv"), "--input needs --numeric or --categorical"),
    ],
    ids=str,
)
def test_the_command_refuses_in_one_line(options: tuple[object, ...], wrong: str) -> None:
    status, out, error = simnet("run", "ldp_sgd", *options)
    assert (status, out) == (2, "")
    assert wrong in error
    assert len(error.splitlines()) == 1


@pytest.mark.slow
def test_verdicts_know_the_scenario() -> None:
    options = (
        "verify",
        "ldp_sgd",
        "--users",
        20,
        "--set",
        "population=actors",
        "--json",
        "-",
        "--corrupt",
    )
    server = json.loads(simnet(*options, "server")[1])
    assert server["shares"]["verdict"] == "no-shares"
    assert server["discrete"]["epsilon"] == pytest.approx(1)
    assert not json.loads(simnet(*options, "u5")[1])["discrete"]["independent"]
    assert json.loads(simnet(*options, "u20")[1])["discrete"]["independent"]  # never asked


@pytest.mark.long
@pytest.mark.parametrize("users", [20_000, pytest.param(100_000, marks=pytest.mark.long)])
def test_many_users_take_seconds(users: int) -> None:
    with stopwatch() as watch:
        assert simnet("run", "ldp_sgd", "--users", users)[0] == 0
    assert watch.seconds < users / 2_000


@pytest.mark.slow
@pytest.mark.data("adult.csv.gz")
def test_incomes_of_the_census_are_learnt() -> None:
    """48,842 rows at ε = 4: closer to the model without noise than to the best constant."""
    path = DATA / "adult.csv.gz"
    columns = (
        "--numeric",
        "age:0:100,education_num:1:16,hours_per_week:0:100",
        "--categorical",
        "sex,marital_status,income",
    )
    options = (
        "--set",
        "epsilon=4",
        "--set",
        "group_size=200",
        "--set",
        "first_step=2",
        "--json",
        "-",
    )
    status, out, _ = simnet("run", "ldp_sgd", "--input", path, *columns, *options)
    found = json.loads(out)["scores"]["errors"]
    assert status == 0
    assert found["without noise"] < found["the same for all"]
    assert found["this run"] < (found["without noise"] + found["the same for all"]) / 2


@pytest.mark.slow
@pytest.mark.parametrize(("first", "remarked"), [("1e-6", True), ("0.1", False)])
def test_steps_that_find_nothing_are_remarked_upon(
    first: str, remarked: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """Steps of a millionth leave the model at 0, which says the same of everybody, and not even the
    mean.
    """
    settings = [f"first_step={first}", "loss=squared", "target=hours"]
    options = [
        "--users",
        "4000",
        *(word for one in settings for word in ("--set", one)),
        "--no-claims",
    ]
    printed = []
    for more in ([], ["--json", "-"]):
        with pytest.raises(SystemExit):
            main(["run", "ldp_sgd", *options, *more])
        printed.append(capsys.readouterr().out)
    scores = json.loads(printed[1])["scores"]
    assert (scores["errors"]["without noise"] >= scores["errors"]["the same for all"]) == remarked
    assert bool(scores["remark"]) == remarked
    assert ("no model better than one answer for all" in " ".join(printed[0].split())) == remarked
