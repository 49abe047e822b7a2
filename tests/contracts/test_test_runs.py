"""A test run that is stopped leaves nothing running, and a test that hangs fails."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.helpers.sweeping import MARK, born

ROOT = Path(__file__).parent.parent.parent
CONFTEST = "from tests.helpers.sweeping import pytest_unconfigure, watch\nwatch()\n"
STARTING = """
import multiprocessing, subprocess, sys, time
from pathlib import Path

SERVER = "import os, sys, time; os.setsid(); print(os.getpid(), flush=True); time.sleep(300)"
LAUNCHER = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {SERVER!r}])"

def test_that_starts_processes():
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
    done = subprocess.run([sys.executable, "-c", LAUNCHER], stdout=(out := open("server", "w")))  # leaves it behind
    fork = multiprocessing.get_context("fork").Process(target=time.sleep, args=(300,))
    fork.start()
    while not (server := Path("server").read_text().strip()):
        time.sleep(0.05)
    time.sleep(1.0)
    Path("writing").write_text(f"{child.pid} {server} {fork.pid}")
    Path("writing").rename("started")
    time.sleep(300)
"""
HANGING = """
import threading, time

def test_that_hangs():
    waiting = threading.Thread(target=time.sleep, args=(300,))
    waiting.start()
    waiting.join()

def test_that_passes():
    pass
"""


def inner_run(folder: Path, test: str, *options: str) -> subprocess.Popen[str]:
    """Another pytest on one file, which knows nothing of this run."""
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "test_inner.py").write_text(test)
    paths = [str(ROOT), *sys.path]
    environment = {key: value for key, value in os.environ.items() if key != MARK and not key.startswith("PYTEST_")}
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options],
        cwd=folder,
        env=environment | {"PYTHONPATH": os.pathsep.join(filter(None, paths))},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def wait_for(what, seconds: float = 40.0) -> bool:
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        time.sleep(0.05)
    return bool(what())


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="the sweeper needs Linux")
@pytest.mark.parametrize(
    ("options", "number"),
    [
        (["-n0"], signal.SIGINT),
        pytest.param(["-n0"], signal.SIGTERM, marks=pytest.mark.full),
        (["-n0"], signal.SIGKILL),
        (["-n1"], signal.SIGTERM),
        pytest.param(["-n1"], signal.SIGINT, marks=pytest.mark.full),
        pytest.param(["-n2"], signal.SIGKILL, marks=pytest.mark.full),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else signal.Signals(value).name,
)
def test_a_stopped_run_leaves_nothing_running(tmp_path, options, number):
    run = inner_run(tmp_path, STARTING, *options)
    if not wait_for((tmp_path / "started").exists):
        run.kill()
        pytest.fail(run.communicate()[0])
    started = [int(each) for each in (tmp_path / "started").read_text().split()]
    assert all(map(born, started))
    run.send_signal(number)
    run.communicate(timeout=30)
    assert wait_for(lambda: not any(map(born, started)), 10), [each for each in started if born(each)]


def test_a_test_that_hangs_fails(tmp_path):
    """And with workers the others still run."""
    run = inner_run(tmp_path, HANGING, "-n1", "--timeout=2", "--timeout-method=thread")
    out, _ = run.communicate(timeout=60)
    assert run.returncode == 1, out
    assert "1 failed, 1 passed" in out
    assert "test_that_hangs" in out
