"""All bounds in one value, in whatever units."""

import json
from dataclasses import FrozenInstanceError
from math import log, pi, sqrt

import pytest

from satisfice.problem.problem import problem_of
from satisfice.theory import alpha, bounds, corollary_slope, gaps, least_upper_bound, lower_bound_as_printed, needs
from tests.helpers.bound_cases import IN_BETWEEN, PROBLEM, WITH_GOOD_ARM, WITHOUT, in_other_units

PAPERS = {"noise_scale", "alpha", "upper_bound", "corollary_slope", "lower_bound_as_printed"}
LIMITS = {"characteristic_time", "practical_limit", "practical_limit_independent", "proven_limit"}


class TestUnits:
    """What a metric is measured in, and whether more or less of it is better, changes nothing."""

    @pytest.mark.parametrize("factor", [0.5, -0.125, 1e-3, -1.0])
    @pytest.mark.parametrize("means", [WITH_GOOD_ARM, WITHOUT, IN_BETWEEN])
    def test_one_metric_in_another_unit(self, means, factor):
        before = bounds(PROBLEM, means)
        after = bounds(*in_other_units(PROBLEM, means, factor))
        assert after.standings == before.standings
        assert after.shortfalls == pytest.approx(before.shortfalls)
        assert after.characteristic_time == pytest.approx(before.characteristic_time)
        assert after.practical_limit == pytest.approx(before.practical_limit)
        if before.upper_bound is not None:
            assert after.upper_bound.pulls == pytest.approx(before.upper_bound.pulls)
            assert after.corollary_slope == pytest.approx(before.corollary_slope)

    @pytest.mark.parametrize("factor", [8.0, -1000.0])
    def test_a_unit_that_makes_the_metric_the_noisiest(self, factor):
        before, after = bounds(PROBLEM, WITHOUT), bounds(*in_other_units(PROBLEM, WITHOUT, factor))
        assert after.noise_scale == abs(factor) * before.noise_scale
        assert after.upper_bound.pulls == pytest.approx(before.upper_bound.pulls)
        assert after.upper_bound.slack == pytest.approx(abs(factor) * before.upper_bound.slack, rel=1e-4)
        assert after.corollary_slope == pytest.approx(before.corollary_slope)
        assert after.characteristic_time == pytest.approx(before.characteristic_time)

    def test_only_theorem_2_depends_on_the_largest_scale(self):
        """Its last term is for noise scale 1/2; the print is kept."""
        before, after = bounds(PROBLEM, WITH_GOOD_ARM), bounds(*in_other_units(PROBLEM, WITH_GOOD_ARM, 8.0))
        assert after.upper_bound.pulls < 0.9 * before.upper_bound.pulls
        assert after.corollary_slope == pytest.approx(before.corollary_slope)
        assert after.characteristic_time == pytest.approx(before.characteristic_time)


class TestBounds:
    @pytest.mark.parametrize("means", [WITH_GOOD_ARM, WITHOUT])
    def test_collects_what_the_functions_say(self, means):
        found = bounds(PROBLEM, means)
        assert (found.error_rate, found.noise_scale) == (0.05, 2.0)
        assert found.case is gaps(PROBLEM, means).case
        assert found.upper_bound == least_upper_bound(PROBLEM, means)
        assert found.corollary_slope == corollary_slope(PROBLEM, means)
        assert found.lower_bound_as_printed == lower_bound_as_printed(PROBLEM, means)
        assert found.characteristic_time == needs(PROBLEM, means).characteristic_time()
        assert found.practical_limit == needs(PROBLEM, means).practical_limit()
        assert found.practical_limit_independent == needs(PROBLEM, means).practical_limit(independent=True)
        if means is WITHOUT:
            assert found.proven_limit == needs(PROBLEM, means).proven_limit()
            assert found.reasons == ()
        else:  # an arm within tolerance may be named beside the good one
            assert [reason.quantity for reason in found.reasons] == ["proven_limit"]

    def test_shows_the_width_of_the_papers_boundary(self):
        setting = PROBLEM.setting(4)
        shown = bounds(PROBLEM, WITH_GOOD_ARM).alpha
        assert [each.width for each in shown] == [alpha(each.pulls, setting) for each in shown]
        assert shown[0].pulls == 1
        by_hand = sqrt(2 * 4 * log(pi**2 * 4 * 2 * 100**2 / (3 * 0.05)) / 100)
        assert dict(shown)[100] == pytest.approx(by_hand)

    @pytest.mark.parametrize(
        ("problem", "means", "missing"),
        [
            (PROBLEM, IN_BETWEEN, {"upper_bound", "corollary_slope", "proven_limit"}),
            (PROBLEM, [[1.5, 0.9]], {"lower_bound_as_printed"}),
            (
                PROBLEM.with_tolerance(0.0),
                [[0.5, 0.9]],
                {
                    *("upper_bound", "corollary_slope", "lower_bound_as_printed", "characteristic_time"),
                    *("practical_limit", "practical_limit_independent", "proven_limit"),
                },
            ),
            (problem_of(["a >= 0.5"]), [[1.0]], {*PAPERS, *LIMITS}),
            (problem_of(["a >= 0.5 : bounded(0, 1)"]), [[0.8]], LIMITS),
        ],
    )
    def test_what_is_missing_has_a_reason(self, problem, means, missing):
        found = bounds(problem, means)
        plain = found.as_dict()
        assert {name for name, value in plain.items() if value is None} == missing
        assert set(plain["reasons"]) == missing
        assert all(found.reason(name).endswith(".") for name in missing)
        assert found.reason("case") is None

    @pytest.mark.parametrize("means", [WITH_GOOD_ARM, WITHOUT, IN_BETWEEN, [[0.5, 0.9]]])
    @pytest.mark.parametrize("tolerance", [0.0, 0.1])
    def test_is_plain_json(self, means, tolerance):
        plain = bounds(PROBLEM.with_tolerance(tolerance), means).as_dict()
        assert json.loads(json.dumps(plain, allow_nan=False)) == plain

    def test_numbers_its_arms_from_one(self):
        arms = bounds(PROBLEM, WITH_GOOD_ARM).as_dict()["arms"]
        assert [arm["arm"] for arm in arms] == [1, 2, 3, 4]
        assert [arm["standing"] for arm in arms] == ["good", "failing", "failing", "within tolerance"]

    def test_is_immutable_and_comparable(self):
        found = bounds(PROBLEM, WITH_GOOD_ARM)
        assert found == bounds(PROBLEM, WITH_GOOD_ARM)
        assert hash(found) == hash(bounds(PROBLEM, WITH_GOOD_ARM))
        with pytest.raises(FrozenInstanceError):
            found.error_rate = 0.1

    def test_without_a_noise_scale_the_paper_is_silent_and_the_limits_need_a_spread(self):
        problem = problem_of(["a >= 0.5", "b <= 1 : bernoulli"])
        silent = bounds(problem, [[1.0, 0.5]])
        assert "how much its results vary" in silent.reason("practical_limit")
        found = bounds(problem, [[1.0, 0.5]], spread=2.0)
        assert {reason.quantity for reason in found.reasons} == PAPERS
        assert "noise of known scale, and that of 'a'" in found.reason("upper_bound")
        assert found.practical_limit == pytest.approx(log(20) / (0.5 * log(1 + 0.5**2 / 2**2)))
