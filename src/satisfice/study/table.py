"""All evaluations of a study as columns: read in one pass, in numbers and codes rather than objects."""

from array import array
from collections.abc import Iterable
from math import nan
from typing import Any

from satisfice.study.columns import CODE, FLAG, NUMBER, SOME, WHOLE, Column, Texts, Values, column_of, instants, numbers
from satisfice.study.evaluations import COST, cost_in, line_of, names_of, result_columns
from satisfice.study.events import Event, Kind
from satisfice.study.policy import Then, policy_of_content
from satisfice.study.spec import Spec

FIELDS = (CODE, WHOLE, WHOLE, CODE, FLAG, NUMBER, NUMBER, NUMBER)
"""What every row has: config, number, number in its config, attempt, late, asked at, told at, cost."""

ASKED, TOLD = Kind.ASKED.value, Kind.TOLD.value
"""What nearly all events are, as plain texts, which compare faster."""

ITEM = "item"
"""The column of what was evaluated, where that is an item of a set."""

ENDS = ("failure", "late", "asked_at", "told_at", "worker")

Asked = tuple[int, int, float, str | None]
"""What was asked: line, number in its config, time, worker."""


class Table:
    """The columns of all evaluations, in the order in which they were settled; failures are rows too."""

    def __init__(self, spec: Spec, events: Iterable[Event]) -> None:
        self._spec, self._names = spec, result_columns(spec)
        self._fields: list[Any] = [array(code) for code in FIELDS]
        self._failure, self._worker, self._groups, self._items = Texts(), Texts(), Texts(), Values()
        self._results = [Values(lists=True) for _ in self._names]
        self._also: dict[str, Values] = {}
        self._places = [[self._names.index(name) for name in names_of(group)] for group in spec.problem().by_group]
        self._rows: list[tuple[Any, ...]] = []
        self._taken = 0
        self._read(events)

    def _read(self, events: Iterable[Event]) -> None:
        problem, ended, grouped = self._spec.problem(), False, bool(self._spec.groups)
        policy, groups = self._spec.policy, problem.by_group
        under_way: dict[int, Asked] = {}
        for event in events:
            kind, content = event.kind, event.content
            if kind == ASKED:
                line = line_of(self._spec, content) if grouped else content["arm"]
                under_way[content["number"]] = (line, content["arm_number"], content["at"], content["worker"])
            elif kind == TOLD:
                told = content["values"]
                beside = content.get("baseline")
                self._row(under_way.pop(content["number"]), content, ended, [*told, *beside] if beside else told)
            elif kind == Kind.FAILED:
                settles = content["then"] == Then.WORST
                asked = (under_way.pop if settles else under_way.__getitem__)(content["number"])
                group = groups[asked[0] % len(groups)]
                self._row(asked, content, ended, policy.worst_values(group, asked[1]) if settles else None)
            elif kind == Kind.REISSUED:
                arm, repeat, _, _ = under_way[content["number"]]
                under_way[content["number"]] = (arm, repeat, content["at"], content["worker"])
            elif kind == Kind.POLICY:
                policy = policy_of_content(content["policy"])
            elif kind == Kind.VERDICT:
                ended = True
        self._take_in()

    def _row(self, asked: Asked, content: dict[str, Any], late: bool, values: Any) -> None:
        line, repeat, at, worker = asked
        cost = None if self._spec.cost is None else cost_in(self._spec, line, content)
        if "also" in content:
            for name, value in content["also"].items():
                kept = self._also.setdefault(name, Values())
                kept.fill(self._taken)
                kept.extend((value,))
        arm, group = divmod(line, len(self._places)) if len(self._places) > 1 else (line, 0)
        if values is None or len(self._places) > 1:
            given = {} if values is None else dict(zip(self._places[group], values, strict=True))
            values = [given.get(place) for place in range(len(self._names))]
        number, attempt, told = content["number"], content["attempt"], content["at"]
        if self._spec.items.size:
            self._items.extend((self._spec.items.of(number, repeat, group),))
        spent, reason = nan if cost is None else cost, content.get("reason")
        self._rows.append((arm, number, repeat, attempt, late, at, told, spent, reason, worker, group, *values))
        self._taken += 1
        if len(self._rows) == SOME:
            self._take_in()

    def _take_in(self) -> None:
        """Put the last rows into the columns."""
        if not self._rows:
            return
        columns = iter(zip(*self._rows, strict=True))
        for field, values in zip(self._fields, columns, strict=False):
            field.extend(array(field.typecode, values))
        self._failure.extend(next(columns))
        self._worker.extend(next(columns))
        groups = next(columns)
        if self._spec.groups:
            self._groups.extend([self._spec.groups[group] for group in groups])
        for result, values in zip(self._results, columns, strict=True):
            result.extend(values)
        self._rows.clear()

    def columns(self) -> dict[str, Column]:
        """The columns by their names."""
        arm, number, repeat, attempt, late, asked, told, cost = self._fields
        taken = {"number": Column(numbers(number)), "config": Column(numbers(arm), list(self._spec.names))}
        taken |= self._parameters()
        taken |= {"arm_number": Column(numbers(repeat)), "attempt": Column(numbers(attempt))}
        if self._spec.groups:
            taken["groups"] = self._groups.column()
        if self._spec.items.size:
            taken[ITEM] = self._items.column()
        for name, result in zip(self._names, self._results, strict=True):
            taken[_apart(name, taken, "result")] = result.column()
        if self._spec.cost is not None:
            taken[COST] = Column(numbers(cost))
        ends = (self._failure.column(), Column(numbers(late).astype(bool)), instants(asked), instants(told))
        taken |= dict(zip(ENDS, (*ends, self._worker.column()), strict=True))
        for name, values in self._also.items():
            values.fill(self._taken)
            taken[_apart(name, taken, "result")] = values.column()
        return taken

    def _parameters(self) -> dict[str, Column]:
        """A column for each parameter."""
        some = [*(["groups"] if self._spec.groups else []), *([ITEM] if self._spec.items.size else [])]
        fixed = {"number", "config", "arm_number", "attempt", *some, *self._names, COST, *ENDS}
        arms = numbers(self._fields[0])
        keys = dict.fromkeys(key for _, own in self._spec.configs for key in own)
        return {
            _apart(key, fixed, "parameter"): column_of([own.get(key) for _, own in self._spec.configs], arms)
            for key in keys
        }


def _apart(name: str, taken: Iterable[str], what: str) -> str:
    return f"{name} ({what})" if name in taken else name
