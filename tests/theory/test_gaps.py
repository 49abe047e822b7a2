"""How far arms are from their thresholds."""

from math import inf

import numpy as np
import pytest

from satisfice.errors import InvalidInstance, InvalidProblem
from satisfice.problem.problem import problem_of
from satisfice.problem.units import Setting
from satisfice.theory import (
    Case,
    Standing,
    gaps,
)
from tests.helpers.bound_cases import IN_BETWEEN, PROBLEM, WITH_GOOD_ARM, WITHOUT


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
            gaps(problem_of(["a >= 0.5"]), [[1.0]])
