"""The values themselves, where a percentile is limited: its estimate needs them, its evidence does not."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import nan
from typing import Any

import numpy as np

from satisfice.noise.process import Interval
from satisfice.problem.metric import Metric
from satisfice.problem.problem import Problem
from satisfice.problem.results import Row
from satisfice.search.verdict import ArmStatus
from satisfice.statistics import needs_values
from satisfice.statistics.raw import one_number, values_of


def _keeps_values(metric: Metric) -> bool:
    return needs_values(metric.statistic) or metric.process.interval_of_values is not None


def _of_pairs(metric: Metric) -> bool:
    """Whether its interval is that of differences from the baseline, one after the other."""
    return metric.process.interval_of_values is not None and metric.beside_baseline


class KeptValues:
    """What evaluations returned, by arm and place in `problem.measured`; nothing where no limit asks for it."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        pairs = [(problem.measured.index(metric.name), metric) for metric in problem.metrics]
        self._wanted = sorted({place for place, metric in pairs if _keeps_values(metric) and not _of_pairs(metric)})
        self._pairs = [
            (len(problem.measured) + number, metric, own, problem.compared.index(metric.name))
            for number, (own, metric) in enumerate(pairs)
            if _of_pairs(metric)
        ]
        self._parts = sorted({problem.compared.index(metric.name) for metric in problem.metrics if metric.is_part})
        self._forget()

    def _forget(self) -> None:
        self._values = array("d")
        self._runs: list[tuple[int, int, int]] = []
        self._starts: dict[tuple[int, int], list[tuple[int, int]]] = {}
        self._baselines: dict[tuple[int, int], float] = {}

    def add(self, arm: int, values: Row, baseline: Row) -> None:
        """Keep what is needed of one evaluation of an arm, and of the baseline beside it."""
        for place in self._parts:
            if baseline[place] is None:
                continue
            self._baselines[arm, place] = self._baselines.get((arm, place), 0.0) + one_number(baseline[place])
        for place in self._wanted:
            if values[place] is not None:  # else its set of items is through
                self._add(arm, place, values_of(values[place]))
        for place, metric, own, other in self._pairs:
            if values[own] is not None:
                self._add(arm, place, [metric.observed(values[own], baseline[other]).value])

    def _add(self, arm: int, place: int, run: list[float]) -> None:
        self._runs.append((arm, place, len(run)))
        self._starts.setdefault((arm, place), []).append((len(self._values), len(run)))
        self._values.extend(run)

    def _place_of(self, metric: Metric) -> int:
        own = next((place for place, other, _, _ in self._pairs if other is metric), None)
        return self._problem.measured.index(metric.name) if own is None else own

    def estimated(self, status: ArmStatus, arm: int, places: Sequence[int] | None = None) -> ArmStatus:
        """The status with the percentiles themselves in place of shares, and parts of the baseline's mean so far.

        `places` are those of the metrics in the status, where that is about more.
        """
        means, intervals = list(status.means), list(status.intervals)
        error_rate = self._problem.error_rate / status.chosen_from
        for place, metric in zip(places or range(len(means)), self._problem.metrics, strict=True):
            if not status.count_of(place):
                continue
            if needs_values(metric.statistic):
                pieces = self._starts[arm, self._problem.measured.index(metric.name)]
                runs = [self._values[start : start + size] for start, size in pieces]
                means[place], intervals[place] = metric.statistic.estimate(
                    runs, error_rate, independent=metric.process.weighted
                )
            elif (interval := metric.process.interval_of_values) is not None:
                values = [self._values[start] for start, _ in self._starts[arm, self._place_of(metric)]]
                intervals[place] = interval(metric.noise, values, error_rate)
            elif metric.is_part:
                mean = self._baselines[arm, self._problem.compared.index(metric.name)] / status.count_of(place)
                means[place], *ends = (
                    metric.ratio + each / mean if mean > 0.0 else nan for each in (means[place], *intervals[place])
                )
                intervals[place] = Interval(*ends)
        return replace(status, means=tuple(means), intervals=tuple(intervals))

    def state(self) -> dict[str, np.ndarray[Any, Any]]:
        """All of it as arrays."""
        return {
            "kept.values": np.array(self._values, dtype=np.float64),
            "kept.runs": np.array(self._runs, dtype=np.int64).reshape(-1, 3),
            "kept.baselines": np.array([[*key, total] for key, total in self._baselines.items()]).reshape(-1, 3),
        }

    def restore(self, state: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Go on from what `state` has written."""
        self._forget()
        self._baselines = {(int(arm), int(place)): total for arm, place, total in state["kept.baselines"].tolist()}
        values, start = array("d", state["kept.values"].tobytes()), 0
        for arm, place, size in state["kept.runs"].tolist():
            self._add(arm, place, values[start : start + size])  # type: ignore[arg-type]  # as good as a list
            start += size
