"""satisfice list."""

from datetime import UTC, datetime

import typer

from satisfice.cli import options
from satisfice.layout.escape import json_text


def list_(storage: str | None = options.STORAGE_PLACE, as_json: bool = options.AS_JSON) -> None:
    """List the studies in a storage, with their verdicts."""
    from satisfice.cli.lookup import opened, storage_of  # noqa: PLC0415
    from satisfice.show.status import print_studies  # noqa: PLC0415
    from satisfice.study import list_studies  # noqa: PLC0415

    rows = []
    for found in list_studies(storage_of(storage)):
        with opened(storage, found.name) as study:
            verdict = study.verdict()
            created = datetime.fromtimestamp(found.created_at, UTC).strftime("%Y-%m-%d %H:%M")
            rows.append(
                {
                    "study": found.name,
                    "created": created,
                    "configs": len(study.configs),
                    "evaluations": verdict.evaluations,
                    "outcome": str(verdict.outcome),
                    "config": verdict.arm,
                }
            )
    if as_json:
        typer.echo(json_text(rows))
    else:
        print_studies(rows)
