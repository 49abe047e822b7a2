"""A run from its request to its verdict: make or find the study, evaluate, show, end with the exit code."""

import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from threading import current_thread, main_thread
from typing import Any, NoReturn

import typer

from satisfice.cli import INTERRUPTED, Interrupted
from satisfice.cli.generation import decided_earlier, study_of
from satisfice.cli.outputs import Outputs
from satisfice.cli.request import Request
from satisfice.cli.web import shown_in_browser
from satisfice.command import CommandEvaluation
from satisfice.errors import DecidedEarlier, StudyStopped
from satisfice.layout.escape import json_text, visible
from satisfice.layout.numbers import counted, written
from satisfice.search.observations import SAMPLED
from satisfice.search.verdict import Outcome
from satisfice.show.as_json import study_document
from satisfice.show.sentence import answer, check_lines, note, warnings_beside
from satisfice.show.watch import watching
from satisfice.study import Pull, RunProgress, Study, StudyView
from satisfice.study.known_limits import in_words
from satisfice.study.policy import OnError
from satisfice.study.retry import patiently
from satisfice.study.storage.passwords import masked, masks_of
from satisfice.study.subject import Subject, differences
from satisfice.study.transaction import ALONE
from satisfice.study.view import failures_of

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""Requests to end a run."""
EXIT_CODES = {Outcome.FOUND: 0, Outcome.NONE: 3, Outcome.UNDECIDED: 4}


def run_request(
    request: Request,
    *,
    fresh: bool,
    as_json: bool,
    quiet: bool,
    web: bool = False,
    words: Callable[[str], str] = str,
    tell_ci: Callable[[StudyView, str], None] = lambda view, earlier: None,
) -> int:
    """Run the study, print its verdict, and return the exit code."""
    silent = as_json or quiet
    say = (lambda _: None) if silent else note
    waits = saying_that_it_waits(request.patience)
    with patiently(lambda: study_of(request, fresh=fresh, say=say), request.patience, waits) as study:
        before = patiently(study.view, request.patience, waits)
        earlier = "" if before.outcome is Outcome.UNDECIDED else f"{decided_earlier(study)}; --fresh measures anew"
        if earlier:
            note(earlier)
        if not silent:
            _say_where(before)
            for sentence in in_words(before.spec.known, before.spec.configs):
                note(sentence)
            for sentence in (*before.doubts, *request.doubts(), *_started_without(before, request)):
                note(f"warning: {sentence.removesuffix('.')}")
        outputs = Outputs(study, request.evaluation, request.all_configs)
        try:
            with (
                evaluating(request.evaluation) as (evaluate, until),
                shown_in_browser(study, request.study["storage"]) if web else nullcontext(),
                watching(before, request.max_evaluations, silent, plain=request.evaluation.shows is not None) as tell,
                warnings.catch_warnings(),
            ):
                warnings.simplefilter("ignore", DecidedEarlier)  # it is said above
                _run(study, request, outputs.watched(evaluate), until, tell)
        except StudyStopped:
            outputs.say()
            raise
        except KeyboardInterrupt:
            outputs.say()
            note(_kept(study, request.study["storage"], fresh))
            raise Interrupted(INTERRUPTED) from None
        view = patiently(study.view, request.patience)
    changed = [] if earlier else changed_meanwhile(view.subject, request.subject())
    if as_json:
        document = study_document(view) | {"decided_earlier": bool(earlier)}
        document["warnings"] += [*request.doubts(), *outputs.sentences, *changed]
        typer.echo(json_text(document))
    else:
        for sentence in () if quiet else (*outputs.sentences, *notes(view)):
            note(words(sentence))
        for sentence in changed:  # whoever is quiet, too, must know what the verdict is about
            note(f"warning: {words(sentence)}")
        answer(str(view.verdict))
    tell_ci(view, earlier)
    return EXIT_CODES[view.verdict.outcome]


def saying_that_it_waits(seconds: float) -> Callable[[], None]:
    """What says, once, that a storage does not answer and is waited for."""
    said: list[float] = []

    def say() -> None:
        if not said:
            note(f"the storage does not answer; it is waited for, {written(seconds)} s at most (--patience)")
        said.append(seconds)

    return say


def _run(
    study: Study,
    request: Request,
    evaluate: Callable[[Pull], dict[str, float]],
    until: Callable[[], bool],
    tell: Callable[[RunProgress], None],
) -> None:
    try:
        patiently(lambda: study.change_policy(timeout=request.evaluation.timeout, jobs=request.jobs), request.patience)
        study.run(
            evaluate,
            workers=request.jobs,
            max_evaluations=request.max_evaluations,
            max_seconds=request.max_seconds,
            on_progress=tell,
            until=until,
            with_pull=True,
            patience=request.patience,
        )
    except StudyStopped as error:
        raise _said_here(error, study.view(), study.is_durable) from error.__cause__


def _kept(study: Study, storage: str, fresh: bool) -> str:
    """What there is after an interruption, where, and how one goes on."""
    told = counted(study.view().counts.told, "evaluation")
    if not study.is_durable:
        return f"interrupted. What was in memory is gone ({told}): give --storage"
    place = masked(storage, masks_of(storage))
    again = " without --fresh" if fresh else ""
    return f"interrupted. {told} of {study.name!r} kept in {place}: the same command{again} goes on"


def _said_here(error: StudyStopped, view: StudyView, durable: bool) -> StudyStopped:
    """Why a run stopped, in the words of the command line."""
    kept = "What was told is kept." if durable else "Results were in memory and are gone: give --storage."
    if view.stopped is None:
        return StudyStopped(f"{error}\n{kept}")
    why = visible(view.stopped)
    if why.endswith(SAMPLED):
        return StudyStopped(f"The study stopped for good: {why}\n{kept} Begin another study with --fresh.")
    if view.over:
        return StudyStopped(
            f"The study stopped for good: {why}\nSo the declaration is wrong, and to measure again until a result fits "
            f"would bias the verdict. {kept} Declare what allows such results, or let them count as the worst: --fresh "
            "--on-error worst."
        )
    choice = ", or say with --on-error retry or --on-error worst what failures mean"
    if ALONE in why:
        choice = ""
    elif view.policy.on_error != OnError.STOP:
        choice = ", or type it again as it is, if failures are what you measure: it then goes on as --on-error says"
    fresh = ", with --fresh if that changes the program" if durable and view.counts.told else ""
    return StudyStopped(f"The run stopped: {why}\n{kept} Mend it and type the same again{fresh}{choice}.")


@contextmanager
def evaluating(evaluation: CommandEvaluation) -> Iterator[tuple[Any, Callable[[], bool]]]:
    """The evaluation of a pull by a program, and whether to end; whatever still runs at the end is ended."""
    asked: list[int] = []

    def evaluate(pull: Pull) -> dict[str, float]:
        return evaluation(
            pull.parameters,
            config=pull.name,
            number=pull.number,
            repeat=pull.repeat,
            item=pull.item,
            group=next(iter(pull.groups), None),
        )

    def interrupted(sign: int, _: object) -> NoReturn:
        """A request to end is treated as Ctrl-C is: programs are ended, what was told stays, pulls are given back."""
        asked.append(sign)
        if sign == signal.SIGHUP:  # a terminal that closes sends it, and its shell once more
            signal.signal(sign, signal.SIG_IGN)
        raise KeyboardInterrupt

    def until() -> bool:
        if asked:  # an exception that comes up while Python tidies up something is lost
            raise KeyboardInterrupt
        return False

    alone = current_thread() is main_thread()  # only there may signals be handled
    now = {sign: signal.getsignal(sign) for sign in ENDING} if alone else {}
    # who ignores one, as under nohup, goes on doing so; None is a handler that is not Python's
    before = {sign: handler for sign, handler in now.items() if handler not in (signal.SIG_IGN, None)}
    for sign in before:
        signal.signal(sign, interrupted)
    try:
        yield evaluate, until
    finally:
        for sign, handler in before.items():
            signal.signal(sign, handler)
        evaluation.processes.stop()
        for sentence in evaluation.clean_up():
            note(f"warning: {sentence}")


def _say_where(view: StudyView) -> None:
    if view.outcome is not Outcome.UNDECIDED:
        return
    if view.counts.told:
        note(f"going on with {view.name!r} after {counted(view.counts.told, 'evaluation')}")
    elif sys.stderr.isatty():
        note(f"{view.name!r}: {counted(len(view.configs), 'configuration')}, {', '.join(view.spec.thresholds)}")


def _started_without(view: StudyView, request: Request) -> list[str]:
    """That earlier results came too late, if they did."""
    if "warm_start" not in request.study or view.spec.warm_start is not None:
        return []
    return [f"{view.name!r} began without earlier results, and goes on so: --fresh --warm-start begins anew with them"]


def changed_meanwhile(kept: Subject | None, now: Subject | None) -> list[str]:
    """What is no longer as it was when the run began: somebody edited it, or the program writes it."""
    return [
        f"{change}: it changed while it was measured, so that results of both may be mixed, and the same "
        "command will be refused. If the program itself writes it, give --revision TEXT: the study then goes on"
        for change in differences(kept, now)
    ]


def notes(view: StudyView) -> Iterator[str]:
    """What one should know beside the verdict."""
    yield from warnings_beside(view.verdict, view.warnings)
    yield from check_lines(view.checks, view.warnings)
    yield from failures_of(view.policies, view.counts)
