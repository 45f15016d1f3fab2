"""Statements name their view and assumption. Runs and commands state them; collusion and drop-outs
leave less privacy.
"""

import json
from math import exp, inf, log, log10

import pytest

from protocols.catalogue import about
from protocols.dpdg.privacy import UserNoise, noisy_run, restoring_factor, server_of_noisy_counts
from protocols.dpdg.script import DPDG
from protocols.privacy.count_statements import sampled_run, server_of_sampling
from protocols.privacy.gaussian import GaussianProfile, sigma
from protocols.privacy.profile import delta_at
from protocols.privacy.sampled_counts import profile
from protocols.tss.enumerated import is_tiny
from protocols.tss.privacy import s1_of_tss, tss_run
from simnet.cli.main import main
from simnet.stated.privacy import Statements, small_in_words, small_number


def command(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main([*arguments])
    captured = capsys.readouterr()
    return ended.value.code, captured.out, captured.err


def as_json(capsys, *arguments):
    status, out, _ = command(capsys, *arguments, "--json", "-")
    assert status == 0
    return json.loads(out)


KEYS = {"epsilon", "delta", "log10_delta", "relation", "bound", "view", "assumption"}


@pytest.mark.parametrize("relation", ["remove", "replace"])
def test_the_command_states_the_exact_delta_and_inverts_it(capsys, relation):
    common = (
        "privacy",
        "dpcs",
        "--counts",
        "33,40,200",
        "--participation",
        "0.39",
        "--relation",
        relation,
    )
    found = as_json(capsys, *common, "--epsilon", "0.5")
    assert set(found) >= KEYS
    assert found["relation"] == relation
    assert found["delta"] == delta_at(profile([33, 40, 200], 0.39, relation), 0.5)
    assert found["bound"] >= found["delta"]
    back = as_json(capsys, *common, "--delta", str(found["delta"]))
    assert back["epsilon"] == pytest.approx(0.5, rel=1e-9)
    assert back["delta"] == found["delta"]
    assert "33 holders" in found["assumption"]
    assert "counts" in found["view"]


def test_a_delta_below_every_float_is_not_a_silent_zero(capsys):
    found = as_json(
        capsys,
        "privacy",
        "dpds",
        "--counts",
        "10000000,10000000",
        "--participation",
        "0.39",
        "--epsilon",
        "0.5",
    )
    assert found["log10_delta"] < -3e5
    mantissa, exponent = found["delta"].split("e")
    assert int(exponent) + log10(float(mantissa)) == pytest.approx(found["log10_delta"], abs=1e-4)


def test_a_number_is_written_as_text_only_where_no_float_holds_it():
    assert small_number(log(1e-200)) == pytest.approx(1e-200)
    assert small_number(-inf) == 0
    assert str(small_number(-1000 * log(10) + log(3))).endswith("e-1000")
    assert small_in_words(-1000 * log(10)) == "1.00e-1000"


def test_the_command_on_s1(capsys):
    found = as_json(
        capsys,
        "privacy",
        "tss-s1",
        "--items",
        "30",
        "--reported",
        "12",
        "--gamma",
        "2",
        "--participation",
        "0.5",
    )
    assert found["bound"] == pytest.approx(log(2))
    assert 0 < found["epsilon"] < found["bound"]
    assert found["delta"] == 0
    assert s1_of_tss(30, 12, 0.5, None).epsilon == 0


@pytest.mark.slow
def test_s2_has_a_bound_an_output_only_and_when_tiny_an_exact_statement(capsys):
    rows = as_json(
        capsys,
        "privacy",
        "tss",
        "--counts",
        "2,1",
        "--participation",
        "0.5",
        "--reported",
        "1",
        "--epsilon",
        "1e-9",
    )
    by_label = {(row["label"], row["relation"]): row for row in reversed(rows)}
    exact = by_label["enumerated", "replace"]["delta"]
    assert (
        by_label["output only, not S2's view", "replace"]["delta"]
        < exact
        < by_label["bound", "replace"]["delta"]
    )


@pytest.mark.slow
def test_the_exact_delta_of_the_tiny_instance_lies_between():
    """Users 1, 1, 2 and the first moving to item 2: 13/64 for the published counts, 5/16 for S2,
    3/8 for DPDS.
    """
    from protocols.privacy.sampled_counts import Replacement
    from protocols.tss.script import TSS
    from simnet.exhaustive.compare import Comparison

    seen = Comparison(TSS(3, 2, 0.5, 1), "S2").compare([1, 1, 2], [2, 1, 2]).delta()
    assert float(seen) == 5 / 16
    assert delta_at(Replacement(2, 1, 0.25), 0.0) == pytest.approx(13 / 64)
    assert delta_at(Replacement(2, 1, 0.5), 0.0) == pytest.approx(3 / 8)


def test_colluders_and_dropouts_leave_fewer_holders():
    alone = server_of_sampling([100, 120], 0.3, "replace", epsilon=0.5)
    together = server_of_sampling([100, 120], 0.3, "replace", epsilon=0.5, colluders=20, dropped=10)
    assert together.log_delta == server_of_sampling([70, 90], 0.3, "replace", epsilon=0.5).log_delta
    assert together.log_delta > alone.log_delta
    assert "20 colluders and 10" in together.assumption
    with pytest.raises(ValueError, match="above 100"):
        server_of_sampling([100, 120], 0.3, "replace", epsilon=0.5, colluders=100)


def test_taking_all_colluders_off_both_items_is_a_bound():
    """Ten colluders may all hold the one item or the other, or some each: no split tells more than
    what is stated.
    """
    stated = server_of_sampling([50, 50], 0.39, "replace", epsilon=0.5, colluders=10)
    assert stated.label == "bound"
    splits = [
        server_of_sampling([40 + there, 50 - there], 0.39, "replace", epsilon=0.5)
        for there in range(11)
    ]
    assert max(one.log_delta for one in splits) < stated.log_delta
    assert server_of_sampling([50, 50], 0.39, "remove", epsilon=0.5, colluders=10).label == "exact"


def test_bounds_and_claims_below_every_float_are_no_silent_zeros():
    stated = server_of_sampling([10**6, 10**6], 0.3, "replace", epsilon=0.5)
    assert isinstance(stated.bound, str)
    assert int(stated.bound.split("e")[1]) < -300
    assert "e-" in stated.row()["closed form"]
    claimed = sampled_run([10**6] * 300, 0.3, None, None)[0].claimed
    assert isinstance(claimed, str)


def test_a_bound_on_a_pure_epsilon_is_shown_as_one():
    assert s1_of_tss(30, 12, 0.5, 2.0).row()["closed form"].startswith("ε 0.693")


@pytest.mark.parametrize(
    "arguments",
    [
        ("dpcs", "--counts", "33,40", "--participation", "1e-320", "--epsilon", "0.5"),
        (
            "dpcs",
            "--counts",
            "33,40",
            "--participation",
            "0.3",
            "--epsilon",
            "0.5",
            "--colluders",
            "1.5",
        ),
        ("tss-s1", "--items", "30", "--reported", "2.5", "--participation", "0.5"),
        ("dpcs", "--counts", "1_000,40", "--participation", "0.3", "--epsilon", "0.5"),
        (
            "dpdg",
            "--users",
            "10",
            "--epsilon",
            "1e-300",
            "--delta",
            "1e-300",
            "--calibration",
            "analytic",
        ),
        (
            "claims",
            "--users",
            "1000",
            "--items",
            "30",
            "--beta",
            "0.0333333333",
            "--epsilon",
            "0.5",
        ),
        (
            "users",
            "--share",
            "0.6",
            "--participation",
            "0.3",
            "--epsilon",
            "0.5",
            "--delta",
            "1e-6",
        ),
    ],
)
def test_what_no_formula_covers_is_refused_in_one_line(capsys, arguments):
    status, _, err = command(capsys, "privacy", *arguments)
    assert status == 2
    assert len(err.strip().splitlines()) == 1


def test_colluders_take_their_noise_off_and_a_factor_restores_it():
    variance = sigma("analytic", 2**0.5, 0.5, 1e-5) ** 2 / 1000
    whole = server_of_noisy_counts(1000, UserNoise(variance), epsilon=0.5)
    assert whole.log_delta == pytest.approx(log(1e-5), rel=1e-9)
    left = server_of_noisy_counts(
        1000, UserNoise(variance), epsilon=0.5, colluders=300, dropped=100
    )
    assert left.log_delta == pytest.approx(
        GaussianProfile((600 * variance) ** 0.5, 2**0.5).log_delta(0.5)
    )
    factor = restoring_factor(1000, 300, 100)
    restored = server_of_noisy_counts(
        1000, UserNoise(variance * factor), epsilon=0.5, colluders=300, dropped=100
    )
    assert restored.log_delta == pytest.approx(whole.log_delta, rel=1e-9)
    with pytest.raises(ValueError, match="no user's noise"):
        server_of_noisy_counts(10, UserNoise(1.0), epsilon=0.5, colluders=6, dropped=4)


@pytest.mark.parametrize("variance", [0.0, -1.0, inf, float("nan")])
def test_noise_without_a_positive_variance_is_refused(variance):
    with pytest.raises(ValueError, match="the variance of noise is positive and finite"):
        UserNoise(variance, "rounded-gaussian", 4)


@pytest.mark.parametrize("draw", ["rounded-gaussian", "discrete-gaussian"])
@pytest.mark.parametrize("variance", [1e-300, 1e-30, 1e-5])
def test_noise_that_is_nothing_on_its_grid_is_refused(draw, variance):
    with pytest.raises(ValueError, match="and is 0 there"):
        server_of_noisy_counts(10, UserNoise(variance, draw, 0), epsilon=0.5)


@pytest.mark.slow
def test_noise_on_a_coarse_grid_is_taken_as_it_is_drawn():
    """On a fine grid it is the Gaussian to many digits.

    On a coarse one rounding hides a little more.
    """
    variance = sigma("analytic", 2**0.5, 0.5, 1e-5) ** 2 / 200
    ideal, fine, coarse = (
        server_of_noisy_counts(200, UserNoise(variance, "rounded-gaussian", bits), epsilon=0.5)
        for bits in (None, 6, 2)
    )
    assert fine.log_delta == pytest.approx(ideal.log_delta, abs=2e-3)
    assert coarse.log_delta < fine.log_delta - 1e-3
    assert "by which it is drawn" in coarse.assumption
    discrete = server_of_noisy_counts(200, UserNoise(variance, "discrete-gaussian", 2), epsilon=0.5)
    assert discrete.log_delta == pytest.approx(ideal.log_delta, abs=2e-3)


def test_the_printed_noise_share_of_a_run_and_of_the_command(capsys):
    rows = as_json(
        capsys,
        "privacy",
        "dpdg",
        "--users",
        "1000",
        "--epsilon",
        "0.5",
        "--delta",
        "1e-5",
        "--noise-share",
        "as-printed",
    )
    assert rows["delta"] == pytest.approx(0.87, abs=0.005)
    assert rows["restoring_factor"] == 1
    (first, _), factor = noisy_run(1000, 0.5, 1e-5, "classic", "as-printed", 0, 0)
    assert exp(first.log_delta) == rows["delta"]
    assert factor == 1
    protocol = DPDG(1000, 3, 0.5, 1e-5, noise_share="as-printed")
    assert about(protocol).privacy(None, None, None, None)[0].log_delta == pytest.approx(
        first.log_delta, rel=1e-12
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dpds", "tss", "dpdg", "weighted"])
def test_every_run_prints_its_privacy(capsys, name):
    arguments = ("run", name, "--set", "users=80", "--set", "items=4", "--no-claims")
    status, out, _ = command(capsys, *arguments)
    assert status == 0
    assert "Privacy of one user against" in out
    assert "assuming" in out
    found = as_json(capsys, *arguments)["privacy"]
    assert set(found) >= KEYS
    assert len(found["statements"]) >= 2


def test_a_run_states_the_privacy_that_is_asked(capsys):
    arguments = (
        "run",
        "dpds",
        "--set",
        "users=80",
        "--set",
        "items=4",
        "--no-claims",
        "--at-epsilon",
        "0.9",
        "--at-delta",
        "1e-3",
    )
    statements = as_json(capsys, *arguments)["privacy"]["statements"]
    assert [one["epsilon"] for one in statements[::2]] == [0.9, 0.9]
    assert [one["delta"] for one in statements[1::2]] == [1e-3, 1e-3]


def test_a_run_says_what_the_paper_would_have_claimed():
    statements = sampled_run([33] * 30, 1 - exp(-0.5), None, 1e-6)
    assert statements[0].claim == "Theorem 3.1"
    assert float(statements[0].claimed) < 1e-20 < exp(statements[0].log_delta)
    assert statements[1].claimed == pytest.approx(0.5)  # it claims ε = 0.5 for this δ too
    assert statements[1].epsilon > 0.9


def test_counting_everybody_is_told():
    assert {one.log_delta for one in sampled_run([5, 6], 1.0, None, 1e-6)[::2]} == {0.0}
    assert sampled_run([5, 6], 1.0, None, 1e-6)[1].epsilon == inf


def test_tss_names_all_views():
    views = [one.whose for one in tss_run([30, 40, 50], 0.4, 2, 2.0, None, None)]
    assert len(set(views)) == 3
    assert any("not S2's view" in one for one in views)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--counts", "33,40", "--epsilon", "0"), "epsilon is positive"),
        (("--counts", "33,40", "--epsilon", "-1"), "epsilon is positive"),
        (("--counts", "33,40", "--epsilon", "nan"), "epsilon is positive"),
        (("--counts", "33,40", "--delta", "1"), "delta lies between"),
        (("--counts", "33,40", "--delta", "0"), "delta lies between"),
        (("--counts", "33,40"), "give exactly one of epsilon and delta"),
        (
            ("--counts", "33,40", "--epsilon", "1", "--delta", "0.1"),
            "give exactly one of epsilon and delta",
        ),
        (("--counts", "0,0", "--epsilon", "1"), "no item has a holder"),
        (("--counts", "-3,4", "--epsilon", "1"), "counts lie in"),
        (("--counts", "3.5", "--epsilon", "1"), "whole numbers"),
        (("--counts", "33", "--epsilon", "1"), "two items"),
        (("--counts", "33,40", "--epsilon", "1", "--relation", "swap"), "remove or replace"),
        (("--counts", "33,40", "--epsilon", "1", "--colluders", "-1"), "at least 0"),
    ],
)
def test_the_command_refuses_nonsense_in_one_line(capsys, arguments, words):
    status, out, err = command(capsys, "privacy", "dpcs", "--participation", "0.3", *arguments)
    assert status == 2
    assert words in err
    assert len(err.strip().splitlines()) == 1
    assert not out


def test_parameters_for_a_target(capsys):
    found = as_json(
        capsys,
        "privacy",
        "participation",
        "--counts",
        "33,40",
        "--epsilon",
        "0.5",
        "--delta",
        "1e-6",
    )
    assert delta_at(profile([33, 40], found["participation"], "replace"), 0.5) <= 1e-6
    needed = as_json(
        capsys,
        "privacy",
        "users",
        "--share",
        "0.1",
        "--participation",
        "0.3",
        "--epsilon",
        "0.5",
        "--delta",
        "1e-6",
    )
    assert needed["users"] == 10 * needed["holders"]
    options = as_json(
        capsys,
        "privacy",
        "advise",
        "--users",
        "500",
        "--items",
        "5",
        "--rarest",
        "100",
        "--epsilon",
        "0.5",
        "--delta",
        "1e-5",
        "--budget",
        "1000",
    )
    assert {one["protocol"] for one in options} > {"dpds", "tss", "dpdg", "grr", "oue"}


def test_of_s1_the_bound_is_one_on_epsilon():
    statement = s1_of_tss(30, 12, 0.5, 2.0)
    assert statement.row()["closed form"].startswith("ε 0.693")
    assert statement.as_json()["delta"] == 0


@pytest.mark.parametrize("counts", [[0, 5], [0, 0, 5], [5, 0, 0, 7]])
def test_items_that_nobody_holds_are_not_said_to_have_holders(counts):
    said = server_of_sampling(counts, 0.4, "replace", epsilon=0.5).assumption
    assert said == (
        "an item that nobody holds may gain a holder, and every item that is held has at least "
        "5 holders"
    )


@pytest.mark.parametrize("counts", [[5, 6], [0, 5], [5, 5, 5]])
def test_every_line_on_assumptions_names_its_neighbouring_relation(counts):
    shown = repr(Statements(sampled_run(counts, 0.4, None, 1e-6)))
    lines = [line for line in shown.splitlines() if "assuming" in line]
    assert len(lines) == 2
    assert lines[0].endswith("(remove: one user is taken out)")
    assert lines[1].endswith("(replace: one user has another input)")


@pytest.mark.parametrize("gamma", [float("inf"), float("nan"), 1.0])
def test_tss_refuses_a_gamma_that_is_none(gamma):
    with pytest.raises(ValueError, match="gamma is above 1"):
        tss_run([30, 40], 0.4, 1, gamma, None, None)


def test_what_is_played_out_is_small_and_has_neighbours():
    assert all(map(is_tiny, ([2, 2], [1, 1, 1])))
    assert not any(map(is_tiny, ([2, 1, 1], [1], [3], [1, 0], [1000, 1000])))


def test_a_single_user_is_no_users():
    assert (
        "of 1 user, with 1 colluding user"
        in server_of_noisy_counts(2, UserNoise(1.0), epsilon=1.0, colluders=1).view
    )
