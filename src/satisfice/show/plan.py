"""What people see of a plan."""

from pathlib import Path

from satisfice.layout.numbers import counted, fixed, rounded, to_digits, written
from satisfice.planning.plan import StudyPlan
from satisfice.show.sentence import say, screen
from satisfice.show.table import plain_table

ENDINGS = ("found\n%", "none\n%", "unde-\ncided\n%")


def print_plan(name: str, made: StudyPlan, out: Path | None, unpriced: str | None = None) -> None:
    """What was assumed, a line for each scenario, and where the files are.

    `unpriced` is the metric that evaluations will report as their cost, about which nothing was said.
    """
    console = screen()
    first = made.scenarios[0].runs
    most = "" if made.max_cost is None else f", at a cost of at most {rounded(made.max_cost, 6)}"
    say(console, f"{name}: evaluations to expect, {first.repetitions:,} simulated studies of each scenario")
    say(
        console,
        f"{counted(made.configs, 'configuration')}, error rate {written(made.problem.error_rate)}, goal "
        f"{made.problem.goal}, budget {made.budget:,}{most}, {first.rule}, {first.stopping}",
    )
    heads = [head.replace(", ", "\n") for head in made.heads]
    console.print(plain_table((*heads, *ENDINGS), made.table_lines(), wrapped=(0,)))
    if made.timing is not None:
        say(
            console,
            f"durations {made.timing.durations}; used: evaluations in the answer; asked: all that were begun; time: "
            "until the answer, in mean evaluations, and what 90 % of the studies keep to",
        )
    say(console, "Configurations that a scenario does not mention clearly fail.")
    say(
        console,
        f"just: {written(made.guesses.just)} standard deviations of one evaluation from the threshold, or beyond its "
        f"tolerance; clearly: {written(made.guesses.clearly)}",
    )
    assumed = [f"{name} {written(spread)}" for name, spread in made.guesses.by_metric(made.problem).items()]
    if assumed:
        say(console, f"standard deviations: {', '.join(assumed)}")
    if made.taken_as_one_number():
        say(
            console,
            f"{', '.join(made.taken_as_one_number())}: an evaluation is taken to return one number; where it returns a "
            "list of n, fewer are needed, n times fewer if they are declared independent",
        )
    for metric, shapes in made.by_shape().items():
        (_, plain), *others = ((shape, fixed(to_digits(pulls, 2), 0)) for shape, pulls in shapes.items())
        skewed = ", ".join(f"about {pulls} if {shape}" for shape, pulls in others)
        say(
            console,
            f"{metric} is undeclared, and simulated as normal: accepting a configuration that just passes then takes "
            f"about {plain} of its evaluations; {skewed}",
        )
    if made.is_priced:
        say(console, "Each kind of configuration has cheap and dear ones; one alone has the median cost.")
    if unpriced is not None:
        say(console, f"Evaluations report their cost as {unpriced}: to plan it, say what you expect by --cost.")
    if any(each.runs.timed_out > 0 for each in made.scenarios):
        say(console, "+ marks what the budget has cut off: runs without an answer count with the whole budget")
    if out is not None:
        say(console, f"kept in {out}: plan.png, summary.csv, pulls_per_arm.csv, results.parquet")
