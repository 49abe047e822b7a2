"""The options and arguments of the commands: what each is called, what it takes, what the help says."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from satisfice.cli import complete

Text = str | None
Texts = list[str] | None
Number = int | None
Ratio = float | None
Ratios = list[float] | None
DEFAULT_PLACE = "default: $SATISFICE_STORAGE or sqlite:///satisfice.db."


def option(metavar: str, says: str, *names: str, completion: Callable[..., Any] | None = None) -> Any:
    """An option that need not be given: then a file counts, or a default that the help tells in words."""
    return typer.Option(*names, metavar=metavar, help=says, show_default=False, autocompletion=completion)


def argument(metavar: str, says: str) -> Any:
    """An argument, whose default, if there is one, the help tells in words."""
    return typer.Argument(metavar=metavar, help=says, show_default=False)


# files and studies
InstancePath = Annotated[Path, argument("INSTANCE.toml", "The instance file: thresholds, arms, rules, sweeps.")]
PlannedStudy = Annotated[Path, argument("STUDY.toml", "The study file: thresholds, configurations.")]
StudyPath = Annotated[Path | None, argument("STUDY.toml", "A study file; options replace its keys.")]
StoragePlace = Annotated[Text, argument("STORAGE", f"Where the study is, such as sqlite:///iot.db; {DEFAULT_PLACE}")]
StorageUrl = Annotated[
    Text,
    option(
        "URL",
        "Where the study is kept: sqlite:///FILE, postgresql://..., memory or module:Class://...; " + DEFAULT_PLACE,
        *("--storage", "-s"),
    ),
]
StudyName = Annotated[Text, option("NAME", "The study's name, where a storage has several.")]
NewName = Annotated[
    Text,
    option(
        "NAME",
        "The study's name; default: the file's, or one made of the command, so that another is another study.",
    ),
]
OneConfig = Annotated[
    Texts,
    option("CONFIG", "A configuration by name, or by its parameters: codec=opus,txpower=4; repeat. Default: all."),
]
NotedSeal = Annotated[Text, option("SEAL", "A seal noted earlier, which the log must contain.")]

# what is asked
ParameterValues = Annotated[
    Texts,
    option(
        "NAME=VALUE,...",
        "Values of a parameter; repeat, and all combinations are configurations.",
        *("--list", "-L"),
    ),
]
NamedConfigs = Annotated[
    Texts, option("NAME[:KEY=VALUE,...]", "Instead: a configuration by name, with parameters; repeat.")
]
Thresholds = Annotated[
    Texts,
    option(
        "THRESHOLD",
        "'METRIC <= VALUE [~ TOLERANCE] [: NOISE]', or with >=; repeat for each metric.",
        *("--threshold", "-t"),
    ),
]
ErrorRate = Annotated[
    Ratio,
    option("RATE", "The probability of a wrong answer that you accept; default 0.05.", "--error-rate", "-e"),
]
GoalName = Annotated[
    Text,
    option("any|all", "Find any configuration that passes (default), or all of them.", completion=complete.goals),
]
RuleName = Annotated[
    Text, option("RULE", "The sampling rule by name or module:Class.", "--rule", "-r", completion=complete.rule_names)
]
RuleNames = Annotated[
    Texts,
    option(
        "RULE",
        "A sampling rule by name or module:Class; repeat for several.",
        *("--rule", "-r"),
        completion=complete.rule_names,
    ),
]
StoppingName = Annotated[
    Text,
    option("STOPPING", "The stopping rule by name or module:Class.", completion=complete.stopping_names),
]

# how a program evaluates
MetricPlaces = Annotated[
    Texts,
    option(
        "NAME=WHERE",
        "Where a metric is in the output: /REGULAR EXPRESSION/ or key.of.the.json; repeat. "
        "By default the key of its name in the last JSON object; wall_time and exit_code are measured.",
        *("--metric", "-m"),
    ),
]
WorkerMetrics = Annotated[Texts, option("NAME=WHERE", "As for run: where a metric is in the output.", "--metric", "-m")]
Timeout = Annotated[Text, option("TIME", "Time limit of an evaluation: 30s, 5m.")]
OnError = Annotated[
    Text,
    option(
        "stop|retry|worst",
        "What a failed evaluation does: stop the study (default), be tried again, or count as the worst result.",
        completion=complete.policies,
    ),
]
Retries = Annotated[Number, option("N", "How often an evaluation is tried again; default 2.")]
WorstValues = Annotated[
    Texts,
    option("METRIC=VALUE", "The worst value of a metric, for --on-error worst; repeat. Bounded metrics have one."),
]
Environment = Annotated[Texts, option("NAME=TEXT", "A variable of the program; repeat.", "--env")]
ProgramFolder = Annotated[Text, option("FOLDER", "Where the program runs.", "--cwd")]
FunctionPath = Annotated[
    Text,
    argument("MODULE:FUNCTION", "The function that evaluates: it gets a configuration and returns a dict of metrics."),
]

# how much of it
StudyBudget = Annotated[Number, option("N", "Evaluations of the whole study, earlier runs included.")]
RunTime = Annotated[Text, option("TIME", "Time of this run: 90s, 10m, 2h.")]
Jobs = Annotated[Number, option("N", "Evaluations at a time; default 1.", "--jobs", "-j")]
WorkerJobs = Annotated[int, typer.Option("--jobs", "-j", min=1, metavar="N", help="Evaluations at a time.")]
Patience = Annotated[str, typer.Option(metavar="TIME", help="How long to wait for a storage that is out of reach.")]

# simulations
ErrorRates = Annotated[Ratios, option("RATE", "Sweep over error rates: repeat.")]
Tolerances = Annotated[Ratios, option("TOLERANCE", "Sweep over tolerances, one for all metrics: repeat.")]
RunsOfRules = Annotated[Number, option("N", "Runs of each rule; default 1000.", "--repetitions", "-n")]
RunsOfScenarios = Annotated[Number, option("N", "Runs of each scenario; default 500.", "--repetitions", "-n")]
RunsBesideBounds = Annotated[
    int,
    typer.Option(
        "--repetitions", "-n", min=0, metavar="N", help="Runs of each simulated line beside the bounds; 0 for none."
    ),
]
RunBudget = Annotated[Number, option("N", "Budget of a run; default 1,000,000.")]
PlannedBudget = Annotated[
    Number,
    option(
        "N", "Evaluations after which a run ends; default: the file's, or 100,000.", "--budget", "--max-evaluations"
    ),
]
Spreads = Annotated[
    Texts,
    option("METRIC=SD", "A guess of the standard deviation of one evaluation of a metric; repeat for several."),
]
JustPassing = Annotated[
    Ratio,
    option("X", "How many standard deviations from its threshold a mean is that just passes or fails; default 0.25."),
]
ClearlyPassing = Annotated[Ratio, option("X", "The same for clearly; default 1.")]
Scenarios = Annotated[Texts, option("NAME", "A scenario to look at; repeat for several; default: all.")]
Seed = Annotated[Number, option("N", "Seed of all randomness; default 0.")]
Threads = Annotated[
    Number,
    typer.Option(min=1, metavar="N", help="How many threads; default: one for each core.", show_default=False),
]
ResultsFolder = Annotated[
    Path | None,
    option("FOLDER", "Keep results here: tables, a plot, every run. Interrupted, the same command goes on."),
]

# the paper
PaperTables = Annotated[
    Texts,
    typer.Option(
        *("--table", "-t"),
        metavar="TABLE",
        help="A table of the paper by name, or all; repeat for several.",
        show_default="all",
    ),
]
RunsOfCells = Annotated[
    Text,
    option(
        "N",
        "Runs of each cell, or 'paper' for as many as the paper made; default: few, for a quick look.",
        *("--repetitions", "-n"),
    ),
]
PaperFolder = Annotated[Path, typer.Option(metavar="FOLDER", help="The folder for tables, figures and the report.")]
PaperSeed = Annotated[int, typer.Option(metavar="N", help="Seed of all randomness.")]

# what is printed or written
FormatName = Annotated[
    Text,
    option(
        "FORMAT",
        "csv, parquet, json, markdown or module:function; default: by the ending of --out, else csv.",
        *("--format", "-f"),
        completion=complete.formats,
    ),
]
ByConfig = Annotated[bool, typer.Option("--configs", help="One row for each configuration instead of each evaluation.")]
TableFile = Annotated[Path | None, option("FILE", "The file to write; default: print.", "--out", "-o")]
ReportFile = Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The HTML file to write.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of tables.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print the verdict only.")]
