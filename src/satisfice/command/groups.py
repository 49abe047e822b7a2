"""An evaluation for each group of metrics, where they are measured apart."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from satisfice.command.evaluation import CommandEvaluation
from satisfice.problem.metric import Metric


def in_groups(
    whole: CommandEvaluation, metrics: Sequence[Metric], commands: Mapping[str, Sequence[str]] | None = None
) -> CommandEvaluation:
    """The evaluation with one for each group of metrics, which runs the group's own command if it has one."""
    groups = dict.fromkeys(metric.group for metric in metrics if metric.group)
    known = tuple(whole.metrics)
    by_group = {
        group: replace(
            whole,
            words=(commands or {}).get(group, whole.words),
            metrics=list(dict.fromkeys(metric.name for metric in metrics if metric.group == group)),
            items=any(metric.process.items(metric.noise) for metric in metrics if metric.group == group),
            group=group,
            known=known,
        )
        for group in groups
    }
    found = replace(whole, by_group=by_group, known=known if groups else ())
    for each in by_group.values():
        object.__setattr__(each, "stage", found.stage)  # a configuration is set up once, for all groups
    return found
