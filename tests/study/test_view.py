"""A view: everything that is shown of a study, read once, at one position of its log."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

import satisfice as sf
from satisfice.cli.export_formats import config_table
from satisfice.search.report import ArmSums, Report
from satisfice.show.as_json import study_document
from satisfice.show.live import live_view
from satisfice.show.status import print_status
from satisfice.show.watch import Watch
from satisfice.study.events import Event
from satisfice.study.storage.memory import MemoryLog, MemoryStorage
from satisfice.study.study import Study
from satisfice.web.document import workers_of
from satisfice.web.report import report
from satisfice.web.service import metrics
from tests.helpers.parts import finish, results_of, study_in


class BusyLog(MemoryLog):
    """Counts how often it is read; after each time another process tells one more result."""

    def __init__(self, first: Event) -> None:
        super().__init__(first)
        self.reads: list[int] = []
        self.other: Study | None = None

    def read(self, after: int) -> Iterator[Event]:
        self.reads.append(after)
        rows = list(super().read(after))
        if self.other is not None:
            other, self.other = self.other, None
            pull = other.ask()
            assert pull is not None
            other.tell(pull, results_of(pull))
            self.other = other
        return iter(rows)


class BusyStorage(MemoryStorage):
    def create(self, name: str, first: Event) -> MemoryLog:
        return self._logs.setdefault(name, BusyLog(first))


@pytest.fixture
def busy() -> tuple[Study, BusyLog]:
    """A study of which another process tells a result whenever its log was read."""
    storage = BusyStorage()
    study = study_in(storage, configs=["slow", "lossy", "slow 2"], goal="all", error_rate=1e-6)
    for pull in study.ask(30):
        study.tell(pull, results_of(pull))
    study.ask(2)
    log = study._log
    assert isinstance(log, BusyLog)
    other = sf.load_study(storage)
    other.view()
    log.reads.clear()
    log.other = other
    return study, log


def test_one_document_reads_the_log_once_and_agrees_with_itself(busy: tuple[Study, BusyLog]) -> None:
    study, log = busy
    said = study_document(study.view())
    assert len(log.reads) == 1
    json.dumps(said)
    assert said["evaluations"] == said["counts"]["folded"] == sum(one["evaluations"] for one in said["configs"]) == 30
    assert said["counts"]["outstanding"] == 2
    again = study_document(study.view())
    assert again["counts"]["told"] > said["counts"]["told"]
    assert again["evaluations"] == again["counts"]["folded"] == sum(one["evaluations"] for one in again["configs"])


def test_one_frame_reads_the_log_once(busy: tuple[Study, BusyLog], capsys: pytest.CaptureFixture[str]) -> None:
    study, log = busy
    view = study.view()
    moment = Watch(view, None).moment(sf.RunProgress(study, view, ()))
    live_view(moment, Console(width=120, height=40))
    print_status(view)
    config_table(view)
    for name in view.configs:
        assert str(view.explain(name).evaluations) in view.explain(name).text
    assert len(log.reads) == 1
    assert sum(status.pulls for status in moment.statuses) == view.verdict.evaluations == 30
    assert "30 evaluations recorded; 2 running" in capsys.readouterr().out


def test_with_a_verdict_nobody_is_said_to_be_at_work(capsys: pytest.CaptureFixture[str]) -> None:
    """Before, what was under way at the verdict was running for ever, in every table and for whoever scraped it."""
    study = sf.create_study(["a"], ["x >= 0.5 : bernoulli"], storage="memory")
    *told, _, _ = study.ask(40)
    assert study.view().running == {"a": 40}
    for pull in told:
        study.tell(pull, {"x": 1.0})
    view = study.view()
    assert (view.outcome, view.counts.outstanding, view.running) == (sf.Outcome.FOUND, 2, {})
    print_status(view)
    shown = capsys.readouterr().out
    assert "2 have not come" in " ".join(shown.split())
    assert "running" not in shown
    assert workers_of(view) == []
    assert 'satisfice_outstanding{study="' + study.name + '"} 0' in metrics([view])


def test_one_report_is_about_one_position(busy: tuple[Study, BusyLog]) -> None:
    study, log = busy
    position = log._rows[-1][0]
    page = report(study)
    assert log.reads == [position, 0]  # what is new, and once all that happened until then
    assert "30 evaluations of 3 configurations" in page
    assert study.view().counts.told > 30


def test_a_run_reports_what_agrees(busy: tuple[Study, BusyLog]) -> None:
    study, _ = busy
    seen: list[tuple[int, int]] = []

    def look(progress: sf.RunProgress) -> None:
        statuses = progress.view.statuses
        seen.append((progress.verdict.evaluations, sum(status.pulls for status in statuses)))

    study.run(results_of, with_pull=True, max_evaluations=120, on_progress=look)
    assert len(seen) > 1
    assert all(counted == summed for counted, summed in seen)


def test_a_view_stays_as_it_is_while_the_study_goes_on() -> None:
    study, same = study_in(), study_in()
    for one in (study, same):
        for pull in one.ask(20):
            one.tell(pull, results_of(pull))
    view = study.view()
    finish(study)
    assert study.view().position > view.position
    assert view.outcome is sf.Outcome.UNDECIDED
    assert view.verdict == same.verdict()
    assert view.statuses == same.statuses()
    assert view.evaluations == same.view().evaluations
    assert [str(view.explain(name)) for name in view.configs] == [str(same.explain(name)) for name in same.configs]
    assert view.head != study.view().head


def test_a_view_outlives_its_study(sqlite: str, tmp_path: Path) -> None:
    with study_in(sqlite) as study:
        finish(study)
        view = study.view()
    (tmp_path / "study.db").unlink()
    assert view.verdict.arm == "good"
    assert "accepted" in str(view.explain("good"))


def test_what_is_outstanding_stays_too() -> None:
    study = study_in()
    pull = study.ask()
    view = study.view()
    study.release(pull)
    assert [one.worker is None for one in view.outstanding] == [False]
    assert [one.worker is None for one in study.outstanding()] == [True]
    assert [one.pull.id for one in view.outstanding] == [pull.id]


def test_many_configs_cost_a_view_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is known of a config, whose intervals take milliseconds, is computed when somebody asks for it."""
    study = study_in(configs=[f"good {place}" for place in range(20_000)])
    study.exchange([(pull, results_of(pull)) for pull in study.ask(200)])
    computed, status = list[str](), Report.status

    def noted(self: Report, name: str, sums: ArmSums, decision: int) -> sf.ArmStatus:
        computed.append(name)
        return status(self, name, sums, decision)

    monkeypatch.setattr(Report, "status", noted)
    view = study.view()
    assert computed == []
    assert view.status("good 5").name == "good 5"
    assert computed == ["good 5"]
    assert view.status("good 5").pulls == view.evaluations["good 5"]


DIES = """
import os, sys
import satisfice as sf
sf.load_study(sys.argv[1]).run(lambda config: os._exit(3))
"""


def test_nor_is_who_is_gone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Before, what a killed worker had asked for was running until somebody asked again."""
    url = f"sqlite:///{tmp_path}/study.db"
    study = sf.create_study(["a"], ["x >= 0.5 : bernoulli"], storage=url)
    assert subprocess.run([sys.executable, "-c", DIES, url], check=False).returncode == 3
    view = study.view()
    assert (view.counts.outstanding, view.running, view.at_work, view.deserted) == (1, {}, (), 1)
    print_status(view)
    assert "0 evaluations recorded; 1 whose worker is gone" in " ".join(capsys.readouterr().out.split())
    assert study.ask() is not None
    assert (study.view().running, study.view().deserted) == ({"a": 1}, 0)
