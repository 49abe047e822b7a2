"""Logs of a server that takes the steps of a study itself."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    from satisfice.search.verdict import Outcome
    from satisfice.study.pull import Pull, PullKey
    from satisfice.study.transaction import Step


class Taken(NamedTuple):
    """The pulls that a step gave out, and the verdict in one word after it."""

    pulls: "list[Pull]"
    outcome: "Outcome"


@runtime_checkable
class TakesSteps(Protocol):
    """A log that only its server extends: a step is sent there, and is taken together with those of others."""

    def take(self, step: "Step", /) -> Taken:
        """Take a step; it is durable when this returns, and may be if StorageUnreachable is raised."""

    def stay_alive(self, keys: "Sequence[PullKey]", /) -> None:
        """Say that the pulls are still being evaluated."""
