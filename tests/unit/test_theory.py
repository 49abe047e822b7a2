"""The bounds against formulas written out by hand, and what must hold of them whatever the numbers."""

import json
from dataclasses import FrozenInstanceError, replace
from math import ceil, exp, floor, inf, log, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from satisfice.core.noise import Normal
from satisfice.core.problem import Direction, Metric, Problem, Setting, problem_of
from satisfice.core.theory import (
    Case,
    Standing,
    alpha,
    binary_relative_entropy,
    bounds,
    characteristic_time,
    corollary_slope,
    gaps,
    largest_slack,
    least_upper_bound,
    lower_bound_as_printed,
    practical_limit,
    pulls_to_decide,
    time_to_find,
    time_to_rule_out,
    upper_bound_good_arm,
    upper_bound_no_good_arm,
)
from satisfice.errors import InvalidInstance, InvalidProblem

PROBLEM = problem_of(["a >= 0.5 ~ 0.1 : normal(2)", "b >= 0.4 ~ 0.1 : normal(2)"], error_rate=0.05)
WITH_GOOD_ARM = [[0.8, 0.9], [0.1, 0.9], [0.9, 0.2], [0.45, 0.6]]  # g = -0.3, 0.4, 0.2 and 0.05: within tolerance
WITHOUT = [[0.1, 0.9], [0.9, 0.1], [0.0, 0.0]]  # g = 0.4, 0.3, 0.5
IN_BETWEEN = [[0.45, 0.6], [0.1, 0.9]]

probabilities = st.floats(0.001, 0.999)
error_rates = st.floats(1e-6, 0.5)


def t_as_printed(root_a, sigma, arms, metrics, delta):
    """Definition 3, typed from the paper."""
    a = root_a**2
    inner = log(4 * sqrt(3) * pi * sigma**2 / (3 * a))
    return max(4 * sigma**2 / a * log(8 * sqrt(3) * sigma**2 * pi * arms * metrics / delta / (3 * a) * inner), 0)


def theorem_2_as_printed(slack, g, epsilon, sigma, metrics, delta):
    """Theorem 2, typed from the paper."""
    arms = len(g)
    g_star = min(g)
    t = [t_as_printed(abs(x - epsilon) - slack, sigma, arms, metrics, delta) for x in g if x <= 0 or x > epsilon]
    t_star = t_as_printed(epsilon - g_star - slack, sigma, arms, metrics, delta)
    logarithm = log(arms * metrics * max(floor(each) for each in t))
    total = t_star
    for i in range(arms):
        if i != g.index(g_star):
            total += 8 * sigma**2 * logarithm / (g[i] - g_star + slack) ** 2
    total += 2 * (arms + 1) * metrics * sigma**2 / slack**2
    return total + arms**3 * metrics / (2 * slack**2) * exp(4 * slack**2)


def in_other_units(problem, means, factor, metric=0):
    """The same instance with one metric measured in another unit, and turned round if the factor is negative."""
    old = problem.metrics[metric]
    turned = Direction.AT_MOST if old.direction is Direction.AT_LEAST else Direction.AT_LEAST
    new = replace(
        old,
        threshold=factor * old.threshold,
        tolerance=abs(factor) * old.tolerance,
        noise=Normal(abs(factor) * old.noise.scale),
        direction=old.direction if factor > 0 else turned,
    )
    table = np.array(means, dtype=float)
    table[:, metric] *= factor
    metrics = (*problem.metrics[:metric], new, *problem.metrics[metric + 1 :])
    return replace(problem, metrics=metrics), table


class TestGaps:
    def test_shortfalls_and_excesses_of_one_noise_scale_are_the_papers(self):
        found = gaps(PROBLEM, WITH_GOOD_ARM)
        assert found.shortfalls == pytest.approx((-0.3, 0.4, 0.2, 0.05))
        assert found.excesses == pytest.approx((-0.4, 0.3, 0.1, -0.05))
        assert found.setting == Setting(arms=4, metrics=2, error_rate=0.05, noise_scale=2.0)

    def test_standings(self):
        expected = (Standing.GOOD, Standing.FAILING, Standing.FAILING, Standing.WITHIN_TOLERANCE)
        assert gaps(PROBLEM, WITH_GOOD_ARM).standings == expected

    @pytest.mark.parametrize(
        ("means", "case"),
        [
            (WITH_GOOD_ARM, Case.GOOD_ARM),
            (WITHOUT, Case.NO_GOOD_ARM),
            (IN_BETWEEN, Case.ONLY_WITHIN_TOLERANCE),
            ([[0.5, 0.4]], Case.GOOD_ARM),
        ],
    )
    def test_case(self, means, case):
        assert gaps(PROBLEM, means).case is case

    def test_own_scales_and_tolerances_are_standardised(self):
        problem = problem_of(["latency <= 100 ~ 5 : normal(10)", "accuracy >= 0.9 ~ 0.05 : normal(0.1)"])
        found = gaps(problem, [[90, 0.85]])  # in units of 10: 10 to spare; 0.05 * 100 = 5 short, tolerance 5
        assert found.shortfalls == pytest.approx((5.0,))
        assert found.excesses == (0.0,)
        assert found.standings == (Standing.WITHIN_TOLERANCE,)

    def test_rounding_does_not_move_an_arm_across_its_tolerance(self):
        assert 0.6 - 0.595 > 0.005  # in floating point, not in arithmetic
        problem = problem_of(["a >= 0.6 ~ 0.005 : normal(1)"])
        assert gaps(problem, [[0.595]]).excesses == (0.0,)
        assert gaps(problem, [[0.595 - 1e-9]]).standings == (Standing.FAILING,)

    @pytest.mark.parametrize(
        ("means", "says"),
        [
            ([0.1, 0.2], "got a flat list"),
            ([[0.1, 0.2, 0.3]], "Expected 2 means for each arm, one for each threshold (a, b), got 3"),
            ([], "one row for each arm, each with 2 numbers, got []"),
            (np.empty((0, 2)), "got array([], shape=(0, 2)"),
            ([[0.1, 0.2], [0.3]], "row 2 has 1"),
            ([["much", "more"]], "some entry is not a number"),
            ([[0.1, 0.2], [0.3, float("nan")]], "arm 2 has nan for 'b'"),
            ([[inf, 0.2]], "arm 1 has inf for 'a'"),
        ],
    )
    def test_means_that_do_not_fit_get_a_sentence(self, means, says):
        with pytest.raises(InvalidInstance) as error:
            gaps(PROBLEM, means)
        assert says in str(error.value)

    def test_gaps_beyond_all_numbers_get_a_sentence(self):
        problem = problem_of(["a >= 0 : normal(1)", "b >= 0 : normal(1000)"])
        with pytest.raises(InvalidInstance, match="Use a larger unit"):
            gaps(problem, [[1e308, 0.0]])

    def test_an_unknown_noise_scale_is_asked_for(self):
        with pytest.raises(InvalidProblem, match="how noisy"):
            bounds(problem_of(["a >= 0.5"]), [[1.0]])


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
        assert corollary_slope(PROBLEM, WITH_GOOD_ARM) == pytest.approx(2 * characteristic_time(PROBLEM, WITH_GOOD_ARM))
        assert corollary_slope(PROBLEM, WITHOUT) >= 2 * characteristic_time(PROBLEM, WITHOUT)

    def test_a_slack_beyond_the_good_arms_gets_a_sentence(self):
        with pytest.raises(InvalidInstance, match=r"less than 0\.4"):
            corollary_slope(PROBLEM, WITH_GOOD_ARM, slack=0.4)


class TestBinaryRelativeEntropy:
    @pytest.mark.parametrize(
        ("x", "y", "expected"),
        [
            (0.5, 0.25, 0.5 * log(4 / 3)),
            (0.0, 0.75, log(4)),
            (1.0, 0.25, log(4)),
            (0.3, 0.3, 0.0),
            (0.0, 0.0, 0.0),
            (1.0, 1.0, 0.0),
            (0.5, 0.0, inf),
            (0.5, 1.0, inf),
            (1.0, 0.0, inf),
            (0.0, 1.0, inf),
        ],
    )
    def test_values_and_conventions(self, x, y, expected):
        assert binary_relative_entropy(x, y) == pytest.approx(expected)

    @given(probabilities, probabilities)
    def test_pinsker(self, x, y):
        assert binary_relative_entropy(x, y) >= 2 * (x - y) ** 2 - 1e-12

    @given(probabilities, probabilities)
    def test_does_not_care_which_side_is_heads(self, x, y):
        assert binary_relative_entropy(1 - x, 1 - y) == pytest.approx(binary_relative_entropy(x, y), abs=1e-12)

    @pytest.mark.parametrize(("x", "y"), [(-0.1, 0.5), (1.1, 0.5), (0.5, -0.1), (0.5, 2.0), (float("nan"), 0.5)])
    def test_what_is_no_probability_gets_a_sentence(self, x, y):
        with pytest.raises(InvalidProblem, match="between two probabilities"):
            binary_relative_entropy(x, y)


class TestLowerBoundAsPrinted:
    def test_the_easiest_good_arm_counts_by_its_hardest_metric(self):
        problem = PROBLEM.with_tolerance(0.0)
        means = [[0.7, 0.9], [0.6, 0.5], [0.4, 0.99]]
        information = 0.7 * log(0.7 / 0.5) + 0.3 * log(0.3 / 0.5)  # arm 1 against 0.5; its 0.9 against 0.4 says more
        expected = log(10) / information - 0.05 / information
        assert lower_bound_as_printed(problem, means) == pytest.approx(expected)

    def test_looks_at_neither_tolerance_nor_noise_nor_direction(self):
        flipped = problem_of(["a <= 0.5 : bernoulli", "b >= 0.4 : bernoulli"], error_rate=0.05)
        expected = lower_bound_as_printed(flipped, [[0.3, 0.9]])
        assert lower_bound_as_printed(PROBLEM, [[0.7, 0.9]]) == pytest.approx(expected)

    def test_is_infinite_when_every_good_arm_is_just_at_a_threshold(self):
        assert lower_bound_as_printed(PROBLEM, [[0.5, 0.9], [0.1, 0.1]]) == inf

    def test_is_zero_where_the_error_rate_makes_the_print_negative(self):
        assert lower_bound_as_printed(PROBLEM.with_error_rate(0.4), [[0.7, 0.9]]) == 0.0
        assert lower_bound_as_printed(PROBLEM.with_error_rate(0.4), [[0.5, 0.9]]) == 0.0

    def test_is_zero_where_a_single_pull_can_tell(self):
        assert lower_bound_as_printed(problem_of(["a >= 0 : bernoulli"]), [[0.5]]) == 0.0

    def test_without_a_good_arm_it_may_be_far_too_low(self):
        """Many arms have to be ruled out, and the print counts one: each alone needs as much."""
        problem = problem_of(["a >= 0.5 : bernoulli"], error_rate=0.001)
        one, many = (lower_bound_as_printed(problem, [[0.2]] * arms) for arms in (1, 20))
        assert one == many

    def test_without_a_good_arm_it_may_be_far_too_high(self):
        """A metric that passes just so says nothing, but the print takes it for the difficulty of the arm."""
        problem = problem_of(["a >= 0.5 : bernoulli", "b >= 0.5 : bernoulli"], error_rate=0.001)
        assert lower_bound_as_printed(problem, [[0.501, 0.1]]) > 1e6
        assert lower_bound_as_printed(problem, [[0.5, 0.1]]) == inf
        assert practical_limit(problem, [[0.501, 0.1]]) < 100

    def test_numbers_that_are_no_probabilities_get_a_sentence(self):
        with pytest.raises(InvalidInstance, match=r"arm 2 has 1\.5 for 'a'"):
            lower_bound_as_printed(PROBLEM, [[0.1, 0.2], [1.5, 0.2]])
        with pytest.raises(InvalidProblem, match=r"threshold of 'a' to lie in \[0, 1\], got 100"):
            lower_bound_as_printed(problem_of(["a <= 100 : normal(1)"]), [[0.5]])


class TestCharacteristicTime:
    def test_with_a_good_arm(self):
        assert time_to_find(PROBLEM, WITH_GOOD_ARM) == pytest.approx(2 * 4 / 0.4**2)
        assert time_to_rule_out(PROBLEM, WITH_GOOD_ARM) is None
        assert characteristic_time(PROBLEM, WITH_GOOD_ARM) == time_to_find(PROBLEM, WITH_GOOD_ARM)

    def test_without_any_arm_within_tolerance_the_arms_add_up(self):
        assert time_to_find(PROBLEM, WITHOUT) is None
        assert time_to_rule_out(PROBLEM, WITHOUT) == pytest.approx(8 / 0.4**2 + 8 / 0.3**2 + 8 / 0.5**2)
        assert characteristic_time(PROBLEM, WITHOUT) == time_to_rule_out(PROBLEM, WITHOUT)

    def test_in_between_both_answers_are_right(self):
        found, ruled_out = 8 / 0.05**2, 8 / 0.05**2 + 8 / 0.4**2
        assert time_to_find(PROBLEM, IN_BETWEEN) == pytest.approx(found)
        assert time_to_rule_out(PROBLEM, IN_BETWEEN) == pytest.approx(ruled_out)
        assert characteristic_time(PROBLEM, IN_BETWEEN) == pytest.approx(found)
        nearly_failing = [[0.41, 0.6]]  # 0.09 short, with 0.01 of the tolerance to spare: NONE is the easier answer
        assert characteristic_time(PROBLEM, nearly_failing) == pytest.approx(8 / 0.09**2)

    def test_each_metric_counts_with_its_own_scale_and_tolerance(self):
        problem = problem_of(["latency <= 100 ~ 5 : normal(12)", "accuracy >= 0.85 ~ 0.01 : normal(0.1)"])
        expected = max(2 * 12**2 / (100 - 90 + 5) ** 2, 2 * 0.1**2 / (0.9 - 0.85 + 0.01) ** 2)
        assert characteristic_time(problem, [[90, 0.9]]) == pytest.approx(expected)
        failing = max((120 - 100) ** 2 / (2 * 12**2), (0.85 - 0.6) ** 2 / (2 * 0.1**2))
        assert characteristic_time(problem, [[120, 0.6]]) == pytest.approx(1 / failing)

    def test_an_arm_within_tolerance_may_be_easier_to_name_than_a_good_one(self):
        problem = problem_of(["a >= 0 ~ 1 : normal(1)", "b >= 0 ~ 0.1 : normal(1)"])
        good, merely_within = [0.1, 0.1], [-0.2, 0.6]
        assert characteristic_time(problem, [good]) == pytest.approx(2 / 0.2**2)
        assert characteristic_time(problem, [good, merely_within]) == pytest.approx(2 / 0.7**2)

    def test_is_infinite_where_no_number_of_pulls_can_tell(self):
        assert characteristic_time(PROBLEM.with_tolerance(0.0), [[0.5, 0.9]]) == inf
        assert practical_limit(PROBLEM.with_tolerance(0.0), [[0.5, 0.9]]) == inf

    @given(st.floats(0.01, 3.0), st.floats(1.01, 3.0), error_rates)
    def test_limit_falls_with_gap_and_error_rate(self, gap, factor, delta):
        problem = problem_of(["a >= 0 : normal(1)"], error_rate=delta)
        for sign in (1, -1):
            limit = practical_limit(problem, [[sign * gap]])
            assert limit == pytest.approx(2 / gap**2 * log(1 / delta))
            assert practical_limit(problem, [[sign * factor * gap]]) < limit
            assert practical_limit(problem.with_error_rate(delta / factor), [[sign * gap]]) > limit


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
        assert found.characteristic_time == characteristic_time(PROBLEM, means)
        assert found.practical_limit == practical_limit(PROBLEM, means)
        assert found.reasons == ()

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
            (PROBLEM, IN_BETWEEN, {"upper_bound", "corollary_slope"}),
            (PROBLEM, [[1.5, 0.9]], {"lower_bound_as_printed"}),
            (
                PROBLEM.with_tolerance(0.0),
                [[0.5, 0.9]],
                {"upper_bound", "corollary_slope", "lower_bound_as_printed", "characteristic_time", "practical_limit"},
            ),
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
