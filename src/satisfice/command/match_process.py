"""Looks for matches: a small process, since an expression that goes on for ever can only be ended with its process.

A bare interpreter runs this as a file. Standard input has the seconds of processor time that it may take, the
expressions, and the texts to look at; for each expression it prints a line, the JSON of its last match or null.
"""

import json
import re
import signal
import sys
from collections import deque


def main() -> None:
    seconds, expressions, texts = json.load(sys.stdin)
    signal.setitimer(signal.ITIMER_PROF, seconds)  # its signal ends a process in the middle of a match, too
    for expression in expressions:
        print(json.dumps(_last_match(re.compile(expression, re.MULTILINE), texts)), flush=True)


def _last_match(expression: re.Pattern[str], texts: list[str]) -> str | None:
    """The last match in the first text that has one: its first group, or all of it."""
    group = min(1, expression.groups)
    for text in texts:
        found = (match[group] for match in expression.finditer(text))
        for last in deque((part for part in found if part is not None), maxlen=1):
            return last
    return None


if __name__ == "__main__":
    main()
