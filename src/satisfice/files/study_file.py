"""Study files: TOML that says what a study asks and of which configurations, for whoever runs or plans it.

thresholds = ["latency_ms <= 100", "loss <= 0.01 ~ 0.002 : bernoulli"]
error_rate = 0.05
goal = "any"

[grid]
codec = ["opus", "aac", "lc3"]
txpower = [4, 8, 12]

[plan]
spread = { latency_ms = 15 }
budget = 2000

A number as the goal, goal = 3, looks for that many. Instead of [grid], which makes all combinations: [configs.NAME]
tables, one for each configuration.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from satisfice.errors import InvalidInstance
from satisfice.files.toml import check_keys, read_toml, table_of, thresholds_of
from satisfice.given import shown
from satisfice.study.trust import admit_file

NEEDS = "A study needs thresholds, and a [grid] or [configs.NAME] tables."
STUDY_KEYS = ("name", "thresholds", "error_rate", "goal", "grid", "configs", "plan")


@dataclass(frozen=True)
class StudyFile:
    """What a study file says; thresholds, error rate and goal as they stand there.

    One of `grid` (values by parameter) and `configs` (parameters by name) is not empty. `plan` is for planning alone.
    `others` are the keys that the caller of `load_study_file` asked for.
    """

    name: str
    thresholds: tuple[Any, ...]
    error_rate: float
    goal: str | int
    grid: dict[str, list[Any]]
    configs: dict[str, dict[str, Any]]
    plan: dict[str, Any]
    others: dict[str, Any]


def load_study_file(path: str | Path, *, also: tuple[str, ...] = (), trust_code: bool | None = None) -> StudyFile:
    """Read a study file; keys in `also` are allowed beside those of every study, and handed on as they stand.

    A run trusts the file whose command it runs. If that is not run, `trust_code` says whether code that the file names
    as `module:Class` may be.
    """

    def parsed(content: Mapping[str, Any], place: Path) -> StudyFile:
        check_keys(content, (*STUDY_KEYS, *also))
        thresholds = thresholds_of(content, NEEDS)
        if trust_code is not None:
            admit_file([content.get("rule")], [content.get("stopping")], thresholds, trusted=trust_code)
        grid, configs = table_of(content, "grid"), table_of(content, "configs")
        if bool(grid) == bool(configs):
            raise InvalidInstance(
                f"Expected either [grid] or [configs.NAME], got {'both' if grid else 'neither'}. {NEEDS}"
            )
        for name in grid:
            is_scan = isinstance(grid[name], str) and ".." in grid[name]
            if not is_scan and (not isinstance(grid[name], list) or not grid[name]):
                raise InvalidInstance(
                    f"[grid]: expected a list of values for {name!r}, got {shown(grid[name], 60)}. "
                    f'Write {name} = [...], with one value at least, or {name} = "1..9".'
                )
        for name in configs:
            table_of(configs, name)
        return StudyFile(
            name=str(content.get("name", place.stem)),
            thresholds=tuple(thresholds),
            error_rate=content.get("error_rate", 0.05),
            goal=content.get("goal", "any"),
            grid=dict(grid),
            configs=dict(configs),
            plan=dict(table_of(content, "plan")),
            others={key: content[key] for key in also if key in content},
        )

    return read_toml(path, "study file", parsed)
