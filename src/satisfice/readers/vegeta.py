"""vegeta report -type=json, or vegeta encode, which has a line for each request: https://github.com/tsenart/vegeta."""

import re
from typing import Any

from satisfice.given import is_number
from satisfice.readers.protocol import Metrics, Printed, failed_requests, numbers_in

SHARE = re.compile(r"^([\d.]+)th$")
WHOLE = ("requests", "rate", "throughput", "success")


class Vegeta:
    """Of a report latency_mean_ns, latency_p99_ns, failed, ...; of single requests lists latency_ns and success."""

    def recognises(self, printed: Printed) -> bool:
        document = printed.document or {}
        is_report = isinstance(document.get("latencies"), dict) and "status_codes" in document
        return is_report or bool(_requests(printed))

    def metrics(self, printed: Printed) -> Metrics:
        document = printed.document or {}
        if "latencies" not in document:
            requests = _requests(printed)
            success = [float(_passed(one["code"]) and not one.get("error")) for one in requests]
            return {
                "failed": failed_requests("vegeta", success.count(0.0), len(success)),
                "latency_ns": [one["latency"] for one in requests],
                "success": success,
                "requests": float(len(requests)),
            }
        found: Metrics = {name: value for name, value in numbers_in(document).items() if name in WHOLE}
        codes = numbers_in(document["status_codes"])
        made = sum(codes.values())
        found["failed"] = failed_requests(
            "vegeta", made - sum(codes[code] for code in codes if _passed(int(code))), made
        )
        for key, value in numbers_in(document["latencies"]).items():
            statistic = SHARE.sub(r"p\1", key)
            found[f"latency_{statistic}_ns"] = value
        for way in ("bytes_in", "bytes_out"):
            found |= {f"{way}_{key}": value for key, value in numbers_in(document.get(way, {})).items()}
        return found


def _passed(code: int) -> bool:
    return 200 <= code < 400


def _requests(printed: Printed) -> list[dict[str, Any]]:
    return [one for one in printed.lines if {"seq", "code", "latency"} <= set(one) and is_number(one["latency"])]
