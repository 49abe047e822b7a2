"""satisfice list."""

import typer

from satisfice.cli import options
from satisfice.layout.escape import json_text


def list_(
    storage: str | None = options.STORAGE_PLACE,
    trust_code: bool = options.TRUST_CODE,
    as_json: bool = options.AS_JSON,
) -> None:
    """List the studies in a storage, with their verdicts."""
    from satisfice.cli.lookup import storage_of
    from satisfice.show.status import print_studies
    from satisfice.study.listing import StudyList
    from satisfice.study.storage.protocol import open_storage

    kept = open_storage(storage_of(storage), create=False)
    try:
        rows = StudyList(kept, trust_code).complete()
    finally:
        kept.close()
    if not as_json:
        print_studies(rows)
        return
    named = ("configs", "evaluations", "outcome", "config", "accepted", "untrusted", "trouble")
    typer.echo(
        json_text(
            [{"study": row.name, "created": row.minute} | {name: getattr(row, name) for name in named} for row in rows]
        )
    )
