"""ab, of apache2-utils: https://httpd.apache.org/docs/2.4/programs/ab.html."""

import re

from satisfice.readers.protocol import Metrics, Printed, failed_requests, numbers_on_lines, on_lines

LINES = on_lines(
    {
        "seconds": r"^Time taken for tests:[ \t]+([\d.]+) seconds",
        "complete_requests": r"^Complete requests:[ \t]+(\d+)",
        "bytes": r"^Total transferred:[ \t]+(\d+)",
        "failed_requests": r"^Failed requests:[ \t]+(\d+)",
        "non_2xx_responses": r"^Non-2xx responses:[ \t]+(\d+)",
        "requests_per_second": r"^Requests per second:[ \t]+([\d.]+)",
        "latency_mean_ms": r"^Time per request:[ \t]+([\d.]+) \[ms\] \(mean\)",
        "kbytes_per_second": r"^Transfer rate:[ \t]+([\d.]+) \[Kbytes/sec\] received",
    }
)
FAILED = re.compile(r"^ +\(Connect: (\d+), Receive: (\d+), Length: (\d+), Exceptions: (\d+)\)", re.MULTILINE)
SHARE = re.compile(r"^[ \t]+(\d+)%[ \t]+(\d+)", re.MULTILINE)
TOTAL = re.compile(r"^Total:[ \t]+(\d+)[ \t]+\d+[ \t]+[\d.]+[ \t]+\d+[ \t]+(\d+)", re.MULTILINE)


class Ab:
    """requests_per_second, latency_mean_ms, latency_p95_ms, latency_max_ms, failed, ..."""

    def recognises(self, printed: Printed) -> bool:
        return "ApacheBench" in printed.text and "Requests per second:" in printed.text

    def metrics(self, printed: Printed) -> Metrics:
        numbers = {"non_2xx_responses": 0.0, **numbers_on_lines(printed.text, LINES)}
        made = (
            numbers["complete_requests"] if numbers.get("bytes") != 0.0 else 0.0
        )  # connections closed without an answer are complete, too
        kinds = FAILED.search(printed.text)
        connect, receive, length, others = map(int, kinds.groups() if kinds else "0000")
        of_length = max(length, numbers["non_2xx_responses"])  # most pages of errors have a length of their own
        failing = min(connect + receive + others + of_length, made)
        found: Metrics = {**numbers, "failed": failed_requests("ab", failing, made)}
        if total := TOTAL.search(printed.text):
            found |= {"latency_min_ms": float(total[1]), "latency_max_ms": float(total[2])}
        shares = {f"latency_p{share[1]}_ms": float(share[2]) for share in SHARE.finditer(printed.text)}
        shares.pop("latency_p100_ms", None)
        return found | shares
