"""A study: ask which config to evaluate, tell what came out, from any number of threads, processes and machines.

Progress of a run in a notebook: one output that is drawn anew.
"""

import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from time import monotonic
from typing import TYPE_CHECKING, Any, Self, Unpack, overload

from satisfice.cluster import ExecutorLike
from satisfice.errors import RuledOut, SatisficeError, UnknownStudy, UnusedMetrics, users_level
from satisfice.given import shown, writable
from satisfice.layout.numbers import counted
from satisfice.problem.problem import Problem, only_group
from satisfice.search.search import Results
from satisfice.search.verdict import ArmStatus, Outcome, Verdict
from satisfice.study import columns
from satisfice.study.attempts import Evaluate
from satisfice.study.durable import DurableState
from satisfice.study.errors import stopped, stopped_for_good
from satisfice.study.evaluations import Evaluation, evaluations_of
from satisfice.study.event_checks import in_a_sentence
from satisfice.study.events import Event
from satisfice.study.explain import DifferingItems, Explanation, differing_items
from satisfice.study.forecast import Forecast, beginning_from, forecast
from satisfice.study.leases import Clock, worker_name
from satisfice.study.ledger import Counts
from satisfice.study.policy import FailureKind, PolicyChanges, changed_policy
from satisfice.study.progress import OnProgress, RunOptions, Until
from satisfice.study.pull import Failure, Measured, OpenPull, Outstanding, Pull, key_of
from satisfice.study.reported import measured_of, reported_cost
from satisfice.study.retry import DEFAULT_BACKOFF, Backoff, ExceptionTypes, by_exception
from satisfice.study.spec import Spec, number_to_ask, whole_number
from satisfice.study.storage.memory import MemoryLog
from satisfice.study.storage.protocol import EventLog
from satisfice.study.subject import Subject
from satisfice.study.table import Table
from satisfice.study.transaction import Step
from satisfice.study.trust import Trusted
from satisfice.study.view import StudyView

if TYPE_CHECKING:
    from os import PathLike

    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from satisfice.study.progress import RunProgress
    from satisfice.study.runner import Runner


FRAME_SECONDS = 0.5
SHARE = 0.1
"""The largest part of a run's time that drawing takes."""


class Shown:
    """What is shown, as a notebook asks for it."""

    def __init__(self, html: str) -> None:
        self._html = html

    def _repr_html_(self) -> str:
        return self._html


def notebook_progress() -> "Callable[[RunProgress], None] | None":
    """What to tell progress to where a notebook runs this; None anywhere else."""
    if "ipykernel" not in sys.modules:
        return None
    from IPython import display  # noqa: PLC0415 - there is a notebook, and it has it

    show: Any = display.display
    handle, due = None, 0.0

    def tell(progress: "RunProgress") -> None:
        nonlocal handle, due
        began, ended = monotonic(), progress.view.outcome is not Outcome.UNDECIDED
        if began < due and not ended:
            return
        shown = Shown(progress.view._repr_html_(most=10))
        if handle is None:
            handle = show(shown, display_id=True)
        else:
            handle.update(shown)
        due = began + max(FRAME_SECONDS, (monotonic() - began) / SHARE)

    return tell


Settled = tuple[Pull | str, Results | Measured | Failure]


class Study:
    """Which config passes all thresholds? A durable search, made by `create_study` or `load_study`.

    `ask` says what to evaluate next and `tell` records what came out; results may come in any order and from any
    process. What was told is on disk when `tell` returns. `run` does both with a function of yours, and `view` is all
    that is known at one moment.
    """

    def __init__(
        self,
        name: str,
        log: EventLog,
        *,
        clock: Clock = time,
        lease: float | None = None,
        trusted: Trusted = False,
    ) -> None:
        self.name = name
        self._log = log
        self._durable = DurableState(name, log, clock, lease, trusted)
        self.identity: str = self._durable.identity
        self.spec: Spec = self._durable.spec
        self.problem: Problem = self._durable.problem
        self._unused = Unused(self.problem.measured)
        self._runners: set[Runner] = set()
        self._here, self._left = worker_name(), worker_name(evaluates=False)

    @property
    def lease_seconds(self) -> float:
        """How long a worker of this process may be silent."""
        return self._durable.lease

    @overload
    def ask(self, n: None = None, *, worker: str | None = None, max_evaluations: int | None = None) -> Pull | None: ...
    @overload
    def ask(self, n: int, *, worker: str | None = None, max_evaluations: int | None = None) -> list[Pull]: ...
    def ask(
        self, n: int | None = None, *, worker: str | None = None, max_evaluations: int | None = None
    ) -> Pull | list[Pull] | None:
        """The next evaluation to make, None once there is a verdict; with `n`, a list of at most `n`.

        Pulls whose worker is lost come first, under their old number. `max_evaluations` limits the pulls of the whole
        study: None is returned once that many were asked for, where one more could exceed `max_cost`, and while all
        items of a set are being evaluated and nothing else is left to ask for.
        """
        wanted = 1 if n is None else number_to_ask(self.spec, n)
        if max_evaluations is not None:
            whole_number(max_evaluations, 0, "max_evaluations")
        pulls = self.exchange((), ask=wanted, worker=worker, max_evaluations=max_evaluations)
        known = None if pulls else self._durable.after_a_step()
        if known is not None and known.stopped is not None and known.outcome is Outcome.UNDECIDED:
            raise stopped_for_good(known.stopped) if known.over else stopped(known.stopped)
        if n is not None:
            return pulls
        return pulls[0] if pulls else None

    def tell(self, pull: Pull | str, results: Results, baseline: Results | None = None) -> Outcome:
        """Record the results of a pull, and the baseline's beside them where a limit looks at it.

        One number for each metric, or a list of numbers where a percentile or a share is limited; of the metrics in
        `pull.groups` alone, where they are measured in groups. To repeat the same is harmless. A number that its
        declaration rules out is recorded as what it is and never told anew: as the worst result under on_error='worst',
        else it stops the study for good.
        """
        told = self.settled(results, baseline, pull)
        self.exchange([(pull, told)])
        if isinstance(told, Failure) and (known := self._durable.after_a_step()).over:
            raise stopped_for_good(known.stopped or "")
        return self.outcome

    def fail(self, pull: Pull | str, reason: str, *, cost: float | None = None) -> Outcome:
        """Record that a pull has no results and why, and its cost if known; `on_error` decides what follows."""
        known = None if cost is None else reported_cost(self.spec, dict.fromkeys(self.spec.reported, cost))
        self.exchange([(pull, Failure(str(reason), cost=known))])
        return self.outcome

    def exchange(
        self,
        settled: Sequence[Settled],
        *,
        ask: int = 0,
        worker: str | None = None,
        max_evaluations: int | None = None,
        evaluates: bool = False,
    ) -> list[Pull]:
        """Tell any number of results or failures, and ask for at most `ask` pulls, in one durable step.

        All is recorded or, if one of the results cannot be, nothing. A process that `evaluates` what it asks for is
        looked at: once it has ended, its pulls are lost. Otherwise they are when their lease ends, since any process
        may have their ids.
        """
        checked = [
            (key_of(pull), outcome if isinstance(outcome, Measured | Failure) else self.settled(outcome, None, pull))
            for pull, outcome in settled
        ]

        process = self._here if evaluates else self._left
        who = writable(f"{worker}@{process}") if worker else process
        return self._durable.change(Step(checked, ask, who, max_evaluations))

    def take(self, steps: Sequence[Step]) -> list[list[Pull] | SatisficeError]:
        """Take several steps that become durable together, their results first: for whoever serves many workers.

        Of each the pulls that it gives out, or why it was refused, which is of no effect on the others.
        """
        return self._durable.change_together(steps)

    def check(self, results: Results, baseline: Results | None = None, pull: Pull | str | None = None) -> Measured:
        """The results as they will be recorded; InvalidResult says in a sentence why they cannot be.

        Where metrics are measured in groups the `pull` says which results there must be.
        """
        with self._durable.lock:
            state = self._durable.seen()
        group = self._group(pull, results, state.open) if self.spec.groups else 0
        arm_number = self._arm_number(pull, results, state.open) if self.problem.set_size else 0
        measured = measured_of(self.spec, state.search, results, baseline, group, arm_number)
        if len(results) > len(measured.values):
            self._unused.warn(set(results) - {*self.problem.measured, *self.spec.reported, *measured.also})
        return measured

    def settled(self, results: Results, baseline: Results | None, pull: Pull | str) -> Measured | Failure:
        """The results of a pull as `check` has them; a number that its declaration rules out, as such a failure."""
        try:
            return self.check(results, baseline, pull)
        except RuledOut as error:
            return Failure(error.reason, FailureKind.RULED_OUT, cost=error.cost)

    def _group(self, pull: Pull | str | None, results: Results, open_pulls: Mapping[int, OpenPull]) -> int:
        """The number of the group that a pull asks for; of one that is settled, the one that the results are of."""
        if isinstance(pull, Pull) and pull.groups:
            return self.spec.groups.index(pull.groups[0])
        known = None if pull is None else open_pulls.get(key_of(pull).number)
        return only_group(self.problem, results) if known is None else known.group

    def _arm_number(self, pull: Pull | str | None, results: Results, open_pulls: Mapping[int, OpenPull]) -> int:
        """How many evaluations of its config came before; of a pull that is settled, as its results say."""
        known = pull if isinstance(pull, Pull) or pull is None else open_pulls.get(key_of(pull).number)
        if known is not None:
            return known.arm_number
        return 0 if self.problem.of_set & set(results) else self.problem.set_size

    def heartbeat(self, *pulls: Pull | str) -> None:
        """Say that the pulls are still being evaluated: their leases start anew. For evaluations longer than a lease.

        PullReissued if one was given to somebody else already, once the leases of the others have started anew.
        """
        self._durable.beat([key_of(pull) for pull in pulls])

    def release(self, *pulls: Pull | str) -> None:
        """Give pulls back without results: they are the next to be asked for."""
        self._durable.change(Step(released=[key_of(pull) for pull in pulls]))

    def resume(self) -> None:
        """Go on after a failed evaluation stopped the study; what failed is asked for again."""
        self._durable.change(Step(resumes=True))

    def change_policy(self, **changes: Unpack[PolicyChanges]) -> None:
        """Say anew what failures and losses lead to and what there may be of evaluations and costs; it is recorded."""
        kept = self.view().policy
        changed = changed_policy(kept, self.problem, changes, priced=self.spec.cost is not None)
        if changed != kept:
            self._durable.change(Step(policy=changed.said(changes)))  # others may say something else anew meanwhile

    def run(
        self,
        evaluate: Evaluate,
        *,
        workers: int = 1,
        executor: ExecutorLike | None = None,
        max_evaluations: int | None = None,
        max_cost: float | None = None,
        max_seconds: float | None = None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
        until: Until | None = None,
        with_pull: bool = False,
        patience: float = 0.0,
        retry_on: ExceptionTypes = (),
        worst_on: ExceptionTypes = (),
        wait_on: ExceptionTypes = (),
        backoff: Backoff = DEFAULT_BACKOFF,
    ) -> Verdict:
        """Evaluate until there is a verdict or the budget is spent: `evaluate(config)` returns a dict of metrics.

        Up to `workers` evaluations run at a time, in threads, or in `executor`; an `async def` is awaited in an event
        loop. An evaluation that takes longer than `timeout` seconds has failed. `max_evaluations` counts all
        evaluations of the study, earlier runs included. `max_cost`, too, is that of the whole study, and stays until it
        is changed. Once `until()` is true the run ends without waiting for evaluations under way, whose pulls are given
        back; it is asked between evaluations and at least twice a second. With `with_pull`, `evaluate` gets the whole
        pull. Where metrics are measured in groups it is `evaluate(config, groups)`, or a dict of functions by group;
        with a limit on a set of items it takes the item last, as in `evaluate(config, item)`.
        For `patience` seconds a storage may be out of reach.
        Types of exceptions may lead to something else than `on_error` says: those in `retry_on` are tried again up to
        `retries` times, those in `worst_on` count as the worst result there can be, and those in `wait_on` are no
        failures: the evaluation is made again later, under the same number. So it is with HTTP's 429, whatever client
        it came from. `backoff` says after which pauses; a Retry-After is obeyed, and fewer evaluations run at a time.
        """
        from satisfice.study.runner import Runner  # noqa: PLC0415 - needs this module

        if max_cost is not None:
            self.change_policy(max_cost=max_cost)
        exceptions = by_exception(retry_on, worst_on, wait_on)
        runner = Runner(self, evaluate, workers, executor, timeout, with_pull, patience, exceptions, backoff)
        self._runners.add(runner)
        try:
            return runner.run(max_evaluations, max_seconds, on_progress or notebook_progress(), until)
        finally:
            self._runners.discard(runner)

    async def arun(self, evaluate: Evaluate, **options: Unpack[RunOptions]) -> Verdict:
        """As `run`, with its options, from a coroutine: an `async def` evaluate is awaited in the loop that runs.

        `on_progress` and `until` are called in another thread. Cancelled, it gives back what is under way.
        """
        from satisfice.study.in_loop import awaited  # noqa: PLC0415 - needs this module

        return await awaited(self, evaluate, **options)

    def stop(self) -> None:
        """End the runs of this object, from any thread, callback or evaluation; what is under way is finished first."""
        for runner in list(self._runners):
            runner.stop()

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
