"""satisfice launch."""

from typing import TYPE_CHECKING

import typer

from satisfice.cli import options
from satisfice.cli.program import program_of

if TYPE_CHECKING:
    from satisfice.show.launch import Launch


def launch(
    ctx: typer.Context,
    scheduler: str = options.SCHEDULER,
    function: str | None = options.FUNCTION_PATH,
    *,
    name: str = options.LAUNCHED_STUDY,
    workers: int = options.LAUNCHED_WORKERS,
    jobs: int = options.WORKER_JOBS,
    max_time: str | None = options.RUN_TIME,
    memory: str | None = options.MEMORY,
    image: str | None = options.IMAGE,
    secret: str = options.SECRET,
) -> None:
    """Print a job of a cluster that starts workers for a study: an sbatch array or a Kubernetes Indexed Job.

    The study must be in PostgreSQL, and be there already. Its address is not in what is printed:
    workers find it in SATISFICE_STORAGE, from your environment or from a Secret.
    """
    from satisfice.cli.parse import seconds_of
    from satisfice.errors import InvalidCommand, unknown_name
    from satisfice.show.launch import Launch, kubernetes_job, slurm_script

    if scheduler not in ("slurm", "kubernetes"):
        raise unknown_name("scheduler", scheduler, ("slurm", "kubernetes"))
    if scheduler == "kubernetes" and not image:
        raise InvalidCommand("A Kubernetes Job needs --image: one in which satisfice and what evaluates are installed.")
    program = program_of(ctx)
    if (function is None) == (not program):
        raise InvalidCommand(
            "Expected what evaluates: either module:function, or a program after --, as for satisfice worker."
        )
    _check_storage()
    seconds = None if max_time is None else seconds_of(max_time, "--max-time")
    words = (function,) if function is not None else ("--", *program)
    asked = Launch(name, tuple(words), workers, jobs, seconds, memory, image or "", secret)
    _check_texts(asked)
    typer.echo(slurm_script(asked) if scheduler == "slurm" else kubernetes_job(asked), nl=False)


def _check_storage() -> None:
    """InvalidStorage where the environment says that the study is where no other machine can reach it."""
    from os import environ

    from satisfice.errors import InvalidStorage

    said = environ.get("SATISFICE_STORAGE", "")
    if said.startswith(("sqlite:", "memory")):
        raise InvalidStorage(
            "SATISFICE_STORAGE names a place on this machine, which workers elsewhere cannot reach. Keep the study in "
            "PostgreSQL: create it with --storage postgresql://user@host/database."
        )


def _check_texts(asked: "Launch") -> None:
    """InvalidCommand for what would break out of its line, or be no name to the scheduler."""
    import re

    from satisfice.errors import InvalidCommand
    from satisfice.given import shown

    if asked.memory is not None and not re.fullmatch(r"[0-9]+[A-Za-z]{0,2}", asked.memory):
        raise InvalidCommand(
            f"Expected --memory as a number with a unit, such as 4G or 4Gi, got {shown(asked.memory)}."
        )
    if not re.fullmatch(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?", asked.secret):
        raise InvalidCommand(
            f"Expected --secret as the name of a Secret: small letters, digits and hyphens, got {shown(asked.secret)}."
        )
    if any("\n" in word or "\0" in word for word in (asked.study, *asked.words)):
        raise InvalidCommand("Names and words of a program in a job may not contain line breaks.")
