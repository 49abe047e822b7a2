"""What a study is asked to do in one durable step, as a value: taken here, with others, or sent to a server."""

from collections.abc import Sequence
from typing import NamedTuple

from satisfice.study.policy import PolicyChanges
from satisfice.study.pull import Pull, PullKey
from satisfice.study.transaction import Outcomes, Transaction


class Step(NamedTuple):
    """Results and failures to record, pulls to take back, and then at most `ask` pulls to give to a `worker`.

    `limit` is the most evaluations that the whole study may have. A step that `resumes`, or that says anew some of the
    `policy`, does that first.
    """

    settled: Outcomes = ()
    ask: int = 0
    worker: str = ""
    limit: int | None = None
    released: Sequence[PullKey] = ()
    resumes: bool = False
    policy: PolicyChanges | None = None

    def play(self, on: Transaction) -> list[Pull]:
        """Let its events follow; the pulls that are given out."""
        self.settle(on)
        return self.issue(on)

    def settle(self, on: Transaction) -> None:
        """Let those events follow that are about what was given out before."""
        if self.resumes:
            on.resume()
        if self.policy is not None:
            on.change_policy(self.policy)
        if self.settled or self.ask:
            on.settle(self.settled)
        if self.released:
            on.release(self.released)

    def issue(self, on: Transaction) -> list[Pull]:
        """Let the others follow; the pulls that are given out."""
        return on.issue(self.ask, self.worker, self.limit) if self.ask else []
