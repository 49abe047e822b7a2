"""A program as the subject of a study: its words, what was given to it, and the files that it consists of."""

import os
import re
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import islice
from typing import NamedTuple

from satisfice.command.evaluation import CommandEvaluation
from satisfice.command.output import Key, Pattern
from satisfice.command.template import filled, places_of
from satisfice.study.storage.passwords import masked, masks_of
from satisfice.study.subject import SeenFile, Subject, checked_revision, subject_here

MOST_CONFIGS = 1000
"""Of how many configurations, the first ones, the files among the arguments are looked at."""
WHOLE = 64 * 2**20
"""Bytes: a file that is no larger is read from end to end."""
ENDS = 2**20
"""How many bytes are read at either end of a larger file."""

SECRET = re.compile("TOKEN|PASSW|SECRET|KEY|CREDENTIAL", re.IGNORECASE)
SECRET_OPTION = re.compile(r"(?<![\w-])--?[\w-]*(token|password|passwd|secret|api[-_]?key)", re.IGNORECASE)
"""Names of variables, and options of programs, whose values are in no log."""

PART = re.compile(r"""(>\s*)?([^\s;|&()<>"'`=]+)""")
"""A word inside a word, as in --model=weights.bin or sh -c './bench.sh {codec} > log', and whether it is written to."""

SYSTEM = ("/dev/", "/proc/")
"""Where names stand for something else each time."""

SCRIPTS = (".sh", ".bash", ".py", ".pl", ".rb", ".js")
"""What a command around the program runs; the other files that it names, it makes or removes."""

Parameters = Mapping[str, object]


def subject_of(evaluation: CommandEvaluation, configs: Mapping[str, Parameters], revision: str | None) -> Subject:
    """What is measured by running the program; `configs` are all that fills its places, the baseline too.

    Without a revision the subject has the program itself, found as the system finds it, and every file that stands
    among its words: with size and sha256, which for a file of more than 64 MiB covers the first and the last MiB, and
    the time of its modification counts as well. Files that a program opens by itself are not seen: a revision tells of
    those.
    """
    masks = masks_of(evaluation.storage)

    def kept(text: str) -> str:
        return _text(masked(text, masks))

    return subject_here(
        words=tuple(map(kept, _words(evaluation))),
        environment={
            _text(name): _digest(name, text) if SECRET.search(name) else kept(text)
            for name, text in sorted(evaluation.environment.items())
        },
        folder=None if evaluation.folder is None else kept(evaluation.folder),
        readings={name: _written(where) for name, where in sorted(evaluation.readings.items())},
        around={name: kept(text) for name, text in evaluation.options().items()},
        files={} if revision is not None else _files(evaluation, configs),
        revision=None if revision is None else checked_revision(revision),
    )


def seen_file(path: str) -> SeenFile | None:
    """The file as it is now; None where there is none, or something else than a file.

    What stands in /dev or /proc, such as /dev/stdout, is a file if somebody sent standard output to one.
    """
    if os.path.abspath(path).startswith(SYSTEM):
        return None
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):
            return None
        digest = sha256()
        with open(path, "rb") as file:
            if found.st_size <= WHOLE:
                while part := file.read(ENDS):
                    digest.update(part)
                return SeenFile(found.st_size, digest.hexdigest())
            digest.update(file.read(ENDS))
            file.seek(-ENDS, os.SEEK_END)
            digest.update(file.read(ENDS))
            return SeenFile(found.st_size, digest.hexdigest(), found.st_mtime_ns)
    except PermissionError:  # a program may be run that may not be read
        return SeenFile(found.st_size, "unreadable", found.st_mtime_ns)
    except (OSError, ValueError):
        return None


class Word(NamedTuple):
    """What may be a file: which word or part of a word it is, as written there, and its place as seen from here."""

    origin: tuple[str, int, int]
    written: str
    place: str

    @property
    def may_be_output(self) -> bool:
        """Whether the program may write it: not itself, no script, and nothing that can be executed."""
        return self.origin[1] > 0 and not self.place.endswith(SCRIPTS) and not os.access(self.place, os.X_OK)


def words_of(evaluation: CommandEvaluation, configs: Mapping[str, Parameters]) -> Iterator[Word]:
    """What may be a file among the words of these configurations."""
    for name, parameters in islice(configs.items(), MOST_CONFIGS):
        yield from _all_paths(evaluation, {"config": name, **parameters})


def places_by_text(words: Iterable[Word]) -> dict[str, Word]:
    """The same by what stands in a subject for it."""
    places: dict[str, Word] = {}
    for word in words:
        if places.setdefault(word.written, word).place != word.place:  # the same words in another folder
            places[word.place] = word
    return {_text(written): word for written, word in places.items()}


def _files(evaluation: CommandEvaluation, configs: Mapping[str, Parameters]) -> dict[str, SeenFile]:
    places = places_by_text(words_of(evaluation, configs))
    seen = ((written, seen_file(word.place)) for written, word in places.items())
    return {written: file for written, file in seen if file is not None}


def _words(evaluation: CommandEvaluation) -> Iterator[str]:
    """The words of the program, or those of the programs of all groups, behind their names."""
    if len(evaluation.programs()) == 1:
        yield from _without_secrets(evaluation.programs()[0])
        return
    for name, group in evaluation.by_group.items():
        yield f"@{name}"
        yield from _without_secrets(group.words)


def _all_paths(evaluation: CommandEvaluation, values: Parameters) -> Iterator[Word]:
    for group in evaluation.by_group or [None]:
        for words in evaluation.programs() if group is None else [evaluation.by_group[group].words]:
            own = values if group is None else {"group": group, **values}
            for (index, part), written, place in _paths(evaluation, words, own):
                yield Word((group or "", index, part), written, place)


def _paths(
    evaluation: CommandEvaluation, given: Iterable[str], values: Parameters
) -> Iterator[tuple[tuple[int, int], str, str]]:
    """What may be a file: the program, arguments or parts of them, and at -1 scripts of the commands around it."""
    folder = _filled(evaluation.folder or "", values)
    program, *words = (_filled(word, values) or "" for word in given)
    if program and os.sep not in program:
        search = _filled(evaluation.environment.get("PATH", os.environ.get("PATH", os.defpath)), values)
        found = shutil.which(program, path=search)
        if found is not None:
            yield (0, 0), program, found
    elif program and folder is not None:
        yield (0, 0), program, os.path.join(folder, program)
    if folder is None:
        return
    for index, word in enumerate(words, 1):
        for part, path in enumerate(_parts(word)):
            yield (index, part), path, os.path.join(folder, path)
    for command in evaluation.around.commands.values():
        for path in _parts(_filled(command, values) or ""):
            place = os.path.join(folder, path)
            if path.endswith(SCRIPTS) or (os.sep in path and os.access(place, os.X_OK)):
                yield (-1, 0), path, place


def _parts(word: str) -> Iterable[str]:
    inside = (found[2] for found in PART.finditer(word) if not found[1])
    return dict.fromkeys(one for one in (word, *inside) if one)


def _filled(text: str, values: Parameters) -> str | None:
    """The text with its places filled; None if one of them is another at every evaluation."""
    return filled(text, values) if all(name in values for name in places_of([text])) else None


def _without_secrets(words: Iterable[str]) -> Iterator[str]:
    named = ""
    for word in words:
        option, equals, value = word.partition("=")
        if places_of([word]):
            yield word
        elif named and not word.startswith("-"):
            yield _digest(named, word)
        elif equals and SECRET_OPTION.fullmatch(option):
            yield f"{option}={_digest(option, value)}"
        else:
            yield word
        named = word if SECRET_OPTION.fullmatch(word) else ""


def _digest(name: str, text: str) -> str:
    return f"sha256:{sha256(f'{name}={text}'.encode(errors='surrogateescape')).hexdigest()[:16]}"


def _text(text: str) -> str:
    """The text without what cannot be written as JSON: bytes of a path that are no text."""
    return text.encode(errors="backslashreplace").decode()


def _written(where: Pattern | Key) -> str:
    return f"/{where.expression.pattern}/" if isinstance(where, Pattern) else ".".join(where.path)
