"""What is known of a program by waiting for its end: times, memory, exit code."""

import os
import signal
import sys

import pytest

from satisfice.command import CommandEvaluation
from satisfice.command.around import Around
from satisfice.command.output import SELF_MEASURED
from satisfice.errors import EvaluationFailed, NotMeasured
from tests.helpers.programs import in_proc, python, run, shell

on_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux counts the memory of whoever starts a program"
)

BURN = "import time\nwhile time.process_time() < 0.3: pass\n"
MEGABYTES = 40
TAKES = f"taken = b'x' * {MEGABYTES * 10**6}\n"


def test_all_of_them_need_no_output():
    found = run(python(BURN, metrics=list(SELF_MEASURED)))
    assert list(found) == list(SELF_MEASURED)
    assert 0.28 < found["user_time"] + found["system_time"] == found["cpu_time"]
    assert found["wall_time"] > 0.28
    assert found["exit_code"] == 0


def test_sleeping_takes_no_processor_time():
    found = run(CommandEvaluation(["sleep", "0.3"], ["cpu_time", "wall_time"]))
    assert found["cpu_time"] < 0.2
    assert found["wall_time"] >= 0.3


def test_what_the_program_waits_for_is_its_own_and_what_is_around_it_is_not():
    evaluation = CommandEvaluation(
        ["sh", "-c", f"{sys.executable} -c '{BURN}'"],
        ["cpu_time"],
        around=Around({"prepare": f"{sys.executable} -c '{BURN.replace('0.3', '1.5')}'"}),
    )
    assert 0.28 < run(evaluation)["cpu_time"] < 1.4


@on_linux
def test_memory_is_the_programs_and_not_that_of_whoever_starts_it():
    """A program of a megabyte was as large as this process, which has numpy in it and more."""
    here = bytearray(os.urandom(1 << 20) * 100)
    assert run(CommandEvaluation(["true"], ["max_rss_mb"]))["max_rss_mb"] < 30
    large = run(python(TAKES, metrics=["max_rss_mb"]))["max_rss_mb"]
    child = run(CommandEvaluation(["sh", "-c", f'{sys.executable} -c "{TAKES}"'], ["max_rss_mb"]))["max_rss_mb"]
    assert MEGABYTES < large < MEGABYTES + 40
    assert MEGABYTES < child < MEGABYTES + 40
    assert len(here) == 100 << 20


MEMORY = ["max_rss_mb", "exit_code"]


@pytest.mark.parametrize(("script", "code"), [("exit 3", 3), ("kill -9 $$", -9), ("kill -TERM $$", -15), ("true", 0)])
def test_the_exit_code_is_the_programs_where_memory_is_measured(script, code):
    assert run(shell(script, metrics=MEMORY))["exit_code"] == code


def test_a_program_of_which_memory_is_measured_is_started_like_any_other(tmp_path):
    script = 'env | sort | grep -v SATISFICE_PROGRAM; pwd; trap; echo "{\\"words\\": $#}"'
    both = []
    for metrics in (["words"], ["words", "max_rss_mb"]):
        said = []
        evaluation = CommandEvaluation(
            ["sh", "-c", script, "sh", "a b", ""],
            metrics,
            folder=str(tmp_path),
            environment={"LC_ALL": "", "LANG": "", "LC_CTYPE": "C"},
            shows=lambda config, number, output, said=said: said.append(output.stdout),
        )
        assert run(evaluation)["words"] == 2
        both += said
    assert both[0] == both[1]


@pytest.mark.parametrize("words", [["./nothing"], ["./text"]])
def test_why_a_program_of_which_memory_is_measured_could_not_be_started(tmp_path, words):
    (tmp_path / "text").write_text("no program")
    (tmp_path / "text").chmod(0o755)
    said = []
    for metrics in (["wall_time"], MEMORY):
        with pytest.raises(NotMeasured) as told:
            run(CommandEvaluation(words, metrics, folder=str(tmp_path)))
        said.append(str(told.value))
    assert said[0] == said[1]


@in_proc
def test_nothing_is_measured_of_a_program_whose_time_is_up(tmp_path):
    evaluation = shell("trap '' TERM; sleep 60", metrics=list(SELF_MEASURED), timeout=0.3, cost="cpu_time")
    with pytest.raises(EvaluationFailed, match=r"did not end within 0\.3 s and was killed") as told:
        run(evaluation)
    assert told.value.cost is None


def test_the_time_limit_asks_a_program_to_end_where_memory_is_measured(tmp_path):
    script = "trap 'echo asked > asked; exit 0' TERM; while :; do sleep 0.05; done"
    evaluation = shell(script, metrics=MEMORY, timeout=0.4, folder=str(tmp_path))
    with pytest.raises(EvaluationFailed, match="did not end within"):
        run(evaluation)
    assert (tmp_path / "asked").exists()


def test_what_the_program_prints_under_such_a_name_counts():
    printed = dict.fromkeys(SELF_MEASURED, 5)
    assert run(python(f"import json; print(json.dumps({printed}))", metrics=list(SELF_MEASURED))) == printed


def test_an_exit_code_without_the_other_metrics_says_which_it_was():
    with pytest.raises(EvaluationFailed, match="It ended with exit code 3") as told:
        run(shell("echo no disk >&2; exit 3", metrics=["a", "exit_code"]))
    assert "no disk" in str(told.value)


def test_a_misspelt_name_is_told():
    with pytest.raises(EvaluationFailed, match="Did you mean 'max_rss_mb', which needs no output"):
        run(shell("true", metrics=["max_rss"]))


def test_the_signal_of_a_run_that_stops_reaches_it():
    evaluation = shell("kill -TERM 0; sleep 5", metrics=MEMORY)
    assert run(evaluation)["exit_code"] == -signal.SIGTERM
