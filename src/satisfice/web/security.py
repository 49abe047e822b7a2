"""Who may do what: requests to this machine by its own names, with a token wherever others can come.

There are no cookies, so that no other page can act for its visitor, and a page may load nothing from elsewhere. The
token is sent in a header: it is in no address and in no log.
"""

import json
import os
import secrets
import socket
from collections.abc import Callable, Iterable
from enum import IntEnum
from hmac import compare_digest
from typing import NamedTuple

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as Scope_

from satisfice.given import is_digits
from satisfice.layout.numbers import written
from satisfice.study.storage.http import is_address, is_loopback
from satisfice.study.storage.passwords import NARROWER, TOKEN
from satisfice.web.limits import Rates

LOOPBACK = ("localhost", "127.0.0.1", "::1")
HEADERS = {
    "content-security-policy": "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_HEADERS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]


class Scope(IntEnum):
    """What a token allows: to look, to work for studies, and to make and change them; each includes those before."""

    READ = 1
    WORK = 2
    ADMIN = 3


ALLOWS = {Scope.READ: "look", Scope.WORK: "work for studies", Scope.ADMIN: "make and change studies"}


class Access(NamedTuple):
    """By which names a server may be called, any address too or only what is listed, and with which token.

    `narrower` are tokens that allow less.
    """

    hosts: frozenset[str]
    any_address: bool = False
    token: str | None = None
    narrower: tuple[tuple[str, Scope], ...] = ()

    def admits_host(self, header: str) -> bool:
        """Whether the Host header names this server: else another page could read it through a name of its own."""
        name = host_of(header)
        return name in self.hosts or (self.any_address and is_address(name))

    def scope(self, header: str) -> Scope | None:
        """What `Authorization: Bearer TOKEN` allows; how long that takes says nothing about the tokens there are."""
        if self.token is None:
            return Scope.ADMIN
        kind, given = header.partition(" ")[0], token_in(header)
        found = None
        for token, scope in ((self.token, Scope.ADMIN), *self.narrower):
            if compare_digest(given.encode(), token.encode()) and kind.lower() == "bearer":
                found = scope
        return found


def access_to(host: str, names: Iterable[str] = ()) -> Access:
    """Who may use what is served at an address: this machine alone needs no token, unless a variable sets one.

    At any other address, by any other name, or where some token is set, the token of `TOKEN` is needed. If that
    variable is empty, a token is made.
    """
    token, narrower, others = _set_in(TOKEN), _narrower(), [name for name in names if not is_loopback(name)]
    alone = is_loopback(host)
    if alone and not (others or token or narrower):
        return Access(frozenset({*LOOPBACK, *map(str.lower, (host, *names))}))
    known = (*LOOPBACK, host, *names, *(() if alone else (socket.gethostname(), socket.getfqdn())))
    made = token or secrets.token_urlsafe(24)
    return Access(frozenset(map(str.lower, known)), any_address=not alone, token=made, narrower=narrower)


def token_note(access: Access) -> str | None:
    """What to print about tokens at the start: one that was made is in no other place."""
    if access.token is None:
        return None
    if _set_in(TOKEN):
        return f"requests need the token in {TOKEN}"
    return f"requests need this token: {access.token}"


def _set_in(variable: str) -> str:
    return os.environ.get(variable, "").strip()


def _narrower() -> tuple[tuple[str, Scope], ...]:
    given = zip(map(_set_in, NARROWER), (Scope.READ, Scope.WORK), strict=True)
    return tuple((token, scope) for token, scope in given if token)


def token_in(header: str) -> str:
    """The token of an Authorization header, without the spaces around it."""
    return header.partition(" ")[2].strip()


def host_of(header: str) -> str:
    """The name in a Host header, without its port; what is no such header as it is."""
    if header.startswith("["):
        name, _, port = header[1:].partition("]")
        return name.lower() if not port or (port[0] == ":" and is_digits(port[1:])) else header
    return header.rpartition(":")[0].lower() if header.count(":") == 1 else header.lower()


class Guard:
    """Refuses what comes to another name or without the token, and says to browsers what a page may do."""

    def __init__(
        self,
        app: ASGIApp,
        access: Access,
        *,
        open_paths: tuple[str, ...],
        needed: Callable[[str, str], Scope] = lambda method, path: Scope.READ,
        rates: Rates | None = None,
    ) -> None:
        self._app, self._access, self._open, self._needed = app, access, open_paths, needed
        self._rates = rates

    async def __call__(self, scope: Scope_, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = message.setdefault("headers", [])
                named = {name for name, _ in given}
                message["headers"] = [*given, *(one for one in _HEADERS if one[0] not in named)]
            await send(message)

        path = scope["path"]
        if not self._access.admits_host(_header(scope, b"host")):
            await problem(421, "This server is not called by that name.", detail=_host_advice())(
                scope, receive, guarded
            )
        elif "\n" in path:  # a route also matches its path with a line break behind it, and is another one in tables
            await problem(404, "There is no such path.")(scope, receive, guarded)
        elif not self._open_to_all(path):
            refused = self._refused(scope, _header(scope, b"authorization"))
            await (refused or self._app)(scope, receive, guarded)
        else:
            await self._app(scope, receive, guarded)

    def _refused(self, scope: Scope_, authorization: str) -> Response | None:
        """What to answer to who may not do this, or not so often; None to who may."""
        allowed, needed = self._access.scope(authorization), self._needed(scope["method"], scope["path"])
        if allowed is None:
            advice = "Send it as 'Authorization: Bearer TOKEN'."
            return problem(401, "A token is needed.", detail=advice, headers={"www-authenticate": "Bearer"})
        if allowed < needed:
            sentence = f"This token allows to {ALLOWS[allowed]}, and this needs one that allows to {ALLOWS[needed]}."
            return problem(403, "This token does not allow that.", detail=sentence)
        address = (scope.get("client") or ("",))[0]  # a header that no token is looked for in can be anything
        who = address if self._access.token is None else token_in(authorization)
        if self._rates is not None and not self._rates.admits(who):
            sentence = (
                f"At most {written(self._rates.most)} a second are answered for one token. Try again in a second."
            )
            return problem(429, "Too many requests.", detail=sentence, headers={"retry-after": "1"})
        return None

    def _open_to_all(self, path: str) -> bool:
        return any(path == one or (one.endswith("/") and one != "/" and path.startswith(one)) for one in self._open)


def _header(scope: Scope_, wanted: bytes) -> str:
    """The first header of that name, or nothing."""
    return next((value.decode("latin-1") for name, value in scope["headers"] if name == wanted), "")


def problem(
    status: int, title: str, *, detail: str = "", error: str = "", headers: dict[str, str] | None = None
) -> Response:
    """What is wrong, as RFC 9457 has it; `error` is what it is called in Python."""
    content: dict[str, object] = {"type": "about:blank", "title": title, "status": status}
    content |= {"detail": detail} if detail else {}
    content |= {"error": error} if error else {}
    return Response(json.dumps(content), status, media_type="application/problem+json", headers=headers)


def _host_advice() -> str:
    return "Use the address that the server printed, or start it with --allow-host NAME."
