"""sysbench run, of any of its tests: https://github.com/akopytov/sysbench."""

import re

from satisfice.readers.protocol import Metrics, Printed, failed, numbers_on_lines

LINES = {
    "events_per_second": r"events per second:\s+([\d.]+)",
    "seconds": r"^\s*(?:total time|time elapsed):\s+([\d.]+)s",
    "events": r"total number of events:\s+(\d+)",
    "latency_min_ms": r"^\s+min:\s+([\d.]+)",
    "latency_mean_ms": r"^\s+avg:\s+([\d.]+)",
    "latency_max_ms": r"^\s+max:\s+([\d.]+)",
    "operations_per_second": r"Total operations:\s+\d+ \(\s*([\d.]+) per second\)",
    "mib_per_second": r"MiB transferred \(([\d.]+) MiB/sec\)",
    "transactions_per_second": r"transactions:\s+\d+\s+\(([\d.]+) per sec",
    "queries_per_second": r"queries:\s+\d+\s+\(([\d.]+) per sec",
    "ignored_errors_per_second": r"ignored errors:\s+\d+\s+\(([\d.]+) per sec",
    "reads_per_second": r"reads/s:\s+([\d.]+)",
    "writes_per_second": r"writes/s:\s+([\d.]+)",
    "fsyncs_per_second": r"fsyncs/s:\s+([\d.]+)",
    "read_mib_per_second": r"read, MiB/s:\s+([\d.]+)",
    "written_mib_per_second": r"written, MiB/s:\s+([\d.]+)",
}
SHARE = re.compile(r"^\s+(\d+)th percentile:\s+([\d.]+)", re.MULTILINE)


class Sysbench:
    """events_per_second, latency_mean_ms, latency_p95_ms, operations_per_second, transactions_per_second, ..."""

    def recognises(self, printed: Printed) -> bool:
        return (
            "sysbench" in printed.text
            and re.search("^(General statistics|Throughput):", printed.text, re.M) is not None
        )

    def metrics(self, printed: Printed) -> Metrics:
        found = numbers_on_lines(printed.text, LINES)
        if found.get("events") == 0.0:
            failed("sysbench", "no event ended, so there is nothing to measure")
        shares = {f"latency_p{share[1]}_ms": float(share[2]) for share in SHARE.finditer(printed.text)}
        return {**found, **shares}
