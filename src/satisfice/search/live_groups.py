"""A live search whose metrics are measured in groups: what takes in, keeps and chooses lines in place of arms."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from satisfice.arrays import Integers
from satisfice.problem.problem import Problem
from satisfice.problem.results import Row
from satisfice.search.checks import Check, Checks
from satisfice.search.columns import columns_of, write_result
from satisfice.search.costs import Costs
from satisfice.search.first_results import FirstResults
from satisfice.search.grouped import absorb_group, best_of_groups, forget_groups, next_group
from satisfice.search.groups import group_limits, group_numbers, new_groups
from satisfice.search.hints import Hint
from satisfice.search.kept_values import KeptValues
from satisfice.search.state import Parts, SearchState
from satisfice.search.verdict import ArmStatus

NOTHING_UNDER_WAY = np.zeros(0, dtype=np.int64)


class LiveGroups:
    """Takes in results of lines, for one state."""

    def __init__(self, problem: Problem, state: SearchState, parts: Parts, costs: Costs) -> None:
        self.names = problem.groups
        self._state, self.for_choices = state, state
        self.groups = new_groups(group_numbers(problem), len(state.pulls), costs.weights, group_limits(problem))
        forget_groups(state, self.groups)

    def __call__(self, parts: Parts, line: int) -> float:
        """Take in `state.results` of a line; its arm's new score."""
        return float(absorb_group(self._state, parts, self.groups, *divmod(line, len(self.names))))

    def by_arm(self, under_way: Integers | None) -> Integers | None:
        """What is under way of each arm (K,), from that of each line (K G,)."""
        return None if under_way is None else under_way.reshape(-1, len(self.names)).sum(axis=1)

    def line_of(self, arm: int, under_way: Integers | None) -> int:
        """The line of an arm that is measured next, or -1 if nothing is before results are there that are out."""
        size = len(self.names)
        waiting = NOTHING_UNDER_WAY if under_way is None else under_way[arm * size : (arm + 1) * size]
        group = next_group(self._state, self.groups, arm, waiting)
        return -1 if group < 0 else arm * size + group

    @property
    def folded(self) -> Integers:
        """How many results of each line there are, (K G,)."""
        return self.groups.counts.reshape(-1)

    def counts_of(self, arm: int) -> tuple[int, ...]:
        """How many results each metric of an arm has."""
        return tuple(self.groups.counts[arm][self.groups.of].tolist())

    def best_place(self) -> int:
        """The best guess, or -1."""
        return best_of_groups(self._state, self.groups)

    def moved_to(self, state: SearchState, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Go on with another state of the same search."""
        self._state = self.for_choices = state
        self.groups.counts[:] = arrays["group_counts"]

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """What is kept beside the state."""
        return {"group_counts": self.groups.counts}


class GroupedObservations:
    """The results of all lines of a problem: each group has its own values and checks."""

    def __init__(self, problem: Problem, arm_names: tuple[str, ...]) -> None:
        self._standard, self._groups = problem.standardisation(), problem.by_group
        self._metrics = [np.flatnonzero(group_numbers(problem) == group).tolist() for group in range(len(self._groups))]
        self._columns = [columns_of(group) for group in self._groups]
        self._kept = [KeptValues(group) for group in self._groups]
        self._checks = [Checks(group, arm_names) for group in self._groups]
        self._first = [FirstResults(group) for group in self._groups]

    def take(self, state: SearchState, line: int, values: Row, baseline: Row) -> None:
        """Write one evaluation of a line into the state as deficits."""
        arm, group = divmod(line, len(self._groups))
        standard = self._standard
        for metric, column in zip(self._metrics[group], self._columns[group], strict=True):
            write_result(state, metric, column, standard.slopes[metric], standard.thresholds[metric], values, baseline)
        self._kept[group].add(arm, values, baseline)
        self._checks[group].add_results(arm, values, baseline)

    def first_of(self, group: int) -> FirstResults:
        """The first results of a group's metrics that are the same every time."""
        return self._first[group]

    def estimated(self, status: ArmStatus, place: int) -> ArmStatus:
        """The status with estimates that need the values themselves."""
        for metrics, kept in zip(self._metrics, self._kept, strict=True):
            status = kept.estimated(status, place, metrics)
        return status

    def found(self, *, ended: bool) -> tuple[Check, ...]:
        """What is odd about results, of a search that has `ended` or goes on."""
        return tuple(check for checks in self._checks for check in checks.found(ended=ended))

    def hints(self) -> tuple[Hint, ...]:
        """What to declare of metrics."""
        return tuple(hint for checks in self._checks for hint in checks.hints())

    def state(self) -> dict[str, np.ndarray[Any, Any]]:
        """All of it, as arrays."""
        each = zip(self._kept, self._checks, self._first, strict=True)
        parts = [kept.state() | checks.state() | first.state() for kept, checks, first in each]
        return {f"{group}.{name}": array for group, part in enumerate(parts) for name, array in part.items()}

    def restore(self, state: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Go on from what `state` has written."""
        each = zip(self._kept, self._checks, self._first, strict=True)
        for group, (kept, checks, first) in enumerate(each):
            own = {name.removeprefix(f"{group}."): one for name, one in state.items() if name.startswith(f"{group}.")}
            kept.restore(own)
            checks.restore(own)
            first.restore(own)
