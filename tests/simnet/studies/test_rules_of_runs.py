"""The page's head says how law and runs decide; the code decides so, for all combinations.

`by_the_head` follows the sentences of the page's head one by one, and shares no code with the
verdicts.
"""

import itertools
from collections.abc import Callable
from functools import cache
from math import inf, isfinite, isnan, nan

import pytest
from scipy.stats import gamma

from simnet.studies.page import EXPLANATION
from simnet.studies.quote import (
    MORE,
    ON_THE_BOUND,
    OPEN,
    STATED,
    Bound,
    Counterpart,
    Quote,
    Stated,
    reads_as_sentences,
)
from simnet.studies.table import NoSuchPoint, Table

PRINTED = ("0.4", "1.0", "1.4", "2.0")
BOUNDS: tuple[Bound, ...] = ("", "at least", "at most")
INTERVALS = (
    None,  # nothing was run
    (1.0, 1.0, 1.0),
    (1.0, 0.9, 1.1),
    (1.0, 0.75, 1.25),
    (1.0, 0.8, 1.31),  # wider than half the measured value
    (1.0, 0.5, 1.0),
    (0.5, 0.0, 0.75),
    (1.0, -inf, inf),
    (1.7, 1.6, 1.8),
)
EXPECTED = (None, 0.4, 1.0, 1.5)
SPREADS = (0.0, 0.05, 0.4, nan)  # of the paper's number


def rounds(number: float, printed: float, half: float = 0.05) -> bool:
    """Whether a number rounds to a printed one with one digit after the point, or lies in another
    range around it.
    """
    return abs(number - printed) <= half + 1e-8


@cache
def chance(printed: float, mean: float, spread: float) -> float:
    """Twice the smaller probability: of a number in the printed number's range or below it, and of
    a number in this range or above it.
    """
    law = gamma(spread**-2, scale=mean * spread**2)
    return float(min(1.0, 2 * min(law.cdf(printed + 0.05), law.sf(printed - 0.05))))


def law_by_the_head(found: Counterpart, printed: float, bound: Bound, half: float = 0.05) -> str:
    """The column *law*; `half` is half the range of numbers that count as the printed one."""
    if found.expected is None or isnan(found.spread):
        return "none"
    if bound == "at least":
        agrees = found.expected >= printed or rounds(found.expected, printed, half)
    elif bound == "at most":
        agrees = found.expected <= printed or rounds(found.expected, printed, half)
    elif found.spread:
        agrees = chance(printed, found.expected, found.spread) >= 0.01
    else:
        agrees = rounds(found.expected, printed, half)
    return "agrees" if agrees else "disagrees"


def rule(found: Counterpart, printed: float, bound: Bound, half: float = 0.05) -> str:
    """The column *runs* by the first rule that applies."""
    if found.measured is None or found.low is None or found.high is None:
        return "none"
    if isnan(found.spread):
        return "undecided"
    low, high = found.low, found.high
    inside = low <= printed + half + 1e-8 and high >= printed - half - 1e-8
    if bound:
        kept = [
            (end >= printed if bound == "at least" else end <= printed)
            or rounds(end, printed, half)
            for end in (low, high)
        ]
        return "confirm" if all(kept) else "undecided" if any(kept) else "contradict"
    if found.share:
        alone = rounds(low, printed, half) and rounds(high, printed, half)
        return "confirm" if alone else "undecided" if inside else "contradict"
    if not inside:
        nearer = low if printed < low else high
        possible = found.spread > 0 and nearer > 0 and isfinite(nearer)
        if not possible or chance(printed, nearer, found.spread) < 0.01:
            return "contradict"
    return "undecided" if high - low > 0.5 * abs(found.measured) else "confirm"


def runs_by_the_head(found: Counterpart, printed: float, bound: Bound, half: float = 0.05) -> str:
    """The column *runs*: the first rule that applies, and what is said after the rules."""
    runs = rule(found, printed, bound, half)
    if runs == "confirm" and law_by_the_head(found, printed, bound, half) == "disagrees":
        assert found.low is not None
        assert found.high is not None
        assert found.expected is not None
        if found.low <= found.expected <= found.high:
            return "undecided"
    return runs


def counterparts() -> list[Counterpart]:
    """All combinations of an expected number, an interval, a spread, and a kind."""
    made = []
    for expected, interval, spread, share in itertools.product(
        EXPECTED, INTERVALS, SPREADS, (False, True)
    ):
        measured, low, high = interval or (None, None, None)
        made.append(Counterpart(expected, measured, low, high, spread, share))
    return made


ALL = counterparts()
EMPTY = Table([], [], [])


def formula(number: float) -> Callable[[Table], float]:
    """Return a printed formula that gives this number."""
    return lambda _: number


def reading(found: Counterpart) -> Callable[[Table], Counterpart]:
    """Return a reading that gives this counterpart."""
    return lambda _: found


@pytest.mark.parametrize("bound", BOUNDS)
def test_columns_are_those_of_the_heads_rules(bound: Bound) -> None:
    seen = set()
    for printed, found in itertools.product(PRINTED, ALL):
        ruling = Quote("", "", printed, reading(found), bound=bound).judge(EMPTY)
        number = float(printed)
        assert ruling.law == law_by_the_head(found, number, bound), found
        assert ruling.runs == runs_by_the_head(found, number, bound), found
        seen.add(ruling.runs)
    assert seen == {"none", "confirm", "undecided", "contradict"}


@pytest.mark.parametrize("printed", PRINTED)
def test_a_corrected_number_is_judged_by_the_same_rules(printed: str) -> None:
    """The correction is asked about where the number as printed does not agree."""
    number = float(printed)
    for first, other in itertools.product(ALL[::7], ALL[::5]):
        ruling = Quote(
            "",
            "",
            printed,
            reading(first),
            "This is wrong.",
            reading(other),
        ).judge(EMPTY)
        law = law_by_the_head(first, number, "")
        if law != "disagrees" or law_by_the_head(other, number, "") == "none":
            assert (ruling.law, ruling.runs) == (law, runs_by_the_head(first, number, ""))
            continue
        better = law_by_the_head(other, number, "")
        assert ruling.law == ("with correction" if better == "agrees" else "disagrees")
        assert ruling.runs == runs_by_the_head(other, number, "")


def test_runs_that_have_room_for_both_numbers_decide_nothing_about_a_correction_either() -> None:
    """The expected number is inside, so law and runs do not differ."""
    quote = Quote(
        "",
        "",
        "1.2",
        lambda _: Counterpart(5.0),
        "This is wrong.",
        lambda _: Counterpart(1.0, 1.1, 0.9, 1.3),
    )
    ruling = quote.judge(EMPTY)
    assert (ruling.law, ruling.runs, ruling.verdict) == (
        "disagrees",
        "undecided",
        "fails by the law",
    )


def test_a_statement_is_confirmed_by_the_whole_interval_only() -> None:
    """However narrow it is: 0.99 to 1 contains 1, and also less."""
    whole, narrow = (
        Counterpart(1.0, 1.0, low, 1.0, share=True).answers(1.0, 0.0, "") for low in (1.0, 0.99)
    )
    assert (whole[1], narrow[1]) == ("confirm", "undecided")


@pytest.mark.parametrize("share", [0.0, 0.01, 0.1, 0.3])
def test_a_row_that_allows_a_difference_is_judged_by_the_same_rules_with_a_wider_range(
    share: float,
) -> None:
    """The head: a number agrees if it differs by at most this share of the printed one."""
    fixed = [found for found in ALL if not found.spread]
    for printed, found in itertools.product(map(float, PRINTED), fixed):
        quote = Quote("", "", formula(printed), reading(found), tolerance=formula(share))
        ruling, half = quote.judge(EMPTY), share * printed
        assert ruling.law == law_by_the_head(found, printed, "", half), found
        assert ruling.runs == runs_by_the_head(found, printed, "", half), found


def test_a_factor_of_about_as_much_need_not_round_to_the_printed_one() -> None:
    found = Counterpart(6.231, 6.231, 6.228, 6.234)
    loose, strict = (
        Quote("", "", formula(6.25), reading(found), tolerance=tolerance).judge(EMPTY)
        for tolerance in (formula(0.1), None)
    )
    assert (loose.verdict, strict.verdict) == ("reproduced", "not reproduced")


def undecided(found: Counterpart, printed: str | Stated, bound: Bound = "", why: str = "") -> str:
    """The note of a row whose runs are undecided."""
    ruling = Quote("", "", printed, reading(found), bound=bound, unresolved=why).judge(EMPTY)
    assert ruling.runs == "undecided"
    return ruling.note


def test_more_trials_are_promised_only_where_they_would_tell() -> None:
    """A wide interval of a number becomes narrow; a statement may hang on two equal numbers."""
    wide = Counterpart(1.0, 1.0, 0.5, 1.6)
    assert undecided(wide, "1.0") == MORE
    assert undecided(Counterpart(1.0, 1.0, 0.0, 1.0, share=True), STATED) == OPEN
    assert undecided(Counterpart(None, 0.5, 0.0, 1.0, share=True), STATED) == OPEN
    assert undecided(Counterpart(1.0, 1.0, 0.0, 1.0, share=True), STATED, why="Equal.") == "Equal."


@pytest.mark.parametrize(
    ("expected", "note"), [(1.0, ON_THE_BOUND), (0.99, ON_THE_BOUND), (0.9, MORE), (None, None)]
)
def test_more_trials_tell_on_which_side_of_a_bound_a_number_lies_if_it_is_clearly_off(
    expected: float | None, note: str | None
) -> None:
    found = Counterpart(expected, 1.0, 0.8, 1.2)
    assert undecided(found, Stated(1.0), "at most") == (note or ON_THE_BOUND)


def test_a_number_that_the_paper_only_says_in_words_is_marked() -> None:
    printed, said = (
        Quote("", "", number, reading(Counterpart(0.0)), bound="at least").judge(EMPTY)
        for number in ("0", Stated(0.0))
    )
    assert (printed.printed_in_words, said.printed_in_words) == ("at least 0", "stated: at least 0")


@pytest.mark.parametrize("word", ["its chance is at least 1 %", "of 1 % or more", "50 % of the"])
def test_the_head_names_the_thresholds(word: str) -> None:
    assert word in " ".join(EXPLANATION.split())


@pytest.mark.parametrize("field", ["correction", "why", "unresolved", "disputed"])
@pytest.mark.parametrize(
    ("note", "accepted"),
    [
        ("The text has no measure.", True),
        ("ε is 1. At ε = 2 it is smaller.", True),
        ("'Much' has no threshold.", True),
        ("0 and 1 are names.", True),
        ("", True),
        ("the text has no measure.", False),
        (" The text has no measure.", False),
        ("The text has no measure", False),
    ],
)
def test_a_note_that_is_no_sentence_is_refused_with_the_name_of_its_row(
    field: str, note: str, accepted: bool
) -> None:
    def made() -> Quote:
        return Quote("Fig. 1", "the error", "1.0", reading(Counterpart(1.0)), **{field: note})

    if accepted:
        assert getattr(made(), field) == note
        return
    with pytest.raises(ValueError, match=rf"'{field}' of the row Fig\. 1: 'the error' is"):
        made()


@pytest.mark.parametrize(("law", "why"), [(2.0, "It is 2."), (None, "It is another number.")])
def test_notes_that_are_put_together_are_sentences_too(law: float | None, why: str) -> None:
    """A correction that only our runs confirm, and a table that lacks the number or a reading."""
    first, other = Counterpart(law, 2.0, 1.9, 2.1), Counterpart(None, 1.0, 0.9, 1.1)

    def divided(_: Table) -> Counterpart:
        raise ZeroDivisionError("0 / 0")

    def lacking(_: Table) -> Counterpart:
        raise NoSuchPoint("nothing was run")

    rows = [
        Quote("", "", "1.0", reading(first), "It is half.", reading(other), why=why),
        Quote("", "", "1.0", divided),
        Quote("", "", "1.0", lacking),
    ]
    notes = [row.judge(EMPTY).note for row in rows]
    assert all(notes)
    assert all(map(reads_as_sentences, notes))
