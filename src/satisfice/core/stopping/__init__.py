"""Stopping rules: when is an arm accepted or rejected."""

from typing import Any

from satisfice.core.stopping.alpha import AlphaBoundary, alpha
from satisfice.core.stopping.protocol import Boundary

BOUNDARIES: dict[str, type[Any]] = {"alpha": AlphaBoundary}
"""The boundaries by the names used in files and on the command line."""

__all__ = ["BOUNDARIES", "AlphaBoundary", "Boundary", "alpha"]
