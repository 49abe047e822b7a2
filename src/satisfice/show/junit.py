"""A verdict as a JUnit report: the XML that every CI reads, with a test case for the study and one for each config."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from satisfice.layout.escape import visible
from satisfice.layout.numbers import plain
from satisfice.search.verdict import Outcome
from satisfice.show.sentence import assumed_lines, check_lines
from satisfice.stopping.decision import ACCEPT, REJECT
from satisfice.study import StudyView

UNDECIDED_AS = ("skipped", "failure", "error")
"""What a test case can be that did neither pass nor fail."""


class Case(NamedTuple):
    """A test case: what it is called, what became of it (nothing if it passed), and why."""

    name: str
    result: str
    why: str


def junit_of(view: StudyView, seconds: float, undecided: str = "skipped", earlier: str = "") -> str:
    """The report of a study: it fails exactly where the study says NONE, or UNDECIDED if that counts as one.

    `earlier` says that nothing was run for it, where that is so.
    """
    cases = list(_cases(view, undecided))
    said = {
        "thresholds": "; ".join(view.spec.thresholds),
        "outcome": str(view.verdict.outcome),
        "identity": view.identity,
    }
    notes = [*([earlier] if earlier else []), *assumed_lines(view.verdict.assumptions, view.warnings)]
    notes += [f"warning: {one}" for one in (*view.doubts, *view.warnings)]
    notes += check_lines(view.checks, view.warnings)
    return _written(view.name, cases, said, notes, seconds)


def junit_of_error(name: str, sentence: str, seconds: float) -> str:
    """The report of a study that came to no verdict since something was wrong."""
    return _written(name, [Case("verdict", "error", sentence)], {}, [], seconds)


def _cases(view: StudyView, undecided: str) -> Iterator[Case]:
    verdict = view.verdict
    first = {Outcome.FOUND: "", Outcome.NONE: "failure", Outcome.UNDECIDED: undecided}[verdict.outcome]
    yield Case("verdict", first, str(verdict) if first else "")
    for status in view.statuses:
        if verdict.withheld:
            yield Case(status.name, "skipped", verdict.said)
        elif status.decision == ACCEPT:
            yield Case(status.name, "", "")
        elif status.decision == REJECT and verdict.outcome is Outcome.NONE:
            yield Case(status.name, "failure", str(view.explain(status.name)))
        else:
            yield Case(status.name, "skipped", str(view.explain(status.name)))


def _written(name: str, cases: list[Case], said: dict[str, str], notes: list[str], seconds: float) -> str:
    counts = {kind: str(sum(case.result == kind for case in cases)) for kind in UNDECIDED_AS}
    totals = {"tests": str(len(cases)), "failures": counts["failure"], "errors": counts["error"]}
    root = Element("testsuites", {"name": "satisfice", **totals, "time": f"{plain(seconds, 3)}"})
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    more = {"skipped": counts["skipped"], "time": f"{plain(seconds, 3)}", "timestamp": now}
    suite = SubElement(root, "testsuite", {"name": visible(name), **totals, **more})
    if said:
        properties = SubElement(suite, "properties")
        for key, value in said.items():
            SubElement(properties, "property", {"name": key, "value": visible(value)})
    for place, case in enumerate(cases):
        took = f"{plain(seconds if place == 0 else 0.0, 3)}"
        made = SubElement(suite, "testcase", {"classname": visible(name), "name": visible(case.name), "time": took})
        if case.result:
            why = SubElement(made, case.result, {"message": visible(case.why.split("\n")[0])})
            if case.result != "skipped":
                why.set("type", "verdict")
                why.text = "\n".join(map(visible, case.why.split("\n")))
    if notes:
        SubElement(suite, "system-out").text = "\n".join(map(visible, notes))
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'
