"""A study at one position of its log: all that a table, a document or a report says of it, read once.

What a warm start, failures, losses and changed policies add to what a verdict rests on.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from os import PathLike
from pathlib import Path
from threading import RLock
from typing import Any

from satisfice.config_rows import config_rows, most_telling, scales_of
from satisfice.errors import unknown_name
from satisfice.layout.escape import tag
from satisfice.layout.notebook import in_notebook, verdict_lines
from satisfice.layout.numbers import counted, fixed, rounded
from satisfice.plots import plot_search, save_figure
from satisfice.problem.declaration import doubts_about
from satisfice.problem.problem import Problem
from satisfice.search.diagnostics import Check
from satisfice.search.hints import Hint
from satisfice.search.search import Search
from satisfice.search.verdict import ArmStatus, Outcome, Verdict, withheld
from satisfice.stopping.decision import KEEP
from satisfice.study.explain import Explanation, explained
from satisfice.study.leases import SKEW_SAID, Presence, presences_of
from satisfice.study.ledger import Counts, StudyCost
from satisfice.study.policy import OnError, OnLost, Policy
from satisfice.study.pull import OpenPull, Outstanding, pull_of
from satisfice.study.spec import Spec
from satisfice.study.state import State, StudyState
from satisfice.study.subject import Subject


def with_losses(verdict: Verdict, spec: Spec, policies: tuple[Policy, ...], counts: Counts) -> Verdict:
    """The verdict of the search, with its parameters, and what earlier results, failures and losses add to assume."""
    added = [] if spec.warm_start is None else [spec.warm_start.sentence]
    added += failures_of(policies, counts)
    if policies[-1].wait_on:
        named = ", ".join(policies[-1].wait_on)
        added += [
            f"evaluations that raised {named} were made again under the same number, which assumes that this is "
            "unrelated to the metrics"
        ]
    if counts.reissued or counts.lost or counts.released:
        added.append(
            f"{counted(counts.reissued, 'evaluation')} given out again ({counts.lost} lost with their workers, "
            f"{counts.released} given back): this assumes that such losses are unrelated to the metrics"
        )
    added += bias_of(spec, counts)
    changes = sum(one.meaning != other.meaning for one, other in pairwise(policies))
    if changes:
        added.append(f"what failures lead to was changed {counted(changes, 'time')}")
    parameters = None if verdict.arm is None else dict(spec.configs[spec.places[verdict.arm]][1])
    whole = replace(verdict, assumptions=(*verdict.assumptions, *added), parameters=parameters)
    return withheld(whole) if policies[-1].strict else whole


def failures_of(policies: tuple[Policy, ...], counts: Counts) -> tuple[str, ...]:
    """How many evaluations failed, and what was made of them."""
    if not counts.failed:
        return ()
    ways = list(dict.fromkeys(OnError(policy.on_error) for policy in policies))
    meant = " or, later, ".join(_FAILED[one] for one in ways)
    return (f"{counted(counts.failed, 'evaluation')} failed: {_exceptions(policies[-1])}{meant}",)


def _exceptions(policy: Policy) -> str:
    """What was made of exceptions that are told apart, before what was made of others; empty where none are."""
    said = [
        f"{', '.join(names)} {'counts' if len(names) == 1 else 'count'} as the worst result there can be"
        for names in [policy.worst_on]
        if names
    ]
    said += [
        f"{', '.join(names)} {'was' if len(names) == 1 else 'were'} tried again, which assumes that this is unrelated "
        "to the metrics"
        for names in [policy.retry_on]
        if names
    ]
    return "".join(f"{one}; " for one in said) + "of the others " * bool(said)


def bias_of(spec: Spec, counts: Counts) -> tuple[str, ...]:
    """Where losses depend on the results: long evaluations are lost more often than short ones."""
    timed, gone = spec.timed(), counts.lost + counts.released
    if not timed or not gone:
        return ()
    return (
        f"{counted(gone, 'evaluation')} lost or given back, and {', '.join(timed)} measures time: long evaluations are "
        f"lost more often than short ones, so that the verdict may be biased; on_lost={str(OnLost.WORST)!r} counts "
        "what is lost as the worst, and what is given back, as by --max-time or Ctrl-C, is better let end",
    )


_FAILED = {
    OnError.WORST: "each counts as the worst result there can be",
    OnError.RETRY: "each was tried again, which assumes that failures are unrelated to the metrics",
    OnError.STOP: "each stopped the study and was tried again when it was resumed, which assumes that failures are "
    "unrelated to the metrics",
}


class SearchAt:
    """The search at one position: the study's own until that moves on, and from then on a copy of its arrays."""

    def __init__(self, state: StudyState, lock: RLock) -> None:
        self._spec, self._lock = state.spec, lock
        self._search: Search | None = state.search
        self._arrays: State = {}

    def freeze(self) -> None:
        """The study is about to move on: keep what the search is now."""
        with self._lock:
            if self._search is not None and not self._arrays:
                self._arrays = {name: array.copy() for name, array in self._search.state().items()}
                self._search = None

    @contextmanager
    def read(self) -> Iterator[Search]:
        with self._lock:
            if self._search is None:
                self._search = self._spec.search()
                self._search.restore(self._arrays)
            yield self._search


@dataclass(frozen=True)
class StudyView:
    """What a study knew at one position of its log, with the seal `head` there; it stays as it is.

    `subject` is what it measures, as far as that was recorded, `created_at` is in seconds since 1970, `version` is the
    satisfice that created the study, and `stopped` says why a failed evaluation stopped it, which is for good if it is
    `over`. `policies` are what failures led to, one after the other, and `skew` by how many seconds the workers' clocks
    disagree at least. `cost` is what was spent, where it is known what evaluations cost. What is known of a config is
    computed when it is asked for, and the log is not read again.
    """

    name: str
    identity: str
    spec: Spec
    problem: Problem
    subject: Subject | None
    created_at: float
    version: str
    position: int
    head: str
    outcome: Outcome
    counts: Counts
    stopped: str | None
    over: bool
    policies: tuple[Policy, ...]
    skew: float
    cost: StudyCost | None
    _open: tuple[OpenPull, ...] = field(repr=False)
    _search: SearchAt = field(repr=False)

    @property
    def policy(self) -> Policy:
        """What failures and losses lead to now."""
        return self.policies[-1]

    @cached_property
    def configs(self) -> dict[str, dict[str, Any]]:
        """The configs: name to parameters."""
        return {name: dict(parameters) for name, parameters in self.spec.configs}

    @cached_property
    def verdict(self) -> Verdict:
        """What can be said, and what it rests on."""
        with self._search.read() as search:
            return with_losses(search.verdict, self.spec, self.policies, self.counts)

    @cached_property
    def evaluations(self) -> dict[str, int]:
        """How many results of each config are in its evidence; costs little, however many there are."""
        with self._search.read() as search:
            return dict(zip(self.spec.names, search.pulls.tolist(), strict=True))

    @cached_property
    def outstanding(self) -> tuple[Outstanding, ...]:
        """The pulls that are being evaluated, in all processes."""
        return tuple(
            Outstanding(pull_of(self.identity, self.spec, pull), pull.worker, pull.at, pull.lease)
            for pull in self._open
        )

    @cached_property
    def running(self) -> "Counter[str]":
        """How many evaluations of each config somebody is at; with a verdict nobody waits for them, nor looks."""
        return Counter(self.spec.names[pull.arm] for pull in self._open if self._is_at_work(pull))

    @cached_property
    def at_work(self) -> tuple[Outstanding, ...]:
        """The pulls that somebody is at, as far as is known here."""
        return tuple(one for one, pull in zip(self.outstanding, self._open, strict=True) if self._is_at_work(pull))

    @cached_property
    def deserted(self) -> int:
        """How many pulls have a worker of this machine that is gone: who asks next deals with them."""
        return sum(pull.worker in self._gone for pull in self._open)

    def _is_at_work(self, pull: OpenPull) -> bool:
        waited_for = self.outcome is Outcome.UNDECIDED and pull.worker is not None
        return waited_for and pull.worker not in self._gone

    @cached_property
    def _gone(self) -> set[str | None]:
        workers = {pull.worker for pull in self._open if pull.worker is not None}
        return {worker for worker, presence in presences_of(workers).items() if presence is Presence.GONE}

    @cached_property
    def doubts(self) -> tuple[str, ...]:
        """What is doubtful about the limits themselves, whatever the results, in words."""
        return doubts_about(self.problem)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """Where results contradict what was declared, losses may bias them or clocks disagree, in words."""
        with self._search.read() as search:
            found = search.warnings()
        spent = () if self.cost is None or self.cost.warning is None else (self.cost.warning,)
        return (*found, *bias_of(self.spec, self.counts), *_clocks(self.skew), *spent)

    @cached_property
    def hints(self) -> tuple[Hint, ...]:
        """What to declare of metrics of which nothing is declared, as long as there is no verdict."""
        with self._search.read() as search:
            return search.hints() if search.outcome is Outcome.UNDECIDED else ()

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        """What is odd about the results of a config, with its number and what to do; it changes no decision."""
        with self._search.read() as search:
            return search.checks()

    @cached_property
    def statuses(self) -> tuple[ArmStatus, ...]:
        """What is known of each config."""
        with self._search.read() as search:
            return search.statuses()

    def status(self, config: str) -> ArmStatus:
        """What is known of one config."""
        if config not in self.spec.places:
            raise unknown_name("config", str(config), self.spec.names)
        if "statuses" in self.__dict__:  # computed already: an interval takes milliseconds
            return self.statuses[self.spec.places[config]]
        with self._search.read() as search:
            return search.status(self.spec.places[config])

    def leaning(self, config: str) -> float:
        """The share of the evidence for a config, or minus that against it; costs little: no interval is computed."""
        with self._search.read() as search:
            return search.leaning(self.spec.places[config])

    def expected_cost(self, config: str) -> float | None:
        """What the next evaluation of a config costs, as far as one knows."""
        with self._search.read() as search:
            return search.costs.expected(search.next_line(self.spec.places[config]))

    def search_arrays(self) -> dict[str, Any]:
        """The search as it was, as arrays: one of the same study that restores them goes on there."""
        with self._search.read() as search:
            return {name: array.copy() for name, array in search.state().items()}

    def explain(self, config: str) -> Explanation:
        """Why a config was accepted, rejected or left: its binding metric and the evidence, in words and numbers."""
        status = self.status(config)
        with self._search.read() as search:
            open_one = status.decision == KEEP and status.pulls > 0
            holds = search.held_up(self.spec.places[config]) if open_one else None
        why = explained(self.problem, status, self.verdict.ended_by, holds, self.spec.ruled_out.get(status.name))
        if self.cost is None or not why.evaluations:
            return why
        spent = self.cost.by_config[self.spec.places[config]]
        unit = f" {self.cost.metric}" if self.cost.metric else ""
        return replace(why, text=f"{why.text}; its evaluations cost {rounded(spent, 4)}{unit}")

    def plot(self, path: str | PathLike[str] | None = None) -> Any:
        """A figure of each config's estimates and intervals against the limits, also saved if a path is given."""
        figure = plot_search(self.problem, self.statuses, next(iter(self.verdict.accepted), None))
        if path is not None:
            save_figure(figure, Path(path))
        return figure

    def _repr_html_(self, most: int = 30) -> str:
        shown, verdict = most_telling(self.statuses, most), self.verdict
        told = f"{self.name}: {counted(self.counts.folded, 'evaluation')} of {counted(len(self.statuses), 'config')}"
        rows = config_rows(self.problem, shown, self.running, scales_of(self.problem, self.statuses))
        left = len(self.statuses) - len(shown)
        more = tag("p", f"{left:,} more", class_="note") if left else ""
        return in_notebook(verdict_lines(verdict.outcome, verdict.named, told, verdict.said), rows, more)


def _clocks(skew: float) -> tuple[str, ...]:
    if skew < SKEW_SAID:
        return ()
    return (
        f"the clocks of the machines disagree by at least {fixed(skew, 0)} seconds, or one was set back: times shown "
        "may be wrong by as much; results and the leases of running workers do not depend on them",
    )
