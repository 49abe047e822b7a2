"""Who is compared: a sampling rule, a stopping rule, and what is declared about the noise."""

from dataclasses import replace
from enum import StrEnum
from typing import Any, NamedTuple

from benchmarks.evaluations.member import Group, Member
from satisfice import Instance, Problem, Search
from satisfice.catalogue import rule_label
from satisfice.errors import InvalidProblem
from satisfice.noise import Bernoulli, Bounded, Normal, SubGaussian
from satisfice.noise.process import NoiseModel
from satisfice.rules import DEFAULT_RULE, RULES, MultiAPT, MultiHDoC, MultiLUCB, MultiTUCB, Murphy, Thompson, Uniform
from satisfice.stopping import DEFAULT_STOPPING, STOPPING_RULES, AlphaBoundary, Evidence

RULE, STOPPING = DEFAULT_RULE, DEFAULT_STOPPING
"""satisfice's default."""


class Declared(StrEnum):
    """What a contestant is told about the noise."""

    AS_IS = "as declared"
    SD_UNKNOWN = "sd unknown"
    SUB_GAUSSIAN = "sub-Gaussian"


class Role(StrEnum):
    """What a contestant is there for."""

    DEFAULT = "default"
    CANDIDATE = "candidate"
    PAPER = "paper"
    CLASSIC = "classic"


class Contestant(NamedTuple):
    """A procedure under the name it has in tables."""

    name: str
    rule: Any
    stopping: Any
    role: Role
    declared: Declared = Declared.AS_IS

    def enters(self, member: Member) -> bool:
        """Whether it runs on the member: not where its declaration changes nothing or it needs a scale to be known."""
        problem = member.instance.problem
        if member.group is Group.SWEEPS and not (self.role is Role.PAPER or self.name == DEFAULT.name):
            return False
        if self.declared is not Declared.AS_IS and _declared(problem, self.declared) == problem:
            return False
        try:
            Search(
                self.told(member.instance).problem, member.instance.arm_names, rule=self.rule, stopping=self.stopping
            )
        except InvalidProblem:
            return False
        return True

    def told(self, instance: Instance) -> Instance:
        """The same arms, under what the contestant is told about their noise."""
        return replace(instance, problem=_declared(instance.problem, self.declared))


def _declared(problem: Problem, declared: Declared) -> Problem:
    metrics = tuple(replace(metric, noise=_noise(metric.noise, declared)) for metric in problem.metrics)
    return replace(problem, metrics=metrics)


def _noise(noise: NoiseModel, declared: Declared) -> NoiseModel:
    if declared is Declared.SD_UNKNOWN and isinstance(noise, Normal):
        return Normal()
    if declared is Declared.SUB_GAUSSIAN and isinstance(noise, Bernoulli | Bounded):
        return SubGaussian(noise.scale)
    return noise


DEFAULT = Contestant("satisfice", RULE, STOPPING, Role.DEFAULT)
SD_UNKNOWN = Contestant("satisfice, sd unknown", RULE, STOPPING, Role.DEFAULT, Declared.SD_UNKNOWN)
SUB_GAUSSIAN = Contestant("satisfice, as sub-Gaussian", RULE, STOPPING, Role.DEFAULT, Declared.SUB_GAUSSIAN)

PAPER_RULES = tuple(
    Contestant(type(rule).__name__, rule, AlphaBoundary(), Role.PAPER)
    for rule in (MultiTUCB(), MultiLUCB(), MultiHDoC(), MultiAPT())
)
ELIMINATION = Contestant("elimination", Uniform(), AlphaBoundary(), Role.CLASSIC)
"""Even-Dar, Mannor and Mansour 2006, for thresholds and M metrics: all arms that are left in turn."""


WITHOUT_TRANSFER = Contestant("without transfer", RULE, Evidence(STOPPING.reject_share), Role.CANDIDATE)
"""What the default is where its capital may not be moved."""


def other_candidates() -> tuple[Contestant, ...]:
    """What the default was chosen among: other rules that are stopped alike, the same rule without transfer."""
    return (
        WITHOUT_TRANSFER,
        *(Contestant(type(rule).__name__, rule, STOPPING, Role.CANDIDATE) for rule in (Thompson(), Murphy())),
    )


def own_candidate(rule: Any, stopping: Any = None) -> Contestant:
    """A rule of one's own as a contestant, stopped like the default unless said otherwise."""
    resolved, stopped = RULES.resolve(rule), STOPPING if stopping is None else STOPPING_RULES.resolve(stopping)
    label = rule_label(resolved) + (f" + {rule_label(stopped)}" if stopping is not None else "")
    return Contestant(label, resolved, stopped, Role.CANDIDATE)


def contestants(candidates: tuple[Contestant, ...] = ()) -> tuple[Contestant, ...]:
    """All contestants that are simulated pull by pull, one's own candidates included."""
    named = {one.name: one for one in (*other_candidates(), *candidates)}
    return (DEFAULT, SD_UNKNOWN, SUB_GAUSSIAN, *named.values(), *PAPER_RULES, ELIMINATION)
