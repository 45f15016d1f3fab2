"""Statements that hold everywhere, as claims."""

import pytest

from simnet.coins.sampled import SampledCoins
from simnet.studies.paper_claim import Judged, PaperClaim
from simnet.studies.statements import always_less, everywhere, exact, falls, paired_less, rises
from simnet.studies.table import Measure, NoSuchPoint, Table

ROWS = [
    {"d": d, "way": way, "trial": 0, "error": error}
    for d, errors in {1: (1.0, 2.0), 2: (3.0, 2.5)}.items()
    for way, error in zip(("ours", "theirs"), errors, strict=True)
]
TABLE = Table(ROWS, ("d", "way"), [Measure("error")], exact=True)


def judged(table: Table) -> Judged:
    runs = everywhere("error", "way", ["d"], lambda v: v["ours"] < v["theirs"])
    return PaperClaim("A", "A", "ours is better", runs=runs).of_table(table)


def test_the_share_of_places_where_it_holds_is_told() -> None:
    found = judged(TABLE)
    assert (found.printed, found.found.expected, found.verdict) == (1, 0.5, "wrong")
    assert found.found.judged_at == "way ours, theirs; d 1, 2"
    right = judged(TABLE.where(d=1))
    assert (right.verdict, right.found.measured) == ("right", None)


def test_numbers_on_different_networks_and_of_other_measures_are_not_compared() -> None:
    """Ours is better on each network, but not on the slow one beside theirs on the fast one."""
    rows = [
        {"d": 1, "way": way, "network": network, "trial": 0, "error": error, "seconds": 5 - error}
        for network, errors in {"fast": (1.0, 2.0), "slow": (3.0, 4.0)}.items()
        for way, error in zip(("ours", "theirs"), errors, strict=True)
    ]
    measures = [Measure("error"), Measure("seconds", exact=True)]
    table = Table(rows, ("d", "way", "network"), measures, exact=True)
    points = "way ours, theirs; network fast, slow"
    found = always_less("ours".__eq__, "way", ["d"])(table)
    assert (found.expected, found.measured, found.judged_at) == (None, 1, points)
    rows[0]["error"] = 3.0  # now ours fails on the first network
    assert judged(table).found.expected == 0.5
    assert judged(table).found.judged_at == points


def test_nothing_is_said_of_what_was_not_run() -> None:
    assert judged(TABLE.where(way="ours")).reason == "It was not run."


def scattered(*errors: tuple[float, float], law: tuple[float, float] | None = None) -> Table:
    """Trials at one place, of ours and of theirs, with what a law expects of both."""
    rows = [
        {
            "d": 1,
            "way": way,
            "trial": trial,
            "error": error,
            **({} if law is None else {"law": expected}),
        }
        for trial, pair in enumerate(errors)
        for way, error, expected in zip(("ours", "theirs"), pair, law or pair, strict=True)
    ]
    return Table(rows, ("d", "way"), [Measure("error", expected=None if law is None else "law")])


def test_without_a_law_a_statement_is_decided_only_by_intervals_that_part() -> None:
    clear = judged(scattered((1.0, 9.0), (1.1, 9.2), (0.9, 9.1), (1.0, 9.0)))
    assert (clear.verdict, clear.found.low, clear.found.high) == ("right", 1, 1)
    against = judged(scattered((9.0, 1.0), (9.2, 1.1), (9.1, 0.9), (9.0, 1.0)))
    assert (against.verdict, against.found.high) == ("differs in our runs", 0)
    for table in (
        scattered((1.0, 1.5), (1.4, 1.3), (1.2, 1.3)),
        scattered((1.0, 9.0)),
    ):  # one trial tells nothing
        unclear = judged(table)
        numbers = unclear.found.measured, unclear.found.low, unclear.found.high
        assert (unclear.verdict, numbers) == ("cannot be checked", (1, 0, 1))


def test_a_law_decides_and_runs_that_are_clearly_against_it_are_noticed() -> None:
    errors = ((9.0, 1.0), (9.2, 1.1), (9.1, 0.9), (9.0, 1.0))
    found = judged(scattered(*errors, law=(1.0, 2.0)))
    numbers = found.found.expected, found.found.measured
    assert (found.verdict, numbers, found.holds) == ("cannot be checked", (1, 0), False)
    assert judged(scattered(*errors, law=(9.0, 1.0))).holds
    assert judged(scattered((1.3, 1.2), (1.0, 1.1), law=(1.0, 2.0))).holds


def test_wide_intervals_leave_room_for_every_order() -> None:
    """Ends alone would not do: three numbers in one interval rise strictly only if one is between
    its ends.
    """
    rows = [
        {"d": d, "trial": k, "error": (1.0, 2.0, 3.0)[(d + k) % 3]}
        for d in range(3)
        for k in range(3)
    ]
    for rule in (rises, falls):
        found = everywhere("error", "d", [], rule)(Table(rows, ("d",), [Measure("error")]))
        assert (found.measured, found.low, found.high) == (0, 0, 1)


def test_of_many_numbers_drawn_corners_are_looked_at() -> None:
    rows = [{"d": d, "trial": k, "error": d + 0.1 * k} for d in range(12) for k in range(3)]
    table = Table(rows, ("d",), [Measure("error")])
    found = everywhere("error", "d", [], rises)(table)
    assert (found.low, found.high) == (0, 1)


def test_several_axes_make_one_place() -> None:
    found = everywhere("error", ["way", "d"], [], lambda v: v["ours", 2] > v["ours", 1])(TABLE)
    assert found.expected == 1


def test_trends() -> None:
    assert rises({1: 1.0, 3: 3.0, 2: 2.0})
    assert not rises({1: 1.0, 3: 3.0, 2: 3.0})
    assert falls({1: 2.0, 2: 1.0})
    with pytest.raises(KeyError):
        rises({1: 1.0})
    assert exact(2.0).by_law(2.0, 0.0, "") == ("agrees", None)


def levels_and_gaps(count: int, seed: int) -> tuple[list[float], list[float]]:
    """Levels that scatter by 20, as of collections, and small numbers of mean 1 that scatter by
    1, as of differences between methods.
    """
    coins = SampledCoins(seed, "levels")
    return (
        (100 + 20 * coins.normal(count).plain).tolist(),
        (1 + coins.normal(count).plain).tolist(),
    )


def test_differences_within_trials_decide_what_means_apart_do_not() -> None:
    levels, gaps = levels_and_gaps(40, 1)
    rows = [{"ours": level, "theirs": level + gap} for level, gap in zip(levels, gaps, strict=True)]
    found = paired_less([rows], ["ours"], ["theirs"])
    assert (found.measured, found.low, found.high, found.trials) == (1, 1, 1, 40)
    against = paired_less([rows], ["theirs"], ["ours"], lambda _: {"ours": 1.0, "theirs": 2.0})
    assert (against.measured, against.high, against.expected) == (0, 0, 0)
    shuffled = [
        {"ours": one["ours"], "theirs": other["theirs"]}
        for one, other in zip(rows, rows[1:] + rows[:1], strict=True)
    ]
    unclear = paired_less([shuffled], ["ours"], ["theirs"])
    assert (unclear.low, unclear.high) == (0, 1)
    alone = paired_less([rows[:1], rows], ["ours"], ["theirs"])
    assert (alone.low, alone.high, alone.trials) == (0.5, 1, 1)
    equal = [{**row, "theirs": row["ours"]} for row in rows]  # a difference may be rare
    undecided = paired_less([equal], ["ours"], ["theirs"])
    assert (undecided.measured, undecided.low, undecided.high) == (0, 0, 1)
    alike = [{"ours": 1.0, "theirs": 2.0}] * 4  # a few differences may be equal by chance
    few, enough = (paired_less([alike[:k] + alike], ["ours"], ["theirs"]) for k in (0, 1))
    assert (few.low, few.high, enough.low, enough.high) == (0, 1, 1, 1)
    with pytest.raises(NoSuchPoint):
        paired_less([], ["ours"], ["theirs"])


def test_equal_methods_are_told_apart_as_rarely_as_promised() -> None:
    """1,000 sets of 10 trials: each is decided, in either direction, with probability 1/1000, so
    that six or more are with probability 6e-4.
    """
    decided = 0
    for seed in range(1000):
        levels, gaps = levels_and_gaps(10, seed)
        rows = [
            {"ours": level, "theirs": level + gap - 1}
            for level, gap in zip(levels, gaps, strict=True)
        ]
        found = paired_less([rows], ["ours"], ["theirs"])
        decided += found.low == found.high
    assert decided < 6
