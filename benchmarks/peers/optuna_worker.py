"""A worker of Optuna, run by the interpreter that has it: a line of input is for how many seconds it asks and tells.

Random choice among ten configurations, so that the storage is what is measured.
"""

import json
import sys
from time import perf_counter

import optuna  # type: ignore[import-not-found, unused-ignore]  # in an environment of its own

CONFIGS = [f"config {place}" for place in range(10)]


def main(url: str, name: str) -> None:
    """Be a worker of the study until the input ends."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.RandomSampler(seed=1)
    study = optuna.create_study(storage=url, study_name=name, sampler=sampler, load_if_exists=True)
    print(json.dumps([0, 1.0, 0.0]), flush=True)
    for line in sys.stdin:
        until, count, longest, start = perf_counter() + float(line), 0, 0.0, perf_counter()
        while perf_counter() < until:
            began = perf_counter()
            trial = study.ask()
            trial.suggest_categorical("config", CONFIGS)
            study.tell(trial, 1.0)
            longest, count = max(longest, perf_counter() - began), count + 1
        print(json.dumps([count, perf_counter() - start, longest]), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
