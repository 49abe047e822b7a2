"""What a warm start, failures, losses and changed policies add to what a verdict rests on."""

from dataclasses import replace
from itertools import pairwise

from satisfice.search.verdict import Verdict, counted
from satisfice.study.policy import OnError, OnLost, Policy
from satisfice.study.spec import Spec
from satisfice.study.state import Counts


def with_losses(verdict: Verdict, spec: Spec, policies: tuple[Policy, ...], counts: Counts) -> Verdict:
    """The verdict of the search, with what earlier results, failures and lost workers add to its assumptions."""
    added = [] if spec.warm_start is None else [spec.warm_start.sentence]
    if counts.failed:
        ways = list(dict.fromkeys(OnError(policy.on_error) for policy in policies))
        added += [f"{counted(counts.failed, 'evaluation')} failed: {' or, later, '.join(_FAILED[one] for one in ways)}"]
    if counts.reissued or counts.lost or counts.released:
        added.append(
            f"{counted(counts.reissued, 'evaluation')} given out again ({counts.lost} lost with their workers, "
            f"{counts.released} given back): this assumes that such losses are unrelated to the metrics"
        )
    added += bias_of(spec, counts)
    changes = sum(one.meaning != other.meaning for one, other in pairwise(policies))
    if changes:
        added.append(f"what failures lead to was changed {counted(changes, 'time')}")
    return replace(verdict, assumptions=(*verdict.assumptions, *added)) if added else verdict


def bias_of(spec: Spec, counts: Counts) -> tuple[str, ...]:
    """Where losses depend on the results: long evaluations are lost more often than short ones."""
    timed, gone = spec.timed(), counts.lost + counts.released
    if not timed or not gone:
        return ()
    return (
        f"{counted(gone, 'evaluation')} lost or given back, and {', '.join(timed)} measures time: long evaluations are "
        f"lost more often than short ones, so that the verdict may be biased; on_lost = {str(OnLost.WORST)!r} counts "
        "what is lost as the worst",
    )


_FAILED = {
    OnError.WORST: "each counts as the worst result there can be",
    OnError.RETRY: "each was tried again, which assumes that failures are unrelated to the metrics",
    OnError.STOP: "each stopped the study and was tried again when it was resumed, which assumes that failures are "
    "unrelated to the metrics",
}
