"""Programs that print much: what is kept is bounded, and read in one pass; what is lost is said to be."""

import subprocess
import sys
from time import monotonic

import pytest

from satisfice.command import parse_reading
from satisfice.command.child import KEPT_BYTES, Tail
from satisfice.command.output import last_object
from satisfice.errors import EvaluationFailed
from tests.helpers.programs import python, run

LINES = r"""
for number in range(<lines>):
    print('12:00:00 INFO request {"id": %d, state=ok} served in { ms }, peak %d MB' % (number, number))
"""
METRICS = 'print(\'{"a": 1, "b": 2}\')'


def lines(count):
    return LINES.replace("<lines>", str(count))


def test_five_megabytes_of_log_lines_before_the_metrics():
    """Once 140 s: the lines before each place that is no JSON were counted anew."""
    began = monotonic()
    assert run(python(lines(70_000) + METRICS)) == {"a": 1, "b": 2}
    assert monotonic() - began < 60


@pytest.mark.parametrize(
    "piece",
    ['{"a":', '{"a":\n', '{"a" ', '{"', '{"a":"{', '\n{"a":[1,', '{"a": 1, "b": [{}], x\n', f"{{{'9' * 5000}\n"],
)
def test_nothing_that_is_printed_takes_long_to_read(piece):
    """Once each place was read to its end, and the lines up to there counted."""
    text = piece * (300_000 // len(piece)) + METRICS[7:-2]
    began = monotonic()
    last_object(text)
    assert monotonic() - began < 10


FLOOD = """
import resource, sys
from satisfice.command import CommandEvaluation
words = ["sh", "-c", "yes | head -c $1; echo; yes | head -c $1 >&2; echo '{\\"a\\": 2}'", "sh", sys.argv[1]]
evaluation = CommandEvaluation(words, metrics=["a"])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert evaluation({}, config="x", number=0) == {"a": 2}
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


@pytest.mark.parametrize("megabytes", [20, pytest.param(200, marks=pytest.mark.full)])
def test_a_flood_is_read_in_bounded_memory(megabytes):
    """Once all of it was kept: `yes` took gigabytes."""
    words = [sys.executable, "-c", FLOOD, str(megabytes * 1_000_000)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert float(done.stdout) < 15


def test_a_tail_is_the_end_in_whole_lines():
    tail = Tail()
    for number in range(300_000):
        tail.add(b"line %d\r\n" % number)
    assert tail.cut
    text = tail.text()
    assert text.endswith("line 299998\nline 299999\n")
    assert text.startswith("line ")
    assert KEPT_BYTES * 0.8 < len(text) <= KEPT_BYTES


def test_a_short_stream_is_kept_whole():
    tail = Tail()
    tail.add(b"x" * KEPT_BYTES)
    assert (tail.cut, len(tail.text())) == (False, KEPT_BYTES)
    tail.add(b"y")
    assert (tail.cut, tail.text()) == (True, "")


def test_an_object_that_has_lost_its_beginning_is_not_mistaken_for_one_of_its_parts():
    code = "import json; print(json.dumps({'a': 9, 'runs': [{'a': 1, 'b': 1}] * 100_000, 'b': 9}, indent=0))"
    with pytest.raises(EvaluationFailed, match="longer than the last 1 MiB"):
        run(python(code))
    assert run(python(code + f"; {METRICS}")) == {"a": 1, "b": 2}


def test_an_object_that_breaks_off_is_not_mistaken_for_one_of_its_parts():
    """Once the parts of a report whose program was cut off were its result."""
    assert last_object('{"a": 9, "runs": [{"a": 1}, {"a": 2}') is None
    assert last_object('{"a": 3} {"a": 9, "runs": [{"a": 1}, oops {"a": 4}') == {"a": 4}


def test_a_pattern_that_may_be_in_what_is_lost_is_not_looked_for_elsewhere():
    code = f"import sys; print('took 5'){lines(30_000)}print('took 6', file=sys.stderr)"
    evaluation = python(code, metrics=["n"], readings=dict([parse_reading("n=/took ([0-9]+)/")]))
    with pytest.raises(EvaluationFailed, match=r"matches /took \(\[0-9\]\+\)/. Standard output is longer"):
        run(evaluation)
    last = dict([parse_reading("n=/peak ([0-9]+) MB/")])
    assert run(python(lines(30_000), metrics=["n"], readings=last)) == {"n": 29_999}
