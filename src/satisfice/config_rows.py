"""Configurations as rows of HTML: estimates and intervals of each limit on one scale, evidence, evaluations."""

from collections.abc import Mapping, Sequence

from satisfice.layout.escape import html_text, tag
from satisfice.layout.numbers import SIGNS, whole_percent, with_interval
from satisfice.layout.tracks import Scale, axis, ground, percent, scale_of, track
from satisfice.noise.process import Interval
from satisfice.problem.metric import Metric
from satisfice.problem.problem import Problem
from satisfice.search.verdict import ArmStatus
from satisfice.stopping.decision import ACCEPT, KEEP, REJECT

KINDS = {ACCEPT: "pass", REJECT: "fail"}
STATES = {"pass": "✓ passes", "fail": "✗ fails", "open": "● open"}


def kind_of(status: ArmStatus) -> str:
    """What is decided, as drawings call it."""
    return KINDS.get(status.decision, "open")


def most_telling(statuses: Sequence[ArmStatus], most: int) -> list[ArmStatus]:
    """At most `most` configurations, in their own order: what passes, what came near, what was evaluated most."""
    if len(statuses) <= most:
        return list(statuses)
    rank = sorted(statuses, key=lambda one: (one.decision == ACCEPT, one.decision == KEEP, one.pulls), reverse=True)
    chosen = {one.name for one in rank[:most]}
    return [one for one in statuses if one.name in chosen]


def scales_of(problem: Problem, statuses: Sequence[ArmStatus]) -> list[Scale]:
    """One scale for each limit, on which all are drawn."""
    return [
        scale_of([(one.means[place], one.intervals[place]) for one in statuses if one.pulls], *metric.shown_limit)
        for place, metric in enumerate(problem.metrics)
    ]


def config_rows(
    problem: Problem, statuses: Sequence[ArmStatus], running: Mapping[str, int], scales: Sequence[Scale]
) -> str:
    """A row for each of some configurations, on one scale for each limit."""
    metrics = list(zip(problem.metrics, scales, strict=True))
    heads = [tag("b", "configuration")]
    grounds = [f"--limits:{len(metrics)}"]
    for place, (metric, scale) in enumerate(metrics):
        at_most = metric.direction == "<="
        grounds.append(f"--ground-{place + 2}:{ground(scale, *metric.shown_limit, at_most=at_most)}")
        words = tag("span", html_text(f"{SIGNS[metric.comparison]} {metric.limit_text}"), class_="words")
        heads.append(tag("b", html_text(metric.label)) + words + axis(scale))
    heads += [tag("b", "evidence") + tag("span", "against ← → for", class_="words"), tag("b", "evaluations")]
    kinds = ["name", *["limit"] * len(metrics), "evidence", "pulls"]
    head = tag(
        "tr",
        "".join(tag("th", one, class_=kind, role="columnheader") for one, kind in zip(heads, kinds, strict=True)),
        role="row",
    )
    body = "".join(_row(status, metrics, running.get(status.name, 0)) for status in statuses)
    inside = tag("thead", head, role="rowgroup") + tag("tbody", body, role="rowgroup")
    drawn = tag("table", inside, class_="rows", role="table", aria_label="configurations", style=";".join(grounds))
    return tag("div", drawn, class_="wide", tabindex="0", role="group", aria_label="table of configurations")


def _row(status: ArmStatus, metrics: Sequence[tuple[Metric, Scale]], running: int) -> str:
    kind = kind_of(status)
    state = (
        f"▸ {running} now"
        if running and kind == "open"
        else STATES[kind]
        if status.pulls or kind != "open"
        else "○ not evaluated"
    )
    name = tag("span", html_text(status.name), class_="pick") + tag("span", state, class_=f"state {kind}")
    cells = [tag("td", name, class_="name", role="cell")]
    for place, (metric, scale) in enumerate(metrics):
        what = tag(
            "span", html_text(metric.limited.replace(metric.comparison, SIGNS[metric.comparison])), class_="what"
        )
        drawn = tag("span", "–", class_="nothing")
        if status.pulls:
            mean, interval = status.means[place], status.intervals[place]
            drawn = track(scale, mean, interval, kind) + _figures(mean, interval)
        cells.append(tag("td", what + drawn, class_="limit", role="cell"))
    pro, contra = min(status.accept_progress, default=0.0), max(status.reject_progress, default=0.0)
    words = {"pass": "for: all", "fail": "against: all"}.get(kind, f"{whole_percent(contra)} | {whole_percent(pro)}")
    pro, contra = {"pass": (1.0, 0.0), "fail": (0.0, 1.0)}.get(kind, (pro, contra))
    shown = tag("span", "evidence against ← → for", class_="what") + balance(pro, contra)
    cells.append(tag("td", shown + tag("span", words, class_="figures"), class_="evidence", role="cell"))
    cells.append(
        tag("td", f"{status.pulls:,}" + tag("span", " evaluations", class_="what"), class_="pulls", role="cell")
    )
    return tag("tr", "".join(cells), role="row", class_=kind)


def _figures(mean: float, interval: Interval) -> str:
    return tag("span", html_text(with_interval(mean, interval)), class_="figures")


def balance(pro: float, contra: float) -> str:
    """The evidence against and for a configuration, from the middle to the left and to the right."""
    style = f"--contra:{percent(0.5 * contra)};--pro:{percent(0.5 * pro)}"
    return tag("span", "", class_="balance", aria_hidden="true", style=style)
