"""Who may spend how much of the error rate, and how evidence of several metrics is joined.

Arm i is accepted when the evidence of *every* metric has at some time reached 1/a, and rejected when the joint evidence
against "all its means reach their thresholds" has reached 1/b. With the goal of m arms, FOUND is the answer once m are
accepted, and NONE, fewer than m pass, once K - m + 1 are rejected; m is 1 where any arm will do.

* Accepting: an arm that is not within tolerance misses it in one metric at least, and the evidence of that one has to
  cross too: P(arm i is wrongly accepted) <= a, for any number of metrics and any dependence between them.
* Rejecting: NONE is wrong if G >= m arms are good. Of the K - m + 1 rejected arms at most K - G are not good, so
  G - m + 1 good ones at least were rejected. Each is with probability at most b, so that at most G b are expected to
  be, and by Markov's inequality P(wrong NONE) <= G b/(G - m + 1), for any dependence between arms. That is b if m = 1.
  Otherwise it is m b at G = m, and falls as G grows.

What else can be wrong? With G >= m at most K - G arms are not within tolerance, so P(a wrong arm or NONE) is at most
(K - G) a + G b/(G - m + 1), largest at G = m. With fewer good arms NONE is right, and P(a wrong arm) <= K a. That is

    K a <= delta     and     (K - m) a + m b <= delta,

whether arms are named in FOUND, beside NONE, or while the search is undecided. `shares_to_find` has a and b for it.
With m = K both are delta/K. So they are where all arms are to be classified, which is another question with the same
account: an arm that is not within tolerance can be wrongly accepted only, a good one wrongly rejected only, and one
between the two neither.
"""

from math import inf, log
from typing import NamedTuple

from satisfice.errors import InvalidProblem
from satisfice.layout.numbers import counted, written
from satisfice.problem.units import Setting

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


def shares_to_find(
    error_rate: float, arms: int, wanted: int = 1, reject_share: float = DEFAULT_REJECT_SHARE
) -> ErrorShares:
    """a and b for finding `wanted` arms (m), with at least `reject_share` of the error rate for m b.

    a = min(delta/K, (1 - share) delta/(K - m)), which is as much as both sums allow, and m b = delta - (K - m) a: what
    the accepting of wrong arms leaves over, share * delta or more. From m = share * K on both are delta/K.
    """
    if not 0.0 < error_rate < 1.0:
        raise InvalidProblem(f"The error rate must lie strictly between 0 and 1, got {error_rate}. Try 0.05.")
    if arms < 1:
        raise InvalidProblem(f"Error is shared among at least one arm, got {arms}.")
    if not 1 <= wanted <= arms:
        raise InvalidProblem(f"Expected to find between 1 and all {counted(arms, 'arm')}, got {wanted}.")
    if not 0.0 < reject_share < 1.0:
        raise InvalidProblem(
            f"The share of the error rate for rejecting must lie strictly between 0 and 1, got {reject_share}. "
            f"The default is {written(DEFAULT_REJECT_SHARE)}; take more where most likely no arm passes."
        )
    others = arms - wanted
    accept = error_rate / arms
    if others > 0:
        accept = min(accept, (1.0 - reject_share) * error_rate / others)
    return ErrorShares(accept, reject=max(error_rate - others * accept, reject_share * error_rate) / wanted)


def shares_for(setting: Setting, reject_share: float = DEFAULT_REJECT_SHARE) -> ErrorShares:
    """a and b for the goal of the problem."""
    wanted = setting.arms if setting.find_all else setting.wanted
    return shares_to_find(setting.error_rate, setting.arms, wanted, reject_share)


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
        return RejectShares(averaged=0.0, each=0.0)
    if not 0.0 < reject < 1.0:
        raise InvalidProblem(f"The error rate of rejecting must lie strictly between 0 and 1, got {reject}.")
    return RejectShares(averaged=reject * averaged_metrics / metrics, each=reject / metrics if lone_metrics else 0.0)
