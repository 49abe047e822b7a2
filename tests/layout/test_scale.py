"""The scale of drawn intervals, and what is drawn by it."""

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satisfice.layout import colours
from satisfice.layout.tracks import Scale, scale_of
from satisfice.noise.process import Interval
from satisfice.problem.metric import as_metric
from satisfice.show.live import Track

NUMBERS = st.floats(-1e6, 1e6)
ESTIMATES = st.lists(st.tuples(NUMBERS, st.floats(0, 1e6), st.floats(0, 1e6)), max_size=5)


@given(ESTIMATES, NUMBERS, st.floats(0, 1e3))
def test_means_threshold_and_tolerance_are_always_inside(found, threshold, tolerance):
    scale = scale_of([(mean, (mean - less, mean + more)) for mean, less, more in found], threshold, tolerance)
    for value in (threshold - tolerance, threshold + tolerance, *(mean for mean, _, _ in found)):
        assert scale.low <= value <= scale.high
        assert 0 <= scale.position(value) <= 1


def test_positions_go_from_the_left_end_to_the_right():
    scale = Scale(10.0, 20.0)
    assert [scale.position(value) for value in (-inf, 10, 12.5, 20, 99)] == [0, 0, 0.25, 1, 1]
    assert [scale.value(position) for position in (0, 0.25, 1)] == [10, 12.5, 20]


def test_a_span_says_where_it_is_cut():
    scale = Scale(0.0, 1.0)
    assert scale.span((0.25, 0.5)) == (0.25, 0.5, False, False)
    assert scale.span((-inf, 0.5)) == (0, 0.5, True, False)
    assert scale.span((0.5, inf)) == (0.5, 1, False, True)


def test_what_passes_includes_the_tolerance():
    scale = Scale(0.0, 1.0)
    assert scale.passing(0.5, 0.25, at_most=True) == (0, 0.75)
    assert scale.passing(0.5, 0.25, at_most=False) == (0.25, 1)


def test_there_is_no_empty_space_beyond_what_is_drawn():
    """Shares of 0 to 1, whose intervals end there."""
    assert scale_of([(0.0, (0.0, 0.3)), (1.0, (0.6, 1.0))], 0.5) == pytest.approx((-0.02, 1.02))
    assert scale_of([(0.0, (-inf, inf)), (1.0, (0.6, 1.0))], 0.5) == pytest.approx((-0.2, 1.2))


def test_without_estimates_the_threshold_is_in_the_middle():
    assert scale_of([], 10.0).position(10.0) == pytest.approx(0.5)
    assert scale_of([(nan, (-inf, inf))], 0.0, 1.0).position(0.0) == pytest.approx(0.5)


def test_a_track_shows_interval_estimate_threshold_and_cut_ends():
    track = Track(as_metric("ms <= 50"), Scale(0.0, 100.0), 10)
    assert track.drawn(30.0, Interval(10.0, 79.0)) == " ──●─┼──  "
    assert track.drawn(30.0, Interval(-5.0, 45.0)) == "←──●─│    "
    assert track.drawn(70.0, Interval(65.0, inf)) == "     │─●─→"


@pytest.mark.parametrize(
    ("interval", "colour"),
    [((10, 51), colours.PASS.terminal), ((50.5, 99), colours.FAIL.terminal), ((10, 52), ""), ((50, 99), "")],
)
def test_a_track_has_the_colour_of_what_is_certain(interval, colour):
    track = Track(as_metric("ms <= 50 ~ 1"), Scale(0.0, 100.0), 10)
    assert track.colour(Interval(*interval)) == colour


def test_the_style_sheet_has_the_colours_for_light_and_dark_screens():
    light, dark = colours.css_variables().split("@media")
    assert f"--pass: {colours.PASS.light};" in light
    assert f"--pass: {colours.PASS.dark};" in dark
