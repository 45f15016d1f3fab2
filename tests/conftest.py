"""Settings for all tests: profiles of Hypothesis, the command line, and the real data.

Hypothesis draws the same examples in every run; `make fuzz` draws new examples, and many more.
"""

import gc
import os
import signal
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from simnet.vault.place import in_place_by_wish
from tests.harness.data import absence
from tests.harness.fuzz import DEFAULT, FACTOR, PROFILE, SHARE

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ORDINARY = settings(
    max_examples=DEFAULT * FACTOR // SHARE,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("ci", ORDINARY, derandomize=True)
settings.register_profile("quick", ORDINARY, derandomize=True)
settings.register_profile("fuzz", ORDINARY)
settings.load_profile(PROFILE)


# Nearly all tests are about toys, so functions of doors are called in the process of the test.
in_place_by_wish.set(True)


# Tests press Ctrl-C in processes of their own, which inherit it where the shell has it ignored.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every property test as one that `make fuzz` runs, and every long test as slow."""
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker("fuzz")
        if item.get_closest_marker("long") is not None:
            item.add_marker("slow")


def pytest_collection_finish() -> None:
    """Let Python's garbage collection leave alone what the tests and the libraries keep for ever.
    This saves a tenth of the time.
    """
    gc.collect()
    gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that needs real data where these are missing, and say which and where."""
    for mark in item.iter_markers("data"):
        if reason := absence(mark.args):
            pytest.skip(reason)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Name a test that fails at once: a run that is ended from outside prints no summary."""
    if report.failed and "PYTEST_XDIST_WORKER" not in os.environ:
        print(f"\nFAILED {report.nodeid} ({report.when})", file=sys.__stderr__, flush=True)


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """One Chromium for all tests of a module."""
    from tests.harness.pages import browser_started

    with browser_started() as started:
        yield started
