"""Database files that may only be read, that go away, or that many processes make at once; and durable servers."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import text

import satisfice as sf
from satisfice.errors import StorageError
from satisfice.study.storage.sql import SQLStorage
from satisfice.web.report import report
from tests.helpers.parts import endless, results_of, study_in

NOBODY = 65534


@contextmanager
def as_nobody() -> Iterator[None]:
    """As a user who owns nothing: root may write everywhere."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that everybody may look into."""
    path = Path(tempfile.mkdtemp())
    path.chmod(0o755)
    yield path
    path.chmod(0o755)
    shutil.rmtree(path)


def read_all(url: str) -> None:
    """What the reading commands do."""
    assert len(sf.list_studies(url)) == 1
    with sf.load_study(url) as study:
        assert study.counts().told == 4
        assert len(list(study.evaluations())) == 4
        assert "UNDECIDED" in report(study)
    assert sf.verify(url).ok


def tell_four(study: sf.Study) -> None:
    for pull in study.ask(4):
        study.tell(pull, results_of(pull))


@pytest.mark.parametrize("modes", [(0o555, 0o444), (0o555, 0o644), (0o755, 0o444)])
@pytest.mark.parametrize("in_use", [False, True])
def test_a_file_or_a_folder_that_may_only_be_read(modes: tuple[int, int], in_use: bool, folder: Path) -> None:
    """Before, a folder that may not be written could not be read."""
    url = f"sqlite:///{folder}/study.db"
    study = endless(url)
    tell_four(study)
    if not in_use:
        study.close()
    read_all(url)
    files = sorted(folder.iterdir())
    for file in files:  # what is beside a database has the mode that it had
        file.chmod(modes[1] if file.suffix == ".db" else 0o644)
    folder.chmod(modes[0])
    with as_nobody():
        read_all(url)
        with pytest.raises(StorageError, match="can be read but not written"):
            sf.load_study(url).ask()
    assert sorted(folder.iterdir()) == files
    study.close()


def moved(path: Path) -> None:
    path.rename(path.with_name("elsewhere.db"))


def replaced(path: Path) -> None:
    shutil.copy(path, path.with_name("copy.db"))
    path.with_name("copy.db").replace(path)


@pytest.mark.parametrize("lose", [Path.unlink, moved, replaced])
def test_a_file_that_goes_away_is_noticed_at_the_next_write(
    lose: Callable[[Path], None], sqlite: str, tmp_path: Path
) -> None:
    """Before, results went on into a file that nobody could find."""
    study = endless(sqlite)
    pull = study.ask()
    lose(tmp_path / "study.db")
    for _ in range(2):
        with pytest.raises(StorageError, match="while this study was using it"):
            study.tell(pull, results_of(pull))
    study.close()
    assert (tmp_path / "study.db").exists() == (lose is replaced)


CREATE = """
import os, sys
import psycopg, sqlalchemy
import satisfice as sf

sf.create_study(["a"], ["x >= 1"], storage="sqlite:///elsewhere.db").ask()  # imports what all of them need
wait, go = os.pipe()
children = []
for place in range(16):
    children.append(os.fork())
    if not children[-1]:
        os.close(go)
        os.read(wait, 1)
        name = sys.argv[2] or f"number {place}"
        with sf.create_study(["a"], ["x >= 1"], storage=sys.argv[1], name=name, load_if_exists=True) as study:
            study.tell(study.ask(), {"x": 1.5})
        sys.exit(0)
os.close(go)
sys.exit(max(os.waitpid(child, 0)[1] for child in children) and 1)
"""


@pytest.mark.parametrize("name", ["all", pytest.param("", marks=pytest.mark.full)], ids=["one study", "a study each"])
def test_sixteen_processes_make_the_tables_at_once(name: str, some_database: str, tmp_path: Path) -> None:
    words = [sys.executable, "-c", CREATE, some_database, name]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    studies = sf.list_studies(some_database)
    assert len(studies) == (1 if name else 16)
    assert sf.verify(some_database, studies[0].name).evaluations == (16 if name else 1)


@pytest.fixture(params=["sqlite", "postgres"])
def some_database(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(request.param))


def test_a_server_writes_to_disk_whatever_its_user_prefers(postgres: str) -> None:
    """Before, a role with synchronous_commit off lost results that had been acknowledged."""
    study_in(postgres).close()
    with SQLStorage(postgres)._connection(writing=True) as connection:
        name = connection.execute(text("SELECT current_database()")).scalar_one()
        connection.execute(text(f"ALTER DATABASE {name} SET synchronous_commit = off"))
    for url in (postgres, f"{postgres}{'&' if '?' in postgres else '?'}options=-c%20synchronous_commit%3Doff"):
        study = sf.load_study(url)
        for writing in (True, False):
            found = study._log._connected(writing).exec_driver_sql("SHOW synchronous_commit").scalar_one()
            assert found == "on"
        study.close()
