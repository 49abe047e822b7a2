"""Copies of a storage: whole, from one moment, for their owner alone, and verified; and who may read a database."""

import os
import shutil
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

import satisfice as sf
from satisfice.errors import DamagedLog, InvalidStorage, SatisficeError
from satisfice.study.storage.backup import back_up
from tests.web.serving import served


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def open_umask() -> Any:
    """Everybody may read what is made, as on many machines."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def with_results(address: str, name: str, results: int = 5) -> sf.Study:
    study = sf.create_study(["a", "b"], ["x <= 1 : normal(9)"], storage=address, name=name)
    for number in range(results):
        study.tell(study.ask(), {"x": 0.5 + number / 7})
    return study


def events_in(address: str, name: str) -> list[tuple[int, str]]:
    with sf.load_study(address, name) as study:
        return [(event.position, event.digest) for event in study.events()]


def test_nobody_else_reads_a_database(sqlite: str, tmp_path: Path, open_umask: None) -> None:
    """What programs wrote on standard error was in a file that everybody on the machine could read."""
    with with_results(sqlite, "one"):
        found = {path.name: mode(path) for path in tmp_path.iterdir()}
    assert set(found) >= {"study.db", "study.db-wal", "study.db-shm"}
    assert set(found.values()) == {0o600}


def test_nobody_else_reads_a_database_that_a_link_names(tmp_path: Path, open_umask: None) -> None:
    """A link to a file on another disk, which was not there yet: it was made for everybody to read."""
    (tmp_path / "study.db").symlink_to("large.db")
    with with_results(f"sqlite:///{tmp_path}/study.db", "one"):
        found = {path.name: mode(path) for path in tmp_path.iterdir() if not path.is_symlink()}
    assert set(found) == {"large.db", "large.db-wal", "large.db-shm"}
    assert set(found.values()) == {0o600}


def test_a_database_that_is_there_stays_as_it_is_shared(sqlite: str, tmp_path: Path, open_umask: None) -> None:
    with_results(sqlite, "one").close()
    (tmp_path / "study.db").chmod(0o660)
    with_results(sqlite, "two").close()
    assert mode(tmp_path / "study.db") == 0o660


@pytest.mark.parametrize("kind", ["sqlite", "postgres", "server"])
def test_a_backup_has_all_that_was_acknowledged(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path, open_umask: None
) -> None:
    address = request.getfixturevalue("postgres" if kind == "postgres" else "sqlite")
    copy = tmp_path / "copy.db"
    with with_results(address, "one") as study, with_results(address, "two", 3), served(address) as web:
        pull = study.ask()
        source = str(web.base_url) if kind == "server" else address
        assert back_up(source, copy) == ("one", "two")
        assert mode(copy) == 0o600
        for name in ("one", "two"):
            assert events_in(f"sqlite:///{copy}", name) == events_in(address, name)
            assert sf.verify(f"sqlite:///{copy}", name).ok
        with sf.load_study(f"sqlite:///{copy}", "one") as again:
            again.tell(pull, {"x": 0.5})
            assert again.counts().told == study.counts().told + 1


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_backup_while_others_write_is_of_one_moment(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    address, until = request.getfixturevalue(kind), threading.Event()

    def work() -> None:
        with with_results(address, "one") as study:
            while not until.is_set():
                study.tell(study.ask(), {"x": 1.0})

    threads = [threading.Thread(target=work)]
    with_results(address, "before").close()
    for thread in threads:
        thread.start()
    try:
        for number in range(5):
            copy = tmp_path / f"{number}.db"
            for name in back_up(address, copy):
                assert sf.verify(f"sqlite:///{copy}", name).ok
    finally:
        until.set()
        for thread in threads:
            thread.join()


def test_a_backup_overwrites_nothing(sqlite: str, tmp_path: Path) -> None:
    with_results(sqlite, "one").close()
    copy = tmp_path / "copy.db"
    copy.write_text("mine")
    with pytest.raises(InvalidStorage, match=r"There is a file .* already, and it is left as it is"):
        back_up(sqlite, copy)
    assert copy.read_text() == "mine"
    with pytest.raises(SatisficeError, match=r"cannot be written to .*: No such file or directory"):
        back_up(sqlite, tmp_path / "nowhere" / "copy.db")
    with pytest.raises(SatisficeError, match="There is no"):
        back_up(f"sqlite:///{tmp_path}/other.db", tmp_path / "other-copy.db")
    with pytest.raises(SatisficeError, match="There is no study in memory"):
        back_up("memory", tmp_path / "other-copy.db")
    assert not (tmp_path / "other.db").exists()
    assert not (tmp_path / "other-copy.db").exists()


def test_a_backup_that_fails_leaves_nothing(postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_results(postgres, "one").close()

    def fails(*_: object) -> None:
        raise DamagedLog("Event 3 is not what was written.")

    monkeypatch.setattr("satisfice.study.storage.sql_log.SQLLog.read", fails)
    with pytest.raises(DamagedLog):
        back_up(postgres, tmp_path / "copy.db")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_copied_without_its_log_is_older_and_verifies(sqlite: str, tmp_path: Path) -> None:
    """What was written last is beside the file, in study.db-wal, as long as somebody has it open."""
    with_results(sqlite, "one", 3).close()
    with sf.load_study(sqlite, "one") as study:
        for _ in range(4):
            study.tell(study.ask(), {"x": 1.0})
        shutil.copy(tmp_path / "study.db", tmp_path / "copy.db")
        kept, all_events = events_in(f"sqlite:///{tmp_path}/copy.db", "one"), events_in(sqlite, "one")
        assert kept == all_events[: len(kept)]
        assert len(kept) < len(all_events)
        assert sf.verify(f"sqlite:///{tmp_path}/copy.db").ok
