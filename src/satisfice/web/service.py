"""The service for workers in any language: ask, tell and the rest over HTTP, beside the dashboard's page.

Prometheus reads the counts of all studies in the text of OpenMetrics.
"""

import json
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from satisfice import errors
from satisfice.errors import InvalidCommand, InvalidSpec, SatisficeError, UntrustedCode
from satisfice.given import is_digits
from satisfice.layout.numbers import to_digits
from satisfice.noise import NOISE_MODELS
from satisfice.problem.grammar import noise_name
from satisfice.search.verdict import Outcome
from satisfice.show.as_json import study_document
from satisfice.study import StudyView
from satisfice.study.configs import grid
from satisfice.study.create import create_study
from satisfice.study.event_checks import opened_spec
from satisfice.study.events import BEFORE_ALL, Kind, sealed
from satisfice.study.policy import NAMED
from satisfice.study.snapshots import kept
from satisfice.study.storage.http import MOST_EVENTS, snapshot_content
from satisfice.study.storage.protocol import Deletes, Snapshot, Storage
from satisfice.study.transaction import Step
from satisfice.web.app import OPEN_PATHS, page_routes
from satisfice.web.group_commit import Committers
from satisfice.web.limits import Rates, Refused
from satisfice.web.operations import openapi, scope_needed
from satisfice.web.refusals import fault, no_such_path, not_read, refused
from satisfice.web.security import Access, Guard
from satisfice.web.steps import Steps, committer_for, content_in, said, sent
from satisfice.web.studies import Studies

KIND = "application/openmetrics-text; version=1.0.0; charset=utf-8"
MOST_CONFIGS = 1000
"""In studies of more, which configuration leads is not looked for."""

COUNTERS = (
    ("satisfice_evaluations", "Results that were recorded.", "told"),
    ("satisfice_failures", "Evaluations that failed.", "failed"),
    ("satisfice_reissued", "Evaluations that were given out again.", "reissued"),
)
GAUGES: tuple[tuple[str, str, Callable[[StudyView], int]], ...] = (
    ("satisfice_waiting", "Results that wait for one that was asked for earlier.", lambda view: view.counts.held),
    ("satisfice_outstanding", "Evaluations that are being made.", lambda view: sum(view.running.values())),
)


def metrics(views: Iterable[StudyView]) -> str:
    """All numbers of these studies."""
    seen = list(views)
    lines: list[str] = []
    for name, says, count in COUNTERS:
        lines += [f"# TYPE {name} counter", f"# HELP {name} {says}"]
        lines += [f"{name}_total{_labels(view)} {getattr(view.counts, count)}" for view in seen]
    for name, says, number in GAUGES:
        lines += [f"# TYPE {name} gauge", f"# HELP {name} {says}"]
        lines += [f"{name}{_labels(view)} {number(view)}" for view in seen]
    name = "satisfice_evidence"
    lines += [f"# TYPE {name} gauge", f"# HELP {name} Share of the evidence that accepting the leading one needs."]
    lines += [
        f"{name}{_labels(view)} {to_digits(max(map(view.leaning, view.spec.names)), 6)}"
        for view in seen
        if len(view.spec.names) <= MOST_CONFIGS
    ]
    lines += ["# TYPE satisfice_verdict stateset", "# HELP satisfice_verdict The verdict so far."]
    for view in seen:
        for outcome in Outcome:
            state = _labels(view, satisfice_verdict=str(outcome))
            lines.append(f"satisfice_verdict{state} {int(view.verdict.outcome is outcome)}")
    return "\n".join([*lines, "# EOF", ""])


def _labels(view: StudyView, **more: str) -> str:
    written = ",".join(f'{name}="{_escaped(value)}"' for name, value in {"study": view.name, **more}.items())
    return f"{{{written}}}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


class Service:
    """Answers what workers ask of the studies of a storage, which this process alone is to serve."""

    def __init__(self, committers: Committers, studies: Studies) -> None:
        self._committers, self._studies = committers, studies
        self._document = json.dumps(openapi()).encode()

    async def heartbeat(self, request: Request) -> Response:
        content = await content_in(request)
        committer = await committer_for(self._committers, request)
        await committer.act(lambda study: study.heartbeat(*content["pulls"]))
        return sent({})

    async def resume(self, request: Request) -> Response:
        await content_in(request)
        committer = await committer_for(self._committers, request)
        return said(await committer.step(lambda study: Step(resumes=True)))

    async def policy(self, request: Request) -> Response:
        content = await content_in(request)
        for name in NAMED:
            if name in content:
                content[name] = tuple(content[name])
        committer = await committer_for(self._committers, request)
        await committer.act(lambda study: study.change_policy(**content))
        return said(await committer.step(lambda study: Step()))

    async def view(self, request: Request) -> Response:
        committer = await committer_for(self._committers, request)
        given = request.query_params.get("forecast", "false")
        if given not in ("true", "false"):
            raise InvalidCommand(f"Expected true or false for 'forecast', got {given!r:.60}.")
        view = await committer.act(lambda study: study.view())
        left = await self._studies.forecast(view.name) if given == "true" else None
        return sent(await run_in_threadpool(study_document, view, left))

    async def log(self, request: Request) -> Response:
        """Events as they are in the log, some at a time."""
        committer = await committer_for(self._committers, request)
        after = _whole(request, "after", "0", "a position of the log")
        most = min(max(1, _whole(request, "most", str(MOST_EVENTS), "a number of events")), MOST_EVENTS)
        rows = await committer.act(
            lambda study: [
                (event.position, event.kind, event.body, event.digest)
                for event in islice(study.events(after=after), most + 1)
            ]
        )
        return sent({"events": rows[:most], "more": len(rows) > most})

    async def snapshot(self, request: Request) -> Response:
        """What makes a long study open quickly; whoever reads it looks whether the log vouches for it."""
        committer = await committer_for(self._committers, request)
        return sent(
            snapshot_content(await run_in_threadpool(_snapshot, self._committers.storage, committer.study.name))
        )

    async def create(self, request: Request) -> Response:
        content = await content_in(request)
        made = await run_in_threadpool(_created, content, self._committers.storage)
        return sent(made)

    async def begin(self, request: Request) -> Response:
        content = await content_in(request)
        await run_in_threadpool(_begun, content, self._committers.storage, self._committers.trust)
        return sent({})

    async def delete(self, request: Request) -> Response:
        storage, name = self._committers.storage, request.query_params.get("study", "")
        await committer_for(self._committers, request)  # UnknownStudy if there is none
        if not isinstance(storage, Deletes):
            raise InvalidCommand(f"{storage} cannot delete studies.")
        if not name:
            raise InvalidCommand("Expected the name of the study to delete: ?study=NAME.")
        await run_in_threadpool(storage.delete, name)
        await run_in_threadpool(self._committers.forget, name)
        await run_in_threadpool(self._studies.forget, name)
        return sent({})

    async def summaries(self, request: Request) -> Response:
        return sent({"studies": [list(one) for one in await run_in_threadpool(self._committers.storage.studies)]})

    async def metrics(self, request: Request) -> Response:
        """Of the studies that somebody works for here; to open all others would cost more than it tells."""
        committers = [
            self._committers.known(one.name) for one in await run_in_threadpool(self._committers.storage.studies)
        ]
        views = [await committer.act(lambda study: study.view()) for committer in committers if committer is not None]
        return Response(await run_in_threadpool(metrics, views), headers={"content-type": KIND})

    async def openapi(self, request: Request) -> Response:
        return Response(self._document, media_type="application/json")


def service_app(
    storage: Storage, access: Access, *, trust_code: bool = False
) -> tuple[ASGIApp, Callable[[], None], Callable[[], None]]:
    """The web application, how to end its streams, and how to close what it holds."""
    committers, studies = Committers(storage, trust_code=trust_code), Studies(storage, trust_code=trust_code)
    service = Service(committers, studies)
    routes = [
        Route("/api/heartbeat", service.heartbeat, methods=["POST"]),
        Route("/api/resume", service.resume, methods=["POST"]),
        Route("/api/policy", service.policy, methods=["POST"]),
        Route("/api/view", service.view),
        Route("/api/log", service.begin, methods=["POST"]),
        Route("/api/log", service.log),
        Route("/api/snapshot", service.snapshot),
        Route("/api/studies", service.create, methods=["POST"]),
        Route("/api/studies", service.delete, methods=["DELETE"]),
        Route("/api/summaries", service.summaries),
        Route("/metrics", service.metrics),
        Route("/openapi.json", service.openapi),
        *page_routes(studies),
    ]
    handlers: Any = {SatisficeError: refused, Refused: not_read, HTTPException: no_such_path, Exception: fault}
    app = Steps(Starlette(routes=routes, exception_handlers=handlers), committers)
    guard = Guard(app, access, open_paths=OPEN_PATHS, needed=scope_needed, rates=Rates())

    def close() -> None:
        studies.close()
        committers.close()

    return guard, studies.end_streams, close


def _whole(request: Request, name: str, default: str, what: str) -> int:
    given = request.query_params.get(name, default)
    if not is_digits(given):
        raise InvalidCommand(f"Expected {what} for {name!r}, 0 or more, got {given!r:.60}.")
    return int(given)


def _snapshot(storage: Storage, name: str) -> Snapshot | None:
    log = storage.open(name)
    try:
        return kept(log)
    finally:
        log.close()


def _created(content: dict[str, Any], storage: Storage) -> dict[str, Any]:
    given = dict(content)
    configs, over = given.pop("configs", None), given.pop("grid", None)
    if (configs is None) == (over is None):
        raise InvalidCommand("Expected either 'configs' or 'grid', the values of each parameter.")
    if configs is None:
        if not all(isinstance(values, list) for values in over.values()):
            raise InvalidCommand("Expected a list of values for each parameter of 'grid'.")
        configs = grid(**over)
    _refuse_code(given)
    try:
        study = create_study(configs, storage=storage, **given)
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, SatisficeError):
            raise
        raise InvalidSpec(f"This describes no study: {error!s:.300}") from error
    return {"name": study.name, "identity": study.identity, "configs": len(study.spec.names)}


def _refuse_code(given: dict[str, Any]) -> None:
    """What names code of somebody's own is not imported for who asks over HTTP."""
    named = [noise_name(one) for one in given["thresholds"]]
    foreign = [name for name in named if name is not None and NOISE_MODELS.is_foreign(name)]
    foreign += [given[key] for key in ("rule", "stopping") if ":" in given.get(key, "")]
    if foreign:
        raise UntrustedCode(f"{foreign[0]!r:.60} is code of somebody's own, which is not run for who asks over HTTP.")


def _begun(content: dict[str, Any], storage: Storage, trust: bool) -> None:
    """Make a study from the first event of a client, once it is clear that it opens."""
    try:
        first = sealed(BEFORE_ALL, 1, Kind.CREATED, content["first"])
        opened_spec(first, content["name"], trust).search()
    except errors.DamagedLog as error:
        raise InvalidSpec(f"The first event of the log describes no study: {error}") from error
    except SatisficeError:
        raise
    except Exception as error:
        raise InvalidSpec(f"The first event of the log describes no study: {error!r:.200}.") from error
    if not content["name"].strip():
        raise InvalidSpec("The first event of the log describes no study: it has no name.")
    try:
        log = storage.create(content["name"], first)
    except errors.StudyExists:
        log = storage.open(content["name"])
        if next(iter(log.read(0))).digest != first.digest:
            raise
    log.close()
