"""Mechanisms by name, their computed properties, and `simnet mechanism`: law, bias, variance and ε
agree.
"""

import json
from fractions import Fraction
from itertools import product
from math import exp, log1p
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.mechanisms.described import bias_of_share, described
from protocols.mechanisms.drawing import law_figure
from protocols.mechanisms.duchi import Duchi
from protocols.mechanisms.duchi_multi import DuchiMulti
from protocols.mechanisms.grr import GRR
from protocols.mechanisms.hybrid import HM
from protocols.mechanisms.named import FREQUENCY, NUMERIC, RECIPES, mechanism
from protocols.mechanisms.piecewise import PM
from simnet.coins.sampled import SampledCoins
from simnet.values.metered import Metered
from tests.harness.many_cases import for_each
from tests.harness.shell import simnet
from tests.harness.timing import stopwatch

ARGUMENTS: dict[str, dict[str, Any]] = {
    **{name: {"epsilon": 1.0, "items": 4} for name in FREQUENCY},
    "warner": {"epsilon": 1.0},
    "joy-gerla": {"truthful": 0.5, "yes": 0.25, "sampling": 0.5},
    **{name: {"epsilon": 1.0} for name in NUMERIC},
    "duchi-multi": {"epsilon": 1.0, "attributes": 4},
}
names = for_each("name", RECIPES)


def test_every_name_is_tried_here() -> None:
    assert set(ARGUMENTS) == set(RECIPES)


# what is computed


@names
def test_nothing_is_biased_and_all_keep_their_epsilon(name: str) -> None:
    found = described(mechanism(name, **ARGUMENTS[name]))
    assert found.bias == 0
    assert found.keeps_what_it_states
    assert found.stated is None or found.epsilon == pytest.approx(1.0, rel=1e-9)
    assert 0 < found.variance <= found.worst_variance * (1 + 1e-12)


@given(st.sampled_from(sorted(NUMERIC)), st.floats(0.01, 20), st.floats(-1, 1))
def test_a_listed_law_has_mass_one_and_the_variance_of_the_formula(
    name: str, epsilon: float, at: float
) -> None:
    made: Any = mechanism(name, epsilon=epsilon)
    found = described(made, at)
    assert sum(row["mass"] for row in found.law) == pytest.approx(1)
    assert found.variance == pytest.approx(made.law(at).second_moment - at * at, rel=1e-6)
    assert found.bias == 0
    lows = [-np.inf if row["low"] is None else row["low"] for row in found.law]
    assert lows == sorted(lows)


@given(st.sampled_from(sorted(FREQUENCY)), st.floats(0.01, 20), st.integers(2, 6), st.floats(0, 1))
def test_reports_have_chances_that_are_epsilon_apart(
    name: str, epsilon: float, items: int, share: float
) -> None:
    found = described(mechanism(name, epsilon=epsilon, items=items), share)
    assert found.bias == 0
    own, other = (
        np.array([row[holder] for row in found.law]) for holder in ("holder of 1", "holder of 2")
    )
    if found.law[0]["report"].startswith("supports"):  # item by item
        assert own[0] == other[1] > own[1] == other[0]
    elif name in ("oue", "sue") and items > 4:  # bit by bit: the joint law differs in two bits
        ratios = [np.log(bits / (1 - bits)) for bits in (own, other)]
        assert (ratios[0] - ratios[1])[:2].tolist() == pytest.approx([epsilon, -epsilon], rel=1e-6)
    else:
        assert own.sum() == pytest.approx(1)
        assert np.abs(np.log(own / other)).max() == pytest.approx(epsilon, rel=1e-6)


def test_a_wrong_estimate_has_a_bias() -> None:
    """The counterpart of bias 0: shares that are not debiased, and a number whose bound is too
    small.
    """

    class Undebiased(GRR):
        def debiased(self, shares: Any) -> Any:
            return np.asarray(shares, dtype=float)

    p, q = GRR(1.0, 4).support_chances
    assert bias_of_share(Undebiased(1.0, 4), 0.1) == pytest.approx(0.1 * p + 0.9 * q - 0.1)

    class Narrow(DuchiMulti):
        @property
        def bound(self) -> float:
            return super().bound / 2

    assert described(Narrow(1.0, 4), 0.5).bias == pytest.approx(-0.25)


@for_each("variant", ["corrected", "as-printed"])
@for_each("d", [1, 2, 3, 4, 5])
@for_each("value", [-1.0, -0.4, 0.0, 1.0])
def test_the_law_of_a_coordinate_is_that_of_all_corners(variant: Any, d: int, value: float) -> None:
    """Enumerated over the corners; the other coordinates hold what does not matter."""
    made = DuchiMulti(0.8, d, variant)
    tuple_ = np.array([value, *np.linspace(-0.9, 0.7, d - 1)])
    high = 0.0
    for v in product((-1, 1), repeat=d):
        chance = np.prod([(1 + side * t) / 2 for side, t in zip(v, tuple_, strict=True)])
        agreeing = (
            sum(a == b for a, b in zip(v, (1, *rest), strict=True))
            for rest in product((-1, 1), repeat=d - 1)
        )
        high += chance * sum(exp(made.log_chances[count]) for count in agreeing)
    low_atom, high_atom = made.law(value).atoms
    assert exp(high_atom.log_mass) == pytest.approx(high)
    assert exp(low_atom.log_mass) == pytest.approx(1 - high)
    assert float(high_atom.at) == -float(low_atom.at) == made.bound


@for_each("epsilon", [0.1, 0.5, 1.0, 4.0])
@for_each("d", [2, 3, 6])
def test_the_printed_mechanism_does_not_keep_its_epsilon_for_even_d(epsilon: float, d: int) -> None:
    printed = described(
        mechanism("duchi-multi", epsilon=epsilon, attributes=d, variant="as-printed")
    )
    assert printed.keeps_what_it_states == (d % 2 == 1)
    assert printed.epsilon == pytest.approx(log1p(exp(epsilon)) if d % 2 == 0 else epsilon)
    assert described(mechanism("duchi-multi", epsilon=epsilon, attributes=d)).keeps_what_it_states


# worst variances of Wang et al., Fig. 1
FIGURE_1 = {
    0.5: (32.0, 31.6681, 31.6698, 16.6708, 21.2226, 16.6708),
    1.0: (8.0, 7.6724, 7.6787, 4.6827, 5.2236, 4.2890),
    2.0: (2.0, 1.6912, 1.7103, 1.7241, 1.2276, 1.0423),
    6.0: (0.2222, 0.0670, 0.0802, 1.0100, 0.0735, 0.0704),
    8.0: (0.1250, 0.0258, 0.0262, 1.0013, 0.0253, 0.0249),
}


@pytest.mark.parametrize("epsilon", FIGURE_1)
def test_worst_variances_are_those_of_figure_1(epsilon: float) -> None:
    order = ("laplace", "scdf", "staircase", "duchi", "pm", "hm")
    found = [described(mechanism(name, epsilon=epsilon)).worst_variance for name in order]
    assert [round(one, 4) for one in found] == list(FIGURE_1[epsilon])


@names
def test_a_law_is_drawn(name: str) -> None:
    figure = law_figure(mechanism(name, **ARGUMENTS[name]), 0.3)
    drawn = [axes for axes in figure.axes if axes.lines or axes.patches]
    assert drawn
    for axes in drawn:
        assert axes.get_ylim()[0] == 0
    if name == "hm":
        assert len(figure.axes) == 2  # a density and atoms
        with pytest.raises(ValueError, match=r"got 2\.0"):
            law_figure(mechanism(name, **ARGUMENTS[name]), 2.0)
    if name == "grr":
        heights = sorted({round(patch.get_height(), 12) for patch in figure.axes[0].patches})
        assert heights == pytest.approx(sorted(GRR(1.0, 4).support_chances))


# by name


@pytest.mark.parametrize(
    ("name", "given", "what"),
    [
        ("rappor", {}, "mechanism is oue or sue or grr or .* or duchi-multi, got 'rappor'"),
        ("oue", {"epsilon": 1.0}, "items is missing: oue takes epsilon, items"),
        ("pm", {"epsilon": 1.0, "items": 3}, "items does not belong here: pm takes epsilon"),
        ("joy-gerla", {"truthful": 0.5}, "yes is missing: joy-gerla takes truthful, yes, sampling"),
        ("duchi-multi", {"epsilon": 1.0, "attributes": 0}, "attributes is at least 1"),
        (
            "duchi-multi",
            {"epsilon": 1.0, "attributes": 2, "variant": "printed"},
            "variant is corrected or as-printed",
        ),
        ("hm", {"epsilon": float("nan")}, "epsilon is positive"),
    ],
)
def test_what_does_not_fit_is_refused(name: str, given: dict[str, Any], what: str) -> None:
    with pytest.raises(ValueError, match=what):
        mechanism(name, **given)


@pytest.mark.parametrize(
    ("name", "at"), [("pm", 1.5), ("pm", float("nan")), ("oue", -0.1), ("oue", 2.0)]
)
def test_a_place_out_of_range_is_refused(name: str, at: float) -> None:
    with pytest.raises(ValueError, match=r"lies in \[-1, 1\]|a probability from 0 to 1"):
        described(mechanism(name, **ARGUMENTS[name]), at)


def test_chances_of_a_description_are_those_of_exact_fractions() -> None:
    made = mechanism("joy-gerla", truthful=Fraction(1, 2), yes=Fraction(1, 4))
    law = described(made).law
    assert [(row["report"], row["holder of 1"]) for row in law] == [
        ("none", 0.0),
        ("yes", 0.625),
        ("no", 0.375),
    ]


# the command


def test_the_command_gives_the_keys_that_scripts_rely_on() -> None:
    status, out, _ = simnet("mechanism", "pm", "--epsilon", 1, "--at", 0.5, "--json", "-")
    found = json.loads(out)
    assert status == 0
    assert found == json.loads(json.dumps(described(mechanism("pm", epsilon=1.0), 0.5).as_json()))
    assert {
        key: round(found[key], 4) for key in ("epsilon", "variance", "worst_variance", "bias")
    } == {"epsilon": 1, "variance": 4.0675, "worst_variance": 5.2236, "bias": 0}


@names
def test_the_command_prints_every_mechanism(name: str) -> None:
    options = [text for key, value in ARGUMENTS[name].items() for text in (f"--{key}", value)]
    status, out, _ = simnet("mechanism", name, *options)
    assert status == 0
    assert "exact ε" in out
    assert "exceeds the requested" not in out


def test_the_command_says_when_the_stated_epsilon_is_not_kept() -> None:
    status, out, _ = simnet(
        "mechanism", "duchi-multi", "--epsilon", 1, "--attributes", 6, "--variant", "as-printed"
    )
    assert status == 0
    assert "exact ε        1.313261688, requested 1" in out
    assert "the exact ε exceeds the requested ε" in out


def test_the_command_raises_no_false_alarm_at_a_tiny_epsilon() -> None:
    for name, size in (
        ("duchi-multi", ("--attributes", 118)),
        ("pm", ()),
        ("hm", ()),
        ("scdf", ()),
        ("staircase", ()),
    ):
        status, out, _ = simnet("mechanism", name, "--epsilon", 1e-6, *size)
        assert status == 0
        assert "exceeds the requested" not in out
    assert (
        "exceeds the requested"
        in simnet(
            "mechanism",
            "duchi-multi",
            "--epsilon",
            1e-6,
            "--attributes",
            118,
            "--variant",
            "as-printed",
        )[1]
    )


@pytest.mark.parametrize("name", ["laplace", "scdf"])
def test_tails_begin_at_minus_infinity(name: str) -> None:
    _, out, _ = simnet("mechanism", name, "--epsilon", 1)
    left, right = (line.split() for line in out.splitlines() if line.startswith("tail"))
    assert (left[1], right[2]) == ("-∞", "∞")


@pytest.mark.slow
@names
def test_laws_with_a_density_are_stated_for_exact_reals(name: str) -> None:
    options = [text for key, value in ARGUMENTS[name].items() for text in (f"--{key}", value)]
    _, out, _ = simnet("mechanism", name, *options)
    dense = name in ("laplace", "scdf", "staircase", "least-variance", "pm", "hm")
    assumed = "assuming exact reals: the doubles that are drawn and sent can tell more (replace: "
    assert (assumed in " ".join(out.split())) == dense
    assert (
        described(mechanism(name, **ARGUMENTS[name]))
        .as_json()["assumption"]
        .startswith("exact reals")
        == dense
    )
    if dense:
        for epsilon, warned in ((60, False), (80, True)):
            assert (
                "smaller than the precision of doubles"
                in simnet("mechanism", name, "--epsilon", epsilon)[1]
            ) == warned


class Uniforms(SampledCoins):
    """Coins whose uniforms are given."""

    def __init__(self, uniforms: Any) -> None:
        super().__init__(1, "u1")
        self.given = uniforms

    def uniform(self, count: int) -> Metered:
        return Metered.of(self.given[:count].copy(), None)


def test_doubles_tell_more_than_the_exact_reals_that_they_stand_for() -> None:
    """What is stated holds for reals alone: PM at ε = 80 reports one double, and at ε = 1 a report
    on 0.3 is often one that no coins make of 0.7, as the search over all uniforms near its place in
    the distribution shows.
    """
    assert np.unique(PM(80.0).perturb(np.full(1000, 0.3), SampledCoins(1, "u1"))).size == 1
    reports = PM(1.0).perturb(np.full(2000, 0.3), SampledCoins(1, "u1"))
    nearest = np.round(PM(1.0).law(0.7).cdf(reports) * 2.0**53)
    tried = (np.clip(nearest + step, 0, 2.0**53 - 1) * 2.0**-53 for step in range(-8, 9))
    made = [
        PM(1.0).perturb(np.full(2000, 0.7), Uniforms(uniforms)) == reports for uniforms in tried
    ]
    assert 0.1 < np.any(made, axis=0).mean() < 0.9
    assert not Duchi(80.0).continuous  # two numbers, by a coin of a fraction as its chance
    assert [HM(epsilon).continuous for epsilon in (0.5, 1.0)] == [False, True]


@pytest.mark.parametrize("name", [*FREQUENCY])
def test_large_domains_are_listed_in_short_and_at_once(name: str, tmp_path: Path) -> None:
    with stopwatch() as watch:
        made: Any = mechanism(name, epsilon=1.0, items=10**8)
        found, figure = described(made), law_figure(made)
    assert watch.seconds < 3
    assert len(found.law) == 3
    assert found.law[-1]["report"] in (
        "each of 3..100000000",
        "bit j is 1 (each j in 3..100000000)",
        "supports j (each j in 3..100000000)",
    )
    assert found.epsilon == pytest.approx(1.0, rel=1e-12)
    assert found.bias == 0
    assert len(figure.axes[0].patches) == 6
    small: Any = mechanism(name, epsilon=1.0, items=41)
    p, q = small.support_chances
    assert [row["holder of 1"] for row in described(small).law] == pytest.approx([p, q, q])
    assert len(described(mechanism(name, epsilon=1.0, items=40)).law) == 40


def test_the_command_draws(tmp_path: Path) -> None:
    status, _, _ = simnet("mechanism", "hm", "--epsilon", 1, "--figure", tmp_path / "x.png")
    assert status == 0
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "arguments", [("foo",), ("oue", "--epsilon", 1), ("pm", "--epsilon", 0), ("pm",)], ids=str
)
def test_the_command_refuses_in_one_line(arguments: tuple[object, ...]) -> None:
    status, out, error = simnet("mechanism", *arguments)
    assert (status, out) == (2, "")
    assert error.startswith("simnet: ")
    assert len(error.splitlines()) == 1
