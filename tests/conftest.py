"""Settings of the whole suite."""

import gc
import os
import signal

import pytest
from hypothesis import settings

from tests.helpers.sweeping import pytest_unconfigure, watch

# the same examples in every run: a failure can be looked at again, and no file of past examples is kept
settings.register_profile("seeded", derandomize=True, deadline=None, database=None, max_examples=40)
settings.load_profile("seeded")

# what runs in the background ignores some of these, and so would all that the tests start and interrupt
signal.signal(signal.SIGINT, signal.default_int_handler)
for ignored in (signal.SIGHUP, signal.SIGQUIT):
    signal.signal(ignored, signal.SIG_DFL)

watch()
__all__ = ["pytest_unconfigure"]  # pytest finds its hooks by their names

HEAVY_SECONDS = 3600


def pytest_xdist_auto_num_workers() -> int:
    """Twice as many as processors: for half of its time a test waits for programs, servers and moments to pass."""
    return 2 * (os.cpu_count() or 1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Heavy statistics may take longer than the limit that pyproject.toml sets for each test."""
    for item in items:
        if item.get_closest_marker("full") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(HEAVY_SECONDS))


def pytest_collection_finish() -> None:
    """What is there by now stays, and need not be gone through again whenever garbage is collected."""
    gc.collect()
    gc.freeze()
