"""satisfice try."""

import inspect
from typing import Any

import typer

from satisfice.cli import options
from satisfice.cli.program import program_of
from satisfice.cli.run import run, said_by


def try_(ctx: typer.Context, **_: Any) -> None:
    """Evaluate each configuration twice: what was run, what was read, and what each limit would say of it.

    Then it proposes thresholds for metrics without a declaration, to copy. It takes the options of run, needs no limit
    and records nothing. Once all is read as it should be, put run in the place of try. Exit code 1 if an evaluation
    failed.
    """
    from satisfice.cli.attempt import try_each
    from satisfice.cli.request import read_options, request_of

    request = request_of(
        ctx.params["study"],
        program_of(ctx),
        read_options({key: value for key, value in said_by(ctx).items() if key != "repeat"}),
        show_output=ctx.params["show_output"],
        limits_needed=False,
    )
    raise typer.Exit(try_each(request, ctx.params["repeat"]))


_of_run = inspect.signature(run)  # so that no option can be forgotten
_repeat = inspect.Parameter("repeat", inspect.Parameter.KEYWORD_ONLY, default=options.REPEATS, annotation=int)
try_.__signature__ = _of_run.replace(parameters=[*_of_run.parameters.values(), _repeat])  # type: ignore[attr-defined]  # as typer reads it
try_.__annotations__ = run.__annotations__ | {"repeat": int}
