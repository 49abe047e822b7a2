"""Which study a run goes on with: the newest that measured the same, or one that measures anew."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from satisfice.cli.outputs import is_doubtful
from satisfice.cli.request import Request
from satisfice.errors import OtherSubject, StudyExists
from satisfice.layout.numbers import counted
from satisfice.study import Study, Subject, create_study, load_study
from satisfice.study.create import names_anew, newest_generation
from satisfice.study.events import Kind
from satisfice.study.storage.protocol import Storage, open_storage


def study_of(request: Request, *, fresh: bool, say: Callable[[str], None]) -> Study:
    """The study of a run; OtherSubject if what it measured has changed since, and how one may go on."""
    create_study(**request.study | {"storage": "memory"}).close()  # what makes no sense leaves no database behind
    storage, subject = open_storage(request.study["storage"]), request.subject()
    asked = request.study | {"storage": storage}
    if fresh:
        return _anew(storage, asked, subject)
    name = newest_generation(storage, asked["name"])
    if request.revision is not None and (other := _named_since(storage, request, name)) is not None:
        name = other
    try:
        return create_study(**asked | {"name": name}, subject=subject, load_if_exists=True)
    except OtherSubject as error:
        if _has_results(storage, name):
            doubtful = request.revision is None and _is_doubtful(storage, request, name)
            raise OtherSubject(_refusal(name, error.changes, doubtful), error.changes) from None
    made = _anew(storage, asked, subject)
    say(f"what {name!r} was made for has changed before there was a result; this is {made.name!r}")
    return made


def _named_since(storage: Storage, request: Request, name: str) -> str | None:
    """The study that began without a revision and goes on under the one that is given; None if there is none.

    It takes the revision where nothing that is measured has changed, or where files did while it was measured: then
    whoever gives it says that the program is the same.
    """
    there = {one.name for one in storage.studies()}
    found = newest_generation(storage, request.name_without_revision)
    if found not in there or (name in there and name != found):
        return None
    with load_study(storage, found, trust_code=True) as study:
        kept = study.subject
        if kept is not None and kept.revision == request.revision:
            return found
        if not is_doubtful(study, request.subject_by_files(), request.evaluation, request.all_configs):
            return None
        study.change_policy(revision=request.revision)
    return found


def _is_doubtful(storage: Storage, request: Request, name: str) -> bool:
    with load_study(storage, name, trust_code=True) as study:
        return is_doubtful(study, request.subject(), request.evaluation, request.all_configs)


def decided_earlier(study: Study) -> str:
    """When and by what a study was decided that is asked for again, in words."""
    at = next((event.content["at"] for event in study.events() if event.kind == Kind.VERDICT), None)
    when = "" if at is None else f" on {datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M} UTC"
    made, subject = study.verdict().evaluations, study.subject
    if subject is None:
        what = "a program that was not recorded then"
    elif subject.revision is not None:
        what = f"this same revision, {subject.revision}"
    else:
        what = "this same program"
    return f"{study.name!r} was decided{when} by {counted(made, 'evaluation')} of {what}; nothing was run"


def _anew(storage: Storage, asked: dict[str, Any], subject: Subject) -> Study:
    for name in names_anew(storage, asked["name"]):
        follows = asked["name"] if name != asked["name"] else None
        try:
            return create_study(**asked | {"name": name}, subject=replace(subject, generation_of=follows))
        except StudyExists:  # made by another process in this moment
            continue
    raise AssertionError("there is always one more name")


def _has_results(storage: Storage, name: str) -> bool:
    with load_study(storage, name, trust_code=True) as study:  # it asks the same: its code is what was given here
        return study.counts().told > 0


def _refusal(name: str, changes: tuple[str, ...], doubtful: bool) -> str:
    ways = [
        f"What the study {name!r} measured has changed: {'; '.join(changes)}.",
        "Results of different programs are not mixed, and nothing was run. Measure anew with --fresh, which makes a "
        "new study and keeps the old one, or with --name NEW.",
    ]
    if doubtful:
        ways.append(
            "If the program itself writes that file, give --revision TEXT: the study then goes on, and the text stands "
            "for all files."
        )
    return " ".join(ways)
