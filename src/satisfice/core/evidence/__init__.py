"""One-sided evidence, one small file for each noise model: how strongly results say that a mean is above theta.

E_n is evidence (an e-process) against "mean <= theta": whatever the sampling rule and however often one looks, P(E_n
>= 1/a for some n) <= a if the mean is at most theta (Ville 1939). Functions return ln E_n and are pure functions of
scalars and arrays of shape (J,), so that compiled code may call them as they are. A level is ln(1/a), and
`..._needed_...` gives the smallest statistic that reaches it, rounded up. Evidence for "below theta" is that of the
reflected results:

    noise                     statistics                          reflected
    normal, sub-Gaussian      n, S = sum of (x - theta)/scale     -S
    normal, scale unknown     n, u = sum/sqrt(squares)            -u
    0 or 1                    n, ones                             n - ones, theta -> 1 - theta
    in [0, 1]                 one capital for each bet            x -> 1 - x, theta -> 1 - theta
"""

from satisfice.core.evidence.accounting import (
    ErrorShares,
    RejectShares,
    reject_shares,
    shares_to_find_all,
    shares_to_find_one,
)
from satisfice.core.evidence.bernoulli import log_evidence_bernoulli, ones_needed_bernoulli
from satisfice.core.evidence.bets import BETS, LOG_WEIGHTS, bet_at, bets_at
from satisfice.core.evidence.bounded import (
    log_evidence_bounded,
    log_evidence_moments,
    update_log_capitals,
    updated_log_capital,
)
from satisfice.core.evidence.intervals import (
    Interval,
    interval_bernoulli,
    interval_bounded,
    interval_normal,
    interval_student,
    lower_limit_bernoulli,
    lower_limit_bounded,
    lower_limit_normal,
    lower_limit_student,
)
from satisfice.core.evidence.mixture import log_average, log_average_and_product, log_product
from satisfice.core.evidence.normal import log_evidence_normal, total_needed_normal
from satisfice.core.evidence.student import log_evidence_student, ratio_needed_student, scale_free_ratio

__all__ = [
    "BETS",
    "LOG_WEIGHTS",
    "ErrorShares",
    "Interval",
    "RejectShares",
    "bet_at",
    "bets_at",
    "interval_bernoulli",
    "interval_bounded",
    "interval_normal",
    "interval_student",
    "log_average",
    "log_average_and_product",
    "log_evidence_bernoulli",
    "log_evidence_bounded",
    "log_evidence_moments",
    "log_evidence_normal",
    "log_evidence_student",
    "log_product",
    "lower_limit_bernoulli",
    "lower_limit_bounded",
    "lower_limit_normal",
    "lower_limit_student",
    "ones_needed_bernoulli",
    "ratio_needed_student",
    "reject_shares",
    "scale_free_ratio",
    "shares_to_find_all",
    "shares_to_find_one",
    "total_needed_normal",
    "update_log_capitals",
    "updated_log_capital",
]
