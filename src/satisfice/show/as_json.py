"""A study as one JSON document: what `--json` prints."""

from math import isfinite
from typing import Any

from satisfice.search.verdict import ArmStatus, Guess
from satisfice.show.forecast import forecast_of
from satisfice.stopping.decision import ACCEPT, REJECT
from satisfice.study import StudyView
from satisfice.study.forecast import Forecast

DECISIONS = {ACCEPT: "accepted", REJECT: "rejected"}


def study_document(view: StudyView, forecast: Forecast | None = None) -> dict[str, Any]:
    """Verdict, assumptions, counts and what is known of each configuration; numbers that are not finite are null."""
    verdict, configs = view.verdict, view.configs
    guess = verdict.guess
    return {
        "study": view.name,
        "outcome": str(verdict.outcome),
        "config": verdict.arm,
        "parameters": configs[verdict.arm] if verdict.arm else None,
        "accepted": list(verdict.accepted),
        "rejected": list(verdict.rejected),
        "evaluations": verdict.evaluations,
        "error_rate": verdict.error_rate,
        "goal": view.problem.goal,
        "thresholds": [*view.spec.known, *view.spec.thresholds],
        "ruled_out": view.spec.ruled_out,
        "closest": None if guess is None else closest_document(guess),
        "condition": verdict.condition,
        "failed_checks": list(verdict.failed_checks),
        "withheld": verdict.withheld or None,
        "assumptions": list(verdict.assumptions),
        "warnings": [*view.doubts, *view.warnings],
        "checks": [check._asdict() for check in view.checks],
        "counts": view.counts._asdict(),
        "cost": cost_document(view),
        "forecast": None if forecast is None else forecast.as_dict(),
        "stopped": view.stopped,
        "warm_start": None if view.spec.warm_start is None else view.spec.warm_start.source,
        "subject": None if view.subject is None else view.subject.as_content(),
        "configs": [
            config_document(status, view.problem.metric_names)
            | {"parameters": configs[status.name]}
            | config_cost(view, status.name)
            for status in view.statuses
        ],
    }


def closest_document(guess: Guess) -> dict[str, Any]:
    """The configuration that looks best, what it takes to decide about it, and the metric that holds that up."""
    return {"config": guess.arm, "p_value": guess.p_value, "missing": guess.missing, "metric": guess.metric or None}


def cost_document(view: StudyView) -> dict[str, Any] | None:
    """What the study has cost and is expected to cost yet; null where nobody knows what evaluations cost."""
    if view.cost is None:
        return None
    left = forecast_of(view, view.statuses)
    return {
        "spent": view.cost.spent,
        "expected_to_go": None if left is None else left.cost,
        "max_cost": view.cost.most,
        "is_spent": view.cost.is_spent,
        "metric": view.cost.metric,
        "estimated": view.cost.estimated,
    }


def config_cost(view: StudyView, config: str) -> dict[str, Any]:
    """What was spent on a configuration, and what its next evaluation is expected to cost, where that is known."""
    if view.cost is None:
        return {}
    return {"spent": view.cost.by_config[view.spec.places[config]], "expected_cost": view.expected_cost(config)}


def config_document(status: ArmStatus, metrics: tuple[str, ...]) -> dict[str, Any]:
    """What is known of one configuration."""
    return {
        "config": status.name,
        "decision": DECISIONS.get(status.decision, "undecided"),
        "evaluations": status.pulls,
        "chosen_from": status.chosen_from,
        "metrics": {
            name: {
                "estimate": finite(status.means[place]),
                "low": finite(status.intervals[place].low),
                "high": finite(status.intervals[place].high),
                "accept_progress": _progress(status.accept_progress, place),
                "reject_progress": _progress(status.reject_progress, place),
            }
            for place, name in enumerate(metrics)
        },
    }


def _progress(progress: tuple[float, ...], place: int) -> float | None:
    return finite(progress[place]) if progress else None


def finite(number: float) -> float | None:
    """The number, None if it is not finite, and 0 for what sums of results leave of it."""
    if not isfinite(number):
        return None
    return 0.0 if abs(number) < 1e-12 else float(number)
