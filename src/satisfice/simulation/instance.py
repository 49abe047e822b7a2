"""A problem together with simulated arms: something to run rules on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from satisfice.arrays import Floats
from satisfice.errors import InvalidInstance, InvalidProblem, unknown_name
from satisfice.given import is_number, shown
from satisfice.problem.goal import Goal
from satisfice.problem.problem import Problem
from satisfice.search.costs import checked_costs
from satisfice.simulation.arms import recorded_through
from satisfice.simulation.observed import ObservedArms, drawn_deficits
from satisfice.simulation.protocol import Arms
from satisfice.stopping.decision import ACCEPT, REJECT
from satisfice.theory.gaps import Standing, standings

CostsLike = float | Sequence[float] | Floats
"""What one evaluation costs: a number, or one for each arm."""


@dataclass(frozen=True, eq=False)
class Instance:
    """Simulated arms with names, and the problem asked about them; `costs` (K,) are of one evaluation of each.

    Where metrics are measured in G groups they are of one of each group of each arm, (K G,).
    """

    name: str
    problem: Problem
    arms: Arms
    arm_names: tuple[str, ...]
    costs: Floats | None = None

    @classmethod
    def of(
        cls,
        problem: Problem,
        arms: Arms,
        *,
        name: str = "instance",
        arm_names: Sequence[str] | None = None,
        costs: CostsLike | Mapping[str, CostsLike] | None = None,
    ) -> Self:
        """An instance whose parts fit together; arms without names are numbered from 1.

        `costs` are a number, or one for each arm; where metrics are measured in groups, such for each group by name.
        """
        if not isinstance(problem, Problem) or not isinstance(arms, Arms):
            raise InvalidInstance(
                f"Expected a Problem and simulated arms, got {type(problem).__name__} and {type(arms).__name__}. "
                "Make them with problem_of(thresholds) and arms_for(problem, means) or gaussian_arms(means, sds)."
            )
        observed = isinstance(arms, ObservedArms)
        if not observed and not all(metric.is_drawn_alone for metric in problem.metrics):
            arms = recorded_through(problem, arms)
        shape = arms.means.shape
        if shape[1] != len(problem.metrics):
            raise InvalidInstance(
                f"The problem has {len(problem.metrics)} metrics ({', '.join(problem.metric_names)}), "
                f"but the arms have {shape[1]} means each. Give one mean for each threshold."
            )
        names = tuple(arm_names) if arm_names is not None else tuple(str(arm + 1) for arm in range(shape[0]))
        if len(names) != shape[0] or len(set(names)) != len(names):
            raise InvalidInstance(
                f"Expected {shape[0]} different names, one for each arm, got {len(names)} of which "
                f"{len(set(names))} differ."
            )
        return cls(name, problem, arms, names, None if costs is None else _costs_of(costs, problem.groups, shape[0]))

    def asking(
        self, *, error_rate: float | None = None, tolerance: float | Sequence[float] | None = None
    ) -> "Instance":
        """The same arms under another error rate or tolerance."""
        problem = self.problem if error_rate is None else self.problem.with_error_rate(error_rate)
        return replace(self, problem=problem if tolerance is None else problem.with_tolerance(tolerance))

    def deficits(self) -> Arms:
        """The arms as the loop wants them: results measured from their thresholds in units of noise."""
        arms: Arms = self.arms.rescaled(*drawn_deficits(self.problem))
        return arms

    def shortfalls(self) -> Floats:
        """max_m (threshold - mean) of each arm (g in the paper), standardised: zero or less where an arm is good."""
        return np.array(standings(self.problem, self.arms.means).shortfalls)

    def is_wrong(
        self,
        found: NDArray[np.int64],
        answered_none: NDArray[np.bool_],
        decided: NDArray[np.int64] | None = None,
    ) -> NDArray[np.bool_]:
        """Which answers break the guarantee: a failing arm named, or NONE though as many are good as were asked for.

        `found` (R,) holds an arm, or -1 where none was named; `decided` (R, K), which is looked at unless any arm will
        do, the decisions about all arms. Where all are to be classified a good arm rejected is wrong, too.
        """
        known = standings(self.problem, self.arms.means)
        failing = np.array([standing is Standing.FAILING for standing in known.standings])
        good = np.array([standing is Standing.GOOD for standing in known.standings])
        too_few = answered_none & (good.sum() >= known.setting.wanted)
        if self.problem.goal is Goal.ANY or decided is None:
            return np.where(found >= 0, failing[found], too_few)
        if known.setting.find_all:
            return np.asarray(((decided == ACCEPT) & failing | (decided == REJECT) & good).any(axis=1))
        return np.asarray(((decided == ACCEPT) & failing).any(axis=1) | too_few)


def _costs_of(given: CostsLike | Mapping[str, CostsLike], groups: tuple[str, ...], arms: int) -> Floats:
    """One positive number for each arm, or for each arm and group."""
    if not isinstance(given, Mapping):
        return np.repeat(_costs(given, arms), max(1, len(groups)))
    for name in given:
        if name not in groups:
            raise unknown_name("group", shown(name, 60) if not isinstance(name, str) else name, groups)
    missing = [name for name in groups if name not in given]
    if missing:
        raise InvalidInstance(f"Expected what one evaluation of each group costs, and {missing[0]!r} has no cost.")
    return np.column_stack([_costs(given[name], arms) for name in groups]).reshape(-1)


def _costs(given: CostsLike, arms: int) -> Floats:
    """One positive number for each arm, or the same for all."""
    each: Any = [given] * arms if is_number(given) else given
    if isinstance(each, str) or not isinstance(each, Sequence | np.ndarray):
        raise InvalidInstance(f"Expected costs as one number or one for each of {arms} arms, got {shown(given, 60)}.")
    try:
        return np.array(checked_costs(list(each), arms), dtype=np.float64)
    except InvalidProblem as error:
        raise InvalidInstance(str(error)) from None
