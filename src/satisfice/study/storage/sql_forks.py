"""Connections and forks: a child must not talk over those of its parent, not even to end them.

Whatever a child does with an inherited connection, if only that it exits and the connection is collected, would reach
the server over the socket that both have. So in a child that socket is replaced by nothing at all before the
connection is let go of.
"""

import os
import sys
from contextlib import suppress
from typing import Protocol
from weakref import WeakSet

from sqlalchemy import Connection


class HasConnections(Protocol):
    def inherited(self) -> list[Connection]:
        """In a child: forget the connections, and say which they were."""


_all: WeakSet[HasConnections] = WeakSet()
_kept: list[Connection] = []
"""Connections to SQLite files: to close one may tidy up what the parent still uses."""


def let_go_in_forks(owner: HasConnections) -> None:
    """From now on, forks of this process let go of the owner's connections."""
    _all.add(owner)


def _let_go() -> None:
    for owner in list(_all):
        for connection in owner.inherited():
            if connection.dialect.name == "sqlite":
                _kept.append(connection)
                continue
            with suppress(Exception):  # it may be closed, or have been in use by another thread
                _silence(connection)
                connection.invalidate()


def _silence(connection: Connection) -> None:
    driver = connection.connection.driver_connection
    if driver is not None:
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, driver.fileno())
        os.close(nothing)


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_let_go)
