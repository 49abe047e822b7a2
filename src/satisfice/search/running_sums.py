"""Sums over the results of one metric of one arm, in the order of asking, from which `diagnostics` tells what is odd.

A list of numbers for each, updated in constant time:

    off      the distance of result n from the mean of those before it
    residual off sqrt((n - 1)/n): independent and of the same variance for normal results (Brown, Durbin and Evans 1975)

M2, M3 and the sum of (i - mean of i)(x - mean of x) are updated about the running mean (Welford 1962; Pebay 2008).
"""

from collections.abc import Sequence
from math import sqrt

FIELDS = (
    *("count", "mean", "second", "third", "trend", "lagged", "lagged_squares", "residual"),
    *("first", "last", "largest", "smallest", "at_largest", "repeats", "repeats_at_largest", "size", "whole"),
)
"""What a row has: `lagged` sums products of neighbouring residuals, `lagged_squares` their squares; `largest` and
`smallest` are those of all results but the first, `at_largest` of them are exactly the largest; `repeats` are exactly
as the one before, those at the largest counted apart; `size` sums up absolute values, `whole` counts whole numbers."""

COUNT, MEAN, SECOND, THIRD, TREND, LAGGED, LAGGED_SQUARES, _RESIDUAL = range(8)
FIRST, _LAST, LARGEST, SMALLEST, AT_LARGEST, REPEATS, REPEATS_AT_LARGEST, SIZE, WHOLE = range(8, 17)

Row = list[float]


def with_results(row: Row, values: Sequence[float]) -> Row:
    """The row with some results more, one after the other."""
    count, mean, second, third, trend, lagged, lagged_squares, residual = row[:8]
    first, last, largest, smallest, at_largest, repeats, repeats_at_largest, size, whole = row[8:]
    for value in values:
        count += 1.0
        whole += value % 1.0 == 0.0
        if count == 1.0:
            mean = first = last = largest = smallest = value
            size = abs(value)
            continue
        before = count - 1.0
        off = value - mean
        step = off / count
        third += off * step * step * before * (count - 2.0) - 3.0 * step * second
        second += off * step * before
        trend += 0.5 * off * before
        product = residual
        residual = off * sqrt(before / count)
        product *= residual
        lagged += product
        lagged_squares += product * product
        if count == 2.0 or value > largest:
            repeats += repeats_at_largest
            largest, at_largest, repeats_at_largest = value, 1.0, float(value == last)
        elif value == largest:
            at_largest += 1.0
            repeats_at_largest += value == last
        elif value == last:
            repeats += 1.0
        if count == 2.0 or value < smallest:
            smallest = value
        mean += step
        last = value
        size += abs(value)
    sums = [count, mean, second, third, trend, lagged, lagged_squares, residual]
    return [*sums, first, last, largest, smallest, at_largest, repeats, repeats_at_largest, size, whole]
