"""What the GitHub Action of satisfice runs: install it, run the study, end as the verdict says.

The inputs come as variables SATISFICE_ACTION_...; see action.yml. Exit codes are those of `satisfice run`, but that
UNDECIDED passes unless the input `undecided` is fail.
"""

import os
import shlex
import subprocess
import sys

UNDECIDED, BAD_INPUT = 4, 2
STORAGE = "sqlite:///satisfice.db"


def given(name: str) -> str:
    """An input of the action."""
    return os.environ.get(f"SATISFICE_ACTION_{name}", "").strip()


def refuse(sentence: str) -> int:
    """Say what is wrong, also as an annotation."""
    print(f"::error title=satisfice::{sentence}", file=sys.stderr)
    return BAD_INPUT


def main() -> int:
    """Install, run, map the exit code."""
    if given("UNDECIDED") not in ("", "pass", "fail"):
        return refuse(f"Expected the input undecided as pass or fail, got {given('UNDECIDED')!r}.")
    try:
        words = shlex.split(given("ARGUMENTS"))
    except ValueError as error:
        return refuse(f"The input arguments cannot be split into words: {error}.")
    if not words and not given("STUDY"):
        return refuse(
            "Expected a study file in the input study, or words for `satisfice run` in arguments; got neither."
        )
    if not os.environ.get("GITHUB_STEP_SUMMARY"):
        return refuse("There is no $GITHUB_STEP_SUMMARY: this script is for a step of GitHub Actions.")
    if given("INSTALL") != "none":
        what = given("INSTALL") or os.environ.get("GITHUB_ACTION_PATH", ".")
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", what]
        if subprocess.run(install, check=False).returncode:
            return refuse(f"pip could not install {what}: what it says stands above.")
    storage = os.environ.setdefault("SATISFICE_STORAGE", STORAGE)
    ours = ["--github", *(["--junit", given("JUNIT")] if given("JUNIT") else [])]
    program = words.index("--") if "--" in words else len(words)
    run = [*([given("STUDY")] if given("STUDY") else []), *words[:program], *ours, *words[program:]]
    code = subprocess.run([sys.executable, "-m", "satisfice", "run", *run], check=False).returncode
    if given("REPORT") and code not in (1, BAD_INPUT):
        subprocess.run([sys.executable, "-m", "satisfice", "report", storage, "--out", given("REPORT")], check=False)
    return 0 if code == UNDECIDED and given("UNDECIDED") != "fail" else code


if __name__ == "__main__":
    sys.exit(main())
