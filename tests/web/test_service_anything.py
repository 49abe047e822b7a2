"""Whatever is sent to the service, as its OpenAPI document describes it or not, it answers, and never with a fault."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.web.serving import served

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
OPTIONS: dict[str, Any] = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    "derandomize": True,
}
TEXTS = ["a", "x <= 1", "x >= 0.5 ~ 0.2 : bernoulli", "any", "0:0:0", "*", "http", ""]


def fitting(shape: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values of a schema, and at times anything else."""
    kinds = shape.get("type", ["null", "string", "number"])
    made = [_of(kind, shape) for kind in ([kinds] if isinstance(kinds, str) else kinds)]
    return st.integers(0, 24).flatmap(lambda odd: ANYTHING if odd == 0 else st.one_of(made))


def _of(kind: str, shape: dict[str, Any]) -> st.SearchStrategy[Any]:
    low, high = shape.get("minimum", -(2**60)), shape.get("maximum", 2**60)
    if "enum" in shape:
        return st.sampled_from(shape["enum"])
    if kind == "string":
        return st.sampled_from(TEXTS) | st.text(max_size=30)
    if kind == "integer":
        return st.integers(low, min(high, low + 5)) | st.integers(low, high)
    if kind == "number":
        return st.just(0) if "maximum" in shape else st.floats(allow_nan=False) | st.integers(0, 3)
    if kind == "array":
        return st.lists(fitting(shape.get("items", {})), min_size=shape.get("minItems", 0), max_size=3)
    if kind == "object":
        properties = {name: fitting(one) for name, one in shape.get("properties", {}).items()}
        needed = {name: properties.pop(name) for name in shape.get("required", ())}
        if not properties and not needed:
            return st.dictionaries(st.sampled_from(["x", "a", "b"]) | st.text(max_size=5), ANYTHING, max_size=3)
        return st.fixed_dictionaries(needed, optional=properties)
    return st.booleans() if kind == "boolean" else st.none()


class Seen(NamedTuple):
    """What was sent and what came back."""

    sent: tuple[Any, ...]
    status: int
    documented: bool
    explained: bool
    healthy: bool
    text: str

    @property
    def sound(self) -> bool:
        """No fault of the server, a status that its document has, in words if it is refused, and it goes on."""
        return self.status < 500 and self.documented and self.explained and self.healthy


def attempt(web: httpx.Client, document: dict[str, Any], data: st.DataObject) -> Seen:
    """Send anything but what would not end, or would end the study that all else is sent to."""
    paths = [(path, method) for path, methods in document["paths"].items() for method in methods]
    path, method = data.draw(st.sampled_from([one for one in paths if one[0] != "/api/events"]))
    operation = document["paths"][path][method]
    query = {
        one["name"]: data.draw(st.sampled_from(["one", "", "nobody", "\0", "-1", "99999999999999999999", "x"]))
        for one in operation.get("parameters", ())
        if data.draw(st.booleans())
    }
    body = operation.get("requestBody")
    content = b""
    if body is not None:
        content = json.dumps(data.draw(fitting(body["content"]["application/json"]["schema"]))).encode()
    assume(method != "delete" or query.get("study") not in ("one", "", None))
    answer = web.request(method, path, params=query, content=content, headers={"content-type": "application/json"})
    is_problem = answer.headers.get("content-type") == "application/problem+json"
    return Seen(
        (method, path, query, content),
        answer.status_code,
        documented=str(answer.status_code) in operation["responses"],
        explained=answer.status_code == 200 or (is_problem and bool(answer.json()["title"])),
        healthy=web.get("/health").status_code == 200,
        text=answer.text,
    )


@pytest.fixture
def service(sqlite: str) -> Iterator[tuple[httpx.Client, dict[str, Any]]]:
    """A service with a study, and its OpenAPI document."""
    with served(sqlite) as web:
        web.post("/api/studies", json={"name": "one", "configs": ["a", "b"], "thresholds": ["x <= 1 : bernoulli"]})
        yield web, web.get("/openapi.json").json()


@settings(max_examples=120, **OPTIONS)
@given(data=st.data())
def test_some_things(service: tuple[httpx.Client, dict[str, Any]], data: st.DataObject) -> None:
    seen = attempt(*service, data)
    assert seen.sound, seen


@pytest.mark.full
@pytest.mark.timeout(1800)
@settings(max_examples=5000, **OPTIONS)
@given(data=st.data())
def test_many_things(service: tuple[httpx.Client, dict[str, Any]], data: st.DataObject) -> None:
    seen = attempt(*service, data)
    assert seen.sound, seen
