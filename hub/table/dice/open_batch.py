"""The batch of dice on the table: from being asked for, through what a reader sees or a person types, to being accepted."""

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
    """The present batch. `reader` is None where there is none, and then dice are typed, or rolled by the hub.

    `state` is one of `roll_states.TRANSITIONS`, `text` the sentence that goes with it; `moved_at` is when somebody was
    at the dice last, in the clock's seconds.
    """

    def __init__(self, reader: Dice | None, clock: Clock) -> None:
        self._reader, self._clock = reader, clock
        self._arms = 0
        self.moved_at = 0.0
        self.begin(None, 0)

    def begin(self, roll: Roll | None, size: int) -> None:
        """Begin a batch of `size` dice of a roll; nobody is asked for it yet."""
        self._roll, self.size = roll, size
        self.state: RollState = "armed"
        self.text = ""
        self.faces: list[int] = []  # what was read or typed, and is not accepted yet
        self.aside: list[int] = []  # dice that lie aside while the others are thrown again
        self.flat: list[int] = []  # dice that lie flat beside a leaning one
        self.mode: Literal["thrown", "second reading", "as it lies"] = "thrown"
        self.lies_votes: list[int] = []
        self._accept_at: float | None = None
        self._silent_at: float | None = None

    @property
    def arms(self) -> int:
        """Return the number of the newest throw that the reader was asked for."""
        return self._arms

    def continue_numbering(self, arms: int) -> None:
        """Go on numbering throws after `arms`: the reader outlives a table that starts again."""
        self._arms = arms

    @property
    def missing(self) -> int:
        """Return how many dice are still to be thrown or typed."""
        return self.size - len(self.aside) - len(self.flat)

    @property
    def lying(self) -> bool:
        """Return whether nobody throws: what lies there is wanted."""
        return self.mode != "thrown"

    @property
    def untouched(self) -> bool:
        """Return whether nobody has begun with it."""
        return self.state in ("armed", "no_reader") and not self.aside and not self.flat and not self.lying

    @property
    def has_known_dice(self) -> bool:
        """Return whether a die of it is known."""
        return bool(self.aside or self.flat or self.faces or self.mode == "second reading")

    def allows(self, step: Step) -> bool:
        """Return whether the present state has this step."""
        return step in TRANSITIONS[self.state]

    def take_step(self, step: Step, text: str = "") -> None:
        """Take a step and say `text` about it. Raise NotOffered where the present state has no such step."""
        after = TRANSITIONS[self.state].get(step)
        if after is None:
            raise NotOffered(REFUSALS[step], "DICE")
        self.state, self.text = after, text
        if step in MOVING_STEPS:
            self.moved_at = self._clock.now()

    # --- the reader ---

    def arm(self, *, lying: bool = False) -> None:
        """Wait for the dice that are missing; `lying`: for what lies there, read again."""
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
        """Ask the reader, between rolls, which of `count` dice lie there; return the arm's number, None without a reader."""
        if self._reader is None:
            return None
        self._arms += 1
        self._reader.arm(self._arms, 1, count, 6, lying=True)
        return self._arms

    def begin_second_reading(self) -> None:
        """Ask for no throw: what lies there was accepted and disputed, and gets its second reading, or is typed."""
        self.mode, self.text = "second reading", AGAIN
        self.arm(lying=True)

    def disarm(self) -> None:
        """Let the reader ignore whatever the dice do."""
        if self._reader:
            self._reader.disarm()

    def on_reading(self, report: DiceSeen) -> bool:
        """Take what the reader sees; return whether it was asked. Picking up what has settled changes nothing."""
        if self._roll is None or report.arm != self._arms or not self.allows("ready"):
            return False
        second = self.mode == "second reading"
        if not second or report.state != "armed":  # a reader that only has to look says in time what it sees
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
            case "armed" if self.flat:  # the reader was away and knows nothing of them: they lie aside
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
        leaning = self.size - len(self.aside) - len(flat)
        if leaning < 1:
            self._miscount(
                say(
                    "I see {count} of {total}: roll again, or type what they show.",
                    count=len(flat),
                    total=len(flat) - leaning,
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
        """Return a sentence about a face that no die of this roll has, if one was seen."""
        wrong = next((face for face in faces if not self._has(face)), None)
        if wrong is None:
            return ""
        return say("I see a {face}, which no die here has: roll again, or type what they show.", face=wrong)

    def _has(self, face: int) -> bool:
        return self._roll is not None and 1 <= face <= self._roll.sides

    def _lay_aside(self) -> None:
        """Let dice that lay flat count as they lay, whatever else was picked up: only the others are thrown again."""
        self.aside, self.flat = self.aside + self.flat, []
        text = say_count(
            "{faces} stands: lay it aside, and roll {dice}.",
            "{faces} stand: lay them aside, and roll {dice}.",
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
        """Ask the reader no more: the roller types what lies there."""
        self.take_step(step, text)
        self.disarm()
        self._arms += 1
        self._accept_at = self._silent_at = None

    # --- people ---

    def type_faces(self, seat: int, faces: list[int]) -> None:
        """Take what the roller types: a list of the faces that are missing. Raise IllegalAction."""
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
            say("Seat {seat} typed this. Somebody else says whether that is right, within a minute.", seat=seat),
        )
        self.faces = self.aside + self.flat + faces

    def check_accept(self, seat: int) -> Read:
        """Return how the dice came in that a seat accepts: read ones are the roller's, typed ones another seat's.

        Raise IllegalAction where they are not that seat's to accept.
        """
        roll = self._open_roll()
        if self.state == "typed" and seat == roll.seat:
            raise NotOffered(say("Somebody else says whether typed dice are right."), "DICE")
        if self.state == "settled" and seat != roll.seat:
            raise NotOffered(say("Only Seat {seat} accepts this roll.", seat=roll.seat), "DICE")
        if not self.allows("accepted"):
            raise NotOffered(REFUSALS["accepted"], "DICE")
        return "typed" if self.state == "typed" else "read"

    def read_again(self) -> None:
        """Read the dice again as they lie: somebody objects to what was read or typed. Raise IllegalAction."""
        self._open_roll()
        lying = self.state != "wrong_count"
        self.take_step("read_again")
        self.flat = []
        self.arm(lying=lying)

    def vote_as_it_lies(self, seat: int, voters: int) -> None:
        """Note that a seat would have the leaning dice read as they lie, or no longer; once enough would, they are typed.

        Raise IllegalAction where no die is leaning.
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
                "Read as it lies: type it.", "Read as they lie: type the {count} leaning dice.", self.missing
            )
            self._by_hand("as_it_lies", text)

    def _open_roll(self) -> Roll:
        if self._roll is None:
            raise NotAsked(say("No roll is wanted now."), "DICE")
        return self._roll

    # --- time ---

    @property
    def due_at(self) -> float | None:
        """Return when something is due by itself, in the clock's seconds."""
        return min((at for at in (self._accept_at, self._silent_at) if at is not None), default=None)

    @property
    def accept_is_due(self) -> bool:
        """Return whether dice that were read have lain there long enough without objection."""
        return self._accept_at is not None and self._clock.now() >= self._accept_at

    def check_silence(self) -> None:
        """Let dice be typed where the reader has not answered in time."""
        if self._silent_at is not None and self._clock.now() >= self._silent_at:
            self._silent_at = None
            self.take_step("silent", say("The dice reader is silent: type what the dice show."))


def _dice(count: int) -> Text:
    return say_count("one die", "{count} dice", count)
