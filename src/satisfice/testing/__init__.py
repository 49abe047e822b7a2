"""Contract tests for your own sampling rules, stopping rules, noise models, simulated arms, storages and
readers.

    from satisfice.testing import check_rule

    def test_my_rule() -> None:
        check_rule(MyRule())

Each check raises a `BrokenContract`, which is an AssertionError, with the first promise that is not kept. All checks
are seeded: they pass always or never.
"""

from satisfice.testing.noise import ErrorCounts, check_error_rate, check_noise
from satisfice.testing.parts import check_arms, check_rule, check_stopping
from satisfice.testing.readers import check_reader
from satisfice.testing.storage import check_storage

__all__ = [
    "ErrorCounts",
    "check_arms",
    "check_error_rate",
    "check_noise",
    "check_reader",
    "check_rule",
    "check_stopping",
    "check_storage",
]
