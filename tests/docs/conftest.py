"""Puts docs/ on the path, where `snippets` and `generate` are."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "docs"))
