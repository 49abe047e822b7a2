"""satisfice bounds."""

import json
from typing import Annotated, Any

import typer

from satisfice.cli.options import AsJson, InstancePath, Threads


def bounds(
    instance: InstancePath,
    repetitions: Annotated[
        int,
        typer.Option(
            "--repetitions", "-n", min=0, metavar="N", help="Runs of MultiTUCB beside the bounds; 0 for none."
        ),
    ] = 200,
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Say how many evaluations the theory promises and asks for, beside what MultiTUCB takes in simulation."""
    from satisfice.cli.show.bounds import print_bounds  # noqa: PLC0415
    from satisfice.cli.show.campaign import campaign_progress  # noqa: PLC0415
    from satisfice.core.theory import bounds as bounds_of  # noqa: PLC0415
    from satisfice.simulation.campaign import plan_cells, run_campaign  # noqa: PLC0415
    from satisfice.simulation.instance_file import load_instance  # noqa: PLC0415

    said = load_instance(instance)
    computed = bounds_of(said.instance.problem, said.instance.arms.means)
    simulated: Any = None
    if repetitions:
        budget = {key: value for key, value in said.settings.items() if key in {"max_evaluations", "seed"}}
        cells = plan_cells([said.instance], ["multitucb"], repetitions=repetitions, **budget)
        with campaign_progress(quiet=as_json) as tell:
            simulated = run_campaign(cells, threads=threads, on_progress=tell).summaries[0]
    if as_json:
        typer.echo(json.dumps(computed.as_dict() | {"simulated": simulated and simulated.as_dict()}))
    else:
        print_bounds(computed, said.instance, simulated)
