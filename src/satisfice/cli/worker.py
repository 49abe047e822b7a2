"""satisfice worker."""

from typing import Annotated

import typer

from satisfice.cli.options import Environment, ProgramFolder, StorageUrl, StudyName, Timeout
from satisfice.cli.program import program_of


def worker(
    ctx: typer.Context,
    *,
    function: Annotated[
        str | None,
        typer.Argument(
            metavar="MODULE:FUNCTION",
            help="The function that evaluates: it gets a configuration and returns a dict of metrics.",
            show_default=False,
        ),
    ] = None,
    storage: StorageUrl = None,
    name: StudyName = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, metavar="N", help="Evaluations at a time.")] = 1,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            metavar="NAME=WHERE",
            help="As for run: where a metric is in the output.",
            show_default=False,
        ),
    ] = None,
    timeout: Timeout = None,
    environment: Environment = None,
    folder: ProgramFolder = None,
    patience: Annotated[
        str, typer.Option(metavar="TIME", help="How long to wait for a storage that is out of reach.")
    ] = "10m",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the verdict only.")] = False,
) -> None:
    """Evaluate for a study that is there already, beside other workers on any machines, until its verdict.

    Evaluations are made by a Python function, or by a program after -- as in run. Exit codes as for run.
    """
    from satisfice.cli.work import WorkerOptions, work_for  # noqa: PLC0415
    from satisfice.show.sentence import note  # noqa: PLC0415

    options = WorkerOptions(
        function=function,
        words=program_of(ctx),
        metrics=metric or [],
        environment=environment or [],
        folder=folder,
        timeout=timeout,
    )
    raise typer.Exit(
        work_for(storage, name, options, jobs=jobs, patience=patience, say=(lambda _: None) if quiet else note)
    )
