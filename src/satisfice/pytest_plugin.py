"""The plugin of pytest: a mark that repeats a test until it is certain whether it passes often enough.

Loaded by every run of pytest where satisfice is installed, so nothing else is imported before a test has the mark.
"""

from typing import Any

import pytest

MARK = (
    "satisfice(threshold, max_evaluations=1000, error_rate=0.05, undecided='fail', ...): repeat the test until it is "
    "certain that it passes, as in satisfice('passed >= 0.9 ~ 0.05 : bernoulli', max_evaluations=200)."
)
EXAMPLE = "@pytest.mark.satisfice('passed >= 0.9 ~ 0.05 : bernoulli', max_evaluations=200)"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARK)


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
