"""Connections of a server: how many may be open, and how long one may take to send a request or to read an answer.

A connection that waits for a request makes room for a new one, so that those that send nothing keep nobody out.
"""

import asyncio
import sys
from contextlib import suppress
from http import HTTPStatus
from ipaddress import ip_address, ip_network
from typing import Any, Protocol

from starlette.responses import Response
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from satisfice.catalogue import offers
from satisfice.layout.numbers import counted, written
from satisfice.study.storage.http import is_loopback
from satisfice.web.security import problem

REQUEST_SECONDS = 20.0
"""For which a request may take to arrive, from the first byte of its head to the last one of its body."""

STALL_SECONDS = 30.0
"""After which a client that reads nothing of what is sent to it is let go."""

LARGEST_HEAD = 64 * 2**10
"""Bytes of the head of a request, and of what there is between pieces of its body and behind it."""

MOST_HEADERS = 256
"""Of a request, with those behind its body: each takes much more memory than it has bytes."""

MOST_CONNECTIONS = 2000
MOST_OF_ONE_ADDRESS = 500
"""Connections from one address; those of this machine, where a proxy may stand, have all there are."""

MOST_FILES = 10_240
"""Files that a process may have open where the system sets no limit."""

OTHER_FILES = 4
"""One in so many open files is left for what is no connection: databases, the pipes of forecasts."""


def file_limit() -> int:
    """How many files this process may have open."""
    if sys.platform == "win32":
        return MOST_FILES
    import resource  # noqa: PLC0415 - not on Windows

    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MOST_FILES if allowed == resource.RLIM_INFINITY else allowed


def raise_file_limit() -> int:
    """Let this process have as many files open as the system allows it; returns that number."""
    if sys.platform != "win32":
        import resource  # noqa: PLC0415 - not on Windows

        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        for wanted in (most, MOST_FILES):  # macOS takes no more than that, whatever it says
            with suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
                break
    return file_limit()


def most_connections(files: int) -> int:
    """The most connections of a process that may open so many files."""
    return min(MOST_CONNECTIONS, files - files // OTHER_FILES)


def file_note(files: int) -> str | None:
    """What to say where the limit of files leaves room for fewer connections; None where it does not."""
    room = most_connections(files)
    if room == MOST_CONNECTIONS:
        return None
    return (
        f"at most {counted(room, 'connection')} at a time, since the limit is {counted(files, 'open file')}: raise it "
        "with 'ulimit -n'"
    )


class Waits(Protocol):
    """A connection as the gate sees it."""

    @property
    def waits(self) -> bool:
        """Whether it waits for a request, or for the rest of one."""

    def drop(self) -> None:
        """Close it now."""


class Gate:
    """Counts connections by address, and closes those that waited longest where there is no room for a new one."""

    def __init__(self, most: int, most_of_one: int = MOST_OF_ONE_ADDRESS) -> None:
        self._most, self._most_of_one = most, most_of_one
        self._open: dict[str, dict[Waits, None]] = {}  # in the order in which they came
        self._number = 0

    def admits(self, connection: Waits, address: str) -> bool:
        """Whether there is room for a connection from there; it is counted then."""
        source = _source(address)
        most = self._most if is_loopback(address) else self._most_of_one
        if len(self._open.get(source, ())) >= most and not self._drops_one(source):
            return False
        if self._number >= self._most and not any(map(self._drops_one, sorted(self._open, key=self._number_of))):
            return False
        self._open.setdefault(source, {})[connection] = None
        self._number += 1
        return True

    def leaves(self, connection: Waits, address: str) -> None:
        """Count a connection no more; nothing if it was not counted."""
        source = _source(address)
        if connection in self._open.get(source, ()):
            self._remove(connection, source)

    def _number_of(self, source: str) -> int:
        """The more a source has, the earlier it makes room."""
        return -len(self._open[source])

    def _drops_one(self, source: str) -> bool:
        oldest = next((one for one in self._open[source] if one.waits), None)
        if oldest is None:
            return False
        self._remove(oldest, source)
        oldest.drop()
        return True

    def _remove(self, connection: Waits, source: str) -> None:
        del self._open[source][connection]
        self._number -= 1
        if not self._open[source]:
            del self._open[source]


def _source(address: str) -> str:
    """Whose address it is: one customer has a whole network of IPv6."""
    try:
        known = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    return str(known) if known.version == 4 else str(ip_network((known, 64), strict=False))


class Parsed(AutoHTTPProtocol):  # type: ignore[misc,valid-type]  # which one it is depends on what is installed
    """A protocol of uvicorn that counts the pieces of bodies that came."""

    pieces = 0

    def on_body(self, body: bytes) -> None:
        self.pieces += 1
        super().on_body(body)


COUNTS_PIECES = offers(AutoHTTPProtocol, ["on_body"])
"""Whether it is the protocol of httptools, which takes heads of any size; that of h11 has a limit of its own."""


class Connection(asyncio.Protocol):
    """One connection: counted, closed if it is late, and otherwise what `inner` of uvicorn makes of it."""

    def __init__(self, inner: Any, gate: Gate) -> None:
        self._inner, self._gate = inner, gate
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport
        self._address = ""
        self._is_open = self._has_begun = False
        self._head = 0
        self._late: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None

    @property
    def waits(self) -> bool:
        """Whether it waits for a request, or for the rest of one."""
        if self._transport.is_closing():
            return True
        cycle = self._inner.cycle
        return cycle is None or cycle.response_complete or cycle.more_body

    def drop(self) -> None:
        self._transport.abort()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # a stream has no other
        self._transport = transport
        self._address = (transport.get_extra_info("peername") or ("",))[0]
        if not self._gate.admits(self, self._address):
            self._refuse(503, "There are too many connections.", "Close some connections, or try again later.")
            return
        self._is_open = True
        self._late = self._loop.call_later(REQUEST_SECONDS, self._is_late)
        self._inner.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        if not self._is_open or self._transport.is_closing():
            return
        so_far = (self._inner.cycle, self._inner.pieces)
        self._inner.data_received(data)
        self._head = self._head + len(data) if (self._inner.cycle, self._inner.pieces) == so_far else 0
        if COUNTS_PIECES and (self._head > LARGEST_HEAD or len(self._inner.headers or ()) > MOST_HEADERS):
            self._is_too_large()
        elif self.waits:
            self._has_begun = True
            if self._late is None:
                self._late = self._loop.call_later(REQUEST_SECONDS, self._is_late)
        elif self._late is not None:
            self._late.cancel()
            self._late = None

    @property
    def _is_answered(self) -> bool:
        """Whether a part of an answer was sent, behind which nothing else may come."""
        cycle = self._inner.cycle
        return cycle is not None and cycle.response_started and not cycle.response_complete

    def _is_too_large(self) -> None:
        if self._is_answered:
            self._transport.abort()
        else:
            advice = f"It may have {LARGEST_HEAD:,} bytes and {MOST_HEADERS} headers."
            self._refuse(431, "The head of the request is too large.", advice)

    def _is_late(self) -> None:
        if not self._has_begun or self._is_answered or self._transport.is_closing():
            self._transport.abort()
        else:
            advice = f"All of it may take {written(REQUEST_SECONDS)} seconds."
            self._refuse(408, "The request took too long to arrive.", advice)

    def _refuse(self, status: int, title: str, detail: str) -> None:
        self._transport.write(_as_sent(problem(status, title, detail=detail)))
        self._transport.close()

    def eof_received(self) -> bool | None:
        eof: bool | None = self._inner.eof_received() if self._is_open else None
        return eof

    def pause_writing(self) -> None:
        self._inner.pause_writing()
        self._watch(self._transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
        self._inner.resume_writing()

    def _watch(self, unread: int) -> None:
        self._stalled = self._loop.call_later(STALL_SECONDS, self._look_whether_read, unread)

    def _look_whether_read(self, before: int) -> None:
        unread = self._transport.get_write_buffer_size()
        if unread < before:
            self._watch(unread)
        else:
            self._transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._gate.leaves(self, self._address)
        for timer in (self._late, self._stalled):
            if timer is not None:
                timer.cancel()
        if self._is_open:
            self._inner.connection_lost(exc)


def _as_sent(response: Response) -> bytes:
    """An answer to what no application has seen, as bytes."""
    lines = [f"HTTP/1.1 {response.status_code} {HTTPStatus(response.status_code).phrase}".encode()]
    lines += [b"%b: %b" % header for header in (*response.raw_headers, (b"connection", b"close"))]
    return b"\r\n".join([*lines, b"", bytes(response.body)])
