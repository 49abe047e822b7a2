"""Values of parameters are data to every shell, whoever wrote the study that they are of."""

import shutil
import subprocess
from pathlib import Path

import pytest

from satisfice.command import CommandEvaluation
from satisfice.command.around import Around
from satisfice.command.shell_text import ShellText, filled_words, marked
from satisfice.errors import InvalidCommand, NotMeasured
from tests.helpers.programs import run, shell

SHELLS = [name for name in ("sh", "dash", "bash", "zsh") if shutil.which(name)]
HOSTILE = [
    *("; touch it-ran;", "$(touch it-ran)", "`touch it-ran`", "'; touch it-ran; '", '"; touch it-ran; "'),
    *("\\'; touch it-ran #", "\ntouch it-ran\n", "$HOME * ~ \\ ! && a || b | c > d", "a  b", "a[$(touch it-ran)]"),
    *("", "-n", "\\", "é 'ü' \"ß\""),
]
CERTAIN = {
    "{x}": "{x}",
    "'{x}'": "{x}",
    '"{x}"': "{x}",
    "pre-{x}-{{y}}\"'{x}'\"": "pre-{x}-{y}'{x}'",
    "'it'\"'\"'s: {x}'": "it's: {x}",
    '"a \\"{x}\\" \\\\{x}"': 'a "{x}" \\{x}',
    "a\\ {x}\\'{x}": "a {x}'{x}",
    "$(printf '%s.' {x})": None,  # which takes words apart, and runs none
    '${{HOME}}"{x}"': None,
}
"""Words of a command with places, and what the program gets."""
UNCLEAR = [
    *("printf %s \\{x}", "printf %s ${x}", 'printf "${x}"', 'printf "\\{x}"', "printf `printf {x}`", "{x}", " {x}\n"),
    *('printf "$(printf {x})"', "cat <<E\n{x}\nE", "cat <<<{x}", "echo $(( {x} ))", "(( {x} ))", "[[ {x} -eq 1 ]]"),
    *("let a={x}", "a[{x}]=1", "# don't\necho {x}", "printf $'{x}'", "printf ${{A:-'}} {x}", "unset {x}"),
]


def output(shell: str, text: str, folder: Path) -> str:
    words = [shell, "-c", text]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, cwd=folder, check=False, timeout=60)
    return done.stdout.decode()


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("place", CERTAIN)
def test_a_value_is_a_part_of_a_word(shell: str, place: str, tmp_path: Path) -> None:
    for value in HOSTILE:
        printed = output(shell, ShellText(f"printf '<%s>' {place}; true").filled({"x": value}), tmp_path)
        if (expected := CERTAIN[place]) is not None:
            assert printed == f"<{expected.replace('{x}', value)}>"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", UNCLEAR)
def test_a_value_is_refused_where_it_may_be_more(text: str) -> None:
    for value in HOSTILE:
        if value not in ("", "-n"):
            with pytest.raises(NotMeasured, match=r'--env VALUE=\{x\} and write "\$VALUE"|write: eval \{x\}'):
                ShellText(text).filled({"x": value})
    for plain in ("opus", "-1.5", "1e-3", "a/b.txt", "level=9,x=1", ""):
        assert ShellText(text).filled({"x": plain}) == text.replace("{x}", plain)


@pytest.mark.parametrize("name", ["fish", "/usr/bin/python3", "pwsh"])
def test_of_a_shell_that_is_not_known_nothing_is_certain(name: str) -> None:
    evaluation = CommandEvaluation(["true"], ["a"], around=Around({"prepare": "echo '{x}'"}, shell=name))
    evaluation.check([{"x": "opus"}, {"x": 3.5}])
    with pytest.raises(InvalidCommand, match=r"not known how it reads quotes.*--env VALUE=\{x\}"):
        evaluation.check([{"x": "opus"}, {"x": "a b"}])


@pytest.mark.parametrize(
    ("words", "read"),
    [
        (["sh", "-c", "{x}", "{x}"], 2),
        (["/bin/bash", "-euo", "pipefail", "-c", "{x}"], 4),
        (["bash", "--norc", "-c", "-e", "{x}"], 4),
        (["env", "A=1", "dash", "-ec", "{x}"], 4),
        (["docker", "exec", "box", "sh", "-c", "{x}"], 5),
        (["bash", "run.sh", "-c", "{x}"], None),
        (["./bench", "--lang", "sh", "-c", "{x}"], None),
        (["sh", "-c"], None),
        ([], None),
    ],
)
def test_which_word_a_shell_reads(words: list[str], read: int | None) -> None:
    found = [index for index, word in enumerate(marked(words)) if isinstance(word, ShellText)]
    assert found == ([] if read is None else [read])


def test_other_words_are_as_they_were() -> None:
    words = marked(["bash", "-c", "echo {x}", "{x}", "--x={x}"])
    assert filled_words(words, {"x": "a b"}) == ["bash", "-c", "echo 'a b'", "a b", "--x=a b"]


@pytest.mark.parametrize("when", ["setup", "prepare", "conclude", "cleanup", "program"])
@pytest.mark.parametrize("value", HOSTILE)
def test_no_value_is_run(when: str, value: str, tmp_path: Path) -> None:
    """The values of a study that others wrote were run by the shells of whoever worked for it."""
    folder, log = str(tmp_path), tmp_path / "log"
    line = "printf '%s' {x} \"{x}\" '{x}' > log"
    if when == "program":
        evaluation = shell(f"{line}; echo '{{\"a\": 1}}'", folder=folder)
    else:
        evaluation = shell("echo '{\"a\": 1}'", folder=folder, around=Around({when: line}))
    evaluation.check([{"x": value}])
    assert run(evaluation, x=value) == {"a": 1}
    assert evaluation.clean_up() == []
    assert log.read_text() == 3 * value
    assert list(tmp_path.iterdir()) == [log]


@pytest.mark.parametrize(
    ("words", "read"),
    [
        (["bash", "-O", "extglob", "-c", "echo {x}"], 4),
        (["bash", "+O", "extglob", "-c", "echo {x}"], 4),
        (["bash", "-eO", "extglob", "-c", "echo {x}"], 4),
        (["bash", "-oc", "pipefail", "echo {x}"], 3),
        (["bash", "-norc", "-O", "globstar", "-c", "echo {x}"], 5),
        (["zsh", "-opipefail", "-c", "echo {x}"], 3),
        (["docker", "run", "--rm", "bash", "bash", "-c", "echo {x}"], 6),
        (["kubectl", "exec", "deploy/bash", "--", "sh", "-c", "echo {x}"], 6),
        (["docker", "run", "--entrypoint", "sh", "image", "-c", "echo {x}"], 6),
        (["docker", "run", "--entrypoint=/bin/sh", "image", "-ec", "echo {x}"], 5),
        (["perf", "stat", "sh", "-c", "echo {x}"], 4),
        (["mpirun", "-n", "4", "bash", "-c", "echo {x}"], 5),
        (["env", "fish", "-c", "echo {x}"], 3),
        (["tcsh", "-c", "echo {x}"], 2),
        (["rbash", "-c", "echo {x}"], 2),
        (["bash-5.2", "-c", "echo {x}"], 2),
        (["env", "bash", "run.sh", "-c", "{x}"], None),
        (["perf", "stat", "bash", "run.sh", "-c", "{x}"], None),
    ],
)
def test_no_shell_runs_a_value_however_it_is_started(words: list[str], read: int | None) -> None:
    found = {place: word for place, word in enumerate(marked(words)) if isinstance(word, ShellText)}
    assert list(found) == ([] if read is None else [read])
    for text in found.values():
        if text.known:
            assert text.filled({"x": "; touch it-ran"}) == "echo '; touch it-ran'"
        else:
            with pytest.raises(NotMeasured, match="--env VALUE="):
                text.filled({"x": "; touch it-ran"})
