"""How many cases a property test draws.

An ordinary run draws the same few cases of each property test every time: 25, or what `@cases(n)`
says. `make test` and `make test-slow` draw only the first quarter of these cases, so that they stay
short. `make test-long` draws all cases of the slow tests, and a direct call of pytest draws all
cases of the tests that it runs. `make fuzz` draws new cases, `FACTOR` times as many.
"""

import os
from typing import Any

from hypothesis import settings

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "ci")
FACTOR = int(os.environ.get("SIMNET_FUZZ", "25")) if PROFILE == "fuzz" else 1
DEFAULT = 25
SHARE = 4 if PROFILE == "quick" else 1  # one case in this number of cases is drawn


def cases(count: int, **more: Any) -> settings:
    """Return the settings of a property test that draws the given number of cases in an ordinary
    run.
    """
    return settings(max_examples=max(count * FACTOR // SHARE, 2), **more)
