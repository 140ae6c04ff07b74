"""The notices of one table: sentences for everybody that stand until their cause has passed.

Each kind has a severity, a cause that ends it, and may or may not be acknowledged (`KINDS`). Several of one kind stand
side by side where they are about different things, such as two lost devices.
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
Cause: TypeAlias = Literal["reported", "decision", "match", "answered"]
"""What ends a notice: whoever posted it says so; another decision is open; a match begins; somebody does what it asks."""


class Rule(NamedTuple):
    """How a kind of notice behaves: how severe it is, what ends it, and whether a person may take it away."""

    severity: Severity
    ends: Cause
    can_acknowledge: bool = False
    seconds: float | None = None
    """After so long it is old news and ends by itself."""


KINDS: Mapping[Kind, Rule] = {
    "disk": Rule("error", "reported"),  # the log cannot be written: ends when it can
    "rules": Rule("error", "reported"),  # a fault of the rules froze the match: ends with an undo or another match
    "broker": Rule("error", "reported"),  # phones cannot be reached: ends when the broker is back
    "restarted": Rule("warning", "match", can_acknowledge=True),  # a fault: the table has started again from its log
    "slow_disk": Rule("warning", "reported"),  # a write took a second and more: ends with a quick one
    "help": Rule(
        "warning", "match", can_acknowledge=True
    ),  # a bar was held: ends when somebody has come, or with the box
    "not_rolled": Rule("warning", "decision"),  # nobody rolls: ends with the dice moving as well
    "other_value": Rule("warning", "decision"),  # a box opened another value than it had locked
    "claim": Rule("warning", "reported"),  # a phone asks for a seat: ends when that is decided
    "wanted": Rule("warning", "reported"),  # somebody asks for a table at which nobody is heard: ends with an answer
    "taken": Rule(
        "warning", "match", can_acknowledge=True, seconds=60
    ),  # a seat somebody plays at has changed its phone
    "guessing": Rule("warning", "match", can_acknowledge=True),  # many wrong codes of seats came
    "set_aside": Rule("warning", "match", can_acknowledge=True),  # the last match could not go on after a restart
    "lost": Rule("warning", "match", can_acknowledge=True),  # the disk has less of the last match than was played
    "database": Rule("warning", "match", can_acknowledge=True),  # a damaged database was set aside
    "kept": Rule("warning", "match", can_acknowledge=True),  # a private value of the table was set aside
    "device": Rule("warning", "reported"),  # a device is lost: ends when it is back
    "simulated": Rule("warning", "reported"),  # simulated devices in a hub that is no demonstration
    "network": Rule("info", "reported"),  # phones cannot reach the hub yet: ends when it has an address
    "new_box": Rule("info", "reported"),  # a seat box belongs to no seat yet: ends when it does, or is gone
    "not_started": Rule("info", "answered"),  # why a push did not start a match
    "dial": Rule("info", "match"),  # which game a push starts
    "idle": Rule("info", "reported"),  # nobody has played for long: ends when somebody does, or the match is put aside
    "time": Rule("info", "reported"),  # the time of this table ends soon, or is over
    "on_phone": Rule(
        "info", "match", can_acknowledge=True, seconds=15
    ),  # a seat that played on its box has a phone now
    "staff": Rule("info", "match", can_acknowledge=True, seconds=60),  # what staff did to the match
}


class Notices(Part):
    """The notices that stand now, by key: the kind, and what it is about where there may be several."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._posted: dict[str, tuple[Kind, str]] = {}
        self._since: dict[str, float] = {}  # the clock's seconds, of those that end with time

    def post(self, kind: Kind, text: str, about: str = "") -> bool:
        """Let a notice stand, in place of the one of that kind about the same thing; return whether it is new."""
        key = _key(kind, about)
        if self._posted.get(key) == (kind, text):
            self._posted[key] = (kind, text)  # posted again: `passed` takes it for a new one
            return False
        self._posted.pop(key, None)
        self._posted[key] = (kind, text)
        self._since[key] = self._clock.now()
        return True

    def run_due(self) -> bool:
        """End what has stood for as long as it is news; return whether anything has."""
        now, before = self._clock.now(), len(self._posted)
        for key, (kind, _) in list(self._posted.items()):
            seconds = KINDS[kind].seconds
            if seconds is not None and now >= self._since[key] + seconds:
                del self._posted[key]
        return len(self._posted) < before

    def end(self, kind: Kind, about: str = "") -> bool:
        """Take a notice away; return whether it stood."""
        return self._posted.pop(_key(kind, about), None) is not None

    def is_posted(self, kind: Kind) -> bool:
        """Return whether a notice of that kind stands that is about nothing else."""
        return kind in self._posted

    def ended_by(self, cause: Cause) -> dict[str, tuple[Kind, str]]:
        """Return the notices that this cause ends, by key."""
        return {key: notice for key, notice in self._posted.items() if KINDS[notice[0]].ends == cause}

    def end_all(self, cause: Cause, before: Mapping[str, tuple[Kind, str]] | None = None) -> None:
        """End every notice that this cause ends; with `before`, a result of `ending`, none that was posted since."""
        for key, notice in self.ended_by(cause).items():
            if before is None or before.get(key) is notice:
                del self._posted[key]

    def acknowledge(self, key: str) -> None:
        """Take away a notice that somebody has taken care of. Raise NotOffered where it is not there, or not theirs to take."""
        known = self._posted.get(key)
        if known is None:
            raise NotOffered(say("That notice has ended already."), "NOTICE")
        if not KINDS[known[0]].can_acknowledge:
            raise NotOffered(say("This notice ends by itself, with its cause."), "NOTICE")
        del self._posted[key]

    def public(self) -> list[Notice]:
        """Return what stands, most severe first, in the order of `KINDS`, of one kind the oldest first."""
        kinds = list(KINDS)
        standing = sorted(self._posted.items(), key=lambda item: kinds.index(item[1][0]))
        return [Notice(key, KINDS[kind].severity, text, KINDS[kind].can_acknowledge) for key, (kind, text) in standing]


def _key(kind: Kind, about: str) -> str:
    return f"{kind}:{about}" if about else kind
