"""Verification: everything that a study says, computed again from its event log alone.

The replay believes nothing: each event must follow from all that came before it.
"""

from contextlib import suppress
from dataclasses import dataclass

from satisfice.errors import (
    DamagedLog,
    InvalidSeal,
    InvalidStorage,
    MissingStorage,
    SatisficeError,
    StorageError,
    StorageUnreachable,
    UntrustedCode,
)
from satisfice.layout.numbers import counted, fixed, written
from satisfice.search.verdict import Verdict
from satisfice.study.create import only_name
from satisfice.study.event_checks import opened_spec
from satisfice.study.events import BEFORE_ALL, Event, Kind, canonical
from satisfice.study.leases import SKEW_SAID
from satisfice.study.policy import OnError, Then, policy_of_content
from satisfice.study.repeats import told_of
from satisfice.study.snapshots import BROKEN, arrays_in, kept, sha256_of
from satisfice.study.state import StudyState, arrays_of
from satisfice.study.storage.protocol import EventLog, KeepsIndex, Snapshot, StorageLike, open_storage
from satisfice.study.subject import Subject, known_since, subject_in
from satisfice.study.transaction import consequence_in, has_room_again, has_room_for
from satisfice.study.trust import foreign_names
from satisfice.study.view import with_losses


class ReplayChecker:
    """Goes through a log event by event; stops at the first thing that is wrong, by DamagedLog.

    `noted` is a seal that the log must contain.
    """

    def __init__(self, name: str, noted: str | None, trust_code: bool) -> None:
        self._name, self._noted, self._trusted = name, noted, trust_code
        self._log: EventLog | None = None
        self._before: tuple[int, str] | None = None
        self._snapshot: Snapshot | None = None
        self._snapshot_is_right = True
        self.state: StudyState | None = None
        self.position, self.head, self.identity = 0, BEFORE_ALL, ""
        self.foreign: tuple[str, ...] = ()
        self.subject: Subject | None = None

    def start(self, log: EventLog) -> None:
        """What is looked at before the events, which others may append to meanwhile."""
        self._log, self._before, self._snapshot = log, _head(log), kept(log)

    def take(self, event: Event) -> None:
        state = self.state = self._begun(event) if self.state is None else self.state
        ended = state.ended
        state.apply(event)
        if event.kind == Kind.ASKED and state.chosen != (asked := state.line_in(event.content)):
            what = "config" if not state.spec.groups else "config and group"
            raise DamagedLog(
                f"Event {event.position} asks for {what} {asked}, where the rule chooses {state.chosen} after all that "
                "came before."
            )
        if event.kind == Kind.VERDICT:
            _check_verdict(event, state, ended)
        self.position, self.head = event.position, event.digest
        self._compare_snapshot(state)
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
        if self.state is None:
            raise DamagedLog("The log has no events, and should begin with the study's spec.")
        if self.state.ended and not self.state.answered:
            raise DamagedLog("The results lead to a verdict, and the log has none.")
        if self._noted:
            raise DamagedLog(
                f"The log does not contain the seal {self._noted}: it is not the log, or was written anew."
            )
        if not self._snapshot_is_right and self._snapshot is not None:
            raise DamagedLog(f"The snapshot at event {self._snapshot.position} is not the state after that event.")

    def _begun(self, event: Event) -> StudyState:
        try:
            spec = opened_spec(event, self._name, self._trusted)
        except UntrustedCode as error:
            self.foreign = tuple(sorted(error.names))
            raise
        self.subject = subject_in(event.content)
        self.foreign = tuple(sorted(foreign_names(spec)))
        self.identity = event.content["identity"]
        return StudyState(spec, judge=self._judge)

    def _judge(self, event: Event) -> None:
        """Whether the event may come now, as the state is before it."""
        kind, state = event.kind, self.state
        if state is None or kind == Kind.CREATED:
            return
        if kind in (Kind.ASKED, Kind.REISSUED):
            _check_grant(event, state)
        elif kind == Kind.FAILED:
            _check_consequence(event, state)
        elif kind == Kind.REPEATED:
            self._check_repeat(event, state)
        elif kind == Kind.SNAPSHOT:
            self._check_voucher(event)
        elif kind == Kind.RESUMED and state.stopped is None:
            raise DamagedLog(f"Event {event.position} ({kind}) comes where nothing calls for it.")
        elif kind == Kind.POLICY:
            policy = policy_of_content(event.content["policy"])
            if state.ended and policy != state.policy.afterwards(policy):
                raise DamagedLog(f"Event {event.position} ({kind}) comes where nothing calls for it.")

    def _check_repeat(self, event: Event, state: StudyState) -> None:
        """Whether another result of an item could have come, and whether it differs as the event says."""
        content, number = event.content, event.content["number"]
        pull, due = state.open.get(number), None
        fits = state.spec.problem().set_size > 0 and not (state.ended or state.over)
        if pull is None and fits and self._log is not None:
            log = self._log
            told = told_of(state.spec, number, log.about(number) if isinstance(log, KeepsIndex) else log.read(0))
            if told is not None:
                due = state.repeats.difference_from(told, tuple(content["values"]))
                fits = content.get("told") == list(told.values)
        elif pull is not None:
            fits = fits and content["attempt"] <= pull.attempt and number not in state.repeats.late
        if not fits or content.get("stops") != due or (due is None) != (pull is not None):
            raise DamagedLog(f"Event {event.position} tells of an item that was evaluated again, which cannot be.")

    def _check_voucher(self, event: Event) -> None:
        if not 0 < event.content["of"] < event.position:
            raise DamagedLog(f"Event {event.position} is about a snapshot of event {event.content['of']}.")
        snapshot = self._snapshot
        if snapshot is not None and event.content["of"] == snapshot.position:
            self._snapshot_is_right &= event.content["sha256"] == sha256_of(snapshot)

    def _compare_snapshot(self, state: StudyState) -> None:
        """Where a snapshot was taken: whether it is the state there."""
        if self._snapshot is None or self._snapshot.position != state.position:
            return
        try:
            theirs = arrays_in(state.spec, self._snapshot)
        except BROKEN:
            self._snapshot_is_right = False
            return
        ours = arrays_of(state)
        same = all(ours[key].tobytes() == theirs[key].tobytes() for key in ours)
        self._snapshot_is_right &= same and self._snapshot.digest == state.head


def _head(log: EventLog) -> tuple[int, str] | None:
    """Where the log says that it ends, if it keeps that apart from its events."""
    return log.head() if isinstance(log, KeepsIndex) else None


def _check_consequence(event: Event, state: StudyState) -> None:
    """Whether a failure led to what it should; in older logs, which do not say its kind, it may always stop a study."""
    then, policy, pull = event.content["then"], state.policy, state.open[event.content["number"]]
    if "failure" in event.content:
        said = event.content.get("by_exception", "")
        due = str(consequence_in(state, pull, event.content["failure"], said))
    else:
        spent = policy.on_error == OnError.RETRY and pull.failures >= policy.retries
        due = str(Then.STOP) if spent or then == Then.STOP else policy.on_error
    if then != due:
        raise DamagedLog(f"Event {event.position} treats a failure as {then!r}, not as {due!r}.")


def _check_grant(event: Event, state: StudyState) -> None:
    """Whether a pull could be given out."""
    if state.ended:
        raise DamagedLog(f"Event {event.position} gives out a pull after the verdict.")
    if state.stopped is not None:
        raise DamagedLog(f"Event {event.position} gives out a pull of a study that a failure had stopped.")
    most = state.policy.max_evaluations
    if most is not None and event.kind == Kind.ASKED and state.search.asks >= most:
        raise DamagedLog(f"Event {event.position} asks for more than the {most} evaluations that there may be.")
    _check_money(event, state)


def _check_money(event: Event, state: StudyState) -> None:
    """Whether the budget had room for a pull that was given out."""
    if state.policy.max_cost is None:
        return
    pull = state.open.get(event.content["number"])
    if event.kind == Kind.ASKED:
        fits = has_room_for(state, state.line_in(event.content))
    else:
        fits = pull is None or has_room_again(state, pull)
    if not fits:
        raise DamagedLog(
            f"Event {event.position} gives out a pull that is expected to cost more than is left of the budget of "
            f"{written(state.policy.max_cost)}."
        )


def _check_verdict(event: Event, state: StudyState, ended: bool) -> None:
    content = {key: value for key, value in event.content.items() if key != "at"}
    if not ended or canonical(content) != canonical(state.verdict_content()):
        found = state.verdict_content() if ended else "none yet"
        raise DamagedLog(f"Event {event.position} records the verdict {content}, where the results give {found}.")


LEAST_DIGITS = 16
"""Of a seal that is noted; fewer could be met by chance, or by trying."""


@dataclass(frozen=True)
class Verification:
    """What came of a verification: `problems` is empty if the log is what was written and says what it should.

    `head` is the seal of the last event. It covers the whole log: keep it elsewhere, and a log that was written anew
    from end to end is noticed too. `reissued` pulls were given out again and `released` given back without results;
    `foreign` is code that the study names and that comes with neither satisfice nor an installed package. `subject` is
    what the study measures, as far as that was recorded, and `skew` says by how many seconds the clocks of its workers
    disagree at least, or one was set back.
    """

    name: str
    events: int
    evaluations: int
    head: str
    verdict: Verdict | None
    problems: tuple[str, ...]
    subject: Subject | None = None
    identity: str = ""
    reissued: int = 0
    released: int = 0
    foreign: tuple[str, ...] = ()
    skew: float = 0.0

    @property
    def ok(self) -> bool:
        return not self.problems

    def __str__(self) -> str:
        if not self.ok:
            return f"{self.name}: NOT verified. " + " ".join(self.problems)
        code = f"code from outside: {', '.join(self.foreign)}" if self.foreign else "no code from outside"
        return (
            f"{self.name}: {counted(self.events, 'event')} verified, head {self.head[:LEAST_DIGITS]}   {self.verdict}\n"
            f"{counted(self.reissued, 'pull')} given out again, {self.released} given back, {code}{self._clocks}"
        )

    @property
    def _clocks(self) -> str:
        return f", clocks disagree by {fixed(self.skew, 0)} s or more" if self.skew >= SKEW_SAID else ""


def verify(
    storage: StorageLike = None, name: str | None = None, *, head: str | None = None, trust_code: bool = False
) -> Verification:
    """Replay a study from its log: seals, the choice of every ask, the folding of every result, and the verdict.

    `head` is a seal noted earlier, as printed; the log must end with it or contain it. Whatever is wrong with a file is
    a problem of the verification, not an error. A rule that the study names as module:Class is imported only with
    `trust_code`.
    """
    noted = None if head is None else checked_seal(head)
    try:
        kept = open_storage(storage, create=False)
        called = only_name(kept) if name is None else name
        log = kept.open(called)
    except (InvalidStorage, MissingStorage, StorageUnreachable):
        raise
    except Exception as error:
        if isinstance(error, SatisficeError) and not isinstance(error, StorageError | DamagedLog):
            raise
        return Verification(name or "?", 0, 0, "", None, (_sentence(error, "The storage cannot be read"),))
    try:
        return _verified(called, log, noted, trust_code)
    finally:
        with suppress(StorageError):
            log.close()


def checked_seal(given: str) -> str:
    """A seal as the log has it, or its beginning."""
    seal = given.strip().lower() if isinstance(given, str) else ""
    if not LEAST_DIGITS <= len(seal) <= 64 or set(seal) - set("0123456789abcdef"):
        raise InvalidSeal(
            f"Expected a seal as `satisfice verify` prints it, at least {LEAST_DIGITS} hexadecimal digits, got "
            f"{given!r:.80}."
        )
    return seal


def _verified(name: str, log: EventLog, noted: str | None, trust_code: bool) -> Verification:
    checker, problems, verdict = ReplayChecker(name, noted, trust_code), [], None
    try:
        checker.start(log)
        for event in log.read(0):
            checker.take(event)
        checker.finish(log)
        if (state := checker.state) is not None:
            verdict = with_losses(state.search.verdict, state.spec, state.policies, state.counts())
    except StorageUnreachable:
        raise
    except Exception as error:  # whatever stands in a file, it is said in a sentence
        problems.append(_sentence(error, f"Event {checker.position + 1} cannot be replayed"))
    return Verification(
        name=name,
        events=checker.position,
        evaluations=0 if checker.state is None else checker.state.told,
        head=checker.head,
        verdict=verdict,
        problems=tuple(problems),
        subject=_subject(checker),
        identity=checker.identity,
        reissued=0 if checker.state is None else checker.state.reissued,
        released=0 if checker.state is None else checker.state.released,
        foreign=checker.foreign,
        skew=0.0 if checker.state is None else checker.state.skew,
    )


def _subject(checker: ReplayChecker) -> Subject | None:
    if checker.state is None:
        return checker.subject
    return known_since(checker.subject, checker.state.policy.outputs, checker.state.policy.revision)


def _sentence(error: Exception, otherwise: str) -> str:
    return str(error) if isinstance(error, SatisficeError) else f"{otherwise}: {type(error).__name__}: {error!s:.200}."
