"""A worker: a function or a program that evaluates for a study in a storage."""

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import typer

from satisfice.cli.places import opened, storage_of
from satisfice.cli.session import EXIT_CODES, evaluating
from satisfice.cli.texts import pairs_of, seconds_of
from satisfice.command import CommandEvaluation, parse_reading
from satisfice.errors import InvalidCommand, UnknownName
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
    with opened(storage, name) as study:
        say(f"working for {study.name!r}")
        called = study.name
        with _evaluate(duties, study) as (evaluate, with_pull):
            verdict = work(
                storage_of(storage),
                called,
                evaluate,
                workers=jobs,
                timeout=None if duties.words or not duties.timeout else seconds_of(duties.timeout, "--timeout"),
                patience=waits,
                on_progress=lambda progress: None,
                with_pull=with_pull,
            )
    typer.echo(str(verdict))
    return EXIT_CODES[verdict.outcome]


@contextmanager
def _evaluate(duties: Duties, study: Study) -> Iterator[tuple[Any, bool]]:
    """What evaluates, and whether it wants the whole pull."""
    if duties.function is not None:
        yield _imported(duties.function), False
        return
    evaluation = CommandEvaluation(
        words=duties.words,
        metrics=study.problem.metric_names,
        readings=dict(parse_reading(text) for text in duties.metrics),
        environment=pairs_of(duties.environment, "--env", "NAME=TEXT"),
        folder=duties.folder,
        timeout=None if duties.timeout is None else seconds_of(duties.timeout, "--timeout"),
    )
    evaluation.check(study.configs.values())
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
