"""A run that is interrupted, killed or run twice at once: nothing told is lost, and the same command goes on."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from time import monotonic, sleep

import pytest

from tests.cli.conftest import GRID, PROGRAM

WORDS = [*GRID, "-t", "latency_ms <= 100", "-t", "loss <= 0.02 ~ 0.02 : bernoulli", "-t", "energy_mj <= 50 ~ 1"]
RUN = [sys.executable, "-m", "satisfice", "run", *WORDS, "--jobs", "4", "--storage", "sqlite:///iot.db", *PROGRAM]
SLOW = [*RUN[: RUN.index("--")], "--", "sh", "-c", "sleep 0.1; exec ./bench.sh --codec $1 --tx $2", "sh"]
SLOW += ["{codec}", "{txpower}"]


def start(folder, command=RUN):
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def told(folder):
    """How many results are in the database; read without disturbing whoever writes."""
    try:
        with closing(sqlite3.connect(f"file:{folder / 'iot.db'}?mode=ro", uri=True, timeout=10)) as connection:
            (table,) = connection.execute(
                "select name from sqlite_master where type = 'table' and sql like '%body%'"
            ).fetchone() or (None,)
            if table is None:
                return 0
            return connection.execute(f"select count(*) from {table} where kind = 'told'").fetchone()[0]
    except sqlite3.OperationalError:  # not made yet
        return 0


def wait_until(folder, results, process):
    until = monotonic() + 60
    while told(folder) < results and process.poll() is None and monotonic() < until:
        sleep(0.01)


def look(folder, *words):
    command = [sys.executable, "-m", "satisfice", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def check_sound(folder, at_least):
    done = look(folder, "verify", "sqlite:///iot.db", "--json")
    assert done.returncode == 0, done
    assert json.loads(done.stdout)["evaluations"] >= at_least
    rows = json.loads(look(folder, "export", "sqlite:///iot.db", "-f", "json").stdout)
    numbers = [row["number"] for row in rows]
    assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize(("sign", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 130)])
def test_an_interrupted_run_goes_on(sign, code, bench):
    process = start(bench, SLOW)
    wait_until(bench, 20, process)
    process.send_signal(sign)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (code, "")
    assert "interrupted" in err
    assert "the same command goes on" in err
    assert "Traceback" not in err
    kept = told(bench)
    check_sound(bench, 20)
    if sign == signal.SIGINT:
        again = start(
            bench, [*SLOW[: SLOW.index("--")], "--max-evaluations", str(kept + 20), *SLOW[SLOW.index("--") :]]
        )
        out, err = again.communicate(timeout=120)
        assert again.returncode == 4, err
        assert f"after {kept} evaluations" in err
        check_sound(bench, kept + 20)


def test_an_interrupted_run_says_that_what_was_in_memory_is_gone(tmp_path):
    third_hangs = """echo >> begun; if [ $(wc -l < begun) = 3 ]; then sleep 60; fi; echo '{"a": 2}'"""
    words = ["--config", "one", "-t", "a <= 5 : normal(100)", "--storage", "memory", "-j", "1"]
    process = start(tmp_path, [*RUN[:4], *words, "--", "sh", "-c", third_hangs])
    until = monotonic() + 60
    while not (begun := tmp_path / "begun").exists() or len(begun.read_text()) < 3:
        assert process.poll() is None
        assert monotonic() < until
        sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    assert "interrupted. What was in memory is gone (2 evaluations): give --storage" in err
    assert "kept" not in err


def test_an_interrupt_leaves_no_program_behind(bench):
    program = ["--", "sh", "-c", "echo $$ >> pids; sleep 60"]
    process = start(bench, [*RUN[: RUN.index("--")], *program])
    until = monotonic() + 30
    while not (bench / "pids").exists() or len((bench / "pids").read_text().split()) < 4:
        assert monotonic() < until
        sleep(0.02)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    sleep(0.2)
    for pid in (bench / "pids").read_text().split():
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)


def test_a_killed_run_loses_nothing_that_was_told(bench):
    chance = random.Random(1)
    before = 0
    for _ in range(4):
        process = start(bench)
        wait_until(bench, before + chance.randint(5, 25), process)
        process.kill()
        process.communicate(timeout=30)
        assert told(bench) >= before
        before = told(bench)
    check_sound(bench, before)
    last = start(bench)
    out, err = last.communicate(timeout=120)
    assert last.returncode == 0, err
    assert out.startswith("FOUND  codec=lc3 txpower=8 ")
    check_sound(bench, before)


def test_two_runs_at_once_share_one_study(bench):
    both = [start(bench), start(bench)]
    ends = [process.communicate(timeout=120) for process in both]
    assert [process.returncode for process in both] == [0, 0], ends
    assert ends[0][0] == ends[1][0]
    check_sound(bench, 1)
    assert len(json.loads(look(bench, "list", "sqlite:///iot.db", "--json").stdout)) == 1
    rows = json.loads(look(bench, "export", "sqlite:///iot.db", "-f", "json").stdout)
    assert len({row["worker"] for row in rows}) == 2
