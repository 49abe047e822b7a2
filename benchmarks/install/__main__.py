"""Install what was built into empty environments, and try it there: python -m benchmarks.install dist

For every Python of 3.11, 3.12 and 3.13 that the machine has, the wheel and the sdist of a folder are installed without
extras, each into an environment of its own, and a small study is run there, looked at and verified. Prints what the
installation takes beside what it may; the exit code is 1 if something does not work.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.bar import Bar
from benchmarks.report import print_bars
from satisfice import __version__

PYTHONS = ("3.11", "3.12", "3.13")
MOST_MEGABYTES, MOST_SECONDS = 150.0, 15.0

STUDY = """
import random, satisfice as sf
dice = random.Random(1)
study = sf.create_study(["a", "b"], ["passed >= 0.8 ~ 0.1 : bernoulli", "p90(time) <= 12 ~ 2"], storage="sqlite:///py.db")
def evaluate(config):
    return {"passed": dice.random() < 0.95, "time": dice.gauss(10 if config == "b" else 15, 0.5)}
verdict = study.run(evaluate)
assert verdict.arm == "b", verdict
assert sf.verify("sqlite:///py.db").ok
"""
PROGRAM = '#!/bin/sh\necho "{\\"level\\": $1}"\n'
LINES = (
    (
        "run -L level=1,2 -t level>=2~0.5:bounded(0,3) --quiet -s sqlite:///s.db -- ./measure {level}",
        0,
        "FOUND  level=2",
    ),
    ("status sqlite:///s.db", 0, "level=2"),
    ("verify sqlite:///s.db", 0, "events verified"),
    ("report sqlite:///s.db --out report.html", 0, "report.html"),
    ("export sqlite:///s.db --format csv", 0, "level"),
    ("simulate none.toml", 2, "pip install 'satisfice[simulate]'"),
)
"""Commands, their exit codes, and what they say."""


def pythons() -> Iterator[tuple[str, str]]:
    """The interpreters that the machine has: on the path, or of pyenv."""
    for version in PYTHONS:
        of_pyenv = sorted(
            Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser().glob(f"versions/{version}.*/bin/python")
        )
        for found in (*map(str, of_pyenv), shutil.which(f"python{version}")):
            if found and subprocess.run([found, "-c", "import venv"], capture_output=True, check=False).returncode == 0:
                yield version, found
                break


def installed(python: str, package: Path, folder: Path) -> tuple[Path, float, float]:
    """The environment with the package, the megabytes that it added and the seconds that it took."""
    subprocess.run([python, "-m", "venv", folder], check=True)
    before, start = _megabytes(folder), time.monotonic()
    quiet = ["--quiet", "--disable-pip-version-check"]
    subprocess.run([folder / "bin/python", "-m", "pip", "install", *quiet, package], check=True)
    return folder, _megabytes(folder) - before, time.monotonic() - start


def _megabytes(folder: Path) -> float:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def try_out(environment: Path, folder: Path) -> None:
    """Run a study in the terminal and one in Python, outside the repository."""
    folder.mkdir()
    (folder / "measure").write_text(PROGRAM)
    (folder / "measure").chmod(0o755)
    satisfice = environment / "bin/satisfice"
    found = _said(folder, satisfice, "--version")
    expect(found, 0, f"satisfice {__version__}")
    for line, code, says in LINES:
        expect(_said(folder, satisfice, *line.split()), code, says)
    expect(_said(folder, environment / "bin/python", "-c", STUDY), 0, "")


def _said(folder: Path, *words: str | Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


def expect(done: "subprocess.CompletedProcess[str]", code: int, says: str) -> None:
    """Leave with what was expected and what came, if these differ."""
    said = done.stdout + done.stderr
    if done.returncode != code or says not in said:
        sys.exit(f"Expected exit code {code} and {says!r} of {done.args}, got {done.returncode} and:\n{said}")


def main() -> None:
    dist = Path(sys.argv[1] if len(sys.argv) > 1 else "dist")
    packages = [path for ending in ("whl", "tar.gz") for path in dist.glob(f"satisfice-{__version__}*.{ending}")]
    if len(packages) != 2:
        sys.exit(f"Expected a wheel and an sdist of {__version__} in {dist}: python -m build --outdir {dist}")
    bars = []
    for version, python in pythons():
        for package in packages:
            with tempfile.TemporaryDirectory() as folder:
                environment, size, seconds = installed(python, package.resolve(), Path(folder) / "environment")
                try_out(environment, Path(folder) / "study")
            what = f"Python {version}, {'wheel' if package.suffix == '.whl' else 'sdist'}"
            bars += [Bar(f"{what}: installed", size, MOST_MEGABYTES, False, " MB", "without extras")]
            bars += [
                Bar(f"{what}: to install", seconds, MOST_SECONDS, False, " s", "what was downloaded before is kept")
            ]
            print(f"{what}: works", flush=True)
    print_bars(bars)


if __name__ == "__main__":
    main()
