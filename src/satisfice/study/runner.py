"""Running a study: evaluations in threads, processes, an event loop or elsewhere, and their results into the log."""

import logging
import time
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from queue import Empty, SimpleQueue
from typing import Any

from satisfice.cluster import ExecutorLike
from satisfice.errors import InvalidSpec, NotMeasured, StudyStopped
from satisfice.given import is_number, shown
from satisfice.layout.numbers import written
from satisfice.search.verdict import Outcome, Verdict
from satisfice.study.attempts import Evaluate, evaluated, evaluated_async, failure_of, is_async, outcome_of
from satisfice.study.backoff import DEFAULT_BACKOFF, Backoff, checked_backoff
from satisfice.study.by_exception import NONE_TOLD_APART, ByException, Way
from satisfice.study.by_group import passed_by_group
from satisfice.study.decided import warn_if_decided
from satisfice.study.errors import not_measured, stopped, stopped_for_good
from satisfice.study.exchanges import Exchanges
from satisfice.study.executors import LoopExecutor, executor_for
from satisfice.study.heartbeat import Heartbeat
from satisfice.study.policy import FailureKind, OnError
from satisfice.study.progress import OnProgress, RunProgress, Until
from satisfice.study.pull import Failure, Measured, Pull
from satisfice.study.spec import whole_number
from satisfice.study.study import Study
from satisfice.study.waiting import Waiting

log = logging.getLogger(__name__)
logging.getLogger("satisfice").addHandler(logging.NullHandler())  # silent unless somebody listens

LONGEST_WAIT_SECONDS = 0.5
"""Between two looks at what goes on."""
REPORT_PAUSE_SECONDS = 0.05
"""The shortest time between two reports of progress."""
FEW_AT_ONCE, PART_AT_ONCE = 16, 8
"""Of w workers' results at most FEW_AT_ONCE, or w / PART_AT_ONCE if that is more, are told together: else all that
began together would wait for each other after every evaluation."""


@dataclass(eq=False)
class Runner:
    """Keeps up to `workers` evaluations under way until there is a verdict or no more may be asked for."""

    study: Study
    evaluate: Evaluate
    workers: int = 1
    executor: ExecutorLike | None = None
    timeout: float | None = None
    with_pull: bool = False
    patience: float = 0.0
    exceptions: ByException = NONE_TOLD_APART
    backoff: Backoff = DEFAULT_BACKOFF
    _running: dict[Future[Any], tuple[Pull, float]] = field(default_factory=dict)
    _hung: set[Future[Any]] = field(default_factory=set)
    _done: SimpleQueue[Future[Any] | None] = field(default_factory=SimpleQueue)
    _retried: set[int] = field(default_factory=set)
    _stopping: bool = False
    _reported: float = -inf
    _cause: BaseException | None = None
    _not_measured: str | None = None

    def __post_init__(self) -> None:
        whole_number(self.workers, 1, "workers")
        self._passed = passed_by_group(self.evaluate, self.study.spec, with_pull=self.with_pull)
        checked_backoff(self.backoff)
        if any(issubclass(TimeoutError, kind) for kind in (*self.exceptions.retry_on, *self.exceptions.wait_on)):
            check_no_redraw(self.study, "retry_on or wait_on of a TimeoutError")
        self._waiting, self._exchanges = Waiting(self.workers, self.backoff), Exchanges(self.study, self.patience)
        if self.timeout is None:
            return
        if not (is_number(self.timeout) and self.timeout > 0):
            raise InvalidSpec(f"timeout must be a positive number of seconds, got {shown(self.timeout)}.")
        check_timeout(self.study)

    def run(
        self,
        max_evaluations: int | None = None,
        max_seconds: float | None = None,
        on_progress: OnProgress | None = None,
        until: Until | None = None,
        *,
        resume: bool = True,
    ) -> Verdict:
        """Evaluate until there is a verdict, the budget is spent or `until()` is true."""
        if max_evaluations is not None:
            whole_number(max_evaluations, 0, "max_evaluations")
        deadline = inf if max_seconds is None else time.monotonic() + max_seconds
        if resume:
            view = self._exchanges.patiently(self.study.view)
            warn_if_decided(view)
            if view.stopped is not None:
                self._exchanges.patiently(self.study.resume)
        if any(self.exceptions):
            self._exchanges.patiently(lambda: self.study.change_policy(**self.exceptions.named()))
        alone = self.workers == 1 and self.timeout is None and on_progress is None and until is None
        place = executor_for(self.executor, self.evaluate, alone=alone and deadline == inf)
        log.info("%s: running, %d at a time", self.study.name, self.workers)
        with Heartbeat(self.study, self.study.lease_seconds) as heartbeat:
            try:
                self._loop(place, heartbeat, max_evaluations, deadline, on_progress, until)
            except BaseException:
                self._wind_up()
                raise
            finally:
                if isinstance(place, LoopExecutor):
                    place.shutdown()
        view = self._exchanges.patiently(self.study.view)
        log.info("%s: %s", self.study.name, view.verdict)
        if on_progress is not None:
            on_progress(RunProgress(self.study, view, ()))
        if view.stopped is not None:
            raise (stopped_for_good if view.over else stopped)(view.stopped) from self._cause
        if self._not_measured is not None and view.outcome is Outcome.UNDECIDED:
            raise not_measured(self._not_measured) from self._cause
        return view.verdict

    def stop(self) -> None:
        """Start nothing any more; the run ends with what is under way."""
        self._stopping = True
        self._done.put(None)

    def _loop(
        self,
        place: Executor,
        heartbeat: Heartbeat,
        limit: int | None,
        deadline: float,
        on_progress: OnProgress | None,
        until: Until | None,
    ) -> None:
        while True:
            if time.monotonic() >= deadline or (until is not None and self._exchanges.patiently(until)):
                self._wind_up()
                return
            room = self._room()
            for pull in self._waiting.due(room):
                self._start(place, pull)
            pulls = self._exchanges.tell_and_ask(max(0, self._room() - len(self._waiting)), limit)
            over = self._stopping and not self._running
            if over or self._not_measured is not None or self.study.outcome is not Outcome.UNDECIDED:
                self._wind_up()
                return
            for pull in pulls:
                heartbeat.hold(pull)
                self._start_or_put_off(place, pull)
            if on_progress is not None and time.monotonic() >= self._reported + REPORT_PAUSE_SECONDS:
                view = self._exchanges.patiently(self.study.view)
                on_progress(RunProgress(self.study, view, self._pulls(), self._waiting.pulls))
                self._reported = time.monotonic()
            if not self._running and not len(self._waiting):
                self._check_hung()
                if not self._hung or room <= 0:
                    return
            self._finish(heartbeat, deadline)

    def _room(self) -> int:
        """How many evaluations may begin now."""
        if self._stopping or self._not_measured is not None:
            return 0
        busy = len(self._running) + len(self._hung)
        return max(0, min(self.workers - busy, self._waiting.room(busy)))

    def _start_or_put_off(self, place: Executor, pull: Pull) -> None:
        if pull.number in self._retried:
            self._retried.discard(pull.number)
            pause = self._waiting.put_off(pull)
            log.info("%s: evaluation %d of %s again in %.1f s", self.study.name, pull.number, pull.name, pause)
        else:
            self._start(place, pull)

    def _start(self, place: Executor, pull: Pull) -> None:
        started = time.monotonic()
        task = evaluated_async if is_async(self.evaluate) else evaluated
        try:
            group = self.study.spec.groups.index(pull.groups[0]) if pull.groups else 0
            future: Future[Any] = place.submit(task, self.evaluate, pull, self._passed[group])
        except Exception as error:  # a place that takes nothing: what cannot be sent, or a pool that is broken
            future = Future()
            future.set_exception(error if isinstance(error, BrokenExecutor) else NotMeasured(f"{error}"))
        self._running[future] = (pull, started)
        future.add_done_callback(self._done.put)

    def _finish(self, heartbeat: Heartbeat, deadline: float) -> None:
        """Wait for something to end, with results or by running out of time, and take it down as settled."""
        until = min(time.monotonic() + LONGEST_WAIT_SECONDS, deadline, self._waiting.next_at)
        if self.timeout is not None and self._running:
            until = min(until, min(started for _, started in self._running.values()) + self.timeout)
        done = self._ended(max(0.0, until - time.monotonic()))
        self._hung.difference_update(done)
        if not done:
            self._exchanges.patiently(self.study.view)  # others may have come to the verdict
        for future in done:
            if future in self._running:
                pull, started = self._running.pop(future)
                self._take_down(heartbeat, pull, self._outcome(future, pull, started))
        if self.timeout is not None:
            self._end_late(heartbeat, self.timeout)

    def _ended(self, pause: float) -> list[Future[Any]]:
        """Wait for the next that ends, for `pause` at most: those that have ended by then, as far as they are told."""
        found: list[Future[Any]] = []
        most = max(FEW_AT_ONCE, self.workers // PART_AT_ONCE)
        with suppress(Empty):
            one = self._done.get(timeout=pause)
            while True:
                found += [one] if one is not None else []
                if len(found) == most:
                    break
                one = self._done.get_nowait()
        return found

    def _end_late(self, heartbeat: Heartbeat, timeout: float) -> None:
        now = time.monotonic()
        for future, (pull, started) in list(self._running.items()):
            if now >= started + timeout:
                del self._running[future]
                if not future.cancel() and self.executor is not None:
                    self._hung.add(future)  # it still occupies a place of the executor
                self._take_down(heartbeat, pull, Failure(f"timed out after {written(timeout)} seconds"))

    def _take_down(self, heartbeat: Heartbeat, pull: Pull, outcome: Measured | Failure | None) -> None:
        if outcome is None:
            return  # it is made again, later
        self._exchanges.settle(pull, outcome)
        heartbeat.drop(pull)
        if isinstance(outcome, Measured):
            self._waiting.succeeded(pull)
            log.debug("%s: evaluation %d of %s: %s", self.study.name, pull.number, pull.name, outcome.values)
            return
        log.warning("%s: evaluation %d of %s failed: %s", self.study.name, pull.number, pull.name, outcome.reason)
        if outcome.by_exception == Way.RETRY:
            self._retried.add(pull.number)

    def _outcome(self, future: Future[Any], pull: Pull, started: float) -> Measured | Failure | None:
        """What came of an evaluation; None if it is to be made again later, under the same number."""
        error = CancelledError() if future.cancelled() else future.exception()
        if error is None:
            found = outcome_of(future.result(), pull, self.study.settled)
        else:
            way = self.exceptions.way_of(error)
            if way is Way.WAIT:
                pause = self._waiting.refuse(pull, error, started, len(self._running) + 1)
                if pause is not None:
                    what = (self.study.name, pull.number, pull.name, pause, error)
                    log.info("%s: evaluation %d of %s is made again in %.1f s: %s", *what)
                    return None
                error = NotMeasured(f"it was put off for {written(self.backoff.give_up)} seconds: {error}")
            found, self._cause = failure_of(error, None if way is Way.WAIT else way), error
        place_is_gone = isinstance(error, BrokenExecutor | CancelledError)
        if isinstance(found, Failure) and (
            place_is_gone or (found.kind == FailureKind.NOT_MEASURED and not found.by_exception)
        ):
            self._not_measured = f"{pull.name!r}: {found.reason}"
        return found

    def _wind_up(self) -> None:
        """On the way out: keep what is finished, give back what is not."""
        with suppress(Exception):
            for future, (pull, started) in self._running.items():
                if future.done() and not future.cancelled() and future.exception() is None:
                    found = self._outcome(future, pull, started)
                    if found is not None:
                        self._exchanges.settle(pull, found)
                future.cancel()
            self._exchanges.wind_up()

    def _check_hung(self) -> None:
        if len(self._hung) >= self.workers and self.timeout is not None:
            done, _ = wait(self._hung, timeout=10 * self.timeout, return_when=FIRST_COMPLETED)
            if not done:
                raise StudyStopped(
                    f"All {self.workers} places of the executor are taken by evaluations that timed out and do not "
                    "end. Let evaluations end by themselves, or run them in threads."
                )
            self._hung -= done

    def _pulls(self) -> tuple[Pull, ...]:
        return tuple(pull for pull, _ in self._running.values())


def check_timeout(study: Study) -> None:
    """Raise where evaluations that run out of time would be drawn again until one is short enough."""
    if study.view().policy.on_error == OnError.RETRY:
        check_no_redraw(study, "on_error='retry' together with a time limit")


def check_no_redraw(study: Study, what: str) -> None:
    """Raise where a metric is a duration, so that what runs out of time says something about it."""
    if timed := study.spec.timed():
        raise InvalidSpec(
            f"{what} would draw {timed[0]!r} again until it is short enough. A time-out is a result about a duration: "
            "use on_error='worst', or worst_on."
        )
