"""A token wherever others can come: by the commands as the pages have them, and by every name and variable."""

import pytest

from satisfice.study.storage.passwords import NARROWER, TOKEN
from satisfice.web.security import access_to
from tests.helpers.parts import endless
from tests.web.serving import typed

NAME = "studies.example.org"


@pytest.fixture(autouse=True)
def no_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (TOKEN, *NARROWER):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("command", ["dashboard", "serve"])
def test_behind_a_proxy_the_token_that_is_printed_is_needed(sqlite: str, command: str) -> None:
    endless(sqlite).close()
    with typed(command, sqlite, "--allow-host", NAME, lines=2) as (web, said):
        token = said[1].split()[-1]
        assert len(token) >= 32
        for host in (NAME, "127.0.0.1"):
            assert web.get("/api/studies", headers={"host": host}).status_code == 401
            bearer = {"host": host, "authorization": f"Bearer {token}"}
            assert web.get("/api/studies", headers=bearer).status_code == 200
        assert web.get("/", headers={"host": NAME}).status_code == 200  # the page itself, which asks for the token


@pytest.mark.parametrize("command", ["dashboard", "serve"])
@pytest.mark.parametrize("variable", NARROWER)
def test_a_narrower_token_alone_closes_the_door(sqlite: str, command: str, variable: str) -> None:
    endless(sqlite).close()
    with typed(command, sqlite, lines=2, **{variable: "narrow"}) as (web, said):
        made = said[1].split()[-1]
        for token, status in (("", 401), ("wrong", 401), ("narrow", 200), (made, 200)):
            headers = {"authorization": f"Bearer {token}"} if token else {}
            assert web.get("/api/studies", headers=headers).status_code == status
        deleted = web.delete("/api/studies?study=study", headers={"authorization": "Bearer narrow"})
        assert deleted.status_code == (403 if command == "serve" else 405)


def test_the_token_of_the_environment_is_named_and_not_printed(sqlite: str) -> None:
    endless(sqlite).close()
    with typed("dashboard", sqlite, lines=2, SATISFICE_TOKEN="mine, and secret") as (web, said):
        assert TOKEN in said[1]
        assert "mine" not in "".join(said)
        assert web.get("/api/studies").status_code == 401


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "LOCALHOST", "127.0.0.9"])
@pytest.mark.parametrize("names", [[], ["localhost"], ["127.0.0.2", "::1"]])
def test_on_this_machine_alone_none_is_needed(host: str, names: list[str]) -> None:
    assert access_to(host, names).token is None


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "bench-7", "::ffff:10.0.0.1"])
def test_at_other_addresses_one_is_made(host: str) -> None:
    assert access_to(host).token != access_to(host).token


@pytest.mark.parametrize("name", [NAME, "0.0.0.0", "10.0.0.1", "localhost.example.org", "localhost.", "", "127.1"])
def test_any_other_name_needs_one(name: str) -> None:
    made = access_to("127.0.0.1", ["localhost", name])
    assert made.token is not None
    assert len(made.token) >= 32
    assert not made.any_address


@pytest.mark.parametrize("variable", [TOKEN, *NARROWER])
def test_a_variable_that_is_empty_is_no_token(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for empty in ("", "  ", "\n"):
        monkeypatch.setenv(variable, empty)
        assert access_to("127.0.0.1").token is None
        made = access_to("0.0.0.0")
        assert made.scope("Bearer ") is None
        assert made.scope(f"Bearer {empty}") is None
    monkeypatch.setenv(variable, "mine\n")  # as files of secrets end
    assert access_to("127.0.0.1").scope("Bearer mine") is not None
