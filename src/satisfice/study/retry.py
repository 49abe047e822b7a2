"""Waiting for a storage that does not answer now."""

import time
from collections.abc import Callable
from typing import TypeVar

from satisfice.errors import StorageUnreachable

T = TypeVar("T")

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.1, 5.0


def patiently(act: Callable[[], T], patience: float, recover: Callable[[], object] = lambda: None) -> T:
    """Do it, again and again while the storage is out of reach, for at most `patience` seconds.

    Pauses double from one attempt to the next; `recover` is called before each further attempt.
    """
    until, pause, lost = time.monotonic() + patience, FIRST_PAUSE_SECONDS, False
    while True:
        try:
            if lost:
                recover()
            return act()
        except StorageUnreachable:
            lost = True
            if time.monotonic() + pause > until:
                raise
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
