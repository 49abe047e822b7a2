"""Running a study: evaluations in threads, processes, an event loop or elsewhere, and their results into the log.

A run waits for a storage that is out of reach, and makes fewer evaluations at a time while a server refuses some.
"""

import inspect
import logging
import secrets
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import suppress
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import inf
from queue import Empty, SimpleQueue
from random import Random
from typing import Any, TypeVar

from satisfice.cluster import ExecutorLike
from satisfice.errors import (
    DecidedEarlier,
    InvalidSpec,
    NotMeasured,
    PullAlreadyTold,
    PullReissued,
    SatisficeError,
    StudyStopped,
    unknown_name,
    users_level,
)
from satisfice.given import is_number, shown
from satisfice.layout.numbers import counted, written
from satisfice.search.verdict import Outcome, Verdict
from satisfice.study.attempts import Evaluate, Passed, evaluated, evaluated_async, failure_of, is_async, outcome_of
from satisfice.study.errors import not_measured, stopped, stopped_for_good
from satisfice.study.executors import LoopExecutor, executor_for
from satisfice.study.leases import Heartbeat
from satisfice.study.policy import FailureKind, OnError
from satisfice.study.progress import OnProgress, RunProgress, Until
from satisfice.study.pull import Failure, Measured, Pull
from satisfice.study.retry import (
    DEFAULT_BACKOFF,
    NONE_TOLD_APART,
    Backoff,
    ByException,
    Way,
    checked_backoff,
    patiently,
    retry_after,
)
from satisfice.study.spec import Spec, whole_number
from satisfice.study.study import Settled, Study
from satisfice.study.view import StudyView

T = TypeVar("T")


class Exchanges:
    """The pulls that were given to one run, and the results that it has not told yet."""

    def __init__(self, study: Study, patience: float) -> None:
        self._study, self._patience = study, patience
        self._label = secrets.token_hex(4)
        self._held: dict[str, Pull] = {}
        self._settled: list[Settled] = []

    def settle(self, pull: Pull, outcome: Measured | Failure) -> None:
        """Note what is told next."""
        self._settled.append((pull, outcome))

    def tell_and_ask(self, room: int, limit: int | None) -> list[Pull]:
        """Tell what is settled and ask for at most `room` pulls, in one step; nothing is done where both are none."""
        if not self._settled and room <= 0:
            return []
        pulls = self._exchange(self._settled, room, limit)
        self._held |= {pull.id: pull for pull in pulls}
        for pull, _ in self._settled:
            self._held.pop(pull if isinstance(pull, str) else pull.id, None)
        self._settled.clear()
        return pulls

    def patiently(self, act: Callable[[], T]) -> T:
        return patiently(act, self._patience, self._release_unknown)

    def wind_up(self) -> None:
        """On the way out: tell what is settled, give back the rest."""
        for one in self._settled:
            with suppress(SatisficeError):
                self._study.exchange([one])
        self._study.release(*self._ours())

    def _exchange(self, settled: Sequence[Settled], room: int, limit: int | None) -> list[Pull]:
        try:
            return self.patiently(
                lambda: self._study.exchange(
                    settled, ask=room, worker=self._label, max_evaluations=limit, evaluates=True
                )
            )
        except (PullReissued, PullAlreadyTold):
            for one in settled:
                with suppress(PullReissued, PullAlreadyTold):  # somebody else has it now, and its results count
                    self.patiently(lambda one=one: self._study.exchange([one]))  # type: ignore[misc]  # bound now
            return self._exchange((), room, limit)

    def _release_unknown(self) -> None:
        """Give back what was given to us over a connection that broke before we heard of it."""
        self._study.release(*(pull for pull in self._ours() if pull.id not in self._held))

    def _ours(self) -> list[Pull]:
        """What was given to this run, according to the log."""
        return [one.pull for one in self._study.outstanding() if (one.worker or "").startswith(f"{self._label}@")]


def warn_if_decided(view: StudyView) -> None:
    """Warn that a study which is to be run has its verdict already."""
    if view.outcome is not Outcome.UNDECIDED:
        warnings.warn(
            f"{view.name!r} was decided before, by {counted(view.verdict.evaluations, 'evaluation')}, and nothing was "
            "evaluated now. If what is measured has changed, create a study of another name, or with a revision= that "
            "changes with it.",
            DecidedEarlier,
            stacklevel=users_level(),
        )


DECREASE = 0.5
"""By what the limit is multiplied when a server refuses; it grows by one for each round of successes."""


class AdaptiveLimit:
    """How many evaluations may run at a time: additive increase, multiplicative decrease (Chiu and Jain 1989).

    Refusals of evaluations that began before the last decrease are of that same crowd, and do not count again.
    """

    def __init__(self, most: int) -> None:
        self.most, self._limit, self._decreased = most, float(most), -inf

    @property
    def now(self) -> int:
        return int(self._limit)

    def succeeded(self) -> None:
        self._limit = min(float(self.most), self._limit + 1 / self._limit)

    def refused(self, began: float, running: int) -> None:
        if began >= self._decreased:
            self._limit = max(1.0, DECREASE * min(self._limit, running))
            self._decreased = time.monotonic()


class Waiting:
    """The pulls that this run holds and evaluates later, and how often each was refused."""

    def __init__(self, workers: int, backoff: Backoff) -> None:
        self.limit, self._backoff, self._rng = AdaptiveLimit(workers), backoff, Random()
        self._later: list[tuple[float, str, Pull]] = []
        self._times: dict[int, int] = {}
        self._quiet_until, self._last_success = -inf, time.monotonic()

    def __len__(self) -> int:
        return len(self._later)

    @property
    def pulls(self) -> tuple[Pull, ...]:
        return tuple(pull for _, _, pull in self._later)

    @property
    def next_at(self) -> float:
        """When the next one is due, on the monotonic clock."""
        return max(self._later[0][0], self._quiet_until) if self._later else inf

    def room(self, running: int) -> int:
        """How many evaluations may begin now."""
        return 0 if time.monotonic() < self._quiet_until else max(0, self.limit.now - running)

    def due(self, most: int) -> list[Pull]:
        """The pulls whose time has come, at most `most` of them."""
        now, found = time.monotonic(), list[Pull]()
        while self._later and len(found) < most and self._later[0][0] <= now:
            found.append(heappop(self._later)[2])
        return found

    def succeeded(self, pull: Pull) -> None:
        self._times.pop(pull.number, None)
        self._last_success = time.monotonic()
        self.limit.succeeded()

    def refuse(self, pull: Pull, error: BaseException, began: float, running: int) -> float | None:
        """Keep a pull that a server refused for later: after how many seconds; None if that takes too long."""
        wanted, now = retry_after(error), time.monotonic()
        self.limit.refused(began, running)
        if max(now - self._last_success, wanted or 0.0) > self._backoff.give_up:
            return None
        if wanted is not None:
            self._quiet_until = max(self._quiet_until, now + wanted)
        return self.put_off(pull, wanted)

    def put_off(self, pull: Pull, wanted: float | None = None) -> float:
        """Keep a pull for later, the longer the more often that happens to it: after how many seconds."""
        times = self._times[pull.number] = self._times.get(pull.number, 0) + 1
        pause = self._backoff.pause(times, wanted, self._rng)
        heappush(self._later, (time.monotonic() + pause, pull.id, pull))
        return pause


PULL: Passed = ("pull",)


def passed_by_group(evaluate: Evaluate, spec: Spec, *, with_pull: bool) -> tuple[Passed, ...]:
    """What evaluations of each group are called with; InvalidSpec unless the functions take that."""
    parts = spec.problem().by_group
    if isinstance(evaluate, Mapping):
        _check_each(evaluate, spec.groups)
        each = [("config", *_item(part.items)) for part in parts]
        functions = [evaluate[name] for name in spec.groups]
    else:
        each = [("config", *(["groups"] if spec.groups else []), *_item(spec.items.size))] * len(parts)
        functions = [evaluate] * len(parts)
    if with_pull:
        return (PULL,) * len(parts)
    for function, passed in zip(functions, each, strict=True):
        if len(passed) > 1:
            _check_takes(function, passed, spec)
    return tuple(each)


def _item(size: int) -> list[str]:
    return ["item"] if size else []


def _check_each(evaluate: Mapping[str, object], groups: tuple[str, ...]) -> None:
    if not groups:
        raise InvalidSpec(
            "Expected one function: functions by group are for studies whose thresholds have groups, such as "
            "'latency_ms <= 100 @ cheap', and these have none."
        )
    for name in evaluate:
        if name not in groups:
            raise unknown_name("group", name, groups)
    missing = [name for name in groups if name not in evaluate]
    if missing:
        raise InvalidSpec(f"Expected a function for each group, and {missing[0]!r} has none.")
    awaited = {is_async(each) for each in evaluate.values()}  # type: ignore[arg-type]  # functions, or it is said later
    if len(awaited) > 1:
        raise InvalidSpec("Expected functions by group that are all `async def`, or all plain functions; got both.")


def _check_takes(function: Callable[..., object], passed: Passed, spec: Spec) -> None:
    try:
        inspect.signature(function).bind(*passed)
    except ValueError:  # a function that does not say what it takes
        return
    except TypeError:
        said = f"evaluate({', '.join(passed)})"
        if "item" in passed:
            raise InvalidSpec(
                f"The limits of this study are on a set of {spec.items.size} items, and the function does not take the "
                f"item to evaluate. Write it as {said}, or give with_pull=True and read pull.item."
            ) from None
        raise InvalidSpec(
            f"The metrics of this study are measured in groups: expected a function {said}, which measures what is in "
            f"groups, one of {', '.join(map(repr, spec.groups))}, or a dict of functions by group."
        ) from None


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
