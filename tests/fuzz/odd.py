"""Values and texts that nobody expects, and what may come of them: it works, or a sentence says what is wrong."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from satisfice.errors import SatisficeError
from satisfice.layout.escape import log_lines
from tests.helpers.hostile import NAMES

quick = settings(max_examples=150)
full = settings(max_examples=20_000)


def works_or_says_why(function: Callable[[], Any]) -> Any:
    """What the function returns, or None where a SatisficeError says in sentences what is wrong; nothing else comes."""
    try:
        return function()
    except SatisficeError as error:
        check_sentences(str(error))
        return None


def check_sentences(text: str) -> None:
    assert text[:1].strip() == text[:1] != ""
    assert text.rstrip()[-1] in ".?!", text[-80:]
    assert "Traceback" not in text
    assert "object at 0x" not in text
    assert len(text) < 100_000
    log_lines(text).encode("utf-8", errors="strict")


class Unwritable:
    """Something that cannot be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no")


def deep(levels: int) -> list[Any]:
    """A list in a list in a list."""
    found: list[Any] = []
    for _ in range(levels):
        found = [found]
    return found


class Odd(NamedTuple):
    """The name of an odd value, for some cannot be shown, not even by what shows a failing example."""

    name: str


def made(value: Any) -> Any:
    """The value with odd ones in the place of their names."""
    if isinstance(value, Odd):
        return ODDITIES[value.name]
    if isinstance(value, list):
        return [made(each) for each in value]
    if isinstance(value, dict):
        return {made(key): made(each) for key, each in value.items()}
    return value


HUGE = 10**5000
ODDITIES = {
    "none": None,
    "true": True,
    "huge": HUGE,
    "minus huge": -HUGE,
    "a huge fraction": Fraction(HUGE),
    "a third": Fraction(1, 3),
    "a complex number": 1 + 0j,
    "a decimal number": Decimal("1.5"),
    "a signalling NaN": Decimal("sNaN"),
    "a huge decimal number": Decimal("1e9999"),
    "the largest": 1.7e308,
    "the smallest": 5e-324,
    "numpy float": np.float32(1.5),
    "numpy NaN": np.float64("nan"),
    "numpy integer": np.int64(3),
    "numpy truth": np.bool_(True),
    "numpy complex": np.complex128(1),
    "numpy long": np.longdouble("1e4000"),
    "array of one": np.array(1.0),
    "array": np.array([1.0, 2.0]),
    "array of truths": np.array([True, False]),
    "table": np.array([[1.0]]),
    "array of texts": np.array(["x"]),
    "array of nothing": np.array([]),
    "array of objects": np.array([None]),
    "array of complex numbers": np.array([1j]),
    "a date": np.datetime64("2020-01-01"),
    "a time": np.timedelta64(5, "ns"),
    "times": np.array([5], dtype="timedelta64[ns]"),
    "numpy text": np.str_("x"),
    "numpy bytes": np.void(b"x"),
    "unwritable": Unwritable(),
    "a list of unwritables": [Unwritable()],
    "a class": object,
    "bytes": b"1",
    "more bytes": bytearray(b"1"),
    "a range": range(3),
    "a deep list": deep(100_000),
    "a count": {"count": 1, "of": 2},
    "a huge count": {"count": HUGE, "of": HUGE},
    "too high a count": {"count": 3, "of": 2},
    "a true count": {"count": True, "of": 1},
    "a numpy count": {"count": np.int64(1), "of": np.int64(2)},
    "a long list": [1.0] * 10_000,
    "a huge list": [HUGE],
    "a list of truths": [True],
    "a tuple": (1.0, 2.0),
    "a set": {1.0},
}
KEYS = ("huge", "none", "true", "a class", "a third", "unwritable", "numpy float")
ANY_KEY = st.one_of(st.text(max_size=9), st.sampled_from(KEYS).map(Odd))
ODD = st.sampled_from(sorted(ODDITIES)).map(Odd)
TEXTS = st.one_of(
    st.text(st.characters(), max_size=20),
    st.sampled_from([*NAMES.values(), "", " ", "\0", "\ud800", "x" * 5000, "9" * 5000, "nan", "1e999", "²", "\u0663"]),
)
NUMBERS = st.one_of(st.integers(-5, 5), st.floats(), st.floats(0, 10), st.integers())
VALUES = st.recursive(
    st.one_of(NUMBERS, TEXTS, ODD),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(ANY_KEY, inner, max_size=3),
    ),
    max_leaves=6,
)
