"""Laws on the real line: moments and distribution functions are compared with quadrature, and log
ratios with a fine grid.
"""

from fractions import Fraction
from itertools import pairwise
from math import exp, inf, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import laplace

from protocols.mechanisms.density import Atom, Density, Flat, Tail, epsilon_between, mixture
from tests.harness.many_cases import for_each

HALVES = Density((Flat(-1, 0, log(0.3)), Flat(0, 1, log(0.7))))
STAIRS = Density(
    (Tail(0.25, -1, log(0.2), 0.5, 2), Flat(0.25, 1.5, log(0.1)), Tail(1.5, 1, log(0.05), 0.3))
)
ATOMS = Density((Flat(2, 3, log(0.5)),), (Atom(-1, log(0.2)), Atom(4, log(0.3))))
LAWS = for_each("law", [HALVES, STAIRS, ATOMS])


def integral(law: Density, power: int, low: float = -60, high: float = 80) -> float:
    """The integral of x^power from low to high, piece by piece between all places where these
    densities jump.
    """
    cuts = [
        low,
        *(
            x
            for x in sorted({*np.arange(0.25, -60, -2), -1, 0, 0.25, 1, 1.5, 2, 3})
            if low < x < high
        ),
        high,
    ]
    parts = pairwise(cuts)
    smooth = sum(
        quad(lambda x: x**power * exp(law.log_density(x)), a + 1e-12, b - 1e-12)[0]
        for a, b in parts
    )
    return smooth + sum(
        exp(atom.log_mass) * float(atom.at) ** power for atom in law.atoms if low < atom.at <= high
    )


@LAWS
def test_moments_are_integrals(law: Density) -> None:
    assert law.mass == pytest.approx(integral(law, 0), rel=1e-8)
    assert law.mean == pytest.approx(integral(law, 1), rel=1e-6)
    assert law.second_moment == pytest.approx(integral(law, 2), rel=1e-5)


@LAWS
@for_each("x", [-7.3, -0.99, 0.3, 1.2, 2.6, 3.9, 4.0, 5.0])
def test_the_distribution_function_is_an_integral(law: Density, x: float) -> None:
    assert law.cdf(x) == pytest.approx(integral(law, 0, high=x), abs=1e-8)


def test_two_tails_are_the_laplace_law() -> None:
    law = Density((Tail(0.3, -1, log(0.35), 0.7), Tail(0.3, 1, log(0.35), 0.7)))
    x = np.linspace(-20, 20, 1001)
    np.testing.assert_allclose(law.log_density(x), laplace.logpdf(x, 0.3, 1 / 0.7), rtol=1e-12)
    np.testing.assert_allclose(law.cdf(x), laplace.cdf(x, 0.3, 1 / 0.7), rtol=1e-9)
    assert law.second_moment - law.mean**2 == pytest.approx(laplace.var(0.3, 1 / 0.7), rel=1e-12)


@given(
    st.lists(st.floats(-3, 3), min_size=2, max_size=2, unique=True),
    st.floats(0.01, 3),
    st.sampled_from([0, 1, 2]),
)
def test_the_largest_ratio_is_that_of_a_fine_grid(
    places: list[float], fall: float, step: int
) -> None:
    laws = [
        Density(
            (
                Tail(at - 1, -1, 0.0, fall, step),
                Flat(at - 1, at + 1, 0.4),
                Tail(at + 1, 1, 0.0, fall, step),
            )
        )
        for at in places
    ]
    edges = [at + side + step * j for at in places for side in (-1, 1) for j in range(-8, 9)]
    grid = np.array([edge + nudge for edge in edges for nudge in (-1e-9, 1e-9)])
    found = float(np.abs(laws[0].log_density(grid) - laws[1].log_density(grid)).max())
    if abs(places[0] - places[1]) > 1e-6:  # else the grid misses the pieces in between
        assert epsilon_between(laws) == pytest.approx(found, rel=1e-6, abs=1e-6)


def test_the_ratio_sees_the_narrowest_piece() -> None:
    sliver = Fraction(1, 10**300)
    law = Density(
        (Flat(0, Fraction(1, 2), 0.0), Flat(Fraction(1, 2), Fraction(1, 2) + sliver, 5.0))
    )
    without = Density((Flat(0, Fraction(1, 2) + sliver, 0.0),))
    assert epsilon_between([law, without]) == 5.0


@pytest.mark.parametrize(
    "other",
    [
        Density((Flat(-1, 0, log(0.3)), Flat(0, 2, log(0.35)))),
        Density((Flat(-1, 0, log(0.3)), Flat(0, 1, log(0.6))), (Atom(0, log(0.1)),)),
        Density((Flat(-1, 0, log(0.3)), Tail(0, 1, log(0.7), 1.0))),
        Density(atoms=(Atom(0, 0.0),)),
    ],
    ids=["wider", "atom", "tail", "atom only"],
)
def test_an_outcome_of_one_law_alone_has_no_finite_ratio(other: Density) -> None:
    assert epsilon_between([HALVES, HALVES]) == 0
    assert epsilon_between([HALVES, other]) == inf


def test_tails_that_fall_unlike_drift_apart_for_ever() -> None:
    steep, flat = (Density((Tail(0, 1, log(fall), fall),)) for fall in (1.0, 1.1))
    assert epsilon_between([steep, flat]) == inf


def test_a_steady_tail_is_compared_with_a_stepping_one() -> None:
    steady, stepping = (
        Density((Tail(0, 1, 0.0, 0.5),)),
        Density((Tail(0.5, 1, 0.0, 0.5, 2), Flat(0, 0.5, 0.0))),
    )
    assert epsilon_between([steady, stepping]) == pytest.approx(
        0.5 * 2.5
    )  # just before the stairs' first fall
    with pytest.raises(ValueError, match=r"steps have the same width, got \[1, 2\]"):
        epsilon_between([Density((Tail(0, 1, 0.0, 0.5, 1),)), stepping])


def test_an_atom_without_mass_is_none() -> None:
    assert (
        epsilon_between(
            [Density(atoms=(Atom(0, 0.0), Atom(1, -inf))), Density(atoms=(Atom(0, 0.0),))]
        )
        == 0
    )


def test_a_mixture_weighs_its_parts() -> None:
    law = mixture([(log(0.25), HALVES), (log(0.75), ATOMS)])
    assert law.mass == pytest.approx(1)
    assert law.mean == pytest.approx(0.25 * HALVES.mean + 0.75 * ATOMS.mean)
    assert law.cdf(0.5) == pytest.approx(0.25 * HALVES.cdf(0.5) + 0.75 * ATOMS.cdf(0.5))


def test_a_piece_without_width_is_refused() -> None:
    with pytest.raises(ValueError, match=r"positive width, got 1\.0 to 1\.0"):
        Flat(1.0, 1.0, 0.0)
