"""The service as an OpenAPI 3.1 document."""

from typing import Any

from satisfice.web.operations import OPERATIONS, Operation
from satisfice.web.security import Scope
from satisfice.web.shapes import Shape, record, text, whole

PROBLEM = record(
    "What is wrong, as RFC 9457 has it.",
    ("type", "title", "status"),
    closed=False,
    type=text("Always about:blank."),
    title=text("What kind of thing is wrong."),
    status=whole("The status of the answer."),
    detail=text("What was expected, what came and what to do.", 10**6),
    error=text("What it is called in Python."),
)
REFUSALS = {
    400: "It cannot be read.",
    401: "A token is needed.",
    403: "The token does not allow that.",
    404: "There is no such study, pull or configuration.",
    408: "It took too long to arrive.",
    409: "It contradicts what is recorded.",
    413: "It is too large.",
    415: "It is not JSON.",
    421: "The server is not called by that name.",
    422: "It is not what was expected.",
    429: "Too many requests.",
    503: "The storage does not answer.",
}


def openapi() -> dict[str, Any]:
    """The whole document."""
    from satisfice import __version__  # noqa: PLC0415 - the package is loaded by then

    paths: dict[str, Any] = {}
    for one in OPERATIONS:
        paths.setdefault(one.path, {})[one.method.lower()] = _described(one)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "satisfice",
            "version": __version__,
            "description": "Ask which configuration to evaluate, tell what came out, from any language.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": paths,
        "components": {
            "schemas": {"Problem": PROBLEM},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _described(one: Operation) -> dict[str, Any]:
    answers: dict[str, Any] = {"200": {"description": "Done.", "content": _content(one.kind, one.answer)}}
    for status, says in REFUSALS.items():
        content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
        answers[str(status)] = {"description": says, "content": content}
    described: dict[str, Any] = {
        "operationId": one.name,
        "summary": one.says,
        "description": f"Needs a token of the scope {Scope(one.scope).name.lower()}, where tokens are needed.",
        "responses": answers,
    }
    if one.query:
        described["parameters"] = [
            {"name": name, "in": "query", "required": False, "schema": shape} for name, shape in one.query
        ]
    if one.body is not None:
        described["requestBody"] = {"required": True, "content": _content("application/json", one.body)}
    return described


def _content(kind: str, shape: Shape) -> dict[str, Any]:
    return {kind: {"schema": shape if kind == "application/json" else {"type": "string"}}}
