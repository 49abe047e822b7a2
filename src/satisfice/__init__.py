"""satisfice: find any configuration that passes all your thresholds, and know how certain that is."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from satisfice import theory
    from satisfice.assertions import assert_passes
    from satisfice.errors import RateLimited, SatisficeError
    from satisfice.files.instance_file import load_instance
    from satisfice.noise import Bernoulli, Bounded, Checked, Independent, Normal, Poisson, Spread, SubGaussian
    from satisfice.planning.plan import ScenarioPlan, StudyPlan, plan
    from satisfice.problem.goal import Goal
    from satisfice.problem.metric import Direction, Metric
    from satisfice.problem.problem import Problem, problem_of
    from satisfice.problem.units import Setting
    from satisfice.rules import (
        MultiAPT,
        MultiHDoC,
        MultiLUCB,
        MultiTUCB,
        Murphy,
        Pandora,
        SamplingRule,
        Thompson,
        Uniform,
    )
    from satisfice.search.diagnostics import Check
    from satisfice.search.search import Search
    from satisfice.search.verdict import ArmStatus, Guess, Outcome, Verdict
    from satisfice.simulation import simulate
    from satisfice.simulation.arms import arms_for, gaussian_arms, recorded_arms
    from satisfice.simulation.instance import Instance
    from satisfice.simulation.oracle import OracleFloor, oracle_floor
    from satisfice.statistics import ClippedMean, GeometricMean, Mean, Percentile, Share
    from satisfice.stopping import AlphaBoundary, Boundary, Evidence, TransferredEvidence
    from satisfice.study.configs import grid
    from satisfice.study.create import create_study, delete_study, list_studies, load_study
    from satisfice.study.evaluations import Evaluation
    from satisfice.study.explain import Explanation
    from satisfice.study.forecast import Forecast
    from satisfice.study.ledger import Counts, StudyCost
    from satisfice.study.progress import RunProgress
    from satisfice.study.pull import Outstanding, Pull
    from satisfice.study.retry import Backoff
    from satisfice.study.spec import Spec
    from satisfice.study.storage.protocol import StudySummary
    from satisfice.study.study import Study
    from satisfice.study.subject import Subject
    from satisfice.study.verify import Verification, verify
    from satisfice.study.view import StudyView
    from satisfice.study.work import work

__version__ = "0.2.0"

_HOMES = {
    "satisfice.assertions": ["assert_passes"],
    "satisfice.noise": ["Bernoulli", "Bounded", "Checked", "Independent", "Normal", "Poisson", "Spread", "SubGaussian"],
    "satisfice.statistics": ["ClippedMean", "GeometricMean", "Mean", "Percentile", "Share"],
    "satisfice.problem.metric": ["Direction", "Metric"],
    "satisfice.problem.goal": ["Goal"],
    "satisfice.problem.problem": ["Problem", "problem_of"],
    "satisfice.problem.units": ["Setting"],
    "satisfice.rules": [
        "MultiAPT",
        "MultiHDoC",
        "MultiLUCB",
        "MultiTUCB",
        "Murphy",
        "Pandora",
        "SamplingRule",
        "Thompson",
        "Uniform",
    ],
    "satisfice.search.diagnostics": ["Check"],
    "satisfice.search.search": ["Search"],
    "satisfice.stopping": ["AlphaBoundary", "Boundary", "Evidence", "TransferredEvidence"],
    "satisfice.search.verdict": ["ArmStatus", "Guess", "Outcome", "Verdict"],
    "satisfice.errors": ["RateLimited", "SatisficeError"],
    "satisfice.simulation": ["simulate"],
    "satisfice.simulation.arms": ["arms_for", "gaussian_arms", "recorded_arms"],
    "satisfice.simulation.instance": ["Instance"],
    "satisfice.files.instance_file": ["load_instance"],
    "satisfice.simulation.oracle": ["OracleFloor", "oracle_floor"],
    "satisfice.planning.plan": ["ScenarioPlan", "StudyPlan", "plan"],
    "satisfice.study.retry": ["Backoff"],
    "satisfice.study.explain": ["Explanation"],
    "satisfice.study.forecast": ["Forecast"],
    "satisfice.study.ledger": ["Counts", "StudyCost"],
    "satisfice.study.storage.protocol": ["StudySummary"],
    "satisfice.study.create": ["create_study", "delete_study", "list_studies", "load_study"],
    "satisfice.study.pull": ["Outstanding", "Pull"],
    "satisfice.study.evaluations": ["Evaluation"],
    "satisfice.study.progress": ["RunProgress"],
    "satisfice.study.work": ["work"],
    "satisfice.study.configs": ["grid"],
    "satisfice.study.spec": ["Spec"],
    "satisfice.study.study": ["Study"],
    "satisfice.study.subject": ["Subject"],
    "satisfice.study.verify": ["Verification", "verify"],
    "satisfice.study.view": ["StudyView"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "AlphaBoundary",
    "ArmStatus",
    "Backoff",
    "Bernoulli",
    "Boundary",
    "Bounded",
    "Check",
    "Checked",
    "ClippedMean",
    "Counts",
    "Direction",
    "Evaluation",
    "Evidence",
    "Explanation",
    "Forecast",
    "GeometricMean",
    "Goal",
    "Guess",
    "Independent",
    "Instance",
    "Mean",
    "Metric",
    "MultiAPT",
    "MultiHDoC",
    "MultiLUCB",
    "MultiTUCB",
    "Murphy",
    "Normal",
    "OracleFloor",
    "Outcome",
    "Outstanding",
    "Pandora",
    "Percentile",
    "Poisson",
    "Problem",
    "Pull",
    "RateLimited",
    "RunProgress",
    "SamplingRule",
    "SatisficeError",
    "ScenarioPlan",
    "Search",
    "Setting",
    "Share",
    "Spec",
    "Spread",
    "Study",
    "StudyCost",
    "StudyPlan",
    "StudySummary",
    "StudyView",
    "SubGaussian",
    "Subject",
    "Thompson",
    "TransferredEvidence",
    "Uniform",
    "Verdict",
    "Verification",
    "arms_for",
    "assert_passes",
    "create_study",
    "delete_study",
    "gaussian_arms",
    "grid",
    "list_studies",
    "load_instance",
    "load_study",
    "oracle_floor",
    "plan",
    "problem_of",
    "recorded_arms",
    "simulate",
    "theory",
    "verify",
    "work",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: a script that needs little starts at once."""
    if name == "theory":
        return import_module("satisfice.theory")
    if name not in _HOME_OF:
        raise AttributeError(f"satisfice has no public name {name!r}. Public: {', '.join(__all__)}.")
    home = import_module(_HOME_OF[name])
    return getattr(home, name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
