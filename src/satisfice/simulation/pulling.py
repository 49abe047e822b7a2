"""The inner loops: one arm is pulled until it is decided or others are ahead.

One loop for each kind of judge, with one skeleton: a loop that serves all of them costs a sixth more a pull.
"""

from typing import Any

import numpy as np

from satisfice.arrays import Floats, excess_of, fold, fold_squares
from satisfice.rules.protocol import priority_of
from satisfice.search.tournament import leads
from satisfice.simulation.workspace import Workspace
from satisfice.stopping.decision import ACCEPT, KEEP, REJECT, fails, passes
from satisfice.stopping.sufficiency import all_certain, hopeless


def pull_under_boundary(
    rng: np.random.Generator,
    arms: Any,
    rule: Any,
    judge: Any,
    bonuses: Floats,
    space: Workspace,
    tolerances: Floats,
    total_pulls: int,
    arm: int,
    most: int,
    before: float,
    after: float,
) -> tuple[int, float, int]:
    """Pull the arm until it is decided, no longer ahead of the arms before and after it, or pulled `most` times.

    Returns its pulls, its shortfall and the decision.
    """
    widths, largest_tolerance = judge.widths, judge.largest_tolerance
    deficits, squares, results = space.deficits, space.squares, space.results
    pulls = space.pulls[arm]
    while True:
        arms.draw(rng, arm, results)
        pulls += 1
        shortfall = fold(deficits, arm, results) / pulls
        fold_squares(squares, arm, results)
        width = widths[pulls]
        # the excess is at least shortfall - largest_tolerance, in floating point too: seldom worth computing
        if passes(shortfall - largest_tolerance, width) and passes(excess_of(deficits, arm, pulls, tolerances), width):
            return pulls, shortfall, ACCEPT
        if fails(shortfall, width):
            return pulls, shortfall, REJECT
        if pulls == most:
            return pulls, shortfall, KEEP
        excess = excess_of(deficits, arm, pulls, tolerances)  # costs nothing where the rule does not look at it
        if not leads(priority_of(rule, shortfall, excess, bonuses[pulls], total_pulls), before, after):
            return pulls, shortfall, KEEP


def pull_under_evidence(
    rng: np.random.Generator,
    arms: Any,
    rule: Any,
    judge: Any,
    bonuses: Floats,
    space: Workspace,
    tolerances: Floats,
    total_pulls: int,
    arm: int,
    most: int,
    before: float,
    after: float,
) -> tuple[int, float, int]:
    """The same when evidence decides."""
    constants, tables, bets, ratios = judge.constants, judge.tables, judge.bets, judge.ratios
    accept_level, reject_level, noise_scale = judge.accept_level, judge.reject_level, judge.noise_scale
    product_level = judge.product_level
    deficits, squares, latched, results = space.deficits, space.squares, space.latched, space.results
    pulls = space.pulls[arm]
    while True:
        arms.draw(rng, arm, results)
        pulls += 1
        shortfall = fold(deficits, arm, results) / pulls
        fold_squares(squares, arm, results)
        if all_certain(constants, tables, bets, ratios, accept_level, deficits, squares, latched, arm, pulls):
            return pulls, shortfall, ACCEPT
        if shortfall > 0.0 and hopeless(
            constants, tables, bets, ratios, reject_level, product_level, noise_scale, deficits, squares, arm, pulls
        ):
            return pulls, shortfall, REJECT
        if pulls == most:
            return pulls, shortfall, KEEP
        excess = excess_of(deficits, arm, pulls, tolerances)
        if not leads(priority_of(rule, shortfall, excess, bonuses[pulls], total_pulls), before, after):
            return pulls, shortfall, KEEP


def pull_under_judge(
    rng: np.random.Generator,
    arms: Any,
    rule: Any,
    judge: Any,
    bonuses: Floats,
    space: Workspace,
    tolerances: Floats,
    total_pulls: int,
    arm: int,
    most: int,
    before: float,
    after: float,
) -> tuple[int, float, int]:
    """The same under any judge: by its methods, which costs more than taking its tables in hand."""
    deficits, squares, latched, results = space.deficits, space.squares, space.latched, space.results
    pulls = space.pulls[arm]
    while True:
        arms.draw(rng, arm, results)
        pulls += 1
        shortfall = fold(deficits, arm, results) / pulls
        fold_squares(squares, arm, results)
        if judge.accepts(deficits, squares, latched, arm, pulls, shortfall):
            return pulls, shortfall, ACCEPT
        if judge.rejects(deficits, squares, arm, pulls, shortfall):
            return pulls, shortfall, REJECT
        if pulls == most:
            return pulls, shortfall, KEEP
        excess = excess_of(deficits, arm, pulls, tolerances)
        if not leads(priority_of(rule, shortfall, excess, bonuses[pulls], total_pulls), before, after):
            return pulls, shortfall, KEEP


def loop_for(judge: Any) -> Any:
    """The inner loop that fits a judge, or a judge's class."""
    if hasattr(judge, "widths"):
        return pull_under_boundary
    return pull_under_evidence if hasattr(judge, "constants") else pull_under_judge


def pull_while_ahead(*arguments: Any) -> tuple[int, float, int]:
    """The inner loop that fits the judge (the fourth argument)."""
    pulled: tuple[int, float, int] = loop_for(arguments[3])(*arguments)
    return pulled
