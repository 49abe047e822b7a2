"""Limits on what is known before anything is evaluated: on parameters of configurations, such as `price <= 40`.

A parameter that every configuration has needs no evaluation. Configurations that miss such a limit are out from the
beginning, and cost nothing: neither evaluations nor a share of the error rate.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from satisfice.errors import InvalidSpec
from satisfice.given import is_number, shown
from satisfice.layout.numbers import counted
from satisfice.noise.checked import is_undeclared
from satisfice.noise.exact import Exact
from satisfice.problem.metric import Direction, Metric, as_metric
from satisfice.statistics import MEAN

Named = Sequence[tuple[str, Mapping[str, Any]]]


def split(metrics: Sequence[Metric], configs: Named) -> tuple[tuple[Metric, ...], tuple[Metric, ...]]:
    """The limits that are known beforehand, and those on what has to be measured."""
    known = [metric for metric in metrics if _is_known(metric, configs)]
    for metric in known:
        for name, parameters in configs:
            _passes(metric, name, parameters[metric.name])
    return tuple(replace(metric, noise=Exact()) for metric in known), tuple(
        metric for metric in metrics if metric not in known
    )


def _is_known(metric: Metric, configs: Named) -> bool:
    plain = (metric.statistic == MEAN or metric.is_match) and not metric.ratio and not metric.group
    if not plain or not (metric.process.certain or is_undeclared(metric.noise)):
        return False
    having = sum(metric.name in parameters for _, parameters in configs)
    if 0 < having < len(configs) and not metric.process.certain:
        raise InvalidSpec(
            f"{metric.name!r} is a parameter of {having} of {counted(len(configs), 'configuration')}, so it is not "
            f"clear whether '{metric.limited}' is about it or about what is measured. Give it to all of them, or "
            "declare what is measured, as in ': normal'."
        )
    return having == len(configs)


def ruled_out(known: Sequence[str], configs: Named) -> dict[str, str]:
    """Why each configuration that misses a known limit is out, by its name."""
    limits, found = [as_metric(text) for text in known], dict[str, str]()
    for name, parameters in configs:
        missed = [limit for limit in limits if not _passes(limit, name, parameters[limit.name])]
        if missed:
            found[name] = " and ".join(f"{limit.name} is {shown(parameters[limit.name], 40)}" for limit in missed)
    return found


def in_words(known: Sequence[str], configs: Named) -> tuple[str, ...]:
    """How many configurations each known limit rules out, in a sentence each."""
    return tuple(
        f"{len(ruled_out([text], configs))} of {counted(len(configs), 'configuration')} fail "
        f"{as_metric(text).limited} before anything is run"
        for text in known
    )


def _passes(metric: Metric, name: str, value: object) -> bool:
    if metric.is_match:
        return metric.observed(metric.statistic.recorded(value)).value == 0.0
    if not is_number(value):
        raise InvalidSpec(
            f"'{metric.limited}' is about a parameter, and {metric.name} of {name!r} is {shown(value, 40)}: give it a "
            "number."
        )
    return (
        float(value) <= metric.threshold if metric.direction is Direction.AT_MOST else float(value) >= metric.threshold
    )
