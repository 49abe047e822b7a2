"""Threshold strings made of anything."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import satisfice as sf
from satisfice.problem.metric import as_metric
from tests.fuzz.odd import TEXTS, full, quick, works_or_says_why

PIECES = (
    *("a", "latency_ms", "p95(a)", "p99.9(a)", "p0(a)", "p100(a)", "p101(a)", "median(a)", "geomean(a)", "clip(a, 3)"),
    *("share(a <= 2)", "share(a <= baseline)", "p", "p95(", "share(", "clip(", "(", ")", ",", "<=", ">=", "<", ">"),
    *("~", ":", "%", "*", "+", "-", " ", "of", "baseline", "0.98 * baseline", "baseline + 3%", "1", "0", "-1", "1.5"),
    *("1e308", "1e-320", "5e-324", "nan", "inf", "-inf", "1_000", "100", "0.5", "\u0661", "²", "9" * 5000, "1e99999"),
    *("normal", "normal(1)", "normal(1, 2)", "bernoulli", "bounded(0, 1)", "bounded(1, 0)", "bounded", "poisson", "="),
    *(
        "checked",
        "checked(0.1)",
        "spread(1)",
        "independent",
        "subgaussian(2)",
        "normal(1e308)",
        "bounded(-9e307, 9)",
    ),
    *("os:system", "a.b:c", ".:x", "..:x", ":x", "x:", "bernoulli of 10", "bernoulli of 0", "of 1e9", "of 99999999999"),
)
GOOD = ("a <= 5", "a >= 0.5 : bernoulli", "p95(a) <= 100 ~ 5", "a <= 1 : bounded(0, 10)", "a <= baseline + 3%")
THRESHOLDS = st.one_of(
    TEXTS,
    st.lists(st.sampled_from(PIECES), max_size=8).map(" ".join),
    st.builds(lambda head, sign, rest: f"{head} {sign} {' '.join(rest)}", st.sampled_from(PIECES[:14]),
              st.sampled_from(["<=", ">="]), st.lists(st.sampled_from(PIECES), min_size=1, max_size=5)),
    st.builds(lambda good, place, text: good[:place] + text + good[place:], st.sampled_from(GOOD), st.integers(0, 20),
              TEXTS),
)  # fmt: skip


def check_threshold(text):
    """A metric that is one reads back as itself; a study of it can be made, or says why not."""
    metric = works_or_says_why(lambda: as_metric(text))
    if metric is not None:
        assert works_or_says_why(lambda: as_metric(str(metric))) is not None
        baseline = "old" if metric.beside_baseline else None
        works_or_says_why(lambda: sf.create_study(["x"], [text], storage="memory", baseline=baseline))


@quick
@given(THRESHOLDS)
@example("a <= 5 : bernoulli of " + "9" * 5000)
@example("p" + "9" * 5000 + "(a) <= 3")
@example("a <= \ud800")
@example("a\0 <= 3")
@example("a <= 3 : .:x")
@example("a < baseline ++3%")
@example("a >= 0.9 * baseline - -3")
def test_a_threshold_is_read_or_refused_in_sentences(text):
    check_threshold(text)


@pytest.mark.full
@full
@given(THRESHOLDS)
def test_twenty_thousand_thresholds(text):
    check_threshold(text)
