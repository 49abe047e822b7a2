"""The ledger of a study: how many evaluations it has, what they have cost, and what its budget has room for."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

import numpy as np

from satisfice.layout.numbers import rounded
from satisfice.problem.cost import Cost
from satisfice.search.costs import left_of
from satisfice.search.search import Search
from satisfice.study.pull import OpenPull


@dataclass(frozen=True)
class StudyCost:
    """What a study has cost: in all, and for each config in their order.

    `metric` is what evaluations report as their cost, None where it is declared. `estimated` evaluations failed or were
    lost without saying what they cost, and are counted with what was expected of them. `most` is what the study may
    cost, and `is_spent` says that this has no room for the next evaluation.
    """

    spent: float
    by_config: tuple[float, ...]
    metric: str | None
    estimated: int
    most: float | None
    is_spent: bool = False

    def __str__(self) -> str:
        about = "about " if self.estimated else ""
        most = "" if self.most is None else f" of at most {rounded(self.most, 4)}"
        return f"{about}{rounded(self.spent, 4)}{most}{f' {self.metric}' if self.metric else ''}"

    @property
    def warning(self) -> str | None:
        """That the budget is spent, in words."""
        if not self.is_spent or self.most is None:
            return None
        return (
            f"no further evaluation is started: the study has cost {self}, and the next one is expected to cost more "
            "than is left; with a larger max_cost the study goes on"
        )


class Ledger:
    """What was spent, by config; nothing is, where nobody said what evaluations cost.

    Every evaluation that was made costs: also one that failed, came after the verdict, or was lost with its worker. One
    that was given back does not, nor one that could not be made.
    """

    def __init__(self, cost: Cost | None, search: Search, configs: int) -> None:
        self._cost, self._search = cost, search
        self.spent = np.zeros(0 if cost is None else configs)
        self.estimated = 0

    def charge(self, line: int, cost: float | None) -> None:
        """An evaluation of a config, or of a line of it, was made, and reported its cost or did not."""
        if self._cost is None:
            return
        reports = self._cost.metric is not None
        known = cost if reports and cost is not None else self._search.costs.expected(line)
        self.estimated += reports and cost is None
        self._search.note_cost(line, cost)
        self.spent[line // self._search.groups] += known or 0.0

    def left(self, most: float | None, under_way: Iterable[OpenPull]) -> float:
        """What is left of a budget if those under way cost what is expected of them.

        As long as nobody knows what any evaluation costs, nothing is left while one is under way.
        """
        if most is None:
            return inf
        groups = self._search.groups
        costs = [self._search.costs.expected(pull.line(groups)) for pull in under_way if pull.worker is not None]
        if None in costs:
            return -1.0
        return left_of(most, float(self.spent.sum()) + sum(cost or 0.0 for cost in costs))

    def so_far(self, most: float | None, is_spent: bool) -> StudyCost | None:
        """What was spent; None where nobody knows what evaluations cost."""
        if self._cost is None:
            return None
        by_config = tuple(self.spent.tolist())
        return StudyCost(float(self.spent.sum()), by_config, self._cost.metric, self.estimated, most, is_spent)

    def state(self) -> dict[str, Any]:
        """All of it, as arrays."""
        return {} if self._cost is None else {"spent": self.spent.copy(), "estimated": np.array([self.estimated])}

    def restore(self, state: dict[str, Any]) -> None:
        """Be as the state was."""
        if self._cost is not None:
            self.spent, self.estimated = state["spent"].copy(), int(state["estimated"][0])


class Counts(NamedTuple):
    """How many evaluations were asked for and what became of them.

    `told` are recorded results, worst results of failed evaluations included; `folded` of them are in the evidence,
    `held` wait for one that was asked earlier, and `late` were not needed for the verdict. `failed` counts failures,
    `reissued` pulls that were given out again, `lost` those whose worker was lost, and `released` those that were given
    back without results before the verdict.
    """

    asked: int
    told: int
    folded: int
    held: int
    late: int
    failed: int
    reissued: int
    outstanding: int
    lost: int = 0
    released: int = 0
