"""ab, of apache2-utils: https://httpd.apache.org/docs/2.4/programs/ab.html."""

import re

from satisfice.readers.protocol import Metrics, Printed, numbers_on_lines

LINES = {
    "seconds": r"^Time taken for tests:\s+([\d.]+) seconds",
    "complete_requests": r"^Complete requests:\s+(\d+)",
    "failed_requests": r"^Failed requests:\s+(\d+)",
    "non_2xx_responses": r"^Non-2xx responses:\s+(\d+)",
    "requests_per_second": r"^Requests per second:\s+([\d.]+)",
    "latency_mean_ms": r"^Time per request:\s+([\d.]+) \[ms\] \(mean\)",
    "kbytes_per_second": r"^Transfer rate:\s+([\d.]+) \[Kbytes/sec\] received",
}
SHARE = re.compile(r"^\s+(\d+)%\s+(\d+)", re.MULTILINE)
TOTAL = re.compile(r"^Total:\s+(\d+)\s+\d+\s+[\d.]+\s+\d+\s+(\d+)", re.MULTILINE)


class Ab:
    """requests_per_second, latency_mean_ms, latency_p95_ms, latency_max_ms, failed_requests, ..."""

    def recognises(self, printed: Printed) -> bool:
        return "ApacheBench" in printed.text and "Requests per second:" in printed.text

    def metrics(self, printed: Printed) -> Metrics:
        found: Metrics = {"non_2xx_responses": 0.0, **numbers_on_lines(printed.text, LINES)}
        if total := TOTAL.search(printed.text):
            found |= {"latency_min_ms": float(total[1]), "latency_max_ms": float(total[2])}
        shares = {f"latency_p{share[1]}_ms": float(share[2]) for share in SHARE.finditer(printed.text)}
        shares.pop("latency_p100_ms", None)
        return found | shares
