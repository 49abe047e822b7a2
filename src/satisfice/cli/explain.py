"""satisfice explain."""

import json
from typing import Annotated

import typer

from satisfice.cli.options import AsJson, StoragePlace, StudyName


def explain(
    storage: StoragePlace = None,
    name: StudyName = None,
    config: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CONFIG",
            help="A configuration by name, or by its parameters: codec=opus,txpower=4; repeat. Default: all.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say why configurations were accepted, rejected or left."""
    from satisfice.cli.as_json import config_document  # noqa: PLC0415
    from satisfice.cli.lookup import config_of, opened  # noqa: PLC0415

    with opened(storage, name) as study:
        view = study.view()
    explained = [view.explain(one) for one in ([config_of(view, text) for text in config] if config else view.configs)]
    if as_json:
        names = view.problem.metric_names
        documents = [
            config_document(one.status, names) | {"binding": one.binding, "text": one.text} for one in explained
        ]
        typer.echo(json.dumps(documents))
    elif len(explained) == 1:
        typer.echo(explained[0].text)
    else:
        for one in explained:
            typer.echo(f"{one.config}: {one.text}")
