"""satisfice worker."""

import typer

from satisfice.cli import options
from satisfice.cli.program import program_of
from satisfice.cli.run import said_by


def worker(
    ctx: typer.Context,
    *,
    function: str | None = options.FUNCTION_PATH,
    storage: str | None = options.STORAGE_URL,
    name: str | None = options.STUDY_NAME,
    jobs: int = options.WORKER_JOBS,
    metric: list[str] | None = options.WORKER_METRICS,
    reader: str | None = options.READER,
    warmup: int | None = options.WARMUP,
    setup: str | None = options.SETUP,
    prepare: str | None = options.PREPARE,
    conclude: str | None = options.CONCLUDE,
    cleanup: str | None = options.CLEANUP,
    shell: str | None = options.SHELL,
    timeout: str | None = options.TIMEOUT,
    environment: list[str] | None = options.ENVIRONMENT,
    folder: str | None = options.PROGRAM_FOLDER,
    max_evaluations: int | None = options.STUDY_BUDGET,
    max_time: str | None = options.RUN_TIME,
    revision: str | None = options.SAME_REVISION,
    patience: str = options.PATIENCE,
    trust_code: bool = options.TRUST_CODE,
    quiet: bool = options.QUIET,
) -> None:
    """Evaluate for a study that is there already, beside other workers on any machines, until its verdict.

    Evaluations are made by a Python function, or by a program after -- as in run, which must be
    the one that the study measures. Exit codes as for run.
    """
    from satisfice.cli.request import read_options
    from satisfice.cli.surface import speaking
    from satisfice.cli.work import work_for

    with speaking(False):
        said = read_options(said_by(ctx)) | {"command": program_of(ctx)}
        code = work_for(storage, name, function, said, jobs=jobs, patience=patience, trust_code=trust_code, quiet=quiet)
    raise typer.Exit(code)
