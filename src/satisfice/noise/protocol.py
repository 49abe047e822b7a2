"""What a noise model is: a small immutable value that says what is assumed about a metric's noise."""

from typing import TYPE_CHECKING, Protocol, TypeGuard, runtime_checkable

from satisfice.catalogue import offers

if TYPE_CHECKING:  # a process speaks of models
    from satisfice.noise.process import Process


@runtime_checkable
class NoiseModel(Protocol):
    """A declaration about a metric's noise.

    A model with nothing but a scale has the evidence of `SubGaussian(scale)`; one with a `process` has its own.
    """

    @property
    def scale(self) -> float | None:
        """The sub-Gaussian scale that the declaration implies, None when it implies none."""


@runtime_checkable
class OwnProcess(NoiseModel, Protocol):
    """A noise model with evidence of its own."""

    @property
    def process(self) -> "Process": ...


class RangeModel(NoiseModel, Protocol):
    """A noise model whose numbers are the range of the results, and need not be given where that is known anyhow."""

    @classmethod
    def of_range(cls, low: float, high: float, /) -> "RangeModel": ...


def is_range_model(kind: type[NoiseModel]) -> TypeGuard[type[RangeModel]]:
    """Whether the models of this class are made of the range of the results."""
    return offers(kind, ("of_range",))


def is_noise_model(value: object) -> bool:
    """Whether it is a declaration, and not the class of one."""
    return not isinstance(value, type) and isinstance(value, NoiseModel)


def has_own_process(model: NoiseModel) -> bool:
    """Whether the model has evidence of its own, not that of a scale alone."""
    return isinstance(model, OwnProcess)


def goes_by_scale(model: NoiseModel) -> bool:
    """Whether its evidence is that of its scale alone, so that SubGaussian(scale) says as much."""
    from satisfice.noise.normal import KNOWN_SCALE  # noqa: PLC0415 - models know what a process is, not the reverse

    return process_of(model) is KNOWN_SCALE


def is_same(one: NoiseModel, other: NoiseModel) -> bool:
    """Whether two declarations are the same; tuples of the same numbers are equal whatever they are called."""
    return type(one) is type(other) and one == other


def process_of(model: NoiseModel) -> "Process":
    """All that follows from the declaration."""
    from satisfice.noise.normal import KNOWN_SCALE  # noqa: PLC0415 - models know what a process is, not the reverse

    found: Process = getattr(model, "process", KNOWN_SCALE)  # isinstance of a protocol takes a hundred times as long
    return found
