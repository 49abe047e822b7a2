"""What people see of a study that is in a storage, computed once for each position of its log."""

from collections.abc import Callable, Collection, Sequence
from math import inf, nan
from time import monotonic

from satisfice.layout.numbers import counted, written
from satisfice.noise.process import Interval
from satisfice.search.verdict import ArmStatus, Outcome, intervals_said
from satisfice.show.forecast import cost_lines, endings_words, forecast_words
from satisfice.show.live import Moment, study_table
from satisfice.show.sentence import answer, assumed_lines, check_lines, say, screen, warnings_beside
from satisfice.show.subject import measured_line
from satisfice.show.table import plain_table
from satisfice.stopping.decision import ACCEPT, KEEP, REJECT
from satisfice.study import StudyView
from satisfice.study.forecast import Forecast
from satisfice.study.known_limits import in_words
from satisfice.study.listing import StudyRow


class StatusCache:
    """Keeps the statuses of a study's configurations; those that matter most are brought up to date first."""

    def __init__(self, metrics: int) -> None:
        self._known: dict[str, ArmStatus] = {}
        self._nothing = (nan,) * metrics, (Interval(-inf, inf),) * metrics

    def statuses(
        self, view: StudyView, running: Collection[str] = (), *, seconds: float = inf, most: int | None = None
    ) -> tuple[ArmStatus, ...]:
        """All configurations in their order, with as many up to date as `seconds` and `most` allow.

        Of the others, the number of evaluations and the decision are right, and estimates may be old or missing.
        """
        pulls = view.evaluations
        decisions = dict.fromkeys(view.verdict.rejected, REJECT) | dict.fromkeys(view.verdict.accepted, ACCEPT)

        def interest(name: str) -> tuple[bool, bool, bool, int]:
            decision = decisions.get(name, KEEP)
            return decision == ACCEPT, name in running, decision == KEEP, pulls[name]

        until = monotonic() + seconds
        for name in sorted(pulls, key=interest, reverse=True)[:most]:
            known = self._known.get(name)
            if known is None or (known.pulls, known.decision) != (pulls[name], decisions.get(name, KEEP)):
                self._known[name] = view.status(name)
                if monotonic() >= until:
                    break
        return tuple(self._status(name, count, decisions.get(name, KEEP)) for name, count in pulls.items())

    def _status(self, name: str, pulls: int, decision: int) -> ArmStatus:
        known = self._known.get(name)
        if known is None:
            return ArmStatus(name, pulls, *self._nothing, decision)
        if (known.pulls, known.decision) == (pulls, decision):
            return known
        progress = known.accept_progress, known.reject_progress
        return ArmStatus(name, pulls, known.means, known.intervals, decision, *progress, known.results)


MOST_ROWS = 60
"""More are for `satisfice export --configs`."""


def print_status(view: StudyView, left: Forecast | None = None, *, words: Callable[[str], str] = str) -> None:
    """The table of a study, what is going on and what is left, what the verdict rests on, and the verdict.

    `words` says in the language of the surface what could be done.
    """
    console = screen()
    counts, verdict = view.counts, view.verdict
    running = view.running
    statuses = StatusCache(len(view.problem.metrics)).statuses(view, running, most=MOST_ROWS)
    moment = Moment(view.name, view.problem, verdict, statuses, view.configs, running)
    limits = ", ".join((*view.spec.known, *view.spec.thresholds))
    say(console, f"{view.name}: {limits}; error rate {written(view.spec.error_rate)}")
    for ruled_out in in_words(view.spec.known, view.spec.configs):
        say(console, ruled_out)
    console.print(study_table(moment, console, rows=MOST_ROWS))
    say(console, intervals_said(view.spec.error_rate, len(view.spec.names)))
    told = [f"{counted(counts.told, 'evaluation')} recorded"]
    told += [f"{counts.held:,} of them wait for one that was asked earlier"] * bool(counts.held)
    told += [f"{counts.late:,} came after the verdict"] * bool(counts.late)
    told += [f"{counts.failed:,} failed"] * bool(counts.failed)
    told += [f"{sum(running.values()):,} running"] * bool(running)
    ended = verdict.outcome is not Outcome.UNDECIDED
    told += [f"{view.deserted:,} whose worker is gone"] * bool(view.deserted and not ended)
    never = counts.outstanding if ended else 0
    told += [f"{never:,} have not come"] * bool(never)
    say(console, "; ".join(told))
    if left is not None:
        say(console, f"forecast: {forecast_words(left)}; {endings_words(left)}")
    for sentence in cost_lines(view, statuses):
        say(console, sentence)
    if view.subject is not None:
        say(console, measured_line(view.subject))
    if view.stopped is not None:
        say(console, f"stopped: {view.stopped}")
    say(console, "assuming " + "; ".join(assumed_lines(verdict.assumptions, view.warnings)))
    for sentence in (*view.doubts, *warnings_beside(verdict, view.warnings)):
        say(console, f"warning: {words(sentence)}")
    for sentence in check_lines(view.checks, view.warnings):
        say(console, f"check: {sentence}")
    answer(str(verdict))


def print_studies(rows: Sequence[StudyRow]) -> None:
    """A line for each study."""
    console = screen()
    if not rows:
        say(console, "There are no studies here. `satisfice run` makes one.")
        return
    heads = ("study", "created", "configs", "evaluations", "verdict")
    table = plain_table(heads, [_line(row) for row in rows], left=(0, 1, 4))
    needed = console.measure(table, options=console.options.update(max_width=10_000)).maximum
    screen(width=max(console.width, needed)).print(table)  # names are for copying: whole, whatever the width


def _line(row: StudyRow) -> tuple[str, ...]:
    if row.untrusted:
        return (row.name, row.minute, "", "", f"needs {', '.join(row.untrusted)}: allow it by --trust-code")
    if row.trouble:
        return (row.name, row.minute, "", "", f"cannot be read: {row.trouble}")
    verdict = f"{row.outcome}  {', '.join(row.accepted)}" if row.outcome == "FOUND" else str(row.outcome)
    return (row.name, row.minute, f"{row.configs:,}", f"{row.evaluations:,}", verdict)
