"""The subject: what a study measures. Results of different subjects are never mixed in one study."""

import os
import platform
import shlex
import socket
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from satisfice.errors import DamagedLog, InvalidSpec
from satisfice.given import shown, why_unwritable
from satisfice.layout.numbers import counted

FEW_WORDS = 2
"""Where more words of a command differ, the whole commands are shown."""
DIGITS = 8
"""How much of a digest people see."""


class SeenFile(NamedTuple):
    """A file as it was: its size in bytes and the sha256 of its content.

    Of a large file only the beginning and the end are in the digest, and `modified`, in nanoseconds since 1970, tells
    it from another one.
    """

    size: int
    sha256: str
    modified: int | None = None

    def __str__(self) -> str:
        at = (
            ""
            if self.modified is None
            else f", modified {datetime.fromtimestamp(self.modified / 1e9, UTC):%Y-%m-%d %H:%M:%S} UTC"
        )
        return f"{counted(self.size, 'byte')}, sha256 {self.sha256[:DIGITS]}{at}"


class Machine(NamedTuple):
    """Where it was measured: on which computer, by which Python and which satisfice."""

    host: str
    system: str
    processor: str
    cores: int
    python: str
    satisfice: str


@dataclass(frozen=True)
class Subject:
    """What was measured: a program with its places still open, or a revision that somebody vouches for.

    `environment` are the variables that were given, secret ones as digests; `readings` say where metrics are in the
    output, and `around` what else belongs to an evaluation, by the name of its option. `files` are the program and the
    files among its arguments, by path as written; with a `revision` they are not looked at. Not compared: `outputs`,
    those of these files that the program was seen to write, the `machine` of whoever made the study, and
    `generation_of`, the name of the studies that this one follows by `--fresh`.
    """

    words: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    folder: str | None = None
    readings: dict[str, str] = field(default_factory=dict)
    around: dict[str, str] = field(default_factory=dict)
    files: dict[str, SeenFile] = field(default_factory=dict)
    revision: str | None = None
    outputs: tuple[str, ...] = field(default=(), compare=False)
    machine: Machine | None = field(default=None, compare=False)
    generation_of: str | None = field(default=None, compare=False)

    def as_content(self) -> dict[str, Any]:
        """The subject as JSON can write it."""
        content = asdict(self)
        content["words"] = list(self.words)
        content |= {"outputs": list(self.outputs)} if content.pop("outputs") else {}
        content["files"] = {path: seen._asdict() for path, seen in self.files.items()}
        content["machine"] = None if self.machine is None else self.machine._asdict()
        return content


def subject_in(content: Mapping[str, Any]) -> Subject | None:
    """The subject in the content of the event that created a study, if it has one."""
    kept = content.get("subject")
    if kept is None:
        return None
    try:
        _check_types(kept)
        return Subject(
            words=tuple(kept["words"]),
            environment=dict(kept["environment"]),
            folder=kept["folder"],
            readings=dict(kept["readings"]),
            around=dict(kept.get("around", {})),
            files={path: SeenFile(**seen) for path, seen in kept["files"].items()},
            revision=kept["revision"],
            machine=None if kept["machine"] is None else Machine(**kept["machine"]),
            generation_of=kept["generation_of"],
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DamagedLog(f"What the study measures cannot be read in the first event of the log: {error!r}.") from error


def _check_types(kept: Mapping[str, Any]) -> None:
    """TypeError unless texts are texts and numbers whole numbers, of which a time can be made."""
    machine = kept["machine"] or {}
    tables = (kept["environment"], kept["readings"], kept.get("around", {}))
    maybe = (kept["folder"], kept["revision"], kept["generation_of"])
    texts = [*kept["words"], *kept["files"], *(text for table in tables for pair in table.items() for text in pair)]
    texts += [text for text in maybe if text is not None] + [machine[key] for key in machine if key != "cores"]
    texts += [seen["sha256"] for seen in kept["files"].values()]
    numbers = [machine.get("cores", 1), *(seen["size"] for seen in kept["files"].values())]
    numbers += [seen["modified"] for seen in kept["files"].values() if seen["modified"] is not None]
    whole = all(type(number) is int and 0 <= number < 2**63 for number in numbers)
    if not whole or not isinstance(kept["words"], list) or not all(isinstance(text, str) for text in texts):
        raise TypeError("texts, numbers or lists that are none")


def subject_here(**seen: Any) -> Subject:
    """What is measured on this machine."""
    return Subject(**seen, machine=here())


def subject_given(subject: Subject | None, revision: str | None) -> Subject | None:
    """What a study is created with: a subject, a revision alone, as for a function, or neither."""
    if revision is None:
        return subject
    checked = checked_revision(revision)
    return subject_here(revision=checked) if subject is None else replace(subject, revision=checked, files={})


def known_since(subject: Subject | None, outputs: tuple[str, ...], revision: str | None) -> Subject | None:
    """The subject with what became known after the study had begun: files that it writes, a revision."""
    if subject is None:
        return None
    if revision is not None:
        return replace(subject, revision=revision, files={}, outputs=outputs)
    files = {path: seen for path, seen in subject.files.items() if path not in outputs}
    return replace(subject, files=files, outputs=outputs)


def checked_revision(revision: Any) -> str:
    """The revision itself if it is a text that tells one version from another."""
    if not isinstance(revision, str) or not revision.strip() or len(revision) > 500:
        raise InvalidSpec(
            "A revision must be a text of 1 to 500 characters that is another one whenever what is measured is, such "
            f"as a commit; got {revision!r:.60}."
        )
    if reason := why_unwritable(revision):
        raise InvalidSpec(f"The revision {shown(revision, 60)} cannot be kept: {reason}.")
    return revision


def here() -> Machine:
    """This machine."""
    from satisfice import __version__  # noqa: PLC0415 - the package is loaded by then

    return Machine(
        host=socket.gethostname(),
        system=platform.system(),
        processor=_processor(),
        cores=os.cpu_count() or 1,
        python=platform.python_version(),
        satisfice=__version__,
    )


def differences(kept: Subject | None, given: Subject | None) -> tuple[str, ...]:
    """What is measured now and was not before, in words; none where nothing is known of what was measured."""
    if kept is None:
        named = None if given is None else given.revision
        return () if named is None else (f"no revision was recorded, and {named!r} is given",)
    return tuple(_differences(kept, Subject() if given is None else given))


def shown_command(words: tuple[str, ...]) -> str:
    """A command as one would type it, its places open."""
    return " ".join(word if _plain(word) else shlex.quote(word) for word in words)


def _differences(kept: Subject, given: Subject) -> Iterator[str]:
    if kept.revision != given.revision:
        yield f"the revision was {_or_none(kept.revision)} and is {_or_none(given.revision)}"
    yield from _differences_of_words(kept.words, given.words)
    yield from _differences_of_texts("the variable", kept.environment, given.environment)
    if kept.folder != given.folder:
        yield f"the folder was {_or_none(kept.folder)} and is {_or_none(given.folder)}"
    yield from _differences_of_texts("the reading of", kept.readings, given.readings)
    yield from _differences_of_texts("the option", kept.around, given.around)
    if kept.revision is None and given.revision is None and given.words:
        for path in dict.fromkeys([*kept.files, *given.files]):
            before, now = kept.files.get(path), given.files.get(path)
            if before != now and path not in kept.outputs:
                yield f"the file {path} was {before or 'not there'} and is {now or 'not there'}"


def _differences_of_words(kept: tuple[str, ...], given: tuple[str, ...]) -> Iterator[str]:
    if kept == given:
        return
    if not kept or not given:
        before, now = (shown_command(words) or "a Python function" for words in (kept, given))
        yield f"what was measured was {_cut(before)} and is {_cut(now)}"
        return
    places = [place for place, (old, new) in enumerate(zip(kept, given, strict=False)) if old != new]
    if len(kept) == len(given) and len(places) <= FEW_WORDS:
        for place in places:
            yield f"word {place + 1} of the command was {_cut(kept[place])!r} and is {_cut(given[place])!r}"
    else:
        yield f"the command was {_cut(shown_command(kept))} and is {_cut(shown_command(given))}"


def _differences_of_texts(what: str, kept: Mapping[str, str], given: Mapping[str, str]) -> Iterator[str]:
    for name in dict.fromkeys([*kept, *given]):
        if kept.get(name) != given.get(name):
            yield f"{what} {name} was {_or_none(kept.get(name))} and is {_or_none(given.get(name))}"


def _or_none(text: str | None) -> str:
    return "not given" if text is None else repr(_cut(text))


def _cut(text: str, most: int = 120) -> str:
    return text if len(text) <= most else f"{text[:most]}..."


def _plain(word: str) -> bool:
    return bool(word) and word.isprintable() and not any(sign in word for sign in " '\"\\$`;&|<>()*?#~")


def _processor() -> str:
    """What the processor calls itself, or its kind."""
    try:
        described = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return platform.machine()
    names = (line.partition(":")[2].strip() for line in described.splitlines() if line.startswith("model name"))
    return next(names, "") or platform.machine()
