"""Items that are evaluated again: where each item is to give the same result each time, results are compared.

No item of a config is asked for twice. Yet one may be evaluated again: its worker was lost, and both this one's result
and that of the worker which took over came; the baseline is evaluated beside each config; and earlier results, from
which a study starts warm, are of the same items. A difference shows that the declaration is wrong. Both results are in
the log, the claim is not made, and the study stops for good.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from satisfice.layout.numbers import written
from satisfice.problem.problem import Problem
from satisfice.problem.results import Row
from satisfice.search.observations import SAMPLED
from satisfice.study.events import Event, Kind
from satisfice.study.pull import Measured, OpenPull
from satisfice.study.spec import Spec


class Repeats:
    """Results of items that may come again: of attempts that were given up, by pull, and of the baseline, by item."""

    def __init__(self, spec: Spec) -> None:
        self._spec, self._problems = spec, spec.problem().by_group
        self.late: dict[int, Row] = {}
        self.baseline: dict[int, Row] = {}

    def item_of(self, pull: OpenPull) -> int | None:
        """The item of a pull, where a second result of it would have to be the same."""
        if not self._problems[pull.group].set_size:
            return None
        return self._spec.items.of(pull.number, pull.arm_number, pull.group)

    def difference(self, pull: OpenPull, measured: Measured) -> str | None:
        """How the results of a pull differ from others of the same item, in a sentence; they are known from now on."""
        late, item, problem = self.late.pop(pull.number, None), self.item_of(pull), self._problems[pull.group]
        if item is None:
            return None
        name = self._spec.names[pull.arm]
        found = None if late is None else different(problem, name, item, measured.values, late)
        start = self._spec.warm_start
        if found is None and start is not None and (earlier := start.by_item.get((pull.arm, item))) is not None:
            found = different(problem, name, item, measured.values, earlier, f"in {start.source}")
        if found is None and self._spec.baseline is not None and problem.of_set & set(problem.compared):
            known = self.baseline.setdefault(item, measured.baseline)
            found = different(problem, self._spec.baseline[0], item, measured.baseline, known, of=problem.compared)
        return found

    def difference_from(self, told: "ToldPull", values: Row) -> str | None:
        """How another result of the same evaluation differs from the one that was told, in a sentence."""
        item = self.item_of(told.pull)
        if item is None:
            return None
        return different(self._problems[told.pull.group], self._spec.names[told.pull.arm], item, told.values, values)

    def content(self) -> list[Any]:
        """All of it as JSON can write it."""
        return [[[key, list(row)] for key, row in rows.items()] for rows in (self.late, self.baseline)]

    def restore(self, content: Sequence[Any]) -> None:
        """Go on from what `content` has written."""
        self.late, self.baseline = ({key: tuple(row) for key, row in rows} for rows in content)


class ToldPull(NamedTuple):
    """A pull that is settled, and the results that were told of it."""

    pull: OpenPull
    values: Row


def told_of(spec: Spec, number: int, events: Iterable[Event]) -> ToldPull | None:
    """A pull that was told, as its events say; None if a failure settled it."""
    asked = told = None
    for event in events:
        if event.number == number and event.kind == Kind.ASKED:
            asked = event.content
        elif event.number == number and event.kind == Kind.TOLD:
            told = tuple(event.content["values"])
    if asked is None or told is None:
        return None
    group = sum(map(spec.groups.index, asked.get("groups", ())))
    return ToldPull(OpenPull(number, asked["arm"], asked["arm_number"], 0, 0, 0, None, 0.0, 0.0, group), told)


def different(
    problem: Problem,
    name: str,
    item: int,
    values: Sequence[Any],
    others: Sequence[Any],
    where: str = "when it was evaluated again",
    *,
    of: Sequence[str] = (),
) -> str | None:
    """The first metric of a set in which two results of an item differ, and what to declare; None if they are alike."""
    for metric, one, other in zip(of or problem.measured, values, others, strict=True):
        if metric in problem.of_set and one is not None and other is not None and one != other:
            noise = next(each.noise for each in problem.metrics if each.name == metric)
            return (
                f"item {item} of {name!r} gave {metric} {written(one)}, and {written(other)} {where}. Declare items "
                f"that do not always give the same result as '{noise} {SAMPLED}"
            )
    return None
