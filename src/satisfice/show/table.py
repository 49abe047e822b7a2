"""Tables for a terminal, without lines around them."""

from collections.abc import Iterable, Sequence

from rich.console import RenderableType
from rich.table import Table


def plain_table(
    heads: Sequence[str],
    rows: Iterable[Sequence[RenderableType]],
    *,
    left: Iterable[int] = (0,),
    wrapped: Iterable[int] = (),
) -> Table:
    """Columns in `left` are aligned left, the others right; those in `wrapped` break where a screen is too narrow."""
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    to_the_left, to_be_wrapped = set(left), set(wrapped)
    for column, head in enumerate(heads):
        no_wrap = column not in to_be_wrapped
        table.add_column(head, justify="left" if column in to_the_left else "right", no_wrap=no_wrap)
    for row in rows:
        table.add_row(*row)
    return table
