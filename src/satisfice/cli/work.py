"""A worker: a function or a program that evaluates for a study in a storage."""

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from satisfice.catalogue import resolve_function
from satisfice.cli.generation import decided_earlier
from satisfice.cli.lookup import opened, storage_of
from satisfice.cli.parse import pairs_of, seconds_of
from satisfice.cli.request import program_words
from satisfice.cli.session import EXIT_CODES, evaluating
from satisfice.command import CommandEvaluation, in_groups, parse_reading, subject_of
from satisfice.command.around import around_of
from satisfice.command.descriptors import make_room
from satisfice.errors import InvalidCommand, OtherSubject
from satisfice.search.verdict import Outcome
from satisfice.show.sentence import answer, note
from satisfice.show.watch import watching
from satisfice.study import Study
from satisfice.study.retry import patiently
from satisfice.study.runner import Runner, check_timeout
from satisfice.study.subject import Subject, differences, subject_given


@dataclass(frozen=True)
class WorkerOptions:
    """What a worker does for an evaluation, as the command line says it."""

    function: str | None
    words: list[str]
    metrics: list[str]
    reader: str | None
    around: dict[str, Any]
    environment: list[str]
    folder: str | None
    timeout: str | None
    revision: str | None
    trust_code: bool


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
        patiently(lambda: opened(storage, name, options.trust_code), waits) as study,
        _evaluate(options, study, storage_of(storage)) as (evaluate, until, with_pull),
    ):
        before = patiently(study.view, waits)
        if before.outcome is not Outcome.UNDECIDED:
            note(decided_earlier(study))
        elif not quiet:
            note(f"working for {study.name!r}")
        if options.timeout is not None:
            check_timeout(study)
        timeout = None if options.words or not options.timeout else seconds_of(options.timeout, "--timeout")
        runner = Runner(study, evaluate, jobs, timeout=timeout, with_pull=with_pull, patience=waits)
        seconds = None if max_time is None else seconds_of(max_time, "--max-time")
        with watching(before, max_evaluations, quiet) as tell:
            verdict = runner.run(max_evaluations, seconds, tell, until, resume=False)
    answer(str(verdict))
    return EXIT_CODES[verdict.outcome]


@contextmanager
def _evaluate(
    options: WorkerOptions, study: Study, storage: str
) -> Iterator[tuple[Any, Callable[[], bool] | None, bool]]:
    """What evaluates, whether to end, and whether it wants the whole pull."""
    if options.function is not None:
        function = resolve_function(options.function)
        _check_same(study, subject_given(None, options.revision))
        yield function, None, False
        return
    around = {key: value for key, value in options.around.items() if value is not None}
    whole = CommandEvaluation(
        words=program_words(options.words, around.get("shell")),
        around=around_of(around),
        metrics=study.problem.measured,
        readings=dict(parse_reading(text) for text in options.metrics),
        reader=options.reader,
        environment=pairs_of(options.environment, "--env", "NAME=TEXT"),
        folder=options.folder,
        timeout=None if options.timeout is None else seconds_of(options.timeout, "--timeout"),
        items=study.problem.items > 0,
        cost=next(iter(study.spec.reported), None),
        storage=storage,
    )
    evaluation = in_groups(whole, study.problem.metrics)
    evaluation.check(study.configs.values())
    baseline = {} if study.spec.baseline is None else {"": study.spec.baseline[1]}
    _check_same(study, subject_of(evaluation, study.configs | baseline, options.revision))
    with evaluating(evaluation) as (evaluate, until):
        yield evaluate, until, True


def _check_same(study: Study, given: Subject | None) -> None:
    """Raise unless this worker measures what the study does, or its user says so by the study's revision."""
    kept = study.subject
    if kept is not None and kept.revision is not None and given is not None and given.revision == kept.revision:
        return
    if not (changes := differences(kept, given)):
        return
    if kept is None or kept.revision is None:
        way = "Start it with the program that the study has, or make a study with --revision TEXT and repeat that here."
    else:
        way = f"If this is what the study measures, say so: --revision {shlex.quote(kept.revision)}."
    raise OtherSubject(
        f"This worker would measure something else than the study {study.name!r} does: {'; '.join(changes)}. "
        f"Results of different programs are not mixed. {way}",
        changes,
    )
