"""How a broken contract is said."""

from typing import NoReturn

from satisfice.errors import BrokenContract


def fail(value: object, promise: str) -> NoReturn:
    """Say what the value, of somebody's own, was expected to do, and what it did."""
    raise BrokenContract(f"{type(value).__name__}: {promise}.")
