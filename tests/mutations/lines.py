"""Which tests run which lines: a plugin of pytest that writes it down (-p tests.mutations.lines --lines-to FOLDER).

Lines that compiled code alone runs are not seen, nor those of other processes, nor what runs when a module is loaded.
"""

import json
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest


class TestRun(NamedTuple):
    """A test, and the seconds that it took."""

    test: str
    seconds: float


class Lines(NamedTuple):
    """Tests, and by file and line the numbers of those that run it."""

    tests: list[TestRun]
    runs: dict[str, dict[int, frozenset[int]]]

    def running(self, path: str, lines: Iterable[int]) -> list[str]:
        """The tests that run one of these lines of a file, the quickest first."""
        by_line = self.runs.get(path, {})
        numbers = frozenset().union(*(by_line.get(line, frozenset()) for line in lines))
        return [one.test for one in sorted((self.tests[number] for number in numbers), key=lambda one: one.seconds)]

    def of(self, tests: set[str]) -> "Lines":
        """The same of these tests alone."""
        left = {number for number, one in enumerate(self.tests) if one.test in tests}
        runs = {path: {line: those & left for line, those in one.items()} for path, one in self.runs.items()}
        return Lines(self.tests, runs)


def read(folder: Path) -> Lines:
    """What the processes of one run of the tests have written down."""
    tests: list[TestRun] = []
    runs: dict[str, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for part in sorted(folder.glob("*.json")):
        content = json.loads(part.read_text())
        first = len(tests)
        tests += [TestRun(*one) for one in content["tests"]]
        for path, by_line in content["runs"].items():
            for line, mask in by_line.items():
                runs[path][int(line)].update(first + number for number in _numbers(int(mask, 16)))
    return Lines(tests, {path: {line: frozenset(those) for line, those in one.items()} for path, one in runs.items()})


def _numbers(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--lines-to", type=Path, help="the folder for what is written down")
    parser.addoption("--lines-of", default="satisfice", help="the package")


def pytest_configure(config: pytest.Config) -> None:
    folder = config.getoption("--lines-to")
    if folder is not None and (hasattr(config, "workerinput") or not config.getoption("numprocesses", None)):
        config.pluginmanager.register(
            _Recorder(Path(folder), config.getoption("--lines-of"))
        )  # one that only hands out tests runs none


class _Recorder:
    """Writes after each file of tests: little is lost where a run does not come to its end."""

    def __init__(self, folder: Path, package: str) -> None:
        self._folder, self._package = folder, Path(str(import_module(package).__file__)).parent
        self._seconds: dict[str, float] = defaultdict(float)
        self._file = Path()
        self._written = 0
        self._start()

    def _start(self) -> None:
        from coverage import Coverage  # noqa: PLC0415 - only a run that records needs it

        self._coverage = Coverage(data_file=None, include=[f"{self._package}/*"], config_file=False)
        self._coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        if item.path != self._file:
            self._write()
            self._start()
            self._file = item.path
        self._coverage.switch_context(item.nodeid)
        done = yield
        self._coverage.switch_context("")
        return done

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.nodeid] += report.duration

    def pytest_sessionfinish(self) -> None:
        self._write()

    def _write(self) -> None:
        self._coverage.stop()
        if not self._seconds:
            return
        numbers = {test: number for number, test in enumerate(self._seconds)}
        data = self._coverage.get_data()
        runs = {
            str(Path(file).relative_to(self._package)): {
                line: f"{sum(1 << numbers[test] for test in tests if test in numbers):x}"
                for line, tests in data.contexts_by_lineno(file).items()
            }
            for file in data.measured_files()
        }
        self._folder.mkdir(parents=True, exist_ok=True)
        tests = [(test, round(seconds, 3)) for test, seconds in self._seconds.items()]
        part = self._folder / f"{os.getpid()}-{self._written}.json"
        part.write_text(json.dumps({"tests": tests, "runs": runs}))
        self._written += 1
        self._seconds.clear()
