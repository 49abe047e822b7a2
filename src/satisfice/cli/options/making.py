"""How an option, an argument or a flag is made, and under which heading the help has it."""

from typing import Any, NamedTuple

import typer

DEFAULT_PORT = 8765
DEFAULT_PLACE = "default: $SATISFICE_STORAGE or sqlite:///satisfice.db."


def option(metavar: str, says: str, *names: str, default: Any = None, shown: str | None = None, **more: Any) -> Any:
    """An option; if it has no default, what is not given is left to a file, or to a default that the help tells."""
    shows = shown or default is not None
    return typer.Option(default, *names, metavar=metavar, help=says, show_default=shows, **more)


def argument(metavar: str, says: str, default: Any = None) -> Any:
    """An argument; what is not given is left to a default that the help tells."""
    return typer.Argument(default, metavar=metavar, help=says, show_default=False)


def flag(says: str, *names: str, **more: Any) -> Any:
    """An option without a value."""
    return typer.Option(False, *names, help=says, **more)


class Heading(NamedTuple):
    """A heading of the help, and what stands below it."""

    title: str

    def option(self, metavar: str, says: str, *names: str, **more: Any) -> Any:
        return option(metavar, says, *names, rich_help_panel=self.title, **more)

    def flag(self, says: str, *names: str) -> Any:
        return flag(says, *names, rich_help_panel=self.title)

    def key(self, says: str, *names: str) -> Any:
        """A flag that a file may set, too."""
        return typer.Option(None, *names, help=says, rich_help_panel=self.title)


ASKED, PROGRAM, BUDGET = map(Heading, ("What is asked", "How the program is run", "How much of it"))
FAILURES, KEPT, SHOWN = map(Heading, ("What failures mean", "Where it is kept", "What is shown"))
METHOD = Heading("For those who know the method")
