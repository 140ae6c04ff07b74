"""https with the owner's certificate: checked before use, and loaded again without a restart after it was renewed."""

from __future__ import annotations

import logging
import ssl
import stat
from pathlib import Path

from hub.errors import ConfigError
from hub.files import check_file

log = logging.getLogger(__name__)

HSTS_SECONDS = 30 * 24 * 3600
"""How long a browser refuses http after a visit over https (RFC 6797). Only a month, because an owner may go back to http."""


def check_tls(cert: str, key: str) -> None:
    """Raise ConfigError if the files cannot be used for https, or if every user of this machine can read the key."""
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
    """A certificate and its key, loaded into `context`. Raise ConfigError if they cannot be used."""

    def __init__(self, cert: str, key: str) -> None:
        self._cert, self._key = cert, key
        self._last_stamps = self._stamps()
        self.context = _context(cert, key)

    def renew(self) -> bool:
        """Load the files if they have changed, for all new connections. Return whether they were loaded.

        If they cannot be used or are incomplete, the previous certificate stays, and the journal gets one line.
        """
        stamps = self._stamps()
        if stamps == self._last_stamps:
            return False
        self._last_stamps = stamps
        try:
            check_tls(self._cert, self._key)
            self.context.load_cert_chain(self._cert, self._key)
        except (ConfigError, OSError) as error:
            log.error("The new certificate is not used, the last one is: %s", error)
            return False
        log.info("The certificate was read again.")
        return True

    def _stamps(self) -> tuple[tuple[int, int, int], ...]:
        """Return values that change with either file. Links are followed, because certbot replaces the links."""
        return tuple(_stamp(Path(name)) for name in (self._cert, self._key))


def _stamp(file: Path) -> tuple[int, int, int]:
    try:
        found = file.stat()
    except OSError:
        return 0, 0, 0
    return found.st_ino, found.st_mtime_ns, found.st_mode
