"""Whether a rule, a stopping rule and a problem fit together."""

from satisfice.problem.metric import known_scale
from satisfice.problem.problem import Problem
from satisfice.rules.protocol import SamplingRule, kind_of
from satisfice.stopping import StoppingRule, judge_of


def check_fit(rule: SamplingRule, stopping: StoppingRule, problem: Problem, arms: int) -> None:
    """Raise unless the rule and the stopping rule can work on the problem: most need to know all noise scales."""
    judge_of(stopping, problem, arms)
    if not kind_of(type(rule)).by_margins:
        for metric in problem.metrics:
            known_scale(metric)
