"""What is said of a metric whose results have a shape that nothing is decided by yet, and what to declare instead."""

from math import isclose

from satisfice.layout.numbers import counted, fixed, rounded, to_digits


def skewness_in_words(skewness: float, pulls: int, needed: float, metric: str) -> str:
    about = to_digits(needed, 1)
    return (
        f"is skewed ({rounded(skewness, 2)} after {counted(pulls, 'result')}): about {fixed(about, 0)} evaluations "
        f"for a mean; p95({metric}), pairs with a baseline or spread(SD) may need fewer"
    )


def few_values_in_words(values: list[float], pulls: int) -> str:
    coin = all(isclose(value, round(value), abs_tol=1e-9) and round(value) in (0, 1) for value in values)
    fits = "bernoulli" if coin else "bounded(LOW, HIGH)"
    told = " and ".join(rounded(value, 6) for value in sorted(values))
    return (
        f"has been {told} in all {counted(pulls, 'result')}, which says nothing about rarer ones: nothing is "
        f"decided by it. Declare {fits}"
    )
