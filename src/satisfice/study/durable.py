"""The state of a study in one process, and the steps that change it and the log together.

Whether a study is decided, and whether it stopped.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import RLock
from typing import NamedTuple, TypeVar
from weakref import WeakSet

from satisfice.errors import DamagedLog, SatisficeError, StorageError
from satisfice.search.verdict import Outcome
from satisfice.study.event_checks import opened_spec
from satisfice.study.events import Event
from satisfice.study.leases import Clock, Leases
from satisfice.study.pull import OpenPull, Pull, PullKey
from satisfice.study.snapshots import SNAPSHOT_EVERY_EVENTS, Checkpoint, loaded, sha256_of, taken
from satisfice.study.state import StudyState
from satisfice.study.storage.protocol import EventLog, KeepsSnapshots, KeepsSummary, KeepsUp
from satisfice.study.storage.taking import TakesSteps
from satisfice.study.subject import Subject, known_since, subject_in
from satisfice.study.summary import summary_to_keep
from satisfice.study.transaction import Step, Transaction, cost_so_far
from satisfice.study.trust import Trusted
from satisfice.study.view import SearchAt, StudyView


class Standing(NamedTuple):
    """The verdict in one word, why the study stopped if it did, and whether that is for good."""

    outcome: Outcome
    stopped: str | None
    over: bool


def standing_of(state: StudyState) -> Standing:
    return Standing(state.search.outcome, state.stopped, state.over)


T = TypeVar("T")

FEW_NEW_EVENTS = 4
"""With more new events at a step there are many workers: then catch up before one's turn, for which others wait."""


class _MustBeApart(SatisficeError):
    """One of several steps was refused in its middle: nothing is recorded, and each is to be taken alone."""


class DurableState:
    """A state that is never ahead of its log: a step becomes durable, or it was not taken.

    Whoever calls `seen` or `current` holds the `lock` for as long as the state is looked at.
    """

    def __init__(self, name: str, log: EventLog, clock: Clock, lease: float | None, trusted: Trusted) -> None:
        self._name, self._log, self._clock = name, log, clock
        self._first = next(iter(log.read(0)))
        self.spec = opened_spec(self._first, name, trusted)
        self._subject = subject_in(self._first.content)
        self.identity: str = self._first.content["identity"]
        self.problem = self.spec.problem()
        self.lease = self.spec.lease_seconds if lease is None else lease
        self.leases = Leases(log, clock)
        self.lock = RLock()
        self._snapshots = log if isinstance(log, KeepsSnapshots) else None
        self._keeps_up = log if isinstance(log, KeepsUp) else None
        self._elsewhere = log if isinstance(log, TakesSteps) else None
        self._heard: Outcome | None = None
        self._state: StudyState | None = None
        self._standing: Standing | None = None
        self._checkpoint: Checkpoint | None = None
        self._looked_at: WeakSet[SearchAt] = WeakSet()
        self._crowded = self._behind = self._unsaid = False

    def seen(self) -> StudyState:
        """The state as far as it is known here; only `change` and `current` learn of more."""
        if self._state is None and self._checkpoint is not None:
            self._state = self._checkpoint.restored()
        if self._state is None:
            self._state = loaded(self.spec, self._log)
        return self._state

    def standing(self) -> Standing:
        """Whether it is decided or stopped as far as is known here, even if the state was forgotten since."""
        with self.lock:
            return self._standing if self._behind and self._standing is not None else standing_of(self.seen())

    def after_a_step(self) -> Standing:
        """The same after a step; of one that was taken elsewhere, with what is in the log since."""
        if self._elsewhere is None:
            return self.standing()
        with self.lock:
            return standing_of(self.current())

    def current(self) -> StudyState:
        """The state after all that is in the log."""
        state, sound = self.seen(), True
        try:
            for event in self._log.read(state.position):
                sound = False
                self._freeze_views()
                state.apply(event)
                sound = True
        except BaseException:
            if not sound:
                self._undo()
            raise
        self._behind, self._standing = False, standing_of(state)
        return state

    def view(self) -> StudyView:
        """What is known now; the log is read once."""
        with self.lock:
            state = self.current()
            search = SearchAt(state, self.lock)
            self._looked_at.add(search)
            return StudyView(
                name=self._name,
                identity=self.identity,
                spec=self.spec,
                problem=self.problem,
                created_at=self._first.content["at"],
                subject=known_since(self._subject, state.policy.outputs, state.policy.revision),
                version=self._first.content.get("version", ""),
                position=state.position,
                head=state.head,
                outcome=state.search.outcome,
                counts=state.counts(),
                stopped=state.stopped,
                policies=state.policies,
                over=state.over,
                skew=state.skew,
                cost=cost_so_far(state),
                _open=tuple(state.open.values()),
                _search=search,
            )

    def subject(self) -> Subject | None:
        """What the study measures, as far as it is known here."""
        with self.lock:
            policy = self.seen().policy
        return known_since(self._subject, policy.outputs, policy.revision)

    def keep_summary(self) -> None:
        """Keep what a list says of the study, if this process has changed that."""
        if self._unsaid and isinstance(self._log, KeepsSummary):
            self._unsaid = False
            with suppress(SatisficeError, MemoryError):  # what was recorded is recorded
                if (found := summary_to_keep(self.view())) is not None:
                    self._log.keep_summary(found)

    def step(self, state: StudyState) -> Transaction:
        return Transaction(self.identity, self._log, self.leases, state, now=self._clock.time(), lease=self.lease)

    def beat(self, keys: Sequence[PullKey]) -> None:
        """Signs of life of pulls; of those that are not under way any more the first is refused, after the others."""
        if self._elsewhere is not None:
            self._elsewhere.stay_alive(keys)
            return
        with self.lock:
            step = self.step(self.current())
            alive: dict[int, int] = {}
            refused: SatisficeError | None = None
            for key in keys:
                try:
                    step.open_pull(key)
                except SatisficeError as error:
                    refused = refused or error
                else:
                    alive[key.number] = key.attempt
            self.leases.extend(alive)
            if refused is not None:
                raise refused

    @property
    def outcome(self) -> Outcome:
        """The verdict in one word, as far as it is known here."""
        if self._heard is not None and self._heard is not Outcome.UNDECIDED:
            return self._heard
        return self.standing().outcome

    def change(self, step: Step) -> list[Pull]:
        """Take a step on top of all that others have recorded; the pulls that it gives out."""
        if self._elsewhere is not None:
            pulls, self._heard = self._elsewhere.take(step)
            return pulls
        return self._change(step.play, asking=step.ask > 0)

    def change_together(self, steps: Sequence[Step]) -> list[list[Pull] | SatisficeError]:
        """Take steps and make them durable together; of one that is refused, why.

        Results come first, one step after the other, and then the asks: what is chosen rests on all of them, and what
        waits for a result of another step is looked at once.
        """

        def act(transaction: Transaction) -> list[list[Pull] | SatisficeError]:
            refused = [_refusal(step, transaction) for step in steps]
            return [
                _issued(step, transaction) if why is None else why for step, why in zip(steps, refused, strict=True)
            ]

        try:
            return self._change(act, asking=any(step.ask > 0 for step in steps))
        except _MustBeApart:
            return [self._alone(step) for step in steps]

    def _alone(self, step: Step) -> list[Pull] | SatisficeError:
        try:
            return self._change(step.play, asking=step.ask > 0)
        except SatisficeError as error:
            return error

    def _change(self, act: Callable[[Transaction], T], *, asking: bool, copying: bool = True) -> T:
        done: list[T] = []
        issued: list[OpenPull] = []
        with self.lock:
            state = self.current() if self._crowded or self._behind else self.seen()
            self._checkpoint = self._checkpoint or Checkpoint(state)
            before, answered = state.position, state.answered
            sound = True  # whether the state is that of events which are in the log

            def follow(news: Sequence[Event]) -> None:
                nonlocal sound, before
                sound = False
                self._freeze_views()
                for event in news:
                    state.apply(event)
                sound, before = True, state.position

            def keep_up(news: Sequence[Event]) -> None:
                """In one's turn, for which others wait, as little as can be is left to do."""
                nonlocal sound
                follow(news)
                if asking:
                    sound = False
                    state.search.score()
                    sound = True

            def decide(news: Sequence[Event]) -> Sequence[Event]:
                nonlocal sound
                follow(news)
                self._crowded = self._keeps_up is None and (self._crowded or len(news) > FEW_NEW_EVENTS)
                sound, step = False, self.step(state)
                try:
                    done.append(act(step))
                except SatisficeError:  # it is refused, before anything else; any other error may come in the middle
                    sound = not step.recorded
                    raise
                sound = not step.recorded
                issued.extend(step.issued)
                return step.recorded

            try:
                if self._keeps_up is not None:
                    self._keeps_up.extend_following(before, keep_up, decide)
                else:
                    self._log.extend(before, decide)
            except BaseException:
                self.leases.broke_off(issued)
                if not sound:
                    self._undo()
                raise
            self._standing = standing_of(state)
            with suppress(MemoryError):  # then it is seen at the next look
                self.leases.saw(issued)  # not before they are: somebody else may be given what was not recorded
            self._unsaid = self._unsaid or state.position > before
            if copying:
                self._keep_copies(state, before)
            if state.answered and not answered:
                self.keep_summary()
        return done[0]

    def _undo(self) -> None:
        """Forget the state: when it is needed it is taken from the last copy, and what the log has after that is read.

        Not now: whatever made a step fail, such as a lack of memory, could make that fail, too.
        """
        self._state = None
        self._behind = True

    def _keep_copies(self, state: StudyState, before: int) -> None:
        """All events are durable: copy the state where it is time to."""
        due = state.position // SNAPSHOT_EVERY_EVENTS > before // SNAPSHOT_EVERY_EVENTS
        with suppress(StorageError, DamagedLog, MemoryError):  # what was recorded is recorded, with copies or without
            if self._checkpoint is not None:
                self._checkpoint.follow(state)
            if self._snapshots is not None and due:
                snapshot = taken(state)
                self._change(
                    lambda step: step.vouch(snapshot.position, sha256_of(snapshot)), asking=False, copying=False
                )
                self._snapshots.keep(snapshot)

    def _freeze_views(self) -> None:
        """The state is about to change: let whoever looks at it keep what it was."""
        if self._looked_at:
            for search in self._looked_at:
                search.freeze()
            self._looked_at.clear()


def _refusal(step: Step, on: Transaction) -> SatisficeError | None:
    """Take in the results of a step; why they are refused, if they are."""
    before = len(on.recorded)
    try:
        step.settle(on)
    except SatisficeError as error:
        if len(on.recorded) > before:
            raise _MustBeApart from error
        return error
    return None


def _issued(step: Step, on: Transaction) -> list[Pull]:
    try:
        return step.issue(on)
    except SatisficeError as error:
        raise _MustBeApart from error
