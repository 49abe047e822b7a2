"""All evaluations of a study as columns: read in one pass, in numbers and codes rather than objects."""

from array import array
from collections.abc import Iterable
from math import isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from satisfice.extras import need
from satisfice.study.evaluations import COST, cost_in, line_of, names_of, result_columns
from satisfice.study.events import Event, Kind
from satisfice.study.policy import Then, policy_of_content
from satisfice.study.spec import Spec

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

WHOLE, NUMBER, FLAG, CODE = "q", "d", "b", "i"
"""Codes of typed arrays: 8 bytes, 8 bytes, 1 byte, 4 bytes."""


class Coded:
    """A column of few different texts, each kept once; -1 is none."""

    def __init__(self) -> None:
        self.codes, self._places = array(CODE), dict[str, int]()

    def add(self, text: str | None) -> None:
        self.codes.append(-1 if text is None else self._places.setdefault(text, len(self._places)))

    @property
    def texts(self) -> list[str]:
        return list(self._places)


class Table:
    """The columns of all evaluations, in the order in which they were settled; failures are rows too."""

    def __init__(self, spec: Spec, events: Iterable[Event]) -> None:
        self._spec, self._names = spec, result_columns(spec)
        self._arm, self._number, self._repeat, self._attempt = array(CODE), array(WHOLE), array(WHOLE), array(CODE)
        self._results: list[Any] = [array(NUMBER) for _ in self._names]
        self._cost: array[float] = array(NUMBER)
        self._asked: array[float] = array(NUMBER)
        self._told: array[float] = array(NUMBER)
        self._late = array(FLAG)
        self._failure, self._worker, self._groups = Coded(), Coded(), Coded()
        self._places = [[self._names.index(name) for name in names_of(group)] for group in spec.problem().by_group]
        self._also: dict[str, dict[int, Any]] = {}
        self._read(events)

    def _read(self, events: Iterable[Event]) -> None:
        problem, ended = self._spec.problem(), False
        worst = [self._spec.policy.worst_values(group) for group in problem.by_group]
        under_way: dict[int, tuple[int, int, float, str | None]] = {}
        for event in events:
            kind, content = event.kind, event.content
            if kind == Kind.ASKED:
                line = line_of(self._spec, content)
                under_way[content["number"]] = (line, content["arm_number"], content["at"], content["worker"])
            elif kind == Kind.TOLD:
                told = content["values"]
                beside = content.get("baseline")
                self._row(under_way.pop(content["number"]), content, ended, [*told, *beside] if beside else told)
            elif kind == Kind.FAILED:
                settles = content["then"] == Then.WORST
                asked = (under_way.pop if settles else under_way.__getitem__)(content["number"])
                self._row(asked, content, ended, worst[asked[0] % len(worst)] if settles else None)
            elif kind == Kind.REISSUED:
                arm, repeat, _, _ = under_way[content["number"]]
                under_way[content["number"]] = (arm, repeat, content["at"], content["worker"])
            elif kind == Kind.POLICY:
                policy = policy_of_content(content["policy"])
                worst = [policy.worst_values(group) for group in problem.by_group]
            elif kind == Kind.VERDICT:
                ended = True

    def _row(self, asked: tuple[int, int, float, str | None], content: dict[str, Any], late: bool, values: Any) -> None:
        line, repeat, at, worker = asked
        arm, group = divmod(line, len(self._places))
        for name, value in content.get("also", {}).items():
            self._also.setdefault(name, {})[len(self._arm)] = value
        self._arm.append(arm)
        self._number.append(content["number"])
        self._repeat.append(repeat)
        self._attempt.append(content["attempt"])
        given = {} if values is None else dict(zip(self._places[group], values, strict=True))
        for place in range(len(self._names)):
            self._result(place, given.get(place, nan))
        self._groups.add(self._spec.groups[group] if self._spec.groups else None)
        cost = cost_in(self._spec, line, content) if self._spec.cost is not None else None
        self._cost.append(nan if cost is None else cost)
        self._late.append(late)
        self._asked.append(at)
        self._told.append(content["at"])
        self._failure.add(content.get("reason"))
        self._worker.add(worker)

    def _result(self, place: int, value: Any) -> None:
        """A number; a column in which there are lists or counts has a list for a single number, too."""
        column = self._results[place]
        if isinstance(column, array) and not isinstance(value, int | float):
            column = self._results[place] = [_listed(one) for one in column]
        column.append(value if isinstance(column, array) else _listed(value))

    def columns(self) -> dict[str, Any]:
        """Arrays, lists and coded texts by the name of their column; times are instants."""
        taken = {"number": _numbers(self._number), "config": (_numbers(self._arm), list(self._spec.names))}
        taken |= self._parameters(taken)
        taken |= {"arm_number": _numbers(self._repeat), "attempt": _numbers(self._attempt)}
        if self._spec.groups:
            taken["groups"] = (_numbers(self._groups.codes), self._groups.texts)
        for name, column in zip(self._names, self._results, strict=True):
            taken[_apart(name, taken, "result")] = _numbers(column) if isinstance(column, array) else column
        if self._spec.cost is not None:
            taken[COST] = _numbers(self._cost)
        taken["failure"] = (_numbers(self._failure.codes), self._failure.texts)
        taken["late"] = _numbers(self._late).astype(bool)
        taken |= {"asked_at": _instants(self._asked), "told_at": _instants(self._told)}
        taken["worker"] = (_numbers(self._worker.codes), self._worker.texts)
        for name, values in self._also.items():
            taken[_apart(name, taken, "result")] = [values.get(row) for row in range(len(self._arm))]
        return taken

    def _parameters(self, taken: dict[str, Any]) -> dict[str, Any]:
        """A column for each parameter: numbers, or codes of what the configs have."""
        arms, found = _numbers(self._arm), dict[str, Any]()
        for key in dict.fromkeys(key for _, own in self._spec.configs for key in own):
            values = [own.get(key) for _, own in self._spec.configs]
            fixed = {
                *taken,
                *self._names,
                "arm_number",
                "attempt",
                *(["groups"] if self._spec.groups else []),
                COST,
                "failure",
                "late",
                "asked_at",
                "told_at",
                "worker",
            }
            if all(type(one) is int and abs(one) < 2**53 for one in values):
                column: Any = np.array(values, dtype=np.int64)[arms]
            elif all(type(one) in (int, float) for one in values):
                column = np.array(values, dtype=np.float64)[arms]
            elif all(type(one) is bool for one in values):
                column = np.array(values, dtype=bool)[arms]
            else:
                coded = Coded()
                for one in values:
                    coded.add(None if one is None else one if isinstance(one, str) else str(one))
                column = (_numbers(coded.codes)[arms], coded.texts)
            found[_apart(key, fixed, "parameter")] = column
        return found


def _listed(value: Any) -> Any:
    """What a column of lists has for a single number, and for none."""
    if not isinstance(value, int | float):
        return value
    return None if isnan(value) else [value]


def _apart(name: str, taken: Iterable[str], what: str) -> str:
    return f"{name} ({what})" if name in taken else name


def _numbers(column: Any) -> NDArray[Any]:
    return np.frombuffer(column, dtype=column.typecode) if len(column) else np.zeros(0, dtype=column.typecode)


def _instants(seconds: Any) -> NDArray[Any]:
    return np.round(_numbers(seconds) * 1e6).astype("datetime64[us]")


def as_dataframe(table: Table) -> "pd.DataFrame":
    """A table of pandas; texts of which there are few are categories, times are in UTC."""
    need("A data frame", "pandas", instead="evaluations() does without it.")
    import pandas as pd  # noqa: PLC0415 - heavy, and needed here only

    made: dict[str, Any] = {}
    for name, column in table.columns().items():
        if isinstance(column, tuple):
            made[name] = pd.Categorical.from_codes(column[0], categories=column[1])
        elif isinstance(column, np.ndarray) and column.dtype.kind == "M":
            made[name] = pd.DatetimeIndex(column).tz_localize("UTC")
        else:
            made[name] = column
    return pd.DataFrame(made, copy=False)


def as_arrow(table: Table) -> "pa.Table":
    """A table of Arrow; texts of which there are few are dictionaries, times are in UTC."""
    need("A table of Arrow", "pyarrow", instead="evaluations() does without it.")
    import pyarrow as pa  # noqa: PLC0415 - heavy, and needed here only

    made: dict[str, Any] = {}
    for name, column in table.columns().items():
        if isinstance(column, tuple):
            codes = pa.array(column[0], mask=column[0] < 0)
            made[name] = pa.DictionaryArray.from_arrays(codes, pa.array(column[1], type=pa.string()))
        elif isinstance(column, np.ndarray) and column.dtype.kind == "M":
            made[name] = pa.array(column.astype(np.int64), type=pa.timestamp("us", tz="UTC"))
        else:
            made[name] = pa.array(column, from_pandas=True)
    return pa.table(made)


def as_polars(table: Table) -> "pl.DataFrame":
    """A table of polars; texts of which there are few are categories, times are in UTC."""
    need("A table of polars", "polars", instead="evaluations() does without it.")
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    made = []
    for name, column in table.columns().items():
        if isinstance(column, tuple):
            known = pl.Series(name, [*column[1], None], dtype=pl.String)
            made.append(known.gather(np.where(column[0] < 0, len(column[1]), column[0])).cast(pl.Categorical))
        elif isinstance(column, np.ndarray) and column.dtype.kind == "M":
            made.append(pl.Series(name, column).dt.replace_time_zone("UTC"))
        elif isinstance(column, np.ndarray) and column.dtype.kind == "f":
            made.append(pl.Series(name, column, nan_to_null=True))
        else:
            made.append(pl.Series(name, column, strict=False))
    return pl.DataFrame(made)
