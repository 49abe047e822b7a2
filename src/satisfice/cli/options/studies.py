"""Files and studies: which it is, where it is kept, what proves it."""

from pathlib import Path

from satisfice.cli.options.making import DEFAULT_PLACE, KEPT, argument, flag, option

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
