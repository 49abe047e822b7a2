"""The command line: parse, run, print, export. Exit codes: 0 done, 2 bad input, 1 failure, 130 interrupted."""

import sys

BAD_INPUT, INTERRUPTED = 2, 130


def main() -> None:
    """Run the command line; what was expected, what came and what to do goes to standard error in a sentence."""
    from satisfice.cli.app import app  # noqa: PLC0415 - importing satisfice.cli costs nothing
    from satisfice.errors import SatisficeError  # noqa: PLC0415

    try:
        app()
    except SatisficeError as error:
        print(f"satisfice: {error}", file=sys.stderr)
        sys.exit(BAD_INPUT)
    except KeyboardInterrupt:
        print(
            "\nsatisfice: interrupted. What was finished in an --out folder is kept: the same command goes on.",
            file=sys.stderr,
        )
        sys.exit(INTERRUPTED)
