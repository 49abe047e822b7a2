"""Who starts processes, and that each says what is in their environment. Read, not run."""

import ast
import re

from tests.contracts.test_structure import parsed


def test_whoever_starts_a_process_says_what_is_in_its_environment():
    """Else it has all that this one has, and so the tokens of a server: see `environment_without_secrets`."""
    starts = {
        place: [node for node in ast.walk(tree) if isinstance(node, ast.Call) and starts_a_process(node.func)]
        for place, tree in parsed().items()
    }
    found = {place: calls for place, calls in starts.items() if calls}
    assert set(found) == {"command/guard.py", "command/child.py", "command/output.py", "web/forecaster.py"}
    assert all("env" in {word.arg for word in call.keywords} for calls in found.values() for call in calls)


def starts_a_process(called):
    modules = {"subprocess": "", "webbrowser": "", "multiprocessing": "", "os": "exec|spawn|popen|system|fork"}
    own = isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name)
    return own and called.value.id in modules and re.match(modules[called.value.id], called.attr) is not None
