"""Statements that PostgreSQL gets together and answers together: one round trip, in the words of libpq.

psycopg's own pipeline does the same with a cursor for each statement, which costs several times as much. Here
statements are prepared once for each connection, and arguments and answers are texts. It is how a step is taken in
one's turn, and nothing else is done so; whatever `Carries` statements out can stand in its place.
"""

from collections.abc import Callable, Generator, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")
Value = int | str | None
Argument = Value | Sequence[Value]
Row = tuple[str | None, ...]


class Statement(NamedTuple):
    """A statement by the name under which it is prepared; arguments are $1, $2, ..."""

    name: str
    sql: str


class Answer(NamedTuple):
    """The rows that a statement gave, as texts, and how many it wrote."""

    rows: list[Row]
    written: int


Wanted = tuple[Statement, Sequence[Argument]]


class Carries(Protocol):
    """Carries out statements, one after the other, in a transaction of psycopg's connection, and gives their answers.

    With `commit` the transaction ends. The first error is raised, one of psycopg's; the connection is of no use then.
    """

    def __call__(self, driver: Any, /, *wanted: Wanted, commit: bool = False) -> list[Answer]: ...


Send = Callable[[], None]
Waits = Generator[Any, Any, T]

_prepared: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()
"""The statements that each connection knows."""


def in_one_trip(driver: Any, /, *wanted: Wanted, commit: bool = False) -> list[Answer]:
    """The answers to statements; the transaction begins here if it has not."""
    from psycopg import Pipeline, pq  # noqa: PLC0415 - there only with PostgreSQL

    connection, encoding = driver.pgconn, driver.info.encoding
    known = _prepared.setdefault(driver, set())
    sends: list[tuple[bool, Send]] = []
    if connection.transaction_status == pq.TransactionStatus.IDLE:
        sends.append((False, partial(connection.send_query_params, b"BEGIN", None)))
    for (name, sql), arguments in wanted:
        if name not in known:
            sends.append((False, partial(connection.send_prepare, name.encode(), sql.encode())))
            known.add(name)
        given = [_written(one, encoding) for one in arguments]
        sends.append((True, partial(connection.send_query_prepared, name.encode(), given)))
    if commit:
        sends.append((False, partial(connection.send_query_params, b"COMMIT", None)))
    if Pipeline.is_supported():
        found = driver.wait(_together(connection, [send for _, send in sends], encoding))
    else:  # libpq before 14: a round trip for each
        found = [driver.wait(_alone(connection, send, encoding)) for _, send in sends]
    asked = [result for (is_ours, _), result in zip(sends, found, strict=True) if is_ours]
    return [Answer(_rows(result, encoding), result.command_tuples or 0) for result in asked]


def _together(connection: Any, sends: Sequence[Send], encoding: str) -> Waits[list[Any]]:
    """Send all, and wait for the result of each, as psycopg lets one wait."""
    connection.enter_pipeline_mode()
    for send in sends:
        send()
    connection.pipeline_sync()
    yield from _flushed(connection)
    results = []
    for _ in range(len(sends) + 1):  # the last one says that there are no more
        results.append((yield from _next_result(connection, encoding)))
        if len(results) <= len(sends):
            yield from _next_result(connection, encoding)  # each result is followed by none
    connection.exit_pipeline_mode()
    return [_checked(result, encoding) for result in results[:-1]]


def _alone(connection: Any, send: Send, encoding: str) -> Waits[Any]:
    send()
    yield from _flushed(connection)
    result = yield from _next_result(connection, encoding)
    yield from _next_result(connection, encoding)
    return _checked(result, encoding)


def _flushed(connection: Any) -> Waits[None]:
    from psycopg.waiting import Ready, Wait  # noqa: PLC0415 - there only with PostgreSQL

    while connection.flush():
        if (yield Wait.RW) & Ready.R:
            connection.consume_input()


def _next_result(connection: Any, encoding: str) -> Waits[Any]:
    """The next result, or none where one ends; an error where there is no connection any more."""
    from psycopg import OperationalError, pq  # noqa: PLC0415 - there only with PostgreSQL
    from psycopg.waiting import Wait  # noqa: PLC0415 - there only with PostgreSQL

    while connection.is_busy():
        yield Wait.R
        connection.consume_input()
    result = connection.get_result()
    if connection.status == pq.ConnStatus.BAD:
        raise OperationalError(connection.get_error_message(encoding))
    return result


def _checked(result: Any, encoding: str) -> Any:
    """The result of a statement, unless it is an error."""
    from psycopg import OperationalError, errors, pq  # noqa: PLC0415 - there only with PostgreSQL

    if result is not None and result.status in (pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK):
        return result
    state = None if result is None else result.error_field(pq.DiagnosticField.SQLSTATE)
    kind = OperationalError if state is None else errors.lookup(state.decode())
    raise kind("the connection gave no answer" if result is None else result.get_error_message(encoding))


def _rows(result: Any, encoding: str) -> list[Row]:
    columns, value = range(result.nfields), result.get_value
    return [
        tuple(None if (one := value(row, column)) is None else one.decode(encoding) for column in columns)
        for row in range(result.ntuples)
    ]


def _written(value: Argument, encoding: str) -> bytes | None:
    if value is None:
        return None
    if isinstance(value, int | str):
        return str(value).encode(encoding)
    return f"{{{','.join(map(_quoted, value))}}}".encode(encoding)


def _quoted(value: Value) -> str:
    """An entry of an array."""
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return "NULL" if value is None else str(value)
