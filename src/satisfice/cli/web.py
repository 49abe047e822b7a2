"""A dashboard at an address, for the commands that show one."""

import shlex
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from socket import socket
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from satisfice.cli.options import DEFAULT_PORT
from satisfice.errors import InvalidCommand
from satisfice.extras import need

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from satisfice.study import Study
    from satisfice.study.storage.protocol import Storage
    from satisfice.web.server import TLS


class Board(NamedTuple):
    """A dashboard that is about to be served; `token_note` is what to print about tokens, None where none is needed."""

    app: "ASGIApp"
    listener: socket
    address: str
    token_note: str | None
    ending: Callable[[], None]
    tls: "TLS | None" = None

    def serve(self) -> None:
        """Serve until interrupted, with as many open files as the system allows."""
        from satisfice.show.sentence import note
        from satisfice.web.connections import file_note, raise_file_limit
        from satisfice.web.server import serve

        low = file_note(raise_file_limit())
        if low is not None:
            note(low)
        serve(self.app, self.listener, self.ending, self.tls)

    def serving(self) -> AbstractContextManager[None]:
        """Serve for as long as something else lasts."""
        from satisfice.web.server import serving

        return serving(self.app, self.listener, self.ending, self.tls)


def needs_web() -> None:
    """Raise unless the packages of the extra `web` are there."""
    need("A dashboard", "starlette", "uvicorn")


@contextmanager
def board(
    storage: "Storage", host: str, port: int, *, names: Iterable[str] = (), trust_code: bool = False
) -> Iterator[Board]:
    """The studies of a storage at an address; the storage is closed at the end."""
    from satisfice.web.app import dashboard_app
    from satisfice.web.security import access_to, token_note
    from satisfice.web.server import address_of, bound
    from satisfice.web.studies import Studies

    access = access_to(host, names)
    listener = bound(host, port)
    studies = Studies(storage, trust_code=trust_code)
    try:
        app = dashboard_app(studies, access)
        yield Board(app, listener, address_of(listener, host), token_note(access), studies.end_streams)
    finally:
        studies.close()
        storage.close()
        listener.close()


@contextmanager
def offered(
    storage: "Storage",
    host: str,
    port: int,
    names: Iterable[str],
    files: tuple[str | None, str | None],
    *,
    trust_code: bool = False,
) -> Iterator[Board]:
    """The service of a storage at an address, with the files of a certificate and its key or neither."""
    from satisfice.web.security import access_to, token_note
    from satisfice.web.server import address_of, bound
    from satisfice.web.service import service_app

    tls, access = _tls(files), access_to(host, names)
    listener = bound(host, port)
    app, ending, close = service_app(storage, access, trust_code=trust_code)
    try:
        yield Board(app, listener, address_of(listener, host, tls), token_note(access), ending, tls)
    finally:
        close()
        storage.close()
        listener.close()


def _tls(files: tuple[str | None, str | None]) -> "TLS | None":
    """InvalidCommand unless both files are there and belong together, or none is given."""
    import ssl

    from satisfice.web.server import TLS

    certificate, key = files
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise InvalidCommand("Expected --certificate and --certificate-key together: HTTPS needs both files.")
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
    except OSError as error:
        raise InvalidCommand(f"{certificate!r} and {key!r} are no certificate and its key: {error}.") from error
    return TLS(certificate, key)


@contextmanager
def shown_in_browser(study: "Study", address: str) -> Iterator[None]:
    """A dashboard beside a run, for as long as that lasts, which reads the same storage on its own."""
    from satisfice.show.sentence import note
    from satisfice.study.storage.protocol import open_storage

    needs_web()
    if not study.is_durable:
        raise InvalidCommand("--web reads the storage of the study, and memory is this run's alone: give --storage.")
    kept = open_storage(address, create=False, read_only=True)
    with board(kept, "127.0.0.1", _free_port(), trust_code=True) as made, made.serving():
        note(f"see it happen: {made.address}?{urlencode({'study': study.name})}")
        if made.token_note is not None:
            note(made.token_note)
        yield
    note(f"to look at it again: satisfice dashboard {shlex.quote(str(kept))}")


def _free_port() -> int:
    """The usual port, or 0 for any where that is taken."""
    from satisfice.web.server import bound

    try:
        bound("127.0.0.1", DEFAULT_PORT).close()
    except InvalidCommand:
        return 0
    return DEFAULT_PORT
