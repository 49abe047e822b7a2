"""What is asked of the configurations, and by which method."""

from satisfice.cli import complete
from satisfice.cli.options.making import ASKED, METHOD, option

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
    autocompletion=complete.goals,
)
RULE_NAME = METHOD.option(
    "RULE", "The sampling rule by name or module:Class.", "--rule", "-r", autocompletion=complete.rule_names
)
RULE_NAMES = option(
    "RULE",
    "A sampling rule by name or module:Class; repeat for several.",
    "--rule",
    "-r",
    autocompletion=complete.rule_names,
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
    autocompletion=complete.orders,
)
STOPPING_NAME = METHOD.option(
    "STOPPING", "The stopping rule by name or module:Class.", autocompletion=complete.stopping_names
)
