"""The token of a server goes to that server, and to no proxy that the environment names."""

import socket
from collections.abc import Iterator
from threading import Thread

import pytest

import satisfice as sf
from satisfice.errors import StorageError, StorageUnreachable
from satisfice.study.storage import http
from satisfice.study.storage.passwords import TOKEN
from tests.helpers.parts import endless
from tests.web.serving import served

ELSEWHERE = "192.0.2.1:8765"
"""An address of documentation, where nobody is."""
VARIABLES = ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bytes]]:
    """What a proxy is sent, which all variables name; it refuses everything."""
    found: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            while True:
                try:
                    caller, _ = listening.accept()
                except OSError:
                    return
                with caller:
                    found.append(caller.recv(10_000))
                    caller.sendall(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")

        Thread(target=answer, daemon=True).start()
        for variable in VARIABLES:
            monkeypatch.setenv(variable, f"http://127.0.0.1:{listening.getsockname()[1]}")
        for variable in ("no_proxy", "NO_PROXY"):
            monkeypatch.delenv(variable, raising=False)
        monkeypatch.setattr(http, "TIMEOUT_SECONDS", 0.5)
        yield found
        listening.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("token", ["", "secret-token"])
def test_this_machine_is_reached_without_a_proxy(
    sqlite: str, seen: list[bytes], monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    """Once a server of this machine was asked by way of the proxy."""
    monkeypatch.setenv(TOKEN, token)
    endless(sqlite).close()
    with served(sqlite) as web:
        assert sf.load_study(str(web.base_url)).ask() is not None
    assert seen == []


def test_a_token_goes_past_a_proxy_that_could_read_it(seen: list[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the proxy was told it."""
    monkeypatch.setenv(TOKEN, "secret-token")
    with pytest.raises(StorageUnreachable, match="does not answer"):
        sf.load_study(f"http://{ELSEWHERE}")
    assert seen == []


def test_a_proxy_passes_on_what_it_cannot_read(seen: list[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN, "secret-token")
    with pytest.raises(StorageError):
        sf.load_study(f"https://{ELSEWHERE}")
    assert seen[0].startswith(f"CONNECT {ELSEWHERE}".encode())
    assert b"secret" not in seen[0]


def test_a_proxy_is_used_where_there_is_no_token(seen: list[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN, raising=False)
    with pytest.raises(StorageError, match="403"):
        sf.load_study(f"http://{ELSEWHERE}")
    assert seen[0].startswith(f"GET http://{ELSEWHERE}/api/".encode())
