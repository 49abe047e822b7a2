"""The paper's lower bound as printed."""

from math import inf, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satisfice.errors import InvalidInstance, InvalidProblem
from satisfice.problem.problem import problem_of
from satisfice.theory import binary_relative_entropy, lower_bound_as_printed, needs
from tests.helpers.bound_cases import PROBLEM

probabilities = st.floats(0.001, 0.999)


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
        assert needs(problem, [[0.501, 0.1]]).practical_limit() < 100

    def test_numbers_that_are_no_probabilities_get_a_sentence(self):
        with pytest.raises(InvalidInstance, match=r"arm 2 has 1\.5 for 'a'"):
            lower_bound_as_printed(PROBLEM, [[0.1, 0.2], [1.5, 0.2]])
        with pytest.raises(InvalidProblem, match=r"threshold of 'a' to lie in \[0, 1\], got 100"):
            lower_bound_as_printed(problem_of(["a <= 100 : normal(1)"]), [[0.5]])
