"""Instance files: TOML that names arms, metrics, means or data, rules and sweeps.

name = "radio"
error_rate = 0.05
thresholds = ["latency_ms <= 100 ~ 1 : normal(12)", "loss <= 0.01 ~ 0.002 : bernoulli"]

[arms]
names = ["opus", "aac"]
means = [[92, 0.004], [104, 0.012]]

[simulate]
rules = ["multitucb", "multilucb"]
repetitions = 1000
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from satisfice.core.problem import Problem, problem_of
from satisfice.errors import InvalidInstance, SatisficeError, unknown_name
from satisfice.simulation.arms import arms_for
from satisfice.simulation.instance import Instance
from satisfice.simulation.recorded import recorded_arms

TOP_KEYS = ("name", "error_rate", "thresholds", "arms", "simulate")
ARM_KEYS = ("names", "means", "sds", "correlation", "concentration", "data", "arm_column")
SIMULATE_KEYS = ("rules", "stopping", "error_rates", "tolerances", "repetitions", "max_evaluations", "seed")


@dataclass(frozen=True)
class InstanceFile:
    """What an instance file says: the instance, and the settings of its campaign by their names in `plan_cells`."""

    instance: Instance
    settings: dict[str, Any] = field(default_factory=dict)


def load_instance(path: str | Path) -> InstanceFile:
    """Read an instance file; a mistake in it is named with its place and what would be right."""
    place = Path(path)
    try:
        content = tomllib.loads(place.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InvalidInstance(f"There is no instance file {place}. Give the path of a TOML file.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInstance(f"{place} cannot be read: {error}.") from None
    except tomllib.TOMLDecodeError as error:
        raise InvalidInstance(f"{place} is not valid TOML: {error}.") from None
    try:
        return _parsed(content, place)
    except SatisficeError as error:
        raise type(error)(f"{place}: {error}") from None


def _parsed(content: Mapping[str, Any], place: Path) -> InstanceFile:
    _check_keys(content, TOP_KEYS, "the file")
    for key in ("thresholds", "arms"):
        if key not in content:
            raise InvalidInstance(f"The key {key!r} is missing. An instance needs thresholds and arms.")
    thresholds = content["thresholds"]
    if not isinstance(thresholds, list):
        raise InvalidInstance(f"Expected thresholds as a list of strings, got {thresholds!r:.60}.")
    problem = problem_of(thresholds, content.get("error_rate", 0.05))
    name = content.get("name", place.stem)
    settings = _table(content, "simulate")
    _check_keys(settings, SIMULATE_KEYS, "[simulate]")
    return InstanceFile(_instance(problem, _table(content, "arms"), str(name), place.parent), dict(settings))


def _instance(problem: Problem, table: Mapping[str, Any], name: str, folder: Path) -> Instance:
    _check_keys(table, ARM_KEYS, "[arms]")
    _check_types(table)
    if ("means" in table) == ("data" in table):
        raise InvalidInstance("[arms] needs either means (one row for each arm) or data (a CSV or Parquet file).")
    if "data" in table:
        arms, names = recorded_arms(
            folder / table["data"], problem.metric_names, arm_column=table.get("arm_column", "arm")
        )
        return Instance.of(problem, arms, name=name, arm_names=names)
    shape = {key: table[key] for key in ("sds", "correlation", "concentration") if key in table}
    return Instance.of(problem, arms_for(problem, table["means"], **shape), name=name, arm_names=table.get("names"))


def _check_types(table: Mapping[str, Any]) -> None:
    texts, numbers = ("data", "arm_column"), ("concentration",)
    wrong = [(key, "a string") for key in texts if not isinstance(table.get(key, ""), str)]
    wrong += [(key, "a number") for key in numbers if not isinstance(table.get(key, 1.0), (int, float))]
    names = table.get("names", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        wrong.append(("names", "a list of strings"))
    for key, wanted in wrong:
        raise InvalidInstance(f"[arms]: expected {key} as {wanted}, got {table[key]!r:.60}.")
    useless = [key for key in ("names", "sds", "correlation", "concentration") if "data" in table and key in table]
    if useless:
        raise InvalidInstance(
            f"[arms]: {', '.join(useless)} cannot be given beside data: recorded arms have the names and the spread "
            f"of the file. Delete {'it' if len(useless) == 1 else 'them'}."
        )


def _table(content: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    table = content.get(key, {})
    if not isinstance(table, dict):
        raise InvalidInstance(f"Expected [{key}] to be a table, got {table!r:.60}.")
    return table


def _check_keys(table: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in known:
            raise unknown_name(f"key of {where}", key, known)
