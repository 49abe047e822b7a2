"""The characteristic time for normal noise, by hand."""

from math import inf, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satisfice.problem.problem import problem_of
from satisfice.theory import needs
from tests.helpers.bound_cases import IN_BETWEEN, PROBLEM, WITH_GOOD_ARM, WITHOUT

error_rates = st.floats(1e-6, 0.5)


class TestCharacteristicTime:
    def test_with_a_good_arm(self):
        assert needs(PROBLEM, WITH_GOOD_ARM).to_find() == pytest.approx(2 * 4 / 0.4**2)
        assert needs(PROBLEM, WITH_GOOD_ARM).to_rule_out() is None
        assert needs(PROBLEM, WITH_GOOD_ARM).characteristic_time() == needs(PROBLEM, WITH_GOOD_ARM).to_find()

    def test_without_any_arm_within_tolerance_the_arms_add_up(self):
        assert needs(PROBLEM, WITHOUT).to_find() is None
        assert needs(PROBLEM, WITHOUT).to_rule_out() == pytest.approx(8 / 0.4**2 + 8 / 0.3**2 + 8 / 0.5**2)
        assert needs(PROBLEM, WITHOUT).characteristic_time() == needs(PROBLEM, WITHOUT).to_rule_out()

    def test_in_between_both_answers_are_right(self):
        found, ruled_out = 8 / 0.05**2, 8 / 0.05**2 + 8 / 0.4**2
        assert needs(PROBLEM, IN_BETWEEN).to_find() == pytest.approx(found)
        assert needs(PROBLEM, IN_BETWEEN).to_rule_out() == pytest.approx(ruled_out)
        assert needs(PROBLEM, IN_BETWEEN).characteristic_time() == pytest.approx(found)
        nearly_failing = [[0.41, 0.6]]  # 0.09 short, with 0.01 of the tolerance to spare: NONE is the easier answer
        assert needs(PROBLEM, nearly_failing).characteristic_time() == pytest.approx(8 / 0.09**2)

    def test_each_metric_counts_with_its_own_scale_and_tolerance(self):
        problem = problem_of(["latency <= 100 ~ 5 : normal(12)", "accuracy >= 0.85 ~ 0.01 : normal(0.1)"])
        expected = max(2 * 12**2 / (100 - 90 + 5) ** 2, 2 * 0.1**2 / (0.9 - 0.85 + 0.01) ** 2)
        assert needs(problem, [[90, 0.9]]).characteristic_time() == pytest.approx(expected)
        failing = max((120 - 100) ** 2 / (2 * 12**2), (0.85 - 0.6) ** 2 / (2 * 0.1**2))
        assert needs(problem, [[120, 0.6]]).characteristic_time() == pytest.approx(1 / failing)

    def test_an_arm_within_tolerance_may_be_easier_to_name_than_a_good_one(self):
        problem = problem_of(["a >= 0 ~ 1 : normal(1)", "b >= 0 ~ 0.1 : normal(1)"])
        good, merely_within = [0.1, 0.1], [-0.2, 0.6]
        assert needs(problem, [good]).characteristic_time() == pytest.approx(2 / 0.2**2)
        assert needs(problem, [good, merely_within]).characteristic_time() == pytest.approx(2 / 0.7**2)

    def test_is_infinite_where_no_number_of_pulls_can_tell(self):
        assert needs(PROBLEM.with_tolerance(0.0), [[0.5, 0.9]]).characteristic_time() == inf
        assert needs(PROBLEM.with_tolerance(0.0), [[0.5, 0.9]]).practical_limit() == inf

    @given(st.floats(0.01, 3.0), st.floats(1.01, 3.0), error_rates)
    def test_limit_falls_with_gap_and_error_rate(self, gap, factor, delta):
        problem = problem_of(["a >= 0 : normal(1)"], error_rate=delta)
        for sign in (1, -1):
            limit = needs(problem, [[sign * gap]]).practical_limit()
            assert limit == pytest.approx(2 / gap**2 * log(1 / delta))
            assert needs(problem, [[sign * factor * gap]]).practical_limit() < limit
            assert needs(problem.with_error_rate(delta / factor), [[sign * gap]]).practical_limit() > limit
