"""A signed head: who says that a study's log was this one, up to an event.

The seals of a log say that it fits together, not who wrote it. A signature over the study's identity, the number of its
events and the last seal says that, wherever the file has been since. Ed25519, by the package cryptography: the keys are
those that ssh-keygen makes or PEM files, and nothing but the package need be there on any system.
"""

import json
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any, NamedTuple

from satisfice.errors import InvalidSeal
from satisfice.extras import need
from satisfice.study.event_checks import is_text, is_whole
from satisfice.study.verify import Verification, checked_seal


class SignedHead(NamedTuple):
    """What a signature is about, and the signature."""

    identity: str
    events: int
    head: str
    signature: str

    @property
    def message(self) -> bytes:
        return f"satisfice signed head 1\n{self.identity}\n{self.events}\n{self.head}\n".encode()


def signed(found: Verification, key: Path) -> str:
    """A signature of a log that was just verified, as the text of a file."""
    private = _key(key, private=True)
    plain = SignedHead(found.identity, found.events, found.head, "")
    whole = plain._replace(signature=b64encode(private.sign(plain.message)).decode())
    return json.dumps(whole._asdict(), indent=2) + "\n"


def read_signature(path: Path) -> SignedHead:
    """What stands in a file that `signed` wrote; whether it is true is another question."""
    try:
        said = SignedHead(**json.loads(_read(path)))
        b64decode(said.signature, validate=True)
        whole = is_text(said.identity) and is_whole(said.events) and len(checked_seal(said.head)) == 64
    except (TypeError, ValueError, RecursionError):
        whole = False
    if not whole:
        raise InvalidSeal(f"Expected a signature in {str(path)!r}, as `satisfice verify --sign` writes one.")
    return said


def doubt_about(said: SignedHead, found: Verification, public: Path) -> str | None:
    """Why the signature says nothing for this log, in a sentence; None if it does. The log must contain its seal."""
    key = _key(public, private=False)
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - there, or `_key` has said so

    try:
        key.verify(b64decode(said.signature), said.message)
    except InvalidSignature:
        return f"The signature is not one of the key in {str(public)!r}, or is of something else."
    if said.identity != found.identity:
        return f"The signature is of the study {said.identity}, and this one is {found.identity}."
    return None


def _key(path: Path, *, private: bool) -> Any:
    need("A signature", "cryptography")
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415 - an extra
    from cryptography.hazmat.primitives import serialization as forms  # noqa: PLC0415 - an extra
    from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415 - an extra

    data = _read(path)
    ssh = b"OPENSSH" in data if private else data.startswith(b"ssh-")
    try:
        if private:
            found: Any = (forms.load_ssh_private_key if ssh else forms.load_pem_private_key)(data, None)
        else:
            found = (forms.load_ssh_public_key if ssh else forms.load_pem_public_key)(data)
    except (TypeError, ValueError, UnsupportedAlgorithm):
        found = None
    if not isinstance(found, ed25519.Ed25519PrivateKey if private else ed25519.Ed25519PublicKey):
        raise InvalidSeal(
            f"Expected {'a private' if private else 'a public'} Ed25519 key without a passphrase in {str(path)!r}, as "
            f"`ssh-keygen -t ed25519 -N '' -f mine` writes it to mine{'' if private else '.pub'}."
        )
    return found


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InvalidSeal(f"{str(path)!r} cannot be read: {error.strerror}.") from None
