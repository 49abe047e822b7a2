"""satisfice compare."""

import json
from typing import Annotated

import typer

from satisfice.cli.options import AsJson, ResultsFolder, RuleNames, StoppingName, Threads


def compare(
    instances: Annotated[
        list[str] | None,
        typer.Option(
            "--instances",
            "-i",
            metavar="NAME",
            help="An instance of the family, or a group: paper, further, sweeps; repeat for several.",
            show_default="all",
        ),
    ] = None,
    rule: RuleNames = None,
    stopping: StoppingName = None,
    repetitions: Annotated[
        int, typer.Option("--repetitions", "-n", min=1, metavar="N", help="Runs of each contestant on each instance.")
    ] = 20,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of all randomness.")] = 1,
    threads: Threads = None,
    out: ResultsFolder = None,
    as_json: AsJson = False,
) -> None:
    """Compare satisfice with the paper's rules and classic procedures over a family of instances.

    Rules that you name stand beside them, stopped like the default unless --stopping says otherwise.
    """
    from satisfice.comparison.contestants import contestants, own_candidate  # noqa: PLC0415
    from satisfice.comparison.family import chosen_members  # noqa: PLC0415
    from satisfice.comparison.files import save  # noqa: PLC0415
    from satisfice.comparison.measure import compare as compare_all  # noqa: PLC0415
    from satisfice.show.campaign import campaign_progress  # noqa: PLC0415
    from satisfice.show.comparison import comparison_document, print_comparison  # noqa: PLC0415

    members = chosen_members(instances)
    entered = contestants(tuple(own_candidate(name, stopping) for name in rule or ()))
    with campaign_progress(quiet=as_json) as tell:
        made = compare_all(
            members, entered, repetitions=repetitions, seed=seed, threads=threads, folder=out, on_progress=tell
        )
    paths = save(made, out) if out is not None else []
    if as_json:
        typer.echo(json.dumps(comparison_document(made)))
    else:
        print_comparison(made, paths)
