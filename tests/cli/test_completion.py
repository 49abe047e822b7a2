"""The Tab key: a shell's completion script, and the names that it offers."""

import os
import subprocess
import sys

import pytest

PROGRAM = "import sys; sys.argv[0] = 'satisfice'; from satisfice.cli import main; main()"


def answer(**variables):
    """What the program prints when a shell asks it by variables."""
    environment = os.environ | variables
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False)
    return done.stdout


def offered(line):
    """What bash offers after a line, as typer's own script asks for it."""
    last = len(line.split(" ")) - 1
    return answer(_SATISFICE_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=str(last)).split()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("satisfice ver", ["verify"]),
        ("satisfice run --rule th", ["thompson"]),
        ("satisfice run --stopping ev", ["evidence"]),
        ("satisfice run --on-error ", ["stop", "retry", "worst"]),
        ("satisfice run --goal a", ["any", "all"]),
        ("satisfice simulate -r murp", ["murphy"]),
        ("satisfice export --format p", ["parquet"]),
        ("satisfice run --max-ev", ["--max-evaluations"]),
    ],
)
def test_names_are_completed(line, expected):
    assert offered(line) == expected


def test_a_script_for_the_shell():
    """As --show-completion prints it once it has found out which shell it is called from."""
    assert "_SATISFICE_COMPLETE=complete_bash" in answer(_SATISFICE_COMPLETE="source_bash")
