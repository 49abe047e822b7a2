"""A worker: a function or a program that evaluates for a study in a storage."""

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic, sleep
from typing import Any

import typer

from satisfice.cli.lookup import opened, storage_of
from satisfice.cli.parse import pairs_of, seconds_of
from satisfice.cli.session import EXIT_CODES, Decided, evaluating, until_decided
from satisfice.command import CommandEvaluation, parse_reading
from satisfice.errors import InvalidCommand, StorageUnreachable, UnknownName
from satisfice.study import Study, work


@dataclass(frozen=True)
class Duties:
    """What a worker does for an evaluation, as the command line says it."""

    function: str | None
    words: list[str]
    metrics: list[str]
    environment: list[str]
    folder: str | None
    timeout: str | None


def work_for(
    storage: str | None, name: str | None, duties: Duties, *, jobs: int, patience: str, say: Callable[[str], None]
) -> int:
    """Evaluate until the study has a verdict; the exit code says which."""
    waits = seconds_of(patience, "--patience")
    if (duties.function is None) == (not duties.words):
        raise InvalidCommand("Expected either a function, as module:function, or a program after --.")
    with _patiently_opened(storage, name, waits) as study:
        called, metrics, configs = study.name, study.problem.metric_names, study.configs
    with _evaluate(duties, metrics, configs) as (evaluate, with_pull):
        say(f"working for {called!r}")
        try:
            verdict = work(
                storage_of(storage),
                called,
                evaluate,
                workers=jobs,
                timeout=None if duties.words or not duties.timeout else seconds_of(duties.timeout, "--timeout"),
                patience=waits,
                on_progress=until_decided(lambda progress: None),
                with_pull=with_pull,
            )
        except Decided as decided:
            verdict = decided.verdict
    typer.echo(str(verdict))
    return EXIT_CODES[verdict.outcome]


def _patiently_opened(storage: str | None, name: str | None, patience: float) -> Study:
    """The study, as soon as its storage answers."""
    until, pause = monotonic() + patience, 0.1
    while True:
        try:
            return opened(storage, name)
        except StorageUnreachable:
            if monotonic() + pause > until:
                raise
            sleep(pause)
            pause = min(2 * pause, 5.0)


@contextmanager
def _evaluate(
    duties: Duties, metrics: tuple[str, ...], configs: dict[str, dict[str, Any]]
) -> Iterator[tuple[Any, bool]]:
    """What evaluates, and whether it wants the whole pull."""
    if duties.function is not None:
        yield _imported(duties.function), False
        return
    evaluation = CommandEvaluation(
        words=duties.words,
        metrics=metrics,
        readings=dict(parse_reading(text) for text in duties.metrics),
        environment=pairs_of(duties.environment, "--env", "NAME=TEXT"),
        folder=duties.folder,
        timeout=None if duties.timeout is None else seconds_of(duties.timeout, "--timeout"),
    )
    evaluation.check(configs.values())
    with evaluating(evaluation) as evaluate:
        yield evaluate, True


def _imported(path: str) -> Any:
    module, _, name = path.partition(":")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError, SyntaxError) as error:
        raise UnknownName(
            f"No function can be imported from {path!r}: {error}. Write it as module:function, importable from here."
        ) from error
    if not callable(found):
        raise InvalidCommand(f"{path!r} is not a function: {found!r:.60}.")
    return found
