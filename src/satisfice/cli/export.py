"""satisfice export."""

from pathlib import Path

from satisfice.cli import options


def export(
    storage: str | None = options.STORAGE_PLACE,
    name: str | None = options.STUDY_NAME,
    form: str | None = options.FORMAT_NAME,
    configs: bool = options.BY_CONFIG,
    out: Path | None = options.TABLE_FILE,
    trust_code: bool = options.TRUST_CODE,
) -> None:
    """Write all evaluations of a study, failures included, or one row for each configuration, as a table."""
    from satisfice.catalogue import look_here_too, resolve_export_format
    from satisfice.cli import export_formats as tables
    from satisfice.cli.lookup import opened

    chosen = tables.format_of(form, out)
    if ":" in chosen:
        look_here_too()
    made_by = resolve_export_format(chosen)
    with opened(storage, name, trust_code) as study:
        if configs:
            table = tables.summary_table if chosen == "markdown" else tables.config_table
            columns = table(study.view())
        else:
            columns = tables.evaluation_table(study)
    tables.write(made_by(columns), chosen, out)
