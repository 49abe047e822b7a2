"""Running a study: evaluations in threads, in processes or elsewhere, and their results into the log."""

import secrets
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from typing import Any, NamedTuple, TypeVar

from satisfice.errors import (
    InvalidSpec,
    NotMeasured,
    PullAlreadyTold,
    PullReissued,
    SatisficeError,
    StudyStopped,
)
from satisfice.given import is_number, shown
from satisfice.search.verdict import Outcome, Verdict
from satisfice.study.attempts import Evaluate, evaluated, failure_of, outcome_of
from satisfice.study.errors import not_measured, stopped, stopped_for_good
from satisfice.study.executors import ExecutorLike, executor_for
from satisfice.study.heartbeat import Heartbeat
from satisfice.study.policy import FailureKind, OnError
from satisfice.study.pull import Failure, Measured, Pull
from satisfice.study.retry import patiently
from satisfice.study.spec import whole_number
from satisfice.study.study import Settled, Study
from satisfice.study.view import StudyView

T = TypeVar("T")

LONGEST_WAIT_SECONDS = 0.5
"""Between two looks at what goes on."""
REPORT_PAUSE_SECONDS = 0.05
"""The shortest time between two reports of progress."""


class RunProgress(NamedTuple):
    """What a running study reports: what is known so far, and what this process is evaluating."""

    study: Study
    view: StudyView
    running: tuple[Pull, ...]

    @property
    def verdict(self) -> Verdict:
        """The verdict so far."""
        return self.view.verdict


OnProgress = Callable[[RunProgress], None]
Until = Callable[[], bool]


@dataclass
class Runner:
    """Keeps up to `workers` evaluations under way until there is a verdict or no more may be asked for."""

    study: Study
    evaluate: Evaluate
    workers: int = 1
    executor: ExecutorLike | None = None
    timeout: float | None = None
    with_pull: bool = False
    patience: float = 0.0
    _held: dict[str, Pull] = field(default_factory=dict)
    _running: dict[Future[Any], tuple[Pull, float]] = field(default_factory=dict)
    _settled: list[Settled] = field(default_factory=list)
    _hung: set[Future[Any]] = field(default_factory=set)
    _label: str = field(default_factory=lambda: secrets.token_hex(4))
    _reported: float = -inf
    _cause: BaseException | None = None
    _not_measured: str | None = None

    def __post_init__(self) -> None:
        whole_number(self.workers, 1, "workers")
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
        if resume and self._patiently(lambda: self.study.stopped) is not None:
            self._patiently(self.study.resume)
        with Heartbeat(self.study, self.study.lease_seconds) as heartbeat:
            try:
                self._loop(heartbeat, max_evaluations, deadline, on_progress, until)
            except BaseException:
                self._wind_up()
                raise
        view = self._patiently(self.study.view)
        if on_progress is not None:
            on_progress(RunProgress(self.study, view, ()))
        if view.stopped is not None:
            raise (stopped_for_good if view.over else stopped)(view.stopped) from self._cause
        if self._not_measured is not None and view.outcome is Outcome.UNDECIDED:
            raise not_measured(self._not_measured) from self._cause
        return view.verdict

    def _loop(
        self,
        heartbeat: Heartbeat,
        limit: int | None,
        deadline: float,
        on_progress: OnProgress | None,
        until: Until | None,
    ) -> None:
        alone = self.workers == 1 and self.timeout is None and on_progress is None and until is None
        place = executor_for(self.executor, self.evaluate, alone=alone and deadline == inf)
        while True:
            if time.monotonic() >= deadline or (until is not None and self._patiently(until)):
                self._wind_up()
                return
            room = max(0, self.workers - len(self._running) - len(self._hung))
            if self._not_measured is not None:
                room = 0
            pulls = self._exchange(self._settled, room, limit) if self._settled or room > 0 else []
            self._held |= {pull.id: pull for pull in pulls}
            self._forget_settled()
            if self._not_measured is not None or self.study.outcome is not Outcome.UNDECIDED:
                self._wind_up()
                return
            for pull in pulls:
                heartbeat.hold(pull)
                self._start(place, pull)
            if on_progress is not None and time.monotonic() >= self._reported + REPORT_PAUSE_SECONDS:
                on_progress(RunProgress(self.study, self._patiently(self.study.view), self._pulls()))
                self._reported = time.monotonic()
            if not self._running:
                self._check_hung()
                if not self._hung or room <= 0:
                    return
            self._finish(heartbeat, deadline)

    def _start(self, place: Executor, pull: Pull) -> None:
        started = time.monotonic()
        try:
            future = place.submit(evaluated, self.evaluate, pull, self.with_pull)
        except Exception as error:  # a place that takes nothing: what cannot be sent, or a pool that is broken
            future = Future()
            future.set_exception(error if isinstance(error, BrokenExecutor) else NotMeasured(f"{error}"))
        self._running[future] = (pull, started)

    def _finish(self, heartbeat: Heartbeat, deadline: float) -> None:
        """Wait for something to end, with results or by running out of time, and take it down as settled."""
        until = min(time.monotonic() + LONGEST_WAIT_SECONDS, deadline)
        if self.timeout is not None and self._running:
            until = min(until, min(started for _, started in self._running.values()) + self.timeout)
        pause = max(0.0, until - time.monotonic())
        done, _ = wait([*self._running, *self._hung], timeout=pause, return_when=FIRST_COMPLETED)
        self._hung -= done
        if not done:
            self._patiently(self.study.view)  # others may have come to the verdict
        now = time.monotonic()
        for future in list(self._running):
            pull, started = self._running[future]
            outcome: Measured | Failure | None = None
            if future in done:
                outcome = self._outcome(future, pull)
            elif self.timeout is not None and now >= started + self.timeout:
                outcome = Failure(f"timed out after {self.timeout:g} seconds")
                if not future.cancel() and self.executor is not None:
                    self._hung.add(future)  # it still occupies a place of the executor
            if outcome is not None:
                self._settled.append((pull, outcome))
                del self._running[future]
                heartbeat.drop(pull)

    def _forget_settled(self) -> None:
        """What is recorded is no longer our concern."""
        for pull, _ in self._settled:
            self._held.pop(pull if isinstance(pull, str) else pull.id, None)
        self._settled.clear()

    def _outcome(self, future: Future[Any], pull: Pull) -> Measured | Failure:
        error = CancelledError() if future.cancelled() else future.exception()
        if error is None:
            found = outcome_of(future.result(), self.study.check)
        else:
            found, self._cause = failure_of(error), error
        place_is_gone = isinstance(error, BrokenExecutor | CancelledError)
        if isinstance(found, Failure) and (place_is_gone or found.kind == FailureKind.NOT_MEASURED):
            self._not_measured = f"{pull.name!r}: {found.reason}"
        return found

    def _exchange(self, settled: Sequence[Settled], room: int, limit: int | None) -> list[Pull]:
        try:
            return self._patiently(
                lambda: self.study.exchange(
                    settled, ask=room, worker=self._label, max_evaluations=limit, evaluates=True
                )
            )
        except (PullReissued, PullAlreadyTold):
            for one in settled:
                with suppress(PullReissued, PullAlreadyTold):  # somebody else has it now, and its results count
                    self._patiently(lambda one=one: self.study.exchange([one]))  # type: ignore[misc]  # bound now
            return self._exchange((), room, limit)

    def _patiently(self, act: Callable[[], T]) -> T:
        return patiently(act, self.patience, self._release_unknown)

    def _release_unknown(self) -> None:
        """Give back what was given to us over a connection that broke before we heard of it."""
        self.study.release(*(pull for pull in self._ours() if pull.id not in self._held))

    def _ours(self) -> list[Pull]:
        """What was given to this run, according to the log."""
        return [one.pull for one in self.study.outstanding() if (one.worker or "").startswith(f"{self._label}@")]

    def _wind_up(self) -> None:
        """On the way out: keep what is finished, give back what is not."""
        with suppress(Exception):
            for future, (pull, _) in self._running.items():
                if future.done() and not future.cancelled() and future.exception() is None:
                    self._settled.append((pull, self._outcome(future, pull)))
                future.cancel()
            for one in self._settled:
                with suppress(SatisficeError):
                    self.study.exchange([one])
            self.study.release(*self._ours())

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
    timed = study.spec.timed()
    if timed and study.view().policy.on_error == OnError.RETRY:
        raise InvalidSpec(
            f"on_error='retry' together with a time limit would draw {timed[0]!r} again until it is short enough. A "
            "time-out is a result about a duration: use on_error='worst'."
        )
