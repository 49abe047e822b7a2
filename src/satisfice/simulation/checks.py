"""What is looked at before a rule and a stopping rule are run many times."""

from math import inf, isfinite
from typing import Any, Literal

from satisfice.catalogue import offers, rule_label
from satisfice.errors import BrokenRule, unknown_name
from satisfice.extras import need
from satisfice.problem.units import Setting
from satisfice.rules.protocol import SamplingRule, kind_of
from satisfice.stopping import StoppingRule

Engine = Literal["compiled", "interpreted"]


def check_engine(engine: Engine) -> None:
    """UnknownName for an engine that does not exist, MissingPackage for one that is not installed."""
    if engine not in ("compiled", "interpreted"):
        raise unknown_name("engine", str(engine), ("compiled", "interpreted"))
    if engine == "compiled":
        need("Simulating", "numba")


def check_parts(rule: SamplingRule, stopping: StoppingRule, setting: Setting) -> None:
    """BrokenRule where bonuses or widths are not numbers that a run can go on with."""
    for pulls in (1, 2, 3, 10, 1000, 10**6):
        width = _number(stopping, "width", pulls, setting) if offers(type(stopping), ("width",)) else inf
        if not width >= 0:
            raise BrokenRule(
                f"{rule_label(stopping)} has the width {width} after {pulls} pulls. A width must be zero or more; "
                "infinity means that nothing can be decided yet."
            )
        if kind_of(type(rule)).by_draws:
            continue
        if not isfinite(bonus := _number(rule, "bonus", pulls, setting)):
            raise BrokenRule(f"{rule_label(rule)} has the bonus {bonus} after {pulls} pulls. A bonus must be finite.")


def _number(part: Any, method: str, pulls: int, setting: Setting) -> float:
    try:
        return float(getattr(part, method)(pulls, setting))
    except (ArithmeticError, ValueError, TypeError) as error:
        raise BrokenRule(
            f"{rule_label(part)} cannot say its {method} after {pulls} pulls: {error}. It must be a number for every "
            "number of pulls from 1 on."
        ) from error
