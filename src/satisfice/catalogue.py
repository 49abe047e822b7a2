"""Names to values, for everything that can be exchanged: by name, by entry point, by `module:Class`, or as it is.

The only place where it is looked at what methods a value has.
"""

import importlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from numbers import Real
from typing import Any, Generic, Protocol, TypeVar, cast

from satisfice.errors import IncompleteRule, InvalidCommand, UnknownName, unknown_name
from satisfice.layout.numbers import written

T = TypeVar("T")
Ways = Sequence[Sequence[str]]
"""Sets of methods: a value of a kind has all methods of one of them."""


def offers(kind: type, methods: Sequence[str]) -> bool:
    """Whether the class has all these methods."""
    return all(callable(getattr(kind, method, None)) for method in methods)


def by_class(choose: Callable[[type], Callable[..., Any]]) -> Callable[..., Any]:
    """A function that does what `choose` finds for the class of its first argument.

    Interpreted code asks at every call, compiled code once, when it is compiled: `DISPATCHERS` has them all.
    """
    chosen: Callable[[Any], Callable[..., Any]] = cache(choose)

    def dispatcher(value: Any, *arguments: Any) -> Any:
        return chosen(type(value))(value, *arguments)

    DISPATCHERS[dispatcher] = chosen
    return dispatcher


DISPATCHERS: dict[Callable[..., Any], Callable[[type], Callable[..., Any]]] = {}
"""Every function made by `by_class`, with what finds its implementation."""


class Catalogue(Mapping[str, type[T]], Generic[T]):
    """The classes of one kind by name, and whatever else can be found by a name."""

    def __init__(
        self, kind: str, group: str, known: Mapping[str, type[Any]], ways: Ways = (), page: str = "add-a-rule"
    ) -> None:
        self.kind, self.group, self.page = kind, group, page
        self._known, self._ways = dict(known), ways

    def __getitem__(self, name: str) -> type[T]:
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def resolve(self, given: object) -> T:
        """The value itself, or the one that a class or a name stands for."""
        found = self.find(given) if isinstance(given, str) else given
        return self._complete(self._made(found) if isinstance(found, type) else found)

    def find(self, name: str) -> Any:
        """What the name stands for: a class, or a value."""
        key = name.strip().lower()
        if key in self._known:
            return self._known[key]
        outside = self.outside()
        if name in outside:
            with elsewhere():
                return imported(outside[name], self.kind)
        if ":" in name:
            return imported(name, self.kind)
        raise unknown_name(self.kind, name, [*self._known, *outside])

    def is_foreign(self, name: str) -> bool:
        """Whether to find it means to import a module:Class that no installed package offers."""
        if ":" not in name or name.strip().lower() in self._known:
            return False
        outside = self.outside()
        return name not in outside and name not in outside.values()

    def name_of(self, value: object) -> str:
        """The name under which the class of a value is found again."""
        kind = type(value)
        names = [name for name, known in self._known.items() if known is kind]
        return names[0] if names else f"{kind.__module__}:{kind.__qualname__}"

    def outside(self) -> dict[str, str]:
        """What other packages offer: names and where they lead."""
        return installed(self.group)

    def _complete(self, value: object) -> T:
        if not self._ways:
            return cast(T, value)
        lacking = [[method for method in way if not offers(type(value), [method])] for way in self._ways]
        missing = min(lacking, key=len)
        if missing or not isinstance(value, tuple) or not getattr(value, "_fields", ()):
            lacks = f"lacks {' and '.join(missing)}" if missing else "is not a NamedTuple with at least one field"
            methods = " or ".join(", ".join(way) for way in self._ways)
            raise IncompleteRule(
                f"A {self.kind} must be a NamedTuple with at least one field and the methods {methods}; "
                f"{type(value).__name__} {lacks}. See docs/how-to/{self.page}.md."
            )
        return cast(T, value)

    def _made(self, kept: type[Any]) -> Any:
        try:
            return kept()
        except TypeError as error:
            raise IncompleteRule(
                f"The {self.kind} {kept.__name__} cannot be made without its fields: {error}. "
                f"Give a value, {kept.__name__}(...), or give every field a default."
            ) from None


@contextmanager
def elsewhere() -> Iterator[None]:
    """Look for modules and packages anywhere but in the current folder: who sends a file may send others beside it."""
    before = list(sys.path)
    sys.path[:] = [place for place in before if place not in ("", ".")]
    try:
        yield
    finally:
        sys.path[:] = [*(place for place in sys.path if place not in before), *before]


def look_here_too() -> None:
    """Look for modules in the current folder as well; last, so that a file there hides no package."""
    if "" not in sys.path:
        sys.path.append("")


def installed(group: str) -> dict[str, str]:
    """The entry points of a group that installed packages have: names and where they lead."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - with the look at all packages a tenth of a start

    with elsewhere():
        return {point.name: point.value for point in entry_points(group=group)}


SQL = "satisfice.study.storage.sql:SQLStorage"
HTTP = "satisfice.study.storage.http:HTTPStorage"
STORAGES = {"memory": "satisfice.study.storage.memory:MemoryStorage", "sqlite": SQL, "postgresql": SQL, "postgres": SQL}
STORAGES |= {"http": HTTP, "https": HTTP}
"""By the scheme of an address, where the storage is made: imported when it is used, for some are heavy."""

ExportFormat = Callable[[Mapping[str, Sequence[Any]]], str | bytes | Iterable[str] | Iterable[bytes]]
"""What writes a table of columns by name: a text, bytes, or pieces of one of them."""

FORMATS = "satisfice.cli.export_formats:as_"
EXPORT_FORMATS = {name: f"{FORMATS}{name}" for name in ("csv", "json", "markdown", "parquet")}


def resolve_storage(address: str) -> Callable[..., object]:
    """What makes a storage of an address: called with it, and with `create`.

    The scheme before :// is one of ours, an entry point of the group satisfice.storages, or module:Class.
    """
    scheme = address.partition("://")[0]
    dialect = scheme.partition("+")[0]
    path = STORAGES.get(dialect) or installed("satisfice.storages").get(dialect)
    if path is None:
        path = scheme if is_own_storage(address) else SQL  # which refuses what is not SQL, in a sentence
    maker: Callable[..., object] = imported(path, "storage")
    return maker


def is_own_storage(address: str) -> bool:
    """Whether the address begins with a module:Class."""
    scheme = address.partition("://")[0]
    return ":" in scheme and all(name.isidentifier() for name in scheme.replace(".", ":").split(":"))


def resolve_export_format(name: str) -> ExportFormat:
    """What writes a table: by a name of ours, an entry point in satisfice.export_formats, or module:function."""
    path = EXPORT_FORMATS.get(name)
    if path is None:
        known = export_formats()
        if name not in known and ":" not in name:
            raise unknown_name("format", name, known)
        path = known.get(name, name)
    writer: ExportFormat = imported(path, "export format")
    return writer


def resolve_function(path: str) -> Callable[..., Any]:
    """A function from module:function."""
    found: Callable[..., Any] = imported(path, "function")
    if not callable(found):
        raise InvalidCommand(f"{path!r} is not a function: {found!r:.60}.")
    return found


def export_formats() -> dict[str, str]:
    """The formats that have a name, and where each is."""
    return installed("satisfice.export_formats") | EXPORT_FORMATS


def imported(path: str, kind: str) -> Any:
    """What stands at module:name."""
    module, _, attribute = path.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except Exception as error:  # whatever a module of others does when it is imported
        reason = str(error).rstrip(".")
        raise UnknownName(
            f"No {kind} can be imported from {path!r}: {reason}. Write it as module:name, importable from here."
        ) from error


def fields_of(value: object) -> dict[str, Any]:
    """The fields of a NamedTuple, which rules, noise models and simulated arms all are."""
    return cast(_NamedTuple, value)._asdict()


class _NamedTuple(Protocol):
    _field_defaults: dict[str, Any]

    def _asdict(self) -> dict[str, Any]: ...


def rule_label(rule: object) -> str:
    """How a rule is called in tables: its class, and its fields where they are not the defaults."""
    defaults = cast(_NamedTuple, rule)._field_defaults
    changed = [
        f"{field}={written(float(value)) if isinstance(value, Real) else repr(value)}"
        for field, value in fields_of(rule).items()
        if value != defaults.get(field)
    ]
    return type(rule).__name__ + (f"({', '.join(changed)})" if changed else "")
