"""satisfice init."""

from pathlib import Path

import typer

from satisfice.cli import options
from satisfice.cli.program import program_of


def init(
    ctx: typer.Context,
    *,
    path: Path = options.NEW_FILE,
    values: list[str] | None = options.PARAMETER_VALUES,
    threshold: list[str] | None = options.THRESHOLDS,
    error_rate: float | None = options.ERROR_RATE,
) -> None:
    """Write a study file with a comment for every line, from options or, at a terminal, from questions.

    The program stands after --, as for run. A file that is there already is not touched.
    """
    from satisfice.cli.new_file import write_study_file

    write_study_file(path, values or [], threshold or [], error_rate, program_of(ctx))
