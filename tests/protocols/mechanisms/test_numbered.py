"""OLH and Hadamard response: hash functions, transforms, closed forms, and an independent library.

The laws, variances and estimates of small instances are checked with those of the other mechanisms
over items.
"""

import itertools
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import linalg, stats

from protocols.mechanisms import numbered
from protocols.mechanisms.hadamard import Hadamard
from protocols.mechanisms.hashing import OLH
from protocols.mechanisms.numbered import Numbered
from simnet.coins.sampled import SampledCoins
from tests.harness.fuzz import cases

FALSE_ALARM = 1e-6  # of every statistical test here, on fresh seeds


@pytest.mark.parametrize(("epsilon", "items"), [(0.2, 2), (0.2, 9), (1.0, 10), (1.6, 7), (2.4, 30)])
def test_two_items_are_hashed_alike_by_one_function_in_g(epsilon: float, items: int) -> None:
    mechanism = OLH(epsilon, items)
    g, functions = mechanism.hashed_range, np.arange(mechanism.functions)
    values = mechanism.hashed(functions[:, np.newaxis], np.arange(items))
    assert values.min() == 0
    assert values.max() == g - 1
    for one, other in itertools.combinations(range(items), 2):
        assert (values[:, one] == values[:, other]).sum() * g == mechanism.functions


@given(st.floats(0.01, 9), st.integers(2, 10**9))
def test_the_range_has_the_least_variance_of_all_primes(epsilon: float, items: int) -> None:
    mechanism = OLH(epsilon, items)

    def noise(g: int) -> float:
        return (math.expm1(epsilon) + g) ** 2 / ((g - 1) * math.expm1(epsilon) ** 2)

    primes = [g for g in range(2, 9000) if all(g % d for d in range(2, math.isqrt(g) + 1))]
    assert mechanism.variance(0.0, 1) == pytest.approx(min(map(noise, primes)), rel=1e-12)
    assert mechanism.hashed_range in primes
    assert items <= mechanism.functions < items * mechanism.hashed_range
    assert mechanism.outcomes < 1 << 63


@pytest.mark.parametrize("epsilon", [math.log(2), math.log(4), math.log(10)])
def test_the_variance_of_olh_is_that_of_oue_where_the_best_range_is_prime(epsilon: float) -> None:
    """4 e^ε / (e^ε - 1)²: Wang et al., Eq. 13, at g = e^ε + 1."""
    expected = 4 * math.exp(epsilon) / math.expm1(epsilon) ** 2
    assert OLH(epsilon, 100).variance(0.0, 1) == pytest.approx(expected, rel=1e-12)


@given(st.floats(0.01, 9), st.integers(2, 99))
def test_the_variance_of_hadamard_response_has_a_closed_form(epsilon: float, items: int) -> None:
    expected = 1 / math.tanh(epsilon / 2) ** 2
    assert Hadamard(epsilon, items).variance(0.0, 1) == pytest.approx(expected, rel=1e-9)


@cases(40)
@given(
    st.sampled_from([OLH, Hadamard]),
    st.floats(0.1, 5),
    st.integers(2, 40),
    st.lists(st.integers(0, 10**9), min_size=1, max_size=60),
)
def test_supports_are_counted_as_they_are_defined(
    make: type[OLH] | type[Hadamard], epsilon: float, items: int, numbers: list[int]
) -> None:
    mechanism = make(epsilon, items)
    reports = [number % mechanism.outcomes for number in numbers]
    expected: Counter[int] = Counter()
    for report in reports:
        if isinstance(mechanism, OLH):
            function, answer = divmod(report, mechanism.hashed_range)
            factors = digits_of(function, mechanism.hashed_range, mechanism.digits)
            for item in range(items):
                digits = digits_of(item, mechanism.hashed_range, mechanism.digits)
                value = sum(a * x for a, x in zip(factors, digits, strict=True))
                expected[item] += value % mechanism.hashed_range == answer
        else:
            matrix = linalg.hadamard(mechanism.outcomes)
            expected.update({item: int(matrix[item + 1, report] == 1) for item in range(items)})
    assert mechanism.supports(reports).tolist() == [expected[item] for item in range(items)]


def digits_of(number: int, base: int, count: int) -> list[int]:
    return [number // base**place % base for place in range(count)]


@pytest.mark.parametrize("mechanism", [OLH(1.0, 20), Hadamard(1.0, 20)], ids=str)
def test_supports_drawn_in_portions_are_those_of_the_reports(
    mechanism: Numbered, monkeypatch: pytest.MonkeyPatch
) -> None:
    holders = np.array([*range(10), *[0] * 7, 5, 0, 1])
    values = np.repeat(np.arange(1, 21), holders)
    whole = mechanism.supports(mechanism.perturb(values, SampledCoins(3, "u1")))
    assert mechanism.draw_supports(holders, SampledCoins(3, "u1")).tolist() == whole.tolist()
    monkeypatch.setattr(numbered, "PORTION", 7)
    coins, again = SampledCoins(3, "u1"), SampledCoins(3, "u1")
    portions = [
        mechanism.supports(mechanism.perturb(values[start : start + 7], again))
        for start in range(0, values.size, 7)
    ]
    assert mechanism.draw_supports(holders, coins).tolist() == np.sum(portions, axis=0).tolist()


@pytest.mark.parametrize("mechanism", [OLH(1.0, 20), Hadamard(1.0, 20)], ids=str)
def test_what_is_no_report_is_refused(mechanism: Numbered) -> None:
    for refused in ([mechanism.outcomes], [-1]):
        with pytest.raises(ValueError, match="reports are whole numbers from 0"):
            mechanism.supports(refused)
    with pytest.raises(ValueError, match="values are whole numbers from 1 to 20"):
        mechanism.perturb([21], SampledCoins(1, "u1"))
    with pytest.raises(ValueError, match="too many to list"):
        type(mechanism)(1.0, 10**6).law(1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["OLH", "Hadamard"])
def test_errors_of_an_independent_library_have_our_variance(name: str) -> None:
    """The squared errors of 400 collections of 60 users by pure-ldp, in units of our variance."""
    pytest.importorskip("pure_ldp", reason="the extra `bench` is not installed")
    oracles: Any = pytest.importorskip("pure_ldp.frequency_oracles")
    if name == "OLH" and int(pytest.importorskip("xxhash").VERSION.split(".")[0]) >= 4:
        pytest.skip("pure-ldp hashes texts, which xxhash 4 refuses")
    epsilon, items, users, held = 1.0, 6, 60, 24
    mechanism: Numbered = OLH(epsilon, items) if name == "OLH" else Hadamard(epsilon, items)
    variance = mechanism.variance(held / users, users) * users**2
    errors = []
    for _ in range(400):
        if isinstance(mechanism, OLH):
            g = mechanism.hashed_range
            client = oracles.LHClient(epsilon, items, g=g)
            server = oracles.LHServer(epsilon, items, g=g)
        else:
            server = oracles.HadamardResponseServer(epsilon, items)
            client = oracles.HadamardResponseClient(epsilon, items, server.get_hash_funcs())
        for user in range(users):
            server.aggregate(client.privatise(2 if user < held else 3 + user % 4))
        errors.append(server.estimate(2, suppress_warnings=True) - held)
    law = stats.chi2(len(errors))
    total = np.square(errors).sum() / variance
    assert law.ppf(FALSE_ALARM / 2) < total < law.isf(FALSE_ALARM / 2)
