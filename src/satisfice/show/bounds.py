"""What people see of the theory."""

from collections.abc import Iterator, Sequence

from rich.table import Table

from satisfice.layout.numbers import fixed, rounded, written
from satisfice.problem.goal import Goal
from satisfice.search.verdict import Outcome
from satisfice.show.sentence import say, screen
from satisfice.show.table import plain_table
from satisfice.simulation.instance import Instance
from satisfice.simulation.oracle import OracleFloor
from satisfice.simulation.summary import CellSummary
from satisfice.theory import Bounds, Reason, UpperBound

MEANINGS = {
    "lower_bound_as_printed": "lower bound, as the paper prints it",
    "proven_limit": "proven for every method",
    "practical_limit_independent": "limit at small error rates, if metrics are independent",
    "practical_limit": "limit at small error rates: T* x ln(1/error rate)",
    "upper_bound": "MultiTUCB's upper bound in the paper, at its best eps0",
}
"""What `bounds` shows, and how it is called."""

UNSAID = {"noise_scale", "alpha"}
"""What is not shown and need not be excused."""


def print_bounds(
    computed: Bounds,
    instance: Instance,
    floors: Sequence[OracleFloor],
    no_floor: str | None,
    simulated: Sequence[CellSummary],
) -> None:
    """The arms' standing, then each bound with its meaning, beside the simulated means; what is missing, and why."""
    console = screen()
    goal = instance.problem.goal
    asked = "" if goal is Goal.ANY else f", goal {goal}"
    say(console, f"{instance.name}: {computed.case}, error rate {written(computed.error_rate)}{asked}")
    console.print(_arm_table(computed, instance))
    rows = list(_rows(computed, goal, floors, simulated))
    console.print(plain_table(("expected number of evaluations", ""), rows, wrapped=(0,)))
    if computed.corollary_slope is not None and computed.characteristic_time is not None:
        say(
            console,
            f"as the error rate goes to 0, evaluations / ln(1/error rate): {fixed(computed.characteristic_time, 1)} "
            f"for the best method, at most {fixed(computed.corollary_slope, 1)} by the paper's corollary",
        )
    extra = [] if no_floor is None else [Reason("oracle_floors", no_floor)]
    for names, sentence in _excuses([*computed.reasons, *extra]):
        say(console, f"no {names}: {sentence}")


def _rows(
    computed: Bounds, goal: Goal | int, floors: Sequence[OracleFloor], simulated: Sequence[CellSummary]
) -> Iterator[tuple[str, str]]:
    """From low to high, as a rule; a line that would only repeat another one is left out."""
    yield MEANINGS["lower_bound_as_printed"], _bound_text(computed, "lower_bound_as_printed")
    differs = computed.practical_limit_independent != computed.practical_limit
    proviso = ", if metrics are independent" if differs else ""
    yield MEANINGS["proven_limit"] + proviso, _bound_text(computed, "proven_limit")
    if differs:
        yield MEANINGS["practical_limit_independent"], _bound_text(computed, "practical_limit_independent")
    yield MEANINGS["practical_limit"], _bound_text(computed, "practical_limit")
    for floor in floors:
        what = f"names {floor.arm}" if floor.arm else "knows all"
        if floor.answer is Outcome.NONE:
            what = f"rules out all but {goal - 1}" if isinstance(goal, int) else "rules out all"
        yield f"an oracle that {what}, at error rate {rounded(floor.level)}", _mean_text(floor)
    for runs in simulated:
        yield f"{runs.rule}, {runs.stopping}: mean of {runs.repetitions:,} simulated runs", _mean_text(runs)
    yield MEANINGS["upper_bound"], _bound_text(computed, "upper_bound")


def _excuses(reasons: Sequence[Reason]) -> Iterator[tuple[str, str]]:
    """Each reason once, with all that it is the reason for."""
    for sentence in dict.fromkeys(reason.sentence for reason in reasons):
        names = [each.quantity for each in reasons if each.sentence == sentence and each.quantity not in UNSAID]
        if names:
            yield ", ".join(name.replace("_", " ") for name in names), sentence


def _arm_table(computed: Bounds, instance: Instance, most: int = 20) -> Table:
    arms = list(zip(instance.arm_names, computed.standings, computed.shortfalls, computed.excesses, strict=True))
    rows = [
        (name, str(standing), rounded(shortfall, 4), rounded(excess, 4))
        for name, standing, shortfall, excess in arms[:most]
    ]
    if len(arms) > most:
        rows.append((f"... and {len(arms) - most} more", "", "", ""))
    heads = ("arm", "standing", "shortfall", "beyond tolerance")
    return plain_table(heads, rows, left=(0, 1), wrapped=range(len(heads)))


def _mean_text(runs: OracleFloor | CellSummary) -> str:
    return f"{fixed(runs.mean, 0)} ± {fixed(runs.standard_error, 0)}"


def _bound_text(computed: Bounds, quantity: str) -> str:
    value = getattr(computed, quantity)
    if value is None:
        return "-"
    return fixed(value.pulls, 0) if isinstance(value, UpperBound) else fixed(value, 0)
