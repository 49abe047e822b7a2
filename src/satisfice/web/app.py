"""The dashboard as a web application: the page, the list of studies, and the events of one of them as they happen."""

from collections.abc import AsyncGenerator
from functools import lru_cache, partial

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from satisfice.errors import SatisficeError, StorageError, UnknownStudy
from satisfice.given import is_digits
from satisfice.web.assets import Asset, assets
from satisfice.web.feed import Feed, Update
from satisfice.web.security import Access, Guard, problem
from satisfice.web.studies import Bell, Studies

ALIVE_SECONDS = 15.0
"""How long there may be no news before an empty line is sent, by which it is noticed who is gone."""


@lru_cache(maxsize=16)
def event(kind: str, update: Update) -> bytes:
    """An event of the stream, written once for all who read it; its id is the position of the log."""
    return f"event: {kind}\nid: {update.position}\ndata: {update.text}\n\n".encode()


async def stream(feed: Feed, bell: Bell, last: int | None, key: str) -> AsyncGenerator[bytes]:
    """A snapshot, or what came since the position `last`, and then what changes."""
    feed.join()
    try:
        serial = None if last is None else feed.since(last, key)
        if serial is None:
            update = await run_in_threadpool(feed.snapshot)
            serial = update.serial
            yield event("snapshot", update)
        while not bell.last_call:
            news = feed.after(serial)
            if news is None:  # too slow: what it missed is forgotten
                update = await run_in_threadpool(feed.snapshot)
                serial = update.serial
                yield event("snapshot", update)
                continue
            for update in news:
                serial = update.serial
                yield event("delta", update)
            if not news:
                rung = await bell.wait(ALIVE_SECONDS)
                if not rung:
                    yield b": still here\n\n"
    finally:
        feed.leave()


MOST_STREAMS = 1000
"""Browsers at a time."""

OPEN_PATHS = ("/", "/health", "/static/")
"""What is no secret: the page itself, without a study in it."""


class Dashboard:
    """Answers what a browser asks about the studies of a storage."""

    def __init__(self, studies: Studies) -> None:
        self._studies = studies
        self._streams = 0
        self._assets = assets()

    # in the event loop, without a thread: these are answered even if all threads are busy
    async def page(self, request: Request) -> Response:
        return self._sent("index.html", request)

    async def static(self, request: Request) -> Response:
        return self._sent(request.path_params["path"], request)

    def _sent(self, path: str, request: Request) -> Response:
        found: Asset | None = self._assets.get(path)
        if found is None:
            return problem(404, "There is no such file.")
        headers = {"etag": found.tag, "cache-control": "no-cache", "vary": "accept-encoding"}
        if request.headers.get("if-none-match") == found.tag:
            return Response(status_code=304, headers=headers)
        packed = "gzip" in request.headers.get("accept-encoding", "")
        if packed:
            headers["content-encoding"] = "gzip"
        return Response(found.packed if packed else found.content, media_type=found.kind, headers=headers)

    async def health(self, request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def studies(self, request: Request) -> Response:
        complete = request.query_params.get("complete") == "true"
        listed = await run_in_threadpool(partial(self._studies.listed, complete=complete))
        return JSONResponse({"storage": self._studies.where, "studies": listed})

    async def events(self, request: Request) -> Response:
        """What happens in a study, as a stream."""
        if self._streams >= MOST_STREAMS:
            return problem(503, "Too many browsers look at this server.", detail="Close some, or try again later.")
        feed, bell = await run_in_threadpool(self._studies.feed, request.query_params.get("study", ""))
        last = request.headers.get("last-event-id", "")
        position = int(last) if is_digits(last) else None
        chunks = self._counted(stream(feed, bell, position, request.query_params.get("feed", "")))
        return StreamingResponse(chunks, media_type="text/event-stream", headers={"cache-control": "no-store"})

    async def _counted(self, chunks: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
        self._streams += 1
        try:
            async for chunk in chunks:
                yield chunk
        finally:
            self._streams -= 1
            await chunks.aclose()

    async def config(self, request: Request) -> Response:
        """One configuration with its raw results."""
        feed, _ = await run_in_threadpool(self._studies.feed, request.query_params.get("study", ""))
        place = request.query_params.get("config", "")
        found = await run_in_threadpool(feed.config, int(place) if is_digits(place, 11) else -1)
        if found is None:
            return problem(404, "There is no such configuration.", detail="Give its place in the list, from 0.")
        return JSONResponse(found, headers={"cache-control": "no-store"})


async def _refused(request: Request, error: Exception) -> Response:
    """An error of ours in its own sentence."""
    status = 404 if isinstance(error, UnknownStudy) else 503 if isinstance(error, StorageError) else 422
    return problem(status, "That study cannot be shown.", detail=str(error))


def page_routes(studies: Studies) -> list[Route]:
    """The page and what it reads."""
    board = Dashboard(studies)
    return [
        Route("/", board.page),
        Route("/health", board.health),
        Route("/static/{path:path}", board.static),
        Route("/api/studies", board.studies),
        Route("/api/events", board.events),
        Route("/api/config", board.config),
    ]


def dashboard_app(studies: Studies, access: Access) -> Starlette:
    """The web application; `Guard` stands before all of it."""
    guard = Middleware(Guard, access=access, open_paths=OPEN_PATHS)
    handlers = {SatisficeError: _refused}
    return Starlette(routes=page_routes(studies), middleware=[guard], exception_handlers=handlers)
