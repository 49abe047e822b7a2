"""Reading takes time in proportion to what was printed, whatever that is."""

import importlib
import pkgutil
import re
from collections.abc import Mapping
from pathlib import Path
from time import process_time

import pytest

import satisfice
from satisfice.command.child import KEPT_BYTES, Tail
from satisfice.command.output import Output, last_object, read_metrics
from satisfice.errors import EvaluationFailed, unknown_name
from satisfice.readers import READERS, Printed, resolve_reader
from tests.readers import printed as texts

READS = ("satisfice.readers", "satisfice.command", "satisfice.layout")
"""Packages that read what a program printed, or write it into a sentence."""

CLASSES = [" ", "\t", "\n", "\r", "\x0b", "\xa0", "0", "a", "Z", ".", ",", "-", ":", "/", "%", "@", "_", "#", "&", "="]
CLASSES += ['"', "'", "`", "[", "]", "{", "}", "(", ")", "\\", "\x1b", "é", "\u0661"]
PAIRS = [
    "a ",
    "1.",
    "1 ",
    " \n",
    "\n\n ",
    "a\n",
    "{ ",
    '{"',
    "1,",
    "-a",
    "a:",
    "://:",
    "p(",
    "\x1b[",
    "::a",
    "&a",
    "$(",
]

LONG = 1 << 17
MOST_SECONDS = 2.0
"""Of processor time: quadratic patterns need 40 s or more for this, linear ones some milliseconds."""


def modules():
    for name in READS:
        module = importlib.import_module(name)
        yield module
        for inner in pkgutil.iter_modules(getattr(module, "__path__", ())):
            if not inner.name.endswith("_process"):
                yield importlib.import_module(f"{name}.{inner.name}")


def named(value, name):
    """The compiled expressions that are a value of a module, or in it."""
    if isinstance(value, re.Pattern):
        yield name, value
    elif isinstance(value, Mapping | tuple | list):
        inside = value.items() if isinstance(value, Mapping) else enumerate(value)
        for key, one in inside:
            yield from named(one, f"{name}.{key}")


PATTERNS = {
    name: pattern
    for module in modules()
    for key, value in vars(module).items()
    for name, pattern in named(value, f"{module.__name__.removeprefix('satisfice.')}.{key}")
}


def seconds(work, text):
    began = process_time()
    work(text)
    return process_time() - began


def slow(work, piece, before="", after=""):
    """The processor time that work takes on ever longer runs of a piece, as soon as it is too much."""
    for size in (1 << 10, 1 << 13, 1 << 15, LONG):
        taken = seconds(work, before + piece * (size // len(piece)) + after)
        if taken > MOST_SECONDS * size / LONG + 0.2:
            return f"{taken:.1f} s for {size} characters of {piece!r} between {before!r} and {after!r}"
    return None


def searched(pattern):
    return lambda text: sum(1 for _ in pattern.finditer(text))


def test_there_are_patterns():
    assert len(PATTERNS) > 40
    assert {"readers.wrk.SHARE", "readers.ab.LINES.bytes", "command.reasons.SEQUENCE"} < set(PATTERNS)


def test_every_pattern_that_reads_output_stands_in_its_module_where_the_test_below_finds_it():
    for folder in ("readers", "command"):
        for path in (Path(satisfice.__file__).parent / folder).glob("*.py"):
            used = set(re.findall(r"\bre\.([a-z]\w+)\(", path.read_text()))
            assert used <= {"compile", "escape"}, f"{path.name}: compile it at the top of the module"


@pytest.mark.parametrize("name", PATTERNS)
def test_a_pattern_is_linear_on_long_runs(name):
    found = (slow(searched(PATTERNS[name]), piece) for piece in (*CLASSES, *PAIRS))
    assert not list(filter(None, found))


SAMPLES = [text for text in vars(texts).values() if isinstance(text, str) and not text.lstrip().startswith("{")]


def stretched(match):
    """The line that was found, cut in two at each end of a word."""
    for cut in re.finditer(r"\b|(?<=\s)(?=\S)", match[0]):
        yield match[0][: cut.start()], match[0][cut.start() :]


@pytest.mark.parametrize("name", [name for name in PATTERNS if name.startswith("readers")])
def test_a_pattern_is_linear_where_what_it_finds_is_stretched(name):
    pattern, size = PATTERNS[name], LONG // 4
    match = next(filter(None, map(pattern.search, SAMPLES)), None)
    for before, after in stretched(match) if match else ():
        for piece in (" ", "\n", "0", "a", ".", "1.", "a "):
            for text in (before + piece * (size // len(piece)) + after, before + piece * (size // len(piece))):
                assert seconds(searched(pattern), text) < 0.5, (before, piece, after)


def read(text):
    try:
        read_metrics(["latency_ms"], {}, Output(text, "", 0, 1.0))
    except EvaluationFailed as error:
        return str(error)
    return None


@pytest.mark.parametrize("piece", [*CLASSES, *PAIRS])
def test_a_mebibyte_of_anything_is_read_in_a_moment(piece):
    assert seconds(read, piece * (KEPT_BYTES // len(piece))) < 5 * MOST_SECONDS


def test_blanks_and_a_progress_line_that_is_cleared_again_and_again():
    """Once 61 s and 27 s."""
    assert seconds(read, " " * 200_000) < MOST_SECONDS
    tail = Tail()
    tail.add((b"\r" + b" " * 79 + b"\r 12 % done") * 1_500)
    assert seconds(read, tail.text()) < MOST_SECONDS


@pytest.mark.parametrize("name", READERS)
def test_a_reader_is_linear_in_lines_that_its_tool_prints(name):
    """What it recognises comes again and again, whole and without its end."""
    reader = resolve_reader(name)
    for text in SAMPLES:
        for piece in (text, *text.splitlines(keepends=True), *text.splitlines()):
            long = piece * (LONG // len(piece) + 1) if piece.strip() else ""
            whole = Printed(long, last_object(long))
            assert seconds(lambda _, whole=whole: reader.recognises(whole), long) < MOST_SECONDS, piece


def test_a_near_name_among_twenty_thousand_is_found_at_once_and_few_are_listed():
    """Once 8.5 s, in a sentence of 400 KB."""
    keys = {f"latency_of_request_{number:05}_ms": 1.0 for number in range(20_000)}
    began = process_time()
    said = str(unknown_name("value in the JSON object", "latency_of_reqest_12345_ms", keys))
    assert process_time() - began < MOST_SECONDS
    assert "Did you mean 'latency_of_request_12345_ms'?" in said
    assert said.endswith("latency_of_request_00049_ms, ....")


def test_a_near_name_of_any_length_is_looked_for_in_a_moment():
    names = ["ab" * 500_000 + str(number) for number in range(10)]
    began = process_time()
    said = str(unknown_name("key", "ba" * 500_000, names))
    assert process_time() - began < MOST_SECONDS
    assert len(said) < 10_000


def many(number):
    """For each tool a document with as much in it as there is room for."""
    return {
        "fio": {"fio version": "3", "jobs": [{"jobname": "a", "read": {"total_ios": 1}}] * number},
        "hyperfine": {"results": [{"command": "a", "times": [1], "mean": 1}] * number},
        "k6": {"metrics": {f"m{one}": {"count": 1} for one in range(number)} | {"http_reqs": {"count": 1}}},
        "vegeta": {"latencies": {f"{one}th": 1 for one in range(number)}, "status_codes": {"200": 1}},
        "iperf3": {"start": 0, "intervals": [{"sum": {}}] * number, "end": {"sum": {"bytes": 1}}},
        "pytest-benchmark": {"benchmarks": [{"name": "a", "stats": {"mean": 1}}] * number},
        "google-benchmark": {"benchmarks": [{"name": "a", "real_time": 1}] * number},
    }


@pytest.mark.parametrize("name", many(1))
def test_a_reader_is_linear_in_what_its_document_has(name):
    """Once each job of fio was looked for among all others."""
    reader, whole = resolve_reader(name), Printed("", many(20_000)[name])
    assert reader.recognises(whole)
    assert seconds(lambda _: reader.metrics(whole), "") < MOST_SECONDS
