"""Whether a rule, a stopping rule and a problem fit together."""

from satisfice.errors import InvalidProblem
from satisfice.problem.metric import known_scale
from satisfice.problem.problem import Problem
from satisfice.rules.protocol import MARGIN, SamplingRule, kind_of
from satisfice.stopping import Judge, StoppingRule, judge_of
from satisfice.stopping.by_evidence import evidence_of, goes_by_evidence_alone


def fitting_judge(rule: SamplingRule, stopping: StoppingRule, problem: Problem, arms: int) -> Judge:
    """The judge of a stopping rule that works on the problem with the rule; most need to know all noise scales."""
    judge = judge_of(stopping, problem, arms)
    if problem.groups:
        check_groupable(rule, judge)
    for metric in problem.metrics:
        if metric.set_size and evidence_of(judge) is None:
            raise InvalidProblem(
                f"{type(stopping).__name__} takes every result for one more of a stream, and {metric.label!r} is known "
                f"after {metric.set_size} items. Take the stopping rule 'evidence', or write ': {metric.noise} "
                "sampled'."
            )
    if not kind_of(type(rule)).by_margins:
        for metric in problem.metrics:
            known_scale(metric)
    return judge


def check_groupable(rule: SamplingRule, judge: Judge) -> None:
    """InvalidProblem unless the rule and the judge look at each metric's own number of results."""
    if kind_of(type(rule)) is not MARGIN:
        raise InvalidProblem(
            f"{type(rule).__name__} cannot choose among metrics that are measured in groups. Take the rule 'pandora', "
            "which is the default, or one of your own with margin_priority; or measure all metrics together."
        )
    if not goes_by_evidence_alone(judge):
        raise InvalidProblem(
            "Metrics that are measured in groups have different numbers of results, which only the stopping rule "
            "'evidence', the default, can judge. Take that, or measure all metrics together."
        )
