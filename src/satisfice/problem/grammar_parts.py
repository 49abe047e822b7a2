"""Pieces of a threshold string, and errors that point at them."""

import re
from math import isfinite
from typing import NamedTuple, NoReturn

from satisfice.errors import InvalidThreshold
from satisfice.layout.escape import visible
from satisfice.problem.quantities import NotANumber, Scale, number_in

GRAMMAR = "statistic (<=|>=) limit [~ tolerance] [: noise] [@ group]"
EXAMPLES = (
    "'p95(latency_ms) <= 100 ~ 5', 'loss <= 0.01 ~ 0.005 : bernoulli', 'wall_time <= baseline + 3%' or 'exit_code == 0'"
)


class Part(NamedTuple):
    """A piece of a threshold string."""

    whole: str
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.whole[self.start : self.end].strip()

    def of(self, match: re.Match[str], group: int) -> "Part":
        """A group of a match in this piece."""
        return Part(self.whole, self.start + match.start(group), self.start + match.end(group))

    def fail(self, message: str) -> NoReturn:
        """An error that points at this piece."""
        piece = self.whole[self.start : self.end]
        start = self.start + len(piece) - len(piece.lstrip())
        end = max(start + 1, self.end - (len(piece) - len(piece.rstrip())))
        before, marked = len(visible(self.whole[:start])), len(visible(self.whole[start:end].ljust(end - start)))
        raise InvalidThreshold(
            f"Cannot read the threshold: {message}.\n  {visible(self.whole)}\n  {' ' * before}{'^' * marked}\n"
            f"Write it as {GRAMMAR}, for example {EXAMPLES}."
        )


def outside(part: Part, sign: str) -> int:
    """Where the sign first stands outside parentheses and quotes, or the end."""
    depth, quoted = 0, False
    for place in range(part.start, part.end):
        quoted ^= part.whole[place] == '"'
        depth += {"(": 1, ")": -1}.get(part.whole[place], 0)
        if part.whole[place] == sign and depth == 0 and not quoted:
            return place
    return part.end


def number_of(part: Part, text: str, what: str, scale: Scale) -> float:
    """The number that a text says, in the unit of a metric; an error points at the piece where it says none."""
    try:
        value = number_in(text, scale)
    except NotANumber as error:
        reason = str(error)
        part.fail(f"expected a {'plain ' * bool(reason)}number for {what}, got {text!r}{reason and f': {reason}'}")
    if not isfinite(value):
        part.fail(f"expected a finite number for {what}, got {text!r}")
    return value
