"""k6 run --summary-export=/dev/stdout, handleSummary printed as JSON, or --out json=/dev/stdout: https://grafana.com/docs/k6."""

import re
from typing import Any

from satisfice.given import is_number
from satisfice.readers.protocol import Count, Metrics, Printed, as_name, failed, failed_requests, numbers_in

SHARE = re.compile(r"^p\(([\d.]+)\)$")
COUNTER = "counter"
FAILED = "http_req_failed"
NO_ANSWER = "0"
"""The status of a request that got no answer, as a tag."""


class K6:
    """Of a summary http_req_duration.avg, .p95, the count http_req_failed; of JSON lines the list http_req_duration."""

    def recognises(self, printed: Printed) -> bool:
        return _is_summary(printed.document) or any(_is_point(line) for line in printed.lines)

    def metrics(self, printed: Printed) -> Metrics:
        if printed.document is not None and _is_summary(printed.document):
            return _of_summary(printed.document["metrics"])
        return _of_lines(printed)


def _is_summary(document: Any) -> bool:
    metrics = document.get("metrics") if isinstance(document, dict) else None
    known = ("iterations", "http_reqs", "iteration_duration", "vus")
    return isinstance(metrics, dict) and any(isinstance(metrics.get(name), dict) for name in known)


def _is_point(line: dict[str, Any]) -> bool:
    data = line.get("data")
    return line.get("type") == "Point" and "metric" in line and isinstance(data, dict) and is_number(data.get("value"))


def _of_summary(metrics: dict[str, Any]) -> Metrics:
    found: Metrics = {}
    numbers = {name: numbers_in(one.get("values", one)) for name, one in metrics.items()}
    if not any(numbers.get(name, {}).get("count") for name in ("iterations", "http_reqs")):
        failed("k6", "no iteration ended, so there is nothing to measure")
    for name, values in numbers.items():
        if of := values.get("passes", 0.0) + values.get("fails", 0.0):
            found[as_name(name)] = _count(name, values.get("passes", 0.0), of)
        if "passes" in values and "value" in values:  # a rate, as --summary-export has it
            values["rate"] = values.pop("value")
        found |= {f"{as_name(name)}.{_statistic(key)}": value for key, value in values.items()}
    return found


def _count(name: str, passes: float, of: float) -> Count:
    """Of checks those that passed, of http_req_failed the requests that failed."""
    return failed_requests("k6", passes, of) if name == FAILED else {"count": int(passes), "of": int(of)}


def _statistic(key: str) -> str:
    """p95 from p(95)."""
    return SHARE.sub(r"p\1", key)


def _of_lines(printed: Printed) -> Metrics:
    kinds = {line["metric"]: line["data"].get("type") for line in printed.lines if line.get("type") == "Metric"}
    lists: dict[str, list[float]] = {}
    for line in printed.lines:
        if _is_point(line) and not _is_unmeasured(line):
            lists.setdefault(line["metric"], []).append(line["data"]["value"])
    if FAILED in lists:
        failed_requests("k6", sum(map(bool, lists[FAILED])), len(lists[FAILED]))
    return {as_name(name): sum(values) if kinds.get(name) == COUNTER else values for name, values in lists.items()}


def _is_unmeasured(line: dict[str, Any]) -> bool:
    """Whether it is a time of 0 of a request that got no answer."""
    of_request = line["metric"].startswith("http_req_") and line["metric"] != FAILED
    return of_request and not line["data"]["value"] and (line["data"].get("tags") or {}).get("status") == NO_ANSWER
