"""A worker: evaluations for a study that is in a storage."""

from satisfice.cluster import ExecutorLike
from satisfice.search.verdict import Verdict
from satisfice.study.attempts import Evaluate
from satisfice.study.create import load_study
from satisfice.study.progress import OnProgress, Until
from satisfice.study.retry import DEFAULT_BACKOFF, Backoff, ExceptionTypes, by_exception, patiently
from satisfice.study.runner import Runner
from satisfice.study.storage.protocol import StorageLike


def work(
    storage: StorageLike,
    name: str | None,
    evaluate: Evaluate,
    *,
    workers: int = 1,
    executor: ExecutorLike | None = None,
    max_evaluations: int | None = None,
    max_seconds: float | None = None,
    timeout: float | None = None,
    patience: float = 600.0,
    on_progress: OnProgress | None = None,
    until: Until | None = None,
    with_pull: bool = False,
    trust_code: bool = False,
    retry_on: ExceptionTypes = (),
    worst_on: ExceptionTypes = (),
    wait_on: ExceptionTypes = (),
    backoff: Backoff = DEFAULT_BACKOFF,
) -> Verdict:
    """Be a worker of a study that is in a storage: evaluate for it until there is a verdict.

    Any number of processes on any machines may do so at a time. A storage that is out of reach is waited for, up to
    `patience` seconds. A study that a failure stopped is not resumed: that is for whoever runs it. What exceptions lead
    to is as for `Study.run`, `trust_code` as for `load_study`.
    """
    study = patiently(lambda: load_study(storage, name, trust_code=trust_code), patience)
    with study:
        exceptions = by_exception(retry_on, worst_on, wait_on)
        runner = Runner(study, evaluate, workers, executor, timeout, with_pull, patience, exceptions, backoff)
        return runner.run(max_evaluations, max_seconds, on_progress, until, resume=False)
