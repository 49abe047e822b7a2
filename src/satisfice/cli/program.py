"""Commands that end with a program to run: everything after -- is the program's, whatever it looks like."""

from typing import Any

from typer.core import TyperCommand

PLACE = "[-- PROGRAM ...]"
_KEY = "satisfice.program"


class WithProgram(TyperCommand):
    """A command whose line may end with `-- PROGRAM ...`."""

    program_place = PLACE

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if "--" in args:
            place = args.index("--")
            ctx.meta[_KEY] = args[place + 1 :]
            args = args[:place]
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [*super().collect_usage_pieces(ctx), PLACE]


def program_of(ctx: Any) -> list[str]:
    """The words after --."""
    words: list[str] = ctx.meta.get(_KEY, [])
    return words
