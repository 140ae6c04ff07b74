"""Sealed letters between the hub and one phone: NaCl boxes of a fixed size.

Whoever carries a letter (broker, Wi-Fi, another phone) sees only its length, and that says nothing:
every letter is padded to a multiple of its kind's size. A letter is nonce (24 bytes) + box.
"""

from __future__ import annotations

import base64
import binascii
import os
from typing import TYPE_CHECKING

from nacl.bindings import sodium_pad, sodium_unpad
from nacl.exceptions import CryptoError
from nacl.public import Box, PrivateKey, PublicKey

from hub.errors import ConfigError, HubError

if TYPE_CHECKING:
    from pathlib import Path

KEY_BYTES = 32
NONCE_BYTES = Box.NONCE_SIZE


class SealBroken(HubError):
    """A letter that this key does not open: changed on the way, or sealed for somebody else."""


def pad(text: bytes, size: int) -> bytes:
    """Return `text` padded to the next multiple of `size` bytes as ISO/IEC 7816-4 says: one byte 0x80, then zeros."""
    return sodium_pad(text, size)


def unpad(padded: bytes) -> bytes:
    """Return the text without its padding. Raise SealBroken where there is none.

    The length of the blocks is not asked for: who padded to larger blocks than this hub is read as well.
    """
    try:
        return sodium_unpad(padded, len(padded))
    except (CryptoError, ValueError):  # an empty text has no block
        raise SealBroken("The message is not padded as it should be.") from None


def to_base64(data: bytes) -> str:
    """Base64url without padding, as in the QR and in the pages' requests."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def from_base64(text: str) -> bytes:
    """The bytes of a base64url text without padding."""
    if not text.isascii() or not text.replace("-", "A").replace("_", "A").isalnum():
        raise SealBroken("That is not base64url without padding.")
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except binascii.Error:
        raise SealBroken("That is not base64url without padding.") from None


class Pair:
    """What the hub and one phone share: seals letters to it and opens letters from it."""

    def __init__(self, box: Box) -> None:
        self._box = box

    def seal(self, text: bytes, size: int) -> bytes:
        """A letter whose length says only how many times `size` it needed."""
        return bytes(self._box.encrypt(pad(text, size)))

    def open(self, letter: bytes) -> bytes:
        """The text of a letter; raises SealBroken."""
        try:
            return unpad(self._box.decrypt(letter))
        except (CryptoError, ValueError):
            raise SealBroken("The letter does not open with this seat's key.") from None


class HubKey:
    """The hub's X25519 key. The public half travels in the QR's fragment, which no server sees."""

    def __init__(self, secret: PrivateKey) -> None:
        self._secret = secret

    @classmethod
    def fresh(cls) -> HubKey:
        """A new key that lives in memory only."""
        return cls(PrivateKey.generate())

    @classmethod
    def kept(cls, file: Path) -> HubKey:
        """The key kept in `file`; made there (mode 0600) the first time, so that printed QRs stay true."""
        try:
            if not file.exists():
                _write_new(file, bytes(PrivateKey.generate()))
            if file.stat().st_mode & 0o077:
                raise ConfigError(f"{file}: the hub's secret key can be read by others; mend: chmod 600 {file}")
            data = file.read_bytes()
        except OSError as trouble:
            raise ConfigError(f"{file}: the hub's key cannot be kept there ({trouble.strerror}).") from trouble
        if len(data) != KEY_BYTES:
            raise ConfigError(
                f"{file}: this is not a key of {KEY_BYTES} bytes; remove it and the hub makes a new one "
                "(phones must scan again)."
            )
        return cls(PrivateKey(data))

    @property
    def public(self) -> bytes:
        """The half that phones know."""
        return bytes(self._secret.public_key)

    def with_phone(self, phone_key: bytes) -> Pair:
        """The pair with the phone of that public key."""
        try:
            return Pair(Box(self._secret, PublicKey(phone_key)))
        except (CryptoError, ValueError, TypeError):
            raise SealBroken("That is not a phone's public key.") from None


def _write_new(file: Path, secret: bytes) -> None:
    """Write whole or not at all: a power cut must not leave half a key."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    half = file.with_name(file.name + ".new")
    half.unlink(missing_ok=True)
    handle = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as out:
        out.write(secret)
        out.flush()
        os.fsync(out.fileno())
    half.rename(file)
