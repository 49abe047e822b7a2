"""The parts of a study's page as HTML that needs no script: what the modules in static/js draw, for paper and files."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from satisfice.config_rows import kind_of
from satisfice.layout.curves import Curve, curves, legend
from satisfice.layout.escape import html_text
from satisfice.layout.markup import facts, sentences, table, tag
from satisfice.layout.notebook import badge
from satisfice.layout.numbers import counted, plain, whole_percent
from satisfice.search.verdict import ArmStatus
from satisfice.study import StudyView
from satisfice.web.rows import Rows

Part = Mapping[str, Any]


def note(words: str) -> str:
    return tag("p", html_text(words), class_="note")


def verdict_part(fixed: Part, now: Part, configs: int) -> str:
    """The answer with its condition in words, and how far the study is."""
    counts, told = now["counts"], counted(now["evaluations"], "evaluation")
    told += f" of {counted(configs, 'configuration')}"
    told += f", {counts['failed']:,} failed" if counts["failed"] else ""
    told += f" · cost: {now['cost']['text']}" if now["cost"] else ""
    left = tag("p", html_text(f"Forecast: {now['forecast']['words']}.")) if now["forecast"] else ""
    times = f"created {fixed['created']}" + (f", last result {now['last_told']}" if now["last_told"] else "")
    closest = tag("p", f"closest: <b>{html_text(now['closest'])}</b>", class_="closest") if now["closest"] else ""
    closest += "".join(tag("p", html_text(f"hint: {one}"), class_="hint") for one in now["hints"])
    return (
        tag("p", html_text(fixed["name"]), class_="name")
        + tag("h1", f"{badge(now['outcome'])} {html_text(now['named'])}")
        + closest
        + tag("p", html_text(now["certainty"]), class_="certainty")
        + tag("p", "".join(tag("code", html_text(one)) for one in fixed["thresholds"]), class_="asked")
        + (tag("p", html_text(f"Stopped: {now['stopped']}"), class_="alarm") if now["stopped"] else "")
        + tag("p", html_text(told))
        + left
        + note(f"{times}, satisfice {fixed['version']}")
    )


def evidence_part(view: StudyView, history: Part, rows: Rows, most: int = 60) -> str:
    """How far configurations came, over the evaluations of the study."""
    lines = []
    for line in history["lines"]:
        points = line["points"]
        thinned = points[:: max(1, len(points) // most)]
        drawn = [(0, 0.0), *((x, y) for x, y, _ in thinned), (view.counts.folded, points[-1][1])]
        lines.append(Curve(view.spec.names[line["at"]], drawn, kind_of(rows.known[line["at"]])))
    if not lines:
        return note("No results yet.")
    most_folded = max(1, view.counts.folded)
    picture = curves(
        lines, most_folded, ("passes", "fails"), "evaluations of the whole study", "evidence over evaluations"
    )
    return picture + legend(lines) + note("The configurations that were evaluated most.")


def spent_part(statuses: Iterable[ArmStatus], most: int = 10) -> str:
    """Where evaluations went."""
    some = sorted((one for one in statuses if one.pulls), key=lambda one: -one.pulls)
    total, largest = sum(one.pulls for one in some), some[0].pulls if some else 1
    items = []
    for one in some[:most]:
        fill = tag("span", "", class_=f"barfill {kind_of(one)}", style=f"width:{plain(100 * one.pulls / largest, 1)}%")
        share = f"{one.pulls:,} · {whole_percent(one.pulls / total)}"
        label = tag("span", html_text(one.name), class_="label")
        items.append(tag("li", label + tag("span", fill, class_="bartrack") + tag("span", share, class_="number")))
    rest = some[most:]
    more = note(f"{counted(len(rest), 'other')} had {sum(one.pulls for one in rest):,} together.") if rest else ""
    return (tag("ol", "".join(items), class_="bars") if items else note("No results yet.")) + more


def why_part(view: StudyView, statuses: Sequence[ArmStatus]) -> str:
    """Why each configuration was accepted, rejected or left."""
    rows = [(one.name, f"{one.pulls:,}", view.explain(one.name).text) for one in statuses]
    return table(("configuration", "evaluations", "reason"), rows, numbers=(1,))


def work_part(now: Part) -> str:
    """Failures, waiting results, workers."""
    failures = [(config, reason, f"{times:,}") for config, reason, times in now["failures"]]
    held, counts = now["counts"]["held"], now["counts"]
    waiting = (
        f"{counted(held, 'result')} came early and must wait for one that was asked before."
        if held
        else "No result waits."
    )
    lost = (
        f"{counted(counts['reissued'], 'evaluation')} given out again, {counts['lost']:,} lost with their workers, "
        f"{counts['released']:,} given back, {counts['late']:,} told after the verdict."
    )
    under_way = [(one["config"], f"{one['number']:,}", one["worker"]) for one in now["workers"]]
    return (
        tag("h3", "Failures")
        + (table(("configuration", "reason", "times"), failures, numbers=(2,)) if failures else note("None."))
        + tag("h3", "Waiting")
        + note(waiting)
        + note(lost)
        + tag("h3", "Workers and leases")
        + (
            table(("configuration", "ask", "worker"), under_way, numbers=(1,))
            if under_way
            else note("Nothing is being evaluated.")
        )
    )


def rests_part(fixed: Part, now: Part) -> str:
    """What was asked, and what the answer rests on."""
    checks = [(config, metric, f"It {words}.", f"{advice}.") for config, metric, _, words, advice in now["checks"]]
    more = now["more_checks"] - len(checks)
    cost = tag("p", f"An evaluation costs {tag('code', html_text(fixed['costs']))}.") if fixed["costs"] else ""
    warnings = tag("h3", "Warnings") + sentences(f"⚠ {one}" for one in now["warnings"]) if now["warnings"] else ""
    heads = ("configuration", "metric", "what is odd", "what to do")
    return (
        tag("p", html_text(fixed["asked"]))
        + tag("ul", "".join(tag("li", tag("code", html_text(one))) for one in fixed["thresholds"]))
        + note(f"{fixed['rules']}.")
        + cost
        + tag("h3", "Assumptions")
        + sentences(now["assumptions"])
        + warnings
        + tag("h3", "Checks of the results")
        + (table(heads, checks) if checks else note("Nothing is odd about them."))
        + (note(f"{more:,} more; --json has all.") if more > 0 else "")
    )


def measured_part(fixed: Part) -> str:
    """What was measured."""
    return facts(fixed["subject"]) if fixed["subject"] else note("Nothing was recorded about it.")


def seal_part(view: StudyView, command: str) -> str:
    """The seal, and how to verify."""
    return (
        tag(
            "p",
            "Every event of the log is sealed with all that came before it. The seal of the last one covers this page:",
        )
        + tag("p", tag("code", view.head, class_="seal"))
        + tag("p", "This computes the verdict again from the log alone, and says whether the log still has that seal:")
        + tag("pre", tag("code", html_text(command)), tabindex="0")
    )
