"""Plain sentences on the screen, and the screen itself: whatever is shown goes through here."""

import sys
from collections.abc import Iterator, Sequence
from typing import Protocol, TextIO, cast

from rich.console import Console
from rich.text import Text

from satisfice.layout.escape import Log, log_line, visible
from satisfice.layout.numbers import counted
from satisfice.search.diagnostics import Check
from satisfice.search.verdict import Verdict


class Printout(Protocol):
    """What a program printed."""

    @property
    def stdout(self) -> str: ...
    @property
    def stderr(self) -> str: ...


MOST_CHECKS = 5
"""More lines would hide the verdict; `--json` and the report have all."""


def screen(*, stderr: bool = False, width: int | None = None) -> Console:
    """Where tables and sentences are shown: a terminal, a pipe or the log of a CI."""
    stream = cast(TextIO, Log(sys.stderr if stderr else sys.stdout))
    return Console(file=stream, width=width, highlight=False)


def plain(text: str, style: str = "") -> Text:
    """Text that is shown as it is, in one line, whatever it looks like: markup, emoji codes, control characters."""
    return Text(visible(text), style=style)


def say(console: Console, sentence: str) -> None:
    """A line of plain text, without colours for whatever looks like a number."""
    console.print(plain(sentence))


def answer(sentence: str, *, failed: bool = False) -> None:
    """The line that a command is for: on standard output, or on standard error if it failed; never broken."""
    print(log_line(sentence), file=sys.stderr if failed else sys.stdout, flush=True)


def check_lines(found: Sequence[Check], said: Sequence[str]) -> Iterator[str]:
    """What is odd about results, in sentences, but for a skewness that was said to be what a decision waits for."""
    checks = [
        one
        for one in found
        if one.kind != "skew" or not any(text.startswith(f"{one.metric} of {one.config} is skewed") for text in said)
    ]
    yield from map(str, checks[:MOST_CHECKS])
    if len(checks) > MOST_CHECKS:
        yield f"{counted(len(checks) - MOST_CHECKS, 'more check')} of results, which --json and the report list"


def warnings_beside(verdict: Verdict, warnings: Sequence[str]) -> tuple[str, ...]:
    """The warnings, but for those that the line of the verdict says, too."""
    if verdict.guess is None:
        return tuple(warnings)
    named = f" of {verdict.guess.arm} "
    return tuple(one for one in warnings if one.replace(named, " ", 1).removesuffix(".") not in verdict.closest)


def assumed_lines(assumptions: Sequence[str], said: Sequence[str]) -> tuple[str, ...]:
    """What a verdict rests on, but for what is said as a warning."""
    return tuple(one for one in assumptions if one not in said)


def note(sentence: str) -> None:
    """A line beside the answer: on standard error, where it is in nobody's way."""
    answer(f"satisfice: {sentence}", failed=True)


def show_printed(config: str, number: int, output: Printout) -> None:
    """What a program printed in one evaluation: on standard error, each line with whose it is."""
    for text, mark in ((output.stdout, "|"), (output.stderr, "!")):
        for line in text.splitlines():
            answer(f"{config} #{number} {mark} {line}", failed=True)
