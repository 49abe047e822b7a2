"""How often the verdict on an undeclared metric is wrong, and what it costs: by shape, and on normal results."""

from typing import NamedTuple

from benchmarks.shapes.zoo import Member
from satisfice.problem.problem import problem_of
from satisfice.rules import DEFAULT_RULE
from satisfice.simulation import simulate
from satisfice.simulation.shapes import Form, normal, shaped_arms
from satisfice.simulation.summary import CellSummary

ERROR_RATE = 0.05
BUDGET, BUDGET_OF_NINE = 20_000, 45_000
"""Evaluations after which a study is given up, with one configuration and with nine."""
BESIDE = 1e-6
"""How far on the other side of its limit a mean is, in standard deviations: as near as can be."""
MARGIN = 0.5
"""By how many standard deviations a configuration passes, to see what accepting it costs."""
FAILING, PASSING = 1.0, -1.0
"""The side of the long tail, for a limit that must not be exceeded."""


class Row(NamedTuple):
    """Shares of wrong verdicts: FOUND with one configuration that fails or nine, NONE with one that passes.

    `declared_normal` is FOUND with one as it would be under `: normal`. `cost` and `cost_normal` are the mean
    evaluations of a configuration that passes, undeclared and declared normal.
    """

    member: Member
    found: float
    found_of_nine: float
    none: float
    declared_normal: float
    cost: float
    cost_normal: float

    @property
    def worst(self) -> float:
        return max(self.found, self.found_of_nine, self.none)


def runs(
    form: Form,
    mean: float,
    tail: float,
    repetitions: int,
    *,
    configs: int = 1,
    noise: str = "checked",
    seed: int = 0,
    error_rate: float = ERROR_RATE,
    budget: int | None = None,
) -> CellSummary:
    """Studies of configurations that all have this mean, against the limit 0."""
    problem = problem_of([f"x <= 0 : {noise}"], error_rate)
    return simulate(
        problem,
        shaped_arms([[mean]] * configs, form, tail),
        rules=[DEFAULT_RULE],
        repetitions=repetitions,
        max_evaluations=budget or (BUDGET if configs == 1 else BUDGET_OF_NINE),
        seed=seed,
        threads=1,
    ).summaries[0]


def measured(member: Member, repetitions: int) -> Row:
    """A line of the table; `found` for the worse side of the long tail."""
    form = member.form
    return Row(
        member,
        max(runs(form, BESIDE, tail, repetitions).found for tail in (FAILING, PASSING)),
        runs(form, BESIDE, FAILING, repetitions, configs=9).found,
        runs(form, -BESIDE, PASSING, repetitions).none,
        runs(form, BESIDE, FAILING, repetitions, noise="normal").found,
        runs(form, -MARGIN, FAILING, repetitions).mean,
        runs(form, -MARGIN, FAILING, repetitions, noise="normal").mean,
    )


class Price(NamedTuple):
    """Mean evaluations on normal results, undeclared and declared normal; `each`: of the configuration last decided."""

    what: str
    undeclared: float
    declared: float
    each: float


PRICED = {
    f"{what} {margin:g} sd": [[sign * margin]] * fails + [[-margin]] * passes
    for what, sign, fails, passes in (
        ("one that passes by", 1.0, 0, 1),
        ("one passes of ten, all by", 1.0, 9, 1),
        ("none of ten, all by", 1.0, 10, 0),
    )
    for margin in (1.0, 0.5, 0.4, 0.3, 0.2)
}
"""Means against the limit 0."""


MORE = 10
"""So many times the repetitions: a ratio of prices is known to one part in a hundred then."""


def priced(what: str, repetitions: int) -> Price:
    """What declaring nothing costs where the results are normal."""
    made = {}
    for noise in ("checked", "normal"):
        problem = problem_of([f"x <= 0 : {noise}"], ERROR_RATE)
        arms = shaped_arms(PRICED[what], normal())
        made[noise] = simulate(problem, arms, repetitions=MORE * repetitions, max_evaluations=10 * BUDGET, threads=1)
    undeclared, declared = (result.summaries[0] for result in made.values())
    return Price(what, undeclared.mean, declared.mean, declared.pulls_per_arm[-1])
