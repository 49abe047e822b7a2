"""The requests that workers send all the time: ask, tell and what else is a step of a study.

They are answered before the routes of all others are looked at, by an application of their own: what a framework does
for each request costs as much as the step itself.
"""

import json
import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from satisfice.errors import InvalidCommand, SatisficeError
from satisfice.given import is_number, writable
from satisfice.search.verdict import Outcome
from satisfice.study import Study
from satisfice.study.errors import deleted
from satisfice.study.pull import Failure, Measured, PullKey, key_of
from satisfice.study.storage.http import content_of
from satisfice.study.transaction import Step
from satisfice.web.group_commit import Answer, Committer, Committers
from satisfice.web.limits import Refused, json_of
from satisfice.web.operations import BY_ROUTE, check
from satisfice.web.refusals import fault, no_such_path, not_read, refused

NOBODY = "http"
"""The worker that says no name."""


def asked(content: Mapping[str, Any]) -> Mapping[str, Any]:
    """An ask as an exchange."""
    return {**content, "ask": content.get("n", 1)}


def told(content: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"tell": [content]}


def failed(content: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"fail": [content]}


def released(content: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"release": content["pulls"]}


def step_of(study: Study, content: Mapping[str, Any]) -> Step:
    """The step that an exchange asks for; raises where results cannot be recorded."""
    settled: list[tuple[PullKey, Measured | Failure]] = [
        (key_of(one["pull"]), _measured(study, one)) for one in content.get("tell", ())
    ]
    settled += [(key_of(one["pull"]), _failure(one)) for one in content.get("fail", ())]
    settled.sort(key=lambda one: one[0].number)  # in the order of asking, so that none waits for another
    return Step(
        settled,
        content.get("ask", 0),
        writable(content.get("process") or _worker(content.get("worker"))),
        content.get("max_evaluations"),
        [key_of(one) for one in content.get("release", ())],
    )


def _worker(given: str | None) -> str:
    """Not the name of a process: whether that of a client is there cannot be seen from here."""
    return f"{given.replace('@', ' ')}@{NOBODY}" if given else NOBODY


def _failure(one: Mapping[str, Any]) -> Failure:
    cost = one.get("cost")
    if cost is not None and not (is_number(cost) and cost >= 0):
        raise InvalidCommand(f"Expected a number of 0 or more for 'cost', got {cost!r:.60}.")
    kind, by = one.get("kind", "failed"), one.get("by_exception", "")
    known = None if cost is None else float(cost)
    return Failure(one["reason"], kind, traceback=one.get("traceback", ""), cost=known, by_exception=by)


def _measured(study: Study, one: Mapping[str, Any]) -> Measured | Failure:
    if "results" in one:
        return study.settled(one["results"], one.get("baseline"), one["pull"])
    if "measured" not in one:
        raise InvalidCommand("Expected 'results' of each pull that is told.")
    return _again(study, one["pull"], one["measured"])


def _again(study: Study, pull: str, given: Mapping[str, Any]) -> Measured | Failure:
    """Results that a client has checked, checked here."""
    names = study.measured_names(pull, len(given["values"]))
    beside = given.get("baseline", [])
    if len(given["values"]) != len(names) or len(beside) not in (0, len(names)):
        raise InvalidCommand(f"Expected {len(names)} results of {pull}, in the order {', '.join(names)}.")
    results = {**given.get("also", {}), **dict(zip(names, given["values"], strict=True))}
    baseline = dict(zip(names, beside, strict=True)) if beside else None
    if "cost" in given:
        for metric in study.spec.reported:
            results.setdefault(metric, given["cost"])
            if baseline is not None:
                baseline.setdefault(metric, 0.0)
    return study.settled(results, baseline, pull)


LOOK_AGAIN_SECONDS = 1.0
"""How often it is looked whether there is something to evaluate for who waits: a lease may have ended."""

MOST_NAMES = 1000
"""Names of studies in requests that are remembered."""

Meaning = Callable[[Mapping[str, Any]], Mapping[str, Any]]

MEANINGS: dict[str, Meaning] = {
    "/api/ask": asked,
    "/api/tell": told,
    "/api/fail": failed,
    "/api/release": released,
    "/api/exchange": lambda content: content,
}
"""The requests that are steps, and which: each is an exchange."""

_encode = json.JSONEncoder(separators=(",", ":")).encode


class Steps:
    """Answers steps, and leaves all other requests to the application behind it."""

    def __init__(self, app: ASGIApp, committers: Committers) -> None:
        self._app, self._committers = app, committers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        meaning = MEANINGS.get(scope["path"]) if scope["type"] == "http" else None
        if meaning is None:
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        try:
            response = await self._answered(request, meaning)
        except SatisficeError as error:
            response = await refused(request, error)
        except Refused as error:
            response = await not_read(request, error)
        except HTTPException as error:
            response = await no_such_path(request, error)
        except Exception as error:
            response = await fault(request, error)
        await response(scope, receive, send)

    async def _answered(self, request: Request, meaning: Meaning) -> Response:
        if request.method != "POST":
            raise HTTPException(405, headers={"Allow": "POST"})
        content = meaning(await content_in(request))
        committer = await committer_for(self._committers, request)
        until = time.monotonic() + content.get("wait", 0)
        answer = await committer.step(lambda study: step_of(study, content))
        while content.get("ask") and not _is_over(answer) and (left := until - time.monotonic()) > 0:
            await committer.moved(min(left, LOOK_AGAIN_SECONDS))
            if await request.is_disconnected():
                break  # nobody would hear of a pull
            rest = {name: value for name, value in content.items() if name not in ("tell", "fail", "release")}
            answer = await committer.step(lambda study, rest=rest: step_of(study, rest))  # type: ignore[misc]
        return said(answer)


async def content_in(request: Request) -> dict[str, Any]:
    """What a request says, once it is what the operation expects."""
    content: dict[str, Any] = await json_of(request)
    check(BY_ROUTE[request.method, request.scope["path"]].body or {}, content)
    return content


async def committer_for(committers: Committers, request: Request) -> Committer:
    """The committer of the study that a request is about."""
    name, identity = _named_in(request.scope["query_string"])
    known = None if name is None else committers.known(name)
    found = await run_in_threadpool(committers.committer, name) if known is None else known
    if identity not in ("", found.study.identity):
        raise deleted(found.study.name, str(committers.storage))
    return found


@lru_cache(maxsize=MOST_NAMES)
def _named_in(query: bytes) -> tuple[str | None, str]:
    """The study that a query names, the last one if it names several, and the identity that it is to have."""
    found = parse_qs(query.decode("latin-1"), keep_blank_values=True)
    return found.get("study", [""])[-1] or None, found.get("identity", [""])[-1]


def said(answer: Answer) -> Response:
    """What a step came to."""
    pulls = [content_of(pull) for pull in answer.pulls]
    return sent({"pulls": pulls, "outcome": answer.outcome, "stopped": answer.stopped})


def sent(content: Any) -> Response:
    return Response(_encode(content), media_type="application/json")


def _is_over(answer: Answer) -> bool:
    """Whether there is something for who waits, or nothing to wait for."""
    return bool(answer.pulls) or answer.outcome != Outcome.UNDECIDED or answer.stopped is not None
