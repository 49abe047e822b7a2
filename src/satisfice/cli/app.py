"""The commands. Nothing heavy is imported before a command needs it, so that --help answers at once."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(
    name="satisfice",
    help="Find any configuration that passes all your thresholds, and know how certain that is.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

InstancePath = Annotated[
    Path, typer.Argument(metavar="INSTANCE.toml", help="The instance file: thresholds, arms, rules, sweeps.")
]
Threads = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="How many threads; default: one for each core.", show_default=False),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of tables.")]


def _version(wanted: bool) -> None:
    if wanted:
        from satisfice import __version__  # noqa: PLC0415

        typer.echo(f"satisfice {__version__}")
        raise typer.Exit


@app.callback()
def satisfice(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Find any configuration that passes all your thresholds, and know how certain that is."""


@app.command()
def simulate(
    instance: InstancePath,
    rule: Annotated[
        list[str] | None,
        typer.Option(
            "--rule",
            "-r",
            metavar="RULE",
            help="A sampling rule by name or module:Class; repeat for several.",
            show_default=False,
        ),
    ] = None,
    stopping: Annotated[
        str | None,
        typer.Option(metavar="STOPPING", help="The stopping rule by name or module:Class.", show_default=False),
    ] = None,
    error_rate: Annotated[
        list[float] | None,
        typer.Option(metavar="RATE", help="Sweep over error rates: repeat.", show_default=False),
    ] = None,
    tolerance: Annotated[
        list[float] | None,
        typer.Option(
            metavar="TOLERANCE", help="Sweep over tolerances, one for all metrics: repeat.", show_default=False
        ),
    ] = None,
    repetitions: Annotated[
        int | None,
        typer.Option("--repetitions", "-n", metavar="N", help="Runs of each rule; default 1000.", show_default=False),
    ] = None,
    max_evaluations: Annotated[
        int | None, typer.Option(metavar="N", help="Budget of a run; default 1,000,000.", show_default=False)
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Seed of all randomness; default 0.", show_default=False)
    ] = None,
    threads: Threads = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Keep results here: Parquet, CSV, a plot. Interrupted, the same command goes on.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run sampling rules many times on simulated arms: evaluations needed, and how often the answer is wrong.

    Options replace what the file's [simulate] table says.
    """
    from satisfice.cli.console import campaign_progress, print_summaries  # noqa: PLC0415
    from satisfice.simulation.campaign import plan_cells, run_campaign  # noqa: PLC0415
    from satisfice.simulation.instance_file import load_instance  # noqa: PLC0415

    said = load_instance(instance)
    given = {
        "rules": rule,
        "stopping": stopping,
        "error_rates": error_rate,
        "tolerances": tolerance,
        "repetitions": repetitions,
        "max_evaluations": max_evaluations,
        "seed": seed,
    }
    settings = (
        {"rules": ["multitucb"]}
        | said.settings
        | {key: value for key, value in given.items() if value not in (None, [])}
    )
    cells = plan_cells([said.instance], **settings)
    with campaign_progress(quiet=as_json) as tell:
        result = run_campaign(cells, folder=out, threads=threads, on_progress=tell)
    if out is not None:
        result.save(out)
        result.plot(out / "evaluations.png")
    if as_json:
        typer.echo(json.dumps([summary.as_dict() for summary in result.summaries]))
    else:
        print_summaries(result.summaries, out)


@app.command()
def reproduce(
    table: Annotated[
        list[str] | None,
        typer.Option(
            "--table",
            "-t",
            metavar="TABLE",
            help="A table of the paper by name, or all; repeat for several.",
            show_default="all",
        ),
    ] = None,
    repetitions: Annotated[
        str | None,
        typer.Option(
            "--repetitions",
            "-n",
            metavar="N",
            help="Runs of each cell, or 'paper' for as many as the paper made; default: few, for a quick look.",
        ),
    ] = None,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="The folder for tables, figures and the report.")] = Path(
        "reproduction"
    ),
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of all randomness.")] = 1,
    threads: Threads = None,
) -> None:
    """Make every table and figure of the paper, ours beside the printed numbers."""
    from satisfice.cli.console import campaign_progress, print_reproduction  # noqa: PLC0415
    from satisfice.paper import reproduce as reproduce_paper  # noqa: PLC0415

    wanted = None if not table or "all" in table else table
    with campaign_progress() as tell:
        made = reproduce_paper(
            out, tables=wanted, repetitions=_repetitions(repetitions), seed=seed, threads=threads, on_progress=tell
        )
    print_reproduction(made, out)


@app.command()
def bounds(
    instance: InstancePath,
    repetitions: Annotated[
        int,
        typer.Option(
            "--repetitions", "-n", min=0, metavar="N", help="Runs of MultiTUCB beside the bounds; 0 for none."
        ),
    ] = 200,
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Say how many evaluations the theory promises and asks for, beside what MultiTUCB takes in simulation."""
    from satisfice.cli.console import campaign_progress, print_bounds  # noqa: PLC0415
    from satisfice.core.theory import bounds as bounds_of  # noqa: PLC0415
    from satisfice.simulation.campaign import plan_cells, run_campaign  # noqa: PLC0415
    from satisfice.simulation.instance_file import load_instance  # noqa: PLC0415

    said = load_instance(instance)
    computed = bounds_of(said.instance.problem, said.instance.arms.means)
    simulated: Any = None
    if repetitions:
        budget = {key: value for key, value in said.settings.items() if key in {"max_evaluations", "seed"}}
        cells = plan_cells([said.instance], ["multitucb"], repetitions=repetitions, **budget)
        with campaign_progress(quiet=as_json) as tell:
            simulated = run_campaign(cells, threads=threads, on_progress=tell).summaries[0]
    if as_json:
        typer.echo(json.dumps(computed.as_dict() | {"simulated": simulated and simulated.as_dict()}))
    else:
        print_bounds(computed, said.instance, simulated)


@app.command()
def rules() -> None:
    """List the sampling rules and boundaries that can be named, installed ones of others included."""
    from satisfice.cli.console import print_rules  # noqa: PLC0415

    print_rules()


def _repetitions(text: str | None) -> Any:
    if text is None or text == "paper":
        return text
    if not text.isdigit() or int(text) < 1:
        raise typer.BadParameter(
            f"expected a whole number of at least 1, or 'paper', got {text!r}", param_hint="--repetitions"
        )
    return int(text)
