"""Golden trajectories: the first pulls of each rule, committed, so that no change of behaviour goes unseen.

`cd tests && python -m equivalence.golden` writes the files anew. Do that only when a rule is meant to behave otherwise
(or numpy's generator has changed), and say so in the commit.
"""

import json
from pathlib import Path

import cases
from satisfice.rules import RULES
from satisfice.search.verdict import OutcomeCode
from satisfice.simulation.cell import run_once

FOLDER = Path(__file__).parent / "golden"
SEED, PULLS, BUDGET = 2024, 200, 20_000


def trajectory(instance, rule, engine) -> dict[str, object]:
    """The first pulls of a run, and how it ended."""
    ending, found, order = run_once(cases.cell(instance, rule, budget=BUDGET, seed=SEED), engine=engine)
    return {
        "instance": instance.name,
        "outcome": OutcomeCode(ending).name,
        "arm": instance.arm_names[found] if found >= 0 else None,
        "evaluations": len(order),
        "first_pulls": order[:PULLS].tolist(),
    }


def trajectories(rule, engine="interpreted") -> list[dict[str, object]]:
    return [trajectory(instance, rule, engine) for instance in (cases.synthetic(), cases.medical(), cases.unequal())]


def as_text(runs: list[dict[str, object]]) -> str:
    """JSON with a run on a line."""
    return "[\n" + ",\n".join(json.dumps(run) for run in runs) + "\n]\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, kind in RULES.items():
        (FOLDER / f"{name}.json").write_text(as_text(trajectories(kind)))
        print(FOLDER / f"{name}.json")
