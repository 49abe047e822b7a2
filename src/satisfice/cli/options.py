"""The options and arguments of the commands: what each is called and takes, what the help says and shells offer."""

from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import typer


def beginning(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """What offers those of the names that begin with what was typed."""

    def offered(typed: str) -> list[str]:
        return [name for name in names() if name.startswith(typed.lower())]

    return offered


rule_names = beginning(lambda: import_module("satisfice.rules").RULES)
stopping_names = beginning(lambda: import_module("satisfice.stopping").STOPPING_RULES)
readers = beginning(lambda: import_module("satisfice.readers").READERS)
formats = beginning(lambda: import_module("satisfice.catalogue").export_formats())
policies = beginning(lambda: ("stop", "retry", "worst"))
losses = beginning(lambda: ("reissue", "worst", "stop"))
goals = beginning(lambda: ("any", "all"))
orders = beginning(lambda: ("given", "random"))


DEFAULT_PORT = 8765
DEFAULT_PLACE = "default: $SATISFICE_STORAGE or sqlite:///satisfice.db."


def option(metavar: str, says: str, *names: str, default: Any = None, shown: str | None = None, **more: Any) -> Any:
    """An option; if it has no default, what is not given is left to a file, or to a default that the help tells."""
    shows = shown or default is not None
    return typer.Option(default, *names, metavar=metavar, help=says, show_default=shows, **more)


def argument(metavar: str, says: str, default: Any = None) -> Any:
    """An argument; what is not given is left to a default that the help tells."""
    return typer.Argument(default, metavar=metavar, help=says, show_default=False)


def flag(says: str, *names: str, **more: Any) -> Any:
    """An option without a value."""
    return typer.Option(False, *names, help=says, **more)


class Heading(NamedTuple):
    """A heading of the help, and what stands below it."""

    title: str

    def option(self, metavar: str, says: str, *names: str, **more: Any) -> Any:
        return option(metavar, says, *names, rich_help_panel=self.title, **more)

    def flag(self, says: str, *names: str) -> Any:
        return flag(says, *names, rich_help_panel=self.title)

    def key(self, says: str, *names: str) -> Any:
        """A flag that a file may set, too."""
        return typer.Option(None, *names, help=says, rich_help_panel=self.title)


ASKED, PROGRAM, BUDGET = map(Heading, ("What is asked", "How the program is run", "How much of it"))
FAILURES, KEPT, SHOWN = map(Heading, ("What failures mean", "Where it is kept", "What is shown"))
METHOD = Heading("For those who know the method")


# What is asked of the configurations, and by which method.

PARAMETER_VALUES = ASKED.option(
    "NAME=VALUE,...",
    "Values of a parameter, also 1..9 or 0..1..0.25 with a step; repeat, and all combinations are configurations.",
    "--list",
    "-L",
)
PARAMETER_SCANS = ASKED.option(
    "NAME FROM TO",
    "Values of a parameter from a number up to another; repeat, and all combinations are configurations.",
    "--parameter-scan",
    "-P",
)
SCAN_STEP = ASKED.option("STEP", "From one value of -P to the next; default 1.", "--parameter-step-size", "-D")
NAMED_CONFIGS = ASKED.option("NAME[:KEY=VALUE,...]", "Instead: a configuration by name, with parameters; repeat.")
BASELINE = ASKED.option(
    "KEY=VALUE,...",
    "What 'wall_time <= baseline + 3%' compares with, by parameters or name: each evaluation runs both.",
)
THRESHOLDS = ASKED.option(
    "THRESHOLD",
    "'METRIC <= LIMIT [~ TOLERANCE] [: NOISE] [@ GROUP]', or with >=; p95(METRIC), median, share(METRIC <= X), geomean "
    "in place of METRIC; LIMIT: a number or 'baseline + 3%'; TOLERANCE: what you would not mind, by rule of thumb 5%, "
    "for rates of failures half the limit; repeat for each limit.",
    "--threshold",
    "-t",
)
ERROR_RATE = ASKED.option(
    "RATE", "The probability of a wrong answer that you accept; default 0.05.", "--error-rate", "-e"
)
GOAL_NAME = ASKED.option(
    "any|N|all",
    "Find any configuration that passes (default), or N of them, or find out about all.",
    autocompletion=goals,
)
RULE_NAME = METHOD.option(
    "RULE", "The sampling rule by name or module:Class.", "--rule", "-r", autocompletion=rule_names
)
RULE_NAMES = option(
    "RULE",
    "A sampling rule by name or module:Class; repeat for several.",
    "--rule",
    "-r",
    autocompletion=rule_names,
)
WARM_START = METHOD.option(
    "STUDY|FILE",
    "Earlier results that steer what is evaluated first, and count for nothing: a study's name in this storage, the "
    "address of a storage (URL#NAME where it has several studies), or a .csv, .json or .parquet file with a row for "
    "each evaluation.",
)
ORDER = METHOD.option(
    "given|random",
    "The order in which configurations are tried first: as given (default), or drawn by the seed.",
    autocompletion=orders,
)
STOPPING_NAME = METHOD.option("STOPPING", "The stopping rule by name or module:Class.", autocompletion=stopping_names)


# Files and studies: which it is, where it is kept, what proves it.

INSTANCE_PATH = argument("INSTANCE.toml", "The instance file: thresholds, arms, rules, sweeps.", default=...)
PLANNED_STUDY = argument("STUDY.toml", "The study file: thresholds, configurations.", default=...)
STUDY_PATH = argument("STUDY.toml", "A study file; options replace its keys.")
STORAGE_PLACE = argument("STORAGE", f"Where the study is, such as sqlite:///iot.db; {DEFAULT_PLACE}")
BACKED_UP = argument("STORAGE", "Where the studies are, such as sqlite:///iot.db.", default=...)
BACKUP_FILE = argument("FILE", "The SQLite file to make.", default=...)
STORAGE_URL = KEPT.option(
    "URL",
    "Where the study is kept: sqlite:///FILE, postgresql://..., memory or module:Class://...; a password belongs in "
    "the variable or in ~/.pgpass, since others may see this line in the list of processes; " + DEFAULT_PLACE,
    "--storage",
    "-s",
)
STUDY_NAME = option("NAME", "The study's name, where a storage has several.")
NEW_NAME = KEPT.option(
    "NAME", "The study's name; default: the file's, or one made of the command, so that another is another study."
)
FRESH = KEPT.flag(
    "Measure anew: a new study NAME-2, NAME-3, ... beside the earlier ones. Without it the newest of them goes on.",
    "--fresh",
)
ONE_CONFIG = option(
    "CONFIG", "A configuration by name, or by its parameters: codec=opus,txpower=4; repeat. Default: all."
)
FORECAST = flag("Say how many evaluations it takes in all, by about a second of simulated runs.", "--forecast")
TRUST_CODE = flag(
    "Run the code that a study or a file names as module:Class, a rule or noise model of somebody's own; not from the "
    "current folder, unless PYTHONPATH has it.",
    "--trust-code",
)
NOTED_SEAL = option("SEAL", "A seal noted earlier, which the log must contain: at least 16 digits of it.")
PRIVATE_KEY = option(
    "KEY", "Sign what was verified with this private Ed25519 key, to --signature FILE or else to the terminal."
)
PUBLIC_KEY = option("PUBLIC", "The public key whose signature the log must have.")
SIGNATURE_FILE = option("FILE", "The file of the signature.")

NEW_FILE = argument("STUDY.toml", "The file to write; default: study.toml.", Path("study.toml"))
FIRST_STUDY = argument(
    "A", "A study: the address of its storage, URL#NAME where that has several, or its name.", default=...
)
SECOND_STUDY = argument("B", "The study to compare it with.", default=...)


# How a program evaluates, what its failures mean, and how much of it there is.

METRIC_PLACES = PROGRAM.option(
    "NAME=WHERE",
    "Where a metric is in the output: /REGULAR EXPRESSION/ or key.of.the.json; repeat. "
    "By default the key of its name in the last JSON object; wall_time, user_time, system_time, cpu_time, max_rss_mb "
    "and exit_code are measured.",
    "--metric",
    "-m",
)
READER = PROGRAM.option(
    "TOOL",
    "The tool whose output it is: hyperfine, fio, k6, wrk, ab, vegeta, iperf3, sysbench, criterion, google-benchmark, "
    "pytest-benchmark, or a module:Class of yours. By default it is recognised.",
    autocompletion=readers,
)
WARMUP = PROGRAM.option(
    "N",
    "Run the program that often for each configuration before its first evaluation; not counted.",
    "--warmup",
    "-w",
    min=0,
)
SETUP = PROGRAM.option(
    "COMMAND",
    "Run by a shell once for each configuration, before its first warm-up or evaluation. A server started with & "
    "lives until --cleanup, one of --prepare until --conclude.",
)
PREPARE = PROGRAM.option(
    "COMMAND", "Run by a shell before each evaluation and warm-up, such as 'sync; rm -rf {out}'.", "--prepare", "-p"
)
CONCLUDE = PROGRAM.option("COMMAND", "Run by a shell after each evaluation and warm-up.", "--conclude", "-C")
CLEANUP = PROGRAM.option("COMMAND", "Run by a shell once for each configuration, when the run ends.", "--cleanup", "-c")
SHELL = PROGRAM.option(
    "SHELL",
    "Let this shell, such as sh or 'bash -o pipefail', run the program: one quoted text after --. "
    "A value is one word to it.",
    "--shell",
    "-S",
)
REPEATS = SHOWN.option("N", "How often each configuration is evaluated.", "--repeat", default=2, min=1)
SHOW_OUTPUT = SHOWN.flag("Show what the program prints, on standard error.", "--show-output")
WORKER_METRICS = PROGRAM.option("NAME=WHERE", "As for run: where a metric is in the output.", "--metric", "-m")
TIMEOUT = PROGRAM.option("TIME", "Time limit of an evaluation: 30s, 5m.")
ON_ERROR = FAILURES.option(
    "stop|retry|worst",
    "What a failed evaluation does: stop the study (default), be tried again, or count as the worst result.",
    autocompletion=policies,
)
RETRIES = FAILURES.option("N", "How often an evaluation is tried again; default 2.")
WORST_VALUES = FAILURES.option(
    "METRIC=VALUE", "The worst value of a metric, for --on-error or --on-lost worst; repeat. Bounded metrics have one."
)
ON_LOST = FAILURES.option(
    "reissue|worst|stop",
    "What becomes of an evaluation whose worker is lost: another gets it (default), the worst result, or stop.",
    autocompletion=losses,
)
STRICT = FAILURES.key(
    "UNDECIDED, exit code 4, where a check of the results fails: they drift, carry over or are not as declared.",
    "--strict",
)
DURATIONS = FAILURES.option(
    "METRIC", "A metric that says how long an evaluation took, as wall_time does; repeat.", "--duration"
)
ENVIRONMENT = PROGRAM.option("NAME=TEXT", "A variable of the program; repeat.", "--env")
PROGRAM_FOLDER = PROGRAM.option("FOLDER", "Where the program runs.", "--cwd")
REVISION = PROGRAM.option(
    "TEXT", "What is measured, in a text of yours such as a commit: then the files of the program are not compared."
)
SAME_REVISION = PROGRAM.option("TEXT", "The study's revision, if what this worker runs is that.", "--revision")
FUNCTION_PATH = argument(
    "MODULE:FUNCTION", "The function that evaluates: it gets a configuration and returns a dict of metrics."
)

STUDY_BUDGET = BUDGET.option("N", "Evaluations of the whole study, earlier runs included.")
LEAST_EVALUATIONS = BUDGET.option(
    "N", "Results that a configuration must have before it is accepted; default 1.", "--min-evaluations"
)
COST = BUDGET.option(
    "COST",
    "What an evaluation costs: a number, NAME=NUMBER,... by configuration or group, an expression of parameters such "
    "as '0.01 * tokens + 2.5 * gpus', or a metric that the program prints, such as usd; wall_time is measured.",
)
STUDY_COST = BUDGET.option("X", "What the whole study may cost, in the unit of --cost, earlier runs included.")
RUN_TIME = BUDGET.option("TIME", "Time of this run: 90s, 10m, 2h.")
JOBS = PROGRAM.option("N", "Evaluations at a time; default 1.", "--jobs", "-j")
WORKER_JOBS = PROGRAM.option("N", "Evaluations at a time.", "--jobs", "-j", default=1, min=1)
PATIENCE = KEPT.option("TIME", "How long to wait for a storage that is out of reach.", default="10m")
RUN_PATIENCE = KEPT.option("TIME", "How long to wait for a storage that is out of reach; default 1m.", "--patience")


# Simulations and plans, jobs of a cluster, and the paper.

ERROR_RATES = option("RATE", "Sweep over error rates: repeat.")
TOLERANCES = option("TOLERANCE", "Sweep over tolerances, one for all metrics: repeat.")
RUNS_OF_RULES = option("N", "Runs of each rule; default 1000.", "--repetitions", "-n")
RUNS_OF_SCENARIOS = option("N", "Runs of each scenario; default 500.", "--repetitions", "-n")
RUNS_BESIDE_BOUNDS = option(
    "N", "Runs of each simulated line beside the bounds; 0 for none.", "--repetitions", "-n", default=200, min=0
)
RUN_BUDGET = option("N", "Budget of a run; default 1,000,000.")
RUN_COST = option("X", "What a run may cost, where the file says what evaluations cost.")
PLANNED_BUDGET = option(
    "N", "Evaluations after which a run ends; default: the file's, or 100,000.", "--budget", "--max-evaluations"
)
WORKERS = option(
    "N", "Simulate that many evaluations at a time, in simulated time, beside one at a time; repeat for several."
)
PLANNED_WORKERS = option("N", "Simulate that many evaluations at a time, in simulated time, beside one at a time.")
HOW_LONG = option(
    "DURATIONS",
    "How long simulated evaluations take: constant (default), lognormal(SIGMA) or metric(NAME); '+ 0.5% x 30' behind "
    "it lets one in 200 take 30 times as long.",
    "--durations",
)
PLANNED_COST = option(
    "COST",
    "What an evaluation costs: a number, NAME=NUMBER,... by configuration or group, or an expression of parameters; "
    "default: the file's.",
    "--cost",
)
SPREADS = option("METRIC=SD", "A guess of the standard deviation of one evaluation of a metric; repeat for several.")
JUST_PASSING = option(
    "X", "How many standard deviations from its threshold a mean is that just passes or fails; default 0.25."
)
CLEARLY_PASSING = option("X", "The same for clearly; default 1.")
SCENARIOS = option("NAME", "A scenario to look at; repeat for several; default: all.")
SEED = METHOD.option("N", "Seed of all randomness; default 0.")
THREADS = option("N", "How many threads; default: one for each core.", min=1)
DASK = option("ADDRESS", "Spread the runs over the workers of the Dask scheduler there, such as tcp://10.0.0.1:8786.")
RESULTS_FOLDER = option(
    "FOLDER", "Keep results here: tables, a plot, every run. Interrupted, the same command goes on."
)

SCHEDULER = argument("slurm|kubernetes", "For which scheduler.", default=...)
LAUNCHED_STUDY = option("NAME", "The study's name.", "--name", default=...)
LAUNCHED_WORKERS = option("N", "How many workers.", "--workers", "-w", default=10, min=1, max=100_000)
MEMORY = option("SIZE", "Memory of each worker: 4G for Slurm, 4Gi for Kubernetes.")
IMAGE = option("IMAGE", "The container image of Kubernetes, with satisfice and what evaluates.")
SECRET = option("NAME", "The Secret of Kubernetes whose key `storage` is the address.", default="satisfice")

PAPER_TABLES = option(
    "TABLE", "A table of the paper by name, or all; repeat for several.", "--table", "-t", shown="all"
)
RUNS_OF_CELLS = option(
    "N",
    "Runs of each cell, or 'paper' for as many as the paper made; default: few, for a quick look.",
    "--repetitions",
    "-n",
)
PAPER_FOLDER = option("FOLDER", "The folder for tables, figures and the report.", default=Path("reproduction"))
PAPER_SEED = option("N", "Seed of all randomness.", default=1)


# What is printed, written or served.

FORMAT_NAME = option(
    "FORMAT",
    "csv, parquet, json, markdown or module:function; default: by the ending of --out, else csv.",
    "--format",
    "-f",
    autocompletion=formats,
)
BY_CONFIG = flag("One row for each configuration instead of each evaluation.", "--configs")
TABLE_FILE = option("FILE", "The file to write; default: print.", "--out", "-o")
REPORT_FILE = option(
    "FILE", "The HTML file to write; - is standard output.", "--out", "-o", default=Path("report.html")
)
WEB = SHOWN.flag("Show the study in a browser while it runs, at an address of this machine that is printed.", "--web")
WEB_HOST = option("HOST", "The address to listen at; any but this machine's own needs a token.", default="127.0.0.1")
WEB_PORT = option("PORT", "The port to listen at; 0 is any that is free.", default=DEFAULT_PORT, min=0, max=65535)
WEB_NAMES = option(
    "NAME", "A further name of the server, as behind a proxy; it then needs a token. Repeat for more.", "--allow-host"
)
CERTIFICATE = option("FILE", "A certificate (PEM): the server then speaks HTTPS.")
CERTIFICATE_KEY = option("FILE", "The key of the certificate (PEM).")
AS_JSON = SHOWN.flag("Print one JSON document instead of tables.", "--json")
QUIET = SHOWN.flag("Print the verdict only.", "--quiet", "-q")
JUNIT_FILE = SHOWN.option("FILE", "Write a JUnit report for a CI: it fails where the verdict is NONE.", "--junit")
JUNIT_UNDECIDED = SHOWN.option(
    "skipped|failure|error", "What UNDECIDED is in the JUnit report.", "--junit-undecided", default="skipped"
)
MARKDOWN_FILE = SHOWN.option("FILE", "Write the verdict and a table as a page of Markdown.", "--markdown")
GITHUB = SHOWN.flag(
    "In a step of GitHub Actions: add to the summary of the job, annotate it, set the outputs.", "--github"
)
