"""No instrument says of a leaking script that it leaks nothing, and few sound ones are undecided.

What is true of each script is declared beside it, and held against an interpreter of our own that
plays all coins. The instruments are then held against the truth.
"""

from collections.abc import Mapping

import pytest

from simnet import ScriptError
from simnet.adversary.whole_view import meets
from tests.harness.corpus.example import members_of
from tests.harness.corpus.judged import EXAMPLES, ensemble, truth_of, verdicts
from tests.harness.corpus.scripts import all_examples, played
from tests.harness.corpus.truth import TruthOfSet, order

LEAKING = [name for name, example in EXAMPLES.items() if example.is_leaking]
SOUND = [name for name, example in EXAMPLES.items() if not example.is_leaking]
REFUSED = [name for name, example in EXAMPLES.items() if example.refused]
PLAYED = [name for name, example in EXAMPLES.items() if not example.refused]


# The corpus itself.


def test_the_corpus_is_large_and_every_leak_has_a_sound_twin() -> None:
    assert len(EXAMPLES) == len(all_examples())  # names are unique
    assert len(LEAKING) >= 60
    for name in LEAKING:
        example = EXAMPLES[name]
        assert any(truth.view == "leaks" for truth in example.truths.values())
        told = name.removesuffix("as it is").removesuffix("told openly").removesuffix(", ")
        assert f"{told}, mended" in EXAMPLES
    for name in SOUND:
        assert all(truth.view != "leaks" for truth in EXAMPLES[name].truths.values())


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_is_declared_is_true(name: str) -> None:
    example = EXAMPLES[name]
    for coalition, declared in example.truths.items():
        of_set = TruthOfSet(ensemble(name), example.inputs, members_of(coalition))
        assert (coalition, of_set.view, of_set.shares) == (
            coalition,
            declared.view,
            declared.shares,
        )
    for inputs in example.inputs:
        errors = [world.error for one in ensemble(name).played(inputs) for world in one.worlds]
        if not example.may_end:
            assert all((error is not None) == (inputs in example.ending) for error in errors)


# Runs.


@pytest.mark.parametrize("name", REFUSED)
def test_a_script_that_breaks_a_seal_is_refused_by_name(name: str) -> None:
    example = EXAMPLES[name]
    for inputs in example.inputs:
        with pytest.raises(ScriptError, match=r"^\S+ in round \d.*sealed.*me\.disclose.*\.py:\d+"):
            played(example, inputs, 0)


@pytest.mark.parametrize("name", [name for name in EXAMPLES if EXAMPLES[name].ending])
def test_a_script_that_aborts_ends_the_run(name: str) -> None:
    example = EXAMPLES[name]
    for inputs in example.ending:
        with pytest.raises(ScriptError):
            played(example, inputs, 0)


# Verdicts.


@pytest.mark.parametrize("name", PLAYED)
def test_a_verdict_never_says_less_than_the_truth(name: str) -> None:
    says_nothing: dict[str, list[bool]] = {}
    for one, of_run in verdicts(name):
        if isinstance(of_run, str):
            assert EXAMPLES[name].is_leaking, of_run
            continue
        for coalition, verdict in of_run.items():
            truth = truth_of(name, coalition)
            true_of_run = truth.shares_at(one.history)
            assert order(verdict.at_most) >= order(true_of_run), (coalition, one.history)
            is_nothing, is_output = meets(verdict, "nothing"), meets(verdict, "output-only")
            says_nothing.setdefault(coalition, []).append(is_nothing or is_output)
            if not one.tosses_outside:
                assert truth.view == "nothing" or not is_nothing
                assert truth.view != "leaks" or not is_output
    for coalition, said in says_nothing.items():
        # Outer coins may hide a leak in some runs, and not in all of them.
        assert truth_of(name, coalition).view != "leaks" or not all(said)


def test_at_most_a_tenth_of_the_sound_scripts_are_undecided() -> None:
    undecided = {
        name
        for name in SOUND
        for _, of_run in verdicts(name)
        if isinstance(of_run, Mapping)
        and any(verdict.finding == "undecided" for verdict in of_run.values())
    }
    assert len(undecided) <= len(SOUND) / 10, sorted(undecided)
