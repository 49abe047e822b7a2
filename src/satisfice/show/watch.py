"""Watching a study run: a live table at a terminal, plain lines elsewhere."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from rich.console import Console
from rich.live import Live

from satisfice.layout.numbers import counted
from satisfice.show.live import Moment, footer_lines, live_view, study_table
from satisfice.show.sentence import note, screen
from satisfice.show.status import StatusCache
from satisfice.stopping.decision import KEEP
from satisfice.study import RunProgress, StudyView

FRAME_SECONDS = 0.125
LINE_SECONDS = 10.0
MOST_LINES = 50
"""With more configurations, decisions about single ones are no longer told in plain lines."""


class Watch:
    """Makes moments of a study that runs."""

    def __init__(self, before: StudyView, max_evaluations: int | None) -> None:
        self._max = max_evaluations
        self._began = monotonic()
        self._before, self._configs = before.counts.folded, before.configs
        self._cache = StatusCache(len(before.problem.metrics))

    def moment(self, progress: RunProgress, *, seconds: float = FRAME_SECONDS / 5) -> Moment:
        """What there is to see now, found out in about `seconds`."""
        view, running = progress.view, Counter(pull.name for pull in progress.running)
        return Moment(
            name=view.name,
            problem=view.problem,
            verdict=view.verdict,
            statuses=self._cache.statuses(view, running, seconds=seconds),
            parameters=self._configs,
            evaluating=running,
            seconds=monotonic() - self._began,
            evaluations_now=view.counts.folded - self._before,
            max_evaluations=self._max,
            failures=view.counts.failed,
            checks=view.checks,
            hints=view.hints,
            cost=view.cost,
            expected_cost=view.expected_cost,
        )


@contextmanager
def watching(
    before: StudyView, max_evaluations: int | None, silent: bool, *, plain: bool = False
) -> Iterator[Callable[[RunProgress], None]]:
    """What to tell progress to while a study runs, from what it was before; `plain` lines where others print too."""
    console = screen(stderr=True)
    watch = Watch(before, max_evaluations)
    if silent:
        yield lambda progress: None
    elif console.is_terminal and not plain:
        yield from _table(console, watch)
    else:
        yield _lines(watch)


def _table(console: Console, watch: Watch) -> Iterator[Callable[[RunProgress], None]]:
    latest: list[RunProgress] = []
    due = 0.0
    try:
        with Live(console=console, auto_refresh=False, transient=True, redirect_stderr=False) as live:

            def tell(progress: RunProgress) -> None:
                nonlocal due
                latest[:] = [progress]
                began = monotonic()
                if began >= due:
                    live.update(live_view(watch.moment(progress), console), refresh=True)
                    due = began + max(FRAME_SECONDS, 6 * (monotonic() - began))  # drawing must keep nobody waiting

            yield tell
    finally:  # also after Ctrl-C, the last table stays
        if latest:
            last = watch.moment(latest[0]._replace(running=()), seconds=1.0)
            console.print(study_table(last, console, rows=console.height - 4), *footer_lines(last)[1:], sep="\n")


def _lines(watch: Watch) -> Callable[[RunProgress], None]:
    decided: set[str] = set()
    hinted: set[str] = set()
    told = monotonic()

    def tell(progress: RunProgress) -> None:
        nonlocal told
        verdict = progress.verdict
        for word, names in (("passes", verdict.accepted), ("fails", verdict.rejected)):
            for name in names:
                if name not in decided and len(verdict.accepted) + len(verdict.rejected) <= MOST_LINES:
                    note(f"{name} {word} ({counted(verdict.evaluations, 'evaluation')} so far)")
                decided.add(name)
        for hint in progress.view.hints:
            if hint.metric not in hinted:
                note(hint.words)
                hinted.add(hint.metric)
        if monotonic() >= told + LINE_SECONDS:
            told = monotonic()
            moment = watch.moment(progress)
            open_ones = sum(status.decision == KEEP for status in moment.statuses)
            closest = f" · closest: {verdict.closest}" if verdict.closest else ""
            note(f"{footer_lines(moment)[1].plain} · {counted(open_ones, 'configuration')} open{closest}")

    return tell
