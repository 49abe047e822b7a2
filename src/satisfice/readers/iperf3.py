"""iperf3 -J: https://software.es.net/iperf."""

from typing import Any

from satisfice.given import is_number
from satisfice.readers.protocol import Metrics, Printed, failed, numbers_in

SIDES = {"sum_sent": "sent_", "sum_received": "received_", "sum": ""}
WANTED = ("bits_per_second", "retransmits", "jitter_ms", "lost_percent", "lost_packets", "packets", "bytes")


class Iperf3:
    """sent_bits_per_second, received_bits_per_second, retransmits, ...; the list interval_bits_per_second."""

    def recognises(self, printed: Printed) -> bool:
        document = printed.document or {}
        return {"start", "intervals", "end"} <= set(document)

    def metrics(self, printed: Printed) -> Metrics:
        document: Any = printed.document or {}
        if document.get("error"):
            failed("iperf3", document["error"])
        end = document["end"]
        sides = [key for key in SIDES if _arrived(end, key)]
        if not sides:
            failed("iperf3", "nothing was transferred, so there is nothing to measure")
        found: Metrics = {}
        for key in sides:
            found |= {f"{SIDES[key]}{name}": value for name, value in numbers_in(end[key]).items() if name in WANTED}
        if "sent_retransmits" in found:
            found["retransmits"] = found.pop("sent_retransmits")
        for name, value in numbers_in(end.get("cpu_utilization_percent", {})).items():
            found[f"cpu_percent_{name}"] = value
        rates = [one.get("sum", {}) for one in document["intervals"]]
        found["interval_bits_per_second"] = [
            one["bits_per_second"] for one in rates if is_number(one.get("bits_per_second")) and not one.get("omitted")
        ]
        return found


def _arrived(end: dict[str, Any], key: str) -> bool:
    """Whether there is something behind the numbers; `sum` has what was sent, and what the receiver says of it."""
    measured = "sum_received" if key == "sum" and "sum_received" in end else key
    return key in end and bool(end[measured].get("bytes"))
