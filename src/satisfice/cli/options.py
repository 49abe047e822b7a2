"""Options and arguments that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from satisfice.cli import complete

InstancePath = Annotated[
    Path, typer.Argument(metavar="INSTANCE.toml", help="The instance file: thresholds, arms, rules, sweeps.")
]
Threads = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="How many threads; default: one for each core.", show_default=False),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of tables.")]
StoragePlace = Annotated[
    str | None,
    typer.Argument(
        metavar="STORAGE",
        help="Where the study is, such as sqlite:///iot.db; default: $SATISFICE_STORAGE or sqlite:///satisfice.db.",
        show_default=False,
    ),
]
StorageUrl = Annotated[
    str | None,
    typer.Option(
        "--storage",
        "-s",
        metavar="URL",
        help="Where the study is kept: sqlite:///FILE, postgresql://..., memory or module:Class://...; "
        "default: $SATISFICE_STORAGE or sqlite:///satisfice.db.",
        show_default=False,
    ),
]
StudyName = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The study's name, where a storage has several.", show_default=False),
]
RuleName = Annotated[
    str | None,
    typer.Option(
        "--rule",
        "-r",
        metavar="RULE",
        help="The sampling rule by name or module:Class.",
        show_default=False,
        autocompletion=complete.rule_names,
    ),
]
RuleNames = Annotated[
    list[str] | None,
    typer.Option(
        "--rule",
        "-r",
        metavar="RULE",
        help="A sampling rule by name or module:Class; repeat for several.",
        show_default=False,
        autocompletion=complete.rule_names,
    ),
]
StoppingName = Annotated[
    str | None,
    typer.Option(
        metavar="STOPPING",
        help="The stopping rule by name or module:Class.",
        show_default=False,
        autocompletion=complete.stopping_names,
    ),
]
Seed = Annotated[int | None, typer.Option(metavar="N", help="Seed of all randomness; default 0.", show_default=False)]
ResultsFolder = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Keep results here: tables, a plot, every run. Interrupted, the same command goes on.",
        show_default=False,
    ),
]
OnError = Annotated[
    str | None,
    typer.Option(
        metavar="stop|retry|worst",
        help="What a failed evaluation does: stop the study (default), be tried again, or count as the worst result.",
        show_default=False,
        autocompletion=complete.policies,
    ),
]
Retries = Annotated[
    int | None,
    typer.Option(metavar="N", help="How often an evaluation is tried again; default 2.", show_default=False),
]
Timeout = Annotated[
    str | None, typer.Option(metavar="TIME", help="Time limit of an evaluation: 30s, 5m.", show_default=False)
]
Environment = Annotated[
    list[str] | None,
    typer.Option("--env", metavar="NAME=TEXT", help="A variable of the program; repeat.", show_default=False),
]
ProgramFolder = Annotated[
    str | None, typer.Option("--cwd", metavar="FOLDER", help="Where the program runs.", show_default=False)
]
