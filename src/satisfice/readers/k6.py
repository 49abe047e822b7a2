"""k6 run --summary-export=/dev/stdout, handleSummary printed as JSON, or --out json=/dev/stdout: https://grafana.com/docs/k6."""

import re
from typing import Any

from satisfice.readers.protocol import Metrics, Printed, as_name, is_number, numbers_in

COUNTER = "counter"


class K6:
    """Of a summary http_req_duration.avg, .p95, http_req_failed.rate, ...; of JSON lines the list http_req_duration."""

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
    for name, one in metrics.items():
        values = numbers_in(one.get("values", one))
        if "passes" in values and "value" in values:  # a rate, as --summary-export has it
            values["rate"] = values.pop("value")
        found |= {f"{as_name(name)}.{_statistic(key)}": value for key, value in values.items()}
    return found


def _statistic(key: str) -> str:
    """p95 from p(95)."""
    return re.sub(r"^p\(([\d.]+)\)$", r"p\1", key)


def _of_lines(printed: Printed) -> Metrics:
    kinds = {line["metric"]: line["data"].get("type") for line in printed.lines if line.get("type") == "Metric"}
    lists: dict[str, list[float]] = {}
    for line in printed.lines:
        if _is_point(line):
            lists.setdefault(line["metric"], []).append(line["data"]["value"])
    return {as_name(name): sum(values) if kinds.get(name) == COUNTER else values for name, values in lists.items()}
