"""A cheap experiment, in a file as a user would write it; its trials can be slow, fail, or kill
their process.

What a trial draws follows from its seed alone. Each trial leaves a mark in the folder
`SIMNET_TEST_MARKS` when it is run.
"""

import os
import signal
import time
from pathlib import Path

from simnet.coins.sampled import SampledCoins
from simnet.studies.experiment import Experiment, Measurements, Parameters
from simnet.studies.table import Measure


def trial(parameters: Parameters, seed: int, data: Path | None) -> Measurements:
    marks = os.environ.get("SIMNET_TEST_MARKS")
    if marks:
        descriptor = os.open(
            Path(marks) / f"{parameters['shift']}-{seed}", os.O_CREAT | os.O_APPEND | os.O_WRONLY
        )
        os.write(descriptor, b"x")
        os.close(descriptor)
    time.sleep(float(parameters["pause"]))
    if parameters["fails"] == "some" and seed % 3 == 0:
        raise ArithmeticError("seeds that 3 divides are bad luck")
    if parameters["fails"] == "dies" or (parameters["fails"] == "few die" and seed % 31 == 0):
        os.kill(os.getpid(), signal.SIGKILL)
    drawn = SampledCoins(seed, "u1").normal(4).plain
    length = data.joinpath("words.txt").stat().st_size if data else 0
    return {
        "value": float((drawn + float(parameters["shift"])).sum()),
        "expected": 4.0 * float(parameters["shift"]),
        "length": length,
    }


EXPERIMENT = Experiment(
    summary="Sums of four normal numbers",
    source="nobody",
    trial=trial,
    grid=[{"shift": [0.0, 1.0, 2.0], "pause": [0.0], "fails": ["no"]}],
    measures=[Measure("value", "the sum", "expected")],
    trials=40,
    quick={"shift": [1.0]},
    quick_trials=5,
    files=("words.txt",),
)
