"""Whatever ends a run, its programs end with it; what it cannot run it says before it runs, or does not count."""

import os
import signal
import subprocess
import sys
from contextlib import suppress

import pytest

from satisfice.cli.session import ENDING, evaluating
from satisfice.command import CommandEvaluation
from tests.helpers.programs import gone, in_proc, written

RUN = [sys.executable, "-m", "satisfice", "run", "-L", "x=1,2", "-t", "a <= 1 : bounded(0, 2)", "-s", "sqlite:///it.db"]
SLEEPER = "echo $$ >> pids; sleep 60 & echo $! >> pids; wait"


def start(folder, *words, script=SLEEPER, **more):
    command = [*RUN, *words, "--", "sh", "-c", script, "sh", "{x}"]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


@in_proc
@pytest.mark.parametrize(
    ("sign", "code"),
    [("SIGKILL", -signal.SIGKILL), ("SIGHUP", 130), pytest.param("SIGQUIT", 130, marks=pytest.mark.full)],
)
def test_no_program_outlives_its_run(sign, code, tmp_path):
    """Once those of a run that was killed, or whose terminal was closed, went on beside those of the next."""
    process = start(tmp_path, "-j", "2")
    written(tmp_path / "pids", 4)
    process.send_signal(getattr(signal, sign))
    _, err = process.communicate(timeout=60)
    assert process.returncode == code
    assert "Traceback" not in err
    assert gone(tmp_path / "pids")


@in_proc
@pytest.mark.full
def test_a_worker_that_is_killed_leaves_no_program_behind(tmp_path):
    words = [
        sys.executable,
        "-c",
        "import satisfice as sf; sf.create_study(['x'], ['a <= 1'], storage='sqlite:///it.db')",
    ]
    subprocess.run(words, cwd=tmp_path, check=True)
    command = [sys.executable, "-m", "satisfice", "worker", "-s", "sqlite:///it.db", "--", "sh", "-c", SLEEPER]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL) as process:
        written(tmp_path / "pids", 2)
        process.kill()
    assert gone(tmp_path / "pids")


@pytest.mark.parametrize("sign", ENDING)
def test_a_request_to_end_that_is_lost_on_the_way_is_remembered(sign):
    """Once it was an exception only, which Python drops if it comes up in a finaliser: the run went on."""
    before = [signal.getsignal(each) for each in ENDING]
    with evaluating(CommandEvaluation(["true"], metrics=["a"])) as (_, until):
        assert not until()
        with suppress(KeyboardInterrupt):
            signal.raise_signal(sign)
        with pytest.raises(KeyboardInterrupt):
            until()
    assert [signal.getsignal(each) for each in ENDING] == before


def test_who_ignores_a_closed_terminal_goes_on(tmp_path):
    script = "echo $$ >> pids; sleep 0.05; echo '{\"a\": 0.5}'"
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does; it is inherited
    try:
        process = start(tmp_path, "--max-evaluations", "4", script=script)
    finally:
        signal.signal(signal.SIGHUP, before)
    written(tmp_path / "pids", 1)
    process.send_signal(signal.SIGHUP)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 4, err


def test_more_jobs_than_open_files_are_refused_before_anything_runs(tmp_path):
    """Once `ulimit -n 60` with -j 200 and --on-error worst gave NONE: not to be started counted as the worst result."""
    few = ["sh", "-c", 'ulimit -n 60; exec "$@"', "sh"]
    words = ["--on-error", "worst", "--", "sh", "-c", "echo '{\"a\": 0.5}'", "sh", "{x}"]
    done = subprocess.run([*few, *RUN, "-j", "200", *words], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "200 evaluations at a time need" in done.stderr
    assert os.listdir(tmp_path) == []
    fits = done.stderr.partition("-j ")[2].partition(";")[0]
    done = subprocess.run([*few, *RUN, "-j", fits, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_run_keeps_its_storage_to_itself(tmp_path):
    """Once a program had the storage in its environment, and whatever it said of it was in the log."""
    (tmp_path / "own.py").write_text(
        "from satisfice.study.storage.sql import SQLStorage\n"
        "def storage(address, create): return SQLStorage('sqlite:///it.db', create=create)\n"
    )
    address = "own:storage://me:s3cret@here"
    script = f"echo ${{SATISFICE_STORAGE:-unset}} {address} >&2; exit 3"
    process = start(tmp_path, "-s", address, script=script, env=os.environ | {"SATISFICE_STORAGE": address})
    _, err = process.communicate(timeout=60)
    assert "said: unset own:storage://***" in err
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("it.db*"))
    assert b"said: unset" in kept
    assert b"s3cret" not in kept
