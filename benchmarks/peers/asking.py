"""Asking and telling beside Optuna, on the same SQLite and PostgreSQL, with one worker and with eight."""

import json
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.bar import Bar, at_least
from benchmarks.live.studies import study_of
from benchmarks.live.workers import WORK
from benchmarks.rounds import Effort, Rounds
from tests.helpers.server import running_server

OPTUNA = ("optuna==5.*", "psycopg[binary]")
SECONDS = 3.0
"""How long a round is."""
LEAST = 8.0


def interpreter_with_optuna(folder: Path) -> str:
    """An interpreter that has Optuna, in an environment of its own."""
    made = folder / "optuna"
    venv.create(made, with_pip=True)
    python = str(made / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *OPTUNA], check=True)
    return python


def beside_optuna(folder: Path, effort: Effort) -> list[Bar]:
    """ask + tell beside Optuna 5, on SQLite and PostgreSQL"""
    python, script = interpreter_with_optuna(folder), str(Path(__file__).parent / "optuna_worker.py")
    bars: list[Bar] = []
    with running_server() as server:
        address = server.get_uri()
        places = {"SQLite": f"sqlite:///{folder}/{{}}.db", "PostgreSQL": address}
        for kind, place in places.items():
            theirs = place.format("optuna").replace("postgresql://", "postgresql+psycopg://")
            for workers in (1, 8):
                name = f"{kind} {workers}"
                study_of(10, place.format("ours"), name).close()
                ours = [sys.executable, "-c", WORK, place.format("ours"), name, "1"]
                other = [python, script, theirs, name]
                bars.append(
                    _compared(
                        f"{kind}, {workers} {'worker' if workers == 1 else 'workers'}", ours, other, workers, effort
                    )
                )
    return bars


def _compared(what: str, ours: list[str], other: list[str], workers: int, effort: Effort) -> Bar:
    """Evaluations a second, one after the other in each round."""
    seconds = SECONDS * max(effort.share, 0.2)
    turns = range(min(effort.rounds, 3))
    rates = [(_rate(ours, workers, seconds), _rate(other, workers, seconds)) for _ in turns]
    own, optuna = (Rounds(values) for values in zip(*rates, strict=True))
    details = f"{own.median:,.0f} against {optuna.median:,.0f} evaluations a second"
    return at_least(f"ask + tell over Optuna's, {what}", own.over(optuna), LEAST, unit=" x", details=details)


def _rate(command: list[str], workers: int, seconds: float) -> float:
    with _started(command, workers) as processes:
        for one in processes:
            print(seconds, file=one.stdin, flush=True)
        done = [json.loads(one.stdout.readline()) for one in processes if one.stdout is not None]
    return float(sum(count / taken for count, taken, _ in done))


@contextmanager
def _started(command: list[str], workers: int) -> "Iterator[list[subprocess.Popen[str]]]":
    """Workers that are ready to begin, one after the other, since some make tables first."""
    processes = []
    try:
        for _ in range(workers):
            one = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            processes.append(one)
            if "optuna_worker.py" not in " ".join(command):
                print(0.01, file=one.stdin, flush=True)  # ours says nothing before it has worked
            if one.stdout is not None and not one.stdout.readline():
                raise RuntimeError(f"a worker did not begin: {' '.join(command)[:120]}")
        yield processes
    finally:
        for one in processes:
            one.kill()
            one.communicate()
