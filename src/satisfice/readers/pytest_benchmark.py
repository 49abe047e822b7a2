"""pytest --benchmark-json=/dev/stdout, with --benchmark-save-data for single times: https://pytest-benchmark.readthedocs.io."""

from typing import Any

from satisfice.readers.protocol import Metrics, Printed, numbers_in, under_names


class PytestBenchmark:
    """Seconds by benchmark: mean, stddev, median, min, max, ops, ...; the list `times` where data was saved."""

    def recognises(self, printed: Printed) -> bool:
        found = (printed.document or {}).get("benchmarks")
        return isinstance(found, list) and bool(found) and all(isinstance(one.get("stats"), dict) for one in found)

    def metrics(self, printed: Printed) -> Metrics:
        return under_names({one["name"]: _metrics(one) for one in (printed.document or {})["benchmarks"]})


def _metrics(one: dict[str, Any]) -> Metrics:
    found: Metrics = {**numbers_in(one["stats"])}
    return found | {"times": list(one["stats"]["data"])} if one["stats"].get("data") else found
