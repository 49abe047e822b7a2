"""satisfice status."""

import typer

from satisfice.cli import options
from satisfice.layout.escape import json_text


def status(
    storage: str | None = options.STORAGE_PLACE,
    name: str | None = options.STUDY_NAME,
    forecast: bool = options.FORECAST,
    trust_code: bool = options.TRUST_CODE,
    as_json: bool = options.AS_JSON,
) -> None:
    """Show what is known of a study: its configurations, what is being evaluated, the verdict so far.

    Exit codes as for run: 0 FOUND, 3 NONE, 4 UNDECIDED.
    """
    from satisfice.cli.lookup import opened
    from satisfice.cli.session import EXIT_CODES
    from satisfice.cli.surface import as_options
    from satisfice.show.as_json import study_document
    from satisfice.show.status import print_status

    with opened(storage, name, trust_code) as study:
        view, left = study.view(), study.forecast() if forecast else None
    if as_json:
        typer.echo(json_text(study_document(view, left)))
    else:
        print_status(view, left, words=as_options)
    raise typer.Exit(EXIT_CODES[view.verdict.outcome])
