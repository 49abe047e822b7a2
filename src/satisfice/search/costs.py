"""What evaluations cost, in a search. Costs steer the choice and end a budget; no evidence looks at them.

A cost is declared for each arm, or reported with each evaluation and estimated as it goes.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satisfice.arrays import Floats, Integers
from satisfice.errors import InvalidProblem
from satisfice.given import is_number, shown
from satisfice.layout.numbers import counted, written
from satisfice.problem.cost import LARGEST

SLACK = 1e-9
"""By this fraction a budget may be exceeded: sums of costs are rounded."""

LEAST_SHARE, LEAST = 1e-3, 1e-12
"""What is free is weighted as if it cost this share of the mean of all arms, or this much if they are all free."""

SEEN, MEANS = range(2)
"""The places of the totals over arms with reported costs: how many there are, and the sum of their mean costs."""


def left_of(most: float, spent: float) -> float:
    """What is left of a budget: evaluations that cost no more may be started."""
    return most * (1.0 + SLACK) - spent


def cost_of(costs: Floats, arm: int) -> float:
    """What one evaluation of an arm costs; `costs` of shape (1,) are the same for all."""
    return costs[min(arm, costs.shape[0] - 1)]  # type: ignore[no-any-return]  # numpy's types say Any


def weights_of(costs: Sequence[float] | Floats | None) -> Floats:
    """What scores are weighted with: the costs (K,), or a one of shape (1,) where all are the same."""
    if costs is None or len(costs) == 0:
        return np.ones(1)
    given = np.array(costs, dtype=np.float64)
    return np.ones(1) if bool((given == given[0]).all()) else given


def weights_of_arms(weights: Floats, arms: int) -> Floats:
    """The weights of arms (K,), from those of their lines (K G,): of the one that costs least."""
    if weights.shape[0] in (1, arms):
        return weights
    return np.ascontiguousarray(weights.reshape(arms, -1).min(axis=1))


def opening_order(weights: Floats, order: Integers) -> Integers:
    """The arms in an order in which to evaluate them for the first time: cheaper ones first, else as they come."""
    if weights.shape[0] == 1:
        return order
    return order[np.argsort(weights[order], kind="stable")]


def checked_costs(costs: Sequence[float] | None, arms: int) -> Sequence[float] | None:
    """The costs themselves if they are positive numbers, one for each arm."""
    if costs is None:
        return None
    wrong = [cost for cost in costs if not is_number(cost) or not 0 < float(cost) < LARGEST]
    if wrong or len(costs) != arms:
        came = shown(wrong[0]) if wrong else counted(len(costs), "number")
        raise InvalidProblem(
            f"Expected costs as {counted(arms, 'number')} of more than 0 and less than {written(LARGEST)}, one for "
            f"each arm, got {came}."
        )
    return costs


class Costs:
    """What an evaluation of each arm is expected to cost; `weights` are what scores are weighted with.

    Where costs are `reported`, an arm is expected to cost the mean of what it has, and one of which nothing is known
    the mean of the others' means. The weight of an arm is the geometric mean of its own mean, as often as it reported,
    and once of that of all arms: the first numbers of an arm may be far from what it costs, and arms that differ
    hundredfold are told apart all the same.
    """

    def __init__(self, arms: int, declared: Sequence[float] | None = None, *, reported: bool = False) -> None:
        self.reported = reported
        self.declared = checked_costs(declared, arms)
        self.weights = np.ones(arms) if reported else weights_of(self.declared)
        kept = arms if reported else 0
        self._sums, self._counts = np.zeros(kept), np.zeros(kept, dtype=np.int64)
        self._totals = np.zeros(2)

    def expected(self, arm: int) -> float | None:
        """What the next evaluation of an arm costs, as far as one knows: None if nobody has said anything."""
        if self.declared is not None:
            return float(self.declared[arm])
        if not self.reported or not self._totals[SEEN]:
            return None
        return self._own_mean(arm) if self._counts[arm] else self._mean()

    def note(self, arm: int, cost: float | None) -> None:
        """Take note of what an evaluation of an arm has cost, None if nobody knows."""
        if not self.reported:
            return
        if cost is not None:
            before, new = self._own_mean(arm), not self._counts[arm]
            self._sums[arm] += cost
            self._counts[arm] += 1
            self._totals[MEANS] += self._own_mean(arm) - before
            self._totals[SEEN] += new
        if self._totals[SEEN]:
            count, mean = int(self._counts[arm]), self._mean()
            own = max(self._own_mean(arm), LEAST_SHARE * mean, LEAST)
            self.weights[arm] = own ** (count / (count + 1)) * max(mean, LEAST) ** (1 / (count + 1))

    def assume(self, untried: NDArray[np.bool_]) -> None:
        """Let arms that were never evaluated (K,) weigh what the others cost on average."""
        if self._totals[SEEN]:
            self.weights[untried & (self._counts == 0)] = max(self._mean(), LEAST)

    def state(self) -> dict[str, np.ndarray[Any, Any]]:
        """All that was noted, as arrays."""
        if not self.reported:
            return {}
        kept = {"weights": self.weights, "sums": self._sums, "counts": self._counts, "totals": self._totals}
        return {f"cost_{name}": array for name, array in kept.items()}

    def restore(self, state: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Go on from what `state` has written, in the same arrays."""
        for name, array in self.state().items():
            array[:] = state[name]

    def _own_mean(self, arm: int) -> float:
        return float(self._sums[arm] / max(1, self._counts[arm]))

    def _mean(self) -> float:
        return float(self._totals[MEANS] / self._totals[SEEN])
