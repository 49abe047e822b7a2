"""satisfice verify."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from satisfice.cli import options
from satisfice.layout.escape import json_text

if TYPE_CHECKING:
    from satisfice.study import Verification


def verify(
    storage: str | None = options.STORAGE_PLACE,
    name: str | None = options.STUDY_NAME,
    head: str | None = options.NOTED_SEAL,
    sign: Path | None = options.PRIVATE_KEY,
    trusted: Path | None = options.PUBLIC_KEY,
    signature: Path | None = options.SIGNATURE_FILE,
    trust_code: bool = options.TRUST_CODE,
    as_json: bool = options.AS_JSON,
) -> None:
    """Compute everything that a study says again, from its event log alone; fail on any change made to it.

    With --sign, sign what was verified; with --trusted and --signature, check that the log is what was signed. Exit
    codes: 0 the log is what was written, 1 it is not.
    """
    from satisfice.cli.lookup import storage_of
    from satisfice.errors import InvalidCommand, writing
    from satisfice.show.sentence import answer
    from satisfice.show.subject import measured_line
    from satisfice.study import verify as verify_study
    from satisfice.study.signature import doubt_about, read_signature, signed

    if (sign is not None and trusted is not None) or (sign is None and (trusted is None) != (signature is None)):
        raise InvalidCommand("Expected --sign KEY to sign, or --trusted PUBLIC --signature FILE to check.")
    said = read_signature(signature) if trusted is not None and signature is not None else None
    place = storage_of(storage)
    found = verify_study(place, name, head=head, trust_code=trust_code)
    if said is not None and trusted is not None and found.ok:
        doubt = doubt_about(said, found, trusted)
        again = verify_study(place, name, head=said.head, trust_code=trust_code) if doubt is None else found
        found = again if doubt is None else replace(found, problems=(doubt,), verdict=None)
    if sign is not None and found.ok:
        text = signed(found, sign)
        if signature is not None:
            with writing("The signature", signature):
                signature.write_text(text, encoding="utf-8")
        elif not as_json:
            typer.echo(text, nl=False)
    if as_json:
        typer.echo(json_text(_document(found)))
    else:
        to_stderr = not found.ok or (sign is not None and signature is None)
        for line in str(found).splitlines():
            answer(line, failed=to_stderr)
        if found.ok and found.subject is not None:
            answer(measured_line(found.subject), failed=to_stderr)
        if said is not None and found.ok:
            answer(f"signed up to event {said.events} by the key in {trusted}")
    raise typer.Exit(0 if found.ok else 1)


def _document(found: "Verification") -> dict[str, Any]:
    verdict = found.verdict
    return {
        "study": found.name,
        "verified": found.ok,
        "events": found.events,
        "evaluations": found.evaluations,
        "head": found.head,
        "reissued": found.reissued,
        "released": found.released,
        "foreign": list(found.foreign),
        "skew": found.skew,
        "outcome": None if verdict is None else str(verdict.outcome),
        "config": None if verdict is None else verdict.arm,
        "accepted": [] if verdict is None else list(verdict.accepted),
        "subject": None if found.subject is None else found.subject.as_content(),
        "problems": list(found.problems),
    }
