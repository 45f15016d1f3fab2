"""Consistent estimates: each method gives a distribution, and this is the fixed point or the
nearest point that its documentation states.
"""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from protocols.postprocess.consistency import METHODS, apply, norm_sub, project
from simnet.arrays import Floats
from tests.harness.fuzz import cases

numbers = st.floats(-2, 2) | st.sampled_from([0.0, 1.0, -1.0, 0.25])
estimates = st.lists(numbers, min_size=1, max_size=8).map(np.array)
few = cases(30)  # for each method
on_the_simplex = pytest.mark.parametrize("name", ["normalise", "norm-sub", "project"])


@on_the_simplex
@given(estimates | st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20).map(np.array))
@few
def test_the_result_is_a_distribution(name: str, given_: Floats) -> None:
    result = apply(name, given_)
    assert result.shape == given_.shape
    assert (result >= 0).all()
    assert result.sum() == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("name", METHODS)
@given(estimates)
@few
def test_doing_it_twice_changes_nothing(name: str, given_: Floats) -> None:
    once = apply(name, given_)
    np.testing.assert_allclose(apply(name, once), once, atol=1e-15)


@pytest.mark.parametrize("name", METHODS)
@given(estimates)
@few
def test_the_order_of_items_is_kept_and_the_input_left_alone(name: str, given_: Floats) -> None:
    before = given_.copy()
    result = apply(name, given_)
    assert result is not given_
    assert (given_ == before).all()
    order = np.argsort(given_, kind="stable")
    assert (np.diff(result[order]) >= 0).all()


@pytest.mark.parametrize("name", METHODS)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=8).filter(any))
@few
def test_distributions_stay_as_they_are(name: str, weights: list[int]) -> None:
    distribution = np.array(weights) / sum(weights)
    np.testing.assert_allclose(apply(name, distribution), distribution, atol=1e-15)


def brute_norm_sub(values: Floats) -> Floats:
    """The procedure step by step: drop what is negative, spread what is missing among the rest,
    over again.
    """
    current = np.maximum(values, 0)
    for _ in range(10_000):
        rest = current > 0
        current[rest] += (1 - current.sum()) / rest.sum()
        if (current >= 0).all():
            return current
        current = np.maximum(current, 0)
    raise AssertionError("the procedure does not end")


@given(estimates.filter(lambda values: (values > 1e-6).any()))
def test_norm_sub_is_the_end_of_its_procedure(values: Floats) -> None:
    np.testing.assert_allclose(norm_sub(values), brute_norm_sub(values), atol=1e-9)


def test_norm_sub_gives_nothing_to_items_without_support() -> None:
    assert norm_sub(np.array([0.3, 0.3, -0.01])).tolist() == [0.5, 0.5, 0]
    assert project(np.array([0.3, 0.3, -0.01]))[2] > 0  # the nearest distribution does
    assert norm_sub(np.array([0.9, 0.5, 0.05])) == pytest.approx([0.7, 0.3, 0])
    assert norm_sub(np.array([-1.0, -2.0])).tolist() == [0.5, 0.5]


def brute_project(values: Floats) -> Floats:
    """The nearest point over all faces of the simplex: on each, the same amount is taken off every
    coordinate.
    """
    candidates = []
    for size in range(1, values.size + 1):
        for face in map(list, itertools.combinations(range(values.size), size)):
            point = np.zeros(values.size)
            point[face] = values[face] + (1 - values[face].sum()) / size
            if (point >= -1e-12).all():
                candidates.append(point)
    return min(candidates, key=lambda point: float(((point - values) ** 2).sum()))


@given(estimates)
def test_the_projection_is_the_nearest_of_all_faces(values: Floats) -> None:
    np.testing.assert_allclose(project(values), brute_project(values), atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_the_projection_is_that_of_a_quadratic_solver(seed: int) -> None:
    values = np.sin(np.arange(1, 13) * (seed + 1.3)) * 0.4
    constraint = {"type": "eq", "fun": lambda x: x.sum() - 1}
    solved: Any = minimize(
        lambda x: ((x - values) ** 2).sum(),
        np.full(12, 1 / 12),
        method="SLSQP",
        bounds=[(0, 1)] * 12,
        constraints=constraint,
        options={"ftol": 1e-14, "maxiter": 500},
    )
    np.testing.assert_allclose(project(values), solved.x, atol=1e-6)


def test_raw_and_clipped() -> None:
    given_ = np.array([-0.5, 0.5, 1.5])
    assert apply("raw", given_).tolist() == [-0.5, 0.5, 1.5]
    assert apply("clip", given_).tolist() == [0, 0.5, 1]
    assert apply("normalise", given_).tolist() == [0, 0.25, 0.75]
    assert apply("normalise", [-1, -2, 0, -3]).tolist() == [0.25] * 4


@pytest.mark.parametrize("wrong", [[], [[0.5, 0.5]], 0.5, [np.nan, 0.5], [np.inf, 0.5]])
def test_what_is_no_row_of_numbers_is_refused(wrong: Any) -> None:
    for name in METHODS:
        with pytest.raises(ValueError, match=r"one axis|finite"):
            apply(name, wrong)


def test_unknown_methods_are_refused_by_name() -> None:
    with pytest.raises(
        ValueError,
        match=r"processing 'norm': use one of raw, clip, normalise, norm-sub, project",
    ):
        apply("norm", [1.0])
