"""What a shell offers on the Tab key."""

from collections.abc import Callable, Iterable
from importlib import import_module


def beginning(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """What offers those of the names that begin with what was typed."""

    def offered(typed: str) -> list[str]:
        return [name for name in names() if name.startswith(typed.lower())]

    return offered


rule_names = beginning(lambda: import_module("satisfice.rules").RULES)
stopping_names = beginning(lambda: import_module("satisfice.stopping").STOPPING_RULES)
readers = beginning(lambda: import_module("satisfice.readers").READERS)
formats = beginning(lambda: import_module("satisfice.catalogue").export_formats())
policies = beginning(lambda: ("stop", "retry", "worst"))
losses = beginning(lambda: ("reissue", "worst", "stop"))
goals = beginning(lambda: ("any", "all"))
orders = beginning(lambda: ("given", "random"))
