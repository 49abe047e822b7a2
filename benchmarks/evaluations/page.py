"""A comparison as a Markdown page."""

from collections.abc import Callable, Sequence
from statistics import geometric_mean

import satisfice
from benchmarks.evaluations.bars import MULTITUCB, Ratio, bars, best_paper_row, mean_ratio
from benchmarks.evaluations.contestants import DEFAULT, PAPER_RULES, Declared, Role, other_candidates
from benchmarks.evaluations.measure import FIXED, Comparison, Row
from benchmarks.evaluations.member import Group, Member
from satisfice.layout.markdown import heading, table

DASH = "\N{EN DASH}"
FIGURE, ROWS, LIMITS = "figures/benchmark.png", "benchmark.csv", "benchmark_limits.csv"
"""Where the page expects its figure and its numbers."""


def page(made: Comparison) -> str:
    """The whole page."""
    parts = [_opening(made), heading("Bars"), BARS, bar_grid(made)]
    single = [member for member in made.members if member.group is not Group.SWEEPS]
    swept = [member for member in made.members if member.group is Group.SWEEPS]
    if single:
        parts += [heading("Mean evaluations"), MEANS, mean_grid(made, single)]
        parts += [heading("Median and 99 % quantile"), TAILS, tail_grid(made, single)]
        parts += [heading("Wrong answers"), WRONG, wrong_grid(made, single)]
        parts += [heading("How the default was chosen"), CHOICE, choice_grid(made, single)]
    if swept:
        parts += [heading("The paper's sweeps: mean evaluations"), mean_grid(made, swept)]
    parts += [heading("The instances"), member_grid(single), heading("The contestants"), _contestants(made)]
    return "\n\n".join(parts) + "\n"


MEANS = """\
k is a thousand, M a million. The limit is T\\* ln(1/δ), which no procedure with the guarantee gets much below when δ is
small, and the oracle knows the arms and only has to prove what it knows ([The bounds](method/bounds.md)). A dash: the
contestant does not apply, for instance since it needs a noise scale that is not declared. In brackets: the share of
runs that used up their budget without an answer, which count with all of it."""

TAILS = "Half of the runs need no more than the first number, 99 % no more than the second."

WRONG = """\
Of all runs, with the upper end of a 95 % interval (Clopper and Pearson 1934). δ is the error rate asked for."""


CHOICE = """\
Every candidate over the default, on the instances that both ran on: the geometric mean of the ratios of mean
evaluations, the instance where that is worst for the candidate and the one where it is best, and the geometric mean of
the ratios of 99 % quantiles. What else was tried and lost: [How the next configuration is chosen](method/search.md)."""

BARS = """\
What is asked of the default. The family has two parts: instances that it was chosen on, and instances drawn at random
from a seed that nothing was chosen by; what is said of one part is not claimed of the other, nor beyond the family."""


def _opening(made: Comparison) -> str:
    options = f"--repetitions {made.repetitions}" + ("" if made.seed == 1 else f" --seed {made.seed}")
    return f"""\
# Benchmark

![Evaluations by contestant]({FIGURE})

{_in_three_sentences(made)}

Everything on this page is written by one command, which goes on where it was interrupted:

```console
$ python -m benchmarks.evaluations {options} --out out/benchmark
```

satisfice {satisfice.__version__}, seed {made.seed}, {made.repetitions:,} runs of each contestant on each instance, with
the same seeds for all{_more_often(made)}. All numbers are in [{ROWS}]({ROWS}), a line for each contestant and
instance, and in [{LIMITS}]({LIMITS}); the folder also holds every single run, in `runs.parquet`."""


def _more_often(made: Comparison) -> str:
    """Which instances are run more often than the others."""
    said = [f"{one.times * made.repetitions:,} on *{one.name}*" for one in made.members if one.times > 1]
    return f" ({', '.join(said)})" if said else ""


def _in_three_sentences(made: Comparison) -> str:
    """What the picture shows, in numbers."""
    names = [member.name for member in made.members if member.group is not Group.SWEEPS]

    def ratios(other: Callable[[str], Row | None]) -> list[Ratio]:
        pairs = [(made.row(name, DEFAULT.name), other(name)) for name in names]
        return [mean_ratio(ours, theirs) for ours, theirs in pairs if ours is not None and theirs is not None]

    said = []
    for text, found in (("the paper's best rule on each of them", ratios(lambda name: best_paper_row(made, name))),):
        if found:
            mean, most = geometric_mean(one.value for one in found), max(found, key=lambda one: one.value)
            said.append(f"{mean:.2f} of {text} ({most.value:.2f} at most, on *{most.where}*)")
    answered = [row for row in made.rows if row.contestant == DEFAULT.name]
    wrong = sum(row.wrong * row.repetitions for row in answered) / max(1, sum(row.repetitions for row in answered))
    needed = f" On average over these instances that is {', and '.join(said)}." if said else ""
    within = all(row.wrong_low <= _rate(made, row) for row in answered)
    judged = (
        "on no instance more than was allowed there" if within else "on some instance more than was allowed: see below"
    )
    return (
        "How many evaluations it takes on average until there is an answer, for satisfice and for others, on "
        f"{len(names)} instances.{needed} Of all its answers {100 * wrong:.2g} % were wrong, {judged}."
    )


def _rate(made: Comparison, row: Row) -> float:
    return next(one.instance.problem.error_rate for one in made.members if one.name == row.instance)


def bar_grid(made: Comparison) -> str:
    """Each bar, what was measured, and whether it holds."""
    return table(
        ("what", "measured", "bar", "holds", "where, and the two numbers"),
        [(bar.what, bar.shown, bar.wanted, "yes" if bar.met else "**no**", bar.details) for bar in bars(made)],
    )


def mean_grid(made: Comparison, members: Sequence[Member]) -> str:
    """Mean evaluations, and the default's ratio to MultiTUCB and to the best of the paper's rules."""
    names = _entered(made, members)
    ratios = (f"{DEFAULT.name} / {MULTITUCB}", f"{DEFAULT.name} / best paper rule")
    return table(
        ("instance", "limit", "oracle", *names, *ratios), [_mean_line(made, member, names) for member in members]
    )


def _mean_line(made: Comparison, member: Member, names: Sequence[str]) -> tuple[str, ...]:
    floor = made.limit(member.name)
    ours, best = made.row(member.name, DEFAULT.name), best_paper_row(made, member.name)
    multitucb = made.row(member.name, MULTITUCB)
    return (
        member.name,
        *(DASH if number is None else short(number) for number in (floor.limit, floor.oracle)),
        *(_shown(made, member, name, _mean) for name in names),
        *(f"{mean_ratio(ours, other).value:.3g}" if ours and other else DASH for other in (multitucb, best)),
    )


def tail_grid(made: Comparison, members: Sequence[Member]) -> str:
    """Median and 99 % quantile."""
    names = [name for name in _entered(made, members) if name != FIXED]
    rows = [(member.name, *(_shown(made, member, name, _tail) for name in names)) for member in members]
    return table(("instance", *names), rows)


def wrong_grid(made: Comparison, members: Sequence[Member]) -> str:
    """Rates of wrong answers."""
    names = _entered(made, members)
    return table(
        ("instance", "δ", *names),
        [
            (
                member.name,
                f"{member.instance.problem.error_rate:g}",
                *(_shown(made, member, name, _wrong) for name in names),
            )
            for member in members
        ],
    )


def choice_grid(made: Comparison, members: Sequence[Member]) -> str:
    """The candidates against the default."""
    names = [one.name for one in other_candidates()]
    lines = [line for name in names if (line := _choice_line(made, members, name)) is not None]
    heads = ("candidate", "instances", "mean", "worst for it", "best for it", "99 % quantile")
    return table(heads, lines)


def _choice_line(made: Comparison, members: Sequence[Member], name: str) -> tuple[str, ...] | None:
    pairs = [
        (theirs, ours)
        for member in members
        if (theirs := made.row(member.name, name)) is not None
        and (ours := made.row(member.name, DEFAULT.name)) is not None
    ]
    if not pairs:
        return None
    ratios = [mean_ratio(theirs, ours) for theirs, ours in pairs]
    most, least = max(ratios, key=lambda ratio: ratio.value), min(ratios, key=lambda ratio: ratio.value)
    return (
        name,
        f"{len(pairs)}",
        f"{geometric_mean(ratio.value for ratio in ratios):.3f}",
        f"{most.value:.2f} ({most.where})",
        f"{least.value:.2f} ({least.where})",
        f"{geometric_mean(theirs.quantile_99 / ours.quantile_99 for theirs, ours in pairs):.3f}",
    )


def member_grid(members: Sequence[Member]) -> str:
    """What the instances are, and why they are in the family."""
    rows = [
        (
            member.name,
            f"{len(member.instance.arm_names):,}",
            f"{len(member.instance.problem.metrics)}",
            f"{member.instance.problem.error_rate:g}",
            _tolerance(member),
            member.why,
        )
        for member in members
    ]
    return table(("instance", "arms", "metrics", "δ", "tolerance", "why"), rows)


def _tolerance(member: Member) -> str:
    return ", ".join(dict.fromkeys(f"{metric.tolerance:g}" for metric in member.instance.problem.metrics))


TOLD = {
    Declared.SD_UNKNOWN: "the same, told that the noise is normal and not its sd",
    Declared.SUB_GAUSSIAN: "the same, told of coins and bounded results only their sub-Gaussian scale",
}


def _contestants(made: Comparison) -> str:
    lines = []
    entered = {row.contestant for row in made.rows}
    for one in (contestant for contestant in made.contestants if contestant.name in entered):
        parts = f"`{type(one.rule).__name__}` stopped by `{type(one.stopping).__name__}`"
        what = {
            Role.DEFAULT: f"the default: {parts}",
            Role.CANDIDATE: f"{parts}, measured to choose the default",
            Role.PAPER: f"the paper's rule with the paper's stopping: {parts}",
            Role.CLASSIC: f"successive elimination (Even-Dar, Mannor and Mansour 2006) for thresholds: {parts}",
        }[one.role]
        lines.append(f"* **{one.name}**: {TOLD.get(one.declared, what)}.")
    return "\n".join([*lines, FIXED_TEXT])


FIXED_TEXT = f"""\
* **{FIXED}**: every arm equally often, as often as a union bound asks for to tell means at the threshold from means at
  the end of the tolerance, then one look. It cannot know in advance that the margins are wider than that, so its number
  of evaluations is a formula; its answers are simulated."""


def _entered(made: Comparison, members: Sequence[Member]) -> list[str]:
    """The contestants that have a row for any of the members."""
    order = [*(one.name for one in made.contestants), FIXED]
    if all(member.group is Group.SWEEPS for member in members):
        order = [DEFAULT.name, *(one.name for one in PAPER_RULES), FIXED]
    wanted = {member.name for member in members}
    present = {row.contestant for row in made.rows if row.instance in wanted}
    return [name for name in order if name in present]


def short(number: float) -> str:
    """A number in about three digits: 38.3k, 1.2M."""
    for size, letter in ((1e6, "M"), (1e4, "k")):
        if number >= size:
            scaled = number / min(size, 1e3 if letter == "k" else 1e6)
            return f"{scaled:,.{1 if scaled < 100 else 0}f}{letter}"
    return f"{number:,.0f}"


def _shown(made: Comparison, member: Member, name: str, text: Callable[[Row], str]) -> str:
    """A contestant's row as a text; what could have been run and was not is told from what does not apply."""
    row = made.row(member.name, name)
    if row is not None:
        return text(row)
    applies = any(one.name == name and one.enters(member) for one in made.contestants)
    return "not run" if applies else DASH


def _mean(row: Row) -> str:
    return short(row.mean) + (f" ({row.timed_out:.1%} late)" if row.timed_out else "")


def _tail(row: Row) -> str:
    return f"{short(row.median)}, {short(row.quantile_99)}"


def _wrong(row: Row) -> str:
    return f"{100 * row.wrong:.2g} % (≤ {100 * row.wrong_high:.2g})"
