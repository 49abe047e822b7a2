"""An evaluation is over when its program has ended; nothing that the program started stays behind."""

import gc
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from time import monotonic

import pytest

from satisfice.command.guard import Guard
from satisfice.errors import EvaluationFailed
from tests.helpers.programs import alive, awaited, children, gone, in_proc, python, run, shell, written


@in_proc
@pytest.mark.parametrize("ending", ["exit 0", "exit 3"])
def test_a_daemon_that_keeps_standard_output_holds_nobody_up_and_is_ended(ending, tmp_path):
    """Once the run waited for the daemon to close the pipe: for ever; and let it live after its program's end."""
    evaluation = shell(f"sleep 60 & echo $! > $1; echo '{{\"a\": 4}}'; {ending}", str(tmp_path / "pid"))
    began = monotonic()
    if ending == "exit 0":
        assert run(evaluation) == {"a": 4}
    else:
        with pytest.raises(EvaluationFailed, match="exit code 3"):
            run(evaluation)
    assert monotonic() - began < 30
    assert gone(tmp_path / "pid")


@in_proc
def test_a_child_that_does_not_listen_is_killed_after_the_program(tmp_path):
    child = "trap '' TERM; echo $$ > $0; while :; do sleep 1; done"
    script = 'sh -c "$1" "$2" >/dev/null 2>&1 & until test -s $2; do sleep 0.01; done; echo \'{"a": 4}\''
    assert run(shell(script, child, str(tmp_path / "pid"))) == {"a": 4}
    assert gone(tmp_path / "pid")


def test_what_a_child_still_passes_on_is_read():
    """`exec > >(tee log)` in a shell: the program ends a moment before its tee has written the last line."""
    assert run(shell("(sleep 0.1; echo '{\"a\": 5}') & echo '{\"a\": 4}'")) == {"a": 5}


def test_the_time_of_children_is_not_the_programs():
    evaluation = shell("sleep 5 & exit 0", metrics=["wall_time"])
    assert run(evaluation)["wall_time"] < 4


@in_proc
def test_a_daemon_of_a_program_that_ran_out_of_time_is_ended(tmp_path):
    with pytest.raises(EvaluationFailed, match="did not end within"):
        run(shell("sleep 60 & echo $! > $1; wait", str(tmp_path / "pid"), timeout=0.5))
    assert gone(tmp_path / "pid")


RUNS = """
import sys, threading, time
from satisfice.command import CommandEvaluation
evaluation = CommandEvaluation(sys.argv[1:], metrics=["a"])
for _ in range(20):
    threading.Thread(target=evaluation, args=({},), kwargs={"config": "x", "number": 0}, daemon=True).start()
time.sleep(60)
"""


@in_proc
@pytest.mark.parametrize("started", [1, 12, 20])
def test_who_is_killed_leaves_no_program_behind(started, tmp_path):
    """Also while programs are being started: some are known to the guard by their environment only."""
    script = "trap '' HUP; echo $$ >> $1; sleep 60 & echo $! >> $1; wait"
    words = [sys.executable, "-c", RUNS, "sh", "-c", script, "sh", str(tmp_path / "pids")]
    with subprocess.Popen(words) as process:
        written(tmp_path / "pids", started)
        process.kill()
    assert gone(tmp_path / "pids")


def ended_by(guard, process):
    """How a program ends when its guard is let go; it is collected as it would be by the system."""
    with ThreadPoolExecutor() as pool:
        ending = pool.submit(process.wait, timeout=10)
        guard.close()
        return ending.result()


@in_proc
def test_a_program_that_the_guard_was_not_told_the_number_of_is_found_by_its_environment(tmp_path):
    guard = Guard()
    with guard.starting() as token:
        words = ["sh", "-c", "echo $$ > $1; exec sleep 60", "sh", str(tmp_path / "pid")]
        process = subprocess.Popen(words, env=os.environ | {"SATISFICE_PROGRAM": token}, start_new_session=True)
    written(tmp_path / "pid")
    assert ended_by(guard, process) == -signal.SIGTERM


@in_proc
def test_a_guard_that_is_killed_has_a_successor_who_knows_all():
    guard, others = Guard(), children("guard_process")
    process = subprocess.Popen(["sleep", "60"], start_new_session=True)
    with guard.starting() as token:
        pass
    guard.runs(token, process.pid)
    (first,) = awaited(lambda: children("guard_process") - others)
    os.kill(first, signal.SIGKILL)
    awaited(lambda: not alive(first))
    with guard.starting() as unused:
        pass
    guard.over(unused)
    assert awaited(lambda: children("guard_process") - others) != {first}
    assert ended_by(guard, process) == -signal.SIGTERM


@in_proc
def test_a_guard_ends_with_its_run():
    others = children("guard_process")
    evaluation = python('print(\'{"a": 1, "b": 2}\')')
    run(evaluation)
    assert len(children("guard_process") - others) == 1
    del evaluation
    gc.collect()
    assert not children("guard_process") - others


def test_where_the_system_does_not_tell_of_an_end_it_is_looked_for(monkeypatch, tmp_path):
    monkeypatch.delattr(os, "pidfd_open", raising=False)
    assert run(shell("sleep 60 & echo '{\"a\": 4}'")) == {"a": 4}
    assert run(shell("exec >&- 2>&-; sleep 0.1", metrics=["exit_code"])) == {"exit_code": 0}
    with pytest.raises(EvaluationFailed, match="did not end within"):
        run(shell("sleep 60", timeout=0.1))
