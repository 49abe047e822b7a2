"""What is left of a study as far as one can say: evaluations, and what they cost."""

from collections.abc import Callable, Sequence
from math import ceil, isfinite
from typing import NamedTuple

from satisfice.layout.numbers import compact, counted, whole_percent
from satisfice.problem.goal import Goal
from satisfice.search.verdict import ArmStatus, Outcome
from satisfice.stopping.decision import ACCEPT, KEEP
from satisfice.study import StudyView
from satisfice.study.forecast import Forecast

CostOf = Callable[[str], float | None]

LEAST_PULLS, LEAST_PROGRESS = 5, 0.1
"""With fewer results of a configuration, or less of the evidence, it is too early to say."""


class Left(NamedTuple):
    """About how many evaluations are left, and what they cost, None where nobody knows."""

    evaluations: int
    cost: float | None = None


def forecast(goal: Goal | int, statuses: Sequence[ArmStatus], cost: CostOf) -> Left | None:
    """About what is left: evidence grows in proportion to evaluations. None while it is too early to say.

    `cost` says what an evaluation of a configuration is expected to cost.
    """
    open_ones = [status for status in statuses if status.decision == KEEP]
    if not open_ones:
        return None
    if goal is not Goal.ALL:
        wanted = 1 if goal is Goal.ANY else int(goal)
        missing = wanted - sum(status.decision == ACCEPT for status in statuses)
        passing = [
            status for status in open_ones if status.pulls >= LEAST_PULLS and leaning(status)[0] > LEAST_PROGRESS
        ]
        if len(passing) >= missing:
            found = [_priced(status, _pulls(status, leaning(status)[0]), cost) for status in passing]
            found.sort(key=lambda one: one.evaluations if one.cost is None else one.cost)
            return _together(found[:missing])
    known = [_to_decide(status, cost) for status in open_ones]
    whole = [one for one in known if one is not None and isfinite(one.evaluations)]
    if len(whole) < len(known):
        return None
    return _together(whole)


def _together(each: Sequence[Left]) -> Left:
    money = [one.cost for one in each if one.cost is not None]
    return Left(sum(one.evaluations for one in each), sum(money) if len(money) == len(each) else None)


def forecast_of(view: StudyView, statuses: Sequence[ArmStatus]) -> Left | None:
    """What is left of a study; nothing is known after its verdict."""
    is_open = view.outcome is Outcome.UNDECIDED
    return forecast(view.problem.goal, statuses, view.expected_cost) if is_open else None


def cost_lines(view: StudyView, statuses: Sequence[ArmStatus]) -> list[str]:
    """What a study has cost and is expected to cost yet, in words; nothing where nobody knows what evaluations cost."""
    if view.cost is None:
        return []
    left = forecast_of(view, statuses)
    more = "" if left is None or left.cost is None else f"; about {compact(left.cost)} to go at present estimates"
    guessed = view.cost.estimated
    said = f"; {guessed:,} of the evaluations did not say what they cost" if guessed else ""
    return [f"cost: {view.cost}{more}{said}"]


def forecast_words(found: Forecast) -> str:
    """How long a study takes by simulated runs, in words: of all its evaluations, since these stay true for longer."""
    if found.evaluations is None:
        return f"more than {counted(found.at + found.limit, 'evaluation')} in all at the present estimates"
    words = f"about {counted(found.at + found.evaluations, 'evaluation')} in all at the present estimates, "
    most = found.evaluations_90
    cut = f"more than {found.at + found.limit:,}"
    words += f"nine in ten times {cut if most is None else f'at most {found.at + most:,}'}"
    if found.cost is not None:
        dear = "" if found.cost_90 is None else f", at most {compact(found.spent + found.cost_90)}"
        words += f"; cost about {compact(found.spent + found.cost)}{dear}"
    return words


def endings_words(found: Forecast) -> str:
    """How simulated runs ended, in words."""
    longer = 1 - found.found - found.none
    shares = [(found.found, "FOUND"), (found.none, "NONE"), (longer, f"no verdict after {found.limit:,} more")]
    words = ", ".join(f"{whole_percent(share)} {what}" for share, what in shares if share > 1e-9)
    within = "" if found.within is None else f"; {whole_percent(found.within)} within the budget"
    return f"of {found.runs} simulated runs {words}{within}"


def leaning(status: ArmStatus) -> tuple[float, float]:
    """Progress to passing, which all metrics must make, and to failing, for which one suffices."""
    return min(status.accept_progress, default=0.0), max(status.reject_progress, default=0.0)


def _to_decide(status: ArmStatus, cost: CostOf) -> Left | None:
    progress = max(leaning(status))
    if status.pulls < LEAST_PULLS or progress <= LEAST_PROGRESS:
        return None
    return _priced(status, _pulls(status, progress), cost)


def _pulls(status: ArmStatus, progress: float) -> int:
    """How many more results the metric takes whose progress this is, the one that decides."""
    made = (*status.accept_progress, *status.reject_progress)
    count = status.count_of(made.index(progress) % len(status.means)) if progress in made else status.pulls
    return ceil(count * (1 / progress - 1))


def _priced(status: ArmStatus, evaluations: int, cost: CostOf) -> Left:
    each = cost(status.name)
    return Left(evaluations, None if each is None else evaluations * each)
