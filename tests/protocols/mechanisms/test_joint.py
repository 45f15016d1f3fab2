"""Laws of whole reports on several attributes: they agree with the text of the algorithms and with
drawn reports, and their ε is as stated.
"""

from fractions import Fraction
from itertools import combinations, product
from math import exp
from typing import Any

import numpy as np
import pytest

from protocols.mechanisms.attributes import Attributes
from protocols.mechanisms.channel import epsilon_of
from protocols.mechanisms.density import Density
from protocols.mechanisms.duchi_multi import DuchiMulti
from protocols.mechanisms.joint import JointLaw, epsilon_of_reports
from protocols.mechanisms.split import JOINT, SINGLE, Split
from protocols.mechanisms.tuples import Tuples
from protocols.mechanisms.unary import OUE
from tests.harness.laws import law_of
from tests.harness.many_cases import for_each

CATEGORIES = Attributes(0, (2, 3))
MIXED = Attributes(2, (2, 3))
EVERY = [*product((1, 2), (1, 2, 3))]


def drawn(protocol: Any, categories: tuple[int, ...]) -> dict[Any, Fraction]:
    """The law of a report by playing out all its coins: the attributes, and each one's bits as a
    number.
    """

    def draw(coins: Any) -> Any:
        made = protocol.perturb(np.zeros((1, 0)), [categories], coins)
        rows = [bits[0].tolist() for bits in made.encodings if len(bits)]
        places = tuple(np.flatnonzero(made.reported[0]).tolist())
        return places, tuple(int("".join(str(int(bit)) for bit in row), 2) for row in rows)

    return law_of(draw)


@pytest.mark.parametrize(
    "protocol",
    [Tuples(1.0, CATEGORIES, "pm", 1), Tuples(1.0, CATEGORIES, "pm", 2), Split(1.0, CATEGORIES)],
    ids=str,
)
def test_the_law_of_categories_is_that_of_all_coins_and_has_the_stated_epsilon(
    protocol: Any,
) -> None:
    for categories in ((1, 3), (2, 1)):
        assert protocol.law([], categories).rows() == drawn(protocol, categories)
    laws = [protocol.law([], categories).rows() for categories in EVERY]
    assert epsilon_of([list(law.values()) for law in laws]) == pytest.approx(
        protocol.exact_epsilon, rel=1e-12
    )
    assert protocol.exact_epsilon == pytest.approx(1.0, rel=1e-12)


def test_sets_drawn_with_another_budget_are_told_apart() -> None:
    assert Tuples(1.0, CATEGORIES, "pm", 1).law([], (1, 3)).rows() != drawn(
        Tuples(1.1, CATEGORIES, "pm", 1), (1, 3)
    )


@for_each("inner", ["pm", "hm"])
@for_each("k", [1, 2, 3, 4])
@for_each("epsilon", [0.4, 6.0])
def test_numbers_and_categories_together_have_the_stated_epsilon(
    inner: Any, k: int, epsilon: float
) -> None:
    """From the law itself: the largest sum over the parts of one set, over all pairs of tuples of
    extreme values.
    """
    protocol = Tuples(epsilon, MIXED, inner, k)
    tuples = [([-1.0, 1.0], (1, 2)), ([1.0, -1.0], (2, 1)), ([0.0, 0.3], (2, 3))]
    laws = [protocol.law(*one) for one in tuples]
    assert len(list(laws[0].sets)) * laws[0].chance == 1
    found = max(epsilon_of_reports(one, other) for one, other in combinations(laws, 2))
    assert found == pytest.approx(protocol.exact_epsilon, rel=1e-9)
    assert epsilon_of_reports(laws[0], protocol.law([-1.0, -1.0], (1, 2))) == pytest.approx(
        epsilon / k, rel=1e-9
    )


@pytest.mark.parametrize("method", [*JOINT, *SINGLE])
def test_a_split_budget_has_the_stated_epsilon(method: Any) -> None:
    protocol = Split(1.0, MIXED, method)
    one, other = protocol.law([-1.0, -1.0], (1, 2)), protocol.law([1.0, 1.0], (2, 1))
    found = epsilon_of_reports(one, other)
    if method == "duchi-as-printed":  # ties are reached against another corner
        found = max(found, epsilon_of_reports(one, protocol.law([1.0, -1.0], (2, 1))))
    assert found == pytest.approx(protocol.exact_epsilon, rel=1e-9)


def test_the_densities_of_a_mixed_law_are_those_of_the_mechanism() -> None:
    protocol = Tuples(6.0, MIXED, "pm", 2)
    law = protocol.law([0.5, -0.3], (1, 2))
    first, second = law.part_laws((1, 2))
    assert isinstance(first, Density)
    assert first.mean == pytest.approx(-0.3)
    assert second == OUE(3.0, 2).law(1)
    with pytest.raises(ValueError, match="reports with a density are not listed"):
        law.rows()


def test_a_law_of_too_many_reports_is_not_listed() -> None:
    with pytest.raises(ValueError, match="a law of more than 65536 reports is not listed"):
        JointLaw((OUE(1.0, 10).law(1), OUE(1.0, 10).law(1)), 2).rows()
    with pytest.raises(ValueError, match="a law of more than 65536 reports is not listed"):
        JointLaw((OUE(1.0, 2).law(1),) * 40, 20).rows()


def test_a_law_is_listed_up_to_65536_reports_of_all_sets_together() -> None:
    large, small = OUE(1.0, 13).law(1), OUE(1.0, 2).law(1)
    rows = JointLaw((large, *[small] * 9), 1).rows()
    assert len(rows) == 2**13 + 9 * 4
    assert sum(rows.values()) == 1


@pytest.mark.parametrize("variant", ["corrected", "as-printed"])
@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_the_law_of_a_tuple_of_numbers_is_that_of_the_words(d: int, variant: Any) -> None:
    """A coin of e^ε to 1 (weighed by the sizes, if corrected) picks T+ or T-, and a corner there is
    as good as any.
    """
    made, values = DuchiMulti(0.7, d, variant), np.linspace(-0.5, 1, d)
    corners = np.array(list(product([-1, 1], repeat=d)))
    expected = np.zeros(2**d)
    for v in corners:
        agreeing = corners @ v
        above = agreeing > 0 if variant == "corrected" else agreeing >= 0
        weigh = above.sum() / (agreeing <= 0).sum() if variant == "corrected" else 1.0
        coin = weigh * exp(0.7) / (1 + weigh * exp(0.7))
        row = coin * above / above.sum() + (1 - coin) * (agreeing <= 0) / (agreeing <= 0).sum()
        expected += np.prod((1 + v * values) / 2) * row
    law = made.law_of_tuple(values)
    assert sum(law) == 1
    np.testing.assert_allclose([float(chance) for chance in law], expected, rtol=1e-12)
    rows = [made.law_of_tuple(corner) for corner in corners]
    assert epsilon_of(rows) == pytest.approx(made.exact_epsilon, rel=1e-12)
    assert sum(law[2 ** (d - 1) :]) == pytest.approx(
        exp(made.law(values[0]).atoms[1].log_mass), rel=1e-12
    )


def test_bad_tuples_and_long_ones_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 8 attributes"):
        DuchiMulti(1.0, 9).law_of_tuple(np.zeros(9))
    for protocol in (Tuples(1.0, MIXED), Split(1.0, MIXED)):
        with pytest.raises(ValueError, match="from 1 to 3, got 4"):
            protocol.law([0.0, 0.0], (1, 4))
        with pytest.raises(ValueError, match=r"got 1\.5"):
            protocol.law([0.0, 1.5], (1, 1))
