"""What programs get to know of a storage, and what the log keeps of their words."""

import json

import pytest

from satisfice.command.reasons import LONGEST_REASON, cleaned
from satisfice.errors import EvaluationFailed
from satisfice.study.storage.passwords import STORAGE, masks_of
from tests.helpers.programs import awaited, children, in_proc, python, run, shell

URL = "postgresql://bench:s3cret%21@db.example.org/evals"


def test_the_storage_is_not_in_the_environment_of_a_program(monkeypatch):
    """Once every program had the password of the database."""
    monkeypatch.setenv(STORAGE, URL)
    monkeypatch.setenv("PGPASSWORD", "the user's own")
    code = "import os, json; e = os.environ; print(json.dumps({'a': 's3cret' in str(e), 'b': len(e['PGPASSWORD'])}))"
    assert run(python(code, storage=URL)) == {"a": 0, "b": 14}


@in_proc
def test_a_guard_has_the_address_neither_in_its_words_nor_in_its_environment(monkeypatch):
    monkeypatch.setenv(STORAGE, URL)
    others = children("guard_process")
    evaluation = shell("echo '{\"a\": 1}'", storage=URL)
    run(evaluation)
    (guard,) = awaited(lambda: children("guard_process") - others)
    for place in ("cmdline", "environ"):
        with open(f"/proc/{guard}/{place}") as file:
            assert "s3cret" not in file.read()


LEAKS = {
    "standard error": f"echo 'cannot reach {URL}' >&2; exit 3",
    "the password alone": "echo 'login with s3cret! failed, with s3cret%21 too' >&2; exit 3",
    "standard output": f"echo 'cannot reach {URL}'",
    "cut by the length of what is kept": f"echo '{280 * 'x'} {URL} {270 * 'y'}' >&2; exit 3",
    "behind a control sequence": "printf 's3c\\033[1mret!' >&2; exit 3",
    "a key": f"echo '{json.dumps({URL: 1})}'",
    "after a time-out": f"echo '{URL}' >&2; sleep 5",
}


@pytest.mark.parametrize("case", LEAKS)
def test_the_address_of_the_storage_is_masked_in_a_reason(case):
    with pytest.raises(EvaluationFailed) as failed:
        run(shell(LEAKS[case], storage=URL, timeout=1.0))
    assert "***" in str(failed.value)
    assert "s3cret" not in str(failed.value)
    assert "%21" not in str(failed.value)


def test_the_address_of_the_storage_is_masked_in_what_is_no_number():
    assert run(shell(f"echo '{json.dumps({'a': URL})}'", storage=URL)) == {"a": "postgresql://***"}


@pytest.mark.parametrize(
    ("address", "masked"),
    [
        ("postgresql://bench@db/evals?password=s3cret", "postgresql://***"),
        ("own:Class://token@host", "own:Class://***"),
        ("sqlite:///iot.db", "sqlite:///iot.db"),
        ("memory", "memory"),
        ("postgresql://a:[b@c", "postgresql://***"),
    ],
)
def test_masks(address, masked):
    assert cleaned(f"at {address}.", masks_of(address)) == f"at {masked}."


def test_a_short_password_masks_no_other_letters():
    assert cleaned("a banana", masks_of("postgresql://me:a@db/x")) == "a banana"


def test_control_sequences_do_not_reach_the_log():
    """Once a program could clear the screen of whoever read its failure, and a NUL broke PostgreSQL's text."""
    script = (
        r"printf '\033[2J\033]0;title\007red \033[31malert\033[0m\000 \302\233 \342\200\256back\177\b!\r\n' >&2; exit 3"
    )
    with pytest.raises(EvaluationFailed) as failed:
        run(shell(script))
    assert str(failed.value) == "sh ended with exit code 3 and said: red alert  back!."
    with pytest.raises(EvaluationFailed) as failed:
        run(shell(r"""echo '{"\u001b[2J\u0000\ud800": 1}'"""))
    assert str(failed.value).isprintable()


def test_numbers_that_nobody_asked_for_are_named_without_control_sequences():
    evaluation = shell(r"""echo '{"a": 1, "\u001b[2Jb": 1}'""")
    assert run(evaluation) == {"a": 1, "b": 1}


def test_a_reason_has_an_end():
    """Once the names of all keys were in it."""
    code = "import json; print(json.dumps({'key %060d' % number: 1 for number in range(10_000)}))"
    with pytest.raises(EvaluationFailed) as failed:
        run(python(code))
    assert len(str(failed.value)) == LONGEST_REASON
