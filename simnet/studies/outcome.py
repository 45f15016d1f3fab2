"""The outcome of one trial: a result that can be stored, or an error message.

A trial may return anything, raise anything, or call `sys.exit`. Here, in the worker process, each
of these becomes a result or a failure, apart from a `KeyboardInterrupt`.
"""

import json
import time
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from simnet.record.fate import Ending
from simnet.studies.experiment import LABEL, OWN_COLUMNS, Experiment, Job
from simnet.studies.store import Result
from simnet.studies.trial import Aborted

# whole numbers must be smaller in absolute value, so that every kind of table can hold them
LARGEST = 2**63
LONGEST = 500  # letters of an error


@attrs.frozen
class Failed:
    """A trial without a result, with its error message."""

    job: Job
    error: str


def outcome(experiment: Experiment, job: Job, data: Path | None) -> Result | Failed:
    """Run a trial and return its outcome.

    A trial has failed if it raises an exception, or returns something other than valid numbers. But
    a `KeyboardInterrupt` is passed on, and an aborted run is a result without numbers.
    """
    began = time.perf_counter(), time.thread_time()
    aborts: tuple[Ending, ...] = ()
    try:
        parameters = json.loads(job.parameters)
        numbers = _plain(experiment.trial(parameters, job.seed, data), parameters)
        _refuse_unmeasured(experiment, numbers)
    except KeyboardInterrupt:
        raise
    except Aborted as aborted:
        numbers, aborts = {}, aborted.endings
    except BaseException as error:  # `sys.exit` too must not end the sweep without a word
        return failure(job, " ".join(traceback.format_exception_only(error)))
    seconds, processor = time.perf_counter() - began[0], time.thread_time() - began[1]
    return Result(job, numbers, seconds, processor, aborts)


def failure(job: Job, error: str) -> Failed:
    """Return a failed trial."""
    words = " ".join(error.split())
    shown = words if len(words) <= LONGEST else f"{words[:LONGEST]}..."
    return Failed(job, f"trial {job.trial} of {job.parameters}: {shown}")


def _plain(numbers: object, parameters: Mapping[str, Any]) -> dict[str, float | str]:
    if not isinstance(numbers, Mapping):
        raise TypeError(f"a trial returns numbers by name, but the result is {_kind(numbers)}")
    found: dict[str, float | str] = {}
    for name, value in numbers.items():
        if not isinstance(name, str):
            raise TypeError(f"the name of a number is a text, but {name!r} is {_kind(name)}")
        name.encode()  # this call raises an error for a lone surrogate, which no file can contain
        if name in parameters or name in OWN_COLUMNS:
            raise ValueError(
                f"a number cannot be called {name!r}: tables have a column of that name already"
            )
        found[str(name)] = _label(value) if name == LABEL else _number(name, value)
    return found


def _refuse_unmeasured(experiment: Experiment, numbers: Mapping[str, float | str]) -> None:
    """Raise `ValueError` if the trial returned none of the measures, or a measure without the
    expected value or the deviation that the measure names. A trial need not return all measures.
    """
    measured = [measure for measure in experiment.measures if measure.name in numbers]
    if experiment.measures and not measured:
        names = ", ".join(repr(measure.name) for measure in experiment.measures)
        raise ValueError(f"the trial returned nothing of what its experiment measures: {names}")
    for measure in measured:
        for name in (measure.expected, measure.deviation):
            if name is not None and name not in numbers:
                raise ValueError(f"the trial returned {measure.name!r} without its {name!r}")


def _label(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(
            f"{LABEL!r} is a text that says where people came from, but {value!r} is {_kind(value)}"
        )
    value.encode()
    return str(value)


def _number(name: str, value: Any) -> float:
    plain = value.item() if hasattr(value, "item") else value
    if isinstance(plain, float):
        return float(plain)
    if isinstance(plain, int) and not isinstance(plain, bool):
        if abs(plain) < LARGEST:
            return int(plain)
        raise ValueError(f"{name!r} is a whole number of 2**63 or more in size: return a float")
    raise TypeError(f"{name!r} is {_kind(value)}: return a float or a whole number")


def _kind(value: object) -> str:
    return f"of type {type(value).__name__}"
