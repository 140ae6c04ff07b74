"""The promises of a table, checked at each state that it shows. A broken one raises `Broken`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hub.network.messages import to_bytes
from hub.state import ScreenState
from tests.complete_states import read_state

State = dict[str, Any]

SAME = frozenset({
    "state", "match", "game", "epoch", "seats", "locked", "want", "question", "dice", "dispute", "paused", "over",
    "claiming", "starting", "view", "notices", "options", "hints",
})  # fmt: skip
"""What the table's own screen and phones show alike."""
REVEAL_SECONDS = 10
"""Until choices are revealed, once everybody has locked theirs."""
LATE_SECONDS = 3.0
"""How much later than promised something may happen."""


class Broken(BaseException):
    """A promise was broken. The table, which survives an Exception, does not catch this one."""


@dataclass
class Auditor:
    """Checks what everybody is shown, over all runs of the hub."""

    events: dict[str, list[str]] = field(default_factory=dict)
    """By match, the events that were shown."""
    may_lose: bool = False
    """Somebody has asked to undo an action, or to read dice again, since events were last taken back."""
    was_idle: bool = False
    """The hub has ended since the last state, and was doing nothing at that moment."""
    newest: ScreenState | None = None
    _shown: dict[tuple[str, int], ScreenState | State] = field(default_factory=dict)
    """By session and number, the newest states of the screen; as JSON once a phone was sent the same state."""
    _judged: ScreenState | None = None
    """The newest state when the time was checked last."""
    _waits: dict[str, tuple[object, float]] = field(default_factory=dict)
    """What people were told to wait for, and when that ends at the latest."""

    def on_state(self, state: ScreenState) -> None:
        """Check a state of the big screen."""
        before, self.newest = self.newest, state
        if before and before.session == state.session and state.seq < before.seq:
            raise Broken(f"State {state.seq} was shown after {before.seq}.")
        if before and before.session != state.session and state.epoch <= before.epoch and state.state != "stopped":
            raise Broken(f"After a start of the hub, the epoch is {state.epoch}, and was {before.epoch}.")
        self.may_lose |= state.dispute is not None and state.dispute.stage == "reading"  # a roll is read again
        if state.match and state.view:
            self._check_events(state)
        self._shown[state.session, state.seq] = state
        while len(self._shown) > 60:
            del self._shown[next(iter(self._shown))]

    def on_phone_state(self, state: State) -> None:
        """Check what a phone was sent: it is what the screen shows."""
        key = state["session"], state["seq"]
        if shown := self._shown.get(key):
            other = self._shown[key] = read_state(to_bytes(shown)) if isinstance(shown, ScreenState) else shown
            if differ := [key for key in SAME if state[key] != other[key]]:
                raise Broken(
                    f"Phones and the screen differ in {differ}: {[(state[key], other[key]) for key in differ]}"
                )

    def check_time(self, now: float, *, is_well: bool) -> None:
        """Check that what is announced with its seconds has ended by then. A hub in trouble may take longer."""
        state, is_new, self._judged = self.newest, self.newest is not self._judged, self.newest
        announced: dict[str, tuple[object, int]] = {}
        if state and state.question:
            asked = state.question
            announced["question"] = (state.session, asked.kind, asked.seat, asked.text), asked.seconds
        if state and state.starting:
            announced["start"] = (state.session, state.starting.game, state.starting.seat), state.starting.seconds
        waiting = state.view.waiting if state and state.view and not state.paused else None
        if state and waiting and waiting.secret and {*waiting.seats} <= {f"{seat}" for seat in state.locked}:
            announced["reveal"] = (state.session, state.match, state.epoch, state.events[-1:]), REVEAL_SECONDS
        for what in ("question", "start", "reveal"):
            if what not in announced or not is_well:
                self._waits.pop(what, None)
                continue
            subject, seconds = announced[what]
            known, ends = self._waits.get(what, (None, 0.0))
            is_delayed = what == "start" and is_new and now + seconds > ends + 1.0 and seconds > 0  # by people
            if known != subject or is_delayed:
                self._waits[what] = subject, now + seconds
            elif now > ends + LATE_SECONDS:
                raise Broken(f"The {what} {subject} should have ended {now - ends:.0f} s ago.")

    def has_ended(self, what: str, now: float) -> bool:
        """Return whether the announced time of a "question" or a "start" is over, or will be within a second."""
        return now >= self._waits.get(what, (None, now))[1] - 1.0

    def _check_events(self, state: ScreenState) -> None:
        """An event that was shown is on disk (SECURITY.md): only an undo, and dice that are read again, take events back.

        That something was undone is an event of its own, which no log has: a restart forgets it.
        """
        assert state.match
        known = self.events.setdefault(state.match, [])
        shown = [f"{event.kind}: {event.text}" for event in state.events if event.kind != "undo"]
        kept = len(known)
        while kept and not _follows(known[:kept], shown):
            kept -= 1
        if kept < len(known):
            if not self.may_lose:
                raise Broken(f"{state.match} has lost events: {known[kept:]}. It shows {shown[-4:]}.")
            self.may_lose = False
        overlap = next(
            size for size in range(min(kept, len(shown)), -1, -1) if known[kept - size : kept] == shown[:size]
        )
        if self.was_idle and len(known) and shown[overlap:]:
            raise Broken(f"After a restart, {state.match} has events that nobody had seen: {shown[overlap:]}.")
        self.was_idle = False
        known[kept:] = shown[overlap:]

    def on_answer(self, verb: str, answer: State) -> None:
        """Check the answer to a request of a phone."""
        if answer["code"] == "FAULT":
            raise Broken(f"The table failed at {verb}: {answer['error']}")
        if not answer["ok"] and not answer["error"]:
            raise Broken(f"{verb} was refused without a sentence.")


def _follows(known: list[str], shown: list[str]) -> bool:
    """Return whether the newest events that are shown go on where the known ones end."""
    most = min(len(known), len(shown))
    return any(known[-size:] == shown[:size] for size in range(most, 0, -1))


def facts(state: ScreenState) -> dict[str, Any]:
    """Return what a failed run says about the table."""
    return {
        "state": state.state, "match": state.match, "want": str(state.want),
        "question": state.question and state.question.kind,
        "seats": {one.seat: (one.held, one.phone, one.presence, one.house) for one in state.seats},
        "notices": [str(one.text) for one in state.notices],
    }  # fmt: skip
