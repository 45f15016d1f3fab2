"""Studies whose folder of data lacks files that their experiments read."""

from collections.abc import Sequence

import attrs

from simnet.errors import BadInput
from simnet.studies.sweep import Study


def missing_files(studies: Sequence[Study]) -> dict[str, list[str]]:
    """Which of the studies lack a file, by its name; empty where people are made up anyway."""
    found: dict[str, list[str]] = {}
    for study in studies:
        for name in study.experiment.files:
            if study.data is not None and not (study.data / name).is_file():
                found.setdefault(name, []).append(study.name)
    return found


def complete(studies: Sequence[Study], make_up: bool = False) -> list[Study]:
    """The studies.

    If `make_up`, those that lack a file without their folder, so that people are made up.

    Raises `BadInput` otherwise, with every file that is missing and who reads it.
    """
    missing = missing_files(studies)
    if missing and not make_up:
        lacks = "; ".join(f"{name}, for {', '.join(readers)}" for name, readers in missing.items())
        raise BadInput(
            f"the folder of --data lacks {lacks}: put the files there (simnet fetch-data gets the "
            "public ones), name other experiments, or give --make-up-missing to run these on "
            "made-up people, labelled so"
        )
    lacking = {reader for readers in missing.values() for reader in readers}
    return [attrs.evolve(study, data=None) if study.name in lacking else study for study in studies]
