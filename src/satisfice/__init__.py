"""satisfice: find any configuration that passes all your thresholds, and know how certain that is."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from satisfice.core import theory
    from satisfice.core.decision import Outcome
    from satisfice.core.noise import Bernoulli, Bounded, Normal, SubGaussian
    from satisfice.core.problem import Direction, Goal, Metric, Problem, Setting, problem_of
    from satisfice.core.rules import MultiAPT, MultiHDoC, MultiLUCB, MultiTUCB, Murphy, SamplingRule, Thompson, Uniform
    from satisfice.core.search import Search
    from satisfice.core.stopping import AlphaBoundary, Boundary, Evidence
    from satisfice.core.verdict import ArmStatus, Guess, Verdict
    from satisfice.errors import SatisficeError
    from satisfice.simulation import simulate
    from satisfice.simulation.arms import arms_for, gaussian_arms
    from satisfice.simulation.instance import Instance
    from satisfice.simulation.instance_file import load_instance
    from satisfice.simulation.recorded import recorded_arms

__version__ = "0.1.0"

_HOMES = {
    "satisfice.core": ["theory"],
    "satisfice.core.decision": ["Outcome"],
    "satisfice.core.noise": ["Bernoulli", "Bounded", "Normal", "SubGaussian"],
    "satisfice.core.problem": ["Direction", "Goal", "Metric", "Problem", "Setting", "problem_of"],
    "satisfice.core.rules": [
        "MultiAPT",
        "MultiHDoC",
        "MultiLUCB",
        "MultiTUCB",
        "Murphy",
        "SamplingRule",
        "Thompson",
        "Uniform",
    ],
    "satisfice.core.search": ["Search"],
    "satisfice.core.stopping": ["AlphaBoundary", "Boundary", "Evidence"],
    "satisfice.core.verdict": ["ArmStatus", "Guess", "Verdict"],
    "satisfice.errors": ["SatisficeError"],
    "satisfice.simulation": ["simulate"],
    "satisfice.simulation.arms": ["arms_for", "gaussian_arms"],
    "satisfice.simulation.instance": ["Instance"],
    "satisfice.simulation.instance_file": ["load_instance"],
    "satisfice.simulation.recorded": ["recorded_arms"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "AlphaBoundary",
    "ArmStatus",
    "Bernoulli",
    "Boundary",
    "Bounded",
    "Direction",
    "Evidence",
    "Goal",
    "Guess",
    "Instance",
    "Metric",
    "MultiAPT",
    "MultiHDoC",
    "MultiLUCB",
    "MultiTUCB",
    "Murphy",
    "Normal",
    "Outcome",
    "Problem",
    "SamplingRule",
    "SatisficeError",
    "Search",
    "Setting",
    "SubGaussian",
    "Thompson",
    "Uniform",
    "Verdict",
    "arms_for",
    "gaussian_arms",
    "load_instance",
    "problem_of",
    "recorded_arms",
    "simulate",
    "theory",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: a script that needs little starts at once."""
    if name not in _HOME_OF:
        raise AttributeError(f"satisfice has no public name {name!r}. Public: {', '.join(__all__)}.")
    home = import_module(_HOME_OF[name])
    return import_module(f"{home.__name__}.theory") if name == "theory" else getattr(home, name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
