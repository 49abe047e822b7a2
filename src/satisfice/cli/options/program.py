"""How a program evaluates, what its failures mean, and how much of it there is."""

from satisfice.cli import complete
from satisfice.cli.options.making import BUDGET, FAILURES, KEPT, PROGRAM, SHOWN, argument

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
    autocompletion=complete.readers,
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
    autocompletion=complete.policies,
)
RETRIES = FAILURES.option("N", "How often an evaluation is tried again; default 2.")
WORST_VALUES = FAILURES.option(
    "METRIC=VALUE", "The worst value of a metric, for --on-error or --on-lost worst; repeat. Bounded metrics have one."
)
ON_LOST = FAILURES.option(
    "reissue|worst|stop",
    "What becomes of an evaluation whose worker is lost: another gets it (default), the worst result, or stop.",
    autocompletion=complete.losses,
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
