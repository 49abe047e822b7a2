"""What is run around evaluations: to set a configuration up, to warm it up, before and after each, and to clean up."""

import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import PurePath
from threading import Lock
from typing import Any, Protocol

from satisfice.command.output import Output
from satisfice.command.shell_text import SHELLS, ShellText, filled_words
from satisfice.errors import EvaluationFailed, InvalidCommand, NotMeasured
from satisfice.given import is_whole, shown

ONCE, EACH = ("setup", "cleanup"), ("prepare", "conclude")
"""What is run once for each configuration, and what around each of its evaluations."""
LEAVES = ("setup", "prepare")
"""What may leave something running, such as a server, until its counterpart has been run."""
SHELL = "sh"

Values = Mapping[str, object]


class Run(Protocol):
    """Runs words to their end, in the folder and the environment of an evaluation."""

    def __call__(self, words: Sequence[str], *, keeps: bool = False) -> Output: ...


def nothing() -> None:
    """What ends nothing."""


@dataclass(frozen=True)
class Around:
    """Commands of a shell by the time at which they are run, with places for parameters, and how many warm-ups."""

    commands: Mapping[str, str] = field(default_factory=dict)
    warmup: int = 0
    shell: str = SHELL

    def texts(self) -> list[str]:
        """The commands as their shell reads them."""
        return [in_shell(self.shell, text)[-1] for text in self.commands.values()]

    def as_texts(self) -> dict[str, str]:
        """What is given, by option."""
        warmup = {"warmup": str(self.warmup)} if self.warmup else {}
        return warmup | dict(self.commands) | ({"shell": self.shell} if self.commands and self.shell != SHELL else {})


class Stage:
    """Where evaluations take place: what was set up and warmed up in this run, and what is still to be cleaned up.

    Nothing that fails here says anything about a configuration: it is never evidence, and ends the run.
    """

    def __init__(self, around: Around) -> None:
        self._around = around
        self._lock = Lock()
        self._ready: dict[str, Lock] = {}
        self._begun: dict[str, tuple[str, Values, Callable[[], None]]] = {}
        self._warm: set[str] = set()

    def prepare(self, config: str, values: Values, run: Run, program: Callable[[], None]) -> Callable[[], None]:
        """Before an evaluation: for the first of a configuration set up and run `program` to warm up; then prepare.

        What is returned ends what the prepare command left running, such as a server. What the setup command left
        running ends with `clean_up`.
        """
        if not self._around.commands and not self._around.warmup:
            return nothing
        key = f"{config}\n{json.dumps(_parameters(values), sort_keys=True, default=str)}"
        with self._lock:
            lock = self._ready.setdefault(key, Lock())
        with lock:  # one that comes meanwhile waits until it is set up
            if key not in self._warm:
                if key in self._begun:  # a warm-up failed: it is set up again
                    self._begun[key][-1]()
                self._begun[key] = (config, dict(values), nothing)
                self._begun[key] = (config, dict(values), self._run("setup", values, run))
                for number in range(self._around.warmup):
                    with self.concluding(values, run, self._run("prepare", values, run)):
                        _warm_up(number + 1, self._around.warmup, program)
                self._warm.add(key)
        return self._run("prepare", values, run)

    @contextmanager
    def concluding(self, values: Values, run: Run, end_prepared: Callable[[], None]) -> Iterator[None]:
        """After an evaluation, also one that failed; not after one that could not be made."""
        try:
            try:
                yield
            except NotMeasured:
                raise
            except EvaluationFailed:
                self._run("conclude", values, run)
                raise
            self._run("conclude", values, run)
        finally:
            end_prepared()

    def clean_up(self, run: Callable[[str, Values], Run]) -> list[str]:
        """Clean up after all configurations that were begun; what failed, in sentences."""
        begun, failures = list(self._begun.values()), []
        self._begun.clear()
        for config, values, end_set_up in begun:
            try:
                self._run("cleanup", values, run(config, values))
            except EvaluationFailed as error:
                failures.append(f"{config!r}: {error}")
            finally:
                end_set_up()
        return failures

    def _run(self, when: str, values: Values, run: Run) -> Callable[[], None]:
        """Run the command, if there is one; what ends that which it left running."""
        command = self._around.commands.get(when)
        if command is None:
            return nothing
        words = filled_words(in_shell(self._around.shell, command), values)
        try:
            output = run(words, keeps=when in LEAVES)
        except EvaluationFailed as error:
            raise NotMeasured(f"The {when} command could not be run: {error}") from None
        if output.exit_code:
            said = f" and said: {output.said}" if output.said else ""
            raise NotMeasured(f"The {when} command, {words[-1]!r}, ended with exit code {output.exit_code}{said}.")
        return output.end_left


def in_shell(shell: str, text: str) -> list[str]:
    """The words that let a shell run a text."""
    words = []
    if isinstance(shell, str):  # a study file may have anything
        with suppress(ValueError):
            words = shlex.split(shell)
    if not words:
        raise InvalidCommand(f"Expected a shell, such as sh or 'bash -o pipefail', got {shown(shell, 60)}.")
    return [*words, "-c", ShellText(text, known=any(PurePath(word).name in SHELLS for word in words))]


def around_of(given: Mapping[str, Any]) -> Around:
    """What is run around evaluations, from what a user gives, checked."""
    commands = {key: given[key] for key in (*ONCE, *EACH) if key in given}
    for key, text in (*commands.items(), ("shell", given.get("shell", SHELL))):
        if not isinstance(text, str) or not text.strip():
            raise InvalidCommand(f"Expected a command as a text for {key!r}, got {shown(text, 60)}.")
    warmup = given.get("warmup", 0)
    if not is_whole(warmup, 0):
        raise InvalidCommand(f"warmup must be a whole number, 0 or more, got {shown(warmup)}.")
    in_shell(given.get("shell", SHELL), "")
    return Around(commands, warmup, given.get("shell", SHELL))


def _warm_up(number: int, of: int, program: Callable[[], None]) -> None:
    try:
        program()
    except EvaluationFailed as error:
        which = f"warm-up {number} of {of}" if of > 1 else "warm-up"
        raise NotMeasured(f"The {which} failed, which is no result: {error}") from None


def _parameters(values: Values) -> dict[str, object]:
    """What tells configurations apart, and not their evaluations."""
    return {name: value for name, value in values.items() if name not in ("number", "repeat", "item")}
