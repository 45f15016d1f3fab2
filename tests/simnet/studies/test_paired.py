"""Methods that are compared on the same people: seeds, intervals, and statements about pairs.

Statistical tests have a stated false-alarm rate; seeds are fixed.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from simnet.arrays import Floats
from simnet.studies.experiment import Experiment
from simnet.studies.paired import DIFFERENCE, paired_share
from simnet.studies.table import Measure, NoSuchPoint, Table
from simnet.studies.version import code_version

MEASURE = Measure("error", "error", "expected")


def trial(parameters: Mapping[str, Any], seed: int, data: Any) -> dict[str, float]:
    return {"error": 1.0, "expected": 1.0}


def experiment(paired: Sequence[str] = ("method",)) -> Experiment:
    return Experiment(
        summary="s",
        source="nobody",
        trial=trial,
        grid=[{"method": ["a", "b"], "x": [1, 2]}],
        measures=[MEASURE],
        trials=3,
        paired=paired,
    )


def table_of(errors: Mapping[tuple[str, int], Sequence[float] | Floats], seeds: int = 0) -> Table:
    """Return a table of trials by method and x; a method's expected error is its mean. With
    `seeds`, the trials of each method have seeds of their own.
    """
    rows = [
        {
            "method": method,
            "x": x,
            "trial": number,
            "seed": number + seeds * place,
            "error": value,
            "expected": float(np.mean(values)),
            "people": "",
        }
        for place, ((method, x), values) in enumerate(errors.items())
        for number, value in enumerate(values)
    ]
    return experiment().table(rows, synthetic=False)


def a_is_below(numbers: Mapping[Any, float]) -> bool:
    return numbers["a", "b"] < 1


def test_trials_that_differ_in_a_paired_parameter_alone_have_one_seed() -> None:
    seeds: dict[tuple[Any, ...], set[int]] = {}
    for job in experiment().jobs("e"):
        seeds.setdefault((job.parameters.partition('"x"')[2], job.trial), set()).add(job.seed)
    assert len(seeds) == 6
    assert all(len(found) == 1 for found in seeds.values())
    assert len(set.union(*seeds.values())) == 6
    alone = [job.seed for job in experiment(()).jobs("e")]
    assert len(set(alone)) == len(alone) == 12


@pytest.mark.slow
def test_results_with_other_seeds_are_no_results_of_a_paired_experiment() -> None:
    versions = {code_version(trial, None, paired) for paired in ((), ("method",), ("x",))}
    assert len(versions) == 3


def test_a_small_difference_shows_when_people_are_shared() -> None:
    """People make both errors large or small: by ±50 %. Method a errs 2 % less."""
    people = np.array([1.5, 0.5, 1.4, 0.6, 1.0, 1.1, 0.9, 1.3])
    scatter = np.array([1, -1, -1, 1, 1, -1, 1, -1]) * 1e-3
    table = table_of({("a", 1): 0.98 * people + scatter, ("b", 1): people - scatter})
    found = paired_share(table, [("a", "b")], ["x"], a_is_below)
    assert (found.expected, found.measured, found.low, found.high) == (1, 1, 1, 1)
    assert found.trials == 8
    apart = {line["method"]: line for line in table.summary()}
    assert apart["a"]["high"] > apart["b"]["low"]  # two intervals do not show it


def test_equal_methods_are_seldom_told_apart() -> None:
    """In 300 tables of equal methods, at most 5 are decided, except with probability 2e-6: each is
    decided with probability 0.001 at most.
    """
    coins = np.random.default_rng(3)
    decided = 0
    for _ in range(300):
        people = 1 + coins.uniform(0, 1, 20)
        errors = [people * (1 + 0.1 * coins.standard_normal(20)) for _ in "ab"]
        table = table_of({("a", 1): errors[0], ("b", 1): errors[1]})
        found = paired_share(table, [("a", "b")], ["x"], a_is_below)
        decided += found.low == found.high
    assert decided <= 5


def test_only_trials_with_the_same_seed_are_pairs() -> None:
    errors = {("a", 1): [1.0, 2.0], ("b", 1): [2.0, 3.0]}
    with pytest.raises(NoSuchPoint, match="no trial has 'a' and 'b' with the same seed"):
        paired_share(table_of(errors, seeds=10), [("a", "b")], ["x"], a_is_below)
    with pytest.raises(NoSuchPoint, match="nothing was run"):
        paired_share(table_of(errors), [("a", "c")], ["x"], a_is_below)


def test_a_statement_looks_along_an_axis_and_at_differences() -> None:
    wide = [1.0, 1.1, 0.9, 1.0, 1.05, 0.95]
    table = table_of(
        {
            ("a", 1): wide,
            ("b", 1): [2 * one for one in wide],  # the quotient is 2, the difference 1
            ("a", 2): [0.1 * one for one in wide],
            ("b", 2): [0.4 * one for one in wide],  # the quotient is 4, the difference 0.3
        }
    )

    def grows(numbers: Mapping[Any, float]) -> bool:
        return numbers["b", "a", 1] < numbers["b", "a", 2]

    quotients = paired_share(table, [("b", "a")], [], grows, along=["x"])
    gaps = paired_share(table, [("b", "a")], [], grows, along=["x"], contrast=DIFFERENCE)
    assert (quotients.expected, quotients.low, quotients.high) == (1, 1, 1)
    assert (gaps.expected, gaps.low, gaps.high) == (0, 0, 0)
    assert quotients.judged_at == "method a, b; x 1, 2"


def test_few_equal_trials_decide_nothing() -> None:
    table = table_of({("a", 1): [1.0, 1.0], ("b", 1): [2.0, 2.0]})
    found = paired_share(table, [("a", "b")], ["x"], a_is_below)
    assert (found.measured, found.low, found.high) == (1, 0, 1)


def test_the_places_that_are_named_were_compared() -> None:
    """At x = 3 only one method was run."""
    some = [1.0, 1.1, 0.9]
    table = table_of(dict.fromkeys([("a", 1), ("b", 1), ("a", 2), ("b", 2), ("a", 3)], some))
    found = paired_share(table, [("a", "b")], ["x"], lambda numbers: numbers["a", "b"] <= 1)
    assert found.judged_at == "method a, b; x 1, 2"
