"""The dashboard over HTTP: who may read, what is read, and that nothing is written."""

import json
import shutil
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import httpx
import pytest

import satisfice as sf
from satisfice.errors import InvalidCommand, SatisficeError, UnknownStudy
from satisfice.study.storage.protocol import open_storage
from satisfice.web import security
from satisfice.web.app import dashboard_app
from satisfice.web.assets import assets
from satisfice.web.feed import Feed
from satisfice.web.security import Access, access_to, host_of
from satisfice.web.server import bound, serving
from satisfice.web.studies import Studies
from tests.helpers.parts import endless, finish, results_of, study_in


@contextmanager
def client(url: str, access: Access | None = None) -> Iterator[httpx.Client]:
    """A client of a dashboard that is served in another thread."""
    studies = Studies(open_storage(url, read_only=True))
    listener = bound("127.0.0.1", 0)
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    app = dashboard_app(studies, access or access_to("127.0.0.1"))
    with serving(app, listener, studies.end_streams), httpx.Client(base_url=address, timeout=20) as web:
        yield web
    studies.close()


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a study that found something."""
    file = tmp_path_factory.mktemp("finished") / "study.db"
    with study_in(f"sqlite:///{file}") as study:
        finish(study)
    return file


@pytest.fixture
def found(finished: Path, sqlite: str) -> str:
    """A copy of it."""
    shutil.copy(finished, sqlite.removeprefix("sqlite:///"))
    return sqlite


def test_the_list_and_a_configuration(found: str) -> None:
    endless(found, name="other").close()
    with client(found) as web:
        for _ in range(20):
            listed = web.get("/api/studies").json()
            if all("outcome" in one for one in listed["studies"]):
                break
        assert [(one["name"], one["outcome"]) for one in listed["studies"]] == [
            ("other", "UNDECIDED"),
            ("study", "FOUND"),
        ]
        place = sf.load_study(found, "study").spec.places["good"]
        one = web.get("/api/config", params={"study": "study", "config": place}).json()
        assert one["name"] == "good"
        assert one["complete"]
        for wrong in ("99", "-1", "x", ""):
            assert web.get("/api/config", params={"study": "study", "config": wrong}).status_code == 404
        unknown = web.get("/api/events", params={"study": "nobody"})
        assert unknown.status_code == 404
        assert "nobody" in unknown.json()["detail"]


def test_nothing_can_be_written_through_it(found: str, tmp_path: Path) -> None:
    file = tmp_path / "study.db"
    before = sha256(file.read_bytes()).hexdigest()
    with client(found) as web:
        web.get("/api/studies")
        web.get("/api/config", params={"study": "study", "config": 0})
    storage = open_storage(found, read_only=True)
    with (
        pytest.raises(SatisficeError),
        sf.create_study(["a"], ["x <= 1 : bernoulli"], storage=storage, name="new"),
    ):
        pass
    with pytest.raises(SatisficeError):
        sf.load_study(storage, "study").change_policy(max_evaluations=7)
    storage.close()
    with sqlite3.connect(file) as connection:
        assert connection.execute("select count(*) from satisfice_studies").fetchone() == (1,)
    assert sha256(file.read_bytes()).hexdigest() == before


def test_a_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(SatisficeError, match="There is no file"):
        open_storage(f"sqlite:///{tmp_path}/none.db", read_only=True)
    assert not list(tmp_path.iterdir())


def test_what_browsers_are_told(found: str) -> None:
    with client(found) as web:
        page = web.get("/")
        assert page.headers["content-security-policy"].startswith("default-src 'self'")
        assert "set-cookie" not in page.headers
        assert "http" not in page.text.replace("http-equiv", "")  # nothing from elsewhere
        assert web.get("/", headers={"if-none-match": page.headers["etag"]}).status_code == 304
        assert web.get("/static/../app.py").status_code == 404
        assert web.get("/static/%2e%2e/app.py").status_code == 404
        assert web.get("/static/vendor/uPlot.LICENSE.txt").status_code == 200
        assert web.post("/api/studies").status_code == 405


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "evil.example:8765", "", "[::2]", "10.0.0.1"]
)
def test_another_name_is_refused(found: str, host: str) -> None:
    with client(found) as web:
        assert web.get("/api/studies", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:8765", "[::1]:80"])
def test_names_of_this_machine_are_not(found: str, host: str) -> None:
    with client(found) as web:
        assert web.get("/api/studies", headers={"host": host}).status_code == 200


def test_beyond_this_machine_a_token_is_needed(found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(security.TOKEN, raising=False)
    made = access_to("0.0.0.0")
    assert made.token is not None
    assert len(made.token) >= 32
    monkeypatch.setenv(security.TOKEN, "secret of mine")
    access = access_to("0.0.0.0")
    with client(found, access) as web:
        for header in ({}, {"authorization": "Bearer wrong"}, {"authorization": "secret of mine"}):
            refused = web.get("/api/studies", headers=header)
            assert refused.status_code == 401
            assert refused.headers["www-authenticate"] == "Bearer"
            assert refused.json()["status"] == 401
        assert web.get("/api/studies?token=secret of mine").status_code == 401  # nothing secret in addresses
        assert web.get("/api/studies", headers={"authorization": "Bearer secret of mine"}).status_code == 200
        assert web.get("/").status_code == 200  # the page without a study is no secret
        assert web.get("/static/js/main.js").status_code == 200
        assert web.get("/api/studies", headers={"host": "evil.example"}).status_code == 421


def test_a_name_behind_a_proxy_is_allowed(found: str) -> None:
    with client(found, access_to("127.0.0.1", ["Studies.example"])) as web:
        assert web.get("/health", headers={"host": "studies.example"}).status_code == 200


def test_hosts_are_read_as_they_are_written() -> None:
    cases = {"a:1": "a", "A": "a", "[::1]:5": "::1", "[::1]": "::1", "::1": "::1", "a.b:80": "a.b"}
    assert {given: host_of(given) for given in cases} == cases


def test_a_port_that_is_taken_is_said() -> None:
    taken = bound("127.0.0.1", 0)
    with pytest.raises(InvalidCommand, match="Give another --port"):
        bound("127.0.0.1", taken.getsockname()[1])
    taken.close()
    with pytest.raises(InvalidCommand, match="Cannot listen"):
        bound("no such host", 0)


def test_the_page_is_small() -> None:
    sent = {path: asset for path, asset in assets().items() if not path.endswith(".txt")}
    assert sum(len(asset.packed) for asset in sent.values()) < 60_000  # a bar of the project: 120 kB


def test_streams_are_limited(found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("satisfice.web.app.MOST_STREAMS", 0)
    with client(found) as web:
        assert web.get("/api/events", params={"study": "study"}).status_code == 503


def test_no_name_leaves_the_machine_to_be_found() -> None:
    """Names are compared as text: no lookup is made for a request."""
    real = socket.getaddrinfo
    try:
        socket.getaddrinfo = None  # type: ignore[assignment]
        assert not access_to("127.0.0.1").admits_host("somewhere.example")
    finally:
        socket.getaddrinfo = real


def test_results_that_come_are_streamed(sqlite: str) -> None:
    study, asked = endless(sqlite), {"study": "study"}
    with client(sqlite) as web:
        with web.stream("GET", "/api/events", params=asked) as answer:
            lines = answer.iter_lines()
            ids = []
            for _ in range(3):
                event = [next(lines) for _ in range(4)]
                ids.append(int(event[1].removeprefix("id: ")))
                last = json.loads(event[2].removeprefix("data: "))
                for pull in study.ask(2):
                    study.tell(pull, results_of(pull))
        assert ids == sorted(ids)
        assert ids[-1] > ids[0]
        headers = {"last-event-id": str(ids[-1])}
        for feed, kind in ((last["feed"], "delta"), ("other", "snapshot")):
            with web.stream("GET", "/api/events", params=asked | {"feed": feed}, headers=headers) as again:
                assert next(again.iter_lines()) == f"event: {kind}"


def test_a_deleted_study_is_shown_no_more_and_its_namesake_is_itself(found: str) -> None:
    """Before, the page showed the deleted one, or said of the other that its log was changed."""
    storage = open_storage(found, read_only=True)
    studies = Studies(storage)
    old, bell = studies.feed("study")
    assert json.loads(old.snapshot().text)["now"]["outcome"] == "FOUND"
    sf.delete_study(found, "study")
    assert "was deleted" in json.loads(looked(old).snapshot().text)["now"]["trouble"]
    endless(found, name="study").close()
    new, _ = studies.feed("study")
    assert json.loads(new.snapshot().text)["now"]["outcome"] == "UNDECIDED"
    assert bell.last_call
    sf.delete_study(found, "study")
    assert studies.listed() == []
    with pytest.raises(UnknownStudy):
        studies.feed("study")
    studies.close()


def looked(feed: Feed) -> Feed:
    """The feed after it has looked at the log once more."""
    feed._look(1.0)
    return feed
