"""Files among a program's words that it writes itself are its output: a run that is interrupted goes on."""

import json
import os

import pytest

import satisfice as sf

PROGRAM = """#!/bin/sh
# writes what it is told to behind -o, another content each time
echo x >> ran
echo "$(wc -l < ran) $1" > "$3"
echo '{"a": 1}'
"""
QUESTION = ["-L", "level=1,9", "-t", "a <= 5 : normal(1)", "--goal", "all"]
WORDS = ["./pack.sh", "{level}", "-o", "{level}.zst"]


@pytest.fixture
def place(folder, monkeypatch):
    monkeypatch.delenv("SATISFICE_STORAGE", raising=False)
    write(folder / "pack.sh", PROGRAM)
    return folder


def write(path, text):
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def pack(place, satisfice):
    return lambda *words, program=WORDS: satisfice("run", *QUESTION, *words, "--", *program)


def studies(satisfice):
    return [row["study"] for row in json.loads(satisfice("list", "--json").out)]


def told(place):
    with sf.load_study(f"sqlite:///{place}/satisfice.db") as study:
        return study.counts().told


@pytest.mark.parametrize("before", [False, True])
def test_a_run_that_is_interrupted_goes_on(place, pack, satisfice, before):
    """The file was not there at first, or had another content, and the same command was refused."""
    if before:
        for level in (1, 9):
            (place / f"{level}.zst").write_text("of yesterday")
    first = pack("--max-evaluations", 1)
    assert first.code == 4
    assert first.err.count(".zst (and 1 file of other configurations in its place)") == 1
    done = pack()
    assert done.code == 0, done.err
    assert "the program wrote" not in done.err
    assert "warning" not in done.err
    assert len(studies(satisfice)) == 1
    assert satisfice("verify").code == 0
    assert "zst" not in satisfice("explain").out.splitlines()[-1].partition("(")[2]


def test_an_edited_program_is_refused_as_before(place, pack):
    assert pack("--max-evaluations", 2).code == 4
    write(place / "pack.sh", PROGRAM.replace("1}", "9}"))
    for words in ((), ("--name", "x"), ("--fresh", "--max-evaluations", 1)):
        pack(*words)
    done = pack("--max-evaluations", 3)
    assert done.code == 4
    write(place / "pack.sh", PROGRAM.replace("1}", "2}"))
    done = pack()
    assert done.code == 2
    assert "the file ./pack.sh was" in done.err
    assert ".zst" not in done.err
    assert "--revision" not in done.err


def test_an_input_is_no_output(place, pack):
    (place / "load.txt").write_text("1")
    assert pack("--max-evaluations", 2, program=[*WORDS, "load.txt"]).code == 4
    (place / "load.txt").write_text("2")
    done = pack(program=[*WORDS, "load.txt"])
    assert done.code == 2
    assert "the file load.txt was 1 byte" in done.err


def test_a_script_that_changes_is_no_output(place, satisfice):
    write(place / "edits.sh", "#!/bin/sh\necho '# later' >> $1\necho '{\"a\": 1}'\n")
    (place / "tool.py").write_text("")
    done = satisfice("run", *QUESTION, "--max-evaluations", 1, "--", "./edits.sh", "tool.py", "{level}")
    assert "the file tool.py was 0 bytes" in done.err
    assert "results of both may be mixed" in done.err
    assert "the program wrote" not in done.err


def test_standard_output_by_its_name_is_no_file(place, pack, monkeypatch):
    """Sent to a file it was one, which grew with each run."""
    out = os.open(place / "log", os.O_CREAT | os.O_WRONLY)
    here = os.dup(1)
    try:
        os.dup2(out, 1)
        pack("--max-evaluations", 2, program=[*WORDS, "/dev/stdout", "/proc/self/status"])
        os.write(1, b"more\n")
        done = pack(program=[*WORDS, "/dev/stdout", "/proc/self/status"])
    finally:
        os.dup2(here, 1)
    assert done.code == 0, done.err


def test_a_worker_records_and_accepts_outputs(place, pack, satisfice):
    assert pack("-q", "--max-evaluations", 1).code == 4
    with sf.load_study(f"sqlite:///{place}/satisfice.db") as study:
        study.change_policy(max_evaluations=1000)
    for path in place.glob("*.zst"):
        path.unlink()
    assert satisfice("worker", "-q", "--", *WORDS).code == 0


LATE = PROGRAM.replace('> "$3"', '> "$(test $(wc -l < ran) -gt 2 && echo $3 || echo other)"')
"""Writes its file from the third evaluation on."""


def test_a_revision_given_afterwards_goes_on_with_the_same_study(place, pack, satisfice):
    """--fresh --revision left all evaluations behind."""
    write(place / "pack.sh", LATE)
    words = ["-q", "--min-evaluations", 4]
    first = pack(*words, "--max-evaluations", 4)
    assert first.code == 4
    assert "give --revision TEXT: the study then goes on" in first.err
    refused = pack(*words)
    assert refused.code == 2
    assert "give --revision TEXT: the study then goes on" in refused.err
    assert pack(*words, "--max-evaluations", 6, "--revision", "v1").code == 4
    assert told(place) == 6
    assert pack(*words, "--revision", "v1").code == 0
    assert len(studies(satisfice)) == 1
    assert satisfice("verify").code == 0
    assert "revision v1" in satisfice("explain").out
    other = pack(*words, "--max-evaluations", 1, "--revision", "v2")
    assert other.code == 4
    assert len(studies(satisfice)) == 2


def test_a_revision_does_not_stand_for_a_program_that_was_edited(place, pack, satisfice):
    assert pack("-q", "--max-evaluations", 1).code == 4
    write(place / "pack.sh", PROGRAM + "# edited\n")
    assert pack("-q", "--max-evaluations", 2, "--revision", "v2").code == 4
    assert len(studies(satisfice)) == 2


def test_a_revision_does_not_stand_for_an_input_that_was_edited_afterwards(place, pack, satisfice):
    (place / "load.txt").write_text("1")
    program = [*WORDS, "load.txt"]
    assert pack("-q", "--max-evaluations", 1, program=program).code == 4
    (place / "load.txt").write_text("2")
    later = (place / "load.txt").stat().st_mtime + 60
    os.utime(place / "load.txt", (later, later))
    assert "--revision" not in pack("-q", program=program).err
    assert pack("-q", "--max-evaluations", 2, "--revision", "v2", program=program).code == 4
    assert len(studies(satisfice)) == 2
