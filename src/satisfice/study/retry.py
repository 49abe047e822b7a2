"""Retries: of a storage that does not answer, of an evaluation after a pause, and by the type of an exception."""

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from enum import StrEnum
from random import Random
from typing import Any, NamedTuple, TypeVar

from satisfice.errors import InvalidSpec, RateLimited, StorageUnreachable
from satisfice.given import is_number, shown
from satisfice.study.policy import PolicyChanges

T = TypeVar("T")

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.1, 5.0


def patiently(act: Callable[[], T], patience: float, recover: Callable[[], object] = lambda: None) -> T:
    """Do it, again and again while the storage is out of reach, for at most `patience` seconds.

    Pauses double from one attempt to the next; `recover` is called before each further attempt.
    """
    until, pause, lost = time.monotonic() + patience, FIRST_PAUSE_SECONDS, False
    while True:
        try:
            if lost:
                recover()
            return act()
        except StorageUnreachable:
            lost = True
            if time.monotonic() + pause > until:
                raise
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)


TOO_MANY = (429, 529)
"""HTTP: too many requests; and what some services say instead, that they are overloaded."""
UNAVAILABLE = 503
"""HTTP: not available now; a server that says for how long asks to be waited for."""


class Backoff(NamedTuple):
    """Pauses before an evaluation is made again: `first` seconds, then twice as long each time, up to `longest`.

    Each is shortened at random by up to half, so that those who were refused together do not come back together.
    `give_up` is for how many seconds evaluations are waited for of which none succeeds.
    """

    first: float = 1.0
    longest: float = 60.0
    give_up: float = 3600.0

    def pause(self, times: int, wanted: float | None, rng: Random) -> float:
        """Seconds to wait after having been refused `times` times; at least what the server wants."""
        longest = min(self.longest, self.first * 2.0 ** min(times - 1, 60))
        own = longest * rng.uniform(0.5, 1.0)
        return own if wanted is None else wanted + min(own, 0.1 * wanted + 0.1)


DEFAULT_BACKOFF = Backoff()


def checked_backoff(given: Backoff) -> Backoff:
    """The back-off itself, if there can be such a one."""
    if not isinstance(given, Backoff):
        raise InvalidSpec(f"Expected a back-off such as Backoff(first=0.5, longest=30), got {shown(given, 60)}.")
    if not all(is_number(seconds) and seconds > 0 for seconds in given) or given.longest < given.first:
        raise InvalidSpec(
            f"A back-off needs positive numbers of seconds, and the longest pause not below the first, got {given}."
        )
    return given


def is_refusal(error: BaseException) -> bool:
    """Whether the exception says that a server has too much to do, as those of HTTP clients say it."""
    status = _status(error)
    return status in TOO_MANY or (status == UNAVAILABLE and retry_after(error) is not None)


def retry_after(error: BaseException) -> float | None:
    """For how many seconds the server wants to be left alone, if it says so."""
    said = getattr(error, "retry_after", None)
    if isinstance(said, timedelta):
        said = said.total_seconds()
    if said is None:
        headers = _headers(error)
        milliseconds = _seconds(headers.get("retry-after-ms"))
        said = headers.get("retry-after") if milliseconds is None else milliseconds / 1000
    return _seconds(said)


def _status(error: BaseException) -> int | None:
    for where in (error, getattr(error, "response", None)):
        for name in ("status_code", "status", "code"):
            found = getattr(where, name, None)
            if isinstance(found, int) and not isinstance(found, bool):
                return found
    return None


def _headers(error: BaseException) -> dict[str, Any]:
    for where in (getattr(error, "response", None), error):
        found: Any = getattr(where, "headers", None)
        with suppress(Exception):  # there are none, or it is an object of somebody's own
            return {str(name).lower(): value for name, value in found.items()}
    return {}


def _seconds(said: Any) -> float | None:
    """A number of seconds, or a date of HTTP, as seconds from now."""
    with suppress(TypeError, ValueError, OverflowError):
        number = float(said)
        return max(0.0, number) if is_number(number) else None
    if isinstance(said, str):
        with suppress(TypeError, ValueError, OverflowError):
            date = parsedate_to_datetime(said)
            return max(0.0, ((date if date.tzinfo else date.replace(tzinfo=UTC)) - datetime.now(UTC)).total_seconds())
    return None


ExceptionTypes = type[BaseException] | Iterable[type[BaseException]]
"""One type of exceptions, or several."""


class Way(StrEnum):
    """What an exception leads to: another attempt that counts as such, the worst result, or waiting."""

    RETRY = "retry"
    WORST = "worst"
    WAIT = "wait"


class ByException(NamedTuple):
    """Types of exceptions, and what they lead to; of several that fit, the nearest relative counts."""

    retry_on: tuple[type[BaseException], ...] = ()
    worst_on: tuple[type[BaseException], ...] = ()
    wait_on: tuple[type[BaseException], ...] = ()

    def way_of(self, error: BaseException) -> Way | None:
        """What an exception leads to; None: what the policy of the study says of all failures.

        A server that has too much to do is waited for, unless the very type of the exception is named otherwise.
        """
        named = {
            **dict.fromkeys(self.retry_on, Way.RETRY),
            **dict.fromkeys(self.worst_on, Way.WORST),
            **dict.fromkeys(self.wait_on, Way.WAIT),
        }
        if type(error) in named:
            return named[type(error)]
        if isinstance(error, RateLimited) or is_refusal(error):
            return Way.WAIT
        return next((named[kind] for kind in type(error).__mro__ if kind in named), None)

    def named(self) -> PolicyChanges:
        """The names of the types, for the record."""
        return {
            "retry_on": _names(self.retry_on),
            "worst_on": _names(self.worst_on),
            "wait_on": _names(self.wait_on),
        }


NONE_TOLD_APART = ByException()


def by_exception(retry_on: ExceptionTypes, worst_on: ExceptionTypes, wait_on: ExceptionTypes) -> ByException:
    """What exceptions lead to, from what a user gives."""
    made = ByException(
        _types(retry_on, "retry_on"),
        _types(worst_on, "worst_on"),
        _types(wait_on, "wait_on"),
    )
    for one, other in (("retry_on", "worst_on"), ("retry_on", "wait_on"), ("worst_on", "wait_on")):
        both = set(getattr(made, one)) & set(getattr(made, other))
        if both:
            raise InvalidSpec(
                f"{_name(min(both, key=_name))} is in {one} and in {other}, and can lead to one thing only. Leave it "
                "out of one of them."
            )
    return made


def _types(given: ExceptionTypes, what: str) -> tuple[type[BaseException], ...]:
    several: Any = given if isinstance(given, Iterable) and not isinstance(given, str | type) else (given,)
    kinds: tuple[Any, ...] = tuple(several)
    for kind in kinds:
        if not (isinstance(kind, type) and issubclass(kind, Exception)):
            raise InvalidSpec(
                f"Expected types of exceptions for {what}, such as {what}=(ConnectionError, TimeoutError), got "
                f"{shown(kind, 60)}."
            )
    return tuple(dict.fromkeys(kinds))


def _name(kind: type[BaseException]) -> str:
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _names(kinds: tuple[type[BaseException], ...]) -> tuple[str, ...]:
    return tuple(map(_name, kinds))
