"""The plugin of pytest: a mark that repeats a test until it is certain whether it passes often enough.

Loaded by every run of pytest where satisfice is installed, so nothing else is imported before a test has the mark.
"""

import sys
from collections.abc import Generator
from typing import Any

import pytest

MARK = (
    "satisfice(threshold, max_evaluations=1000, error_rate=0.05, undecided='fail', ...): repeat the test until it is "
    "certain that it passes, as in satisfice('passed >= 0.9 ~ 0.05 : bernoulli', max_evaluations=200)."
)
EXAMPLE = "@pytest.mark.satisfice('passed >= 0.9 ~ 0.05 : bernoulli', max_evaluations=200)"


FIRST = pytest.StashKey[dict[tuple[str, str], str]]()
"""Verdicts that failed a test, by its id and phase: a plugin that reruns failed tests gets the same one again."""
NO_RERUN = (
    "Not run again: this test has its verdict, and a rerun would be another chance to pass by luck, beyond the error "
    "rate. Without --reruns, --retries and @pytest.mark.flaky this line goes. The verdict was:"
)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARK)
    config.stash[FIRST] = {}


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    _refuse_rerun(item, "setup")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    _refuse_rerun(item, "call")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keep a failing verdict."""
    report = yield
    if report.failed and call.excinfo is not None and _is_verdict(item, call.when, call.excinfo.value):
        item.config.stash[FIRST].setdefault((item.nodeid, call.when), str(call.excinfo.value))
    return report


def _is_verdict(item: pytest.Item, phase: str, error: BaseException) -> bool:
    """Whether a sequential test ended so: everything that leaves a marked test, and elsewhere `assert_passes`."""
    errors = sys.modules.get("satisfice.errors")  # without it nothing of ours was called
    if errors is None:
        return False
    return isinstance(error, errors.NotPassed | errors.NotDecided) or (
        phase == "call" and item.get_closest_marker("satisfice") is not None
    )


def _refuse_rerun(item: pytest.Item, phase: str) -> None:
    first = item.config.stash[FIRST].get((item.nodeid, phase))
    if first is not None:
        pytest.fail(f"{NO_RERUN}\n{first}", pytrace=False)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> object | None:
    """Run the body of a marked test as often as it takes."""
    mark = pyfuncitem.get_closest_marker("satisfice")
    if mark is None:
        return None
    from satisfice.errors import NotPassed, SatisficeError, StudyStopped  # noqa: PLC0415 - only where it is needed

    if len(mark.args) != 1:
        raise pytest.UsageError(f"Expected one threshold, or a list of them, as in {EXAMPLE}, got {mark.args!r:.80}.")
    try:
        verdict = _repeated(pyfuncitem, mark)
    except (NotPassed, StudyStopped):
        raise
    except SatisficeError as error:
        raise pytest.UsageError(f"The mark of {pyfuncitem.nodeid} cannot be: {error}") from None
    pyfuncitem.user_properties.append(("satisfice", str(verdict)))
    pyfuncitem.add_report_section("call", "satisfice", str(verdict))
    return True


def _repeated(item: pytest.Function, mark: pytest.Mark) -> Any:
    import inspect  # noqa: PLC0415 - only where it is needed

    from satisfice.assertions import assert_passes  # noqa: PLC0415 - only where it is needed

    named = {name: item.funcargs[name] for name in item._fixtureinfo.argnames}

    def body() -> Any:
        return item.obj(**named)

    async def awaited() -> Any:
        return await item.obj(**named)

    test = awaited if inspect.iscoroutinefunction(item.obj) else body
    test.__qualname__ = item.name
    options = {"failures": (Exception, pytest.fail.Exception), **mark.kwargs}
    return assert_passes(test, mark.args[0], **options)
