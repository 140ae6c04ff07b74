"""The promises of a table, checked at each state that it shows. A broken one raises `Broken`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hub.state import ScreenState
from tests.simulation.phone import State


class Broken(BaseException):
    """A promise was broken. The table, which survives an Exception, does not catch this one."""


@dataclass
class Auditor:
    """Checks what everybody is shown, over all runs of the hub."""

    events: dict[str, list[str]] = field(default_factory=dict)
    """By match, the events that were shown."""
    may_lose: bool = False
    """Somebody has asked to undo an action since events were last taken back."""
    newest: ScreenState | None = None

    def on_state(self, state: ScreenState) -> None:
        """Check a state of the big screen."""
        before, self.newest = self.newest, state
        if before and before.session == state.session and state.seq < before.seq:
            raise Broken(f"State {state.seq} was shown after {before.seq}.")
        if state.match and state.view:
            self._check_events(state)

    def _check_events(self, state: ScreenState) -> None:
        """An event that was shown is on disk (SECURITY.md): only an undo takes events back.

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
