"""Whether the tests notice a mutation: a copy of the package with the mistake in it, and the tests run on that copy.

Where it is known which tests run which lines (`lines.py`), those that run the line of the mutation come first, then
those that run its function, the quickest before the others. A test that fails, or during which the run ends or hangs,
is run again, alone: only if it fails twice, and not without the mutation, the mutation is caught, and not by a machine
that is busy.
"""

import ast
import hashlib
import json
import math
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
from threading import Lock
from typing import NamedTuple

from .lines import Lines
from .mutator import Mutation

CAUGHT, SURVIVED = "caught", "survived"
MOST_FLAKY = 5
"""So often a phase goes on without a test that failed once."""

PYTEST = ("-x", "-v", "-n0", "-p", "no:cacheprovider", "--timeout=120", "--no-header", "--tb=no", "-rfE")
FIRST = 40
"""So many of the tests that run a function come before the rest of them: most mistakes need no more."""

SEARCHING = (
    "tests/equivalence/test_golden.py",
    "tests/search/test_direct_sums.py",
    "tests/stopping/test_memory_of_metrics.py",
    "tests/search/test_budgets.py",
    "tests/equivalence/test_naive_default.py",
    "tests/search/test_search.py",
    "tests/equivalence/test_one_search.py",
)
QUICKLY = "not compiled and not every_rule and not postgres and not chaos and not kill and not contract"
COMPILED = ("tests/equivalence", "tests/simulation", "tests/contracts/test_catalogue.py", "tests/noise", "tests/search")
STATISTICAL = ("tests/statistical",)
MOST_PHASES = 4
OF_FOLDER = {"rules": ("tests/rules", "tests/equivalence/test_twin.py", "tests/contracts/test_catalogue.py")}
"""Tests of a folder of the package, where they are not those of the same name alone."""

RECORDED = tuple(
    f"tests/{folder}"
    for folder in (
        *("noise", "stopping", "rules", "search", "simulation", "study"),
        *("problem", "planning", "theory", "equivalence", "statistics"),
        *("statistical/test_draws.py", "statistical/test_validity_of_horizons.py"),
        "statistical/test_order_of_transfers.py",
    )
)


class Finding(NamedTuple):
    """What became of a mutation: which test caught it, after how many seconds, and the changed line."""

    key: str
    mutation: Mutation
    result: str
    test: str
    seconds: float
    diff: str


def record(folder: Path, package: Path, root: Path, at_once: int) -> None:
    """Run the quick tests once, without any mistake, and write down which lines each of them runs."""
    recording = ("-p", "tests.mutations.lines", "--lines-to", str(folder), f"-n{at_once}", "--timeout=600")
    run = _started([*RECORDED, "-k", QUICKLY, *recording], package.parent, root)
    run.communicate()


def present(tests: Iterable[str], package: Path, root: Path) -> set[str]:
    """Those of the tests that are still there: a recording may be older than the tests."""
    out, _ = _started(["--collect-only", *RECORDED], package.parent, root).communicate()
    return set(tests).intersection(out.splitlines())


def phases_for(mutation: Mutation, source: str, lines: Lines, count: int) -> list[tuple[str, ...]]:
    """Arguments of pytest for the first phases: what is likely to see this mutation soon, then what compiles anew.

    What stands in no function is run when its module is loaded, for whichever test: all tests of the subject are asked.
    Nothing compiled is kept for a package that has a mistake in it, so tests that compile take minutes in all.
    """
    folder = mutation.path.partition("/")[0]
    innermost = _function(source, mutation.line)
    of_line, around = [mutation.line], innermost or range(1, source.count("\n") + 2)
    seen = list(dict.fromkeys([each for part in (of_line, around) for each in lines.running(mutation.path, part)]))
    searching, own = (*SEARCHING, "-k", QUICKLY), (*OF_FOLDER.get(folder, (f"tests/{folder}",)), "-k", QUICKLY)
    others = [own, searching] if folder in ("study", "simulation") else [searching, own]
    first = [tuple(seen[:FIRST]), tuple(seen[FIRST:])] if seen else others
    if seen and innermost is None:
        first = [tuple(seen), own]
    return [*first, (*COMPILED, "-k", f"not ({QUICKLY}) and not postgres"), STATISTICAL][:count]


def _function(source: str, line: int) -> range | None:
    """The lines of the innermost function around a line, None if it stands in none."""
    functions = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    if not functions:
        return None
    innermost = max(functions, key=lambda node: node.lineno)
    return range(innermost.body[0].lineno, (innermost.end_lineno or 0) + 1)


def key_of(mutation: Mutation, source: str) -> str:
    """The same for the same mutation of the same text: what is known of it need not be found again."""
    return hashlib.sha256(f"{source}{mutation}".encode()).hexdigest()[:16]


class Soundness:
    """Whether tests pass without any mutation: those that do not say nothing. Looked at when they first seem to."""

    def __init__(self, package: Path, root: Path, seconds: float) -> None:
        self._package, self._root, self._seconds = package, root, seconds
        self._known: dict[tuple[str, ...], bool] = {}
        self._lock = Lock()

    def __call__(self, *tests: str) -> bool:
        with self._lock:
            if tests not in self._known:
                self._known[tests] = not _failure(tests, self._package.parent, self._root, self._seconds)
            return self._known[tests]


def judged(
    mutation: Mutation,
    package: Path,
    root: Path,
    seconds: float,
    phases: Sequence[Sequence[str]],
    is_sound: Callable[..., bool] = lambda *tests: True,
) -> Finding:
    """Run the tests of `root` on a copy of the package with the mutation, until one fails; hanging is failing."""
    source = (package / mutation.path).read_text()
    begun = time.monotonic()  # `seconds` are for each phase: far more than it takes, so that only hanging exceeds them
    with tempfile.TemporaryDirectory(prefix="mutant") as folder:
        shutil.copytree(package, Path(folder) / package.name, ignore=shutil.ignore_patterns("__pycache__"))
        (Path(folder) / package.name / mutation.path).write_text(mutation.applied(source))
        caught = next(filter(None, (_caught_by(phase, Path(folder), root, seconds, is_sound) for phase in phases)), "")
    spent = round(time.monotonic() - begun, 1)
    result = CAUGHT if caught else SURVIVED
    return Finding(key_of(mutation, source), mutation, result, caught, spent, mutation.shown(source))


def _caught_by(phase: Sequence[str], folder: Path, root: Path, seconds: float, is_sound: Callable[..., bool]) -> str:
    """The test that fails twice, or what is wrong with the whole phase twice; nothing if all pass."""
    skipped: list[str] = []
    for _ in range(MOST_FLAKY):
        failed = _failure([*phase, *(f"--deselect={each}" for each in skipped)], folder, root, seconds)
        if not failed:
            return ""
        alone = [failed] if "::" in failed else [*phase]
        if _failure(alone, folder, root, seconds) and is_sound(*alone):
            return failed
        skipped += alone if "::" in failed else []
    return ""


def _failure(arguments: Sequence[str], folder: Path, root: Path, seconds: float) -> str:
    """The first test that fails or never ends, or how the run ended otherwise; nothing if all pass."""
    if not arguments:
        return ""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:  # thousands of tests are no command line
        file.write("\n".join(arguments))
        file.flush()
        run = _started([*PYTEST, f"@{file.name}"], folder, root)
        try:
            out, _ = run.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            out, _ = run.communicate()
            return _last_begun(out) or "the time limit"
    if run.returncode in (0, 5):  # 5: nothing there to run
        return ""
    return next(iter(_named(out)), "") or _last_begun(out) or f"exit code {run.returncode}"


def _named(out: str) -> list[str]:
    """The tests that failed, by pytest's summary."""
    lines = [line for line in out.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return [line.partition(" ")[2].partition(" - ")[0] for line in lines]


def _last_begun(out: str) -> str:
    """The test whose name stands there without a result: the run ended in it."""
    begun = [line for line in out.splitlines() if "::" in line.partition(" ")[0]]
    is_open = bool(begun) and not begun[-1].rstrip().endswith("%]")
    return begun[-1].partition(" +++")[0].strip() if is_open else ""


def _started(arguments: Sequence[str], folder: Path, root: Path) -> subprocess.Popen[str]:
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=root,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONUNBUFFERED": "1"},
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
    *,
    survivors_again: bool = False,
    seconds: float = math.inf,
) -> list[Finding]:
    """All findings, those of earlier runs too; each is written down as soon as it is there.

    After so many seconds no other mutation is begun. Of one that is judged again the last finding counts.
    """
    known = remembered(notes)
    if survivors_again:
        known = {key: finding for key, finding in known.items() if finding.result == CAUGHT}
    keys = {mutation: key_of(mutation, (package / mutation.path).read_text()) for mutation in mutations}
    findings = [known[key] for key in keys.values() if key in known]
    until = time.monotonic() + seconds

    def judge_in_time(mutation: Mutation) -> Finding | None:
        return judge(mutation) if time.monotonic() < until else None

    notes.parent.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(max_workers=at_once) as pool, notes.open("a") as file:
        running = [pool.submit(judge_in_time, mutation) for mutation, key in keys.items() if key not in known]
        try:
            for done in as_completed(running):
                if (finding := done.result()) is None:
                    continue
                file.write(json.dumps(finding._asdict()) + "\n")
                file.flush()
                findings.append(finding)
                say(finding)
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return findings
