"""How many cases a property test draws.

An ordinary run draws the same few cases of each property test every time: 40, or what `@cases(n)`
says. `make fuzz` draws fresh ones, and `FACTOR` times as many.
"""

import os
from typing import Any

from hypothesis import settings

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "ci")
FACTOR = int(os.environ.get("SIMNET_FUZZ", "25")) if PROFILE == "fuzz" else 1
DEFAULT = 25


def cases(count: int, **more: Any) -> settings:
    """The settings of a property test that draws so many cases in an ordinary run."""
    return settings(max_examples=count * FACTOR, **more)
