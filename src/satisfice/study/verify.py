"""Verification: everything that a study says, computed again from its event log alone."""

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
)
from satisfice.layout.numbers import counted, fixed
from satisfice.search.verdict import Verdict
from satisfice.study.clock import SKEW_SAID
from satisfice.study.create import only_name
from satisfice.study.losses import with_losses
from satisfice.study.replay_checks import ReplayChecker
from satisfice.study.storage.protocol import EventLog, StorageLike, open_storage
from satisfice.study.subject import Subject, known_since

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
