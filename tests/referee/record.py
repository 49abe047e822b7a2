"""python -m tests.referee.record [NAME ...]: record the logs that are not there yet, or those that are named."""

import json
import sys
from collections.abc import Iterator
from contextlib import nullcontext, suppress

import numpy as np

import satisfice as sf
from satisfice.errors import StudyStopped
from satisfice.study.study import Study
from tests.helpers.parts import Clock
from tests.referee import logs
from tests.referee.studies import LAWS, STUDIES, Recorded

LEASE = 60.0


def recorded(name: str, about: Recorded, seed: int) -> Study:
    """The study after all that its workers did: at every step one of them ends at random, and all who can begin."""
    rng, clock = np.random.default_rng(seed), Clock()
    options = about.options | ({"warm_start": earlier(about, seed)} if about.warm else {})
    configs = {f"c{number}": {"n": number, **about.parameters(number)} for number in range(about.configs)}
    study = sf.create_study(
        configs, about.thresholds, name=name, storage="memory", seed=seed, lease_seconds=LEASE, clock=clock, **options
    )
    with suppress(StudyStopped) if about.stops else nullcontext():
        work(study, about, rng, clock)
    return study


def work(study: Study, about: Recorded, rng: np.random.Generator, clock: Clock) -> None:
    at_work: list[sf.Pull] = []
    for step in range(about.steps):
        for change in about.changes.get(step, ()):
            change(study)
        clock.now += float(rng.exponential(2.0))
        while len(at_work) < about.workers and (pull := study.ask(worker=f"worker {len(at_work)}")) is not None:
            at_work.append(pull)
        if not at_work:
            break
        study.heartbeat(*at_work)
        ended = at_work.pop(int(rng.integers(len(at_work))))
        fate = rng.random()
        if fate < about.lost:
            for _ in range(2):
                clock.now += 0.6 * LEASE
                study.heartbeat(*at_work)
        elif fate < about.lost + about.failing:
            study.fail(ended, "it broke")
        else:
            study.tell(ended, *results(about, ended, rng))


def earlier(about: Recorded, seed: int) -> Study:
    return recorded("earlier", about._replace(warm=False, steps=about.steps // 3), seed + 1)


def results(about: Recorded, pull: sf.Pull, rng: np.random.Generator) -> Iterator[dict[str, object]]:
    """What is told of a pull, and what of its baseline."""
    for margin in (about.margin(pull.parameters["n"]), *([0.0] if pull.baseline is not None else [])):
        drawn = {name: LAWS[law](margin, rng, pull) for name, law in about.laws.items()}
        wanted = {name for group in pull.groups for name in about.groups[group]} if pull.groups else set(drawn)
        yield {name: value for name, value in drawn.items() if name in wanted}


def main(names: list[str]) -> None:
    heads = json.loads(logs.HEADS.read_text()) if logs.HEADS.exists() else {}
    for seed, (name, about) in enumerate(STUDIES.items()):
        if name in names or (not names and name not in heads):
            with recorded(name, about, seed) as study:
                logs.write(name, study.events())
            found = sf.verify(logs.read(name), name)
            assert found.ok, f"{name}: {found}"
            heads[name] = {"events": found.events, "head": found.head, **logs.said(found.verdict)}
            print(f"{name}: {found.events} events, {found.verdict}")
    kept = {name: heads[name] for name in STUDIES}
    logs.HEADS.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
