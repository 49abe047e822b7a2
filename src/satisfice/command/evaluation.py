"""A program as the evaluation of a study, of all metrics together or of each group by its own command."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NotRequired, TypedDict, Unpack

from satisfice.command.around import ONCE, Around, Run, Stage
from satisfice.command.output import (
    EXIT_CODE,
    MAX_RSS,
    SELF_MEASURED,
    WALL_TIME,
    Found,
    Key,
    Output,
    Pattern,
    read_metrics,
)
from satisfice.command.process import Processes
from satisfice.command.reasons import check_program, cleaned, kept_reason, kept_value
from satisfice.command.shell_text import check_values, filled_words, marked
from satisfice.command.template import ITEM, check_item_place, check_places, filled, places_of
from satisfice.errors import EvaluationFailed, InvalidCommand, NotMeasured
from satisfice.given import is_number
from satisfice.layout.numbers import written
from satisfice.problem.metric import Metric
from satisfice.readers import resolve_reader
from satisfice.study.storage.passwords import masked, masks_of

CONFIG, NUMBER, REPEAT, GROUP = "config", "number", "repeat", "group"
"""Places that need no parameter: the configuration's name, the number of the evaluation, how often this configuration
was evaluated before, the item to evaluate, in a study of a set of them, and the group of metrics to measure, where
there are such."""

NOT_RUN = (126, 127)
"""With these exit codes a shell says that it could not run a program, or found none."""


class Asked(TypedDict):
    """Which evaluation it is, as `CommandEvaluation.found` takes it."""

    config: str
    number: int
    repeat: NotRequired[int]
    item: NotRequired[int | None]
    group: NotRequired[str | None]


@dataclass(frozen=True)
class CommandEvaluation:
    """Run a program for one configuration and read its metrics.

    `environment` and `folder` may have places for parameters, as the words have. A program also finds the
    configuration's name in SATISFICE_CONFIG, the evaluation's number in SATISFICE_NUMBER, and in SATISFICE_REPEAT and
    SATISFICE_ITEM what the places of that name say, and the group to measure in SATISFICE_GROUPS. `storage` is the
    address of the study's storage: the program gets no word of it, and if it prints it nevertheless, the log does not
    keep it. `cost` is the metric that says what an evaluation costs, if there is one: it is read like the others,
    whether or not there is a limit on it. `reader` names the tool whose output it is; without it the output is
    recognised. Numbers that no limit is about are results too. `around` is run around evaluations, and `shows` gets
    what was printed by each, of which configuration and number. `by_group` are the evaluations of groups of metrics by
    name, where they are measured apart; they run the same program unless each has its own. `known` are the metrics of
    all groups: what is printed of others than the one that was asked for is left out. With `items` a program finds the
    item in its place, which is empty once the configuration was evaluated on all of them; `of_set` are the metrics that
    are then not measured any more.
    """

    words: Sequence[str]
    metrics: Sequence[str]
    readings: Mapping[str, Pattern | Key] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: str | None = None
    timeout: float | None = None
    items: bool = False
    of_set: frozenset[str] = frozenset()
    group: str = ""
    known: Sequence[str] = ()
    storage: str = ""
    cost: str | None = None
    reader: str | None = None
    around: Around = field(default_factory=Around)
    shows: Callable[[str, int, Output], None] | None = None
    by_group: Mapping[str, "CommandEvaluation"] = field(default_factory=dict)
    processes: Processes = field(default_factory=Processes)
    stage: Stage = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "stage", Stage(self.around))
        object.__setattr__(self, "words", marked(self.words))

    def check(self, parameters: Iterable[Mapping[str, object]]) -> None:
        """Raise unless the program is there and every configuration fills every place."""
        if self.by_group:
            parameters = list(parameters)
            for group in self.by_group.values():
                group.check(parameters)
            return
        if not self.words:
            raise InvalidCommand("Expected a command after --, such as: -- ./bench.sh --codec {codec}; got none.")
        if self.timeout is not None and not self.timeout > 0:
            raise InvalidCommand(f"Expected a time limit of more than 0 seconds, got {written(self.timeout)}.")
        texts = [*self.words, *self.environment.values(), *([self.folder] if self.folder else [])]
        texts += [text for when, text in self.around.commands.items() if when not in ONCE]
        once = [text for when, text in self.around.commands.items() if when in ONCE]
        if self.items:
            check_item_place(texts, self.words)
        for each in parameters:
            known = [*([ITEM] if self.items else []), *([GROUP] if self.group else [])]
            check_places(texts, [*each, CONFIG, NUMBER, REPEAT, *known])
            check_places(once, [*each, CONFIG])
            check_values([*self.words, *self.around.texts()], each)
        if self.reader is not None:
            resolve_reader(self.reader)
        for name in self.readings:
            if name not in (*self.known, *self.metrics, self.cost):
                raise InvalidCommand(
                    f"--metric says where {name!r} is, but no threshold is about it. Thresholds: "
                    f"{', '.join(self.known or self.metrics)}."
                )
        if not places_of([self.words[0], self.folder or ""]):
            check_program(self.words[0], self.folder, self.environment)

    def unused(self, parameters: Iterable[Mapping[str, object]]) -> list[str]:
        """The parameters that have no place anywhere; none if the program gets the configuration's name."""
        words = [word for each in self.programs() for word in each]
        texts = [*words, *self.environment.values(), self.folder or "", *self.around.commands.values()]
        places = places_of(texts)
        names = dict.fromkeys(name for each in parameters for name in each)
        return [] if CONFIG in places else [name for name in names if name not in places]

    def options(self) -> dict[str, str]:
        """What else decides what is measured, by the name of its option."""
        return self.around.as_texts() | ({} if self.reader is None else {"reader": self.reader})

    def programs(self) -> list[tuple[str, ...]]:
        """The words of each program that is run, once."""
        groups = self.by_group.values()
        return list(dict.fromkeys(tuple(one.words) for one in groups)) if groups else [tuple(self.words)]

    def __call__(self, parameters: Mapping[str, object], **asked: Unpack[Asked]) -> dict[str, float]:
        """One evaluation: what was read, results and the rest."""
        found = self.found(parameters, **asked)
        return found.beside | found.results

    def found(
        self,
        parameters: Mapping[str, object],
        *,
        config: str,
        number: int,
        repeat: int = 0,
        item: int | None = None,
        group: str | None = None,
    ) -> Found:
        """One evaluation, and what was read where."""
        if group is not None and self.by_group:
            own = self.by_group[group]
            return own.found(parameters, config=config, number=number, repeat=repeat, item=item, group=group)
        places: dict[str, object] = {CONFIG: config, NUMBER: number, REPEAT: repeat}
        if self.items and item is None:
            return self._of_no_item._found(places | {ITEM: ""}, parameters, group)
        if item is not None:
            places[ITEM] = item
        return self._found(places, parameters, group)

    @cached_property
    def _of_no_item(self) -> "CommandEvaluation":
        """The evaluation once all items were evaluated: what is measured of them is not read any more."""
        rest = [name for name in self.metrics if name not in self.of_set]
        found = replace(self, metrics=rest, known=self.known or tuple(self.metrics))
        object.__setattr__(found, "stage", self.stage)
        return found

    def _found(self, places: dict[str, object], parameters: Mapping[str, object], group: str | None) -> Found:
        told = {f"SATISFICE_{name.upper()}": str(value) for name, value in places.items()}
        if group is not None:
            places[GROUP] = told["SATISFICE_GROUPS"] = group
        masks = masks_of(self.storage)
        try:
            found = self.measured(places | dict(parameters), told, masks)
        except EvaluationFailed as error:
            raise type(error)(kept_reason(str(error), masks), cost=error.cost) from None
        results = {name: kept_value(value, masks) for name, value in found.results.items()}
        beside = {cleaned(name, masks): value for name, value in found.beside.items() if name not in self.known}
        beside.pop("", None)  # a name of nothing but control sequences
        return found._replace(results=results, beside=beside)

    def measured(self, values: Mapping[str, object], told: Mapping[str, str], masks: Mapping[str, str]) -> Found:
        """Run the program with these values in its places, and read what it left behind."""
        words = filled_words(self.words, values)
        config, number = told["SATISFICE_CONFIG"], int(told["SATISFICE_NUMBER"])
        environment = {**told, **{name: filled(text, values) for name, text in self.environment.items()}}
        folder = None if self.folder is None else filled(self.folder, values)

        def seen(output: Output) -> None:
            if self.shows is not None:
                printed, said = masked(output.stdout, masks), masked(output.stderr, masks)
                self.shows(config, number, output._replace(stdout=printed, stderr=said))

        def run(words: Sequence[str], *, keeps: bool = False, measured: bool = False) -> Output:
            return self.processes.run(
                words,
                environment=environment,
                folder=folder,
                timeout=self.timeout if measured else None,
                masks=masks,
                seen=seen,
                peak=measured and MAX_RSS in (*self.metrics, self.cost),
                keeps=keeps,
            )

        def warm_up() -> None:
            self._check_end(words[0], run(words, measured=True))

        output = None
        try:
            end_prepared = self.stage.prepare(config, values, run, warm_up)
            with self.stage.concluding(values, run, end_prepared):
                output = run(words, measured=True)
            return self._read(words[0], output)
        except EvaluationFailed as error:
            error.cost = self._spent(error, output)
            raise

    def clean_up(self) -> list[str]:
        """Run what cleans up after the configurations that were evaluated; what failed, in sentences."""
        masks, processes = masks_of(self.storage), Processes()

        def run(config: str, values: Mapping[str, object]) -> Run:
            environment = {name: filled(text, values) for name, text in self.environment.items()}
            folder = None if self.folder is None else filled(self.folder, values)
            told = {"SATISFICE_CONFIG": config}

            def inner(words: Sequence[str], *, keeps: bool = False) -> Output:
                return processes.run(words, environment=told | environment, folder=folder, timeout=None, masks=masks)

            return inner

        try:
            return [kept_reason(sentence, masks) for sentence in self.stage.clean_up(run)]
        finally:
            processes.stop()
            self.processes.close()

    def _spent(self, error: EvaluationFailed, output: Output | None) -> float | None:
        """What an evaluation without results has cost, as far as one knows."""
        if self.cost is None or output is None:  # then it was not run, or its time was up
            return self.timeout if self.cost == WALL_TIME and not isinstance(error, NotMeasured) else None
        try:
            value = self._in(output, [self.cost]).results[self.cost]
        except EvaluationFailed:
            return None
        return value if is_number(value) else None

    def _in(self, output: Output, names: Sequence[str]) -> Found:
        reader = None if self.reader is None else (self.reader, resolve_reader(self.reader))
        return read_metrics(names, self.readings, output, reader, self.timeout)

    def _read(self, program: str, output: Output) -> Found:
        """The metrics and the cost in what a program left behind."""
        said = output.said
        self._check_end(program, output)
        try:
            found = self._in(output, self.metrics)
        except EvaluationFailed as error:
            kind = NotMeasured if output.exit_code in NOT_RUN else type(error)
            ended = f" It ended with exit code {output.exit_code}." if output.exit_code else ""
            raise kind(f"{error}{ended}{f' Standard error ends with: {said}' if said else ''}") from None
        priced = self._priced(output)
        beside = {name: value for name, value in found.beside.items() if name not in priced}
        return Found(found.results | priced, beside, found.reader)

    def _check_end(self, program: str, output: Output) -> None:
        """Raise where a program ended otherwise than well, unless its exit code is a result."""
        if output.exit_code and EXIT_CODE not in self.metrics:
            said = f" and said: {output.said}" if output.said else ""
            sentence = f"{program} ended with exit code {output.exit_code}{said}."
            if output.exit_code in NOT_RUN and not self._printed_metrics(output):
                raise NotMeasured(f"{sentence} That is how a shell says that there is no such program, or none to run.")
            raise EvaluationFailed(sentence)

    def _priced(self, output: Output) -> dict[str, Any]:
        """What the evaluation cost; without it nothing is wrong with the configuration, but with the program."""
        if self.cost is None or self.cost in self.metrics:
            return {}
        try:
            return self._in(output, [self.cost]).results
        except EvaluationFailed as error:
            raise NotMeasured(f"{error} It is what an evaluation costs.") from None

    def _printed_metrics(self, output: Output) -> bool:
        """Whether the program printed all metrics that are its to print; if there are none, it printed none."""
        names = [name for name in self.metrics if name in self.readings or name not in SELF_MEASURED]
        try:
            self._in(output, names)
        except EvaluationFailed:
            return False
        return bool(names)


def in_groups(
    whole: CommandEvaluation, metrics: Sequence[Metric], commands: Mapping[str, Sequence[str]] | None = None
) -> CommandEvaluation:
    """The evaluation with one for each group of metrics, which runs the group's own command if it has one."""
    groups = dict.fromkeys(metric.group for metric in metrics if metric.group)
    known = tuple(whole.metrics)
    by_group = {
        group: replace(
            whole,
            words=(commands or {}).get(group, whole.words),
            metrics=list(dict.fromkeys(metric.name for metric in metrics if metric.group == group)),
            items=any(metric.process.items(metric.noise) for metric in metrics if metric.group == group),
            group=group,
            known=known,
        )
        for group in groups
    }
    found = replace(whole, by_group=by_group, known=known if groups else ())
    for each in by_group.values():
        object.__setattr__(each, "stage", found.stage)  # a configuration is set up once, for all groups
    return found
