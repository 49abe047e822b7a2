"""Who may spend how much of the error rate, and how evidence of several metrics is joined.

Arm i is accepted when the evidence of *every* metric has at some time reached 1/a, and rejected when the joint evidence
against "all its means reach their thresholds" has reached 1/b; NONE is the answer once all K arms are rejected.

* Accepting: an arm that is not within tolerance misses it in one metric at least, and the evidence of that one has to
  cross too: P(arm i is wrongly accepted) <= a, for any number of metrics and any dependence between them.
* Rejecting: if some arm is good, NONE needs that very arm to be rejected: P(wrong NONE) <= b, for any number of arms.

Hence P(a wrong arm) <= K a always, and if an arm is good P(a wrong arm or NONE) <= (K - 1) a + b.
`shares_to_find_one` keeps both sums within the error rate. To classify all arms each gets the error rate/K twice
over: an arm that is not within tolerance can be wrongly accepted only, a good one wrongly rejected only, and one
between the two neither.
"""

from math import inf, log
from typing import NamedTuple

from satisfice.errors import InvalidProblem

DEFAULT_REJECT_SHARE = 0.15


class ErrorShares(NamedTuple):
    """The error rate of accepting one arm (a) and of rejecting one arm (b)."""

    accept: float
    reject: float

    @property
    def accept_level(self) -> float:
        """What ln E of every metric must reach."""
        return -log(self.accept)


class RejectShares(NamedTuple):
    """How b is split: for the average over all metrics whose evidence may be averaged, and for each other metric."""

    averaged: float
    each: float

    @property
    def averaged_level(self) -> float:
        """What ln of the average must reach, infinite if there is nothing to average."""
        return -log(self.averaged) if self.averaged > 0 else inf

    @property
    def each_level(self) -> float:
        """What ln E of a metric that stands alone must reach, infinite if there is none."""
        return -log(self.each) if self.each > 0 else inf


def shares_to_find_one(error_rate: float, arms: int, reject_share: float = DEFAULT_REJECT_SHARE) -> ErrorShares:
    """a and b for finding one arm, with at least `reject_share` of the error rate for b.

    a = min(delta/K, (1 - share) delta/(K - 1)), which is as much as both sums allow, and b = delta - (K - 1) a: what
    the accepting of wrong arms leaves over, share * delta or more. One arm alone has a = b = delta.
    """
    _check(error_rate, arms)
    if not 0.0 < reject_share < 1.0:
        raise InvalidProblem(
            f"The share of the error rate for rejecting must lie strictly between 0 and 1, got {reject_share}. "
            f"The default is {DEFAULT_REJECT_SHARE:g}; take more where most likely no arm passes."
        )
    if arms == 1:
        return ErrorShares(accept=error_rate, reject=error_rate)
    others = arms - 1
    accept = min(error_rate / arms, (1.0 - reject_share) * error_rate / others)
    return ErrorShares(accept=accept, reject=max(error_rate - others * accept, reject_share * error_rate))


def shares_to_find_all(error_rate: float, arms: int) -> ErrorShares:
    """a = b = delta/K for classifying every arm."""
    _check(error_rate, arms)
    return ErrorShares(accept=error_rate / arms, reject=error_rate / arms)


def reject_shares(reject: float, averaged_metrics: int, lone_metrics: int) -> RejectShares:
    """b split over the metrics of one arm in proportion to their number.

    Each E'_m is evidence against "mean m reaches its threshold". For normal noise of known scale, 0/1 and bounded
    results it is a supermartingale given the whole past of all metrics, so the average over these `averaged_metrics`
    is one too, under any dependence; it reaches M/(b C) with probability at most b C/M, C of the M metrics being
    averaged. That is, their *sum* has to reach M/b. For normal noise of unknown scale E'_m is a martingale of its own
    scale-free filtration only and no average is known to be evidence: each of these `lone_metrics` has to reach M/b
    by itself. The union bound adds up to b. An average is never behind a union bound over the same metrics, since the
    sum is at least the largest.

    For metrics declared independent the product of all E'_m, lone ones too, is a supermartingale given all their
    filtrations; `Evidence(independent_metrics=True)` gives half of b to it, and splits the other half as above. (Means
    beyond their thresholds only lower the evidence of unknown scale, path by path.)
    """
    for count, kind in ((averaged_metrics, "averaged"), (lone_metrics, "lone")):
        if count < 0:
            raise InvalidProblem(f"The number of {kind} metrics must be zero or more, got {count}.")
    metrics = averaged_metrics + lone_metrics
    if metrics == 0:
        raise InvalidProblem("Rejecting needs at least one metric, got none.")
    if not 0.0 < reject < 1.0:
        raise InvalidProblem(f"The error rate of rejecting must lie strictly between 0 and 1, got {reject}.")
    return RejectShares(averaged=reject * averaged_metrics / metrics, each=reject / metrics if lone_metrics else 0.0)


def _check(error_rate: float, arms: int) -> None:
    if not 0.0 < error_rate < 1.0:
        raise InvalidProblem(f"The error rate must lie strictly between 0 and 1, got {error_rate}. Try 0.05.")
    if arms < 1:
        raise InvalidProblem(f"Error is shared among at least one arm, got {arms}.")
