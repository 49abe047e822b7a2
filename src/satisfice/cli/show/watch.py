"""Watching a study run: a live table at a terminal, plain lines elsewhere."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic

from rich.console import Console
from rich.live import Live

from satisfice.cli.show.live import Moment, footer_lines, live_view, study_table
from satisfice.cli.show.sentence import note
from satisfice.core.decision import KEEP
from satisfice.core.verdict import ArmStatus
from satisfice.study import Progress, Study

FRAME_SECONDS = 0.125
LINE_SECONDS = 10.0
MOST_LINES = 50
"""With more configurations, decisions about single ones are no longer told in plain lines."""


class Lookout:
    """Makes moments of a study; where that takes long it looks less often, so that a tenth of the time goes into it."""

    def __init__(self, study: Study, max_evaluations: int | None) -> None:
        self._study, self._max = study, max_evaluations
        self._began = monotonic()
        self._before = study.verdict().evaluations
        self._configs = study.configs
        self._statuses: Sequence[ArmStatus] = ()
        self._next = 0.0

    def moment(self, progress: Progress, *, last: bool = False) -> Moment:
        now = monotonic()
        if last or now >= self._next:
            self._statuses = self._study.statuses()
            self._next = monotonic() + 10 * (monotonic() - now)
        return Moment(
            name=self._study.name,
            problem=self._study.problem,
            verdict=progress.verdict,
            statuses=self._statuses,
            parameters=self._configs,
            evaluating=Counter(pull.name for pull in progress.running),
            seconds=now - self._began,
            evaluations_now=progress.verdict.evaluations - self._before,
            max_evaluations=self._max,
            failures=self._study.counts().failed,
        )


@contextmanager
def watching(study: Study, max_evaluations: int | None, silent: bool) -> Iterator[Callable[[Progress], None]]:
    """What to tell progress to while a study runs."""
    console = Console(stderr=True, highlight=False)
    lookout = Lookout(study, max_evaluations)
    if silent:
        yield lambda progress: None
    elif console.is_terminal:
        yield from _table(console, lookout)
    else:
        yield _lines(lookout)


def _table(console: Console, lookout: Lookout) -> Iterator[Callable[[Progress], None]]:
    latest: list[Progress] = []
    drawn = 0.0
    with Live(console=console, auto_refresh=False, transient=True, redirect_stderr=False) as live:

        def tell(progress: Progress) -> None:
            nonlocal drawn
            latest[:] = [progress]
            if monotonic() >= drawn + FRAME_SECONDS:
                live.update(live_view(lookout.moment(progress), console), refresh=True)
                drawn = monotonic()

        yield tell
    if latest:
        last = lookout.moment(latest[0], last=True)
        console.print(study_table(last, console, rows=console.height - 4), *footer_lines(last)[1:], sep="\n")


def _lines(lookout: Lookout) -> Callable[[Progress], None]:
    decided: set[str] = set()
    told = monotonic()

    def tell(progress: Progress) -> None:
        nonlocal told
        verdict = progress.verdict
        for word, names in (("passes", verdict.accepted), ("fails", verdict.rejected)):
            for name in names:
                if name not in decided and len(verdict.accepted) + len(verdict.rejected) <= MOST_LINES:
                    note(f"{name} {word} ({verdict.evaluations:,} evaluations so far)")
                decided.add(name)
        if monotonic() >= told + LINE_SECONDS:
            told = monotonic()
            moment = lookout.moment(progress)
            open_ones = sum(status.decision == KEEP for status in moment.statuses)
            note(f"{footer_lines(moment)[1].plain} · {open_ones:,} configurations open")

    return tell
