"""Who may read: requests to this machine by its own names, with a token where the network can reach it.

There are no cookies, so that no other page can act for its visitor, and a page may load nothing from elsewhere. The
token is sent in a header: it is in no address and in no log.
"""

import os
import secrets
import socket
from collections.abc import Iterable
from hmac import compare_digest
from ipaddress import ip_address
from typing import NamedTuple

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ENVIRONMENT = "SATISFICE_TOKEN"
"""The variable that has the token, where it is not made."""

LOOPBACK = ("localhost", "127.0.0.1", "::1")
HEADERS = {
    "content-security-policy": "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class Access(NamedTuple):
    """By which names a server may be called, None for any address and whatever is listed, and with which token."""

    hosts: frozenset[str]
    any_address: bool = False
    token: str | None = None

    def admits_host(self, header: str) -> bool:
        """Whether the Host header names this server: else another page could read it through a name of its own."""
        name = host_of(header)
        return name in self.hosts or (self.any_address and is_address(name))

    def admits_token(self, header: str) -> bool:
        """Whether `Authorization: Bearer TOKEN` has the right one; how long that takes says nothing about it."""
        if self.token is None:
            return True
        kind, _, given = header.partition(" ")
        return kind.lower() == "bearer" and compare_digest(given.strip().encode(), self.token.encode())


def access_to(host: str, names: Iterable[str] = ()) -> Access:
    """Who may read what is served at an address: anybody on this machine, or who has the token."""
    if is_loopback(host):
        return Access(frozenset({*LOOPBACK, host.lower(), *map(str.lower, names)}))
    own = (host, socket.gethostname(), socket.getfqdn(), *LOOPBACK, *names)
    token = os.environ.get(ENVIRONMENT) or secrets.token_urlsafe(24)
    return Access(frozenset(map(str.lower, own)), any_address=True, token=token)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address."""
    return host.lower() == "localhost" or (is_address(host) and ip_address(host).is_loopback)


def is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def host_of(header: str) -> str:
    """The name in a Host header, without its port."""
    if header.startswith("["):
        return header[1:].partition("]")[0].lower()
    return header.rpartition(":")[0].lower() if header.count(":") == 1 else header.lower()


class Guard:
    """Refuses what comes to another name or without the token, and says to browsers what a page may do."""

    def __init__(self, app: ASGIApp, access: Access, *, open_paths: tuple[str, ...]) -> None:
        self._app, self._access, self._open = app, access, open_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        headers, path = Headers(scope=scope), scope["path"]
        if not self._access.admits_host(headers.get("host", "")):
            await problem(421, "This server is not called by that name.", detail=_host_advice())(
                scope, receive, guarded
            )
        elif not self._open_to_all(path) and not self._access.admits_token(headers.get("authorization", "")):
            refused = problem(401, "A token is needed.", detail="Send it as 'Authorization: Bearer TOKEN'.")
            refused.headers["www-authenticate"] = "Bearer"
            await refused(scope, receive, guarded)
        else:
            await self._app(scope, receive, guarded)

    def _open_to_all(self, path: str) -> bool:
        return any(path == one or (one.endswith("/") and one != "/" and path.startswith(one)) for one in self._open)


def problem(status: int, title: str, *, detail: str = "") -> JSONResponse:
    """What is wrong, as RFC 9457 has it."""
    content = {"type": "about:blank", "title": title, "status": status} | ({"detail": detail} if detail else {})
    return JSONResponse(content, status, media_type="application/problem+json")


def _host_advice() -> str:
    return "Use the address that the server printed, or start it with --allow-host NAME."
