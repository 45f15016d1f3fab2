"""The judge of claims: six verdicts by five rules."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simnet.studies.data import MADE_UP, NONE_NEEDED, ORIGINAL, Data, partial, stand_in
from simnet.studies.page import claims_table, summary, wrong_claims
from simnet.studies.paper_claim import STATED, Counterpart, PaperClaim, Stated, reads_as_sentences
from simnet.studies.search import Instance, searched

OTHERS = (partial("a tenth"), stand_in("Adult for BR"), MADE_UP)


def claim(printed: Any = "2.0", law: Callable[[], Any] | None = None, **more: Any) -> PaperClaim:
    return PaperClaim("a name", "Sec. 5", "a number", printed, law, **more)


def verdict(of: PaperClaim, found: Counterpart | None = None, data: Data = NONE_NEEDED) -> str:
    return of.judge(found, data).verdict


def test_a_law_decides() -> None:
    assert verdict(claim(law=lambda: 2.04)) == "right"
    assert verdict(claim(law=lambda: 2.06)) == "wrong"
    assert verdict(claim(law=lambda: 4.0, correction="Twice.")) == "wrong, corrected"
    helped, useless = (
        claim(law=lambda: 4.0, correction="It is another.", instead=lambda number=number: number)
        for number in (4.0, 5.0)
    )
    assert (verdict(helped), verdict(useless)) == ("wrong, corrected", "wrong")
    found = claim(law=lambda: 4.0, condition="It holds at 1.", under=lambda: 2.0).judge()
    assert (found.verdict, found.reason) == ("holds under a condition", "It holds at 1.")
    never = claim(law=lambda: 4.0, condition="It holds at 1.", under=lambda: 3.0)
    assert verdict(never) == "wrong"
    assert verdict(claim(Stated(2.0), lambda: 1.9, bound="at least")) == "wrong"
    assert verdict(claim(lambda: 2.0, lambda: 1.9, tolerance=0.1)) == "right"
    assert verdict(claim(STATED, lambda: 1.0)) == "right"
    assert verdict(claim(STATED, lambda: 0.99)) == "wrong"


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (Counterpart(None, 2.0, 1.9, 2.1), "right"),
        (Counterpart(None, 3.0, 2.9, 3.1), "differs in our runs"),
        (Counterpart(None, 2.0, 0.1, 9.0), "cannot be checked"),
        (Counterpart(None), "cannot be checked"),
        (Counterpart(2.0, 2.0, 1.9, 2.1), "right"),
        (Counterpart(2.0, 3.0, 2.9, 3.1), "cannot be checked"),  # law and runs contradict
        (Counterpart(3.0, 3.0, 1.9, 3.1), "wrong"),
        (Counterpart(2.2, 2.2, 2.1, 2.3, spread=0.1), "right"),  # the paper simulated it
        (Counterpart(3.0, 3.0, 2.9, 3.1, spread=0.05), "wrong"),
    ],
)
def test_runs_decide_where_there_is_no_law(found: Counterpart, expected: str) -> None:
    made = claim(runs=lambda _: found)
    assert verdict(made, found, ORIGINAL) == expected
    for data in OTHERS:
        assert made.judge(found, data).verdict == "cannot be checked"


def test_on_other_data_a_law_decides_alone_or_nothing_does() -> None:
    found = Counterpart(2.0, 2.0, 1.9, 2.1)
    for data in OTHERS:
        assert verdict(claim(law=lambda: 2.0, runs=lambda _: found), found, data) == "right"
        told = claim(runs=lambda _: found).judge(found, data)
        assert told.verdict == "cannot be checked"
        assert told.reason.startswith("Other data")
        assert "2 (1.9 to 2.1)" in claims_table([told])  # our number stands beside it


def test_a_search_shows_its_counterexample_and_by_how_much_it_is_off() -> None:
    def instances() -> Any:
        for n in range(1, 9):
            yield Instance(where={"n": n}, claimed=float(n), exact=4.0, holds=n != 8)

    found = claim(STATED, lambda: searched(instances(), "n up to 8")).judge()
    assert (found.verdict, found.factor, found.numbers) == ("wrong", 2.0, (8.0, 4.0))
    assert "n = 8: claimed 8, exact 4" in found.why
    assert "2 times too large" in wrong_claims([found])[0]
    told = found.as_json()
    assert (told["printed"], told["exact"], told["factor"]) == (8.0, 4.0, 2.0)
    holds = claim(STATED, lambda: searched(list(instances())[:7], "n up to 7")).judge()
    assert (holds.verdict, holds.numbers) == ("right", (None, None))
    assert "No counterexample among 7" in holds.why
    with pytest.raises(ValueError, match="no instance"):
        searched([], "nothing")


@given(st.decimals("0.001", "1000", places=3), st.floats(-2, 2))
def test_a_printed_number_is_right_if_and_only_if_the_exact_one_rounds_to_it(
    printed: Any, off: float
) -> None:
    exact = float(printed) + off * 1e-3
    if abs(abs(off) - 0.5) > 1e-3:
        expected = "right" if abs(off) < 0.5 else "wrong"
        assert verdict(claim(str(printed), lambda: exact)) == expected


@given(st.floats(1, 9), st.floats(0.1, 3), st.floats(0.1, 3), st.sampled_from(OTHERS))
def test_runs_and_laws_never_decide_about_other_data(
    middle: float, below: float, above: float, data: Data
) -> None:
    found = Counterpart(None, middle, middle - below, middle + above)
    assert verdict(claim(runs=lambda _: found), found, data) == "cannot be checked"


def test_a_summary_counts_verdicts_and_what_chance_makes_of_them() -> None:
    by_law, simulated = (
        claim(law=lambda: 2.0).judge(),
        claim(runs=lambda _: None).judge(Counterpart(2.0, 2.0, 1.9, 2.1, spread=0.1)),
    )
    assert (by_law.rests_on_chance, simulated.rests_on_chance) == (0.0, 0.01)
    words = summary([by_law] + [simulated] * 100)
    assert words.startswith("101 claims: 101 right. 100 verdicts")
    assert "about 1.0 of them" in words


@pytest.mark.parametrize("field", ["correction", "condition", "why", "top"])
def test_a_note_that_is_no_sentence_is_refused(field: str) -> None:
    with pytest.raises(ValueError, match=f"{field!r} of the claim 'a name' is 'no sentence'"):
        claim(**{field: "no sentence"})
    assert reads_as_sentences("ε is 1.")
