"""satisfice explain."""

import typer

from satisfice.cli import options
from satisfice.layout.escape import json_text


def explain(
    storage: str | None = options.STORAGE_PLACE,
    name: str | None = options.STUDY_NAME,
    config: list[str] | None = options.ONE_CONFIG,
    trust_code: bool = options.TRUST_CODE,
    as_json: bool = options.AS_JSON,
) -> None:
    """Say why configurations were accepted, rejected or left, and of two the items of a set on which they differ."""
    from satisfice.cli.lookup import config_of, opened
    from satisfice.show.as_json import config_cost, config_document
    from satisfice.show.sentence import answer
    from satisfice.show.subject import measured_line

    with opened(storage, name, trust_code) as study:
        view = study.view()
        named = [config_of(view, text) for text in config] if config else list(view.configs)
        of_set = len(config or ()) == 2 and view.problem.items
        apart = study.differing_items(*named) if of_set else ()
    explained = [view.explain(one) for one in named]
    if as_json:
        names, subject = view.problem.metric_names, None if view.subject is None else view.subject.as_content()
        documents = [
            config_document(one.status, names)
            | {"binding": one.binding, "text": one.text, "subject": subject}
            | config_cost(view, one.config)
            | ({"differing_items": [each.as_dict() for each in apart]} if apart else {})
            for one in explained
        ]
        typer.echo(json_text(documents))
    elif len(explained) == 1:
        answer(explained[0].text)
    else:
        for one in explained:
            answer(f"{one.config}: {one.text}")
    for each in () if as_json else apart:
        answer(str(each))
    if view.subject is not None and not as_json:
        answer(measured_line(view.subject))
