"""What setup and prepare leave running, such as a server, lives until its counterpart was run, and no longer."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from satisfice.command import CommandEvaluation
from satisfice.command.around import Around
from satisfice.errors import EvaluationFailed, NotMeasured
from tests.helpers.programs import alive, awaited, gone, in_proc, run

SERVER = """
import http.server, os, sys
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
open("pids", "a").write(f"{os.getpid()}\\n")
open("port.new", "w").write(str(server.server_port))
os.rename("port.new", "port")
server.serve_forever()
"""
CLIENT = """
import urllib.request
port = open("port").read()
for _ in range(50):  # the server says each of them on its standard error
    status = urllib.request.urlopen(f"http://127.0.0.1:{port}/").status
print('{"status": %d}' % status)
"""
START = f"rm -f port; {sys.executable} server.py & until test -e port; do sleep 0.02; done"
ASK = f"{sys.executable} client.py"

pytestmark = in_proc


@pytest.fixture
def place(tmp_path):
    (tmp_path / "server.py").write_text(SERVER)
    (tmp_path / "client.py").write_text(CLIENT)
    return tmp_path


def clean_up(one):
    one.processes.stop()
    return one.clean_up()


def started(place):
    return (place / "pids").read_text().count("\n")


def of(place, program=(sys.executable, "client.py"), warmup=0, **around):
    return CommandEvaluation(list(program), ["status"], folder=str(place), around=Around(around, warmup), timeout=30)


def test_a_server_of_setup_lives_for_all_evaluations_and_the_cleanup(place):
    one = of(place, setup=START, cleanup=f"{ASK} > asked", warmup=1)
    for _ in range(3):
        assert run(one)["status"] == 200
    assert started(place) == 1
    assert not gone(place / "pids", within=0.1)
    assert clean_up(one) == []
    assert "200" in (place / "asked").read_text()
    assert gone(place / "pids")


def test_a_server_of_prepare_lives_for_one_evaluation_and_its_conclude(place):
    one = of(place, prepare=START, conclude=f"{ASK} > asked", warmup=1)
    for times in (2, 3):
        assert run(one)["status"] == 200
        assert "200" in (place / "asked").read_text()
        assert started(place) == times
        assert gone(place / "pids")
    assert clean_up(one) == []


def test_a_server_is_left_also_where_the_system_collects_what_it_tells_of(place, monkeypatch):
    """Some systems cannot say how a program ended without collecting it."""
    monkeypatch.delattr(os, "waitid", raising=False)
    one = of(place, prepare=START)
    assert run(one)["status"] == 200
    assert gone(place / "pids")


def test_a_conclude_may_end_it_itself(place):
    one = of(place, prepare=START, conclude="kill $(tail -n 1 pids)")
    assert run(one)["status"] == 200
    assert gone(place / "pids")


@pytest.mark.parametrize("program", [["false"], ["sh", "-c", "exit 127"], ["sleep", "60"]])
def test_it_ends_where_the_evaluation_fails(place, program):
    one = CommandEvaluation(program, ["status"], folder=str(place), around=Around({"prepare": START}), timeout=3)
    with pytest.raises(EvaluationFailed):
        run(one)
    assert started(place) == 1
    assert gone(place / "pids")


def test_it_ends_where_its_own_command_fails(place):
    with pytest.raises(NotMeasured, match="The prepare command"):
        run(of(place, prepare=f"{START}; exit 3"))
    assert gone(place / "pids")


def test_the_program_itself_leaves_nothing_behind(place):
    one = of(place, program=["sh", "-c", f"{START}; {ASK}"])
    assert run(one)["status"] == 200
    assert gone(place / "pids")


RUN = [sys.executable, "-m", "satisfice", "run", "--config", "one", "-t", "status <= 250 ~ 1", "--storage", "memory"]


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("when", ["--setup", "--prepare"])
def test_no_server_outlives_a_run_however_it_ends(place, sign, when):
    words = [*RUN, when, START, "--", "sh", "-c", "until test -e go; do sleep 0.05; done"]
    with subprocess.Popen(words, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        awaited((place / "port").exists)
        (pid,) = map(int, (place / "pids").read_text().split())
        assert alive(pid)
        os.kill(process.pid, sign)
        process.wait(30)
    assert gone(place / "pids")


def test_no_server_outlives_a_verdict(place):
    limit = ["-t", "status <= 250 ~ 1 : normal(1)"]
    words = [sys.executable, "-m", "satisfice", "run", "--config", "one", *limit, "--storage", "memory", "-q"]
    done = subprocess.run(
        [*words, "--setup", START, "--", *ASK.split()], cwd=place, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert Path(place, "pids").exists()
    assert gone(place / "pids")
