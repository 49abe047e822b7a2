"""Everything satisfice raises on purpose: one root, each child with a familiar parent.

Every message says what was expected, what came, and what to do.
"""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from functools import partial
from heapq import nlargest
from itertools import takewhile
from operator import eq

from satisfice.given import shown

MOST_COMPARED, LONGEST_COMPARED, MOST_LISTED = 200, 100, 50
"""How many names are compared with one that is unknown, of how many characters at most, and how many are listed."""


class SatisficeError(Exception):
    """The root of all errors raised by satisfice."""


class InvalidProblem(SatisficeError, ValueError):
    """Numbers or names that do not describe a problem."""


class InvalidThreshold(InvalidProblem):
    """A threshold string that cannot be read."""


class InvalidResult(SatisficeError, ValueError):
    """Results of an evaluation that cannot be recorded; `reason` says why not.

    That something is missing, or no results at all, `is_mistake` of whoever wrote the evaluation. `cost` is what the
    evaluation has cost, if it said so.
    """

    def __init__(self, reason: str, *, is_mistake: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.is_mistake = reason, is_mistake
        self.cost: float | None = None

    def __str__(self) -> str:
        return f"{self.reason} Nothing was recorded."


class RuledOut(InvalidResult):
    """A number that its metric's declaration says there cannot be."""


class InvalidInstance(SatisficeError, ValueError):
    """An instance file that cannot be read or does not fit together."""


class InvalidCommand(SatisficeError, ValueError):
    """A command template that cannot be filled in or run."""


class EvaluationFailed(SatisficeError, RuntimeError):
    """What an evaluation may raise to say in a sentence why it has no results, and what it has cost all the same."""

    def __init__(self, *reason: object, cost: float | None = None) -> None:
        super().__init__(*reason)
        self.cost = cost


class NotMeasured(EvaluationFailed):
    """What an evaluation may raise where it could not be made at all, which says nothing about the config."""


class RateLimited(SatisficeError, RuntimeError):
    """What an evaluation may raise to be made again later: nothing failed, but a server has too much to do.

    `retry_after` is for how many seconds that server wants to be left alone, if it says so.
    """

    def __init__(self, *reason: object, retry_after: float | None = None) -> None:
        super().__init__(*reason)
        self.retry_after = retry_after


class UnknownName(SatisficeError, LookupError):
    """A rule, boundary, metric, arm or key that does not exist."""

    def __str__(self) -> str:  # LookupError's children quote their message; this is a sentence
        return str(self.args[0])


class BrokenRule(SatisficeError, ArithmeticError):
    """A sampling rule or boundary that returned something that is not a number."""


class IncompleteRule(SatisficeError, TypeError):
    """A value that lacks what a sampling rule or boundary must have."""


class BrokenContract(SatisficeError, AssertionError):
    """A rule, boundary or arms that do not keep what `satisfice.testing` checks."""


class OtherCampaign(SatisficeError, FileExistsError):
    """A results folder that belongs to another campaign."""


class UnwritableFolder(SatisficeError, OSError):
    """A folder where results cannot be written."""


class InvalidSpec(SatisficeError, ValueError):
    """Configs, parameters or policies that do not describe a study."""


class StudyExists(SatisficeError, FileExistsError):
    """A study of that name that is already there."""


class OtherStudy(StudyExists):
    """A study of that name that asks another question."""


class OtherSubject(StudyExists):
    """A study of that name that measured another program or revision; `changes` says what differs."""

    def __init__(self, sentence: str, changes: tuple[str, ...] = ()) -> None:
        super().__init__(sentence)
        self.changes = changes


class UnknownStudy(UnknownName):
    """A study that is not in the storage."""


class StudyStopped(SatisficeError, RuntimeError):
    """A study that stopped because an evaluation failed; it can be resumed, unless it stopped for good."""


class AmbiguousVerdict(SatisficeError, TypeError):
    """A verdict that was asked whether it is true: it has three answers."""


class NotPassed(SatisficeError, AssertionError):
    """What `assert_passes` raises where a limit is missed, with the error rate that was asked for."""


class NotDecided(NotPassed):
    """The same where the budget ended before that was certain."""


class UnknownPull(SatisficeError, LookupError):
    """A pull that this study never asked for."""

    def __str__(self) -> str:  # as for UnknownName
        return str(self.args[0])


class PullAlreadyTold(SatisficeError, ValueError):
    """A pull whose results are recorded already, and were others."""


class PullReissued(SatisficeError, TimeoutError):
    """A pull that was given to another worker since its lease had ended."""


class StorageError(SatisficeError, OSError):
    """A storage that cannot be read or written."""


class InvalidStorage(StorageError, ValueError):
    """An address that can be no storage."""


class MissingStorage(StorageError, FileNotFoundError):
    """A database file that is not there."""


class StorageUnreachable(StorageError, ConnectionError):
    """A storage that does not answer now, and may answer later."""


class ClusterError(SatisficeError, ConnectionError):
    """A cluster that does not answer, that was lost, or whose workers have other versions."""


class UntrustedCode(SatisficeError, PermissionError):
    """A study that needs code of somebody's own, which nobody allowed to run; `names` are what it is called."""

    def __init__(self, reason: str, names: tuple[str, ...] = ()) -> None:
        super().__init__(reason)
        self.names = names


class DamagedLog(SatisficeError, ValueError):
    """An event log that is not what was written."""


class InvalidSeal(SatisficeError, ValueError):
    """A seal, a key or a signature that can be none."""


class MissingPackage(SatisficeError, ImportError):
    """A package that is needed for this and is not installed."""


class UnusedMetrics(UserWarning):
    """Results that no threshold is about and that cannot be recorded beside the others."""


class DecidedEarlier(UserWarning):
    """A study that had its verdict when `run` was called, so that nothing was evaluated."""


@contextmanager
def writing(what: str, place: object, advice: str = "Choose a place that you may write to.") -> Iterator[None]:
    """Make a sentence of what the system says when something cannot be written to a place."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or error
        raise UnwritableFolder(f"{what} cannot be written to {place}: {reason}. {advice}") from None


def users_level() -> int:
    """The `stacklevel` at which a warning of whoever calls this points at the first line outside of satisfice."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        level, frame = level + 1, frame.f_back
    return level


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A sentence that suggests the known name most like a given one, or nothing.

    Comparing two names takes time. Of more than 200 names, those that begin and end most like the given one are
    compared, and no name longer than 100 characters is.
    """
    names = [one for one in (known if len(name) <= LONGEST_COMPARED else ()) if len(one) <= LONGEST_COMPARED]
    if len(names) > MOST_COMPARED:
        names = nlargest(MOST_COMPARED, names, key=partial(_ends_alike, name))
    nearest = get_close_matches(name, names, n=1, cutoff=0.5)
    return f" Did you mean {nearest[0]!r}?" if nearest else ""


def unknown_name(kind: str, given: object, known: Iterable[str]) -> UnknownName:
    """The error for what is not among the known names, with the nearest one suggested; it need not be a name."""
    names, name = sorted(known), given if isinstance(given, str) else shown(given, 60)
    listed = ", ".join(map(_shortened, names[:MOST_LISTED])) + (", ..." if len(names) > MOST_LISTED else "")
    hint = did_you_mean(name, names)
    return UnknownName(f"No {kind} is called {_shortened(name)!r}.{hint} Known: {listed or 'none'}.")


def _ends_alike(one: str, other: str) -> int:
    """Of how many characters two names begin and end alike."""
    return _begin_alike(one, other) + _begin_alike(one[::-1], other[::-1])


def _begin_alike(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(bool, map(eq, one, other)))


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_COMPARED else f"{name[:LONGEST_COMPARED]}..."
