"""satisfice simulate."""

from pathlib import Path

import typer

from satisfice.cli import options
from satisfice.cli.program import given
from satisfice.extras import need
from satisfice.layout.escape import json_text

OUTSIDE = ("instance", "threads", "dask", "out", "trust_code", "as_json")
"""Arguments and options that are no keys of [simulate]."""


def simulate(
    ctx: typer.Context,
    instance: Path = options.INSTANCE_PATH,
    *,
    rule: list[str] | None = options.RULE_NAMES,
    stopping: str | None = options.STOPPING_NAME,
    error_rate: list[float] | None = options.ERROR_RATES,
    tolerance: list[float] | None = options.TOLERANCES,
    repetitions: int | None = options.RUNS_OF_RULES,
    max_evaluations: int | None = options.RUN_BUDGET,
    max_cost: float | None = options.RUN_COST,
    seed: int | None = options.SEED,
    workers: list[int] | None = options.WORKERS,
    durations: str | None = options.HOW_LONG,
    threads: int | None = options.THREADS,
    dask: str | None = options.DASK,
    out: Path | None = options.RESULTS_FOLDER,
    trust_code: bool = options.TRUST_CODE,
    as_json: bool = options.AS_JSON,
) -> None:
    """Run sampling rules many times on simulated arms: evaluations needed, and how often the answer is wrong.

    Options replace what the file's [simulate] table says.
    """
    from satisfice.cli.surface import speaking
    from satisfice.cluster import dask_client
    from satisfice.files.instance_file import load_instance
    from satisfice.rules import DEFAULT_RULE
    from satisfice.show.campaign import campaign_progress, print_summaries
    from satisfice.simulation.campaign import plan_cells, run_campaign

    need("satisfice simulate", "numba", *(("pyarrow", "matplotlib") if out is not None else ()))
    said = load_instance(instance, trust_code=trust_code)
    swept = {"rule": "rules", "error_rate": "error_rates", "tolerance": "tolerances"}
    settings = {"rules": [DEFAULT_RULE]} | said.settings | given(ctx, OUTSIDE, **swept)
    with speaking(True):
        cells = plan_cells([said.instance], **settings)
    with speaking(True), dask_client(dask) as client, campaign_progress(quiet=as_json) as tell:
        result = run_campaign(cells, folder=out, threads=threads, executor=client, on_progress=tell)
    if out is not None:
        result.save(out)
        result.plot(out / "evaluations.png")
    if as_json:
        typer.echo(json_text([summary.as_dict() for summary in result.summaries]))
    else:
        print_summaries(result.summaries, out)
