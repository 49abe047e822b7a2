"""A study: ask which config to evaluate, tell what came out, from any number of threads, processes and machines."""

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from threading import RLock
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

from satisfice.errors import MissingPackage, StorageError, UnusedMetrics, unknown_name
from satisfice.problem.problem import Goal
from satisfice.search.search import Search
from satisfice.search.verdict import ArmStatus, Outcome, Verdict
from satisfice.study import transaction as desk
from satisfice.study.evaluations import Evaluation, evaluations_of
from satisfice.study.events import Event
from satisfice.study.explain import Explanation, explained
from satisfice.study.leases import Leases
from satisfice.study.process_id import worker_name
from satisfice.study.pull import Failure, Outstanding, Pull, key_of
from satisfice.study.snapshots import SNAPSHOT_EVERY, loaded, taken
from satisfice.study.spec import Spec, whole_number
from satisfice.study.state import Counts, Replay
from satisfice.study.storage.protocol import Beat, EventLog, Storage
from satisfice.study.transaction import Desk

if TYPE_CHECKING:
    from concurrent.futures import Executor

    import pandas as pd

    from satisfice.study.runner import Progress

T = TypeVar("T")
Results = Mapping[str, float]
Settled = tuple[Pull | str, Results | Failure]
CROWD = 4
"""With more news than this at a step there are many workers: then catch up first, so as not to keep them waiting."""


class Study:
    """Which config passes all thresholds? A durable search, made by `create_study` or `load_study`.

    `ask` says what to evaluate next and `tell` records what came out; results may come in any order and from any
    process. What was told is on disk when `tell` returns. `run` does both with a function of yours.
    """

    def __init__(
        self, name: str, storage: Storage, log: EventLog, *, clock: Callable[[], float] = time.time, lease: float
    ) -> None:
        self.name = name
        self._storage, self._log, self._clock, self._lease = storage, log, clock, lease
        first = next(iter(log.read(0)))
        self.identity: str = first.content["identity"]
        self.spec: Spec = desk.spec_of(first)
        self.problem = self.spec.problem()
        self._lock = RLock()
        self._leases = Leases(log)
        self._replay: Replay | None = None
        self._unused: set[str] = set()
        self._crowded = False
        self._process = worker_name()

    @property
    def lease_seconds(self) -> float:
        """How long a worker of this process may be silent."""
        return self._lease

    @property
    def configs(self) -> dict[str, dict[str, Any]]:
        """The configs: name to parameters."""
        return {name: dict(parameters) for name, parameters in self.spec.configs}

    @overload
    def ask(self, n: None = None, *, worker: str | None = None, max_evaluations: int | None = None) -> Pull | None: ...
    @overload
    def ask(self, n: int, *, worker: str | None = None, max_evaluations: int | None = None) -> list[Pull]: ...
    def ask(
        self, n: int | None = None, *, worker: str | None = None, max_evaluations: int | None = None
    ) -> Pull | list[Pull] | None:
        """The next evaluation to make, None once there is a verdict; with `n`, a list of at most so many.

        Pulls whose worker is lost come first, under their old number. `max_evaluations` limits the pulls of the whole
        study: None is returned once so many were asked for.
        """
        wanted = 1 if n is None else whole_number(n, 0, "The number of pulls to ask for")
        if max_evaluations is not None:
            whole_number(max_evaluations, 0, "max_evaluations")
        pulls = self.exchange((), ask=wanted, worker=worker, max_evaluations=max_evaluations)
        if not pulls and (reason := self._seen().stopped) is not None:
            raise desk.stopped(reason)
        if n is not None:
            return pulls
        return pulls[0] if pulls else None

    def tell(self, pull: Pull | str, results: Results) -> Outcome:
        """Record the results of a pull: one number for each metric. To repeat the same is harmless."""
        self.exchange([(pull, results)])
        return self.outcome

    def fail(self, pull: Pull | str, reason: str) -> Outcome:
        """Record that a pull has no results and why; `on_error` decides what follows."""
        self.exchange([(pull, Failure(str(reason)))])
        return self.outcome

    def exchange(
        self,
        settled: Sequence[Settled],
        *,
        ask: int = 0,
        worker: str | None = None,
        max_evaluations: int | None = None,
    ) -> list[Pull]:
        """Tell any number of results or failures, and ask for at most `ask` pulls, in one durable step.

        All is recorded or, if one of the results cannot be, nothing.
        """
        checked = [(key_of(pull), self._checked(outcome)) for pull, outcome in settled]

        def act(at: Desk) -> list[Pull]:
            at.settle(checked)
            return at.issue(ask, self._named(worker), max_evaluations) if ask else []

        return self._change(act)

    def check(self, results: Results) -> None:
        """Raise InvalidResult, in a sentence, unless these results could be told."""
        self._any_search().checked(results)

    def heartbeat(self, *pulls: Pull | str) -> None:
        """Say that the pulls are still being evaluated: their leases start anew. For evaluations longer than a lease.

        PullReissued if one was given to somebody else already.
        """
        keys = [key_of(pull) for pull in pulls]
        with self._lock:
            at = self._desk()
            for key in keys:
                at.open_pull(key)
        expires = self._clock() + self._lease
        self._log.beat({key.number: Beat(key.attempt, expires) for key in keys})

    def release(self, *pulls: Pull | str) -> None:
        """Give pulls back without results: they are the next to be asked for."""
        keys = [key_of(pull) for pull in pulls]
        self._change(lambda at: at.release(keys))

    def resume(self) -> None:
        """Go on after a failed evaluation stopped the study; what failed is asked for again."""
        self._change(lambda at: at.resume())

    def run(
        self,
        evaluate: Callable[[Any], Results],
        *,
        workers: int = 1,
        executor: "Executor | None" = None,
        max_evaluations: int | None = None,
        max_seconds: float | None = None,
        timeout: float | None = None,
        on_progress: "Callable[[Progress], None] | None" = None,
        with_pull: bool = False,
        patience: float = 0.0,
    ) -> Verdict:
        """Evaluate until there is a verdict or the budget is spent: `evaluate(config)` returns a dict of metrics.

        Up to `workers` evaluations run at a time, in threads, or in `executor`. An evaluation that takes longer than
        `timeout` seconds has failed. `max_evaluations` counts all evaluations of the study, earlier runs included.
        With `with_pull`, `evaluate` gets the whole pull. For `patience` seconds a storage may be out of reach.
        """
        from satisfice.study.runner import Runner  # noqa: PLC0415 - needs this module

        runner = Runner(self, evaluate, workers, executor, timeout, with_pull, patience)
        return runner.run(max_evaluations, max_seconds, on_progress)

    @property
    def outcome(self) -> Outcome:
        """The verdict in one word, as far as this process has seen the log."""
        with self._lock:
            replay = self._seen()
            return Outcome(replay.answer["outcome"]) if replay.answer else replay.search.outcome

    def verdict(self) -> Verdict:
        """What can be said now, and what it rests on."""
        with self._lock:
            return desk.verdict_of(self._current())

    def statuses(self) -> tuple[ArmStatus, ...]:
        """What is known of each config."""
        with self._lock:
            return self._current().search.statuses()

    def pulls(self) -> dict[str, int]:
        """How many results of each config are in its evidence; costs little, however many there are."""
        with self._lock:
            return dict(zip(self.spec.names, self._current().folded.tolist(), strict=True))

    def status(self, config: str) -> ArmStatus:
        """What is known of one config."""
        with self._lock:
            return self._current().search.status(self._place(config))

    def explain(self, config: str) -> Explanation:
        """Why a config was accepted, rejected or left: its binding metric and the evidence, in words and numbers."""
        with self._lock:
            replay = self._current()
            found = replay.answer["arm"] if replay.answer and self.problem.goal is Goal.ANY else None
            return explained(self.problem, replay.search.status(self._place(config)), found)

    def warnings(self) -> tuple[str, ...]:
        """Where the results contradict what was declared about their noise, in words."""
        with self._lock:
            return self._current().search.warnings()

    def counts(self) -> Counts:
        """How many evaluations were asked for and what became of them."""
        with self._lock:
            return self._current().counts()

    @property
    def stopped(self) -> str | None:
        """Why the study stopped, if a failed evaluation stopped it."""
        with self._lock:
            return self._current().stopped

    def outstanding(self) -> tuple[Outstanding, ...]:
        """The pulls that are being evaluated, in all processes."""
        with self._lock:
            at = self._desk()
            return tuple(Outstanding(at.pull_of(pull), pull.worker, pull.at) for pull in at.replay.open.values())

    def evaluations(self) -> Iterator[Evaluation]:
        """All recorded results and failures, in the order in which they were recorded."""
        return evaluations_of(self.spec, self._log.read(0))

    def events(self) -> Iterator[Event]:
        """The whole event log."""
        return self._log.read(0)

    def to_dataframe(self) -> "pd.DataFrame":
        """All recorded results and failures as a table of pandas: one row each."""
        try:
            import pandas as pd  # noqa: PLC0415 - heavy, and needed here only
        except ModuleNotFoundError:
            raise MissingPackage(
                "A table of pandas needs pandas: pip install 'satisfice[pandas]'. evaluations() does without it."
            ) from None

        from satisfice.study.evaluations import columns_of  # noqa: PLC0415

        rows = [one.row() for one in self.evaluations()]
        return pd.DataFrame(rows, columns=columns_of(self.spec))

    def close(self) -> None:
        """Close the connections; the study stays as it is."""
        self._log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Study {self.name!r}: {len(self.spec.configs)} configs, {', '.join(self.spec.thresholds)}>"

    def _place(self, config: str) -> int:
        if config not in self.spec.names:
            raise unknown_name("config", str(config), self.spec.names)
        return self.spec.names.index(config)

    def _named(self, worker: str | None) -> str:
        return f"{worker}@{self._process}" if worker else self._process

    def _checked(self, outcome: Results | Failure) -> tuple[float, ...] | Failure:
        if isinstance(outcome, Failure):
            return outcome
        values = self._any_search().checked(outcome)
        if len(outcome) > len(values):
            self._warn(set(outcome) - set(self.problem.metric_names))
        return values

    def _warn(self, names: set[str]) -> None:
        new = sorted(map(str, names - self._unused))
        if new:
            self._unused |= names
            warnings.warn(
                f"No threshold is about {', '.join(map(repr, new))}: these results are not recorded. Thresholds are "
                f"about {', '.join(self.problem.metric_names)}.",
                UnusedMetrics,
                stacklevel=5,
            )

    def _any_search(self) -> Search:
        with self._lock:
            return self._seen().search

    def _seen(self) -> Replay:
        """The state as far as it is known; only `extend` and `_current` learn of more."""
        if self._replay is None:
            self._replay = loaded(self.spec, self._log)
        return self._replay

    def _current(self) -> Replay:
        replay = self._seen()
        try:
            for event in self._log.read(replay.position):
                replay.apply(event)
        except BaseException:
            self._replay = None
            raise
        return replay

    def _desk(self) -> Desk:
        return Desk(self.spec, self.identity, self._log, self._leases, self._current(), self._clock(), self._lease)

    def _change(self, act: Callable[[Desk], T]) -> T:
        """Do something at the desk, on top of all that others have recorded, in one durable step."""
        done: list[T] = []
        with self._lock:
            replay = self._current() if self._crowded else self._seen()
            before = replay.position
            sound = True  # whether the state is that of events which are in the log

            def decide(news: Sequence[Event]) -> Sequence[Event]:
                nonlocal sound
                sound = False
                for event in news:
                    replay.apply(event)
                self._crowded = self._crowded or len(news) > CROWD
                at = Desk(self.spec, self.identity, self._log, self._leases, replay, self._clock(), self._lease)
                try:
                    done.append(act(at))
                finally:
                    sound = not at.recorded
                return at.recorded

            try:
                self._log.extend(before, decide)
            except BaseException:
                self._leases.look_now()
                if not sound:
                    self._replay = None
                raise
            if self._log.keeps_snapshots and replay.position // SNAPSHOT_EVERY > before // SNAPSHOT_EVERY:
                with suppress(StorageError):  # what was recorded is recorded, with a snapshot or without
                    self._log.keep(taken(replay))
        return done[0]
