"""Tokens of a server: no program gets them, and whoever prints them nevertheless, nobody reads them."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import satisfice as sf
from satisfice.study.pull import Failure
from satisfice.study.storage.passwords import SECRETS, STORAGE
from satisfice.web import forecaster
from tests.helpers.programs import awaited, children, in_proc, run, shell

GIVEN = {name: f"{name.lower()}-hFq3Zk" for name in SECRETS if name != STORAGE}
AROUND = ("setup", "prepare", "conclude", "cleanup")
LIMIT = ("-t", "a <= 1 : bounded(0, 2)")


@pytest.fixture
def tokens(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The secret variables, the tokens, all set. One token is the beginning of another."""
    given = {**GIVEN, "SATISFICE_READ_TOKEN": GIVEN["SATISFICE_TOKEN"][:-3]}
    for name, text in given.items():
        monkeypatch.setenv(name, text)
    return given


def kept_in(file: Path) -> str:
    with closing(sqlite3.connect(file)) as connection:
        return "\n".join(connection.iterdump())


@pytest.mark.parametrize("command", ["run", "try", "worker"])
def test_no_program_finds_a_token_in_its_environment(command, satisfice, folder, tokens, monkeypatch):
    """Each program had all of them: the one that is measured, and those around it."""
    monkeypatch.setenv("OTHER_TOKEN", "the user's own")
    limits = (*LIMIT, "-t", "max_rss_mb <= 1GB : bounded(0, 2e5)")  # which a launcher measures
    around = [word for when in AROUND for word in (f"--{when}", f"env >> env-{when}")]
    program = ["--", "sh", "-c", "env >> env-program; echo '{\"a\": 1}'"]
    more = ["--warmup", "1", "--max-evaluations", "2"]
    if command == "worker":
        monkeypatch.setenv(STORAGE, "sqlite:///it.db")
        sf.create_study(["x"], [limits[1], limits[3]], storage="sqlite:///it.db").close()
        satisfice("worker", *around, *more, *program)
    else:
        satisfice(command, "-L", "x=1", *limits, *around, *(more if command == "run" else more[:2]), *program)
    for when in (*AROUND, "program"):
        seen = (folder / f"env-{when}").read_text()
        assert "OTHER_TOKEN=the user's own" in seen
        assert "SATISFICE_CONFIG=" in seen
        assert [name for name in SECRETS if name in seen] == []


@in_proc
def test_nor_does_a_process_of_ours(tokens, monkeypatch):
    others = children("guard_process")
    evaluation = shell("echo '{\"a\": 1}'")
    run(evaluation)
    (guard,) = awaited(lambda: children("guard_process") - others)
    assert "SATISFICE_TOKEN" not in Path(f"/proc/{guard}/environ").read_text()
    started: list[dict[str, str]] = []

    def start(*_: object, env: dict[str, str], **__: object) -> None:
        started.append(env)
        raise OSError

    monkeypatch.setattr(forecaster.subprocess, "Popen", start)
    forecaster.Forecaster()._asked(b"")
    assert started
    assert not set(SECRETS) & set(started[0])


@pytest.mark.parametrize("ends", ["exit 3", "exit 127", "sleep 20"])
def test_a_token_in_the_words_of_a_program_is_masked(ends, satisfice, folder, tokens):
    """From its standard error it came into the sealed log, the terminal and the report."""
    said = " and ".join(tokens.values())
    words = ["run", "-L", "x=1", *LIMIT, "-s", "sqlite:///it.db", "--show-output", "--timeout", "1"]
    done = satisfice(*words, "--", "sh", "-c", f"echo 'refused: {said}' | tee /dev/stderr; {ends}")
    satisfice("report", "sqlite:///it.db", "--out", "it.html")
    places = [done.out, done.err, kept_in(folder / "it.db"), (folder / "it.html").read_text()]
    for place in places:
        assert [token for token in tokens.values() if token in place] == []
    assert "hFq" not in "".join(places)
    assert "refused: *** and *** and ***" in done.err


def test_a_token_in_the_words_of_a_program_is_masked_when_it_is_tried(satisfice, tokens):
    said = json.dumps({"a": list(tokens.values())})
    done = satisfice("try", "-L", "x=1", *LIMIT, "--show-output", "--", "sh", "-c", f"echo '{said}'")
    assert done.code == 1
    assert "hFq" not in done.out + done.err


def test_a_token_in_an_exception_is_masked(satisfice, folder, tokens):
    def fails(config: str) -> dict[str, float]:
        raise RuntimeError(f"{'x' * 3900} refused with {tokens['SATISFICE_TOKEN']}")

    def returns(config: str) -> dict[str, object]:
        return {"a": list(tokens.values())}

    with sf.create_study(["x"], [LIMIT[1]], storage="sqlite:///it.db", on_error="worst", worst={"a": 2}) as study:
        study.run(fails, max_evaluations=1)
        study.run(returns, max_evaluations=2)
        study.fail(study.ask(), f"refused with {tokens['SATISFICE_WORK_TOKEN']}")
        study.exchange([(study.ask(), Failure("refused", traceback=tokens["SATISFICE_WORK_TOKEN"]))])
    assert "hFq" not in kept_in(folder / "it.db")
