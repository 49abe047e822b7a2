"""One attempt at an evaluation: the task that an executor runs, and what its end means."""

import errno
import pickle
import traceback
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError
from typing import Any, NamedTuple

from satisfice.errors import EvaluationFailed, InvalidResult, InvalidSpec, NotMeasured, RuledOut
from satisfice.given import is_number
from satisfice.problem.cost import LARGEST
from satisfice.search.search import Results
from satisfice.study.dask_tasks import RunAgain
from satisfice.study.policy import FailureKind
from satisfice.study.pull import Failure, Measured, Pull

Evaluate = Callable[[Any], Results]

LACKING = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC, errno.EAGAIN, errno.EDQUOT, errno.EROFS)
"""What an operating system says when it has nothing left: it is about the machine, and not about a config."""
MISTAKES = (NotMeasured, NameError, ImportError, SyntaxError, MemoryError, pickle.PicklingError, BrokenExecutor)
LONGEST_TRACEBACK = 4000


class EvaluatedPair(NamedTuple):
    """What came of a config, and of the baseline beside it."""

    results: Any
    baseline: Any


def evaluated(evaluate: Evaluate, pull: Pull, with_pull: bool) -> Any:
    """What an evaluation returns: of a config, or of a config and the baseline, back to back in the order drawn.

    The pull is among the arguments: an executor that remembers what it was asked before has never seen this.
    """
    if pull.baseline is None:
        return evaluate(pull if with_pull else pull.config)
    sides = [pull, pull.of_baseline()]
    order = (1, 0) if pull.baseline_first else (0, 1)
    found = {side: evaluate(sides[side] if with_pull else sides[side].config) for side in order}
    return EvaluatedPair(found[0], found[1])


def failure_of(error: BaseException) -> Failure:
    """What an exception says about an evaluation: that it failed, was lost, or could not be made."""
    lost = isinstance(error, BrokenExecutor | CancelledError | RunAgain)
    lacking = isinstance(error, OSError) and error.errno in LACKING
    kind = FailureKind.LOST if lost else FailureKind.FAILED
    if not lost and (lacking or isinstance(error, MISTAKES)):
        kind = FailureKind.NOT_MEASURED
    if isinstance(error, EvaluationFailed):
        known = is_number(error.cost) and 0 <= float(error.cost or 0.0) < LARGEST
        return Failure(str(error), kind, cost=float(error.cost or 0.0) if known else None)
    told = "".join(traceback.format_exception(error))
    return Failure(f"{type(error).__name__}: {error}", kind, told[-LONGEST_TRACEBACK:])


def outcome_of(results: Any, check: Callable[[Any, Any], Measured]) -> Measured | Failure:
    """What an evaluation returned, checked."""
    own, baseline = results if isinstance(results, EvaluatedPair) else (results, None)
    try:
        return check(own, baseline)
    except RuledOut as error:
        return Failure(error.reason, FailureKind.RULED_OUT, cost=error.cost)
    except InvalidResult as error:
        kind = FailureKind.NOT_MEASURED if error.is_mistake else FailureKind.FAILED
        return Failure(error.reason, kind, cost=error.cost)


def check_can_be_sent(evaluate: Evaluate) -> None:
    """Raise unless another process can be told to evaluate."""
    try:
        pickle.dumps(evaluate)
    except Exception as error:
        raise InvalidSpec(
            f"{getattr(evaluate, '__qualname__', evaluate)!s:.60} cannot be sent to another process: {error}. Give a "
            "function that stands at the top of a module, or run it in threads, without an executor."
        ) from error
