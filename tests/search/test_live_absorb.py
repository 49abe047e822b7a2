"""Results absorbed in Python's own numbers: the same bits as in numpy's, whatever the rule does."""

from typing import NamedTuple

import numpy as np
import pytest

import satisfice as sf
from satisfice.rules import RULES
from satisfice.rules.pandora import Pandora
from satisfice.search.absorb import absorb
from satisfice.search.live import LiveAbsorb, Rows

PROBLEM = sf.problem_of(
    ["a <= 1 ~ 0.2", "b <= 0.5 : bernoulli", "c >= 0.2 : bounded(0, 1)", "d <= 1 : normal(1)", "e <= 3 : poisson"], 1e-6
)


class Divides(NamedTuple):
    """Divides by zero now and then, which numpy's numbers survive."""

    price: float = 1.0

    def bonus(self, pulls, setting):
        return self.price

    def margin_priority(self, margins, tolerances, arm, pulls, bonus):
        return -bonus / (1.0 + 1.0 / (margins[arm, 0] * (pulls % 3)) ** 2)


class TakesRows(Divides):
    """Wants a whole row, which a view of numbers does not have."""

    def margin_priority(self, margins, tolerances, arm, pulls, bonus):
        return float(margins[arm].min())


class DividesAhead(Divides):
    """The same for a rule that looks at results which wait for an earlier one."""

    opens, pursues, in_money = Pandora.opens, Pandora.pursues, Pandora.in_money
    looks_every, looks_owed = Pandora.looks_every, Pandora.looks_owed


class TakesRowsAhead(DividesAhead):
    margin_priority = TakesRows.margin_priority


def bits(rule, results):
    search = sf.Search(PROBLEM, ["x", "y", "z"], rule=rule)
    for row in results:
        arm = search.ask()
        if arm is None:
            break
        search.tell(arm, dict(zip("abcde", row, strict=True)))
    return {name: array.tobytes() for name, array in search.state().items()}, search


@pytest.mark.parametrize(
    "rule", [Divides(), TakesRows(), *(RULES[name]() for name in ("pandora", "murphy", "thompson"))], ids=repr
)
def test_the_same_bits_as_in_numbers_of_numpy(rule, monkeypatch):
    rng = np.random.default_rng(7)
    columns = (
        rng.normal(1, 1, 300),
        rng.random(300) < 0.5,
        rng.random(300),
        rng.normal(1, 1, 300),
        rng.poisson(3, 300),
    )
    results = list(zip(*(column.tolist() for column in columns), strict=True))
    found, search = bits(rule, results)
    assert (search._absorb._views is None) == isinstance(rule, TakesRows)
    monkeypatch.setattr(LiveAbsorb, "__call__", lambda self, parts, arm: absorb(self._state, parts, arm))
    assert found == bits(rule, results)[0]


@pytest.mark.parametrize("rule", [Pandora(), DividesAhead(), TakesRowsAhead()], ids=repr)
def test_results_that_wait_steer_and_decide_to_the_same_bits(rule, monkeypatch):
    def run():
        rng, decided = np.random.default_rng(3), 0
        limits = ["b <= 0.5 : bernoulli", "c >= 0.2 : bounded(0, 1)"]
        study = sf.create_study(list("uvwxyz"), limits, storage="memory", error_rate=0.2, rule=rule, goal="all")
        pulls, asked = study.ask(12), []
        for _ in range(150):
            pull = pulls.pop(int(rng.integers(len(pulls) // 2, len(pulls))))  # some are late, most are early
            study.tell(pull, {"b": float(rng.random() < 0.1), "c": float(rng.uniform(0.5, 1.0))})
            pulls += study.ask(1)
            asked += pulls[-1:]
            if not pulls:
                break
            decided = max(decided, sum(status.ahead > 0 for status in study.statuses()))
        with study._durable.lock:
            search = study._durable.seen().search
            return asked, {name: array.tobytes() for name, array in search.state().items()}, decided, search._absorb

    asked, found, decided, absorb = run()
    assert decided > 0
    assert (absorb._views is None) == isinstance(rule, TakesRowsAhead)
    start = LiveAbsorb.__init__

    def in_arrays(self, state, parts):
        start(self, state, parts)
        self._views = None

    monkeypatch.setattr(LiveAbsorb, "__init__", in_arrays)
    again = run()
    assert [(one.name, one.number) for one in asked] == [(one.name, one.number) for one in again[0]]
    assert found == again[1]


def test_rows_are_views_of_their_array():
    array = np.arange(24.0).reshape(2, 3, 4)
    rows = Rows(array)
    rows[1, 2, 3] += 1.0
    rows[0, 1][2] = -1.0
    assert (array[1, 2, 3], array[0, 1, 2], rows[0, 1, 2]) == (24.0, -1.0, -1.0)
    assert set(rows) == {(0, 1)}
