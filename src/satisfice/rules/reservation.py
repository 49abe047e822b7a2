"""What an arm is worth: the reservation cost of one that has been looked at, in evaluations.

Several arms may be evaluated, each evaluation costs 1, and the search ends when one arm is accepted. If the arms are
independent, the least expected cost is that of a rule which gives each arm a number by its own results alone and
evaluates the one with the lowest: the R at which it is all the same whether one pays R and is done, or goes on with
this arm and may still pay R later (Dumitriu, Tetali and Winkler 2003, for tokens on Markov chains; Gittins 1979). Here
an arm is its number of results n and z, by how many standard errors its mean is beyond the limit. It is accepted where
z reaches an `edge`, the root of twice the level of evidence, and of its true mean nothing is known before: given n and
z it is normal around z/sqrt(n) with variance 1/n. In logarithmic time s = ln n the score then moves by z/2 ds plus a
Brownian motion, at a cost of n ds, and the value v of going on with R = 1 solves

    0 = min(1 - v, dv/ds + z/2 dv/dz + 1/2 d2v/dz2 + e^s),    v = 0 at the edge.

What is solved is without a scale, so that R = n f(z, edge). The table has ln(f/(edge - z)) at z = -5, -4.5 ... 9 for
edges of 1.5, 2.5 ... 9.5, from finite differences (tests/rules/test_reservation.py computes it again).
"""

from math import exp

import numpy as np

from satisfice.arrays import Floats

LOWEST, STEPS_IN_ONE, COLUMNS = -5.0, 2.0, 29
FIRST_EDGE, EDGES = 1.5, 9
LEAST_TO_GO = 0.1
"""What is no nearer to its edge, in standard errors, is not told apart."""
LEAST_BEYOND = 1e-9
"""The edge over a score beyond it: no score is taken for further than that."""
HOPELESS, MOST = -1e6, 600.0
"""Scores below the first are as bad as it, and ln of what an arm costs is no more than the second."""

# fmt: off
TABLE: Floats = np.array([
    # 1.5
    10.79, 8.67, 6.91, 5.48, 4.32, 3.39, 2.61, 1.95, 1.38, 0.85, 0.36, -0.16, -0.86, -1.45, -1.45,
    -1.45, -1.45, -1.45, -1.45, -1.45, -1.45, -1.45, -1.45, -1.45, -1.45, -1.45, -1.45, -1.45, -1.45,
    # 2.5
    10.73, 8.63, 6.90, 5.52, 4.41, 3.52, 2.78, 2.17, 1.64, 1.17, 0.75, 0.36, -0.01, -0.42, -1.00,
    -1.50, -1.50, -1.50, -1.50, -1.50, -1.50, -1.50, -1.50, -1.50, -1.50, -1.50, -1.50, -1.50, -1.50,
    # 3.5
    10.63, 8.55, 6.85, 5.49, 4.42, 3.56, 2.86, 2.27, 1.76, 1.33, 0.94, 0.59, 0.28, -0.02, -0.32,
    -0.65, -1.13, -1.54, -1.54, -1.54, -1.54, -1.54, -1.54, -1.54, -1.54, -1.54, -1.54, -1.54, -1.54,
    # 4.5
    10.54, 8.47, 6.79, 5.46, 4.41, 3.58, 2.89, 2.32, 1.84, 1.42, 1.05, 0.72, 0.42, 0.15, -0.10,
    -0.34, -0.58, -0.84, -1.25, -1.58, -1.58, -1.58, -1.58, -1.58, -1.58, -1.58, -1.58, -1.58, -1.58,
    # 5.5
    10.45, 8.40, 6.74, 5.43, 4.40, 3.59, 2.92, 2.36, 1.89, 1.48, 1.12, 0.81, 0.52, 0.26, 0.03,
    -0.19, -0.40, -0.59, -0.79, -1.01, -1.37, -1.59, -1.59, -1.59, -1.59, -1.59, -1.59, -1.59, -1.59,
    # 6.5
    10.38, 8.33, 6.69, 5.41, 4.40, 3.59, 2.94, 2.39, 1.93, 1.53, 1.18, 0.87, 0.59, 0.34, 0.11,
    -0.10, -0.29, -0.47, -0.64, -0.81, -0.98, -1.17, -1.47, -1.59, -1.59, -1.59, -1.59, -1.59, -1.59,
    # 7.5
    10.31, 8.27, 6.65, 5.38, 4.39, 3.60, 2.96, 2.42, 1.97, 1.57, 1.23, 0.92, 0.65, 0.40, 0.18,
    -0.03, -0.21, -0.39, -0.55, -0.70, -0.85, -0.99, -1.14, -1.30, -1.57, -1.60, -1.60, -1.60, -1.60,
    # 8.5
    10.24, 8.22, 6.62, 5.36, 4.38, 3.61, 2.97, 2.45, 2.00, 1.61, 1.27, 0.97, 0.70, 0.46, 0.24,
    0.04, -0.15, -0.32, -0.48, -0.63, -0.77, -0.90, -1.03, -1.15, -1.28, -1.42, -1.66, -1.66, -1.66,
    # 9.5
    10.18, 8.18, 6.58, 5.35, 4.38, 3.61, 2.99, 2.47, 2.03, 1.64, 1.31, 1.01, 0.75, 0.51, 0.29,
    0.09, -0.09, -0.26, -0.42, -0.57, -0.70, -0.83, -0.96, -1.07, -1.18, -1.29, -1.40, -1.53, -1.74,
]).reshape(EDGES, COLUMNS)
# fmt: on
TABLE.setflags(write=False)


def reservation_cost(score: float, edge: float, pulls: float) -> float:
    """R of an arm with that score after `pulls` results: between the points of the table by straight lines.

    Below the lowest point the last line goes on, above the highest edge its row stands for all. An arm beyond its edge
    should be accepted; where it is not, since its evidence takes more than normal results would, it is the better the
    further it has come: the score grows with the root of the results, and what is left falls with their number.
    """
    low = max(score, HOPELESS)
    row = min(max(edge - FIRST_EDGE, 0.0), EDGES - 1.0)
    column = min((low - LOWEST) * STEPS_IN_ONE, COLUMNS - 1.0)
    above, left = min(int(row), EDGES - 2), min(int(max(column, 0.0)), COLUMNS - 2)
    down, right = row - above, column - left
    here = TABLE[above, left] + right * (TABLE[above, left + 1] - TABLE[above, left])
    there = TABLE[above + 1, left] + right * (TABLE[above + 1, left + 1] - TABLE[above + 1, left])
    beyond = max(edge / max(edge, low), LEAST_BEYOND) ** 4
    return pulls * beyond * max(edge - low, LEAST_TO_GO) * exp(min(here + down * (there - here), MOST))
