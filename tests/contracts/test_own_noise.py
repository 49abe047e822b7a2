"""A noise model from outside the package, and the published contract on it and on the package's own."""

from typing import NamedTuple

import numpy as np
import pytest

import satisfice as sf
from satisfice.errors import BrokenContract, InvalidProblem
from satisfice.noise.kinds import MetricNoise, by_evidence, noise_table
from satisfice.noise.normal import KNOWN_SCALE
from satisfice.noise.process import the_level
from satisfice.simulation.engine import wholly_ours
from satisfice.testing import check_noise
from satisfice.testing.noise import check_increasing
from tests.helpers import cases


class Sides(NamedTuple):
    """A fair coin decides between mean - size and mean + size: sub-Gaussian with the scale `size`."""

    size: float = 1.0

    @property
    def scale(self):
        return self.size

    def __str__(self):
        return f"sides({self.size:g})"


def arms_of(means):
    return cases.CoinArms(means, np.array([2.0]))


class Understated(Sides):
    """Less noise declared than there is: the guarantee is void."""

    @property
    def scale(self):
        return 0.4 * self.size


@pytest.mark.full
def test_own_noise_keeps_the_contract():
    counts = check_noise(Sides(2.0), arms_of)
    assert min(counts.false_accepts, counts.false_nones) >= counts.runs * 0.2 / 20
    with pytest.raises(BrokenContract, match=r"Understated: with Pandora.* it accepts an arm wrongly in"):
        check_noise(Understated(2.0), arms_of)


@pytest.mark.parametrize(
    ("noise", "threshold"),
    [
        pytest.param(sf.Normal(2.0), 0.0, marks=pytest.mark.full),
        (sf.Normal(), 1.0),
        pytest.param(sf.SubGaussian(0.1), -1.0, marks=pytest.mark.full),
        pytest.param(sf.Bernoulli(), 0.3, marks=pytest.mark.full),
        pytest.param(sf.Bounded(0, 4), 2.0, marks=pytest.mark.full),
        pytest.param(sf.Poisson(), 4.0, marks=pytest.mark.full),
    ],
    ids=str,
)
def test_noise_models_of_the_package_keep_the_contract(noise, threshold):
    check_noise(noise, threshold=threshold, repetitions=400, max_evaluations=400)


class Open(Sides):
    """No scale at all."""

    @property
    def scale(self):
        return None


class Changeable:
    """Not a value."""

    scale = 1.0


class Unnamed(NamedTuple):
    """Prints as a NamedTuple does."""

    size: float = 1.0

    @property
    def scale(self):
        return self.size


@pytest.mark.parametrize(
    ("noise", "sentence"),
    [
        (Open(), "Open: the scale must be a number, or there must be a process with evidence that needs none"),
        (Sides(-1.0), r"Sides: the scale must be a positive finite number, got -1\.0"),
        (Changeable(), "Changeable: a noise model must be immutable, but 'scale' could be set"),
        (Unnamed(), r"Unnamed: it must print like 'normal\(2\)'.*but prints Unnamed\(size=1\.0\)"),
    ],
)
def test_broken_noise_is_caught(noise, sentence):
    with pytest.raises(BrokenContract, match=sentence):
        check_noise(noise)


RANGED = [(sf.Bernoulli(), 0.3, [0.0, 1.0]), (sf.Bounded(0, 4), 2.0, [0.0, 0.5, 3.9]), (sf.Poisson(), 4.0, [0, 3, 11])]


@pytest.mark.parametrize(("noise", "threshold", "values"), RANGED, ids=str)
@pytest.mark.parametrize("direction", list(sf.Direction))
def test_evidence_that_increases_does(noise, threshold, values, direction):
    problem = sf.Problem((sf.Metric("metric", threshold, direction, 0.1, noise),), 0.05)
    results = np.random.default_rng(1).choice(values, 100).astype(float).tolist()
    assert problem.metrics[0].process.increasing
    check_increasing(noise, problem, results)


class Hasty(NamedTuple):
    """Normal of unknown variance, which says that its evidence increases: a large result widens what is possible."""

    scale: None = None

    @property
    def process(self):
        return sf.Normal().process._replace(name="hasty", increasing=True)

    def __str__(self):
        return "hasty"


def test_evidence_that_is_said_to_increase_and_does_not_is_caught():
    problem = sf.Problem((sf.Metric("metric", 1.0, tolerance=0.1, noise=Hasty()),), 0.05)
    results = [*(2.0 + 0.1 * np.random.default_rng(1).normal(size=100)), 500.0]
    with pytest.raises(BrokenContract, match=r"declared increasing, but 500\.0 in place of 1\.\d+ counts against"):
        check_increasing(Hasty(), problem, results)


def test_own_noise_everywhere():
    """In a problem, a search, a simulation and a study, as the sub-Gaussian noise that it is."""
    own, same = (
        sf.problem_of([sf.Metric("a", 0.5, tolerance=0.1, noise=noise), "b >= 0.5 ~ 0.1 : normal(2)"])
        for noise in (Sides(1.0), sf.SubGaussian(1.0))
    )
    assert str(own.metrics[0]) == "a >= 0.5 ~ 0.1 : sides(1)"
    means = [[0.0, 2.0], [1.5, 2.0]]
    results = [sf.simulate(problem, sf.arms_for(problem, means), repetitions=5, seed=1) for problem in (own, same)]
    assert np.array_equal(results[0].cells[0].pulls, results[1].cells[0].pulls)
    study = sf.create_study(["x", "y"], own.metrics)
    assert study.problem.metrics[0].noise == sf.SubGaussian(1.0)
    searches = [sf.Search(problem, ["x", "y"]) for problem in (own, same, study.problem)]
    rng = np.random.default_rng(4)
    while (name := searches[0].ask()) is not None:
        row = means["xy".index(name)] + np.array([rng.choice([-1.0, 1.0]), 2 * rng.standard_normal()])
        for search in searches:
            assert search.ask() == name
            search.tell(name, dict(zip("ab", row.tolist(), strict=True)))
    assert {search.verdict.arm for search in searches} == {"y"}
    with pytest.raises(InvalidProblem, match="Open has no scale, and no evidence of its own"):
        sf.Metric("a", 0.5, noise=Open())


class Copied(NamedTuple):
    """A process of ours with another name: made outside, of functions that are all ours."""

    @property
    def scale(self):
        return 1.0

    @property
    def process(self):
        return KNOWN_SCALE._replace(name="copied")


class OneSided(NamedTuple):
    """Needs a table on the rejecting side alone."""

    @property
    def scale(self):
        return 1.0

    @property
    def process(self):
        return KNOWN_SCALE._replace(needed_within=the_level, enough_within=None)


def row_of(model):
    return MetricNoise(model, 0.0, 1.0, 0.0, 1.0)


def evidence_of_ones_own(pulls, deficit, more, numbers, ratio):
    return 0.0


def test_what_is_compiled_of_a_process_from_outside_is_not_kept_on_disk():
    assert wholly_ours(KNOWN_SCALE.within)
    assert wholly_ours(by_evidence(KNOWN_SCALE.within, KNOWN_SCALE.most_within))
    assert not wholly_ours(evidence_of_ones_own)
    assert not wholly_ours(by_evidence(evidence_of_ones_own, KNOWN_SCALE.most_within))


def test_processes_are_told_apart_by_what_they_do():
    kinds = [
        noise_table([row_of(model)], np.zeros((0, 1))).kinds[0] for model in (sf.Normal(1.0), OneSided(), Copied())
    ]
    assert kinds[0] == 0
    assert len(set(kinds)) == 3


def test_a_need_on_either_side_is_worth_a_table():
    tables = [noise_table([row_of(model)], np.zeros((0, 1))) for model in (OneSided(), sf.Bounded(-1, 1))]
    assert [table.tabulated.tolist() for table in tables] == [[1], [0]]
