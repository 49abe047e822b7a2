"""A verdict is about the program that was measured: another one never gets it, and the same hears how old it is.

Before there were subjects, each of these runs printed the earlier FOUND with exit code 0, ran nothing and said nothing.
"""

import json
import re

import pytest

import satisfice as sf
from satisfice.command import subject as of_programs

GOOD = '#!/bin/sh\necho x >> ran\necho "{\\"a\\": 1}"\n'
BAD = GOOD.replace("1}", "9}")
QUESTION = ["--config", "one", "-t", "a <= 5 : normal(1)"]
EARLIER = re.compile(
    r"satisfice: '[\w-]+' was decided on \d{4}-\d\d-\d\d \d\d:\d\d UTC by \d+ evaluations? of this same program; "
    r"nothing was run; --fresh measures anew\n"
)


@pytest.fixture
def place(folder, monkeypatch):
    """A folder with a program, bench.sh, that passes; it notes its runs in the file `ran`."""
    monkeypatch.delenv("SATISFICE_STORAGE", raising=False)
    write(folder / "bench.sh", GOOD)
    return folder


@pytest.fixture
def gate(place, satisfice):
    """Run the gate over that program; further words are options."""
    return lambda *words, program=("./bench.sh",): satisfice("run", *QUESTION, *words, "--", *program)


def write(path, text):
    path.write_text(text)
    path.chmod(0o755)


def runs(place):
    return (place / "ran").read_text().count("x") if (place / "ran").exists() else 0


def refused(done, *parts):
    assert (done.code, done.out) == (2, "")
    assert "Results of different programs are not mixed" in done.err
    for part in parts:
        assert part in done.err


def studies(satisfice):
    return [row["study"] for row in json.loads(satisfice("list", "--json").out)]


@pytest.mark.parametrize("named", [[], ["--name", "gate"]])
def test_an_edited_program_does_not_get_the_verdict_of_the_one_before(named, place, gate):
    assert gate("-q", *named).code == 0
    made = runs(place)
    write(place / "bench.sh", BAD + "# longer\n")
    sizes = rf"the file \./bench\.sh was {len(GOOD)} bytes, sha256 \w{{8}} and is {len(BAD) + 9} bytes, sha256 \w{{8}}"
    done = gate("-q", *named)
    refused(done, "--fresh", "--name NEW")
    assert re.search(sizes, done.err)
    assert runs(place) == made
    assert gate("-q", "--fresh", *named).code == 3
    assert gate("-q", *named).code == 3


def test_an_unchanged_program_is_told_how_old_its_verdict_is(place, gate):
    """Also with --quiet, where only the verdict is printed."""
    first, made = gate("-q"), runs(place)
    assert (first.code, first.err) == (0, "")
    again = gate("-q")
    assert (again.code, again.out) == (0, first.out)
    assert EARLIER.fullmatch(again.err)
    assert gate().err.startswith(again.err)
    assert runs(place) == made
    assert gate("-q", "--fresh").err == ""
    assert runs(place) == 2 * made


def test_reports_of_a_ci_say_that_nothing_was_run(place, gate):
    reports = ("-q", "--junit", "report.xml", "--markdown", "report.md")
    for times, said in ((1, False), (2, True)):
        assert gate(*reports).code == 0, times
        for name in ("report.xml", "report.md"):
            assert ("nothing was run" in (place / name).read_text().replace("\\", "")) is said


@pytest.mark.parametrize("quiet", [("-q",), ()])
def test_an_edit_while_it_is_measured_is_said(place, gate, quiet):
    """Who is quiet heard nothing of it, and a worker said nothing at all."""
    write(place / "bench.sh", GOOD + "echo '# later' >> bench.sh\n")
    done = gate(*quiet)
    assert done.code == 0
    assert "warning: the file ./bench.sh was" in done.err
    assert "results of both may be mixed" in done.err


def test_a_worker_says_that_its_program_was_edited(place, gate, satisfice):
    write(place / "bench.sh", GOOD + "test -e edit || sleep 9\necho '# later' >> bench.sh\n")
    assert gate("-q", "--max-time", "0.05s").code == 4
    (place / "edit").touch()
    done = satisfice("worker", "-q", "--", "./bench.sh")
    assert done.code == 0, done.err
    assert "results of both may be mixed" in done.err


def test_failures_alone_are_no_verdict(gate):
    """A program that does not start was NONE with exit code 3, and stayed so after it was mended."""
    words = ("-q", "--on-error", "worst", "--worst", "a=100", "--name", "broken")
    for program in (["sh", "-c", "exit 1"], ["sh", "-c", "kill -9 $$"]):
        for _ in range(2):
            done = gate(*words, "--fresh", program=program)
            assert (done.code, done.out) == (1, "")
            assert "nothing was measured yet, and failures alone would decide it, now of 'one'" in done.err
            assert "type it again as it is" not in done.err


def test_a_run_waits_for_its_storage_from_the_beginning(gate):
    done = gate("--storage", "postgresql://me:s3cret@127.0.0.1:9/base", "--patience", "1s")
    assert done.code == 1
    assert done.err.startswith("satisfice: the storage does not answer; it is waited for, 1 s at most (--patience)\n")
    assert "s3cret" not in done.err


def test_json_says_whether_it_was_decided_earlier(gate):
    first, again = gate("--json"), gate("--json")
    assert (json.loads(first.out)["decided_earlier"], first.err) == (False, "")
    assert json.loads(again.out)["decided_earlier"] is True
    assert EARLIER.fullmatch(again.err)
    said = json.loads(again.out)["subject"]
    assert said["words"] == ["./bench.sh"]
    assert said["files"]["./bench.sh"]["size"] == len(GOOD)
    assert said["machine"]["satisfice"] == sf.__version__


def test_a_replaced_command_under_the_same_name(gate):
    """`exit 9` was FOUND."""
    assert gate("-q", "--name", "gate").code == 0
    refused(gate("--name", "gate", program=["sh", "-c", "exit 9"]), "the command was ./bench.sh and is sh -c 'exit 9'")
    refused(gate("--name", "gate", program=["true"]), "word 1 of the command was './bench.sh'")


def test_a_file_among_the_arguments_is_part_of_the_program(place, gate):
    (place / "load.json").write_text("1")
    for program in (["sh", "bench.sh", "load.json"], ["./bench.sh", "--load=load.json"], ["sh", "-c", "./bench.sh 1"]):
        assert gate("-q", program=program).code == 0
    (place / "load.json").write_text("2")
    refused(gate("-q", program=["sh", "bench.sh", "load.json"]), "the file load.json was 1 byte")
    refused(gate("-q", program=["./bench.sh", "--load=load.json"]), "the file load.json was 1 byte")
    write(place / "bench.sh", BAD)
    refused(gate("-q", program=["sh", "-c", "./bench.sh 1"]), "the file ./bench.sh was")


def test_the_files_of_every_configuration(place, satisfice):
    for name in "ab":
        (place / f"{name}.json").write_text(name)
    words = ["run", "-q", "-L", "load=a,b", "-t", "a <= 5 : normal(1)", "--", "./bench.sh", "{load}.json"]
    assert satisfice(*words).code == 0
    (place / "b.json").unlink()
    refused(satisfice(*words), "the file b.json was 1 byte", "and is not there")


def test_variables_and_folders_under_the_same_name(place, gate):
    (place / "here").mkdir()
    write(place / "here" / "bench.sh", GOOD)
    assert gate("-q", "--name", "gate", "--env", "MODE=fast", "--env", "API_TOKEN=one").code == 0
    done = gate("--name", "gate", "--env", "MODE=slow", "--env", "API_TOKEN=two", "--cwd", "here")
    refused(done, "the variable MODE was 'fast' and is 'slow'", "the variable API_TOKEN was 'sha256:")
    refused(done, "the folder was not given and is 'here'")
    assert "'one'" not in done.err
    assert "'two'" not in done.err


def test_secrets_are_in_no_log(place, gate, satisfice):
    words = ["--env", "DB_PASSWORD=hunter2", "--env", "ssh_key=hunter3"]
    assert gate("-q", *words, program=["./bench.sh", "--token", "hunter4", "--api-key=hunter5"]).code == 0
    with sf.load_study(f"sqlite:///{place}/satisfice.db") as study:
        assert "hunter" not in "".join(event.body for event in study.events())
        assert study.subject.words[:2] == ("./bench.sh", "--token")


def test_a_program_that_rewrites_one_of_its_files_is_told_at_once_and_has_a_way(place, gate):
    write(place / "bench.sh", GOOD + 'date +%N >> "$1"\n')
    (place / "out.txt").write_text("")
    program = ["./bench.sh", "out.txt"]
    done = gate(program=program)
    assert done.code == 0
    assert done.err.count("the program wrote out.txt as 'one' was evaluated: taken for its output") == 1
    assert "warning" not in done.err
    again = gate("-q", program=program)
    assert EARLIER.fullmatch(again.err)
    assert gate("-q", "--revision", "v1", program=program).code == 0
    named = gate("-q", "--revision", "v1", program=program)
    assert named.code == 0
    assert "evaluation" in named.err
    assert "of this same revision, v1; nothing was run" in named.err


def test_a_revision_stands_for_the_files(place, gate):
    assert gate("-q", "--name", "gate", "--revision", "v1").code == 0
    write(place / "bench.sh", BAD)
    assert gate("-q", "--name", "gate", "--revision", "v1").code == 0
    refused(gate("--name", "gate", "--revision", "v2"), "the revision was 'v1' and is 'v2'")
    refused(gate("--name", "gate"), "the revision was 'v1' and is not given")
    assert gate("-q", "--name", "gate", "--revision", "v2", "--fresh").code == 3


def test_another_revision_is_another_study_where_nobody_gave_it_a_name(place, gate):
    assert gate("-q", "--revision", "v1").code == 0
    write(place / "bench.sh", BAD)
    assert gate("-q", "--revision", "v2").code == 3


@pytest.mark.parametrize("revision", ["", " "])
def test_an_empty_revision_tells_nothing(revision, gate):
    """As where the variable of the pipeline is not set."""
    done = gate("--revision", revision)
    assert done.code == 2
    assert "A revision must be a text" in done.err


def test_a_revision_in_a_study_file(place, satisfice):
    text = 'thresholds = ["a <= 5 : normal(1)"]\ncommand = "./bench.sh"\nrevision = "v1"\n[configs.one]\n'
    (place / "gate.toml").write_text(text)
    assert satisfice("run", "-q", "gate.toml").code == 0
    refused(satisfice("run", "gate.toml", "--revision", "v2"), "the revision was 'v1' and is 'v2'")
    (place / "gate.toml").write_text(text.replace('"v1"', "1"))
    assert "A revision must be a text" in satisfice("run", "gate.toml").err


def test_fresh_twice_and_the_newest_goes_on(place, gate, satisfice):
    for words in ([], ["--fresh"], ["--fresh"]):
        assert gate("-q", "--name", "gate", *words).code == 0
    assert studies(satisfice) == ["gate", "gate-2", "gate-3"]
    assert "'gate-3' was decided" in gate("--name", "gate").err
    assert json.loads(satisfice("status", "--json").out)["study"] == "gate-3"
    assert json.loads(satisfice("status", "--json", "--name", "gate-2").out)["study"] == "gate-2"
    write(place / "bench.sh", BAD)
    refused(gate("--name", "gate"), "What the study 'gate-3' measured has changed")
    assert studies(satisfice) == ["gate", "gate-2", "gate-3"]


def test_a_study_that_is_only_called_so_is_no_generation(gate, satisfice):
    for words in (["--name", "gate-2"], ["--name", "gate"], ["--name", "gate", "--fresh"]):
        assert gate("-q", *words).code == 0
    assert studies(satisfice) == ["gate", "gate-2", "gate-3"]
    assert gate("-q", "--name", "gate-4", "-e", "0.1").code == 0
    assert "There are 4 studies" in satisfice("status").err
    assert "'gate-3' was decided" in gate("--name", "gate").err


def test_fresh_where_there_is_nothing_yet_and_where_the_question_is_another(gate, satisfice):
    assert gate("-q", "--fresh", "--name", "gate").code == 0
    assert gate("-q", "--fresh", "--name", "gate", "-e", "0.1").code == 0
    assert studies(satisfice) == ["gate", "gate-2"]


def test_a_program_that_failed_before_any_result_is_mended_and_goes_on(place, gate):
    """Nothing is mixed where there are no results yet."""
    write(place / "bench.sh", "#!/bin/sh\nexit 7\n")
    failed = gate("--name", "gate")
    assert failed.code == 1
    assert "Mend it and type the same again, or" in failed.err
    write(place / "bench.sh", GOOD)
    mended = gate("--name", "gate")
    assert mended.code == 0
    assert "what 'gate' was made for has changed before there was a result; this is 'gate-2'" in mended.err


def test_a_deleted_program(place, gate):
    assert gate("-q").code == 0
    (place / "bench.sh").unlink()
    done = gate("-q")
    assert (done.code, done.out) == (2, "")
    assert "There is no program './bench.sh'" in done.err


@pytest.fixture
def begun(place, gate):
    """A study with one result that waits for workers, and its place."""
    assert gate("-q", "--name", "gate", "--max-evaluations", "1").code == 4
    let_workers_go_on(place)
    return place


def let_workers_go_on(place):
    with sf.load_study(f"sqlite:///{place}/satisfice.db") as study:
        study.change_policy(max_evaluations=1000)  # which the run set, for workers as well


def test_a_worker_with_another_program(begun, satisfice):
    """Its results were mixed with those of the program before."""
    refused(satisfice("worker", "--", "sh", "-c", "exit 9"), "'gate'", "the command was ./bench.sh and is")
    write(begun / "bench.sh", BAD)
    refused(satisfice("worker", "--", "./bench.sh"), "the file ./bench.sh was")
    refused(satisfice("worker", "--revision", "v1", "--", "./bench.sh"), "the revision was not given and is 'v1'")
    refused(satisfice("worker", "random:random"), "what was measured was ./bench.sh and is a Python function")
    write(begun / "bench.sh", GOOD)
    assert satisfice("worker", "-q", "--", "./bench.sh").code == 0


def test_a_worker_that_has_the_studys_revision(place, gate, satisfice):
    assert gate("-q", "--name", "gate", "--revision", "v 1", "--max-evaluations", "1").code == 4
    assert satisfice("worker", "-q", "--revision", "v 1", "--", "./bench.sh").code == 4
    let_workers_go_on(place)
    refused(satisfice("worker", "--", "./bench.sh"), "say so: --revision 'v 1'")
    refused(satisfice("worker", "--revision", "v2", "--", "./bench.sh"), "the revision was 'v 1' and is 'v2'")
    assert satisfice("worker", "-q", "--revision", "v 1", "--", "sh", "./bench.sh").code == 0


def test_a_study_without_a_subject_opens_as_before(place, gate):
    """As those that a script made."""
    url = f"sqlite:///{place}/satisfice.db"
    sf.create_study({"one": {}}, ["a <= 5 : normal(1)"], storage=url, name="gate").close()
    assert gate("-q", "--name", "gate").code == 0
    assert "of a program that was not recorded then; nothing was run" in gate("-q", "--name", "gate").err
    refused(gate("-q", "--name", "gate", "--revision", "v1"), "no revision was recorded, and 'v1' is given")


def test_everything_that_looks_at_a_study_says_what_was_measured(place, gate, satisfice, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    words = ["--env", "MODE=[red]<b>"]
    assert gate("-q", *words, program=["./bench.sh", "[bold]x[/bold]", "<i>", "\x1b[31m", "two\nlines"]).code == 0
    line = r"measured: ./bench.sh [bold]x[/bold] '<i>' '\x1b[31m' 'two\nlines' (bench.sh"
    for command in ("explain", "verify"):
        assert satisfice(command).out.splitlines()[-1].startswith(line)
    shown = satisfice("status").out
    assert line in " ".join(shown.split())
    assert max(map(len, shown.split("measured:")[1].split("assuming")[0].splitlines())) <= 40
    assert json.loads(satisfice("verify", "--json").out)["subject"]["words"][1] == "[bold]x[/bold]"
    assert satisfice("report").code == 0
    page = (place / "report.html").read_text(encoding="utf-8")
    assert "<dt>variable MODE</dt><dd>[red]&lt;b&gt;</dd>" in page
    assert "'&lt;i&gt;'".replace("'", "&#x27;") in page
    assert "\x1b" not in page


def test_large_files_are_told_apart_by_their_ends_and_their_time(place, monkeypatch):
    monkeypatch.setattr(of_programs, "WHOLE", 100)
    monkeypatch.setattr(of_programs, "ENDS", 10)
    big = place / "big"
    big.write_bytes(b"a" * 200)
    seen = of_programs.seen_file(str(big))
    assert (seen.size, seen.modified) == (200, big.stat().st_mtime_ns)
    big.write_bytes(b"a" * 199 + b"b")
    assert of_programs.seen_file(str(big)).sha256 != seen.sha256
    assert of_programs.seen_file(str(place)) is None
    assert of_programs.seen_file(str(place / "nothing")) is None
