"""The baseline: what limits such as 'wall_time <= baseline + 3%' compare with, evaluated beside each config."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from satisfice.errors import InvalidSpec
from satisfice.given import shown
from satisfice.problem.problem import Problem


def baseline_of(
    given: str | Mapping[str, Any] | None, configs: Sequence[tuple[str, dict[str, Any]]], problem: Problem
) -> tuple[str, dict[str, Any]] | None:
    """The baseline's name and parameters, if a limit looks at it."""
    limits = [metric.limited for metric in problem.metrics if metric.beside_baseline]
    if given is None:
        if limits:
            raise InvalidSpec(
                f"{limits[0]!r} compares with a baseline, and none is given. Give one: baseline={{'build': 'old'}} in "
                'Python, --baseline build=old on the command line, baseline = "old" in a study file.'
            )
        return None
    if not limits:
        raise InvalidSpec(
            f"The baseline {shown(given)} is given, but no limit compares with it. Write one, such as 'wall_time <= "
            "baseline + 3%', or give no baseline."
        )
    if not given or not isinstance(given, str | Mapping):
        raise InvalidSpec(f"Expected the baseline as a name or as parameters, got {shown(given, 60)}.")
    parameters = {} if isinstance(given, str) else dict(given)
    name = given if isinstance(given, str) else " ".join(f"{key}={value}" for key, value in parameters.items())
    if any(name == other or (parameters and parameters == own) for other, own in configs):
        raise InvalidSpec(
            f"The baseline {name!r} is one of the configs, too. It cannot be compared with itself: leave it out there."
        )
    return name, parameters


def baseline_first(seed: int, number: int) -> bool:
    """Whether the baseline comes first in a pull: one half of them, whatever is known of anybody."""
    return bool(int(np.random.Philox(key=seed, counter=[0, 0, 1, number]).random_raw()) & 1)
