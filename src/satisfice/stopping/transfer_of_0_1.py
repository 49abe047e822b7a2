"""Capital transfer as studies of version 0.1 went by it: all results in one line, in the order of all asks.

Evidence is money in accounts, moved to the arm that looks good before it is put at risk again.

Accounts. Arm i has a principal P_i, at first 1/K, and for each metric an account C_im = F_im E_im, at first 1/K,
where E_im is the metric's evidence and F_im a factor that only transfers change. It is accepted once every account
has at some time reached 1/(delta - b). Before any pull, d <= min(P_k, min_m C_km) may be moved from arm k to arm l:
P_k and every C_km fall by d, P_l and every C_lm rise by d, the new money being spread like the old (F_im is scaled).

Proof. Let B be the arms that are not within tolerance, and m(j) a metric in which arm j of B fails. Let

    W = sum over j in B of C_j,m(j)  +  sum over g not in B of P_g.

W starts at 1. A pull of j in B multiplies C_j,m(j) by a factor of conditional expectation at most 1, whatever F is:
it was fixed before. A pull of any other arm changes no term. A transfer takes d from one term and adds d to one,
wherever its two arms are: a giver in B pays from C_k,m(k) >= d, a giver outside from P_k >= d. So W is a nonnegative
supermartingale, and by Ville's inequality P(W ever reaches 1/(delta - b)) <= delta - b. Accepting an arm of B needs
its account in m(j) to be that large once. Without the cap at the principal the proof fails, and rightly so: a good
arm's profits are no evidence for another arm.

Each step must be an e-value given the whole past, which holds for known scales, for zeros and ones, for counts and for
running capitals: results in a range, or of any shape with a known spread. Evidence for an unknown scale is a martingale
of its own filtration only, and is refused.
"""

from math import erf, exp, inf, log, sqrt
from typing import NamedTuple

from satisfice.arrays import Floats, Integers
from satisfice.errors import InvalidProblem
from satisfice.noise.kinds import ratio_of
from satisfice.noise.process import SCALE, TOLERANCE
from satisfice.problem.goal import Goal
from satisfice.problem.problem import Problem
from satisfice.stopping.error_budget import DEFAULT_REJECT_SHARE, reject_shares
from satisfice.stopping.evidence import Evidence, EvidenceJudge

PATIENCE = 1.25
"""By which factor an arm's pulls must have grown until it asks for money again."""

ROUNDING = 1e-12
"""What is moved arrives smaller by this part: rounding never makes money."""


class TransferJudgeOf01(NamedTuple):
    """Evidence with transfers.

    `accept_level` is -ln(delta - b). The memory of an arm has 2M + 2 columns: which accounts have been full, ln F_im,
    the principal, and its number of pulls when it last asked for money.
    """

    evidence: EvidenceJudge
    accept_level: float
    trust: float

    def room(self) -> int:
        return self.evidence.room()

    def extended(self, length: int) -> "TransferJudgeOf01":
        return TransferJudgeOf01(self.evidence.extended(length), self.accept_level, self.trust)

    def memory_columns(self, metrics: int) -> int:
        return 2 * metrics + 2

    def forget(self, memory: Floats) -> None:
        """Every arm with an equal principal in all its accounts."""
        arms, metrics = memory.shape[0], memory.shape[1] // 2 - 1
        memory[:] = 0.0
        memory[:, metrics : 2 * metrics] = -log(1.0 * arms)
        memory[:, 2 * metrics] = 1.0 / arms

    def accepts(self, deficits: Floats, more: Floats, memory: Floats, arm: int, pulls: int, shortfall: float) -> bool:
        metrics = deficits.shape[1]
        certain = True
        for metric in range(metrics):
            if memory[arm, metric] == 0.0:
                account = memory[arm, metrics + metric] + self.within(deficits, more, arm, metric, pulls)
                if account >= self.accept_level:
                    memory[arm, metric] = 1.0
                else:
                    certain = False
        return certain

    def rejects(self, deficits: Floats, more: Floats, arm: int, pulls: int, shortfall: float) -> bool:
        return self.evidence.rejects(deficits, more, arm, pulls, shortfall)

    def transfer(
        self, deficits: Floats, more: Floats, memory: Floats, pulls: Integers, arm: int, own_pulls: int
    ) -> None:
        """Move all that may be moved to the arm, if it is trusted."""
        count, metrics = deficits.shape
        principal, asked = 2 * metrics, 2 * metrics + 1
        if own_pulls < PATIENCE * memory[arm, asked] or not self.trusts(deficits, arm, own_pulls):
            return
        memory[arm, asked] = own_pulls
        moved = 0.0
        for giver in range(count):
            if giver != arm and memory[giver, principal] > 0.0:
                most = memory[giver, principal]
                for metric in range(metrics):
                    account = memory[giver, metrics + metric]
                    if account > -inf and pulls[giver] > 0:
                        account += self.within(deficits, more, giver, metric, pulls[giver])
                    most = min(most, exp(min(account, 0.0)))
                if most > ROUNDING:
                    self.pay(deficits, more, memory, giver, pulls[giver], -most)
                    moved += most
        if moved > 0.0:
            self.pay(deficits, more, memory, arm, own_pulls, moved * (1.0 - ROUNDING))

    def pay(self, deficits: Floats, more: Floats, memory: Floats, arm: int, pulls: int, amount: float) -> None:
        """Add an amount to the arm's principal and to all its accounts."""
        metrics = deficits.shape[1]
        memory[arm, 2 * metrics] = max(memory[arm, 2 * metrics] + amount, 0.0)
        for metric in range(metrics):
            evidence = 0.0
            if pulls > 0:
                evidence = self.within(deficits, more, arm, metric, pulls)
            account = memory[arm, metrics + metric] + evidence
            # ln(e^account + amount) - evidence, without overflow
            larger = max(account, log(amount)) if amount > 0.0 else account
            rest = exp(account - larger) + amount * exp(-larger) if larger > -inf else 0.0
            memory[arm, metrics + metric] = larger + log(rest) - evidence if rest > ROUNDING else -inf

    def trusts(self, deficits: Floats, arm: int, pulls: int) -> bool:
        """Whether all metrics are within tolerance with a chance above `trust`, as a normal posterior has it."""
        chance = 1.0
        for metric in range(deficits.shape[1]):
            numbers = self.evidence.noise.numbers[metric]
            margin = pulls * numbers[TOLERANCE] - deficits[arm, metric]
            chance *= 0.5 * (1.0 + erf(margin / (numbers[SCALE] * sqrt(1.0 * pulls)) * sqrt(0.5)))
        return chance > self.trust

    def within(self, deficits: Floats, more: Floats, arm: int, metric: int, pulls: int) -> float:
        """ln E of one metric, within tolerance."""
        noise = self.evidence.noise
        ratio = ratio_of(noise, arm, metric)
        return noise.within(metric, pulls, deficits[arm, metric], more[arm, metric], ratio)


class TransferredEvidenceOf01(NamedTuple):
    """Evidence with capital transfer: nearly without the price of having many arms, ln K.

    `trust` is the chance, as a normal posterior has it, above which the arm just pulled is given all that may be moved.
    """

    reject_share: float = DEFAULT_REJECT_SHARE
    trust: float = 0.5

    def judge(self, problem: Problem, arms: int) -> TransferJudgeOf01:
        """The rule made ready for a problem with that many arms; its tables are still empty."""
        for metric in problem.metrics:
            if not metric.process.transferable:
                raise InvalidProblem(
                    f"Metric {metric.name!r} ({metric.noise}): capital can be transferred only where the noise is "
                    "normal(SD), subgaussian(SCALE), bernoulli, bounded(LOW, HIGH), poisson or spread(SD). Declare one "
                    "of these, or take the stopping rule 'evidence'."
                )
        if problem.goal is not Goal.ANY:
            raise InvalidProblem(
                "Capital is transferred to find one arm. To find several or classify all take the rule 'evidence'."
            )
        if not 0.0 <= self.trust < 1.0:
            raise InvalidProblem(f"The trust must be at least 0 and less than 1, got {self.trust}. The default is 0.5.")
        evidence = Evidence(self.reject_share).judge(problem, arms)
        rate = problem.error_rate
        if arms == 1:
            return TransferJudgeOf01(evidence, -log(rate), self.trust)
        # without transfers few arms leave more than the share over for b; here accepting needs all the rest
        rejecting = reject_shares(rate * self.reject_share, len(problem.metrics), 0)
        evidence = evidence._replace(reject_level=rejecting.averaged_level)
        return TransferJudgeOf01(evidence, -log(rate * (1.0 - self.reject_share)), self.trust)
