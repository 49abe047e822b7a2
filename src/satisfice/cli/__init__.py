"""The command line: parse, run, print, export.

Exit codes: 0 done, 2 bad input, 1 failure, 130 interrupted; of a study: 0 FOUND, 3 NONE, 4 UNDECIDED.
"""

import sys

FAILURE, BAD_INPUT, INTERRUPTED = 1, 2, 130


class Interrupted(SystemExit):
    """An interruption after which it was said what is kept, and where."""


def main() -> None:
    """Run the command line; what was expected, what came and what to do goes to standard error in a sentence."""
    from satisfice.cli.process_list import hide_passwords

    hide_passwords()  # before anything that takes long

    from satisfice import errors
    from satisfice.cli.app import app
    from satisfice.layout.escape import log_lines

    try:
        app(prog_name="satisfice")
    except errors.SatisficeError as error:
        print(log_lines(f"satisfice: {error}"), file=sys.stderr)
        broken = (
            errors.EvaluationFailed,
            errors.StudyStopped,
            errors.StorageError,
            errors.DamagedLog,
            errors.ClusterError,
        )
        failed = isinstance(error, broken) and not isinstance(error, errors.InvalidStorage)
        sys.exit(FAILURE if failed else BAD_INPUT)
    except SystemExit as leaving:  # typer makes this exit code of a KeyboardInterrupt, without a word
        if leaving.code == INTERRUPTED and not isinstance(leaving, Interrupted):
            print(
                "\nsatisfice: interrupted. What was recorded in a storage, or finished in an --out folder, is kept: "
                f"the same command{' without --fresh' if '--fresh' in sys.argv else ''} goes on.",
                file=sys.stderr,
            )
        raise
