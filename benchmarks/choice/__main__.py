"""python -m benchmarks.choice [REPETITIONS] [SEED]: means over the greedy rule's and over those without transfer."""

import sys
from statistics import geometric_mean

import numpy as np

from benchmarks.choice.fresh import OWN, fresh_instance
from benchmarks.choice.greedy import Greedy
from satisfice import Instance
from satisfice.layout.text_table import text_table
from satisfice.rules import DEFAULT_RULE, SamplingRule
from satisfice.simulation.cell import Cell, run_cell
from satisfice.stopping import DEFAULT_STOPPING, Evidence, StoppingRule

ARMS, METRICS = (10, 20, 35, 50), (2, 3, 5)
TRANSFERS = (
    ("one good arm", 5, 2),
    ("one or two good arms", 20, 3),
    ("half of the arms good", 20, 2),
    ("means around the limits", 30, 2),
    ("one good arm", 100, 2),
    ("half of the arms good", 100, 1),
)
BUDGET = 2_000_000


def needed(instance: Instance, rule: SamplingRule, stopping: StoppingRule, repetitions: int) -> tuple[float, float]:
    """The mean number of evaluations, and the 99 % quantile over the median."""
    pulls = run_cell(Cell(instance, rule, stopping, repetitions, BUDGET, 7)).pulls
    median, far = np.quantile(pulls, (0.5, 0.99))
    return float(pulls.mean()), float(far / median)


def main(repetitions: int = 1000, seed: int = 4242) -> None:
    """Print both tables."""
    rows, ratios = [], []
    names = list(OWN)
    for place, (arms, metrics) in enumerate((arms, metrics) for arms in ARMS for metrics in METRICS):
        for recipe in (names[place % len(names)], names[(place + 2) % len(names)]):
            instance = fresh_instance(seed, recipe, arms, metrics)
            own, tail = needed(instance, DEFAULT_RULE, DEFAULT_STOPPING, repetitions)
            other, its_tail = needed(instance, Greedy(), DEFAULT_STOPPING, repetitions)
            ratios.append(own / other)
            rows.append((instance.name, f"{own:,.0f}", f"{other:,.0f}", f"{own / other:.2f}", tail, its_tail))
    cells = [(*row[:4], *(f"{tail:.1f}" for tail in row[4:])) for row in rows]
    print(text_table(("instance", "default", "greedy", "ratio", "99 % over median", "greedy's"), cells))
    print(f"geometric mean {geometric_mean(ratios):.3f}, at most {max(ratios):.2f}\n")
    without = Evidence(DEFAULT_STOPPING.reject_share)
    cells = []
    for recipe, arms, metrics in TRANSFERS:
        instance = fresh_instance(seed, recipe, arms, metrics)
        own, plain = (needed(instance, DEFAULT_RULE, each, repetitions)[0] for each in (DEFAULT_STOPPING, without))
        cells.append((instance.name, f"{own:,.0f}", f"{plain:,.0f}", f"{1.0 - own / plain:.0%}"))
    print(text_table(("instance", "transfer", "without", "saved"), cells))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
