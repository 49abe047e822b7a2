"""Evidence that the mean of results in [0, 1] is above theta; `bets` says how, and what if theta is not in (0, 1).

Every bet has a capital, and the evidence is their weighted average (Waudby-Smith and Ramdas 2024): it adapts to the
true variance, for whatever that is some bet is near the best one. What is kept of the results is two sums, from which
follows the least that the capitals can be. Results in [low, high] are mapped to (x - low)/(high - low), theta likewise;
evidence that the mean is below theta is that of 1 - x above 1 - theta.

Arrays have shape (J,): `bets.BETS` and `bets.LOG_WEIGHTS`.
"""

from math import exp, inf, log, log1p

from satisfice.arrays import Floats
from satisfice.noise.bets import ROUNDED_ZERO, bet_at


def log_evidence_moments(
    pulls: int, total: float, squares: float, theta: float, bets: Floats, log_weights: Floats
) -> float:
    """A lower bound of ln E_n at any theta from the sum S of the results and the sum Q of their squares alone.

    No capitals are needed, and it is the largest such bound: n - S^2/Q results of 0 and S^2/Q results of Q/S have
    these sums too, and give least capital of all. Take f(x) = ln(1 + l (x - theta)) and the parabola q through f at 0
    that touches f at Q/S. f - q = f'''(somewhere)/6 x (x - Q/S)^2 >= 0 for x >= 0 (Hermite's interpolation), f'''
    being positive, so sum f >= sum q, which is a function of n, S and Q and equals sum f for the results just named.
    """
    if total <= 0.0 or squares <= 0.0:
        return log_evidence_two_values(1.0 * pulls, 0.0, 1.0, theta, bets, log_weights)
    at_most_one = min(squares, total)  # x^2 <= x
    weight = min(total * total / at_most_one, 1.0 * pulls)  # Cauchy and Schwarz
    return log_evidence_two_values(pulls - weight, weight, total / weight, theta, bets, log_weights)


def log_evidence_two_values(
    zeros: float, others: float, value: float, theta: float, bets: Floats, log_weights: Floats
) -> float:
    """ln E of `zeros` results of 0 and `others` of `value` > 0; both numbers need not be whole."""
    if theta < ROUNDED_ZERO or (theta <= 0.0 and others > 0.0):
        return inf
    if theta <= 0.0 or theta >= 1.0:
        return 0.0
    largest = -inf
    total = 0.0
    for j in range(bets.shape[0]):
        bet = bet_at(theta, bets[j])
        capital = log_weights[j] + others * log1p(bet * (value - theta)) + zeros * log1p(-bet * theta)
        if capital > largest:
            total = total * exp(largest - capital) + 1.0
            largest = capital
        else:
            total += exp(capital - largest)
    return largest + log(total)
