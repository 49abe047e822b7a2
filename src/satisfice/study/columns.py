"""Columns of a table: numbers, codes of texts, instants, and whatever else, taken out as Python's own values."""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC
from math import nan
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from satisfice.errors import DamagedLog
from satisfice.extras import need
from satisfice.study.event_checks import FARTHEST_SECONDS

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

WHOLE, NUMBER, FLAG, CODE = "q", "d", "b", "i"
"""Codes of typed arrays: 8 bytes, 8 bytes, 1 byte, 4 bytes."""

SOME = 10_000
"""Rows that are taken out at a time."""


class Column(Sequence[Any]):
    """A column in few bytes for each row: an array, the codes of `texts` (-1 is none), or a list of anything.

    What is taken out of it are Python's own values: None for what is not there, times in UTC, and whole numbers where
    all are.
    """

    def __init__(self, values: Any, texts: Sequence[str] | None = None, *, whole: bool = False) -> None:
        self.values, self.texts, self._whole = values, texts, whole
        self._known: list[Any] | None = None if texts is None else [*texts, None]
        self._written: Callable[[Any], Any] | None = None
        self._iso_8601 = False

    def written(self, write: Callable[[Any], Any] | None = None) -> "Column":
        """The same with every value as it is written: a text once, others when taken out, instants as ISO 8601."""
        found = Column(self.values, self.texts, whole=self._whole)
        found._iso_8601 = True
        if self._known is None or write is None:
            found._written = write
        else:
            found._known = list(map(write, self._known))
        return found

    @property
    def kind(self) -> str:
        """'O' for a list of anything, 'c' for codes of texts, else numpy's letter: i, f, b, M."""
        return "c" if self.texts is not None else "O" if isinstance(self.values, list) else self.values.dtype.kind

    def __len__(self) -> int:
        return len(self.values)

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> list[Any]: ...
    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return self._plain(self.values[place])
        return self._plain([self.values[place]] if self.kind == "O" else self.values[place : place + 1 or None])[0]

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, len(self.values), SOME):
            yield from self[start : start + SOME]

    def _plain(self, part: Any) -> list[Any]:
        found = self._own(part)
        return found if self._written is None else list(map(self._written, found))

    def _own(self, part: Any) -> list[Any]:
        if isinstance(part, list):
            return part
        if part.dtype.kind == "M":
            if self._iso_8601:
                return list(np.datetime_as_string(part, unit="us", timezone="UTC").tolist())
            return [one.replace(tzinfo=UTC) for one in part.tolist()]
        found: list[Any] = part.tolist()
        if self._known is not None:
            return list(map(self._known.__getitem__, found))
        if part.dtype.kind == "f" and (self._whole or np.isnan(part).any()):
            number = int if self._whole else float
            return [None if one != one else number(one) for one in found]  # noqa: PLR0124 - only NaN differs from itself
        return found


Columns = Mapping[str, Sequence[Any]]
"""A table: columns of the same length, by name."""


def as_column(values: Sequence[Any]) -> Column:
    """Values as a column, if they are none yet."""
    return values if isinstance(values, Column) else Column(list(values))


class Texts:
    """A column that grows, of few different texts, each kept once."""

    def __init__(self) -> None:
        self._codes = array(CODE)
        self._places: dict[str | None, int] = {None: -1}

    def extend(self, texts: Sequence[str | None]) -> None:
        for text in dict.fromkeys(texts):
            self._places.setdefault(text, len(self._places) - 1)
        self._codes.extend(map(self._places.__getitem__, texts))

    def column(self) -> Column:
        return Column(numbers(self._codes), [text for text in self._places if text is not None])


class Values:
    """A column that grows, of numbers; it becomes a list once anything else is among them, or one was none."""

    def __init__(self, *, lists: bool = False) -> None:
        self._values: Any = array(NUMBER)
        self._whole, self._lists = True, lists

    def extend(self, values: Sequence[Any]) -> None:
        """More values. With `lists`, a column in which there are some has a list for a single number, too."""
        if isinstance(self._values, array):
            if all(type(one) is float for one in values):  # nearly always
                self._whole = self._whole and not values
                self._values.extend(array(NUMBER, values))
                return
            if all(one is None or type(one) is float or _is_small(one) for one in values):
                self._whole = self._whole and not any(type(one) is float for one in values)
                self._values.extend(array(NUMBER, [nan if one is None else one for one in values]))
                return
            number = int if self._whole else float
            self._values = [self._kept(None if one != one else number(one)) for one in self._values]  # noqa: PLR0124 - NaN
        self._values.extend(map(self._kept, values))

    def _kept(self, value: Any) -> Any:
        return [value] if self._lists and isinstance(value, int | float) else value

    def fill(self, rows: int) -> None:
        """None up to a row, where a result was not always there."""
        missing = rows - len(self._values)
        self._values.extend(array(NUMBER, [nan]) * missing if isinstance(self._values, array) else [None] * missing)

    def column(self) -> Column:
        if not isinstance(self._values, array):
            return Column(self._values)
        return Column(numbers(self._values), whole=self._whole and bool(self._values))


def column_of(values: Sequence[Any], rows: NDArray[Any]) -> Column:
    """A column of what a few things have, in rows that name them by their place: numbers, flags, or texts."""
    if all(_is_small(one) for one in values):
        return Column(np.array(values, dtype=np.int64)[rows])
    if all(type(one) in (int, float) for one in values):
        return Column(np.array(values, dtype=np.float64)[rows])
    if all(type(one) is bool for one in values):
        return Column(np.array(values, dtype=bool)[rows])
    coded = Texts()
    coded.extend([None if one is None else one if isinstance(one, str) else str(one) for one in values])
    found = coded.column()
    return Column(found.values[rows], found.texts)


def _is_small(value: Any) -> bool:
    """Whether it is a whole number that a float has exactly."""
    return type(value) is int and abs(value) <= 2**53


def numbers(column: Any) -> NDArray[Any]:
    """A typed array as numpy's, without a copy."""
    return np.frombuffer(column, dtype=column.typecode) if len(column) else np.zeros(0, dtype=column.typecode)


def instants(seconds: Any) -> Column:
    """Seconds since 1970 as instants."""
    if not (np.abs(numbers(seconds)) < FARTHEST_SECONDS).all():
        raise DamagedLog("The log has a time that cannot be. `satisfice verify` says where.")
    return Column(np.round(numbers(seconds) * 1e6).astype("datetime64[us]"))


def as_dataframe(columns: Mapping[str, Column]) -> "pd.DataFrame":
    """A table of pandas; texts of which there are few are categories, times are in UTC."""
    need("A data frame", "pandas", instead="evaluations() does without it.")
    import pandas as pd  # noqa: PLC0415 - heavy, and needed here only

    made: dict[str, Any] = {}
    for name, column in columns.items():
        if column.kind == "c":
            made[name] = pd.Categorical.from_codes(column.values, categories=column.texts)
        else:
            made[name] = pd.DatetimeIndex(column.values).tz_localize("UTC") if column.kind == "M" else column.values
    return pd.DataFrame(made, copy=False)


def as_arrow(columns: Columns) -> "pa.Table":
    """A table of Arrow; texts of which there are few are dictionaries, times are in UTC."""
    need("A table of Arrow", "pyarrow", instead="evaluations() does without it.")
    import pyarrow as pa  # noqa: PLC0415 - heavy, and needed here only

    made: dict[str, Any] = {}
    for name, column in columns.items():
        kept = as_column(column)
        if kept.texts is not None:
            codes = pa.array(kept.values, mask=kept.values < 0)
            made[name] = pa.DictionaryArray.from_arrays(codes, pa.array(kept.texts, type=pa.string()))
        elif kept.kind == "M":
            made[name] = pa.array(kept.values.astype(np.int64), type=pa.timestamp("us", tz="UTC"))
        else:
            made[name] = _anything(kept.values) if kept.kind == "O" else pa.array(kept.values, from_pandas=True)
    return pa.table(made)


def _anything(values: Sequence[Any]) -> "pa.Array":
    """Values as Arrow has them, or as texts where they are of several types, or numbers beyond 2^63."""
    import pyarrow as pa  # noqa: PLC0415 - heavy, and needed here only

    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return pa.array([None if one is None else str(one) for one in values])


def as_polars(columns: Mapping[str, Column]) -> "pl.DataFrame":
    """A table of polars; texts of which there are few are categories, times are in UTC."""
    need("A table of polars", "polars", instead="evaluations() does without it.")
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    made = []
    for name, column in columns.items():
        values = column.values
        if column.texts is not None:
            known = pl.Series(name, [*column.texts, None], dtype=pl.String)
            made.append(known.gather(np.where(values < 0, len(column.texts), values)).cast(pl.Categorical))
        elif column.kind == "M":
            made.append(pl.Series(name, values).dt.replace_time_zone("UTC"))
        elif column.kind == "f":
            made.append(pl.Series(name, values, nan_to_null=True))
        else:
            made.append(pl.Series(name, values, strict=False))
    return pl.DataFrame(made)


def in_parts(columns: Columns) -> Iterator[Iterable[tuple[Any, ...]]]:
    """The rows of a table, some at a time."""
    rows = max(map(len, columns.values()), default=0)
    for start in range(0, rows, SOME):
        yield zip(*(column[start : start + SOME] for column in columns.values()), strict=True)
