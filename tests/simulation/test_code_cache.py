"""Compiled code on disk: used by the next process, never after a source has been edited."""

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import satisfice

PROGRAM = textwrap.dedent(
    """
    import satisfice as sf
    import numpy as np
    from satisfice.search.state import parts_of
    from satisfice.stopping import judge_of
    from satisfice.simulation import engine as compiled, runs, trial

    problem, arms = sf.problem_of(["a >= 0.5 : normal(1)"]), sf.gaussian_arms([[0.9], [0.2], [0.7]], 1.0)
    settings = {"rules": ["multitucb"], "stopping": "alpha", "repetitions": 20, "max_evaluations": 500}
    result = sf.simulate(problem, arms, **settings).cells[0]
    judge = judge_of(result.cell.stopping, problem, 3)
    parts = parts_of(result.cell.rule, judge, problem, 3, np.zeros(0))
    kinds = frozenset(map(type, compiled._values((arms, parts, trial.Budget(500)))))
    stats = compiled._kept_on_disk(runs.run_block, kinds, compiled.sources_digest()).dispatcher.stats
    print(result.pulls.sum(), sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
    """
)


def run(root: Path) -> tuple[int, int, int]:
    """Pulls, and hits and misses of the code cache, of a fresh process that imports the package from this folder."""
    environment = os.environ | {"PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("NUMBA_CACHE_DIR", None)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False, env=environment, cwd=root
    )
    assert done.returncode == 0, done.stderr
    pulls, hits, misses = map(int, done.stdout.split())
    return pulls, hits, misses


@pytest.fixture
def package(tmp_path):
    """A copy of the package, with what numba has compiled by now, without Python's bytecode, which may be stale."""
    without_bytecode = shutil.ignore_patterns("*.pyc")
    shutil.copytree(Path(satisfice.__file__).parent, tmp_path / "satisfice", ignore=without_bytecode)
    return tmp_path


def test_code_is_kept_for_the_next_process_and_never_stale(package):
    """The edit keeps the file's size and time, and is in another file than the compiled function."""
    first = run(package)
    assert sum(first[1:]) == 1
    assert run(package) == (first[0], 1, 0)
    source = package / "satisfice" / "rules" / "multitucb.py"
    times = source.stat().st_atime_ns, source.stat().st_mtime_ns
    text = source.read_text()
    edited = text.replace("bonus - shortfall", "bonus * shortfall")
    assert edited != text
    source.write_text(edited)
    os.utime(source, ns=times)
    after = run(package)
    assert after[1:] == (0, 1)
    assert after[0] != first[0]


@pytest.mark.full
def test_a_package_that_cannot_be_written_to_still_runs(package):
    """As root no folder is closed to us, so a file stands where the cache would be."""
    kept = package / "satisfice" / "simulation" / "__pycache__"
    shutil.rmtree(kept)
    kept.write_text("in the way")
    home = package / "home"
    home.write_text("in the way")
    environment = os.environ | {
        "PYTHONPATH": str(package),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home),
    }
    program = PROGRAM.split("kinds =")[0] + "print(result.pulls.sum())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0
