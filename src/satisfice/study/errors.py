"""Sentences about studies that are or are not there."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from satisfice.errors import OtherStudy, OtherSubject, StudyExists, StudyStopped, UnknownStudy, did_you_mean
from satisfice.layout.escape import visible
from satisfice.problem.metric import Metric, as_metric
from satisfice.search.observations import SAMPLED, VARY
from satisfice.study.events import canonical
from satisfice.study.spec import Spec
from satisfice.study.subject import Subject, differences

FREE = ("lease_seconds", "procedure", "warm_start")
"""What may be another when a study is opened again, beside its policy."""


def no_such_study(name: str, known: Iterable[str], where: str) -> UnknownStudy:
    names = sorted(known)
    there = ", ".join(map(repr, names[:10])) + (", ..." if len(names) > 10 else "")
    return UnknownStudy(
        f"There is no study {name!r} in {where}.{did_you_mean(name, names)} Studies there: {there or 'none'}."
    )


def deleted(name: str, where: str) -> UnknownStudy:
    return UnknownStudy(
        f"The study {name!r} was deleted from {where} while it was in use, with all its results. Nothing more is "
        "recorded for it. A study that has this name now is another one: load it to go on with that."
    )


def name_needed(known: Iterable[str], where: str) -> UnknownStudy:
    names = sorted(known)
    if not names:
        return UnknownStudy(f"There is no study in {where}. Create one with create_study or `satisfice run`.")
    return UnknownStudy(
        f"There are {len(names)} studies in {where}; say which one: {', '.join(map(repr, names[:10]))}"
        f"{', ...' if len(names) > 10 else ''}."
    )


def study_exists(name: str, where: str) -> StudyExists:
    return StudyExists(
        f"There is a study {name!r} in {where} already. Pass load_if_exists=True to go on with it, or another name."
    )


def stopped(reason: str) -> StudyStopped:
    return StudyStopped(
        f"The study stopped: {visible(reason)}\nMend what failed and run it again, or call resume(). To go "
        "on after failures, say what they mean: on_error='retry' or 'worst'."
    )


def stopped_for_good(reason: str) -> StudyStopped:
    way = "" if reason.endswith((SAMPLED, VARY)) else ", or with on_error='worst', under which they count as the worst"
    return StudyStopped(
        f"The study stopped for good: {visible(reason)}\nSo the declaration is wrong, and to draw another result in "
        "place of this one would bias the verdict. Create another study with a declaration that allows such results"
        f"{way}."
    )


def not_measured(what: str) -> StudyStopped:
    return StudyStopped(
        f"An evaluation could not be made, of {visible(what)}\nThat is no result and counts for nothing: the pull was "
        "given back, and other workers go on. Mend it and run again."
    )


def check_same(kept: Spec, given: Spec, name: str) -> None:
    """Raise unless both ask the same question; the sentence names what differs."""
    if kept.thresholds != given.thresholds and _metrics(kept) == _metrics(given):  # in other words
        given = replace(given, thresholds=kept.thresholds)
    if kept == given:
        return
    old, new, free = kept.as_content(), given.as_content(), (*FREE, *kept.policy.as_content())
    keys = [key for key in old if old[key] != new[key] and key not in free]
    different = [_difference(key, old[key], new[key]) for key in keys]
    raise OtherStudy(
        f"The study {name!r} is there already and asks something else: {'; '.join(different)}. "
        "Give this one another name, or repeat what that one was created with."
    )


def _metrics(spec: Spec) -> list[Metric]:
    return [as_metric(text) for text in spec.thresholds]


def check_same_subject(kept: Subject | None, given: Subject | None, name: str) -> None:
    """Raise unless both measure the same; the sentence names what differs."""
    if changes := differences(kept, given):
        raise OtherSubject(
            f"The study {name!r} is there already and measured something else: {'; '.join(changes)}. Results of "
            "different programs are not mixed. Give this one another name, or repeat what that one was created with; "
            "load_study opens it as it is.",
            changes,
        )


def _difference(key: str, old: Any, new: Any) -> str:
    if key == "configs":
        before, after = dict(map(tuple, old)), dict(map(tuple, new))
        gone, added = [one for one in before if one not in after], [one for one in after if one not in before]
        changed = [one for one in before if one in after and before[one] != after[one]]
        parts = [f"without {_some(gone)}"] * bool(gone) + [f"with {_some(added)}"] * bool(added)
        parts += [f"other parameters of {_some(changed)}"] * bool(changed)
        return f"configs {', '.join(parts) or 'in another order'}"
    return f"{key} is {_shown(old)} there and {_shown(new)} here"


def _some(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:3])) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _shown(value: Any) -> str:
    return canonical(value) if len(canonical(value)) <= 120 else canonical(value)[:120] + "..."
