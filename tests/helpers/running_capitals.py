"""Running capitals: the evidence of results in [0, 1] as it is defined, one capital for each bet, result by result."""

from math import inf, log1p

import numpy as np
from scipy.special import logsumexp

from satisfice.noise.betting import BETS, ROUNDED_ZERO, bet_at


def bets_at(theta: float) -> np.ndarray:
    """All bets at theta, of shape (J,)."""
    return np.array([bet_at(theta, bet) for bet in BETS.tolist()])


def updated_log_capital(log_capital: float, value: float, theta: float, bet: float) -> float:
    """ln of one bet's capital after one more result."""
    if theta < ROUNDED_ZERO or (theta <= 0.0 and value > 0.0):
        return inf
    return log_capital + log1p(bet * (value - theta))


def update_log_capitals(log_capitals: np.ndarray, value: float, theta: float, bets: np.ndarray) -> None:
    """Every bet's capital after one more result, in place; `bets` are those at theta."""
    for j in range(log_capitals.shape[0]):
        log_capitals[j] = updated_log_capital(log_capitals[j], value, theta, bets[j])


def log_evidence_bounded(log_capitals: np.ndarray, theta: float, log_weights: np.ndarray) -> float:
    """ln E_n: increasing in every result, decreasing in theta."""
    if theta < ROUNDED_ZERO:
        return inf
    return float(logsumexp(log_capitals + log_weights))
