"""The shapes: one half to choose the constants of `noise.checked` on, the other to judge them on."""

from enum import StrEnum
from typing import NamedTuple

from satisfice.simulation.shapes import (
    Form,
    clusters,
    coin,
    counts,
    gamma_form,
    geometric,
    lattice,
    lognormal,
    normal,
    pareto,
    spikes,
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
