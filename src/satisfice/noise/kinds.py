"""The only coding and dispatch of noise models: processes by number, and one switch for each thing they do.

Compiled code knows a metric's process by its place in a tuple of processes. For the processes of this package there is
one class of tables, so that one compilation serves all mixtures of models; for processes from outside a class is made
when they are first used. What a table does is written once, below, as a template: for each function of a process a
method that passes its arguments on to the process of the metric.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple, Protocol

import numpy as np

from satisfice.arrays import Floats, Integers
from satisfice.noise import PROCESSES
from satisfice.noise.process import NUMBERS, OWN, Process, the_level
from satisfice.noise.protocol import NoiseModel, process_of

OUTSIDE = "outside"
"""The module of classes made for processes from outside: their compiled code is not kept on disk."""

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
}
"""The methods of a table, with the arguments of the functions of a process that they call."""


class NoiseTable(Protocol):
    """What is declared about M metrics, as numbers.

    `kinds` (M,) says which process a metric has, `numbers` (M, 6) are its constants; `averaged` and `pooled` (M,) are 1
    where the process is, `tabulated` where what is needed is worth a table; `twins` (M,) is the first metric that needs
    the same. `ratios` (K, M), or without rows, are the arms' noise scales over the metrics' largest.
    `extra` is how many further sums are kept of each metric, `own_sums` whether a process has a `fold` of its own,
    `pools` whether any is pooled, and `two_sided` whether there are two results of a metric, one that says whether it
    misses its limit and one whether it keeps it up to the tolerance.
    """

    kinds: Integers
    numbers: Floats
    ratios: Floats
    averaged: Integers
    pooled: Integers
    tabulated: Integers
    twins: Integers
    extra: int
    own_sums: bool
    pools: bool
    two_sided: bool

    def within(self, metric: int, pulls: int, deficit: float, more: Floats, ratio: float, /) -> float: ...
    def below(self, metric: int, pulls: int, deficit: float, more: Floats, ratio: float, /) -> float: ...
    def most_within(self, metric: int, pulls: int, deficit: float, more: Floats, ratio: float, /) -> float: ...
    def most_below(self, metric: int, pulls: int, deficit: float, more: Floats, ratio: float, /) -> float: ...
    def margin_and_sd(
        self, metric: int, pulls: int, deficit: float, more: Floats, ratio: float, variance: float, weight: float, /
    ) -> tuple[float, float]: ...
    def fold(self, metric: int, more: Floats, value: float, weight: float, /) -> None: ...
    def needed_within(self, metric: int, pulls: int, level: float, /) -> float: ...
    def needed_below(self, metric: int, pulls: int, level: float, /) -> float: ...
    def enough_within(
        self, metric: int, pulls: int, deficit: float, more: Floats, ratio: float, need: float, /
    ) -> bool: ...
    def enough_below(
        self, metric: int, pulls: int, deficit: float, more: Floats, ratio: float, need: float, /
    ) -> bool: ...


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
    outside = tuple(dict.fromkeys(process for process in processes if process not in PROCESSES))
    known = (*PROCESSES, *outside)
    numbers = np.zeros((len(rows), NUMBERS))
    for place, (row, process) in enumerate(zip(rows, processes, strict=True)):
        own = process.constants(row.model, row.threshold, row.slope)
        numbers[place, :OWN] = row.tolerance, row.scale
        numbers[place, OWN : OWN + len(own)] = own
    table: NoiseTable = table_class(outside)(
        kinds=np.array([known.index(process) for process in processes], dtype=np.int64),
        numbers=numbers,
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
        extra=max(process.extra for process in processes),
        own_sums=any(process.extra > 1 for process in processes),
        pools=any(process.pooled for process in processes),
        two_sided=any(row.two_sided for row in rows),
    )
    return table


def ratio_of(noise: NoiseTable, arm: int, metric: int) -> float:
    """The arm's noise scale over the metric's largest."""
    return noise.ratios[arm, metric] if noise.ratios.shape[0] > 0 else 1.0


class _Fields(NamedTuple):
    kinds: Integers
    numbers: Floats
    ratios: Floats
    averaged: Integers
    pooled: Integers
    tabulated: Integers
    twins: Integers
    extra: int
    own_sums: bool
    pools: bool
    two_sided: bool


def table_class(outside: tuple[Process, ...]) -> Any:
    """The class of tables for the processes of this package and these."""
    return _made(outside) if outside else CatalogueNoise


@cache
def _made(outside: tuple[Process, ...]) -> Any:
    processes = (*PROCESSES, *outside)
    methods = {name: switch(name, arguments, processes) for name, arguments in METHODS.items()}
    places = {"__module__": OUTSIDE if outside else __name__, "__slots__": ()}
    return type("CatalogueNoise" if not outside else "OutsideNoise", (_Fields,), {**methods, **places})


def switch(name: str, arguments: Sequence[str], processes: Sequence[Process]) -> Any:
    """A method that calls the function of that name of the metric's process."""
    given = [argument for argument in arguments if argument != "numbers"]
    lines = [f"def {name}(self, metric, {', '.join(given)}):", "    numbers = self.numbers[metric]"]
    functions: dict[str, Any] = {"__name__": __name__}
    cases: dict[Any, list[int]] = {}
    for kind, process in enumerate(processes):
        cases.setdefault(implementation(name, process), []).append(kind)
    for case, (function, kinds) in enumerate(cases.items()):
        functions[f"case_{case}"] = function
        condition = " or ".join(f"self.kinds[metric] == {kind}" for kind in kinds)
        call = f"return case_{case}({', '.join(arguments)})"
        lines.append(f"    if {condition}: {call}" if case + 1 < len(cases) else f"    {call}")
    exec("\n".join(lines), functions)  # the template above, nothing that a user wrote
    return functions[name]


def implementation(name: str, process: Process) -> Any:
    """The function of a process; where it has no test of its own, the evidence itself is compared with the level."""
    function = getattr(process, name)
    if function is None:
        return by_evidence(process.within if name == "enough_within" else process.below)
    return function


@cache
def by_evidence(evidence: Any) -> Any:
    """Whether the evidence reaches the level, computed anew."""

    def enough(pulls: int, deficit: float, more: Floats, numbers: Floats, ratio: float, need: float) -> bool:
        return evidence(pulls, deficit, more, numbers, ratio) >= need  # type: ignore[no-any-return]

    return enough


CatalogueNoise = _made(())
"""The class of tables for the processes of this package; compiled code on disk finds it under this name."""
