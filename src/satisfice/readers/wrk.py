"""wrk and wrk2, with or without --latency: https://github.com/wg/wrk."""

import re

from satisfice.layout.numbers import written
from satisfice.readers.protocol import Metrics, Printed, failed_requests

AMOUNT = r"([\d.]+)([a-zA-Z]*)"
MILLISECONDS = {"us": 1e-3, "ms": 1.0, "s": 1e3, "m": 6e4, "h": 3.6e6}
BYTES = {"B": 1.0, "KB": 2.0**10, "MB": 2.0**20, "GB": 2.0**30, "TB": 2.0**40}
THOUSANDS = {"": 1.0, "k": 1e3, "M": 1e6}
SUMMARY = re.compile(rf"^[ \t]+Latency[ \t]+{AMOUNT}[ \t]+{AMOUNT}[ \t]+{AMOUNT}[ \t]", re.MULTILINE)
SHARE = re.compile(rf"^[ \t]+([\d.]+)%[ \t]+{AMOUNT}[ \t]*$", re.MULTILINE)
DONE = re.compile(rf"^[ \t]+(\d+) requests in {AMOUNT}, {AMOUNT} read", re.MULTILINE)
RATE = re.compile(rf"^Requests/sec:[ \t]+{AMOUNT}", re.MULTILINE)
TRANSFER = re.compile(rf"^Transfer/sec:[ \t]+{AMOUNT}", re.MULTILINE)
SOCKETS = re.compile(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)")
REFUSED = re.compile(r"Non-2xx or 3xx responses: (\d+)")


class Wrk:
    """latency_mean_ms, latency_stdev_ms, latency_max_ms, latency_p99_ms, requests_per_second, failed, ..."""

    def recognises(self, printed: Printed) -> bool:
        return bool(RATE.search(printed.text) and DONE.search(printed.text))

    def metrics(self, printed: Printed) -> Metrics:
        text = printed.text
        found: Metrics = _failures(text)
        if latency := SUMMARY.search(text):
            numbers = [float(latency[i]) * MILLISECONDS[latency[i + 1]] for i in (1, 3, 5)]
            found |= dict(zip(("latency_mean_ms", "latency_stdev_ms", "latency_max_ms"), numbers, strict=True))
        for share in SHARE.finditer(text):
            found[f"latency_p{written(float(share[1]))}_ms"] = float(share[2]) * MILLISECONDS[share[3]]
        if done := DONE.search(text):
            found |= {"requests": float(done[1]), "bytes_read": float(done[4]) * BYTES[done[5]]}
        if rate := RATE.search(text):
            found["requests_per_second"] = float(rate[1]) * THOUSANDS[rate[2]]
        if transfer := TRANSFER.search(text):
            found["bytes_per_second"] = float(transfer[1]) * BYTES[transfer[2]]
        return found


def _failures(text: str) -> Metrics:
    """Late responses are among the requests that wrk counts, and those that the socket has lost are not."""
    done, sockets, refused = DONE.search(text), SOCKETS.search(text), REFUSED.search(text)
    connect, read, write, late = map(int, sockets.groups() if sockets else "0000")
    responses = int(refused[1]) if refused else 0
    made = (int(done[1]) if done else 0) + connect + read + write
    return {
        "failed": failed_requests("wrk", min(connect + read + write + late + responses, made), made),
        "socket_errors": float(connect + read + write + late),
        "failed_responses": float(responses),
    }
