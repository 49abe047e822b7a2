"""The plugin of pytest, in runs of pytest within pytest; and `assert_passes`, which it calls."""

import asyncio
import random
import tomllib
from pathlib import Path

import pytest

import satisfice as sf
from satisfice.errors import InvalidSpec, NotDecided, NotPassed

pytest_plugins = ["pytester"]

PYPROJECT = Path(__file__).parent.parent.parent / "pyproject.toml"
LIMIT = "passed >= 0.9 ~ 0.05 : bernoulli"


def coin(chance, seed=1):
    rng = random.Random(seed)
    return lambda: rng.random() < chance


@pytest.fixture
def run(pytester):
    """Run a test file as somebody would who installed satisfice: outcomes, and what was printed."""

    def inner(code, *words):
        pytester.makepyfile("import random\nimport pytest\nimport satisfice\n" + code)
        blocked = ["-p", "no:satisfice", "-p", "satisfice.pytest_plugin", "-p", "no:xdist", "-p", "no:timeout"]
        return pytester.runpytest_inprocess(*blocked, *words)

    return inner


def test_a_mark_repeats_a_test_until_it_is_certain(run):
    done = run(
        """
        calls = {"good": 0, "bad": 0}
        dice = random.Random(1)

        @pytest.fixture
        def limit():
            return 0.98

        @pytest.mark.satisfice("passed >= 0.9 ~ 0.05 : bernoulli", max_evaluations=200)
        def test_good(limit):
            calls["good"] += 1
            assert dice.random() < limit

        @pytest.mark.satisfice("passed >= 0.9 ~ 0.05 : bernoulli", max_evaluations=200)
        def test_bad():
            calls["bad"] += 1
            if dice.random() < 0.5:
                raise ConnectionError("the server is gone")

        def test_once():
            assert 20 < calls["good"] < 200
            assert 2 < calls["bad"] < 40
        """.replace("\n        ", "\n"),
        "-rA",
        "--junitxml=junit.xml",
    )
    done.assert_outcomes(passed=2, failed=1)
    done.stdout.fnmatch_lines(
        ["*NotPassed: test_bad: passed >= 0.9 ~ 0.05 : bernoulli: rejected after * wrong with probability at most 5 %*"]
    )
    done.stdout.fnmatch_lines(["*ConnectionError: the server is gone*"])
    done.stdout.fnmatch_lines(["*FOUND  test_good *"])
    assert "FOUND  test_good" in Path("junit.xml").read_text(encoding="utf-8")


@pytest.mark.parametrize(("choice", "expected"), [("fail", "failed"), ("skip", "skipped"), ("pass", "passed")])
def test_undecided_is_by_choice(run, choice, expected):
    done = run(
        f"""
@pytest.mark.filterwarnings("default")
@pytest.mark.satisfice("passed >= 0.9 : bernoulli", max_evaluations=5, undecided={choice!r})
def test_short():
    pass
"""
    )
    outcomes = done.parseoutcomes()
    assert outcomes.get(expected) == 1
    assert outcomes.get("warnings", 0) == (choice == "pass")


def test_async_tests_classes_parameters_and_metrics(run):
    done = run(
        """
import asyncio

@pytest.mark.satisfice("passed >= 0.5 ~ 0.2 : bernoulli")
async def test_awaited():
    await asyncio.sleep(0)

class TestAgents:
    @pytest.mark.parametrize("size", [1, 2])
    @pytest.mark.satisfice("seconds <= 3 ~ 1 : bounded(0, 10)")
    def test_of_a_metric(self, size):
        return {"seconds": size}
"""
    )
    done.assert_outcomes(passed=3)


def test_skips_and_mistakes_come_through_at_once(run):
    done = run(
        """
calls = []

@pytest.mark.satisfice("passed >= 0.5 ~ 0.2 : bernoulli")
def test_skipped():
    pytest.skip("not here")

@pytest.mark.satisfice("passed >= 0.5 ~ 0.2 : bernoulli")
def test_misspelt():
    calls.append(1)
    misspelt

def test_once():
    assert len(calls) == 1
"""
    )
    done.assert_outcomes(passed=1, failed=1, skipped=1)
    done.stdout.fnmatch_lines(["*NameError: name 'misspelt' is not defined*"])


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        ("()", "Expected one threshold, or a list of them"),
        ("('passed at least 0.9')", "cannot be"),
        ("('passed >= 0.9 : bernoulli', undecided='maybe')", "'fail', 'skip' or 'pass'"),
    ],
)
def test_a_mark_that_cannot_be_is_said_so(run, mark, said):
    done = run(f"@pytest.mark.satisfice{mark}\ndef test_it():\n    pass\n")
    assert done.parseoutcomes().get("failed") == 1
    done.stdout.fnmatch_lines([f"*{said}*"])


def test_the_mark_is_known_and_the_plugin_has_its_entry_point(run):
    done = run("", "--markers", "--strict-markers")
    done.stdout.fnmatch_lines(["@pytest.mark.satisfice(threshold, max_evaluations=1000*"])
    points = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["entry-points"]
    assert points["pytest11"] == {"satisfice": "satisfice.pytest_plugin"}


def test_whoever_has_no_mark_loads_nothing(run):
    done = run("import sys\nloaded = 'satisfice.study' in sys.modules\ndef test_it():\n    pass\n")
    done.assert_outcomes(passed=1)


def test_what_passes_returns_its_verdict():
    verdict = sf.assert_passes(coin(0.99), LIMIT, max_evaluations=200)
    assert verdict.outcome is sf.Outcome.FOUND


def test_what_does_not_pass_says_why():
    with pytest.raises(
        NotPassed, match=r"passed >= 0\.9 ~ 0\.05 : bernoulli: rejected after \d+ evaluations: passed is"
    ):
        sf.assert_passes(coin(0.6), LIMIT, max_evaluations=200)


def test_what_is_not_certain_fails_unless_one_says_otherwise():
    with pytest.raises(NotDecided, match="UNDECIDED after 4 evaluations"):
        sf.assert_passes(coin(0.99), LIMIT, max_evaluations=4)
    with pytest.warns(UserWarning, match="UNDECIDED after 4 evaluations") as found:
        verdict = sf.assert_passes(coin(0.99), LIMIT, max_evaluations=4, undecided="pass")
    assert verdict.outcome is sf.Outcome.UNDECIDED
    assert found[0].filename == __file__
    with pytest.raises(InvalidSpec, match="got 'maybe'"):
        sf.assert_passes(coin(0.99), LIMIT, undecided="maybe")


def test_exceptions_are_zeros_or_come_through():
    dice = random.Random(3)

    def asserts():
        assert dice.random() < 0.99

    assert sf.assert_passes(asserts, LIMIT, max_evaluations=200).outcome is sf.Outcome.FOUND

    def broken():
        raise KeyError("answer")

    with pytest.raises(KeyError, match="answer"):
        sf.assert_passes(broken, LIMIT)
    with pytest.raises(NotPassed) as told:
        sf.assert_passes(broken, LIMIT, failures=LookupError)
    assert isinstance(told.value.__cause__, KeyError)


def test_coroutines_and_several_limits():
    async def slow():
        await asyncio.sleep(0)
        return {"passed": 1, "usd": 0.001}

    limits = ["passed >= 0.5 ~ 0.2 : bernoulli", "usd <= 0.1 ~ 0.1 : bounded(0, 1)"]
    assert sf.assert_passes(slow, limits, workers=10).outcome is sf.Outcome.FOUND
