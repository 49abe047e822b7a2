"""satisfice verify."""

import json

import typer

from satisfice.cli import options


def verify(
    storage: str | None = options.STORAGE_PLACE,
    name: str | None = options.STUDY_NAME,
    head: str | None = options.NOTED_SEAL,
    trust_code: bool = options.TRUST_CODE,
    as_json: bool = options.AS_JSON,
) -> None:
    """Compute everything that a study says again, from its event log alone; fail on any change made to it.

    Exit codes: 0 the log is what was written, 1 it is not.
    """
    from satisfice.cli.lookup import storage_of  # noqa: PLC0415
    from satisfice.show.subject import measured_line  # noqa: PLC0415
    from satisfice.study import verify as verify_study  # noqa: PLC0415

    found = verify_study(storage_of(storage), name, head=head, trust_code=trust_code)
    if as_json:
        verdict = found.verdict
        typer.echo(
            json.dumps(
                {
                    "study": found.name,
                    "verified": found.ok,
                    "events": found.events,
                    "evaluations": found.evaluations,
                    "head": found.head,
                    "reissued": found.reissued,
                    "released": found.released,
                    "foreign": list(found.foreign),
                    "outcome": None if verdict is None else str(verdict.outcome),
                    "config": None if verdict is None else verdict.arm,
                    "subject": None if found.subject is None else found.subject.as_content(),
                    "problems": list(found.problems),
                }
            )
        )
    else:
        typer.echo(str(found), err=not found.ok)
        if found.ok and found.subject is not None:
            typer.echo(measured_line(found.subject))
    raise typer.Exit(0 if found.ok else 1)
