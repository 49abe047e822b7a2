"""The shapes: one half to choose the constants of `noise.checked` on, the other to judge them on."""

from enum import StrEnum
from typing import NamedTuple

from satisfice.simulation.shapes import (
    Form,
    clusters,
    coin,
    counts,
    gamma_difference,
    gamma_form,
    geometric,
    johnson,
    lattice,
    lognormal,
    lognormal_pairs,
    normal,
    pareto,
    spikes,
    student,
    weibull,
)


class Half(StrEnum):
    """What a shape is for."""

    CHOOSING = "choosing"
    HELD_OUT = "held out"
    UNDETECTABLE = "undetectable"


class Member(NamedTuple):
    name: str
    form: Form
    half: Half


CHOOSING = {
    "normal": normal(),
    "lognormal 0.5": lognormal(0.5),
    "lognormal 1": lognormal(1.0),
    "exponential": gamma_form(1.0),
    "gamma 4": gamma_form(4.0),
    "Pareto 3": pareto(3.0),
    "bimodal, 3 in 10 are 8 sd larger": clusters(0.3, 8.0),
    "exponential, rounded up, mean 3": geometric(1.0 / 3.0),
    "integers, Poisson with mean 1": counts(1.0),
    "0 or 1, one in 10": coin(0.1),
    "Johnson SU, sinh(1.2 (Z + 0.4))": johnson(1.2, 0.4),
    "Johnson SU, sinh(1.5 (Z + 0.4))": johnson(1.5, 0.4),
    "Johnson SU, sinh(2 (Z + 0.3))": johnson(2.0, 0.3),
    "Student's t, 3 df": student(3.0),
    "skewed t, 2.5 df, gamma 1.5": student(2.5, 1.5),
    "skewed t, 3 df, gamma 2": student(3.0, 2.0),
    "pairs, lognormal 1 and 0.8": lognormal_pairs(1.0, 0.8),
}
HELD_OUT = {
    "lognormal 0.25": lognormal(0.25),
    "lognormal 0.75": lognormal(0.75),
    "lognormal 1.25": lognormal(1.25),
    "lognormal 1.5": lognormal(1.5),
    "lognormal 2": lognormal(2.0),
    "gamma 0.3": gamma_form(0.3),
    "gamma 16": gamma_form(16.0),
    "Weibull 0.5": weibull(0.5),
    "Weibull 0.7": weibull(0.7),
    "Pareto 2.5": pareto(2.5),
    "Pareto 4": pareto(4.0),
    "bimodal, half are 6 sd larger": clusters(0.5, 6.0),
    "bimodal, 1 in 10 is 10 sd larger": clusters(0.1, 10.0),
    "bimodal, 3 in 20 are 5 sd larger": clusters(0.15, 5.0),
    "normal, rounded to a tenth of its sd": lattice(0.1),
    "normal, rounded to its sd": lattice(1.0),
    "exponential, rounded up, mean 20": geometric(0.05),
    "integers, Poisson with mean 0.2": counts(0.2),
    "0 or 1, one in 33": coin(0.03),
    "constant": coin(0.0),
    "Johnson SU, sinh(Z + 0.6)": johnson(1.0, 0.6),
    "Johnson SU, sinh(1.3 (Z + 0.2))": johnson(1.3, 0.2),
    "Johnson SU, sinh(1.7 (Z + 0.8))": johnson(1.7, 0.8),
    "Johnson SU, sinh(2.5 (Z + 0.1))": johnson(2.5, 0.1),
    "Student's t, 5 df": student(5.0),
    "skewed t, 4 df, gamma 1.3": student(4.0, 1.3),
    "skewed t, 3.5 df, gamma 1.7": student(3.5, 1.7),
    "pairs, lognormal 0.8 and 0.5": lognormal_pairs(0.8, 0.5),
    "pairs, lognormal 1 and 0.3": lognormal_pairs(1.0, 0.3),
    "pairs, lognormal 1.2 and 1": lognormal_pairs(1.2, 1.0),
    "exponential less gamma 0.5": gamma_difference(1.0, 0.5),
    "gamma 0.3 less gamma 0.2": gamma_difference(0.3, 0.2),
}
UNDETECTABLE = {
    "1 % are 3 times as large": spikes(0.01, 3.0),
    "1 % are 10 times as large": spikes(0.01, 10.0),
    "5 % are 3 times as large": spikes(0.05, 3.0),
}
"""What happens in less than a tenth of the evaluations, and is so far off that it moves the mean."""

ZOO = tuple(
    Member(name, form, half)
    for half, forms in ((Half.CHOOSING, CHOOSING), (Half.HELD_OUT, HELD_OUT), (Half.UNDETECTABLE, UNDETECTABLE))
    for name, form in forms.items()
)
