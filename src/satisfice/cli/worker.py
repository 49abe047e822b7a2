"""satisfice worker."""

import typer

from satisfice.cli import options
from satisfice.cli.program import program_of


def worker(
    ctx: typer.Context,
    *,
    function: options.FunctionPath = None,
    storage: options.StorageUrl = None,
    name: options.StudyName = None,
    jobs: options.WorkerJobs = 1,
    metric: options.WorkerMetrics = None,
    timeout: options.Timeout = None,
    environment: options.Environment = None,
    folder: options.ProgramFolder = None,
    patience: options.Patience = "10m",
    quiet: options.Quiet = False,
) -> None:
    """Evaluate for a study that is there already, beside other workers on any machines, until its verdict.

    Evaluations are made by a Python function, or by a program after -- as in run. Exit codes as for run.
    """
    from satisfice.cli.work import WorkerOptions, work_for  # noqa: PLC0415
    from satisfice.show.sentence import note  # noqa: PLC0415

    duties = WorkerOptions(
        function=function,
        words=program_of(ctx),
        metrics=metric or [],
        environment=environment or [],
        folder=folder,
        timeout=timeout,
    )
    raise typer.Exit(
        work_for(storage, name, duties, jobs=jobs, patience=patience, say=(lambda _: None) if quiet else note)
    )
