"""Files among a program's words that it writes itself: they are its output, and no part of what is measured.

One that is another after the first evaluation of a configuration than before it was written by the program. So are the
files that stand at the same place among the words of other configurations. The study records that once.
"""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from threading import Lock

from satisfice.command import CommandEvaluation
from satisfice.command.subject import Parameters, Word, places_by_text, words_of
from satisfice.errors import SatisficeError
from satisfice.layout.numbers import counted
from satisfice.show.sentence import note
from satisfice.study import Pull, Study, Subject
from satisfice.study.subject import differences

Evaluate = Callable[[Pull], dict[str, float]]

SLACK_SECONDS = 1.0
"""By how much the clock of a file system may differ from that of the log."""
FEW_FILES = 3


class Outputs:
    """Looks at files around the first evaluation of each configuration; `sentences` say what was found."""

    def __init__(self, study: Study, evaluation: CommandEvaluation, configs: Mapping[str, Parameters]) -> None:
        self._study, self._evaluation, self._configs = study, evaluation, configs
        self._looked: set[str] = set()
        self._lock = Lock()
        self.sentences: list[str] = []

    def watched(self, evaluate: Evaluate) -> Evaluate:
        """The evaluation with a look before and after."""

        def inner(pull: Pull) -> dict[str, float]:
            with self._lock:
                first = pull.name not in self._looked
                self._looked.add(pull.name)
            if not first:
                return evaluate(pull)
            own = {pull.name: pull.parameters}
            words = [word for word in words_of(self._evaluation, own) if word.may_be_output]
            before = list(map(_stamp, words))
            try:
                return evaluate(pull)
            finally:
                after = map(_stamp, words)
                written = [word for word, old, new in zip(words, before, after, strict=True) if old != new]
                with suppress(SatisficeError):  # such as a storage out of reach: it is seen again next time
                    self._record(written, pull.name)

        return inner

    def say(self) -> None:
        for sentence in self.sentences:
            note(sentence)

    def _record(self, written: list[Word], config: str) -> None:
        origins = {word.origin for word in written}
        found = places_by_text(word for word in words_of(self._evaluation, self._configs) if word.origin in origins)
        with self._lock:
            new = set(found) - set(self._study.view().policy.outputs)
            if new:
                self._study.change_policy(outputs=tuple(new))
                self.sentences.append(_sentence([word.written for word in written], len(new), config))


def _sentence(written: list[str], new: int, config: str) -> str:
    some = ", ".join(written[:FEW_FILES])
    more = new - min(len(written), FEW_FILES)
    others = f" (and {counted(more, 'file')} of other configurations in its place)" if more > 0 else ""
    return (
        f"the program wrote {some}{others} as {config!r} was evaluated: taken for its output, which may change without "
        "the program being another. If it was you, run again with --fresh"
    )


def _stamp(word: Word) -> tuple[int, int, int] | None:
    """What is another once a file was written; it is not read, since outputs may be large."""
    try:
        found = os.stat(word.place)
    except (OSError, ValueError):
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def is_doubtful(study: Study, now: Subject, evaluation: CommandEvaluation, configs: Mapping[str, Parameters]) -> bool:
    """Whether what a study measured may be the same as now, if somebody says so.

    That is where nothing differs but files that are no programs, and these were written while it was measured.
    """
    kept = study.subject
    if kept is None or kept.revision is not None:
        return False
    words = places_by_text(words_of(evaluation, configs))
    paths = [path for path in {*kept.files, *now.files} if kept.files.get(path) != now.files.get(path)]
    others = differences(_without(kept, paths), _without(now, paths))
    if others or not all(path in words and words[path].may_be_output for path in paths):
        return False
    began, ended = _times(study)
    return all(_modified(words[path], began, ended) for path in paths)


def _without(subject: Subject, paths: list[str]) -> Subject:
    return replace(subject, files={path: seen for path, seen in subject.files.items() if path not in paths})


def _times(study: Study) -> tuple[float, float]:
    """When a study was measured; without end while evaluations are under way, or were left so."""
    times = [event.content["at"] for event in study.events() if "at" in event.content]
    return min(times), float("inf") if study.outstanding() else max(times)


def _modified(word: Word, began: float, ended: float) -> bool:
    try:
        at = os.stat(word.place).st_mtime
    except (OSError, ValueError):  # it is gone, as outputs are that are removed again
        return True
    return began - SLACK_SECONDS <= at <= ended + SLACK_SECONDS
