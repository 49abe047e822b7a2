"""satisfice run."""

from pathlib import Path
from typing import Any

import typer

from satisfice.cli import options
from satisfice.cli.program import given, program_of

KEYS = {"values": "grid", "config": "configs", "threshold": "thresholds", "metric": "metrics", "duration": "durations"}
"""Options that are called otherwise in a study file; for them one says it once for each."""
OUTSIDE = (
    *("study", "fresh", "as_json", "quiet", "show_output", "web"),
    *("junit", "junit_undecided", "markdown", "github"),
)
"""Arguments and options that are no keys of a study file."""


def run(
    ctx: typer.Context,
    *,
    study: Path | None = options.STUDY_PATH,
    values: list[str] | None = options.PARAMETER_VALUES,
    scan: list[str] | None = options.PARAMETER_SCANS,
    step: str | None = options.SCAN_STEP,
    config: list[str] | None = options.NAMED_CONFIGS,
    baseline: str | None = options.BASELINE,
    threshold: list[str] | None = options.THRESHOLDS,
    error_rate: float | None = options.ERROR_RATE,
    goal: str | None = options.GOAL_NAME,
    metric: list[str] | None = options.METRIC_PLACES,
    reader: str | None = options.READER,
    warmup: int | None = options.WARMUP,
    setup: str | None = options.SETUP,
    prepare: str | None = options.PREPARE,
    conclude: str | None = options.CONCLUDE,
    cleanup: str | None = options.CLEANUP,
    shell: str | None = options.SHELL,
    max_evaluations: int | None = options.STUDY_BUDGET,
    min_evaluations: int | None = options.LEAST_EVALUATIONS,
    cost: str | None = options.COST,
    max_cost: float | None = options.STUDY_COST,
    max_time: str | None = options.RUN_TIME,
    jobs: int | None = options.JOBS,
    timeout: str | None = options.TIMEOUT,
    on_error: str | None = options.ON_ERROR,
    retries: int | None = options.RETRIES,
    worst: list[str] | None = options.WORST_VALUES,
    on_lost: str | None = options.ON_LOST,
    strict: bool | None = options.STRICT,
    duration: list[str] | None = options.DURATIONS,
    environment: list[str] | None = options.ENVIRONMENT,
    folder: str | None = options.PROGRAM_FOLDER,
    revision: str | None = options.REVISION,
    rule: str | None = options.RULE_NAME,
    stopping: str | None = options.STOPPING_NAME,
    seed: int | None = options.SEED,
    order: str | None = options.ORDER,
    warm_start: str | None = options.WARM_START,
    storage: str | None = options.STORAGE_URL,
    patience: str | None = options.RUN_PATIENCE,
    name: str | None = options.NEW_NAME,
    fresh: bool = options.FRESH,
    show_output: bool = options.SHOW_OUTPUT,
    junit: Path | None = options.JUNIT_FILE,
    junit_undecided: str = options.JUNIT_UNDECIDED,
    markdown: Path | None = options.MARKDOWN_FILE,
    github: bool = options.GITHUB,
    as_json: bool = options.AS_JSON,
    quiet: bool = options.QUIET,
    web: bool = options.WEB,
) -> None:
    """Find a configuration that passes all thresholds, by running a program until that is certain.

    The program stands after --, with {NAME} where a parameter goes, and prints its metrics as a JSON object. Further
    places: {config}, the configuration's name; {number}, the number of the evaluation; {repeat}, how often this
    configuration was evaluated before; {item}, which of a set of items; {group}, which metrics to measure, where
    thresholds have groups. Interrupted, the same command goes on;
    decided, it says so and runs nothing. A program or a file among its words that has changed since is refused: --fresh
    measures anew.

    Exit codes: 0 FOUND, 3 NONE, 4 UNDECIDED, 2 bad input, 1 failure.
    """
    from satisfice.cli.ci_reports import CIReports
    from satisfice.cli.request import read_options, request_of
    from satisfice.cli.session import run_request
    from satisfice.cli.surface import speaking

    with speaking(study is not None) as words:
        request = request_of(study, program_of(ctx), read_options(said_by(ctx)), show_output=show_output)
        with CIReports(junit, junit_undecided, markdown, github, request.study["name"]) as reports:
            code = run_request(
                request, fresh=fresh, as_json=as_json, quiet=quiet, web=web, words=words, tell_ci=reports.tell
            )
    raise typer.Exit(code)


def said_by(ctx: typer.Context) -> dict[str, Any]:
    """The options under the names of the keys of a study file."""
    return given(ctx, OUTSIDE, **KEYS)
