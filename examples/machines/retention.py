"""Which machines of a workshop stay? All whose energy, maintenance and labour of a shift are within their limits.

The second story of the paper, with the goal "all": every machine is to be classified, and the chance of one mistake or
more is at most the error rate. An evaluation is one shift; here it is drawn from the shifts on record in
examples/machines.csv. Run with: python examples/machines/retention.py
"""

import csv
import random
from collections import defaultdict
from pathlib import Path

import satisfice as sf

RECORDS = Path(__file__).parent.parent / "machines.csv"
LIMITS = ["energy_kwh <= 43 ~ 0.5", "maintenance_eur <= 135 ~ 5", "labour_h <= 6.4 ~ 0.1"]


def shifts_on_record() -> dict[str, list[dict[str, float]]]:
    shifts = defaultdict(list)
    with RECORDS.open(newline="") as file:
        for row in csv.DictReader(file):
            shifts[row.pop("machine")].append({metric: float(value) for metric, value in row.items()})
    return shifts


def main() -> None:
    shifts, chance = shifts_on_record(), random.Random(1)
    study = sf.create_study(configs=list(shifts), thresholds=LIMITS, goal="all", error_rate=0.05)
    verdict = study.run(lambda machine: chance.choice(shifts[machine]), max_evaluations=20_000)
    print(verdict)
    for machine in study.configs:
        print(f"{machine}: {study.explain(machine)}")


if __name__ == "__main__":
    main()
