"""satisfice launch: scripts that a scheduler takes, in which no address and no password stands."""

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

import pytest

from satisfice.show.launch import Launch, kubernetes_job

CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
AuthType=auth/none
CredType=cred/none
StateSaveLocation={folder}
SlurmctldPidFile={folder}/pid
ProctrackType=proctrack/pgid
SelectType=select/cons_tres
MpiDefault=none
ResumeProgram=/bin/true
SuspendProgram=/bin/true
SuspendTime=60
NodeName=node[1-4] NodeAddr=127.0.0.1 Port=[17001-17004] CPUs=4 RealMemory=8000 State=CLOUD
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
SECRET = "postgresql://bench:xyzzy@db.example.org/evals"


@pytest.fixture
def launch(satisfice, monkeypatch):
    """What `satisfice launch` prints, where the environment knows a password."""
    monkeypatch.setenv("SATISFICE_STORAGE", SECRET)

    def printed(*words):
        code, out, err = satisfice("launch", *words)
        assert (code, err) == (0, ""), err
        assert "xyzzy" not in out
        assert "db.example.org" not in out
        return out

    return printed


def test_the_script_is_a_script_whose_workers_verdicts_are_successes(launch, tmp_path):
    text = launch("slurm", "--name", "it's radio", "-w", "7", "-j", "2", "--max-time", "90m", "mybench:evaluate")
    directives = dict(
        line[len("#SBATCH --") :].partition("=")[::2] for line in text.splitlines() if line[:7] == "#SBATCH"
    )
    expected = {"array": "1-7", "cpus-per-task": "2", "time": "0-01:40:00", "job-name": "satisfice-it-s-radio"}
    assert expected.items() <= directives.items()
    script, bin_folder = tmp_path / "job.sh", tmp_path / "bin"
    script.write_text(text)
    bin_folder.mkdir()
    (bin_folder / "srun").write_text("#!/bin/bash\nprintf '%s\\n' \"$@\"\nexit $CODE\n")
    (bin_folder / "srun").chmod(0o755)
    surroundings = {"PATH": f"{bin_folder}:{os.environ['PATH']}", "SATISFICE_STORAGE": SECRET}
    for code, left in (("0", 0), ("3", 0), ("4", 0), ("1", 1), ("137", 137)):
        done = subprocess.run(
            ["bash", script], check=False, env={**surroundings, "CODE": code}, capture_output=True, text=True
        )
        assert done.returncode == left
        words = done.stdout.splitlines()
        assert words[:4] == ["satisfice", "worker", "--name", "it's radio"]
        assert words[-1] == "mybench:evaluate"
    done = subprocess.run(
        ["bash", script], check=False, env={"PATH": surroundings["PATH"]}, capture_output=True, text=True
    )
    assert done.returncode != 0
    assert "set it to the address of the study before sbatch" in done.stderr


SEARCHED = f"{os.environ['PATH']}:/usr/sbin"
RADIO = ("slurm", "--name", "radio", "-w", "20", "--memory", "2G", "--max-time", "2h", "--", "./bench.sh")


def needs(program, packages):
    return pytest.mark.skipif(
        shutil.which(program, path=SEARCHED) is None, reason=f"there is no {program} here: apt-get install {packages}"
    )


@pytest.fixture
def slurm(tmp_path):
    """The surroundings of a cluster that has been written down; nothing of it runs yet."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    configuration = tmp_path / "slurm.conf"
    user = os.environ.get("USER") or "root"
    host = socket.gethostname().partition(".")[0]
    configuration.write_text(CONFIGURATION.format(host=host, port=port, folder=tmp_path, user=user))
    return {**os.environ, "SLURM_CONF": str(configuration), "PATH": SEARCHED}


@needs("sbatch", "slurm-client")
def test_sbatch_knows_every_line_of_the_script(launch, tmp_path, slurm):
    """It reads them all before it looks for a controller."""
    with Path(slurm["SLURM_CONF"]).open("a", encoding="utf-8") as configuration:
        configuration.write("MessageTimeout=1\n")
    good = launch(*RADIO)
    assert "Unable to contact slurm controller" in sbatch(tmp_path, good, slurm, patience=0).stderr
    lines = [line for line in good.splitlines() if line.startswith("#SBATCH")]
    assert len(lines) == 9
    for line in lines:
        said = sbatch(tmp_path, good.replace(line, line.replace("--", "--un", 1)), slurm, patience=0).stderr
        assert "unrecognized option '--un" in said, line
    for right, wrong in (("mem=2G", "mem=much"), ("time=0-02:10:00", "time=soon"), ("cpus-per-task=1", "ntasks=none")):
        said = sbatch(tmp_path, good.replace(right, wrong), slurm, patience=0).stderr
        assert "Invalid" in said


@needs("slurmctld", "slurmctld")
def test_sbatch_takes_the_script(launch, tmp_path, slurm):
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    controller = subprocess.Popen(["slurmctld", "-c", "-D", "-f", slurm["SLURM_CONF"]], env=slurm, **quiet)
    try:
        good = launch(*RADIO)
        bad = good.replace("--array=1-20", "--array=none")
        assert bad != good
        assert sbatch(tmp_path, good, slurm).returncode == 0
        refused = sbatch(tmp_path, bad, slurm)
        assert refused.returncode != 0
        assert "Invalid job array specification" in refused.stderr, "the test could not have failed"
    finally:
        controller.terminate()
        controller.wait()


def sbatch(
    folder: Path, text: str, surroundings: dict[str, str], patience: float = 60
) -> "subprocess.CompletedProcess[str]":
    """What sbatch says about a script, once the controller answers; without one, after so many seconds."""
    script = folder / "job.sh"
    script.write_text(text)
    until = time.monotonic() + patience
    while True:
        done = subprocess.run(
            ["sbatch", "--test-only", script], env=surroundings, capture_output=True, text=True, check=False
        )
        if "Unable to contact" not in done.stderr or time.monotonic() > until:
            return done
        time.sleep(0.2)


def test_the_job_is_one_of_kubernetes(launch):
    yaml = pytest.importorskip("yaml")
    kubernetes_validate = pytest.importorskip("kubernetes_validate")
    words = ("--name", "Radio", "--image", "registry/bench:1", "-w", "50", "--memory", "2Gi", "--max-time", "1h")
    job = yaml.safe_load(launch("kubernetes", *words, "--", "./bench.sh", "it's $(HOME)", "{codec}"))
    newest = kubernetes_validate.latest_version()
    kubernetes_validate.validate(job, newest, strict=True)
    job["spec"]["completion"] = job["spec"].pop("completions")
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(job, newest, strict=True)


def test_the_job_runs_the_worker_with_the_address_from_a_secret(launch, tmp_path):
    yaml = pytest.importorskip("yaml")
    words = ("--name", "Radio", "--image", "registry/bench:1", "-w", "50", "--secret", "evals")
    job = yaml.safe_load(launch("kubernetes", *words, "--", "./bench.sh", "it's $(HOME)"))
    spec = job["spec"]
    assert (spec["completionMode"], spec["completions"], spec["parallelism"]) == ("Indexed", 50, 50)
    container = spec["template"]["spec"]["containers"][0]
    assert container["env"] == [
        {"name": "SATISFICE_STORAGE", "valueFrom": {"secretKeyRef": {"name": "evals", "key": "storage"}}}
    ]
    shell, flag, line = container["command"]
    assert (shell, flag) == ("/bin/sh", "-c")
    run = shlex.split(filled_in(line).partition(";")[0])
    assert run == [
        *["satisfice", "worker", "--name", "Radio", "--jobs", "1", "--quiet", "--"],
        "./bench.sh",
        "it's $(HOME)",
    ]


def filled_in(text):
    """A command as Kubernetes hands it on: $$ is a $, $(NAME) a variable, and any other $ stays."""
    return re.sub(r"\$\$|\$\(([^)]*)\)", lambda found: "$" if found[0] == "$$" else f"the value of {found[1]}", text)


def test_what_a_command_says_is_what_its_container_runs():
    """Once $$(HOME) was filled in, and $$ became $."""
    yaml = pytest.importorskip("yaml")
    words = tuple("".join(signs) for length in range(1, 6) for signs in product("$()A{", repeat=length))
    odd = ("\U0001f600", "\x85\u2028\ufeff\x7f\t\r", "é'\"\\", "- a: #b", "$(HOME", "$$$(HOME)$", "${HOME}$?")
    job = yaml.safe_load(kubernetes_job(Launch("\U0001f600 $$(radio)", (*words, *odd), 1, image="\U0001f600")))
    container = job["spec"]["template"]["spec"]["containers"][0]
    run = shlex.split(filled_in(container["command"][2]).partition("; code=")[0])
    assert run == ["satisfice", "worker", "--name", "\U0001f600 $$(radio)", "--jobs", "1", "--quiet", *words, *odd]
    assert container["image"] == "\U0001f600"


@needs("kubectl", "kubectl")
def test_kubectl_reads_the_same_job():
    """Once a name beyond U+FFFF stood there in two halves, which it refuses."""
    text = kubernetes_job(Launch("\U0001f600\x85\u2028\ufeff\x7f", ("$$(HOME)",), 1, image="i"))
    words = ["kubectl", "label", "--local", "-f", "-", "a=b", "-o", "json"]
    done = subprocess.run(words, input=text, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    line = json.loads(done.stdout)["spec"]["template"]["spec"]["containers"][0]["command"][2]
    assert shlex.split(filled_in(line).partition("; code=")[0])[3:] == [
        *("\U0001f600\x85\u2028\ufeff\x7f", "--jobs", "1", "--quiet", "$$(HOME)")
    ]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["pbs", "--name", "x", "m:f"], "No scheduler is called 'pbs'. Known: kubernetes, slurm."),
        (["slurm", "--name", "x"], "Expected what evaluates: either module:function, or a program after --"),
        (["slurm", "--name", "x", "m:f", "--", "p"], "Expected what evaluates: either"),
        (["kubernetes", "--name", "x", "m:f"], "A Kubernetes Job needs --image"),
        (["slurm", "--name", "x", "--memory", "much", "m:f"], "Expected --memory as a number with a unit"),
        (["slurm", "--name", "x", "--max-time", "soon", "m:f"], "--max-time"),
        (["slurm", "--name", "a\nb", "m:f"], "may not contain line breaks"),
        (["kubernetes", "--name", "x", "--image", "i", "--secret", "A B", "m:f"], "Expected --secret as the name"),
    ],
)
def test_what_cannot_be_launched_gets_a_sentence(satisfice, words, says):
    code, out, err = satisfice("launch", *words)
    assert (code, out) == (2, "")
    assert says in err


def test_a_study_on_this_machine_is_refused(satisfice, monkeypatch):
    monkeypatch.setenv("SATISFICE_STORAGE", "sqlite:///mine.db")
    code, out, err = satisfice("launch", "slurm", "--name", "x", "m:f")
    assert (code, out) == (2, "")
    assert "workers elsewhere cannot reach" in err


def test_help_needs_nothing():
    done = subprocess.run([sys.executable, "-m", "satisfice", "launch", "--help"], capture_output=True, check=True)
    assert b"slurm|kubernetes" in done.stdout
