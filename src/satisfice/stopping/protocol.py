"""What a stopping rule is: a boundary as users write it, and a judge as the search wants it."""

from typing import Protocol, runtime_checkable

from satisfice.arrays import Floats, Integers
from satisfice.catalogue import by_class, offers
from satisfice.problem.problem import Problem
from satisfice.problem.units import Setting


@runtime_checkable
class Boundary(Protocol):
    """A confidence width around every shortfall estimate that depends on the arm's number of pulls alone.

    An arm is accepted once excess + width <= 0, and rejected once shortfall - width > 0.
    """

    def width(self, pulls: int, setting: Setting, /) -> float: ...


class Judge(Protocol):
    """A stopping rule made ready for one problem and a number of arms, with tables by an arm's number of pulls.

    It looks at an arm after each of its pulls: at `deficits` (K, M), sums of deficits, and at `more` (K, M, X), further
    sums that the noise models keep. `memory` (K, C) is its own: before the first pull it is zero, or what `forget`
    makes of it, and it has `memory_columns(M)` columns, or M.
    """

    def room(self) -> int:
        """How many pulls of one arm the tables are good for, plus one."""

    def extended(self, length: int, /) -> "Judge":
        """The same with longer tables."""

    def accepts(
        self, deficits: Floats, more: Floats, memory: Floats, arm: int, pulls: int, shortfall: float, /
    ) -> bool: ...

    def rejects(self, deficits: Floats, more: Floats, arm: int, pulls: int, shortfall: float, /) -> bool: ...


class IncreasingJudge(Judge, Protocol):
    """A judge that accepts whatever it would accept with worse results, and rejects what it would with better ones."""

    def increases(self, memory: Floats, arm: int, /) -> bool:
        """Whether that is so for an arm now."""

    def is_settled(self, memory: Floats, arm: int, metric: int, /) -> bool:
        """Whether an arm's further results in a metric do not matter for accepting it."""


class CalmJudge(Judge, Protocol):
    """A judge that knows how far sums may go before anything is decided, or remembered, where `is_calm` says so."""

    def is_calm(self, memory: Floats, arm: int, /) -> bool: ...

    def calm(
        self, memory: Floats, arm: int, metric: int, pulls: int, last: int, least_total: float, /
    ) -> tuple[float, float]:
        """Between which sums of a metric it is calm until result `last`, and `least_total` is kept."""


class RememberingJudge(Judge, Protocol):
    """A judge that remembers something else of an arm than a number for each metric."""

    def memory_columns(self, metrics: int, /) -> int: ...

    def forget(self, memory: Floats, /) -> None: ...


class EntrustingJudge(RememberingJudge, Protocol):
    """A judge that lends capital to one arm at a time, before an ask of it; `holder` is that arm, or -1.

    `entrust` is called with how often the arm was asked for, and only while its holder has nothing under way.
    """

    def holder(self, memory: Floats, /) -> int: ...

    def entrust(
        self, deficits: Floats, more: Floats, memory: Floats, pulls: Integers, arm: int, asked: int, /
    ) -> None: ...


class Judging(Protocol):
    """A stopping rule that makes its own judge."""

    def judge(self, problem: Problem, arms: int, /) -> Judge: ...


StoppingRule = Boundary | Judging
WAYS = (("width",), ("judge",))
"""The methods that make a value a stopping rule: those of one of these ways."""


def entrusts(judge: type) -> bool:
    """Whether judges of this class lend capital to one arm at a time."""
    return offers(judge, ("memory_columns", "forget", "holder", "entrust"))


def _remembers(judge: type) -> bool:
    return offers(judge, ("memory_columns", "forget"))


def _columns(judge: RememberingJudge, metrics: int) -> int:
    return judge.memory_columns(metrics)


def _one_a_metric(judge: Judge, metrics: int) -> int:
    return metrics


def _forget(judge: RememberingJudge, memory: Floats) -> None:
    judge.forget(memory)


def _clear(judge: Judge, memory: Floats) -> None:
    memory[:] = 0.0


memory_columns = by_class(lambda judge: _columns if _remembers(judge) else _one_a_metric)
"""(judge, M) -> how many numbers it remembers of an arm."""

forget_all = by_class(lambda judge: _forget if _remembers(judge) else _clear)
"""(judge, memory): the memory as it is before the first pull."""
