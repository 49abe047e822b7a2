"""Capital transfer: evidence as money in accounts, moved to the arm that looks good before it is put at risk again.

Accounts. Of a capital of 1, `DEALT` is dealt out equally among the K arms and stays there; the rest, the pot, is lent
to one arm at a time. Arm i has for each metric an account C_im = w_im E_im, where E_im is the metric's evidence and
w_im = DEALT/K at first. It is accepted once every account has at some time reached 1/(delta - b). P_i is what arm i
holds of the pot, its principal, and Q_im = (w_im - DEALT/K) E_im what has become of that.

Before an ask of arm l that looks good the pot moves to it from arm k that holds it: d = min(P_k, min_m Q_km). P_k and
every C_km fall by d, P_l and every C_lm rise by d, the new money being spread over the bets like the old. One arm gives
and one receives, whatever the number of arms.

Proof, for results that are folded as they are asked for. Let B be the arms that are not within tolerance, and m(j) a
metric in which arm j of B fails. Let

    W = sum over j in B of C_j,m(j)  +  sum over g not in B of (DEALT/K + P_g)  +  what was lent to nobody yet.

W starts at 1. A pull of j in B multiplies C_j,m(j) by a factor of conditional expectation at most 1, whatever w is:
it was fixed before. A pull of any other arm changes no term. A transfer takes d from one term and adds d to one,
wherever its two arms are: a giver in B pays from Q_k,m(k) >= d, a giver outside from P_k >= d. So W is a nonnegative
supermartingale, and by Ville's inequality P(W ever reaches 1/(delta - b)) <= delta - b. Accepting an arm of B needs
its account in m(j) to be that large once. Without the cap at the principal the proof fails, and rightly so: a good
arm's profits are no evidence for another arm.

Results that come late. A study asks before all results are there, and folds each arm's results in the order in which
they were asked for. Late results say something about themselves, so that moving money by what has come already could
favour arms whose bad news is still out. Three conditions exclude that:

(i)   the arm that gives has nothing under way;
(ii)  what arrives bets on pulls that are asked for after the transfer only: if a evaluations of arm l have been asked
      for by then, w_lm rises by d/E_lm(a), so that the new money is d E_lm(n)/E_lm(a) after n >= a of them;
(iii) it counts towards accepting from n = a on, once all that was asked for before is folded.

Proof. Look at everything in the order of asking. Let G_n hold the results and the durations of the first n asks, of
whatever arms. All that is decided before ask n + 1, a transfer included, is known to G_n: what has come by then is a
function of it. The result of ask n + 1 is independent of G_n given its arm. Let V_n be W with all n results folded. By
(i) the amount that is moved depends on results of the giver that are all among the n, and is taken from the account
that the giver has in V_n; by (ii) what arrives is put at risk by later asks only, so that each ask multiplies its arm's
account by a factor of conditional expectation at most 1 given G_n: V is a supermartingale. In real time arm j with n_j
results folded compares C_j,m(j) after its first n_j results, without money that came after ask n_j of this arm by
(iii), and before it has given any that V still has there by (i): that is the account which V has of it right after the
n_j-th ask of arm j. So if an arm of B is accepted, V has reached 1/(delta - b). Without (iii) idle money would be added
to a path whose late results are still out.

A metric of which one result is all there is to know limits no transfer: where it is the one that fails its evidence is
1 for ever, so that its account is what was dealt out and lent, and where it passes it is no m(j).

Each step must be an e-value given the whole past, which holds for known scales, for zeros and ones, for counts and for
running capitals: results in a range, or of any shape with a known spread. Evidence for an unknown scale is a martingale
of its own filtration only: where a metric has it, or more than one arm is to be found, nothing is moved.
"""

from math import erfc, exp, inf, log, sqrt
from typing import NamedTuple

from satisfice.arrays import Floats, Integers
from satisfice.errors import InvalidProblem
from satisfice.noise.kinds import SLACK, ratio_of
from satisfice.noise.process import TOLERANCE
from satisfice.problem.goal import Goal
from satisfice.problem.problem import Problem
from satisfice.stopping.evidence import ACCEPTING, REJECTING, Evidence, EvidenceJudge

REJECT_SHARE = 0.3
DEALT = 0.2
"""The part of the capital that is dealt out equally. Without it false leaders may lose all there is."""

ROUNDING = 1e-12
"""What is moved arrives smaller by this part: rounding never makes money."""

LEAST_LOG_EVIDENCE = -300.0
"""An arm against which more than that speaks is given nothing."""

PRINCIPAL, AMOUNT, STARTS_AT, HOLDER, OWN_COLUMNS = range(5)
"""The places behind the 2 M columns of metrics in an arm's memory: its principal, what waits to arrive and after how
many results it does and, of the first arm alone, which arm holds the pot, plus one."""


class TransferJudge(NamedTuple):
    """Evidence with transfers.

    Of each metric of an arm the memory has whether its account was full, and ln w_im; then what is named above. `dealt`
    is w_im at first. An arm looks good if its chance to be within tolerance is above `trust`.
    """

    evidence: EvidenceJudge
    dealt: float
    trust: float

    def room(self) -> int:
        return self.evidence.room()

    def extended(self, length: int) -> "TransferJudge":
        return TransferJudge(self.evidence.extended(length), self.dealt, self.trust)

    def memory_columns(self, metrics: int) -> int:
        return 2 * metrics + OWN_COLUMNS

    def forget(self, memory: Floats) -> None:
        """Nothing is lent, and every arm has its part in all its accounts."""
        metrics = (memory.shape[1] - OWN_COLUMNS) // 2
        memory[:] = 0.0
        memory[:, metrics : 2 * metrics] = log(self.dealt)

    def accepts(self, deficits: Floats, more: Floats, memory: Floats, arm: int, pulls: int, shortfall: float) -> bool:
        metrics = deficits.shape[1]
        if memory[arm, 2 * metrics + STARTS_AT] > 0.0:
            self.start(deficits, more, memory, arm, pulls)
        certain = True
        for metric in range(metrics):
            if memory[arm, metric] == 0.0:
                if self.is_full(deficits, more, memory, arm, metric, pulls):
                    memory[arm, metric] = 1.0
                else:
                    certain = False
        return certain

    def is_full(self, deficits: Floats, more: Floats, memory: Floats, arm: int, metric: int, pulls: int) -> bool:
        """Whether an account reaches 1/(delta - b); most often a table or a bound says that it does not."""
        noise, weight = self.evidence.noise, memory[arm, deficits.shape[1] + metric]
        deficit, sums, ratio = deficits[arm, metric], more[arm, metric], ratio_of(noise, arm, metric)
        if weight <= 0.0:
            need = self.evidence.need(ACCEPTING, metric, pulls, deficit, sums, ratio)
            if not noise.enough_within(metric, pulls, deficit, sums, ratio, need):
                return False
        if weight + noise.most_within(metric, pulls, deficit, sums, ratio) < self.evidence.accept_level - SLACK:
            return False
        return bool(weight + noise.within(metric, pulls, deficit, sums, ratio) >= self.evidence.accept_level)

    def calm(
        self, memory: Floats, arm: int, metric: int, pulls: int, last: int, least_total: float
    ) -> tuple[float, float]:
        """The same with accounts: one that holds more than its evidence is full sooner, by a bound."""
        evidence, weight = self.evidence, memory[arm, (memory.shape[1] - OWN_COLUMNS) // 2 + metric]
        need, need_below = evidence.needs[ACCEPTING, metric, pulls], evidence.needs[REJECTING, metric, pulls]
        if memory[arm, metric] != 0.0:
            need = inf
        else:
            bound = evidence.noise.needed_at_least(metric, pulls, evidence.accept_level - SLACK - weight)
            need = bound if weight > 0.0 else max(need, bound)
        ratio = ratio_of(evidence.noise, arm, metric)
        return evidence.noise.between(metric, pulls, last, need, need_below, least_total, ratio)

    def is_calm(self, memory: Floats, arm: int) -> bool:
        return self.evidence.is_calm(memory, arm) and self.increases(memory, arm)

    def increases(self, memory: Floats, arm: int) -> bool:
        """Not where money is to be weighted by evidence that missing results are part of."""
        return bool(memory[arm, memory.shape[1] - OWN_COLUMNS + STARTS_AT] == 0.0)

    def is_settled(self, memory: Floats, arm: int, metric: int) -> bool:
        return bool(memory[arm, metric] == 1.0)

    def rejects(self, deficits: Floats, more: Floats, arm: int, pulls: int, shortfall: float) -> bool:
        return self.evidence.rejects(deficits, more, arm, pulls, shortfall)

    def holder(self, memory: Floats) -> int:
        """The arm that holds the pot, -1 if none does."""
        return int(memory[0, memory.shape[1] - OWN_COLUMNS + HOLDER]) - 1

    def entrust(self, deficits: Floats, more: Floats, memory: Floats, pulls: Integers, arm: int, asked: int) -> None:
        """Move the pot to an arm that was asked for so often, if it looks good; its holder has nothing under way."""
        metrics = deficits.shape[1]
        if not self.trusts(deficits, more, arm, pulls[arm]):
            return
        holder = self.holder(memory)
        moved = 1.0 - DEALT
        if holder >= 0:
            moved = self.given(deficits, more, memory, holder, pulls[holder])
        memory[0, 2 * metrics + HOLDER] = arm + 1.0
        memory[arm, 2 * metrics + AMOUNT] = moved * (1.0 - ROUNDING)
        memory[arm, 2 * metrics + STARTS_AT] = asked
        self.start(deficits, more, memory, arm, pulls[arm])

    def given(self, deficits: Floats, more: Floats, memory: Floats, arm: int, pulls: int) -> float:
        """Take from an arm what it holds of the pot, no more than it was lent; returns how much that is."""
        metrics = deficits.shape[1]
        most = memory[arm, 2 * metrics + PRINCIPAL]
        for metric in range(metrics):
            if self.evidence.noise.certain[metric] == 1:
                continue
            lent = max(exp(memory[arm, metrics + metric]) - self.dealt, 0.0)
            most = min(most, lent * exp(min(self.within(deficits, more, arm, metric, pulls), 700.0)))
        memory[arm, 2 * metrics + PRINCIPAL] -= most
        for metric in range(metrics):
            left = exp(memory[arm, metrics + metric]) - most * exp(-self.within(deficits, more, arm, metric, pulls))
            memory[arm, metrics + metric] = log(max(left, self.dealt))
        return float(most)

    def start(self, deficits: Floats, more: Floats, memory: Floats, arm: int, pulls: int) -> None:
        """Let what was moved to an arm count from now on, once all is folded that was asked for before."""
        metrics = deficits.shape[1]
        if pulls < memory[arm, 2 * metrics + STARTS_AT]:
            return
        amount = memory[arm, 2 * metrics + AMOUNT]
        memory[arm, 2 * metrics + STARTS_AT] = 0.0
        memory[arm, 2 * metrics + AMOUNT] = 0.0
        memory[arm, 2 * metrics + PRINCIPAL] += amount
        for metric in range(metrics):
            evidence = max(self.within(deficits, more, arm, metric, pulls), LEAST_LOG_EVIDENCE)
            memory[arm, metrics + metric] = log(exp(memory[arm, metrics + metric]) + amount * exp(-evidence))

    def trusts(self, deficits: Floats, more: Floats, arm: int, pulls: int) -> bool:
        """Whether all metrics are within tolerance with a chance above `trust`, as a normal posterior has it."""
        noise = self.evidence.noise
        chance = 1.0
        for metric in range(deficits.shape[1]):
            deficit, sums, ratio = deficits[arm, metric], more[arm, metric], ratio_of(noise, arm, metric)
            margin, sd = noise.margin_and_sd(metric, pulls, deficit, sums, ratio, 0.0, 0.0)
            margin += noise.numbers[metric][TOLERANCE] / sd if sd > 0.0 else 0.0
            chance *= 0.5 * erfc(-margin * sqrt(0.5 * pulls))
            if chance <= self.trust:
                return False
        return chance > self.trust

    def within(self, deficits: Floats, more: Floats, arm: int, metric: int, pulls: int) -> float:
        """ln E of one metric, within tolerance."""
        noise = self.evidence.noise
        ratio = ratio_of(noise, arm, metric)
        return noise.within(metric, pulls, deficits[arm, metric], more[arm, metric], ratio)


class TransferredEvidence(NamedTuple):
    """Evidence whose capital goes to the arm that looks good: nearly without the price of having many arms, ln K.

    `reject_share` is the part of the error rate that a wrong NONE may use. `trust` is the chance, as a normal posterior
    has it, above which an arm looks good. Where capital may not be moved, since some noise scale is unknown or more
    than one arm is to be found, it is `Evidence` with that share.
    """

    reject_share: float = REJECT_SHARE
    trust: float = 0.5

    def judge(self, problem: Problem, arms: int) -> EvidenceJudge | TransferJudge:
        """The rule made ready for a problem with that many arms; its tables are still empty."""
        if not 0.0 <= self.trust < 1.0:
            raise InvalidProblem(f"The trust must be at least 0 and less than 1, got {self.trust}. The default is 0.5.")
        evidence = Evidence(self.reject_share).judge(problem, arms)
        if arms == 1 or not moves_capital(problem):
            return evidence
        rejecting = self.reject_share * problem.error_rate
        levels = evidence._replace(accept_level=-log(problem.error_rate - rejecting), reject_level=-log(rejecting))
        return TransferJudge(levels, DEALT / arms, self.trust)


def moves_capital(problem: Problem) -> bool:
    """Whether capital may be moved from arm to arm: one is to be found, and all evidence is so given the whole past.

    Not where metrics are measured in groups, whose results are not folded in one order.
    """
    return (
        not problem.groups
        and problem.goal is Goal.ANY
        and all(metric.process.transferable for metric in problem.metrics)
    )
