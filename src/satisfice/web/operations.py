"""The operations of the service: one table, from which requests are checked and the OpenAPI 3.1 document is made."""

from typing import Any, NamedTuple

from satisfice.errors import InvalidCommand
from satisfice.given import shown
from satisfice.web.security import Scope

Shape = dict[str, Any]

MOST_AT_ONCE = 1000
"""Pulls or results in one request."""

LONGEST_WAIT_SECONDS = 60


def text(says: str, most: int = 200, **more: Any) -> Shape:
    return {"type": "string", "maxLength": most, "description": says, **more}


def number(says: str, **more: Any) -> Shape:
    return {"type": "number", "description": says, **more}


def whole(says: str, least: int = 0, most: int = 2**53, **more: Any) -> Shape:
    return {"type": "integer", "minimum": least, "maximum": most, "description": says, **more}


def anything(says: str) -> Shape:
    return {"description": says}


def some(of: Shape, says: str, most: int = MOST_AT_ONCE, least: int = 0) -> Shape:
    return {"type": "array", "items": of, "minItems": least, "maxItems": most, "description": says}


def record(says: str, needed: tuple[str, ...] = (), *, closed: bool = True, **properties: Shape) -> Shape:
    shape: Shape = {"type": "object", "description": says, "properties": properties}
    shape |= {"required": list(needed)} if needed else {}
    return shape | ({"additionalProperties": False} if closed else {})


KINDS: dict[str, tuple[str, tuple[type, ...]]] = {
    "string": ("a text", (str,)),
    "number": ("a number", (int, float)),
    "integer": ("a whole number", (int,)),
    "boolean": ("true or false", (bool,)),
    "array": ("a list", (list,)),
    "object": ("an object", (dict,)),
    "null": ("null", (type(None),)),
}


def check(shape: Shape, value: Any, what: str = "the request") -> None:
    """InvalidCommand, in a sentence, unless the value is of that shape."""
    kinds = shape.get("type", [])
    if isinstance(kinds, str) and type(value) in KINDS[kinds][1]:
        names: list[str] = []  # as most often
    else:
        names = [kinds] if isinstance(kinds, str) else kinds
    if names and not any(_is(value, name) for name in names):
        expected = " or ".join(KINDS[name][0] for name in names)
        raise InvalidCommand(f"Expected {expected} for {what}, got {shown(value, 60)}.")
    if "enum" in shape and value not in shape["enum"]:
        known = ", ".join(map(repr, shape["enum"]))
        raise InvalidCommand(f"Expected one of {known} for {what}, got {shown(value, 60)}.")
    if isinstance(value, str):
        _check_length(shape, len(value), "Length", "characters", what)
    elif isinstance(value, list):
        _check_length(shape, len(value), "Items", "entries", what)
        for place, one in enumerate(value):
            check(shape.get("items", {}), one, f"entry {place} of {what}")
    elif isinstance(value, dict):
        _check_record(shape, value, what)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        low, high = shape.get("minimum"), shape.get("maximum")
        if (low is not None and value < low) or (high is not None and value > high):
            limits = f"at least {low}" if high is None else f"from {low} to {high}"
            raise InvalidCommand(f"Expected {limits} for {what}, got {shown(value, 60)}.")


def _is(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, KINDS[name][1])


def _check_length(shape: Shape, length: int, of: str, unit: str, what: str) -> None:
    low, high = shape.get(f"min{of}", 0), shape.get(f"max{of}")
    if length < low or (high is not None and length > high):
        limits = f"at least {low}" if length < low else f"at most {high:,}"
        raise InvalidCommand(f"Expected {limits} {unit} for {what}, got {length:,}.")


def _check_record(shape: Shape, value: dict[str, Any], what: str) -> None:
    properties = shape.get("properties", {})
    for name in shape.get("required", ()):
        if name not in value:
            raise InvalidCommand(f"Expected {name!r} in {what}: {properties[name].get('description', 'it is needed')}")
    for name, one in value.items():
        if name in properties:
            check(properties[name], one, f"{name!r}")
        elif shape.get("additionalProperties") is False:
            known = ", ".join(map(repr, properties)) or "nothing"
            raise InvalidCommand(f"{shown(name, 60)} is not expected in {what}. Known: {known}.")


PULL_ID = text("The id of a pull, as ask gave it.", 200)
RESULTS = record(
    "A number for each metric, or a list of numbers where a percentile or a share is limited.", closed=False
)
BASELINE = record("The baseline's results beside them, where a limit looks at it.", closed=False)
COST = number("What it has cost, where evaluations report that.")
MEASURED = record(
    "Results that a Python client has checked, in the order of the study's metrics.",
    ("values",),
    values=some(anything("A number, or a list of numbers."), "The results."),
    baseline=some(anything("A number, or a list of numbers."), "The baseline's."),
    cost=COST,
    also=record("Results that no limit is about.", closed=False),
)
TOLD = record("An evaluation.", ("pull",), pull=PULL_ID, results=RESULTS, baseline=BASELINE, measured=MEASURED)
FAILED = record(
    "A failed evaluation.",
    ("pull", "reason"),
    pull=PULL_ID,
    reason=text("Why there are no results.", 10_000),
    cost=COST,
    kind=text("What kind of failure.", enum=["failed", "not measured", "ruled out"]),
    traceback=text("Where it came from.", 20_000),
    by_exception=text("What it leads to.", enum=["", "retry", "worst"]),
)
WORKER = text("A name for who evaluates; shown while it does.")
WAIT = number("For how many seconds to wait until there is a pull.", minimum=0, maximum=LONGEST_WAIT_SECONDS)
LIMIT = whole("The most evaluations that the whole study may have.")
PULLS = some(PULL_ID, "Pulls by their ids.", least=1)
EXCEPTIONS = some(text("The name of an exception."), "Types of exceptions that were told apart.")
POLICY = record(
    "What to change.",
    on_error=text("What a failed evaluation leads to.", enum=["stop", "retry", "worst"]),
    retries=whole("How often it is tried again.", most=10**6),
    worst=record("What counts as the worst, by metric.", closed=False),
    on_lost=text("What a lost worker leads to.", enum=["reissue", "worst", "stop"]),
    max_evaluations={**LIMIT, "type": ["integer", "null"]},
    max_cost={"type": ["number", "null"], "description": "The most that the whole study may cost."},
    timeout={"type": ["number", "null"], "description": "Seconds for an evaluation, for the record."},
    jobs=whole("Evaluations at a time, for the record.", most=10**6),
    retry_on=EXCEPTIONS,
    worst_on=EXCEPTIONS,
    wait_on=EXCEPTIONS,
    strict={"type": "boolean", "description": "Whether a check that fails withholds the verdict."},
    outputs=some(text("The name of a file."), "Files that the program was seen to write."),
    revision=text("What is measured, such as a commit.", 500),
)
NEW = record(
    "What a study asks, as `create_study` takes it.",
    ("thresholds",),
    name=text("The name of the study.", 500),
    configs={"type": ["object", "array"], "description": "Names, or parameters by name, or a list of parameters."},
    grid=record("Values by parameter: all combinations are configurations.", closed=False),
    thresholds=some(text("A limit, such as 'latency_ms <= 100 ~ 5'.", 1000), "What must pass.", least=1),
    error_rate=number("How often the verdict may be wrong."),
    goal={"type": ["string", "integer"], "description": "'any', 'all' or how many."},
    rule=text("How the next configuration is chosen."),
    stopping=text("What decides."),
    seed=whole("Of the order in which configurations are looked at."),
    load_if_exists={"type": "boolean", "description": "Whether to go on with a study that asks the same."},
    on_error=POLICY["properties"]["on_error"],
    retries=POLICY["properties"]["retries"],
    worst=POLICY["properties"]["worst"],
    on_lost=POLICY["properties"]["on_lost"],
    strict=POLICY["properties"]["strict"],
    max_evaluations=LIMIT,
    max_cost=number("The most that the whole study may cost."),
    lease_seconds=number("For how long a worker may be silent before somebody else gets its pull."),
    baseline={"type": ["string", "object"], "description": "What limits such as 'x <= baseline + 3%' compare with."},
    cost={"type": ["string", "number", "object"], "description": "What an evaluation costs."},
    revision=text("What is measured, such as a commit.", 500),
)
PULL = record(
    "An evaluation to make.",
    ("id", "name", "parameters", "repeat"),
    closed=False,
    id=PULL_ID,
    name=text("The configuration.", 10**6),
    parameters=record("Its parameters.", closed=False),
    repeat=whole("How often it was asked for before."),
)
ANSWER = record(
    "What a step came to; it is durable by now.",
    ("pulls", "outcome", "stopped"),
    closed=False,
    pulls=some(PULL, "What to evaluate next; none once there is a verdict."),
    outcome=text("The verdict so far.", enum=["FOUND", "NONE", "UNDECIDED"]),
    stopped={"type": ["string", "null"], "description": "Why the study stopped, if a failed evaluation stopped it."},
)
DONE = record("It is done.", closed=False)
ANY = record("As the words say.", closed=False)


class Operation(NamedTuple):
    """One thing that the service can be asked to do, by whom, and what it takes and gives."""

    method: str
    path: str
    name: str
    says: str
    scope: Scope
    body: Shape | None = None
    answer: Shape = ANY
    query: tuple[tuple[str, Shape], ...] = ()
    kind: str = "application/json"


STUDY = (
    ("study", text("The study's name; may be left out where there is one only.", 500)),
    ("identity", text("Its identity, with which pull ids begin: one that got its name later is refused.", 64)),
)
AFTER = ("after", whole("The position after which to begin.", default=0))
MOST = ("most", whole("The largest number of events to return.", 1, 5000, default=5000))
COMPLETE = {"type": "boolean", "description": "Whether to wait until all is known of each.", "default": False}
READ, WORK, ADMIN = Scope.READ, Scope.WORK, Scope.ADMIN
ASK = record(
    "How much to ask for.",
    n=whole("The largest number of pulls to ask for.", 1, MOST_AT_ONCE, default=1),
    wait=WAIT,
    worker=WORKER,
    max_evaluations=LIMIT,
)
TELL = record("A result.", ("pull", "results"), pull=PULL_ID, results=RESULTS, baseline=BASELINE)
FAIL = record("A failure.", ("pull", "reason"), pull=PULL_ID, reason=FAILED["properties"]["reason"], cost=COST)
EXCHANGE = record(
    "Results, failures, pulls to give back, and how many to ask for.",
    tell=some(TOLD, "Results."),
    fail=some(FAILED, "Failures."),
    release=some(PULL_ID, "Pulls to give back."),
    ask=whole("The largest number of pulls to ask for.", 0, MOST_AT_ONCE, default=0),
    wait=WAIT,
    worker=WORKER,
    process=text("The name of the process that evaluates, from a Python client.", 500),
    max_evaluations=LIMIT,
)
FIRST = record(
    "A study that a Python client has described.",
    ("name", "first"),
    name=text("The name of the study.", 500),
    first=record("The first event of its log.", closed=False),
)

OPERATIONS = (
    Operation(
        *("GET", "/api/studies", "list_studies", "The studies, with what is known of each.", READ, None, ANY),
        (("complete", COMPLETE),),
    ),
    Operation("POST", "/api/studies", "create_study", "Create a study.", ADMIN, NEW),
    Operation("DELETE", "/api/studies", "delete_study", "Delete a study for good.", ADMIN, None, DONE, STUDY),
    Operation(
        *("GET", "/api/view", "view", "A study as `satisfice status --json` prints it.", READ, None, ANY),
        (
            *STUDY,
            ("forecast", {"type": "boolean", "description": "Whether to simulate what is left.", "default": False}),
        ),
    ),
    Operation("POST", "/api/ask", "ask", "What to evaluate next; waits for it if asked to.", WORK, ASK, ANSWER, STUDY),
    Operation(
        "POST", "/api/tell", "tell", "Record results; to repeat the same is harmless.", WORK, TELL, ANSWER, STUDY
    ),
    Operation("POST", "/api/fail", "fail", "Record that a pull has no results, and why.", WORK, FAIL, ANSWER, STUDY),
    Operation(
        "POST", "/api/exchange", "exchange", "Tell, fail, release and ask in one step.", WORK, EXCHANGE, ANSWER, STUDY
    ),
    Operation(
        *("POST", "/api/heartbeat", "heartbeat", "Say that pulls are still evaluated.", WORK),
        *(record("Pulls.", ("pulls",), pulls=PULLS), DONE, STUDY),
    ),
    Operation(
        *("POST", "/api/release", "release", "Give pulls back without results.", WORK),
        *(record("Pulls.", ("pulls",), pulls=PULLS), ANSWER, STUDY),
    ),
    Operation(
        "POST", "/api/resume", "resume", "Go on after a failure stopped it.", ADMIN, record("Nothing."), ANSWER, STUDY
    ),
    Operation("POST", "/api/policy", "change_policy", "Say anew what failures lead to.", ADMIN, POLICY, ANSWER, STUDY),
    Operation(
        *("GET", "/api/events", "events", "What happens in a study: a snapshot, then what changes.", READ),
        *(None, ANY, STUDY, "text/event-stream"),
    ),
    Operation(
        *("GET", "/api/config", "config", "One configuration with its raw results.", READ, None, ANY),
        (*STUDY, ("config", whole("Its place in the list, from 0."))),
    ),
    Operation(
        "GET", "/api/log", "read_log", "The sealed log after a position.", READ, None, ANY, (*STUDY, AFTER, MOST)
    ),
    Operation(
        *("GET", "/api/snapshot", "snapshot", "The latest copy of the state, for clients that check it.", READ),
        *(None, ANY, STUDY),
    ),
    Operation("POST", "/api/log", "begin_log", "Create a study from its first event.", ADMIN, FIRST, DONE),
    Operation("GET", "/api/summaries", "summaries", "Name, identity, creation and events of each.", READ),
    Operation("GET", "/metrics", "metrics", "For Prometheus.", READ, None, ANY, (), "application/openmetrics-text"),
    Operation("GET", "/health", "health", "Whether the server answers.", READ),
    Operation("GET", "/openapi.json", "openapi", "This document.", READ),
)
BY_ROUTE = {(one.method, one.path): one for one in OPERATIONS}


def scope_needed(method: str, path: str) -> Scope:
    """What a request needs; what is in no table, nothing but to look if it asks only, and all that there is if not."""
    found = BY_ROUTE.get((method, path))
    if found is not None:
        return found.scope
    return Scope.READ if method in ("GET", "HEAD") else Scope.ADMIN


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
    431: "Its head is too large.",
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
