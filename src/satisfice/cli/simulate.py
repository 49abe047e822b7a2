"""satisfice simulate."""

import json
from typing import Annotated

import typer

from satisfice.cli.options import AsJson, InstancePath, ResultsFolder, RuleNames, Seed, StoppingName, Threads


def simulate(
    instance: InstancePath,
    *,
    rule: RuleNames = None,
    stopping: StoppingName = None,
    error_rate: Annotated[
        list[float] | None,
        typer.Option(metavar="RATE", help="Sweep over error rates: repeat.", show_default=False),
    ] = None,
    tolerance: Annotated[
        list[float] | None,
        typer.Option(
            metavar="TOLERANCE", help="Sweep over tolerances, one for all metrics: repeat.", show_default=False
        ),
    ] = None,
    repetitions: Annotated[
        int | None,
        typer.Option("--repetitions", "-n", metavar="N", help="Runs of each rule; default 1000.", show_default=False),
    ] = None,
    max_evaluations: Annotated[
        int | None, typer.Option(metavar="N", help="Budget of a run; default 1,000,000.", show_default=False)
    ] = None,
    seed: Seed = None,
    threads: Threads = None,
    out: ResultsFolder = None,
    as_json: AsJson = False,
) -> None:
    """Run sampling rules many times on simulated arms: evaluations needed, and how often the answer is wrong.

    Options replace what the file's [simulate] table says.
    """
    from satisfice.files.instance_file import load_instance  # noqa: PLC0415
    from satisfice.rules import DEFAULT_RULE  # noqa: PLC0415
    from satisfice.show.campaign import campaign_progress, print_summaries  # noqa: PLC0415
    from satisfice.simulation.campaign import plan_cells, run_campaign  # noqa: PLC0415

    said = load_instance(instance)
    given = {
        "rules": rule,
        "stopping": stopping,
        "error_rates": error_rate,
        "tolerances": tolerance,
        "repetitions": repetitions,
        "max_evaluations": max_evaluations,
        "seed": seed,
    }
    settings = (
        {"rules": [DEFAULT_RULE]}
        | said.settings
        | {key: value for key, value in given.items() if value not in (None, [])}
    )
    cells = plan_cells([said.instance], **settings)
    with campaign_progress(quiet=as_json) as tell:
        result = run_campaign(cells, folder=out, threads=threads, on_progress=tell)
    if out is not None:
        result.save(out)
        result.plot(out / "evaluations.png")
    if as_json:
        typer.echo(json.dumps([summary.as_dict() for summary in result.summaries]))
    else:
        print_summaries(result.summaries, out)
