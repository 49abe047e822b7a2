"""One evaluation of each configuration, shown and not recorded."""

from collections.abc import Iterator
from typing import Any

from satisfice.cli.request import Request
from satisfice.cli.session import evaluating
from satisfice.command.output import Found
from satisfice.command.template import filled
from satisfice.errors import EvaluationFailed, InvalidResult
from satisfice.layout.numbers import counted, rounded
from satisfice.problem.metric import Metric
from satisfice.problem.problem import problem_of
from satisfice.problem.results import checked_results
from satisfice.show.sentence import answer, note
from satisfice.statistics.raw import Unexpected
from satisfice.study.subject import shown_command

MOST_BESIDE = 12
"""More further numbers are only counted."""


def try_each(request: Request) -> int:
    """Evaluate each configuration once and show what came of it; the exit code."""
    problem = problem_of(request.study["thresholds"], request.study.get("error_rate", 0.05))
    failed = 0
    for doubt in request.doubts():
        note(f"warning: {doubt}")
    with evaluating(request.evaluation) as (_, until):
        each = [(one, group) for one in request.study["configs"].items() for group in problem.groups or [None]]
        for number, ((config, parameters), group) in enumerate(each):
            until()
            evaluation = request.evaluation if group is None else request.evaluation.by_group[group]
            asked = problem if group is None else problem.by_group[problem.groups.index(group)]
            places = {"config": config, "number": number, "repeat": 0, "item": 0, "group": group, **parameters}
            words = tuple(filled(word, places) for word in evaluation.words)
            answer(f"{config}{f' @ {group}' if group else ''}: {shown_command(words)}")
            item = 0 if evaluation.items else None
            try:
                found = evaluation.found(parameters, config=config, number=number, item=item, group=group)
                if not asked.compared:
                    checked_results(asked, found.results)
            except (EvaluationFailed, InvalidResult) as error:
                failed += 1
                answer(f"  failed: {error}")
                continue
            for line in _lines(asked.metrics, found):
                answer(f"  {line}")
    then = f"; {counted(failed, 'evaluation')} failed" if failed else ": the same with run begins the study"
    note(f"nothing was recorded{then}")
    return 1 if failed else 0


def _lines(metrics: tuple[Metric, ...], found: Found) -> Iterator[str]:
    yield f"recognised as the output of {found.reader}" if found.reader else "read from what the program prints itself"
    for metric in metrics:
        value = found.results[metric.name]
        yield f"{metric.limited}: {_shown(value)}, {_would_say(metric, value)}"
    if found.beside:
        some = [f"{name} = {_shown(value)}" for name, value in list(found.beside.items())[:MOST_BESIDE]]
        more = len(found.beside) - len(some)
        yield f"recorded beside it: {', '.join(some)}{f' and {more:,} more' if more else ''}"


def _would_say(metric: Metric, value: Any) -> str:
    """What a limit says of one result alone, which decides nothing."""
    if metric.beside_baseline:
        return "to be compared with the baseline's"
    try:
        seen = metric.observed(value).value
    except Unexpected as error:
        return f"expected {error}"
    asked = metric.asked
    passes = seen >= asked.threshold if asked.at_least else seen <= asked.threshold
    return "within the limit" if passes else "beyond the limit"


def _shown(value: Any) -> str:
    if isinstance(value, list):
        some = ", ".join(_shown(one) for one in value[:3])
        return f"{counted(len(value), 'value')} ({some}{', ...' if len(value) > 3 else ''})"
    return rounded(value, 6) if isinstance(value, int | float) else str(value)
