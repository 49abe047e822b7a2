"""sysbench run, of any of its tests: https://github.com/akopytov/sysbench."""

import re

from satisfice.readers.protocol import Metrics, Printed, failed, numbers_on_lines, on_lines

LINES = on_lines(
    {
        "events_per_second": r"events per second:[ \t]+([\d.]+)",
        "seconds": r"^[ \t]*(?:total time|time elapsed):[ \t]+([\d.]+)s",
        "events": r"total number of events:[ \t]+(\d+)",
        "latency_min_ms": r"^[ \t]+min:[ \t]+([\d.]+)",
        "latency_mean_ms": r"^[ \t]+avg:[ \t]+([\d.]+)",
        "latency_max_ms": r"^[ \t]+max:[ \t]+([\d.]+)",
        "operations_per_second": r"Total operations:[ \t]+\d+ \([ \t]*([\d.]+) per second\)",
        "mib_per_second": r"MiB transferred \(([\d.]+) MiB/sec\)",
        "transactions_per_second": r"transactions:[ \t]+\d+[ \t]+\(([\d.]+) per sec",
        "queries_per_second": r"queries:[ \t]+\d+[ \t]+\(([\d.]+) per sec",
        "ignored_errors_per_second": r"ignored errors:[ \t]+\d+[ \t]+\(([\d.]+) per sec",
        "reads_per_second": r"reads/s:[ \t]+([\d.]+)",
        "writes_per_second": r"writes/s:[ \t]+([\d.]+)",
        "fsyncs_per_second": r"fsyncs/s:[ \t]+([\d.]+)",
        "read_mib_per_second": r"read, MiB/s:[ \t]+([\d.]+)",
        "written_mib_per_second": r"written, MiB/s:[ \t]+([\d.]+)",
    }
)
SUMMARY = re.compile("^(General statistics|Throughput):", re.MULTILINE)
SHARE = re.compile(r"^[ \t]+(\d+)th percentile:[ \t]+([\d.]+)", re.MULTILINE)


class Sysbench:
    """events_per_second, latency_mean_ms, latency_p95_ms, operations_per_second, transactions_per_second, ..."""

    def recognises(self, printed: Printed) -> bool:
        return "sysbench" in printed.text and SUMMARY.search(printed.text) is not None

    def metrics(self, printed: Printed) -> Metrics:
        found = numbers_on_lines(printed.text, LINES)
        if found.get("events") == 0.0:
            failed("sysbench", "no event ended, so there is nothing to measure")
        shares = {f"latency_p{share[1]}_ms": float(share[2]) for share in SHARE.finditer(printed.text)}
        return {**found, **shares}
