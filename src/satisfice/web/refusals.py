"""What the service answers where it does not do what is asked: errors as problems of HTTP, in their own sentences."""

import logging

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from satisfice import errors
from satisfice.errors import SatisficeError
from satisfice.web.limits import Refused
from satisfice.web.security import problem

log = logging.getLogger(__name__)

STATUSES: tuple[tuple[type[SatisficeError], int], ...] = (
    (errors.UnknownStudy, 404),
    (errors.UnknownPull, 404),
    (errors.PullAlreadyTold, 409),
    (errors.PullReissued, 409),
    (errors.StudyExists, 409),
    (errors.StudyStopped, 409),
    (errors.UntrustedCode, 403),
    (errors.StorageError, 503),
    (errors.DamagedLog, 503),
)
"""Of what is refused; anything else is 422: it is not what was expected."""

TITLES = {
    403: "That needs trust.",
    404: "There is no such thing.",
    409: "That contradicts what is recorded.",
    422: "That is not what was expected.",
    503: "The storage does not answer.",
}


async def refused(request: Request, error: Exception) -> Response:
    """An error of ours in its own sentence."""
    status = next((status for kind, status in STATUSES if isinstance(error, kind)), 422)
    headers = {"retry-after": "1"} if status == 503 else {}
    return problem(status, TITLES[status], detail=str(error), error=type(error).__name__, headers=headers)


async def not_read(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return problem(error.status, error.title, detail=error.detail, headers={"connection": "close"})


async def no_such_path(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    advice = "/openapi.json says what there is."
    return problem(error.status_code, str(error.detail), detail=advice, headers=dict(error.headers or {}))


async def fault(request: Request, error: Exception) -> Response:
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return problem(500, "The server failed.", detail="That is a fault of satisfice; its log has the traceback.")
