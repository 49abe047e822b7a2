"""How much one client may ask of a server: the size of what it sends, and how often."""

import json
import time
from collections import Counter, OrderedDict
from typing import Any

from starlette.requests import ClientDisconnect, Request

LARGEST_BODY = 4 * 2**20
"""Bytes of a request."""

MOST_A_SECOND = 20_000.0
"""Requests of one token."""

MOST_KNOWN = 10_000


class Refused(Exception):
    """A request that is not read: with which status, and why."""

    def __init__(self, status: int, title: str, detail: str) -> None:
        super().__init__(title)
        self.status, self.title, self.detail = status, title, detail


class Rates:
    """Requests of each client in the last second or so: a bucket that fills evenly."""

    def __init__(self, most: float = MOST_A_SECOND) -> None:
        self.most = most
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def admits(self, who: str) -> bool:
        """Whether one more request may come from there."""
        now = time.monotonic()
        left, since = self._left.pop(who, (self.most, now))
        left = min(self.most, left + (now - since) * self.most)
        admitted = left >= 1
        self._left[who] = (left - 1 if admitted else left, now)
        if len(self._left) > MOST_KNOWN:
            self._left.popitem(last=False)
        return admitted


async def json_of(request: Request) -> Any:
    """What a request says; `Refused` where it is too large or no JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        # a page of another site can send other kinds in the name of its visitor, and this one it cannot
        raise Refused(415, "Expected JSON.", "Send it with 'Content-Type: application/json', as curl --json does.")
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length[:20]) > LARGEST_BODY:
        raise _too_large()
    try:
        body = await _body_of(request)
    except ClientDisconnect:
        raise Refused(400, "The request ended before its end.", "") from None
    try:
        return _decoded(body)
    except (ValueError, RecursionError) as error:
        raise Refused(400, "Expected JSON.", f"This cannot be read: {error!s:.200}.") from None


def _decoded(body: bytes) -> Any:
    """What JSON says; in UTF-8, as it nearly always is, without asking in which code."""
    try:
        return _decoder.decode(body.decode())
    except ValueError:
        return json.loads(body, parse_constant=_no_number, object_pairs_hook=_object)


async def _body_of(request: Request) -> bytes:
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > LARGEST_BODY:
            raise _too_large()
        parts.append(part)
    return b"".join(parts)


def _too_large() -> Refused:
    return Refused(413, "Too much at once.", f"A request may have {LARGEST_BODY:,} bytes. Send less at a time.")


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        most = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"the key {most!r:.60} stands twice in an object")
    return found


_decoder = json.JSONDecoder(parse_constant=_no_number, object_pairs_hook=_object)
