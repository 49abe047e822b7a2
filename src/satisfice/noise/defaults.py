"""What a process does where its model says nothing of its own."""

from math import inf, sqrt
from typing import TYPE_CHECKING

from satisfice.arrays import Floats
from satisfice.errors import InvalidProblem
from satisfice.given import is_number, shown
from satisfice.noise.protocol import NoiseModel

if TYPE_CHECKING:  # a process is made of these
    from satisfice.noise.process import Claim, Sums


def any_number(model: NoiseModel) -> str:
    return "a finite number"


def finite(model: NoiseModel, value: object) -> bool:
    return is_number(value)


def unbounded(model: NoiseModel) -> tuple[float, float]:
    return -inf, inf


def no_constants(model: NoiseModel, threshold: float, slope: float) -> tuple[float, ...]:
    return ()


def positive_scale(model: NoiseModel) -> NoiseModel:
    """The model itself, if its scale is a positive number or none."""
    scale = model.scale
    if scale is not None and (not is_number(scale) or not float(scale) > 0):
        raise InvalidProblem(
            f"the noise scale must be a positive finite number, got {shown(scale)}. Give the standard deviation of a "
            "single evaluation."
        )
    return model


def declared_scale(model: NoiseModel, threshold: float) -> float:
    return 1.0 if model.scale is None else float(model.scale)


def same_for_all_arms(model: NoiseModel) -> tuple[float, ...]:
    return ()


def itself(model: NoiseModel, arm: int) -> NoiseModel:
    return model


def the_model(model: NoiseModel) -> NoiseModel:
    return model


def no_items(model: NoiseModel) -> int:
    return 0


def no_condition(model: NoiseModel) -> str | None:
    return None


def no_contradiction(model: NoiseModel, sums: "Sums", doubt: float) -> str | None:
    return None


def any_number_will_do(model: NoiseModel, sums: "Sums", claim: "Claim") -> int:
    return 0


def nothing_but_results(model: NoiseModel, sums: "Sums", claim: "Claim") -> str | None:
    return None


def of_any_shape(model: NoiseModel) -> bool:
    return False


def no_shapes(model: NoiseModel, level: float, margin: float) -> dict[str, float]:
    return {}


def squares_in_own_unit(more: Floats, slope: float, threshold: float) -> Floats:
    """The further sums in the metric's own unit; those of a model's own `fold` as they are."""
    found = more.copy()
    found[0] /= slope * slope
    return found


def the_level(pulls: int, level: float, numbers: Floats) -> float:
    return level


def nothing(pulls: int, level: float, numbers: Floats) -> float:
    return -inf


def never_calm(
    pulls: int,
    last: int,
    need_within: float,
    need_below: float,
    least_total: float,
    numbers: Floats,
    ratio: float,
) -> tuple[float, float]:
    return inf, -inf


def no_bound(pulls: int, deficit: float, more: Floats, numbers: Floats, ratio: float) -> float:
    return inf


def keep_squares(more: Floats, value: float, weight: float, numbers: Floats) -> None:
    """Nothing beyond the sum of squares, which is always the first of the further sums."""


def sample_margin(
    pulls: int, deficit: float, more: Floats, numbers: Floats, ratio: float, variance: float, weight: float
) -> tuple[float, float]:
    """Mean over sample standard deviation: good enough to choose by; needs the sum of squares."""
    mean = deficit / pulls
    sd = sqrt(max(more[0] / pulls - mean * mean, 1e-12 * mean * mean))
    return (-mean / sd if sd > 0.0 else 0.0), sd


def shifted(model: NoiseModel, edge: float, effect: float, spread: float) -> float:
    """The mean that many standard deviations of one result above the edge."""
    return edge + effect * spread
