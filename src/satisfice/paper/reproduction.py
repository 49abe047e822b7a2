"""The whole article run again: cells, tables, figures and a report, in one folder."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile

import satisfice
from satisfice.errors import UnwritableFolder
from satisfice.paper.comparison import ComparisonRow, compare
from satisfice.paper.evidence import Evidence, gather
from satisfice.paper.experiments import SWEEPS
from satisfice.paper.figures import figure_files
from satisfice.paper.plan import Ran, Repetitions, plan
from satisfice.paper.printed import chosen_tables
from satisfice.paper.report import Content, figure_path, report
from satisfice.paper.table_file import table_csv
from satisfice.paper.targets import Target, targets
from satisfice.simulation.campaign import Progress, run_campaign, write_whole

REPORT = "reproduction.md"
SEED = 1


@dataclass(frozen=True)
class Reproduction:
    """What came out: every printed number beside ours, the evidence, how near it is, and where the files are."""

    folder: Path
    rows: tuple[ComparisonRow, ...]
    evidence: Evidence
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

    def publish(self, folder: str | Path) -> list[Path]:
        """Copy the report and its figures into another folder, such as that of a documentation, links intact."""
        paths = [Path(folder) / path.relative_to(self.folder) for path in (self.report, *self.figures)]
        with _writing_to(Path(folder)):
            for source, path in zip((self.report, *self.figures), paths, strict=True):
                path.parent.mkdir(parents=True, exist_ok=True)
                copyfile(source, path)
        return paths


def reproduce(
    out: str | Path,
    *,
    tables: Sequence[str] | None = None,
    repetitions: Repetitions = None,
    seed: int = SEED,
    threads: int | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> Reproduction:
    """Run the paper's experiments and write tables, figures and a report into a folder.

    `tables` names tables such as "synthetic_delta_sd" (None or "all": all ten); `repetitions` is a number, "paper"
    for the paper's 5000 and 2000, or None for a quick look of about a minute. Finished cells stay in the folder: the
    same call goes on where an interrupted one was.
    """
    folder = Path(out)
    chosen = chosen_tables(tables)
    used = {table.sweep.name for table in chosen}
    planned = plan([sweep for sweep in SWEEPS if sweep.name in used], repetitions, seed)
    campaign = run_campaign([one.cell for one in planned], folder=folder, threads=threads, on_progress=on_progress)
    ran = [Ran(one, result) for one, result in zip(planned, campaign.cells, strict=True)]
    rows, evidence = compare(chosen, ran), gather(ran)
    content = Content(rows, evidence, targets(rows, evidence), seed, satisfice.__version__)
    return _written(folder, content)


def _written(folder: Path, content: Content) -> Reproduction:
    names = dict.fromkeys(row.table for row in content.rows)
    tables = {f"tables/{name}.csv": table_csv(row for row in content.rows if row.table == name) for name in names}
    figures = {figure_path(name): picture for name, picture in figure_files(content.rows)}
    texts = {**tables, REPORT: report(content)}
    files = {**figures, **{name: text.encode() for name, text in texts.items()}}
    with _writing_to(folder):
        for name, data in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            write_whole(folder / name, data)
    return Reproduction(
        folder=folder,
        rows=content.rows,
        evidence=content.evidence,
        targets=content.targets,
        report=folder / REPORT,
        tables=tuple(folder / name for name in tables),
        figures=tuple(folder / name for name in figures),
    )


@contextmanager
def _writing_to(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UnwritableFolder(
            f"Files cannot be written to {folder}: {error.strerror or error}. Choose a folder that you may write to. "
            "Finished cells are kept."
        ) from error
