"""Evaluate a configuration by running a program: fill in a template, run it, read metrics from what it prints."""

from satisfice.command.evaluation import CommandEvaluation, in_groups
from satisfice.command.output import parse_reading
from satisfice.command.subject import subject_of

__all__ = ["CommandEvaluation", "in_groups", "parse_reading", "subject_of"]
