"""What the tests have and the measurements use: the naive twin, and a PostgreSQL server of one's own."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import twin
from study.server import running_server

__all__ = ["running_server", "twin"]
