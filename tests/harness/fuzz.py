"""How many cases a property test draws.

An ordinary run draws the same few cases of each property test every time: 25, or what `@cases(n)`
says. `make test` draws the first third of them, so that it stays short; tests that are marked slow,
and whoever calls pytest, draw all of them. `make fuzz` draws fresh ones, `FACTOR` times as many.
"""

import os
from typing import Any

from hypothesis import settings

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "ci")
FACTOR = int(os.environ.get("SIMNET_FUZZ", "25")) if PROFILE == "fuzz" else 1
DEFAULT = 25
SHARE = 3 if PROFILE == "quick" else 1  # one in so many cases is drawn


def cases(count: int, **more: Any) -> settings:
    """The settings of a property test that draws the given number of cases in an ordinary run."""
    return settings(max_examples=max(count * FACTOR // SHARE, 2), **more)
