"""Logins of claimed seats, managed through mosquitto's dynamic-security plugin."""

from __future__ import annotations

import itertools
import json
import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hub.engine.text import listed, say

log = logging.getLogger(__name__)

COMMAND_TOPIC = "$CONTROL/dynamic-security/v1"
RESPONSE_TOPIC = COMMAND_TOPIC + "/response"
ANSWER_SECONDS = 3.0  # timeout for the plugin's answer to a command, which is then sent again
MESSAGE_BYTES = 4096
"""Maximum size of one message with commands: for each command the plugin writes its whole file, and serves no phone meanwhile."""
NAMES_AT_ONCE = 256  # number of logins in one answer of the broker
HARMLESS = ("Client already exists", "Role already exists", "Client not found", "Role not found")
"""Errors of the plugin that can be ignored, because user names are random and never reused."""

Command = dict[str, object]


@dataclass(frozen=True, slots=True)
class Login:
    """One login with the topics that it may read and write."""

    password: str = field(repr=False)
    reads: tuple[str, ...]
    writes: tuple[str, ...]

    def acls(self) -> list[Command]:
        """Return the permissions of the login in the format of the plugin."""
        acls: list[Command] = [{"acltype": "publishClientSend", "topic": topic, "allow": True} for topic in self.writes]
        for topic in self.reads:
            # Literal: with a pattern a phone could subscribe to any number of topics, and the broker stores each.
            acls.append({"acltype": "subscribeLiteral", "topic": topic, "allow": True})
            acls.append({"acltype": "publishClientReceive", "topic": topic, "allow": True})
        return acls


@dataclass(frozen=True, slots=True)
class _Asked:
    """A command that the plugin has not answered yet: a query, or the creation or deletion of the login `sid`."""

    at: float  # time.monotonic()
    query: Command | None = None
    sid: str = ""
    creates: bool = False


class DynsecLogins:
    """The CredentialStore port on the dynamic-security plugin, in the managed broker or in an owner's broker.

    It knows the logins that have to exist, asks the broker for the logins that do exist, and sends the difference. Each
    message holds a few commands and waits for the answer to the previous one, so any number of seats is possible.

    `wake` is called when commands are queued. `admit`, `release`, `admitted` and `all` may be called from any thread, all
    other methods only from the thread of the MQTT connection.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._lock = threading.Lock()
        self._logins: dict[str, Login] = {}
        self._released: set[str] = set()  # have to be deleted; not confirmed by the broker yet
        self._confirmed: set[str] = set()
        self._listed: set[str] = set()  # logins that the broker has listed so far; empty once the list is complete
        self._queries: list[Command] = []  # are sent before everything else
        self._waiting: dict[str, None] = {}  # sids to create or delete, in order, whose commands are not sent yet
        self._asked: dict[str, _Asked] = {}  # by correlation data
        self._numbers = itertools.count(1)
        self.answered = 0  # total number of answered commands, as a sign of progress
        self.error = ""

    def admit(self, sid: str, password: str, reads: Sequence[str], writes: Sequence[str]) -> None:
        """Queue the creation of a login; return at once."""
        with self._lock:
            self._logins[sid] = Login(password, tuple(reads), tuple(writes))
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

    def all(self) -> dict[str, Login]:
        """Return all logins that have to exist. A new managed broker starts with them."""
        with self._lock:
            return dict(self._logins)

    def connected(self) -> None:
        """Start over after a new connection: ask the broker for its logins, some of which may be missing or outdated."""
        with self._lock:
            self.error = ""
            self._reset()
            self._queries = [{"command": "getDefaultACLAccess"}, _list_from(0)]
            for sid in sorted(self._released):
                self._queue(sid)

    def disconnected(self) -> None:
        """Forget unanswered commands and confirmed logins: they are only valid for one connection."""
        with self._lock:
            self._reset()
            self._confirmed.clear()

    def _reset(self) -> None:
        self._queries.clear()
        self._waiting.clear()
        self._asked.clear()
        self._listed.clear()

    @property
    def settled(self) -> bool:
        """Return whether all commands have been answered."""
        with self._lock:
            return not (self._queries or self._waiting or self._asked)

    @property
    def deleting(self) -> bool:
        """Return whether the command to delete a login still has to be sent."""
        with self._lock:
            return any(sid in self._released for sid in self._waiting)

    def take_commands(self) -> list[Command]:
        """Return the commands of the next message, in order; none until the previous message is answered."""
        with self._lock:
            if self._asked:
                return []
            commands: list[Command] = []
            size, now = 0, time.monotonic()
            for query in self._queries:
                number = str(next(self._numbers))
                commands.append({**query, "correlationData": number})
                self._asked[number] = _Asked(now, query)
            self._queries.clear()
            while self._waiting:
                sid = next(iter(self._waiting))
                login, number = self._logins.get(sid), str(next(self._numbers))
                more = _create(sid, login, number) if login is not None else _delete(sid, number)
                size += len(json.dumps(more))
                if commands and size > MESSAGE_BYTES:
                    break
                commands += more
                del self._waiting[sid]
                self._asked[number] = _Asked(now, None, sid, login is not None)
            return commands

    def retry(self, now: float) -> None:
        """Queue commands again that were not answered within 3 seconds: a broker whose queue is full drops answers."""
        with self._lock:
            for number in [one for one, asked in self._asked.items() if now - asked.at >= ANSWER_SECONDS]:
                asked = self._asked.pop(number)
                if asked.query:
                    self._queries.append(asked.query)
                else:
                    self._queue(asked.sid)

    def on_response(self, payload: bytes) -> None:
        """Handle a message on the response topic of the plugin."""
        try:
            responses = json.loads(payload)["responses"]
        except (ValueError, KeyError, TypeError, RecursionError):
            log.warning("The broker's answer about logins was not understood.")
            return
        with self._lock:
            for response in responses:
                self._handle(response)
            is_more = bool(self._queries or self._waiting) and not self._asked
        if is_more:
            self._wake()

    def _queue(self, sid: str) -> None:
        self._waiting.pop(sid, None)
        self._waiting[sid] = None

    def _handle(self, response: dict[str, Any]) -> None:
        error = str(response.get("error", ""))
        if error in HARMLESS:
            error = ""
        if error:
            self.error = say(
                "The broker could not do '{command}' for the hub's logins: {error}.",
                command=str(response.get("command")),
                error=error,
            )
            log.warning("%s", self.error)
        asked = self._asked.pop(str(response.get("correlationData", "")), None)
        if asked is None:
            return
        self.answered += 1
        if asked.query:
            if response.get("command") == "getDefaultACLAccess":
                self._check_default_access(response)
            elif not error:
                self._add_page(asked.query, response)
        elif not asked.creates:
            self._released.discard(asked.sid)
        elif asked.sid in self._logins and not error:
            self._confirmed.add(asked.sid)

    def _add_page(self, query: Command, response: dict[str, Any]) -> None:
        """Note one page of the broker's list of logins. After the last page, queue the logins that are missing."""
        data = response.get("data", {})
        names, offset = [str(one) for one in data.get("clients", [])], int(str(query["offset"]))
        self._listed.update(names)
        if names and offset + len(names) < data.get("totalCount", 0):
            self._queries.append(_list_from(offset + len(names)))
            return
        for sid in self._logins:
            if sid in self._listed:
                self._confirmed.add(sid)
                self._waiting.pop(sid, None)
            else:
                self._queue(sid)
        self._listed.clear()

    def _check_default_access(self, response: dict[str, Any]) -> None:
        open_to_all = [
            str(acl.get("acltype"))
            for acl in response.get("data", {}).get("acls", [])
            if acl.get("acltype") in ("publishClientSend", "subscribe") and acl.get("allow")
        ]
        if open_to_all:
            self.error = say(
                "The broker allows {rights} to everybody, so seats could be forged or overheard. Run `{command}`.",
                rights=listed(open_to_all),
                command=f"mosquitto_ctrl dynsec setDefaultACLAccess {open_to_all[0]} deny",
            )


def role_of(sid: str) -> str:
    """Return the name of the role that belongs to a login."""
    return f"seat-{sid}"


def _list_from(offset: int) -> Command:
    return {"command": "listClients", "verbose": False, "count": NAMES_AT_ONCE, "offset": offset}


def _create(sid: str, login: Login, number: str) -> list[Command]:
    """Return the commands that create a login and its role."""
    return [
        {"command": "createRole", "rolename": role_of(sid), "acls": login.acls()},
        {
            "command": "createClient",
            "username": sid,
            "clientid": sid,  # so that a login cannot take over the session of another one by its client id
            "password": login.password,
            "roles": [{"rolename": role_of(sid)}],
            "correlationData": number,
        },
    ]


def _delete(sid: str, number: str) -> list[Command]:
    """Return the commands that delete a login and its role."""
    return [
        {"command": "deleteClient", "username": sid},
        {"command": "deleteRole", "rolename": role_of(sid), "correlationData": number},
    ]
