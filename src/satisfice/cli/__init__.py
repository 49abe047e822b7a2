"""The command line: parse, run, print, export. Exit codes: 0 done, 2 bad input, 1 failure, 130 interrupted."""

import sys

BAD_INPUT, INTERRUPTED = 2, 130


def main() -> None:
    """Run the command line; what was expected, what came and what to do goes to standard error in a sentence."""
    from satisfice.cli.app import app  # noqa: PLC0415 - importing satisfice.cli costs nothing
    from satisfice.errors import SatisficeError  # noqa: PLC0415

    if "" not in sys.path:
        sys.path.append("")  # module:Class may be in the current folder; last, so that a file there hides no package
    try:
        app(prog_name="satisfice")
    except SatisficeError as error:
        print(f"satisfice: {error}", file=sys.stderr)
        sys.exit(BAD_INPUT)
    except SystemExit as leaving:  # typer makes this exit code of a KeyboardInterrupt, without a word
        if leaving.code == INTERRUPTED:
            print(
                "\nsatisfice: interrupted. What was finished in an --out folder is kept: the same command goes on.",
                file=sys.stderr,
            )
        raise
