"""The current batch of dice, from the request through reading or typing to acceptance."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from hub.engine.decision import Roll
from hub.engine.text import Text, say, say_count
from hub.errors import NotAsked, NotOffered
from hub.ports import Clock, Dice, DiceSeen
from hub.state import Read, RollState
from hub.table.dice.roll_states import (
    ACCEPT_SECONDS,
    MOVING_STEPS,
    REFUSALS,
    SILENT_SECONDS,
    TRANSITIONS,
    Step,
    votes_needed,
)

AGAIN = say("The dice are read again as they lie.")
TYPE = say("Type what the dice show.")
UNREADABLE = say("The reader cannot tell: type how the dice lie.")


class OpenBatch:
    """The current batch. Without a `reader` (None), dice are typed or rolled by the hub.

    `state` is a key of `roll_states.TRANSITIONS`, and `text` the sentence about it. `moved_at` is the time of the last
    activity at the dice, in the clock's seconds.
    """

    def __init__(self, reader: Dice | None, clock: Clock) -> None:
        self._reader, self._clock = reader, clock
        self._arms = 0
        self.moved_at = clock.now()
        self.begin(None, 0)

    def begin(self, roll: Roll | None, size: int) -> None:
        """Begin a batch of `size` dice of a roll, without asking the reader yet."""
        self._roll, self.size = roll, size
        self.state: RollState = "armed"
        self.text = ""
        self.faces: list[int] = []  # read or typed, not accepted yet
        self.aside: list[int] = []  # faces of dice laid aside while the others are thrown again
        self.flat: list[int] = []  # faces of flat dice beside a leaning one
        self.mode: Literal["thrown", "second reading", "as it lies"] = "thrown"
        self.lies_votes: list[int] = []
        self.objected = False  # dice that were seen or typed lie there to be read again
        self._accept_at: float | None = None
        self._silent_at: float | None = None

    @property
    def arms(self) -> int:
        """Return the number of the latest request to the reader."""
        return self._arms

    def continue_numbering(self, arms: int) -> None:
        """Continue the numbers of requests after `arms`, as the reader outlives a restarted table."""
        self._arms = arms

    @property
    def missing(self) -> int:
        """Return how many dice are still to be thrown or typed."""
        return self.size - len(self.aside) - len(self.flat)

    @property
    def lying(self) -> bool:
        """Return whether the dice on the table are to be read or typed without a throw."""
        return self.mode != "thrown"

    @property
    def untouched(self) -> bool:
        """Return whether nobody has started on the batch."""
        return self.state in ("armed", "no_reader") and not self.lying and not self.has_known_dice

    @property
    def has_known_dice(self) -> bool:
        """Return whether any die of the batch is known, or was before an objection."""
        return bool(self.aside or self.flat or self.faces or self.objected or self.mode == "second reading")

    def allows(self, step: Step) -> bool:
        """Return whether the current state has this step."""
        return step in TRANSITIONS[self.state]

    def take_step(self, step: Step, text: str = "") -> None:
        """Take a step and set `text`. Raise NotOffered if the current state does not have this step."""
        after = TRANSITIONS[self.state].get(step)
        if after is None:
            raise NotOffered(REFUSALS[step], "DICE")
        self.state, self.text = after, text
        if step in MOVING_STEPS:
            self.moved_at = self._clock.now()

    # --- the reader ---

    def arm(self, *, lying: bool = False) -> None:
        """Ask the reader for the missing dice; with `lying`, for another reading of the dice on the table."""
        roll = self._roll
        assert roll is not None
        self._arms += 1
        self.faces, self._accept_at, self.lies_votes = [], None, []
        if self.mode == "as it lies":
            self.mode = "thrown"
        self.state = "armed"
        if self._reader is None:
            self.take_step("lost", self.text or TYPE)
            return
        self._silent_at = self._clock.now() + SILENT_SECONDS
        self._reader.arm(self._arms, roll.seat, self.size - len(self.aside), roll.sides, lying=lying)

    def arm_for_census(self, count: int) -> int | None:
        """Ask the reader to read `count` lying dice. Return the request's number; None without a reader."""
        if self._reader is None:
            return None
        self._arms += 1
        self._reader.arm(self._arms, 1, count, 6, lying=True)
        return self._arms

    def begin_second_reading(self) -> None:
        """Ask for a second reading of disputed dice as they lie, by the reader or typed."""
        self.mode, self.text = "second reading", AGAIN
        self.arm(lying=True)

    def disarm(self) -> None:
        """Let the reader ignore the dice."""
        if self._reader:
            self._reader.disarm()

    def on_reading(self, report: DiceSeen) -> bool:
        """Handle a report of the reader. Return whether it was expected. Picking up settled dice changes nothing."""
        if self._roll is None or report.arm != self._arms or not self.allows("ready"):
            return False
        second = self.mode == "second reading"
        if not second or report.state != "armed":  # for a second reading, "armed" is no answer yet
            self._silent_at = None
        if report.state != "cocked":
            self.lies_votes = []
        match report.state:
            case "settled":
                self._read(list(report.faces))
            case "cocked" | "wrong_count" | "no_reader" if second:
                self._by_hand("unreadable", UNREADABLE)
            case "cocked":
                self._lean(list(report.faces), report.say)
            case "wrong_count":
                self._miscount(report.say)
            case "armed" if self.flat:  # the reader was lost and has forgotten the flat dice: lay them aside
                self._lay_aside()
            case "armed":
                self.take_step("ready", report.say or (self.text if self.aside or second else ""))
            case "rolling":
                self.take_step("falling", AGAIN if second else "")
            case "no_reader":
                self.take_step("lost", report.say or TYPE)
        return True

    def _read(self, faces: list[int]) -> None:
        expected = self.size - len(self.aside)
        if len(faces) != expected:
            self._miscount(
                say("I see {count} of {total}: roll again, or type what they show.", count=len(faces), total=expected)
            )
        elif wrong := self._wrong_face(faces):
            self._miscount(wrong)
        elif Counter(self.flat) - Counter(faces):
            self._lay_aside()
        else:
            self.take_step("read")
            self.flat, self.faces = [], self.aside + faces
            self._accept_at = self._clock.now() + ACCEPT_SECONDS

    def _lean(self, flat: list[int], text: str) -> None:
        expected = self.size - len(self.aside)
        leaning = expected - len(flat)
        if leaning < 1:  # at least one more is leaning
            self._miscount(
                say(
                    "I see {count} of {total}: roll again, or type what they show.",
                    count=len(flat) + 1,
                    total=expected,
                )
            )
        elif wrong := self._wrong_face(flat):
            self._miscount(wrong)
        elif Counter(self.flat) - Counter(flat):
            self._lay_aside()
        else:
            leans = say_count(
                "One die is leaning: roll only that one again.",
                "{count} dice are leaning: roll only those again.",
                leaning,
            )
            self.take_step("leaning", text or leans)
            self.flat = flat

    def _wrong_face(self, faces: list[int]) -> str:
        """Return a sentence about a face that no die of this roll has; "" if all are possible."""
        wrong = next((face for face in faces if not self._has(face)), None)
        if wrong is None:
            return ""
        return say("I see a {face}, which no die here has: roll again, or type what they show.", face=wrong)

    def _has(self, face: int) -> bool:
        return self._roll is not None and 1 <= face <= self._roll.sides

    def _lay_aside(self) -> None:
        """Keep the faces of dice that lay flat, even if they were picked up. Only the others are thrown again."""
        self.aside, self.flat = self.aside + self.flat, []
        text = say_count(
            "{faces} counts: put that die aside, and roll {dice}.",
            "{faces} count: put those dice aside, and roll {dice}.",
            len(self.aside),
            faces=" ".join(map(str, self.aside)),
            dice=_dice(self.size - len(self.aside)),
        )
        self.take_step("lifted", text)
        self.arm()

    def _miscount(self, text: str) -> None:
        if self.mode == "second reading":
            self._by_hand("unreadable", UNREADABLE)
        else:
            self.take_step("miscounted", text)
            self.flat = []

    def _by_hand(self, step: Step, text: str) -> None:
        """Stop asking the reader. People type or accept the dice from here on."""
        self.take_step(step, text)
        self.disarm()
        self._arms += 1
        self._accept_at = self._silent_at = None

    # --- people ---

    def type_faces(self, seat: int, faces: list[int]) -> None:
        """Take the missing faces as typed by the roller. Raise IllegalAction."""
        roll = self._open_roll()
        if seat != roll.seat:
            raise NotAsked(say("Only Seat {seat} rolls now.", seat=roll.seat), "DICE")
        if not self.allows("typed"):
            raise NotOffered(REFUSALS["typed"], "DICE")
        many = self.missing
        if len(faces) != many or not all(map(self._has, faces)):
            raise NotOffered(
                say_count(
                    "Type one die, 1 to {sides}.", "Type {count} dice, each 1 to {sides}.", many, sides=roll.sides
                ),
                "DICE",
            )
        self._by_hand(
            "typed",
            say("Seat {seat} typed this. Another player must confirm it within a minute.", seat=seat),
        )
        self.faces = self.aside + self.flat + faces

    def check_accept(self, seat: int) -> Read:
        """Return how the dice were read that `seat` accepts. Raise IllegalAction if the seat may not accept them.

        The roller accepts dice that a reader has read; any other seat accepts typed dice.
        """
        roll = self._open_roll()
        if self.state == "typed" and seat == roll.seat:
            raise NotOffered(say("Another player must confirm typed dice."), "DICE")
        if self.state == "settled" and seat != roll.seat:
            raise NotOffered(say("Only Seat {seat} accepts this roll.", seat=roll.seat), "DICE")
        if not self.allows("accepted"):
            raise NotOffered(REFUSALS["accepted"], "DICE")
        return "typed" if self.state == "typed" else "read"

    def read_again(self) -> None:
        """Read the dice again as they lie, after an objection. Raise IllegalAction."""
        self._open_roll()
        lying = self.state != "wrong_count"
        self.take_step("read_again")
        self.flat, self.objected = [], self.objected or lying
        self.arm(lying=lying)

    def vote_as_it_lies(self, seat: int, voters: int) -> None:
        """Toggle a seat's vote to read leaning dice as they lie. With enough votes, they are typed.

        Raise IllegalAction if no die is leaning.
        """
        self._open_roll()
        if not self.allows("as_it_lies"):
            raise NotOffered(REFUSALS["as_it_lies"], "DICE")
        if seat in self.lies_votes:
            self.lies_votes.remove(seat)
            return
        self.lies_votes.append(seat)
        if len(self.lies_votes) >= votes_needed(voters):
            self.mode = "as it lies"
            text = say_count(
                "The die is read as it lies: type it.",
                "The dice are read as they lie: type the {count} leaning ones.",
                self.missing,
            )
            self._by_hand("as_it_lies", text)

    def _open_roll(self) -> Roll:
        if self._roll is None:
            raise NotAsked(say("No roll is needed now."), "DICE")
        return self._roll

    # --- time ---

    @property
    def due_at(self) -> float | None:
        """Return when the batch needs the next call, in the clock's seconds."""
        return min((at for at in (self._accept_at, self._silent_at) if at is not None), default=None)

    @property
    def accept_is_due(self) -> bool:
        """Return whether the time for objections to a reading is over."""
        return self._accept_at is not None and self._clock.now() >= self._accept_at

    def check_silence(self) -> None:
        """Ask for typed dice if the reader has not answered in time."""
        if self._silent_at is not None and self._clock.now() >= self._silent_at:
            self._silent_at = None
            self.take_step("silent", say("The dice reader is silent: type what the dice show."))


def _dice(count: int) -> Text:
    return say_count("one die", "{count} dice", count)
