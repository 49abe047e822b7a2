"""Threshold strings say all there is to say: what is written is read back, and what cannot be read is pointed at."""

from hypothesis import given
from hypothesis import strategies as st

import satisfice as sf
from satisfice.errors import InvalidProblem, InvalidThreshold
from satisfice.layout.numbers import written
from satisfice.problem.metric import as_metric

FINITE = st.floats(allow_nan=False, allow_infinity=False)
POSITIVE = st.floats(min_value=0, exclude_min=True, allow_infinity=False)
NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.\-/]*", fullmatch=True)
NOISES = st.one_of(
    st.just(sf.Normal()),
    POSITIVE.map(sf.Normal),
    POSITIVE.map(sf.SubGaussian),
    st.just(sf.Bernoulli()),
    st.tuples(FINITE, FINITE)
    .filter(lambda ends: 0 < (ends[1] - ends[0]) / 2 < float("inf"))
    .map(lambda e: sf.Bounded(*e)),
)
METRICS = st.builds(
    sf.Metric,
    name=NAMES,
    threshold=FINITE,
    direction=st.sampled_from(sf.Direction),
    tolerance=st.floats(min_value=0, allow_infinity=False),
    noise=NOISES,
)


@given(METRICS)
def test_metrics_are_read_back_from_their_strings(metric):
    assert as_metric(str(metric)) == metric


@given(FINITE)
def test_written_numbers_are_read_back(number):
    assert float(written(number)) == number


@given(METRICS, st.text(" \t", max_size=3))
def test_spaces_do_not_matter(metric, space):
    assert as_metric(str(metric).replace(" ", f" {space}") + space) == metric
    if metric.noise == sf.Bernoulli():  # no argument in which a space could part a number
        assert as_metric(str(metric).replace(" ", "")) == metric


@given(METRICS, st.text(alphabet="abc~:!$%(,", min_size=1, max_size=4), st.data())
def test_what_cannot_be_read_is_shown_with_marks_inside_it(metric, rubbish, data):
    """Rubbish anywhere either reads as another metric or gets an error that marks a part of this very text."""
    text = str(metric)
    place = data.draw(st.integers(0, len(text)))
    text = text[:place] + rubbish + text[place:]
    try:
        assert as_metric(text) != metric
    except InvalidThreshold as error:
        _, shown, marks, _ = str(error).split("\n")
        assert shown[2:] == text
        assert set(marks) == {" ", "^"}
        assert 2 <= marks.index("^") <= len(shown)
        assert len(marks) <= len(shown) + 1
    except InvalidProblem as error:
        said = str(error)
        assert "must be a finite number" in said  # a percentage of a huge threshold
