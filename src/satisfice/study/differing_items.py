"""The items of a set on which two configs differ."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from satisfice.errors import InvalidSpec, unknown_name
from satisfice.study.evaluations import Evaluation
from satisfice.study.spec import Spec

MOST_SHOWN = 20
"""More items are only counted in a sentence."""


@dataclass(frozen=True)
class DifferingItems:
    """The items on which a metric differs between two configs, of those that `both` were evaluated on.

    `higher` are those on which it is higher for the first config, the largest difference first, `lower` the others. Of
    an item that was drawn several times the mean counts.
    """

    metric: str
    configs: tuple[str, str]
    both: int
    higher: tuple[int, ...]
    lower: tuple[int, ...]

    def as_dict(self) -> dict[str, Any]:
        """The same in plain values that any JSON writer takes."""
        return asdict(self)

    def __str__(self) -> str:
        first, second = self.configs
        if not self.both:
            return f"{self.metric}: no item was evaluated with both {first} and {second}"
        total = len(self.higher) + len(self.lower)
        parts = [
            f"higher with {name} on {len(items)}: {_some(items)}"
            for name, items in ((first, self.higher), (second, self.lower))
            if items
        ]
        return "; ".join([f"{self.metric} differs on {total} of {self.both} items evaluated with both", *parts])


def differing_items(
    spec: Spec, evaluations: Iterable[Evaluation], first: str, second: str
) -> tuple[DifferingItems, ...]:
    """How two configs differ item by item, in each metric of the set."""
    for name in (first, second):
        if name not in spec.places:
            raise unknown_name("config", name, spec.names)
    if not spec.items.size:
        raise InvalidSpec("No limit of this study is on a set of items, so that there are none to compare.")
    metrics = list(dict.fromkeys(one.name for one in spec.problem().metrics if one.process.items(one.noise)))
    found: dict[tuple[str, str, int], list[float]] = {}
    for each in evaluations:
        if each.item is not None and each.failure is None and each.config in (first, second):
            for metric in metrics:
                if (value := each.results.get(metric)) is not None:
                    found.setdefault((metric, each.config, each.item), []).append(value)
    means = {key: float(np.mean(values)) for key, values in found.items()}
    return tuple(_compared(metric, (first, second), means, spec.items.size) for metric in metrics)


def _compared(
    metric: str, configs: tuple[str, str], means: dict[tuple[str, str, int], float], size: int
) -> DifferingItems:
    first, second = ({item: means.get((metric, name, item)) for item in range(size)} for name in configs)
    apart = {
        item: one - other for item, one in first.items() if one is not None and (other := second[item]) is not None
    }
    by_size = sorted(apart, key=lambda item: (-abs(apart[item]), item))
    higher = tuple(item for item in by_size if apart[item] > 0)
    return DifferingItems(metric, configs, len(apart), higher, tuple(item for item in by_size if apart[item] < 0))


def _some(items: Sequence[int]) -> str:
    more = len(items) - MOST_SHOWN
    return ", ".join(map(str, items[:MOST_SHOWN])) + (f" and {more:,} more" if more > 0 else "")
