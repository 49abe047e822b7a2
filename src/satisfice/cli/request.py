"""What a run is asked to do: the options of the command line over the keys of a study file."""

import json
import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from satisfice.cli.lookup import storage_of
from satisfice.cli.parse import (
    baseline_of,
    configs_of,
    cost_of_text,
    decided_by_time_limit,
    expanded,
    goal_of,
    grid_of,
    numbers_of,
    ordered,
    pairs_of,
    seconds_of,
    with_scans,
    with_time_limit,
)
from satisfice.command import CommandEvaluation, in_groups, parse_reading, subject_of
from satisfice.command.around import around_of, in_shell
from satisfice.command.descriptors import make_room
from satisfice.command.output import WALL_TIME
from satisfice.errors import InvalidCommand, unknown_name
from satisfice.files.study_file import load_study_file
from satisfice.given import MOST_COUNTED, is_countable, shown
from satisfice.layout.numbers import counted
from satisfice.problem.cost import cost_of
from satisfice.problem.metric import Metric, as_metric
from satisfice.show.sentence import show_printed
from satisfice.study import Subject, grid
from satisfice.study.earlier_results import addressed
from satisfice.study.known_limits import split
from satisfice.study.policy import OnError
from satisfice.study.subject import checked_revision

RUN_KEYS = (
    *("command", "storage", "rule", "stopping", "seed", "on_error", "retries", "worst", "on_lost", "baseline"),
    *("metrics", "environment", "folder", "revision", "timeout", "jobs", "max_evaluations", "max_time"),
    *("durations", "patience", "warm_start", "cost", "max_cost", "min_evaluations", "reader", "groups"),
    *("order", "warmup", "setup", "prepare", "conclude", "cleanup", "shell", "strict"),
)
"""The keys of a study file that only a run reads."""

ASKED = (
    *("thresholds", "error_rate", "goal", "rule", "stopping", "seed", "baseline", "durations", "cost"),
    "min_evaluations",
)
POLICIES = ("on_error", "retries", "worst", "on_lost", "max_evaluations", "max_cost", "strict")
"""What may change without making it another study."""

PATIENCE_SECONDS = 60.0
"""How long a run waits for a storage that does not answer: a restart, or a lock of some seconds."""


@dataclass(frozen=True)
class Request:
    """A run: `study` are the arguments of `create_study`, the rest says how it is evaluated and how much."""

    study: dict[str, Any]
    evaluation: CommandEvaluation
    jobs: int
    max_evaluations: int | None
    max_seconds: float | None
    patience: float
    revision: str | None
    name_without_revision: str

    @property
    def all_configs(self) -> dict[str, dict[str, Any]]:
        """All that fills the places of the program, the baseline too."""
        baseline = self.study.get("baseline")
        beside = {"": baseline} if isinstance(baseline, dict) else {}
        configs: dict[str, dict[str, Any]] = self.study["configs"]
        return configs | beside

    def subject(self) -> Subject:
        """What is measured, as it is now."""
        return subject_of(self.evaluation, self.all_configs, self.revision)

    def subject_by_files(self) -> Subject:
        """The same without the revision that was given."""
        return subject_of(self.evaluation, self.all_configs, None)

    def doubts(self) -> Iterator[str]:
        """What is doubtful about how it is evaluated, in words."""
        unused = self.evaluation.unused(self.study["configs"].values())
        if unused:
            yield (
                f"the command has no place for {', '.join(f'{{{name}}}' for name in unused)}: unless the program reads "
                "SATISFICE_CONFIG, configurations that differ in nothing else are the same to it"
            )
        cores = os.cpu_count() or 1
        if WALL_TIME in self.evaluation.metrics and self.jobs > cores:
            yield (
                f"{counted(self.jobs, 'evaluation')} at a time on {counted(cores, 'core')} wait for each other, and "
                f"{WALL_TIME} counts that: for times give -j {max(1, cores // 2)} or fewer"
            )


def request_of(
    path: Path | None,
    words: list[str],
    options: dict[str, Any],
    *,
    show_output: bool = False,
    limits_needed: bool = True,
) -> Request:
    """A checked request; `options` are those given to `satisfice run` under the names of the file's keys."""
    said = _of_file(path) if path is not None else {}
    if "grid" in options or "configs" in options:
        said = {key: value for key, value in said.items() if key not in ("grid", "configs")}
    merged = said | options | ({"command": words} if words else {})
    if not merged.get("thresholds"):
        if limits_needed:
            raise InvalidCommand("Expected at least one threshold, such as -t 'latency_ms <= 100'; got none.")
        merged["thresholds"] = []
    configs = ordered(_configs(merged), merged.get("order", "given"), merged.get("seed", 0))
    merged["thresholds"] = with_time_limit(merged["thresholds"], merged.get("timeout"))
    if OnError.WORST not in (merged.get("on_error"), merged.get("on_lost")):
        merged["thresholds"] = [decided_by_time_limit(one, merged.get("timeout")) for one in merged["thresholds"]]
    jobs = _whole(merged.get("jobs", 1), "jobs")
    make_room(jobs)
    evaluation = replace(_evaluation(merged, configs), shows=show_printed if show_output else None)
    baseline = merged.get("baseline")
    evaluation.check([*configs.values(), *([baseline] if isinstance(baseline, dict) else [])])
    if "max_evaluations" in merged:
        _whole(merged["max_evaluations"], "max_evaluations")
    study = {key: merged[key] for key in ASKED if key in merged}
    study["configs"] = configs
    revision = checked_revision(merged["revision"]) if "revision" in merged else None
    name, without = (str(merged.get("name") or _name(study, evaluation, one)) for one in (revision, None))
    study["name"] = name
    study["storage"] = storage_of(merged.get("storage"))
    if "warm_start" in merged:
        study["warm_start"] = addressed(merged["warm_start"], study["storage"])
    study |= {key: merged[key] for key in POLICIES if key in merged}
    _check_time_limit(study, evaluation)
    return Request(
        study=study,
        evaluation=evaluation,
        jobs=jobs,
        max_evaluations=merged.get("max_evaluations"),
        max_seconds=seconds_of(merged["max_time"], "max_time") if "max_time" in merged else None,
        patience=seconds_of(merged["patience"], "patience") if "patience" in merged else PATIENCE_SECONDS,
        revision=revision,
        name_without_revision=without,
    )


def read_options(options: dict[str, Any]) -> dict[str, Any]:
    """The options, their texts as the values that a study file would have."""
    scans, step = options.pop("scan", None), options.pop("step", None)
    forms: dict[str, Callable[..., Any]] = {
        "grid": grid_of,
        "configs": configs_of,
        "baseline": baseline_of,
        "goal": goal_of,
        "cost": cost_of_text,
        "worst": lambda texts: numbers_of(texts, "--worst"),
        "environment": lambda texts: pairs_of(texts, "--env", "NAME=TEXT"),
        "metrics": lambda texts: pairs_of(texts, "--metric", "NAME=/PATTERN/ or NAME=key"),
    }
    read = {key: forms[key](value) if key in forms else value for key, value in options.items()}
    return read | ({"grid": with_scans(read.get("grid", {}), scans or [], step)} if scans or step else {})


def _of_file(path: Path) -> dict[str, Any]:
    said = load_study_file(path, also=RUN_KEYS)
    asked = {"thresholds": list(said.thresholds), "error_rate": said.error_rate, "goal": said.goal, "name": said.name}
    configs = {"grid": said.grid} if said.grid else {"configs": said.configs}
    return asked | configs | said.others


def _configs(merged: dict[str, Any]) -> dict[str, dict[str, Any]]:
    if ("grid" in merged) == ("configs" in merged):
        came = "both" if "grid" in merged else "neither"
        raise InvalidCommand(
            "Expected either values of parameters, -L codec=opus,aac, or configurations by name, --config NAME; "
            f"got {came}."
        )
    configs: dict[str, dict[str, Any]] = grid(**expanded(merged["grid"])) if "grid" in merged else merged["configs"]
    return configs


def _evaluation(merged: dict[str, Any], configs: dict[str, dict[str, Any]]) -> CommandEvaluation:
    _, metrics = split([as_metric(threshold) for threshold in merged["thresholds"]], list(configs.items()))
    measured, groups = [metric.name for metric in metrics], {metric.group for metric in metrics if metric.group}
    cost = cost_of(merged["cost"], list(configs.items()), measured, sorted(groups)).metric if "cost" in merged else None
    return evaluation_of(merged, metrics, cost)


def evaluation_of(said: dict[str, Any], metrics: Sequence[Metric], cost: str | None) -> CommandEvaluation:
    """The program that evaluates these metrics, by the keys of a study file; `cost` is one that it reports, too."""
    tables = {key: said.get(key, {}) for key in ("metrics", "environment")}
    for key, table in tables.items():
        if not isinstance(table, dict) or not all(isinstance(text, str) for text in table.values()):
            raise InvalidCommand(f"Expected a table of texts for {key!r}, got {shown(table, 80)}.")
    for key in ("folder", "storage", "reader"):
        if not isinstance(said.get(key, ""), str):
            raise InvalidCommand(f"Expected a text for {key!r}, got {shown(said[key], 80)}.")
    whole = CommandEvaluation(
        words=_command(said.get("command", []), said.get("shell")),
        around=around_of(said),
        metrics=list(dict.fromkeys(metric.name for metric in metrics)),
        cost=cost,
        items=any(metric.process.items(metric.noise) for metric in metrics),
        of_set=frozenset(metric.name for metric in metrics if metric.set_size),
        readings=dict(parse_reading(f"{name}={where}") for name, where in tables["metrics"].items()),
        reader=said.get("reader"),
        environment=tables["environment"],
        folder=said.get("folder"),
        timeout=seconds_of(said["timeout"], "timeout") if "timeout" in said else None,
        storage=storage_of(said.get("storage")),
    )
    groups = {metric.group for metric in metrics if metric.group}
    return in_groups(whole, metrics, _commands(said.get("groups", {}), groups, said.get("shell")))


def _commands(tables: Any, groups: set[str], shell: str | None) -> dict[str, list[str]]:
    """The commands of groups, from [groups.NAME] tables."""
    if not isinstance(tables, dict):
        raise InvalidCommand(f"Expected [groups.NAME] tables, got {shown(tables, 80)}.")
    for name, table in tables.items():
        if name not in groups:
            raise unknown_name("group", name, sorted(groups))
        if not isinstance(table, dict) or set(table) != {"command"}:
            raise InvalidCommand(f"Expected [groups.{name}] with the key command alone, got {shown(table, 80)}.")
    return {name: _command(table["command"], shell) for name, table in tables.items()}


def _command(command: Any, shell: str | None) -> list[str]:
    if isinstance(command, str) or (isinstance(command, list) and all(isinstance(word, str) for word in command)):
        return _program_words(command, shell)
    raise InvalidCommand(f"Expected the command as a text or a list of texts, got {shown(command, 80)}.")


def _program_words(command: str | list[str], shell: str | None) -> list[str]:
    """The words of a program: those given, a text split into words, or a shell that runs the text."""
    if shell is not None:
        if not isinstance(command, str) and len(command) > 1:
            raise InvalidCommand(
                f"With a shell, expected one text to run, quoted: -- {shlex.quote(' '.join(command))}; got "
                f"{len(command)} words."
            )
        text = command if isinstance(command, str) else "".join(command)
        return in_shell(shell, text) if text.strip() else []
    if not isinstance(command, str):
        return command
    try:
        return shlex.split(command)
    except ValueError as error:
        raise InvalidCommand(f"The command cannot be split into words: {error}. Got {shown(command, 80)}.") from None


def _name(study: dict[str, Any], evaluation: CommandEvaluation, revision: str | None) -> str:
    """A name that the same command always gets, and another command or revision does not."""
    words = list(evaluation.words) if not evaluation.by_group else evaluation.programs()
    program = [words, dict(evaluation.environment), evaluation.folder]
    readings = {name: str(where) for name, where in evaluation.readings.items()}
    named: list[Any] = [] if revision is None else [revision]
    named += [evaluation.options()] if evaluation.options() else []
    text = json.dumps([study, program, readings, *named], sort_keys=True, default=str)
    stem = Path(evaluation.programs()[0][0]).stem
    return f"{stem}-{sha256(text.encode()).hexdigest()[:6]}"


def _check_time_limit(study: dict[str, Any], evaluation: CommandEvaluation) -> None:
    durations = study.get("durations", [])
    if not isinstance(durations, list):
        raise InvalidCommand(f"Expected durations as a list of metrics, got {shown(durations, 80)}.")
    timed = [name for name in evaluation.metrics if name == WALL_TIME or name in durations]
    if timed and evaluation.timeout is not None and study.get("on_error") == OnError.RETRY:
        raise InvalidCommand(
            f"--on-error retry together with --timeout would measure {timed[0]} again until it is short enough. A "
            "time-out is a result about a duration: use --on-error worst."
        )


def _whole(value: Any, what: str) -> int:
    if not is_countable(value, 1):
        raise InvalidCommand(f"{what} must be a whole number from 1 to {MOST_COUNTED:,}, got {shown(value)}.")
    return value
