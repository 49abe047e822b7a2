"""satisfice list."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import typer

from satisfice.cli import options
from satisfice.layout.escape import json_text

if TYPE_CHECKING:
    from satisfice.study.storage.protocol import StudySummary


def list_(
    storage: str | None = options.STORAGE_PLACE,
    trust_code: bool = options.TRUST_CODE,
    as_json: bool = options.AS_JSON,
) -> None:
    """List the studies in a storage, with their verdicts."""
    from satisfice.cli.lookup import storage_of
    from satisfice.show.status import print_studies
    from satisfice.study import list_studies

    rows = [_row(storage, found, trust_code) for found in list_studies(storage_of(storage))]
    if as_json:
        typer.echo(json_text(rows))
    else:
        print_studies(rows)


def _row(storage: str | None, found: "StudySummary", trust_code: bool) -> dict[str, Any]:
    """A study in the list; of one whose code is not trusted, what its code is not needed for."""
    from satisfice.cli.lookup import opened
    from satisfice.errors import UntrustedCode

    row = {"study": found.name, "created": datetime.fromtimestamp(found.created_at, UTC).strftime("%Y-%m-%d %H:%M")}
    try:
        with opened(storage, found.name, trust_code) as study:
            verdict = study.verdict()
    except UntrustedCode as error:
        unknown = dict.fromkeys(("configs", "evaluations", "outcome", "config", "accepted"))
        return row | unknown | {"untrusted": list(error.names)}
    return row | {
        "configs": len(study.configs),
        "evaluations": verdict.evaluations,
        "outcome": str(verdict.outcome),
        "config": verdict.arm,
        "accepted": list(verdict.accepted),
        "untrusted": [],
    }
