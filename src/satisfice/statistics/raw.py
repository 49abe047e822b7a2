"""What an evaluation may return for a metric: a number, a list of numbers, or how many of how many.

Checked once, at the edge, and recorded as JSON has it: a float, a list of floats, or {"count": 197, "of": 200}.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from satisfice.given import is_countable, is_number
from satisfice.layout.numbers import written

Raw = Any
"""What was returned for a metric, checked: a float, a list of floats, or a dict with "count" and "of"."""

LARGEST = 1e150
"""Numbers beyond it are refused: their squares, summed, would not be numbers any more."""

BEYOND = LARGEST
"""A value beyond every limit: what a failed evaluation may count as."""

COUNT = {"count", "of"}


class Unexpected(ValueError):
    """A value that cannot be used; says what was expected instead, to go on after the word "Expected"."""


def checked_raw(value: object) -> Raw:
    """The value as it is recorded; Unexpected if it is none of the three."""
    if isinstance(value, np.ndarray | np.generic):
        if value.dtype.kind in "mM":  # their numbers depend on a unit that nobody sees
            raise Unexpected("a finite number rather than a date or a duration")
        value = value.tolist()
    if isinstance(value, Mapping):
        return _checked_count(value)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return _checked_list(value)
    return checked_number(value)


def is_list(raw: Raw) -> bool:
    return isinstance(raw, list)


def is_count(raw: Raw) -> bool:
    return isinstance(raw, dict)


def one_number(raw: Raw) -> float:
    """The number; Unexpected for a list or a count."""
    if is_list(raw):
        raise Unexpected(
            f"one number rather than {len(raw)}, since the limit is on a mean (return their mean, or limit p95(...), "
            "median(...) or share(... <= X))"
        )
    if is_count(raw):
        raise Unexpected("one number rather than a count (limit share(... <= X), or declare it independent)")
    return float(raw)


def share_counted(raw: Raw) -> float:
    """Which part a count is."""
    return float(raw["count"] / raw["of"])


def weight_of(raw: Raw) -> int:
    """How many observations were returned."""
    return raw["of"] if is_count(raw) else len(raw) if is_list(raw) else 1


def values_of(raw: Raw) -> list[float]:
    """The numbers that were returned; Unexpected for a count."""
    if is_count(raw):
        raise Unexpected("a number or a list of numbers rather than a count, which does not say where they lie")
    return raw if is_list(raw) else [raw]


def checked_number(value: object) -> float:
    """One finite number; Unexpected if it is none."""
    if not is_number(value):
        raise Unexpected("a finite number")
    number = float(value)
    if abs(number) > LARGEST:
        raise Unexpected(
            f"a number of at most {written(LARGEST)} in size, small enough to compute with (use a larger unit)"
        )
    return number


def _checked_list(values: Sequence[object]) -> list[float]:
    if not values:
        raise Unexpected("at least one number in the list")
    return [checked_number(value) for value in values]


def _checked_count(value: Mapping[Any, object]) -> dict[str, int]:
    count, of = value.get("count"), value.get("of")
    if set(value) != COUNT or not is_countable(count, 0) or not is_countable(of, 1) or count > of:
        raise Unexpected("a count as {'count': 197, 'of': 200}, whole numbers with 0 <= count <= of and 1 <= of < 2^53")
    return {"count": int(count), "of": int(of)}
