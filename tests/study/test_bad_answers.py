"""Whatever a server answers, each call of the client over HTTP works or is refused in a sentence, and ends."""

import gzip
import json
import socketserver
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Thread
from typing import Any

import pytest

from satisfice.errors import DamagedLog, InvalidStorage, StorageError, StorageUnreachable
from satisfice.study.events import BEFORE_ALL, Kind, sealed
from satisfice.study.pull import PullKey
from satisfice.study.storage import http_answers
from satisfice.study.storage.http import HTTPLog, HTTPStorage
from satisfice.study.transaction import Step

FIRST = sealed(BEFORE_ALL, 1, Kind.CREATED, {"identity": "0"})
KEY = PullKey("0", 0, 0)

CALLS: dict[str, Callable[[HTTPStorage, HTTPLog], object]] = {
    "create": lambda storage, log: storage.create("study", FIRST),
    "open": lambda storage, log: storage.open("study"),
    "delete": lambda storage, log: storage.delete("study"),
    "studies": lambda storage, log: storage.studies(),
    "read": lambda storage, log: list(log.read(0)),
    "snapshot": lambda storage, log: log.snapshot(),
    "exchange": lambda storage, log: log.take(Step([], 1, "me")),
    "policy": lambda storage, log: log.take(Step(policy={"retries": 1})),
    "resume": lambda storage, log: log.take(Step(resumes=True)),
    "heartbeat": lambda storage, log: log.stay_alive([KEY]),
}
DO_NOT_READ = ("create", "delete", "heartbeat")
"""Calls for which any object says that it is done."""

RIGHT: dict[str, Any] = {
    "studies": [["a", "0", 1.5, 3]],
    "events": [[1, "created", "{}", "d"]],
    "more": False,
    "snapshot": {"position": 1, "digest": "d", "version": "v", "data": "AAAA"},
    "pulls": [{"id": "0:0:0", "name": "a", "parameters": {}, "repeat": 0}],
    "outcome": "UNDECIDED",
    "stopped": None,
}
"""What every call understands."""

PULL = RIGHT["pulls"][0]


def answer(body: bytes, *headers: str, status: str = "200 OK", length: int | None = None) -> bytes:
    named = [f"content-length: {len(body) if length is None else length}", *headers]
    if not any(header.startswith("content-type") for header in headers):
        named.append("content-type: application/json")
    return "\r\n".join([f"HTTP/1.1 {status}", *named, "", ""]).encode() + body


def but(**odd: Any) -> bytes:
    """The right answer with other fields."""
    return answer(json.dumps(RIGHT | odd).encode())


def problem(content: bytes, status: str = "409 Conflict") -> bytes:
    return answer(content, "content-type: application/problem+json", status=status)


WHOLE = json.dumps(RIGHT).encode()
HTML = b"<!doctype html><title>Log in</title>"
ANYWHERE: dict[str, bytes] = {
    "HTML": answer(HTML, "content-type: text/html"),
    "an empty body": answer(b""),
    "no content": answer(b"", status="204 No Content"),
    "a length that is too large": answer(WHOLE, length=9999),
    "a length that is too small": answer(WHOLE, length=20),
    "a length that is none": answer(WHOLE).replace(b"content-length: ", b"content-length: x"),
    "half of it": answer(WHOLE[: len(WHOLE) // 2]),
    "half a chunk": b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n99\r\n{",
    "nothing": b"",
    "another protocol": b"220 mail.example.org ESMTP\r\n",
    "no JSON": answer(b"ok"),
    "a list": answer(b"[]"),
    "a text": answer(b'"ok"'),
    "null": answer(b"null"),
    "NaN": answer(b'{"studies": NaN, "outcome": Infinity}'),
    "a number of many digits": answer(b'{"more": ' + b"9" * 5000 + b"}"),
    "brackets": answer(b"[" * 100_000),
    "too much": answer(WHOLE + b" " * 300_000),
    "too much, packed": answer(gzip.compress(WHOLE + b" " * 300_000), "content-encoding: gzip"),
    "a redirect": answer(b"", "location: https://elsewhere.example.org/", status="302 Found"),
    "a redirect to itself": answer(b"", "location: /", status="308 Permanent Redirect"),
    "another status": answer(HTML, "content-type: text/html", status="404 Not Found"),
    "the status of a proxy": answer(HTML, "content-type: text/html", status="502 Bad Gateway"),
    "packed twice": answer(gzip.compress(gzip.compress(WHOLE)), "content-encoding: gzip, gzip"),
    "packed twice, in two lines": answer(
        gzip.compress(gzip.compress(WHOLE)), "content-encoding: gzip", "content-encoding: gzip"
    ),
    "packed as nobody asked for": answer(zlib.compress(WHOLE), "content-encoding: deflate"),
    "gzip that is none": answer(WHOLE, "content-encoding: gzip"),
    "half of gzip": answer(gzip.compress(WHOLE)[:-20], "content-encoding: gzip"),
    "another character set": answer('{"studies": "ä"}'.encode("latin-1"), "content-type: application/json; charset=x"),
    "a refusal that is no JSON": problem(HTML),
    "a refusal without a reason": problem(b"{}"),
    "a refusal of another type": problem(b'{"detail": [1], "error": {"a": 1}}'),
    "a refusal that is a list": problem(b"[]"),
}
"""Answers that no call takes, except where nothing is read of it."""

SHAPES: dict[str, bytes] = {
    "no fields": answer(b"{}"),
    "fields of other types": but(studies=1, events={}, snapshot=[], pulls="a", more=1),
    "null in fields": but(studies=None, events=None, snapshot=0, pulls=None),
    "entries of other types": but(studies=[1], events=[None], snapshot={"position": "1"}, pulls=[[]]),
    "entries with other fields": but(studies=[["a"]], events=[[1]], snapshot={}, pulls=[{}], outcome="x"),
    "endless pages without events": but(events=[], more=True, studies=[[]], snapshot={"data": 1}, outcome=1),
    "pages that do not lead on": but(
        events=[[0, "created", "{}", "d"]], studies=[[1, 2, 3, 4]], snapshot={"position": -1}, outcome=None
    ),
    "endless small pages": but(more=True, studies=[["a", "0", "now", 1]], snapshot="", outcome=["FOUND"]),
    "huge numbers": but(
        studies=[["a", "0", 10**400, 1]],
        events=[[1.5, "created", "{}", "d"]],
        snapshot=RIGHT["snapshot"] | {"data": "?"},
        pulls=[PULL | {"id": "0:0"}],
    ),
    "an event that is none": but(
        events=[[1, "created", "[]", "d"]],
        studies=[[None] * 4],
        snapshot=RIGHT["snapshot"] | {"digest": None},
        pulls=[PULL | {"parameters": []}],
    ),
    "a pull with an odd baseline": but(
        pulls=[PULL | {"baseline": {}}], studies=[{}], snapshot=[None], events=[[True, "created", "{}", "d"]]
    ),
}
"""Objects with all sorts of fields: what is no answer to a call that reads them."""


class Sender(socketserver.StreamRequestHandler):
    """Reads a request and sends what the server has to say."""

    def handle(self) -> None:
        length = 0
        while (line := self.rfile.readline()).strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        self.rfile.read(length)
        with suppress(OSError):
            self.wfile.write(self.server.said)  # type: ignore[attr-defined]
            while self.server.goes_on and self.server.said:  # type: ignore[attr-defined]
                self.wfile.write(b" ")
                time.sleep(0.01)


class Liar(socketserver.ThreadingTCPServer):
    """A server that says anything."""

    daemon_threads = True
    said = b""
    goes_on = False


@pytest.fixture(scope="module")
def liar() -> Iterator[Liar]:
    with Liar(("127.0.0.1", 0), Sender) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield server
        server.said = b""
        server.shutdown()


@pytest.fixture
def storage(liar: Liar, monkeypatch: pytest.MonkeyPatch) -> Iterator[HTTPStorage]:
    monkeypatch.setattr(http_answers, "MOST_BYTES", 200_000)
    monkeypatch.delenv("SATISFICE_TOKEN", raising=False)
    made = HTTPStorage(f"http://127.0.0.1:{liar.server_address[1]}")
    yield made
    made.close()


def sentence_of(storage: HTTPStorage, call: str) -> str:
    """What a call is refused with; anything but an error of the storage is a failure."""
    with pytest.raises(StorageError) as caught:
        CALLS[call](storage, HTTPLog(storage, "study"))
    return str(caught.value)


@pytest.mark.parametrize("call", CALLS)
def test_the_right_answer_is_taken(liar: Liar, storage: HTTPStorage, call: str) -> None:
    liar.said = answer(WHOLE)
    CALLS[call](storage, HTTPLog(storage, "study"))


@pytest.mark.parametrize("call", CALLS)
def test_the_right_answer_is_taken_when_it_is_packed(liar: Liar, storage: HTTPStorage, call: str) -> None:
    liar.said = answer(gzip.compress(WHOLE), "content-encoding: gzip")
    CALLS[call](storage, HTTPLog(storage, "study"))


@pytest.mark.parametrize("kind", ["packed twice", "packed twice, in two lines"])
def test_what_is_packed_twice_is_not_unpacked(
    liar: Liar, storage: HTTPStorage, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once 4 KB became 2.5 GB, and were refused then."""
    monkeypatch.setattr("httpx.Response.iter_bytes", lambda *_: pytest.fail("it was unpacked"))
    liar.said = ANYWHERE[kind]
    assert "coding 'gzip, gzip'" in sentence_of(storage, "open")


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", ANYWHERE)
def test_what_is_no_answer(liar: Liar, storage: HTTPStorage, kind: str, call: str) -> None:
    liar.said = ANYWHERE[kind]
    said = sentence_of(storage, call)
    assert storage.where in said
    assert len(said) < 600
    assert said.endswith((".", "?"))


@pytest.mark.parametrize("call", [one for one in CALLS if one not in DO_NOT_READ])
@pytest.mark.parametrize("kind", SHAPES)
def test_what_has_another_shape(liar: Liar, storage: HTTPStorage, kind: str, call: str) -> None:
    liar.said = SHAPES[kind]
    read = {"studies": ["studies"], "open": ["events", "more"], "read": ["events", "more"], "snapshot": ["snapshot"]}
    fields = read.get(call, ["pulls", "outcome"])
    content = json.loads(SHAPES[kind].partition(b"\r\n\r\n")[2])
    if all(json.dumps(content.get(name)) == json.dumps(RIGHT[name]) for name in fields):
        CALLS[call](storage, HTTPLog(storage, "study"))
        return
    if kind == "an event that is none" and "events" in fields:
        with pytest.raises(DamagedLog, match="Event 1 of the log cannot be read"):
            CALLS[call](storage, HTTPLog(storage, "study"))
        return
    said = sentence_of(storage, call)
    assert "Expected an answer of satisfice serve" in said
    assert "Check the address" in said


@pytest.mark.parametrize("call", CALLS)
def test_what_does_not_end(liar: Liar, storage: HTTPStorage, call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_answers, "MOST_SECONDS", 0.2)
    monkeypatch.setattr(liar, "goes_on", True)
    liar.said = answer(WHOLE, length=10**9)
    assert "did not end within 0.2 seconds" in sentence_of(storage, call)


def test_a_proxy_that_fails_may_be_asked_again(liar: Liar, storage: HTTPStorage) -> None:
    liar.said = ANYWHERE["the status of a proxy"]
    with pytest.raises(StorageUnreachable):
        storage.studies()


@pytest.mark.parametrize("token", ["a\nb", "geheim-ß", "\x00"])
def test_a_token_that_no_header_takes(monkeypatch: pytest.MonkeyPatch, token: str) -> None:
    monkeypatch.setattr("os.environ", {"SATISFICE_TOKEN": token})
    with pytest.raises(InvalidStorage, match="SATISFICE_TOKEN") as caught:
        HTTPStorage("http://127.0.0.1:1")
    assert token not in str(caught.value)
