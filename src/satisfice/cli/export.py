"""satisfice export."""

from pathlib import Path
from typing import Annotated

import typer

from satisfice.cli import complete
from satisfice.cli.options import StoragePlace, StudyName


def export(
    storage: StoragePlace = None,
    name: StudyName = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            help="csv, parquet, json, markdown or module:function; default: by the ending of --out, else csv.",
            show_default=False,
            autocompletion=complete.formats,
        ),
    ] = None,
    configs: Annotated[
        bool, typer.Option("--configs", help="One row for each configuration instead of each evaluation.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="The file to write; default: print.", show_default=False),
    ] = None,
) -> None:
    """Write all evaluations of a study, failures included, or one row for each configuration, as a table."""
    from satisfice.catalogue import resolve_export_format  # noqa: PLC0415
    from satisfice.cli import export_formats as tables  # noqa: PLC0415
    from satisfice.cli.lookup import opened  # noqa: PLC0415

    chosen = tables.format_of(form, out)
    write = resolve_export_format(chosen)
    with opened(storage, name) as study:
        if configs:
            table = tables.summary_table if chosen == "markdown" else tables.config_table
            columns = table(study.view())
        else:
            columns = tables.evaluation_table(study)
    text = tables.written(write(columns), chosen, out)
    if text is not None:
        typer.echo(text, nl=False)
