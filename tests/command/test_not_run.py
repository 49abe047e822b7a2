"""A program that could not be run says nothing about its configuration."""

import errno
import os
import resource
import subprocess
import sys

import pytest

from satisfice.command import CommandEvaluation
from satisfice.command.descriptors import FILES_OF_A_PROGRAM, SPARE_FILES, make_room
from satisfice.errors import EvaluationFailed, InvalidCommand, NotMeasured
from tests.helpers.programs import run, shell


def program(*words, **more):
    return CommandEvaluation(list(words), **{"metrics": ["a"]} | more)


@pytest.fixture
def scripts(tmp_path, monkeypatch):
    """A folder with scripts that cannot be run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bench.py").write_text("#!/no/such/python\n")
    (tmp_path / "empty").write_text("")
    (tmp_path / "plain").write_text("#!/bin/sh\n")
    for name in ("bench.py", "empty"):
        (tmp_path / name).chmod(0o755)


CANNOT = {
    "no such program": (["nosuchprogram"], ["there is no such program", "PATH"]),
    "no such file": (["./nosuchprogram"], ["there is no such program"]),
    "no such interpreter": (["./bench.py"], ["not the interpreter that '#!/no/such/python' names"]),
    "no interpreter": (["./empty"], ["no program of this machine", "#!/bin/sh"]),
    "no right to run it": (["./plain"], ["may not be executed", "chmod +x ./plain"]),
    "too long": (["echo", "x" * 10_000_000], ["longer than the system allows"]),
    "a NUL": (["echo", "\0"], ["null byte"]),
}


@pytest.mark.parametrize("case", CANNOT)
def test_what_cannot_be_started_is_not_measured(case, scripts):
    """Once an ordinary failure, and with on_error="worst" the worst result there can be."""
    words, parts = CANNOT[case]
    with pytest.raises(NotMeasured) as failed:
        run(program(*words))
    for part in parts:
        assert part in str(failed.value)


@pytest.mark.parametrize("number", ["EMFILE", "ENFILE", "ENOMEM", "EAGAIN", "ENOSPC", "EIO"])
def test_what_the_system_lacks_is_named(number, monkeypatch):
    def refuse(*_, **__):
        raise OSError(getattr(errno, number), os.strerror(getattr(errno, number)))

    monkeypatch.setattr(subprocess, "Popen", refuse)
    with pytest.raises(NotMeasured, match=r"^'echo' cannot be run: .*\.$"):
        run(program("echo"))


FEW_FILES = """
import os, resource
from satisfice.command import CommandEvaluation
from satisfice.errors import NotMeasured
evaluation = CommandEvaluation(["echo", '{"a": 1}'], metrics=["a"])
resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
held, found = [], set()
while len(found) < 2 and len(held) < 60:
    try:
        found.add(str(evaluation({}, config="x", number=0)))
        held.append(os.open("/dev/null", os.O_RDONLY))
    except NotMeasured as error:
        assert "too many open files" in str(error), error
        found.add("not measured")
for descriptor in held: os.close(descriptor)
assert evaluation({}, config="x", number=0) == {"a": 1}
print(sorted(found))
"""


def test_too_few_open_files_are_not_a_result():
    done = subprocess.run([sys.executable, "-c", FEW_FILES], capture_output=True, text=True, check=False)
    assert done.stdout == "['not measured', \"{'a': 1}\"]\n", done.stderr


@pytest.mark.parametrize("script", ["nosuchprogram", "./plain", "echo begin; nosuchprogram"])
@pytest.mark.parametrize("metrics", [["a"], ["wall_time"], ["a", "exit_code"]])
def test_a_shell_that_found_no_program_measured_nothing(script, metrics, scripts):
    with pytest.raises(NotMeasured):
        run(shell(script, metrics=metrics))


def test_exit_codes_of_a_program_that_measured_are_its_own():
    with pytest.raises(EvaluationFailed, match="exit code 127") as failed:
        run(shell("echo '{\"a\": 1}'; exit 127"))
    assert not isinstance(failed.value, NotMeasured)
    assert run(shell("echo '{\"a\": 1}'; exit 127", metrics=["a", "exit_code"])) == {"a": 1, "exit_code": 127}
    with pytest.raises(EvaluationFailed, match="exit code 3") as failed:
        run(shell("exit 3"))
    assert not isinstance(failed.value, NotMeasured)


@pytest.fixture
def limits(monkeypatch):
    """The limits of open files as a system would have them."""
    held = {}

    def to(soft, hard):
        held["now"] = (soft, hard)

    def set_them(_, wanted):
        if wanted[0] > held["now"][1] >= 0:
            raise ValueError("current limit exceeds maximum limit")
        held["now"] = wanted

    monkeypatch.setattr(resource, "getrlimit", lambda _: held["now"])
    monkeypatch.setattr(resource, "setrlimit", set_them)
    monkeypatch.setattr(os, "listdir", lambda _: ["0"] * 8)
    return to, held


def test_jobs_that_fit_leave_the_limit_as_it_is(limits):
    to, held = limits
    to(1024, 4096)
    make_room((1024 - 8 - SPARE_FILES) // FILES_OF_A_PROGRAM)
    assert held["now"] == (1024, 4096)


def test_the_limit_is_raised_as_far_as_jobs_need(limits):
    to, held = limits
    to(60, 4096)
    make_room(200)
    assert held["now"] == (8 + SPARE_FILES + 200 * FILES_OF_A_PROGRAM, 4096)


def test_jobs_that_do_not_fit_are_refused_with_the_number_that_does(limits):
    to, _ = limits
    to(60, 60)
    with pytest.raises(InvalidCommand, match=r"200 evaluations .* may have 60\. .* -j 6;"):
        make_room(200)
    make_room(6)
    to(20, 20)
    with pytest.raises(InvalidCommand, match="Not even one fits"):
        make_room(1)
