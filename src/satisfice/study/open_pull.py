"""Pulls that were asked for and are not settled."""

from dataclasses import replace
from typing import NamedTuple

from satisfice.study.baseline import baseline_first
from satisfice.study.pull import Pull
from satisfice.study.spec import Spec


class OpenPull(NamedTuple):
    """A pull that was asked for and is not settled; nobody works on it when `worker` is None.

    `at` is when it was given out last, by that worker's clock, and `lease` how many seconds it may be silent.
    """

    number: int
    arm: int
    arm_number: int
    attempt: int
    failures: int
    worker: str | None
    at: float
    lease: float


def pull_of(identity: str, spec: Spec, pull: OpenPull) -> Pull:
    """An open pull as whoever evaluates it gets it."""
    name, parameters = spec.configs[pull.arm]
    item = spec.items[pull.arm_number % len(spec.items)] if spec.items else None
    plain = Pull(identity, pull.number, pull.arm_number, pull.attempt, name, dict(parameters), item=item)
    if spec.baseline is None:
        return plain
    beside, own = spec.baseline
    first = baseline_first(spec.seed, pull.number)
    return replace(plain, baseline_name=beside, baseline_parameters=dict(own), baseline_first=first)
