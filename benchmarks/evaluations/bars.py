"""What must hold, computed from the rows. A bar whose rows were not measured is not listed."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import geometric_mean
from typing import NamedTuple

from benchmarks.bar import Bar
from benchmarks.evaluations.contestants import (
    DEFAULT,
    PAPER_RULES,
    SD_UNKNOWN,
    SUB_GAUSSIAN,
    WITHOUT_TRANSFER,
    Role,
)
from benchmarks.evaluations.family import HALF_GOOD, NEAR_EDGE, ONE_GOOD, THOUSAND
from benchmarks.evaluations.measure import Comparison, Row
from benchmarks.evaluations.member import Group, Member

MULTITUCB = PAPER_RULES[0].name
PAPER_NAMES = tuple(one.name for one in PAPER_RULES)
WIDE = 60
"""From so many arms on a search is wide."""
AMONG_A_THOUSAND = {THOUSAND: 60.0, HALF_GOOD: 450.0, ONE_GOOD: 3000.0}
"""Evaluations at most, on average."""
MANY = 200
"""Evaluations from which on an unknown sd must cost next to nothing."""


class Ratio(NamedTuple):
    """Two measured numbers, one over the other, and the half width of its 95 % interval."""

    where: str
    above: float
    below: float
    margin: float | None = None

    @property
    def value(self) -> float:
        return self.above / self.below

    def __str__(self) -> str:
        margin = "" if self.margin is None else f", ± {self.margin:.2g}"
        return f"{self.where}: {self.above:,.0f} against {self.below:,.0f}{margin}"


def mean_ratio(one: Row, other: Row) -> Ratio:
    """The ratio of two means; its error by propagation, the runs being independent once the rules differ."""
    relative = ((one.standard_error / one.mean) ** 2 + (other.standard_error / other.mean) ** 2) ** 0.5
    return Ratio(one.instance, one.mean, other.mean, 1.96 * relative * one.mean / other.mean)


def ratio_to(made: Comparison, instance: str, contestant: str, other: str) -> Ratio | None:
    """A contestant's mean over another's on an instance, if both were measured there."""
    one, two = made.row(instance, contestant), made.row(instance, other)
    return None if one is None or two is None else mean_ratio(one, two)


def best_paper_row(made: Comparison, instance: str) -> Row | None:
    """The paper's rule with the smallest mean on an instance."""
    rows = [row for name in PAPER_NAMES if (row := made.row(instance, name)) is not None]
    return min(rows, key=lambda row: row.mean, default=None)


def best_other_row(made: Comparison, instance: str) -> Row | None:
    """The other procedure with the smallest mean on an instance: our other rules, the paper's and the classic ones."""
    others = [one.name for one in made.contestants if one.role is not Role.DEFAULT]
    rows = [row for name in others if (row := made.row(instance, name)) is not None and row.timed_out == 0.0]
    return min(rows, key=lambda row: row.mean, default=None)


def bars(made: Comparison) -> tuple[Bar, ...]:
    """All bars that the measured rows allow."""
    return tuple(bar for part in (paper_bars, family_bars, wide_bars, noise_bars) for bar in part(made))


def paper_bars(made: Comparison) -> Iterator[Bar]:
    """Against MultiTUCB on the paper's instances."""

    def against(instance: str) -> Ratio | None:
        return ratio_to(made, instance, DEFAULT.name, MULTITUCB)

    yield from _bar("synthetic: mean over MultiTUCB's", against("synthetic"), 0.31)
    swept = [name for name in _names(made, Group.SWEEPS) if name.startswith("synthetic")]
    if swept:
        yield from _worst("synthetic, both sweeps: mean over MultiTUCB's", map(against, ["synthetic", *swept]), 0.32)
    yield from _bar("synthetic, none good: mean over MultiTUCB's", against("synthetic, none good"), 0.27)
    yield from _bar("medical: mean over MultiTUCB's", against("medical"), 0.345)
    ours, theirs = made.row("medical", DEFAULT.name), made.row("medical", MULTITUCB)
    if ours and theirs:
        tails = Ratio("medical", ours.quantile_99, theirs.quantile_99)
        yield from _bar("medical: 99 % quantile over MultiTUCB's", tails, 0.2)


def family_bars(made: Comparison) -> Iterator[Bar]:
    """Never much worse than any other procedure or than before, and no heavy tails, in both parts of the family."""

    def against_best(instance: str) -> Ratio | None:
        ours, best = made.row(instance, DEFAULT.name), best_other_row(made, instance)
        return mean_ratio(ours, best) if ours and best else None

    names = _names(made)
    for part, group in PARTS.items():
        within = [member.name for member in made.members if group(member)]
        yield from _worst(f"{part}: mean over the best of all other procedures'", map(against_best, within), 1.1)
    for contestant in (DEFAULT, SD_UNKNOWN):
        told = "" if contestant is DEFAULT else ", sd unknown"
        tails = (_tail(made.row(name, contestant.name)) for name in names)
        yield from _worst(f"every instance{told}: 99 % quantile over median", tails, 4.0)


def wide_bars(made: Comparison) -> Iterator[Bar]:
    """A thousand arms need not be evaluated a thousand times."""
    for name, most in AMONG_A_THOUSAND.items():
        row = made.row(name, DEFAULT.name)
        if row is not None:
            told = f"± {1.96 * row.standard_error:.2g}"
            yield Bar(f"{name}: mean evaluations", row.mean, most, False, "", told)


def noise_bars(made: Comparison) -> Iterator[Bar]:
    """An unknown sd costs next to nothing beyond the transfer; coins and bounded results less than their scale says."""
    known = {name: row for name in _names(made) if (row := made.row(name, DEFAULT.name)) is not None}
    long_ones = [name for name, row in known.items() if row.mean > MANY]
    unknown = (ratio_to(made, name, SD_UNKNOWN.name, WITHOUT_TRANSFER.name) for name in long_ones)
    yield from _worst(f"sd unknown over known without transfer, where more than {MANY} are needed", unknown, 1.1)
    for kind, edges in NEAR_EDGE.items():
        ratios = [ratio_to(made, f"{kind} at {edge:g}", DEFAULT.name, SUB_GAUSSIAN.name) for edge in edges]
        for ratio in ratios:
            if ratio:
                yield from _bar(f"{ratio.where}: mean over that as sub-Gaussian(1/2)", ratio, 1.0)
        measured = [ratio.value for ratio in ratios if ratio]
        if len(measured) == len(edges):
            steps = [after / before for before, after in pairwise(measured)]
            told = " to ".join(f"{value:.3g}" for value in measured)
            yield Bar(f"{kind}: from one threshold to the next, the ratio falls to", max(steps), 1.0, False, "", told)


def _names(made: Comparison, group: Group | None = None) -> list[str]:
    return [member.name for member in made.members if group is None or member.group is group]


def _is_drawn(member: Member) -> bool:
    return member.group is Group.DRAWN


def _is_chosen_on(member: Member) -> bool:
    return member.group in (Group.PAPER, Group.FURTHER)


PARTS = {"chosen on": _is_chosen_on, "drawn": _is_drawn}
"""The part of the family that the default was chosen on, and the part that was drawn to judge by."""


def _mean_of(what: str, ratios: Sequence[Ratio], most: float) -> Iterator[Bar]:
    if ratios:
        lowest, highest = min(ratio.value for ratio in ratios), max(ratio.value for ratio in ratios)
        told = f"{len(ratios)} instances, {lowest:.2f} to {highest:.2f}"
        yield Bar(what, geometric_mean(ratio.value for ratio in ratios), most, False, "", told)


def _tail(row: Row | None) -> Ratio | None:
    return None if row is None else Ratio(row.instance, row.quantile_99, row.median)


def _bar(what: str, ratio: Ratio | None, most: float) -> Iterator[Bar]:
    if ratio is not None:
        yield Bar(what, ratio.value, most, False, "", str(ratio))


def _worst(what: str, ratios: Iterable[Ratio | None], most: float) -> Iterator[Bar]:
    known = [ratio for ratio in ratios if ratio is not None]
    if known:
        yield from _bar(what, max(known, key=lambda ratio: ratio.value), most)
