"""The verdict that follows from what was asked for and what came, by formulas that share no code with the package.

Results enter a config's evidence in the order in which they were asked for. Where the stopping rule lends capital
(docs/method/order-safe.md), it moves before an ask of a config that leads and looks good, from one that has nothing
under way, bets on what is asked for from then on, and counts once all that was asked for before has come. A result that
is missing holds up no decision that it cannot change.
"""

from collections.abc import Sequence
from math import erfc, log, pi, sqrt
from typing import Any

from tests.equivalence.naive_evidence import Accounts, levels, log_evidence, log_sum, margins, more_is_better, unit
from tests.whole_system.questions import ERROR_RATE, Question

Row = Sequence[float]


class Replay:
    """What is known after each ask and result; `verdict` is None until it is certain.

    `moves` counts how often capital moved, `waits` how often it had to wait for results, and `early` the decisions that
    did not wait.
    """

    def __init__(self, question: Question) -> None:
        self._question, self._metrics = question, [measure.metric for measure in question.measures]
        self._arms = range(len(question.names))
        self._lends = question.stopping == "transfer"
        self._owes = question.rule == "pandora"
        self._levels = levels(ERROR_RATE, len(self._arms), "any", share=0.15)
        if self._lends:
            self._levels = -log(0.7 * ERROR_RATE), -log(0.3 * ERROR_RATE)
        self._accounts = Accounts(len(self._arms), len(self._metrics))
        self._arriving: dict[int, tuple[float, int]] = {}
        self._line: list[list[int]] = [[] for _ in self._arms]
        self._arm_of: dict[int, int] = {}
        self._came: dict[int, Row] = {}
        self._folded: list[list[Row]] = [[] for _ in self._arms]
        self._certain = [[False] * len(self._metrics) for _ in self._arms]
        self._rests_on = [0 for _ in self._arms]
        self._undecided = set(self._arms)
        self.moves = self.waits = self.early = 0
        self.verdict: dict[str, Any] | None = None

    @property
    def worst(self) -> Row:
        """What a failed or lost evaluation counts as, where it does."""
        return [value for value in self._question.worst if value is not None]

    def ask(self, number: int, arm: int) -> None:
        if self._lends:
            self._lend(number, arm)
        self._arm_of[number] = arm
        self._line[arm].append(number)

    def tell(self, number: int, row: Row) -> None:
        """Fold what it makes possible, then look whether results that wait decide without the missing ones."""
        arm = self._arm_of[number]
        self._came[number] = row
        while self.verdict is None and (due := self._due(arm)) in self._came:
            self._fold(arm, self._came[due])
        waiting = [number in self._came for number in self._line[arm][len(self._folded[arm]) :]]
        if self.verdict is None and _is_looked_at(sum(waiting)) and arm in self._undecided:
            self._decide_early(arm)

    def _due(self, arm: int) -> int | None:
        folded, line = len(self._folded[arm]), self._line[arm]
        return line[folded] if folded < len(line) else None

    def _under_way(self, arm: int) -> int:
        return len(self._line[arm]) - len(self._folded[arm])

    def _fold(self, arm: int, row: Row) -> None:
        rows = self._folded[arm]
        rows.append(row)
        if arm not in self._undecided:
            return
        if arm in self._arriving and len(rows) == self._arriving[arm][1]:
            self._accounts.put(arm, self._arriving.pop(arm)[0], self._within(rows))
        if self._accepts(arm, rows, self._certain[arm]):
            self._decide(arm, accepted=True)
        elif self._rejects(rows):
            self._decide(arm, accepted=False)

    def _decide(self, arm: int, *, accepted: bool) -> None:
        self._undecided.remove(arm)
        if accepted or not self._undecided:
            ahead = (max(0, rests - len(rows)) for rests, rows in zip(self._rests_on, self._folded, strict=True))
            self.verdict = {
                "outcome": "FOUND" if accepted else "NONE",
                "arm": self._question.names[arm] if accepted else None,
                "evaluations": sum(map(len, self._folded)) + sum(ahead),
            }

    def _decide_early(self, arm: int) -> None:
        """With the worst in place of what is missing it passes, or with the best it fails."""
        for accepting in (True, False):
            instead = self._supposed(arm, accepting=accepting)
            if instead is None:
                continue
            rows, certain, came = list(self._folded[arm]), list(self._certain[arm]), 0
            last = max(place for place, number in enumerate(self._line[arm]) if number in self._came)
            for number in self._line[arm][len(rows) : last + 1]:
                rows.append(self._came.get(number, instead))
                came += number in self._came
                if (self._accepts(arm, rows, certain) if accepting else self._rejects(rows)) and came:
                    self._rests_on[arm] = len(self._folded[arm]) + came
                    self.early += 1
                    self._decide(arm, accepted=accepting)
                    return

    def _supposed(self, arm: int, *, accepting: bool) -> Row | None:
        """What a missing result counts as, None where it must be waited for."""
        if accepting and arm in self._arriving:
            return None
        row = []
        for measure, certain in zip(self._question.measures, self._certain[arm], strict=True):
            extreme = measure.extreme(worst=accepting)
            if extreme is None and not (accepting and certain):
                return None
            row.append(measure.metric.threshold if extreme is None else extreme)
        return row

    def _accepts(self, arm: int, rows: list[Row], certain: list[bool]) -> bool:
        if self._question.stopping == "alpha":
            return self._mean_beyond(rows) - self._metrics[0].tolerance + self._width(len(rows)) <= 0
        for place, evidence in enumerate(self._within(rows)):
            account = self._accounts.log_account(arm, place, evidence) if self._lends else evidence
            certain[place] |= account >= self._levels[0]
        return all(certain)

    def _rejects(self, rows: list[Row]) -> bool:
        if self._question.stopping == "alpha":
            return self._mean_beyond(rows) - self._width(len(rows)) > 0
        alone, joint, failing = [], [], False
        for metric, column in zip(self._metrics, zip(*rows, strict=True), strict=True):
            away = [more_is_better(metric, x, reflected=True) for x in column]
            limit = more_is_better(metric, metric.threshold, reflected=True)
            failing |= sum(away) / len(away) > limit
            (alone if metric.student() else joint).append(log_evidence(metric, away, limit))
        strongest = max([*alone, *([log_sum(joint)] if joint else [])])
        return failing and strongest >= self._levels[1] + log(len(self._metrics))

    def _mean_beyond(self, rows: list[Row]) -> float:
        return sum(row[0] for row in rows) / len(rows) - self._metrics[0].threshold

    def _width(self, n: int) -> float:
        """The paper's boundary for results with a standard deviation of 1, of one metric."""
        return sqrt(2 * log(pi**2 * len(self._arms) * n**2 / (3 * ERROR_RATE)) / n) if n > 1 else 1e9

    def _within(self, rows: list[Row]) -> list[float]:
        """ln of the evidence that each metric is within its tolerance."""
        found = []
        for metric, column in zip(self._metrics, zip(*rows, strict=True), strict=True):
            theta = more_is_better(metric, metric.threshold) - metric.tolerance / unit(metric)
            found.append(log_evidence(metric, [more_is_better(metric, x) for x in column], theta))
        return found

    def _lend(self, number: int, arm: int) -> None:
        """Move the capital to a config that is asked for because it leads, if it looks good and may have it."""
        holder, rows = self._accounts.holder, self._folded[arm]
        if arm == holder or not rows or (holder is not None and self._under_way(holder)) or self._is_owed(number, arm):
            return
        chance = 1.0
        for metric, column in zip(self._metrics, zip(*rows, strict=True), strict=True):
            margin, tolerance = margins(metric, list(column), (0.0, 0.0))
            chance *= 0.5 * erfc(-(margin + tolerance) * sqrt(len(rows) / 2))
        if chance > 0.5:
            self._move(arm)

    def _move(self, arm: int) -> None:
        accounts, rows = self._accounts, self._folded[arm]
        of_holder = [] if accounts.holder is None else self._within(self._folded[accounts.holder])
        amount = accounts.taken(of_holder)
        self._arriving.pop(accounts.holder, None)  # it was decided before all that it had asked for was there
        accounts.holder = arm
        self.moves += 1
        if self._under_way(arm):
            self._arriving[arm] = amount, len(self._line[arm])
            self.waits += 1
        else:
            accounts.put(arm, amount, self._within(rows))

    def _is_owed(self, number: int, arm: int) -> bool:
        """Whether it may be asked for since it was looked at too seldom, whoever leads: every fourth ask, in turn."""
        few = len(self._line[arm]) < 2 * sqrt(number / len(self._arms))
        return self._owes and number % 4 == 0 and number // 4 % len(self._arms) == arm and few


def _is_looked_at(waiting: int) -> bool:
    """Sixteen times while they double: 16, 17, ... 32, 34, ... 64, 68, ..., and before that each time."""
    every = 1 << max(0, (waiting // 16).bit_length() - 1)
    return waiting > 0 and waiting % every == 0
