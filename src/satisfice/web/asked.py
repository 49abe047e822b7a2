"""What a request asks of a study, as a step to take."""

from collections.abc import Mapping
from typing import Any

from satisfice.errors import InvalidCommand
from satisfice.given import is_number, writable
from satisfice.study import Study
from satisfice.study.pull import Failure, Measured, PullKey, key_of
from satisfice.study.transaction import Step

NOBODY = "http"
"""The worker that says no name."""


def asked(content: Mapping[str, Any]) -> Mapping[str, Any]:
    """An ask as an exchange."""
    return {**content, "ask": content.get("n", 1)}


def told(content: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"tell": [content]}


def failed(content: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"fail": [content]}


def released(content: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"release": content["pulls"]}


def step_of(study: Study, content: Mapping[str, Any]) -> Step:
    """The step that an exchange asks for; raises where results cannot be recorded."""
    settled: list[tuple[PullKey, Measured | Failure]] = [
        (key_of(one["pull"]), _measured(study, one)) for one in content.get("tell", ())
    ]
    settled += [(key_of(one["pull"]), _failure(one)) for one in content.get("fail", ())]
    settled.sort(key=lambda one: one[0].number)  # in the order of asking, so that none waits for another
    return Step(
        settled,
        content.get("ask", 0),
        writable(content.get("process") or _worker(content.get("worker"))),
        content.get("max_evaluations"),
        [key_of(one) for one in content.get("release", ())],
    )


def _worker(given: str | None) -> str:
    """Not the name of a process: whether that of a client is there cannot be seen from here."""
    return f"{given.replace('@', ' ')}@{NOBODY}" if given else NOBODY


def _failure(one: Mapping[str, Any]) -> Failure:
    cost = one.get("cost")
    if cost is not None and not (is_number(cost) and cost >= 0):
        raise InvalidCommand(f"Expected a number of 0 or more for 'cost', got {cost!r:.60}.")
    kind, by = one.get("kind", "failed"), one.get("by_exception", "")
    known = None if cost is None else float(cost)
    return Failure(one["reason"], kind, traceback=one.get("traceback", ""), cost=known, by_exception=by)


def _measured(study: Study, one: Mapping[str, Any]) -> Measured | Failure:
    if "results" in one:
        return study.settled(one["results"], one.get("baseline"), one["pull"])
    if "measured" not in one:
        raise InvalidCommand("Expected 'results' of each pull that is told.")
    return _again(study, one["pull"], one["measured"])


def _again(study: Study, pull: str, given: Mapping[str, Any]) -> Measured | Failure:
    """Results that a client has checked, checked here."""
    names = study.measured_names(pull, len(given["values"]))
    beside = given.get("baseline", [])
    if len(given["values"]) != len(names) or len(beside) not in (0, len(names)):
        raise InvalidCommand(f"Expected {len(names)} results of {pull}, in the order {', '.join(names)}.")
    results = {**given.get("also", {}), **dict(zip(names, given["values"], strict=True))}
    baseline = dict(zip(names, beside, strict=True)) if beside else None
    if "cost" in given:
        for metric in study.spec.reported:
            results.setdefault(metric, given["cost"])
            if baseline is not None:
                baseline.setdefault(metric, 0.0)
    return study.settled(results, baseline, pull)
