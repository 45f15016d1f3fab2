"""Sentences that are computed: their numbers, and their verdicts."""

from math import nan
from pathlib import Path

import pytest

from simnet.studies.experiment import Experiment, Measurements, Parameters
from simnet.studies.quote import STATED, Stated
from simnet.studies.sentences import AXIS, Sentence, evaluated
from simnet.studies.table import Measure
from tests.harness.experiments import played, the, verdicts

SENTENCES = (
    Sentence("Sec. 1", "the answer", "42", lambda _: 42.0),
    Sentence("Sec. 1", "a misprint", "7", lambda _: 8.0, "It is 8.", lambda _: 8.0),
    Sentence("Sec. 2", "it holds everywhere", STATED, lambda _: 0.5, under="one reading"),
    Sentence("Sec. 2", "it holds everywhere", STATED, lambda _: 1.0, under="another"),
    Sentence("Sec. 3", "a bound", Stated(3.0), lambda _: 4.0, bound="at least"),
    Sentence("Sec. 4", "a number of people", Stated(3.0), lambda _: 4.0, counted=True),
    Sentence("Sec. 5", "nothing to count", Stated(3.0), lambda _: nan, counted=True),
)


def trial(parameters: Parameters, seed: int, data: Path | None) -> Measurements:
    return evaluated(SENTENCES, parameters, data)


def test_each_sentence_is_judged_by_its_own_number() -> None:
    experiment = Experiment(
        summary="s",
        source="nobody",
        trial=trial,
        grid=[{AXIS: [one.name for one in SENTENCES]}],
        measures=[Measure("value", exact=True)],
        quotes=[one.quote() for one in SENTENCES],
    )
    found = verdicts(experiment, played(experiment, "sentences", {}))
    assert the(found, "answer").verdict == "computed"
    assert the(found, "misprint").verdict == "computed with correction"
    assert the(found, "misprint").note == "It is 8."
    assert the(found, "one reading").verdict == "fails by the law"
    assert the(found, "another").verdict == "computed"
    assert the(found, "bound").printed_in_words == "stated: at least 3"
    assert the(found, "bound").verdict == "computed"
    people = the(found, "number of people")
    assert (people.expected, people.measured, people.low, people.high) == (None, 4.0, 4.0, 4.0)
    assert (people.law, people.runs, people.verdict) == ("none", "contradict", "not reproduced")
    nothing = experiment.quotes[-1].judge(played(experiment, "sentences", {}))
    assert (nothing.law, nothing.verdict) == ("none", "undecided")
    assert nothing.note.endswith("the sentence has no number for these people.")


def test_an_unknown_sentence_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"no sentence is called 'an answer' \(did you mean the"):
        trial({AXIS: "an answer"}, 1, None)
