"""Several processes take turns, each following the others when it likes: all choose as a replay of the log does."""

import random

import numpy as np
import pytest

import satisfice as sf
from satisfice.study.events import Event, Kind
from satisfice.study.pull import Measured, told_content
from satisfice.study.spec import Spec
from satisfice.study.state import StudyState, arrays_of, restore

STUDIES = {
    "undeclared": {"thresholds": ["x <= 4 ~ 0.1"]},
    "normal": {"thresholds": ["x <= 4 ~ 0.1 : normal", "y <= 4 ~ 0.1 : normal(1)"]},
    "mixed": {"thresholds": ["x <= 4 ~ 0.1", "y <= 0.5 : bounded(0, 1)", "z <= 0.5 : bernoulli"]},
    "declared": {"thresholds": ["x <= 4 ~ 0.1 : normal(1)"]},
    "evidence": {"thresholds": ["x <= 4 ~ 0.1", "z <= 0.5 : bernoulli"], "stopping": "evidence"},
    "thompson": {"thresholds": ["x <= 4 ~ 0.1"], "rule": "thompson", "stopping": "evidence"},
    "murphy": {"thresholds": ["x <= 4 ~ 0.1"], "rule": "murphy", "stopping": "evidence"},
    "uniform": {"thresholds": ["x <= 4 ~ 0.1 : normal(1)"], "rule": "uniform"},
    "percentile": {"thresholds": ["p80(x) <= 5 ~ 0.5"]},
    "all": {"thresholds": ["x <= 4 ~ 0.1"], "goal": "all"},
    "costs": {"thresholds": ["x <= 4 ~ 0.1"], "cost": "usd"},
    "groups": {
        "thresholds": ["x <= 4 ~ 0.1 @ cheap", "z <= 0.5 : bernoulli @ dear"],
        "cost": {"cheap": 1, "dear": 30},
    },
    "earliest": {"thresholds": ["x <= 4 ~ 0.1"], "min_evaluations": 5},
}
PROCESSES, MOST_AT_ONCE, STEPS = 6, 8, 60
GRANT = {"worker": "somebody", "lease": 60.0, "at": 1.0}


class Group:
    """A log and the states of the processes that write it; `replay` chooses each ask anew."""

    def __init__(self, options: dict, configs: int, seed: int) -> None:
        self.rng, self._numbers = random.Random(seed), np.random.default_rng(seed)
        names = [f"config {place}" for place in range(configs)]
        self._at_the_limit = seed % 2 == 0
        error_rate = 1e-6 if self._at_the_limit else 0.05
        study = sf.create_study(names, error_rate=error_rate, seed=seed, storage="memory", **options)
        self.spec, self.log = study.spec, list(study.events())
        self.costs = options.get("cost") == "usd"
        self.states = [StudyState(self.spec) for _ in range(PROCESSES)]
        self.replay = StudyState(self.spec, judge=lambda event: None)
        self.under_way: list[list[int]] = [[] for _ in self.states]
        self.replay.apply(self.log[0])
        self.waited = 0

    def catch_up(self, place: int, position: int) -> StudyState:
        state = self.states[place]
        for event in self.log[state.position : position]:
            state.apply(event)
        return state

    def look_around(self) -> None:
        """Some follow what was recorded, some of them look at it, and some start anew from a copy."""
        for place, state in enumerate(self.states):
            if self.rng.random() < 0.3:
                self.catch_up(place, self.rng.randint(state.position, len(self.log)))
                if self.rng.random() < 0.5:
                    self.states[place].search.score()
                if self.rng.random() < 0.1:
                    self.states[place] = copied(self.spec, self.states[place])

    def take_turn(self) -> bool:
        """One tells what it has, in any order, and asks for more; whether the study goes on."""
        place = self.rng.randrange(PROCESSES)
        state, told = self.catch_up(place, len(self.log)), self.under_way[place]
        self.rng.shuffle(told)
        kept = [told.pop() for _ in range(self.rng.randint(0, len(told)))] if self.rng.random() < 0.3 else []
        made = [self.tell(state, number) for number in told if not state.ended]
        self.under_way[place] = kept
        self.waited += bool(state.held)
        for _ in range(self.rng.randint(1, MOST_AT_ONCE)):
            number, line = state.search.asks, state.next_line()
            if line is None:
                break
            made.append(state.record(Kind.ASKED, {"number": number, **state.ask_of(line), **GRANT}))
            kept.append(number)
        self.log += made
        for event in made:
            self.check(event)
        return not state.ended

    def tell(self, state: StudyState, number: int) -> Event:
        """Results at the limits; in other studies most configs are beyond them."""
        pull, drawn = state.open[number], {"y": self._numbers.random(), "z": self._numbers.random() < 0.5}
        drawn["x"] = self._numbers.normal(4.0 if self._at_the_limit or pull.arm % 5 == 0 else 5.2, 1.0)
        measured = state.search.problem.by_group[pull.group].measured
        values, beside = state.search.checked({name: float(drawn[name]) for name in measured}, None, pull.group)
        cost = {"cost": float(self._numbers.uniform(1, 3))} if self.costs else {}
        content = {"number": number, "attempt": 0, "at": 1.0, **told_content(Measured(values, beside)), **cost}
        return state.record(Kind.TOLD, content)

    def check(self, event: Event) -> None:
        self.replay.apply(event)
        if event.kind == Kind.ASKED:
            assert self.replay.chosen == self.replay.line_in(event.content), f"event {event.position}"


def copied(spec: Spec, state: StudyState) -> StudyState:
    copy = StudyState(spec)
    restore(copy, arrays_of(state))
    return copy


def check_studies(kind: str, configs: int, seeds: range) -> None:
    waited = 0
    for seed in seeds:
        group = Group(STUDIES[kind], configs, seed)
        for _ in range(STEPS):
            group.look_around()
            if not group.take_turn():
                break
        waited += group.waited
        expected = arrays_of(group.replay)
        for place in range(PROCESSES):
            found = arrays_of(group.catch_up(place, len(group.log)))
            unlike = [name for name in expected if expected[name].tobytes() != found[name].tobytes()]
            assert unlike == [], f"seed {seed}, process {place}"
    assert waited > 5 * len(seeds), "hardly a result came before its turn"


@pytest.mark.parametrize("configs", [1, 4, 10, 40])
@pytest.mark.parametrize("kind", STUDIES)
def test_a_choice_follows_from_the_log_alone(kind: str, configs: int) -> None:
    """Before, what waited of a config without other results kept the score from before variances were pooled where its
    process had looked by then: in 19 of 1,440 of these studies (without percentiles; 4, 10 and 40 configs, seeds 0 to
    39) somebody chose what no replay of the log does."""
    check_studies(kind, configs, range(1 if kind == "percentile" else 4))


@pytest.mark.full
@pytest.mark.parametrize("configs", [4, 10, 40])
@pytest.mark.parametrize("kind", STUDIES)
def test_a_choice_follows_from_the_log_alone_at_length(kind: str, configs: int) -> None:
    check_studies(kind, configs, range(4, 30 if kind == "percentile" else 150))
