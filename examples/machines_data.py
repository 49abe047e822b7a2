"""Write machines.csv: what six machines of a workshop cost in past shifts.

Invented and seeded. As in real records a bad shift costs more of everything, maintenance has a long tail, and some
machines have fewer rows than others. Run with: python examples/machines_data.py
"""

import csv
from pathlib import Path

import numpy as np

MACHINES = {  # shifts on record, then the mean energy (kWh), maintenance (EUR) and labour (h) of a shift
    "lathe A": (120, 44.1, 96, 5.3),
    "lathe B": (120, 40.2, 143, 5.6),
    "mill C": (90, 38.9, 101, 6.9),
    "mill D": (90, 39.4, 97, 5.2),
    "press E": (60, 47.5, 88, 4.9),
    "press F": (45, 41.0, 121, 6.1),
}


def main() -> None:
    rng = np.random.default_rng(2024)
    rows = []
    for machine, (shifts, energy, maintenance, labour) in MACHINES.items():
        bad_shift = rng.standard_normal(shifts)
        own = rng.standard_normal((2, shifts))
        rows += zip(
            [machine] * shifts,
            np.round(energy + 3.0 * (0.6 * bad_shift + 0.8 * own[0]), 1),
            np.round(rng.gamma(9.0, maintenance / 9.0, shifts) + 6.0 * bad_shift, 1),
            np.round(labour + 0.6 * (0.5 * bad_shift + 0.75**0.5 * own[1]), 2),
            strict=True,
        )
    order = rng.permutation(len(rows))  # as a log has them: all machines through one another
    with (Path(__file__).parent / "machines.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["machine", "energy_kwh", "maintenance_eur", "labour_h"])
        writer.writerows(rows[place] for place in order)


if __name__ == "__main__":
    main()
