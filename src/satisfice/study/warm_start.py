"""Warm start: earlier results of the same configs, which steer a study and count for nothing."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from satisfice.errors import InvalidResult, InvalidSpec
from satisfice.given import is_number
from satisfice.problem.metric import Metric
from satisfice.problem.problem import Problem
from satisfice.problem.results import Row, checked_pair, checked_results
from satisfice.search.earlier import Earlier, Hint, hint_of
from satisfice.statistics.raw import Raw
from satisfice.study.configs import Named

MOST_ITEMS_KEPT = 100_000
"""Earlier results of items that are compared with new ones, at most."""

OF_BASELINE = "{} of the baseline"
"""What a result of the baseline is called in a table."""


class EarlierResult(NamedTuple):
    """One earlier evaluation: the config's name, if it has one, its parameters, and results by metric.

    `exact` parameters are all that the config had; else there may be others among them that are none. `item` is that of
    a set of `set_size`, if each of its items is known to have been evaluated once.
    """

    config: str | None
    parameters: Mapping[str, Any]
    results: Mapping[str, Any]
    exact: bool = True
    item: int | None = None
    set_size: int = 0


@dataclass(frozen=True)
class WarmStart:
    """Earlier results as a study keeps them: where they are from, how many of them say something, and what.

    `hints` has the place of a config, and a `Hint` for each metric; `items` the results of items that are evaluated
    once, each as the place of a config, the item and a result for each metric that is measured, None without items.
    """

    source: str
    evaluations: int
    hints: tuple[tuple[int, tuple[Hint, ...]], ...]
    items: tuple[tuple[int, int, Row], ...] = ()

    @property
    def sentence(self) -> str:
        """What it adds to the assumptions of a verdict."""
        return f"earlier results of {self.source} steered which configurations were tried first; they count for nothing"

    @cached_property
    def by_item(self) -> dict[tuple[int, int], Row]:
        """The results of items by config and item."""
        return {(place, item): row for place, item, row in self.items}

    def earlier(self, arms: int, metrics: int) -> Earlier:
        """The hints as a search wants them."""
        table = (arms, metrics)
        found = Earlier(np.zeros(table), np.zeros(table), np.zeros(table, np.int64))
        for place, hints in self.hints:
            found.worth[place], found.margins[place], found.tolerances[place] = zip(*hints, strict=True)
        return found

    def as_content(self) -> dict[str, Any]:
        """The same as JSON can write it."""
        hints = [[place, [list(hint) for hint in hints]] for place, hints in self.hints]
        content = {"source": self.source, "evaluations": self.evaluations, "hints": hints}
        return content | ({"items": [[*key, list(row)] for *key, row in self.items]} if self.items else {})


def warm_start_of_content(content: Any, arms: int, metrics: int) -> WarmStart | None:
    """What was written so, if it fits the study; TypeError or ValueError if not."""
    if content is None:
        return None
    hints = tuple((place, tuple(Hint(*hint) for hint in hints)) for place, hints in content["hints"])
    places = [place for place, _ in hints]
    if not all(type(place) is int and 0 <= place < arms for place in places) or sorted(set(places)) != places:
        raise ValueError("hints of configs that are not there, or not in order")
    for _, each in hints:
        if len(each) != metrics or not all(map(_makes_sense, each)):
            raise ValueError("hints that cannot be")
    fields = {*content} - {"items"}
    if not isinstance(content["source"], str) or type(content["evaluations"]) is not int or len(fields) != 3:
        raise TypeError("a warm start has a source, evaluations and hints")
    items = tuple((place, item, tuple(row)) for place, item, row in content.get("items", ()))
    if not all(type(place) is int and type(item) is int and 0 <= place < arms for place, item, _ in items):
        raise ValueError("items of configs that are not there")
    return WarmStart(content["source"], content["evaluations"], hints, items)


def _makes_sense(hint: Hint) -> bool:
    numbers = type(hint.margin) is float and type(hint.tolerance) is float
    return type(hint.results) is int and 0 <= hint.results < 2**53 and numbers and all(map(isfinite, hint[1:]))


def warm_start_from(
    source: str, found: Iterable[EarlierResult], configs: tuple[Named, ...], problem: Problem
) -> WarmStart:
    """What earlier results say of these configs, matched by parameters, or by name where a config has none.

    Results that the declared noise rules out say nothing; InvalidSpec where none says anything.
    """
    places = _Places(configs)
    by_config: dict[int, list[Mapping[str, Any]]] = {}
    by_item: dict[tuple[int, int], Row] = {}
    seen, measured = 0, dict[str, None]()
    for each in found:
        seen += 1
        measured |= dict.fromkeys(each.results)
        if (place := places.of(each)) is not None:
            by_config.setdefault(place, []).append(each.results)
            if each.item is not None and 0 < each.set_size == problem.set_size and len(by_item) < MOST_ITEMS_KEPT:
                row = [each.results.get(name) if name in problem.of_set else None for name in problem.measured]
                by_item[place, each.item] = tuple(one if is_number(one) else None for one in row)
    if not by_config:
        raise InvalidSpec(
            f"Expected earlier results of these configs, but none of the {seen:,} in {source} is of one: they are "
            f"matched by their parameters, or by name. The first here is {configs[0][0]!r}."
        )
    hints, used = [], 0
    for place in sorted(by_config):
        usable = [
            list(_usable(metric.of_arm(place), by_config[place], problem.error_rate)) for metric in problem.metrics
        ]
        said = tuple(hint_of(metric.of_arm(place), some) for metric, some in zip(problem.metrics, usable, strict=True))
        if any(hint.results for hint in said):
            hints.append((place, said))
            used += max(hint.results for hint in said)
    if not hints:
        raise InvalidSpec(
            f"Expected earlier results of {', '.join(problem.measured)}, as they are declared here, and {source} has "
            f"none: it has {', '.join(map(repr, measured)) or 'no metrics'}."
        )
    return WarmStart(source, used, tuple(hints), tuple((*key, row) for key, row in sorted(by_item.items())))


def _usable(
    metric: Metric, results: Iterable[Mapping[str, Any]], error_rate: float
) -> Iterable[tuple[Raw, Raw | None]]:
    """What there is of one metric, with the baseline's beside it where it looks at that."""
    alone = Problem((metric,), error_rate)
    beside = OF_BASELINE.format(metric.name)
    for each in results:
        try:
            values = checked_results(alone, each)
            pair = checked_pair(alone, values, {metric.name: each[beside]} if beside in each else None)
        except InvalidResult:
            continue
        yield values[0], pair[0] if pair else None


class _Places:
    """The places of configs by their parameters, as texts, or by name."""

    def __init__(self, configs: tuple[Named, ...]) -> None:
        self._by_name = {name: place for place, (name, parameters) in enumerate(configs) if not parameters}
        self._names = {name: place for place, (name, _) in enumerate(configs)}
        self._by_keys: dict[tuple[str, ...], dict[tuple[str, ...], int]] = {}
        for place, (_, parameters) in enumerate(configs):
            if parameters:
                keys = tuple(sorted(parameters))
                self._by_keys.setdefault(keys, {})[_texts(parameters, keys)] = place

    def of(self, result: EarlierResult) -> int | None:
        """The place of the config that the result is of, or None."""
        given = result.parameters
        for keys, places in self._by_keys.items():
            fits = keys == tuple(sorted(given)) if result.exact else all(key in given for key in keys)
            if fits and (place := places.get(_texts(given, keys))) is not None:
                return place
        if result.config is None or (result.exact and given):
            return None
        return (self._by_name if result.exact else self._names).get(result.config)


def _texts(parameters: Mapping[str, Any], keys: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(str(parameters[key]) for key in keys)
