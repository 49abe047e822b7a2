"""A few evaluations of each configuration, shown and not recorded, and thresholds that would suit the results."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from satisfice.cli.request import Request
from satisfice.cli.session import evaluating
from satisfice.command.output import Found
from satisfice.command.shell_text import filled_words
from satisfice.errors import EvaluationFailed, InvalidResult, SatisficeError
from satisfice.layout.numbers import counted, rounded
from satisfice.noise.checked import is_undeclared
from satisfice.noise.propose import Kind, Proposal, proposed
from satisfice.problem.declaration import check_limits
from satisfice.problem.metric import Metric, as_metric
from satisfice.problem.problem import problem_of
from satisfice.problem.results import checked_results
from satisfice.show.sentence import answer, note
from satisfice.statistics import MEAN
from satisfice.statistics.raw import Unexpected
from satisfice.study.known_limits import in_words, split
from satisfice.study.storage.passwords import without_secrets
from satisfice.study.subject import shown_command

MOST_OTHERS = 6
"""More metrics that no limit is about get no suggestion."""


class Seen:
    """Results by metric and configuration, those that a limit is about and the others."""

    def __init__(self) -> None:
        self.results: dict[str, dict[str, list[object]]] = {}
        self.beside: dict[str, dict[str, list[object]]] = {}

    def add(self, config: str, found: Found) -> None:
        for kept, values in ((self.results, found.results), (self.beside, found.beside)):
            for name, value in values.items():
                kept.setdefault(name, {}).setdefault(config, []).append(value)

    def proposal(self, name: str) -> Proposal | None:
        """What suits a metric, if it was seen often enough."""
        by_config = self.results.get(name) or self.beside.get(name) or {}
        return proposed(name, list(by_config.values()))


def suggestions(metrics: Sequence[Metric], seen: Seen) -> Iterator[str]:
    """A line for each metric of which nothing is declared: a threshold to copy, and when it is right."""
    open_ones = [(metric, seen.proposal(metric.name)) for metric in metrics if _is_open(metric)]
    lines = [(_threshold(metric, one), one.sentence(metric.name)) for metric, one in open_ones if one is not None]
    others = [(name, seen.proposal(name)) for name in seen.beside if name not in seen.results]
    rest = [(one.threshold(name, "<= LIMIT"), one.sentence(name)) for name, one in others if one is not None]
    shown = [*lines, *rest[:MOST_OTHERS]]
    if not shown:
        return
    yield f"to copy, as {counted(len(shown), 'metric')} looked so far:"
    for threshold, why in shown:
        yield f"  -t '{threshold}'"
        yield f"     {why}"


def _is_open(metric: Metric) -> bool:
    return metric.statistic == MEAN and not metric.beside_baseline and is_undeclared(metric.noise)


def _threshold(metric: Metric, proposal: Proposal) -> str:
    """The limit with what is proposed; where that cannot be, such as a limit of 0 on a coin, exact or as it was."""
    if proposal.statistic:
        rest = metric.with_noise_written("").removeprefix(metric.label)
        return f"{proposal.statistic}({metric.name}){rest}"
    exact = replace(metric, tolerance=0.0, tolerance_ratio=0.0).with_noise_written(str(Kind.EXACT))
    declared = exact if proposal.kind is Kind.EXACT else metric.with_noise_written(proposal.declaration)
    for text in (declared, exact):
        try:
            check_limits(problem_of([as_metric(text)]))
        except SatisficeError:
            continue
        return text
    return metric.with_noise_written("")


MOST_BESIDE = 12
"""More further numbers are only counted."""


def try_each(request: Request, repeats: int) -> int:
    """Evaluate each configuration `repeats` times and show what came of it; the exit code."""
    configs = list(request.study["configs"].items())
    known, measured = split([as_metric(threshold) for threshold in request.study["thresholds"]], configs)
    problem = problem_of(measured, request.study.get("error_rate", 0.05)) if measured else None
    groups = problem.groups if problem is not None else ()
    for sentence in in_words([str(metric) for metric in known], configs):
        note(sentence)
    failed, numbers, seen = 0, count(), Seen()
    for doubt in request.doubts():
        note(f"warning: {doubt}")
    with evaluating(request.evaluation) as (_, until):
        each = [(one, group) for one in configs for group in groups or [None]]
        for (config, parameters), group in each:
            evaluation = request.evaluation if group is None else request.evaluation.by_group[group]
            asked = problem if problem is None or group is None else problem.by_group[groups.index(group)]
            made: list[Found] = []
            for repeat in range(repeats):
                until()
                number, item = next(numbers), repeat if evaluation.items else None
                if not repeat:
                    places = {"config": config, "number": number, "repeat": 0, "item": 0, "group": group, **parameters}
                    words = tuple(filled_words(evaluation.words, places))
                    command = without_secrets(shown_command(words))
                    answer(f"{config}{f' @ {group}' if group else ''}: {command}")
                try:
                    found = evaluation.found(
                        parameters, config=config, number=number, repeat=repeat, item=item, group=group
                    )
                    seen.add(config, found)
                    if asked is not None and not asked.compared:
                        checked_results(asked, found.results)
                    made.append(found)
                except (EvaluationFailed, InvalidResult) as error:
                    failed += 1
                    answer(f"  failed: {error}")
            for line in _lines(asked.metrics if asked is not None else (), made) if made else ():
                answer(f"  {line}")
    for line in suggestions(measured, seen):
        answer(line)
    next_step = "the same with run begins the study" if request.study["thresholds"] else "add a limit and type run"
    then = f"; {counted(failed, 'evaluation')} failed" if failed else f": {next_step}"
    note(f"nothing was recorded{then}")
    return 1 if failed else 0


def _lines(metrics: tuple[Metric, ...], made: list[Found]) -> Iterator[str]:
    """What was read by evaluations of one configuration."""
    reader = made[0].reader
    yield f"recognised as the output of {reader}" if reader else "read from what the program prints itself"
    for metric in metrics:
        values = [found.results[metric.name] for found in made]
        said = dict.fromkeys(_would_say(metric, value) for value in values)
        yield f"{metric.limited}: {_each(values)}, {' and '.join(said)}"
    beside = list(dict.fromkeys(name for found in made for name in found.beside))
    if beside:
        some = [
            f"{name} = {_each([one.beside[name] for one in made if name in one.beside])}"
            for name in beside[:MOST_BESIDE]
        ]
        more = len(beside) - len(some)
        yield f"recorded beside it: {', '.join(some)}{f' and {more:,} more' if more else ''}"
    elif not metrics:
        yield 'no metric found: print JSON such as {"latency_ms": 12.5}, or give --metric NAME=/PATTERN/'


def _each(values: list[Any]) -> str:
    """Values in their order; one if they are all the same."""
    shown = [_shown(value) for value in values]
    return shown[0] if len(set(shown)) == 1 else ", then ".join(shown)


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
