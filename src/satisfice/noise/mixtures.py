"""Averages and products of evidence, computed in logarithms so that nothing overflows.

If every E_j is a nonnegative supermartingale of one filtration that starts at 1, so is every average of them with
weights chosen beforehand, and Ville (1939) gives P(sup_n E >= 1/a) <= a. Arrays have shape (J,) with J >= 1.
"""

from math import exp, inf, log, log1p

from satisfice.arrays import Floats

LN2 = log(2.0)


def log_average_of_two(first: float, second: float) -> float:
    """ln((e^first + e^second)/2)."""
    larger = max(first, second)
    if abs(larger) == inf:
        return larger
    return larger - LN2 + log1p(exp(min(first, second) - larger))


def log_mixture_of_two(first: float, second: float, share: float) -> float:
    """ln(share e^first + (1 - share) e^second)."""
    larger = max(first, second)
    if abs(larger) == inf:
        return larger
    return larger + log(share * exp(first - larger) + (1.0 - share) * exp(second - larger))


def log_weighted_average(log_evidence: Floats, log_weights: Floats) -> float:
    """ln of the sum of e^(log_weights + log_evidence), where the weights sum to at most 1."""
    largest = -inf
    for j in range(log_evidence.shape[0]):
        largest = max(largest, log_weights[j] + log_evidence[j])
    if abs(largest) == inf:
        return largest
    total = 0.0
    for j in range(log_evidence.shape[0]):
        total += exp(log_weights[j] + log_evidence[j] - largest)
    return largest + log(total)


def log_average(log_evidence: Floats) -> float:
    """ln of the plain average of e^log_evidence: valid under any dependence."""
    largest = -inf
    for j in range(log_evidence.shape[0]):
        largest = max(largest, log_evidence[j])
    if abs(largest) == inf:
        return largest
    total = 0.0
    for j in range(log_evidence.shape[0]):
        total += exp(log_evidence[j] - largest)
    return largest + log(total / log_evidence.shape[0])


def log_product(log_evidence: Floats) -> float:
    """ln of the product of e^log_evidence, infinite once one of them is: valid for independent E_j only."""
    total = 0.0
    for j in range(log_evidence.shape[0]):
        if log_evidence[j] == inf:
            return inf
        total += log_evidence[j]
    return total


def log_average_and_product(log_evidence: Floats) -> float:
    """ln of the mean of the average and the product: at most ln 2 behind the better one, for independent E_j only."""
    return log_average_of_two(log_average(log_evidence), log_product(log_evidence))
