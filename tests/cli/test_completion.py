"""The Tab key: a shell's completion script, and the names that it offers."""

import os
import subprocess
import sys

import pytest

PROGRAM = "import sys; sys.argv[0] = 'satisfice'; from satisfice.cli import main; main()"


def offered(line):
    """What bash offers after a line, as typer's own script asks for it."""
    environment = os.environ | {
        "_SATISFICE_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split(" ")) - 1),
    }
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False)
    return done.stdout.split()


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
    command = [sys.executable, "-c", PROGRAM, "--show-completion", "bash"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"SHELL": "/bin/bash"})
    assert "_SATISFICE_COMPLETE" in done.stdout
