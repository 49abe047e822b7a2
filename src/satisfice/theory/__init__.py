"""How many pulls an instance needs: the paper's bounds as printed, and the limit that nobody can beat."""

from satisfice.stopping.alpha import alpha
from satisfice.theory.characteristic import (
    characteristic_time,
    practical_limit,
    proven_limit,
    time_to_find,
    time_to_rule_out,
)
from satisfice.theory.distributions import Law, beta_law, empirical_law, normal_law
from satisfice.theory.gaps import Case, Gaps, Standing, gaps
from satisfice.theory.information import Bet, Side, best_bet, information, least_relative_entropy
from satisfice.theory.lower import binary_relative_entropy, lower_bound_as_printed
from satisfice.theory.summary import Bounds, Reason, Width, bounds
from satisfice.theory.upper import (
    UpperBound,
    corollary_slope,
    largest_slack,
    least_upper_bound,
    pulls_to_decide,
    upper_bound_good_arm,
    upper_bound_no_good_arm,
)

__all__ = [
    "Bet",
    "Bounds",
    "Case",
    "Gaps",
    "Law",
    "Reason",
    "Side",
    "Standing",
    "UpperBound",
    "Width",
    "alpha",
    "best_bet",
    "beta_law",
    "binary_relative_entropy",
    "bounds",
    "characteristic_time",
    "corollary_slope",
    "empirical_law",
    "gaps",
    "information",
    "largest_slack",
    "least_relative_entropy",
    "least_upper_bound",
    "lower_bound_as_printed",
    "normal_law",
    "practical_limit",
    "proven_limit",
    "pulls_to_decide",
    "time_to_find",
    "time_to_rule_out",
    "upper_bound_good_arm",
    "upper_bound_no_good_arm",
]
