"""A worker: a function or a program that evaluates for a study in a storage."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import typer

from satisfice.catalogue import resolve_function
from satisfice.cli.lookup import opened, storage_of
from satisfice.cli.parse import pairs_of, seconds_of
from satisfice.cli.session import EXIT_CODES, evaluating
from satisfice.command import CommandEvaluation, parse_reading
from satisfice.command.descriptors import make_room
from satisfice.errors import InvalidCommand
from satisfice.show.sentence import note
from satisfice.show.watch import watching
from satisfice.study import Study
from satisfice.study.retry import patiently
from satisfice.study.runner import Runner, check_timeout


@dataclass(frozen=True)
class WorkerOptions:
    """What a worker does for an evaluation, as the command line says it."""

    function: str | None
    words: list[str]
    metrics: list[str]
    environment: list[str]
    folder: str | None
    timeout: str | None


def work_for(
    storage: str | None,
    name: str | None,
    options: WorkerOptions,
    *,
    jobs: int,
    patience: str,
    max_evaluations: int | None,
    max_time: str | None,
    quiet: bool,
) -> int:
    """Evaluate until the study has a verdict or the budget is spent; the exit code says which verdict."""
    waits = seconds_of(patience, "--patience")
    if (options.function is None) == (not options.words):
        raise InvalidCommand("Expected either a function, as module:function, or a program after --.")
    if options.words:
        make_room(jobs)
    with (
        patiently(lambda: opened(storage, name), waits) as study,
        _evaluate(options, study, storage_of(storage)) as (evaluate, until, with_pull),
    ):
        before = patiently(study.view, waits)
        if not quiet:
            note(f"working for {study.name!r}")
        if options.timeout is not None:
            check_timeout(study)
        timeout = None if options.words or not options.timeout else seconds_of(options.timeout, "--timeout")
        runner = Runner(study, evaluate, jobs, timeout=timeout, with_pull=with_pull, patience=waits)
        seconds = None if max_time is None else seconds_of(max_time, "--max-time")
        with watching(before, max_evaluations, quiet) as tell:
            verdict = runner.run(max_evaluations, seconds, tell, until, resume=False)
    typer.echo(str(verdict))
    return EXIT_CODES[verdict.outcome]


@contextmanager
def _evaluate(
    options: WorkerOptions, study: Study, storage: str
) -> Iterator[tuple[Any, Callable[[], bool] | None, bool]]:
    """What evaluates, whether to end, and whether it wants the whole pull."""
    if options.function is not None:
        yield resolve_function(options.function), None, False
        return
    evaluation = CommandEvaluation(
        words=options.words,
        metrics=study.problem.measured,
        readings=dict(parse_reading(text) for text in options.metrics),
        environment=pairs_of(options.environment, "--env", "NAME=TEXT"),
        folder=options.folder,
        timeout=None if options.timeout is None else seconds_of(options.timeout, "--timeout"),
        items=study.problem.items > 0,
        storage=storage,
    )
    evaluation.check(study.configs.values())
    with evaluating(evaluation) as (evaluate, until):
        yield evaluate, until, True
