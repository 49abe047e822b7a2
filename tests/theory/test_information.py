"""What one evaluation says, for every noise model: closed forms, and what joins them."""

from math import exp, inf, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import betainc, rel_entr
from scipy.stats import norm, poisson

from satisfice.errors import InvalidInstance
from satisfice.noise.beta import beta_distribution, beta_parameters
from satisfice.problem.metric import as_metric
from satisfice.problem.problem import problem_of
from satisfice.theory import (
    Distribution,
    Side,
    best_bet,
    binary_relative_entropy,
    empirical_distribution,
    information,
    least_relative_entropy,
    needs,
)

SIDES = (Side.ACCEPT, Side.REJECT)
shares = st.floats(0.02, 0.98)


def coin(p):
    """A Beta distribution that is 0 or 1 all but always."""
    return beta_distribution(0.0, 1.0, 1e-7 * p, 1e-7 * (1 - p))


class TestClosedForms:
    @pytest.mark.parametrize("noise", ["normal(3)", "subgaussian(3)"])
    def test_known_scale(self, noise):
        metric = as_metric(f"latency <= 100 ~ 2 : {noise}")
        assert information(metric, 95, Side.ACCEPT) == pytest.approx(7**2 / 18)
        assert information(metric, 104, Side.REJECT) == pytest.approx(4**2 / 18)
        assert information(metric, 104, Side.ACCEPT) == information(metric, 95, Side.REJECT) == 0.0

    def test_coins(self):
        metric = as_metric("loss <= 0.01 ~ 0.005 : bernoulli")
        assert information(metric, 0.002, Side.ACCEPT) == pytest.approx(binary_relative_entropy(0.002, 0.015))
        assert information(metric, 0.03, Side.REJECT) == pytest.approx(binary_relative_entropy(0.03, 0.01))

    def test_unknown_variance(self):
        metric = as_metric("accuracy >= 5 ~ 1")
        law = Distribution(6.0, 3.0)
        assert information(metric, 6.0, Side.ACCEPT, law) == pytest.approx(0.5 * log(1 + 2**2 / 3**2))
        assert information(metric, 4.5, Side.REJECT, Distribution(4.5, 3.0)) == pytest.approx(0.5 * log(1 + 0.5**2 / 9))

    def test_results_at_the_edge_vary_as_far_as_is_declared(self):
        """Of normal results there, those with the variance around the edge are most like these, if they may be."""
        metric = as_metric("accuracy >= 5 : spread(3)")
        near, far = Distribution(5.5, 1.0), Distribution(10.0, 1.0)
        assert information(metric, 5.5, Side.ACCEPT, near) == pytest.approx(0.5 * log(1 + 0.5**2))
        assert information(metric, 10.0, Side.ACCEPT, far) == pytest.approx(0.5 * (log(9) + (1 + 5**2) / 9 - 1))

    @given(st.floats(1e-5, 0.02), st.floats(0.1, 10))
    def test_a_variance_unknown_costs_nothing_as_the_gap_goes_to_0(self, gap, sd):
        unknown = information(as_metric("a >= 0"), gap * sd, Side.ACCEPT, Distribution(gap * sd, sd))
        known = information(as_metric(f"a >= 0 : normal({sd!r})"), gap * sd, Side.ACCEPT)
        assert known * (1 - gap**2) <= unknown <= known * (1 + 1e-6)

    @given(st.floats(0.01, 100))
    def test_a_variance_unknown_always_costs_something(self, gap):
        unknown = information(as_metric("a >= 0"), gap, Side.ACCEPT, Distribution(gap, 1.0))
        assert unknown < information(as_metric("a >= 0 : normal(1)"), gap, Side.ACCEPT)

    def test_a_result_that_one_law_forbids_decides_at_once(self):
        assert information(as_metric("a >= 0 : bernoulli"), 0.5, Side.ACCEPT) == inf
        assert information(as_metric("a <= 0.9 ~ 0.2 : bernoulli"), 0.5, Side.ACCEPT) == inf
        assert (
            information(as_metric("a >= 0 ~ 0.1 : bounded(0, 1)"), 0.5, Side.ACCEPT, beta_distribution(0, 1, 2, 2))
            == inf
        )

    @pytest.mark.parametrize("noise", ["normal(1)", "bernoulli", "subgaussian(2)", "normal", "bounded(0, 1)"])
    @pytest.mark.parametrize("side", SIDES)
    def test_nothing_is_said_at_the_edge(self, noise, side):
        metric = as_metric(f"a >= 0.6 ~ 0.005 : {noise}")
        edge = 0.595 if side is Side.ACCEPT else 0.6
        assert information(metric, edge, side, beta_distribution(0, 1, edge, 1 - edge)) == 0.0


class TestBounded:
    @given(shares, shares)
    def test_of_a_beta_that_is_a_coin_it_is_that_of_coins(self, p, theta):
        found, _ = least_relative_entropy(np.array(coin(p).points), np.array(coin(p).weights), theta)
        expected = binary_relative_entropy(p, theta) if p > theta else 0.0
        assert found == pytest.approx(expected, rel=1e-4, abs=1e-6)

    def test_of_two_points_it_is_that_of_coins(self):
        found, bet = least_relative_entropy(np.array([0.0, 1.0]), np.array([0.3, 0.7]), 0.5)
        assert found == pytest.approx(binary_relative_entropy(0.7, 0.5), rel=1e-12)
        assert bet == pytest.approx((0.7 - 0.5) / (0.5 * 0.5), rel=1e-9)

    def test_without_results_near_0_the_bet_is_as_large_as_may_be(self):
        found, bet = least_relative_entropy(np.array([0.8, 0.9]), np.array([0.5, 0.5]), 0.5)
        assert bet == 2.0
        assert found == pytest.approx(0.5 * log(1.6) + 0.5 * log(1.8))

    @given(shares, shares, st.floats(0.05, 200), st.floats(0, 1))
    def test_no_bet_is_better(self, share, theta, concentration, part):
        law = beta_distribution(0.0, 1.0, share * concentration, (1 - share) * concentration)
        points, weights = np.array(law.points), np.array(law.weights)
        found, _ = least_relative_entropy(points, weights, theta)
        with np.errstate(divide="ignore"):
            assert weights @ np.log1p(part / theta * (points - theta)) <= found + 1e-9

    @given(shares, shares, st.floats(0.05, 200))
    def test_less_spread_says_more(self, share, theta, concentration):
        def of(strength):
            law = beta_distribution(0.0, 1.0, share * strength, (1 - share) * strength)
            return least_relative_entropy(np.array(law.points), np.array(law.weights), theta)[0]

        assert of(2 * concentration) >= of(concentration) - 1e-6

    def test_a_gap_far_below_the_variance_says_what_it_says_in_normal_noise(self):
        law = beta_distribution(0.0, 1.0, 50, 50)
        gap = 0.05 * law.sd**2
        metric = as_metric(f"a >= {0.5 - gap!r} : bounded(0, 1)")
        assert information(metric, 0.5, Side.ACCEPT, law) == pytest.approx(gap**2 / (2 * law.sd**2), rel=0.01)

    def test_a_gap_far_above_the_variance_says_less_for_a_rare_0_may_have_been_missed(self):
        law = beta_distribution(0.0, 1.0, 0.5e6, 0.5e6)
        gap = 0.1 * law.sd
        metric = as_metric(f"a >= {0.5 - gap!r} : bounded(0, 1)")
        assert information(metric, 0.5, Side.ACCEPT, law) == pytest.approx(gap / 0.5, rel=0.01)

    @pytest.mark.parametrize("side", SIDES)
    def test_units_and_directions_change_nothing(self, side):
        mean = 0.7 if side is Side.ACCEPT else 0.3
        plain = information(
            as_metric("a >= 0.5 ~ 0.1 : bounded(0, 1)"), mean, side, beta_distribution(0, 1, mean, 1 - mean)
        )
        stretched = as_metric("a >= 7 ~ 0.4 : bounded(5, 9)")
        assert information(stretched, 5 + 4 * mean, side, beta_distribution(5, 9, mean, 1 - mean)) == pytest.approx(
            plain
        )
        turned = as_metric("a <= -7 ~ 0.4 : bounded(-9, -5)")
        assert information(turned, -5 - 4 * mean, side, beta_distribution(-9, -5, 1 - mean, mean)) == pytest.approx(
            plain
        )


class TestDistributions:
    @pytest.mark.parametrize(("first", "second"), [(2, 3), (0.5, 9.5), (1e-6, 1e-6), (2000, 8000), (1e7, 1e7)])
    def test_a_beta_has_its_moments(self, first, second):
        law = beta_distribution(2.0, 6.0, first, second)
        points, weights = np.array(law.points), np.array(law.weights)
        share = first / (first + second)
        assert law.mean == pytest.approx(2 + 4 * share)
        assert law.sd == pytest.approx(4 * sqrt(share * (1 - share) / (first + second + 1)))
        assert weights.sum() == pytest.approx(1.0)
        assert weights @ points == pytest.approx(law.mean, rel=1e-12)
        assert sqrt(weights @ (points - law.mean) ** 2) == pytest.approx(law.sd, rel=1e-4)

    @pytest.mark.parametrize(
        ("first", "second"), [(2, 3), (0.7, 0.3), (0.5, 9.5), (1e-6, 2e-6), (2000, 8000), (0.5, 1e6), (0.01, 1e4)]
    )
    def test_a_beta_has_its_probabilities(self, first, second):
        law = beta_distribution(0.0, 1.0, first, second)
        points, reached = np.array(law.points), np.cumsum(law.weights)
        between = (points[:-1] < points[1:]) & (reached[:-1] < 1.0)
        cells = betainc(first, second, np.array([points[:-1], points[1:]]))[:, between]
        assert np.all(cells[0] <= reached[:-1][between] + 1e-9), "a cell ends after its own mean"
        assert np.all(reached[:-1][between] <= cells[1] + 1e-9), "and before the mean of the next"

    def test_past_results_count_as_often_as_they_occur(self):
        assert empirical_distribution([1.0, 3.0, 3.0, 3.0]) == Distribution(2.5, sqrt(0.75), (1.0, 3.0), (0.25, 0.75))

    def test_a_beta_with_that_spread(self):
        first, second = beta_parameters(1.0, 5.0, 2.0, 0.5)
        law = beta_distribution(1, 5, first, second)
        assert (law.mean, law.sd) == (pytest.approx(2.0), pytest.approx(0.5))

    @pytest.mark.parametrize(
        ("mean", "spread", "says"),
        [(1.0, 0.5, "strictly inside"), (2.0, 1.8, "between 0 and 1.732, got 1.8"), (2.0, 0.0, "between 0")],
    )
    def test_what_no_beta_has_gets_a_sentence(self, mean, spread, says):
        with pytest.raises(InvalidInstance, match=says):
            beta_parameters(1.0, 5.0, mean, spread)

    @pytest.mark.parametrize("spread", [0.0, -1.0, [1.0, 2.0, 3.0], "x", [[1.0], [2.0]]])
    def test_a_spread_that_makes_no_sense_gets_a_sentence(self, spread):
        with pytest.raises(InvalidInstance, match="Expected the spread as one positive number, 2 of them"):
            needs(problem_of(["a >= 0", "b >= 0"]), [[1.0, 1.0]], spread=spread).characteristic_time()

    @pytest.mark.parametrize("noise", ["normal", "bounded(0, 1)"])
    def test_a_law_that_is_missing_gets_a_sentence(self, noise):
        with pytest.raises(InvalidInstance, match="how much its results vary"):
            needs(problem_of([f"a >= 0.5 : {noise}"]), [[0.7]]).characteristic_time()


class TestBestBet:
    """Its ln grows by the information number, and its product is evidence."""

    @pytest.mark.parametrize("side", SIDES)
    @pytest.mark.parametrize(
        "text",
        ["a >= 0.5 ~ 0.1 : normal(2)", "a <= 0.5 ~ 0.1 : normal(2)", "a >= 0.5 ~ 0.1", "a >= 0.5 ~ 0.1 : spread(3)"],
    )
    def test_normal_growth(self, text, side):
        metric = as_metric(text)
        passing = (metric.direction == ">=") == (side is Side.ACCEPT)
        mean = 1.4 if passing else -0.3
        bet, law = best_bet(metric, mean, side, Distribution(mean, 2.0)), norm(mean, 2.0)
        growth = quad(lambda x: law.pdf(x) * gain(bet, x), mean - 30, mean + 30, epsabs=1e-12)[0]
        assert growth == pytest.approx(information(metric, mean, side, Distribution(mean, 2.0)), rel=1e-6)

    @given(st.floats(0.1, 3), st.floats(0.2, 5), st.floats(0, 3))
    def test_under_any_normal_law_beyond_the_edge_it_is_fair_at_best(self, gap, sd, beyond):
        bet = best_bet(as_metric("a >= 0"), gap, Side.ACCEPT, Distribution(gap, 1.0))
        law = norm(-beyond, sd)
        ends = (-beyond - 40 * sd, -beyond + 40 * sd)
        mean = quad(lambda x: law.pdf(x) * exp(gain(bet, x)), *ends, points=[-beyond, 1 / gap + gap], limit=300)[0]
        assert mean <= 1 + 1e-6

    @pytest.mark.parametrize("text", ["a >= 0", "a >= 0 : spread(2)"])
    def test_under_the_nearest_law_it_is_fair(self, text):
        bet = best_bet(as_metric(text), 0.7, Side.ACCEPT, Distribution(0.7, 1.0))
        law = norm(0.0, sqrt(1 + 0.7**2))
        assert quad(lambda x: law.pdf(x) * exp(gain(bet, x)), -30, 30)[0] == pytest.approx(1.0)

    @pytest.mark.parametrize("text", ["a >= 0.3 : bernoulli", "a >= 0.3 : bounded(0, 1)"])
    @pytest.mark.parametrize("side", SIDES)
    def test_coins(self, text, side):
        p = 0.6 if side is Side.ACCEPT else 0.1
        metric, law = as_metric(text), Distribution(p, 0.0, (0.0, 1.0), (1 - p, p))
        bet = best_bet(metric, p, side, law)
        growth = p * gain(bet, 1.0) + (1 - p) * gain(bet, 0.0)
        assert growth == pytest.approx(information(metric, p, side, law))
        assert 0.3 * exp(gain(bet, 1.0)) + 0.7 * exp(gain(bet, 0.0)) == pytest.approx(1.0)

    @pytest.mark.parametrize(("edge", "mean"), [(4.0, 2.5), (4.0, 7.0), (0.3, 0.05), (0.3, 0.0), (60.0, 75.0)])
    def test_counts(self, edge, mean):
        """The likelihood ratio of two Poisson distributions."""
        side = Side.ACCEPT if mean < edge else Side.REJECT
        metric = as_metric(f"a <= {edge} : poisson")
        bet, counts = best_bet(metric, mean, side), np.arange(150.0)
        gains, possible = np.array([gain(bet, x) for x in counts]), poisson.pmf(counts, mean) > 0.0
        growth = (poisson.pmf(counts, mean) * gains)[possible].sum()
        assert growth == pytest.approx(information(metric, mean, side))
        assert growth == pytest.approx(rel_entr(poisson.pmf(counts, mean), poisson.pmf(counts, edge)).sum())
        assert (poisson.pmf(counts, edge) * np.exp(gains)).sum() == pytest.approx(1.0)

    def test_a_count_where_there_should_be_none_decides(self):
        metric = as_metric("a <= 0 : poisson")
        assert information(metric, 0.5, Side.REJECT) == inf
        assert gain(best_bet(metric, 0.5, Side.REJECT), 1.0) > 1e6


def gain(bet, x):
    y = x - bet.edge
    return log(1 + bet.linear * y) if bet.multiplies else bet.constant + bet.linear * y + bet.square * y * y


class TestCharacteristicTime:
    def test_each_metric_counts_with_its_own_noise(self):
        problem = problem_of(["a >= 0 ~ 1", "b <= 0.3 : bernoulli", "c >= 0.5 : bounded(0, 1)", "d >= 0 : normal(2)"])
        spread = [3.0, 1.0, 0.2, 1.0]
        law = beta_distribution(0, 1, *beta_parameters(0.0, 1.0, 0.7, 0.2))
        numbers = [
            0.5 * log(1 + 4**2 / 3**2),
            binary_relative_entropy(0.2, 0.3),
            information(problem.metrics[2], 0.7, Side.ACCEPT, law),
            1 / 8,
        ]
        means = [[3.0, 0.2, 0.7, 1.0]]
        assert needs(problem, means, spread=spread).characteristic_time() == pytest.approx(1 / min(numbers))
        assert min(numbers) == numbers[1]

    def test_evidence_of_independent_metrics_adds_up_where_nothing_passes(self):
        problem = problem_of(["a >= 0 : normal(1)", "b >= 0 : normal(1)"])
        means = [[-1.0, -2.0], [-1.0, 3.0]]
        assert needs(problem, means).to_rule_out() == pytest.approx(1 / 2 + 1 / 0.5)
        assert needs(problem, means).to_rule_out(independent=True) == pytest.approx(1 / 2.5 + 1 / 0.5)
        assert needs(problem, [[1.0, 2.0]]).practical_limit() == needs(problem, [[1.0, 2.0]]).practical_limit(
            independent=True
        )

    def test_to_classify_all_every_arm_counts(self):
        problem = problem_of(["a >= 0 ~ 0.5 : normal(1)"], goal="all")
        times = [2 / 1.5**2, 2 / 2**2, 2 / 0.4**2]
        means = [[1.0], [-2.0], [-0.4]]  # the last one may be called either: 0.4 short, 0.1 within tolerance
        assert needs(problem, means).characteristic_time() == pytest.approx(sum(times))
        assert needs(problem, means[:2]).characteristic_time() == pytest.approx(sum(times[:2]))

    def test_the_proven_limit_is_for_one_right_answer(self):
        problem = problem_of(["a >= 0 : normal(1)"], error_rate=0.1)
        assert needs(problem, [[1.0], [-1.0]]).proven_limit() == pytest.approx(2 * 0.8 * log(9))
        assert needs(problem, [[-1.0], [-1.0]]).proven_limit() == pytest.approx(4 * 0.8 * log(9))
        assert needs(problem.with_error_rate(0.6), [[1.0]]).proven_limit() == 0.0
        with pytest.raises(InvalidInstance, match="one right answer"):
            needs(problem, [[1.0], [2.0]]).proven_limit()
        every = problem_of(["a >= 0 : normal(1)"], error_rate=0.1, goal="all")
        assert needs(every, [[1.0], [2.0]]).proven_limit() == pytest.approx(2.5 * 0.8 * log(9))

    @given(st.floats(1e-9, 0.3))
    def test_the_proven_limit_is_below_the_practical_one_and_near_it_in_the_end(self, rate):
        problem = problem_of(["a >= 0 : normal(1)"], error_rate=rate)
        proven, practical = needs(problem, [[1.0]]).proven_limit(), needs(problem, [[1.0]]).practical_limit()
        assert (1 - 2 * rate - rate / log(1 / rate)) * practical <= proven * (1 + 1e-9) < practical * (1 + 2e-9)
