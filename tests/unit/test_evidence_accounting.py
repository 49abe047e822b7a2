"""Shares of the error rate, and how the evidence of several metrics is joined."""

from math import exp, inf, log

import pytest

import satisfice as sf
from satisfice.errors import InvalidProblem
from satisfice.noise.mixtures import log_average_of_two, log_mixture_of_two
from satisfice.stopping.error_budget import reject_shares, shares_to_find_all, shares_to_find_one


@pytest.mark.parametrize("arms", [1, 2, 3, 4, 5, 10, 1000])
@pytest.mark.parametrize("share", [0.05, 0.25, 0.5, 0.9])
def test_both_sums_stay_within_the_error_rate(arms: int, share: float) -> None:
    rate = 0.05
    accept, reject = shares_to_find_one(rate, arms, share)
    assert arms * accept <= rate * (1 + 1e-12)
    assert (arms - 1) * accept + reject <= rate * (1 + 1e-12)
    assert reject >= share * rate * (1 - 1e-12)
    # and neither can be raised
    assert arms * accept == pytest.approx(rate) or (arms - 1) * accept + reject == pytest.approx(rate)
    assert arms == 1 or (arms - 1) * accept + reject == pytest.approx(rate)


def test_defaults() -> None:
    assert shares_to_find_one(0.05, 1) == (0.05, 0.05)
    assert shares_to_find_one(0.05, 10) == pytest.approx((0.85 * 0.05 / 9, 0.15 * 0.05))
    assert shares_to_find_one(0.05, 2) == pytest.approx((0.025, 0.025))  # what accepting leaves over goes to rejecting
    assert shares_to_find_one(0.05, 10).accept_level == pytest.approx(log(9 / (0.85 * 0.05)))
    assert shares_to_find_all(0.05, 10) == pytest.approx((0.005, 0.005))


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
        shares_to_find_one(0.05, 3, share)


def test_other_nonsense() -> None:
    with pytest.raises(InvalidProblem, match="at least one arm, got 0"):
        shares_to_find_all(0.05, 0)
    with pytest.raises(InvalidProblem, match=r"got 1\.5"):
        shares_to_find_one(1.5, 3)
    with pytest.raises(InvalidProblem, match="at least one metric"):
        reject_shares(0.01, 0, 0)
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
    accepting, rejecting = exp(-judge.accept_level), exp(-judge.evidence.reject_level)
    if arms == 1:
        assert (accepting, rejecting) == pytest.approx((0.2, 0.2))
    else:
        assert (accepting, rejecting) == pytest.approx((0.2 * (1 - share), 0.2 * share))
