"""Options and arguments that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

InstancePath = Annotated[
    Path, typer.Argument(metavar="INSTANCE.toml", help="The instance file: thresholds, arms, rules, sweeps.")
]
Threads = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="How many threads; default: one for each core.", show_default=False),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of tables.")]
