"""satisfice verify."""

import typer

from satisfice.cli import options
from satisfice.layout.escape import json_text


def verify(
    storage: str | None = options.STORAGE_PLACE,
    name: str | None = options.STUDY_NAME,
    head: str | None = options.NOTED_SEAL,
    as_json: bool = options.AS_JSON,
) -> None:
    """Compute everything that a study says again, from its event log alone; fail on any change made to it.

    Exit codes: 0 the log is what was written, 1 it is not.
    """
    from satisfice.cli.lookup import storage_of  # noqa: PLC0415
    from satisfice.show.sentence import answer  # noqa: PLC0415
    from satisfice.show.subject import measured_line  # noqa: PLC0415
    from satisfice.study import verify as verify_study  # noqa: PLC0415

    found = verify_study(storage_of(storage), name, head=head)
    if as_json:
        verdict = found.verdict
        typer.echo(
            json_text(
                {
                    "study": found.name,
                    "verified": found.ok,
                    "events": found.events,
                    "evaluations": found.evaluations,
                    "head": found.head,
                    "outcome": None if verdict is None else str(verdict.outcome),
                    "config": None if verdict is None else verdict.arm,
                    "subject": None if found.subject is None else found.subject.as_content(),
                    "problems": list(found.problems),
                }
            )
        )
    else:
        answer(str(found), failed=not found.ok)
        if found.ok and found.subject is not None:
            answer(measured_line(found.subject))
    raise typer.Exit(0 if found.ok else 1)
