"""satisfice plan."""

from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any

import typer

from satisfice.cli import options
from satisfice.cli.program import given
from satisfice.extras import need
from satisfice.given import shown
from satisfice.layout.escape import json_text

PLAN_KEYS = (
    *("spread", "just", "clearly", "scenarios", "budget", "cost", "max_cost", "repetitions", "seed"),
    *("workers", "durations"),
)
"""The keys of [plan] in a study file."""


OUTSIDE = ("study", "spread", "threads", "dask", "out", "trust_code", "as_json")
"""Arguments and options that are no keys of [plan], and spread, which adds to the file's."""


def plan(
    ctx: typer.Context,
    study: Path = options.PLANNED_STUDY,
    *,
    budget: int | None = options.PLANNED_BUDGET,
    cost: str | None = options.PLANNED_COST,
    max_cost: float | None = options.RUN_COST,
    spread: list[str] | None = options.SPREADS,
    just: float | None = options.JUST_PASSING,
    clearly: float | None = options.CLEARLY_PASSING,
    scenario: list[str] | None = options.SCENARIOS,
    repetitions: int | None = options.RUNS_OF_SCENARIOS,
    seed: int | None = options.SEED,
    workers: int | None = options.PLANNED_WORKERS,
    durations: str | None = options.HOW_LONG,
    threads: int | None = options.THREADS,
    dask: str | None = options.DASK,
    out: Path | None = options.RESULTS_FOLDER,
    trust_code: bool = options.TRUST_CODE,
    as_json: bool = options.AS_JSON,
) -> None:
    """Simulate a study before it is run: how many evaluations to expect, scenario by scenario.

    Options replace what the file's [plan] table says.
    """
    from satisfice.cli.parse import cost_of_text, numbers_of
    from satisfice.cli.surface import speaking
    from satisfice.cluster import dask_client
    from satisfice.planning.plan import plan as plan_study
    from satisfice.problem.metric import as_metric
    from satisfice.show.campaign import campaign_progress
    from satisfice.show.plan import print_plan

    need("satisfice plan", "numba", *(("pyarrow", "matplotlib") if out is not None else ()))
    name, said, parameters, configs = _said(study, trust_code)
    settings = said | given(ctx, OUTSIDE, scenario="scenarios") | ({} if cost is None else {"cost": cost_of_text(cost)})
    if "cost" in settings or parameters & {as_metric(each).name for each in settings["thresholds"]}:
        settings["configs"] = configs()  # whose parameters matter
    unpriced = _without_reported_cost(settings)
    settings["spread"] = said.get("spread", {}) | numbers_of(spread or [], "--spread")
    with speaking(True), dask_client(dask) as client, campaign_progress(quiet=as_json) as tell:
        made = plan_study(**settings, threads=threads, executor=client, folder=out, on_progress=tell)
    if out is not None:
        made.result.save(out)
        made.plot(out / "plan.png")
    if as_json:
        typer.echo(json_text({"name": name} | made.as_dict()))
    else:
        print_plan(name, made, out, unpriced)


def _said(path: Path, trust_code: bool = False) -> tuple[str, dict[str, Any], set[str], Callable[[], dict[str, Any]]]:
    """The study's name, the arguments of `satisfice.plan` as its file gives them, parameters, and configurations."""
    from satisfice.cli.parse import expanded, with_time_limit
    from satisfice.cli.request import RUN_KEYS
    from satisfice.errors import InvalidInstance
    from satisfice.files.study_file import load_study_file
    from satisfice.files.toml import check_keys
    from satisfice.study.configs import grid

    said = load_study_file(path, also=RUN_KEYS, trust_code=trust_code)
    check_keys(said.plan, PLAN_KEYS, "[plan]")
    if not isinstance(said.plan.get("spread", {}), dict):
        raise InvalidInstance(
            f"{path}: expected spread as a table such as {{ latency_ms = 15 }}, got {shown(said.plan['spread'], 60)}."
        )
    of_the_run: dict[str, Any] = {key: said.others[key] for key in ("rule", "stopping") if key in said.others}
    of_the_run |= {key: said.others[key] for key in ("cost", "max_cost") if key in said.others}
    if "max_evaluations" in said.others:
        of_the_run["budget"] = said.others["max_evaluations"]
    values = expanded(said.grid)
    asked = {
        "thresholds": with_time_limit(said.thresholds, said.others.get("timeout")),
        "configs": prod(map(len, values.values())) if values else len(said.configs),
        "error_rate": said.error_rate,
        "goal": said.goal,
    }
    parameters = set(said.grid).union(*said.configs.values())

    def configs() -> dict[str, dict[str, Any]]:
        return grid(**values) if values else said.configs

    return said.name, asked | of_the_run | said.plan, parameters, configs


def _without_reported_cost(settings: dict[str, Any]) -> str | None:
    """Leave out a cost that only evaluations will report, and the limit on it; the metric that they report."""
    from satisfice.problem.cost import cost_of
    from satisfice.problem.metric import as_metric

    if "cost" not in settings:
        return None
    metrics = [as_metric(threshold) for threshold in settings["thresholds"]]
    measured, groups = [metric.name for metric in metrics], [metric.group for metric in metrics if metric.group]
    metric = cost_of(settings["cost"], list(settings["configs"].items()), measured, list(dict.fromkeys(groups))).metric
    if metric is not None:
        del settings["cost"]
        settings.pop("max_cost", None)
    return metric
