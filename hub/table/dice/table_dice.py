"""The dice of one table: the requested roll, batch by batch, up to its final faces.

- A roll is split into batches of at most six dice, or of as many as the reader has.
- A batch that was read is accepted after a second without objection, or by the roller.
- A typed batch is accepted by another seat, or after a minute without objection.
- If all players agree, the hub rolls the missing dice.
- Accepted batches are on disk. A power cut loses only the batch on the table.
- Nobody can improve a roll: settled dice are read again, never rolled again. Of a batch with leaning dice, only these
  are rolled again, unless the table votes to read them as they lie.

`hub.table.dice.open_batch` handles the batch on the table, `hub.table.dice.roll_states` defines its states.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from hub.chance import Chance
from hub.engine import odds
from hub.engine.decision import Roll
from hub.engine.text import say, to_json
from hub.errors import NotAsked, NotOffered
from hub.ports import Clock, Dice, DiceKit, DiceSeen
from hub.state import Batch, Kit, PublicDice, Read, Wanted
from hub.table.base.kept import KeptValues
from hub.table.dice.open_batch import OpenBatch
from hub.table.dice.roll_states import (
    BATCH,
    HINT_SECONDS,
    REFUSALS,
    STAFF_SECONDS,
    TYPED_SECONDS,
    least_physical,
    votes_needed,
)


class KeptRoll(msgspec.Struct, frozen=True):
    """The part of an incomplete roll that survives a power cut."""

    key: str
    batches: list[Batch]


def wanted(roll: Roll, wants: odds.Wants, known: tuple[int, ...] = ()) -> Wanted:
    """Return what a roll must show with the odds after the faces `known`, and the exact odds if the text rounds them."""
    left = roll.count - len(known)
    chance = odds.chance(left, roll.sides, wants, known)
    exact = "" if roll.sides % chance.denominator == 0 else odds.exact_text(chance)
    return Wanted(odds.goal_text(left, roll.sides, wants, known), exact)


class TableDice:
    """The requested roll of a table, if any, and `open`, its batch on the table. Methods may raise LogError."""

    def __init__(self, reader: Dice | None, kept: KeptValues, clock: Clock, chance: Chance) -> None:
        self._kept, self._clock, self._chance = kept, clock, chance
        self._kit: DiceKit | None = None
        self.open = OpenBatch(reader, clock)
        self.roll: Roll | None = None
        self.key = ""
        self._wants: odds.Wants | None = None
        self._batches: list[Batch] = []
        self._hub_votes: list[int] = []

    # --- the roll ---

    def request_roll(self, key: str, roll: Roll, wants: odds.Wants | None) -> None:
        """Request a roll. With the same `key` as before, batches accepted before a power cut or a loan count again."""
        batches = list(self._batches) if self.roll and self.key == key else self._recall(key)
        if self.key != key:
            self._forget()
            self._restart_wait()
        self.roll, self.key, self._wants = roll, key, wants
        while batches and sum(len(batch.faces) for batch in batches) >= roll.count:
            batches.pop()
        self._batches = batches
        self.open.begin(roll, self._fitting())
        self.open.arm()

    def request_second_reading(self, key: str, roll: Roll, batches: Sequence[Batch]) -> None:
        """Request a second reading of a disputed roll: of its last batch as it lies, read or typed.

        Earlier batches keep their faces, because their dice were picked up long ago.
        """
        self._forget()
        self.roll, self.key, self._wants = roll, key, None
        self._restart_wait()
        self._batches = list(batches[:-1])
        self.open.begin(roll, len(batches[-1].faces))
        self.open.begin_second_reading()

    def close(self) -> None:
        """Cancel the request."""
        if self.roll:
            self._forget()
            self.roll, self.key = None, ""
            self.open.begin(None, 0)
            self.open.disarm()

    @property
    def result(self) -> tuple[list[int], Read] | None:
        """Return all faces in order and how they were read, or None before every batch was accepted."""
        if self.roll is None or self.accepted < self.roll.count:
            return None
        return [face for batch in self._batches for face in batch.faces], least_physical(self._batches)

    @property
    def batches(self) -> list[Batch]:
        """Return the accepted batches of the roll."""
        return list(self._batches)

    @property
    def accepted(self) -> int:
        """Return the number of accepted dice."""
        return sum(len(batch.faces) for batch in self._batches)

    @property
    def has_fallen(self) -> bool:
        """Return whether a die of this roll is known. Then its roller must finish it before any other action."""
        return self.roll is not None and bool(self._batches or self.open.has_known_dice)

    @property
    def is_touched(self) -> bool:
        """Return whether somebody has picked up or thrown dice of this roll."""
        return self.has_fallen or (self.roll is not None and self.open.state not in ("armed", "no_reader"))

    @property
    def voting(self) -> bool:
        """Return whether a seat has voted for a roll by the hub."""
        return bool(self._hub_votes)

    def _restart_wait(self) -> None:
        self._hub_votes, self.open.moved_at = [], self._clock.now()

    def _fitting(self) -> int:
        """Return the size of the next batch."""
        if self.roll is None:
            return 0
        most = self._kit.dice if self._kit and self._kit.dice else BATCH
        return min(BATCH, most, self.roll.count - self.accepted)

    # --- the reader ---

    @property
    def has_dice(self) -> bool:
        """Return whether the reader has dice."""
        return self._kit is not None and self._kit.dice > 0

    def on_kit(self, kit: DiceKit) -> None:
        """Note which dice the reader has. An untouched batch is requested again if its size changes."""
        self._kit = kit
        if self.roll and self.open.untouched and self.open.size != self._fitting():
            self.open.begin(self.roll, self._fitting())
            self.open.arm()

    def on_reading(self, report: DiceSeen) -> bool:
        """Handle a report of the reader. Return whether it was expected."""
        return self.roll is not None and self.open.on_reading(report)

    # --- people ---

    @property
    def typed_timed_out(self) -> bool:
        """Return whether typed dice have waited for a minute without an answer."""
        return self.open.state == "typed" and self._clock.now() - self.open.moved_at >= TYPED_SECONDS

    def accept_typed(self) -> None:
        """Accept typed dice: nobody else is present, or nobody has objected in time."""
        self._accept("typed")

    def accept(self, seat: int) -> None:
        """Accept the batch on the table. Raise IllegalAction if the seat may not."""
        self._accept(self.open.check_accept(seat))

    def vote_hub(self, seat: int, voters: Sequence[int]) -> None:
        """Toggle the vote of a seat for a roll by the hub. When all `voters` agree, the hub rolls the missing dice.

        Raise IllegalAction if the hub may not roll, or if dice lie there that only have to be read again.
        """
        self._check_hub()
        if self.open.objected and not (self.open.aside or self.open.flat):
            raise NotOffered(REFUSALS["hub"], "DICE")
        if seat in self._hub_votes:
            self._hub_votes.remove(seat)
            return
        self._hub_votes.append(seat)
        if all(voter in self._hub_votes for voter in voters):
            self.roll_by_hub()

    def _check_hub(self) -> Roll:
        """Return the roll that the hub may make now. Raise IllegalAction if there is none."""
        if self.roll is None:
            raise NotAsked(say("No roll is needed now."), "DICE")
        if self.open.lying or not self.open.allows("hub"):
            raise NotOffered(REFUSALS["hub"], "DICE")
        return self.roll

    def roll_by_hub(self) -> None:
        """Roll the missing dice. Raise IllegalAction if the hub may not."""
        roll, batch = self._check_hub(), self.open
        batch.faces = batch.aside + batch.flat + self._chance.faces(batch.missing, roll.sides)
        self._accept("hub")
        while self.accepted < roll.count:
            batch.faces = self._chance.faces(batch.size, roll.sides)
            self._accept("hub")

    # --- accepting ---

    def _accept(self, read: Read) -> None:
        """Accept the batch, once it is on disk. Raise LogError, and then it is not accepted."""
        assert self.roll is not None
        batches = [*self._batches, Batch(self.open.faces, read)]
        whole = self.accepted + len(self.open.faces) == self.roll.count
        if not whole:
            self._kept.write("dice", to_json(KeptRoll(self.key, batches)))
        self.open.take_step("hub" if read == "hub" else "accepted")
        self._batches = batches
        self.open.begin(self.roll, self._fitting())
        if not whole and read != "hub":
            self._restart_wait()
            self.open.arm()

    def _recall(self, key: str) -> list[Batch]:
        roll = self._kept.read("dice", KeptRoll, say("the dice of an unfinished roll"))
        return roll.batches if roll and roll.key == key else []

    def _forget(self) -> None:
        if self._batches:
            self._batches = []
            self._kept.forget("dice")

    # --- time ---

    @property
    def unattended(self) -> bool:
        """Return whether the dice of this roll have been inactive for so long that staff are called."""
        if self.roll is None or self.open.state in ("settled", "typed"):  # they only have to be accepted
            return False
        return self._clock.now() - self.open.moved_at >= STAFF_SECONDS

    def run_due(self) -> bool:
        """Do everything that is due. Return whether anything has changed."""
        if self.roll is None:
            return False
        batch = self.open
        before = batch.state, batch.text, self.accepted
        if batch.accept_is_due:
            self._accept("read")
        else:
            batch.check_silence()
        waited = self._clock.now() - batch.moved_at
        if waited >= HINT_SECONDS and batch.state == "armed" and not batch.text:
            batch.text = say("Roll, type what the dice show, or let the hub roll.")
        return before != (batch.state, batch.text, self.accepted)

    # --- what everybody sees ---

    def public(self, voters: int) -> PublicDice | None:
        """Return the public state of the open roll; `voters` is the number of seats that vote on a leaning die."""
        roll, batch = self.roll, self.open
        if roll is None:
            return None
        faces = batch.faces or batch.aside + batch.flat
        read: Read | None = "typed" if batch.state == "typed" else "read" if faces else None
        return PublicDice(
            state=batch.state, seat=roll.seat, count=roll.count, sides=roll.sides, why=roll.why, batch=batch.size,
            faces=list(faces), read=read, done=list(self._batches),
            total=sum(face for known in self._batches for face in known.faces) + sum(faces), say=batch.text,
            votes=list(self._hub_votes), again=batch.mode == "second reading", lying=batch.lying,
            as_it_lies=list(batch.lies_votes), enough=votes_needed(voters),
            wants=self._wanted() if batch.state not in ("settled", "typed") else None,
        )  # fmt: skip

    def _wanted(self) -> Wanted | None:
        known = tuple(face for batch in self._batches for face in batch.faces)
        return wanted(self.roll, self._wants, known) if self.roll and self._wants else None

    def public_kit(self) -> Kit | None:
        """Return the dice of the reader and those with weak batteries, for the lobby."""
        kit = self._kit
        return Kit(kit.dice, list(kit.weak)) if kit else None
