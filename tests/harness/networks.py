"""When runs end on networks that have a name."""

from simnet.kernel.run import Run
from simnet.network.presets import PRESETS
from simnet.network.recorded import recorded
from simnet.network.timing import timed


def ended(run: Run, network: str = "rounds") -> dict[str, float]:
    """Return when each party ends."""
    return timed(recorded(run), PRESETS[network]).ended


def completion(run: Run, network: str = "rounds") -> float:
    """Return when the last party ends."""
    return max(ended(run, network).values())
