"""Answers of a server, checked: anything but what `satisfice serve` sends is refused in a sentence."""

import json
import time
from base64 import b64decode
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, TypeVar

from satisfice import errors
from satisfice.errors import SatisficeError
from satisfice.given import is_number, is_whole, shown
from satisfice.layout.numbers import written
from satisfice.search.verdict import Outcome
from satisfice.study.pull import Pull, key_of
from satisfice.study.storage.protocol import Snapshot, StudySummary
from satisfice.study.storage.taking import Taken

MOST_BYTES = 512 * 2**20
"""Of one answer; a page of a long log, or the snapshot of a large study, may have many."""

MOST_SECONDS = 600.0
"""For which one answer may arrive; between two of its pieces there is less time."""

MOST_DETAIL = 4000
"""Characters of the sentence in which a server refuses something."""

Row = tuple[int, str, str, str]
T = TypeVar("T")


class WrongAnswer(Exception):
    """What came, in words, in place of what was expected."""


def check_coding(coding: str) -> None:
    """WrongAnswer if the pieces of a body may be very much larger than what came: coded twice, or not as asked for."""
    if coding.strip().lower() not in ("", "identity", "gzip"):
        raise WrongAnswer(f"a body in the coding {shown(coding, 60)}")


def body_of(pieces: Iterable[bytes]) -> bytes:
    """The body of an answer; WrongAnswer if it is too large or takes too long."""
    parts, size, until = [], 0, time.monotonic() + MOST_SECONDS
    for piece in pieces:
        size += len(piece)
        if size > MOST_BYTES:
            raise WrongAnswer(f"more than {MOST_BYTES:,} bytes")
        if time.monotonic() > until:
            raise WrongAnswer(f"an answer that did not end within {written(MOST_SECONDS)} seconds")
        parts.append(piece)
    return b"".join(parts)


def content_in(body: bytes) -> dict[str, Any]:
    """The object of JSON that a body is."""
    try:
        content = json.loads(body.decode(), parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise WrongAnswer(f"{shown(body, 60)}, which is no JSON" if body else "an empty body") from None
    return _record(content)


def _no_number(text: str) -> Any:
    raise ValueError(text)


def refusal_in(body: bytes) -> tuple[str, type[SatisficeError] | None]:
    """The sentence of a refusal, and the error that it was on the server if it is one of ours."""
    content = content_in(body)
    sentence = content.get("detail") or content.get("title")
    if not isinstance(sentence, str):
        raise WrongAnswer("a refusal without a reason")
    found = getattr(errors, str(content.get("error", "")), None)
    is_ours = isinstance(found, type) and issubclass(found, SatisficeError)
    return sentence[:MOST_DETAIL], found if is_ours else None


def read(content: Any, reader: Callable[[Any], T]) -> T:
    """What a reader makes of an answer; WrongAnswer if it has another shape."""
    try:
        return reader(content)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, SatisficeError):
        raise WrongAnswer(f"{shown(content, 100)}, which has another shape") from None


def summaries_in(content: Any) -> tuple[StudySummary, ...]:
    return tuple(
        StudySummary(_text(name), _text(identity), _number(created), _whole(events))
        for name, identity, created, events in _list(content["studies"])
    )


def rows_in(content: Any) -> list[dict[str, Any]]:
    """What a server says of each of its studies, as fields of a `listing.StudyRow`."""
    return [{name: reader(one[name]) for name, reader in ROW.items()} for one in _list(content["studies"])]


def page_in(content: Any, after: int, most: int) -> tuple[list[Row], bool]:
    """Events after a position, and whether there are more; each page has to lead on, so that reading ends."""
    rows = [
        (_whole(position), _text(kind), _text(body), _text(digest))
        for position, kind, body, digest in _list(content["events"])
    ]
    more = _flag(content["more"])
    positions = [after, *(row[0] for row in rows)]
    if any(later <= earlier for earlier, later in pairwise(positions)):
        raise ValueError("events that do not lead on")
    if len(rows) > most or (more and len(rows) < most):
        raise ValueError("a page that is not full, and not the last one")
    return rows, more


def snapshot_in(content: Any) -> Snapshot | None:
    found = content["snapshot"]
    if found is None:
        return None
    data = b64decode(_text(found["data"]), validate=True)
    return Snapshot(_whole(found["position"]), _text(found["digest"]), _text(found["version"]), data)


def taken_in(content: Any) -> Taken:
    return Taken([pull_in(one) for one in _list(content["pulls"])], Outcome(content["outcome"]))


def pull_in(content: Any) -> Pull:
    """A pull as a server writes it."""
    beside, item = content.get("baseline"), content.get("item")
    key = key_of(_text(content["id"]))
    return Pull(
        key.identity,
        key.number,
        _whole(content["repeat"]),
        key.attempt,
        _text(content["name"]),
        _record(content["parameters"]),
        None if beside is None else _text(beside["name"]),
        {} if beside is None else _record(beside["parameters"]),
        beside is not None and _flag(beside["first"]),
        None if item is None else _whole(item),
        tuple(map(_text, _list(content.get("groups", [])))),
    )


def _maybe(reader: Callable[[Any], T]) -> Callable[[Any], T | None]:
    return lambda value: None if value is None else reader(value)


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(map(_text, _list(value)))


def _record(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise WrongAnswer(f"{shown(value, 60)}, which is no object")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("no list")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value


def _whole(value: Any) -> int:
    if not is_whole(value, 0):
        raise TypeError("no whole number")
    return value


def _number(value: Any) -> float:
    if not is_number(value):
        raise TypeError("no number")
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError("neither true nor false")
    return value


ROW: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("name", "created", "identity", "trouble"), _text),
    **dict.fromkeys(("outcome", "named", "config"), _maybe(_text)),
    **dict.fromkeys(("configs", "evaluations"), _maybe(_whole)),
    **dict.fromkeys(("events", "running"), _whole),
    **dict.fromkeys(("accepted", "untrusted"), _texts),
}
"""How each field of a row of the list is read."""
