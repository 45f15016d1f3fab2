"""`simnet privacy degree` and `simnet privacy completes`."""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protocols.commands.drop_outs import bounds_in_words, chances_in_words
from protocols.privacy.completion import Deployment, completions
from tests.harness.shell import refusal, simnet, words

ASKED = ["privacy", "degree", "--users", "1000", "--corrupt", "0.1", "--drop", "0.1"]


def test_the_smallest_degree_is_printed_with_its_bounds() -> None:
    done = simnet(*ASKED, "--server", "lying")
    assert done.status == 0
    assert "degree 138, threshold 95 of 139 shares" in done.out
    assert "the server can open one sum, which counts at least 90 honest users" in words(done.out)
    assert "different users different things" in words(done.out)  # what is not covered


def test_the_printed_run_has_the_printed_threshold() -> None:
    from protocols.secagg.build import secagg_plus

    line = words(simnet(*ASKED).out).partition("simnet run secagg_plus ")[2].split()
    options = dict(zip(line[::2], line[1::2], strict=True))
    found = secagg_plus(
        users=1000, items=2, degree=int(options["--degree"]), left=float(options["--left"])
    )
    assert (found.degree, found.threshold) == (52, 28)


def test_no_run_is_proposed_that_would_be_refused() -> None:
    printed = words(simnet(*ASKED, "--degree", 52, "--threshold", 53).out)
    assert "To run it" not in printed
    assert "simnet run refuses this threshold: with it nobody may drop out." in printed
    run = simnet("run", "secagg_plus", "--users", 20, "--degree", 4, "--left", 0.9, "--no-claims")
    assert "nobody may drop out" in refusal(run)


def test_a_share_and_a_number_of_corrupt_users_say_the_same() -> None:
    share = simnet(*ASKED, "--json", "-").json
    number = simnet(*ASKED[:4], "--corrupt", "100", "--drop", "0.1", "--json", "-").json
    assert share == number
    assert (share["degree"], share["threshold"], share["corrupt"]) == (52, 28, 100)


@pytest.mark.parametrize(("threshold", "status"), [(27, 1), (28, 0)])
def test_a_given_degree_is_judged(threshold: int, status: int) -> None:
    done = simnet(*ASKED, "--degree", 52, "--threshold", threshold)
    assert done.status == status
    assert ("too much" in done.out) == bool(status)
    assert "allowed  met?" in done.out
    assert (done.out.split().count("yes") == 3) == (not status)  # each demand is met


def test_a_bound_that_is_just_too_large_is_not_printed_as_the_allowed_one() -> None:
    few = ("--users", 200, "--corrupt", 40, "--drop", 0.1, "--degree", 72, "--threshold", 36)
    done = simnet("privacy", "degree", *few)  # the bound is 2^-40.98
    assert done.status == 1
    (line,) = [line for line in done.out.splitlines() if "too much" in line]
    assert line.split()[-4:] == ["2^-40.9", "2^-41", "too", "much"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--degree", "52"], "--degree and --threshold belong together"),
        (["--degree", "51", "--threshold", "28"], "the degree must be even"),
        (["--server", "honest"], "server is curious or lying"),
        (["--drop", "1"], "somebody must be left"),
        (["--corrupt", "1.5"], "a whole number of users, or their share"),
        (["--corrupt", "nan"], "a whole number of users, or their share"),
        (["--corrupt", "inf"], "a whole number of users, or their share"),
        (["--users", "100", "--corrupt", "0.4", "--server", "lying"], "no degree up to 98"),
    ],
)
def test_bad_demands_are_refused_in_one_line(options: list[str], message: str) -> None:
    asked = dict(zip(ASKED[2::2], ASKED[3::2], strict=True))
    asked.update(zip(options[::2], options[1::2], strict=True))
    assert message in refusal(
        simnet("privacy", "degree", *(word for p in asked.items() for word in p))
    )


COMPLETES = ["privacy", "completes", "--users", "100", "--drop", "0.1", "--runs", "20"]


def test_every_protocol_has_its_row() -> None:
    rows = simnet(*COMPLETES, "--json", "-").json
    names = [row["protocol"] for row in rows]
    assert names == [
        *("dpds", "tss", "dpdg", "dpds_robust", "committee", "secagg", "secagg_plus"),
        "local mechanisms",
    ]
    by_name = {row["protocol"]: row for row in rows}
    assert by_name["dpds"]["lowest"] == pytest.approx(0.9**100)
    assert by_name["secagg_plus"]["parameters"] == "degree 28, threshold 11"
    assert by_name["secagg_plus"]["simulated"]["runs"] == 20
    assert not by_name["secagg_plus"]["exact"]


def test_the_table_says_what_is_exact_and_what_is_simulated() -> None:
    shown = words(simnet(*COMPLETES).out)
    assert "2.65614e-05" in shown
    assert "20 of 20 simulated runs completed" in shown
    assert "simulated" not in simnet(*COMPLETES[:-1], "0").out


def interval(text: str) -> tuple[Fraction, Fraction]:
    """The numbers that a printed probability allows, without rounding."""
    low, high = Fraction(0), Fraction(1)
    for part in text.split(", "):
        words, _, number = part.rpartition(" " if " - " not in part else "1 - ")
        value = 1 - Fraction(number) if " - " in part else Fraction(number)
        first, _, word = words.strip().rpartition(" ")
        if word in ("at least", "above", "least", ""):
            low = value
        if word in ("at most", "below", "most", "to", ""):
            high = value
        if word == "to":
            low = Fraction(first)
    return low, high


CHANCES = st.one_of(st.floats(0, 1, exclude_min=True, exclude_max=True), st.floats(1e-12, 1e-3))


@given(st.integers(3, 2000), st.one_of(CHANCES, CHANCES.map(lambda rate: 1 - rate)))
@example(2000, 0.9)
@example(5, 5e-324)
def test_a_probability_is_never_rounded_to_0_or_1(users: int, rate: float) -> None:
    """Additive sharing needs everybody, so that the exact probability has a formula."""
    first, *_, last = completions(Deployment(users, 2), rate)
    for option, everybody in ((first, 1 - Fraction(rate)), (last, Fraction(rate))):
        likely = everybody**users
        exact = (likely, 1 - likely) if option is first else (1 - likely, likely)
        for text, chance in zip(chances_in_words(option), exact, strict=True):
            assert (text == "0", text == "1") == (chance == 0, chance == 1)
            low, high = interval(text)
            if low == high:  # the number is rounded to three digits or more
                printed = 1 - low if text.startswith("1 - ") else low
                assert abs(chance - low) <= printed / 100
            else:
                assert low <= chance <= high


@given(CHANCES, CHANCES, st.booleans())
@example(1e-310, 1e-305, False)
@example(1e-310, 1e-20, True)
def test_printed_bounds_stay_bounds(one: float, other: float, is_near_1: bool) -> None:
    low, high = sorted(map(Fraction, (one, other)))
    if is_near_1:
        low, high = 1 - high, 1 - low
    completes, aborts = bounds_in_words(float(low), float(high), float(1 - low))
    assert {completes, aborts} & {"0", "1"} == set()
    slack = Fraction(1, 10**16)  # the bounds that were given are rounded to floats
    bounds = interval(completes)
    assert bounds[0] <= low + slack
    assert high - slack <= bounds[1]
    bounds = interval(aborts)
    assert bounds[0] <= 1 - high + slack
    assert 1 - low - slack <= bounds[1]


def test_a_protocol_without_a_degree_is_left_out_by_name() -> None:
    done = simnet(*COMPLETES, "--corrupt", "0.4", "--server", "lying")
    assert done.status == 0
    assert "secagg_plus is left out: no degree up to 98" in words(done.out)


def test_the_probabilities_are_drawn(tmp_path: Path) -> None:
    file = tmp_path / "completes.svg"
    assert simnet(*COMPLETES, "--figure", file).status == 0
    assert "<svg" in file.read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--degree", "4"], "--degree and --neighbour-threshold belong together"),
        (["--threshold", "101"], "threshold is at most 100"),
        (["--drop", "2"], "probability from 0 to 1"),
        (["--runs", "-1"], "--runs is at least 0"),
        (["--figure", "x.txt"], "x.txt"),
    ],
)
def test_bad_questions_are_refused_in_one_line(options: list[str], message: str) -> None:
    asked = dict(zip(COMPLETES[2::2], COMPLETES[3::2], strict=True))
    asked.update(zip(options[::2], options[1::2], strict=True))
    found = simnet("privacy", "completes", *(word for pair in asked.items() for word in pair))
    assert message in refusal(found)
