"""What stands on the line of a command: its options, and a program after --, which is the program's whatever it is."""

from collections.abc import Container
from typing import Any

from satisfice.cli.help import Grouped

PLACE = "[-- PROGRAM ...]"
_KEY = "satisfice.program"


class WithProgram(Grouped):
    """A command whose line may end with `-- PROGRAM ...`."""

    program_place = PLACE

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if "--" in args:
            place = args.index("--")
            ctx.meta[_KEY] = args[place + 1 :]
            args = args[:place]
        return super().parse_args(ctx, _with_scans(args))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [*super().collect_usage_pieces(ctx), PLACE]


def _with_scans(args: list[str]) -> list[str]:
    """The words of the line, those of -P NAME FROM TO in one: an option that may be repeated takes one."""
    if "-P" not in args and "--parameter-scan" not in args:
        return args
    found, rest = [], list(args)
    while rest:
        word = rest.pop(0)
        found.append(word)
        if word in ("-P", "--parameter-scan"):
            found.append(" ".join(rest[:3]))
            del rest[:3]
    return found


def given(ctx: Any, outside: Container[str], **renamed: str) -> dict[str, Any]:
    """The options that were given, under the names of keys of a file; those `outside` are no such keys."""
    keys = {renamed.get(name, name): value for name, value in ctx.params.items() if name not in outside}
    return {key: value for key, value in keys.items() if value not in (None, [], (), {})}


def program_of(ctx: Any) -> list[str]:
    """The words after --."""
    words: list[str] = ctx.meta.get(_KEY, [])
    return words
