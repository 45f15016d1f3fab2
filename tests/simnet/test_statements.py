"""Statements that hold everywhere, as quoted numbers."""

import pytest

from simnet.study.quote import Ruling
from simnet.study.statements import everywhere, exact, falls, rises
from simnet.study.table import Measure, Table

ROWS = [
    {"d": d, "way": way, "trial": 0, "error": error}
    for d, errors in {1: (1.0, 2.0), 2: (3.0, 2.5)}.items()
    for way, error in zip(("ours", "theirs"), errors, strict=True)
]
TABLE = Table(ROWS, ("d", "way"), [Measure("error")])


def judged(table: Table, **settings: object) -> Ruling | None:
    return everywhere(
        "A", "ours is better", "error", "way", ["d"], lambda v: v["ours"] < v["theirs"], **settings
    ).judge(table)  # type: ignore[arg-type]  # fmt: skip


def test_the_share_of_places_where_it_holds_is_told() -> None:
    found = judged(TABLE)
    assert found is not None
    assert (found.printed, found.expected, found.verdict) == (1, 0.5, "not reproducible from the text")
    right = judged(TABLE.where(d=1))
    assert right is not None
    assert right.verdict == "reproduced"


def test_a_correction_is_tried_where_it_fails() -> None:
    found = judged(TABLE, correction="within one", instead=lambda v: v["ours"] < v["theirs"] + 1)
    assert found is not None
    assert (found.verdict, found.note) == ("reproduced with correction", "within one")


def test_nothing_is_said_of_what_was_not_run() -> None:
    assert judged(TABLE.where(way="ours")) is None


def test_several_axes_make_one_place() -> None:
    quote = everywhere("A", "all below 4", "error", ["way", "d"], [], lambda v: v["ours", 2] > v["ours", 1])
    found = quote.judge(TABLE)
    assert found is not None
    assert found.verdict == "reproduced"


def test_trends() -> None:
    assert rises({1: 1.0, 3: 3.0, 2: 2.0})
    assert not rises({1: 1.0, 3: 3.0, 2: 3.0})
    assert falls({1: 2.0, 2: 1.0})
    with pytest.raises(KeyError):
        rises({1: 1.0})
    assert exact(2.0).chance(2.0, 0.0, "") == 1
