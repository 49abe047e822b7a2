"""Events: what happened in a study, in order, each sealed with the digest of all that came before it."""

import json
from collections.abc import Callable
from enum import StrEnum
from hashlib import sha256
from typing import Any, NamedTuple

from satisfice.errors import DamagedLog

BEFORE_ALL = ""
"""The digest before the first event."""


class Kind(StrEnum):
    """What can happen in a study."""

    CREATED = "created"
    ASKED = "asked"
    TOLD = "told"
    FAILED = "failed"
    REISSUED = "reissued"
    RELEASED = "released"
    REPEATED = "repeated"
    RESUMED = "resumed"
    POLICY = "policy"
    VERDICT = "verdict"
    SNAPSHOT = "snapshot"


class Event(NamedTuple):
    """One event: its place in the log (1, 2, ...), its content as read and as written, and its seal."""

    position: int
    kind: str
    content: dict[str, Any]
    body: str
    digest: str

    @property
    def number(self) -> int | None:
        """The number of the pull that the event is about, if it is about one."""
        return self.content.get("number")


_encoder = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
_scan: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder().scan_once  # type: ignore[attr-defined]  # of all Pythons


def _made_once() -> Callable[[Any, int], tuple[str, ...]] | None:
    """What the encoder of Python makes anew for every text, which takes as long as the text; None where it does not."""
    try:
        made: Callable[[Any, int], tuple[str, ...]] = json.encoder.c_make_encoder(  # type: ignore[attr-defined]  # not for all Pythons
            None, _encoder.default, json.encoder.encode_basestring, None, ":", ",", True, False, False
        )
        sample = {"b": [1, 0.1, True, None], "a": {"ä": '"'}}
        return made if "".join(made(sample, 0)) == _encoder.encode(sample) else None
    except (AttributeError, TypeError):
        return None


_pieces = _made_once()


def canonical(content: Any) -> str:
    """JSON in its one canonical spelling: sorted keys, no spaces, numbers in the fewest digits that read back."""
    if _pieces is not None:
        try:
            return "".join(_pieces(content, 0))
        except (TypeError, ValueError, RecursionError):
            pass  # what cannot be written, the encoder says
    return _encoder.encode(content)


def digest_of(previous: str, position: int, kind: str, body: str) -> str:
    """The seal of an event: it covers the event and, through the previous seal, everything before it."""
    return sha256(f"{previous}\n{position}\n{kind}\n{body}".encode()).hexdigest()


def sealed(previous: str, position: int, kind: Kind, content: dict[str, Any]) -> Event:
    """A new event that follows the one with the digest `previous`."""
    body = canonical(content)
    return Event(position, kind, content, body, digest_of(previous, position, kind, body))


def stored(position: int, kind: str, body: str, digest: str) -> Event:
    """An event as it comes back from a log; whether its seal is right is checked where it is used."""
    content = _read(body)
    if not isinstance(content, dict):
        raise DamagedLog(
            f"Event {position} of the log cannot be read: expected a JSON object, got {body[:60]!r}. The log was "
            "changed after it was written; restore it from a backup."
        )
    return Event(position, kind, content, body, digest)


def _read(body: str) -> Any:
    """What a text says; None if it is no JSON."""
    try:
        content, end = _scan(body, 0)
    except (StopIteration, TypeError, ValueError, RecursionError):
        end = -1
    if end == len(body):  # as it was written; what stands there otherwise is read with more care
        return content
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def check_seal(event: Event, previous: str, position: int) -> None:
    """Raise unless the event follows the previous one and is as it was when it was written."""
    if event.position != position:
        raise DamagedLog(
            f"Expected event {position} of the log, found event {event.position}: events are missing or out of order. "
            "The log was changed after it was written; restore it from a backup."
        )
    if digest_of(previous, event.position, event.kind, event.body) != event.digest:
        raise DamagedLog(
            f"Event {position} ({event.kind}) does not fit its seal: it, or the one before it, is not what was "
            "written. The log was changed afterwards; restore it from a backup."
        )
