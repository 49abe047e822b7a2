"""What a study measures: a value in its first event, compared before anything is added."""

import json
from dataclasses import replace

import pytest

import satisfice as sf
from satisfice.errors import DamagedLog, DecidedEarlier, InvalidSpec, OtherSubject
from satisfice.show.subject import measured_line, subject_rows
from satisfice.study.create import names_anew, newest_generation
from satisfice.study.events import canonical
from satisfice.study.storage.memory import MemoryStorage
from satisfice.study.subject import Machine, SeenFile, Subject, differences, subject_in

SUBJECT = Subject(
    words=("./bench.sh", "--codec", "{codec}"),
    environment={"MODE": "fast"},
    folder="here",
    readings={"a": "/a: (.*)/"},
    files={"./bench.sh": SeenFile(1204, "3f2a91c0" * 8), "big": SeenFile(2**30, "0" * 64, 10**18)},
    machine=Machine("host", "Linux", "a processor", 8, "3.11.7", "0.1.0"),
    generation_of="gate",
)


def study_in(storage, **given):
    return sf.create_study(["a", "b"], ["x >= 0 : normal(1)"], storage=storage, name="s", load_if_exists=True, **given)


def test_a_subject_reads_back_as_it_was_written():
    content = json.loads(canonical({"subject": SUBJECT.as_content()}))
    assert subject_in(content) == SUBJECT
    assert subject_in(content).machine == SUBJECT.machine
    assert subject_in(content).generation_of == "gate"
    assert subject_in({}) is None
    with pytest.raises(DamagedLog, match="What the study measures cannot be read"):
        subject_in({"subject": {"words": 3}})


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"words": ("./bench.sh", "--codec", "opus")}, "word 3 of the command was '{codec}' and is 'opus'"),
        ({"words": ("./bench.sh",)}, "the command was ./bench.sh --codec {codec} and is ./bench.sh"),
        ({"environment": {"MODE": "slow"}}, "the variable MODE was 'fast' and is 'slow'"),
        ({"environment": {}}, "the variable MODE was 'fast' and is not given"),
        ({"folder": None}, "the folder was 'here' and is not given"),
        ({"readings": {"a": "b"}}, "the reading of a was '/a: (.*)/' and is 'b'"),
        (
            {"files": {**SUBJECT.files, "./bench.sh": SeenFile(1310, "9b" * 32)}},
            "the file ./bench.sh was 1,204 bytes, sha256 3f2a91c0 and is 1,310 bytes, sha256 9b9b9b9b",
        ),
        (
            {"files": {"./bench.sh": SUBJECT.files["./bench.sh"]}},
            "the file big was 1,073,741,824 bytes, sha256 00000000, modified 2001-09-09 01:46:40 UTC and is not there",
        ),
        ({"revision": "v1"}, "the revision was not given and is 'v1'"),
    ],
)
def test_what_differs_is_said(given, sentence):
    assert differences(SUBJECT, replace(SUBJECT, **given)) == (sentence,)


def test_the_machine_is_not_compared():
    assert differences(SUBJECT, replace(SUBJECT, machine=None, generation_of=None)) == ()


def test_a_function_with_a_revision():
    """A changed function went on with the results of the one before."""
    storage = MemoryStorage()
    study = study_in(storage, revision="v1.2")
    study.tell(study.ask(), {"x": 1.0})
    assert study_in(storage, revision="v1.2").counts().told == 1
    assert study.view().subject.revision == "v1.2"
    for given, text in (({"revision": "v1.3"}, "'v1.2' and is 'v1.3'"), ({}, "'v1.2' and is not given")):
        with pytest.raises(OtherSubject, match=text) as refused:
            study_in(storage, **given)
        assert isinstance(refused.value, FileExistsError)
    assert sf.load_study(storage, "s").subject.revision == "v1.2"
    assert sf.verify(storage, "s").subject == study.subject


def test_a_function_without_a_revision_is_as_before():
    storage = MemoryStorage()
    study_in(storage)
    assert study_in(storage).view().subject is None
    assert "subject" not in next(study_in(storage).events()).content
    with pytest.raises(OtherSubject, match="no revision was recorded, and 'v1' is given"):
        study_in(storage, revision="v1")


@pytest.mark.parametrize("revision", ["", "  ", 3, "x" * 501])
def test_what_is_no_revision(revision):
    with pytest.raises(InvalidSpec, match="A revision must be a text"):
        study_in(MemoryStorage(), revision=revision)


def test_a_subject_with_a_revision_has_no_files():
    study = study_in(MemoryStorage(), subject=SUBJECT, revision="v1")
    assert (study.subject.files, study.subject.revision, study.subject.words) == ({}, "v1", SUBJECT.words)


def test_the_newest_generation_is_one_that_was_made_to_follow():
    storage = MemoryStorage()

    def make(name, follows=None):
        subject = replace(SUBJECT, generation_of=follows)
        sf.create_study(["a"], ["x >= 0 : normal(1)"], storage=storage, name=name, subject=subject)

    assert next(names_anew(storage, "gate")) == "gate"
    assert newest_generation(storage, "gate") == "gate"
    for name, follows in (
        ("gate", None),
        ("gate-9", "gate"),
        ("gate-10", "gate"),
        ("gate-11", None),
        ("gate-x", "gate"),
    ):
        make(name, follows)
    assert newest_generation(storage, "gate") == "gate-10"
    assert next(names_anew(storage, "gate")) == "gate-12"


def test_the_line_of_what_was_measured():
    assert measured_line(replace(SUBJECT, files=dict([*SUBJECT.files.items()][:1]))) == (
        "measured: ./bench.sh --codec {codec} (bench.sh 1,204 bytes, sha256 3f2a91c0) on host, 8 cores, Linux"
    )
    assert measured_line(Subject(revision="v1", machine=SUBJECT.machine)) == (
        "measured: revision v1 on host, 8 cores, Linux"
    )
    assert measured_line(Subject(words=("./a",), revision="v1")) == "measured: ./a, revision v1"
    assert "; 1 more file)" in measured_line(
        Subject(words=("./a",), files={f"./{n}": SeenFile(1, "0") for n in range(4)})
    )
    assert dict(subject_rows(SUBJECT))["software"] == "Python 3.11.7, satisfice 0.1.0"


def test_another_function_hears_that_it_was_not_called(tmp_path):
    """A second function got the verdict of the first, and not a word."""
    storage = f"sqlite:///{tmp_path}/s.db"
    assert study_in(storage).run(lambda config: {"x": 3.0}).arm is not None
    with pytest.warns(
        DecidedEarlier, match=r"'s' was decided before, by \d+ evaluations?, and nothing was evaluated now"
    ):
        study_in(storage).run(lambda config: {"x": -3.0})
