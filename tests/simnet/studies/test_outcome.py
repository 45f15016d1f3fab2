"""Outcomes of trials: every value that a trial returns or raises becomes a result, or a failure
that says what was wrong.
"""

import asyncio
from collections.abc import Callable
from fractions import Fraction
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simnet.studies.experiment import LABEL, OWN_COLUMNS, Experiment, Job
from simnet.studies.outcome import Failed, outcome
from simnet.studies.report import row
from simnet.studies.store import Result, Store
from simnet.studies.table import Measure, Table, write_csv, write_parquet
from tests.harness.results import HERE


class Unspeakable(BaseException):
    """An error that has no words for itself."""

    def __str__(self) -> str:
        raise ValueError("what?")


def run(trial: Callable[..., Any]) -> Result | Failed:
    """The outcome of one trial at x = 1."""
    experiment = Experiment("s", "nobody", trial, [{"x": [1]}], [Measure("a")])
    return outcome(experiment, Job('{"x":1}', 0, 7), None)


KEPT = st.floats() | st.integers(-(2**63) + 1, 2**63 - 1)
KEPT_OF_NUMPY = st.builds(np.float32, st.floats(width=32)) | st.builds(
    np.int8, st.integers(-99, 99)
)
REFUSED = st.sampled_from(
    [
        *(None, True, 1j, b"1", "1", [1.0], {}, Fraction(1, 2), 2**63, -(2**63), 10**400),
        *(np.bool_(True), np.array([1.0, 2.0]), np.complex64(1), np.longdouble(1), np.str_("1")),
        object(),
    ]
)
REFUSED_NAMES = st.sampled_from(
    ["x", "trial", "seed", "code", "data", "experiment", 1, None, "\ud800"]
)


NAMES = st.text().filter(lambda name: name not in {"x", LABEL, *OWN_COLUMNS})


@given(
    st.dictionaries(NAMES, KEPT | KEPT_OF_NUMPY, max_size=4),
    st.none() | st.tuples(st.just("bad"), REFUSED) | st.tuples(REFUSED_NAMES, KEPT),
    st.none() | st.sampled_from(["real", "made up\n", 1, None, "\udfff"]),
)
def test_numbers_are_kept_as_they_are_or_the_trial_has_failed(
    tmp_path_factory: pytest.TempPathFactory,
    numbers: dict[Any, Any],
    odd: tuple[Any, Any] | None,
    people: Any,
) -> None:
    numbers = {"a": 0.5, **numbers}  # what the experiment measures
    given_people = {} if people is None else {"people": people}
    found = run(lambda *_: {**numbers, **given_people, **({odd[0]: odd[1]} if odd else {})})
    if odd is not None or people in (1, "\udfff"):
        assert isinstance(found, Failed)
        assert found.error.startswith('trial 0 of {"x":1}: ')
        assert "\n" not in found.error
        return
    assert isinstance(found, Result)
    wanted = {
        name: getattr(value, "item", lambda value=value: value)() for name, value in numbers.items()
    }
    assert repr(dict(found.numbers)) == repr({**wanted, **given_people})
    folder = tmp_path_factory.mktemp("s")
    with Store(folder / "s") as store:
        store.add("e", HERE, [found])
        assert repr(store.kept()[0].result) == repr(found)
    shown = row(found)
    assert len(shown) == 3 + len(found.numbers)  # no column stands for two things
    Table([shown], ["x"], [Measure(name) for name in wanted]).summary()
    write_csv([shown], folder / "t.csv")
    write_parquet([shown], folder / "t.parquet")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (SystemExit(0), "SystemExit: 0"),
        (SystemExit("enough"), "SystemExit: enough"),
        (GeneratorExit(), "GeneratorExit"),
        (asyncio.CancelledError(), "CancelledError"),
        (MemoryError(), "MemoryError"),
        (Unspeakable(), "Unspeakable: <exception str() failed>"),
        (ValueError("two\nlines" + "and more" * 1000), "ValueError: two linesand more"),
    ],
    ids=range(7),
)
def test_whatever_leaves_a_trial_is_a_failure_in_one_line(error: BaseException, words: str) -> None:
    def trial(*_: Any) -> Any:
        raise error

    found = run(trial)
    assert isinstance(found, Failed)
    assert words in found.error
    assert "\n" not in found.error
    assert len(found.error) < 600


def test_an_interrupt_is_no_failure() -> None:
    def trial(*_: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(trial)


@pytest.mark.parametrize("returned", [None, [], "text", 1.0, {1.0}, nan, inf, Path()])
def test_what_is_no_mapping_is_a_failure(returned: object) -> None:
    found = run(lambda *_: returned)
    assert isinstance(found, Failed)
    assert "a trial returns numbers by name, but the result is of type" in found.error


@pytest.mark.parametrize("name", ["trial", "seed", "measure", "people", "data"])
def test_parameters_do_not_have_the_names_of_other_columns(name: str) -> None:
    with pytest.raises(ValueError, match=f"a parameter cannot be called '{name}'"):
        Experiment("s", "nobody", lambda *_: {}, [{name: [1]}], [])


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({}, "nothing of what its experiment measures: 'a', 'b'"),
        ({"other": 1.0}, "nothing of what its experiment measures: 'a', 'b'"),
        ({"a": 1.0, "b": 1.0}, "the trial returned 'b' without its 'mean of b'"),
    ],
    ids=["empty", "other", "no mean"],
)
def test_a_trial_gives_what_its_experiment_measures(numbers: Any, words: str) -> None:
    measures = [Measure("a"), Measure("b", "", "mean of b")]
    experiment = Experiment("s", "nobody", lambda *_: numbers, [{"x": [1]}], measures)
    found = outcome(experiment, Job('{"x":1}', 0, 7), None)
    assert isinstance(found, Failed)
    assert words in found.error
    experiment = Experiment("s", "nobody", lambda *_: {"a": 1.0}, [{"x": [1]}], measures)
    assert isinstance(outcome(experiment, Job('{"x":1}', 0, 7), None), Result)
