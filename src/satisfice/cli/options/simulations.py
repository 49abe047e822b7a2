"""Simulations and plans, jobs of a cluster, and the paper."""

from pathlib import Path

from satisfice.cli.options.making import METHOD, argument, option

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
