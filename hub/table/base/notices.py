"""The notices of one table: sentences for everybody, each shown until its cause is over.

`KINDS` gives the severity of each kind, what ends it, and whether people may dismiss it. Several notices of one kind
are shown at once if they are about different things, such as two lost devices.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

from hub.engine.text import say
from hub.errors import NotOffered
from hub.ports import Clock
from hub.state import Notice, Severity
from hub.table.base.part import Part

Kind: TypeAlias = Literal[
    "disk", "rules", "restarted", "broker", "slow_disk", "help", "device", "simulated", "network", "not_rolled",
    "other_value", "set_aside", "lost", "database", "kept", "new_box", "claim", "wanted", "taken", "on_phone",
    "guessing", "not_started", "dial", "idle", "time", "staff",
]  # fmt: skip
Cause: TypeAlias = Literal["reported", "decision", "match", "answered", "reset"]
"""What ends a notice: its poster (reported), the next decision, the start of the next match, somebody who does what it asks
(answered), or staff who prepare the table for the next guests (reset)."""


class Rule(NamedTuple):
    """How a kind of notice behaves: its severity, what ends it, and whether a person may dismiss it."""

    severity: Severity
    ends: Cause
    can_acknowledge: bool = False
    seconds: float | None = None
    """Seconds after which it ends by itself; None: never."""


KINDS: Mapping[Kind, Rule] = {
    "disk": Rule("error", "reported"),  # the log cannot be written: ends when writing works again
    "rules": Rule("error", "reported"),  # a fault of the rules froze the match: ends with an undo or a new match
    "broker": Rule("error", "reported"),  # phones cannot be reached: ends when the broker is back
    "restarted": Rule("warning", "match", can_acknowledge=True),  # after a fault, the table was restarted from its log
    "slow_disk": Rule("warning", "reported"),  # a write took a second or longer: ends with a fast write
    "help": Rule("warning", "reset", can_acknowledge=True),  # somebody calls for staff: see `Calls`
    "not_rolled": Rule("warning", "decision"),  # nobody rolls: also ends when dice move
    "other_value": Rule("warning", "decision"),  # a box revealed another value than it had locked
    "claim": Rule("warning", "reported"),  # a phone claims a seat: ends when the claim is decided
    "wanted": Rule("warning", "reported"),  # somebody claims a table without active players: ends with an answer
    "taken": Rule("warning", "match", can_acknowledge=True, seconds=60),  # a seat has changed its phone
    "guessing": Rule("warning", "match", can_acknowledge=True),  # many wrong seat codes were entered
    "set_aside": Rule("warning", "match", can_acknowledge=True),  # the last match could not be resumed after a restart
    "lost": Rule("warning", "match", can_acknowledge=True),  # the disk has lost part of the last match
    "database": Rule("warning", "match", can_acknowledge=True),  # a damaged database was set aside
    "kept": Rule("warning", "match", can_acknowledge=True),  # a private value of the table was set aside
    "device": Rule("warning", "reported"),  # a device is lost: ends when it is back
    "simulated": Rule("warning", "reported"),  # simulated devices in a hub that is no demonstration
    "network": Rule("info", "reported"),  # phones cannot reach the hub: ends when it has an address
    "new_box": Rule("info", "reported"),  # a box has no seat yet: ends when it has one, or is lost
    "not_started": Rule("info", "answered"),  # why a push did not start a match
    "dial": Rule("info", "match"),  # which game a push starts
    "idle": Rule("info", "reported"),  # nobody plays: ends with an action or a suspension
    "time": Rule("info", "reported"),  # the time of this table ends soon or is over
    "on_phone": Rule("info", "match", can_acknowledge=True, seconds=15),  # a seat has changed from box to phone
    "staff": Rule("info", "match", can_acknowledge=True, seconds=60),  # what staff did to the match
}


class Notices(Part):
    """The notices shown now. A key is the kind, plus the subject if there may be several of that kind."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._posted: dict[str, tuple[Kind, str]] = {}
        self._since: dict[str, float] = {}  # when each was posted, in the clock's seconds

    def post(self, kind: Kind, text: str, about: str = "") -> bool:
        """Post a notice in place of the one with the same kind and subject. Return whether it is new."""
        key = _key(kind, about)
        if self._posted.get(key) == (kind, text):
            self._posted[key] = (kind, text)  # another tuple, so that `end_all` sees that it was posted again
            return False
        self._posted.pop(key, None)
        self._posted[key] = (kind, text)
        self._since[key] = self._clock.now()
        return True

    def run_due(self) -> bool:
        """End the notices whose time is over. Return whether there were any."""
        now, before = self._clock.now(), len(self._posted)
        for key, (kind, _) in list(self._posted.items()):
            seconds = KINDS[kind].seconds
            if seconds is not None and now >= self._since[key] + seconds:
                del self._posted[key]
        return len(self._posted) < before

    def end(self, kind: Kind, about: str = "") -> bool:
        """End a notice. Return whether it was posted."""
        return self._posted.pop(_key(kind, about), None) is not None

    def stood(self, kind: Kind, about: str = "") -> float:
        """Return for how many seconds a notice, which may have just ended, has been posted."""
        return self._clock.now() - self._since[_key(kind, about)]

    def is_posted(self, kind: Kind) -> bool:
        """Return whether a notice of that kind, without a subject, is posted."""
        return kind in self._posted

    def subjects(self, kind: Kind) -> list[str]:
        """Return the subjects of the posted notices of a kind, the oldest first."""
        return [key.partition(":")[2] for key, (posted, _) in self._posted.items() if posted == kind]

    def ended_by(self, cause: Cause) -> dict[str, tuple[Kind, str]]:
        """Return the notices that this cause ends, by key."""
        return {key: notice for key, notice in self._posted.items() if KINDS[notice[0]].ends == cause}

    def end_all(self, cause: Cause, before: Mapping[str, tuple[Kind, str]] | None = None) -> None:
        """End all notices that this cause ends.

        With `before`, a result of `ended_by`, notices that were posted since then stay.
        """
        for key, notice in self.ended_by(cause).items():
            if before is None or before.get(key) is notice:
                del self._posted[key]

    def acknowledge(self, key: str) -> None:
        """Dismiss a notice. Raise NotOffered if it has ended, or ends only with its cause."""
        known = self._posted.get(key)
        if known is None:
            raise NotOffered(say("That notice is no longer shown."), "NOTICE")
        if not KINDS[known[0]].can_acknowledge:
            raise NotOffered(say("This notice disappears by itself when its cause is gone."), "NOTICE")
        del self._posted[key]

    def public(self) -> list[Notice]:
        """Return the posted notices in the order of `KINDS`, most severe first; within one kind, oldest first.

        A sentence about lost devices is there once, although it may be true of several.
        """
        kinds, told = list(KINDS), set[str]()
        shown = []
        for key, (kind, text) in sorted(self._posted.items(), key=lambda item: kinds.index(item[1][0])):
            rule = KINDS[kind]
            if kind != "device" or text not in told:
                shown.append(Notice(key, rule.severity, text, rule.can_acknowledge))
            told.add(text)
        return shown


def _key(kind: Kind, about: str) -> str:
    return f"{kind}:{about}" if about else kind
