"""Logins of claims, made by mosquitto's dynamic-security plugin."""

from __future__ import annotations

import itertools
import json
import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Login:
    password: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]


class DynsecLogins:
    """The CredentialStore of mosquitto's dynamic-security plugin, ours or a venue's.

    `admit` and `release` come from any thread; the rest from the broker's.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._lock = threading.Lock()
        self._claims: dict[str, _Login] = {}
        self._gone: set[str] = set()  # released, but the broker has not confirmed it yet
        self._known: set[str] = set()
        self._unsaid: list[dict[str, object]] = []  # commands for the broker
        self._asked: dict[str, str] = {}  # number of a command still unanswered -> sid; "" for the first question
        self._numbers = itertools.count(1)
        self.trouble = ""

    def admit(self, sid: str, password: str, reads: Sequence[str], writes: Sequence[str]) -> None:
        """Make a login; returns at once."""
        with self._lock:
            self._claims[sid] = _Login(password, tuple(reads), tuple(writes))
            self._want(sid)
        self._wake()

    def release(self, sid: str) -> None:
        """End a login; returns at once."""
        with self._lock:
            if self._claims.pop(sid, None) is None:
                return
            self._known.discard(sid)
            self._gone.add(sid)
            self._want(sid)
        self._wake()

    def admitted(self, sid: str) -> bool:
        """Whether the broker has confirmed the login."""
        with self._lock:
            return sid in self._known

    def begin_again(self) -> None:
        """A new connection: the broker may know nothing, or things of yesterday."""
        with self._lock:
            self.trouble = ""
            self._asked = {"first": ""}
            self._unsaid = [{"command": "getDefaultACLAccess", "correlationData": "first"}]
            for sid in (*sorted(self._gone), *self._claims):
                self._want(sid)

    def forget_answers(self) -> None:
        """The connection is gone: no answers will come, and nobody is logged in."""
        with self._lock:
            self._asked.clear()
            self._unsaid.clear()
            self._known.clear()

    @property
    def settled(self) -> bool:
        """Nothing is waiting for an answer."""
        with self._lock:
            return not self._asked

    def commands(self) -> list[dict[str, object]]:
        """What the plugin is to be told now."""
        with self._lock:
            said, self._unsaid = self._unsaid, []
            return said

    def _want(self, sid: str) -> None:
        number = str(next(self._numbers))
        self._asked[number] = sid
        login = self._claims.get(sid)
        self._unsaid += _made(sid, login, number) if login is not None else _unmade(sid, number)

    def answered(self, payload: bytes) -> None:
        """The plugin's answers."""
        try:
            answers = json.loads(payload)["responses"]
        except (ValueError, KeyError, TypeError, RecursionError):
            log.warning("The broker's answer about logins was not understood.")
            return
        with self._lock:
            for answer in answers:
                self._one_answer(answer)

    def _one_answer(self, answer: dict[str, Any]) -> None:
        error = str(answer.get("error", ""))
        if error in ("Client already exists", "Role already exists", "Client not found", "Role not found"):
            error = ""  # names are random and never used twice: it is as it should be
        if error:
            self.trouble = f"The broker did not do '{answer.get('command')}' for the hub's logins: {error}."
            log.warning("%s", self.trouble)
        if answer.get("command") == "getDefaultACLAccess":
            self._check_default(answer)
        sid = self._asked.pop(str(answer.get("correlationData", "")), None)
        if not sid:
            return
        if sid in self._claims and not error:
            self._known.add(sid)
        self._gone.discard(sid)

    def _check_default(self, answer: dict[str, Any]) -> None:
        open_to_all = [
            str(acl.get("acltype"))
            for acl in answer.get("data", {}).get("acls", [])
            if acl.get("acltype") in ("publishClientSend", "subscribe") and acl.get("allow")
        ]
        if open_to_all:
            self.trouble = (
                f"The broker allows {' and '.join(open_to_all)} to everybody, so seats could be forged or overheard; "
                f"mend: mosquitto_ctrl dynsec setDefaultACLAccess {open_to_all[0]} deny"
            )


def _made(sid: str, login: _Login, number: str) -> list[dict[str, object]]:
    rights: list[dict[str, object]] = [
        {"acltype": "publishClientSend", "topic": topic, "allow": True} for topic in login.writes
    ]
    for topic in login.reads:
        kind = "subscribePattern" if topic.endswith("#") else "subscribeLiteral"
        rights.append({"acltype": kind, "topic": topic, "allow": True})
        rights.append({"acltype": "publishClientReceive", "topic": topic, "allow": True})
    return [
        {"command": "createRole", "rolename": f"seat-{sid}", "acls": rights},
        {
            "command": "createClient",
            "username": sid,
            "clientid": sid,  # own login with another's client id takes nothing over
            "password": login.password,
            "roles": [{"rolename": f"seat-{sid}"}],
            "correlationData": number,
        },
    ]


def _unmade(sid: str, number: str) -> list[dict[str, object]]:
    return [
        {"command": "deleteClient", "username": sid},
        {"command": "deleteRole", "rolename": f"seat-{sid}", "correlationData": number},
    ]
