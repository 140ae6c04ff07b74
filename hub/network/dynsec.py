"""Logins of claimed seats, created through mosquitto's dynamic-security plugin."""

from __future__ import annotations

import itertools
import json
import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

log = logging.getLogger(__name__)

COMMAND_TOPIC = "$CONTROL/dynamic-security/v1"
RESPONSE_TOPIC = COMMAND_TOPIC + "/response"
ANSWER_SECONDS = 3.0  # for the plugin's answer to a command; then the command is sent again
HARMLESS = ("Client already exists", "Role already exists", "Client not found", "Role not found")
"""Errors of the plugin that change nothing here: user names are random and never used twice."""


@dataclass(frozen=True, slots=True)
class _Login:
    """One login and its topics."""

    password: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]


class DynsecLogins:
    """The CredentialStore of the dynamic-security plugin, of the managed broker or of a venue's.

    `admit`, `release` and `admitted` may be called from any thread, the rest from the thread of the MQTT connection.
    `wake` is called when commands are queued.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._lock = threading.Lock()
        self._logins: dict[str, _Login] = {}
        self._released: set[str] = set()  # to be deleted, not yet confirmed by the broker
        self._confirmed: set[str] = set()
        self._commands: list[dict[str, object]] = []  # queued for the broker
        self._pending: dict[str, str] = {}  # correlation data of an unanswered command -> sid; "" for the first query
        self._asked_at: dict[str, float] = {}  # correlation data of an unanswered command -> time.monotonic()
        self._numbers = itertools.count(1)
        self.error = ""

    def admit(self, sid: str, password: str, reads: Sequence[str], writes: Sequence[str]) -> None:
        """Queue the creation of a login; return at once."""
        with self._lock:
            self._logins[sid] = _Login(password, tuple(reads), tuple(writes))
            self._queue(sid)
        self._wake()

    def release(self, sid: str) -> None:
        """Queue the deletion of a login; return at once."""
        with self._lock:
            if self._logins.pop(sid, None) is None:
                return
            self._confirmed.discard(sid)
            self._released.add(sid)
            self._queue(sid)
        self._wake()

    def admitted(self, sid: str) -> bool:
        """Return whether the broker has confirmed the login."""
        with self._lock:
            return sid in self._confirmed

    def connected(self) -> None:
        """Queue all logins again: after a new connection the broker may have none of them, or outdated ones."""
        with self._lock:
            self.error = ""
            self._pending = {"first": ""}
            self._asked_at.clear()
            self._commands = [{"command": "getDefaultACLAccess", "correlationData": "first"}]
            for sid in (*sorted(self._released), *self._logins):
                self._queue(sid)

    def disconnected(self) -> None:
        """Forget pending responses and confirmed logins: none of them outlives a connection."""
        with self._lock:
            self._pending.clear()
            self._asked_at.clear()
            self._commands.clear()
            self._confirmed.clear()

    @property
    def settled(self) -> bool:
        """Return whether every command was answered."""
        with self._lock:
            return not self._pending

    def take_commands(self) -> list[dict[str, object]]:
        """Return the queued commands, in order, and empty the queue."""
        with self._lock:
            commands, self._commands = self._commands, []
            return commands

    def ask_again(self, now: float) -> None:
        """Queue once more what was not answered in 3 s: a broker whose queue for the hub is full drops answers."""
        with self._lock:
            for number in [one for one, asked_at in self._asked_at.items() if now - asked_at >= ANSWER_SECONDS]:
                del self._asked_at[number]
                self._queue(self._pending.pop(number))

    def on_response(self, payload: bytes) -> None:
        """Handle a message of the plugin's response topic."""
        try:
            responses = json.loads(payload)["responses"]
        except (ValueError, KeyError, TypeError, RecursionError):
            log.warning("The broker's answer about logins was not understood.")
            return
        with self._lock:
            for response in responses:
                self._handle(response)

    def _queue(self, sid: str) -> None:
        number = str(next(self._numbers))
        self._pending[number] = sid
        self._asked_at[number] = time.monotonic()
        login = self._logins.get(sid)
        self._commands += _create(sid, login, number) if login is not None else _delete(sid, number)

    def _handle(self, response: dict[str, Any]) -> None:
        error = str(response.get("error", ""))
        if error in HARMLESS:
            error = ""
        if error:
            self.error = f"The broker did not do '{response.get('command')}' for the hub's logins: {error}."
            log.warning("%s", self.error)
        if response.get("command") == "getDefaultACLAccess":
            self._check_default_access(response)
        number = str(response.get("correlationData", ""))
        self._asked_at.pop(number, None)
        sid = self._pending.pop(number, None)
        if not sid:
            return
        if sid in self._logins and not error:
            self._confirmed.add(sid)
        self._released.discard(sid)

    def _check_default_access(self, response: dict[str, Any]) -> None:
        open_to_all = [
            str(acl.get("acltype"))
            for acl in response.get("data", {}).get("acls", [])
            if acl.get("acltype") in ("publishClientSend", "subscribe") and acl.get("allow")
        ]
        if open_to_all:
            self.error = (
                f"The broker allows {' and '.join(open_to_all)} to everybody, so seats could be forged or overheard; "
                f"fix: mosquitto_ctrl dynsec setDefaultACLAccess {open_to_all[0]} deny"
            )


def _create(sid: str, login: _Login, number: str) -> list[dict[str, object]]:
    """Return the commands that create a login with its own role."""
    acls: list[dict[str, object]] = [
        {"acltype": "publishClientSend", "topic": topic, "allow": True} for topic in login.writes
    ]
    for topic in login.reads:
        # Literal: of a pattern a phone could subscribe to topics without end, and the broker keeps each.
        acls.append({"acltype": "subscribeLiteral", "topic": topic, "allow": True})
        acls.append({"acltype": "publishClientReceive", "topic": topic, "allow": True})
    return [
        {"command": "createRole", "rolename": f"seat-{sid}", "acls": acls},
        {
            "command": "createClient",
            "username": sid,
            "clientid": sid,  # so that a login cannot take over another's session by its client id
            "password": login.password,
            "roles": [{"rolename": f"seat-{sid}"}],
            "correlationData": number,
        },
    ]


def _delete(sid: str, number: str) -> list[dict[str, object]]:
    """Return the commands that delete a login and its role."""
    return [
        {"command": "deleteClient", "username": sid},
        {"command": "deleteRole", "rolename": f"seat-{sid}", "correlationData": number},
    ]
