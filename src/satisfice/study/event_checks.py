"""What an event must consist of, whoever wrote it: fields, their types, and values that could have been recorded."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Any

from satisfice.errors import DamagedLog, InvalidResult, SatisficeError
from satisfice.layout.numbers import counted
from satisfice.problem.cost import LARGEST
from satisfice.problem.problem import Problem
from satisfice.problem.results import Row
from satisfice.search.search import Search
from satisfice.study.events import BEFORE_ALL, Event, Kind, canonical, check_seal
from satisfice.study.policy import NAMED, SELDOM, FailureKind, OnError, Policy, Then, check_budget, make_policy
from satisfice.study.reported import kept_beside
from satisfice.study.spec import Spec, spec_of, whole_number
from satisfice.study.subject import subject_in
from satisfice.study.trust import Trusted, admit

if TYPE_CHECKING:
    from satisfice.study.state import StudyState

Check = Callable[[Any], bool]

FARTHEST_SECONDS = 6e10
"""Until the year 3871."""

SPEC = "The spec in the first event of the log"

NONSENSE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What comes of reading what nobody would have written."""


def is_whole(value: object) -> bool:
    """A whole number that a database can hold."""
    return type(value) is int and 0 <= value < 2**63


def is_number(value: object) -> bool:
    """A finite number of ordinary size."""
    if type(value) is float:
        return abs(value) < 1e15
    return isinstance(value, Real) and not isinstance(value, bool) and abs(value) < 1e15  # type: ignore[operator]


def is_time(value: object) -> bool:
    """Seconds since 1970, in a year that calendars have: clocks may be wrong, but not by that much."""
    return is_number(value) and abs(value) < FARTHEST_SECONDS  # type: ignore[arg-type]


def is_text(value: object) -> bool:
    return isinstance(value, str)


def is_table(value: object) -> bool:
    return isinstance(value, dict)


def is_list(value: object) -> bool:
    return isinstance(value, list)


def is_cost(value: object) -> bool:
    """What an evaluation may report as its cost, as it is written."""
    return type(value) is float and 0 <= value < LARGEST


def is_written_so(value: object, text: str) -> bool:
    """Whether the text is the one spelling of a value; of a number that is none there is no spelling."""
    try:
        return canonical(value) == text
    except ValueError:
        return False


def is_beside(value: object) -> bool:
    """Results that no limit is about, as they are written: such as would be kept, and at least one."""
    return isinstance(value, dict) and bool(value) and is_written_so(value, canonical(kept_beside(value)))


PULL: Mapping[str, Check] = {"number": is_whole, "attempt": is_whole, "at": is_time}
GRANT: Mapping[str, Check] = {"worker": is_text, "lease": lambda value: is_number(value) and value > 0, "at": is_time}

FIELDS: dict[str, Mapping[str, Check]] = {
    Kind.CREATED: {"identity": is_text, "spec": is_table, "at": is_time},
    Kind.ASKED: {"number": is_whole, "arm": is_whole, "arm_number": is_whole, **GRANT},
    Kind.TOLD: {**PULL, "values": is_list},
    Kind.FAILED: {**PULL, "reason": is_text, "then": lambda value: value in tuple(Then)},
    Kind.REISSUED: {**PULL, **GRANT},
    Kind.RELEASED: PULL,
    Kind.REPEATED: {**PULL, "values": is_list},
    Kind.RESUMED: {"at": is_time},
    Kind.POLICY: {"policy": is_table, "at": is_time},
    Kind.VERDICT: {
        **{"outcome": is_text, "arm": lambda value: value is None or is_text(value)},
        **{"accepted": is_list, "evaluations": is_whole, "at": is_time},
    },
    Kind.SNAPSHOT: {"of": is_whole, "sha256": is_text, "at": is_time},
}
"""What an event of a kind has; nothing else, but for what stands below."""

ALSO: dict[str, Mapping[str, Check]] = {
    Kind.CREATED: {"version": is_text, "subject": is_table},
    Kind.ASKED: {"groups": is_list},
    Kind.TOLD: {"baseline": is_list, "cost": is_cost, "also": is_beside},
    Kind.REPEATED: {"told": is_list, "stops": is_text},
    Kind.FAILED: {
        **{"failure": lambda value: value in tuple(FailureKind), "traceback": is_text, "stops": is_text},
        **{"cost": is_cost, "by_exception": lambda value: value in (OnError.RETRY, OnError.WORST)},
    },
}
"""What it may have beside that."""

ALLOWED: dict[str, Mapping[str, Check]] = {kind: {**needed, **ALSO.get(kind, {})} for kind, needed in FIELDS.items()}


def check_fields(event: Event) -> None:
    """Raise unless the event is of a kind that there is, and has what such an event has, written as it is written."""
    needed = FIELDS.get(event.kind)
    if needed is None:
        raise DamagedLog(
            f"Event {event.position} is of the kind {event.kind!r:.40}, which this version of satisfice does not know. "
            f"Known: {', '.join(FIELDS)}."
        )
    content, allowed = event.content, ALLOWED[event.kind]
    if not needed.keys() <= content.keys():
        lacking = next(name for name in needed if name not in content)
        raise DamagedLog(f"Event {event.position} ({event.kind}) lacks {lacking!r}.")
    for name, value in content.items():
        if name not in allowed or not allowed[name](value):
            raise DamagedLog(
                f"Event {event.position} ({event.kind}) has {name!r:.40} = {value!r:.60}, which cannot be."
            )
    if not is_written_so(content, event.body):
        raise DamagedLog(f"Event {event.position} ({event.kind}) is not written as satisfice writes events.")


def check_event(event: Event, state: "StudyState") -> None:
    """Raise unless a study in that state could have had the event: for whoever opens a study, and for `verify`.

    What follows from the rule and from the policy, `verify` checks beside that.
    """
    check_fields(event)
    kind = event.kind
    if kind in (Kind.TOLD, Kind.FAILED, Kind.RELEASED):
        pull = state.open.get(event.content["number"])
        if pull is None or pull.worker is None:
            raise DamagedLog(f"Event {event.position} ({kind}) is about a pull that nobody works on.")
        if kind == Kind.TOLD:
            check_values(event, state)
        if kind != Kind.RELEASED:
            check_cost(event, state)
    elif kind == Kind.POLICY:
        check_policy(event.content["policy"], state.spec)
    elif kind == Kind.CREATED and state.position:
        raise DamagedLog(f"Event {event.position} creates the study a second time.")


def opened_spec(first: Event, name: str, trusted: Trusted) -> Spec:
    """The spec in the first event of a log, if a study could have been created so, of code that may run."""
    check_seal(first, BEFORE_ALL, 1)
    check_fields(first)
    with in_a_sentence(SPEC):
        spec = spec_of(first)
        subject_in(first.content)
        admit(spec, trusted, name)
        check_spec(spec)
    return spec


def search_of(spec: Spec) -> Search:
    """A search that knows nothing yet, if there can be one of a spec that was kept."""
    with in_a_sentence(SPEC):
        return spec.search()


@contextmanager
def in_a_sentence(what: str) -> Iterator[None]:
    """Make a DamagedLog of what comes of reading what nobody would have written."""
    try:
        yield
    except NONSENSE as error:
        if isinstance(error, SatisficeError):
            raise
        raise DamagedLog(f"{what} makes no sense: {error!r:.200}.") from error


def check_values(event: Event, state: "StudyState") -> None:
    """Raise unless the results are what `tell` would have recorded of them."""
    pull = state.open[event.content["number"]]
    problem, values, beside = _problem_of(state, event), event.content["values"], event.content.get("baseline", [])
    if (len(values), len(beside)) != (len(problem.measured), len(problem.compared)):
        raise DamagedLog(
            f"Event {event.position} has {counted(len(values), 'result')}, and not {len(problem.measured)}."
        )
    try:
        checked = state.search.checked(
            dict(zip(problem.measured, values, strict=True)),
            dict(zip(problem.compared, beside, strict=True)),
            pull.group,
            pull.arm_number,
        )
    except InvalidResult as error:
        raise DamagedLog(f"Event {event.position} tells results that cannot be. {error.reason}") from None
    if _the_very_same(checked, (values, beside)):
        return
    if canonical(checked) != canonical([values, beside]):
        raise DamagedLog(f"Event {event.position} tells {values!r:.60}, which would have been recorded otherwise.")


def _problem_of(state: "StudyState", event: Event) -> Problem:
    """What is asked of the results of the pull that the event is about."""
    return state.search.problem.by_group[state.open[event.content["number"]].group]


def check_cost(event: Event, state: "StudyState") -> None:
    """Raise unless there is a cost exactly where evaluations report one, and the same as among the results."""
    told, has, reported = event.kind == Kind.TOLD, "cost" in event.content, state.spec.reported
    if (has and not reported) or (told and reported and not has):
        raise DamagedLog(f"Event {event.position} has a cost, or lacks one, where that cannot be.")
    for metric in reported:
        measured = _problem_of(state, event).measured
        if told and metric in measured and state.spec.baseline is None:
            result = event.content["values"][measured.index(metric)]
            if result != event.content["cost"]:
                raise DamagedLog(
                    f"Event {event.position} has the cost {event.content['cost']}, and {metric!r} is {result!r:.40}."
                )


def _the_very_same(checked: tuple[Row, Row], given: tuple[list[Any], list[Any]]) -> bool:
    """Whether all results are what was given, the same objects, and so written in the same way."""
    return all(
        one is other
        for row, other_row in zip(checked, given, strict=True)
        for one, other in zip(row, other_row, strict=True)
    )


def check_policy(content: dict[str, Any], spec: Spec) -> None:
    """Raise, by any of our errors, unless there could be such a policy."""
    if set(content) | {"max_cost", *SELDOM} != {one.name for one in fields(Policy)}:
        raise DamagedLog(f"A policy has the fields {sorted(content)!r:.120}, which cannot be.")
    for names in (content.get(key, []) for key in NAMED):
        if not (is_list(names) and all(map(is_text, names))):
            raise DamagedLog(f"A policy names exceptions or files as {names!r:.60}, which cannot be.")
    policy = make_policy(spec.problem(), **content)
    if canonical(policy.as_content()) != canonical({"max_cost": None} | content):
        raise DamagedLog(f"A policy is written as {content!r:.120}, which cannot be.")
    check_budget(policy, priced=spec.cost is not None)


def check_spec(spec: Spec) -> None:
    """Raise, by any of our errors, unless a study could have been created so."""
    whole_number(spec.seed, 0, "The seed")
    check_policy(spec.policy.as_content(), spec)
    numbers = is_number(spec.lease_seconds) and isinstance(spec.error_rate, float) and isfinite(spec.error_rate)
    pairs = [*spec.configs, *([] if spec.baseline is None else [spec.baseline])]
    named = all(is_text(name) and name.strip() and isinstance(values, dict) for name, values in pairs)
    if not (numbers and spec.lease_seconds > 0 and named):
        raise DamagedLog("The spec in the first event has a lease, an error rate or a config that cannot be.")
    if not all(name in spec.problem().measured for name in spec.durations):
        raise DamagedLog("The spec in the first event has a duration that is not measured.")
