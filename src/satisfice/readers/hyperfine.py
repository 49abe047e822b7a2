"""hyperfine --export-json /dev/stdout: https://github.com/sharkdp/hyperfine."""

from typing import Any

from satisfice.readers.protocol import Metrics, Printed, failed, numbers_in, under_names


class Hyperfine:
    """Seconds: mean, stddev, median, min, max, user, system; `times` of all runs as a list."""

    def recognises(self, printed: Printed) -> bool:
        found = (printed.document or {}).get("results")
        return isinstance(found, list) and bool(found) and all(map(_is_result, found))

    def metrics(self, printed: Printed) -> Metrics:
        results = (printed.document or {})["results"]
        return under_names({str(one["command"]): _metrics(one) for one in results})


def _is_result(one: Any) -> bool:
    return isinstance(one, dict) and {"command", "times", "mean"} <= set(one)


def _metrics(one: dict[str, Any]) -> Metrics:
    codes = [code for code in one.get("exit_codes", []) if code != 0]
    if codes:
        why = "a signal ended one" if codes[0] is None else f"one ended with exit code {codes[0]}"
        failed("hyperfine", f"{len(codes)} of its runs failed: {why}")
    return {**numbers_in(one), "times": list(one["times"])}
