"""A pull: one evaluation to be made; and those that were asked for and are not settled."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from satisfice.errors import UnknownPull
from satisfice.given import is_digits, shown, writable
from satisfice.problem.results import Row
from satisfice.study.spec import Spec, baseline_first
from satisfice.study.storage.passwords import without_secrets


@dataclass(frozen=True)
class Pull:
    """One evaluation of a config: the `number`-th ask of the study, the `arm_number`-th of its config (from 0).

    `attempt` counts how often it was given out again. `id` says the same in a text that any process can tell by.
    In a study with a baseline an evaluation is one of the config and one of the baseline, back to back: the baseline
    first if `baseline_first`, which is drawn anew for each pull. In a study of a set of items `item` is the one to
    evaluate, from 0; None once this config was evaluated on all of them, and of evaluations for other metrics. In a
    study whose metrics are measured in groups `groups` are those to measure, and nothing else; `arm_number` then counts
    the asks for these.
    """

    identity: str
    number: int
    arm_number: int
    attempt: int
    name: str
    parameters: dict[str, Any]
    baseline_name: str | None = None
    baseline_parameters: dict[str, Any] = field(default_factory=dict)
    baseline_first: bool = False
    item: int | None = None
    groups: tuple[str, ...] = ()

    @property
    def config(self) -> Any:
        """What to evaluate: the parameters of the config, or its name if it has none."""
        return self.parameters or self.name

    @property
    def repeat(self) -> int:
        """How often its config was asked for before: the same for the n-th evaluation of every config."""
        return self.arm_number

    @property
    def baseline(self) -> Any:
        """What to evaluate beside it: the parameters of the baseline, or its name if it has none; None without one."""
        return self.baseline_parameters or self.baseline_name

    def of_baseline(self) -> "Pull":
        """The same pull with the baseline in the place of the config."""
        return replace(self, name=str(self.baseline_name), parameters=self.baseline_parameters)

    @property
    def id(self) -> str:
        return f"{self.identity}:{self.number}:{self.attempt}"


class PullKey(NamedTuple):
    """Which pull of which study, and which attempt at it."""

    identity: str
    number: int
    attempt: int


def key_of(pull: Pull | str) -> PullKey:
    """The key of a pull or of a pull's id."""
    if isinstance(pull, Pull):
        return PullKey(pull.identity, pull.number, pull.attempt)
    parts = pull.split(":") if isinstance(pull, str) else []
    if len(parts) != 3 or not (is_digits(parts[1], 18) and is_digits(parts[2], 18)):
        raise UnknownPull(
            f"Expected a pull that this study asked for, or its id such as '1f0c9a2b7d3e:12:0', got {shown(pull, 60)}."
        )
    return PullKey(parts[0], int(parts[1]), int(parts[2]))


@dataclass(frozen=True)
class Outstanding:
    """A pull that is being evaluated: by whom, and since when. The worker is None if nobody is at it now.

    For `lease` seconds the worker may be silent before somebody else is given the pull.
    """

    pull: Pull
    worker: str | None
    at: float
    lease: float = 0.0


@dataclass(frozen=True)
class Failure:
    """What takes the place of results when there are none; `traceback` is where an exception came from.

    In both there are masks for what is secret.

    `cost` is what it has cost, where evaluations report that and this one did. `by_exception` is 'retry' or 'worst'
    where the type of the exception leads to that, whatever the policy says of other failures.
    """

    reason: str
    kind: str = "failed"
    traceback: str = field(default="", compare=False)
    cost: float | None = field(default=None, compare=False)
    by_exception: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", without_secrets(writable(self.reason)))
        object.__setattr__(self, "traceback", without_secrets(writable(self.traceback)))


NOTHING_BESIDE: Mapping[str, Any] = {}


class Measured(NamedTuple):
    """Results that were checked: a value for each of `problem.measured`, the baseline's beside it, a reported cost.

    `also` are the results that no limit is about: they are kept, and decide nothing. Of a group, the values are
    those of its own problem.
    """

    values: Row
    baseline: Row = ()
    cost: float | None = None
    also: Mapping[str, Any] = NOTHING_BESIDE


def measured_in(content: Mapping[str, Any]) -> Measured:
    """The results in an event that tells them."""
    beside = content.get("also", NOTHING_BESIDE)
    return Measured(tuple(content["values"]), tuple(content.get("baseline", ())), content.get("cost"), beside)


def told_content(measured: Measured) -> dict[str, Any]:
    """The same, as such an event has them."""
    content: dict[str, Any] = {"values": list(measured.values)}
    if measured.baseline:
        content["baseline"] = list(measured.baseline)
    if measured.cost is not None:
        content["cost"] = measured.cost
    if measured.also:
        content["also"] = dict(measured.also)
    return content


class OpenPull(NamedTuple):
    """A pull that was asked for and is not settled; nobody works on it when `worker` is None.

    `failures` and `losses` count what happened to it since the study began or was resumed. `at` is when it was given
    out last, by that worker's clock, and `lease` how many seconds it may be silent. `group` is the number of the group
    of metrics that it measures, and `arm_number` counts the pulls of that alone.
    """

    number: int
    arm: int
    arm_number: int
    attempt: int
    failures: int
    losses: int
    worker: str | None
    at: float
    lease: float
    group: int = 0

    def line(self, groups: int) -> int:
        """The line in which its results stand, with that many groups: its config's, or that of config and group."""
        return self.arm * groups + self.group


def pull_of(identity: str, spec: Spec, pull: OpenPull) -> Pull:
    """An open pull as whoever evaluates it gets it."""
    name, parameters = spec.configs[pull.arm]
    item = spec.items.of(pull.number, pull.arm_number, pull.group)
    groups = spec.groups[pull.group : pull.group + 1]
    own = (pull.number, pull.arm_number, pull.attempt)
    plain = Pull(identity, *own, name, dict(parameters), item=item, groups=groups)
    if spec.baseline is None:
        return plain
    beside, other = spec.baseline
    first = baseline_first(spec.seed, pull.number)
    return replace(plain, baseline_name=beside, baseline_parameters=dict(other), baseline_first=first)
