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

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from satisfice.errors import InvalidInstance
from satisfice.files.toml import check_keys, read_toml, table_of, thresholds_of
from satisfice.given import shown
from satisfice.problem.problem import Problem, problem_of
from satisfice.simulation.arms import arms_for, recorded_arms
from satisfice.simulation.instance import Instance
from satisfice.study.trust import admit_file

TOP_KEYS = ("name", "error_rate", "goal", "thresholds", "arms", "simulate")
ARM_KEYS = ("names", "means", "sds", "correlation", "concentration", "data", "arm_column", "costs")
SIMULATE_KEYS = (
    *("rules", "stopping", "error_rates", "tolerances", "repetitions", "max_evaluations", "max_cost", "seed"),
    *("workers", "durations"),
)


@dataclass(frozen=True)
class InstanceFile:
    """What an instance file says: the instance, and the settings of its campaign by their names in `plan_cells`."""

    instance: Instance
    settings: dict[str, Any] = field(default_factory=dict)


def load_instance(path: str | Path, *, trust_code: bool = False) -> InstanceFile:
    """Read an instance file; a mistake in it is named with its place and what would be right.

    A file that names code as `module:Class`, which comes with neither satisfice nor an installed package, is refused
    unless you say `trust_code=True`.
    """
    return read_toml(path, "instance file", partial(_parsed, trust_code=trust_code))


def _parsed(content: Mapping[str, Any], place: Path, *, trust_code: bool) -> InstanceFile:
    check_keys(content, TOP_KEYS)
    needs = "An instance needs thresholds and arms."
    thresholds = thresholds_of(content, needs)
    settings = table_of(content, "simulate", SIMULATE_KEYS)
    rules = settings.get("rules", [])
    admit_file(
        rules if isinstance(rules, list) else [rules], [settings.get("stopping")], thresholds, trusted=trust_code
    )
    problem = problem_of(thresholds, content.get("error_rate", 0.05), goal=content.get("goal", "any"))
    if "arms" not in content:
        raise InvalidInstance(f"The key 'arms' is missing. {needs}")
    name = content.get("name", place.stem)
    return InstanceFile(
        _instance(problem, table_of(content, "arms", ARM_KEYS), str(name), place.parent), dict(settings)
    )


def _instance(problem: Problem, table: Mapping[str, Any], name: str, folder: Path) -> Instance:
    _check_types(table)
    if ("means" in table) == ("data" in table):
        raise InvalidInstance("[arms] needs either means (one row for each arm) or data (a CSV or Parquet file).")
    if "data" in table:
        recorded, names = recorded_arms(
            folder / table["data"],
            [metric.name for metric in problem.metrics],
            arm_column=table.get("arm_column", "arm"),
        )
        return Instance.of(problem, recorded, name=name, arm_names=names, costs=table.get("costs"))
    shape = {key: table[key] for key in ("sds", "correlation", "concentration") if key in table}
    arms = arms_for(problem, table["means"], **shape)
    return Instance.of(problem, arms, name=name, arm_names=table.get("names"), costs=table.get("costs"))


def _check_types(table: Mapping[str, Any]) -> None:
    texts, numbers = ("data", "arm_column"), ("concentration",)
    wrong = [(key, "a string") for key in texts if not isinstance(table.get(key, ""), str)]
    wrong += [(key, "a number") for key in numbers if not isinstance(table.get(key, 1.0), (int, float))]
    names = table.get("names", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        wrong.append(("names", "a list of strings"))
    for key, wanted in wrong:
        raise InvalidInstance(f"[arms]: expected {key} as {wanted}, got {shown(table[key], 60)}.")
    useless = [key for key in ("names", "sds", "correlation", "concentration") if "data" in table and key in table]
    if useless:
        raise InvalidInstance(
            f"[arms]: {', '.join(useless)} cannot be given beside data: recorded arms have the names and the spread "
            f"of the file. Delete {'it' if len(useless) == 1 else 'them'}."
        )
