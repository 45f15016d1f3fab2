"""How many cases a property test draws.

An ordinary run draws the same few cases of each property test every time: 25, or what `@cases(n)`
says. `make test` draws only the first quarter of these cases, so that it stays short, and `make
test-slow` the first third. `make test-long` draws all cases of the slow tests, and so does a direct
call of pytest. `make fuzz` draws new cases, `FACTOR` times as many.
"""

import os
from typing import Any

from hypothesis import settings

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "ci")
FACTOR = int(os.environ.get("SIMNET_FUZZ", "25")) if PROFILE == "fuzz" else 1
DEFAULT = 25
# One case in this number of cases is drawn: `make test` sets "quick", and `make test-slow` "third".
SHARE = {"quick": 4, "third": 3}.get(PROFILE, 1)


def cases(count: int, **more: Any) -> settings:
    """Return the settings of a property test that draws the given number of cases in an ordinary
    run.
    """
    return settings(max_examples=max(count * FACTOR // SHARE, 2), **more)
