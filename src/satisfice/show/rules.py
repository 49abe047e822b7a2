"""What people see of the catalogues."""

from satisfice.noise import NOISE_MODELS
from satisfice.rules import RULES
from satisfice.show.sentence import screen
from satisfice.show.table import plain_table
from satisfice.stopping import STOPPING_RULES


def print_rules() -> None:
    """Names, classes and where they come from."""
    rows = []
    for known in (RULES, STOPPING_RULES, NOISE_MODELS):
        rows += [(name, known.kind, (value.__doc__ or "").splitlines()[0]) for name, value in known.items()]
        rows += [(name, known.kind, place) for name, place in known.outside().items()]
    screen().print(plain_table(("name", "kind", "what it is"), rows, left=range(3), wrapped=(2,)))
