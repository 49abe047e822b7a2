"""The examples run, and say what they are meant to say."""

import re
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import satisfice as sf
from satisfice.theory import Case

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


@pytest.fixture
def examples(tmp_path):
    """A folder with a copy of the examples: they write beside themselves."""
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    return tmp_path


def satisfice(folder, *words):
    command = [sys.executable, "-m", "satisfice", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def demo_commands():
    """What `make demo` runs, without the pause that makes it worth watching."""
    rules = (EXAMPLES.parent / "Makefile").read_text().split("\ndemo:")[1].split("\n\n")[0]
    lines = re.findall(r"\$\(BIN\)/satisfice (.*)", rules)
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
    assert (examples / "out" / "iot.html").read_text(encoding="utf-8").count("<svg") == 5


def test_the_bench_refuses_what_it_does_not_know(examples):
    for words in (["--codec", "mp3", "--tx", "8"], ["--volume", "8"]):
        command = ["./bench.sh", *words]
        done = subprocess.run(command, cwd=examples / "examples/iot", capture_output=True, text=True, check=False)
        assert done.returncode != 0
        assert done.stderr.startswith("bench.sh: ")


def test_every_machine_is_classified(examples):
    done = python(examples, "machines/retention.py")
    verdict, *reasons = done.splitlines()
    assert verdict.startswith("FOUND  mill D, press F ")
    assert len(reasons) == 6
    assert sum("rejected after" in reason for reason in reasons) == 4


def test_a_compression_setting_for_real_files(examples):
    out = satisfice(examples / "examples/compression", "run", "study.toml", "--quiet")
    assert re.match(r"FOUND  method=(gzip|bzip2|xz) level=[169]   \d+ evaluations ", out)


def test_a_model_that_is_accurate_fast_and_small(examples):
    done = python(examples, "models/choose.py")
    assert done.startswith("FOUND  linear ")
    assert "large forest: rejected after" in done or "large forest: left undecided after" in done


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
