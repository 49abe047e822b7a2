"""satisfice reproduce."""

from pathlib import Path
from typing import Any

import typer

from satisfice.cli import options
from satisfice.given import is_digits


def reproduce(
    table: list[str] | None = options.PAPER_TABLES,
    repetitions: str | None = options.RUNS_OF_CELLS,
    out: Path = options.PAPER_FOLDER,
    seed: int = options.PAPER_SEED,
    threads: int | None = options.THREADS,
    dask: str | None = options.DASK,
) -> None:
    """Make every table and figure of the paper, ours beside the printed numbers."""
    from satisfice.cluster import dask_client
    from satisfice.paper import reproduce as reproduce_paper
    from satisfice.show.campaign import campaign_progress, print_reproduction

    wanted = None if not table or "all" in table else table
    with dask_client(dask) as client, campaign_progress() as tell:
        made = reproduce_paper(
            out,
            tables=wanted,
            repetitions=_repetitions(repetitions),
            seed=seed,
            threads=threads,
            executor=client,
            on_progress=tell,
        )
    print_reproduction(made, out)


def _repetitions(text: str | None) -> Any:
    if text is None or text == "paper":
        return text
    if not is_digits(text) or int(text) < 1:
        raise typer.BadParameter(
            f"expected a whole number of at least 1, or 'paper', got {text!r}", param_hint="--repetitions"
        )
    return int(text)
