"""What Prometheus reads: the counts of studies in the text of OpenMetrics."""

from collections.abc import Callable, Iterable

from satisfice.layout.numbers import to_digits
from satisfice.search.verdict import Outcome
from satisfice.study import StudyView

KIND = "application/openmetrics-text; version=1.0.0; charset=utf-8"
MOST_CONFIGS = 1000
"""In studies of more, which configuration leads is not looked for."""

COUNTERS = (
    ("satisfice_evaluations", "Results that were recorded.", "told"),
    ("satisfice_failures", "Evaluations that failed.", "failed"),
    ("satisfice_reissued", "Evaluations that were given out again.", "reissued"),
)
GAUGES: tuple[tuple[str, str, Callable[[StudyView], int]], ...] = (
    ("satisfice_waiting", "Results that wait for one that was asked for earlier.", lambda view: view.counts.held),
    ("satisfice_outstanding", "Evaluations that are being made.", lambda view: sum(view.running.values())),
)


def metrics(views: Iterable[StudyView]) -> str:
    """All numbers of these studies."""
    seen = list(views)
    lines: list[str] = []
    for name, says, count in COUNTERS:
        lines += [f"# TYPE {name} counter", f"# HELP {name} {says}"]
        lines += [f"{name}_total{_labels(view)} {getattr(view.counts, count)}" for view in seen]
    for name, says, number in GAUGES:
        lines += [f"# TYPE {name} gauge", f"# HELP {name} {says}"]
        lines += [f"{name}{_labels(view)} {number(view)}" for view in seen]
    name = "satisfice_evidence"
    lines += [f"# TYPE {name} gauge", f"# HELP {name} Share of the evidence that accepting the leading one needs."]
    lines += [
        f"{name}{_labels(view)} {to_digits(max(map(view.leaning, view.spec.names)), 6)}"
        for view in seen
        if len(view.spec.names) <= MOST_CONFIGS
    ]
    lines += ["# TYPE satisfice_verdict stateset", "# HELP satisfice_verdict The verdict so far."]
    for view in seen:
        for outcome in Outcome:
            state = _labels(view, satisfice_verdict=str(outcome))
            lines.append(f"satisfice_verdict{state} {int(view.verdict.outcome is outcome)}")
    return "\n".join([*lines, "# EOF", ""])


def _labels(view: StudyView, **more: str) -> str:
    written = ",".join(f'{name}="{_escaped(value)}"' for name, value in {"study": view.name, **more}.items())
    return f"{{{written}}}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
