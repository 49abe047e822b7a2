"""A comparison's files: rows, runs, the page and its figure."""

from io import BytesIO
from pathlib import Path
from typing import Any

from benchmarks.evaluations.contestants import contestants
from benchmarks.evaluations.family import family
from benchmarks.evaluations.figure import figure
from benchmarks.evaluations.limits import Limit
from benchmarks.evaluations.measure import Comparison, Row
from benchmarks.evaluations.page import FIGURE, LIMITS, ROWS, page
from satisfice.errors import writing
from satisfice.simulation.campaign import write_whole
from satisfice.simulation.results import CampaignResult

PAGE, RUNS = "benchmark.md", "runs.parquet"


def save(made: Comparison, folder: str | Path) -> list[Path]:
    """Write the rows, all runs, the page and its figure."""
    import pyarrow  # noqa: PLC0415 - heavy
    from pyarrow import csv, parquet  # noqa: PLC0415 - heavy, and an extra

    place = Path(folder)
    paths = [place / name for name in (ROWS, LIMITS, RUNS, PAGE, FIGURE)]
    with writing("Files", place):
        paths[-1].parent.mkdir(parents=True, exist_ok=True)
        csv.write_csv(pyarrow.Table.from_pylist([row.as_dict() for row in made.rows]), paths[0])
        csv.write_csv(pyarrow.Table.from_pylist([limit.as_dict() for limit in made.limits]), paths[1])
        parquet.write_table(runs_table(made), paths[2])
        write_whole(paths[3], page(made).encode())
        write_whole(paths[4], _picture(made))
    return paths


def runs_table(made: Comparison) -> Any:
    """All runs that were simulated pull by pull, as a tidy Arrow table: a row each, with its contestant."""
    import pyarrow  # noqa: PLC0415 - heavy

    parts = []
    for contestant, result in made.runs:
        table = CampaignResult((result,)).table()
        parts.append(table.add_column(1, "contestant", pyarrow.array([contestant.name] * len(table))))
    return pyarrow.concat_tables(parts)


def read(folder: str | Path) -> Comparison:
    """A comparison from its files, without its single runs; contestants that are not known here are left out."""
    from pyarrow import csv  # noqa: PLC0415 - heavy

    rows = tuple(Row(**row) for row in csv.read_csv(Path(folder) / ROWS).to_pylist())
    limits = tuple(Limit(**limit) for limit in csv.read_csv(Path(folder) / LIMITS).to_pylist())
    names, entered = {limit.instance for limit in limits}, {row.contestant for row in rows}
    members = tuple(member for member in family() if member.name in names)
    known = tuple(one for one in contestants() if one.name in entered)
    repetitions = min(row.repetitions // one.times for row in rows for one in members if one.name == row.instance)
    return Comparison(members, known, rows, limits, repetitions, rows[0].seed)


def _picture(made: Comparison) -> bytes:
    content = BytesIO()
    figure(made).savefig(content, format="png", dpi=130, metadata={"Software": None})
    return content.getvalue()
