"""The paper's upper bounds against formulas written out by hand, and what must hold whatever the numbers."""

from math import ceil, exp, inf, log, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from satisfice.errors import InvalidInstance
from satisfice.noise import Normal
from satisfice.problem.metric import Metric
from satisfice.problem.problem import Problem, problem_of
from satisfice.problem.units import Setting
from satisfice.theory import (
    alpha,
    corollary_slope,
    largest_slack,
    least_upper_bound,
    needs,
    pulls_to_decide,
    upper_bound_good_arm,
    upper_bound_no_good_arm,
)
from tests.helpers.bound_cases import IN_BETWEEN, PROBLEM, WITH_GOOD_ARM, WITHOUT, t_as_printed, theorem_2_as_printed

error_rates = st.floats(1e-6, 0.5)


class TestPullsToDecide:
    def test_by_hand(self):
        # a = 0.25, c = 4 sqrt(3) pi / 0.75 = 29.0208, ln c = 3.36801: 16 ln(2 * 29.0208 * 20 * 3.36801)
        setting = Setting(arms=2, metrics=1, error_rate=0.1, noise_scale=1.0)
        assert pulls_to_decide(1.0, 0.5, setting) == pytest.approx(132.33943543811, abs=1e-9)

    @given(st.floats(0.001, 1.0), st.floats(0.0, 0.9), error_rates, st.integers(1, 50), st.integers(1, 5))
    def test_is_the_printed_formula(self, distance, share, delta, arms, metrics):
        slack = share * distance
        expected = t_as_printed(distance - slack, 1.3, arms, metrics, delta)
        assert pulls_to_decide(distance, slack, Setting(arms, metrics, delta, 1.3)) == pytest.approx(expected)

    @given(st.floats(0.001, 5.0), st.floats(1.0, 3.0), error_rates)
    def test_a_wider_gap_never_takes_longer(self, distance, factor, delta):
        setting = Setting(3, 2, delta, 1.0)
        assert pulls_to_decide(factor * distance, 0.0, setting) <= pulls_to_decide(distance, 0.0, setting)

    @given(st.floats(0.001, 5.0), st.floats(1e-9, 0.5), st.floats(0.01, 1.0))
    def test_a_smaller_error_rate_never_takes_less(self, distance, delta, factor):
        smaller, larger = Setting(3, 2, factor * delta, 1.0), Setting(3, 2, delta, 1.0)
        assert pulls_to_decide(distance, 0.0, smaller) >= pulls_to_decide(distance, 0.0, larger)

    @given(st.floats(0.01, 1.6), error_rates, st.integers(1, 100), st.integers(1, 8))
    def test_suffices_for_the_boundary_up_to_1_6_noise_scales(self, gap, delta, arms, metrics):
        """Lemma 2 by its result: after that many pulls alpha is below the gap."""
        setting = Setting(arms, metrics, delta, 1.0)
        assert alpha(ceil(pulls_to_decide(gap, 0.0, setting)) + 1, setting) < gap

    def test_is_zero_where_the_print_has_the_logarithm_of_a_negative_number(self):
        setting = Setting(10, 4, 0.005, 1.0)
        edge = sqrt(4 * pi / sqrt(3))
        assert pulls_to_decide(edge * 0.99, 0.0, setting) > 0
        assert pulls_to_decide(edge * (1 - 1e-12), 0.0, setting) == 0
        assert pulls_to_decide(edge * 1.01, 0.0, setting) == 0
        # a hole in the print: the boundary does not decide at such a gap at the first pull
        assert alpha(1, setting) > edge * 1.01

    def test_extreme_numbers_do_not_overflow(self):
        assert pulls_to_decide(1e-100, 0.0, Setting(10**6, 100, 1e-300, 1.0)) > 1e200
        assert pulls_to_decide(1e-300, 0.0, Setting(2, 1, 0.05, 1.0)) == inf

    @pytest.mark.parametrize("slack", [-0.1, 0.5, 0.6, float("nan")])
    def test_a_slack_outside_the_gap_gets_a_sentence(self, slack):
        with pytest.raises(InvalidInstance, match=r"must be zero or more and less than 0\.5"):
            pulls_to_decide(0.5, slack, Setting(2, 1, 0.05, 1.0))


class TestUpperBounds:
    @pytest.mark.parametrize("slack", [0.001, 0.03, 0.07, 0.0999])
    def test_theorem_2_is_the_printed_formula(self, slack):
        expected = theorem_2_as_printed(slack, [-0.3, 0.4, 0.2, 0.05], 0.1, 2.0, 2, 0.05)
        assert upper_bound_good_arm(PROBLEM, WITH_GOOD_ARM, slack=slack) == pytest.approx(expected, rel=1e-9)

    @pytest.mark.parametrize("slack", [0.001, 0.05, 0.199])
    def test_theorem_3_is_the_printed_formula(self, slack):
        times = [t_as_printed(gap - slack, 2.0, 3, 2, 0.05) for gap in (0.3, 0.2, 0.4)]
        expected = sum(times) + 3 * 2 * 4 / slack**2
        assert upper_bound_no_good_arm(PROBLEM, WITHOUT, slack=slack) == pytest.approx(expected)

    def test_slack_ends_at_the_smallest_gap_of_arms_that_are_good_or_failing(self):
        assert largest_slack(PROBLEM, WITH_GOOD_ARM) == pytest.approx(0.1)  # not 0.05, of the arm within tolerance
        assert largest_slack(PROBLEM, WITHOUT) == pytest.approx(0.2)

    @pytest.mark.parametrize(
        ("means", "theorem"), [(WITH_GOOD_ARM, upper_bound_good_arm), (WITHOUT, upper_bound_no_good_arm)]
    )
    def test_the_least_is_not_above_any_other(self, means, theorem):
        least = least_upper_bound(PROBLEM, means)
        largest = largest_slack(PROBLEM, means)
        assert 0 < least.slack < largest
        assert least.pulls == theorem(PROBLEM, means, slack=least.slack)
        others = largest * np.concatenate([np.geomspace(1e-6, 0.5, 500), 1 - np.geomspace(1e-6, 0.5, 500)])
        assert least.pulls <= min(theorem(PROBLEM, means, slack=float(slack)) for slack in others) * (1 + 1e-9)

    def test_the_least_is_that_of_scipy(self):
        for means in ([[0.6, 0.5], [-0.5, 0.0]], [[0.2, 0.0], [-0.5, 0.1]]):
            least = least_upper_bound(PROBLEM, means)
            of = upper_bound_good_arm if means[0][1] else upper_bound_no_good_arm
            around = {"bounds": (0.5 * least.slack, 1.2 * least.slack), "options": {"xatol": 1e-12}}
            found = minimize_scalar(lambda slack, of=of, means=means: of(PROBLEM, means, slack=slack), **around)
            assert least.pulls == pytest.approx(found.fun, rel=1e-9)

    @pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6, 1e12])
    def test_the_least_is_found_in_every_unit(self, scale):
        problem = Problem((Metric("a", 0.0, noise=Normal(scale)),), 0.05)
        means = [[0.5 * scale], [-0.3 * scale]]
        least = least_upper_bound(problem, means)
        others = 0.3 * scale / (1 + np.exp(-np.linspace(-40, 25, 3000)))
        assert least.pulls <= min(upper_bound_good_arm(problem, means, slack=float(s)) for s in others) * (1 + 1e-6)

    @pytest.mark.parametrize("means", [WITH_GOOD_ARM, WITHOUT])
    def test_falls_with_the_error_rate(self, means):
        values = [least_upper_bound(PROBLEM.with_error_rate(d), means).pulls for d in (1e-9, 1e-3, 0.05, 0.5)]
        assert values == sorted(values, reverse=True)

    def test_falls_with_the_gap(self):
        values = [least_upper_bound(PROBLEM, [[0.5 + gap, 0.4 + gap], [-0.5, 0.0]]).pulls for gap in (0.0, 0.1, 0.3)]
        assert values == sorted(values, reverse=True)
        values = [least_upper_bound(PROBLEM, [[0.39 - gap, 0.0]]).pulls for gap in (0.0, 0.1, 0.3)]
        assert values == sorted(values, reverse=True)

    def test_one_arm_has_no_others(self):
        slack = 0.2
        expected = (
            t_as_printed(0.2, 2.0, 1, 2, 0.05) + 2 * 2 * 2 * 4 / slack**2 + 2 / (2 * slack**2) * exp(4 * slack**2)
        )
        assert upper_bound_good_arm(PROBLEM, [[0.8, 0.9]], slack=slack) == pytest.approx(expected)

    def test_arms_decided_at_once_add_nothing(self):
        problem = problem_of(["a >= 0 : normal(0.01)"])  # every gap is a hundred noise scales
        expected = 2 * 3 * 0.01**2 / 0.25 + 8 / (2 * 0.25) * exp(1.0)
        assert upper_bound_good_arm(problem, [[1.0], [-1.0]], slack=0.5) == pytest.approx(expected)

    def test_own_tolerances_count_where_the_arm_is_accepted(self):
        problem = problem_of(["a >= 0 ~ 0.5 : normal(1)", "b >= 0 ~ 0.1 : normal(1)"])
        # margins 0.2 + 0.5 and 0.3 + 0.1: accepted with 0.4 to spare, though the shortfall is -0.2
        expected = t_as_printed(0.4 - 0.1, 1.0, 1, 2, 0.05) + 2 * 2 * 2 / 0.01 + 2 / 0.02 * exp(0.04)
        assert upper_bound_good_arm(problem, [[0.2, 0.3]], slack=0.1) == pytest.approx(expected)

    def test_the_theorem_for_another_case_gets_a_sentence(self):
        with pytest.raises(InvalidInstance, match="where a good arm exists, but here no arm is within tolerance"):
            upper_bound_good_arm(PROBLEM, WITHOUT, slack=0.01)
        with pytest.raises(InvalidInstance, match="where no arm is within tolerance, but here a good arm exists"):
            upper_bound_no_good_arm(PROBLEM, WITH_GOOD_ARM, slack=0.01)

    @pytest.mark.parametrize("slack", [0.0, -1.0, 0.11, float("nan")])
    def test_a_slack_outside_its_interval_gets_a_sentence(self, slack):
        with pytest.raises(InvalidInstance, match=r"must be positive and less than 0\.1"):
            upper_bound_good_arm(PROBLEM, WITH_GOOD_ARM, slack=slack)

    @pytest.mark.parametrize("function", [least_upper_bound, largest_slack, corollary_slope])
    def test_in_between_there_is_no_bound(self, function):
        with pytest.raises(InvalidInstance, match="in between the paper promises no answer"):
            function(PROBLEM, IN_BETWEEN)

    @pytest.mark.parametrize("function", [least_upper_bound, largest_slack, corollary_slope])
    def test_a_good_arm_just_at_its_threshold_needs_a_tolerance(self, function):
        with pytest.raises(InvalidInstance, match="Give the metric a tolerance"):
            function(PROBLEM.with_tolerance(0.0), [[0.5, 0.9], [0.9, 0.9]])


class TestCorollary:
    def test_slopes_by_hand(self):
        assert corollary_slope(PROBLEM, WITH_GOOD_ARM) == pytest.approx(16 / 0.4**2)
        assert corollary_slope(PROBLEM, WITH_GOOD_ARM, slack=0.15) == pytest.approx(16 / 0.25**2)
        assert corollary_slope(PROBLEM, WITHOUT) == pytest.approx(16 / 0.3**2 + 16 / 0.2**2 + 16 / 0.4**2)
        assert corollary_slope(PROBLEM, WITHOUT, slack=0.1) == pytest.approx(16 / 0.2**2 + 16 / 0.1**2 + 16 / 0.3**2)

    def test_is_what_theorem_3_grows_by(self):
        low, high = 1e-20, 1e-4
        values = [upper_bound_no_good_arm(PROBLEM.with_error_rate(d), WITHOUT, slack=0.1) for d in (low, high)]
        growth = (values[0] - values[1]) / log(high / low)
        assert growth == pytest.approx(corollary_slope(PROBLEM, WITHOUT, slack=0.1))

    def test_is_what_theorem_2_grows_by_in_the_end(self):
        low, high = 1e-300, 1e-200
        values = [upper_bound_good_arm(PROBLEM.with_error_rate(d), WITH_GOOD_ARM, slack=0.05) for d in (low, high)]
        growth = (values[0] - values[1]) / log(high / low)
        assert growth == pytest.approx(corollary_slope(PROBLEM, WITH_GOOD_ARM, slack=0.05), rel=0.01)

    def test_is_twice_the_characteristic_time_or_more(self):
        assert corollary_slope(PROBLEM, WITH_GOOD_ARM) == pytest.approx(
            2 * needs(PROBLEM, WITH_GOOD_ARM).characteristic_time()
        )
        assert corollary_slope(PROBLEM, WITHOUT) >= 2 * needs(PROBLEM, WITHOUT).characteristic_time()

    def test_a_slack_beyond_the_good_arms_gets_a_sentence(self):
        with pytest.raises(InvalidInstance, match=r"less than 0\.4"):
            corollary_slope(PROBLEM, WITH_GOOD_ARM, slack=0.4)
