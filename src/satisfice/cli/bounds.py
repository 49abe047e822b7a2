"""satisfice bounds."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from satisfice.cli import options
from satisfice.extras import need
from satisfice.layout.escape import json_text

if TYPE_CHECKING:
    from satisfice.files.instance_file import InstanceFile
    from satisfice.simulation.summary import CellSummary


def bounds(
    instance: Path = options.INSTANCE_PATH,
    repetitions: int = options.RUNS_BESIDE_BOUNDS,
    threads: int | None = options.THREADS,
    trust_code: bool = options.TRUST_CODE,
    as_json: bool = options.AS_JSON,
) -> None:
    """Say how many evaluations the theory promises and asks for, beside what an oracle and what rules take."""
    from satisfice.files.instance_file import load_instance
    from satisfice.show.bounds import print_bounds
    from satisfice.simulation.distributions import distributions_of
    from satisfice.theory import bounds as bounds_of

    if repetitions:
        need("A simulation beside the bounds", "numba", instead="--repetitions 0 does without.")
    said = load_instance(instance, trust_code=trust_code)
    distributions = distributions_of(said.instance)
    computed = bounds_of(said.instance.problem, said.instance.arms.means, distributions=distributions)
    floors, missing = _floors(said, distributions, repetitions) if repetitions else ([], None)
    simulated = _simulated(said, repetitions, threads, quiet=as_json) if repetitions else []
    if as_json:
        found = computed.as_dict() | {
            "oracle_floors": [floor.as_dict() for floor in floors],
            "simulated": [summary.as_dict() for summary in simulated],
        }
        if missing is not None:
            found["reasons"]["oracle_floors"] = missing
        typer.echo(json_text(found))
    else:
        print_bounds(computed, said.instance, floors, missing, simulated)


def _floors(said: "InstanceFile", distributions: Any, repetitions: int) -> tuple[list[Any], str | None]:
    """The oracle's mean at the whole error rate and at a share of it, or why there is none."""
    from satisfice.errors import InvalidInstance
    from satisfice.simulation.oracle import oracle_floor

    settings = {"repetitions": 10 * repetitions, "seed": said.settings.get("seed", 0), "distributions": distributions}
    try:
        return [oracle_floor(said.instance, shared=shared, **settings) for shared in (False, True)], None
    except InvalidInstance as error:
        return [], str(error)


def _simulated(said: "InstanceFile", repetitions: int, threads: int | None, *, quiet: bool) -> "list[CellSummary]":
    """The default of satisfice and, where all noise scales are known, MultiTUCB with the paper's boundary."""
    from satisfice.rules import DEFAULT_RULE
    from satisfice.show.campaign import campaign_progress
    from satisfice.simulation.campaign import plan_cells, run_campaign
    from satisfice.stopping import DEFAULT_STOPPING

    budget = {key: value for key, value in said.settings.items() if key in {"max_evaluations", "seed"}}
    pairs: list[tuple[Any, Any]] = [(DEFAULT_RULE, DEFAULT_STOPPING)]
    if all(metric.noise.scale is not None for metric in said.instance.problem.metrics):
        pairs.append(("multitucb", "alpha"))
    cells = [
        cell
        for rule, stopping in pairs
        for cell in plan_cells([said.instance], [rule], stopping=stopping, repetitions=repetitions, **budget)
    ]
    with campaign_progress(quiet=quiet) as tell:
        return list(run_campaign(cells, threads=threads, on_progress=tell).summaries)
