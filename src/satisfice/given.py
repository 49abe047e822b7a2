"""What somebody gave, of whatever type: whether it is a number, whether a text can be kept, how a sentence shows it."""

from math import isfinite
from numbers import Integral, Real
from typing import Any, TypeGuard
from unicodedata import normalize

MOST_COUNTED = 2**53 - 1
"""Beyond it floats do not tell whole numbers apart."""
LONGEST = 1000
"""Of what is longer, only the beginning is written."""


def is_number(value: object) -> TypeGuard[float]:
    """Whether it is a finite real number that a float can hold; True and False are none."""
    if type(value) is float:  # by far the most frequent case
        return isfinite(value)
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        return isfinite(float(value)) and _is_beside(value)
    except (OverflowError, ValueError, TypeError):  # whole numbers and fractions beyond 1e308
        return False


def is_whole(value: object, least: int) -> TypeGuard[int]:
    """Whether it is a whole number of at least `least`; True and False are none."""
    return isinstance(value, Integral) and not isinstance(value, bool) and _is_beside(value) and int(value) >= least


def is_countable(value: object, least: int) -> TypeGuard[int]:
    """Whether it is a whole number of at least `least` that can be counted to."""
    return is_whole(value, least) and value <= MOST_COUNTED


def is_digits(text: str, most: int = 15) -> bool:
    """Whether it is a whole number in at most so many of the digits 0 to 9; Python reads those of any script."""
    return text.isascii() and text.isdecimal() and len(text) <= most


def _is_beside(number: Any) -> bool:
    """Whether it can be compared with numbers: numpy's spans of time say that they are whole numbers, and cannot."""
    try:
        return bool(number < 0.0 or number >= 0.0)
    except TypeError:
        return False


def shown(value: object, most: int = 200) -> str:
    """The value as Python writes it, at most `most` characters; in words if it cannot be written."""
    if isinstance(value, str | bytes | list | tuple) and len(value) > LONGEST:
        value = value[:LONGEST]
    try:
        return repr(value)[:most]
    except Exception:  # too many digits, too deeply nested, or a __repr__ of somebody's own
        kind = "whole number with more digits than are ever written" if isinstance(value, int) else type(value).__name__
        return f"a {kind}" + ("" if isinstance(value, int) else " that cannot be written")


def why_unwritable(text: str) -> str | None:
    """Why a text cannot be written to every storage and handed to every program; None if it can."""
    if "\0" in text:
        return "it contains a NUL character"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "it contains half a character (a lone surrogate, as bytes that are not UTF-8 become)"
    return None


def writable(text: str) -> str:
    """The text with whatever cannot be written as Python writes it."""
    return text.encode(errors="backslashreplace").decode().replace("\0", "\\x00")


def looks(text: str) -> str:
    """What people see of a text: the same for two that differ in how accents are composed, or in spaces around them."""
    return normalize("NFC", text).strip()
