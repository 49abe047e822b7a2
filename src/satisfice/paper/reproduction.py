"""The whole article run again: cells, tables (also as CSV beside the printed numbers), figures and a report."""

import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import satisfice
from satisfice.cluster import ExecutorLike
from satisfice.errors import writing
from satisfice.extras import need
from satisfice.paper.article import SWEEPS, chosen_tables
from satisfice.paper.comparisons import (
    ComparedNumber,
    ExtraRuns,
    Ran,
    Repetitions,
    compared_numbers,
    extra_runs_of,
    planned_cells,
)
from satisfice.paper.figures import figure_files
from satisfice.paper.page import PageContent, figure_path, page
from satisfice.paper.targets import Target, targets
from satisfice.simulation.campaign import Progress, run_campaign, write_whole

COLUMNS: dict[str, Callable[[ComparedNumber], str | float | None]] = {
    "rule": lambda row: row.rule,
    "printed": lambda row: row.printed,
    "misprint": lambda row: "yes" if row.misprint else "no",
    "printed_standard_error": lambda row: row.printed_error,
    "ours": lambda row: row.ours,
    "standard_error": lambda row: row.standard_error,
    "difference": lambda row: row.difference,
    "difference_percent": lambda row: row.difference_percent,
    "z": lambda row: row.z,
    "repetitions": lambda row: row.numbers.repetitions,
    "median": lambda row: row.numbers.median,
    "quantile_90": lambda row: row.numbers.quantile_90,
    "quantile_99": lambda row: row.numbers.quantile_99,
    "longest": lambda row: row.numbers.longest,
    "timed_out_percent": lambda row: row.numbers.timed_out_percent,
}
"""After the value of the parameter that the table is about."""


def table_csv(rows: Iterable[ComparedNumber]) -> str:
    """The rows of one table as CSV text; an empty cell is a number that does not exist."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    lines = list(rows)
    writer.writerow([lines[0].sweep.parameter.value, *COLUMNS])
    writer.writerows([f"{row.value:.3f}", *(_text(of(row)) for of in COLUMNS.values())] for row in lines)
    return text.getvalue()


def _text(cell: str | float | None) -> str:
    if cell is None or isinstance(cell, str | int):
        return "" if cell is None else f"{cell}"
    return f"{cell:.3f}".rstrip("0").rstrip(".")


PAGE = "reproduction.md"
SEED = 1


@dataclass(frozen=True)
class Reproduction:
    """What came out: every printed number beside ours, what explains it, how near it is, and where the files are."""

    folder: Path
    rows: tuple[ComparedNumber, ...]
    extra_runs: ExtraRuns
    targets: tuple[Target, ...]
    report: Path
    tables: tuple[Path, ...]
    figures: tuple[Path, ...]

    def summary(self) -> str:
        """A few lines to print: how far off the farthest number of each kind is."""
        lines = [
            f"{target.claim}: {target.worst:+.1f} {target.unit} at most ({target.place}; limit {target.limit:g})"
            for target in self.targets
        ]
        return "\n".join([*lines, f"Report: {self.report}"])


def reproduce(
    out: str | Path,
    *,
    tables: Sequence[str] | None = None,
    repetitions: Repetitions = None,
    seed: int = SEED,
    threads: int | None = None,
    executor: ExecutorLike | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> Reproduction:
    """Run the paper's experiments and write tables, figures and a report into a folder.

    `tables` names tables such as "synthetic_delta_sd" (None or "all": all ten); `repetitions` is a number, "paper"
    for the paper's 5000 and 2000, or None for a quick look of about a minute. Finished cells stay in the folder: the
    same call goes on where an interrupted one was. With an `executor`, a Dask client for instance, cells are spread
    over its workers.
    """
    need("The paper's reproduction", "numba", "matplotlib")
    folder = Path(out)
    chosen = chosen_tables(tables)
    used = {table.sweep.name for table in chosen}
    planned = planned_cells([sweep for sweep in SWEEPS if sweep.name in used], repetitions, seed)
    cells = [one.cell for one in planned]
    campaign = run_campaign(cells, folder=folder, threads=threads, executor=executor, on_progress=on_progress)
    ran = [Ran(one, result) for one, result in zip(planned, campaign.cells, strict=True)]
    rows, extra = compared_numbers(chosen, ran), extra_runs_of(ran)
    content = PageContent(rows, extra, targets(rows, extra), seed, satisfice.__version__)
    return _written(folder, content)


def _written(folder: Path, content: PageContent) -> Reproduction:
    names = dict.fromkeys(row.table for row in content.rows)
    tables = {f"tables/{name}.csv": table_csv(row for row in content.rows if row.table == name) for name in names}
    figures = {figure_path(name): picture for name, picture in figure_files(content.rows)}
    texts = {**tables, PAGE: page(content)}
    files = {**figures, **{name: text.encode() for name, text in texts.items()}}
    with writing("Files", folder, "Choose a place that you may write to; finished cells are kept."):
        for name, data in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            write_whole(folder / name, data)
    return Reproduction(
        folder=folder,
        rows=content.rows,
        extra_runs=content.extra_runs,
        targets=content.targets,
        report=folder / PAGE,
        tables=tuple(folder / name for name in tables),
        figures=tuple(folder / name for name in figures),
    )
