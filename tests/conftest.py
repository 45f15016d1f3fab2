"""What all tests share: profiles of Hypothesis, the command line, and the real data.

Hypothesis draws the same examples in every run. `HYPOTHESIS_PROFILE=explore` draws fresh ones, and
more of them; `make fuzz` draws thousands for the tests that are marked so.
"""

import pytest
from hypothesis import HealthCheck, settings

from tests.harness.data import absence
from tests.harness.fuzz import PROFILE

settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("explore", deadline=None, max_examples=500)
settings.register_profile(
    "fuzz", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(PROFILE)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that needs real data where these are missing, and say which and where."""
    for mark in item.iter_markers("data"):
        if reason := absence(mark.args):
            pytest.skip(reason)
