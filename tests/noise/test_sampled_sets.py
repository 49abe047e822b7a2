"""Sets whose answers are sampled: with replacement, independent draws, the evidence of one result."""

import numpy as np
import pytest

import satisfice as sf
from satisfice.errors import InvalidProblem, InvalidSpec
from satisfice.noise import SampledSet
from satisfice.problem.metric import as_metric
from satisfice.simulation.cell import Cell, run_cell

SAMPLED = "x >= 0.85 : bernoulli of 200 sampled"


def test_it_is_written_and_read_back():
    for text in (SAMPLED, "x <= 3 ~ 0.5 : bounded(0, 10) of 20 sampled"):
        metric = as_metric(text)
        assert str(metric) == text
        assert as_metric(metric.exact()) == metric
    assert as_metric("x >= 0.85 :  bernoulli  of 200   sampled ").noise == SampledSet(0.0, 1.0, 200, coins=True)
    assert as_metric(SAMPLED) != as_metric("x >= 0.85 : bernoulli of 200")


@pytest.mark.parametrize("noise", ["bernoulli", "bounded(0, 1)"])
def test_the_evidence_is_that_of_one_result_and_nothing_is_assumed(noise):
    plain, sampled = (
        sf.Search(sf.problem_of([f"x >= 0.8 ~ 0.02 : {noise}{of}"]), ["a", "b"]) for of in ("", " of 50 sampled")
    )
    rng = np.random.default_rng(3)
    for _ in range(120):
        arm, value = "ab"[int(rng.random() < 0.5)], float(rng.random() < 0.8)
        plain.tell(arm, {"x": value})
        sampled.tell(arm, {"x": value})
    assert plain.statuses() == sampled.statuses()
    assert sampled.verdict.condition == ""
    assert "mean over these 50 items of their expected results" in sampled.verdict.assumptions[0]


def test_items_are_drawn_uniformly_and_independently_of_configs():
    """Every item about as often, again and again, and no more alike for two configs than chance has it."""
    study = sf.create_study(["a", "b"], ["x >= 0.5 : bernoulli of 10 sampled"], error_rate=1e-9, seed=5)
    items = [study.spec.items.of(number, number // 2) for number in range(20_000)]
    counts = np.bincount(items, minlength=10)
    assert ((counts - 2_000) ** 2 / 2_000).sum() < 27.9  # chi squared, 9 degrees of freedom, 1 in 1,000
    first, second = np.array(items[0::2]), np.array(items[1::2])
    assert abs((first == second).mean() - 0.1) < 3.3 * (0.09 / 10_000) ** 0.5
    other = sf.create_study(["a"], [SAMPLED], seed=6).spec.items
    assert [other.of(number, 0) for number in range(20)] != [study.spec.items.of(number, 0) for number in range(20)]


def test_an_item_comes_again_and_the_set_never_ends():
    study = sf.create_study(["a"], ["x >= 0.5 : bernoulli of 3 sampled"], error_rate=1e-6)
    pulls = study.ask(40)
    assert len(pulls) == 40
    assert {pull.item for pull in pulls} == {0, 1, 2}
    lost = pulls[7]
    study.release(lost)
    assert study.ask().item == lost.item  # the same evaluation, on the same item


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_a_simulation_draws_as_with_replacement(engine):
    """The same runs as without a set: a simulated item is drawn and answered at once."""
    results = []
    for text in ("x >= 0.5 ~ 0.1 : bernoulli", "x >= 0.5 ~ 0.1 : bernoulli of 40 sampled"):
        problem = sf.problem_of([text])
        instance = sf.Instance.of(problem, sf.arms_for(problem, [[0.5], [0.6]]))
        results.append(run_cell(Cell(instance, sf.Pandora(), sf.Evidence(), 20, 1_000, 1), engine=engine))
    assert np.array_equal(results[0].found, results[1].found)
    assert np.array_equal(results[0].pulls, results[1].pulls)
    assert results[1].pulls.max() > 40


def test_a_plan_knows_sampled_sets():
    thresholds = [SAMPLED, "y <= 3 : bounded(0, 4) of 200 sampled"]
    made = sf.plan(thresholds, 2, spread={"y": 1.0}, repetitions=4, budget=400, engine="interpreted")
    assert made.problem.items == 200


@pytest.mark.parametrize(
    ("thresholds", "sentence"),
    [
        (["x >= 0.5 : bernoulli of 10", "y >= 0.5 : bernoulli of 10 sampled"], "write 'of 10 sampled' for both"),
        (["x >= 0.5 : bernoulli of 10", "x <= 0.9 : bernoulli"], "'x <= 0.9 : bernoulli of 10'"),
    ],
)
def test_limits_that_do_not_go_together(thresholds, sentence):
    with pytest.raises(InvalidProblem, match=sentence):
        sf.problem_of(thresholds)


def test_a_limit_at_the_end_of_the_range_is_never_proven():
    """Of sampled answers, unlike of items that always give the same one."""
    sf.create_study(["a"], ["x >= 1 : bernoulli of 10"])
    with pytest.raises(InvalidProblem, match="can never be proven"):
        sf.create_study(["a"], ["x >= 1 : bernoulli of 10 sampled"])


@pytest.mark.parametrize("of", ["of 6", "of 6 sampled"])
def test_whoever_evaluates_must_see_the_item(of):
    def study():
        return sf.create_study(["a"], [f"x >= 0.5 : bernoulli {of}"])

    for unseeing in (lambda config: {"x": 1}, lambda: {"x": 1}):
        with pytest.raises(InvalidSpec, match=r"set of 6 items.*Write it as evaluate\(config, item\)"):
            study().run(unseeing)
    seen = []
    verdict = study().run(lambda config, item: seen.append(item) or {"x": 1})
    assert verdict.outcome is sf.Outcome.FOUND
    assert set(seen) <= set(range(6))
    assert study().run(lambda pull: {"x": pull.item >= 0}, with_pull=True).outcome is sf.Outcome.FOUND

    async def awaited(config, item):
        return {"x": item >= 0}

    assert study().run(awaited, workers=2).outcome is sf.Outcome.FOUND
    with pytest.raises(InvalidProblem, match=r"search\.ask_item\(\)"):
        sf.Search(sf.problem_of([f"x >= 0.5 : bernoulli {of}"]), ["a"]).ask()
    with pytest.raises(InvalidSpec, match="cannot know the item"):
        sf.assert_passes(lambda: True, f"x >= 0.5 : bernoulli {of}")


def test_functions_by_group_take_the_item_where_there_is_one():
    limits = ["x >= 0.5 : bernoulli of 4 @ quality", "y <= 3 : bounded(0, 4) @ speed"]
    functions = {"quality": lambda config, item: {"x": item >= 0}, "speed": lambda config: {"y": 1.0}}
    assert sf.create_study(["a"], limits).run(functions).outcome is sf.Outcome.FOUND
    with pytest.raises(InvalidSpec, match=r"evaluate\(config, item\)"):
        sf.create_study(["a"], limits).run({**functions, "quality": lambda config: {"x": 1}})
    with pytest.raises(InvalidSpec, match=r"evaluate\(config, groups, item\)"):
        sf.create_study(["a"], limits).run(lambda config, groups: {})
    both = sf.create_study(["a"], limits)
    verdict = both.run(lambda config, groups, item: {"x": item >= 0} if groups == ("quality",) else {"y": 1.0})
    assert verdict.outcome is sf.Outcome.FOUND


@pytest.mark.parametrize("of", ["of 6", "of 6 sampled"])
def test_tables_have_a_column_of_items(of):
    study = sf.create_study([{"n": 1}, {"n": 2}], [f"x >= 0.5 : bernoulli {of}"], error_rate=0.2)
    items = []
    while (pull := study.ask()) is not None:
        items.append(pull.item)
        study.tell(pull, {"x": pull.item % 2})
        if len(items) == 9:
            break
    frame = study.to_dataframe()
    assert frame["item"].tolist() == items == [one.item for one in study.evaluations()]
    assert list(frame.columns).index("item") < list(frame.columns).index("x")
    assert "item" not in sf.create_study(["a"], ["x >= 0.5"]).to_dataframe().columns
