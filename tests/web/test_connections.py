"""Connections that send nothing, a line at a time, or never read: others are served meanwhile."""

import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from satisfice.study.storage.protocol import open_storage
from satisfice.web import connections
from satisfice.web.connections import Gate, raise_file_limit
from satisfice.web.security import access_to
from satisfice.web.server import TLS, bound, serving
from satisfice.web.service import service_app
from tests.helpers.parts import endless
from tests.web.serving import served, typed

SERVED_SECONDS = 1.0
"""In which others are served, whatever connections are open."""


@pytest.fixture
def web(sqlite: str) -> Iterator[httpx.Client]:
    endless(sqlite).close()
    with served(sqlite) as client:
        yield client


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.5)
    monkeypatch.setattr(connections, "STALL_SECONDS", 0.5)


@contextmanager
def silent(address: httpx.URL, number: int) -> Iterator[list[socket.socket]]:
    """Connections that send nothing."""
    with ExitStack() as all_of_them:
        yield [all_of_them.enter_context(connected(address)) for _ in range(number)]


def connected(address: httpx.URL, seconds: float = 30, *, room: int | None = None) -> socket.socket:
    """A connection; `room` is how many bytes the system keeps of what is not read."""
    made = socket.socket()
    if room is not None:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
    made.settimeout(seconds)
    made.connect((address.host, address.port or 0))
    return made


def answer_to(slow: socket.socket) -> bytes:
    """All that comes until the server closes the connection."""
    parts = []
    try:
        while part := slow.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def quickest(web: httpx.Client, method: str, path: str, **given: object) -> float:
    """Seconds until an answer on a connection of its own."""
    began = time.monotonic()
    with httpx.Client(base_url=web.base_url, timeout=10) as other:
        other.request(method, path, **given).raise_for_status()  # type: ignore[arg-type]
    return time.monotonic() - began


def test_with_2100_silent_connections_others_are_served(web: httpx.Client) -> None:
    number = min(2100, (raise_file_limit() - 300) // 2)  # both ends are in this process
    with silent(web.base_url, number):
        for method, path, given in (
            ("GET", "/health", {}),
            ("GET", "/", {}),
            ("GET", "/api/studies", {}),
            ("POST", "/api/ask", {"json": {}}),
        ):
            assert quickest(web, method, path, **given) < SERVED_SECONDS


def test_a_usual_limit_of_files_is_raised(sqlite: str) -> None:
    """1,100 connections are more than the 1,024 files that a shell usually allows."""
    endless(sqlite).close()
    number = min(1100, raise_file_limit() - 300)
    with typed("serve", sqlite, limits="ulimit -Sn 1024") as (web, _), silent(web.base_url, number):
        assert quickest(web, "GET", "/health") < SERVED_SECONDS
        assert quickest(web, "POST", "/api/ask", json={}) < SERVED_SECONDS


@pytest.mark.parametrize("command", ["dashboard", "serve"])
def test_a_low_limit_of_files_is_said_and_kept_to(sqlite: str, command: str) -> None:
    endless(sqlite).close()
    with typed(command, sqlite, lines=2, limits="ulimit -n 400") as (web, said), silent(web.base_url, 500):
        assert "400 open files" in said[1]
        assert "ulimit" in said[1]
        assert quickest(web, "GET", "/api/studies") < SERVED_SECONDS


HEAD = b"POST /api/ask HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 90\r\n"
START = b"GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n"
CHUNKED = HEAD.replace(b"content-length: 90", b"transfer-encoding: chunked")


@pytest.mark.parametrize(
    ("begins", "goes_on"),
    [
        (b"GET /", b"a" * 1000),
        (b"GET /health?", b"a" * 1000),
        (START + b"x: ", b"a" * 1000),
        (START + b"x", b"x" * 1000),
        (START, b"a: b\r\n" * 100),
        (CHUNKED + b"\r\n5;", b"a" * 1000),
        (CHUNKED + b"\r\n0\r\n", b"a: b\r\n" * 100),
        (CHUNKED + b"\r\n0\r\nx: ", b"a" * 1000),
    ],
)
def test_a_head_has_an_end(web: httpx.Client, begins: bytes, goes_on: bytes) -> None:
    """Once it was kept whatever its size, before anybody looked at a token: 100 MB of headers took 2 GB of memory."""
    sent = 0
    with connected(web.base_url, 10) as endless_one:
        endless_one.sendall(begins)
        try:
            while sent < 8 * 2**20:
                endless_one.sendall(goes_on)
                sent += len(goes_on)
        except (ConnectionError, TimeoutError):
            pass
    assert sent < 8 * 2**20
    assert quickest(web, "GET", "/health") < SERVED_SECONDS


@pytest.mark.parametrize("begins", [START + b"x: " + b"a" * 70_000, START + b"a: b\r\n" * 300 + b"\r\n"])
def test_it_is_said_that_a_head_is_too_large(web: httpx.Client, begins: bytes) -> None:
    with connected(web.base_url) as too_large:
        too_large.sendall(begins)
        came = answer_to(too_large)
    assert b"HTTP/1.1 431 " in came
    assert b"65,536 bytes and 256 headers" in came


def test_a_body_may_be_larger_than_a_head(web: httpx.Client) -> None:
    content = b'{"n": 1' + b" " * 3_000_000 + b"}"
    headers = {"content-type": "application/json"}
    pieces = (content[place : place + 7000] for place in range(0, len(content), 7000))
    assert web.post("/api/ask", content=content, headers=headers).status_code == 200
    assert web.post("/api/ask", content=pieces, headers=headers).status_code == 200
    assert web.get("/health", headers={"x": "a" * 60_000}).status_code == 200


WHOLE = b"GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (b"GET /", b"a"),
        (b"GET / HTTP/1.1\r\n", b"x: y\r\n"),
        (HEAD, b"x: y\r\n"),
        (HEAD + b"\r\n", b" "),
        (HEAD.replace(b"content-length: 90", b"transfer-encoding: chunked") + b"\r\n", b"1\r\n \r\n"),
        (WHOLE + b"GET /", b"a"),
        (WHOLE + HEAD, b"x: y\r\n"),
        (WHOLE + HEAD + b"\r\n", b" "),
    ],
)
@pytest.mark.usefixtures("hurried")
def test_a_request_has_so_long_in_all(web: httpx.Client, first: bytes, then: bytes) -> None:
    """Not so long for each of its pieces."""
    with connected(web.base_url) as slow:
        began = time.monotonic()
        slow.sendall(first)
        try:
            while time.monotonic() < began + 30:
                slow.sendall(then)
                time.sleep(0.05)
        except OSError:
            pass
        assert time.monotonic() - began < 15
    assert quickest(web, "POST", "/api/ask", json={}) < SERVED_SECONDS


@pytest.mark.usefixtures("hurried")
def test_what_came_too_late_is_said(web: httpx.Client) -> None:
    for sent in (b"G", HEAD, HEAD + b"\r\n{"):
        with connected(web.base_url) as slow:
            slow.sendall(sent)
            answer = answer_to(slow)
        assert answer.startswith(b"HTTP/1.1 408 "), answer
        assert b"application/problem+json" in answer
        assert b"0.5 seconds" in answer
    with connected(web.base_url) as slow:
        assert answer_to(slow) == b""  # browsers open some that they do not use


@pytest.mark.usefixtures("hurried")
def test_who_asked_may_wait(web: httpx.Client) -> None:
    """The time is that of the request: an answer may take longer, and so may a stream."""
    pulls = web.post("/api/ask", json={"n": 1}).json()["pulls"]
    web.post("/api/policy", json={"max_evaluations": len(pulls)})
    began = time.monotonic()
    assert web.post("/api/ask", json={"wait": 1.5}).json()["pulls"] == []
    assert time.monotonic() - began >= 1.4
    with web.stream("GET", "/api/events", params={"study": "study"}) as stream:
        pieces = stream.iter_raw()
        assert next(pieces)
        time.sleep(1.0)
        web.post("/api/release", json={"pulls": [pulls[0]["id"]]})
        assert next(pieces)


def is_taken(deaf: socket.socket, sent: bytes) -> bool:
    """Whether the connection is there still, full or not."""
    try:
        deaf.sendall(sent)
    except TimeoutError:
        return True
    except OSError:
        return False
    return True


@pytest.mark.usefixtures("hurried")
def test_who_does_not_read_is_let_go(web: httpx.Client) -> None:
    wanted = b"GET /static/vendor/uPlot.iife.min.js HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"
    with connected(web.base_url, 0.5, room=4096) as deaf:
        deaf.sendall(wanted * 200)
        until = time.monotonic() + 30
        while is_taken(deaf, b"G"):
            assert time.monotonic() < until
            time.sleep(0.1)
    assert quickest(web, "GET", "/health") < SERVED_SECONDS


def test_a_slow_reader_gets_all_of_it(web: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "STALL_SECONDS", 1.0)
    one = b"GET /static/js/main.js HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"
    expected, asked = len(web.get("/static/js/main.js").content), 400
    with connected(web.base_url, room=65536) as slow:
        slow.sendall(one * asked)
        read, began = 0, time.monotonic()
        while read < expected * asked:
            part = slow.recv(expected * 20)
            assert part
            read += len(part)
            time.sleep(0.01)
    assert time.monotonic() - began > 0.2


class Held:
    """A connection as the gate sees it."""

    def __init__(self, *, waits: bool = True) -> None:
        self.waits, self.dropped = waits, False

    def drop(self) -> None:
        self.dropped = True


def test_each_address_has_room_and_the_oldest_that_waits_makes_it() -> None:
    gate, other = Gate(100, 10), Held()
    assert gate.admits(other, "10.0.0.9")
    busy, silent = [Held(waits=False) for _ in range(4)], [Held() for _ in range(6)]
    for one in (*busy, *silent):
        assert gate.admits(one, "10.0.0.1")
    assert not any(one.dropped for one in silent)
    assert gate.admits(Held(waits=False), "10.0.0.1")
    assert [one.dropped for one in silent] == [True] + 5 * [False]
    for _ in range(5):
        assert gate.admits(Held(waits=False), "10.0.0.1")
    assert not gate.admits(Held(), "10.0.0.1")  # all of them are being answered
    assert not any(one.dropped for one in (*busy, other))
    gate.leaves(busy[0], "10.0.0.1")
    gate.leaves(busy[0], "10.0.0.1")
    assert gate.admits(Held(), "10.0.0.1")


def test_a_full_server_takes_from_who_has_most() -> None:
    gate, few = Gate(100, 60), [Held() for _ in range(3)]
    for one in few:
        assert gate.admits(one, "10.0.0.1")
    many = [Held() for _ in range(97)]
    for place, one in enumerate(many):
        assert gate.admits(one, f"10.0.0.{2 + place % 2}")
    for _ in range(500):
        assert gate.admits(Held(), "10.0.0.2")
    assert not any(one.dropped for one in few)


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "127.0.0.8"])
def test_a_proxy_on_this_machine_has_all_the_room(address: str) -> None:
    gate = Gate(100, 10)
    assert all(gate.admits(Held(waits=False), address) for _ in range(100))
    assert not gate.admits(Held(), address)


def test_addresses_of_one_network_of_ipv6_are_one() -> None:
    gate = Gate(100, 10)
    assert all(gate.admits(Held(waits=False), f"2001:db8:1:1::{place:x}") for place in range(10))
    assert not gate.admits(Held(), "2001:db8:1:1:ffff::1")
    assert gate.admits(Held(), "2001:db8:1:2::1")


def test_where_there_is_no_room_that_is_said(web: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Gate, "admits", lambda *_: False)
    with connected(web.base_url) as refused:
        answer = answer_to(refused)
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert b"too many connections" in answer


@pytest.fixture
def encrypted(sqlite: str, tmp_path: Path) -> Iterator[httpx.Client]:
    """A client of a service that speaks HTTPS."""
    files = TLS(str(tmp_path / "c.pem"), str(tmp_path / "k.pem"))
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    subprocess.run([*made, "-out", files.certificate, "-keyout", files.key], check=True, capture_output=True)
    endless(sqlite).close()
    listener, storage = bound("127.0.0.1", 0), open_storage(sqlite)
    app, ending, close = service_app(storage, access_to("127.0.0.1"))
    address = f"https://127.0.0.1:{listener.getsockname()[1]}"
    with serving(app, listener, ending, files), httpx.Client(base_url=address, verify=False, timeout=30) as web:
        yield web
    close()
    storage.close()


@pytest.mark.usefixtures("hurried")
def test_encrypted_requests_have_so_long_too(encrypted: httpx.Client) -> None:
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    with connected(encrypted.base_url) as plain, trusting.wrap_socket(plain) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nx: y\r\n")
        assert slow.recv(1000).startswith(b"HTTP/1.1 408 ")
    assert encrypted.get("/health").status_code == 200
