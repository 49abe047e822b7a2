"""satisfice report."""

from pathlib import Path

from satisfice.cli import options


def report(
    storage: str | None = options.STORAGE_PLACE,
    name: str | None = options.STUDY_NAME,
    out: Path = options.REPORT_FILE,
    trust_code: bool = options.TRUST_CODE,
) -> None:
    """Write one self-contained HTML file: verdict, intervals, evidence over time, reasons, assumptions, failures."""
    from satisfice.cli.lookup import opened  # noqa: PLC0415
    from satisfice.html_report import write_report  # noqa: PLC0415
    from satisfice.show.sentence import answer  # noqa: PLC0415

    with opened(storage, name, trust_code) as study:
        write_report(study, out)
        answer(f"{study.name}: {out}")
