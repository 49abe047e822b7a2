"""What the tools that people measure with print, understood as it is: one file for each tool."""

from satisfice.catalogue import Catalogue, offers
from satisfice.errors import IncompleteRule
from satisfice.readers.ab import Ab
from satisfice.readers.criterion import Criterion
from satisfice.readers.fio import Fio
from satisfice.readers.google_benchmark import GoogleBenchmark
from satisfice.readers.hyperfine import Hyperfine
from satisfice.readers.iperf3 import Iperf3
from satisfice.readers.k6 import K6
from satisfice.readers.protocol import Metrics, Printed, Reader
from satisfice.readers.pytest_benchmark import PytestBenchmark
from satisfice.readers.sysbench import Sysbench
from satisfice.readers.vegeta import Vegeta
from satisfice.readers.wrk import Wrk

__all__ = ["READERS", "Metrics", "Printed", "Reader", "recognised", "resolve_reader"]

READERS: Catalogue[Reader] = Catalogue(
    "reader",
    "satisfice.readers",
    {
        "hyperfine": Hyperfine,
        "fio": Fio,
        "k6": K6,
        "wrk": Wrk,
        "ab": Ab,
        "vegeta": Vegeta,
        "iperf3": Iperf3,
        "sysbench": Sysbench,
        "pytest-benchmark": PytestBenchmark,
        "google-benchmark": GoogleBenchmark,
        "criterion": Criterion,
    },
)


def resolve_reader(name: str) -> Reader:
    """The reader of that name: one of ours, an entry point in satisfice.readers, or module:Class."""
    value = READERS.resolve(name)
    lacking = [method for method in ("recognises", "metrics") if not offers(type(value), [method])]
    if lacking:
        raise IncompleteRule(
            f"A reader must have the methods recognises and metrics; {type(value).__name__} lacks "
            f"{' and '.join(lacking)}. See docs/how-to/read-a-tool.md."
        )
    return value


def recognised(printed: Printed) -> tuple[str, Reader] | None:
    """The first reader that knows the output, ours before those of installed packages, with its name."""
    for name in (*READERS, *READERS.outside()):
        reader = resolve_reader(name)
        if _recognises(reader, printed):
            return name, reader
    return None


def _recognises(reader: Reader, printed: Printed) -> bool:
    try:
        return reader.recognises(printed)
    except (AttributeError, KeyError, TypeError, ValueError):  # it has another shape than the reader looks for
        return False
