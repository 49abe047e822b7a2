"""Jobs of a cluster that start workers: a batch script for Slurm, a manifest for Kubernetes.

The address of the storage, which may have a password in it, stands in neither: workers find it in SATISFICE_STORAGE.
"""

import json
import re
import shlex
from typing import NamedTuple

from satisfice.layout.numbers import plain

GRACE_SECONDS = 600
"""What the cluster gives a worker beyond its own limit, so that it can tell what it has under way."""

ATTEMPTS = 3
"""How often a worker that fails is started again; what it was at is given to others meanwhile."""

DECIDED = 'code=$?; case $code in 0|3|4) exit 0;; esac; exit "$code"'
"""A verdict, whichever it is, is a worker's success; anything else is not."""

FILLED_IN = re.compile(r"\$(?=[$(])")
"""A dollar that Kubernetes does not leave as it is: $(NAME) is a variable to it, and $$ a dollar."""


class Launch(NamedTuple):
    """Which workers to start, and with what; seconds are those after which a worker ends itself."""

    study: str
    words: tuple[str, ...]
    workers: int
    jobs: int = 1
    seconds: float | None = None
    memory: str | None = None
    image: str = ""
    secret: str = "satisfice"

    @property
    def job_name(self) -> str:
        """A name that every scheduler takes: small letters, digits and hyphens, at most 63 of them."""
        plain = re.sub(r"[^a-z0-9]+", "-", self.study.lower()).strip("-")
        return f"satisfice-{plain}"[:63].rstrip("-")

    @property
    def worker(self) -> str:
        """The command line of a worker, as a shell reads it."""
        limit = () if self.seconds is None else ("--max-time", f"{plain(self.seconds)}s")
        own = ("satisfice", "worker", "--name", self.study, "--jobs", str(self.jobs), *limit, "--quiet")
        return shlex.join([*own, *self.words])


def slurm_script(launch: Launch) -> str:
    """An array of workers for sbatch; each is started again if its node is lost."""
    directives = {
        "job-name": launch.job_name,
        "array": f"1-{launch.workers}",
        "ntasks": "1",
        "cpus-per-task": str(launch.jobs),
        "output": f"{launch.job_name}-%A_%a.log",
        "open-mode": "append",
    }
    if launch.seconds is not None:
        directives["time"] = _slurm_time(launch.seconds + GRACE_SECONDS)
    if launch.memory is not None:
        directives["mem"] = launch.memory
    lines = [
        "#!/bin/bash",
        *(f"#SBATCH --{name}={value}" for name, value in directives.items()),
        "#SBATCH --requeue",
        "# Where the study is, with its password if it needs one, is not written here: before sbatch,",
        "#   export SATISFICE_STORAGE=postgresql://user@host/database    (and the password in ~/.pgpass)",
        ': "${SATISFICE_STORAGE:?set it to the address of the study before sbatch}"',
        f"srun {launch.worker}",
        DECIDED,
    ]
    return "\n".join(lines) + "\n"


def kubernetes_job(launch: Launch) -> str:
    """An Indexed Job of workers; the address of the storage comes from a Secret."""
    command = FILLED_IN.sub("$$", f"{launch.worker}; {DECIDED}")
    limit = [] if launch.seconds is None else [f"  activeDeadlineSeconds: {plain(launch.seconds + GRACE_SECONDS)}"]
    memory = [] if launch.memory is None else [f"              memory: {_text(launch.memory)}"]
    lines = [
        "# Once, before kubectl apply:",
        f"#   kubectl create secret generic {launch.secret} --from-file=storage=FILE",
        "# where FILE has the address, postgresql://user:password@host/database, and no newline.",
        "apiVersion: batch/v1",
        "kind: Job",
        "metadata:",
        f"  name: {_text(launch.job_name)}",
        "spec:",
        "  completionMode: Indexed",
        f"  completions: {launch.workers}",
        f"  parallelism: {launch.workers}",
        f"  backoffLimitPerIndex: {ATTEMPTS}",
        *limit,
        "  ttlSecondsAfterFinished: 86400",
        "  template:",
        "    spec:",
        "      restartPolicy: Never",
        "      containers:",
        "        - name: worker",
        f"          image: {_text(launch.image)}",
        f'          command: ["/bin/sh", "-c", {_text(command)}]',
        "          env:",
        "            - name: SATISFICE_STORAGE",
        "              valueFrom:",
        "                secretKeyRef:",
        f"                  name: {_text(launch.secret)}",
        "                  key: storage",
        "          resources:",
        "            requests:",
        f"              cpu: {_text(str(launch.jobs))}",
        *memory,
    ]
    return "\n".join(lines) + "\n"


def _text(value: str) -> str:
    """A text as YAML has it: as JSON does, but JSON writes characters beyond U+FFFF in two halves."""
    plain = json.dumps(value, ensure_ascii=False)
    return "".join(one if " " <= one <= "~" else f"\\U{ord(one):08X}" for one in plain)


def _slurm_time(seconds: float) -> str:
    minutes = -(-int(seconds) // 60)
    days, hours = divmod(minutes // 60, 24)
    return f"{days}-{hours:02d}:{minutes % 60:02d}:00"
