"""A storage from outside the package, in one file: the one of the page, from Python and from the command line."""

import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest

import satisfice as sf
from satisfice.cli import main
from satisfice.errors import StorageError, StudyExists, UnknownName, UnknownStudy
from satisfice.study.storage.protocol import EventLog
from satisfice.testing import check_storage
from tests.helpers.installed import install
from tests.helpers.parts import finish, results_of, study_in

ROOT = Path(__file__).parent.parent.parent
EXAMPLE = (ROOT / "examples/json_lines.py").read_text(encoding="utf-8")
PROGRAM = ["--", "sh", "-c", """echo '{"speed": 3, "loss": 0}'"""]


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A package that somebody installed: a module, and an entry point that gives its storage a scheme."""
    install(tmp_path, "own_lines", EXAMPLE, {"storages": {"json-lines": "JsonLines"}})
    monkeypatch.syspath_prepend(tmp_path)
    return importlib.import_module("own_lines")


@pytest.fixture
def url(own: ModuleType, tmp_path: Path) -> str:
    return f"json-lines://{tmp_path}/studies"


def test_the_page_shows_the_example() -> None:
    page = (ROOT / "docs/how-to/add-a-storage.md").read_text(encoding="utf-8")
    shown = "\n\n\n".join(re.findall(r"^```python\n(.*?)\n^```$", page, re.MULTILINE | re.DOTALL)[:2])
    assert EXAMPLE.rstrip().endswith(shown)


def test_it_keeps_the_contract(own: ModuleType, url: str) -> None:
    check_storage(own.JsonLines(url))


@pytest.mark.parametrize("scheme", ["json-lines", "own_lines:JsonLines"])
def test_a_study_in_it(own: ModuleType, tmp_path: Path, scheme: str) -> None:
    url = f"{scheme}://{tmp_path}/studies"
    study = study_in(url, name="a/b")
    pull = study.ask()
    study.tell(pull, results_of(pull))
    study.tell(pull, results_of(pull))  # which is found in the log, and harmless
    assert finish(study).arm == "good"
    with sf.load_study(url) as again:
        assert again.view().verdict == study.view().verdict
    assert [one.name for one in sf.list_studies(url)] == ["a/b"]
    assert sf.verify(url).ok
    with pytest.raises(StudyExists, match=r"in the folder .* already"):
        study_in(url, name="a/b")
    with pytest.raises(UnknownStudy, match=r"no study 'c' in the folder .*Studies there: 'a/b'"):
        sf.load_study(url, "c")


def test_many_workers_take_turns(url: str) -> None:
    study = study_in(url)
    study.run(results_of, workers=4, with_pull=True)
    assert study.verdict().arm == "good"
    assert sf.verify(url).ok


@pytest.mark.parametrize("lost", [1, 40])
def test_a_step_that_a_crash_cut_off_was_not_taken(url: str, tmp_path: Path, lost: int) -> None:
    study = study_in(url, lease_seconds=0.5)  # after which what was lost is given out again
    finish(study)
    path = tmp_path / "studies" / "study.jsonl"
    path.write_bytes(path.read_bytes()[:-lost])
    again = sf.load_study(url)
    assert again.outcome is sf.Outcome.UNDECIDED
    assert finish(again).arm == "good"
    assert sf.verify(url).ok


def test_from_the_command_line(url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def satisfice(*words: str) -> tuple[int, str]:
        monkeypatch.setattr("sys.argv", ["satisfice", *words])
        with pytest.raises(SystemExit) as left:
            main()
        return left.value.code, capsys.readouterr().out

    thresholds = ["-t", "speed >= 1 : normal(1)", "-t", "loss <= 0.2 : bernoulli"]
    code, out = satisfice("run", "--config", "one", *thresholds, "--quiet", "--storage", url, *PROGRAM)
    assert (code, out.split()[:2]) == (0, ["FOUND", "one"])
    assert satisfice("verify", url)[0] == 0
    assert "FOUND" in satisfice("status", url)[1]


@pytest.mark.parametrize(
    ("address", "error", "words"),
    [
        ("no_such_module:Class://x", UnknownName, "No storage can be imported from 'no_such_module:Class'"),
        ("own_lines:Nothing://x", UnknownName, "Nothing"),
        ("own_lines:JsonLinesLog://x", StorageError, "a class that is made from an address"),
        ("own_lines:Namespace://x", StorageError, "Expected a storage URL"),
    ],
)
def test_what_is_no_storage_is_refused(own: ModuleType, address: str, error: type[Exception], words: str) -> None:
    own.Namespace = lambda address, create: address
    with pytest.raises(error, match=words):
        study_in(address)


def test_the_two_verbs_are_all(own: ModuleType, url: str) -> None:
    log: EventLog = own.JsonLines(url).create("x", next(study_in()._log.read(0)))
    assert {name for name in dir(log) if not name.startswith("_")} == {"read", "extend", "close"}
