"""Sums over the results of one metric of one arm, in the order of asking, from which `checks` tells what is odd.

A list of numbers for each, updated in constant time:

    off      the distance of result n from the mean of those before it
    residual off sqrt((n - 1)/n): independent and of the same variance for normal results (Brown, Durbin and Evans 1975)

M2, M3 and the sum of (i - mean of i)(x - mean of x) are updated about the running mean (Welford 1962; Pebay 2008).
"""

from math import sqrt

FIELDS = (
    *("count", "mean", "second", "third", "trend", "lagged", "lagged_squares", "residual"),
    *("first", "last", "largest", "smallest", "at_largest", "repeats", "repeats_at_largest", "size"),
)
"""What a row has: `lagged` sums products of neighbouring residuals, `lagged_squares` their squares; `largest` and
`smallest` are those of all results but the first, `at_largest` of them are exactly the largest; `repeats` are exactly
as the one before, those at the largest counted apart; `size` sums up absolute values."""

COUNT, MEAN, SECOND, THIRD, TREND, LAGGED, LAGGED_SQUARES, _RESIDUAL = range(8)
FIRST, _LAST, LARGEST, SMALLEST, AT_LARGEST, REPEATS, REPEATS_AT_LARGEST, SIZE = range(8, 16)

Row = list[float]


def with_result(row: Row, value: float) -> Row:
    """The row with one result more."""
    count, mean, second, third, trend, lagged, lagged_squares, residual = row[:8]
    first, last, largest, smallest, at_largest, repeats, repeats_at_largest, size = row[8:]
    count += 1.0
    if count == 1.0:
        return [1.0, value, *([0.0] * 6), value, value, value, value, 0.0, 0.0, 0.0, abs(value)]
    off = value - mean
    step = off / count
    third += off * step * step * (count - 1.0) * (count - 2.0) - 3.0 * step * second
    second += off * step * (count - 1.0)
    trend += 0.5 * off * (count - 1.0)
    before, residual = residual, off * sqrt((count - 1.0) / count)
    product = before * residual
    lagged += product
    lagged_squares += product * product
    if count == 2.0 or value > largest:
        repeats += repeats_at_largest
        largest, at_largest, repeats_at_largest = value, 1.0, 0.0
    elif value == largest:
        at_largest += 1.0
        repeats_at_largest += value == last
    elif value == last:
        repeats += 1.0
    if count == 2.0 or value < smallest:
        smallest = value
    sums = [count, mean + step, second, third, trend, lagged, lagged_squares, residual]
    return [*sums, first, value, largest, smallest, at_largest, repeats, repeats_at_largest, size + abs(value)]
