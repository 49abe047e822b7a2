"""Names to values: rules, stopping rules, storages and export formats by name, entry point or `module:Class`."""

import importlib
from collections.abc import Callable
from importlib.metadata import entry_points
from numbers import Real
from typing import Any

from satisfice.errors import IncompleteRule, InvalidCommand, UnknownName, unknown_name
from satisfice.noise.models import written
from satisfice.rules import RULES
from satisfice.stopping import STOPPING_RULES

RULE_GROUP = "satisfice.rules"
STOPPING_GROUP = "satisfice.stopping"
STORAGE_GROUP = "satisfice.storages"
EXPORT_GROUP = "satisfice.export_formats"

SQL = "satisfice.study.storage.sql:SQLStorage"
STORAGES = {"memory": "satisfice.study.storage.memory:MemoryStorage", "sqlite": SQL, "postgresql": SQL, "postgres": SQL}
"""By the scheme of an address, where the storage is made: imported when it is used, for some are heavy."""

FORMATS = "satisfice.cli.export_formats:as_"
EXPORT_FORMATS = {name: f"{FORMATS}{name}" for name in ("csv", "json", "markdown", "parquet")}


RULE_WAYS = (("bonus", "priority"), ("bonus", "priority_at"), ("drawn_score", "redraws", "stay"), ("promise", "stay"))
STOPPING_WAYS = (("width",), ("judge",))
"""The methods that make a value a sampling rule, or a stopping rule: those of one of these ways."""


def resolve_rule(rule: Any) -> Any:
    """A sampling rule from its name, its class or itself."""
    return _resolve(rule, "sampling rule", RULES, RULE_GROUP, RULE_WAYS)


def resolve_stopping(stopping: Any) -> Any:
    """A stopping rule from its name, its class or itself."""
    return _resolve(stopping, "stopping rule", STOPPING_RULES, STOPPING_GROUP, STOPPING_WAYS)


def resolve_storage(address: str) -> Callable[..., object]:
    """What makes a storage of an address: called with it, and with `create`.

    The scheme before :// is one of ours, an entry point of the group satisfice.storages, or module:Class.
    """
    scheme = address.partition("://")[0]
    known = STORAGES | {point.name: point.value for point in entry_points(group=STORAGE_GROUP)}
    own = all(name.isidentifier() for name in scheme.replace(".", ":").split(":")) and ":" in scheme
    path = known.get(scheme.partition("+")[0], scheme if own else SQL)  # which refuses what is not SQL, in a sentence
    maker: Callable[..., object] = _import(path, "storage")
    return maker


def resolve_export_format(name: str) -> Callable[[dict[str, list[Any]]], str | bytes]:
    """What writes a table: by a name of ours, an entry point in satisfice.export_formats, or module:function."""
    known = export_formats()
    if name not in known and ":" not in name:
        raise unknown_name("format", name, known)
    writer: Callable[[dict[str, list[Any]]], str | bytes] = _import(known.get(name, name), "export format")
    return writer


def resolve_function(path: str) -> Callable[..., Any]:
    """A function from module:function."""
    found: Callable[..., Any] = _import(path, "function")
    if not callable(found):
        raise InvalidCommand(f"{path!r} is not a function: {found!r:.60}.")
    return found


def export_formats() -> dict[str, str]:
    """The formats that have a name, and where each is."""
    return EXPORT_FORMATS | {point.name: point.value for point in entry_points(group=EXPORT_GROUP)}


def rule_label(rule: Any) -> str:
    """How a rule is called in tables: its class, and its fields where they are not the defaults."""
    changed = [
        f"{field}={written(float(value)) if isinstance(value, Real) else repr(value)}"
        for field, value in rule._asdict().items()
        if value != rule._field_defaults.get(field)
    ]
    return type(rule).__name__ + (f"({', '.join(changed)})" if changed else "")


def _resolve(given: Any, kind: str, known: dict[str, type[Any]], group: str, ways: tuple[tuple[str, ...], ...]) -> Any:
    found = _by_name(given, kind, known, group) if isinstance(given, str) else given
    value = _made(found, kind) if isinstance(found, type) else found
    lacking = [[method for method in way if not callable(getattr(value, method, None))] for way in ways]
    missing = min(lacking, key=len)
    if missing or not isinstance(value, tuple) or not getattr(value, "_fields", ()):
        lacks = f"lacks {' and '.join(missing)}" if missing else "is not a NamedTuple with at least one field"
        methods = " or ".join(", ".join(way) for way in ways)
        raise IncompleteRule(
            f"A {kind} must be a NamedTuple with at least one field and the methods {methods}; "
            f"{type(value).__name__} {lacks}. See docs/how-to/add-a-rule.md."
        )
    return value


def _made(kept: type[Any], kind: str) -> Any:
    try:
        return kept()
    except TypeError as error:
        raise IncompleteRule(
            f"The {kind} {kept.__name__} cannot be made without its fields: {error}. "
            f"Give a value, {kept.__name__}(...), or give every field a default."
        ) from None


def _by_name(name: str, kind: str, known: dict[str, type[Any]], group: str) -> Any:
    plugins = {point.name: point for point in entry_points(group=group)}
    key = name.strip().lower()
    if key in known:
        return known[key]
    if name in plugins:
        return _import(plugins[name].value, kind)
    if ":" in name:
        return _import(name, kind)
    raise unknown_name(kind, name, [*known, *plugins])


def _import(path: str, kind: str) -> Any:
    module, _, attribute = path.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError, SyntaxError) as error:
        raise UnknownName(
            f"No {kind} can be imported from {path!r}: {error}. Write it as module:name, importable from here."
        ) from error
