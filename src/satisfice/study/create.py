"""Making, opening and listing studies, and measuring one anew as NAME-2, NAME-3, and so on."""

import re
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import Any

from satisfice.errors import InvalidSpec, StorageError, StudyExists
from satisfice.given import shown
from satisfice.problem.cost import CostLike
from satisfice.problem.goal import Goal, GoalLike
from satisfice.problem.metric import Metric
from satisfice.rules import DEFAULT_RULE, RuleLike
from satisfice.search.verdict import Outcome
from satisfice.stopping import DEFAULT_STOPPING, StoppingLike
from satisfice.study.configs import Configs, check_text
from satisfice.study.earlier_results import WarmStartLike, source_and_results
from satisfice.study.errors import check_same, check_same_subject, name_needed
from satisfice.study.events import BEFORE_ALL, Kind, sealed
from satisfice.study.leases import Clock
from satisfice.study.make_spec import make_spec
from satisfice.study.policy import OnError, OnErrorLike, OnLost, OnLostLike, policy_of_content
from satisfice.study.spec import Spec, spec_of
from satisfice.study.storage.protocol import Deletes, EventLog, Storage, StorageLike, StudySummary, open_storage
from satisfice.study.study import Study
from satisfice.study.subject import Subject, differences, known_since, subject_given, subject_in
from satisfice.study.trust import foreign_names


def newest_generation(storage: Storage, name: str) -> str:
    """The last of the studies that follow the one of that name; itself if none does.

    That a study is called NAME-2 is not enough: it must have been made to follow NAME.
    """
    followers = _numbered(storage, name)
    return next(
        (followers[one] for one in sorted(followers, reverse=True) if _follows(storage, followers[one], name)), name
    )


def only_newest(storage: Storage) -> str | None:
    """The newest study of a storage in which all others are its earlier generations; None if there are several."""
    names = [one.name for one in storage.studies()]
    first = min(names, key=len, default="")
    numbered = _numbered(storage, first).values()
    alone = all(one == first or (one in numbered and _follows(storage, one, first)) for one in names)
    return newest_generation(storage, first) if names and alone else None


def names_anew(storage: Storage, name: str) -> Iterator[str]:
    """Names for one more generation, the first that seems free and then on: another process may be quicker."""
    taken = {one.name for one in storage.studies()}
    if name not in taken:
        yield name
    last = max(_numbered(storage, name), default=1)
    yield from (f"{name}-{number}" for number in count(last + 1))


def _numbered(storage: Storage, name: str) -> dict[int, str]:
    found = (re.fullmatch(rf"{re.escape(name)}-([1-9][0-9]*)", one.name) for one in storage.studies())
    return {int(match[1]): match[0] for match in found if match and int(match[1]) > 1}


def _follows(storage: Storage, follower: str, name: str) -> bool:
    log = storage.open(follower)
    try:
        subject = subject_in(next(iter(log.read(0))).content)
    finally:
        log.close()
    return subject is not None and subject.generation_of == name


DEFAULT_NAME = "study"


def create_study(
    configs: Configs,
    thresholds: Iterable[Metric | str],
    *,
    error_rate: float = 0.05,
    goal: GoalLike = Goal.ANY,
    rule: RuleLike = DEFAULT_RULE,
    stopping: StoppingLike = DEFAULT_STOPPING,
    seed: int = 0,
    storage: StorageLike = None,
    name: str | None = None,
    load_if_exists: bool = False,
    on_error: OnErrorLike = OnError.STOP,
    retries: int = 2,
    worst: Mapping[str, float] | None = None,
    on_lost: OnLostLike = OnLost.REISSUE,
    max_evaluations: int | None = None,
    durations: Iterable[str] = (),
    lease_seconds: float = 60.0,
    baseline: str | Mapping[str, Any] | None = None,
    revision: str | None = None,
    subject: Subject | None = None,
    warm_start: WarmStartLike | None = None,
    cost: CostLike | None = None,
    max_cost: float | None = None,
    min_evaluations: int = 1,
    strict: bool = False,
    clock: Clock = time,
) -> Study:
    """A new study: which of the configs pass all thresholds?

    `configs` is a list of names, a dict from name to parameters, `grid(...)`, a list of dicts of parameters, or a table
    of pandas or polars with a row for each. The `goal` is 'any' config that passes, a number of them, or 'all', to have
    each classified. `storage` is a URL such as 'sqlite:///study.db' or 'postgresql://user@host/database', or the path
    of a file; without one, that of the environment variable SATISFICE_STORAGE, else memory. With `load_if_exists` a
    study of that name that asks the same goes on. `on_error` says what becomes of failed evaluations: 'stop',
    'retry' (up to `retries` times) or 'worst' (they count as the
    worst result there can be; `worst` gives it for metrics without bounds). A worker may be silent for `lease_seconds`
    before its pull is lost, and `on_lost` says what becomes of it: 'reissue' (another worker gets it), 'worst' or
    'stop'. `max_evaluations` limits the evaluations of the whole study, whoever makes them. All of these may change
    from one time to the next. `durations` are metrics that say how long an evaluation took, as `wall_time` always does:
    evaluations that are lost were rather long ones, and the verdict says so. `baseline` is what limits such as
    'wall_time <= baseline + 3%' compare with, a name or parameters: each evaluation is then one of the config and one
    of the baseline, back to back.
    `revision` is a text of yours for what is measured, such as a commit: a study of another one is refused rather than
    continued. `subject` is all that is known of it, as `satisfice run` records it of a program.
    `warm_start` names earlier results, which steer what is evaluated first and count for nothing: a study, the address
    of one such as 'sqlite:///old.db' or 'sqlite:///old.db#name', its name in the same storage, or a CSV, JSON or
    Parquet file with a row for each evaluation. Configs are matched by parameters, or by name if they have none. A
    study that is there already goes on with those that it began with.
    `cost` is what an evaluation costs: a number, a dict of numbers by config, an expression of parameters such as
    '0.01 * tokens + 2.5 * gpus', or the name of a metric that each evaluation returns, such as 'usd'. The default rule
    then minimises what is spent, and `max_cost` limits it, for the whole study and from one time to the next, like
    `max_evaluations`: no evaluation is started that is expected to exceed it.
    No config is accepted before it has `min_evaluations` results, however clear they are: waiting costs evaluations and
    never the guarantee. It is part of the question.
    With `strict` a verdict is withheld, and UNDECIDED in its place, if a check of the results speaks against it: they
    drift, carry over or are not as declared.
    """
    spec = make_spec(
        configs,
        thresholds,
        error_rate=error_rate,
        goal=goal,
        rule=rule,
        stopping=stopping,
        seed=seed,
        on_error=on_error,
        retries=retries,
        worst=worst,
        on_lost=on_lost,
        max_evaluations=max_evaluations,
        lease_seconds=lease_seconds,
        baseline=baseline,
        durations=durations,
        warm_start=None if warm_start is None else source_and_results(warm_start, storage),
        cost=cost,
        max_cost=max_cost,
        min_evaluations=min_evaluations,
        strict=strict,
    )
    called = DEFAULT_NAME if name is None else name
    if not isinstance(called, str) or not called.strip() or len(called) > 500:
        raise InvalidSpec(f"The name of a study must be a text of 1 to 500 characters, got {shown(called, 60)}.")
    check_text(called, "name of the study")
    kept = open_storage(storage)
    log = _made_or_found(kept, called, spec, subject_given(subject, revision), load_if_exists, clock)
    study = Study(called, log, clock=clock, lease=spec.lease_seconds, trusted=foreign_names(spec))
    said = spec.policy
    study.change_policy(
        on_error=said.on_error,
        retries=said.retries,
        worst=said.worst,
        on_lost=said.on_lost,
        max_evaluations=said.max_evaluations,
        max_cost=said.max_cost,
        strict=said.strict,
    )
    if spec.ruled_out and study.outcome is not Outcome.UNDECIDED:
        study.exchange([])  # the answer is known, and stands in the log
    return study


def load_study(
    storage: StorageLike = None, name: str | None = None, *, trust_code: bool = False, clock: Clock = time
) -> Study:
    """A study that is there already; the name may be left out where there is only one, or generations of one.

    A rule or noise model that the study names as module:Class is imported only with `trust_code`: whoever wrote the
    file chose what it names.
    """
    kept = open_storage(storage, create=False)
    called = only_name(kept) if name is None else name
    return Study(called, kept.open(called), clock=clock, trusted=trust_code)


def list_studies(storage: StorageLike = None) -> tuple[StudySummary, ...]:
    """The studies in a storage, by name."""
    kept = open_storage(storage, create=False)
    try:
        return kept.studies()
    finally:
        kept.close()


def delete_study(storage: StorageLike, name: str) -> None:
    """Delete a study for good, with all its results; whoever works for it is told so at the next step."""
    kept = open_storage(storage, create=False)
    try:
        if not isinstance(kept, Deletes):
            raise StorageError(f"{kept} cannot delete studies: a storage that can has a method delete(name).")
        kept.delete(name)
    finally:
        if kept is not storage:
            kept.close()


def only_name(storage: Storage) -> str:
    """The name of the only study in a storage, or of the newest where the others are its earlier generations."""
    found = only_newest(storage)
    if found is None:
        raise name_needed([one.name for one in storage.studies()], str(storage))
    return found


def _made_or_found(
    storage: Storage, name: str, spec: Spec, subject: Subject | None, load_if_exists: bool, clock: Clock
) -> EventLog:
    from satisfice import __version__  # noqa: PLC0415 - the package is loaded by then

    content = {"identity": secrets.token_hex(6), "spec": spec.as_content(), "version": __version__, "at": clock.time()}
    if subject is not None:
        content["subject"] = subject.as_content()
    try:
        return storage.create(name, sealed(BEFORE_ALL, 1, Kind.CREATED, content))
    except StudyExists:
        log = storage.open(name)
        first = next(iter(log.read(0)))
        check_same(spec_of(first), spec, name)
        if not load_if_exists:
            raise
        kept = subject_in(first.content)
        if differences(kept, subject):  # unless it is known since then that it is the same
            policies = [event.content["policy"] for event in log.read(0) if event.kind == Kind.POLICY]
            policy = policy_of_content(policies[-1]) if policies else spec.policy
            kept = known_since(kept, policy.outputs, policy.revision)
        check_same_subject(kept, subject, name)
        return log
