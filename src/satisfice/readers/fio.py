"""fio --output-format=json: https://fio.readthedocs.io."""

import os
from collections import Counter
from typing import Any

from satisfice.given import is_number
from satisfice.layout.numbers import written
from satisfice.readers.protocol import Metrics, Printed, failed, numbers_in, under_names

DIRECTIONS = ("read", "write", "trim")
LATENCIES = ("slat_ns", "clat_ns", "lat_ns")


class Fio:
    """For each direction that did anything: read_iops, read_bw_bytes, read_lat_ns_mean, read_clat_ns_p99, ..."""

    def recognises(self, printed: Printed) -> bool:
        return {"fio version", "jobs"} <= set(printed.document or {})

    def metrics(self, printed: Printed) -> Metrics:
        jobs = (printed.document or {})["jobs"]
        for job in jobs:
            if job.get("error"):
                failed(
                    "fio", f"job {job.get('jobname')!r} ended with error {job['error']}: {os.strerror(job['error'])}"
                )
        if not any(_transferred(job.get(direction, {})) for job in jobs for direction in DIRECTIONS):
            failed("fio", "no job read, wrote or trimmed anything, so there is nothing to measure")
        jobs_called = Counter(job["jobname"] for job in jobs)
        named = {
            f"{job['jobname']}.{place}" if jobs_called[job["jobname"]] > 1 else job["jobname"]: job
            for place, job in enumerate(jobs)
        }
        return under_names({name: _metrics(job) for name, job in named.items()})


def _transferred(part: dict[str, Any]) -> bool:
    """Whether a direction did anything, and took time for it; rates of a time of 0 are printed as 0."""
    return bool(part.get("total_ios") and part.get("io_bytes", 1) and part.get("runtime", 1))


def _metrics(job: dict[str, Any]) -> Metrics:
    found: Metrics = {name: job[name] for name in ("usr_cpu", "sys_cpu", "ctx") if is_number(job.get(name))}
    for direction in DIRECTIONS:
        part = job.get(direction, {})
        if not _transferred(part):
            continue
        found |= {f"{direction}_{name}": part[name] for name in ("iops", "bw_bytes", "io_bytes") if name in part}
        for latency in LATENCIES:
            table = part.get(latency, {})
            if not table.get("N"):
                continue
            found |= {
                f"{direction}_{latency}_{name}": value for name, value in numbers_in(table).items() if name != "N"
            }
            shares = table.get("percentile", {})
            found |= {f"{direction}_{latency}_p{written(float(share))}": value for share, value in shares.items()}
    return found
