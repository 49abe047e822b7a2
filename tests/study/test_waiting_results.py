"""Results that wait for an earlier one steer the choice: from the log, from a snapshot and in one go alike."""

import numpy as np
import pytest

import satisfice as sf
from satisfice.study.state import StudyState, arrays_of, restore
from satisfice.study.verify import verify

LIMITS = {
    "known": ["x <= 4 ~ 0.2 : normal(1)"],
    "pooled": ["x <= 4 ~ 0.2", "y <= 4 ~ 0.2"],
    "decided early": ["p80(x) <= 6 ~ 1"],
}
CONFIGS = ["a", "b", "c", "d"]


def results_of(problem: sf.Problem, place: int, rng: np.random.Generator) -> dict[str, float]:
    return {name: float(rng.normal(4.3 - 0.1 * place, 1.0)) for name in problem.measured}


def driven(kind: str, *, costs: str | None = None):
    """A study of which twelve evaluations are under way at a time and end in any order; after every tell, the study."""
    study = sf.create_study(CONFIGS, LIMITS[kind], storage="memory", cost=costs)
    rng, open_pulls = np.random.default_rng(5), []
    for _ in range(120):
        while len(open_pulls) < 12 and (pull := study.ask()) is not None:
            open_pulls.append(pull)
        if not open_pulls:
            return
        pull = open_pulls.pop(int(rng.integers(len(open_pulls))))
        results = results_of(study.problem, CONFIGS.index(pull.name), rng)
        study.tell(pull, results | ({"usd": float(rng.uniform(1, 3))} if costs else {}))
        yield study


def copy_of(state: StudyState, spec) -> StudyState:
    copied = StudyState(spec)
    restore(copied, arrays_of(state))
    return copied


@pytest.mark.parametrize("costs", [None, "usd"])
@pytest.mark.parametrize("kind", LIMITS)
def test_a_snapshot_chooses_as_the_log_does(kind, costs):
    """Each of three: replayed in one go, restored after every event, and the one that ran."""
    held = steered = 0
    for study in driven(kind, costs=costs):
        live = study._durable.seen()
        held += bool(live.held)
    assert held > 60
    replayed, restored = (
        StudyState(study.spec, judge=lambda event: None),
        StudyState(study.spec, judge=lambda event: None),
    )
    for event in study.events():
        before = restored
        restored = StudyState(study.spec, judge=lambda event: None)
        restore(restored, arrays_of(before))
        replayed.apply(event)
        restored.apply(event)
        if event.kind == "asked":
            steered += bool(replayed.search._state.ahead.any())
            assert replayed.chosen == restored.chosen == replayed.line_in(event.content)
    assert steered > 30


def test_verify_finds_the_choices_that_waiting_results_led_to(tmp_path):
    url = f"sqlite:///{tmp_path / 'study.db'}"
    study = sf.create_study(CONFIGS, LIMITS["known"], storage=url)
    pulls, rng = study.ask(12), np.random.default_rng(1)
    for pull in reversed(pulls):
        study.tell(pull, results_of(study.problem, CONFIGS.index(pull.name), rng))
        study.ask()
    assert verify(url).ok
