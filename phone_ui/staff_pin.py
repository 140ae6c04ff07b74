"""The staff PIN: six digits, stored as a hash, and limits on guessing it."""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets
import threading
from collections import OrderedDict, deque
from typing import TYPE_CHECKING

import msgspec

from hub.engine.text import say
from hub.errors import ConfigError, HubError, TemporaryError, of_file
from hub.files import read_file, set_aside, write_private
from phone_ui.limits import TokenBucket

if TYPE_CHECKING:
    from pathlib import Path

log = logging.getLogger(__name__)

DIGITS = 6
BROWSERS = 16
"""Number of signed-in browsers that are remembered; then the oldest is forgotten."""

_STAIRS = "01234567890 09876543210"
"""What counts up or down is no PIN that staff may choose."""
FREE_TRIES = 3
LONGEST_PAUSE = 3600.0
FORGET_SECONDS = 86_400.0
MAX_NETWORKS = 4096
FIRST_TRIES = 800.0
"""Burst of free tries of all unknown networks together: more than 254 addresses of one network have."""
FIRST_TRIES_SECONDS = 20.0
"""After this time there is one more."""
LATER_TRIES = 20.0
LATER_TRIES_SECONDS = 30.0
ALARM_AFTER = 10
"""Staff get a notice after this many wrong PINs within 24 hours."""


class StoredPin(msgspec.Struct):
    """The content of the file, without the PIN itself. `used`: somebody has signed in with it, or it was printed in a terminal."""

    salt: bytes
    hash: bytes
    used: bool = False
    browsers: list[bytes] = []


class StaffPin:
    """The PIN in `file` (mode 0600). Until it is used, each start makes a new one, which the screens show.

    Nobody needs the PIN to play: an unusable file is set aside and reported in `notice`, and there is a new PIN. Raise
    ConfigError if the folder cannot be written, TemporaryError if the disk fails. Thread-safe.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self.shown = ""
        """The PIN while the table's own screens show it, until its first use; then ""."""
        self.notice = ""
        try:
            known = self._load()
            if known is None or not known.used:
                self.shown, known = _generate(used=False)
                self._store(known)
            self._stamp = _stamp(file) if file.exists() else None
        except OSError as error:
            raise of_file(error, f"The staff PIN cannot be kept in {file} ({error.strerror}).") from error
        self._stored = known

    def _load(self) -> StoredPin | None:
        """Return the content of the file, or None if the file is missing or unusable. Raise OSError."""
        try:
            return _read(self._file) if self._file.exists() else None
        except (OSError, HubError) as error:
            if isinstance(error, OSError) and isinstance(of_file(error, ""), TemporaryError):
                raise  # the disk fails, so the file itself may be intact
            aside = set_aside(self._file)
            log.error("The staff PIN is another one now. %s It is set aside as %s.", error, aside.name)
            self.notice = say(
                "The staff PIN was renewed when the hub started: its file was damaged, or others could read it."
            )
            return None

    def _store(self, stored: StoredPin) -> None:
        """Write an unused PIN. If the disk fails, only log it, so that tables open all the same. Raise OSError."""
        try:
            write_private(self._file, msgspec.json.encode(stored))
        except OSError as error:
            if isinstance(of_file(error, ""), ConfigError):
                raise
            log.warning("The staff PIN cannot be kept in %s (%s): it holds until the hub ends.", self._file, error)

    @staticmethod
    def renew(file: Path) -> str:
        """Write a new PIN to the file and return it. A running hub loads it. Raise ConfigError or TemporaryError."""
        try:
            pin, stored = _generate(used=True)
            write_private(file, msgspec.json.encode(stored))
            return pin
        except OSError as error:
            raise of_file(error, f"The staff PIN cannot be kept in {file} ({error.strerror}).") from error

    def change(self, pin: str) -> None:
        """Make this the PIN, and forget the browsers that knew another one. Raise HubError."""
        if len(set(pin)) <= 2 or pin in _STAIRS:
            raise HubError(say("That PIN is easy to guess. Choose another one."))
        salt = secrets.token_bytes(16)
        stored = StoredPin(salt, _hash(pin, salt), used=True)
        try:
            with self._lock:
                write_private(self._file, msgspec.json.encode(stored))
                self._stored, self._stamp, self.shown = stored, _stamp(self._file), ""
        except OSError as error:
            raise HubError(
                say("The PIN cannot be kept ({error}). Check the card and its free space.", error=error.strerror or "")
            ) from None

    def reload(self) -> bool:
        """Read the file again if it has changed. Return whether it has."""
        with self._lock:
            if self._stamp is None and not self._file.exists():
                return False
            try:
                stamp = _stamp(self._file)
                if stamp == self._stamp:
                    return False
                self._stored, self._stamp, self.shown = _read(self._file), stamp, ""
            except (OSError, HubError) as error:
                log.warning("The staff PIN cannot be read again: %s", error)
                return False
        log.info("The staff have another PIN; whoever was signed in is signed out.")
        return True

    def matches(self, pin: str) -> bool:
        """Return whether this is the PIN. It always takes some hundredths of a second and 16 MB."""
        stored = self._stored  # no lock, because the web port's loop would wait for it during the hash
        return hmac.compare_digest(_hash(pin, stored.salt), stored.hash)

    def knows(self, browser: str) -> bool:
        """Return whether this browser has signed in before with this PIN."""
        return _digest(browser) in self._stored.browsers

    def admit(self, browser: str) -> str:
        """Note that a browser has signed in. Return the token that identifies it from now on."""
        with self._lock:
            token = browser if self.knows(browser) else secrets.token_urlsafe(24)
            if token == browser and self._stored.used:
                return token
            others = [one for one in self._stored.browsers if one != _digest(token)]
            self._stored.browsers = [*others, _digest(token)][-BROWSERS:]
            self._stored.used, self.shown = True, ""
            try:
                write_private(self._file, msgspec.json.encode(self._stored))
                self._stamp = _stamp(self._file)
            except OSError as error:
                log.warning("%s: the staff's log-in cannot be noted (%s).", self._file, error.strerror)
        return token


def _stamp(file: Path) -> tuple[int, int]:
    found = file.stat()
    return found.st_ino, found.st_mtime_ns


def _read(file: Path) -> StoredPin:
    """Return the content of the file. Raise ConfigError or OSError."""
    data = read_file(file)
    if file.stat().st_mode & 0o077:
        raise ConfigError(f"{file}: the hash of the staff PIN could be read by others.")
    try:
        return msgspec.json.decode(data, type=StoredPin)
    except ValueError:
        raise ConfigError(f"{file} is damaged.") from None


def _generate(*, used: bool) -> tuple[str, StoredPin]:
    """Return a new PIN and the content of its file."""
    pin = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
    salt = secrets.token_bytes(16)
    return pin, StoredPin(salt, _hash(pin, salt), used)


def _hash(pin: str, salt: bytes) -> bytes:
    """Return the hash of a PIN (scrypt, RFC 7914). A million PINs take only hours, so the file must stay private."""
    return hashlib.scrypt(pin.encode(), salt=salt, n=2**14, r=8, p=1, dklen=32)


def _digest(browser: str) -> bytes:
    return hashlib.sha256(browser.encode()).digest()


class Guesses:
    """Limits on guessing the PIN: pauses per network, and a rate for all unknown networks together.

    - `FREE_TRIES` wrong PINs of a network cost nothing; then its pauses double from a second to `LONGEST_PAUSE`. This
      allows 18 tries in four hours.
    - All unknown networks together have `FIRST_TRIES` free tries, and one more every `FIRST_TRIES_SECONDS`; for later
      tries `LATER_TRIES`, and one more every `LATER_TRIES_SECONDS`. With any number of addresses, this allows 2,020 tries
      in four hours, a chance of one in 495.
    - Known browsers and this machine have only their own pauses. Networks delay each other only if about 260 addresses
      guess at once.
    """

    def __init__(self) -> None:
        self._tried: OrderedDict[str, tuple[int, float, float]] = OrderedDict()  # how many, when, pause until
        self._first: TokenBucket | None = None
        self._later: TokenBucket | None = None
        self._wrong: deque[float] = deque(maxlen=1000)

    def wait(self, source: str, now: float, *, known: bool) -> float:
        """Return the seconds until `source` may try again; 0 counts this try as a wrong one until `take_back`."""
        if self._first is None or self._later is None:
            self._first = TokenBucket(1 / FIRST_TRIES_SECONDS, FIRST_TRIES, now)
            self._later = TokenBucket(1 / LATER_TRIES_SECONDS, LATER_TRIES, now)
        count, last, until = self._tried.get(source, (0, now, 0.0))
        if now < until:
            return until - now
        if now - last > FORGET_SECONDS:
            count = 0
        if not known:
            bucket, seconds = (
                (self._first, FIRST_TRIES_SECONDS) if count < FREE_TRIES else (self._later, LATER_TRIES_SECONDS)
            )
            if not bucket.spend(1, now):
                return seconds
        count += 1
        pause = min(LONGEST_PAUSE, 2.0 ** (count - FREE_TRIES)) if count >= FREE_TRIES else 0.0
        self._tried[source] = count, now, now + pause
        self._tried.move_to_end(source)
        if len(self._tried) > MAX_NETWORKS:
            self._tried.popitem(last=False)
        self._wrong.append(now)
        return 0.0

    def take_back(self, source: str) -> None:
        """Stop counting the last try, because it was right. Earlier wrong PINs still count."""
        count, last, _ = self._tried.get(source, (1, 0.0, 0.0))
        if count > 1:
            self._tried[source] = count - 1, last, 0.0
        else:
            self._tried.pop(source, None)
        if self._wrong:
            self._wrong.pop()

    def wrong_today(self, now: float) -> int:
        """Return the number of wrong PINs within the last 24 hours, at most 1000."""
        while self._wrong and now - self._wrong[0] > FORGET_SECONDS:
            self._wrong.popleft()
        return len(self._wrong)
