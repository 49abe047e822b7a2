"""Summaries of studies in a database, for lists: one row for each study, in a table that older files lack."""

from collections.abc import Sequence

from sqlalchemy import Column, Connection, String, Table, Text, delete, inspect, select

from satisfice.study.storage.sql_schema import metadata, studies
from satisfice.study.summary import KeptSummary

summaries = Table(
    "satisfice_summaries",
    metadata,
    Column("identity", String(64), primary_key=True),
    Column("head", String(64), nullable=False),
    Column("text", Text, nullable=False),
    Column("seal", String(64), nullable=False),
)


def keep(connection: Connection, found: Sequence[KeptSummary]) -> None:
    """Put summaries in the place of earlier ones; to be called in a transaction that may write."""
    summaries.create(connection, checkfirst=True)
    connection.execute(delete(summaries).where(summaries.c.identity.in_([one.identity for one in found])))
    connection.execute(summaries.insert(), [one._asdict() for one in found])


def kept(connection: Connection) -> dict[str, KeptSummary]:
    """By identity: the summaries of studies whose logs end where they were taken."""
    if not inspect(connection).has_table(summaries.name):
        return {}
    wanted = select(summaries).join(studies, studies.c.identity == summaries.c.identity)
    rows = connection.execute(wanted.where(studies.c.head_digest == summaries.c.head)).all()
    return {row.identity: KeptSummary(*row) for row in rows}


def forget(connection: Connection, identity: str) -> None:
    if inspect(connection).has_table(summaries.name):
        connection.execute(delete(summaries).where(summaries.c.identity == identity))
