"""Serving an application at an address: until it is interrupted, or beside a run for as long as that lasts."""

import gc
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from time import monotonic, sleep
from typing import Any, NamedTuple

import uvicorn
from starlette.types import ASGIApp

from satisfice.errors import InvalidCommand
from satisfice.web.connections import Connection, Gate, Parsed, file_limit, most_connections

Ending = Callable[[], None]


class TLS(NamedTuple):
    """The files of a certificate and of its key."""

    certificate: str
    key: str


GRACE_SECONDS = 1
"""For streams that are open when the server ends."""
COLLECT_AFTER = (20_000, 20, 20)
"""New objects before Python looks for garbage among them, and how many such looks before one among older ones."""


def bound(host: str, port: int) -> socket.socket:
    """A socket at an address; port 0 is any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(512)
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or error
        raise InvalidCommand(
            f"Cannot listen at {host}, port {port}: {reason}. Give another --port, or 0 for any that is free."
        ) from error
    return listener


def address_of(listener: socket.socket, host: str, tls: TLS | None = None) -> str:
    """What to type into a browser."""
    shown = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)
    name = f"[{shown}]" if ":" in shown else shown
    return f"{'http' if tls is None else 'https'}://{name}:{listener.getsockname()[1]}/"


class Server(uvicorn.Server):
    """A server that lets streams end before it does."""

    def __init__(self, config: uvicorn.Config, ending: Ending) -> None:
        super().__init__(config)
        self._ending = ending

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._ending()
        await super().shutdown(sockets)


def serve(app: ASGIApp, listener: socket.socket, ending: Ending, tls: TLS | None = None) -> None:
    """Serve until interrupted; then `ending` is to end what would go on."""
    _collect_seldom()
    _server(app, ending, tls).run(sockets=[listener])


@contextmanager
def serving(app: ASGIApp, listener: socket.socket, ending: Ending, tls: TLS | None = None) -> Iterator[None]:
    """Serve in another thread for as long as something else lasts."""
    server = _server(app, ending, tls)
    thread = Thread(target=server.run, kwargs={"sockets": [listener]}, name="dashboard", daemon=True)
    thread.start()
    until = monotonic() + 10.0
    while not server.started and thread.is_alive() and monotonic() < until:
        sleep(0.01)
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(2 * GRACE_SECONDS + 1)


def _collect_seldom() -> None:
    """Let nobody wait while the modules that were imported are searched for garbage, nor for each thousand objects."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)


def _server(app: ASGIApp, ending: Ending, tls: TLS | None) -> Server:
    gate = Gate(most_connections(file_limit()))

    def connection(**given: Any) -> Connection:
        return Connection(Parsed(**given), gate)

    return Server(
        uvicorn.Config(
            app,
            http=connection,  # type: ignore[arg-type]  # it is called as a class is
            ssl_certfile=None if tls is None else tls.certificate,
            ssl_keyfile=None if tls is None else tls.key,
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,  # whose address it is, nobody may say but the network
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=GRACE_SECONDS,
            timeout_keep_alive=30,
        ),
        ending,
    )
