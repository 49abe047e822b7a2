"""Running a study: evaluations in threads, in processes or elsewhere, and their results into the log."""

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from numbers import Real
from typing import Any, NamedTuple, TypeVar

from satisfice.errors import (
    EvaluationFailed,
    InvalidResult,
    InvalidSpec,
    PullAlreadyTold,
    PullReissued,
    SatisficeError,
    StudyStopped,
)
from satisfice.search.search import Results
from satisfice.search.verdict import Verdict
from satisfice.study.create import load_study
from satisfice.study.errors import stopped
from satisfice.study.executors import HereExecutor, ThreadExecutor
from satisfice.study.heartbeat import Heartbeat
from satisfice.study.policy import SameFailures
from satisfice.study.pull import Failure, Measured, Pull
from satisfice.study.retry import patiently
from satisfice.study.spec import whole_number
from satisfice.study.storage.protocol import StorageLike
from satisfice.study.study import Settled, Study
from satisfice.study.view import StudyView

T = TypeVar("T")
Evaluate = Callable[[Any], Results]

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


class EvaluatedPair(NamedTuple):
    """What came of a config, and of the baseline beside it."""

    results: Any
    baseline: Any


def evaluated_pair(evaluate: Evaluate, pull: Pull, with_pull: bool) -> EvaluatedPair:
    """A config and the baseline, back to back, in the order that was drawn for the pull."""
    sides = [pull, pull.of_baseline()]
    order = (1, 0) if pull.baseline_first else (0, 1)
    found = {side: evaluate(sides[side] if with_pull else sides[side].config) for side in order}
    return EvaluatedPair(found[0], found[1])


OnProgress = Callable[[RunProgress], None]
Until = Callable[[], bool]


@dataclass
class Runner:
    """Keeps up to `workers` evaluations under way until there is a verdict or no more may be asked for."""

    study: Study
    evaluate: Evaluate
    workers: int = 1
    executor: Executor | None = None
    timeout: float | None = None
    with_pull: bool = False
    patience: float = 0.0
    _held: dict[str, Pull] = field(default_factory=dict)
    _running: dict[Future[Any], tuple[Pull, float]] = field(default_factory=dict)
    _settled: list[Settled] = field(default_factory=list)
    _hung: set[Future[Any]] = field(default_factory=set)
    _label: str = field(default_factory=lambda: secrets.token_hex(4))
    _reported: float = -inf
    _failures: SameFailures = field(default_factory=lambda: SameFailures(worked=False))

    def __post_init__(self) -> None:
        whole_number(self.workers, 1, "workers")
        if self.timeout is not None and not (isinstance(self.timeout, Real) and self.timeout > 0):
            raise InvalidSpec(f"timeout must be a positive number of seconds, got {self.timeout!r}.")

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
        self._failures = SameFailures(worked=self._patiently(self.study.counts).told > 0)
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
            raise stopped(view.stopped)
        return view.verdict

    def _loop(
        self,
        heartbeat: Heartbeat,
        limit: int | None,
        deadline: float,
        on_progress: OnProgress | None,
        until: Until | None,
    ) -> None:
        place = self._place(watched=on_progress is not None or until is not None)
        while True:
            if until is not None and self._patiently(until):
                self._wind_up()
                return
            room = max(0, self.workers - len(self._running) - len(self._hung))
            if time.monotonic() >= deadline:
                room = 0
            pulls = self._exchange(self._settled, room, limit) if self._settled or room > 0 else []
            self._held |= {pull.id: pull for pull in pulls}
            self._forget_settled()
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
            self._finish(heartbeat)

    def _start(self, place: Executor, pull: Pull) -> None:
        started = time.monotonic()
        future: Future[Any]
        if pull.baseline is None:
            future = place.submit(self.evaluate, pull if self.with_pull else pull.config)
        else:
            future = place.submit(evaluated_pair, self.evaluate, pull, self.with_pull)
        self._running[future] = (pull, started)

    def _finish(self, heartbeat: Heartbeat) -> None:
        """Wait for something to end, with results or by running out of time, and take it down as settled."""
        pause = LONGEST_WAIT_SECONDS
        if self.timeout is not None and self._running:
            first = min(started for _, started in self._running.values())
            pause = min(LONGEST_WAIT_SECONDS, max(0.0, first + self.timeout - time.monotonic()))
        done, _ = wait([*self._running, *self._hung], timeout=pause, return_when=FIRST_COMPLETED)
        self._hung -= done
        now = time.monotonic()
        for future in list(self._running):
            pull, started = self._running[future]
            outcome: Measured | Failure | None = None
            if future in done:
                outcome = self._outcome(future)
            elif self.timeout is not None and now >= started + self.timeout:
                outcome = Failure(f"timed out after {self.timeout:g} seconds")
                if not future.cancel() and self.executor is not None:
                    self._hung.add(future)  # it still occupies a place of the executor
            if outcome is not None:
                self._settled.append((pull, self._failures.judged(outcome)))
                del self._running[future]
                heartbeat.drop(pull)

    def _forget_settled(self) -> None:
        """What is recorded is no longer our concern."""
        for pull, _ in self._settled:
            self._held.pop(pull if isinstance(pull, str) else pull.id, None)
        self._settled.clear()

    def _outcome(self, future: Future[Any]) -> Measured | Failure:
        try:
            results = future.result()
        except EvaluationFailed as error:
            return Failure(str(error))
        except BrokenExecutor as error:
            raise StudyStopped(
                f"The executor broke: {error}. An evaluation probably ended its process. Nothing that was told is "
                "lost; mend it and run again."
            ) from error
        except Exception as error:  # whatever an evaluation raises is a failed evaluation
            return Failure(f"{type(error).__name__}: {error}")
        own, baseline = results if isinstance(results, EvaluatedPair) else (results, None)
        try:
            return self.study.check(own, baseline)
        except InvalidResult as error:
            names = self.study.problem.measured
            mistake = not isinstance(own, Mapping) or any(name not in own for name in names)
            return Failure(error.reason, must_stop=mistake)

    def _exchange(self, settled: Sequence[Settled], room: int, limit: int | None) -> list[Pull]:
        try:
            return self._patiently(
                lambda: self.study.exchange(settled, ask=room, worker=self._label, max_evaluations=limit)
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
                    self._settled.append((pull, self._outcome(future)))
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
                    "end. Nothing is lost. Let evaluations end by themselves, or run them in threads."
                )
            self._hung -= done

    def _place(self, *, watched: bool) -> Executor:
        if self.executor is not None:
            return self.executor
        alone = self.workers == 1 and self.timeout is None and not watched
        return HereExecutor() if alone else ThreadExecutor()

    def _pulls(self) -> tuple[Pull, ...]:
        return tuple(pull for pull, _ in self._running.values())


def work(
    storage: StorageLike,
    name: str | None,
    evaluate: Evaluate,
    *,
    workers: int = 1,
    executor: Executor | None = None,
    max_evaluations: int | None = None,
    max_seconds: float | None = None,
    timeout: float | None = None,
    patience: float = 600.0,
    on_progress: OnProgress | None = None,
    until: Until | None = None,
    with_pull: bool = False,
) -> Verdict:
    """Be a worker of a study that is in a storage: evaluate for it until there is a verdict.

    Any number of processes on any machines may do so at a time. A storage that is out of reach is waited for, up to
    `patience` seconds. A study that a failure stopped is not resumed: that is for whoever runs it.
    """
    study = patiently(lambda: load_study(storage, name), patience)
    with study:
        runner = Runner(study, evaluate, workers, executor, timeout, with_pull, patience)
        return runner.run(max_evaluations, max_seconds, on_progress, until, resume=False)
