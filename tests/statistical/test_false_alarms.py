"""The checks of results: false alarms in 1 of 100 studies at most where results fit, and what 200 results show."""

from math import sqrt

import numpy as np
import pytest
from scipy.signal import lfilter
from scipy.stats import binomtest

import satisfice as sf
from satisfice.problem.problem import problem_of
from satisfice.search.diagnostics import FALSE_ALARMS, Checks

FITTING = {
    "normal": ("x <= 0", lambda rng, n: rng.normal(size=n)),
    "declared normal": ("x <= 0 : normal(1)", lambda rng, n: rng.normal(size=n)),
    "rare ones": ("x <= 0.1 : bernoulli", lambda rng, n: (rng.random(n) < 0.02) * 1.0),
    "ones": ("x <= 0.1 : bernoulli", lambda rng, n: (rng.random(n) < 0.3) * 1.0),
    "counts": ("x <= 1 : poisson", lambda rng, n: rng.poisson(0.3, n) * 1.0),
    "Pareto": ("x <= 1 : spread(3)", lambda rng, n: rng.pareto(2.5, n)),
    "lognormal": ("x <= 1 : spread(9)", lambda rng, n: rng.lognormal(0.0, 1.5, n)),
    "beta": ("x <= 0.5 : bounded(0, 1)", lambda rng, n: rng.beta(0.2, 2.0, n)),
    "percentile": ("p95(x) <= 3", lambda rng, n: rng.exponential(size=n)),
}

AFTER = 50  # results after which an AR(1) has forgotten how it began

ODD = {
    "AR(1)": ("x <= 0", lambda rng, n: lfilter([1.0], [1.0, -0.5], rng.normal(size=n + AFTER))[AFTER:]),
    "drift": ("x <= 0", lambda rng, n: rng.normal(size=n) + np.linspace(0.0, 1.0, n)),
    "exponential": ("x <= 0 : normal(1)", lambda rng, n: rng.exponential(size=n)),
    "exponential, undeclared": ("x <= 0", lambda rng, n: rng.exponential(size=n)),
    "drifting share": (
        "x <= 0.5 : bernoulli",
        lambda rng, n: (rng.random(n) < 0.5 + np.linspace(-0.25, 0.25, n)) * 1.0,
    ),
}
"""The last drifts by one standard deviation of a coin, half up and half down."""


def alarms(threshold, draw, studies, results, seed):
    """In how many studies of one configuration any check fires."""
    problem, rng, found = problem_of([threshold]), np.random.default_rng(seed), 0
    for _ in range(studies):
        checks = Checks(problem, ["a"])
        for value in draw(rng, results).tolist():
            checks.add(0, [value])
        found += bool(checks.found())
    return found


def at_most(found, studies, rate):
    return binomtest(found, studies).proportion_ci(0.999).low <= rate


@pytest.mark.parametrize("law", FITTING)
def test_results_that_fit_raise_an_alarm_in_one_study_of_a_hundred_at_most(law):
    assert at_most(alarms(*FITTING[law], 300, 200, seed=11), 300, FALSE_ALARMS)


@pytest.mark.parametrize("law", ODD)
def test_odd_results_are_seen_in_nine_of_ten_studies_within_200(law):
    found = alarms(*ODD[law], 300, 200, seed=12)
    assert binomtest(found, 300).proportion_ci(0.999).high >= 0.9


@pytest.mark.full
@pytest.mark.parametrize("law", FITTING)
def test_results_that_fit_raise_few_alarms_in_long_studies(law):
    assert at_most(alarms(*FITTING[law], 5000, 800, seed=13), 5000, FALSE_ALARMS)


@pytest.mark.full
@pytest.mark.parametrize("law", ODD)
def test_odd_results_are_seen(law):
    found = alarms(*ODD[law], 5000, 200, seed=14)
    assert found / 5000 >= 0.9 - 3.3 * sqrt(0.09 / 5000)  # 0.9, and the room that 5,000 studies leave to chance


def search_alarms(rng, rule):
    """Whether any check fires in a search over nine arms that chooses by what it sees, three metrics each."""
    thresholds = ["x <= 0 ~ 0.05", "y <= 0 ~ 0.05 : normal(1)", "z <= 0.5 ~ 0.02 : bernoulli"]
    search = sf.Search(problem_of(thresholds), [str(arm) for arm in range(9)], rule=rule)
    for _ in range(700):
        if (arm := search.ask()) is None:
            break
        search.tell(arm, {"x": rng.normal(), "y": rng.normal(), "z": int(rng.random() < 0.5)})
    return bool(search.checks())


@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.parametrize("rule", ["pandora", "thompson"])
def test_choosing_by_results_raises_no_more_alarms(rule):
    rng = np.random.default_rng(15)
    studies = 800
    assert at_most(sum(search_alarms(rng, rule) for _ in range(studies)), studies, FALSE_ALARMS)


if __name__ == "__main__":  # the figures of docs/how-to/read-the-checks.md
    for law, case in {**FITTING, **ODD}.items():
        print(f"{law}: {100 * alarms(*case, 5000, 200, seed=14) / 5000:.2f} %")
