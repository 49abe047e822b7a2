"""How many pulls an instance needs: the paper's bounds as printed, and the limit that nobody can beat."""

from satisfice.noise.beta import beta_distribution
from satisfice.noise.entropy import binary_relative_entropy, least_relative_entropy
from satisfice.noise.process import Bet, Distribution
from satisfice.stopping.boundary import alpha
from satisfice.theory.bounds import (
    UpperBound,
    corollary_slope,
    largest_slack,
    least_upper_bound,
    lower_bound_as_printed,
    pulls_to_decide,
    upper_bound_good_arm,
    upper_bound_no_good_arm,
)
from satisfice.theory.distributions import empirical_distribution
from satisfice.theory.gaps import Case, Gaps, Standing, gaps
from satisfice.theory.information import Needs, Side, best_bet, information, needs
from satisfice.theory.summary import Bounds, Reason, Width, bounds

__all__ = [
    "Bet",
    "Bounds",
    "Case",
    "Distribution",
    "Gaps",
    "Needs",
    "Reason",
    "Side",
    "Standing",
    "UpperBound",
    "Width",
    "alpha",
    "best_bet",
    "beta_distribution",
    "binary_relative_entropy",
    "bounds",
    "corollary_slope",
    "empirical_distribution",
    "gaps",
    "information",
    "largest_slack",
    "least_relative_entropy",
    "least_upper_bound",
    "lower_bound_as_printed",
    "needs",
    "pulls_to_decide",
    "upper_bound_good_arm",
    "upper_bound_no_good_arm",
]
