"""Tables in Parquet files of others: a file of a few KB may say that it has more rows than any memory."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from satisfice.layout.numbers import counted

MOST_CELLS, CELLS_FOR_A_BYTE = 4_000_000, 64
"""Zeros and ones that were measured take a bit each: what has more cells for its bytes holds one value again and
again."""
ROWS_AT_ONCE = 1000
MOST_BYTES = 2**30
"""Of a table in memory."""


def check_cells(path: Path, rows: int, columns: int) -> None:
    """Raise ValueError if these are more cells than a file of that size can have measured."""
    most = max(MOST_CELLS, CELLS_FOR_A_BYTE * path.stat().st_size)
    if rows * columns > most:
        cells = f"{counted(columns, 'column')} of {counted(rows, 'row')}"
        raise ValueError(f"it has {cells}, too many for a file of its size")


def read_parquet(path: Path, columns: Sequence[str] | None = None) -> Any:
    """The table of pyarrow in a file, or those of the columns that are there; ValueError if it is no such table."""
    import pyarrow  # noqa: PLC0415 - heavy, and an extra
    from pyarrow import parquet  # noqa: PLC0415 - heavy, and an extra

    try:
        with parquet.ParquetFile(path) as file:
            names = [name for name in file.schema_arrow.names if columns is None or name in columns]
            check_cells(path, file.metadata.num_rows, max(1, len(names)))
            tables, size = [file.schema_arrow.empty_table().select(names)], 0
            for batch in file.iter_batches(ROWS_AT_ONCE, columns=names):
                tables.append(pyarrow.table([_written_out(column) for column in batch.columns], names))
                size += tables[-1].nbytes
                if size > MOST_BYTES:
                    raise ValueError(f"it takes more than {MOST_BYTES >> 20} MiB in memory")
            return pyarrow.concat_tables(tables[1:] or tables)
    except (pyarrow.ArrowException, MemoryError) as error:
        raise ValueError(str(error)) from None


def _written_out(column: Any) -> Any:
    """A column in which each row has its own value, as Python will have it."""
    from pyarrow import types  # noqa: PLC0415 - heavy, and an extra

    return column.dictionary_decode() if types.is_dictionary(column.type) else column
