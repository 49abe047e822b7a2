"""satisfice reproduce."""

from pathlib import Path
from typing import Annotated, Any

import typer

from satisfice.cli.options import Threads


def reproduce(
    table: Annotated[
        list[str] | None,
        typer.Option(
            "--table",
            "-t",
            metavar="TABLE",
            help="A table of the paper by name, or all; repeat for several.",
            show_default="all",
        ),
    ] = None,
    repetitions: Annotated[
        str | None,
        typer.Option(
            "--repetitions",
            "-n",
            metavar="N",
            help="Runs of each cell, or 'paper' for as many as the paper made; default: few, for a quick look.",
        ),
    ] = None,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="The folder for tables, figures and the report.")] = Path(
        "reproduction"
    ),
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of all randomness.")] = 1,
    threads: Threads = None,
) -> None:
    """Make every table and figure of the paper, ours beside the printed numbers."""
    from satisfice.paper import reproduce as reproduce_paper  # noqa: PLC0415
    from satisfice.show.campaign import campaign_progress, print_reproduction  # noqa: PLC0415

    wanted = None if not table or "all" in table else table
    with campaign_progress() as tell:
        made = reproduce_paper(
            out, tables=wanted, repetitions=_repetitions(repetitions), seed=seed, threads=threads, on_progress=tell
        )
    print_reproduction(made, out)


def _repetitions(text: str | None) -> Any:
    if text is None or text == "paper":
        return text
    if not text.isdigit() or int(text) < 1:
        raise typer.BadParameter(
            f"expected a whole number of at least 1, or 'paper', got {text!r}", param_hint="--repetitions"
        )
    return int(text)
