"""Signed heads: who says that a log was this one."""

import json
import sqlite3
import sys

import pytest
from cryptography.hazmat.primitives import serialization as forms
from cryptography.hazmat.primitives.asymmetric import ec, ed25519

import satisfice as sf

URL = "sqlite:///study.db"


@pytest.fixture
def keys(folder, monkeypatch):
    """A study, and two pairs of keys: one as ssh-keygen writes them, one as PEM."""
    monkeypatch.chdir(folder)
    for name, private, public in (
        ("ssh", forms.PrivateFormat.OpenSSH, (forms.Encoding.OpenSSH, forms.PublicFormat.OpenSSH)),
        ("pem", forms.PrivateFormat.PKCS8, (forms.Encoding.PEM, forms.PublicFormat.SubjectPublicKeyInfo)),
    ):
        key = ed25519.Ed25519PrivateKey.generate()
        (folder / name).write_bytes(key.private_bytes(forms.Encoding.PEM, private, forms.NoEncryption()))
        (folder / f"{name}.pub").write_bytes(key.public_key().public_bytes(*public))
    with sf.create_study(["a", "b"], ["x >= 1 : normal(1)"], storage=URL) as study:
        study.tell(study.ask(), {"x": 1.0})
    return folder


@pytest.mark.parametrize("key", ["ssh", "pem"])
def test_what_was_signed_is_believed_also_when_the_study_went_on(key, satisfice, keys):
    assert satisfice("verify", URL, "--sign", key, "--signature", "head.json").code == 0
    with sf.load_study(URL) as study:
        study.tell(study.ask(), {"x": 2.0})
    done = satisfice("verify", URL, "--trusted", f"{key}.pub", "--signature", "head.json")
    assert done.code == 0
    assert f"signed up to event 3 by the key in {key}.pub" in done.out


def test_a_signature_is_printed(satisfice, keys):
    done = satisfice("verify", URL, "--sign", "ssh")
    assert json.loads(done.out)["head"] == sf.verify(URL).head
    assert "verified" in done.err


def test_another_key_another_study_another_log(satisfice, keys):
    satisfice("verify", URL, "--sign", "ssh", "--signature", "head.json")
    done = satisfice("verify", URL, "--trusted", "pem.pub", "--signature", "head.json")
    assert (done.code, "not one of the key" in done.err) == (1, True)
    with sf.create_study(["a", "b"], ["x >= 1 : normal(1)"], storage="sqlite:///other.db") as study:
        study.tell(study.ask(), {"x": 1.0})
    done = satisfice("verify", "sqlite:///other.db", "--trusted", "ssh.pub", "--signature", "head.json")
    assert (done.code, "The signature is of the study" in done.err) == (1, True)
    base = sqlite3.connect("study.db")
    with base:
        base.execute("DELETE FROM satisfice_events WHERE position = 3")
        previous = base.execute("SELECT digest FROM satisfice_events WHERE position = 2").fetchone()[0]
        base.execute("UPDATE satisfice_studies SET head_position = 2, head_digest = ?", (previous,))
    base.close()
    assert satisfice("verify", URL).code == 0  # nothing in the log itself says that a result was taken away
    done = satisfice("verify", URL, "--trusted", "ssh.pub", "--signature", "head.json")
    assert (done.code, "does not contain the seal" in done.err) == (1, True)


def test_a_changed_signature(satisfice, keys):
    satisfice("verify", URL, "--sign", "ssh", "--signature", "head.json")
    said = json.loads((keys / "head.json").read_text())
    (keys / "head.json").write_text(json.dumps(said | {"events": 2}))
    assert satisfice("verify", URL, "--trusted", "ssh.pub", "--signature", "head.json").code == 1


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"identity": 1, "events": 2, "head": "x", "signature": "é"}'])
def test_files_that_are_no_signature_or_no_key(text, satisfice, keys):
    (keys / "none").write_text(text)
    done = satisfice("verify", URL, "--trusted", "ssh.pub", "--signature", "none")
    assert (done.code, "Expected a signature in 'none'" in done.err) == (2, True)
    done = satisfice("verify", URL, "--sign", "none")
    assert (done.code, "private Ed25519 key" in done.err) == (2, True)


def test_other_mistakes(satisfice, keys, monkeypatch):
    other = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        forms.Encoding.PEM, forms.PrivateFormat.PKCS8, forms.NoEncryption()
    )
    (keys / "curve").write_bytes(other)
    assert "private Ed25519 key" in satisfice("verify", URL, "--sign", "curve").err
    assert "cannot be read" in satisfice("verify", URL, "--sign", "missing").err
    for words in (["--trusted", "ssh.pub"], ["--signature", "x"], ["--sign", "ssh", "--trusted", "ssh.pub"]):
        assert "Expected --sign KEY to sign" in satisfice("verify", URL, *words).err
    satisfice("verify", URL, "--sign", "ssh", "--signature", "head.json")
    monkeypatch.setitem(sys.modules, "cryptography", None)
    words = ("--trusted", "ssh.pub", "--signature", "head.json")
    assert "pip install 'satisfice[sign]'" in satisfice("verify", URL, *words).err
    assert "pip install 'satisfice[sign]'" in satisfice("verify", URL, "--sign", "ssh").err
