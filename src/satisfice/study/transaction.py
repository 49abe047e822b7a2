"""The desk: where pulls are given out and results are taken in, each step becoming events."""

from collections.abc import Sequence
from dataclasses import replace

from satisfice.errors import DamagedLog, PullAlreadyTold, PullReissued, StudyStopped, UnknownPull
from satisfice.search.verdict import Verdict
from satisfice.study.events import Event, Kind
from satisfice.study.leases import Leases
from satisfice.study.pull import Failure, Pull, PullKey
from satisfice.study.spec import OnError, Spec, spec_of_content
from satisfice.study.state import OpenPull, Replay
from satisfice.study.storage.protocol import EventLog

Checked = tuple[PullKey, tuple[float, ...] | Failure]


class Desk:
    """One step of a study, taken while nobody else takes one; `recorded` are the events that it makes."""

    def __init__(
        self, spec: Spec, identity: str, log: EventLog, leases: Leases, replay: Replay, now: float, lease: float
    ) -> None:
        self.spec, self.identity, self.replay = spec, identity, replay
        self._log, self._leases, self._now, self._lease = log, leases, now, lease
        self.recorded: list[Event] = []

    def settle(self, outcomes: Sequence[Checked]) -> None:
        """Take in results and failures; all are looked at before the first is recorded."""
        new = [(pull, outcome) for key, outcome in outcomes if (pull := self._unsettled(key, outcome)) is not None]
        once: dict[int, tuple[OpenPull, tuple[float, ...] | Failure]] = {}
        for pull, outcome in new:
            if once.setdefault(pull.number, (pull, outcome))[1] != outcome:
                raise PullAlreadyTold(f"Pull {pull.number} came twice in one step, with different results.")
        ended = self.replay.ended
        for pull, outcome in once.values():
            if isinstance(outcome, Failure):
                self._fail(pull, outcome)
            else:
                self._record(Kind.TOLD, pull, values=list(outcome))
        if self.replay.ended and not (ended and self.replay.answer):
            self._append(Kind.VERDICT, {**self.replay.verdict_content(), "at": self._now})

    def issue(self, wanted: int, worker: str, limit: int | None) -> list[Pull]:
        """Give out at most so many pulls: lost ones first, then new ones."""
        replay = self.replay
        if replay.ended or replay.stopped is not None:
            return []
        issued = []
        grant = {"worker": worker, "lease": self._lease, "at": self._now}
        for pull in self._leases.lost(replay.open, replay.free, self._now)[:wanted]:
            self._append(Kind.REISSUED, {"number": pull.number, "attempt": pull.attempt + 1, **grant})
            issued.append(self.pull_of(pull))
        while len(issued) < wanted and (limit is None or replay.next_number < limit):
            arm = replay.next_arm()
            if arm is None:
                break
            number = replay.next_number
            self._append(Kind.ASKED, {"number": number, "arm": arm, "arm_number": int(replay.asked[arm]), **grant})
            issued.append(self.pull_of(replay.open[number]))
        return issued

    def release(self, keys: Sequence[PullKey]) -> None:
        """Take pulls back; those that are settled or given to somebody else are left as they are."""
        for key in keys:
            pull = self.replay.open.get(key.number)
            if key.identity == self.identity and pull is not None and pull.attempt == key.attempt and pull.worker:
                self._record(Kind.RELEASED, pull)

    def resume(self) -> None:
        if self.replay.stopped is not None:
            self._append(Kind.RESUMED, {"at": self._now})

    def open_pull(self, key: PullKey) -> OpenPull:
        """The pull if it is still to be told; otherwise the error says why not."""
        pull = self._unsettled(key, None)
        if pull is None:
            raise PullAlreadyTold(f"Pull {key.number} is settled already.")
        return pull

    def pull_of(self, pull: OpenPull) -> Pull:
        name, parameters = self.spec.configs[pull.arm]
        return Pull(self.identity, pull.number, pull.arm_number, pull.attempt, name, dict(parameters))

    def _unsettled(self, key: PullKey, outcome: tuple[float, ...] | Failure | None) -> OpenPull | None:
        """The open pull of that key; None if the very same outcome is recorded already."""
        if key.identity != self.identity:
            raise UnknownPull(
                f"Pull {key.number} was asked for by another study. Expected one of this study, whose pulls have ids "
                f"that begin with {self.identity}. Nothing was recorded."
            )
        pull = self.replay.open.get(key.number)
        if pull is None and key.number >= self.replay.next_number:
            raise UnknownPull(
                f"Pull {key.number} was never asked for: this study has asked for {self.replay.next_number} so far. "
                "Nothing was recorded."
            )
        if pull is not None and pull.attempt == key.attempt and pull.worker is not None:
            return pull
        self._refuse_unless_same(key, pull, outcome)
        return None

    def _refuse_unless_same(
        self, key: PullKey, pull: OpenPull | None, outcome: tuple[float, ...] | Failure | None
    ) -> None:
        events = [event for event in self._log.about(key.number) if event.content.get("attempt", 0) == key.attempt]
        own = [event for event in events if event.kind in (Kind.TOLD, Kind.FAILED)]
        for event in own:
            if isinstance(outcome, Failure) and event.kind == Kind.FAILED:
                return
            if event.kind == Kind.TOLD and isinstance(outcome, tuple) and tuple(event.content["values"]) == outcome:
                return
        if own:
            kept = own[-1].content
            was = f"the results {kept['values']}" if "values" in kept else f"the failure {kept['reason']!r:.80}"
            raise PullAlreadyTold(
                f"Pull {key.number} was settled before, with {was}. A pull is told once; what was recorded stays. "
                "Ask for a new pull to evaluate again."
            )
        if pull is not None and pull.attempt < key.attempt:
            raise UnknownPull(
                f"Pull {key.number} has not been given out {key.attempt + 1} times. Nothing was recorded."
            )
        raise PullReissued(
            f"Pull {key.number} was taken back since its worker was lost or silent for too long, and was or will be "
            "given to another one; only that one's results count. Nothing was recorded. Just ask for the next pull. If "
            "evaluations take longer than the lease, call heartbeat or give a longer lease_seconds."
        )

    def _fail(self, pull: OpenPull, failure: Failure) -> None:
        then = OnError(self.spec.on_error)
        if failure.must_stop or (then is OnError.RETRY and pull.failures >= self.spec.retries):
            then = OnError.STOP
        self._record(Kind.FAILED, pull, reason=failure.reason, then=str(then))

    def _record(self, kind: Kind, pull: OpenPull, **more: object) -> None:
        self._append(kind, {"number": pull.number, "attempt": pull.attempt, "at": self._now, **more})

    def _append(self, kind: Kind, content: dict[str, object]) -> None:
        self.recorded.append(self.replay.record(kind, content))


def stopped(reason: str) -> StudyStopped:
    """The error of a study that a failure stopped."""
    return StudyStopped(
        f"The study stopped because an evaluation failed: {reason}\nNothing is lost. Mend what failed and run it "
        "again, or call resume(). To go on after failures, create the study with on_error='retry' or 'worst'."
    )


def spec_of(first: Event) -> Spec:
    """The spec in the first event of a log."""
    if first.kind != Kind.CREATED or "spec" not in first.content:
        raise DamagedLog(f"Expected the log to begin with the study's spec, found an event {first.kind!r}.")
    try:
        return spec_of_content(first.content["spec"])
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedLog(f"The spec in the first event of the log cannot be read: {error!r}.") from error


def verdict_of(replay: Replay) -> Verdict:
    """The verdict of the search, with what failures and lost workers add to its assumptions."""
    verdict = replay.search.verdict
    added = []
    if replay.failed:
        added.append(f"{replay.failed} evaluations failed: {_FAILED[OnError(replay.spec.on_error)]}")
    if replay.reissued:
        added.append(
            f"{replay.reissued} evaluations were given out again after a failure or the loss of a worker: "
            "this assumes that such losses are unrelated to the metrics"
        )
    return replace(verdict, assumptions=(*verdict.assumptions, *added)) if added else verdict


_FAILED = {
    OnError.WORST: "each counts as the worst result there can be",
    OnError.RETRY: "each was tried again, which assumes that failures are unrelated to the metrics",
    OnError.STOP: "each stopped the study and was tried again when it was resumed, which assumes that failures are "
    "unrelated to the metrics",
}
