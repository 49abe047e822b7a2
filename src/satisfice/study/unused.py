"""Results that no threshold is about and that cannot be kept: said once, at the line of whoever can change it."""

import warnings
from collections.abc import Iterable

from satisfice.errors import UnusedMetrics, users_level
from satisfice.given import shown


class Unused:
    """The names of such results, as far as they were warned of."""

    def __init__(self, measured: Iterable[str]) -> None:
        self._measured, self._said = tuple(measured), set[str]()

    def warn(self, names: set[str]) -> None:
        """Warn of names that are new."""
        new = sorted(map(shown, names - self._said))
        if new:
            self._said |= names
            warnings.warn(
                f"No threshold is about {', '.join(new)}, and it is no number and no short text: not recorded. "
                f"Thresholds are about {', '.join(self._measured)}.",
                UnusedMetrics,
                stacklevel=users_level(),
            )
