"""python -m satisfice."""

import sys

from satisfice.cli import main

if not sys.flags.safe_path:
    sys.path.pop(0)  # the current folder, which Python puts in front: a file there is not to be taken for a package
main()
