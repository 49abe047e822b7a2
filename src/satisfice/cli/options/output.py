"""What is printed, written or served."""

from pathlib import Path

from satisfice.cli import complete
from satisfice.cli.options.making import DEFAULT_PORT, SHOWN, flag, option

FORMAT_NAME = option(
    "FORMAT",
    "csv, parquet, json, markdown or module:function; default: by the ending of --out, else csv.",
    "--format",
    "-f",
    autocompletion=complete.formats,
)
BY_CONFIG = flag("One row for each configuration instead of each evaluation.", "--configs")
TABLE_FILE = option("FILE", "The file to write; default: print.", "--out", "-o")
REPORT_FILE = option(
    "FILE", "The HTML file to write; - is standard output.", "--out", "-o", default=Path("report.html")
)
WEB = flag(
    "Show the study in a browser while it runs, at an address of this machine that is printed.",
    "--web",
    rich_help_panel=SHOWN,
)
WEB_HOST = option("HOST", "The address to listen at; any but this machine's own needs a token.", default="127.0.0.1")
WEB_PORT = option("PORT", "The port to listen at; 0 is any that is free.", default=DEFAULT_PORT, min=0, max=65535)
WEB_NAMES = option(
    "NAME", "A further name by which browsers may call the server, as behind a proxy; repeat.", "--allow-host"
)
CERTIFICATE = option("FILE", "A certificate (PEM): the server then speaks HTTPS.")
CERTIFICATE_KEY = option("FILE", "The key of the certificate (PEM).")
AS_JSON = flag("Print one JSON document instead of tables.", "--json", rich_help_panel=SHOWN)
QUIET = flag("Print the verdict only.", "--quiet", "-q", rich_help_panel=SHOWN)
JUNIT_FILE = option(
    "FILE",
    "Write a JUnit report for a CI: it fails where the verdict is NONE.",
    "--junit",
    rich_help_panel=SHOWN,
)
JUNIT_UNDECIDED = option(
    "skipped|failure|error",
    "What UNDECIDED is in the JUnit report.",
    "--junit-undecided",
    default="skipped",
    rich_help_panel=SHOWN,
)
MARKDOWN_FILE = option(
    "FILE", "Write the verdict and a table as a page of Markdown.", "--markdown", rich_help_panel=SHOWN
)
GITHUB = flag(
    "In a step of GitHub Actions: add to the summary of the job, annotate it, set the outputs.",
    "--github",
    rich_help_panel=SHOWN,
)
