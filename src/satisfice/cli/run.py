"""satisfice run."""

from pathlib import Path
from typing import Annotated

import typer

from satisfice.cli import complete
from satisfice.cli.options import (
    AsJson,
    Environment,
    OnError,
    ProgramFolder,
    Retries,
    RuleName,
    Seed,
    StoppingName,
    StorageUrl,
    Timeout,
)
from satisfice.cli.program import program_of

KEYS = {"values": "grid", "config": "configs", "threshold": "thresholds", "metric": "metrics"}
"""Options that are called otherwise in a study file; for them one says it once for each."""
OUTSIDE = ("study", "as_json", "quiet")
"""Arguments and options that are no keys of a study file."""


def run(
    ctx: typer.Context,
    *,
    study: Annotated[
        Path | None,
        typer.Argument(metavar="STUDY.toml", help="A study file; options replace its keys.", show_default=False),
    ] = None,
    values: Annotated[
        list[str] | None,
        typer.Option(
            "--list",
            "-L",
            metavar="NAME=VALUE,...",
            help="Values of a parameter; repeat, and all combinations are configurations.",
            show_default=False,
        ),
    ] = None,
    config: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[:KEY=VALUE,...]",
            help="Instead: a configuration by name, with parameters; repeat.",
            show_default=False,
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="KEY=VALUE,...",
            help="What 'wall_time <= baseline + 3%' compares with, by parameters or name: each evaluation runs both.",
            show_default=False,
        ),
    ] = None,
    threshold: Annotated[
        list[str] | None,
        typer.Option(
            "--threshold",
            "-t",
            metavar="THRESHOLD",
            help="'METRIC <= LIMIT [~ TOLERANCE] [: NOISE]', or with >=; p95(METRIC), median, share(METRIC <= X), "
            "geomean in place of METRIC; LIMIT: a number or 'baseline + 3%'; repeat for each limit.",
            show_default=False,
        ),
    ] = None,
    error_rate: Annotated[
        float | None,
        typer.Option(
            "--error-rate",
            "-e",
            metavar="RATE",
            help="The probability of a wrong answer that you accept; default 0.05.",
            show_default=False,
        ),
    ] = None,
    goal: Annotated[
        str | None,
        typer.Option(
            metavar="any|all",
            help="Find any configuration that passes (default), or all of them.",
            show_default=False,
            autocompletion=complete.goals,
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            metavar="NAME=WHERE",
            help="Where a metric is in the output: /REGULAR EXPRESSION/ or key.of.the.json; repeat. "
            "By default the key of its name in the last JSON object; wall_time and exit_code are measured.",
            show_default=False,
        ),
    ] = None,
    max_evaluations: Annotated[
        int | None,
        typer.Option(metavar="N", help="Evaluations of the whole study, earlier runs included.", show_default=False),
    ] = None,
    max_time: Annotated[
        str | None, typer.Option(metavar="TIME", help="Time of this run: 90s, 10m, 2h.", show_default=False)
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", metavar="N", help="Evaluations at a time; default 1.", show_default=False),
    ] = None,
    timeout: Timeout = None,
    on_error: OnError = None,
    retries: Retries = None,
    worst: Annotated[
        list[str] | None,
        typer.Option(
            metavar="METRIC=VALUE",
            help="The worst value of a metric, for --on-error worst; repeat. Bounded metrics have one.",
            show_default=False,
        ),
    ] = None,
    environment: Environment = None,
    folder: ProgramFolder = None,
    rule: RuleName = None,
    stopping: StoppingName = None,
    seed: Seed = None,
    storage: StorageUrl = None,
    name: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The study's name; default: the file's, or one made of the command, so that another is another study.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the verdict only.")] = False,
) -> None:
    """Find a configuration that passes all thresholds, by running a program until that is certain.

    The program stands after --, with {NAME} where a parameter goes ({config} and {number}: the configuration's name
    and the number of the evaluation), and prints its metrics as a JSON object. Interrupted, the same command goes on.

    Exit codes: 0 FOUND, 3 NONE, 4 UNDECIDED, 2 bad input, 1 failure.
    """
    from satisfice.cli.request import read_options, request_of  # noqa: PLC0415
    from satisfice.cli.session import run_request  # noqa: PLC0415

    said = {KEYS.get(name, name): value for name, value in ctx.params.items() if name not in OUTSIDE}
    request = request_of(study, program_of(ctx), read_options(said))
    raise typer.Exit(run_request(request, as_json=as_json, quiet=quiet))
