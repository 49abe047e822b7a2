"""A run from its request to its verdict: make or find the study, evaluate, show, end with the exit code."""

import json
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any, NoReturn

import typer

from satisfice.cli.as_json import study_document
from satisfice.cli.request import Request
from satisfice.command import CommandEvaluation
from satisfice.errors import StudyStopped
from satisfice.search.verdict import Outcome, Verdict
from satisfice.show.sentence import note
from satisfice.show.watch import watching
from satisfice.study import Progress, Pull, Study, create_study

EXIT_CODES = {Outcome.FOUND: 0, Outcome.NONE: 3, Outcome.UNDECIDED: 4}

Tell = Callable[[Progress], None]


def run_request(request: Request, *, as_json: bool, quiet: bool) -> int:
    """Run the study, print its verdict, and return the exit code."""
    with create_study(**request.study, load_if_exists=True) as study:
        silent = as_json or quiet
        if not silent:
            _say_where(study)
        with evaluating(request.evaluation) as evaluate, watching(study, request.max_evaluations, silent) as tell:
            verdict = _run(study, request, evaluate, tell)
        if as_json:
            typer.echo(json.dumps(study_document(study)))
        else:
            for sentence in () if quiet else notes(study, request.evaluation.unwanted):
                note(sentence)
            typer.echo(str(verdict))
        return EXIT_CODES[verdict.outcome]


def _run(study: Study, request: Request, evaluate: Callable[[Pull], dict[str, float]], tell: Tell) -> Verdict:
    try:
        return study.run(
            evaluate,
            workers=request.jobs,
            max_evaluations=request.max_evaluations,
            max_seconds=request.max_seconds,
            on_progress=until_decided(tell),
            with_pull=True,
        )
    except Decided as decided:
        tell(Progress(study, decided.verdict, ()))
        return decided.verdict
    except StudyStopped:
        if (reason := study.stopped) is None:
            raise
        raise StudyStopped(
            f"An evaluation failed: {reason}\nNothing is lost. Mend it and type the same again, or say with --on-error "
            "retry or --on-error worst what failures mean, which makes it another study."
        ) from None


class Decided(Exception):
    """There is a verdict, and evaluations under way that can no longer change it."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict


def until_decided(tell: Tell) -> Tell:
    """Tell of progress, and leave once the rest makes no difference: programs under way are then ended."""

    def told(progress: Progress) -> None:
        tell(progress)
        if progress.running and progress.verdict.outcome is not Outcome.UNDECIDED:
            raise Decided(progress.verdict)

    return told


@contextmanager
def evaluating(evaluation: CommandEvaluation) -> Iterator[Any]:
    """The evaluation of a pull by a program; whatever still runs at the end is ended."""

    def evaluate(pull: Pull) -> dict[str, float]:
        return evaluation(pull.parameters, config=pull.name, number=pull.number)

    alone = current_thread() is main_thread()  # only there may signals be handled
    before = signal.signal(signal.SIGTERM, _interrupted) if alone else None
    try:
        yield evaluate
    finally:
        if alone:
            signal.signal(signal.SIGTERM, before)
        evaluation.processes.stop()


def _interrupted(*_: object) -> NoReturn:
    """A request to end is treated as Ctrl-C is: programs are ended, what was told stays, pulls are given back."""
    raise KeyboardInterrupt


def _say_where(study: Study) -> None:
    told = study.counts().told
    if study.outcome is not Outcome.UNDECIDED:
        note(f"{study.name!r} is decided already; for a new study give another --name")
    elif told:
        note(f"going on with {study.name!r} after {told:,} evaluations")
    elif sys.stderr.isatty():
        note(f"{study.name!r}: {len(study.configs):,} configurations, {', '.join(study.spec.thresholds)}")


def notes(study: Study, unwanted: set[str]) -> Iterator[str]:
    """What one should know beside the verdict."""
    yield from study.warnings()
    if unwanted:
        names = ", ".join(sorted(unwanted)[:5])
        yield f"the program also prints {names}, about which there is no threshold: not recorded"
    failed = study.counts().failed
    if failed:
        yield f"{failed:,} evaluations failed; {study.verdict().assumptions[-1]}"
