"""Shares of the error rate, and how the evidence of several metrics is joined."""

from math import exp, inf, log

import pytest

import satisfice as sf
from satisfice.errors import InvalidProblem
from satisfice.noise.half_normal import log_average_of_two, log_mixture_of_two
from satisfice.problem.units import Setting
from satisfice.stopping.error_budget import reject_shares, shares_for, shares_to_find


@pytest.mark.parametrize("arms", [1, 2, 3, 4, 5, 10, 1000])
@pytest.mark.parametrize("share", [0.05, 0.25, 0.5, 0.9])
def test_both_sums_stay_within_the_error_rate(arms: int, share: float) -> None:
    rate = 0.05
    for wanted in {1, 2, arms // 2, arms - 1, arms} & set(range(1, arms + 1)):
        accept, reject = shares_to_find(rate, arms, wanted, share)
        assert arms * accept <= rate * (1 + 1e-12)
        assert wanted * reject >= share * rate * (1 - 1e-12)
        for good in range(wanted, arms + 1):  # a wrong arm of the others, or enough good ones rejected (Markov)
            wrong = (arms - good) * accept + good * reject / (good - wanted + 1)
            assert wrong <= rate * (1 + 1e-12)
        # and neither can be raised
        assert (arms - wanted) * accept + wanted * reject == pytest.approx(rate)


def test_defaults() -> None:
    assert shares_to_find(0.05, 1) == (0.05, 0.05)
    assert shares_to_find(0.05, 10) == pytest.approx((0.85 * 0.05 / 9, 0.15 * 0.05))
    assert shares_to_find(0.05, 2) == pytest.approx((0.025, 0.025))  # what accepting leaves over goes to rejecting
    assert shares_to_find(0.05, 10).accept_level == pytest.approx(log(9 / (0.85 * 0.05)))
    assert shares_to_find(0.05, 100, 3) == pytest.approx((0.85 * 0.05 / 97, 0.15 * 0.05 / 3))
    assert shares_to_find(0.05, 10, 2) == pytest.approx((0.005, 0.005))  # from 0.15 K on both are the same


def test_shares_follow_from_the_goal() -> None:
    asked = Setting(arms=20, metrics=1, error_rate=0.1, noise_scale=1.0)
    assert shares_for(asked, 0.3) == shares_to_find(0.1, 20, 1, 0.3)
    assert shares_for(asked._replace(wanted=2), 0.3) == shares_to_find(0.1, 20, 2, 0.3)
    assert shares_for(asked._replace(find_all=True)) == (0.005, 0.005) == shares_for(asked._replace(wanted=20))


def test_rejecting_is_split_by_the_number_of_metrics() -> None:
    assert reject_shares(0.01, 4, 0) == pytest.approx((0.01, 0.0))
    assert reject_shares(0.01, 0, 4) == pytest.approx((0.0, 0.0025))
    averaged, each = reject_shares(0.01, 3, 2)
    assert averaged + 2 * each == pytest.approx(0.01)
    assert averaged == pytest.approx(3 * each)
    # the average of three reaches its level when their sum reaches that of a lone one
    shares = reject_shares(0.01, 3, 2)
    assert shares.averaged_level + log(3) == pytest.approx(shares.each_level)
    assert reject_shares(0.01, 0, 2).averaged_level == inf
    assert reject_shares(0.01, 2, 0).each_level == inf


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1, 2.0, float("nan")])
def test_a_share_is_a_part(share: float) -> None:
    with pytest.raises(InvalidProblem, match="share of the error rate for rejecting must lie strictly between 0 and 1"):
        shares_to_find(0.05, 3, 1, share)


def test_other_nonsense() -> None:
    with pytest.raises(InvalidProblem, match="at least one arm, got 0"):
        shares_to_find(0.05, 0)
    with pytest.raises(InvalidProblem, match=r"got 1\.5"):
        shares_to_find(1.5, 3)
    for wanted in (0, 4):
        with pytest.raises(InvalidProblem, match=f"between 1 and all 3 arms, got {wanted}"):
            shares_to_find(0.05, 3, wanted)
    with pytest.raises(InvalidProblem, match="averaged metrics must be zero or more, got -1"):
        reject_shares(0.01, -1, 2)
    with pytest.raises(InvalidProblem, match="error rate of rejecting"):
        reject_shares(0.0, 1, 2)


def test_joining_in_logarithms() -> None:
    assert log_average_of_two(1.0, 3.0) == pytest.approx(log((exp(1) + exp(3)) / 2))
    assert log_mixture_of_two(1.0, 3.0, 0.25) == pytest.approx(log(0.25 * exp(1) + 0.75 * exp(3)))
    for values, expected in (((inf, -3.0), inf), ((-inf, -inf), -inf), ((-5000.0, 4000.0), 4000 - log(2))):
        assert log_average_of_two(*values) == pytest.approx(expected)


@pytest.mark.parametrize("arms", [1, 2, 3, 6, 7, 100])
@pytest.mark.parametrize("share", [0.15, 0.6])
def test_transfers_spend_the_error_rate_once(arms: int, share: float) -> None:
    """All that is not for rejecting may be spent on one arm that fails: what few arms leave over is not spent again."""
    judge = sf.TransferredEvidence(share).judge(sf.problem_of(["a >= 0 : normal(1)", "b >= 0 : normal(1)"], 0.2), arms)
    levels = judge if arms == 1 else judge.evidence
    accepting, rejecting = exp(-levels.accept_level), exp(-levels.reject_level)
    if arms == 1:
        assert (accepting, rejecting) == pytest.approx((0.2, 0.2))
    else:
        assert (accepting, rejecting) == pytest.approx((0.2 * (1 - share), 0.2 * share))


def test_where_no_metric_is_noisy_none_needs_a_share() -> None:
    shares = reject_shares(0.02, 0, 0)
    assert (shares.averaged_level, shares.each_level) == (inf, inf)
