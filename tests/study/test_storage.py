"""Storages that cannot be used: a sentence each, without passwords, and nothing lost."""

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import text

import satisfice as sf
from satisfice.errors import StorageError, StorageUnreachable, UnknownStudy
from satisfice.study.storage import sql_schema
from satisfice.study.storage.sql import SQLStorage
from tests.helpers.parts import endless, results_of, study_in


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("study.db", "Expected a storage URL such as"),
        ("sqlite://", "needs a file"),
        ("sqlite:///:memory:", "needs a file"),
        ("mysql://me:secret@host/base", r"SQLite .* and PostgreSQL .* got 'mysql://me:\*\*\*@host/base'"),
        ("no scheme me:secret@host", "something else with a password in it"),
        ("sqlite:////no/such/folder/study.db", "cannot be opened. Is its folder there"),
        (7, "Expected a storage URL"),
    ],
)
def test_urls_that_name_no_storage(url: str, said: str) -> None:
    with pytest.raises(StorageError, match=said) as caught:
        study_in(url)
    assert "secret" not in str(caught.value)


def test_reading_makes_no_file(tmp_path: Path) -> None:
    for read in (sf.load_study, sf.list_studies, sf.verify):
        with pytest.raises(StorageError, match=r"There is no file .*typo\.db"):
            read(f"sqlite:///{tmp_path}/typo.db")
    assert not list(tmp_path.iterdir())


def test_reading_makes_no_tables(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE mine (x)").connection.close()
    with pytest.raises(UnknownStudy, match="There is no study in"):
        sf.load_study(f"sqlite:///{tmp_path}/other.db")


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "letter.db"
    path.write_text("Dear Sir or Madam, " * 100)
    with pytest.raises(StorageError, match=r"is not an SQLite database.*was not changed"):
        study_in(f"sqlite:///{path}")
    assert path.read_text().startswith("Dear Sir")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_file_that_may_not_be_written(sqlite: str, tmp_path: Path) -> None:
    study_in(sqlite).close()
    (tmp_path / "study.db").chmod(0o444)
    with pytest.raises(StorageError, match="can be read but not written"):
        sf.load_study(sqlite).ask()


def test_a_storage_that_refuses_to_write(sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    study = study_in(sqlite)
    pull = study.ask()
    log = study._log
    log._connected().exec_driver_sql("PRAGMA query_only = ON")
    log._open.commit()
    with pytest.raises(StorageError, match="can be read but not written"):
        study.tell(pull, results_of(pull))
    log._drop()
    study.tell(pull, results_of(pull))
    assert sf.load_study(sqlite).counts().told == 1


def test_a_full_disk_loses_nothing(sqlite: str, tmp_path: Path) -> None:
    study = endless(sqlite)
    told = []
    connection = study._log._connected()
    pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
    connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 4}")
    connection.commit()

    def noted(pull: sf.Pull) -> dict[str, float]:
        told[:] = [one.number for one in study.evaluations()]
        return results_of(pull)

    with pytest.raises(StorageError, match=r"disk of sqlite:.* is full\. Make room"):
        study.run(noted, with_pull=True)
    study.close()
    again = sf.load_study(sqlite)
    assert [one.number for one in again.evaluations()][: len(told)] == told
    assert len(told) > 3
    again.run(results_of, with_pull=True, max_evaluations=again.counts().asked + 5)
    assert sf.verify(sqlite).ok


def test_a_database_of_a_newer_schema(sqlite: str, postgres: str) -> None:
    for storage in (sqlite, postgres):
        study_in(storage).close()
        kept = SQLStorage(storage)
        with kept._connection(writing=True) as connection:
            connection.execute(text("UPDATE satisfice_schema SET version = 99"))
        for use in (sf.load_study, study_in):
            with pytest.raises(StorageError, match="newer satisfice: its tables have version 99") as caught:
                use(storage)
            assert "Upgrade" in str(caught.value)


def test_an_older_schema_is_brought_up_to_date(sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    study_in(sqlite).close()
    monkeypatch.setattr(sql_schema, "SCHEMA_VERSION", 3)
    monkeypatch.setattr("satisfice.study.storage.sql.SCHEMA_VERSION", 3)
    done = []
    for version in (1, 2):
        monkeypatch.setitem(
            sql_schema.MIGRATIONS,
            version,
            lambda connection, version=version: (
                done.append(version),
                connection.execute(text(f"ALTER TABLE satisfice_studies ADD COLUMN note{version} TEXT")),
            ),
        )
    for _ in range(2):
        assert sf.load_study(sqlite).ask() is not None
    assert done == [1, 2]


def test_servers_that_do_not_answer(tmp_path: Path) -> None:
    for url in (f"postgresql://me:secret@/base?host={tmp_path}", "postgresql://me:secret@127.0.0.1:9/base"):
        with pytest.raises(StorageUnreachable, match="does not answer") as caught:
            study_in(url)
        assert "secret" not in str(caught.value)
        assert "secret" not in repr(caught.value)


def test_a_wrong_database_or_user(postgres: str) -> None:
    with pytest.raises(StorageError, match=r"does not exist\. Create it"):
        study_in(postgres.replace("/test", "/nottest"))
    with pytest.raises(StorageError, match="does not know this user"):
        study_in(postgres.replace("postgres:@", "nobody:secret@"))


def test_a_wrong_password_is_not_printed(tmp_path: Path, postgres: str, postgres_server: object) -> None:
    settings = Path(postgres_server.pgdata) / "pg_hba.conf"  # type: ignore[attr-defined]
    kept = settings.read_text()
    import psycopg  # noqa: PLC0415

    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("CREATE ROLE guarded LOGIN PASSWORD 'right'")
        settings.write_text("local all guarded scram-sha-256\n" + kept)
        connection.execute("SELECT pg_reload_conf()")
        try:
            with pytest.raises(StorageError, match="refuses the user name or the password") as caught:
                study_in(postgres.replace("postgres:@", "guarded:pa55word@"))
        finally:
            settings.write_text(kept)
            connection.execute("SELECT pg_reload_conf()")
    assert "pa55word" not in f"{caught.value!r} {caught.value}"
    code = f"import satisfice as sf; sf.load_study('postgresql://me:pa55word@/base?host={tmp_path}')"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "does not answer" in out.stderr
    assert "pa55word" not in out.stderr


def test_a_copy_of_the_file_is_a_study(sqlite: str, tmp_path: Path) -> None:
    with endless(sqlite) as study:
        study.run(results_of, with_pull=True, max_evaluations=20)
    shutil.copy(tmp_path / "study.db", tmp_path / "copy.db")
    assert sf.load_study(f"sqlite:///{tmp_path}/copy.db").counts().told == 20
