"""Google Benchmark, --benchmark_format=json: https://github.com/google/benchmark."""

from typing import Any

from satisfice.readers.protocol import Metrics, Printed, failed, numbers_in, under_names

NANOSECONDS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
TIMES = ("real_time", "cpu_time")
ABOUT = ("family_index", "per_family_instance_index", "repetitions", "repetition_index", "threads", *TIMES)


class GoogleBenchmark:
    """By benchmark real_time_ns, cpu_time_ns, iterations and its counters; lists where it was repeated."""

    def recognises(self, printed: Printed) -> bool:
        found = (printed.document or {}).get("benchmarks")
        return isinstance(found, list) and bool(found) and all("name" in one and "stats" not in one for one in found)

    def metrics(self, printed: Printed) -> Metrics:
        runs: dict[str, list[dict[str, float]]] = {}
        for one in (printed.document or {})["benchmarks"]:
            if one.get("skipped"):
                failed(
                    "Google Benchmark", f"{one['name']} was skipped: {one.get('skip_message', 'no reason is given')}"
                )
            if one.get("error_occurred"):
                failed("Google Benchmark", f"{one['name']}: {one.get('error_message', 'an error')}")
            if one.get("run_type", "iteration") == "iteration":  # mean, median and so on of repetitions follow
                runs.setdefault(one.get("run_name", one["name"]), []).append(_numbers(one))
        return under_names({name: _joined(repeated) for name, repeated in runs.items()})


def _numbers(one: dict[str, Any]) -> dict[str, float]:
    unit = NANOSECONDS[one.get("time_unit", "ns")]
    times = {f"{name}_ns": one[name] * unit for name in TIMES if name in one}
    return times | {name: value for name, value in numbers_in(one).items() if name not in ABOUT}


def _joined(repeated: list[dict[str, float]]) -> Metrics:
    if len(repeated) == 1:
        return {**repeated[0]}
    return {name: [one[name] for one in repeated] for name in repeated[0] if all(name in one for one in repeated)}
