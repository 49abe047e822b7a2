"""What a warm start, failures, losses and changed policies add to what a verdict rests on."""

from dataclasses import replace
from itertools import pairwise

from satisfice.layout.numbers import counted
from satisfice.search.verdict import Verdict, withheld
from satisfice.study.counts import Counts
from satisfice.study.policy import OnError, OnLost, Policy
from satisfice.study.spec import Spec


def with_losses(verdict: Verdict, spec: Spec, policies: tuple[Policy, ...], counts: Counts) -> Verdict:
    """The verdict of the search, with its parameters, and what earlier results, failures and losses add to assume."""
    added = [] if spec.warm_start is None else [spec.warm_start.sentence]
    added += failures_of(policies, counts)
    if policies[-1].wait_on:
        named = ", ".join(policies[-1].wait_on)
        added += [
            f"evaluations that raised {named} were made again under the same number, which assumes that this is "
            "unrelated to the metrics"
        ]
    if counts.reissued or counts.lost or counts.released:
        added.append(
            f"{counted(counts.reissued, 'evaluation')} given out again ({counts.lost} lost with their workers, "
            f"{counts.released} given back): this assumes that such losses are unrelated to the metrics"
        )
    added += bias_of(spec, counts)
    changes = sum(one.meaning != other.meaning for one, other in pairwise(policies))
    if changes:
        added.append(f"what failures lead to was changed {counted(changes, 'time')}")
    parameters = None if verdict.arm is None else dict(spec.configs[spec.places[verdict.arm]][1])
    whole = replace(verdict, assumptions=(*verdict.assumptions, *added), parameters=parameters)
    return withheld(whole) if policies[-1].strict else whole


def failures_of(policies: tuple[Policy, ...], counts: Counts) -> tuple[str, ...]:
    """How many evaluations failed, and what was made of them."""
    if not counts.failed:
        return ()
    ways = list(dict.fromkeys(OnError(policy.on_error) for policy in policies))
    meant = " or, later, ".join(_FAILED[one] for one in ways)
    return (f"{counted(counts.failed, 'evaluation')} failed: {_exceptions(policies[-1])}{meant}",)


def _exceptions(policy: Policy) -> str:
    """What was made of exceptions that are told apart, before what was made of others; empty where none are."""
    said = [
        f"{', '.join(names)} {'counts' if len(names) == 1 else 'count'} as the worst result there can be"
        for names in [policy.worst_on]
        if names
    ]
    said += [
        f"{', '.join(names)} {'was' if len(names) == 1 else 'were'} tried again, which assumes that this is unrelated "
        "to the metrics"
        for names in [policy.retry_on]
        if names
    ]
    return "".join(f"{one}; " for one in said) + "of the others " * bool(said)


def bias_of(spec: Spec, counts: Counts) -> tuple[str, ...]:
    """Where losses depend on the results: long evaluations are lost more often than short ones."""
    timed, gone = spec.timed(), counts.lost + counts.released
    if not timed or not gone:
        return ()
    return (
        f"{counted(gone, 'evaluation')} lost or given back, and {', '.join(timed)} measures time: long evaluations are "
        f"lost more often than short ones, so that the verdict may be biased; on_lost={str(OnLost.WORST)!r} counts "
        "what is lost as the worst, and what is given back, as by --max-time or Ctrl-C, is better let end",
    )


_FAILED = {
    OnError.WORST: "each counts as the worst result there can be",
    OnError.RETRY: "each was tried again, which assumes that failures are unrelated to the metrics",
    OnError.STOP: "each stopped the study and was tried again when it was resumed, which assumes that failures are "
    "unrelated to the metrics",
}
