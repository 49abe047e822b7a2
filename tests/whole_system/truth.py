"""Whether what somebody is answered is true of what is on disk; shares no code with the package.

Who is told that a result is recorded finds it there; who is told that nothing was recorded does not, and who is told
that another result was recorded finds that one. Each attempt at a pull is given to one only, once that is recorded. No
answer leaves out a verdict, or that the study stopped, which the step found or made.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from satisfice.errors import PullAlreadyTold, PullReissued
from satisfice.study.events import Event

if TYPE_CHECKING:
    from tests.whole_system.workers import Process

Key = tuple[int, int]
Said = dict[Key, list[float] | None]
"""Results by the number of a pull and the attempt at it; None is a failure."""


class Disk:
    """What is written, as answers are about it."""

    def __init__(self) -> None:
        self.settled: Said = {}
        self.asked: set[Key] = set()
        """What was given out, and nobody was answered yet."""
        self.verdict: int | None = None
        self.stopped = [False, False]
        """After each position of the log, the first of which makes the study."""

    def wrote(self, event: Event) -> None:
        content: Any = event.content
        key, stopped = (content.get("number", -1), content.get("attempt", 0)), self.stopped[-1]
        if event.kind == "told":
            self.settled[key] = content["values"]
        elif event.kind == "failed":
            self.settled[key] = None
            stopped = stopped or content["then"] in ("stop", "end")
        elif event.kind == "resumed":
            stopped = False
        elif event.kind in ("asked", "reissued"):
            self.asked.add(key)
        elif event.kind == "verdict":
            self.verdict = event.position
        self.stopped.append(stopped)

    def refused(self, said: Said, error: Exception) -> Iterator[str]:
        """What is not true of a refusal of these results."""
        there = [self.settled[key] == outcome for key, outcome in said.items() if key in self.settled]
        if isinstance(error, PullReissued) and len(there) == len(said):
            yield f"somebody heard that nothing was recorded of {_named(said)}, and it was"
        if isinstance(error, PullAlreadyTold) and all(there):
            yield f"somebody heard that others than these results were recorded of {_named(said)}, and none were"

    def given(self, keys: Iterable[Key]) -> Iterator[str]:
        """What is not true if these are given to somebody."""
        for key in keys:
            if key not in self.asked:
                yield f"somebody got {_named([key])}, which was not recorded or which another one got"
            self.asked.discard(key)

    def done(self, said: Said) -> Iterator[str]:
        """What is not true if these results are said to be recorded."""
        for key, outcome in said.items():
            if key not in self.settled or self.settled[key] != outcome:
                yield f"somebody heard that {_named([key])} was recorded as told, and it was not"

    def known(self, process: "Process", *, decided: bool, stopped: bool) -> Iterator[str]:
        """What is not true of the study as a process has it, which may have followed others after its last step."""
        if self.verdict is not None and self.verdict <= process.took and not decided:
            yield "somebody heard that nothing is decided, after a step that found or made the verdict"
        if stopped not in self.stopped[process.took :]:
            yield f"somebody heard that the study has{'' if stopped else ' not'} stopped, and that is not so"


def _named(said: Iterable[Key]) -> str:
    return ", ".join(f"attempt {attempt} at pull {number}" for number, attempt in said)
