"""What a run leaves for a CI: a JUnit report, a page of Markdown, the summary and annotations of a GitHub job."""

import os
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from satisfice.cli import export_formats
from satisfice.errors import InvalidCommand, SatisficeError, writing
from satisfice.layout import markdown
from satisfice.layout.escape import log_lines, markdown_text, visible
from satisfice.layout.numbers import counted
from satisfice.search.verdict import Outcome
from satisfice.show.junit import UNDECIDED_AS, junit_of, junit_of_error
from satisfice.show.sentence import assumed_lines, check_lines
from satisfice.study import StudyView

SUMMARY, OUTPUT = "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"
"""Variables of GitHub's runner: the files that take the summary of a job, and the outputs of a step."""

MOST_ROWS = 200
"""Configurations in a page: a summary may have 1 MiB, and nobody reads more."""

LEVELS = {Outcome.FOUND: "notice", Outcome.NONE: "error", Outcome.UNDECIDED: "warning"}


@dataclass
class CIReports:
    """The files to write, and whether GitHub is told; made before the run, so that what cannot be is said before it."""

    junit: Path | None = None
    junit_undecided: str = "skipped"
    markdown: Path | None = None
    github: bool = False
    name: str = "satisfice"
    _began: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        if self.junit_undecided not in UNDECIDED_AS:
            raise InvalidCommand(
                f"Expected --junit-undecided as {', '.join(UNDECIDED_AS[:-1])} or {UNDECIDED_AS[-1]}, got "
                f"{self.junit_undecided!r}."
            )
        if self.github and not os.environ.get(SUMMARY):
            raise InvalidCommand(
                f"--github writes the summary of a job to the file that ${SUMMARY} names, and it names none: this is "
                "no step of GitHub Actions. Leave it out, or write the same page with --markdown FILE."
            )
        for path in (self.junit, self.markdown):
            if path is not None:
                with writing("The report", path):
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.unlink(missing_ok=True)  # what stands there is of an earlier run

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """A run that came to no verdict: say so, wherever that can be said."""
        if isinstance(error, SatisficeError):
            sentence = log_lines(str(error))
            with suppress(SatisficeError):  # what went wrong first is more important
                self._write(self.junit, junit_of_error(self.name, sentence, self._seconds))
                page = f"{markdown.heading(f'satisfice: {markdown_text(self.name)}')}\n\n**No verdict.** "
                self._say(page + markdown_text(sentence) + "\n", ("error", "satisfice: no verdict", sentence))

    def tell(self, view: StudyView, earlier: str = "") -> None:
        """Write all that was asked for; `earlier` says that nothing was run, since it had been decided before."""
        if self.junit is not None:
            self._write(self.junit, junit_of(view, self._seconds, self.junit_undecided, earlier))
        if self.markdown is None and not self.github:
            return  # a page of many configurations is not made for nobody
        level, verdict = LEVELS[view.verdict.outcome], view.verdict
        said = f"{verdict}; {earlier}" if earlier else str(verdict)
        self._say(page_of(view, earlier), (level, f"satisfice: {verdict.outcome}", said))
        if self.github and os.environ.get(OUTPUT):
            named = {"outcome": str(verdict.outcome), "config": verdict.arm or "", "evaluations": verdict.evaluations}
            lines = "".join(f"{key}={visible(str(value))}\n" for key, value in named.items())
            _append(Path(os.environ[OUTPUT]), lines)

    @property
    def _seconds(self) -> float:
        return time.monotonic() - self._began

    def _say(self, page: str, annotation: tuple[str, str, str]) -> None:
        self._write(self.markdown, page)
        if self.github:
            _append(Path(os.environ[SUMMARY]), page)
            level, title, message = annotation
            print(f"::{level} title={_property(title)}::{_data(message)}", file=sys.stderr, flush=True)

    def _write(self, path: Path | None, text: str) -> None:
        if path is not None:
            with writing("The report", path):
                path.write_text(text, encoding="utf-8")


def page_of(view: StudyView, earlier: str = "") -> str:
    """A study as a page of Markdown: verdict, configurations, what it rests on."""
    verdict = view.verdict
    columns = export_formats.summary_table(view)
    shown = {name: values[:MOST_ROWS] for name, values in columns.items()}
    more = len(view.spec.names) - MOST_ROWS
    parts = [
        markdown.heading(f"satisfice: {markdown_text(view.name)}"),
        f"**{verdict.outcome}** {markdown_text(str(verdict).removeprefix(str(verdict.outcome)).strip())}",
        *([markdown_text(earlier)] if earlier else []),
        export_formats.as_markdown(shown).strip(),
        *([f"and {counted(more, 'configuration')} more"] if more > 0 else []),
        _folded("What it rests on", assumed_lines(verdict.assumptions, view.warnings)),
        _folded("Warnings", (*view.doubts, *view.warnings, *check_lines(view.checks, view.warnings))),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _folded(title: str, sentences: tuple[str, ...]) -> str:
    if not sentences:
        return ""
    lines = "\n".join(f"- {markdown_text(one)}" for one in sentences)
    return f"<details><summary>{title}</summary>\n\n{lines}\n\n</details>"


def _append(path: Path, text: str) -> None:
    advice = "The runner's user must be allowed to write there."
    with writing("What a job of GitHub shows", path, advice), path.open("a", encoding="utf-8") as file:
        file.write(text)


def _data(text: str) -> str:
    """A message of a workflow command."""
    return visible(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
