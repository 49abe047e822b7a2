"""Whether the tests notice a mutation: a copy of the package with the mistake in it, and the tests run on that copy.

A test that fails is run again, alone: only if it fails twice the mutation is caught, and not by a machine that is busy.
"""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

from .mutator import Mutation

CAUGHT, SURVIVED = "caught", "survived"
MOST_FLAKY = 5
"""So often a phase goes on without a test that failed once."""

PYTEST = ("-x", "-q", "-n0", "-p", "no:cacheprovider", "--timeout=120", "--no-header", "--tb=no", "-rfE")
SEARCHING = (
    "tests/equivalence/test_golden.py",
    "tests/search/test_direct_sums.py",
    "tests/stopping/test_memory_of_metrics.py",
    "tests/search/test_budgets.py",
    "tests/equivalence/test_naive_default.py",
    "tests/search/test_search.py",
    "tests/equivalence/test_one_search.py",
)
WITHOUT_COMPILER = "not compiled and not every_rule"
STUDYING = ("tests/study", "-k", "not postgres and not chaos and not kill")
PHASES: tuple[tuple[str, ...], ...] = (
    (*SEARCHING, "-k", WITHOUT_COMPILER),
    tuple(f"tests/{name}" for name in ("noise", "problem", "statistics", "stopping", "search", "theory", "planning")),
    (
        "tests/simulation",
        "tests/files",
        "tests/contracts",
        "tests/equivalence",
        "--ignore=tests/contracts/test_test_runs.py",
    ),
    STUDYING,
    ("tests/statistical",),
)
"""Arguments of pytest, quick tests first; a mutation in `study` begins with the tests of that."""


class Finding(NamedTuple):
    """What became of a mutation: which test caught it, after how many seconds, and the changed line."""

    key: str
    mutation: Mutation
    result: str
    test: str
    seconds: float
    diff: str


def phases_for(mutation: Mutation, count: int, left_out: Sequence[str]) -> list[tuple[str, ...]]:
    """The first phases, in their order for this mutation, without some tests."""
    first = [STUDYING] if mutation.path.startswith("study") else []
    deselected = tuple(f"--deselect={each}" for each in left_out)
    return [(*phase, *deselected) for phase in [*first, *(phase for phase in PHASES[:count] if phase not in first)]]


def key_of(mutation: Mutation, source: str) -> str:
    """The same for the same mutation of the same text: what is known of it need not be found again."""
    return hashlib.sha256(f"{source}{mutation}".encode()).hexdigest()[:16]


def failing(package: Path, root: Path, notes: Path, phases: Sequence[Sequence[str]]) -> list[str]:
    """Tests that fail without any mutation, which say nothing about one; kept beside the notes, by the sources."""
    digest = hashlib.sha256()
    for file in sorted([*package.rglob("*.py"), *(root / "tests").rglob("*.py")]):
        digest.update(file.read_bytes())
    kept = notes.with_suffix(f".{digest.hexdigest()[:12]}.failing")
    if not kept.exists():
        options = [option for option in PYTEST if option != "-x"]
        found: list[str] = []
        for phase in phases:
            found += _named(_started([*options, *phase], package.parent, root).communicate()[0])
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text("\n".join(found))
    return kept.read_text().splitlines()


def judged(mutation: Mutation, package: Path, root: Path, seconds: float, phases: Sequence[Sequence[str]]) -> Finding:
    """Run the tests of `root` on a copy of the package with the mutation, until one fails; hanging is failing."""
    source = (package / mutation.path).read_text()
    begun = time.monotonic()  # `seconds` are for each phase: far more than it takes, so that only hanging exceeds them
    with tempfile.TemporaryDirectory(prefix="mutant") as folder:
        shutil.copytree(package, Path(folder) / package.name, ignore=shutil.ignore_patterns("__pycache__"))
        (Path(folder) / package.name / mutation.path).write_text(mutation.applied(source))
        caught = next(filter(None, (_caught_by(phase, Path(folder), root, seconds) for phase in phases)), "")
    spent = round(time.monotonic() - begun, 1)
    result = CAUGHT if caught else SURVIVED
    return Finding(key_of(mutation, source), mutation, result, caught, spent, mutation.shown(source))


def _caught_by(phase: Sequence[str], folder: Path, root: Path, seconds: float) -> str:
    """The test that fails twice, or what is wrong with the whole phase twice; nothing if all pass."""
    skipped: list[str] = []
    for _ in range(MOST_FLAKY):
        failed = _failure([*phase, *(f"--deselect={each}" for each in skipped)], folder, root, seconds)
        if not failed:
            return ""
        alone = [failed] if "::" in failed else [*phase]
        if _failure(alone, folder, root, seconds):
            return failed
        skipped += alone if "::" in failed else []
    return ""


def _failure(arguments: Sequence[str], folder: Path, root: Path, seconds: float) -> str:
    """The first test that fails, or how the run ended otherwise; nothing if all pass."""
    run = _started([*PYTEST, *arguments], folder, root)
    try:
        out, _ = run.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        run.communicate()
        return "the time limit"
    if run.returncode in (0, 5):  # 5: nothing there to run
        return ""
    return next(iter(_named(out)), f"exit code {run.returncode}")


def _named(out: str) -> list[str]:
    """The tests that failed, by pytest's summary."""
    lines = [line for line in out.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return [line.partition(" ")[2].partition(" - ")[0] for line in lines]


def _started(arguments: Sequence[str], folder: Path, root: Path) -> subprocess.Popen[str]:
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=root,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )


def remembered(path: Path) -> dict[str, Finding]:
    """What an earlier run has found and written down, by key."""
    if not path.exists():
        return {}
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return {row["key"]: Finding(**{**row, "mutation": Mutation(*row["mutation"])}) for row in rows}


def judge_all(
    mutations: Iterable[Mutation],
    judge: Callable[[Mutation], Finding],
    package: Path,
    notes: Path,
    at_once: int,
    say: Callable[[Finding], None],
) -> list[Finding]:
    """All findings, those of earlier runs too; each is written down as soon as it is there."""
    known = remembered(notes)
    keys = {mutation: key_of(mutation, (package / mutation.path).read_text()) for mutation in mutations}
    findings = [known[key] for key in keys.values() if key in known]
    notes.parent.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(max_workers=at_once) as pool, notes.open("a") as file:
        running = [pool.submit(judge, mutation) for mutation, key in keys.items() if key not in known]
        try:
            for done in as_completed(running):
                finding = done.result()
                file.write(json.dumps(finding._asdict()) + "\n")
                file.flush()
                findings.append(finding)
                say(finding)
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return findings
