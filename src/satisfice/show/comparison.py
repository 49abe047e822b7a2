"""Two studies side by side."""

from collections.abc import Iterator

from satisfice.layout.numbers import with_interval, written
from satisfice.noise.process import Interval
from satisfice.search.verdict import ArmStatus
from satisfice.show.sentence import answer, screen
from satisfice.show.table import plain_table
from satisfice.stopping.decision import ACCEPT, REJECT
from satisfice.study import StudyView
from satisfice.study.subject import differences

WORDS = {ACCEPT: "passes", REJECT: "fails"}


def print_comparison(one: StudyView, other: StudyView) -> None:
    """What differs between two studies: what was asked, what was measured, what came out."""
    for mark, view in (("A", one), ("B", other)):
        answer(f"{mark}  {view.name}: {view.verdict}")
    for sentence in _differences(one, other):
        answer(sentence)
    common = [name for name in one.configs if name in other.configs]
    alone = (
        [name for name in one.configs if name not in other.configs],
        [name for name in other.configs if name not in common],
    )
    metrics = [name for name in one.problem.metric_names if name in other.problem.metric_names]
    rows = [row for name in common for row in _rows(name, metrics, one, other)]
    if rows:
        screen().print(plain_table(("config", "metric", "A", "B", ""), rows, left=(0, 1, 4), wrapped=(0,)))
    for mark, names in zip("AB", alone, strict=True):
        if names:
            answer(f"only in {mark}: {', '.join(names[:5])}{f' and {len(names) - 5:,} more' if len(names) > 5 else ''}")


def _differences(one: StudyView, other: StudyView) -> Iterator[str]:
    before, after = list(one.spec.thresholds), list(other.spec.thresholds)
    if before != after:
        yield f"limits differ: {', '.join(before)} in A, {', '.join(after)} in B"
    if one.spec.error_rate != other.spec.error_rate:
        yield f"error rates differ: {written(one.spec.error_rate)} in A, {written(other.spec.error_rate)} in B"
    yield from (f"measured otherwise: {change}" for change in differences(one.subject, other.subject))


def _rows(name: str, metrics: list[str], one: StudyView, other: StudyView) -> Iterator[tuple[str, ...]]:
    left, right = one.status(name), other.status(name)
    yield name, "decision", _decision(left), _decision(right), "" if left.decision == right.decision else "differs"
    for metric in metrics:
        a, b = one.problem.metric_names.index(metric), other.problem.metric_names.index(metric)
        texts = [with_interval(left.means[a], left.intervals[a]), with_interval(right.means[b], right.intervals[b])]
        yield "", metric, *texts, "differs" if _apart(left.intervals[a], right.intervals[b]) else ""


def _decision(status: ArmStatus) -> str:
    return f"{WORDS.get(status.decision, 'open')} ({status.pulls:,})"


def _apart(one: Interval, other: Interval) -> bool:
    return one.high < other.low or other.high < one.low
