"""A database file runs no code of whoever sent it: neither what it names nor what stands beside it."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import satisfice as sf
from satisfice import catalogue
from tests.helpers.installed import install

OWN = """
from pathlib import Path
from typing import NamedTuple

Path("it-ran").touch()


class Rule(NamedTuple):
    factor: float = 1.0

    def bonus(self, pulls, setting):
        return self.factor / pulls

    def priority(self, shortfall, excess, bonus):
        return bonus - shortfall


class Stopping(NamedTuple):
    factor: float = 9.0

    def width(self, pulls, setting):
        return self.factor * setting.noise_scale


class Noise(NamedTuple):
    scale: float = 1.0
"""
PARTS = {
    "rule": {"rule": "prepared:Rule"},
    "stopping": {"stopping": "prepared:Stopping"},
    "noise": {"thresholds": ["speed >= 1 ~ 0.1 : prepared:Noise(2)"]},
    "noise, with spaces": {"thresholds": ["speed >= 1 ~ 0.1 :\tprepared:Noise (2) "]},
}


@pytest.fixture(params=list(PARTS))
def prepared(request: pytest.FixtureRequest, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of `satisfice`, with a study that names code, and a module of that name beside the file."""
    monkeypatch.chdir(folder)
    (folder / "prepared.py").write_text(OWN)
    with monkeypatch.context() as patch:
        patch.syspath_prepend(folder)
        asked = {"thresholds": ["speed >= 1 ~ 0.1 : normal(1)"], **PARTS[request.param]}
        with sf.create_study(["a", "b"], storage="sqlite:///sent.db", name="sent", **asked) as study:
            study.tell(study.ask(), {"speed": 1.0})
    sys.modules.pop("prepared", None)
    (folder / "it-ran").unlink()
    monkeypatch.setattr(sys, "path", [*sys.path, ""])
    yield folder
    sys.modules.pop("prepared", None)


@pytest.mark.parametrize("command", ["status", "explain", "report", "export", "verify"])
def test_reading_commands_import_nothing_that_a_log_names(command, satisfice, prepared):
    """Before, `status` of a prepared file ran the module that stood beside it."""
    done = satisfice(command, "sqlite:///sent.db")
    assert not (prepared / "it-ran").exists()
    assert done.code == (1 if command == "verify" else 2)
    assert "'prepared:" in done.err
    assert "--trust-code" in done.err


def test_a_worker_runs_nothing_that_stands_in_a_study(satisfice, folder):
    """Values and names of configurations came into the texts of its shells as they were."""
    hostile = "; touch it-ran; $(touch it-ran) '; touch it-ran; '"
    study = {"configs": {hostile: {"x": hostile}}, "thresholds": ["a <= 5 : normal(1)"]}
    sf.create_study(**study, storage=f"sqlite:///{folder}/sent.db").close()
    echo = "echo {x} {config} \"{x}\" \"{config}\" '{x}' '{config}'"
    around = [word for when in ("setup", "prepare", "conclude", "cleanup") for word in (f"--{when}", echo)]
    words = ["worker", "-s", "sqlite:///sent.db", *around, "--max-evaluations", "2"]
    ends = "; echo '{\"a\": 1}'"
    for program in (["--shell", "sh", "--", echo + ends], ["--", "sh", "-c", echo + ends]):
        assert satisfice(*words, *program).code in (0, 4)
    assert not (folder / "it-ran").exists()
    assert sf.load_study("sqlite:///sent.db").counts().told >= 2


def test_such_a_study_is_listed(satisfice, prepared):
    done = satisfice("list", "sqlite:///sent.db")
    assert done.code == 0
    assert "needs prepared:" in done.out
    assert json.loads(satisfice("list", "sqlite:///sent.db", "--json").out)[0]["outcome"] is None
    assert not (prepared / "it-ran").exists()


def test_workers_import_nothing_that_a_log_names(satisfice, prepared):
    done = satisfice("worker", "-s", "sqlite:///sent.db", "--", "true")
    assert done.code == 2
    assert "--trust-code" in done.err
    for use in (sf.load_study, lambda url: sf.work(url, None, dict)):
        with pytest.raises(sf.errors.UntrustedCode, match="trust_code=True"):
            use("sqlite:///sent.db")
    assert not (prepared / "it-ran").exists()


def test_the_current_folder_is_not_where_a_log_is_believed(satisfice, prepared, monkeypatch):
    done = satisfice("status", "sqlite:///sent.db", "--trust-code")
    assert done.code == 2
    assert "PYTHONPATH=." in done.err
    assert not (prepared / "it-ran").exists()
    monkeypatch.syspath_prepend(prepared)
    assert satisfice("status", "sqlite:///sent.db", "--trust-code").code == 4
    assert satisfice("verify", "sqlite:///sent.db", "--trust-code").code == 0
    assert (prepared / "it-ran").exists()


@pytest.mark.parametrize("prepared", ["rule"], indirect=True)
def test_what_the_caller_names_is_trusted(satisfice, prepared):
    thresholds = ["speed >= 1 ~ 0.1 : normal(1)"]
    again = {"storage": "sqlite:///sent.db", "name": "sent", "load_if_exists": True}
    with sf.create_study(["a", "b"], thresholds, rule="prepared:Rule", **again) as study:
        assert study.counts().told == 1
    sys.modules.pop("prepared")
    (prepared / "it-ran").unlink()
    with pytest.raises(sf.errors.OtherStudy, match="prepared:Rule"):
        sf.create_study(["a", "b"], thresholds, rule="pandora", **again)
    assert not (prepared / "it-ran").exists()


def test_a_package_in_the_current_folder_is_not_installed(satisfice, folder, monkeypatch):
    """Before, an entry point beside the file took the place of our own storage or format."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [*sys.path, ""])
    groups = {"storages": "sqlite", "export_formats": "csv", "rules": "swift"}
    install(folder, "prepared", OWN, {group: {name: "Rule"} for group, name in groups.items()})
    sf.create_study(["a"], ["speed >= 1 : normal(1)"], storage="sqlite:///plain.db").close()
    assert satisfice("export", "sqlite:///plain.db").code == 0
    assert satisfice("status", "sqlite:///plain.db").code == 4
    assert catalogue.resolve_storage("sqlite:///plain.db").__name__ == "SQLStorage"
    assert "swift" not in catalogue.installed("satisfice.rules")
    assert not (folder / "it-ran").exists()


def test_reading_leaves_modules_in_the_current_folder_alone(satisfice, folder, monkeypatch):
    """Before, any module that an optional import misses could stand in the current folder."""
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place])
    sf.create_study(["a"], ["speed >= 1 : normal(1)"], storage=f"sqlite:///{folder}/plain.db").close()
    satisfice("status", "sqlite:///plain.db")
    assert "" not in sys.path


FILES = {
    "small.toml": '[simulate]\nrules = ["prepared:Rule"]\nrepetitions = 2\n',
    "stopping.toml": '[simulate]\nstopping = "prepared:Stopping"\nrepetitions = 2\n',
    "noise.toml": "",
}
"""Instance files that name code, by what their last lines are; noise.toml names it in a threshold."""
STUDY = 'thresholds = ["speed >= 1 ~ 0.1 : {noise}"]\n{more}\n[grid]\na = [1, 2]\n[plan]\nrepetitions = 2\n'
PLANS = {
    "rule": {"noise": "normal(1)", "more": 'rule = "prepared:Rule"'},
    "stopping": {"noise": "normal(1)", "more": 'stopping = "prepared:Stopping"'},
    "noise": {"noise": "prepared:Noise(2)", "more": ""},
}


@pytest.fixture
def sent(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of `satisfice`, with files that name a module which stands beside them."""
    (folder / "prepared.py").write_text(OWN.replace('Path("it-ran")', f"Path({str(folder / 'it-ran')!r})"))
    for name, more in FILES.items():
        noise = "prepared:Noise" if name == "noise.toml" else "normal(1)"
        arms = '[arms]\nnames = ["a", "b"]\nmeans = [[1.5], [0.5]]\n'
        (folder / name).write_text(f'thresholds = ["speed >= 1 ~ 0.1 : {noise}"]\n{arms}{more}')
    for name, texts in PLANS.items():
        (folder / f"plan-{name}.toml").write_text(STUDY.format(**texts))
    monkeypatch.setattr(sys, "path", [*sys.path, ""])
    yield folder
    sys.modules.pop("prepared", None)


COMMANDS = [
    *(("simulate", name) for name in FILES),
    *(("bounds", name) for name in FILES),
    *(("plan", f"plan-{name}.toml") for name in PLANS),
]


@pytest.mark.parametrize(("command", "file"), COMMANDS)
def test_what_is_only_simulated_imports_nothing_that_a_file_names(command, file, satisfice, sent):
    """A file from elsewhere ran the module that stood beside it."""
    done = satisfice(command, file)
    assert (done.code, done.out) == (2, "")
    assert f"{file}: The file needs code that comes with neither satisfice nor an installed package: the " in done.err
    assert "'prepared:" in done.err
    assert "--trust-code" in done.err
    done = satisfice(command, file, "--trust-code")
    assert done.code == 2
    assert "PYTHONPATH=." in done.err
    assert not (sent / "it-ran").exists()


def test_a_file_is_read_in_python_without_its_code(sent, monkeypatch):
    for name in FILES:
        with pytest.raises(sf.errors.UntrustedCode, match="trust_code=True"):
            sf.load_instance(sent / name)
    assert not (sent / "it-ran").exists()
    monkeypatch.syspath_prepend(sent)
    assert sf.load_instance(sent / "noise.toml", trust_code=True).instance.arm_names == ("a", "b")
    assert (sent / "it-ran").exists()


@pytest.mark.parametrize(("command", "file"), [("bounds", "small.toml"), ("plan", "plan-rule.toml")])
def test_the_code_of_a_file_runs_where_that_is_said(command, file, satisfice, sent, monkeypatch):
    monkeypatch.syspath_prepend(sent)
    more = ["--repetitions", "0"] if command == "bounds" else ["-n", "2"]
    assert satisfice(command, file, "--trust-code", *more).code == 0
    assert (sent / "it-ran").exists()
