"""satisfice report."""

import sys
from pathlib import Path

from satisfice.cli import options


def report(
    storage: str | None = options.STORAGE_PLACE,
    name: str | None = options.STUDY_NAME,
    out: Path = options.REPORT_FILE,
    trust_code: bool = options.TRUST_CODE,
) -> None:
    """Write a study's page of the dashboard as one HTML file that needs no network, nor a script to be read."""
    from satisfice.cli.lookup import storage_of
    from satisfice.errors import writing
    from satisfice.show.sentence import answer
    from satisfice.study import load_study
    from satisfice.study.storage.protocol import open_storage
    from satisfice.web.report import report as written

    kept = open_storage(storage_of(storage), create=False, read_only=True)
    with load_study(kept, name, trust_code=trust_code) as study:
        page = written(study, str(kept))
    if str(out) == "-":
        sys.stdout.buffer.write(page.encode())
        return
    with writing("The report", out):
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(page, encoding="utf-8")
    answer(f"{study.name}: {out}")
