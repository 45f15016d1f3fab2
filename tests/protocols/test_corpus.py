"""No instrument says that a leaking script leaks nothing, and few sound scripts are undecided.

The truth about each script is declared beside it, and compared with an interpreter that plays all
coins and shares no code with the instruments. The instruments are then compared with the truth:
runs (which refuse scripts that break a seal), verdicts, exact views, assertions and the command
line.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import pytest

from simnet import ScriptError, SimnetError
from simnet.adversary.whole_view import meets
from simnet.exhaustive.compare import Comparison
from simnet.testing import assert_learns_nothing, assert_learns_only_output, assert_same_view
from tests.harness.corpus.example import members_of
from tests.harness.corpus.judged import EXAMPLES, ensemble, table, truth_of, verdicts
from tests.harness.corpus.scripts import all_examples, played, rows_of_inputs
from tests.harness.corpus.truth import Held, TruthOfSet, order
from tests.harness.data import ROOT
from tests.harness.shell import simnet

HOW = (", as it is", ", disclosed first", ", mended")


def stem(name: str) -> str:
    """Return the name of an example without the part that tells it from its twins."""
    for ending in HOW:
        name = name.removesuffix(ending)
    return name


def with_twins(names: Iterable[str], fast: int = 1) -> pytest.MarkDecorator:
    """Return one test for each example together with its twins, because every single test costs
    time; one in so many as `fast` says is a fast test, and the others are slow.
    """
    stems: dict[str, list[str]] = {}
    for name in names:
        stems.setdefault(stem(name), []).append(name)
    tests = [
        pytest.param(twins, id=name, marks=[pytest.mark.slow] if number % fast else [])
        for number, (name, twins) in enumerate(stems.items())
    ]
    return pytest.mark.parametrize("names", tests)


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
        assert f"{stem(name)}, mended" in EXAMPLES
    for name in SOUND:
        assert all(truth.view != "leaks" for truth in EXAMPLES[name].truths.values())


@pytest.mark.slow
@with_twins(EXAMPLES)
def test_what_is_declared_is_true(names: Sequence[str]) -> None:
    for name in names:
        example = EXAMPLES[name]
        for coalition, declared in example.truths.items():
            of_set = TruthOfSet(ensemble(name), example.inputs, members_of(coalition))
            assert (of_set.view, of_set.shares) == (declared.view, declared.shares), (
                name,
                coalition,
            )
        for inputs in example.inputs:
            errors = [world.error for one in ensemble(name).played(inputs) for world in one.worlds]
            if not example.may_end:
                assert all((error is not None) == (inputs in example.ending) for error in errors)


# Runs.


@with_twins(REFUSED)
def test_a_script_that_breaks_a_seal_is_refused_by_name(names: Sequence[str]) -> None:
    for name in names:
        example = EXAMPLES[name]
        for inputs in example.inputs:
            with pytest.raises(
                ScriptError,
                match=r"^\S+ in round \d.*(sealed.*me\.disclose|another party holds).*\.py:\d+",
            ):
                played(example, inputs, 0)


@pytest.mark.parametrize("name", [name for name in EXAMPLES if EXAMPLES[name].ending])
def test_a_script_that_aborts_ends_the_run(name: str) -> None:
    example = EXAMPLES[name]
    for inputs in example.ending:
        with pytest.raises(ScriptError):
            played(example, inputs, 0)


# Verdicts.


@with_twins(PLAYED, fast=4)
def test_a_verdict_never_says_less_than_the_truth(names: Sequence[str]) -> None:
    for name in names:
        says_nothing: dict[str, list[bool]] = {}
        for one, of_run in verdicts(name):
            if isinstance(of_run, str):
                assert EXAMPLES[name].is_leaking, of_run
                continue
            for coalition, verdict in of_run.items():
                truth = truth_of(name, coalition)
                true_of_run = truth.shares_at(one.history)
                assert order(verdict.at_most) >= order(true_of_run), (name, coalition, one.history)
                is_nothing, is_output = meets(verdict, "nothing"), meets(verdict, "output-only")
                says_nothing.setdefault(coalition, []).append(is_nothing or is_output)
                if not one.tosses_outside:
                    assert truth.view == "nothing" or not is_nothing, (name, coalition)
                    assert truth.view != "leaks" or not is_output, (name, coalition)
        for coalition, said in says_nothing.items():
            # Outer coins may hide a leak in some runs, and not in all of them.
            assert truth_of(name, coalition).view != "leaks" or not all(said), name


@with_twins(SOUND)
def test_a_sound_script_is_not_accused(names: Sequence[str]) -> None:
    for name in names:
        for one, of_run in verdicts(name):
            assert not isinstance(of_run, str), of_run
            for coalition, verdict in of_run.items():
                truth = truth_of(name, coalition)
                worst = max(truth.view, truth.shares_at(one.history), key=order)
                assert verdict.at_least != "leaks" or worst == "leaks", (name, coalition)


def test_at_most_a_tenth_of_the_sound_scripts_are_undecided() -> None:
    undecided = {
        name
        for name in SOUND
        for _, of_run in verdicts(name)
        if isinstance(of_run, Mapping)
        and any(verdict.finding == "undecided" for verdict in of_run.values())
    }
    assert len(undecided) <= len(SOUND) / 10, sorted(undecided)


# Exact views.


def compared(name: str) -> Iterator[tuple[str, Held, Held, bool | str]]:
    """Each two inputs of an example that a coalition can not tell apart by its own input.

    With it comes whether the exact views are equal, or why no law was claimed.
    """
    example = EXAMPLES[name]
    (protocol,) = example.protocols
    inputs = list(rows_of_inputs(example))
    for coalition in example.truths:
        members = members_of(coalition)
        known = {held: ensemble(name).member_inputs(held, members) for held in inputs}
        comparison = None
        for other in inputs[1:]:
            if known[other] != known[inputs[0]]:
                continue
            same: bool | str
            try:
                comparison = comparison or Comparison(protocol, coalition)
                same = comparison.compare(inputs[0], other).same
            except SimnetError as error:
                same = str(error)
            yield coalition, inputs[0], other, same


# Not several runs, of which there are no exact views, and no loops that wait for a coin: they are
# refused when they have become too deep, which takes seconds.
EXACT = [
    name
    for name in PLAYED
    if len(EXAMPLES[name].protocols) == 1 and EXAMPLES[name].channel != "rejection"
]


@with_twins(EXACT, fast=4)
def test_exact_views_are_the_same_where_they_are(names: Sequence[str]) -> None:
    for name in names:
        for coalition, one, other, same in compared(name):
            members = members_of(coalition)
            laws = [ensemble(name).law(held, members) for held in (one, other)]
            assert isinstance(same, str) or same == (laws[0] == laws[1]), (
                name,
                coalition,
                one,
                other,
            )


# Assertions and the command line, which build on verdicts and exact views.

TOLD = ("an input plus a known coin", "the code of a disclosed choice", "a randomised response")


@pytest.mark.parametrize("name", TOLD)
def test_assertions_fail_on_a_leak(name: str) -> None:
    example = EXAMPLES[name]
    (coalition,), (protocol,) = example.truths, example.protocols
    one, other, *_ = example.inputs
    runs = played(example, one, 0).runs
    with pytest.raises(AssertionError):
        assert_learns_nothing(runs, coalition)
    with pytest.raises(AssertionError):
        assert_learns_only_output(runs, coalition)
    with pytest.raises(AssertionError):
        assert_same_view(protocol, one, other, coalition)


@pytest.mark.parametrize("name", [f"{name}, mended" for name in TOLD])
def test_assertions_pass_on_a_sound_twin(name: str) -> None:
    example = EXAMPLES[name]
    (coalition,), (protocol,) = example.truths, example.protocols
    one, other, *_ = example.inputs
    assert_learns_nothing(played(example, one, 0).runs, coalition)
    assert_same_view(protocol, one, other, coalition)


COMMANDS = (
    ("people.py:CodeVote", "box", 2, 0),
    ("people.py:CodeVoteDisclosed", "box", 1, 0),
    ("people.py:SilentZeroDisclosed", "S", 1, 0),
    ("people.py:RandomisedResponse", "S", 1, 0),
    ("joint.py:KnownMask", "S", 1, 0),
    ("joint.py:TwoDisclosures", "S", 1, 0),
    ("joint.py:HeardThroughAnother", "S", 1, 0),
    ("opened.py:MaskedOpening", "S", 1, 0),
)


@pytest.mark.parametrize(("script", "corrupt", "leaking", "sound"), COMMANDS)
def test_the_exit_status_tells_a_leak_from_its_twin(
    script: str, corrupt: str, leaking: int, sound: int
) -> None:
    for mistake, status in (("true", leaking), ("false", sound)):
        result = simnet(
            "verify",
            ROOT / "tests" / "harness" / "corpus" / script,
            *("--set", f"mistake={mistake}", "--corrupt", corrupt, "--inputs", "1"),
            *("--expect", "nothing"),
        )
        assert result.status == status, result.out + result.err


@pytest.mark.long
def test_the_table_shown_is_what_the_instruments_say() -> None:
    assert "\n".join(table()) in (ROOT / "tests/harness/corpus/MUTANTS.md").read_text()
