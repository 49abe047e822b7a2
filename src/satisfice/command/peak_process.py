"""A launcher: a small process that starts a program, waits for it, and says what it used.

Linux counts the memory of whoever starts a program as the program's own until it is replaced, and keeps the largest:
started by a process of 100 MB, a program never seems to take less. A bare interpreter, which runs this as a file, takes
8 MB. It writes one line to the pipe of its first argument: `used CODE WALL USER SYSTEM RSS`, in seconds and KiB, or
`lacking ERRNO` if the program could not be started.
"""

import os
import signal
import sys
import time

DEFAULT = (signal.SIGPIPE, signal.SIGXFSZ)
"""Signals that Python ignores, and a program that it starts should not."""


def main() -> None:
    pipe, words = int(sys.argv[1]), sys.argv[2:]
    os.set_inheritable(pipe, False)
    with open("/proc/self/environ", "rb") as file:  # as it was given: Python may have added to its own
        pairs = [entry.partition(b"=") for entry in file.read().split(b"\0") if entry]
    for sign in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        if signal.getsignal(sign) != signal.SIG_IGN:  # as under nohup: the program is to ignore it, too
            signal.signal(sign, _left_to_the_program)
    began = time.perf_counter()
    try:
        pid = os.posix_spawnp(words[0], words, {name: value for name, _, value in pairs}, setsigdef=DEFAULT)
    except OSError as error:
        os.write(pipe, f"lacking {error.errno}\n".encode())
        sys.exit(1)
    _, status, used = os.wait4(pid, 0)
    taken = time.perf_counter() - began
    code = os.waitstatus_to_exitcode(status)
    os.write(pipe, f"used {code} {taken!r} {used.ru_utime!r} {used.ru_stime!r} {used.ru_maxrss}\n".encode())


def _left_to_the_program(*_: object) -> None:
    """The whole group has the signal; what it does with it, and how long that takes, is the program's."""


if __name__ == "__main__":
    main()
