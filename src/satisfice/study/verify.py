"""Verification: everything that a study says, computed again from its event log alone."""

from dataclasses import dataclass
from itertools import islice

from satisfice.errors import DamagedLog
from satisfice.search.verdict import Verdict
from satisfice.study.create import only_name
from satisfice.study.events import BEFORE_ALL, Event, Kind, check_seal
from satisfice.study.losses import with_losses
from satisfice.study.snapshots import latest
from satisfice.study.state import StudyState, spec_of
from satisfice.study.storage.protocol import EventLog, KeepsIndex, StorageLike, open_storage
from satisfice.study.subject import Subject, subject_in


@dataclass(frozen=True)
class Verification:
    """What came of a verification: `problems` is empty if the log is what was written and says what it should.

    `head` is the seal of the last event. It covers the whole log: keep it elsewhere, and a log that was written anew
    from end to end is noticed too. `subject` is what the study measures, as far as that was recorded.
    """

    name: str
    events: int
    evaluations: int
    head: str
    verdict: Verdict | None
    problems: tuple[str, ...]
    subject: Subject | None = None

    @property
    def ok(self) -> bool:
        return not self.problems

    def __str__(self) -> str:
        if self.ok:
            return f"{self.name}: {self.events} events verified, head {self.head[:16]}   {self.verdict}"
        return f"{self.name}: NOT verified. " + " ".join(self.problems)


def verify(storage: StorageLike = None, name: str | None = None, *, head: str | None = None) -> Verification:
    """Replay a study from its log: seals, the choice of every ask, the folding of every result, and the verdict.

    `head` is a seal noted earlier, as printed; the log must end with it or contain it.
    """
    kept = open_storage(storage, create=False)
    called = only_name(kept) if name is None else name
    log = kept.open(called)
    try:
        return _verified(called, log, head)
    finally:
        log.close()


def _verified(name: str, log: EventLog, noted: str | None) -> Verification:
    checker = _Checker(noted, _head(log))
    try:
        for event in log.read(0):
            checker.take(event)
        checker.finish(log)
    except DamagedLog as error:
        checker.problems.append(str(error))
    state = checker.state
    verdict = None
    if state is not None and not checker.problems:
        verdict = with_losses(state.search.verdict, state.spec, state.policies, state.counts())
    return Verification(
        name=name,
        events=checker.position,
        evaluations=0 if state is None else state.told,
        head=checker.head,
        verdict=verdict,
        problems=tuple(checker.problems),
        subject=checker.subject,
    )


def _head(log: EventLog) -> tuple[int, str] | None:
    """Where the log says that it ends, if it keeps that apart from its events."""
    return log.head() if isinstance(log, KeepsIndex) else None


class _Checker:
    """Goes through a log event by event; stops at the first thing that is wrong, by DamagedLog."""

    def __init__(self, noted: str | None, head: tuple[int, str] | None) -> None:
        self._noted, self._before = noted, head
        self.state: StudyState | None = None
        self.position, self.head = 0, BEFORE_ALL
        self.subject: Subject | None = None
        self.problems: list[str] = []

    def take(self, event: Event) -> None:
        check_seal(event, self.head, self.position + 1)
        if self.state is None:
            self.state = StudyState(spec_of(event), choosing=True)
            self.subject = subject_in(event.content)
        elif event.kind == Kind.CREATED:
            raise DamagedLog(f"Event {event.position} creates the study a second time.")
        state = self.state
        ended, due = state.ended, self._due(event)
        if ended and event.kind in (Kind.ASKED, Kind.REISSUED):
            raise DamagedLog(f"Event {event.position} gives out a pull after the verdict.")
        state.apply(event)
        if event.kind == Kind.ASKED and state.chosen != event.content["arm"]:
            raise DamagedLog(
                f"Event {event.position} asks for config {event.content['arm']}, where the rule chooses "
                f"{state.chosen} after all that came before."
            )
        if due is not None and event.content["then"] != due:
            raise DamagedLog(f"Event {event.position} treats a failure as {event.content['then']!r}, not as {due!r}.")
        if event.kind == Kind.VERDICT:
            self._check_verdict(event, ended)
        self.position, self.head = event.position, event.digest
        if self._noted and event.digest.startswith(self._noted):
            self._noted = None

    def finish(self, log: EventLog) -> None:
        """What can be said only at the end: that nothing is missing there, and that snapshots are right."""
        before, after = self._before or (0, ""), _head(log) or (self.position, self.head)  # others may append meanwhile
        if not before[0] <= self.position <= after[0] or (self.position == after[0] and self.head != after[1]):
            raise DamagedLog(
                f"The log ends at event {self.position}, and should end at event {after[0]} with the seal "
                f"{after[1][:16]}: events at its end were removed or replaced."
            )
        if self.state is not None and self.state.ended and not self.state.answered:
            raise DamagedLog("The results lead to a verdict, and the log has none.")
        if self._noted:
            raise DamagedLog(
                f"The log does not contain the seal {self._noted}: it is not the log, or was written anew."
            )
        self._check_snapshot(log)

    def _due(self, event: Event) -> str | None:
        """What a failure should lead to; None for other events, and in logs that do not say what kind it was."""
        state, pull = self.state, None
        if state is not None and event.kind == Kind.FAILED and "failure" in event.content:
            pull = state.open.get(event.content.get("number", -1))
        if state is None or pull is None:
            return None
        return state.policy.consequence(event.content["failure"], pull.failures, state.in_a_row, state.worked)

    def _check_verdict(self, event: Event, ended: bool) -> None:
        state = self.state
        content = {key: value for key, value in event.content.items() if key != "at"}
        if state is None or not ended or content != state.verdict_content():
            found = state.verdict_content() if state is not None and ended else "none yet"
            raise DamagedLog(f"Event {event.position} records the verdict {content}, where the results give {found}.")

    def _check_snapshot(self, log: EventLog) -> None:
        state = None if self.state is None else latest(self.state.spec, log)
        if state is None or self.state is None or not 0 < state.position <= self.position:
            return
        position = state.position
        for event in islice(log.read(position), self.position - position):
            state.apply(event)
        ours, theirs = self.state.state(), state.state()
        if any(ours[key].tobytes() != theirs[key].tobytes() for key in ours):
            raise DamagedLog(f"The snapshot at event {position} is not the state after that event.")
