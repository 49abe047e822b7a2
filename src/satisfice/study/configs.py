"""The configs of a study: names and parameters, checked before anything is made of them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any, Protocol, runtime_checkable

from satisfice.errors import InvalidSpec
from satisfice.given import looks, shown, why_unwritable
from satisfice.layout.escape import visible
from satisfice.study.events import canonical

Parameters = Mapping[str, Any]


class Table(Protocol):
    """A table with a row for each config and a column for each parameter, as pandas and polars have it."""

    @property
    def columns(self) -> Any: ...


@runtime_checkable
class _PolarsTable(Table, Protocol):
    def to_dicts(self) -> list[dict[str, Any]]: ...


@runtime_checkable
class _PandasTable(Table, Protocol):
    @property
    def index(self) -> Iterable[Any]: ...

    def to_dict(self, orient: str, /) -> list[dict[str, Any]]: ...


Configs = Sequence[str] | Sequence[Parameters] | Mapping[str, Parameters | None] | Table
"""Configs as users give them."""
Named = tuple[str, dict[str, Any]]

MOST_CONFIGS = 1_000_000
"""More are refused before they are made: each would be evaluated at least once, and is kept in memory."""


def grid(**parameters: Iterable[Any]) -> dict[str, dict[str, Any]]:
    """All combinations of parameter values as configs, named like 'codec=opus txpower=4'."""
    if not parameters:
        raise InvalidSpec("A grid needs at least one parameter with its values, as in grid(codec=['opus', 'aac']).")
    values = {name: list(each_of(some)) for name, some in parameters.items()}
    for name, some in values.items():
        if not some or len({_text(one) for one in some}) != len(some):
            raise InvalidSpec(f"Expected at least one value of {name!r}, and different ones, got {shown(some, 80)}.")
    check_count(prod(len(some) for some in values.values()))
    rows = [dict(zip(values, row, strict=True)) for row in product(*values.values())]
    return {called(row): row for row in rows}


def called(parameters: Parameters) -> str:
    """The name of a config that has none but its parameters."""
    return " ".join(f"{name}={_text(value)}" for name, value in parameters.items())


def check_count(count: int) -> None:
    """Raise where there are more configs than a study can have."""
    if count > MOST_CONFIGS:
        raise InvalidSpec(
            f"A study can have at most {MOST_CONFIGS:,} configs, and these are {shown(count)}. Leave out parameters or "
            "values, or try a coarser grid first."
        )


def checked_configs(configs: Configs) -> tuple[Named, ...]:
    """Pairs of a name and parameters that can be kept, written and told apart."""
    given = _named_rows(configs)
    if isinstance(given, str) or not isinstance(given, Sequence | Mapping):
        raise InvalidSpec(
            "Expected configs as a list of names, a dict from name to parameters, a list of dicts, a table of pandas "
            f"or polars, or grid(...), got {shown(configs, 80)}."
        )
    pairs = list(given.items()) if isinstance(given, Mapping) else [(name, None) for name in given]
    check_count(len(pairs))
    if not pairs:
        raise InvalidSpec("Expected at least one config, got none. A study is about which of its configs pass.")
    for name, parameters in pairs:
        if not isinstance(name, str) or not name.strip():
            raise InvalidSpec(f"The name of a config must be a text that is not empty, got {shown(name)}.")
        if parameters is not None and not isinstance(parameters, Mapping):
            raise InvalidSpec(f"The parameters of config {name!r} must be a dict, got {shown(parameters, 80)}.")
        check_text(name, "name of a config")
        _check_parameters(parameters or {}, name)
    _check_apart([name for name, _ in pairs])
    return tuple((name, dict(parameters or {})) for name, parameters in pairs)


def _named_rows(configs: Any) -> Any:
    """Configs by name, where they are rows: of a table, or dicts in a list. Texts as the index of a table are names."""
    if isinstance(configs, _PolarsTable):
        return _by_name(configs.to_dicts())
    if isinstance(configs, _PandasTable):
        rows, labels = configs.to_dict("records"), list(configs.index)
        named = all(isinstance(label, str) for label in labels)
        if named and len(set(labels)) < len(labels):
            raise InvalidSpec("The index of the table has a name twice, and names of configs must differ.")
        return dict(zip(labels, rows, strict=True)) if named and rows else _by_name(rows)
    if isinstance(configs, Sequence) and configs and all(isinstance(one, Mapping) for one in configs):
        return _by_name(configs)
    return configs


def _by_name(rows: Iterable[Parameters]) -> dict[str, Parameters]:
    made: dict[str, Parameters] = {}
    for row in rows:
        name = called(row)
        if not row or name in made:
            came = f"{name!r} twice" if row else "an empty one"
            raise InvalidSpec(f"Expected configs that differ in their parameters, got {came}. Leave it out.")
        made[name] = row
    return made


def checked_baseline(baseline: Named | None) -> Named | None:
    """The baseline itself, if there is one and it can be kept."""
    if baseline is not None:
        check_text(baseline[0], "name of the baseline")
        _check_parameters(baseline[1], baseline[0])
    return baseline


def check_text(text: str, what: str) -> None:
    """Raise where a text cannot be kept in every storage."""
    if reason := why_unwritable(text):
        raise InvalidSpec(f"The {what}, {shown(text, 60)}, cannot be kept: {reason}. Give another one.")


def each_of(values: Any) -> Iterable[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidSpec(
            f"Expected a list, got {shown(values, 80)}. Put a single one in brackets: [{shown(values, 40)}]."
        )
    return values


def _check_parameters(parameters: Parameters, name: str) -> None:
    try:
        text = canonical(dict(parameters))
        same = json.loads(text) == dict(parameters)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidSpec(f"The parameters of config {name!r} must be writable as JSON: {error}.") from None
    if not same:
        raise InvalidSpec(
            f"The parameters of config {name!r} change when they are written as JSON: use texts as keys, and lists "
            f"rather than tuples. Got {shown(dict(parameters), 80)}."
        )
    if any(not key.strip() for key in parameters):
        raise InvalidSpec(f"A parameter of config {name!r} has an empty name. Give it one, or leave it out.")
    for each in (*parameters, *parameters.values()):
        check_text(each if isinstance(each, str) else canonical(each), f"parameters of config {name!r}")


def _check_apart(names: Sequence[str]) -> None:
    """Raise where two names are the same, or differ and nobody would see it, in a table or on a command line."""
    seen: dict[str, str] = {}
    for name in names:
        known = len(seen)
        other = seen.setdefault(looks(visible(name)), name)
        if other == name and len(seen) == known:
            raise InvalidSpec(f"Expected different names for all configs, got {name!r} twice. Leave one out.")
        if other != name:
            raise InvalidSpec(
                f"Two configs are called {other!a} and {name!a}, which look the same. Rename one: names must "
                "differ in more than spaces at their ends, or how an accent is composed."
            )


def _text(value: Any) -> str:
    try:
        return str(value)
    except Exception:  # too many digits, or a __str__ of somebody's own
        raise InvalidSpec(f"A value of a parameter must be something to write, got {shown(value)}.") from None
