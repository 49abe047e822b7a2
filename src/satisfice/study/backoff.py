"""Waiting before an evaluation is made again: how long, and what the server that refused it says about that."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from random import Random
from typing import Any, NamedTuple

from satisfice.errors import InvalidSpec
from satisfice.given import is_number, shown

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
