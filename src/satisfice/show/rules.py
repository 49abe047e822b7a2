"""What people see of the catalogue of rules."""

from importlib.metadata import entry_points

from rich.console import Console

from satisfice.catalogue import RULE_GROUP, STOPPING_GROUP
from satisfice.rules import RULES
from satisfice.show.table import plain_table
from satisfice.stopping import STOPPING_RULES


def print_rules() -> None:
    """Names, classes and where they come from."""
    rows = []
    for kind, known, group in (("sampling rule", RULES, RULE_GROUP), ("stopping rule", STOPPING_RULES, STOPPING_GROUP)):
        rows += [(name, kind, (value.__doc__ or "").splitlines()[0]) for name, value in known.items()]
        rows += [(point.name, kind, point.value) for point in entry_points(group=group)]
    Console().print(plain_table(("name", "kind", "what it is"), rows, left=range(3), wrapped=(2,)))
