"""Undeclared noise: its sums against direct computation, its cap, its interval, and what it says."""

from math import exp, inf, log, sqrt

import numpy as np
import pytest
from scipy.stats import skew

import satisfice as sf
from satisfice.errors import InvalidProblem, InvalidThreshold
from satisfice.noise import checked
from satisfice.noise.checked import CHECKED, LATE, Checked, evaluations_for
from satisfice.noise.half_student import log_evidence_student
from satisfice.noise.intervals import lower_limit_student
from satisfice.noise.tails import ABOVE, BELOW, COUNT, HIGH, LOW, MEAN, SECOND, THIRD, different
from tests.equivalence import naive_evidence

SHAPES = {
    "normal": lambda rng, n: rng.normal(size=n),
    "lognormal": lambda rng, n: rng.lognormal(sigma=1.0, size=n),
    "first is far off": lambda rng, n: np.concatenate([[1e6], rng.normal(size=n - 1)]),
    "integers": lambda rng, n: rng.poisson(3.0, n).astype(float),
}


def folded(results, numbers=(0.0, 1.0, 0.1, 3.0, 0.0, 0.0)):
    more = np.zeros(checked.EXTRA)
    for value in results:
        more[0] += value * value
        checked.fold(more, value, 1.0, np.array(numbers))
    return more


def search_of(threshold, results, **given):
    search = sf.Search(sf.problem_of([threshold], **given), ["a"])
    for value in results:
        search.fold(0, (float(value),))
    return search


@pytest.mark.parametrize("unit", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("away", [0.0, 1e6])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_sums_are_those_of_direct_computation(shape, away, unit):
    """Also where all results lie far from their threshold."""
    results = unit * SHAPES[shape](np.random.default_rng(1), 300)
    more = folded(results + unit * away)
    around = results - results.mean()
    assert more[COUNT] == 300
    assert more[MEAN] == pytest.approx(results.mean() + unit * away, rel=1e-12, abs=unit * 1e-9)
    assert more[SECOND] == pytest.approx((around**2).sum(), rel=1e-9)
    assert more[THIRD] == pytest.approx((around**3).sum(), rel=1e-5, abs=1e-6 * (abs(around) ** 3).sum())
    assert [more[LOW], more[HIGH]] == [results.min() + unit * away, results.max() + unit * away]
    before = np.cumsum(results)[:-1] / np.arange(1, 300)
    residuals = (results[1:] - before) * np.sqrt(np.arange(1, 300) / np.arange(2, 301))
    assert (residuals**2).sum() == pytest.approx((around**2).sum(), rel=1e-9)
    for place, side in ((ABOVE, 1.0), (BELOW, -1.0)):
        cubes = np.maximum(side * residuals, 0.0) ** 3
        assert more[place] == pytest.approx(cubes.sum(), rel=1e-5, abs=1e-6 * (abs(residuals) ** 3).sum())


def evidence(name, results, tolerance=0.0, rarest=0.1):
    numbers = np.array([tolerance, 1.0, -log(1 - rarest), sqrt(checked.PULLS_PER_SKEWNESS), 0.0, -log(1 - rarest / 6)])
    more = folded(results, numbers)
    return getattr(CHECKED, name)(len(results), float(np.sum(results)), more, numbers, 1.0)


def asked_by_tails(results):
    """For a claim that small results endanger."""
    return naive_evidence.asked_by_tails(results.tolist(), sign_is_known=False)


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("tolerance", [0.0, 0.5])
def test_evidence_is_students_of_a_variance_that_counts_more_by_skewness(side, tolerance):
    """A long tail counts on the failing side for accepting, on the passing side for rejecting."""
    by = set()
    for seed in range(120):
        rng = np.random.default_rng(seed)
        sigma = rng.choice([0.5, 1.0])
        results = side * (rng.lognormal(sigma=sigma, size=rng.integers(5, 400)) - rng.uniform(0.8, 2.0))
        n, g = len(results), float(skew(results))
        for name, away, skewed in (("within", tolerance - results, g), ("below", results, -g)):
            found, asked = evidence(name, results, tolerance), asked_by_tails(away)
            unseen, rarer = (-n * log(1 - share) - log(2) for share in (0.1, 0.1 / 6))
            tail = max(skewed, asked)
            times = max(1.0, checked.PULLS_PER_SKEWNESS * found**2 * tail**2 / n) if tail > 0 and found > 0 else 1.0
            around = times * away.var() + away.mean() ** 2
            student = log_evidence_student(n, sqrt(n) * float(away.mean()) / sqrt(float(around)), LATE)
            trusted = sqrt(n / checked.PULLS_PER_SKEWNESS) / skewed if skewed > 0 else inf
            assert found <= max(trusted, rarer) + 1e-9
            assert found == pytest.approx(min(student, unseen, max(trusted, rarer)), rel=1e-9)
            rarely = student > found + 1e-9
            why = "tails" if asked > skewed else "shape"
            by.add("seen" if found == unseen else "rarer" if rarely else why if times > 1 else "all")
    assert by == {"seen", "rarer", "shape", "tails", "all"}


@pytest.mark.parametrize("sigma", [0.3, 0.8, 1.5])
def test_evidence_is_that_of_the_plain_twin(sigma):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        results = rng.lognormal(sigma=sigma, size=rng.integers(5, 800)) - rng.uniform(1.0, 4.0)
        plain = naive_evidence.by_shape([-x for x in results.tolist()], 0.0)
        assert max(0.0, evidence("within", results)) == pytest.approx(max(0.0, plain), rel=1e-8, abs=1e-8)


def test_a_margin_with_room_for_it_bears_a_long_tail():
    """A program of 10 ms with outliers of 40 is known to take less than 200 without thousands of runs."""
    rng = np.random.default_rng(3)
    times = np.where(rng.random(220) < 0.05, 40.0, 10.0) + rng.exponential(1.0, 220)
    assert float(skew(times)) > 3.0
    assert search_of("ms <= 200", times).verdict.outcome == "FOUND"
    assert search_of("ms <= 200", times[:219]).verdict.outcome == "UNDECIDED", (
        "what happens in one of 60 may be unseen in 219"
    )
    assert search_of("ms <= 14", times).verdict.outcome == "UNDECIDED"


@pytest.mark.parametrize("level", [log(20), log(200), 8.0])
def test_enough_is_what_the_evidence_says(level):
    numbers = np.array([0.1, 1.0, -log(0.9), sqrt(checked.PULLS_PER_SKEWNESS), 0.0, -log(1 - 0.1 / 6)])
    told = set()
    for seed in range(300):
        rng = np.random.default_rng(seed)
        sigma = rng.choice([0.2, 0.8])
        results = rng.choice([-1.0, 1.0]) * (rng.lognormal(sigma=sigma, size=rng.integers(5, 500)) - 1.02) - 0.6 * sigma
        sums = len(results), float(results.sum()), folded(results, numbers), numbers, 1.0
        for side in ("within", "below"):
            now = getattr(CHECKED, side)(*sums)
            need = getattr(CHECKED, f"needed_{side}")(len(results), level, numbers)
            enough = bool(getattr(CHECKED, f"enough_{side}")(*sums, need))
            assert abs(now - level) < 1e-6 or enough == (now >= level)
            assert getattr(CHECKED, f"most_{side}")(*sums) >= now
            told.add(enough)
    assert told == {True, False}


def test_what_was_seen_of_the_shape_caps_the_level():
    """What happens in a tenth of the evaluations is not seen in 30 of them with probability .9^30: half the error."""
    assert exp(-evidence("within", np.linspace(-3, -2, 30))) == pytest.approx(2 * 0.9**30)
    assert exp(-evidence("within", np.linspace(-3, -2, 50), rarest=0.02)) == pytest.approx(2 * 0.98**50)


@pytest.mark.parametrize(
    "results", [[-1.0] * 500, [-1.0, -2.0] * 500, [0.0] * 50, [-0.3, -0.1 - 0.2, -0.30000000000000004] * 50]
)
def test_few_different_values_are_no_evidence(results):
    assert evidence("within", np.array(results)) <= 0.0
    assert evidence("below", -np.array(results)) <= 0.0
    assert values_of(results) < 3


def values_of(results):
    return different(folded(results), np.zeros(6))


@pytest.mark.parametrize("jitter", [1e-15, 1e-12, 1e-9, 1e-6])
@pytest.mark.parametrize("first", [1, 40, 400])
def test_a_jitter_makes_no_further_values(first, jitter):
    """Of zeros and ones; that of rounding makes none of a constant either."""
    rng = np.random.default_rng(1)
    coin = np.where(np.arange(800) < first, 1.0, 1.0 * (rng.random(800) < 0.9))
    results = coin + jitter * rng.normal(size=800)
    assert values_of(results) == 2
    assert evidence("below", results) <= 0.0
    if jitter <= 1e-12:
        assert values_of(500.0 + jitter * rng.normal(size=100)) == 1
    told = " ".join(search_of("x >= 0.9", results.tolist()).warnings())
    assert first > 1 or ("was 0 or 1 in all 800 results" in told and "declare it bernoulli" in told)


@pytest.mark.parametrize("far", [10.0, 1e3])
def test_clusters_with_a_spread_of_their_own_are_more_than_two_values(far):
    rng = np.random.default_rng(2)
    assert values_of(np.where(rng.random(200) < 0.1, far, 0.0) + rng.normal(size=200)) == 3


def test_rounded_results_with_different_values_are_evidence():
    assert evidence("within", np.round(np.random.default_rng(2).normal(-5.0, 1.0, 200))) > 15.0


@pytest.mark.parametrize("size", [1e-150, 1e-110, 1e110, 1e150])
def test_sums_without_digits_are_no_evidence(size):
    assert evidence("within", size * np.random.default_rng(2).normal(-5.0, 1.0, 100)) <= 0.0


def test_an_interval_is_the_inversion_of_the_evidence():
    """A side with a long tail is wider."""
    rng = np.random.default_rng(4)
    times = rng.lognormal(sigma=1.0, size=300)
    skewed = search_of("x <= 3", times).status(0).intervals[0]
    turned = search_of("x <= 3", -times).status(0).intervals[0]
    assert turned.low == pytest.approx(-skewed.high, rel=1e-9)
    assert turned.high == pytest.approx(-skewed.low, rel=1e-9)
    assert skewed.high - times.mean() > 1.5 * (times.mean() - skewed.low) > 0.0
    results = rng.normal(10.0, 1.0, 80)
    plain = search_of("x <= 12", results).status(0).intervals[0]
    squares = float(((results - results.mean()) ** 2).sum())
    assert plain.low == pytest.approx(lower_limit_student(80, 0.0, squares, results.mean(), log(40), LATE), rel=1e-9)
    declared = search_of("x <= 12 : normal", results).status(0).intervals[0]
    assert declared.low < plain.low < plain.high < declared.high
    few, enough = (search_of("x >= 12", results[:pulls]).status(0).intervals[0] for pulls in (41, 42))
    assert few == (-inf, inf), "0.9^41 is more than half of 0.025"
    assert -inf < enough.low < enough.high < inf


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_results_of_one_sign_have_no_long_tail_towards_zero(sign):
    """A claim that small latencies endanger waits for no tail that cannot be, and the verdict says why."""
    results = sign * np.random.default_rng(3).lognormal(sigma=1.0, size=60)
    own = search_of("x <= 0.4" if sign > 0 else "x >= -0.4", results)
    assert own.verdict.outcome == "NONE"
    words = f"x has no rarer long tail than was seen and x is never {'negative' if sign > 0 else 'positive'}"
    assert own.verdict.condition == words
    shifted = search_of("x <= -4.6" if sign > 0 else "x >= 4.6", results - 5.0 * sign)
    assert shifted.verdict.outcome == "UNDECIDED", "with both signs a tail that has not shown itself is feared"
    assert shifted.verdict.condition == "x has no rarer long tail than was seen"
    passing = search_of("x <= 100" if sign > 0 else "x >= -100", np.tile(results, 4))
    assert passing.verdict.outcome == "FOUND"
    assert passing.verdict.condition == "x has no rarer long tail than was seen", "the tail that is feared has no end"


@pytest.mark.parametrize("h", [0.3, 1.0, 1.7, 4.0])
def test_no_law_that_is_never_negative_is_skewed_further_downwards(h):
    """The two-valued law with mean h sds above zero, one of whose values is zero, has the skewness 1/h - h."""
    zero = 1.0 / (1.0 + h * h)
    values, shares = np.array([0.0, h + 1.0 / h]), np.array([zero, 1.0 - zero])
    assert shares @ values == pytest.approx(h)
    assert shares @ (values - h) ** 2 == pytest.approx(1.0)
    assert shares @ (values - h) ** 3 == pytest.approx(1.0 / h - h)
    rng = np.random.default_rng(1)
    for _ in range(200):
        values, shares = rng.exponential(size=5) ** 3, rng.dirichlet(np.ones(5))
        z = (values - shares @ values) / sqrt(shares @ (values - shares @ values) ** 2)
        away = -float(z[0] - values[0] / sqrt(shares @ (values - shares @ values) ** 2))
        assert shares @ z**3 >= 1.0 / away - away - 1e-9


@pytest.mark.parametrize("direction", ["<=", ">="])
@pytest.mark.parametrize("theta", [9.6, 9.9, 10.1, 10.4])
def test_a_limit_is_where_evidence_begins(direction, theta):
    results = np.random.default_rng(5).gamma(16.0, 1.0 / 16.0, 300) + 9.0
    search = search_of(f"x {direction} {theta}", results, error_rate=0.025)  # as much as a side of the interval has
    interval = search_of(f"x {direction} {theta}", results, error_rate=0.05).status(0).intervals[0]
    beyond = interval.high <= theta if direction == "<=" else interval.low >= theta
    assert (search.status(0).accept_progress[0] >= 1.0) == beyond


def test_a_skewed_metric_says_what_it_waits_for():
    results = 90.0 * np.random.default_rng(1).lognormal(-1.125, 1.5, 60)
    (words,) = search_of("latency_ms <= 100", results).warnings()
    assert words.startswith("latency_ms of a is skewed (")
    assert "after 60 results): about " in words
    assert "evaluations for a mean; p95(latency_ms), pairs with a baseline or spread(SD) may need fewer." in words


def test_two_long_tails_say_what_they_wait_for():
    results = np.random.default_rng(2).standard_t(2, 60)
    (words,) = search_of("gain <= 0.5", results - abs(float(results.mean()))).warnings()
    assert words.startswith("gain of a has long tails (60 results): about ")
    assert "evaluations for a mean; p95(gain), pairs with a baseline or spread(SD) may need fewer." in words


def test_a_tail_that_endangers_nothing_is_not_mentioned():
    results = 90.0 * np.random.default_rng(0).lognormal(-0.5, 1.0, 60)
    assert search_of("latency_ms <= 60 ~ 0.1", results).warnings() == (), "it fails, and slow results say so"


@pytest.mark.parametrize(
    ("results", "threshold", "declare"),
    [
        ([1.0, 0.0, 1.0, 1.0] * 5, "x >= 0.5", "x was 0 or 1 in all 20 results: "),
        ([1.0] * 20, "x >= 0.95", "declare it bernoulli"),
        ([84.0] * 20, "x <= 100", "x was 84 in all 20 results: if it is always the same, declare it exact."),
        ([84.0, 85.0] * 10, "x <= 100.1", "declare bounded(LOW, HIGH)."),
        ([1 / 3, 2 / 3] * 10, "x <= 0.9", "was 0.333333 or 0.666667 in all 20 results"),
    ],
)
def test_few_values_say_what_to_declare(results, threshold, declare):
    (words,) = search_of(threshold, results).warnings()
    assert declare in words
    assert search_of(threshold, results[:4]).warnings() == ()


def test_a_mean_right_at_its_limit_is_looked_at_as_one_that_passes():
    results = [0.0] * 90 + [1.0] * 8 + [46.0] * 2
    (words,) = search_of("x <= 1 ~ 1.5", results).warnings()
    assert words.startswith("x of a is skewed (")


def test_normal_results_wait_for_nothing():
    """At most one in a thousand searches may say otherwise."""
    rng = np.random.default_rng(6)
    told = [search_of("x <= 10", rng.normal(9.99, 3.0, n)).warnings() for n in (20, 60, 300) for _ in range(150)]
    assert not any(told)


def test_it_is_what_nobody_wrote():
    assert sf.problem_of(["x <= 1"]).metrics[0].noise == Checked()
    assert sf.Metric("x", 1.0).noise == Checked()
    assert sf.problem_of(["x <= 1 : checked(0.02)"]).metrics[0].noise == Checked(0.02)
    assert [str(Checked(0.02)), str(Checked())] == ["checked(0.02)", "checked"]
    assert "1 in 50 evaluations" in search_of("x <= 1 : checked(0.02)", []).verdict.assumptions[0]


@pytest.mark.parametrize("share", [0.0, -0.1, 0.2, float("nan")])
def test_a_share_that_makes_no_sense(share):
    with pytest.raises(InvalidProblem, match=r"expects a number above 0 and at most 0\.1"):
        sf.Metric("x", 1.0, noise=Checked(share))
    if share > 0.0:
        with pytest.raises(InvalidThreshold, match=r"above 0 and at most 0\.1"):
            sf.problem_of([f"x <= 1 : checked({share})"])


@pytest.mark.parametrize("margin", [0.1, 0.3, 0.7])
@pytest.mark.parametrize("tails", [0.0, 2.0])
@pytest.mark.parametrize("skewed", [0.0, 1.0, 4.0, 12.0])
def test_how_many_results_it_takes_is_where_the_evidence_is_enough(skewed, tails, margin):
    """As many as give evidence by their plain definition, for results of just that mean, spread and shape."""
    level, shares = log(20.0), (0.1, 0.1 / 6)

    def enough(n):
        by_skewness, by_both = (
            max(1.0, checked.PULLS_PER_SKEWNESS * (level * each) ** 2 / n) for each in (skewed, max(skewed, tails))
        )
        seen, rarer = (-n * log(1 - share) - log(2) >= level for share in shares)
        student = log_evidence_student(n, sqrt(n) * margin / sqrt(by_both + margin**2), LATE)
        return student >= level and seen and (rarer or by_skewness == 1.0)

    fewest = next(n for n in range(2, 200_000) if enough(n))
    assert evaluations_for(level, skewed, margin, tails=tails) == pytest.approx(fewest, rel=0.03)
