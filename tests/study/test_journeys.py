"""The journeys of the product as people type them, on SQLite and on a real PostgreSQL, with other processes."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

import satisfice as sf

MODULE = """
import random
TRUTH = {"small": (0.7, 0.0006), "medium": (0.97, 0.0029), "large": (0.98, 0.0091)}
def evaluate(config):
    right, usd = TRUTH[config["model"]]
    return {"accuracy": int(random.random() < right), "usd": min(0.05, usd * random.uniform(0.5, 1.5))}
"""
THRESHOLDS = ["accuracy >= 0.85 ~ 0.05 : bernoulli", "usd <= 0.004 ~ 0.0005 : bounded(0, 0.05)"]
CONFIGS = {name: {"model": name} for name in ("small", "medium", "large")}


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(request.param))


@pytest.fixture
def evaluate() -> object:
    names: dict[str, object] = {}
    exec(MODULE, names)
    random.seed(1)
    return names["evaluate"]


def study_at(url: str) -> sf.Study:
    return sf.create_study(
        configs=CONFIGS,
        thresholds=THRESHOLDS,
        error_rate=0.05,
        rule="thompson",
        stopping="evidence",
        storage=url,
        name="support-bot",
        load_if_exists=True,
    )


def test_a_platform_engineer_with_many_workers(url: str, evaluate: object) -> None:
    with study_at(url) as study:
        verdict = study.run(evaluate, workers=32, max_evaluations=20_000)  # type: ignore[arg-type]
    assert (str(verdict.outcome), verdict.arm) == ("FOUND", "medium")
    with study_at(url) as again:
        assert again.ask() is None
        assert again.verdict() == verdict
    assert sf.verify(url, "support-bot").ok


def test_the_loop_of_your_own(url: str, evaluate: object) -> None:
    with study_at(url) as study:
        while (pull := study.ask()) is not None:
            study.tell(pull, evaluate(pull.config))  # type: ignore[operator]
        assert study.verdict().arm == "medium"


def test_workers_in_other_processes_by_function_and_by_program(url: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MODULE)
    program = "import mine, json, sys; print(json.dumps(mine.evaluate({'model': sys.argv[1]})))"
    study_at(url).close()
    start = [sys.executable, "-m", "satisfice", "worker", "--storage", url, "--jobs", "2"]
    commands = [[*start, "mine:evaluate"], [*start, "--", sys.executable, "-c", program, "{model}"]]
    workers = [
        subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for command in commands
    ]
    ends = [worker.communicate(timeout=240) for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0], ends
    assert ends[0][0] == ends[1][0]
    assert ends[0][0].startswith("FOUND  medium ")
    assert sf.verify(url, "support-bot").ok
