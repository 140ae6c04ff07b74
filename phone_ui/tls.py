"""https with an owner's certificate: checked before it is used, and read again when it was renewed, without a restart."""

from __future__ import annotations

import logging
import ssl
import stat
from pathlib import Path

from hub.errors import ConfigError
from hub.files import check_file

log = logging.getLogger(__name__)

HSTS_SECONDS = 30 * 24 * 3600
"""How long a browser that came over https refuses http for that name (RFC 6797): a month, should the owner go back."""


def check_tls(cert: str, key: str) -> None:
    """Raise ConfigError where the files cannot be used for https, or everybody on this machine reads the key."""
    _context(cert, key)


def _context(cert: str, key: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        for name in (cert, key):
            check_file(Path(name))
        context.load_cert_chain(cert, key)
        readable = stat.S_IMODE(Path(key).stat().st_mode) & stat.S_IROTH
    except OSError as error:  # ssl.SSLError is one
        raise ConfigError(f"[web] tls_cert {cert} with tls_key {key} cannot be used ({error}).") from None
    if readable:
        raise ConfigError(f"[web] tls_key {key}: everybody on this machine can read this key; fix: chmod o-r {key}")
    return context


class Certificate:
    """A certificate and its key, in the `context` of a port that is open. Raise ConfigError where they cannot be used."""

    def __init__(self, cert: str, key: str) -> None:
        self._cert, self._key = cert, key
        self._seen = self._stamps()
        self.context = _context(cert, key)

    def renew(self) -> bool:
        """Look whether the files have changed, and then use them for all new connections; return whether that was so.

        What cannot be used, or is only half written, is told once in the journal; until it is whole the last one serves.
        """
        seen = self._stamps()
        if seen == self._seen:
            return False
        self._seen = seen
        try:
            check_tls(self._cert, self._key)
            self.context.load_cert_chain(self._cert, self._key)
        except (ConfigError, OSError) as error:
            log.error("The new certificate is not used, the last one is: %s", error)
            return False
        log.info("The certificate was read again.")
        return True

    def _stamps(self) -> tuple[tuple[int, int, int], ...]:
        """Return what changes with either file, links followed: certbot exchanges those."""
        return tuple(_stamp(Path(name)) for name in (self._cert, self._key))


def _stamp(file: Path) -> tuple[int, int, int]:
    try:
        found = file.stat()
    except OSError:
        return 0, 0, 0
    return found.st_ino, found.st_mtime_ns, found.st_mode
