"""The line before an SQLite file: who is next is woken, who is stopped in it is passed over."""

import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from satisfice.study.storage.sql_turns import Line, locked, unlock

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks"),
    pytest.mark.filterwarnings(
        "ignore:.*multi-threaded.*:DeprecationWarning"
    ),  # what a fork of a thread is, is the test
]


@pytest.fixture
def path(tmp_path: Path) -> str:
    (tmp_path / "study.db-wal").touch()
    return str(tmp_path / "study.db")


def held(path: str) -> int:
    """The place of who is next, taken by somebody else."""
    file = os.open(f"{path}-wal", os.O_RDONLY)
    assert locked(file)
    return file


def is_free(path: str) -> bool:
    file = os.open(f"{path}-wal", os.O_RDONLY)
    try:
        return locked(file)
    finally:
        os.close(file)


def test_who_waits_sleeps_until_the_one_before_has_left(path: str) -> None:
    """Before, everybody looked a thousand times a second: most of the processor time of eight workers."""
    file, line = held(path), Line(path)
    threading.Timer(0.5, unlock, [file]).start()
    spent, before = time.process_time(), time.monotonic()
    with line.next(30.0):
        assert 0.4 < time.monotonic() - before < 10.0
        assert not is_free(path)
    assert time.process_time() - spent < 0.1
    assert is_free(path)
    os.close(file)


def test_nobody_waits_for_long_for_one_who_is_stopped_there(path: str) -> None:
    file, line = held(path), Line(path)
    before, threads = time.monotonic(), threading.active_count()
    for _ in range(50):
        with line.next(0.2):
            assert not is_free(path)
    assert 0.2 <= time.monotonic() - before < 5.0  # once, and then no more until that one has left
    assert threading.active_count() == threads + 1
    os.close(file)
    until = time.monotonic() + 10.0
    while threading.active_count() > threads and time.monotonic() < until:  # who still waited leaves at once
        time.sleep(0.01)
    assert is_free(path)
    with line.next(30.0):
        assert not is_free(path)


def test_who_is_interrupted_in_line_is_no_longer_there(path: str) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    file, line, before = held(path), Line(path), signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt), line.next(30.0):
            raise AssertionError("nobody left")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    os.close(file)
    until = time.monotonic() + 10.0
    while not is_free(path) and time.monotonic() < until:
        time.sleep(0.01)
    assert is_free(path)
    with line.next(30.0):
        assert not is_free(path)


def test_where_there_can_be_no_thread_nobody_waits(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    file, line = held(path), Line(path)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    with line.next(30.0):
        assert not is_free(path)
    os.close(file)
    assert is_free(path)


def test_one_who_dies_in_line_is_no_longer_there(path: str) -> None:
    line, (read, write) = Line(path), os.pipe()
    child = os.fork()
    if child == 0:
        held(path)
        os.write(write, b"!")
        os.kill(os.getpid(), 9)
    os.read(read, 1)
    with line.next(30.0):
        assert not is_free(path)
    os.waitpid(child, 0)


def test_a_fork_waits_by_itself_and_holds_no_place_of_its_parent(path: str) -> None:
    file, line = held(path), Line(path)
    threading.Timer(0.1, unlock, [file]).start()
    with line.next(30.0):  # in a thread that a fork does not have
        child = os.fork()
        if child == 0:
            entered = time.monotonic()
            with line.next(30.0):
                os._exit(0 if time.monotonic() - entered < 20.0 else 1)
        time.sleep(0.1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    os.close(file)
