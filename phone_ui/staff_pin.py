"""The PIN of the staff: six digits, kept as a hash, and how often it may be guessed."""

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
"""So many browsers that have signed in are known; then the oldest is forgotten."""

FREE_TRIES = 3
LONGEST_PAUSE = 3600.0
FORGET_SECONDS = 86_400.0
MAX_NETWORKS = 4096
FIRST_TRIES = 800.0
"""Tries within the free ones of all unknown networks together, at once: more than 254 addresses of one network have."""
FIRST_TRIES_SECONDS = 20.0
"""... and one more after so long."""
LATER_TRIES = 20.0
LATER_TRIES_SECONDS = 30.0
ALARM_AFTER = 10
"""So many wrong PINs within a day are told to staff."""


class KeptPin(msgspec.Struct):
    """What the file holds: never the PIN itself. `used`: somebody has signed in with it, or was told it in a terminal."""

    salt: bytes
    hash: bytes
    used: bool = False
    browsers: list[bytes] = []


class StaffPin:
    """The PIN in `file` (mode 0600). One that nobody has used is made anew at each start, so that screens can show it.

    Nobody needs the PIN to play: a file that cannot be used is set aside, `notice` says so, and there is another PIN. Raise
    ConfigError if the folder cannot be written, TemporaryError if the disk fails. Every method may be called from any thread.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self.shown = ""
        """The PIN while the table's own screens show it: until it was used once."""
        self.notice = ""
        try:
            known = self._known()
            if known is None or not known.used:
                self.shown, known = _new(used=False)
                self._keep(known)
            self._stamp = _stamp(file) if file.exists() else None
        except OSError as error:
            raise of_file(error, f"The staff's PIN cannot be kept in {file} ({error.strerror}).") from error
        self._kept = known

    def _known(self) -> KeptPin | None:
        """Return what the file holds; None if there is none, or none that can be used. Raise OSError."""
        try:
            return _read(self._file) if self._file.exists() else None
        except (OSError, HubError) as error:
            if isinstance(error, OSError) and isinstance(of_file(error, ""), TemporaryError):
                raise  # the disk fails: what it holds may be whole
            aside = set_aside(self._file)
            log.error("The staff's PIN is another one now. %s It is set aside as %s.", error, aside.name)
            self.notice = say(
                "The staff's PIN was renewed when the hub started: its file was damaged, or others could read it."
            )
            return None

    def _keep(self, kept: KeptPin) -> None:
        """Write a PIN that nobody has used yet; a disk that cannot be written keeps no table from its guests. Raise OSError."""
        try:
            write_private(self._file, msgspec.json.encode(kept))
        except OSError as error:
            if isinstance(of_file(error, ""), ConfigError):
                raise
            log.warning("The staff's PIN cannot be kept in %s (%s): it holds until the hub ends.", self._file, error)

    @staticmethod
    def renew(file: Path) -> str:
        """Write another PIN into the file and return it; a hub that runs takes it up. Raise ConfigError or TemporaryError."""
        try:
            pin, kept = _new(used=True)
            write_private(file, msgspec.json.encode(kept))
            return pin
        except OSError as error:
            raise of_file(error, f"The staff's PIN cannot be kept in {file} ({error.strerror}).") from error

    def take_up(self) -> bool:
        """Read the file again where it was changed; return whether another PIN holds now."""
        with self._lock:
            if self._stamp is None and not self._file.exists():
                return False
            try:
                stamp = _stamp(self._file)
                if stamp == self._stamp:
                    return False
                self._kept, self._stamp, self.shown = _read(self._file), stamp, ""
            except (OSError, HubError) as error:
                log.warning("The staff's PIN cannot be read again: %s", error)
                return False
        log.info("The staff have another PIN; whoever was signed in is signed out.")
        return True

    def fits(self, pin: str) -> bool:
        """Return whether that is the PIN. It takes some hundredths of a second and 16 MB, whatever is given."""
        kept = self._kept  # no lock: the web port's loop would wait for it as long as somebody guesses
        return hmac.compare_digest(_hash(pin, kept.salt), kept.hash)

    def knows(self, browser: str) -> bool:
        """Return whether somebody has signed in with this browser before, under this PIN."""
        return _digest(browser) in self._kept.browsers

    def admit(self, browser: str) -> str:
        """Note that somebody has signed in; return what their browser is known by from now on."""
        with self._lock:
            token = browser if self.knows(browser) else secrets.token_urlsafe(24)
            if token == browser and self._kept.used:
                return token
            others = [one for one in self._kept.browsers if one != _digest(token)]
            self._kept.browsers = [*others, _digest(token)][-BROWSERS:]
            self._kept.used, self.shown = True, ""
            try:
                write_private(self._file, msgspec.json.encode(self._kept))
                self._stamp = _stamp(self._file)
            except OSError as error:
                log.warning("%s: the staff's log-in cannot be noted (%s).", self._file, error.strerror)
        return token


def _stamp(file: Path) -> tuple[int, int]:
    found = file.stat()
    return found.st_ino, found.st_mtime_ns


def _read(file: Path) -> KeptPin:
    """Return what the file holds. Raise ConfigError or OSError."""
    data = read_file(file)
    if file.stat().st_mode & 0o077:
        raise ConfigError(f"{file}: the hash of the staff's PIN could be read by others.")
    try:
        return msgspec.json.decode(data, type=KeptPin)
    except ValueError:
        raise ConfigError(f"{file} is damaged.") from None


def _new(*, used: bool) -> tuple[str, KeptPin]:
    """Return a new PIN, and what is kept of it."""
    pin = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
    salt = secrets.token_bytes(16)
    return pin, KeptPin(salt, _hash(pin, salt), used)


def _hash(pin: str, salt: bytes) -> bytes:
    """Return the hash of a PIN (RFC 7914). Who has the file tries a million PINs in hours: it is 0600 for that reason."""
    return hashlib.scrypt(pin.encode(), salt=salt, n=2**14, r=8, p=1, dklen=32)


def _digest(browser: str) -> bytes:
    return hashlib.sha256(browser.encode()).digest()


class Guesses:
    """Who may try a PIN now: pauses for each network, and a rate for all that are not known.

    `FREE_TRIES` wrong ones of a network cost nothing; then its pauses double from a second to `LONGEST_PAUSE`: 18 tries in
    four hours. All unknown networks together have `FIRST_TRIES` tries within their free ones and one more every
    `FIRST_TRIES_SECONDS`, and beyond them `LATER_TRIES` and one more every `LATER_TRIES_SECONDS`: whoever has any number of
    addresses has 2,020 tries in four hours, one in 495 of a million. A known browser and this machine itself wait for nobody
    but themselves, and no network waits for another one before some 260 addresses guess at once.
    """

    def __init__(self) -> None:
        self._tried: OrderedDict[str, tuple[int, float, float]] = OrderedDict()  # how many, when, pause until
        self._first: TokenBucket | None = None
        self._later: TokenBucket | None = None
        self._wrong: deque[float] = deque(maxlen=1000)

    def wait(self, who: str, now: float, *, known: bool) -> float:
        """Return the seconds until `who` may try again; 0 counts this try as a wrong one until `take_back`."""
        if self._first is None or self._later is None:
            self._first = TokenBucket(1 / FIRST_TRIES_SECONDS, FIRST_TRIES, now)
            self._later = TokenBucket(1 / LATER_TRIES_SECONDS, LATER_TRIES, now)
        count, last, until = self._tried.get(who, (0, now, 0.0))
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
        self._tried[who] = count, now, now + pause
        self._tried.move_to_end(who)
        if len(self._tried) > MAX_NETWORKS:
            self._tried.popitem(last=False)
        self._wrong.append(now)
        return 0.0

    def take_back(self, who: str) -> None:
        """Count the last try no more: it was right. What was wrong before counts on."""
        count, last, _ = self._tried.get(who, (1, 0.0, 0.0))
        if count > 1:
            self._tried[who] = count - 1, last, 0.0
        else:
            self._tried.pop(who, None)
        if self._wrong:
            self._wrong.pop()

    def wrong_today(self, now: float) -> int:
        """Return how many wrong PINs came within a day; no more than a thousand are counted."""
        while self._wrong and now - self._wrong[0] > FORGET_SECONDS:
            self._wrong.popleft()
        return len(self._wrong)
