"""satisfice run."""

import typer

from satisfice.cli import options
from satisfice.cli.program import program_of

KEYS = {"values": "grid", "config": "configs", "threshold": "thresholds", "metric": "metrics"}
"""Options that are called otherwise in a study file; for them one says it once for each."""
OUTSIDE = ("study", "as_json", "quiet")
"""Arguments and options that are no keys of a study file."""


def run(
    ctx: typer.Context,
    *,
    study: options.StudyPath = None,
    values: options.ParameterValues = None,
    config: options.NamedConfigs = None,
    threshold: options.Thresholds = None,
    error_rate: options.ErrorRate = None,
    goal: options.GoalName = None,
    metric: options.MetricPlaces = None,
    max_evaluations: options.StudyBudget = None,
    max_time: options.RunTime = None,
    jobs: options.Jobs = None,
    timeout: options.Timeout = None,
    on_error: options.OnError = None,
    retries: options.Retries = None,
    worst: options.WorstValues = None,
    environment: options.Environment = None,
    folder: options.ProgramFolder = None,
    rule: options.RuleName = None,
    stopping: options.StoppingName = None,
    seed: options.Seed = None,
    storage: options.StorageUrl = None,
    name: options.NewName = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Find a configuration that passes all thresholds, by running a program until that is certain.

    The program stands after --, with {NAME} where a parameter goes ({config} and {number}: the configuration's name
    and the number of the evaluation), and prints its metrics as a JSON object. Interrupted, the same command goes on.

    Exit codes: 0 FOUND, 3 NONE, 4 UNDECIDED, 2 bad input, 1 failure.
    """
    from satisfice.cli.request import read_options, request_of  # noqa: PLC0415
    from satisfice.cli.session import run_request  # noqa: PLC0415

    said = {KEYS.get(name, name): value for name, value in ctx.params.items() if name not in OUTSIDE}
    request = request_of(study, program_of(ctx), read_options(said))
    raise typer.Exit(run_request(request, as_json=as_json, quiet=quiet))
