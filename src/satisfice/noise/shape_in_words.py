"""What is said of a metric whose results have a shape that nothing is decided by yet, and what to declare instead."""

from math import isclose

from satisfice.layout.numbers import counted, fixed, rounded, to_digits


def skewness_in_words(skewness: float, pulls: int, needed: float, metric: str) -> str:
    return f"is skewed ({rounded(skewness, 2)} after {counted(pulls, 'result')}): {_price(needed, metric)}"


def tails_in_words(pulls: int, needed: float, metric: str) -> str:
    return f"has long tails ({counted(pulls, 'result')}): {_price(needed, metric)}"


def _price(needed: float, metric: str) -> str:
    about = fixed(to_digits(needed, 1), 0)
    return f"about {about} evaluations for a mean; p95({metric}), pairs with a baseline or spread(SD) may need fewer"


def few_values_in_words(values: list[float], pulls: int) -> str:
    """`values` are the different ones that results had, one or two."""
    told = " or ".join(rounded(value, 6) for value in sorted(values))
    return f"was {told} in all {counted(pulls, 'result')}: {_declare(values)}"


def _declare(values: list[float]) -> str:
    if all(isclose(value, round(value), abs_tol=1e-9) and round(value) in (0, 1) for value in values):
        return "if every result is 0 or 1, declare it bernoulli"
    if len(values) == 1:
        return "if it is always the same, declare it exact"
    return "so few different values decide nothing; if none can be outside a range, declare bounded(LOW, HIGH)"
