"""Ctrl-C in a long campaign: 130, what was finished is kept, the same command goes on; then nothing is left to run."""

import signal
import subprocess
import sys
from time import monotonic, sleep

# the first cell takes a moment, the second some seconds: without a tolerance the arm is all but at its threshold
INSTANCE = """
thresholds = ["a >= 1 : normal(1)"]
[arms]
means = [[1.02]]
[simulate]
tolerances = [1.0, 0.0]
repetitions = 200
max_evaluations = 200_000
"""
COMMAND = [sys.executable, "-m", "satisfice", "simulate", "slow.toml", "--out", "results", "--threads", "1"]


def test_an_interrupted_campaign_goes_on(tmp_path):
    (tmp_path / "slow.toml").write_text(INSTANCE)
    cells = tmp_path / "results" / "cells"
    interrupted = start(tmp_path)
    until = monotonic() + 60
    while not whole(cells) and interrupted.poll() is None and monotonic() < until:
        sleep(0.02)
    interrupted.send_signal(signal.SIGINT)
    out, err = interrupted.communicate(timeout=60)
    assert interrupted.returncode == 130, err
    assert "interrupted" in err
    assert "the same command goes on" in err
    assert "Traceback" not in err
    assert out == ""
    kept = {path: path.stat().st_mtime_ns for path in cells.iterdir()}
    assert len(kept) == 1
    assert not (tmp_path / "results" / "summary.csv").exists()

    first = finished(tmp_path)
    assert len(list(cells.iterdir())) == 2
    assert all(path.stat().st_mtime_ns == written for path, written in kept.items())

    all_kept = {path: path.stat().st_mtime_ns for path in cells.iterdir()}
    assert finished(tmp_path) == first
    assert {path: path.stat().st_mtime_ns for path in cells.iterdir()} == all_kept


def whole(cells):
    """Finished cells: while one is written it has another name."""
    return [path for path in cells.glob("*.npz") if not path.name.endswith(".part.npz")]


def start(folder):
    return subprocess.Popen(COMMAND, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finished(folder):
    process = start(folder)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out
