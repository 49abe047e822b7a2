"""How much one evaluation says: the information number of one metric of one arm, in nats.

An answer is safe once every instance on which it would be wrong has been told from the true one. What one evaluation
contributes to that is the relative entropy between the true distribution P of the metric and the nearest one under
which the answer is wrong: inf KL(P, Q) over the distributions Q of the declared noise model whose mean is `edge` or
worse. The edge is the end of the tolerance for accepting an arm and the threshold itself for rejecting it. With gap =
|mean - edge|:

    noise                     information number
    normal(sd)                gap^2 / (2 sd^2)
    subgaussian(scale)        gap^2 / (2 scale^2), that of normal P; other P have no less (Donsker and Varadhan 1975)
    bernoulli                 d(p, edge), the relative entropy of two coins
    normal, sd unknown        1/2 ln(1 + gap^2/sd^2), Q being normal with mean `edge` and variance sd^2 + gap^2
                              (Cowan, Honda and Katehakis 2018)
    poisson                   mean ln(mean/edge) - mean + edge
    bounded(low, high)        max over l of E ln(1 + l (x - edge)), results taken to [0, 1] and 0 <= l <= 1/edge
                              (Honda and Takemura 2010)

An oracle that knows the arm's distribution attains it with a fixed bet on every evaluation: `best_bet`. Each of these
bets has expectation 1 or less under every distribution of the model whose mean is the edge or worse, so its product is
evidence. For unknown sd it is the ratio of the normal densities of P and of the Q above: under normal ones of mean
`edge` and any variance its expectation is largest, 1, for that of Q, and means beyond the edge only lower it.

How few pulls can do: what any procedure needs for each unit of ln(1/delta) as delta -> 0.

Lower bounds by change of measure for problems with several right answers (Garivier and Kaufmann 2016; Degenne and
Koolen 2019): for an answer to be safe, every instance on which it is wrong must have been told from the true one.
`information` says what one evaluation of one metric of one arm contributes to that under each noise model.

* FOUND, arm i: it is wrong wherever one metric of arm i is beyond its tolerance. The nearest such instance changes that
  metric alone, so arm i has to be pulled 1/I_im times for each unit, for the metric of the least I_im. Any arm within
  tolerance may be named, and the cheapest will do.
* NONE: it is wrong wherever all metrics of one arm reach their thresholds, so every arm has to be told from that, and
  the arms' times add up. All failing metrics have to be moved at once. If they are independent, their information
  adds up. If they go along with each other one is as good as all, and the largest counts. The largest is also what
  evidence about one metric at a time comes to, joined by an average or a union bound, which may assume nothing
  about dependence. Which is why both are given; where no arm fails more than one metric they are the same.
* With the goal of m arms FOUND names m, each of which has to be told from one that is beyond its tolerance: the times
  of the m cheapest add up. NONE, fewer than m pass, is wrong only where as many arms as are missing, r = m - G with G
  good ones, reach their thresholds all at once: of any r of the other arms the information must add up to one unit. The
  cheapest way leaves the s dearest arms alone, for some s < r, and gathers 1/(r - s) of what it takes to rule out each
  of the rest (these are the corners of a linear program). To rule out arm after arm is the way with s = r - 1.
* With the goal of classifying all arms, each must be told from what would make its classification wrong: the times of
  all arms add up.

`spread` (the standard deviation of one evaluation: a number, one for each metric, or of shape (K, M)) or
`distributions` (K rows of M) are needed for metrics that are bounded, or normal of unknown scale.
"""

from enum import Enum
from math import inf, log
from typing import NamedTuple

from numpy.typing import ArrayLike

from satisfice.errors import InvalidInstance
from satisfice.layout.numbers import written
from satisfice.noise.entropy import binary_relative_entropy
from satisfice.noise.process import Bet, Distribution
from satisfice.problem.means import checked_means
from satisfice.problem.metric import Direction, Metric
from satisfice.problem.problem import Problem
from satisfice.theory.distributions import Distributions, distributions_for
from satisfice.theory.gaps import ROUNDING, Gaps, Standing, standings


class Side(Enum):
    """What is to be shown of a mean: that it is within tolerance, or that it misses its threshold."""

    ACCEPT = "accept"
    REJECT = "reject"


def information(metric: Metric, mean: float, side: Side, known: Distribution | None = None) -> float:
    """Nats that one evaluation gives on average towards that side; 0 where the mean is not on it, possibly infinite.

    The distribution is needed where the noise model leaves the spread open: normal of unknown scale, and bounded.
    """
    edge, above = edge_of(metric, side)
    if not metric.is_plain:
        raise InvalidInstance(
            f"What is known in advance is about means, and {metric.limited!r} is about something else."
        )
    if metric.process.open_spread and known is None:
        raise InvalidInstance(
            f"Metric {metric.name!r} is declared {metric.noise}, which leaves open how much its results vary, and "
            "so how many evaluations it takes. Give `spread`, the standard deviation of one evaluation of each metric."
        )
    if metric.process.information is None:
        raise InvalidInstance(f"Nothing is known about how much results of {metric.name!r} ({metric.noise}) say.")
    scale = (
        known.sd if known is not None and metric.process.open_spread else metric.process.scale_at(metric.noise, edge)
    )
    gap = mean - edge if above else edge - mean
    if metric.process.certain:
        return inf if gap > 0.0 or (gap == 0.0 and side is Side.ACCEPT) else 0.0
    if gap <= ROUNDING * scale:  # what floating point cannot tell from nothing is nothing
        return 0.0
    try:
        return metric.process.information(metric.noise, mean, edge, known)
    except InvalidInstance as error:
        raise InvalidInstance(
            f"Metric {metric.name!r} is declared {metric.noise}, so {error}, got {written(mean)}."
        ) from None


def best_bet(metric: Metric, mean: float, side: Side, known: Distribution | None = None) -> Bet:
    """The fixed bet whose ln grows by `information` an evaluation on average."""
    edge, _ = edge_of(metric, side)
    if metric.process.best_bet is None:
        raise InvalidInstance(f"No best bet is known for {metric.name!r} ({metric.noise}).")
    return metric.process.best_bet(metric.noise, mean, edge, known)


def edge_of(metric: Metric, side: Side) -> tuple[float, bool]:
    """The mean that must be told from the true one, and whether the true one is to be above it."""
    at_least = metric.direction is Direction.AT_LEAST
    if side is Side.REJECT:
        return metric.threshold, not at_least
    return metric.threshold + (-metric.tolerance if at_least else metric.tolerance), at_least


class Needs(NamedTuple):
    """Pulls for each unit of ln(1/delta): of each arm to accept it (infinite where it fails), of each to reject it."""

    instance: Gaps
    accept: tuple[float, ...]
    reject: tuple[float, ...]
    reject_independent: tuple[float, ...]

    def to_find(self) -> float | None:
        """min_i max_m 1/I_im over arms within tolerance: the pulls for each ln(1/delta) that FOUND takes.

        For normal noise 1/I_im is 2 sigma_m^2/(mu_i^m - xi_m + eps_m)^2. Any arm within tolerance may be named: with
        one tolerance for all metrics and a good arm, the minimum is at a good one. With the goal of m arms the sum over
        the m cheapest. Infinite when too many lie just at the end of their tolerance; None without arms enough.
        """
        within = sum(standing is not Standing.FAILING for standing in self.instance.standings)
        wanted = self.instance.setting.wanted
        return sum(sorted(self.accept)[:wanted]) if within >= wanted else None

    def to_rule_out(self, *, independent: bool = False) -> float | None:
        """sum_i 1/max_m I_im over the metrics that fail: the pulls for each ln(1/delta) that NONE takes.

        For normal noise I_im is (xi_m - mu_i^m)^2/(2 sigma_m^2). With `independent` metrics the sum over m instead of
        the largest. With the goal of m arms and G good ones the least of (sum without the s dearest)/(m - G - s). None
        when as many arms are good as are wanted, for then NONE is wrong.
        """
        missing = self.instance.setting.wanted - self.instance.good
        if missing < 1:
            return None
        standings = zip(self.reject_independent if independent else self.reject, self.instance.standings, strict=True)
        times = [time for time, standing in standings if standing is not Standing.GOOD]
        least = sum(times) / missing
        for left in range(missing - 1, 0, -1):
            times.remove(max(times))
            least = min(least, sum(times) / left)
        return least

    def characteristic_time(self, *, independent: bool = False) -> float:
        """T*: what the cheapest right answer takes, for each unit of ln(1/delta).

        `to_find` if a good arm exists, `to_rule_out` if no arm is within tolerance (with the goal of m arms: m, fewer
        than m). In between both answers are right and it is the smaller: the paper asks nothing there, but satisfice
        never names an arm that is not within tolerance nor says NONE when an arm is good, with error at most delta, and
        instances of these kinds are near.
        With the goal of classifying all arms it is what each of them takes, added up.
        """
        if self.instance.setting.find_all:
            return sum(map(min, self.accept, self.reject_independent if independent else self.reject))
        times = (self.to_find(), self.to_rule_out(independent=independent))
        return min(time for time in times if time is not None)

    def practical_limit(self, *, independent: bool = False) -> float:
        """T* ln(1/delta): the pulls that no procedure with this guarantee gets much below when delta is small."""
        return self.characteristic_time(independent=independent) * log(1.0 / self.instance.setting.error_rate)

    def proven_limit(self) -> float:
        """T* d(delta, 1 - delta) with d the relative entropy of two coins: no expected number of pulls is below it.

        For every delta, not only small ones (Kaufmann, Cappe and Garivier 2016, Lemma 1), where one answer alone is
        right and the metrics of an arm that fails are independent, or only one of them fails. For any procedure with
        this guarantee that ends with an answer; one that gives up is not bound by it.
        """
        within = [standing for standing in self.instance.standings if standing is not Standing.FAILING]
        several = len(within) > self.instance.setting.wanted and not self.instance.setting.find_all
        if several or Standing.WITHIN_TOLERANCE in within:
            raise InvalidInstance(
                "Expected an instance with one right answer: no more arms within tolerance than are looked for, and "
                "all of them good. With several the theorem holds in the limit of small error rates only: look at the "
                "practical limit."
            )
        rate = self.instance.setting.error_rate
        entropy = binary_relative_entropy(rate, 1.0 - rate) if rate < 0.5 else 0.0
        return self.characteristic_time(independent=True) * entropy


def needs(
    problem: Problem, means: ArrayLike, *, spread: ArrayLike | None = None, distributions: Distributions | None = None
) -> Needs:
    """What each arm takes: max_m 1/I_im to accept it, 1/max_m I_im or 1/sum_m I_im to reject it."""
    instance = standings(problem, means)
    table = checked_means(means, problem.metric_names).tolist()
    known = distributions_for(problem, means, spread) if distributions is None else distributions

    def numbers(arm: int, side: Side) -> list[float]:
        return [
            information(metric.of_arm(arm), mean, side, distribution)
            for metric, mean, distribution in zip(problem.metrics, table[arm], known[arm], strict=True)
        ]

    accept, reject, together = [], [], []
    for arm, standing in enumerate(instance.standings):
        accept.append(inf if standing is Standing.FAILING else max(map(_inverse, numbers(arm, Side.ACCEPT))))
        against = [0.0] if standing is Standing.GOOD else numbers(arm, Side.REJECT)
        reject.append(_inverse(max(against)))
        together.append(_inverse(sum(against)))
    return Needs(instance, tuple(accept), tuple(reject), tuple(together))


def _inverse(number: float) -> float:
    return 1.0 / number if number > 0.0 else inf
