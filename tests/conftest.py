"""Settings for all tests: profiles of Hypothesis, the command line, and the real data.

Hypothesis draws the same examples in every run; `make fuzz` draws new examples, and many more.
"""

import pytest
from hypothesis import HealthCheck, settings

from tests.harness.data import absence
from tests.harness.fuzz import DEFAULT, FACTOR, PROFILE, SHARE

ORDINARY = settings(
    max_examples=DEFAULT * FACTOR // SHARE,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("ci", ORDINARY, derandomize=True)
settings.register_profile("quick", ORDINARY, derandomize=True)
settings.register_profile("half", ORDINARY, derandomize=True)
settings.register_profile("fuzz", ORDINARY)
settings.load_profile(PROFILE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every property test as one that `make fuzz` runs, and every long test as slow."""
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker("fuzz")
        if item.get_closest_marker("long") is not None:
            item.add_marker("slow")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that needs real data where these are missing, and say which and where."""
    for mark in item.iter_markers("data"):
        if reason := absence(mark.args):
            pytest.skip(reason)
