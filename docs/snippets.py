"""Run what the pages show, and write what it prints: python docs/snippets.py [page ...]

A page's ```python blocks run one after another in one namespace, in a folder that holds a copy of examples/. A ```text
block right after one is its output. In ```console blocks the lines after `$ ` are commands and the rest is their
output; those of satisfice are run, `cd` changes the folder for the rest of the page, others must be listed in
`NOT_RUN`. tests/docs does the same and compares.
"""

import io
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from satisfice.cli import main
from satisfice.study import subject

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "tutorials").glob("*.md"))]
PAGES += sorted((ROOT / "docs" / "how-to").glob("*.md"))
PAGES += [
    ROOT / "docs" / "coming-from.md",
    ROOT / "docs" / "method" / "declarations.md",
    ROOT / "docs" / "reference" / "thresholds.md",
]
NOT_RUN = (
    "make ",
    "git clone ",
    "pip install ",
    "python docs/",
    "satisfice reproduce",
    "satisfice dashboard",
    "satisfice serve",
    "curl ",
    "node ",
    "satisfice report sqlite:///iot.db --out iot.html",
)

EXIT_CODES = (0, 1, 2, 3, 4)
"""Done, failure, bad input, NONE, UNDECIDED."""

MACHINE = subject.Machine("bench-3", "Linux", "x86_64", 8, "3.12.4", "0.2.0")
"""Where the pages say that they were measured."""

FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A fenced block: its language, its text, and where the text stands in the page."""

    language: str
    text: str
    start: int
    end: int


class Shown(NamedTuple):
    """What a page shows as output, what came, and where it stands in the page."""

    command: str
    shown: str
    came: str
    start: int
    end: int


def blocks_of(page: str) -> list[Block]:
    return [Block(found[1], found[2], found.start(2), found.end(2)) for found in FENCE.finditer(page)]


def run_page(page: str, folder: Path) -> Iterator[Shown]:
    """Run all blocks of a page in the folder; yield every output that the page shows."""
    namespace: dict[str, Any] = {"__name__": "page"}
    blocks = blocks_of(page)
    shutil.copytree(ROOT / "examples", folder / "examples")
    with (
        chdir(folder),
        mock.patch.dict(os.environ, {"COLUMNS": "80"}),
        mock.patch.object(sys, "path", [*sys.path, ""]),
        mock.patch.object(subject, "here", return_value=MACHINE),
    ):
        for place, block in enumerate(blocks):
            if block.language == "python":
                came = _printed(block.text, namespace)
                after = blocks[place + 1] if place + 1 < len(blocks) else None
                if after and after.language == "text" and not page[block.end + 3 : after.start - 8].strip():
                    yield Shown(block.text, after.text, came, after.start, after.end)
            elif block.language == "console":
                yield from _console(block)


def _printed(code: str, namespace: dict[str, Any]) -> str:
    with redirect_stdout(io.StringIO()) as out:
        exec(compile(code, "<page>", "exec"), namespace)
    return _trimmed(out.getvalue())


def _console(block: Block) -> Iterator[Shown]:
    for found in re.finditer(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE):
        command, shown = found[1].replace("\\\n", " "), found[2]
        if command.startswith("cd "):
            os.chdir(command.removeprefix("cd "))
        elif not command.startswith(NOT_RUN):
            start = block.start + found.start(2)
            yield Shown(command, shown, run_command(command), start, start + len(shown))


def run_command(command: str) -> str:
    """What a command of satisfice prints, errors included; it may fail only by saying what was wrong."""
    program, *words = shlex.split(command)
    if program != "satisfice":
        raise ValueError(f"Only commands of satisfice are run, got {command!r}. List others in NOT_RUN.")
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(out), mock.patch.object(sys, "argv", [program, *words]):
        try:
            main()
        except SystemExit as leaving:
            if leaving.code not in EXIT_CODES:
                raise
    return _trimmed(out.getvalue())


def _trimmed(text: str) -> str:
    """Without blanks at the ends of lines; times of day, and heads of logs, which cover them, are always the same."""
    text = re.sub(r"(?<=head )[0-9a-f]{16}", "5f0c9a2b7d3e1648", text)
    text = re.sub(r"(?<=decided on )[-0-9]{10} [0-9:]{5}", "2026-11-16 14:02", text)
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def rewritten(page: str) -> str:
    """The page with what its blocks print now; where a page shows no output, none is added."""
    with tempfile.TemporaryDirectory() as folder:
        shown = [one for one in run_page(page, Path(folder)) if one.shown]
    for one in reversed(shown):
        page = page[: one.start] + one.came + page[one.end :]
    return page


if __name__ == "__main__":
    for path in [Path(name) for name in sys.argv[1:]] or PAGES:
        path.write_text(rewritten(path.read_text(encoding="utf-8")), encoding="utf-8")
        print(path)
