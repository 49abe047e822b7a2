"""The family of instances. Each is here for the reason it gives, and was chosen before it was measured."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.evaluations.drawn import drawn_members
from benchmarks.evaluations.member import Group, Member, member_of, normal_member
from satisfice import Instance, gaussian_arms
from satisfice.arrays import Floats
from satisfice.errors import unknown_name
from satisfice.paper.article import DELTAS, EPSILONS, MEDICAL, SYNTHETIC

MORE_OF_MEDICAL = 10
"""MultiTUCB's mean has a standard error of 6.5 % there after 2,000 runs, more than what the bar is away from it."""

NEAR_EDGE = {"coins": (0.5, 0.9, 0.99), "bounded": (0.5, 0.9, 0.97)}
"""Thresholds for coins and bounded results: the nearer to 1, the less noise there is, if one knows to look."""


THOUSAND, HALF_GOOD, ONE_GOOD = "thousand margins", "500 good of 1,000", "one good of 1,000"
"""What is asked of a search among a thousand arms, in numbers."""


def _failing_in_one(arms: int, metrics: int, by: float, else_by: float) -> Floats:
    """Arms that fail in one metric, each in the next one, and pass in all others."""
    margins = np.full((arms, metrics), else_by)
    margins[np.arange(arms), np.arange(arms) % metrics] = -by
    return margins


def _one_good(arms: int, metrics: int, margin: float, by: float) -> Floats:
    """The last arm passes by a margin, the others fail in one metric."""
    return np.vstack([_failing_in_one(arms - 1, metrics, by, margin), np.full((1, metrics), margin)])


def _several_good() -> Floats:
    failing = _failing_in_one(15, 3, 0.3, 0.3) * np.linspace(0.2, 2.0, 15)[:, None]
    return np.vstack([failing, np.outer((0.05, 0.1, 0.2, 0.3, 0.5), np.ones(3))])


def _decoys() -> Floats:
    margins = _one_good(20, 2, 0.3, 0.03)
    margins[:-1][margins[:-1] > 0] = 0.3
    return margins


def _scattered() -> Floats:
    return np.random.default_rng(20).normal(-0.4, 0.5, (300, 3))


def _paper() -> Iterator[Member]:
    yield _of_paper(SYNTHETIC, "synthetic", "The paper's: one good arm by 0.05, two near it.")
    yield _of_paper(_synthetic_without_good(), "synthetic, none good", "The same with arm 7's first mean at 0.5.")
    medical = _of_paper(MEDICAL, "medical", "The paper's: dose finding; good doses pass by wide and by thin margins.")
    yield replace(medical, times=MORE_OF_MEDICAL)


def _of_paper(instance: Instance, name: str, why: str, group: Group = Group.PAPER) -> Member:
    return Member(replace(instance, name=name), why, group)


def _synthetic_without_good() -> Instance:
    means = SYNTHETIC.arms.means.copy()
    means[6, 0] = 0.5
    return replace(SYNTHETIC, arms=gaussian_arms(means, 1.2))


def _sweeps() -> Iterator[Member]:
    for instance, name in ((SYNTHETIC, "synthetic"), (MEDICAL, "medical")):
        swept: list[tuple[str, dict[str, Any]]] = [
            *((f"{name}, error rate {value:g}", {"error_rate": value}) for value in DELTAS[1:]),
            *((f"{name}, tolerance {value:g}", {"tolerance": value}) for value in EPSILONS),
        ]
        for label, asked in swept:
            yield _of_paper(instance.asking(**asked), label, "From the paper's sweeps.", Group.SWEEPS)


def _few_arms() -> Iterator[Member]:
    yield normal_member("two arms", "The smallest search.", [[0.3], [-0.3]], tolerance=0.05)
    yield normal_member("easy", "A handful of evaluations tells.", _one_good(5, 2, 2.0, 2.0), tolerance=0.1)
    yield normal_member(
        "strict", "An error rate of one in a million.", _one_good(10, 3, 0.3, 0.3), tolerance=0.05, error_rate=1e-6
    )
    yield normal_member(
        "lenient", "An error rate of one in five.", _one_good(10, 3, 0.3, 0.3), tolerance=0.05, error_rate=0.2
    )
    yield normal_member("decoys", "One clearly good arm among 19 that miss by a hair.", _decoys(), tolerance=0.02)
    yield normal_member(
        "none, by a hair", "No arm is good and all of them nearly are.", np.full((5, 2), -0.06), tolerance=0.02
    )
    yield normal_member(
        "only tolerable",
        "Every arm fails but is within the tolerance: both answers are right, and one must come.",
        _failing_in_one(10, 2, 0.04, 0.3),
        tolerance=0.1,
    )
    yield normal_member(
        "ties",
        "Two equal good arms with five equal margins.",
        np.repeat([[-0.25] * 5, [0.25] * 5], [6, 2], axis=0),
        tolerance=0.02,
    )
    yield normal_member("twenty metrics", "Many metrics, each arm fails in one.", _one_good(10, 20, 0.4, 0.4),
                        tolerance=0.05)  # fmt: skip
    yield normal_member("fails everywhere", "No arm is good in any of six metrics.", np.full((10, 6), -0.2),
                        tolerance=0.02)  # fmt: skip


def _many_arms() -> Iterator[Member]:
    yield normal_member("several good", "Five good arms by margins from 0.05 to 0.5, others fail by as little.",
                        _several_good(), tolerance=0.02)  # fmt: skip
    yield normal_member("all good", "Whatever one looks at passes.", np.full((50, 2), 0.3), tolerance=0.05)
    yield normal_member("fifty fail", "No arm is good, each fails in one of two metrics.",
                        _failing_in_one(50, 2, 0.3, 0.3), tolerance=0.05)  # fmt: skip
    yield normal_member("hundred arms", "One good arm in a hundred, four metrics.", _one_good(100, 4, 0.5, 0.5),
                        tolerance=0.05)  # fmt: skip
    yield normal_member("scattered", "300 arms with means drawn at random, some of which pass.", _scattered(),
                        tolerance=0.05)  # fmt: skip
    yield normal_member("thousand arms", "One good arm in a thousand.", _one_good(1000, 2, 0.8, 0.8), tolerance=0.1)
    yield normal_member(THOUSAND, "A thousand arms, half of which pass by any margin.",
                        np.random.default_rng(21).normal(0.0, 1.0, (1000, 1)), tolerance=0.0)  # fmt: skip
    yield normal_member(HALF_GOOD, "500 good arms among a thousand, all by the same margin.",
                        np.repeat([[0.5], [-0.5]], 500, axis=0), tolerance=0.0)  # fmt: skip
    yield normal_member(ONE_GOOD, "One good arm among a thousand, all by the same margin.",
                        np.repeat([[-0.5], [0.5]], [999, 1], axis=0), tolerance=0.0)  # fmt: skip


def _noises() -> Iterator[Member]:
    for threshold in NEAR_EDGE["coins"]:
        yield _near_edge(f"coins at {threshold:g}", "Zeros and ones", "bernoulli", threshold)
    for threshold in NEAR_EDGE["bounded"]:
        yield _near_edge(f"bounded at {threshold:g}", "Beta results", "bounded(0, 1)", threshold)
    for correlation in (0.8, -0.8):
        yield normal_member(
            f"correlated {correlation:+g}",
            "Metrics that move together." if correlation > 0 else "Metrics that move against each other.",
            _one_good(10, 2, 0.3, 0.3),
            tolerance=0.05,
            correlation=correlation,
        )
    yield member_of(
        "unequal noise",
        "Three units, and metrics whose noise differs in what their gaps are worth.",
        ["latency_ms <= 100 ~ 1 : normal(20)", "loss <= 2 ~ 0.1 : normal(0.5)", "energy_mj <= 50 ~ 1 : normal(4)"],
        np.array(
            [[95, 1.5, 47], [110, 1.5, 45], [90, 2.3, 45], [90, 1.5, 52], [105, 2.1, 51], [120, 1, 40], [80, 3, 40]]
        ),
    )
    yield member_of(
        "unknown noise",
        "No sd is declared, and every arm has its own, from 0.5 to 2.",
        ["metric_1 >= 0 ~ 0.05 : normal", "metric_2 >= 0 ~ 0.05 : normal"],
        _one_good(10, 2, 0.3, 0.3),
        sds=np.outer(np.geomspace(0.5, 2.0, 10)[[9, 0, 8, 1, 7, 2, 6, 3, 5, 4]], np.ones(2)),
    )
    yield member_of(
        "mixed noise",
        "What a performance engineer has: a time of unknown noise, a loss rate, an energy, a share.",
        ["latency_ms <= 100 ~ 2 : normal", "loss <= 0.05 ~ 0.01 : bernoulli", "energy_mj <= 50 ~ 1 : normal(4)",
         "share >= 0.6 ~ 0.05 : bounded(0, 1)"],
        np.array([[90, 0.02, 46, 0.7], [120, 0.02, 46, 0.7], [90, 0.12, 46, 0.7], [90, 0.02, 54, 0.7],
         [90, 0.02, 46, 0.5], [108, 0.08, 52, 0.55]]),
        sds=[20, 1, 4, 1],
    )  # fmt: skip


def _near_edge(name: str, what: str, noise: str, threshold: float) -> Member:
    """One arm has twice the odds of the threshold, four have half of them."""
    odds = threshold / (1 - threshold)
    good, bad = 2 * odds / (1 + 2 * odds), odds / (2 + odds)
    tolerance = round((1 - threshold) / 5, 6)
    why = f"{what} with the threshold at {threshold:g}, one arm with twice its odds and four with half."
    return member_of(name, why, [f"share >= {threshold:g} ~ {tolerance:g} : {noise}"], np.array([*4 * [[bad]], [good]]))


def family() -> tuple[Member, ...]:
    """All members: the paper's instances, the further ones, those drawn to judge by, the paper's sweeps."""
    return (*_paper(), *_few_arms(), *_many_arms(), *_noises(), *drawn_members(), *_sweeps())


def chosen_members(names: Sequence[str] | None) -> tuple[Member, ...]:
    """The members of these names, or of these groups; all of them without names."""
    members = family()
    if not names:
        return members
    known = {member.name for member in members} | set(Group)
    for name in names:
        if name not in known:
            raise unknown_name("instance of the family", name, known)
    return tuple(member for member in members if member.name in names or member.group in names)
