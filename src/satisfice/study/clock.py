"""Time, as a study needs it; the module `time` is such a clock."""

from typing import Protocol

SKEW_SAID = 5.0
"""Seconds: clocks that disagree by more are spoken of."""


class Clock(Protocol):
    """What says when something happened, and what measures how long ago."""

    def time(self) -> float:
        """Seconds since 1970, for people: another machine's may differ, and it may be set back."""

    def monotonic(self) -> float:
        """Seconds since some moment, for leases: it never goes back, and is compared on one machine alone."""
