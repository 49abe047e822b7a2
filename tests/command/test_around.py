"""What is run around evaluations: when, how often, and what follows from its failures."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from satisfice.command import CommandEvaluation, subject_of
from satisfice.command.around import Around, around_of
from satisfice.errors import EvaluationFailed, InvalidCommand, NotMeasured
from satisfice.study.subject import differences

ALL = {when: f"echo {when} {{n}} >> log" for when in ("setup", "prepare", "conclude", "cleanup")}


def evaluation(folder, script="echo run $0 >> log", **around):
    commands = {key: text for key, text in around.items() if key not in ("warmup", "shell")}
    return CommandEvaluation(
        words=["sh", "-c", script, "{n}"],
        metrics=["wall_time"],
        folder=str(folder),
        around=Around(commands, around.get("warmup", 0), around.get("shell", "sh")),
    )


def run(one, n=1, number=0):
    return one({"n": n}, config=f"n={n}", number=number)


def log(folder):
    return Path(folder, "log").read_text().splitlines()


def test_the_order(tmp_path):
    one = evaluation(tmp_path, **ALL, warmup=2)
    run(one), run(one, number=1), run(one, 2, number=2)
    each = ["prepare", "run", "conclude"]
    first = ["setup", *each * 3]
    assert log(tmp_path) == [f"{word} 1" for word in (*first, *each)] + [f"{word} 2" for word in first]
    assert one.clean_up() == []
    assert log(tmp_path)[-2:] == ["cleanup 1", "cleanup 2"]
    assert one.clean_up() == []  # once
    assert log(tmp_path).count("cleanup 1") == 1


def test_evaluations_at_a_time_wait_until_their_configuration_is_set_up(tmp_path):
    one = evaluation(tmp_path, setup="sleep 0.2; echo setup {n} >> log", warmup=1)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: run(one, number=number), range(4)))
    assert log(tmp_path) == ["setup 1", *["run 1"] * 5]


def test_what_is_around_takes_no_time_of_the_evaluation(tmp_path):
    one = evaluation(tmp_path, prepare="sleep 0.3", conclude="sleep 0.3")
    assert run(one)["wall_time"] < 0.3


@pytest.mark.parametrize("when", ["setup", "prepare", "conclude"])
def test_a_command_that_fails_is_no_evidence(tmp_path, when):
    with pytest.raises(NotMeasured, match=f"The {when} command, 'echo no disk 1 >&2; exit 3', ended with exit code 3"):
        run(evaluation(tmp_path, **{when: "echo no disk {n} >&2; exit 3"}))


def test_a_warm_up_that_fails_is_no_evidence(tmp_path):
    with pytest.raises(NotMeasured, match=r"The warm-up 1 of 2 failed, which is no result: sh ended with exit code 4"):
        run(evaluation(tmp_path, "exit 4", warmup=2))
    slow = CommandEvaluation(["sleep", "5"], ["wall_time"], timeout=0.1, around=Around({}, 1))
    with pytest.raises(NotMeasured, match=r"The warm-up failed.*did not end within 0\.1 s"):
        run(slow)


def test_a_warm_up_may_end_with_a_code_where_that_is_a_result(tmp_path):
    one = CommandEvaluation(["sh", "-c", "exit 4"], ["exit_code"], around=Around({}, 1))
    assert run(one)["exit_code"] == 4


def test_what_concludes_is_run_after_a_failure_too(tmp_path):
    with pytest.raises(EvaluationFailed):
        run(evaluation(tmp_path, "exit 4", **ALL))
    assert log(tmp_path) == ["setup 1", "prepare 1", "conclude 1"]


def test_a_failed_cleanup_is_said_and_the_others_go_on(tmp_path):
    one = evaluation(tmp_path, cleanup="test {n} = 2")
    run(one), run(one, 2)
    assert one.clean_up() == ["'n=1': The cleanup command, 'test 1 = 2', ended with exit code 1."]


def test_places_are_checked_before_anything_runs(tmp_path):
    with pytest.raises(InvalidCommand, match=r"\{number\}"):
        evaluation(tmp_path, setup="echo {number}").check([{"n": 1}])
    with pytest.raises(InvalidCommand, match=r"\{m\}"):
        evaluation(tmp_path, prepare="echo {m}").check([{"n": 1}])
    evaluation(tmp_path, prepare="echo {number} {n} {config}").check([{"n": 1}])


def test_a_parameter_of_a_command_around_has_a_place(tmp_path):
    assert CommandEvaluation(["true"], ["wall_time"]).unused([{"n": 1}]) == ["n"]
    assert CommandEvaluation(["true"], ["wall_time"], around=Around({"setup": "{n}"})).unused([{"n": 1}]) == []


def test_what_is_around_belongs_to_what_is_measured(tmp_path):
    Path(tmp_path, "drop.sh").write_text("true")
    Path(tmp_path, "out.txt").write_text("what was written last time")
    before = subject_of(evaluation(tmp_path, prepare="sh drop.sh"), {"n=1": {"n": 1}}, None)
    assert "drop.sh" in before.files
    assert "out.txt" not in subject_of(evaluation(tmp_path, prepare="rm out.txt"), {"n=1": {"n": 1}}, None).files
    for other, said in (
        ({"prepare": "sh drop.sh", "warmup": 1}, "the option warmup was not given and is '1'"),
        ({"conclude": "true", "prepare": "sh drop.sh"}, "the option conclude was not given and is 'true'"),
    ):
        now = subject_of(evaluation(tmp_path, **other), {"n=1": {"n": 1}}, None)
        assert differences(before, now) == (said,)
    Path(tmp_path, "drop.sh").write_text("false")
    now = subject_of(evaluation(tmp_path, prepare="sh drop.sh"), {"n=1": {"n": 1}}, None)
    assert differences(before, now)[0].startswith("the file drop.sh was")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"warmup": -1}, "warmup must be a whole number, 0 or more, got -1"),
        ({"warmup": "2"}, "warmup must be a whole number"),
        ({"prepare": ["sync"]}, "Expected a command as a text for 'prepare'"),
        ({"setup": " "}, "Expected a command as a text for 'setup'"),
        ({"shell": "'"}, "Expected a shell"),
    ],
)
def test_odd_input(given, said):
    with pytest.raises(InvalidCommand, match=said):
        around_of(given)
