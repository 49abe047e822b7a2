"""The n-th call of a small study fails, for every n: nothing is lost, nothing counts twice, the verdict is the same."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from itertools import count, product
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import satisfice as sf
from satisfice.errors import StorageUnreachable
from satisfice.search.search import Search
from satisfice.study import durable, snapshots, state
from satisfice.study.leases import Leases
from satisfice.study.snapshots import Checkpoint
from satisfice.study.state import StudyState
from satisfice.study.storage import sql
from satisfice.study.storage.sql_log import SQLLog
from satisfice.study.storage.sql_turns import PostgresTurns, SQLiteTurns
from satisfice.study.view import SearchAt
from tests.helpers.failing_files import WAYS
from tests.helpers.faults import Driver, Faults, copy_often, events_in
from tests.helpers.parts import study_in

ROOT = Path(__file__).parent.parent.parent


class Way(NamedTuple):
    """How calls fail: by which error, before or after they took effect, and how many; who goes on afterwards."""

    error: Callable[..., Exception]
    after: bool = False
    length: int = 1
    reopens: bool = False

    def __str__(self) -> str:
        when, who = "after" if self.after else "before", "opened again" if self.reopens else "goes on"
        return f"{self.error.__name__} {when}, {self.length}, {who}"


def disk_full(*_: Any) -> Exception:
    return sqlite3.OperationalError("database or disk is full")


def server_full(*_: Any) -> Exception:
    import psycopg  # noqa: PLC0415 - many test runs do without

    return psycopg.OperationalError("could not extend file: No space left on device")


def cut_off(*given: Any) -> Exception:
    """The connection is gone, too."""
    import psycopg  # noqa: PLC0415 - many test runs do without

    if given:
        owner = given[1] if isinstance(given[0], PostgresTurns) else given[0]
        inside = getattr(owner, "driver_connection", None) or getattr(owner, "connection", None) or owner
        inside.close()
    return psycopg.OperationalError("server closed the connection unexpectedly")


def out_of_memory(*_: Any) -> Exception:
    return MemoryError()


def ways_of(*errors: tuple[Callable[..., Exception], bool]) -> list[Way]:
    return [Way(*error, *how) for how, error in product(((1, False), (4, True)), errors)]


ON_SQLITE = ways_of((disk_full, False), (disk_full, True), (out_of_memory, False), (out_of_memory, True))
ON_POSTGRES = ways_of((server_full, False), (cut_off, False), (cut_off, True))
IN_MEMORY = ways_of((out_of_memory, False), (out_of_memory, True))


def each(ways: list[Way], step: int) -> Any:
    """Some calls, by one way after the other; and in the full tests every call by every way."""
    full = [pytest.param([way], 1, id=str(way), marks=pytest.mark.full) for way in ways]
    return pytest.mark.parametrize(("ways", "step"), [pytest.param(ways, step, id="some"), *full])


class Played(NamedTuple):
    """The studies that came to their ends, with what was acknowledged; and what was wrong right after a fault."""

    studies: list[Any]
    after_faults: list[str]


def played(url: Callable[[int], str], ways: list[Way], step: int, prepare: Callable[[Faults], None]) -> Played:
    """Let the n-th call fail for every n, or every `step`-th, until a study needs no more; what is to be judged."""
    done = Played([], [])
    for place in count():
        way = ways[place % len(ways)]
        faults = Faults(1 + place * step, way.length, after=way.after, error=way.error)
        prepare(faults)
        driver = Driver(url(place), f"fault at {faults.first}", reopens=way.reopens)
        driver.look = partial(look_at_the_log, done.after_faults, faults)
        driver.play()
        done.studies.append([driver.url, driver.name, driver.told])
        if not faults.struck:
            break
    return done


def look_at_the_log(wrong: list[str], faults: Faults, driver: Driver) -> None:
    """Right after a fault, seen by another connection: what was acknowledged, and what is under way at most."""
    with faults.paused():
        events = events_in(driver.url, driver.name)
    told = [event.number for event in events if event.kind == "told"]
    asked = [event.number for event in events if event.kind == "asked"]
    spare = 1 if faults.after or driver.url.startswith("postgres") else 0  # whose last statement comes with the commit
    found = {
        "a pull counts twice": len(told) != len(set(told)),
        "what was acknowledged is not there": not set(driver.told) <= set(told),
        "a result that was refused is there": len(told) > len(driver.told) + spare,
        "a pull that was refused is there": len(asked) > len(driver.asked) + spare,
    }
    wrong += [f"{driver.name}: {problem}" for problem, is_so in found.items() if is_so]


def problems_in(studies: list[Any], folder: Path) -> list[Any]:
    """What a process that has seen none of the studies finds wrong with them all."""
    file = folder / "studies.json"
    file.write_text(json.dumps(studies))
    command = [sys.executable, "-m", "tests.helpers.faults", str(file)]
    out = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1000, check=False)
    if (out.returncode, out.stderr) != (0, ""):
        return [out.returncode, out.stderr]
    found: list[Any] = json.loads(out.stdout)
    return found


def in_database(monkeypatch: pytest.MonkeyPatch) -> Callable[[Faults], None]:
    make = sql.engine_of
    turns = [(kind, name, getattr(kind, name)) for kind in (SQLiteTurns, PostgresTurns) for name in ("take", "append")]

    def prepare(faults: Faults) -> None:
        monkeypatch.setattr(sql, "engine_of", partial(faults.in_engine, make))
        for kind, name, whole in turns:
            monkeypatch.setattr(kind, name, faults.in_function(whole))

    return prepare


@each(ON_SQLITE, 31)
def test_a_call_of_sqlite_fails(ways: list[Way], step: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before, a lack of memory left a transaction open, for which all others waited."""
    copy_often(monkeypatch)
    done = played(lambda place: f"sqlite:///{tmp_path}/{place}.db", ways, step, in_database(monkeypatch))
    assert len(done.studies) > 5
    assert done.after_faults == []
    assert problems_in(done.studies, tmp_path) == []


@each(ON_POSTGRES, 29)
def test_a_call_of_postgres_fails(
    ways: list[Way], step: int, postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy_often(monkeypatch)
    done = played(lambda place: postgres, ways, step, in_database(monkeypatch))
    assert len(done.studies) > 5
    assert done.after_faults == []
    assert problems_in(done.studies, tmp_path) == []


FUNCTIONS: list[tuple[Any, str]] = [
    *((state, "sealed"), (state, "canonical"), (durable, "taken"), (sql, "_row"), (SQLLog, "_rows")),
    *((StudyState, "_take"), (snapshots, "arrays_of"), (snapshots, "restore"), (Checkpoint, "restored")),
    *((Search, "fold"), (Search, "choose"), (SearchAt, "freeze"), (Leases, "lost"), (Leases, "saw")),
]
"""Where memory may run out in the middle of a step."""


@each(IN_MEMORY, 37)
def test_memory_runs_out(ways: list[Way], step: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before, a step that broke off left a state ahead of its log: the next pull had a number too high."""
    copy_often(monkeypatch)
    whole = [(owner, name, getattr(owner, name)) for owner, name in FUNCTIONS]

    def prepare(faults: Faults) -> None:
        for owner, name, function in whole:
            monkeypatch.setattr(owner, name, faults.in_function(function))

    done = played(lambda place: f"sqlite:///{tmp_path}/{place}.db", ways, step, prepare)
    assert len(done.studies) > 5
    assert done.after_faults == []
    assert problems_in(done.studies, tmp_path) == []


def test_an_ask_that_is_interrupted_was_not_made(sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before, the next pull had number 1, and the log could not be replayed."""
    study = study_in(sqlite)
    with monkeypatch.context() as patch:
        patch.setattr(state, "sealed", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            study.ask()
    pull = study.ask()
    assert pull is not None
    assert pull.number == 0
    assert sf.verify(sqlite).ok


@pytest.mark.parametrize("on_lost", ["reissue", "stop"])
def test_a_pull_that_nobody_heard_of_is_given_back(on_lost: str, sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before, it was idle for a lease, and then counted as lost with its worker."""
    study = study_in(sqlite, on_lost=on_lost)
    extend = SQLLog.extend_following

    def unheard(log: SQLLog, after: int, follow: Any, decide: Any) -> None:
        extend(log, after, follow, decide)
        raise StorageUnreachable("It was written, and the connection was lost before that was said.")

    with monkeypatch.context() as patch:
        patch.setattr(SQLLog, "extend_following", unheard)
        with pytest.raises(StorageUnreachable):
            study.ask()
    pull = study.ask()
    assert pull is not None
    assert (pull.number, pull.attempt) == (0, 1)
    assert (study.counts().released, study.counts().lost) == (1, 0)
    assert sf.verify(sqlite).ok


@pytest.fixture(scope="module")
def failing_files(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The library that lets calls of the operating system fail."""
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("needs a C compiler and a preloaded library")
    library = str(tmp_path_factory.mktemp("library") / "failing_files.so")
    source = str(ROOT / "tests/helpers/failing_files.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    return library


ONE_BY_ONE = [pytest.param([way], 1, id=way, marks=pytest.mark.full) for way in WAYS]


@pytest.mark.parametrize(("ways", "step"), [pytest.param(list(WAYS), 61, id="some"), *ONE_BY_ONE])
def test_a_call_of_the_operating_system_fails(ways: list[str], step: int, failing_files: str, tmp_path: Path) -> None:
    """Writes, syncs, cuts, maps and creations of the file, its log and its index: full, broken, torn, killed."""
    command = [sys.executable, "-m", "tests.helpers.failing_files", str(tmp_path), str(step), *ways]
    environment = {**os.environ, "LD_PRELOAD": failing_files}
    out = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=3000, check=False)
    assert (out.returncode, out.stderr) == (0, "")
    happened = json.loads(out.stdout)
    assert happened["problems"] == []
    assert happened["faults"] > (400 if step == 1 else 5)
