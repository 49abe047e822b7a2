"""Simulated arms, the trial loop interpreted and compiled, and campaigns of many trials."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from satisfice.cluster import ExecutorLike
from satisfice.problem.problem import Problem
from satisfice.rules import DEFAULT_RULE, RuleLike
from satisfice.simulation.campaign import Progress, plan_cells, run_campaign
from satisfice.simulation.checks import Engine
from satisfice.simulation.durations import Durations
from satisfice.simulation.instance import CostsLike, Instance
from satisfice.simulation.protocol import Arms
from satisfice.simulation.results import CampaignResult
from satisfice.stopping import DEFAULT_STOPPING, StoppingLike


def simulate(
    problem: Problem,
    arms: Arms,
    *,
    rules: Sequence[RuleLike] = (DEFAULT_RULE,),
    stopping: StoppingLike = DEFAULT_STOPPING,
    error_rates: Sequence[float] | None = None,
    tolerances: Sequence[float | Sequence[float]] | None = None,
    repetitions: int = 1000,
    max_evaluations: int = 1_000_000,
    max_cost: float | None = None,
    seed: int = 0,
    workers: int | Sequence[int] = 1,
    durations: str | Durations | None = None,
    threads: int | None = None,
    executor: ExecutorLike | None = None,
    folder: str | Path | None = None,
    engine: Engine = "compiled",
    on_progress: Callable[[Progress], None] = lambda progress: None,
    name: str = "instance",
    arm_names: Sequence[str] | None = None,
    costs: CostsLike | Mapping[str, CostsLike] | None = None,
) -> CampaignResult:
    """Run each rule many times on simulated arms: how many evaluations it needs and how often it is wrong.

    Rules and the stopping rule are names or values, your own included. `error_rates` and `tolerances` sweep over what
    the problem says. With `workers`, one number or several, or with `durations` such as 'lognormal(1) + 0.5% x 30',
    that many evaluate at a time in simulated time, beside one alone. With a `folder`, finished cells are kept there and
    an interrupted campaign goes on where it was. With an `executor`, a Dask client for instance, cells are spread over
    its workers, and the results are the same bit for bit. `costs` are what one evaluation costs, a number or one for
    each arm, or such for each group of metrics by name: rules that can then minimise what is spent, and no evaluation
    is made that would exceed `max_cost`.
    """
    instance = Instance.of(problem, arms, name=name, arm_names=arm_names, costs=costs)
    cells = plan_cells(
        [instance],
        rules,
        stopping=stopping,
        error_rates=error_rates,
        tolerances=tolerances,
        repetitions=repetitions,
        max_evaluations=max_evaluations,
        max_cost=max_cost,
        seed=seed,
        workers=workers,
        durations=durations,
    )
    return run_campaign(
        cells, folder=folder, threads=threads, executor=executor, engine=engine, on_progress=on_progress
    )
