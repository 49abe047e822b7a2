"""A study that somebody else deletes while a server works for it, and one of the same name that comes after it."""

import httpx
import pytest

import satisfice as sf
from satisfice.study.verify import verify
from tests.web.serving import served

NEW = {"configs": ["a", "b"], "thresholds": ["ok >= 0.5 ~ 0.2 : bernoulli"], "name": "s"}
NAMED = {"study": "s"}


def asked(web: httpx.Client) -> str:
    return str(web.post("/api/ask", params=NAMED, json={}).json()["pulls"][0]["id"])


REQUESTS = {
    "ask": {},
    "tell": {"results": {"ok": 1}},
    "fail": {"reason": "no luck"},
    "heartbeat": {},
    "release": {},
    "resume": {},
    "view": None,
    "log": None,
}


@pytest.mark.parametrize("path", REQUESTS)
@pytest.mark.parametrize("anew", [False, True], ids=["gone", "another of its name"])
def test_a_study_that_another_server_deleted(sqlite: str, path: str, anew: bool) -> None:
    with served(sqlite) as one, served(sqlite) as two:
        one.post("/api/studies", json=NEW).raise_for_status()
        pull = asked(two)
        asked(one)
        one.delete("/api/studies", params=NAMED).raise_for_status()
        if anew:
            one.post("/api/studies", json=NEW).raise_for_status()
            asked(one)
        content = REQUESTS[path]
        if content is None:
            came = two.get(f"/api/{path}", params=NAMED)
        else:
            content = content if path in ("ask", "resume") else content | {"pull": pull}
            content = {"pulls": [pull]} if path in ("heartbeat", "release") else content
            came = two.post(f"/api/{path}", params=NAMED, json=content)
        assert (came.status_code, came.json()["error"]) == (404, "UnknownStudy")
        assert "deleted" in came.json()["detail"]
        if anew:
            assert asked(two)
            assert two.get("/api/view", params=NAMED).json()["counts"]["asked"] == 2
            assert verify(sqlite).ok
        else:
            assert "Studies there: none" in two.post("/api/ask", params=NAMED, json={}).json()["detail"]


def test_a_verdict_of_a_study_that_is_gone_is_not_that_of_the_next_one(sqlite: str) -> None:
    with served(sqlite) as one, served(sqlite) as two:
        one.post("/api/studies", json=NEW).raise_for_status()
        while two.post("/api/ask", params=NAMED, json={"n": 9}).json()["outcome"] == "UNDECIDED":
            with sf.load_study(sqlite) as study:
                told = [{"pull": open_one.pull.id, "results": {"ok": 1}} for open_one in study.outstanding()]
            two.post("/api/exchange", params=NAMED, json={"tell": told}).raise_for_status()
        one.delete("/api/studies", params=NAMED).raise_for_status()
        one.post("/api/studies", json=NEW).raise_for_status()
        assert two.post("/api/ask", params=NAMED, json={}).status_code == 404
        assert two.post("/api/ask", params=NAMED, json={}).json()["outcome"] == "UNDECIDED"
