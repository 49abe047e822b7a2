"""cargo criterion --message-format=json, or what cargo bench prints: https://bheisler.github.io/criterion.rs/book."""

import re
from typing import Any

from satisfice.given import is_number
from satisfice.readers.protocol import Metrics, Printed, under_names

NANOSECONDS = {"ps": 1e-3, "ns": 1.0, "us": 1e3, "µs": 1e3, "μs": 1e3, "ms": 1e6, "s": 1e9}
ESTIMATES = ("typical", "mean", "median", "slope", "median_abs_dev")
AMOUNT = r"([\d.]+) (\S+?)"
TIME = re.compile(rf"(?<=\s)time:[ \t]+\[{AMOUNT} {AMOUNT} {AMOUNT}\]")


class Criterion:
    """By benchmark mean_ns, median_ns, ... and the list times_ns; of cargo bench time_ns, time_low_ns, time_high_ns."""

    def recognises(self, printed: Printed) -> bool:
        return bool(_messages(printed)) or TIME.search(printed.text) is not None

    def metrics(self, printed: Printed) -> Metrics:
        messages = _messages(printed)
        return under_names({one["id"]: _metrics(one) for one in messages} if messages else _of_text(printed.text))


def _messages(printed: Printed) -> list[dict[str, Any]]:
    return [one for one in printed.lines if one.get("reason") == "benchmark-complete" and "id" in one]


def _metrics(message: dict[str, Any]) -> Metrics:
    found: Metrics = {}
    for name in ESTIMATES:
        estimate = message.get(name)
        if estimate and is_number(estimate["estimate"]):  # a slope is not always there
            found[f"{name}_ns"] = estimate["estimate"] * NANOSECONDS.get(estimate.get("unit", "ns"), 1.0)
    unit = NANOSECONDS.get(message.get("unit", "ns"), 1.0)
    pairs = zip(message.get("measured_values", ()), message.get("iteration_count", ()), strict=True)
    return found | {"times_ns": [value * unit / count for value, count in pairs]}


def _of_text(text: str) -> dict[str, Metrics]:
    found: dict[str, Metrics] = {}
    before = ""
    for line in text.splitlines():
        if match := TIME.search(line):
            low, middle, high = (float(match[i]) * NANOSECONDS[match[i + 1]] for i in (1, 3, 5))
            found[line[: match.start()].strip() or before] = {
                "time_ns": middle,
                "time_low_ns": low,
                "time_high_ns": high,
            }
        before = line.strip() or before
    return found
