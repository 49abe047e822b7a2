"""The mutator itself: each operator changes code into other code, and a mistake is caught or survives as it should."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutations.__main__ import ROOT
from tests.mutations.lines import Lines, read
from tests.mutations.mutator import OPERATORS, Mutation, mutations_of, sampled
from tests.mutations.running import (
    CAUGHT,
    SURVIVED,
    Soundness,
    judge_all,
    judged,
    key_of,
    phases_for,
    remembered,
)

SOURCE = '''"""A docstring with 3 and <= in it."""

__all__ = ["f"]


def f(a: int, b: int = 3) -> "list[int]":
    """Whether a < b."""
    if a < b and not (a  # and a comment with < in it
                      <= 2):
        raise ValueError(f"expected {a + 1} < 4")
    total = max(a, b) - -a * 2.5
    return [total for each in range(1, b) if each is not a or True]
'''


def changed(operator: str) -> list[str]:
    """What the operator makes of the source: the lines that are new."""
    return [
        each.shown(SOURCE).splitlines()[1][2:] for each in mutations_of("f.py", SOURCE) if each.operator == operator
    ]


@pytest.mark.parametrize(
    ("operator", "lines"),
    [
        ("comparisons", ["if a >= b and not", "> 2):", "if each is a or True]"]),
        ("boundaries", ["if a <= b and not", "< 2):"]),
        ("signs", ["total = max(a, b) + -a * 2.5", "total = max(a, b) - -a / 2.5"]),
        ("negations", ["if a < b and (a", "total = max(a, b) - a * 2.5"]),
        ("words", ["if a < b or not", "if each is not a and True]"]),
        ("constants", ["b: int = 4", "<= 3):", "-a * 5.0", "range(2, b)"]),
        ("names", ["total = min(a, b) - -a", "a or False]"]),
        ("orders", ["range(b, 1)"]),
        ("ranges", ["range(1, (b) - 1)"]),
    ],
)
def test_each_operator_changes_the_code(operator, lines):
    found = changed(operator)
    assert len(found) == len(lines)
    for line, part in zip(found, lines, strict=True):
        assert part in line


def test_all_operators_are_tested_and_all_mutations_are_other_python():
    mutations = mutations_of("f.py", SOURCE)
    assert {each.operator for each in mutations} == {operator.__name__ for operator in OPERATORS}
    for each in mutations:
        assert ast.dump(ast.parse(each.applied(SOURCE))) != ast.dump(ast.parse(SOURCE))
        assert each.line == SOURCE.count("\n", 0, each.start) + 1


def toy(folder: Path) -> tuple[Path, Path]:
    """A package with one function that is tested, one that hangs when changed, and one that nobody tests."""
    package, root = folder / "toy", folder / "root"
    package.mkdir()
    root.mkdir()
    (package / "__init__.py").write_text("")
    (package / "sums.py").write_text("def plus(a, b):\n    return a + b\n\n\ndef untested(a, b):\n    return a - b\n")
    (package / "loop.py").write_text("def loop(n):\n    while n > 0:\n        n = n - 1\n    return n\n")
    (root / "test_toy.py").write_text(
        "from toy.loop import loop\nfrom toy.sums import plus\n\n\n"
        "def test_plus():\n    assert plus(2, 1) == 3\n\n\ndef test_loop():\n    assert loop(3) == 0\n"
    )
    return package, root


def test_a_known_mistake_is_caught_and_one_in_untested_code_survives(tmp_path):
    package, root = toy(tmp_path)
    notes = tmp_path / "notes.jsonl"
    tested, untested = (
        each for each in sampled(package, ["."], 99, 1) if each.operator == "signs" and "sums" in each.path
    )
    if tested.line > untested.line:
        tested, untested = untested, tested

    def judge(mutation):
        return judged(mutation, package, root, 60.0, [["test_toy.py"]])

    findings = judge_all([tested, untested], judge, package, notes, 2, lambda finding: None)
    assert {one.mutation: (one.result, one.test) for one in findings} == {
        tested: (CAUGHT, "test_toy.py::test_plus"),
        untested: (SURVIVED, ""),
    }
    again = judge_all(
        [tested, untested], lambda mutation: pytest.fail("known"), package, notes, 2, lambda finding: None
    )
    assert sorted(again) == sorted(findings) == sorted(remembered(notes).values())
    (package / "sums.py").write_text((package / "sums.py").read_text() + "\n")
    assert key_of(tested, (package / "sums.py").read_text()) not in remembered(notes)


@pytest.mark.full
def test_a_mistake_that_hangs_is_caught(tmp_path):
    package, root = toy(tmp_path)
    hangs = next(
        each for each in mutations_of("loop.py", (package / "loop.py").read_text()) if each.operator == "signs"
    )
    assert judged(hangs, package, root, 3.0, [["test_toy.py"]])[2:4] == (CAUGHT, "test_toy.py::test_loop")


@pytest.mark.full
def test_a_test_that_fails_only_once_catches_nothing(tmp_path):
    package, root = toy(tmp_path)
    (root / "test_once.py").write_text(
        "from pathlib import Path\n\n\ndef test_once():\n    mark = Path('mark')\n    first = not mark.exists()\n"
        "    mark.touch()\n    assert not first\n"
    )
    mutation = mutations_of("sums.py", (package / "sums.py").read_text())[-1]
    assert judged(mutation, package, root, 60.0, [["test_once.py", "test_toy.py"]]).result == SURVIVED


@pytest.mark.full
def test_a_test_that_fails_without_a_mutation_catches_nothing(tmp_path):
    package, root = toy(tmp_path)
    (root / "test_broken.py").write_text("def test_broken():\n    assert False\n")
    mutation = mutations_of("sums.py", (package / "sums.py").read_text())[-1]
    is_sound = Soundness(package, root, 60.0)
    assert not is_sound("test_broken.py::test_broken")
    assert judged(mutation, package, root, 60.0, [["test_broken.py"]], is_sound).result == SURVIVED
    assert judged(mutation, package, root, 60.0, [["test_toy.py::test_that_is_not_there"]], is_sound).result == SURVIVED


NOWHERE = Lines([], {})
RECORDING = ("-p", "tests.mutations.lines", "--lines-to")


def test_tests_of_the_folder_come_early():
    place = Mutation("x.py", 1, 0, 1, "a", "signs")._replace(path="study/state.py")
    phases = phases_for(place, "", NOWHERE, 4)
    assert phases[0][0] == "tests/study"
    assert phases[-1] == ("tests/statistical",)
    for folder in ("noise", "stopping", "search", "simulation", "rules"):
        for phase in phases_for(place._replace(path=f"{folder}/some.py"), "", NOWHERE, 4):
            assert all((ROOT / test).exists() for test in phase if test.startswith("tests/"))


def test_what_runs_the_function_comes_first_and_the_quickest_before(tmp_path):
    package, root = toy(tmp_path)
    (root / "test_slow.py").write_text(
        "import time\n\nfrom toy.sums import plus\n\n\n"
        "def test_slow():\n    time.sleep(0.1)\n    assert plus(1, 1) == 2\n"
    )
    folder = tmp_path / "lines"
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "--rootdir", root, root, *RECORDING, folder, "--lines-of", "toy"],
        cwd=root,
        env=os.environ | {"PYTHONPATH": f"{package.parent}{os.pathsep}{ROOT}"},
        check=False,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    lines, source = read(folder), (package / "sums.py").read_text()
    tested = next(each for each in mutations_of("sums.py", source) if each.line == 2)
    assert phases_for(tested, source, lines, 2) == [("test_toy.py::test_plus", "test_slow.py::test_slow"), ()]
    only = lines.of({"test_slow.py::test_slow"})
    assert phases_for(tested, source, only, 2)[0] == ("test_slow.py::test_slow",)
    untested = next(each for each in mutations_of("sums.py", source) if each.line == 6)
    assert phases_for(untested, source, lines, 2) == phases_for(untested, source, NOWHERE, 2)
    constant = tested._replace(line=4)
    asked = phases_for(constant, source, lines, 2)
    assert set(asked[0]) >= {"test_toy.py::test_plus", "test_slow.py::test_slow"}
    assert asked[1] == phases_for(constant, source, NOWHERE, 2)[1], "all tests of its subject, too"


@pytest.mark.full
def test_a_test_that_ends_the_run_is_named(tmp_path):
    package, root = toy(tmp_path)
    (root / "test_end.py").write_text(
        "import os\n\nfrom toy.sums import plus\n\n\ndef test_end():\n    plus(2, 1) == 3 or os._exit(1)\n"
    )
    mutation = next(one for one in mutations_of("sums.py", (package / "sums.py").read_text()) if one.line == 2)
    found = judged(mutation, package, root, 60.0, [["test_end.py"]], Soundness(package, root, 60.0))
    assert found[2:4] == (CAUGHT, "test_end.py::test_end")
