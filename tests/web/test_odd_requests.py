"""Requests that could be read in two ways are refused, and record nothing."""

from collections.abc import Iterator

import httpx
import pytest

import satisfice as sf
from satisfice.errors import UnknownPull
from satisfice.study.pull import key_of
from tests.web.serving import served

NEW = {"configs": ["a", "b"], "thresholds": ["ok >= 0.5 ~ 0.2 : bernoulli"]}
JSON = {"content-type": "application/json"}


@pytest.fixture
def web(sqlite: str) -> Iterator[httpx.Client]:
    with served(sqlite) as client:
        client.post("/api/studies", json=NEW)
        yield client


@pytest.mark.parametrize(
    ("path", "content", "key"),
    [
        ("tell", '{"pull": "%s", "results": {"ok": 1, "ok": 0}}', "ok"),
        ("tell", '{"pull": "%s", "results": {"ok": 1}, "results": {"ok": 0}}', "results"),
        ("exchange", '{"tell": [{"pull": "%s", "results": {"ok": 1, "\\u006fk": 1}}]}', "ok"),
        ("ask", '{"n": 1, "n": 2}', "n"),
        ("release", '{"pulls": ["%s"], "pulls": []}', "pulls"),
        ("studies", '{"configs": {"a": {"n": 1}, "a": {"n": 2}}, "thresholds": ["x <= 1"]}', "a"),
    ],
)
def test_a_key_that_stands_twice_is_refused(web: httpx.Client, path: str, content: str, key: str) -> None:
    """Once the last of two results counted."""
    pull = web.post("/api/ask", json={}).json()["pulls"][0]["id"]
    before = web.get("/api/log").json()
    came = web.post(f"/api/{path}", content=content.replace("%s", pull), headers=JSON)
    assert came.status_code == 400
    assert f"the key {key!r} stands twice in an object" in came.json()["detail"]
    assert web.get("/api/log").json() == before


def test_the_same_key_in_two_objects_is_read(web: httpx.Client) -> None:
    pulls = [one["id"] for one in web.post("/api/ask", json={"n": 2}).json()["pulls"]]
    told = [{"pull": one, "results": {"ok": 1}} for one in pulls]
    assert web.post("/api/exchange", json={"tell": told}).status_code == 200


def arabic(digits: str) -> str:
    return "".join(chr(0x660 + int(one)) for one in digits)


def test_ids_of_pulls_have_the_digits_0_to_9(web: httpx.Client) -> None:
    """Once those of any script were numbers."""
    study, number, attempt = web.post("/api/ask", json={}).json()["pulls"][0]["id"].split(":")
    before = web.get("/api/log").json()
    for odd in (
        f"{study}:{arabic(number)}:{attempt}",
        f"{study}:{number}:{arabic(attempt)}",
        f"{study}:{number}:\u00b2",
    ):
        for path, content in (
            ("tell", {"pull": odd, "results": {"ok": 1}}),
            ("fail", {"pull": odd, "reason": "x"}),
            ("release", {"pulls": [odd]}),
            ("heartbeat", {"pulls": [odd]}),
        ):
            came = web.post(f"/api/{path}", json=content)
            assert (came.status_code, came.json()["error"]) == (404, "UnknownPull")
    assert web.get("/api/config", params={"config": arabic("1")}).status_code == 404
    assert web.get("/api/log", params={"after": arabic("1")}).status_code == 422
    assert web.get("/api/log").json() == before


@pytest.mark.parametrize("odd", ["a:" + "9" * 5000 + ":0", "a:0:" + "9" * 19, "a:-1:0", "a:1_0:0", "a: 1:0", "a:1:0\n"])
def test_ids_that_are_none(odd: str) -> None:
    """Once 5,000 digits were a ValueError of Python's own."""
    with pytest.raises(UnknownPull, match="Expected a pull that this study asked for"):
        key_of(odd)
    study = sf.create_study(["a"], thresholds=["x <= 1"])
    with pytest.raises(UnknownPull):
        study.tell(odd, {"x": 1})


@pytest.mark.parametrize("text", ["\\ud800", "a\\u0000b"])
def test_texts_of_a_policy_that_cannot_be_written(web: httpx.Client, text: str) -> None:
    """Once they were a fault of the server; files may be called anything, and are named as Python writes them."""
    study = web.get("/api/summaries").json()["studies"][0][0]
    for name in ("retry_on", "worst_on", "wait_on", "outputs"):
        content = f'{{"{name}": ["{text}"]}}'
        assert web.post(f"/api/policy?study={study}", content=content, headers=JSON).status_code == 200, name
    for path, more in (("policy", ""), ("studies", ', "name": "new", "configs": ["a"], "thresholds": ["x <= 1"]')):
        came = web.post(f"/api/{path}", content=f'{{"revision": "{text}"{more}}}', headers=JSON)
        assert came.status_code == 422, path
        assert "cannot be kept" in came.json()["detail"]
