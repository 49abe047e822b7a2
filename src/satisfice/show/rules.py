"""What people see of the catalogue of rules."""

from importlib.metadata import entry_points

from rich.console import Console
from rich.table import Table

from satisfice.catalogue import RULE_GROUP, STOPPING_GROUP
from satisfice.rules import RULES
from satisfice.stopping import STOPPING_RULES


def print_rules() -> None:
    """Names, classes and where they come from."""
    console = Console()
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("name", "kind", "what it is"):
        table.add_column(name)
    for kind, known, group in (("sampling rule", RULES, RULE_GROUP), ("stopping rule", STOPPING_RULES, STOPPING_GROUP)):
        for name, value in known.items():
            table.add_row(name, kind, (value.__doc__ or "").splitlines()[0])
        for point in entry_points(group=group):
            table.add_row(point.name, kind, point.value)
    console.print(table)
