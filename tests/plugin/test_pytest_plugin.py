"""The plugin of pytest, in runs of pytest within pytest; and `assert_passes`, which it calls."""

import asyncio
import random
import tomllib
from pathlib import Path

import pytest
from scipy.stats import binomtest

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
        reruns = [] if any(word.startswith("--reruns") for word in words) else ["-p", "no:rerunfailures"]
        return pytester.runpytest_inprocess(*blocked, *reruns, *words)

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


MUST_FAIL = """
dice = random.Random(SEED)

@pytest.mark.parametrize("number", range(TIMES))
@pytest.mark.satisfice("passed >= 0.9 : bernoulli", max_evaluations=50)
def test_marked(number):
    assert dice.random() < 0.9
"""


def test_reruns_do_not_raise_the_share_of_wrong_passes(run):
    """With --reruns 3 a gate at its limit, which may pass in 5 %, passed in 16 %."""
    times = 40
    code = MUST_FAIL.replace("SEED", "5").replace("TIMES", str(times))
    once = run(code, "--tb=no").parseoutcomes()
    assert binomtest(once.get("passed", 0), times).proportion_ci(0.999).low <= 0.05
    again = run(code, "--tb=no", "--reruns", "3").parseoutcomes()
    assert (again.get("passed", 0), again["failed"]) == (once.get("passed", 0), once["failed"])


def rejected_after():
    """How often a test that always fails is run until it is rejected."""
    calls = []
    with pytest.raises(NotPassed):
        sf.assert_passes(lambda: calls.append(1) is not None, "passed >= 0.9 : bernoulli", max_evaluations=50)
    return len(calls)


RERUN = """
calls = []

@pytest.fixture
def healthy():
    satisfice.assert_passes(lambda: calls.append("fixture") is not None, "passed >= 0.9", max_evaluations=50)

@pytest.mark.flaky(reruns=2)
@pytest.mark.satisfice("passed >= 0.9", max_evaluations=50)
def test_marked():
    calls.append("marked")
    assert False

def test_by_function():
    satisfice.assert_passes(lambda: calls.append("function") is not None, "passed >= 0.9", max_evaluations=50)

def test_by_fixture(healthy):
    pass

def test_of_another_kind():
    calls.append("plain")
    assert calls.count("plain") == 3

def test_once():
    assert 0 < calls.count("marked") < 50
    assert calls.count("marked") == calls.count("function") == calls.count("fixture")
"""


def test_a_rerun_gets_the_first_verdict_and_nothing_is_evaluated_again(run):
    """By mark, function and fixture; what is not ours is rerun as before."""
    done = run(RERUN, "--reruns", "2", "-rA")
    done.assert_outcomes(passed=2, failed=2, errors=1)
    assert done.parseoutcomes()["rerun"] == 8
    done.stdout.fnmatch_lines(
        ["*Not run again: this test has its verdict*", "*test_marked: passed >= 0.9 : bernoulli: re*"]
    )


def test_any_plugin_that_calls_a_test_again_gets_the_first_verdict(run, pytester):
    """As pytest-retry and flaky do it: the hooks of the phases once more."""
    pytester.makeconftest("""
import pytest

@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    for _ in range(3):
        item._initrequest()
        hook, seen = item.ihook, []
        for phase, call in (("setup", hook.pytest_runtest_setup), ("call", hook.pytest_runtest_call)):
            info = pytest.CallInfo.from_call(lambda: call(item=item), when=phase)
            seen.append(hook.pytest_runtest_makereport(item=item, call=info))
        item.session._setupstate.teardown_exact(None)
        if not any(report.failed for report in seen):
            break
    for report in seen:
        hook.pytest_runtest_logreport(report=report)
    return True
""")
    done = run(
        """
calls, plain = [], []

@pytest.mark.satisfice("passed >= 0.9 : bernoulli", max_evaluations=50)
def test_marked():
    calls.append(1)
    assert False

def test_of_another_kind():
    plain.append(1)
    assert len(plain) == 3

def test_once():
    assert calls == [1] * FEW
""".replace("FEW", str(rejected_after()))
    )
    done.assert_outcomes(passed=2, failed=1)


def test_passed_alone_is_zeros_and_ones():
    """It was undeclared, which needs a dict, and for 0 and 1 never came to an end."""
    verdict = sf.assert_passes(coin(0.99), "passed >= 0.9 ~ 0.05", max_evaluations=200)
    assert verdict == sf.assert_passes(coin(0.99), LIMIT, max_evaluations=200)
    both = ["passed >= 0.5 ~ 0.2", "usd <= 0.1 ~ 0.1 : bounded(0, 1)"]
    assert sf.assert_passes(lambda: {"passed": 1, "usd": 0.0}, both).outcome is sf.Outcome.FOUND
    with pytest.raises(NotPassed, match=r"<lambda>: passed >= 0\.9 : bernoulli: rejected"):
        sf.assert_passes(lambda: False, "passed >= 0.9")
    with pytest.raises(sf.SatisficeError, match="mapping"):
        sf.assert_passes(lambda: True, "seconds >= 0.9")


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
