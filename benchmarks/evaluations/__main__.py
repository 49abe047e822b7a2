"""Compare the default with other procedures: python -m benchmarks.evaluations --repetitions 2000 --out out/benchmark"""

import json
import sys
from pathlib import Path

import typer

from benchmarks.evaluations.contestants import contestants, own_candidate
from benchmarks.evaluations.family import chosen_members
from benchmarks.evaluations.files import save
from benchmarks.evaluations.measure import compare
from benchmarks.evaluations.terminal import comparison_document, print_comparison
from satisfice.cli import options
from satisfice.cluster import dask_client
from satisfice.errors import SatisficeError
from satisfice.show.campaign import campaign_progress

INSTANCES = options.option(
    "NAME",
    "An instance of the family, or a group: paper, further, drawn, sweeps; repeat for several.",
    "--instances",
    "-i",
    shown="all",
)
RUNS = options.option("N", "Runs of each contestant on each instance.", "--repetitions", "-n", default=20, min=1)
SEED = options.option("N", "Seed of all randomness.", default=1, min=0)


def evaluations(
    instances: list[str] | None = INSTANCES,
    rule: list[str] | None = options.RULE_NAMES,
    stopping: str | None = options.STOPPING_NAME,
    repetitions: int = RUNS,
    seed: int = SEED,
    threads: int | None = options.THREADS,
    dask: str | None = options.DASK,
    out: Path | None = options.RESULTS_FOLDER,
    as_json: bool = options.AS_JSON,
) -> None:
    """Compare satisfice with the paper's rules and classic procedures over a family of instances.

    Rules that you name stand beside them, stopped like the default unless --stopping says otherwise.
    """
    members = chosen_members(instances)
    entered = contestants(tuple(own_candidate(name, stopping) for name in rule or ()))
    with dask_client(dask) as client, campaign_progress(quiet=as_json) as tell:
        made = compare(
            members,
            entered,
            repetitions=repetitions,
            seed=seed,
            threads=threads,
            executor=client,
            folder=out,
            on_progress=tell,
        )
    paths = save(made, out) if out is not None else []
    if as_json:
        typer.echo(json.dumps(comparison_document(made)))
    else:
        print_comparison(made, paths)


def main() -> None:
    """Run the command; what is wrong with its input is told in a sentence, with exit code 2."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.command()(evaluations)
    try:
        app(prog_name="python -m benchmarks.evaluations")
    except SatisficeError as error:
        print(f"benchmarks.evaluations: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
