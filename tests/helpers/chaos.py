"""Chaos: processes that work on studies are killed at random moments.

python -m tests.helpers.chaos URL KILLS STUDIES SEED

Every evaluation notes what it measured before it returns, and every process what was acknowledged, in a file of its
own, right after it was. In the end everything acknowledged must be in the log, once, and nothing that was not measured
by that very attempt; the log must verify; and the verdict must be that of a replay. Prints what happened as JSON.
"""

import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import satisfice as sf
from satisfice.study.pull import Measured
from satisfice.study.runner import Runner
from satisfice.study.state import StudyState
from satisfice.study.study import Study
from tests.helpers.parts import results_of

AT_ONCE = 3
SPEC: dict[str, Any] = {
    "configs": ["good 1", "good 2", "slow 1", "lossy 1"],
    "thresholds": ["speed >= 2.75 ~ 0.02 : normal(1)", "loss <= 0.2 : bernoulli"],
    "on_error": "retry",
    "retries": 5,
}


class Outcome(NamedTuple):
    """What a study lived through."""

    kills: int
    acknowledged: int
    reissued: int
    evaluations: int
    problems: list[str]


MEASURED = "measured"
"""The file in which evaluations note what they give."""


def evaluate(pull: sf.Pull, ledger: int) -> dict[str, float]:
    """Results that depend on the attempt, too: an evaluation repeated is another one."""
    time.sleep(0.002)
    if pull.number % 29 == 7 and not pull.attempt:
        raise RuntimeError("now and then an evaluation fails")
    results = results_of(pull, seed=pull.attempt)
    os.write(ledger, f"{pull.id} {json.dumps(results)}\n".encode())
    return results


def opened_to_append(path: Path) -> int:
    return os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY)


def noting(study: Study, notes: Path) -> Study:
    """The same study, which notes what was acknowledged."""
    exchange, names = study.exchange, study.problem.metric_names
    file = opened_to_append(notes)

    def noted(settled: Sequence[Any], **given: Any) -> list[sf.Pull]:
        pulls = exchange(settled, **given)
        told = [
            (pull.id, dict(zip(names, one.values, strict=True))) for pull, one in settled if isinstance(one, Measured)
        ]
        lines = [f"{key} {json.dumps(results)}\n" for key, results in told]
        os.write(file, "".join(lines).encode())
        return pulls

    study.exchange = noted  # type: ignore[method-assign,assignment]  # for this test only
    return study


def be_a_process(url: str, name: str, notes: Path, coordinates: bool) -> None:
    """What the processes do that are killed: some create the study if it is not there, some only work."""
    if coordinates:
        study = sf.create_study(**SPEC, storage=url, name=name, load_if_exists=True)
    else:
        study = sf.load_study(url, name)
    noting(study, notes)
    ledger = opened_to_append(notes.parent / MEASURED)
    Runner(study, lambda pull: evaluate(pull, ledger), workers=2, with_pull=True, patience=60.0).run()


def ravage(url: str, name: str, kills: int, seed: int) -> Outcome:
    """One study, whose processes are killed so often; then they may finish."""
    rng, fork = np.random.default_rng(seed), get_context("fork")
    sf.create_study(**SPEC, storage=url, name=name, load_if_exists=True).close()
    done = 0
    with tempfile.TemporaryDirectory() as folder:
        started = 0
        processes: list[BaseProcess] = []
        while done < kills:
            while len(processes) < AT_ONCE:
                arguments = (url, name, Path(folder) / str(started), started % 2 == 0)
                processes.append(fork.Process(target=be_a_process, args=arguments))
                processes[-1].start()
                started += 1
            time.sleep(float(rng.exponential(0.03)))
            victim = processes.pop(int(rng.integers(len(processes))))
            victim.kill()  # unless it has ended
            victim.join()
            if victim.exitcode == 0:
                break  # there is a verdict
            done += victim.exitcode == -signal.SIGKILL
        for process in processes:
            process.join(60)
        be_a_process(url, name, Path(folder) / "last", coordinates=True)
        acknowledged, measured = noted_in(Path(folder))
    return judged(url, name, done, acknowledged, measured)


def noted_in(folder: Path) -> tuple[list[str], list[str]]:
    """What was acknowledged, and what was measured."""
    measured = (folder / MEASURED).read_text().splitlines()
    others = (path for path in folder.iterdir() if path.name != MEASURED)
    return [line for path in others for line in path.read_text().splitlines()], measured


def judged(url: str, name: str, kills: int, acknowledged: list[str], measured: list[str]) -> Outcome:
    """Whether all is as it must be."""
    problems = []
    given = {key: json.loads(results) for key, _, results in (line.partition(" ") for line in measured)}
    with sf.load_study(url, name) as study:
        told: dict[str, dict[str, float]] = {}
        for one in study.evaluations():
            key = f"{study.identity}:{one.number}:{one.attempt}"
            if key in told:
                problems.append(f"{key} counts twice")
            if one.failure is None:
                told[key] = one.results
        numbers = [key.split(":")[1] for key in told]
        problems += [f"pull {number} counts twice" for number in set(numbers) if numbers.count(number) > 1]
        problems += [f"{key} was never measured so" for key, results in told.items() if given.get(key) != results]
        for line in acknowledged:
            key, _, results = line.partition(" ")
            if told.get(key) != json.loads(results):
                problems.append(f"{line} was acknowledged and is not in the log")
        replay = StudyState(study.spec)
        for event in study.events():
            replay.apply(event)
        if replay.search.verdict.outcome is not study.verdict().outcome or study.verdict().arm is None:
            problems.append(f"the verdict is {study.verdict()}, that of a replay {replay.search.verdict}")
        counts = study.counts()
    report = sf.verify(url, name)
    problems += report.problems
    return Outcome(kills, len(acknowledged), counts.reissued, counts.told, problems)


def main(url: str, kills: str, studies: str, seed: str) -> None:
    outcomes = [
        ravage(url, f"chaos {seed} {place}", int(kills) // int(studies), int(seed) * 1000 + place)
        for place in range(int(studies))
    ]
    print(
        json.dumps(
            {
                "kills": sum(one.kills for one in outcomes),
                "acknowledged": sum(one.acknowledged for one in outcomes),
                "reissued": sum(one.reissued for one in outcomes),
                "evaluations": sum(one.evaluations for one in outcomes),
                "problems": [problem for one in outcomes for problem in one.problems],
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
