"""Studies of a server, over HTTP: the log is read from there, and steps are sent there."""

import os
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from ipaddress import ip_address
from typing import Any, TypeVar
from urllib.parse import urlsplit
from weakref import finalize

from satisfice.errors import InvalidStorage, SatisficeError, StorageError, StorageUnreachable, UnknownStudy
from satisfice.extras import need
from satisfice.study.errors import deleted
from satisfice.study.events import Event, stored
from satisfice.study.pull import Failure, Measured, Pull, PullKey
from satisfice.study.storage.http_answers import (
    WrongAnswer,
    body_of,
    check_coding,
    content_in,
    page_in,
    read,
    refusal_in,
    rows_in,
    snapshot_in,
    summaries_in,
    taken_in,
)
from satisfice.study.storage.passwords import TOKEN
from satisfice.study.storage.protocol import Decide, Snapshot, StudySummary
from satisfice.study.storage.taking import Taken
from satisfice.study.transaction import Step

TIMEOUT_SECONDS = 30.0
FIRST_EVENTS, MOST_EVENTS = 64, 5000
"""Events of a log that come at once: at first, and then."""

MOST_PAGES = 100_000
"""Pages of a log, so that reading one from a server that makes them up ends."""

FAULT = 500

T = TypeVar("T")


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address."""
    return host.lower() == "localhost" or (is_address(host) and ip_address(host).is_loopback)


def is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


class HTTPStorage:
    """The studies that `satisfice serve` serves at an address."""

    def __init__(self, address: str, *, create: bool = True) -> None:
        need("A study over HTTP", "httpx")
        import httpx  # noqa: PLC0415 - of an extra

        parts = urlsplit(address)
        if not parts.hostname or parts.query or parts.fragment or parts.password is not None:
            raise InvalidStorage(
                "Expected the address of a server such as 'http://127.0.0.1:8765', without a password: its token "
                f"belongs in the variable {TOKEN}."
            )
        self.where = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
        token = os.environ.get(TOKEN, "").strip()
        if not (token.isascii() and token.isprintable()):
            raise InvalidStorage(f"Expected a token of printable ASCII characters in the variable {TOKEN}.")
        headers = {"accept-encoding": "gzip"} | ({"authorization": f"Bearer {token}"} if token else {})
        readable = token and parts.scheme == "http"  # by a proxy, which is sent all of such a request
        direct = httpx.HTTPTransport() if readable or is_loopback(parts.hostname) else None
        self._client = httpx.Client(base_url=self.where, headers=headers, timeout=TIMEOUT_SECONDS, transport=direct)
        finalize(self, self._client.close)  # also where nobody closes it
        self._broken: type[Exception] = httpx.RequestError

    def __str__(self) -> str:
        return self.where

    def create(self, name: str, first: Event) -> "HTTPLog":
        self.call("POST", "/api/log", json={"name": name, "first": first.content})
        return HTTPLog(self, name, first.content["identity"])

    def open(self, name: str) -> "HTTPLog":
        first = next(HTTPLog(self, name).read(0), None)
        if first is None:
            raise self._unexpected("a log without events")
        return HTTPLog(self, name, str(first.content.get("identity", "")))

    def delete(self, name: str) -> None:
        self.call("DELETE", "/api/studies", params={"study": name})

    def studies(self) -> tuple[StudySummary, ...]:
        return self.asked(summaries_in, "GET", "/api/summaries")

    def listed(self) -> list[dict[str, Any]]:
        """What its studies came to, in one answer: the server has most of them open."""
        return self.asked(rows_in, "GET", "/api/studies", params={"complete": "true"})

    def close(self) -> None:
        self._client.close()

    def asked(self, reader: Callable[[Any], T], method: str, path: str, **given: Any) -> T:
        """What a reader makes of the answer."""
        content = self.call(method, path, **given)
        try:
            return read(content, reader)
        except WrongAnswer as wrong:
            raise self._unexpected(wrong) from None

    def call(self, method: str, path: str, **given: Any) -> dict[str, Any]:
        """What the server answers; its refusals are raised as what they were there."""
        try:
            with self._client.stream(method, path, **given) as response:
                check_coding(response.headers.get("content-encoding", ""))
                body = body_of(response.iter_bytes())
            if response.is_success:
                return content_in(body)
            raise self._refusal(response.status_code, body, response.headers.get("content-type", ""))
        except WrongAnswer as wrong:
            raise self._unexpected(wrong) from None
        except self._broken as error:
            raise StorageUnreachable(f"{self.where} does not answer: {error}. Is `satisfice serve` running?") from error

    def _unexpected(self, came: object) -> StorageError:
        return StorageError(
            f"Expected an answer of satisfice serve from {self.where}, got {came}. Check the address, that the server "
            "has the version of this client, and that no proxy in between changes answers."
        )

    def _refusal(self, status: int, body: bytes, kind: str) -> SatisficeError:
        if not kind.startswith("application/problem+json"):
            if status < FAULT:
                return self._unexpected(f"the status {status}")
            return StorageUnreachable(
                f"{self.where} answered with the status {status}, and not as satisfice serve does. Is it running?"
            )
        sentence, found = refusal_in(body)
        if found is not None:
            return found(sentence)
        if status in (401, 403):
            return StorageError(f"{self.where}: {sentence} The variable {TOKEN} has the token.")
        return (StorageUnreachable if status in (429, 503) else StorageError)(f"{self.where}: {sentence}")


class HTTPLog:
    """The log of one study, which its server extends; of the one with that `identity`, if it is known."""

    def __init__(self, storage: HTTPStorage, name: str, identity: str = "") -> None:
        self._storage, self._named = storage, {"study": name}
        if identity:
            self._named["identity"] = identity

    def read(self, after: int) -> Iterator[Event]:
        most = FIRST_EVENTS  # who opens a study wants the first one, who follows it the last few
        for _ in range(MOST_PAGES):
            reader = partial(page_in, after=after, most=most)
            rows, more = self._asked(reader, "GET", "/api/log", {"after": after, "most": most})
            for row in rows:
                yield stored(*row)
            if not more:
                return
            after, most = rows[-1][0], MOST_EVENTS
        raise StorageError(f"Expected a log of at most {MOST_PAGES:,} pages from {self._storage}, got more.")

    def snapshot(self) -> Snapshot | None:
        """The latest one of the server; it counts as any other does, if the log vouches for it."""
        return self._asked(snapshot_in, "GET", "/api/snapshot", {})

    def keep(self, snapshot: Snapshot) -> None:
        """Nothing: snapshots are the server's to take."""

    def extend(self, after: int, decide: Decide) -> None:
        raise StorageError(f"The log in {self._storage} is extended by its server alone, which takes steps.")

    def take(self, step: Step) -> Taken:
        if step.policy is not None:
            return self._taken("/api/policy", dict(step.policy))
        if step.resumes:
            return self._taken("/api/resume", {})
        content: dict[str, Any] = {
            "tell": [
                {"pull": _id_of(key), "measured": _content_of(outcome)}
                for key, outcome in step.settled
                if isinstance(outcome, Measured)
            ],
            "fail": [
                {"pull": _id_of(key), **_failure_of(outcome)}
                for key, outcome in step.settled
                if isinstance(outcome, Failure)
            ],
            "release": [_id_of(key) for key in step.released],
            "ask": step.ask,
        }
        content |= {"process": step.worker} if step.worker else {}
        content |= {"max_evaluations": step.limit} if step.limit is not None else {}
        return self._taken("/api/exchange", content)

    def stay_alive(self, keys: Sequence[PullKey]) -> None:
        if keys:
            pulls = {"pulls": [_id_of(key) for key in keys]}
            self._asked(dict, "POST", "/api/heartbeat", {}, json=pulls)

    def close(self) -> None:
        self._storage.close()

    def _taken(self, path: str, content: dict[str, Any]) -> Taken:
        return self._asked(taken_in, "POST", path, {}, json=content)

    def _asked(self, reader: Callable[[Any], T], method: str, path: str, about: Mapping[str, int], **given: Any) -> T:
        try:
            return self._storage.asked(reader, method, path, params={**self._named, **about}, **given)
        except UnknownStudy:
            if "identity" not in self._named:
                raise
            raise deleted(self._named["study"], str(self._storage)) from None  # it was there


def snapshot_content(found: Snapshot | None) -> dict[str, Any]:
    """A snapshot as a server writes it."""
    return {"snapshot": None if found is None else found._asdict() | {"data": b64encode(found.data).decode()}}


def content_of(pull: Pull) -> dict[str, Any]:
    """A pull as JSON can write it, without what is not there."""
    content: dict[str, Any] = {
        "id": pull.id,
        "name": pull.name,
        "parameters": pull.parameters,
        "repeat": pull.repeat,
    }
    if pull.baseline_name is not None:
        beside = {"name": pull.baseline_name, "parameters": pull.baseline_parameters, "first": pull.baseline_first}
        content["baseline"] = beside
    content |= {"item": pull.item} if pull.item is not None else {}
    return content | ({"groups": list(pull.groups)} if pull.groups else {})


def _id_of(key: PullKey) -> str:
    return f"{key.identity}:{key.number}:{key.attempt}"


def _content_of(measured: Measured) -> dict[str, Any]:
    content: dict[str, Any] = {"values": measured.values, "also": dict(measured.also)}
    content |= {"baseline": measured.baseline} if measured.baseline else {}
    return content | ({"cost": measured.cost} if measured.cost is not None else {})


def _failure_of(failure: Failure) -> dict[str, Any]:
    content: dict[str, Any] = {"reason": failure.reason, "kind": failure.kind, "traceback": failure.traceback}
    content |= {"cost": failure.cost} if failure.cost is not None else {}
    return content | ({"by_exception": failure.by_exception} if failure.by_exception else {})
