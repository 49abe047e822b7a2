"""What an evaluation costs under each noise model and statistic, against one of normal noise with a known scale."""

from functools import partial
from typing import NamedTuple

import satisfice as sf
from benchmarks.bar import Bar, at_most
from benchmarks.rounds import Effort, in_turns
from benchmarks.speed.simulator import default_cell, seconds_a_pull
from satisfice.simulation.cell import Cell, run_cell

BUDGET = 2000
REPETITIONS = 100
KNOWN = "normal(sd)"


class Question(NamedTuple):
    """One limit, and ten configurations around it, of which none is far from it: a run takes thousands of pulls."""

    threshold: str
    limit: float
    step: float

    def cell(self, repetitions: int) -> Cell:
        problem = sf.problem_of([self.threshold], 0.05)
        values = [[self.limit + self.step * place] for place in range(1, 11)]
        return default_cell(repetitions, sf.Instance.of(problem, sf.arms_for(problem, values, sds=1.0)), BUDGET)


QUESTIONS = {
    KNOWN: Question("x <= 0 : normal(1)", 0.0, 0.004),
    "normal": Question("x <= 0 : normal", 0.0, 0.004),
    "nothing declared": Question("x <= 0", 0.0, 0.004),
    "spread(SD)": Question("x <= 0 : spread(1)", 0.0, 0.004),
    "bounded": Question("x <= 0.5 : bounded(0, 1)", 0.5, 0.001),
    "bernoulli": Question("x <= 0.5 : bernoulli", 0.5, 0.002),
    "poisson": Question("x <= 4 : poisson", 4.0, 0.008),
    "percentile": Question("p90(x) <= 0", 0.0, 0.006),
    "share": Question("share(x <= 2) >= 0.9", 0.9, -0.001),
    "pairs": Question("x <= baseline + 0.1% : normal", 1.001, 0.004),
    "set of items": Question("x >= 0.85 : bernoulli of 5000", 0.85, -0.0005),
}


def by_model(effort: Effort) -> list[Bar]:
    """time a pull under each noise model"""
    cells = {name: question.cell(effort.of(REPETITIONS)) for name, question in QUESTIONS.items()}
    for question in QUESTIONS.values():
        run_cell(question.cell(1))  # compiles
    known, *taken = in_turns(effort.rounds, [partial(seconds_a_pull, cell) for cell in cells.values()])
    return [
        at_most(
            f"{name}: time a pull, against {KNOWN}",
            pull.over(known),
            3,
            details=f"{pull.median * 1e9:.0f} ns and {known.median * 1e9:.0f} ns",
        )
        for name, pull in zip(list(cells)[1:], taken, strict=True)
    ]


MEASURES = (by_model,)
