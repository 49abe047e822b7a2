"""Texts that a shell reads, with places for parameters: a value never becomes a command, whatever is in it.

Values may come from a study of others. Outside of quotes a value is quoted, and inside of quotes it cannot end them.
Where a shell may read a value in another way, one with other characters than `PLAIN` is refused.
"""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from functools import cache
from pathlib import PurePath
from typing import NamedTuple

from satisfice.command.template import filled, written_value
from satisfice.errors import InvalidCommand, NotMeasured
from satisfice.given import shown

SHELLS = ("sh", "ash", "bash", "dash", "ksh", "mksh", "zsh")
"""Shells that read quotes as POSIX says."""

OTHER_SHELLS = ("fish", "csh", "tcsh", "yash", "pwsh", "nu", "elvish", "xonsh")
"""Shells that read them otherwise."""

LAUNCHERS = (
    *("env", "sudo", "nice", "ionice", "nohup", "time", "timeout", "stdbuf", "setsid", "taskset", "numactl", "chrt"),
    *("docker", "podman", "nerdctl", "kubectl", "busybox", "srun", "unshare", "doas", "perf", "strace", "ltrace"),
    *("mpirun", "mpiexec", "chroot", "apptainer", "singularity", "flock", "prlimit", "systemd-run", "xvfb-run", "uv"),
    *("poetry", "conda", "bwrap", "firejail", "nsenter", "cgexec", "valgrind", "caffeinate", "catchsegv"),
)
"""Programs that start the program which their last words name."""

PLAIN = re.compile(r"[\w@%+=:,./-]*", re.ASCII)
"""What means the same to a shell inside of quotes and outside, as `shlex.quote` has it."""

COMMAND_OPTION = re.compile(r"-[A-Za-z]*c[A-Za-z]*")
RESTRICTED_OR_VERSION = re.compile(r"(?:r(?=ba|z|k))?([a-z]+)(?:-?[0-9][0-9.]*)?(?:\.exe)?")
"""Around the name of a shell: rbash and bash-5.2 are bash, too."""
LONG_OPTIONS = ("norc", "noprofile", "noediting", "posix", "login", "restricted", "verbose", "rcfile", "init-file")
"""Those of bash, which may stand behind one dash."""
ENTRYPOINT = "--entrypoint"
"""Of a container: the program that reads the words behind the image."""


class Inside(Enum):
    """What a place stands in: one of the quotes, neither, or a text of which that is not certain."""

    NOTHING = ""
    SINGLE = "'"
    DOUBLE = '"'
    UNCLEAR = "?"


_NAME = r"[A-Za-z_][\w.-]*"
ONE_PLACE = re.compile(rf"\{{{_NAME}\}}")
SPECIAL_IN_DOUBLE = re.compile(r'([\\$`"])')
"""What means something to a shell inside of double quotes."""
_BRACES = rf"(?P<before>\$?)\{{\{{(?P<escaped>{_NAME})\}}\}}"
_PLACE = rf"(?P<tie>[\\$]?)\{{(?P<name>{_NAME})\}}"
_BACKSLASH = rf"\\(?!\{{{_NAME}\}})."
_ARITHMETIC = r"\(\(|\[\[|(?<=\w)\[|\b(?:let|declare|typeset|unset)\b"
_UNCLEAR = rf"`|<<|\$['\"{{\[]|{_ARITHMETIC}|(?<![^\s;|&()<>])#"
TOKENS = {
    Inside.NOTHING: re.compile(rf"{_BRACES}|{_PLACE}|{_BACKSLASH}|{_UNCLEAR}|['\"]", re.DOTALL),
    Inside.SINGLE: re.compile(rf"{_BRACES}|(?P<tie>)\{{(?P<name>{_NAME})\}}|'"),
    Inside.DOUBLE: re.compile(rf"{_BRACES}|{_PLACE}|{_BACKSLASH}|`|\$[({{\[]|\"", re.DOTALL),
}
"""What matters outside of quotes and inside of each. Behind backticks, here-documents, arithmetic, comments and the
like nothing is certain any more; nor is the place behind a backslash or a dollar."""


class Place(NamedTuple):
    """A place for a parameter, and what it stands in."""

    name: str
    inside: Inside


class ShellText(str):
    """A word that a shell reads; whether that is one of `SHELLS`."""

    known: bool

    def __new__(cls, text: str, *, known: bool = True) -> "ShellText":
        made = super().__new__(cls, text)
        made.known = known
        return made

    def refused(self, values: Mapping[str, object]) -> str | None:
        """Why one of the values cannot stand in its place; None if each can."""
        for part in parts_of(self, self.known):
            if isinstance(part, Place) and part.inside is Inside.UNCLEAR and part.name in values:
                text = written_value(values[part.name])
                if not PLAIN.fullmatch(text):
                    return _sentence(part.name, text, self)
        return None

    def filled(self, values: Mapping[str, object]) -> str:
        """The text with a value in each place, so that the shell reads it as a value."""
        if (why := self.refused(values)) is not None:
            raise NotMeasured(why)
        return "".join(
            part if isinstance(part, str) else _quoted(written_value(values[part.name]), part.inside)
            for part in parts_of(self, self.known)
        )


@cache
def parts_of(text: str, known: bool) -> tuple[str | Place, ...]:
    """The text in pieces, with what each place stands in."""
    parts: list[str | Place] = []
    inside, certain, at = Inside.NOTHING, known and not ONE_PLACE.fullmatch(text.strip()), 0
    while found := TOKENS[inside].search(text, at):
        token = found[0]
        parts.append(text[at : found.start()])
        at = found.end()
        if found["name"]:
            parts += [found["tie"], Place(found["name"], inside if certain and not found["tie"] else Inside.UNCLEAR)]
        elif found["escaped"]:
            parts.append(f"{found['before']}{{{found['escaped']}}}")
        else:
            parts.append(token)
            if token in ("'", '"'):
                inside = Inside(token) if inside is Inside.NOTHING else Inside.NOTHING
            elif not token.startswith("\\"):
                certain = False
    return (*parts, text[at:])


def marked(words: Sequence[str]) -> tuple[str, ...]:
    """The words, with the one that a shell reads marked as such: TEXT in `sh -c TEXT`, and in `env sh -c TEXT`."""
    launched = bool(words) and PurePath(words[0]).name in LAUNCHERS
    shells = [(at, name) for at, word in enumerate(words if launched else words[:1]) if (name := _shell_of(word))]
    found = ((_command_text(words, at + 1, name), name) for at, name in shells)
    text, name = next((one for one in found if one[0] is not None), (None, ""))
    if text is None and launched:
        text = _behind_entrypoint(words)
    if text is None or isinstance(words[text], ShellText):
        return tuple(words)
    return (*words[:text], ShellText(words[text], known=name in SHELLS), *words[text + 1 :])


def _shell_of(word: str) -> str:
    """The shell that a word names, without its folder and version; empty if it names none."""
    found = RESTRICTED_OR_VERSION.fullmatch(PurePath(word).name)
    return found[1] if found and found[1] in (*SHELLS, *OTHER_SHELLS) else ""


def _command_text(words: Sequence[str], at: int, shell: str) -> int | None:
    """Where the text stands that a shell runs, if its options begin at a place and say that there is one."""
    told = False
    while at < len(words) and words[at][:1] in ("-", "+"):
        told = told or COMMAND_OPTION.fullmatch(words[at]) is not None
        at += 1 + _arguments(words[at], shell)
    return at if told and at < len(words) else None


def _arguments(option: str, shell: str) -> int:
    """How many of the next words belong to an option, as in -o pipefail and -O extglob."""
    if option.startswith("--") or option[1:] in LONG_OPTIONS:
        return int(option.lstrip("-") in ("rcfile", "init-file"))
    if shell in ("zsh", "ksh", "mksh"):  # where the name may follow at once, and -O has none
        return int(option.endswith("o") and option.count("o") == 1)
    return option.count("o") + option.count("O")


def _behind_entrypoint(words: Sequence[str]) -> int | None:
    """Where the text stands that the shell of `docker run --entrypoint sh IMAGE -c TEXT` runs."""
    for at, word in enumerate(words):
        option, equals, name = word.partition("=")
        if option == ENTRYPOINT and _shell_of(name if equals else "".join(words[at + 1 : at + 2])):
            options = (one for one in range(at + 1, len(words) - 1) if COMMAND_OPTION.fullmatch(words[one]))
            return next((one + 1 for one in options), None)
    return None


def check_values(words: Iterable[str], values: Mapping[str, object]) -> None:
    """Raise unless each value can stand in its place in what a shell reads."""
    for word in words:
        if isinstance(word, ShellText) and (why := word.refused(values)) is not None:
            raise InvalidCommand(why)


def filled_words(words: Sequence[str], values: Mapping[str, object]) -> list[str]:
    """Each word with a value in each place."""
    return [word.filled(values) if isinstance(word, ShellText) else filled(word, values) for word in words]


def _quoted(value: str, inside: Inside) -> str:
    if PLAIN.fullmatch(value) and (value or inside is not Inside.NOTHING):
        return value
    if inside is Inside.SINGLE:
        return value.replace("'", "'\"'\"'")
    return SPECIAL_IN_DOUBLE.sub(r"\\\1", value) if inside is Inside.DOUBLE else shlex.quote(value)


def _sentence(name: str, value: str, text: ShellText) -> str:
    if text.strip() == f"{{{name}}}":
        return (
            f"The shell is given {shown(value, 60)}, the value of {name!r}, as a command of its own. If the values are "
            f"commands that you trust, write: eval {{{name}}}"
        )
    where = (
        "where the shell may read it as something else than a value: after a backslash, a dollar, a backtick, <<, [[, "
        "(( or a #"
        if text.known
        else f"and of its shell it is not known how it reads quotes, as it is of {', '.join(SHELLS)}"
    )
    return (
        f"The value {shown(value, 60)} of {name!r} stands in {shown(str(text), 200)} {where}. Hand it over in a "
        f'variable: give --env VALUE={{{name}}} and write "$VALUE" in place of {{{name}}}.'
    )
