"""Golden trajectories: the first pulls of each rule, committed, so that no change of behaviour goes unseen.

Under the paper's boundary they are those of the simulator, for every rule. Under evidence and transfers they are those
of a live search, on few evaluations of every noise model: a margin that is a little wrong multiplies them.

`python -m tests.equivalence.golden` writes the files anew. Do that only when a rule is meant to behave otherwise
(or numpy's generator has changed), and say so in the commit.
"""

import json
from pathlib import Path

import satisfice as sf
from satisfice.rules import RULES
from satisfice.search.verdict import OutcomeCode
from satisfice.simulation.cell import run_once
from satisfice.stopping import STOPPING_RULES
from tests.helpers import cases
from tests.helpers.driving import stream_of, told_run

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


def asked(name, thresholds, means, **given) -> sf.Instance:
    problem = sf.problem_of(thresholds)
    return sf.Instance.of(problem, sf.arms_for(problem, means, **given), name=name)


def coins() -> sf.Instance:
    thresholds = ["passed >= 0.8 ~ 0.1 : bernoulli", "lost <= 0.1 ~ 0.05 : bernoulli"]
    return asked("coins", thresholds, [[0.6, 0.01], [0.97, 0.01], [0.9, 0.4], [0.3, 0.2]])


def rare_coins() -> sf.Instance:
    """A limit near 0, where results of one noise scale for all means would mislead."""
    return asked("rare coins", ["lost <= 0.02 ~ 0.02 : bernoulli"], [[0.2], [0.001], [0.1]])


def shares() -> sf.Instance:
    thresholds = ["used <= 0.5 ~ 0.05 : bounded(0, 1)", "score >= 3 ~ 0.2 : bounded(1, 5)"]
    return asked("shares", thresholds, [[0.6, 4.0], [0.4, 2.2], [0.35, 3.8]], concentration=6.0)


SIX_MEANS = [[95.0, 0.1], [103.0, 0.8], [108.0, 0.3], [96.0, 0.7], [111.0, -0.5], [90.0, -0.2]]


def unknown() -> sf.Instance:
    """Noise scales that are not known, beyond the first time that arms lend each other what they know of theirs."""
    thresholds = ["latency <= 100 ~ 1 : normal", "score >= 0.4 ~ 0.1 : normal"]
    return asked("unknown", thresholds, SIX_MEANS, sds=[6.0, 0.5])


def undeclared() -> sf.Instance:
    return asked("undeclared", ["latency <= 100 ~ 1", "score >= 0.4 ~ 0.1"], SIX_MEANS, sds=[6.0, 0.5])


def several() -> sf.Instance:
    thresholds = ["a >= 0.7 ~ 0.05 : bernoulli", "b <= 1 ~ 0.1 : bounded(0, 4)", "c >= 2 ~ 0.2 : normal(1, 2, 0.5)"]
    return asked("several", thresholds, [[0.9, 0.6, 1.4], [0.5, 0.5, 3.0], [0.92, 0.5, 2.6]], concentration=4.0)


OF_KNOWN_SCALE = (cases.medical, cases.unequal, cases.none_good, coins, rare_coins, shares, several)
LIVE = {
    "evidence": {
        rule: (*OF_KNOWN_SCALE, unknown, undeclared) if rule in ("pandora", "thompson", "murphy") else OF_KNOWN_SCALE
        for rule in ("pandora", "thompson", "murphy", "multitucb", "uniform")
    },
    "transfer": dict.fromkeys(
        ("pandora", "murphy", "multitucb"), (cases.medical, cases.unequal, cases.none_good, coins, rare_coins)
    ),
}
"""By stopping rule and rule: the instances of live trajectories."""


def live_trajectories(stopping: str, rule: str) -> list[dict[str, object]]:
    """Runs of a live search, which draws from its own streams where the rule draws."""
    runs = []
    for made in LIVE[stopping][rule]:
        instance = made()
        search = sf.Search(
            instance.problem, instance.arm_names, rule=RULES[rule](), stopping=STOPPING_RULES[stopping](), seed=SEED
        )
        run = told_run(search, instance, stream_of(SEED), BUDGET)
        runs.append(
            {
                "instance": instance.name if made.__name__ != "none_good" else "none good",
                "outcome": run.outcome,
                "arm": None if run.found is None else instance.arm_names[run.found],
                "evaluations": len(run.order),
                "first_pulls": run.order[:PULLS],
            }
        )
    return runs


def as_text(runs: list[dict[str, object]]) -> str:
    """JSON with a run on a line."""
    return "[\n" + ",\n".join(json.dumps(run) for run in runs) + "\n]\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    texts = {name: as_text(trajectories(kind)) for name, kind in RULES.items()}
    texts |= {
        f"{stop}_{rule}": as_text(live_trajectories(stop, rule)) for stop, rules in LIVE.items() for rule in rules
    }
    for name, text in texts.items():
        (FOLDER / f"{name}.json").write_text(text)
        print(FOLDER / f"{name}.json")
