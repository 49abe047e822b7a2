"""Which item of its set each evaluation is of.

Items that are evaluated once come in one order, drawn from the seed, for all arms: two arms can then be compared item
by item. Once an arm has had all of them its evaluations have no item.

Items whose answers are sampled are drawn with replacement, by the number of the ask. A draw is independent of all that
was known when the arm was chosen, other arms' results included, so that each result has exactly the mean over the items
given everything before it. One sequence for all arms would not do: what one arm made of an item says something about
what the next one will make of it, and capital could not be moved between arms (`stopping.transfer`).
"""

from functools import cached_property

import numpy as np

from satisfice.problem.problem import Problem

ORDER, DRAWS = 2, 3
"""The third words of Philox's counters: 0 is for rules that draw, 1 for the order in a pair."""


class Items:
    """The items of a search or a study; none where no limit is about a set."""

    def __init__(self, problem: Problem, seed: int) -> None:
        self.size, self._seed = problem.items, seed
        self._redrawn = any(metric.process.redrawn for metric in problem.metrics)
        self._groups = [group.items > 0 for group in problem.by_group]

    @cached_property
    def order(self) -> tuple[int, ...]:
        """All items in the order in which every arm gets them, where each is evaluated once."""
        raw = np.random.Philox(key=self._seed, counter=[0, 0, ORDER, 0]).random_raw(max(1, self.size))
        return tuple(np.argsort(raw, kind="stable").tolist()) if self.size and not self._redrawn else ()

    def of(self, number: int, arm_number: int, group: int = 0) -> int | None:
        """The item of ask `number`, of an arm, or a group of it, that was asked for `arm_number` times before."""
        if not self._groups[group]:
            return None
        if self._redrawn:
            raw = int(np.random.Philox(key=self._seed, counter=[0, 0, DRAWS, number]).random_raw())
            return raw * self.size >> 64
        return self.order[arm_number] if arm_number < self.size else None
