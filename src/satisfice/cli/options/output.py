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
