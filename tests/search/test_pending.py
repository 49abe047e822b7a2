"""A verdict waits only for results that could change it, and says what it would have said with all of them."""

from types import SimpleNamespace

import numpy as np
import pytest

import satisfice as sf
from satisfice.search.early_decision import bring_back, is_due, lay_aside, new_aside, suppose
from satisfice.stopping.decision import ACCEPT
from satisfice.stopping.transfer import STARTS_AT

LIMITS = {
    "coins": "x >= 0.5 : bernoulli",
    "coins, at most": "x <= 0.4 ~ 0.05 : bernoulli",
    "bounded": "x <= 4 ~ 0.5 : bounded(0, 10)",
    "percentile": "p80(x) <= 6 ~ 1",
    "share": "share(x >= 2) >= 0.6 ~ 0.05",
    "a finite set": "x >= 0.5 : bernoulli of 60",
    "a finite set of a range": "x <= 4 : bounded(0, 10) of 60",
    "counts, at least": "x >= 3 : poisson",
    "counts, at most": "x <= 3 : poisson",
}
ACCEPT_ONLY, REJECT_ONLY = {"counts, at least"}, {"counts, at most"}
"""A count may be anything from 0: a late one bounds one side of the evidence."""


def drawn(rng: np.random.Generator, kind: str, level: float) -> float:
    """A result, the more likely to be large the higher the level."""
    if "coins" in kind or kind == "a finite set":
        return float(rng.random() < level)
    return float(rng.poisson(6.0 * level)) if "counts" in kind else 10.0 * float(rng.beta(6 * level, 6 * (1 - level)))


def extremes(kind: str) -> tuple[float, float]:
    return (0.0, 1.0) if "coins" in kind or kind == "a finite set" else (0.0, 40.0 if "counts" in kind else 10.0)


def search_of(kind: str) -> sf.Search:
    return sf.Search(sf.problem_of([LIMITS[kind]], 0.1), ["one"])


def decision_of(kind: str, results: list[float]) -> int:
    """What is decided first when all results come in order."""
    search = search_of(kind)
    for result in results:
        search.tell("one", {"x": result})
    return search.status(0).decision


@pytest.mark.parametrize("kind", LIMITS)
def test_what_is_decided_early_is_decided_whatever_the_missing_results_are(kind):
    rng, early, others = np.random.default_rng(7), set(), 0
    for run in range(60):
        search, level = search_of(kind), float(rng.choice([0.08, 0.3, 0.9]))
        results = [drawn(rng, kind, level) for _ in range(55)]
        missing = sorted(rng.choice(30, size=1 + run % 2, replace=False).tolist())
        for place in range(missing[0]):
            search.tell("one", {"x": results[place]})
        before = search.status(0).decision
        for end in range(missing[0] + 2, len(results) + 1):
            line = [None if place in missing else ((results[place],), ()) for place in range(missing[0], end)]
            if line[-1] is not None and search.outcome is sf.Outcome.UNDECIDED:
                search.hold(0, sum(each is not None for each in line), lambda line=line: line)
        status = search.status(0)
        if before or not status.decision:
            continue
        early.add(status.decision)
        came = [place for place in range(len(results)) if place not in missing]
        looked_at = came[search.verdict.evaluations - 1] + 1
        assert status.pulls == missing[0]
        assert status.pulls + status.ahead == search.verdict.evaluations
        for filling in (*extremes(kind), drawn(rng, kind, 0.5)):
            whole = [filling if place in missing else result for place, result in enumerate(results[:looked_at])]
            decided = decision_of(kind, whole)
            others += decided != status.decision
            assert decided, f"not with {filling}"
    assert others <= 2, "an arm of which both could be said, the other one sooner"
    assert early == ({1} if kind in ACCEPT_ONLY else {2} if kind in REJECT_ONLY else {1, 2})


def late_first(limits: list[str], results: dict[str, float], **options) -> tuple[sf.Study, sf.Pull]:
    """A study in which all results but the first of forty have come."""
    study = sf.create_study(["one"], limits, storage="memory", **options)
    first, *others = study.ask(40)
    for pull in others:
        study.tell(pull, results)
        if study.outcome is not sf.Outcome.UNDECIDED:
            break
    return study, first


@pytest.mark.parametrize(("value", "outcome"), [(1.0, "FOUND"), (0.0, "NONE")])
def test_a_study_does_not_wait_for_a_straggler_that_changes_nothing(value, outcome):
    study, first = late_first([LIMITS["coins"]], {"x": value})
    assert study.outcome == outcome
    counts, verdict = study.counts(), study.verdict()
    assert counts.folded == counts.told == verdict.evaluations < 40
    assert (counts.late, counts.held) == (0, 0)
    assert "asked for after one that was still out" in study.explain("one").text
    assert verdict.guess is None or verdict.guess.p_value <= 0.05
    study.tell(first, {"x": 1.0 - value})
    assert study.verdict() == verdict


def test_waiting_results_do_not_make_up_for_evaluations_that_are_asked_for_at_least():
    """Accepting waits until as many have come, and rejecting does not."""

    def evaluations(value: float, **options: int) -> int:
        return late_first([LIMITS["coins"]], {"x": value}, **options)[0].verdict().evaluations

    assert evaluations(1.0) < 20 == evaluations(1.0, min_evaluations=20)
    assert evaluations(0.0) == evaluations(0.0, min_evaluations=20) < 20


def test_the_log_alone_leads_to_the_same_verdict(tmp_path):
    url = f"sqlite:///{tmp_path}/late.db"
    study = sf.create_study(["one", "two"], [LIMITS["bounded"]], storage=url)
    pulls = {name: [] for name in ("one", "two")}
    while study.outcome is sf.Outcome.UNDECIDED:
        pull = study.ask()
        pulls[pull.name].append(pull)
        if len(pulls[pull.name]) != 3:
            study.tell(pull, {"x": 1.0 if pull.name == "one" else 6.0})
    verdict = study.verdict()
    assert study.counts().told > verdict.evaluations - 1 > int(study.statuses()[0].pulls)
    study.close()
    found = sf.verify(url)
    assert found.ok, found.problems
    assert found.verdict == verdict
    with sf.load_study(url) as again:
        assert again.verdict() == verdict


@pytest.mark.parametrize(
    "limits", [["x >= 0.5 : normal(1)"], ["x >= 0.5 : bernoulli", "y >= 0.5"], ["x >= 0.5 : independent"]]
)
def test_a_result_that_may_be_anything_is_waited_for(limits):
    study, first = late_first(limits, {"x": 1.0, "y": 2.0} if len(limits) > 1 else {"x": 1.0})
    assert study.outcome is sf.Outcome.UNDECIDED
    study.tell(first, {"x": 0.0, "y": 1.0} if len(limits) > 1 else {"x": 1.0})
    assert study.counts().held == 0


def test_a_metric_that_is_beyond_doubt_already_may_be_anything():
    """It is accepted once each metric has been within its limit beyond doubt at some time."""
    study = sf.create_study(["one"], ["x >= 0.5 : bernoulli", "y >= 0 : normal(1)"], storage="memory")
    rng = np.random.default_rng(1)
    pulls = study.ask(60)
    for pull in pulls[:5]:
        study.tell(pull, {"x": 0.0, "y": 10.0 + rng.normal()})
    for pull in pulls[6:]:
        if study.outcome is sf.Outcome.UNDECIDED:
            study.tell(pull, {"x": 1.0, "y": 10.0})
    assert study.outcome is sf.Outcome.FOUND


def test_money_that_is_still_to_be_weighted_by_missing_results_is_waited_for():
    """It grows by E(n)/E(a), which need not increase with results before a."""
    judge = sf.TransferredEvidence().judge(sf.problem_of([LIMITS["coins"]], 0.1), 2)
    memory = np.zeros((2, judge.memory_columns(1)))
    judge.forget(memory)
    assert judge.increases(memory, 0)
    memory[0, 2 + STARTS_AT] = 3.0
    assert not judge.increases(memory, 0)
    assert judge.increases(memory, 1)


def test_worst_and_best_are_those_of_the_declared_range():
    noise = sf.problem_of(["x <= 4 : bounded(0, 10)", "y >= 3 : poisson", "z >= 0"], 0.1).noise(1)
    units = np.array([5.0, 1.0, 1.0])
    assert noise.worst.tolist() == pytest.approx((units * [6.0 / 5.0, 3.0, np.inf]).tolist())
    assert noise.best.tolist() == pytest.approx((units * [-4.0 / 5.0, -np.inf, -np.inf]).tolist())


def test_many_waiting_results_are_looked_at_sixteen_times_while_they_double():
    """Before, it was at every sixteenth result, so that what a result took grew with those that waited."""
    looked_at = [waiting for waiting in range(70) if is_due(waiting)]
    assert looked_at == [*range(1, 32), *range(32, 64, 2), 64, 68]
    for few in (16, 37, 1000, 12_345):
        assert sum(map(is_due, range(few, 2 * few))) == 16


def test_a_missing_result_of_a_metric_beyond_doubt_counts_as_nothing():
    noise = sf.problem_of(["x >= 0.5 : bernoulli", "y >= 0 : normal(1)"], 0.1).noise(1)
    written = SimpleNamespace(results=np.full(2, 9.0), results_within=np.full(2, 9.0))
    suppose(written, noise, ACCEPT)
    assert written.results.tolist() == [noise.worst[0], 0.0] == written.results_within.tolist()


@pytest.mark.parametrize("kind", LIMITS)
def test_a_look_that_goes_on_from_the_last_one_decides_what_a_new_one_does(kind):
    """Exactly then, whether a result comes behind the others, fills a gap, or is the one all wait for."""
    rng, went_on, decided = np.random.default_rng(11), 0, 0
    for _ in range(30):
        problem, level = sf.problem_of([LIMITS[kind]], 0.1, goal="all"), float(rng.choice([0.08, 0.3, 0.9]))
        kept, anew = (sf.Search(problem, ["one", "two"]) for _ in range(2))
        line: list[tuple[tuple[float], tuple[()]] | None] = [None, None]
        for _ in range(40):
            gaps = [at for at, one in enumerate(line) if one is None]
            at = int(rng.choice([*gaps, *[len(line)] * 6])) if rng.random() < 0.9 else len(line) + 1
            line += [None] * (at - len(line))
            line[at : at + 1] = [((drawn(rng, kind, level),), ())]
            while line[0] is not None:
                (values, _), line = line[0], line[1:] or [None]
                for search in (kept, anew):
                    search.fold(0, values)
            anew._looks.clear()
            went_on += bool(kept._looks)
            for search in (kept, anew):
                search.hold(0, sum(one is not None for one in line), lambda line=tuple(line): line)
            for name in ("decisions", "rests_on", "memory", "deficits", "more", "pulls"):
                assert np.array_equal(getattr(kept._state, name), getattr(anew._state, name))
            for key in kept._looks.keys() & anew._looks.keys():
                assert all(map(np.array_equal, kept._looks[key].sums, anew._looks[key].sums))
            if kept._state.decisions[0]:
                decided += 1
                break
    assert went_on > 100
    assert decided > 5


@pytest.mark.parametrize(
    "limits", [["median(a) <= 1 ~ 0.2", "p90(b) <= 1 ~ 0.1 : independent"], ["a <= 1", "b <= 1 ~ 0.5"]]
)
def test_what_is_laid_aside_is_brought_back_whole(limits):
    search = sf.Search(sf.problem_of(limits, 0.05), ["x", "y"])
    state, noise = search._state, search._parts.noise
    fields = ("deficits", "deficits_within", "more", "more_within", "memory")
    rng = np.random.default_rng(2)
    for name in fields:
        getattr(state, name)[:] = rng.normal(size=getattr(state, name).shape)
    before, aside = {name: getattr(state, name).copy() for name in fields}, new_aside(state)
    lay_aside(state, noise, aside, 1)
    for name in fields:
        getattr(state, name)[1] = 77.0
    bring_back(state, noise, aside, 1)
    for name in fields:
        assert np.array_equal(getattr(state, name), before[name]), name
