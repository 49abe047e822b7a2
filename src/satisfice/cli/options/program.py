"""How a program evaluates, what its failures mean, and how much of it there is."""

from satisfice.cli import complete
from satisfice.cli.options.making import BUDGET, FAILURES, KEPT, PROGRAM, SHOWN, argument, flag, option

METRIC_PLACES = option(
    "NAME=WHERE",
    "Where a metric is in the output: /REGULAR EXPRESSION/ or key.of.the.json; repeat. "
    "By default the key of its name in the last JSON object; wall_time and exit_code are measured.",
    "--metric",
    "-m",
    rich_help_panel=PROGRAM,
)
READER = option(
    "TOOL",
    "The tool whose output it is: hyperfine, fio, k6, wrk, ab, vegeta, iperf3, sysbench, criterion, google-benchmark, "
    "pytest-benchmark, or a module:Class of yours. By default it is recognised.",
    autocompletion=complete.readers,
    rich_help_panel=PROGRAM,
)
WARMUP = option(
    "N",
    "Run the program that often for each configuration before its first evaluation; not counted.",
    "--warmup",
    "-w",
    min=0,
    rich_help_panel=PROGRAM,
)
SETUP = option(
    "COMMAND",
    "Run by a shell once for each configuration, before its first warm-up or evaluation.",
    rich_help_panel=PROGRAM,
)
PREPARE = option(
    "COMMAND",
    "Run by a shell before each evaluation and warm-up, such as 'sync; rm -rf {out}'.",
    "--prepare",
    "-p",
    rich_help_panel=PROGRAM,
)
CONCLUDE = option(
    "COMMAND", "Run by a shell after each evaluation and warm-up.", "--conclude", "-C", rich_help_panel=PROGRAM
)
CLEANUP = option(
    "COMMAND",
    "Run by a shell once for each configuration, when the run ends.",
    "--cleanup",
    "-c",
    rich_help_panel=PROGRAM,
)
SHELL = option(
    "SHELL",
    "Let this shell, such as sh or 'bash -o pipefail', run the program: one quoted text after --.",
    "--shell",
    "-S",
    rich_help_panel=PROGRAM,
)
SHOW_OUTPUT = flag("Show what the program prints, on standard error.", "--show-output", rich_help_panel=SHOWN)
WORKER_METRICS = option(
    "NAME=WHERE", "As for run: where a metric is in the output.", "--metric", "-m", rich_help_panel=PROGRAM
)
TIMEOUT = option("TIME", "Time limit of an evaluation: 30s, 5m.", rich_help_panel=PROGRAM)
ON_ERROR = option(
    "stop|retry|worst",
    "What a failed evaluation does: stop the study (default), be tried again, or count as the worst result.",
    autocompletion=complete.policies,
    rich_help_panel=FAILURES,
)
RETRIES = option("N", "How often an evaluation is tried again; default 2.", rich_help_panel=FAILURES)
WORST_VALUES = option(
    "METRIC=VALUE",
    "The worst value of a metric, for --on-error or --on-lost worst; repeat. Bounded metrics have one.",
    rich_help_panel=FAILURES,
)
ON_LOST = option(
    "reissue|worst|stop",
    "What becomes of an evaluation whose worker is lost: another gets it (default), the worst result, or stop.",
    autocompletion=complete.losses,
    rich_help_panel=FAILURES,
)
DURATIONS = option(
    "METRIC",
    "A metric that says how long an evaluation took, as wall_time does; repeat.",
    "--duration",
    rich_help_panel=FAILURES,
)
ENVIRONMENT = option("NAME=TEXT", "A variable of the program; repeat.", "--env", rich_help_panel=PROGRAM)
PROGRAM_FOLDER = option("FOLDER", "Where the program runs.", "--cwd", rich_help_panel=PROGRAM)
REVISION = option(
    "TEXT",
    "What is measured, in a text of yours such as a commit: then the files of the program are not compared.",
    rich_help_panel=PROGRAM,
)
SAME_REVISION = option(
    "TEXT", "The study's revision, if what this worker runs is that.", "--revision", rich_help_panel=PROGRAM
)
FUNCTION_PATH = argument(
    "MODULE:FUNCTION", "The function that evaluates: it gets a configuration and returns a dict of metrics."
)

STUDY_BUDGET = option("N", "Evaluations of the whole study, earlier runs included.", rich_help_panel=BUDGET)
LEAST_EVALUATIONS = option(
    "N",
    "Results that a configuration must have before it is accepted; default 1.",
    "--min-evaluations",
    rich_help_panel=BUDGET,
)
COST = option(
    "COST",
    "What an evaluation costs: a number, NAME=NUMBER,... by configuration or group, an expression of parameters such "
    "as '0.01 * tokens + 2.5 * gpus', or a metric that the program prints, such as usd; wall_time is measured.",
    rich_help_panel=BUDGET,
)
STUDY_COST = option(
    "X", "What the whole study may cost, in the unit of --cost, earlier runs included.", rich_help_panel=BUDGET
)
RUN_TIME = option("TIME", "Time of this run: 90s, 10m, 2h.", rich_help_panel=BUDGET)
JOBS = option("N", "Evaluations at a time; default 1.", "--jobs", "-j", rich_help_panel=PROGRAM)
WORKER_JOBS = option("N", "Evaluations at a time.", "--jobs", "-j", default=1, min=1, rich_help_panel=PROGRAM)
PATIENCE = option("TIME", "How long to wait for a storage that is out of reach.", default="10m", rich_help_panel=KEPT)
RUN_PATIENCE = option(
    "TIME", "How long to wait for a storage that is out of reach; default 1m.", "--patience", rich_help_panel=KEPT
)
