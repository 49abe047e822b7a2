"""Results of evaluations made of anything: told by a function, or printed by a program."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import satisfice as sf
from satisfice.command.output import Output, parse_reading, read_metrics
from satisfice.study.pull import Measured
from tests.fuzz.odd import NUMBERS, ODD, ODDITIES, TEXTS, VALUES, Odd, full, made, quick, works_or_says_why

pytestmark = pytest.mark.filterwarnings("ignore::satisfice.errors.UnusedMetrics")

LIMITS = (
    *("plain <= 5", "bit >= 0.5 ~ 0.1 : bernoulli", "some <= 3 : bounded(0, 10)", "count <= 3 : poisson"),
    *("p95(slow) <= 100", "share(fast <= 3) >= 0.5", "share(trials <= 3) >= 0.5 : independent", "geomean(g) <= 4"),
    *("clip(tail, 10) <= 5", "time <= baseline + 3%"),
)
NAMES = ("plain", "bit", "some", "count", "slow", "fast", "trials", "g", "tail", "time")
GOOD = dict.fromkeys(NAMES, 1.0)
STUDY = sf.create_study(["a", "b"], LIMITS, storage="memory", baseline="old")
PAYLOADS = st.one_of(
    VALUES,
    st.builds(lambda name, value: GOOD | {name: value}, st.sampled_from(NAMES), VALUES),
    st.dictionaries(st.one_of(st.sampled_from(NAMES), TEXTS), st.one_of(NUMBERS, ODD), max_size=12),
)


def check_payload(results, baseline):
    """What is accepted can be written into the log, whatever it was."""
    measured = works_or_says_why(lambda: STUDY.check(made(results), made(baseline)))
    if measured is not None:
        assert isinstance(measured, Measured)
        json.dumps([measured.values, measured.baseline], allow_nan=False)


def every_oddity(test):
    """Each at the place of a result, whatever limits it: many ended with a traceback, or were taken for a number."""
    for odd in ODDITIES:
        for name in ("plain", "bit", "some", "count", "slow", "trials"):
            test = example(GOOD | {name: Odd(odd)}, GOOD)(test)
    return example(GOOD | {Odd("huge"): 1.0}, GOOD)(example(GOOD, GOOD | {"time": Odd("huge")})(test))


@quick
@given(PAYLOADS, st.one_of(st.just(GOOD), PAYLOADS))
@every_oddity
def test_a_result_is_recorded_or_refused_in_sentences(results, baseline):
    check_payload(results, baseline)


@pytest.mark.full
@full
@given(PAYLOADS, st.one_of(st.just(GOOD), PAYLOADS))
def test_twenty_thousand_results(results, baseline):
    check_payload(results, baseline)


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXTS, st.just(10**400)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.sampled_from(NAMES), JSON, max_size=10).map(json.dumps)
PIECES = st.one_of(
    OBJECTS,
    TEXTS,
    st.sampled_from(["{", "}", '{"plain": ', "[" * 3000, '{"a":' * 300, '{"plain": NaN}', "9" * 5000, "\n", '"', "\\"]),
    st.builds('{{"plain": {}}}'.format, st.sampled_from(["9" * 5000, "1e999", "-Infinity", "[" * 2000, "1", '"x"'])),
)
PRINTED = st.lists(PIECES, max_size=4).map("".join)
READINGS = st.dictionaries(
    st.just("plain"), st.sampled_from(["plain", "a.b.0", "/x=(.*)/", "/(\\d+)/", "/()/", "/(x)|y/", "...", "0"])
)


def check_output(stdout, stderr, readings, exit_code):
    """Metrics are read from it and recorded, or it says why not."""
    places = dict(parse_reading(f"{name}={where}") for name, where in readings.items())
    output = Output(stdout, stderr, exit_code, 0.1)
    found = works_or_says_why(lambda: read_metrics(NAMES[:1], places, output))
    if found is not None:
        results, beside = found.results, found.beside
        assert all(isinstance(name, str) for name in beside)
        check_payload(GOOD | results, GOOD)


@quick
@given(PRINTED, PRINTED, READINGS, st.integers(-64, 255))
@example('{"plain": ' + "9" * 5000 + "}", "", {}, 0)
@example('{"plain": ' * 1200, "", {}, 0)
@example("x=" + "9" * 5000, "", {"plain": "/x=(.*)/"}, 0)
@example('{"plain": "\\ud800"}', "", {}, 0)
@example("xy", "", {"plain": "/(x)|y/"}, 0)
def test_output_is_read_or_refused_in_sentences(stdout, stderr, readings, exit_code):
    check_output(stdout, stderr, readings, exit_code)


@pytest.mark.full
@full
@given(PRINTED, PRINTED, READINGS, st.integers(-64, 255))
def test_twenty_thousand_outputs(stdout, stderr, readings, exit_code):
    check_output(stdout, stderr, readings, exit_code)
