"""The report of a study: verdict, pictures, every configuration with its reason, assumptions and failures."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from satisfice.errors import writing
from satisfice.html_report import svg
from satisfice.html_report.history import History, history_of
from satisfice.layout.colours import css_variables
from satisfice.layout.escape import html_text
from satisfice.problem.goal import sought
from satisfice.search.verdict import ArmStatus, Outcome, Verdict
from satisfice.show.forecast import cost_lines
from satisfice.show.subject import subject_rows
from satisfice.stopping.decision import ACCEPT, KEEP
from satisfice.study import Study, StudyView
from satisfice.study.events import canonical

ROWS, LINES = 40, 8
"""The most configurations in a picture, and lines in that of the evidence."""

STYLE = css_variables() + (Path(__file__).parent / "style.css").read_text(encoding="utf-8")


def write_report(study: Study, path: Path) -> None:
    """Write the report of a study as it is now."""
    html = report(study)
    with writing("The report", path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(html, encoding="utf-8")


def report(study: Study) -> str:
    """The report as one HTML text that needs nothing else; all of it is about one position of the log."""
    view = study.view()
    verdict, statuses = view.verdict, view.statuses
    shown = most_telling(statuses, ROWS)
    history = history_of(study, view, _lines(statuses))
    sections = [
        _head(view, history),
        _section("What was asked", _question(view)),
        _section("What was measured", _subject(view)),
        _section("Estimates against thresholds", _intervals(view, shown), _left_out(statuses, shown)),
        _section("Evidence over time", _evidence(history, verdict)),
        _section("Evaluations of each configuration", svg.pulls(shown), _left_out(statuses, shown)),
        _section("Why", _reasons(view, statuses)),
        _section("What the answer rests on", _list((*verdict.assumptions, *view.doubts, *view.warnings))),
        _section("Checks of the results", _checks(view)),
        _section("Failures", _failures(history)),
    ]
    head = f'<meta charset="utf-8"><title>{html_text(view.name)}</title><style>{STYLE}</style>'
    viewport = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    return f'<!doctype html><html lang="en"><head>{head}{viewport}</head><body>{"".join(sections)}</body></html>\n'


def most_telling(statuses: Sequence[ArmStatus], most: int) -> list[ArmStatus]:
    """At most `most` configurations, in their own order: what passes, what came near, what was evaluated most."""
    if len(statuses) <= most:
        return list(statuses)
    rank = sorted(statuses, key=lambda one: (one.decision == ACCEPT, one.decision == KEEP, one.pulls), reverse=True)
    chosen = {one.name for one in rank[:most]}
    return [one for one in statuses if one.name in chosen]


def _head(view: StudyView, history: History) -> str:
    verdict = view.verdict
    kind = {Outcome.FOUND: "pass", Outcome.NONE: "fail"}.get(verdict.outcome, "open")
    certainty = (
        verdict.certainty
        if verdict.outcome is not Outcome.UNDECIDED
        else "nothing is certain yet; the study can go on without losing its guarantee"
    )
    named = verdict.named
    if verdict.outcome is Outcome.UNDECIDED and verdict.guess:
        named += f"{'; ' if named else ''}closest: {verdict.closest}"
    told = f"{verdict.evaluations:,} evaluations of {len(view.configs):,} configurations"
    failed = f", {view.counts.failed:,} failed" if view.counts.failed else ""
    failed += "".join(f" · {html_text(line)}" for line in cost_lines(view, view.statuses))
    return (
        f'<header><p class="name">{html_text(view.name)}</p><h1><span class="badge {kind}">{verdict.outcome}</span> '
        f"{html_text(named)}</h1><p>{told}{failed} · {html_text(certainty)}</p>"
        f'<p class="tick">{_times(view, history)}</p></header>'
    )


def _times(view: StudyView, history: History) -> str:
    times = [view.created_at, *([] if history.last_told_at is None else [history.last_told_at])]
    written = [datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC") for at in times]
    return " to ".join(written) + f" · satisfice {html_text(view.version)}"


def _section(title: str, *parts: str) -> str:
    body = "".join(parts)
    return f"<section><h2>{html_text(title)}</h2>{body}</section>" if body else ""


def _question(view: StudyView) -> str:
    spec = view.spec
    rules = f"sampling rule {spec.rule['name']}, stopping rule {spec.stopping['name']}, seed {spec.seed}"
    items = "".join(f"<li><code>{html_text(one)}</code></li>" for one in spec.thresholds)
    goal = sought(view.problem.goal)
    asked = f"<p>Find {goal} whose means all pass, up to the tolerance after ~:</p><ul>{items}</ul>"
    said = spec.cost if isinstance(spec.cost, str) else canonical(spec.cost)[:200]
    cost = "" if spec.cost is None else f"<p>An evaluation costs <code>{html_text(said)}</code>.</p>"
    return f"{asked}<p>{html_text(rules)}.</p>{cost}"


def _subject(view: StudyView) -> str:
    if view.subject is None:
        return ""
    rows = "".join(f"<dt>{html_text(what)}</dt><dd>{html_text(text)}</dd>" for what, text in subject_rows(view.subject))
    return f'<dl class="facts">{rows}</dl>'


def _intervals(view: StudyView, shown: Sequence[ArmStatus]) -> str:
    level = f"{100 * (1 - view.problem.error_rate):.4g} %"
    drawings = (
        f"<h3>{html_text(str(metric))}</h3>{svg.intervals(metric, index, shown)}"
        for index, metric in enumerate(view.problem.metrics)
    )
    legend = f"Dots are estimates, lines are {level} intervals that hold at all times; shaded is what passes."
    return f'<p class="tick">{legend}</p>' + "".join(drawings)


def _lines(statuses: Sequence[ArmStatus]) -> list[str]:
    """The configurations whose evidence is drawn; none under a stopping rule that knows no evidence."""
    if not any(status.accept_progress for status in statuses):
        return []
    rank = sorted(statuses, key=lambda one: (one.decision == ACCEPT, one.pulls), reverse=True)
    return [one.name for one in rank[:LINES]]


def _evidence(history: History, verdict: Verdict) -> str:
    if not history.lines:
        return ""
    legend = "<p class='tick'>The configurations that were evaluated most.</p>"
    return legend + svg.evidence(history.lines, verdict.evaluations)


def _reasons(view: StudyView, statuses: Sequence[ArmStatus], most: int = 500) -> str:
    telling = most_telling(statuses, most)
    rows = [(one.name, f"{one.pulls:,}", view.explain(one.name).text) for one in telling]
    return _table(("configuration", "evaluations", "reason"), rows) + _left_out(statuses, telling)


def _left_out(statuses: Sequence[ArmStatus], shown: Sequence[ArmStatus]) -> str:
    missing = len(statuses) - len(shown)
    return f"<p class='tick'>{missing:,} more are not shown; `satisfice export` has all.</p>" if missing else ""


def _checks(view: StudyView, most: int = 100) -> str:
    if not view.checks:
        return "<p>Nothing is odd about them.</p>"
    rows = [
        (one.config, one.metric, f"{one.number:.3g}", f"It {one.words}.", f"{one.advice}.")
        for one in view.checks[:most]
    ]
    more = len(view.checks) - most
    rest = f"<p class='tick'>{more:,} more are not shown; `--json` has all.</p>" if more > 0 else ""
    return _table(("configuration", "metric", "number", "what is odd", "what to do"), rows) + rest


def _failures(history: History, most: int = 20) -> str:
    if not history.failures:
        return "<p>None.</p>"
    rows = [(config, f"{count:,}", reason) for (config, reason), count in history.failures.most_common(most)]
    return _table(("configuration", "times", "reason"), rows)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{html_text(one)}</th>" for one in heads)
    body = "".join("<tr>" + "".join(f"<td>{html_text(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _list(sentences: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{html_text(one)}</li>" for one in sentences) + "</ul>"
