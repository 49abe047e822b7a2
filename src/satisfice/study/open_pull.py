"""Pulls that were asked for and are not settled."""

from dataclasses import replace
from typing import NamedTuple

from satisfice.study.pull import Pull
from satisfice.study.spec import Spec, baseline_first


class OpenPull(NamedTuple):
    """A pull that was asked for and is not settled; nobody works on it when `worker` is None.

    `failures` and `losses` count what happened to it since the study began or was resumed. `at` is when it was given
    out last, by that worker's clock, and `lease` how many seconds it may be silent. `group` is the number of the group
    of metrics that it measures, and `arm_number` counts the pulls of that alone.
    """

    number: int
    arm: int
    arm_number: int
    attempt: int
    failures: int
    losses: int
    worker: str | None
    at: float
    lease: float
    group: int = 0

    def line(self, groups: int) -> int:
        """The line in which its results stand, with that many groups: its config's, or that of config and group."""
        return self.arm * groups + self.group


def pull_of(identity: str, spec: Spec, pull: OpenPull) -> Pull:
    """An open pull as whoever evaluates it gets it."""
    name, parameters = spec.configs[pull.arm]
    item = spec.items.of(pull.number, pull.arm_number, pull.group)
    groups = spec.groups[pull.group : pull.group + 1]
    own = (pull.number, pull.arm_number, pull.attempt)
    plain = Pull(identity, *own, name, dict(parameters), item=item, groups=groups)
    if spec.baseline is None:
        return plain
    beside, other = spec.baseline
    first = baseline_first(spec.seed, pull.number)
    return replace(plain, baseline_name=beside, baseline_parameters=dict(other), baseline_first=first)
