"""What is recorded of a study, and what is known from it: all of a study that changes nothing."""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Self

from satisfice.errors import UnknownStudy
from satisfice.layout.numbers import counted
from satisfice.problem.problem import Problem
from satisfice.search.verdict import ArmStatus, Outcome, Verdict
from satisfice.study import columns
from satisfice.study.counts import Counts
from satisfice.study.differing_items import DifferingItems, differing_items
from satisfice.study.durable import DurableState
from satisfice.study.evaluations import Evaluation, evaluations_of
from satisfice.study.event_checks import in_a_sentence
from satisfice.study.events import Event
from satisfice.study.explain import Explanation
from satisfice.study.forecast import Forecast, beginning_from, forecast
from satisfice.study.pull import Outstanding, Pull, key_of
from satisfice.study.spec import Spec
from satisfice.study.storage.memory import MemoryLog
from satisfice.study.storage.protocol import EventLog
from satisfice.study.subject import Subject
from satisfice.study.table import Table
from satisfice.study.view import StudyView

if TYPE_CHECKING:
    from os import PathLike

    import pandas as pd
    import polars as pl
    import pyarrow as pa


class RecordedStudy:
    """A study as one reads it: its question, its log, and what follows from both."""

    def __init__(self, name: str, durable: DurableState, log: EventLog) -> None:
        self.name = name
        self._log, self._durable = log, durable
        self.identity: str = durable.identity
        self.spec: Spec = durable.spec
        self.problem: Problem = durable.problem

    @property
    def is_durable(self) -> bool:
        """Whether what is told outlasts this process."""
        return not isinstance(self._log, MemoryLog)

    def is_there(self) -> bool:
        """Whether the storage still has the study; one that got its name later is another one."""
        try:
            first = next(self.events(1), None)
            return first is not None and first.content.get("identity") == self.identity
        except UnknownStudy:
            return False

    @property
    def subject(self) -> Subject | None:
        """What the study measures, as far as that was recorded."""
        return self._durable.subject()

    @property
    def configs(self) -> dict[str, dict[str, Any]]:
        """The configs: name to parameters."""
        return {name: dict(parameters) for name, parameters in self.spec.configs}

    @property
    def outcome(self) -> Outcome:
        """The verdict in one word, as far as this process has seen the log."""
        return self._durable.outcome

    def view(self) -> StudyView:
        """All that is known now, at one position of the log, which is read once."""
        return self._durable.view()

    def verdict(self) -> Verdict:
        """What can be said now, and what it rests on."""
        return self.view().verdict

    def statuses(self) -> tuple[ArmStatus, ...]:
        """What is known of each config."""
        return self.view().statuses

    def status(self, config: str) -> ArmStatus:
        """What is known of one config."""
        return self.view().status(config)

    def explain(self, config: str) -> Explanation:
        """Why a config was accepted, rejected or left: its binding metric and the evidence, in words and numbers."""
        return self.view().explain(config)

    def differing_items(self, first: str, second: str) -> tuple[DifferingItems, ...]:
        """The items of a set on which two configs differ, for each metric of the set."""
        return differing_items(self.spec, self.evaluations(), first, second)

    def forecast(self, *, seconds: float = 1.0) -> Forecast | None:
        """What is left at the present estimates, by runs of it that are simulated for about `seconds`.

        None once there is a verdict, and where it is too early: while no config has five results.
        """
        beginning = beginning_from(self.view(), lambda after, until: self.events(until, after=after))
        return None if beginning is None else forecast(beginning, seconds=seconds)

    def counts(self) -> Counts:
        """How many evaluations were asked for and what became of them."""
        return self.view().counts

    @property
    def stopped(self) -> str | None:
        """Why the study stopped, if a failed evaluation stopped it."""
        return self.view().stopped

    @property
    def stopped_as_seen(self) -> str | None:
        """The same, as far as this process has seen the log."""
        return self._durable.standing().stopped

    def measured_names(self, pull: Pull | str, count: int) -> tuple[str, ...]:
        """What the results of a pull are called, in the order of recording; of one that is settled, by their number."""
        if not self.spec.groups:
            return self.problem.measured
        with self._durable.lock:
            known = self._durable.seen().open.get(key_of(pull).number)
        groups = self.problem.by_group
        found = None if known is None else groups[known.group]
        return (found or next((one for one in groups if len(one.measured) == count), groups[0])).measured

    def outstanding(self) -> tuple[Outstanding, ...]:
        """The pulls that are being evaluated, in all processes."""
        return self.view().outstanding

    def evaluations(self) -> Iterator[Evaluation]:
        """All recorded results and failures, in the order in which they were recorded."""
        with in_a_sentence("An event of the log"):
            yield from evaluations_of(self.spec, self._log.read(0))

    def events(self, until: int | None = None, *, after: int = 0) -> Iterator[Event]:
        """The event log, all of it, or after a position and up to another one."""
        return islice(self._log.read(after), None if until is None else until - after)

    def to_dataframe(self) -> "pd.DataFrame":
        """All recorded results and failures as a table of pandas: a row each, with parameters and real times."""
        return columns.as_dataframe(self._columns())

    def to_arrow(self) -> "pa.Table":
        """The same as a table of Arrow, for which DuckDB and others have an entrance."""
        return columns.as_arrow(self._columns())

    def to_polars(self) -> "pl.DataFrame":
        """The same as a table of polars."""
        return columns.as_polars(self._columns())

    def _columns(self) -> dict[str, columns.Column]:
        with in_a_sentence("An event of the log"):
            return Table(self.spec, self._log.read(0)).columns()

    def close(self) -> None:
        """Close the connections; the study stays as it is."""
        self._durable.keep_summary()
        self._log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def plot(self, path: "str | PathLike[str] | None" = None) -> Any:
        """A figure of each config's estimates and intervals against the limits, also saved if a path is given."""
        return self.view().plot(path)

    def _repr_html_(self) -> str:
        return self.view()._repr_html_()

    def __repr__(self) -> str:
        return f"<Study {self.name!r}: {counted(len(self.spec.configs), 'config')}, {', '.join(self.spec.thresholds)}>"
