"""Averages of evidence, computed in logarithms so that nothing overflows.

If every E_j is a nonnegative supermartingale of one filtration that starts at 1, so is every average of them with
weights chosen beforehand, and Ville (1939) gives P(sup_n E >= 1/a) <= a.
"""

from math import exp, inf, log, log1p

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
