"""A study file to begin with: commented, from options or from questions."""

import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import typer

from satisfice.cli.parse import grid_of
from satisfice.errors import InvalidCommand, writing
from satisfice.files.toml import written_toml
from satisfice.layout.escape import visible
from satisfice.problem.metric import as_metric
from satisfice.show.sentence import note

BARE = re.compile("[A-Za-z0-9_-]+")
"""A key that TOML takes without quotes."""
UNUSUAL = re.compile(r"[^\w.-]+")
"""What a name of a file can have, and an address has a meaning for."""

EXAMPLE_COMMAND = "./bench.sh --codec {codec}"
EXAMPLE_VALUES, EXAMPLE_THRESHOLD = "codec=opus,aac,lc3", "latency_ms <= 100 ~ 5"

TEXT = """# What `satisfice run {name}` does. Every key: docs/how-to/study-files.md

# The limits: metric, <= or >=, limit, ~ the tolerance that you would not mind, : what is known of its noise.
# p95(latency_ms), median(x) and share(x <= 200) may stand in place of a metric.
thresholds = [
{thresholds}
]

# The probability of a wrong answer that you accept.
error_rate = {error_rate}

# "any" configuration that passes, a number of them, or "all" to classify each.
goal = "any"

# What evaluates: {{NAME}} is the value of that parameter. It prints its metrics as a JSON object such as
# {{"latency_ms": 12.5}}, or is a tool whose output is recognised: hyperfine, fio, k6, wrk, ab and others.
command = {command}

# Where results are kept: the same command goes on after an interruption.
storage = {storage}

# Uncomment what you need:
# max_evaluations = 1000        # of the whole study
# timeout = "60s"               # of one evaluation
# jobs = 4                      # evaluations at a time
# warmup = 1                    # runs of each configuration that do not count
# prepare = "sync"              # a command of a shell before each evaluation
# on_error = "worst"            # what a failed evaluation means: "stop" (default), "retry" or "worst"

# The values of each parameter; all combinations are configurations.
[grid]
{grid}
"""


def write_study_file(
    path: Path, values: Sequence[str], thresholds: Sequence[str], error_rate: float | None, words: Sequence[str]
) -> None:
    """Write the file; what was not given is asked for at a terminal, and an example elsewhere."""
    if path.exists():
        raise InvalidCommand(f"There is a file {path} already, and it is not touched. Give another path.")
    asks = sys.stdin.isatty() and not (values or thresholds or words)
    command: str | list[str] = list(words)
    if not words:
        command = _asked("The program, with {NAME} where a parameter goes", EXAMPLE_COMMAND, asks)
    given = list(values) or [_asked("A parameter and its values", EXAMPLE_VALUES, asks)]
    limits = list(thresholds) or [_asked("A limit", EXAMPLE_THRESHOLD, asks)]
    for limit in limits:
        as_metric(limit)
    rows = "\n".join(f"{_key(name)} = {written_toml(some)}" for name, some in grid_of(given).items())
    text = TEXT.format(
        name=visible(shlex.quote(path.name)),
        storage=written_toml(f"sqlite:///{UNUSUAL.sub('-', path.stem)}.db"),
        thresholds="\n".join(f"  {written_toml(limit)}," for limit in limits),
        error_rate=0.05 if error_rate is None else error_rate,
        command=written_toml(command),
        grid=rows,
    )
    with writing("the study file", path):
        path.write_text(text, encoding="utf-8")
    shown = shlex.quote(str(path))
    note(f"wrote {path}: try it with `satisfice try {shown}`, then `satisfice run {shown}`")


def _asked(what: str, example: str, asks: bool) -> str:
    return str(typer.prompt(what, default=example, err=True)) if asks else example


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else written_toml(name)
