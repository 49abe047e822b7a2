"""Texts for a shell and values of parameters made of anything: no value is run as a command."""

import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satisfice.command.shell_text import ShellText
from satisfice.errors import NotMeasured
from tests.fuzz.odd import full, quick

SHELLS = [name for name in ("sh", "bash", "zsh") if shutil.which(name)]
MARK = "it-ran"
PIECES = [
    *(
        "echo ",
        "printf %s ",
        "'",
        '"',
        "'{x}'",
        '"{x}"',
        "{x}",
        "$(",
        ")",
        "`",
        "\\",
        "\\\\",
        "$",
        "#",
        "\n",
        " ",
        "((",
    ),
    *(
        "))",
        "[[ ",
        " ]]",
        "<<E\n",
        "\nE\n",
        "<<<",
        "${{A}}",
        "{{x}}",
        ";",
        "a=",
        "case x in x) ",
        ";; esac",
        "let ",
        "a[",
    ),
    *(
        "]=1",
        "if true; then ",
        "; fi",
        "&&",
        "|",
        "<",
        ">",
        "$((",
        "$'",
        '$"',
        "(",
        "{ ",
        "; }",
        "!",
        "~",
        "[ ",
        " -eq 1",
    ),
    *("for i in ", "; do echo $i; done", "export ", "set -- ", "trap ", " EXIT", "cat "),
]
COMMANDS = [f"touch {MARK}", f"$(touch {MARK})", f"`touch {MARK}`", f"\ntouch {MARK}\n", f";touch {MARK};"]
VALUES = [
    *(
        "'",
        '"',
        ";",
        "\n",
        "\\",
        "$",
        "#",
        "}",
        "{",
        " ",
        "|",
        "&",
        ")",
        "(",
        "((",
        "))",
        "E\n",
        "]]",
        "<",
        "!",
        "*",
        "x",
    ),
    *("\\'", "''", '""', "$'", "<<", "exit", "0", "=", "-", "\t", "\r", "é", f"a[$(touch {MARK})]"),
]


def texts(some: list[str], always: list[str], most: int) -> st.SearchStrategy[str]:
    """A text of pieces, at least one of which is among others."""
    piece = st.lists(st.sampled_from(some), max_size=most).map("".join)
    return st.tuples(piece, st.sampled_from(always), piece).map("".join)


def runs_no_value(text: str, value: str) -> None:
    with suppress(NotMeasured), TemporaryDirectory() as folder:
        filled = ShellText(text).filled({"x": value})
        for shell in SHELLS:
            quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            subprocess.run([shell, "-c", filled], cwd=folder, timeout=60, check=False, **quiet)  # type: ignore[call-overload]
            assert not Path(folder, MARK).exists(), (shell, filled)


@quick
@given(texts(PIECES, ["{x}"], 5), texts(VALUES, COMMANDS, 3))
def test_no_value_is_run(text: str, value: str) -> None:
    runs_no_value(text, value)


@pytest.mark.full
@full
@given(texts(PIECES, ["{x}"], 5), texts(VALUES, COMMANDS, 3))
def test_no_value_is_run_in_full(text: str, value: str) -> None:
    runs_no_value(text, value)
