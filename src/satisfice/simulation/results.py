"""A campaign's results: tidy rows, summaries, files and a plot."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from satisfice.catalogue import rule_label
from satisfice.errors import writing
from satisfice.extras import need
from satisfice.layout.escape import csv_cell, table
from satisfice.layout.notebook import in_notebook
from satisfice.layout.numbers import fixed, percent, rounded, written
from satisfice.layout.text_table import text_table
from satisfice.search.verdict import OUTCOMES
from satisfice.simulation.cell import CellResult
from satisfice.simulation.summary import CellSummary, Timing, common_tolerance, summarise


@dataclass(frozen=True)
class CampaignResult:
    """The results of all cells (the operating characteristics of the rules)."""

    cells: tuple[CellResult, ...]

    @cached_property
    def summaries(self) -> tuple[CellSummary, ...]:
        return tuple(summarise(result) for result in self.cells)

    def summary(self) -> "SummaryTable":
        """A table to print, with a line for each cell."""
        return SummaryTable(self.summaries)

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()

    def table(self) -> Any:
        """All repetitions as a tidy Arrow table, one row each; `.to_pandas()` makes it a data frame."""
        need("A table of all repetitions", "pyarrow")
        import pyarrow  # noqa: PLC0415 - heavy

        parts = [pyarrow.table(_columns(result)) for result in self.cells]
        return pyarrow.concat_tables(parts)

    def save(self, folder: str | Path) -> list[Path]:
        """Write results.parquet (all repetitions), summary.csv and pulls_per_arm.csv."""
        need("A folder of results", "pyarrow")
        from pyarrow import csv, parquet  # noqa: PLC0415 - heavy

        place = Path(folder)
        paths = [place / "results.parquet", place / "summary.csv", place / "pulls_per_arm.csv"]
        with writing("Results", place):
            place.mkdir(parents=True, exist_ok=True)
            parquet.write_table(self.table(), paths[0])
            csv.write_csv(self._summary_table(), paths[1])
            csv.write_csv(self._arm_table(), paths[2])
        return paths

    def plot(self, path: str | Path | None = None) -> Any:
        """The distribution of evaluations for each rule, as a matplotlib figure, also saved if a path is given."""
        from satisfice.plots import plot_campaign, save_figure  # noqa: PLC0415 - loads matplotlib

        figure = plot_campaign(self.summaries)
        if path is not None:
            save_figure(figure, Path(path))
        return figure

    def _summary_table(self) -> Any:
        import pyarrow  # noqa: PLC0415 - heavy

        rows = [summary.as_dict() for summary in self.summaries]
        for row in rows:
            row.pop("pulls_per_arm")
            row |= {f"cost_{name}": value for name, value in (row.pop("cost") or {}).items()}
            row["tolerance"] = tolerance_text(row["tolerance"])
        return pyarrow.Table.from_pylist(list(map(_for_csv, rows)))

    def _arm_table(self) -> Any:
        import pyarrow  # noqa: PLC0415 - heavy

        return pyarrow.Table.from_pylist(list(map(_for_csv, self._arm_rows())))

    def _arm_rows(self) -> Iterator[dict[str, Any]]:
        for result, summary in zip(self.cells, self.summaries, strict=True):
            workers = {} if summary.timing is None else {"workers": summary.timing.workers}
            for arm, pulls in zip(result.cell.instance.arm_names, summary.pulls_per_arm, strict=True):
                yield {
                    "instance": summary.instance,
                    "rule": summary.rule,
                    "error_rate": summary.error_rate,
                    "tolerance": tolerance_text(summary.tolerance),
                    "arm": arm,
                    "mean_pulls": pulls,
                    **workers,
                }


@dataclass(frozen=True)
class SummaryTable:
    """Summaries that print as a table."""

    rows: tuple[CellSummary, ...]

    def __iter__(self) -> Iterator[CellSummary]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> CellSummary:
        return self.rows[index]

    def __str__(self) -> str:
        return text_table(self._heads(), map(_cells, self.rows), left=(0, 1))

    def _repr_html_(self) -> str:
        heads = self._heads()
        return in_notebook(table(heads, map(_cells, self.rows), numbers=range(2, len(heads))))

    def _heads(self) -> tuple[str, ...]:
        heads = ("instance", "rule", "error rate", "tolerance", "mean", "sd", "median", "90 %", "99 %")
        timed = ("workers", "asked", "time") if any(row.timing is not None for row in self.rows) else ()
        return (*heads, "wrong", "timed out", *timed)

    __repr__ = __str__


def _cells(row: CellSummary) -> tuple[str, ...]:
    numbers = (row.mean, row.sd, row.median, row.quantile_90, row.quantile_99)
    return (
        row.instance,
        row.rule,
        written(row.error_rate),
        tolerance_text(row.tolerance),
        *(fixed(number, 0) for number in numbers),
        percent(row.wrong),
        percent(row.timed_out),
        *timing_cells(row.timing),
    )


def timing_cells(timing: Timing | None) -> tuple[str, ...]:
    """Workers, evaluations asked for and the time, where there are any."""
    if timing is None:
        return ()
    return f"{timing.workers:,}", fixed(timing.asked, 0), time_text(timing.time)


def time_text(time: float) -> str:
    """A time in mean evaluations: whole numbers, but for short ones."""
    return rounded(time)


def tolerance_text(tolerance: float | tuple[float, ...]) -> str:
    """One tolerance, or those of all metrics."""
    return " ".join(written(each) for each in (tolerance if isinstance(tolerance, tuple) else (tolerance,)))


def _for_csv(row: dict[str, Any]) -> dict[str, Any]:
    return {name: csv_cell(value) for name, value in row.items()}


def _columns(result: CellResult) -> dict[str, Any]:
    import pyarrow  # noqa: PLC0415 - heavy

    cell = result.cell
    count = cell.repetitions
    names = np.array([*cell.instance.arm_names, None], dtype=object)
    outcomes = np.array(list(map(str, OUTCOMES)), dtype=object)
    timed = {"workers": np.full(count, cell.workers), "asked": result.asked, "time": result.times}
    return {
        "instance": [cell.instance.name] * count,
        "rule": [rule_label(cell.rule)] * count,
        "stopping": [rule_label(cell.stopping)] * count,
        "error_rate": np.full(count, cell.instance.problem.error_rate),
        "tolerance": [tolerance_text(common_tolerance(cell))] * count,
        "seed": np.full(count, cell.seed),
        "repetition": np.arange(count),
        "outcome": outcomes[result.endings].tolist(),
        "arm": pyarrow.array(names[result.found].tolist(), pyarrow.string()),
        "evaluations": result.pulls,
        **({} if result.spent is None else {"cost": result.spent}),
        "wrong": result.wrong,
        "timed_out": result.timed_out,
        "guess": pyarrow.array(names[result.record.guesses].tolist(), pyarrow.string()),
        "p_value": result.p_values,
        **(timed if cell.durations is not None else {}),
    }
