"""Find experiments whose data files are missing from the folder of data."""

from collections.abc import Sequence

import attrs

from simnet.errors import BadInput
from simnet.studies.sweep import Study


def missing_files(studies: Sequence[Study]) -> dict[str, list[str]]:
    """Return, for each missing file, the names of the studies that read it.

    A study without a folder of data misses no file, because its users are made up.
    """
    found: dict[str, list[str]] = {}
    for study in studies:
        for name in study.experiment.files:
            if study.data is not None and not (study.data / name).is_file():
                found.setdefault(name, []).append(study.name)
    return found


def complete(studies: Sequence[Study], make_up: bool = False) -> list[Study]:
    """Return the studies in a form in which all of them can run.

    With `make_up`, a study that misses a file loses its folder of data, so that its users are made
    up. Without `make_up`, raises `BadInput` if a study misses a file.
    """
    missing = missing_files(studies)
    if missing and not make_up:
        lacks = "; ".join(f"{name}, for {', '.join(readers)}" for name, readers in missing.items())
        raise BadInput(
            f"the folder of --data lacks {lacks}: put the files there (simnet fetch-data gets the "
            "public ones), name other experiments, or give --make-up-missing to run these "
            "experiments on made-up people; their reports then say so"
        )
    lacking = {reader for readers in missing.values() for reader in readers}
    return [attrs.evolve(study, data=None) if study.name in lacking else study for study in studies]
