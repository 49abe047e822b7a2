"""What a live search works with in place of tables and arrays: entries as they are asked for, plain numbers."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from satisfice.arrays import Floats
from satisfice.noise.kinds import NoiseTable
from satisfice.problem.units import Setting
from satisfice.rules.protocol import ClockRule, IndexRule, MarginRule, SamplingRule, kind_of
from satisfice.search.state import Parts
from satisfice.stopping.by_evidence import with_evidence


class BonusesAtHand:
    """The bonuses of a rule by number of pulls, computed when they are asked for; 0 where it has none."""

    def __init__(self, rule: SamplingRule, setting: Setting) -> None:
        self._rule = None if kind_of(type(rule)).by_draws else cast(IndexRule | MarginRule | ClockRule, rule)
        self._setting = setting

    def __getitem__(self, pulls: int) -> float:
        return 0.0 if self._rule is None else float(self._rule.bonus(int(pulls), self._setting))


def in_plain_numbers(parts: Parts) -> Parts:
    """The same parts with lists of Python's own numbers, which interpreted code reads several times faster."""
    judge = with_evidence(parts.judge, lambda evidence: evidence._replace(noise=_plain(evidence.noise)))
    array: Any = parts.costs
    costs: Any = memoryview(array)
    return parts._replace(judge=judge, noise=_plain(parts.noise), costs=costs)


class NoRatios:
    """Stands for an array without rows: of a real one numpy makes a new tuple whenever its shape is asked for."""

    shape = (0, 0)


class PlainNoise(NoiseTable):
    """A table of Python's own numbers whose `kinds` are the processes themselves: each result takes a call less."""

    __slots__ = ()

    def _process(self, metric: int) -> Any:
        return self.kinds[metric]

    def most_within(self, metric: int, pulls: int, deficit: float, more: Floats, ratio: float) -> Any:
        return self.kinds[metric].most_within(pulls, deficit, more, self.numbers[metric], ratio)

    def most_below(self, metric: int, pulls: int, deficit: float, more: Floats, ratio: float) -> Any:
        return self.kinds[metric].most_below(pulls, deficit, more, self.numbers[metric], ratio)

    def enough_within(self, metric: int, pulls: int, deficit: float, more: Floats, ratio: float, need: float) -> Any:
        return self.kinds[metric].enough_within(pulls, deficit, more, self.numbers[metric], ratio, need)

    def enough_below(self, metric: int, pulls: int, deficit: float, more: Floats, ratio: float, need: float) -> Any:
        return self.kinds[metric].enough_below(pulls, deficit, more, self.numbers[metric], ratio, need)

    def margin_and_sd(
        self, metric: int, pulls: int, deficit: float, more: Floats, ratio: float, variance: float, weight: float
    ) -> Any:
        return self.kinds[metric].margin_and_sd(pulls, deficit, more, self.numbers[metric], ratio, variance, weight)

    def fold(self, metric: int, more: Floats, value: float, weight: float) -> Any:
        return self.kinds[metric].fold(more, value, weight, self.numbers[metric])


def _plain(noise: NoiseTable) -> NoiseTable:
    fields = ("numbers", "averaged", "pooled", "tabulated", "twins", "certain", "worst", "best")
    table: Any = noise
    plain = {name: getattr(table, name).tolist() for name in fields}
    plain["kinds"] = [noise._process(metric) for metric in range(len(table.kinds))]
    plain["ratios"] = table.ratios if table.ratios.size else NoRatios()
    return PlainNoise(**{**table._asdict(), **plain})


def philox_stream(seed: int) -> Callable[[int], np.random.Generator]:
    """The random numbers of ask `number`: those of Philox(key=seed, counter=[0, 0, 0, number])."""
    bits = np.random.Philox(key=seed)
    rng, start = np.random.Generator(bits), cast(Any, bits.state)

    def stream(number: int) -> np.random.Generator:
        start["state"]["counter"][3] = number
        bits.state = start  # a fifth of what a new generator costs
        return rng

    return stream
