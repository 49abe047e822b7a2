"""The spec: everything that decides what a study asks and answers, as one immutable value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np

from satisfice.catalogue import Catalogue
from satisfice.errors import DamagedLog, InvalidSpec, UnknownName
from satisfice.given import shown
from satisfice.layout.numbers import counted
from satisfice.problem.cost import Cost, cost_of
from satisfice.problem.goal import checked_goal
from satisfice.problem.metric import as_metric
from satisfice.problem.problem import Problem
from satisfice.rules import RULES
from satisfice.search.earlier import Earlier
from satisfice.search.items import Items
from satisfice.search.search import Search
from satisfice.stopping import STOPPING_RULES
from satisfice.study.events import Event, Kind
from satisfice.study.known_limits import ruled_out
from satisfice.study.policy import Policy, policy_of_content
from satisfice.study.warm_start import WarmStart, warm_start_of_content

PROCEDURE = 4
"""The version of the search and of the evidence by which studies go; a log of another one is not replayed."""

TIMES = ("wall_time", "user_time", "system_time", "cpu_time")
"""How long a program ran: a duration, whatever is declared."""


@dataclass(frozen=True)
class Spec:
    """A study as data: what is written into its first event, and what must be the same when it is opened again.

    `configs` are pairs of a name and parameters, as `baseline` is one, `thresholds` the metrics in full, `rule` and
    `stopping` the name and the fields of each; `durations` are metrics that say how long an evaluation took, and
    `cost` is what an evaluation costs, as it was given. No config is accepted before it has `min_evaluations` results.
    `known` are limits on parameters, by which `ruled_out` says who is out before anything is evaluated.
    No part of the question, and free to change: `policy`, what failures lead to, and `lease_seconds`, how long a worker
    may be silent. `procedure` is the version of the search and the evidence, and `warm_start` what earlier results
    say, which steer it: both are what they were when it was created.
    """

    configs: tuple[tuple[str, dict[str, Any]], ...]
    thresholds: tuple[str, ...]
    error_rate: float
    goal: str | int
    rule: dict[str, Any]
    stopping: dict[str, Any]
    seed: int
    policy: Policy = field(compare=False)
    lease_seconds: float = field(compare=False)
    baseline: tuple[str, dict[str, Any]] | None = None
    durations: tuple[str, ...] = ()
    procedure: int = field(default=PROCEDURE, compare=False)
    warm_start: WarmStart | None = field(default=None, compare=False)
    cost: float | str | dict[str, Any] | None = None
    min_evaluations: int = 1
    known: tuple[str, ...] = ()

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.configs)

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """The groups of metrics that are measured apart from each other, if there are such."""
        return self.problem().groups

    @cached_property
    def items(self) -> Items:
        """Which item of its set each evaluation is of."""
        return Items(self.problem(), self.seed)

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of each config, by name."""
        return {name: place for place, name in enumerate(self.names)}

    @cached_property
    def costs(self) -> Cost | None:
        """What evaluations cost, if that was said."""
        problem = self.problem()
        return None if self.cost is None else cost_of(self.cost, self.configs, problem.measured, problem.groups)

    @property
    def reported(self) -> tuple[str, ...]:
        """The metric that evaluations report as their cost, if they do."""
        return () if self.costs is None or self.costs.metric is None else (self.costs.metric,)

    def timed(self) -> tuple[str, ...]:
        """The metrics that say how long an evaluation took: those of evaluations that are lost were rather long."""
        return tuple(name for name in self.problem().measured if name in (*TIMES, *self.durations))

    def problem(self) -> Problem:
        """The question, made of its texts once."""
        return self._problem

    @cached_property
    def _problem(self) -> Problem:
        return Problem(tuple(map(as_metric, self.thresholds)), self.error_rate, checked_goal(self.goal))

    def search(self) -> Search:
        """A search that knows nothing yet."""
        return Search(
            self.problem(),
            self.names,
            rule=_rebuilt(self.rule, RULES),
            stopping=_rebuilt(self.stopping, STOPPING_RULES),
            seed=self.seed,
            earlier=self._earlier(),
            costs=None if self.costs is None else self.costs.by_config,
            reports_cost=self.costs is not None and self.costs.metric is not None,
            min_evaluations=self.min_evaluations,
            ruled_out=[self.places[name] for name in self.ruled_out],
        )

    @cached_property
    def ruled_out(self) -> dict[str, str]:
        """Why each config that misses a known limit is out, by its name."""
        return ruled_out(self.known, self.configs)

    def _earlier(self) -> Earlier | None:
        return None if self.warm_start is None else self.warm_start.earlier(len(self.configs), len(self.thresholds))

    def as_content(self) -> dict[str, Any]:
        """The spec as JSON can write it."""
        content = {one.name: getattr(self, one.name) for one in fields(self)}
        content["configs"] = [[name, parameters] for name, parameters in self.configs]
        content["thresholds"], content["durations"] = list(self.thresholds), list(self.durations)
        content["known"] = list(self.known)
        content["warm_start"] = None if self.warm_start is None else self.warm_start.as_content()
        del content["policy"]
        return content | self.policy.as_content()


def spec_of_content(content: Mapping[str, Any]) -> Spec:
    """The spec that was written so."""
    procedure = content.get("procedure", 1)
    if procedure != PROCEDURE:
        made_by = "a later" if isinstance(procedure, int) and procedure > PROCEDURE else "an earlier"
        raise InvalidSpec(f"This study was created by {made_by} version of satisfice. Open it with that version.")
    known = {one.name: content[one.name] for one in fields(Spec) if one.name != "policy"}
    known["configs"] = tuple((name, parameters) for name, parameters in content["configs"])
    known["thresholds"], known["known"] = tuple(content["thresholds"]), tuple(content["known"])
    if not isinstance(known["durations"], list | tuple):
        raise TypeError("durations are a list")
    known["durations"] = tuple(known["durations"])
    known["policy"] = policy_of_content(content)
    known["warm_start"] = warm_start_of_content(known["warm_start"], len(known["configs"]), len(known["thresholds"]))
    if known.get("baseline") is not None:
        known["baseline"] = tuple(content["baseline"])
    return Spec(**known)


def spec_of(first: Event) -> Spec:
    """The spec in the first event of a log."""
    if first.kind != Kind.CREATED or "spec" not in first.content:
        raise DamagedLog(f"Expected the log to begin with the study's spec, found an event {first.kind!r}.")
    try:
        return spec_of_content(first.content["spec"])
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DamagedLog(f"The spec in the first event of the log cannot be read: {error!r}.") from error


def whole_number(value: Any, least: int, what: str) -> int:
    """The number itself if it is a whole one and large enough."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InvalidSpec(f"{what} must be a whole number, {least} or more, got {shown(value)}.")
    return value


def number_to_ask(spec: Spec, asked: object) -> int:
    """How many pulls are asked for; never more than there are items, where nothing else is measured."""
    wanted = whole_number(asked, 0, "The number of pulls to ask for")
    size = spec.problem().most_evaluations
    if wanted > size * len(spec.configs) * max(1, len(spec.groups)):
        raise InvalidSpec(
            f"{counted(size, 'item')} of {counted(len(spec.configs), 'config')} are all that there is to evaluate, "
            f"each once, got {wanted} pulls to ask for. Ask for fewer at a time, or declare the set larger."
        )
    return wanted


def _rebuilt(described: Mapping[str, Any], known: Catalogue[Any]) -> Any:
    kept = type(known.resolve(described["name"]))
    try:
        return kept(**described["fields"])
    except TypeError as error:
        raise UnknownName(
            f"{described['name']!r} is not what the study was created with: it does not take the fields "
            f"{described['fields']!r} ({error})."
        ) from None


def baseline_of(
    given: str | Mapping[str, Any] | None, configs: Sequence[tuple[str, dict[str, Any]]], problem: Problem
) -> tuple[str, dict[str, Any]] | None:
    """The baseline's name and parameters, if a limit looks at it."""
    limits = [metric.limited for metric in problem.metrics if metric.beside_baseline]
    if given is None:
        if limits:
            raise InvalidSpec(
                f"{limits[0]!r} compares with a baseline, and none is given. Give one: baseline={{'build': 'old'}} in "
                'Python, --baseline build=old on the command line, baseline = "old" in a study file.'
            )
        return None
    if not limits:
        raise InvalidSpec(
            f"The baseline {shown(given)} is given, but no limit compares with it. Write one, such as 'wall_time <= "
            "baseline + 3%', or give no baseline."
        )
    if not given or not isinstance(given, str | Mapping):
        raise InvalidSpec(f"Expected the baseline as a name or as parameters, got {shown(given, 60)}.")
    parameters = {} if isinstance(given, str) else dict(given)
    name = given if isinstance(given, str) else " ".join(f"{key}={value}" for key, value in parameters.items())
    if any(name == other or (parameters and parameters == own) for other, own in configs):
        raise InvalidSpec(
            f"The baseline {name!r} is one of the configs, too. It cannot be compared with itself: leave it out there."
        )
    return name, parameters


def baseline_first(seed: int, number: int) -> bool:
    """Whether the baseline comes first in a pull: one half of them, whatever is known of anybody."""
    return bool(int(np.random.Philox(key=seed, counter=[0, 0, 1, number]).random_raw()) & 1)
