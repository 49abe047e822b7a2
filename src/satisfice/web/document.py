"""What a page says of a study beside its rows: the answer in words, what it rests on, who works, how to verify."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from satisfice.layout.numbers import SIGNS, compact, counted
from satisfice.problem.goal import sought
from satisfice.problem.metric import Direction
from satisfice.search.verdict import ArmStatus, Outcome, intervals_said
from satisfice.show.forecast import endings_words, forecast_of, forecast_words
from satisfice.show.sentence import assumed_lines
from satisfice.show.subject import subject_rows
from satisfice.statistics import needs_values
from satisfice.study import StudyView
from satisfice.study.events import canonical
from satisfice.study.forecast import Forecast
from satisfice.study.known_limits import in_words
from satisfice.study.listing import moment
from satisfice.web.history import History
from satisfice.web.rows import Rows, drawn_scale, short

MOST_LINES, MOST_LISTED, MOST_VALUES, BINS = 8, 50, 2000, 24
"""Lines in a picture of all, entries of a list, results in a picture of one configuration, bars of its histogram."""

FEW_DIFFERENT = 10
"""With no more different results than that each has a bar of its own in a histogram."""

NOTHING_YET = "nothing is certain yet; the study can go on without losing its guarantee"


def fixed_part(view: StudyView, where: str) -> dict[str, Any]:
    """What stays the same as long as a study lasts."""
    spec = view.spec
    return {
        "name": view.name,
        "identity": view.identity,
        "storage": where,
        "created": moment(view.created_at),
        "version": view.version,
        "thresholds": [*spec.known, *spec.thresholds],
        "asked": " ".join(
            (
                f"Find {sought(view.problem.goal)} whose means all pass, up to the tolerance after ~.",
                *(f"{words}." for words in in_words(spec.known, spec.configs)),
            )
        ),
        "error_rate": view.problem.error_rate,
        "intervals": intervals_said(view.problem.error_rate, len(spec.names)),
        "rules": f"sampling rule {spec.rule['name']}, stopping rule {spec.stopping['name']}, seed {spec.seed}",
        "costs": _cost_said(view),
        "limits": limits_of(view),
        "subject": [] if view.subject is None else [list(pair) for pair in subject_rows(view.subject)],
    }


def limits_of(view: StudyView) -> list[dict[str, Any]]:
    """Each limit: what is limited, how it is written, and where it lies."""
    return [
        {
            "label": metric.label,
            "words": f"{SIGNS[metric.comparison]} {metric.limit_text}",
            "written": str(metric),
            "limit": metric.shown_limit[0],
            "tolerance": metric.shown_limit[1],
            "at_most": metric.direction is Direction.AT_MOST,
        }
        for metric in view.problem.metrics
    ]


def _cost_said(view: StudyView) -> str:
    cost = view.spec.cost
    return "" if cost is None else cost if isinstance(cost, str) else canonical(cost)[:200]


def quick_part(view: StudyView, rows: Rows, history: History, simulated: Forecast | None = None) -> dict[str, Any]:
    """What changes with every result."""
    verdict, counts = view.verdict, view.counts
    undecided = verdict.outcome is Outcome.UNDECIDED
    return {
        "outcome": str(verdict.outcome),
        "named": verdict.named,
        "closest": verdict.closest if undecided else "",
        "hints": [hint.words for hint in view.hints if hint.words not in verdict.closest],
        "certainty": verdict.said if verdict.withheld else NOTHING_YET if undecided else verdict.certainty,
        "evaluations": verdict.evaluations,
        "max_evaluations": view.policy.max_evaluations,
        "counts": counts._asdict(),
        "decided": rows.counts(),
        "cost": _cost_part(view),
        "forecast": forecast_part(view, simulated, [*rows.known.values()] if not rows.waiting else []),
        "stopped": view.stopped,
        "workers": workers_of(view),
        "failures": [[config, reason, times] for (config, reason), times in history.failures.most_common(MOST_LISTED)],
        "more_failures": history.other_failures + sum(history.failures.values()),
        "seal": view.head,
        "last_told": None if history.last_told_at is None else moment(history.last_told_at),
        "computing": rows.waiting,
        "read": [history.position, view.position],
        "scales": [drawn_scale(one) for one in rows.scales()],
    }


def slow_part(view: StudyView, *, quick: bool = False) -> dict[str, Any]:
    """What takes longer to find out, and is looked at less often; `quick`, as far as it is known at once."""
    if quick:
        told = {"assumptions": list(view.verdict.assumptions), "warnings": [*view.doubts]}
        return told | {"checks": [], "more_checks": 0}
    return {
        "assumptions": list(assumed_lines(view.verdict.assumptions, view.warnings)),
        "warnings": [*view.doubts, *view.warnings],
        "checks": [[one.config, one.metric, one.kind, one.words, one.advice] for one in view.checks[:MOST_LISTED]],
        "more_checks": len(view.checks),
    }


def _cost_part(view: StudyView) -> dict[str, Any] | None:
    if view.cost is None:
        return None
    return {"text": str(view.cost), "spent": view.cost.spent, "most": view.cost.most, "metric": view.cost.metric or ""}


def forecast_part(view: StudyView, simulated: Forecast | None, statuses: Sequence[ArmStatus]) -> dict[str, Any] | None:
    """What is left, by simulated runs; where there are none, about what it is as evidence has grown so far."""
    if view.outcome is not Outcome.UNDECIDED:
        return None
    if simulated is not None:
        known = {key: short(value) if isinstance(value, float) else value for key, value in simulated.as_dict().items()}
        return known | {"words": f"{forecast_words(simulated)}; {endings_words(simulated)}"}
    quick = forecast_of(view, statuses) if statuses else None
    if quick is None:
        return None
    cost = "" if quick.cost is None else f", cost about {compact(quick.cost)}"
    words = f"about {counted(quick.evaluations, 'evaluation')} to go at the present estimates{cost}"
    return {"at": view.counts.folded, "runs": 0, "evaluations": quick.evaluations, "words": words}


def workers_of(view: StudyView) -> list[dict[str, Any]]:
    """What is under way: who works on what, since when, and for how long it may be silent."""
    return [
        {"worker": one.worker, "config": one.pull.name, "number": one.pull.number, "since": one.at, "lease": one.lease}
        for one in view.at_work[:MOST_LISTED]
    ]


def history_part(view: StudyView, history: History) -> dict[str, Any]:
    """Evidence and evaluations over time of the configurations that had most of them, those that pass first."""
    passing = {view.spec.places[name] for name in view.verdict.accepted[:MOST_LINES]}
    ranked = sorted(history.points, key=lambda arm: (arm in passing, history.points[arm][-1].pulls), reverse=True)
    return {
        "samples": history.samples,
        "lines": [
            {"at": arm, "points": [[one.folded, round(one.leaning, 3), one.pulls] for one in history.points[arm]]}
            for arm in ranked[:MOST_LINES]
        ],
        "complete": history.position >= view.position,
    }


def config_part(view: StudyView, history: History, config: str, *, most: int = MOST_VALUES) -> dict[str, Any]:
    """One configuration: why it is where it is, its raw results in the order of asking, and what is odd about them."""
    place = view.spec.places[config]
    why = view.explain(config)
    return {
        "at": place,
        "name": config,
        "parameters": [[key, _shown(value)] for key, value in view.configs[config].items()],
        "why": why.text,
        "binding": why.binding,
        "evaluations": why.evaluations,
        "spent": None if view.cost is None else short(view.cost.by_config[place]),
        "checks": [[one.metric, one.kind, one.words, one.advice] for one in view.checks if one.config == config],
        "streams": [
            _stream_part(stream, np.frombuffer(column, dtype=np.float64) if column else np.zeros(0), most)
            for stream, column in zip(history.streams, history.results(place), strict=True)
        ],
    }


def _stream_part(stream: Any, values: Any, most: int) -> dict[str, Any]:
    raw = needs_values(stream.metric.statistic) and not stream.normal
    limit = stream.metric.shown_limit[0] if raw else stream.metric.asked.threshold
    every = max(1, -(-len(values) // most))
    known = values[np.isfinite(values)]
    return {
        "label": stream.label,
        "limit": short(limit),
        "words": f"{stream.metric.label} {SIGNS[stream.metric.comparison]} {stream.metric.limit_text}",
        "at_most": stream.metric.direction is Direction.AT_MOST,
        "every": every,
        "count": len(values),
        "values": [short(one, 4) for one in values[::every].tolist()],
        "bars": bars_of(known),
        **shape_of(known),
    }


def bars_of(values: Any) -> dict[str, Any] | None:
    """A histogram: `counts` of bars of a `width` from `start` on, or `at` each of a few different results."""
    if not len(values):
        return None
    different, numbers = np.unique(values, return_counts=True)
    if len(different) <= FEW_DIFFERENT and len(values) >= 2 * len(different):
        gaps = np.diff(different)
        width = 0.6 * float(gaps.min()) if len(gaps) else 0.2 * (abs(float(different[0])) or 1.0)
        return {"at": [short(one) for one in different.tolist()], "width": short(width), "counts": numbers.tolist()}
    counts, edges = np.histogram(values, bins=min(BINS, int(4 + np.sqrt(len(values)))))
    return {"start": short(float(edges[0])), "width": short(float(edges[1] - edges[0])), "counts": counts.tolist()}


def shape_of(values: Any) -> dict[str, float | None]:
    """Skewness, drift from first to last in standard deviations, and lag-1 autocorrelation; None of too few."""
    nothing: dict[str, float | None] = dict.fromkeys(("mean", "sd", "skew", "drift", "lag"))
    if len(values) < 3:
        return nothing | ({"mean": short(float(values.mean()))} if len(values) else {})
    centred = values - values.mean()
    sd = float(centred.std())
    found = nothing | {"mean": short(float(values.mean())), "sd": short(sd)}
    if not sd > 1e-12 * max(1.0, abs(float(values.mean()))):
        return found
    time = np.linspace(-0.5, 0.5, len(values))
    return found | {
        "skew": short(float((centred**3).mean() / sd**3)),
        "drift": short(float((time @ centred) / (time @ time) / sd)),
        "lag": short(float((centred[1:] @ centred[:-1]) / (centred @ centred))),
    }


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else canonical(value)


def compact_json(document: Any) -> str:
    return json.dumps(document, separators=(",", ":"), allow_nan=False)
