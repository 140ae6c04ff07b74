"""The dice of one table: the roll that is asked for, from the first call to the faces that stand.

A roll of many dice comes in batches, at most six dice each or as many as the reader has. A batch that was read
stands a second later if nobody objects, or when the roller says so. A batch that was typed stands when a second
seat says so. Where every player wants it, the hub rolls what is still missing. What stands is on disk: a power
cut costs the batch on the table, never those before it. Nobody gets a better roll out of any of this: dice that
have settled are read again, not rolled again, and of a cocked batch only the leaning dice are, unless the table
would have them read as they lie.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import msgspec

from hub.engine import odds
from hub.engine.decision import Roll
from hub.errors import NotAsked, NotOffered
from hub.ports import Clock, Dice, DiceKit, DiceSeen, LogStore
from hub.state import Batch, Kit, PublicDice, Read, RollState, Wanted
from hub.table.chance import Chance

BATCH = 6  # the standard kit: one Bluetooth adapter holds that many dice
ACCEPT_SECONDS = 1.0  # a batch that was read stands after so long without objection
SILENT_SECONDS = 3.0  # a reader that does not answer its arm for so long is no reader
DOORS_SECONDS = 45.0  # then the other doors are pointed out
STAFF_SECONDS = 120.0  # then staff are called
ENOUGH = 3  # votes that have a leaning die read as it lies; at a table of three or two a majority

READ: tuple[Read, ...] = ("read", "typed", "hub")  # from the most physical to the least
AGAIN = "The dice are read again as they lie."


def least(batches: Sequence[Batch]) -> Read:
    """How a roll came in: as its least physical batch did."""
    return max((batch.read for batch in batches), key=READ.index)


class KeptRoll(msgspec.Struct, frozen=True):
    """What survives a power cut of a roll that is not whole yet."""

    key: str
    batches: list[Batch]


class Tray:
    """The dice of a table. `reader` is None where there is none; `call_staff` gets a sentence when a roll is stuck."""

    def __init__(
        self, table: str, reader: Dice | None, store: LogStore, clock: Clock, chance: Chance,
        call_staff: Callable[[str], None],
    ) -> None:  # fmt: skip
        self._table, self._reader, self._store = table, reader, store
        self._clock, self._chance, self._call_staff = clock, chance, call_staff
        self._kit: DiceKit | None = None
        self._arms = self._size = 0
        self.roll: Roll | None = None
        self._key = ""
        self._wants: odds.Wants | None = None
        self._batches: list[Batch] = []
        self._votes: list[int] = []
        self._asked_at = 0.0
        self._begin_batch()

    def _begin_batch(self) -> None:
        self._size = self._fitting()
        self.state: RollState = "armed"
        self._faces: list[int] = []  # what was read or typed, and does not stand yet
        self._held: list[int] = []  # dice of this batch that lie aside while the others are thrown again
        self._flat: list[int] = []  # dice that lie flat beside a cocked one
        self._again = False  # nobody throws: a batch that stood is read once more
        self._as_it_lies: list[int] = []  # who would have the leaning dice of this batch read as they lie
        self._lies = False  # and they are
        self._say = ""
        self._accept_at: float | None = None
        self._silent_at: float | None = None

    # --- the roll ---

    def call(self, key: str, roll: Roll, wants: odds.Wants | None) -> None:
        """Ask for a roll. `key` names the question: a roll half read that the power cut, or a loan made longer, goes on."""
        batches = list(self._batches) if self.roll and self._key == key else self._recall(key)
        if self._key != key:
            self._forget()
            self._votes, self._asked_at = [], self._clock.now()
        self.roll, self._key, self._wants = roll, key, wants
        while batches and sum(len(batch.faces) for batch in batches) >= roll.count:
            batches.pop()
        self._batches = batches
        self._begin_batch()
        self._arm()

    def reread(self, key: str, roll: Roll, batches: Sequence[Batch]) -> None:
        """Ask for no throw: of a roll that stood the last batch is read once more as it lies, or typed.

        The others were picked up long ago.
        """
        self._forget()
        self.roll, self._key, self._wants = roll, key, None
        self._votes, self._asked_at = [], self._clock.now()
        self._batches = list(batches[:-1])
        self._begin_batch()
        self._again, self._size, self._say = True, len(batches[-1].faces), AGAIN
        self._arm(lying=True)

    def close(self) -> None:
        """No roll is asked for."""
        if self.roll:
            self._forget()
            self.roll, self._key = None, ""
            if self._reader:
                self._reader.disarm()

    @property
    def whole(self) -> tuple[list[int], Read] | None:
        """All faces in their order, once every batch stands, and how they came in."""
        if self.roll is None or self.standing < self.roll.count:
            return None
        return [face for batch in self._batches for face in batch.faces], least(self._batches)

    @property
    def batches(self) -> list[Batch]:
        """What stands of the roll, batch by batch."""
        return list(self._batches)

    @property
    def fallen(self) -> bool:
        """Whether anybody has seen a die of this roll: then it is finished before its roller does anything else."""
        return self.roll is not None and bool(self._again or self._batches or self._held or self._flat or self._faces)

    @property
    def stirred(self) -> bool:
        """Whether the dice of this roll are in somebody's hand, or have left it."""
        return self.fallen or (self.roll is not None and self.state not in ("armed", "no_reader"))

    @property
    def missing(self) -> int:
        """How many dice of this batch are still to be thrown or typed."""
        return self._size - len(self._held) - len(self._flat)

    @property
    def say(self) -> str:
        """The sentence that goes with the state of the dice, if any."""
        return self._say

    @property
    def voting(self) -> bool:
        """Whether somebody wants the hub to roll."""
        return bool(self._votes)

    @property
    def lying(self) -> bool:
        """Whether nobody throws: what lies there is wanted."""
        return self._again or self._lies

    @property
    def standing(self) -> int:
        """How many dice stand already."""
        return sum(len(batch.faces) for batch in self._batches)

    def _fitting(self) -> int:
        """How many dice a batch has now."""
        if self.roll is None:
            return 0
        most = self._kit.dice if self._kit and self._kit.dice else BATCH
        return min(BATCH, most, self.roll.count - self.standing)

    def _arm(self, *, lying: bool = False) -> None:
        """Wait for the dice that are missing; `lying`: for what lies there, read once more."""
        roll = self.roll
        assert roll is not None
        self._arms += 1
        self._faces, self._accept_at, self._as_it_lies, self._lies = [], None, [], False
        if self._reader is None:
            self.state = "no_reader"
            self._say = self._say or "Type what the dice show."
            return
        self.state = "armed"
        self._silent_at = self._clock.now() + SILENT_SECONDS
        self._reader.arm(self._arms, roll.seat, self._size - len(self._held), roll.sides, lying=lying)

    # --- what the reader tells ---

    def kit(self, kit: DiceKit) -> None:
        """What the reader has to be thrown; a batch that nobody has begun is asked for anew in the size that is left."""
        self._kit = kit
        waits = self.state in ("armed", "no_reader") and not self._held and not self._flat and not self.lying
        if self.roll and waits and self._size != self._fitting():
            self._begin_batch()
            self._arm()

    def seen(self, seen: DiceSeen) -> bool:
        """What the dice do, if they were asked. What has settled has settled: picking it up changes nothing."""
        if self.roll is None or seen.arm != self._arms or self.state in ("settled", "typed"):
            return False
        if not self._again or seen.state != "armed":  # who only has to look says in time what there is to be seen
            self._silent_at = None
        if seen.state != "cocked":
            self._as_it_lies = []
        match seen.state:
            case "settled":
                self._settle(list(seen.faces))
            case "cocked" | "wrong_count" | "no_reader" if self._again:
                self._by_hand("The reader cannot tell: type how the dice lie.")
            case "cocked":
                self._lean(list(seen.faces), seen.say)
            case "wrong_count":
                self._miscount(seen.say)
            case "armed":
                if self._flat:  # the reader was away and knows nothing of them: they lie aside
                    self._aside()
                else:
                    self.state = "armed"
                    self._say = seen.say or (self._say if self._held or self._again else "")
            case "rolling":
                self.state, self._say = "rolling", AGAIN if self._again else ""
            case "no_reader":
                self.state, self._say = "no_reader", seen.say or "Type what the dice show."
        return True

    def _settle(self, faces: list[int]) -> None:
        wanted = self._size - len(self._held)
        if len(faces) != wanted:
            self._miscount(f"I see {len(faces)} of {wanted}: roll again, or type what they show.")
        elif odd := self._odd(faces):
            self._miscount(odd)
        elif Counter(self._flat) - Counter(faces):
            self._aside()
        else:
            self._flat = []
            self.state, self._faces, self._say = "settled", self._held + faces, ""
            self._accept_at = self._clock.now() + ACCEPT_SECONDS

    def _lean(self, flat: list[int], say: str) -> None:
        leaning = self._size - len(self._held) - len(flat)
        if leaning < 1:
            self._miscount(f"I see {len(flat)} of {len(flat) - leaning}: roll again, or type what they show.")
        elif odd := self._odd(flat):
            self._miscount(odd)
        elif Counter(self._flat) - Counter(flat):
            self._aside()
        else:
            self._flat, self.state = flat, "cocked"
            which = "One die is leaning: roll only that one again." if leaning == 1 else (
                f"{leaning} dice are leaning: roll only those again."
            )  # fmt: skip
            self._say = say or which

    def _odd(self, faces: list[int]) -> str:
        """A sentence about a face that no die of this roll has, if one was seen."""
        sides = self.roll.sides if self.roll else 0
        odd = next((face for face in faces if not _is_face(face, sides)), None)
        return "" if odd is None else f"I see a {odd}, which no die here has: roll again, or type what they show."

    def _aside(self) -> None:
        """Dice that lay flat count as they lay, whatever else was picked up: only the others are thrown again."""
        self._held, self._flat = self._held + self._flat, []
        count = self._size - len(self._held)
        kept = " ".join(map(str, self._held))
        self._say = f"{kept} {'stands' if len(self._held) == 1 else 'stand'}: lay aside, and roll {_dice(count)}."
        self._arm()

    def _miscount(self, say: str) -> None:
        if self._again:
            self._by_hand("The reader cannot tell: type how the dice lie.")
        else:
            self.state, self._flat, self._say = "wrong_count", [], say

    def _by_hand(self, say: str) -> None:
        """The reader is asked no more: the roller types what lies there."""
        if self._reader:
            self._reader.disarm()
        self._arms += 1
        self._accept_at = self._silent_at = None
        self.state, self._say = "no_reader", say

    # --- what people say ---

    def type(self, seat: int, faces: object, others: Sequence[int]) -> None:
        """The roller types what lies there. One of the `others` says yes; where nobody else is at hand it stands at once."""
        roll = self._wanted()
        if seat != roll.seat:
            raise NotAsked(f"It is Seat {roll.seat} who rolls.", "DICE")
        if self.state == "cocked":
            raise NotOffered("A leaning die is rolled again, unless the table would read it as it lies.", "DICE")
        many, sides = self.missing, roll.sides
        if not isinstance(faces, list) or len(faces) != many or not all(_is_face(face, sides) for face in faces):
            raise NotOffered(f"Type {_dice(many)}, {'' if many == 1 else 'each '}1 to {sides}.", "DICE")
        self._by_hand(f"Seat {seat} typed this. Another seat says yes.")
        self.state, self._faces = "typed", self._held + self._flat + faces
        if not others:
            self._stand("typed")

    def accept(self, seat: int) -> None:
        """Read dice are the roller's to accept, typed ones another seat's."""
        roll = self._wanted()
        if self.state == "settled" and seat == roll.seat:
            self._stand("read")
        elif self.state == "typed" and seat != roll.seat:
            self._stand("typed")
        elif self.state == "typed":
            raise NotOffered("Another seat says yes to typed dice.", "DICE")
        elif self.state == "settled":
            raise NotOffered(f"It is Seat {roll.seat} who accepts this roll.", "DICE")
        else:
            raise NotOffered("No roll has been read yet.", "DICE")

    def again(self) -> None:
        """Somebody doubts what was read or typed: the dice are read once more as they lie."""
        self._wanted()
        if self.state not in ("settled", "cocked", "wrong_count", "typed"):
            raise NotOffered("There is no roll to read again.", "DICE")
        lying = self.state != "wrong_count"
        self._flat, self._say = [], ""
        self._arm(lying=lying)

    def as_it_lies(self, seat: int, voters: int) -> None:
        """A seat would have the leaning dice read as they lie, or no longer; once enough would, the roller types them."""
        self._wanted()
        if self.state != "cocked":
            raise NotOffered("No die is leaning.", "DICE")
        if seat in self._as_it_lies:
            self._as_it_lies.remove(seat)
            return
        self._as_it_lies.append(seat)
        if len(self._as_it_lies) >= enough(voters):
            self._lies = True
            one = self.missing == 1
            self._by_hand(
                "Read as it lies: type it." if one else f"Read as they lie: type the {self.missing} leaning dice."
            )

    def vote(self, seat: int, voters: Sequence[int]) -> None:
        """A seat wants the hub to roll, or no longer; once all `voters` do, it rolls what is missing."""
        roll = self._wanted()
        if self.lying or self.state in ("settled", "typed"):
            raise NotOffered("The dice lie there: say whether they were read right.", "DICE")
        if seat in self._votes:
            self._votes.remove(seat)
            return
        self._votes.append(seat)
        if all(voter in self._votes for voter in voters):
            self._faces = self._held + self._flat + self._chance.faces(self.missing, roll.sides)
            self._stand("hub")
            while self.standing < roll.count:
                self._faces = self._chance.faces(self._size, roll.sides)
                self._stand("hub")

    def _wanted(self) -> Roll:
        if self.roll is None:
            raise NotAsked("No roll is wanted now.", "DICE")
        return self.roll

    # --- what stands ---

    def _stand(self, read: Read) -> None:
        """The batch stands: it is on disk before anything is made of it. Raises LogError, and then it does not."""
        assert self.roll is not None
        batches = [*self._batches, Batch(self._faces, read)]
        whole = self.standing + len(self._faces) == self.roll.count
        if not whole:
            self._store.keep(self._table, "dice", msgspec.json.encode(KeptRoll(self._key, batches)))
        self._batches = batches
        self._begin_batch()
        if not whole and read != "hub":
            self._votes, self._asked_at = [], self._clock.now()
            self._arm()

    def _recall(self, key: str) -> list[Batch]:
        kept = self._store.recall(self._table, "dice")
        if not kept:
            return []
        roll = msgspec.json.decode(kept, type=KeptRoll)
        return roll.batches if roll.key == key else []

    def _forget(self) -> None:
        if self._batches:
            self._batches = []
            if self._store.recall(self._table, "dice"):
                self._store.keep(self._table, "dice", b"")

    # --- time ---

    @property
    def next(self) -> float | None:
        """When something is due by itself."""
        return min((at for at in (self._accept_at, self._silent_at) if at is not None), default=None)

    def due(self) -> bool:
        """What time alone brings about; whether anything has changed."""
        if self.roll is None:
            return False
        now, before = self._clock.now(), (self.state, self._say, self.standing)
        if self._accept_at is not None and now >= self._accept_at:
            self._stand("read")
        elif self._silent_at is not None and now >= self._silent_at:
            self._silent_at = None
            self.state, self._say = "no_reader", "The dice reader is silent: type what the dice show."
        waited = now - self._asked_at
        if waited >= DOORS_SECONDS and self.state == "armed" and not self._say:
            self._say = "Roll; or type what the dice show; or let the hub roll."
        if waited >= STAFF_SECONDS:
            self._asked_at = float("inf")  # they are called once
            self._call_staff(f"Seat {self.roll.seat} has not rolled for two minutes.")
            return True
        return before != (self.state, self._say, self.standing)

    # --- pictures ---

    def public(self, voters: int) -> PublicDice | None:
        """The open roll as everybody sees it, of whom so many have a vote."""
        roll = self.roll
        if roll is None:
            return None
        faces = self._faces or self._held + self._flat
        read: Read | None = "typed" if self.state == "typed" else "read" if faces else None
        return PublicDice(
            state=self.state,
            seat=roll.seat,
            count=roll.count,
            sides=roll.sides,
            why=roll.why,
            batch=self._size,
            faces=list(faces),
            read=read,
            done=list(self._batches),
            total=sum(face for batch in self._batches for face in batch.faces) + sum(faces),
            say=self._say,
            votes=list(self._votes),
            again=self._again,
            lying=self.lying,
            as_it_lies=list(self._as_it_lies),
            enough=enough(voters),
            wants=self._told() if self._wants and self.state not in ("settled", "typed") else None,
        )

    def _told(self) -> Wanted:
        """What the roll must show: in a line with its odds now, and the odds exactly where the line rounds them."""
        roll, wants = self.roll, self._wants
        assert roll is not None
        assert wants is not None
        stand = tuple(face for batch in self._batches for face in batch.faces)
        left = roll.count - len(stand)
        chance = odds.chance(left, roll.sides, wants, stand)
        exact = "" if roll.sides % chance.denominator == 0 else odds.exact(chance)
        return Wanted(odds.told(left, roll.sides, wants, stand), exact)

    def public_kit(self) -> Kit | None:
        """What there is to be thrown, for the lobby: before a match is the time to load a battery."""
        kit = self._kit
        return Kit(kit.dice, list(kit.weak)) if kit else None


def enough(voters: int) -> int:
    """How many of so many have a leaning die read as it lies."""
    return min(ENOUGH, voters // 2 + 1)


def _is_face(face: object, sides: int) -> bool:
    return type(face) is int and 1 <= face <= sides


def _dice(count: int) -> str:
    return "one die" if count == 1 else f"{count} dice"
