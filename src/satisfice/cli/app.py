"""The commands, one module each. Nothing heavy is imported before a command needs it: --help answers at once."""

from collections.abc import Callable
from typing import Annotated

import typer

from satisfice.catalogue import look_here_too
from satisfice.cli.backup import backup
from satisfice.cli.bounds import bounds
from satisfice.cli.compare_studies import compare_studies
from satisfice.cli.dashboard import dashboard
from satisfice.cli.explain import explain
from satisfice.cli.export import export
from satisfice.cli.help import Grouped, WholeSentences
from satisfice.cli.init import init
from satisfice.cli.launch import launch
from satisfice.cli.plan import plan
from satisfice.cli.program import WithProgram
from satisfice.cli.report import report
from satisfice.cli.reproduce import reproduce
from satisfice.cli.rules import rules
from satisfice.cli.run import run
from satisfice.cli.serve import serve
from satisfice.cli.simulate import simulate
from satisfice.cli.status import status
from satisfice.cli.studies import list_
from satisfice.cli.try_once import try_
from satisfice.cli.verify import verify
from satisfice.cli.worker import worker

COMMANDS = (
    *(run, try_, init, status, explain, dashboard, report, export, verify, list_, compare_studies, backup),
    *(worker, serve, launch, plan, simulate, bounds, reproduce, rules),
)
"""In the order of the help."""

READING = (status, explain, dashboard, report, export, verify, list_, compare_studies, backup)
"""Those that only read a study. They leave modules in the current folder alone, unless one is named to them."""

PROGRAMS = (run, try_, init, worker, launch)
"""Those whose line may end with a program."""

app = typer.Typer(
    name="satisfice",
    cls=WholeSentences,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Find any configuration that passes all your thresholds, and know how certain that is.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(wanted: bool) -> None:
    if wanted:
        from satisfice import __version__

        typer.echo(f"satisfice {__version__}")
        raise typer.Exit


@app.callback()
def satisfice(
    ctx: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Find any configuration that passes all your thresholds, and know how certain that is."""
    if ctx.invoked_subcommand not in {_named(one) for one in READING}:
        look_here_too()


def _named(command: Callable[..., None]) -> str:
    return command.__name__.rstrip("_").replace("_", "-")


for command in COMMANDS:
    app.command(_named(command), cls=WithProgram if command in PROGRAMS else Grouped)(command)
