"""Verdicts on random scripts of seeds, keys and boxes agree with an enumeration of coins, secrets
and random functions over F_3.

`tests/harness/random_functions.py` says what is compared, and why that is sound.
"""

from typing import Any

import pytest

from simnet.adversary.deductions import Deductions
from tests.harness.marks import long_but
from tests.harness.random_functions import (
    Script,
    Sent,
    Step,
    check,
    check_generator,
    check_proofs,
    check_seeds,
    judged,
)

SECRET, COINS, ROWS = Step("secret"), Step("coins"), "rows"
ROW_OF_SECRET = Script((SECRET, Step("row", (0,))), (Sent(ROWS, (1,)),))
KEY_OF_SECRET = Script((SECRET,), (Sent("public key", (0,)),))
# x + F(s) - s, with a coin s
SEED_IN_ITS_OWN_MASK = Script(
    (SECRET, COINS, Step("row", (1,)), Step("sum", (0, 2, 1), (1, 1, 2))), (Sent(ROWS, (3,)),)
)
# F(s + 1) and x + F(s), with a coin s
NEXT_SEED = Script(
    (
        SECRET,
        COINS,
        Step("plain", (), (1,)),
        Step("sum", (1, 2), (1, 1)),
        Step("row", (1,)),
        Step("row", (3,)),
        Step("sum", (0, 4), (1, 1)),
    ),
    (Sent(ROWS, (5,)), Sent(ROWS, (6,))),
)


@pytest.mark.slow
def test_verdicts_agree_with_an_enumeration() -> None:
    counts, wrong = check_seeds(range(40))
    assert not wrong, wrong[0]
    assert min(counts[finding] for finding in ("nothing", "leaks", "undecided")) >= 2


@pytest.mark.slow
def test_the_real_view_is_as_close_to_the_new_view_as_the_proof_says() -> None:
    counts, wrong = check_proofs(range(40))
    assert not wrong, wrong[0]
    assert len(counts) == 3


@pytest.mark.slow
@pytest.mark.parametrize("part", long_but(range(10), 0))
def test_thousands_of_verdicts_agree_with_an_enumeration(part: int) -> None:
    counts, wrong = check_seeds(range(1_000 + 500 * part, 1_500 + 500 * part))
    assert not wrong, wrong[0]
    assert counts["nothing"] > 200
    assert counts["leaks"] > 25


@pytest.mark.slow
@pytest.mark.parametrize("scripts", [100, pytest.param(1_000, marks=pytest.mark.long)])
def test_the_proofs_hold_for_many_scripts(scripts: int) -> None:
    _, wrong = check_proofs(range(1_000, 1_000 + scripts))
    assert not wrong, wrong[0]


# Wrong verdicts are refuted: the comparison is not blind.


def patched(monkeypatch: pytest.MonkeyPatch, name: str, answer: Any) -> None:
    monkeypatch.setattr(Deductions, name, lambda deductions: answer)  # noqa: ARG005  # a method


@pytest.mark.parametrize("script", [ROW_OF_SECRET, KEY_OF_SECRET], ids=["row", "public key"])
def test_a_verdict_without_doubts_would_be_refuted(
    monkeypatch: pytest.MonkeyPatch, script: Script
) -> None:
    assert not check(script, seed=1).wrong
    patched(monkeypatch, "doubts", [])
    assert "a seed without free words is accepted" in check(script, seed=1).wrong
    patched(monkeypatch, "unknown_seeds", [])
    assert "the law of the view depends on the secret" in check(script, seed=1).wrong


@pytest.mark.parametrize("script", [SEED_IN_ITS_OWN_MASK, NEXT_SEED], ids=["own mask", "next"])
def test_a_wrong_word_about_generators_would_be_refuted(
    monkeypatch: pytest.MonkeyPatch, script: Script
) -> None:
    assert check(script, seed=1).finding == "nothing"
    assert check_generator(script, seed=1) is None
    patched(monkeypatch, "generator_is_enough", True)
    assert "a permutation in place of the random function" in str(check_generator(script, seed=1))


def test_seeds_that_differ_by_the_ideal_output_may_tell_that_it_is_0() -> None:
    # eve sees F(s + x) and F(F(s)), and the ideal world gives her x. If x is 0, she can see that
    # the second row is made from the first. That is no more than the ideal output tells.
    script = Script(
        (
            SECRET,
            COINS,
            Step("sum", (0, 1), (1, 1)),
            Step("row", (2,)),
            Step("row", (1,)),
            Step("row", (4,)),
        ),
        (Sent(ROWS, (3,)), Sent(ROWS, (5,))),
        handed=((1,),),
    )
    found, _ = judged(script, seed=1)
    assert (found.at_least, found.at_most) == ("nothing", "output-only")
    assert not check(script, seed=1).wrong
