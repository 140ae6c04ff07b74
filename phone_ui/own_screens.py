"""The big screens of a table: which of them may show the codes of seats, and when each was last seen.

A screen on the hub's own machine is recognized by its address. A screen on another machine proves the token of its link,
which is only sent encrypted, and gets a stream that only its page can decrypt (hub/network/screen_messages.py).
"""

from __future__ import annotations

import hmac
import logging
import secrets
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from hub.engine.text import say
from hub.errors import ConfigError, HubError, TemporaryError, of_file
from hub.files import read_file, set_aside, write_private
from hub.network.encryption import NONCE_BYTES, DecryptionError, HubKey, SharedKey, from_base64, to_base64
from hub.network.http_messages import Refused
from hub.network.messages import Malformed, to_bytes
from hub.network.screen_messages import (
    ANSWER_SIZE,
    STATE_SIZE,
    ScreenBox,
    ScreenHeard,
    ScreenSeen,
    ScreenSession,
    read_alive,
    read_beat,
    read_opening,
    read_secret,
)
from phone_ui.origin import address_of, same_origin

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from phone_ui.asgi import Scope

log = logging.getLogger(__name__)

PREFIX = "2."
"""The start of each token. Tokens of earlier versions were sent unencrypted as a cookie, so they are replaced."""
OPENING_SECONDS = 30.0
"""Lifetime of a session until its stream is opened, which the page does at once."""
MOST_SESSIONS = 256
MOST_SCREENS = 64
FORGET_SECONDS = 86_400.0

OTHER_TOKEN = say(
    "This screen's link is no longer valid. Staff: open the new link, which the staff page shows with the table."
)


class ScreenToken:
    """The token in `file` (mode 0600), for screens on other machines.

    An unusable file is set aside and reported in `notice`: screens lose their codes, but play goes on. Raise TemporaryError
    if the disk fails, ConfigError if the folder cannot be written.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.notice = ""
        try:
            try:
                self.value = _read_token(file) if file.exists() else ""
            except (OSError, HubError) as error:
                if isinstance(error, OSError) and isinstance(of_file(error, ""), TemporaryError):
                    raise  # the disk fails, so the file itself may be intact
                self.value = ""
                aside = set_aside(file)
                log.error("%s was damaged. It is set aside as %s.", file, aside.name)
                self.notice = say(
                    "The links for big screens on other devices are no longer valid: their file was damaged."
                )
            if not self.value.startswith(PREFIX):
                self.value = self.renew(file)
            self._stamp = _stamp(file)
        except OSError as error:
            raise of_file(error, f"The screens' token cannot be kept in {file} ({error.strerror}).") from error

    @staticmethod
    def renew(file: Path) -> str:
        """Write a new token to the file and return it. A running hub loads it. Raise OSError."""
        token = PREFIX + secrets.token_urlsafe(24)
        write_private(file, token.encode())
        return token

    def reload(self) -> bool:
        """Read the file again if it has changed. Return whether the token is a different one."""
        try:
            stamp = _stamp(self.file)
            if stamp == self._stamp:
                return False
            token = _read_token(self.file)
        except (OSError, HubError) as error:
            log.warning("The screens' token cannot be read again: %s", error)
            return False
        self._stamp, changed, self.value = stamp, token != self.value, token
        return changed


def _stamp(file: Path) -> tuple[int, int]:
    found = file.stat()
    return found.st_ino, found.st_mtime_ns


def _read_token(file: Path) -> str:
    """Return the token in a file. Raise ConfigError or OSError."""
    data = read_file(file)
    if file.stat().st_mode & 0o077:
        raise ConfigError(f"{file} can be read by others.")
    try:
        token = data.decode().strip()
    except UnicodeDecodeError:
        token = ""
    if len(token) < 24:
        raise ConfigError(f"{file} is damaged.")
    return token


class ScreenRefused(HubError):
    """The request of a screen is answered with an HTTP status and one sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass(eq=False)
class PairedScreen:
    """The page of a screen that has proved the token. `is_valid` until the token is renewed."""

    table: str
    pair: SharedKey = field(repr=False)
    until: float
    is_valid: bool = True
    beats: int = 0

    def seal(self, state: bytes) -> bytes:
        """Return a state encrypted for this page, as base64url."""
        return to_base64(self.pair.encrypt(state, STATE_SIZE)).encode()


class OwnScreens:
    """The screens that may show seat codes, and their last beats. `is_local` returns whether a request comes from this machine."""

    def __init__(
        self,
        key: HubKey,
        token: ScreenToken,
        is_local: Callable[[Scope], bool],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._key, self._token, self._is_local, self._now = key, token, is_local, now
        self._lock = threading.Lock()
        self._waiting: OrderedDict[str, PairedScreen] = OrderedDict()  # by session, until the stream is opened
        self._following: dict[str, PairedScreen] = {}
        self._pages: OrderedDict[tuple[str, str], float] = OrderedDict()  # by table and id: the last beat
        self._last_beats: OrderedDict[tuple[str, str], float] = OrderedDict()  # by table and address

    def reload_token(self) -> None:
        """Load a token that was renewed in a terminal. All screens on other machines then need the new link. Thread-safe."""
        if not self._token.reload():
            return
        log.info("The screens' token was renewed: screens on other machines need the new link.")
        with self._lock:
            for one in (*self._waiting.values(), *self._following.values()):
                one.is_valid = False
            self._waiting.clear()

    def renew_token(self) -> None:
        """Make a new token: all links end at once. Raise HubError."""
        try:
            self._token.renew(self._token.file)
        except OSError as error:
            raise HubError(
                say("The link cannot be kept ({error}). Check the card and its free space.", error=error.strerror or "")
            ) from None
        self.reload_token()

    def link(self, url: str, table: str) -> str:
        """Return the link that makes a browser on another machine a screen of a table. `url` is the hub's."""
        self.reload_token()
        return link_of(url, table, self._key.public, self._token.value)

    # --- the stream ----------------------------------------------------------------------------------

    def open(self, table: str, scope: Scope, body: bytes) -> bytes:
        """Return the answer to `POST .../screen/open` as JSON. Raise ScreenRefused or Malformed."""
        if not same_origin(scope):
            raise ScreenRefused(403, say("This request comes from another page."))
        asked = read_opening(body)
        try:
            pair = self._key.with_phone(from_base64(asked.pk))
            secret = read_secret(pair.decrypt(from_base64(asked.nonce) + from_base64(asked.box)))
        except DecryptionError:
            raise ScreenRefused(403, OTHER_TOKEN) from None
        self.reload_token()
        name, now = secrets.token_urlsafe(16), self._now()
        with self._lock:  # includes the comparison, because `reload_token` ends all screens that proved the old token
            if not hmac.compare_digest(secret.token.encode(), self._token.value.encode()):
                log.warning("A screen at %s has a link that is not valid.", address_of(scope))
                raise ScreenRefused(403, OTHER_TOKEN)
            while self._waiting and (len(self._waiting) >= MOST_SESSIONS or _first(self._waiting).until <= now):
                self._waiting.popitem(last=False)
            self._waiting[name] = PairedScreen(table, pair, now + OPENING_SECONDS)
        whole = pair.encrypt(to_bytes(ScreenSession(name)), ANSWER_SIZE)
        return to_bytes(ScreenBox(to_base64(whole[:NONCE_BYTES]), to_base64(whole[NONCE_BYTES:])))

    def start_stream(self, table: str, scope: Scope) -> tuple[str, PairedScreen] | None:
        """Return session and screen of a request for a stream, or None if it names no session. Each works once. Raise ScreenRefused."""
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("session")
        if given is None:
            return None
        with self._lock:
            found = self._waiting.pop(given[0], None)
            if found is None or found.table != table or found.until <= self._now():
                raise ScreenRefused(403, say("This connection was already used, or it is too old. Reload the page."))
            self._following[given[0]] = found
        return given[0], found

    def end_stream(self, session: str) -> None:
        """Forget a session whose stream has ended."""
        with self._lock:
            self._following.pop(session, None)

    # --- beats ---------------------------------------------------------------------------------------

    def beat(self, table: str, scope: Scope, body: bytes) -> None:
        """Note that a page is alive, because it answered a beat of its stream. Raise ScreenRefused or Malformed."""
        if not same_origin(scope):
            raise ScreenRefused(403, say("This request comes from another page."))
        asked = read_alive(body)
        address = ""
        if not self._is_local(scope):
            address = address_of(scope)
            with self._lock:
                screen = self._following.get(asked.session)
            if screen is None or not screen.is_valid or screen.table != table:
                raise ScreenRefused(403, say("This is not a screen of this table."))
            try:
                beat = read_beat(screen.pair.decrypt(from_base64(asked.nonce) + from_base64(asked.box)))
            except DecryptionError:
                raise ScreenRefused(403, say("This is not a screen of this table.")) from None
            if beat.n <= screen.beats:
                raise ScreenRefused(409, say("The hub already has this request."))
            screen.beats = beat.n
        with self._lock:
            for known, name in ((self._pages, asked.screen), (self._last_beats, address)):
                known[table, name] = self._now()
                known.move_to_end((table, name))
                while len(known) > MOST_SCREENS:
                    known.popitem(last=False)

    def beat_age(self, table: str, scope: Scope) -> bytes:
        """Return how long ago the page that a request names answered a beat, as JSON of ScreenHeard."""
        name = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("screen", [""])[0]
        with self._lock:
            at = self._pages.get((table, name))
        return to_bytes(ScreenHeard(None if at is None else self._now() - at, self._is_local(scope)))

    def last_seen(self, table: str) -> list[ScreenSeen]:
        """Return a table's big screens of the last 24 hours, the hub's own machine first. Thread-safe."""
        now = self._now()
        with self._lock:
            found = [(where, now - at) for (of, where), at in self._last_beats.items() if of == table]
        return [ScreenSeen(where, int(age)) for where, age in sorted(found) if age < FORGET_SECONDS]


def _first(waiting: OrderedDict[str, PairedScreen]) -> PairedScreen:
    return next(iter(waiting.values()))


def error_of(error: ScreenRefused | Malformed) -> tuple[int, bytes]:
    """Return status and body of the answer to a refused request."""
    status = error.status if isinstance(error, ScreenRefused) else 400
    return status, to_bytes(Refused(error.sentence))


def link_of(url: str, table: str, key: bytes, token: str) -> str:
    """Return the link that turns a browser on another machine into a screen of a table."""
    return f"{url}/t/{table}/kiosk#k={to_base64(key)}&s={token}"
