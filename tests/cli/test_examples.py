"""The examples run, and say what they are meant to say."""

import json
import os
import random
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import satisfice as sf
from satisfice.theory import Case

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


def regular(chance):
    return chance.gauss(10, 1)


def stall(chance):
    return 3000 if chance.random() < 0.02 else 0


def satisfice(folder, *words):
    command = [sys.executable, "-m", "satisfice", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def demo_commands():
    """What `make demo` runs, without the pause that makes it worth watching."""
    rules = (EXAMPLES.parent / "Makefile").read_text().split("\ndemo:")[1].split("\n\n")[0]
    lines = re.findall(r"^\t\$\(BIN\)/satisfice (.*)", rules, re.MULTILINE)
    return [shlex.split(line.replace("BENCH_SECONDS=0.1", "BENCH_SECONDS=0")) for line in lines]


def test_the_demo_finds_the_one_good_configuration_and_looks_at_it(examples):
    (examples / "out").mkdir()
    verdict, why, verified, report = [satisfice(examples, *words) for words in demo_commands()]
    assert re.fullmatch(
        r"FOUND  codec=lc3 txpower=8   \d+ evaluations   wrong with probability at most 5 %( if .*)?\n", verdict
    )
    assert re.match(r"(left undecided|rejected) after \d+ evaluations", why)
    assert "events verified" in verified
    assert report == "study: out/iot.html\n"
    assert (examples / "out" / "iot.html").read_text(encoding="utf-8").count("<svg") >= 9


def test_the_draws_of_the_bench_are_unlike_each_other(examples):
    """Those of numbers that follow each other had autocorrelations of -0.5 and -0.9 once; 5 sds are allowed."""
    command, folder, drawn = ["./bench.sh", "--codec", "lc3", "--tx", "8"], examples / "examples/iot", []
    for number in range(200):
        environment = os.environ | {"SATISFICE_NUMBER": f"{number}"}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=True)
        said = json.loads(done.stdout)
        drawn.append((said["latency_ms"], said["energy_mj"]))
    for of_metric in np.array(drawn).T:
        for lag in range(1, 9):
            assert abs(np.corrcoef(of_metric[:-lag], of_metric[lag:])[0, 1]) < 5 / np.sqrt(200), lag


def test_the_bench_refuses_what_it_does_not_know(examples):
    for words in (["--codec", "mp3", "--tx", "8"], ["--volume", "8"]):
        command = ["./bench.sh", *words]
        done = subprocess.run(command, cwd=examples / "examples/iot", capture_output=True, text=True, check=False)
        assert done.returncode != 0
        assert done.stderr.startswith("bench.sh: ")


def run(folder, *words, code, storage="memory"):
    """What a study says of one of the examples; its exit code is the answer."""
    command = [sys.executable, "-m", "satisfice", "run", "--quiet", "--storage", storage, *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done.stdout


SERVICE = ["--", sys.executable, "service.py"]


def test_a_percentile_of_lognormal_latency_is_found(examples):
    words = ["-L", "workers=2,4,8", "-t", "p95(latency_ms) <= 40 ~ 4", *SERVICE, "--workers", "{workers}"]
    said = run(examples / "examples/service", *words, code=0)
    assert re.fullmatch(r"FOUND  workers=8   \d+ evaluations   wrong with probability at most 5 %\n", said)


def test_a_mean_of_lognormal_latency_waits_for_its_shape_and_says_so(examples):
    folder = examples / "examples/service"
    words = ["-L", "workers=8", "-t", "latency_ms <= 12 ~ 1", "--max-evaluations", "150", *SERVICE, "--workers"]
    assert run(folder, *words, "{workers}", code=4, storage="sqlite:///mean.db").startswith("UNDECIDED ")
    [warning] = json.loads(status(folder, "mean.db"))["warnings"]
    assert "latency_ms of workers=8 is skewed" in warning
    assert "p95(latency_ms), pairs with a baseline or spread(SD) may need fewer" in warning


@pytest.mark.parametrize(
    ("threshold", "outcome", "code"),
    [("p99.5(latency_ms) <= 30", "NONE", 3), ("latency_ms <= 30 : checked(0.01)", "UNDECIDED", 4)],
)
def test_stalls_are_not_overlooked(examples, threshold, outcome, code):
    words = ["--config", "service", "-t", threshold, "--max-evaluations", "100", *SERVICE, "--stalls", "0.02"]
    assert run(examples / "examples/service", *words, code=code).startswith(f"{outcome} ")


@pytest.mark.full
@pytest.mark.parametrize(
    ("of_the_others", "found"), [(lambda chance: 7 * chance.lognormvariate(0, 0.8), 4), (regular, 101)]
)
def test_how_often_stalls_are_overlooked_where_nothing_is_declared(of_the_others, found):
    """The numbers of docs/tutorials/latency.md."""
    wrong = 0
    for seed in range(200):
        chance = random.Random(seed)
        study = sf.create_study(["one"], ["latency_ms <= 30"])
        verdict = study.run(
            lambda _, chance=chance: {"latency_ms": of_the_others(chance) + stall(chance)}, max_evaluations=1000
        )
        wrong += verdict.outcome == "FOUND"
    assert wrong == found


def test_zeros_and_ones_must_be_declared(examples):
    folder = examples / "examples/service"
    words = ["--config", "service", "--max-evaluations", "60", "-t"]
    ending = [*SERVICE, "--errors", "0.15"]
    said = run(folder, *words, "ok >= 0.95 ~ 0.02", *ending, code=4, storage="sqlite:///ok.db")
    assert said.startswith("UNDECIDED ")
    [warning] = json.loads(status(folder, "ok.db"))["warnings"]
    assert warning.endswith("declare it bernoulli.")
    assert run(folder, *words, "ok >= 0.95 ~ 0.02 : bernoulli", *ending, code=3).startswith("NONE ")


def status(folder, file):
    command = [sys.executable, "-m", "satisfice", "status", f"sqlite:///{file}", "--json"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize(
    ("threshold", "outcome", "code"),
    [
        ("p99(request_ms) <= 150 ~ 20 : normal", "FOUND  connections=8", 0),
        pytest.param("p99(request_ms) <= 150 ~ 20 : independent", "FOUND  connections=8", 0, marks=pytest.mark.full),
        pytest.param("p95(request_ms) <= 120 ~ 10", "FOUND  connections=8", 0, marks=pytest.mark.full),
        ("p99(request_ms) <= 150 ~ 20", "UNDECIDED", 4),
        ("p99(request_ms) <= 60 ~ 5", "NONE", 3),
    ],
)
def test_lists_of_request_times(examples, threshold, outcome, code):
    words = ["-L", "connections=8,16,32", "-t", threshold, "--max-evaluations", "40" if code == 4 else "150"]
    program = ["--", sys.executable, "load.py", "--connections", "{connections}"]
    assert run(examples / "examples/load", *words, *program, code=code).startswith(f"{outcome} ")


@pytest.mark.parametrize(("build", "code"), [("same", 0), ("slower-2", 0), ("slower-10", 3)])
def test_the_regression_gate_opens_and_closes(examples, build, code):
    words = ["--baseline", "build=old", "-L", f"build={build}", "-t", "wall_time <= baseline + 3% ~ 1%"]
    said = run(examples / "examples/gate", *words, "--", sys.executable, "build.py", "--build", "{build}", code=code)
    assert said.startswith("FOUND " if code == 0 else "NONE ")


def test_a_model_on_a_test_set(examples):
    words = ["-L", "model=small,large", "-t", "accuracy >= 0.85 : bernoulli of 500"]
    program = ["--", sys.executable, "answer.py", "--model", "{model}", "--item", "{item}"]
    said = run(examples / "examples/accuracy", *words, *program, code=0)
    condition = "wrong with probability at most 5 % if every item gives the same result each time"
    assert re.fullmatch(rf"FOUND  model=large   \d+ evaluations   {condition}\n", said)


def test_every_machine_is_classified(examples):
    done = python(examples, "machines/retention.py")
    verdict, *reasons = done.splitlines()
    assert verdict.startswith("FOUND  mill D, press F ")
    assert len(reasons) == 6
    assert sum("rejected after" in reason for reason in reasons) == 4


def python(folder, path):
    command = [sys.executable, str(folder / "examples" / path)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_every_example_has_a_good_arm(path):
    said = sf.load_instance(path)
    assert sf.theory.bounds(said.instance.problem, said.instance.arms.means).case is Case.GOOD_ARM
    assert set(said.settings) >= {"repetitions", "max_evaluations", "seed"}


def test_the_machines_are_what_their_script_writes(tmp_path):
    shutil.copy(EXAMPLES / "machines_data.py", tmp_path)
    runpy.run_path(str(tmp_path / "machines_data.py"), run_name="__main__")
    assert (tmp_path / "machines.csv").read_bytes() == (EXAMPLES / "machines.csv").read_bytes()
