"""Tables for a terminal, without lines around them."""

from collections.abc import Iterable, Sequence

from rich.table import Table
from rich.text import Text

from satisfice.show.sentence import plain


def plain_table(
    heads: Sequence[str],
    rows: Iterable[Sequence[str | Text]],
    *,
    left: Iterable[int] = (0,),
    wrapped: Iterable[int] = (),
) -> Table:
    """Plain text in columns: those in `left` are aligned left, the others right; those in `wrapped` may be broken.

    A cell may also be a text that has colours already.
    """
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    to_the_left, to_be_wrapped = set(left), set(wrapped)
    for column, head in enumerate(heads):
        no_wrap = column not in to_be_wrapped
        table.add_column(Text(head), justify="left" if column in to_the_left else "right", no_wrap=no_wrap)
    for row in rows:
        table.add_row(*(cell if isinstance(cell, Text) else plain(cell) for cell in row))
    return table
