"""Folders of data in which the files of some experiments are missing."""

from pathlib import Path

import attrs
import pytest

from simnet.errors import BadInput
from simnet.studies.experiment import Experiment
from simnet.studies.missing import complete, missing_files
from simnet.studies.sweep import Study

EXPERIMENT = Experiment("a", "b", lambda *_: {"one": 1.0}, [{"x": [1]}], [])


def study(name: str, data: Path | None, *files: str) -> Study:
    return Study(name, name, attrs.evolve(EXPERIMENT, files=files), data)


def test_all_that_is_missing_is_told_at_once_or_made_up(tmp_path: Path) -> None:
    (tmp_path / "there.csv").touch()
    studies = [
        study("whole", tmp_path, "there.csv"),
        study("first", tmp_path, "there.csv", "gone.csv"),
        study("second", tmp_path, "gone.csv", "lost.csv"),
        study("made up", None, "gone.csv"),
        study("none", tmp_path),
    ]
    assert missing_files(studies) == {"gone.csv": ["first", "second"], "lost.csv": ["second"]}
    with pytest.raises(
        BadInput,
        match=r"lacks gone\.csv, for first, second; lost\.csv, for second: .*--make-up-missing",
    ):
        complete(studies)
    assert [one.data for one in complete(studies, make_up=True)] == [
        tmp_path,
        None,
        None,
        None,
        tmp_path,
    ]
    assert complete(studies[:1]) == studies[:1]
