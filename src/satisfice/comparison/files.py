"""A comparison's files: rows, runs, the page and its figure."""

from io import BytesIO
from pathlib import Path
from typing import Any

from satisfice.comparison.figure import figure
from satisfice.comparison.measure import Comparison, Row
from satisfice.comparison.page import FIGURE, ROWS, page
from satisfice.errors import UnwritableFolder
from satisfice.simulation.campaign import write_whole
from satisfice.simulation.results import CampaignResult

PAGE = "benchmark.md"


def save(made: Comparison, folder: str | Path) -> list[Path]:
    """Write the rows, all runs, the page and its figure."""
    from pyarrow import csv, parquet  # noqa: PLC0415 - heavy

    place = Path(folder)
    paths = [place / name for name in (ROWS, "runs.parquet", PAGE, FIGURE)]
    try:
        paths[-1].parent.mkdir(parents=True, exist_ok=True)
        csv.write_csv(_summary_table(made), paths[0])
        parquet.write_table(runs_table(made), paths[1])
        write_whole(paths[2], page(made).encode())
        write_whole(paths[3], _picture(made))
    except OSError as error:
        raise UnwritableFolder(
            f"Files cannot be written to {place}: {error.strerror or error}. Choose a folder that you may write to."
        ) from None
    return paths


def runs_table(made: Comparison) -> Any:
    """All runs that were simulated pull by pull, as a tidy Arrow table: a row each, with its contestant."""
    import pyarrow  # noqa: PLC0415 - heavy

    parts = []
    for contestant, result in made.runs:
        table = CampaignResult((result,)).table()
        parts.append(table.add_column(1, "contestant", pyarrow.array([contestant.name] * len(table))))
    return pyarrow.concat_tables(parts)


def read_rows(path: Path) -> tuple[Row, ...]:
    """The rows that were written to a CSV file."""
    from pyarrow import csv  # noqa: PLC0415 - heavy

    return tuple(Row(**row) for row in csv.read_csv(path).to_pylist())


def _summary_table(made: Comparison) -> Any:
    import pyarrow  # noqa: PLC0415 - heavy

    return pyarrow.Table.from_pylist([row.as_dict() for row in made.rows])


def _picture(made: Comparison) -> bytes:
    content = BytesIO()
    figure(made).savefig(content, format="png", dpi=130, metadata={"Software": None})
    return content.getvalue()
