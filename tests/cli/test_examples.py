"""The examples run, and say what they are meant to say."""

import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import satisfice as sf
from satisfice.core.theory import Case

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


def test_the_demo_finds_the_one_good_configuration(tmp_path):
    """Just what `make demo` runs, in a folder of its own."""
    command = [sys.executable, str(EXAMPLES / "radio_search.py")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    *_, verdict, picture = done.stdout.splitlines()
    assert verdict.startswith("FOUND  lc3/8dBm ")
    assert verdict.endswith("wrong with probability at most 5 %")
    assert picture == "picture: out/radio_search.png"
    assert (tmp_path / "out" / "radio_search.png").read_bytes().startswith(b"\x89PNG")
    assert done.stderr == ""


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_every_example_has_a_good_arm(path):
    said = sf.load_instance(path)
    assert sf.theory.bounds(said.instance.problem, said.instance.arms.means).case is Case.GOOD_ARM
    assert set(said.settings) >= {"rules", "repetitions", "max_evaluations", "seed"}


def test_the_machines_are_what_their_script_writes(tmp_path):
    shutil.copy(EXAMPLES / "machines_data.py", tmp_path)
    runpy.run_path(str(tmp_path / "machines_data.py"), run_name="__main__")
    assert (tmp_path / "machines.csv").read_bytes() == (EXAMPLES / "machines.csv").read_bytes()
