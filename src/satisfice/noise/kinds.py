"""The only coding and dispatch of noise models: a number for each process, and one table for all metrics of a problem.

Compiled code calls the functions of a process by their addresses (`simulation.engine`): whatever the mixture of
models, and whoever wrote them, the search itself is compiled once.
"""

from collections.abc import Callable, Sequence
from math import inf
from threading import Lock
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats, Integers
from satisfice.noise import PROCESSES
from satisfice.noise.process import NUMBERS, OWN, Evidence, NoiseModel, Process, never_calm, process_of, the_level

SUMS = ("pulls", "deficit", "more", "numbers", "ratio")
METHODS = {
    "within": SUMS,
    "below": SUMS,
    "most_within": SUMS,
    "most_below": SUMS,
    "margin_and_sd": (*SUMS, "variance", "weight"),
    "fold": ("more", "value", "weight", "numbers"),
    "needed_within": ("pulls", "level", "numbers"),
    "needed_below": ("pulls", "level", "numbers"),
    "enough_within": (*SUMS, "need"),
    "enough_below": (*SUMS, "need"),
    "needed_at_least": ("pulls", "level", "numbers"),
    "between": ("pulls", "last", "need_within", "need_below", "least_total", "numbers", "ratio"),
}
"""The methods of a table, with the arguments of the functions of a process that they call."""

SLACK = 1e-9
"""How far two ways of computing ln E may differ by rounding, and much more."""

KINDS: list[Process] = []
"""All processes that were met, those of this package first; a metric knows its process by the place here."""

_places: dict[Process, int] = {}
_growing = Lock()


def kind_of(process: Process) -> int:
    """The number of a process."""
    with _growing:
        if process not in _places:
            _places[process] = len(KINDS)
            KINDS.append(
                process._replace(
                    enough_within=process.enough_within or by_evidence(process.within, process.most_within),
                    enough_below=process.enough_below or by_evidence(process.below, process.most_below),
                )
            )
        return _places[process]


def by_evidence(evidence: Evidence, most: Evidence) -> Callable[..., bool]:
    """Whether the evidence reaches the level, computed anew where it can: for processes without a test of their own."""

    def enough(pulls: int, deficit: float, more: Floats, numbers: Floats, ratio: float, need: float) -> bool:
        if most(pulls, deficit, more, numbers, ratio) < need - SLACK:
            return False
        return evidence(pulls, deficit, more, numbers, ratio) >= need

    return enough


for _process in PROCESSES:
    kind_of(_process)


class NoiseTable(NamedTuple):
    """What is declared about M metrics, as numbers.

    `kinds` (M,) says which process a metric has, `numbers` (M, 6) are its constants; `averaged` and `pooled` (M,) are 1
    where the process is, `tabulated` where what is needed is worth a table; `twins` (M,) is the first metric that needs
    the same, and `certain` (M,) is 1 where one result is all there is to know. `ratios` (K, M), or without rows, are
    the arms' noise scales over the metrics' largest.
    `extra` is how many further sums are kept of each metric, `own_sums` whether a process has a `fold` of its own,
    `pools` whether any is pooled, and `two_sided` whether there are two results of a metric, one that says whether it
    misses its limit and one whether it keeps it up to the tolerance. `worst` and `best` (M,) are what a result can be
    at most and at least, as a deficit, infinite where that is not known or does not bound the evidence. `addresses`
    (M, 12) are those of the functions in compiled code, else 0. `calm`: of every process a range of calm is known.
    """

    kinds: Integers
    numbers: Floats
    addresses: Integers
    ratios: Floats
    averaged: Integers
    pooled: Integers
    tabulated: Integers
    twins: Integers
    certain: Integers
    worst: Floats
    best: Floats
    extra: int
    own_sums: bool
    pools: bool
    two_sided: bool
    calm: bool

    def _process(self, metric: int) -> Process:
        return KINDS[int(self.kinds[metric])]

    def within(self, metric: int, pulls: int, deficit: float, more: Floats, ratio: float) -> float:
        return self._process(metric).within(pulls, deficit, more, self.numbers[metric], ratio)

    def below(self, metric: int, pulls: int, deficit: float, more: Floats, ratio: float) -> float:
        return self._process(metric).below(pulls, deficit, more, self.numbers[metric], ratio)

    def most_within(self, metric: int, pulls: int, deficit: float, more: Floats, ratio: float) -> float:
        return self._process(metric).most_within(pulls, deficit, more, self.numbers[metric], ratio)

    def most_below(self, metric: int, pulls: int, deficit: float, more: Floats, ratio: float) -> float:
        return self._process(metric).most_below(pulls, deficit, more, self.numbers[metric], ratio)

    def margin_and_sd(
        self, metric: int, pulls: int, deficit: float, more: Floats, ratio: float, variance: float, weight: float
    ) -> tuple[float, float]:
        return self._process(metric).margin_and_sd(pulls, deficit, more, self.numbers[metric], ratio, variance, weight)

    def fold(self, metric: int, more: Floats, value: float, weight: float) -> None:
        self._process(metric).fold(more, value, weight, self.numbers[metric])

    def needed_within(self, metric: int, pulls: int, level: float) -> float:
        return self._process(metric).needed_within(pulls, level, self.numbers[metric])

    def needed_below(self, metric: int, pulls: int, level: float) -> float:
        return self._process(metric).needed_below(pulls, level, self.numbers[metric])

    def enough_within(self, metric: int, pulls: int, deficit: float, more: Floats, ratio: float, need: float) -> bool:
        return self._process(metric).enough_within(pulls, deficit, more, self.numbers[metric], ratio, need)  # type: ignore[misc]  # all of KINDS have one

    def enough_below(self, metric: int, pulls: int, deficit: float, more: Floats, ratio: float, need: float) -> bool:
        return self._process(metric).enough_below(pulls, deficit, more, self.numbers[metric], ratio, need)  # type: ignore[misc]  # the same

    def needed_at_least(self, metric: int, pulls: int, level: float) -> float:
        return self._process(metric).needed_at_least(pulls, level, self.numbers[metric])

    def between(
        self,
        metric: int,
        pulls: int,
        last: int,
        need_within: float,
        need_below: float,
        least_total: float,
        ratio: float,
    ) -> tuple[float, float]:
        numbers = self.numbers[metric]
        return self._process(metric).between(pulls, last, need_within, need_below, least_total, numbers, ratio)


class MetricNoise(NamedTuple):
    """One metric: its model, its threshold, and slope, tolerance and scale in units of deficits.

    `two_sided`: the tolerance is in the results already, of which there are two.
    """

    model: NoiseModel
    threshold: float
    slope: float
    tolerance: float
    scale: float
    two_sided: bool = False


def noise_table(rows: Sequence[MetricNoise], ratios: Floats) -> NoiseTable:
    """The table of these metrics."""
    processes = [process_of(row.model) for row in rows]
    numbers = np.zeros((len(rows), NUMBERS))
    for place, (row, process) in enumerate(zip(rows, processes, strict=True)):
        own = process.constants(row.model, row.threshold, row.slope)
        numbers[place, :OWN] = row.tolerance, row.scale
        numbers[place, OWN : OWN + len(own)] = own
    return NoiseTable(
        kinds=np.array([kind_of(process) for process in processes], dtype=np.int64),
        numbers=numbers,
        addresses=np.zeros((len(rows), len(METHODS)), dtype=np.int64),
        ratios=ratios,
        averaged=np.array([process.averaged for process in processes], dtype=np.int64),
        pooled=np.array([process.pooled for process in processes], dtype=np.int64),
        tabulated=np.array(
            [not (process.needed_within is the_level and process.needed_below is the_level) for process in processes],
            dtype=np.int64,
        ),
        twins=np.array(
            [processes.index(process) if process.needs_by_level else place for place, process in enumerate(processes)],
            dtype=np.int64,
        ),
        certain=np.array([process.certain for process in processes], dtype=np.int64),
        worst=np.array([_deficits(row)[1] for row in rows]),
        best=np.array([_deficits(row)[0] for row in rows]),
        extra=max(process.extra for process in processes),
        own_sums=any(process.extra > 1 for process in processes),
        pools=any(process.pooled for process in processes),
        two_sided=any(row.two_sided for row in rows),
        calm=all(process.between is not never_calm for process in processes),
    )


def _deficits(row: MetricNoise) -> tuple[float, float]:
    """The least and the largest deficit of a result, where evidence increases with results.

    One that is certain has passed where that matters, or a result that has come says that it has not.
    """
    process = process_of(row.model)
    if process.certain:
        return 0.0, inf
    if not process.increasing or process.weighted:
        return -inf, inf
    least, most = sorted(row.slope * (end - row.threshold) for end in process.bounds(row.model))
    return least, most


def ratio_of(noise: NoiseTable, arm: int, metric: int) -> float:
    """The arm's noise scale over the metric's largest."""
    return noise.ratios[arm, metric] if noise.ratios.shape[0] > 0 else 1.0
