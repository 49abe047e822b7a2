"""Results of which nothing was declared: the evidence for normal ones, as far as their own shape bears it out.

Without an assumption about tails no test on a mean has power (Bahadur and Savage 1956), and Student's evidence
(`unknown_scale`) is too large where a long tail on the failing side has not shown itself yet. So a level L = ln(1/a) is
reached only

* with n results such that -n ln(1 - r) - ln 2 >= L. What happens in a share r of the evaluations has not happened in n
  of them with probability (1 - r)^n, a/2 at most. Where it has been seen Student's evidence may still err, with a
  probability of about a as measured: one and a half times a together is what a shape may cost. (Without ln 2 both
  errors together were 1.7 times a where one result in ten is far off.)
* by Student's evidence about results that vary more than these: their variance counts c L^2 g^2/n times where that is
  more than once. g is the sample skewness where the longer tail is on the side that endangers the claim, failing
  results for `within`, passing ones for `below`; or what both tails together ask for, where that is more (`tails`). A
  claim with room for it need not wait until n has grown to c L^2 g^2.
* where variances count for more because of the skewness, with enough results to have seen also what happens in a share
  r/6: a tail that shows is a sign of rarer results far beyond it, such as stalls of a service.
* with three different values, jitter not counted. Few are no continuous law: constants have no spread at all until the
  other value comes.

ln E is the largest L that is reached. Waiting is always valid: for normal results this is evidence because Student's
is, and it costs next to nothing, for what can decide nothing in the first results need not bet on gaps that a few of
them would show (LATE). For others it is approximate; docs/method/shapes.md has the error rates by shape, and what
cannot be detected.
"""

from math import sqrt

from satisfice.arrays import Floats
from satisfice.noise.half_student import Mixture, log_evidence_student, ratio_needed_student, scale_free_ratio
from satisfice.noise.mixtures import LN2
from satisfice.noise.process import TOLERANCE, Numbers
from satisfice.noise.tails import RARER_SHARE, SECOND, SHARE, has_spread, trusted_by_skewness, trusted_by_tails
from satisfice.noise.unknown_scale import most as most_student

RARER = 1.0 / 6.0
"""The part of that share that must have been seen where a tail shows."""

LATE = Mixture(4.0, 200.0, 0.7)
"""The bets (`half_student`) of what decides after 36 results or more: none on gaps that a handful would show.

Evaluations over those of declared normal results at 5 %, gaps of .5, .4, .3, .2, .1 and .02 sd: 1.14, .99, .92, .92,
1.00, 1.05; with the bets of those, `EARLY`, 1.23, 1.12, 1.07, 1.03, 1.02, 1.01.
"""

HALVINGS = 8
"""Of the levels in question, until a bound of the evidence is near enough."""

PRECISION = 1e-12
"""What ln of the evidence is rounded down by at most, as a part of it, where it has to be searched for."""


def seen(pulls: int, rate: float) -> float:
    """The level up to which what happens in a share s of the evaluations has been seen, `rate` being -ln(1 - s)."""
    return rate * pulls - LN2


def squares_around(pulls: int, total: float, scatter: float) -> float:
    """The sum of squared distances from a limit from which the distances themselves add up to `total`."""
    return scatter + total * total / pulls


def widened(scatter: float, level: float, trust: float) -> float:
    """What the sum of squared distances from the mean counts as, at a level."""
    return scatter * (level / trust) ** 2 if level > trust else scatter


def student(pulls: int, total: float, scatter: float) -> float:
    return log_evidence_student(pulls, scale_free_ratio(total, squares_around(pulls, total, scatter)), LATE)


def evidence(pulls: int, total: float, more: Floats, numbers: Numbers, side: float) -> float:
    """The largest level that is reached, rounded down."""
    scatter = more[SECOND]
    if not has_spread(more, numbers):
        return min(student(pulls, total, scatter), 0.0)
    plain = min(student(pulls, total, scatter), seen(pulls, numbers[SHARE]))
    trust = min(trusted_by_skewness(more, numbers, side), trusted_by_tails(more, numbers, side))
    if plain <= trust:
        return plain
    highest = min(plain, most(pulls, total, more, numbers, side))
    return trust if highest <= trust else level_reached(pulls, total, scatter, trust, highest)


def level_reached(pulls: int, total: float, scatter: float, trust: float, highest: float) -> float:
    """Between `trust`, which is reached, and `highest`: evidence falls as the level grows, and both meet once.

    By false position, with the excess at an end that stays twice in a row halved (the Illinois rule).
    """
    low, high = trust, highest
    above = student(pulls, total, scatter) - low
    below = student(pulls, total, widened(scatter, high, trust)) - high
    if below >= 0.0:
        return highest
    for _ in range(100):
        if high - low <= PRECISION * high:
            break
        level = min(max(low + (high - low) * above / (above - below), low + 0.01 * (high - low)), high)
        excess = student(pulls, total, widened(scatter, level, trust)) - level
        if excess >= 0.0:
            low, above, below = level, excess, 0.5 * below
        else:
            high, below, above = level, excess, 0.5 * above
    return low


def needed(pulls: int, level: float, numbers: Numbers) -> float:
    return ratio_needed_student(pulls, level, LATE) ** 2


def within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    return evidence(pulls, pulls * numbers[TOLERANCE] - deficit, more, numbers, 1.0)


def below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    return evidence(pulls, deficit, more, numbers, -1.0)


def enough(pulls: int, total: float, more: Floats, numbers: Numbers, side: float, need: float) -> bool:
    """Student's test by its table; where it is passed, also what the shape of the results asks for at that level."""
    scatter = more[SECOND]
    if total <= 0.0 or total * total < need * squares_around(pulls, total, scatter) or not has_spread(more, numbers):
        return False
    level = log_evidence_student(pulls, sqrt(need), LATE)
    skewness = trusted_by_skewness(more, numbers, side)
    if seen(pulls, numbers[SHARE if level <= skewness else RARER_SHARE]) < level:
        return False
    trust = min(skewness, trusted_by_tails(more, numbers, side))
    return bool(total * total >= need * squares_around(pulls, total, widened(scatter, level, trust)))


def enough_within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, need: float) -> bool:
    return enough(pulls, pulls * numbers[TOLERANCE] - deficit, more, numbers, 1.0, need)


def enough_below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, need: float) -> bool:
    return enough(pulls, deficit, more, numbers, -1.0, need)


def most(pulls: int, total: float, more: Floats, numbers: Numbers, side: float) -> float:
    """An upper bound of the evidence: the level that a bound of Student's evidence reaches, rounded up."""
    if not has_spread(more, numbers):
        return 0.0
    scatter, skewness = more[SECOND], trusted_by_skewness(more, numbers, side)
    high = min(most_student(pulls, total, squares_around(pulls, total, scatter), LATE), seen(pulls, numbers[SHARE]))
    high = min(high, max(skewness, seen(pulls, numbers[RARER_SHARE])))
    trust = min(skewness, trusted_by_tails(more, numbers, side))
    if high <= trust:
        return high
    low = trust
    for _ in range(HALVINGS):
        level = 0.5 * (low + high)
        squares = squares_around(pulls, total, widened(scatter, level, trust))
        if most_student(pulls, total, squares, LATE) < level:
            high = level
        else:
            low = level
    return high


def most_within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    return most(pulls, pulls * numbers[TOLERANCE] - deficit, more, numbers, 1.0)


def most_below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    return most(pulls, deficit, more, numbers, -1.0)
