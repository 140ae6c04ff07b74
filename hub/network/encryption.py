"""Encrypted messages between the hub and one phone: NaCl boxes of a padded size.

Broker, Wi-Fi and other phones see only the length of a message, which reveals nothing: each kind of message is padded to a
multiple of a fixed size. An encrypted message is the nonce (24 bytes) followed by the box (text + 16 bytes).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import logging
from typing import TYPE_CHECKING

from nacl.bindings import crypto_box_easy_afternm, crypto_box_open_easy_afternm, sodium_unpad
from nacl.exceptions import CryptoError
from nacl.public import Box, PrivateKey, PublicKey
from nacl.utils import random

from hub.engine.text import say
from hub.errors import ConfigError, HubError, of_file
from hub.files import kind_of, read_file, set_aside, write_private

if TYPE_CHECKING:
    from pathlib import Path

log = logging.getLogger(__name__)

KEY_BYTES = 32
FINGERPRINT_OF = b"table-hub key 1"
NONCE_BYTES = Box.NONCE_SIZE


class DecryptionError(HubError):
    """A message cannot be decrypted with this key: it was changed, or encrypted for somebody else."""


def pad(text: bytes, size: int) -> bytes:
    """Return `text` padded to the next multiple of `size` bytes according to ISO/IEC 7816-4: one byte 0x80, then zeros."""
    return (text + b"\x80").ljust((len(text) // size + 1) * size, b"\0")


def unpad(padded: bytes) -> bytes:
    """Return the text without its padding. Raise DecryptionError if there is no valid padding.

    The size of the blocks does not matter: senders may use larger blocks than this hub.
    """
    try:
        return sodium_unpad(padded, len(padded))
    except (CryptoError, ValueError):  # ValueError: the text is empty
        raise DecryptionError("The message is not padded as it should be.") from None


def to_base64(data: bytes) -> str:
    """Encode bytes as base64url without padding, as in QR codes and in requests of the pages."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def from_base64(text: str) -> bytes:
    """Decode base64url without padding. Raise DecryptionError."""
    if not text.isascii() or not text.replace("-", "A").replace("_", "A").isalnum():
        raise DecryptionError("That is not base64url without padding.")
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except binascii.Error:
        raise DecryptionError("That is not base64url without padding.") from None


def fingerprint(public: bytes) -> str:
    """Return the fingerprint of a public key that people can compare: four groups of five digits, 66 bits.

    The input is the SHA-512 of `FINGERPRINT_OF` and the key. Each group shows the last five digits of a big-endian number
    of four bytes.
    """
    # Digits work in every language and need no word list on the phone. With fewer digits, an attacker could try keys until
    # the digits match.
    digest = hashlib.sha512(FINGERPRINT_OF + public).digest()
    return " ".join(f"{int.from_bytes(digest[at : at + 4], 'big') % 100_000:05}" for at in (0, 4, 8, 12))


class SharedKey:
    """The key that the hub shares with one phone. It encrypts messages to the phone and decrypts messages from it."""

    __slots__ = ("_key",)

    def __init__(self, box: Box) -> None:
        self._key = box.shared_key()

    def encrypt(self, text: bytes, size: int) -> bytes:
        """Pad `text` to a multiple of `size` bytes and return it encrypted."""
        nonce = random(NONCE_BYTES)
        return nonce + crypto_box_easy_afternm(pad(text, size), nonce, self._key)

    def decrypt(self, message: bytes) -> bytes:
        """Decrypt a message. Raise DecryptionError."""
        try:
            return unpad(crypto_box_open_easy_afternm(message[NONCE_BYTES:], message[:NONCE_BYTES], self._key))
        except (CryptoError, ValueError):
            raise DecryptionError("The message cannot be decrypted with this seat's key.") from None


class HubKey:
    """The hub's X25519 key. Its public half is in the fragment of the URL in the QR code, which browsers never send."""

    def __init__(self, secret: PrivateKey) -> None:
        self._secret = secret

    @classmethod
    def generate(cls) -> HubKey:
        """Return a new key that is not stored."""
        return cls(PrivateKey.generate())

    @classmethod
    def load(cls, file: Path) -> HubKey:
        """Return the key in `file`. The first call creates it (mode 0600), so that printed QR codes stay valid.

        Raise ConfigError if the file cannot be used or can be read by others, TemporaryError if the disk fails.
        """
        try:
            if not file.exists():
                write_private(file, bytes(PrivateKey.generate()))
            data = read_file(file)
            if file.stat().st_mode & 0o077:
                raise ConfigError(f"{file}: the hub's secret key can be read by others; fix: chmod 600 {file}")
        except OSError as error:
            raise of_file(error, f"{file}: the hub's key cannot be kept there ({error.strerror}).") from error
        if len(data) != KEY_BYTES:
            raise ConfigError(
                f"{file}: this is not a key of {KEY_BYTES} bytes; remove it and the hub makes a new one "
                "(phones must scan again)."
            )
        return cls(PrivateKey(data))

    @classmethod
    def load_or_replace(cls, file: Path) -> tuple[HubKey, str]:
        """Return the key in `file` like `load`, and a sentence for staff if the key was replaced, else "".

        A damaged file is set aside, and the hub gets a new key. Raise ConfigError or TemporaryError like `load`.
        """
        try:
            is_damaged = kind_of(file) != "" or (file.exists() and len(read_file(file)) != KEY_BYTES)
            aside = set_aside(file) if is_damaged else None
        except OSError as error:
            raise of_file(error, f"{file}: the hub's key cannot be kept there ({error.strerror}).") from error
        if aside is None:
            return cls.load(file), ""
        log.error("%s is no key of a hub. It is set aside as %s, and the hub makes another key.", file, aside.name)
        return cls.load(file), say("The file with the hub's key was damaged, so the hub has a new key.")

    @property
    def public(self) -> bytes:
        """Return the public half of the key, 32 bytes."""
        return bytes(self._secret.public_key)

    def derive(self, purpose: bytes, size: int) -> bytes:
        """Return `size` secret bytes for a purpose. They follow from the key, and tell nothing about it."""
        return hashlib.blake2b(purpose, digest_size=size, key=bytes(self._secret)).digest()

    def with_phone(self, phone_key: bytes) -> SharedKey:
        """Return the key shared with the phone that has this public key (32 bytes). Raise DecryptionError."""
        try:
            return SharedKey(Box(self._secret, PublicKey(phone_key)))
        except (CryptoError, ValueError, TypeError):
            raise DecryptionError("That is not a phone's public key.") from None
