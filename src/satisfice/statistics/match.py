"""Whether a result is a given text, number or truth value, as in `exit_code == 0` or `status == ok`."""

from dataclasses import dataclass
from json import dumps
from math import nan
from re import fullmatch

import numpy as np

from satisfice.errors import InvalidProblem
from satisfice.given import is_number, why_unwritable
from satisfice.layout.numbers import written
from satisfice.noise.checked import is_undeclared
from satisfice.noise.exact import Exact
from satisfice.noise.protocol import NoiseModel, process_of
from satisfice.statistics.protocol import Limit, Observed, Statistic
from satisfice.statistics.raw import Raw, Unexpected, checked_number

LONGEST = 200
"""Characters of a text that can be matched."""

PLAIN = r"[A-Za-z_][\w.\-/]*"
"""What a text looks like that needs no quotes."""


@dataclass(frozen=True)
class Match(Statistic):
    """Whether a result equals `value`: 0 where it does, 1 where it does not, so that the mean must be 0."""

    value: str | float | bool

    @property
    def shown_value(self) -> str:
        """The value as a threshold string has it."""
        if isinstance(self.value, bool):
            return str(self.value).lower()
        if isinstance(self.value, str):
            is_plain = fullmatch(PLAIN, self.value) and self.value not in ("true", "false", "baseline")
            return self.value if is_plain else dumps(self.value, ensure_ascii=False)
        return written(self.value)

    def check_limit(self, limit: Limit) -> None:
        if (limit.threshold, limit.tolerance, limit.ratio, limit.tolerance_ratio) != (0.0, 0.0, 0.0, 0.0):
            raise InvalidProblem("a result matches a value or does not: there is no other limit, and no tolerance")

    def noise_of(self, declared: NoiseModel) -> NoiseModel:
        if not (is_undeclared(declared) or process_of(declared).certain):
            raise InvalidProblem(f"a result that must be {self.shown_value} is ': exact', got ': {declared}'")
        return Exact()

    def recorded(self, value: object) -> Raw:
        if isinstance(value, str):
            if len(value) > LONGEST or why_unwritable(value):
                raise Unexpected(f"a text of at most {LONGEST} characters that can be kept")
            return value
        if isinstance(value, bool | np.bool_):
            return float(value)
        if is_number(value):
            return checked_number(value)
        raise Unexpected("a text, a number, or true or false")

    def observed(self, raw: Raw, limit: Limit, baseline: Raw | None) -> Observed:
        same = type(raw) is str if isinstance(self.value, str) else type(raw) is not str
        differs = float(not (same and raw == self.value))
        return Observed(differs, differs)

    @property
    def observed_range(self) -> tuple[float, float]:
        return 0.0, 1.0

    def worst(self, limit: Limit, low: float, high: float) -> float:
        return 1.0

    def in_words(self, value: float) -> str:
        return self.shown_value if value == 0.0 else f"something other than {self.shown_value}"

    def shown_limit(self, limit: Limit) -> tuple[float, float]:
        return self.shown(0.0), 0.0

    def shown(self, mean: float) -> float:
        """The number itself where results match, or 1 for a text; not a number where they do not."""
        if mean != 0.0:
            return nan
        return 1.0 if isinstance(self.value, str) else float(self.value)
