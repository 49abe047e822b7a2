"""satisfice report."""

from pathlib import Path
from typing import Annotated

import typer

from satisfice.cli.options import StoragePlace, StudyName


def report(
    storage: StoragePlace = None,
    name: StudyName = None,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The HTML file to write.")] = Path(
        "report.html"
    ),
) -> None:
    """Write one self-contained HTML file: verdict, intervals, evidence over time, reasons, assumptions, failures."""
    from satisfice.cli.lookup import opened  # noqa: PLC0415
    from satisfice.html_report import write_report  # noqa: PLC0415

    with opened(storage, name) as study:
        write_report(study, out)
        typer.echo(f"{study.name}: {out}")
