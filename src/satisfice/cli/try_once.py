"""satisfice try."""

import inspect
from typing import Any

import typer

from satisfice.cli.program import program_of
from satisfice.cli.run import run, said_by


def try_(ctx: typer.Context, **_: Any) -> None:
    """Evaluate each configuration once: what was run, what was read, and what each limit would say of it.

    It takes the options of run and records nothing. Once all is read as it should be, put run in the place of try.
    Exit code 1 if an evaluation failed.
    """
    from satisfice.cli.attempt import try_each
    from satisfice.cli.request import read_options, request_of

    request = request_of(
        ctx.params["study"],
        program_of(ctx),
        read_options(said_by(ctx)),
        show_output=ctx.params["show_output"],
    )
    raise typer.Exit(try_each(request))


try_.__signature__ = inspect.signature(run)  # type: ignore[attr-defined]  # so that no option can be forgotten
try_.__annotations__ = run.__annotations__
