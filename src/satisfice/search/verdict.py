"""What a search says: its verdict, what is known of each arm, and what it had to assume."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum, StrEnum
from typing import Any

from satisfice.errors import AmbiguousVerdict
from satisfice.layout.escape import visible
from satisfice.layout.notebook import in_notebook, verdict_lines
from satisfice.layout.numbers import counted, percent
from satisfice.noise.process import Interval
from satisfice.problem.goal import OPEN, OUT_OF_REACH, REACHED
from satisfice.problem.metric import Metric
from satisfice.problem.problem import Problem


class Outcome(StrEnum):
    """The three answers: as many arms pass as were asked for, fewer do (none, where any would do), or neither yet."""

    FOUND = "FOUND"
    NONE = "NONE"
    UNDECIDED = "UNDECIDED"


class OutcomeCode(IntEnum):
    """The answers as numbers, for arrays; those of `problem.goal`."""

    UNDECIDED = OPEN
    FOUND = REACHED
    NONE = OUT_OF_REACH

    @property
    def outcome(self) -> Outcome:
        return Outcome(self.name)


OUTCOMES = tuple(code.outcome for code in OutcomeCode)
"""The outcomes by their codes."""


@dataclass(frozen=True)
class Guess:
    """The arm that looks best so far, and a p-value that holds whenever one looks.

    Whatever the time and the choice of the arm, the p-value of an arm that is not within tolerance falls to x or below
    with probability at most x; about one and a half times x where it misses the limit of an undeclared metric.
    `missing` says in words what it takes to decide about it, and `metric` names the metric that holds it up.
    """

    arm: str
    p_value: float
    missing: str = ""
    metric: str = ""


@dataclass(frozen=True)
class Verdict:
    """The answer of a search: FOUND names its arm; UNDECIDED is what stands until the search ends.

    `accepted` and `rejected` are the arms decided so far. With the goal of several arms FOUND comes once `wanted` are
    accepted, and NONE once fewer than that can be: then `arm` is None, and those in `accepted` pass nevertheless. With
    the goal ALL, FOUND comes once every arm is decided. `failed_checks` say in clauses what results speak against,
    and `withheld` what the verdict would be without them, where it is UNDECIDED for that reason alone.
    `parameters` are those of the arm, in a study.
    """

    outcome: Outcome
    arm: str | None
    evaluations: int
    error_rate: float
    accepted: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    guess: Guess | None = None
    assumptions: tuple[str, ...] = ()
    condition: str = ""
    wanted: int = 1
    failed_checks: tuple[str, ...] = ()
    withheld: str = ""
    parameters: dict[str, Any] | None = field(default=None, compare=False)

    def __bool__(self) -> bool:
        raise AmbiguousVerdict(
            f"A verdict is FOUND, NONE or UNDECIDED, and neither true nor false; this one is {self.outcome}. Compare "
            "its outcome, as in `verdict.outcome is Outcome.FOUND` or `verdict.outcome == 'FOUND'`."
        )

    @property
    def config(self) -> Any:
        """The configuration that was found: its parameters, or its name if it has none; None if there is none."""
        return self.parameters or self.arm

    def __str__(self) -> str:
        parts = [f"{self.outcome}  {visible(self.named)}".rstrip(), counted(self.evaluations, "evaluation")]
        if self.outcome is not Outcome.UNDECIDED:
            parts.append(self.certainty)
        elif self.said:
            parts.append(visible(self.said))
        return "   ".join(parts)

    def _repr_html_(self) -> str:
        told = counted(self.evaluations, "evaluation")
        return in_notebook(verdict_lines(self.outcome, self.named, told, self.said))

    @property
    def said(self) -> str:
        """How sure the answer is, or what is closest to one."""
        if self.outcome is not Outcome.UNDECIDED:
            return self.certainty
        if self.withheld:
            return f"{self.withheld} is withheld: {' and '.join(self.failed_checks)}: read the check"
        return f"closest: {self.closest}" if self.guess else ""

    @property
    def named(self) -> str:
        """What the answer says of arms: those that pass, and how many do where that is less than was asked for."""
        arms = ", ".join(self.accepted)
        if self.outcome is Outcome.FOUND:
            return arms
        if self.withheld:
            return ""
        if self.outcome is Outcome.UNDECIDED:
            of = f" of {self.wanted}" if self.wanted > 1 else ""
            return f"{len(self.accepted)}{of} so far: {arms}" if arms else ""
        proven = f" ({arms} {'does' if len(self.accepted) == 1 else 'do'})" if arms else ""
        return f"fewer than {self.wanted} pass{proven}" if self.wanted > 1 else ""

    @property
    def ended_by(self) -> str:
        """What ended the search before every arm was decided, in a clause; empty where nothing did."""
        if self.outcome is Outcome.NONE:
            return "too many others failed"
        if self.outcome is Outcome.UNDECIDED:
            return ""
        return f"{self.wanted} others passed" if self.wanted > 1 else f"{self.arm} passed"

    @property
    def certainty(self) -> str:
        """How sure the answer is, and on which condition."""
        condition = f" if {self.condition}" if self.condition else ""
        checks = f"; {' and '.join(self.failed_checks)}: read the check" if self.failed_checks else ""
        return f"wrong with probability at most {percent(self.error_rate)}{condition}{checks}"

    @property
    def closest(self) -> str:
        """The best guess, and what is missing."""
        if self.guess is None or self.withheld:
            return ""
        return f"{self.guess.arm} ({self.guess.missing})" if self.guess.missing else self.guess.arm


def withheld(verdict: Verdict) -> Verdict:
    """The verdict, UNDECIDED in its place if a check of the results speaks against it."""
    if not verdict.failed_checks or verdict.outcome is Outcome.UNDECIDED:
        return verdict
    would_be = f"{verdict.outcome} {verdict.named}".rstrip()
    return replace(verdict, outcome=Outcome.UNDECIDED, arm=None, parameters=None, withheld=would_be)


@dataclass(frozen=True)
class ArmStatus:
    """What is known of one arm: means in the metrics' own units, and intervals that hold at all times.

    Each interval ever misses its value with probability at most the problem's error rate divided by `chosen_from`. That
    is 1 for most arms: their intervals hold for one arm that you pick beforehand. An accepted arm was chosen because
    it looked good, so `chosen_from` is the number of arms: the error rate is shared among them, and the intervals of
    all accepted arms hold together. `accept_progress` and
    `reject_progress` say for each metric how much of the evidence there is that a decision takes, from 0 to 1: all must
    reach 1 to accept, one suffices to reject. They are empty under a stopping rule that knows no evidence. `ahead` are
    results that its decision rests on besides, which were asked for after one that is still out. `results` are those of
    each metric where metrics are measured in groups; one that has none was not measured.
    """

    name: str
    pulls: int
    means: tuple[float, ...]
    intervals: tuple[Interval, ...]
    decision: int
    accept_progress: tuple[float, ...] = ()
    reject_progress: tuple[float, ...] = ()
    results: tuple[int, ...] = ()
    ahead: int = 0
    chosen_from: int = 1

    def count_of(self, metric: int) -> int:
        """How many results the metric at a place has."""
        return self.results[metric] if self.results else self.pulls


def intervals_said(error_rate: float, arms: int) -> str:
    """What the intervals of a search among that many arms promise, in words."""
    words = f"{percent(1 - error_rate, 4)} intervals hold at all times for one configuration picked beforehand"
    return f"{words}; that of an accepted one is wider, since it was chosen from {arms:,}" if arms > 1 else words


def assumptions_of(problem: Problem) -> tuple[str, ...]:
    """What the guarantee rests on, in words, one sentence for each metric and one for all."""
    shared = "evaluations of one configuration are independent draws from a distribution that does not change"
    each = (f"{metric.label}: {_assumption(metric)}" for metric in problem.metrics)
    return (*each, shared)


def _assumption(metric: Metric) -> str:
    said = metric.process.assumption
    return metric.statistic.assumption(metric.noise, str(metric.noise) if said is None else said(metric.noise))


def condition_of(problem: Problem, granted: Sequence[tuple[Metric, str]] = ()) -> str:
    """What must be true of the results beyond what is checked of each, in one clause; empty where nothing must.

    `granted` are further conditions, which were needed with the results that came.
    """
    declared = ((metric, metric.process.condition(metric.noise)) for metric in problem.metrics)
    subjects: dict[str, list[str]] = {}
    for metric, words in (*declared, *granted):
        if words is not None:
            beside = " beside the baseline" if metric.ratio else ""
            named = subjects.setdefault(words, [])
            subject = "every item" if metric.set_size else metric.statistic.subject(metric.name) + beside
            named += [] if subject in named else [subject]
    return " and ".join(_clause(named, words) for words, named in subjects.items())


def _clause(subjects: list[str], words: str) -> str:
    verb, _, rest = words.partition(" ")
    plural = {"is": "are", "has": "have"}
    if len(subjects) > 1:
        return f"{', '.join(subjects[:-1])} and {subjects[-1]} {plural.get(verb, verb)} {rest}"
    return f"{subjects[0]} {words}"
