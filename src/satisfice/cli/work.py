"""A worker: a function or a program that evaluates for a study in a storage."""

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from satisfice.catalogue import resolve_function
from satisfice.cli.generation import decided_earlier
from satisfice.cli.lookup import opened
from satisfice.cli.outputs import Outputs
from satisfice.cli.parse import seconds_of
from satisfice.cli.request import evaluation_of
from satisfice.cli.session import EXIT_CODES, changed_meanwhile, evaluating, saying_that_it_waits
from satisfice.command import subject_of
from satisfice.command.descriptors import make_room
from satisfice.errors import InvalidCommand, OtherSubject
from satisfice.search.verdict import Outcome
from satisfice.show.sentence import answer, note
from satisfice.show.watch import watching
from satisfice.study import Study
from satisfice.study.retry import patiently
from satisfice.study.runner import Runner, check_timeout
from satisfice.study.subject import Subject, differences, known_since, subject_given


def work_for(
    storage: str | None,
    name: str | None,
    function: str | None,
    said: dict[str, Any],
    *,
    jobs: int,
    patience: str,
    trust_code: bool,
    quiet: bool,
) -> int:
    """Evaluate until the study has a verdict or the budget is spent; the exit code says which verdict.

    Either a function evaluates or the `command` of what is `said`, under the names of the keys of a study file.
    """
    waits = seconds_of(patience, "--patience")
    if (function is None) == (not said["command"]):
        raise InvalidCommand("Expected either a function, as module:function, or a program after --.")
    if function is None:
        make_room(jobs)
    with (
        patiently(lambda: opened(storage, name, trust_code), waits, saying_that_it_waits(waits)) as study,
        _evaluate(function, said, study) as (evaluate, until, with_pull),
    ):
        before = patiently(study.view, waits)
        if before.outcome is not Outcome.UNDECIDED:
            note(decided_earlier(study))
        elif not quiet:
            note(f"working for {study.name!r}")
        if "timeout" in said:
            check_timeout(study)
        timeout, seconds = (seconds_of(said[key], key) if key in said else None for key in ("timeout", "max_time"))
        limit = timeout if function is not None else None  # that of a program is its evaluation's
        runner = Runner(study, evaluate, jobs, timeout=limit, with_pull=with_pull, patience=waits)
        max_evaluations = said.get("max_evaluations")
        with watching(before, max_evaluations, quiet) as tell:
            verdict = runner.run(max_evaluations, seconds, tell, until, resume=False)
    answer(str(verdict))
    return EXIT_CODES[verdict.outcome]


@contextmanager
def _evaluate(
    function: str | None, said: dict[str, Any], study: Study
) -> Iterator[tuple[Any, Callable[[], bool] | None, bool]]:
    """What evaluates, whether to end, and whether it wants the whole pull."""
    revision = said.get("revision")
    if function is not None:
        found = resolve_function(function)
        _check_same(study, subject_given(None, revision))
        yield found, None, False
        return
    evaluation = evaluation_of(said, study.problem.metrics, next(iter(study.spec.reported), None))
    evaluation.check(study.configs.values())
    baseline = {} if study.spec.baseline is None else {"": study.spec.baseline[1]}
    began = subject_of(evaluation, study.configs | baseline, revision)
    _check_same(study, began)
    outputs = Outputs(study, evaluation, study.configs | baseline)
    with evaluating(evaluation) as (evaluate, until):
        yield outputs.watched(evaluate), until, True
    outputs.say()
    since = known_since(began, study.view().policy.outputs, None)
    for sentence in changed_meanwhile(since, subject_of(evaluation, study.configs | baseline, revision)):
        note(f"warning: {sentence}")


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
