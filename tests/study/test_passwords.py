"""Passwords of storages: in no sentence, traceback or repr, however the address is written."""

import subprocess
import sys
import time
import traceback
from contextlib import suppress
from pathlib import Path

import pytest

import satisfice as sf
from satisfice.errors import SatisficeError, StudyStopped
from satisfice.study.storage.sql_engine import checked_url, described, engine_of

ADDRESSES = [
    "postgresql://me:s3cret@127.0.0.1:9/base",
    "postgresql://me@127.0.0.1:9/base?password=s3cret",
    "postgresql://127.0.0.1:9/base?user=me&password=s3cret&sslmode=disable",
    "postgresql://me@127.0.0.1:9/base?sslpassword=s3cret",
    "postgresql://me:s3cret@127.0.0.1:no-port/base",
    "postgresql://me:s3/cret@127.0.0.1:9/base",
    "host=127.0.0.1 port=9 user=me password=s3cret dbname=base",
    "host=127.0.0.1 password = 's3cret and more'",
    "postgresql://host=127.0.0.1 password=s3cret",
    "postgresql:///base?host=127.0.0.1&port=9&password=s3cret",
    "mysql://me@host/base?password=s3cret",
    "mysql://me:s3cret@host/base",
    "postgres://me:s3cret@/base?host=/no/such/folder",
    "nothing of the kind, password=s3cret",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_password_in_a_sentence_or_a_traceback(address: str) -> None:
    """Before, passwords in a query and in libpq's own form were printed."""
    with pytest.raises(SatisficeError) as caught:
        sf.load_study(address)
    told = "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    assert "s3" not in told
    assert "cret" not in told.replace("secret", "")


def test_no_password_in_what_a_storage_says_of_itself() -> None:
    url = checked_url("postgresql://me@host/base?password=s3cret&application_name=x")
    assert url.password == "s3cret"
    assert "s3cret" not in f"{url!r} {described(url)} {engine_of(url)!r}"
    assert described(url) == "postgresql://me:***@host/base?application_name=x"


def test_no_password_on_the_terminal(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "satisfice", "status", "postgresql://me@127.0.0.1:9/base?password=s3cret"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 1
    assert "does not answer" in done.stderr
    assert "s3cret" not in done.stdout + done.stderr


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only Linux lets a process write over its arguments")
@pytest.mark.parametrize("address", [*ADDRESSES, "postgresql://mé:s3crét@127.0.0.1:9/base"])
@pytest.mark.parametrize("option", ["", "--storage="])
def test_no_password_in_the_list_of_processes(address: str, option: str) -> None:
    """For as long as a command ran everyone on the machine could read it."""
    hides = "from satisfice.cli.process_list import hide_passwords; hide_passwords()"
    words = [
        sys.executable,
        "-c",
        f"{hides}; print(open('/proc/self/cmdline').read())",
        f"{option}{address}",
        "user@host",
        "plain",
    ]
    before, now = "\0".join(words), subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert "s3" not in now
    assert "cr" not in now
    assert len(now.rstrip("\0\n").encode()) == len(before.encode())
    assert now.rstrip("\0\n").endswith("user@host\0plain")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only Linux lets a process write over its arguments")
def test_a_run_that_waits_for_its_storage_hides_the_password(tmp_path: Path) -> None:
    words = ["run", "-L", "a=1", "-t", "x <= 1", "--storage", ADDRESSES[0], "--", "true"]
    run = subprocess.Popen([sys.executable, "-m", "satisfice", *words], cwd=tmp_path, stderr=subprocess.DEVNULL)
    try:
        line = Path(f"/proc/{run.pid}/cmdline")
        while "me:******@" not in (seen := line.read_text()):
            assert run.poll() is None, seen
            time.sleep(0.01)
    finally:
        run.kill()
        run.wait()


def test_a_password_in_the_query_is_used(postgres: str) -> None:
    address = postgres.replace(":@", "@")
    with sf.create_study(["a"], ["x >= 1"], storage=f"{address}{'&' if '?' in address else '?'}password=any") as study:
        assert study.ask() is not None


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_password_in_what_an_evaluation_says(address: str) -> None:
    """A function that failed with the storage's address in its words had it on the terminal and in the log."""
    with suppress(SatisficeError):
        sf.create_study(["one"], ["x >= 0 : normal(1)"], storage=address)
    study = sf.create_study(["one", "two"], ["x >= 0 : normal(1)"], storage="memory")

    def fails(config: str) -> dict[str, float]:
        raise RuntimeError(f"could not reach {address}")

    with pytest.raises(StudyStopped) as raised:
        study.run(fails)
    study.resume()
    study.fail(study.ask(), f"no answer from {address}")
    for text in (str(raised.value), *(event.body for event in study.events())):
        assert "s3cret" not in text
        assert "s3/cret" not in text
