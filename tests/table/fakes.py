"""The world around a table, held still: everything a table tells is kept, in the order it was told."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Any

import msgspec

from hub import games
from hub.chance import Chance
from hub.display.language import Language
from hub.engine.game import Game
from hub.engine.match import Entry, Head, Match
from hub.engine.text import to_json
from hub.errors import DamagedLog, LogError
from hub.network.messages import to_bytes
from hub.ports import (
    Boxes,
    BoxUp,
    ClaimDecided,
    ClaimRequest,
    Dice,
    DiceSeen,
    DiceState,
    Key,
    LampPicture,
    LastMatch,
    Length,
    LogEntry,
    MatchPutAside,
    Missing,
    PhoneLink,
    PhoneRequest,
    SealedRound,
)
from hub.state import Ack, Hand, PublicState, ScreenState
from hub.table.base.ports import Ports
from hub.table.loop import Table
from hub.table.parts import TableSettings
from hub.table.people.house_seats import HouseSettings
from hub.table.people.people import Patience
from tests.complete_states import read_state

KEYS = (number.to_bytes(32, "big") for number in count(1))
"""Public keys of phones: no two claims have the same one."""


RIG_STARTS = 1_790_000_000.0
"""The time of day at which a rig starts, in seconds since 1970."""


class MemoryStore:
    """Fulfils `LogStore` without a disk. `broken` says why it cannot be written, `unreadable` why not read."""

    def __init__(self, order: list[str] | None = None) -> None:
        self.heads: dict[str, tuple[str, bytes]] = {}
        self.entries: dict[str, list[LogEntry]] = {}
        self.results: dict[str, bytes] = {}
        self.aside: dict[str, str] = {}
        self.people_aside: dict[str, int] = {}
        self.current: dict[str, str] = {}  # the match that each table plays, or played last
        self.lost: dict[str, Missing] = {}
        self.notice = ""
        self.kept: dict[tuple[str, str], bytes] = {}
        self.starts = 0  # of hubs that have used it
        self.past: list[Length] = []  # of any game
        self.broken = ""
        self.unreadable = ""
        self.order = [] if order is None else order

    def _write(self, what: str) -> None:
        if self.broken:
            raise LogError(self.broken)
        self.order.append(what)

    def begin(self, table: str, head: bytes) -> str:
        self._write("begin")
        if running := self.running(table):
            self.results[running] = b'{"left":true}'
        match = f"m-{len(self.heads) + 1}"
        self.heads[match], self.entries[match] = (table, head), []
        self.current[table] = match
        return match

    def append(self, match: str, entries: Sequence[LogEntry]) -> None:
        self._write("append")
        known = {entry.number for entry in self.entries.get(match, [])}
        numbers = [entry.number for entry in entries]
        if match not in self.heads or known & set(numbers) or len(set(numbers)) < len(numbers):
            raise LogError(f"Match {match} cannot take these entries.")
        self.entries[match] = sorted([*self.entries[match], *entries])

    def cut(self, match: str, length: int, instead: Sequence[LogEntry] = ()) -> None:
        self._write("cut")
        numbers = [entry.number for entry in instead]
        if len(set(numbers)) < len(numbers) or min(numbers, default=length) < length:
            raise LogError(f"Match {match} cannot take these entries.")
        self.entries[match] = [*(entry for entry in self.entries[match] if entry.number < length), *instead]
        self.results.pop(match, None)

    def end(self, match: str, result: bytes) -> None:
        self._write("end")
        self.results[match] = result

    def wipe(self, match: str) -> None:
        self._write("wipe")
        if match in self.results:
            self.entries[match] = []

    def started_at(self, match: str) -> int | None:
        return int(RIG_STARTS) if match in self.heads else None

    def set_aside(self, match: str, reason: str | None) -> None:
        self._write("set_aside")
        if reason is None:
            self.aside.pop(match, None)
        else:
            self.aside[match] = reason

    def put_aside(self, match: str) -> None:
        self._write("put_aside")
        self.people_aside[match] = 1000 + len(self.people_aside)

    def all_put_aside(self, table: str) -> list[MatchPutAside]:
        if self.unreadable:
            raise LogError(self.unreadable)
        mine = [match for match in self.people_aside if self.heads[match][0] == table]
        return [
            MatchPutAside(match, self.heads[match][1], self.people_aside[match], len(self.entries[match]))
            for match in reversed(mine)
        ]

    def take_up(self, match: str) -> None:
        self._write("take_up")
        if match not in self.people_aside:
            raise DamagedLog(f"Match {match} is not suspended.")
        del self.people_aside[match]
        self.current[self.heads[match][0]] = match

    def load(self, match: str) -> tuple[bytes, list[LogEntry]]:
        if match not in self.heads:
            raise DamagedLog(f"The record holds no match {match}.")
        entries = list(self.entries[match])
        if [entry.number for entry in entries] != list(range(len(entries))):
            raise DamagedLog(f"The record of match {match} has a gap.")
        return self.heads[match][1], entries

    def last(self, table: str) -> LastMatch | None:
        if self.unreadable:
            raise LogError(self.unreadable)
        last = self.current.get(table)
        if last is None:
            return None
        return LastMatch(last, self.results.get(last), self.aside.get(last), put_aside=last in self.people_aside)

    def running(self, table: str) -> str | None:
        """The match of a table that has neither ended nor was set aside."""
        last = self.last(table)
        return last.id if last and last.result is None and last.aside is None and not last.put_aside else None

    def lengths(self, game: str, seats: int) -> list[Length]:
        if self.unreadable:
            raise LogError(self.unreadable)
        return self.past

    def missing(self, table: str) -> Missing | None:
        return self.lost.get(table)

    def settle(self, table: str) -> None:
        self.lost.pop(table, None)

    def keep(self, table: str, name: str, value: bytes) -> None:
        self._write(f"keep {name}")
        self.kept[table, name] = value

    def recall(self, table: str, name: str) -> bytes | None:
        if self.unreadable:
            raise LogError(self.unreadable)
        return self.kept.get((table, name))


class HeldClock:
    """Time that stands still."""

    def __init__(self) -> None:
        self.time = 1000.0

    def now(self) -> float:
        return self.time


@dataclass
class FakePhones:
    """What phones would have been told."""

    order: list[str] = field(default_factory=list)
    public: list[dict[str, Any]] = field(default_factory=list)
    hands: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    answers: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    admitted: dict[str, str] = field(default_factory=dict)
    keys: dict[str, bytes] = field(default_factory=dict)  # public keys by sid, also of logins that have ended
    released: list[str] = field(default_factory=list)
    blocks: int = 1  # of the newest hands

    def together(self) -> AbstractContextManager[None]:
        return nullcontext()

    def show_public(self, state: PublicState) -> None:
        self.order.append("show")
        self.public.append(read_state(to_bytes(state)))

    def show_hands(self, hands: Mapping[str, Hand], blocks: int = 1) -> None:
        self.blocks = blocks
        for sid, hand in hands.items():
            assert sid in self.admitted, "a hand goes to a seat that is held"
            self.order.append("hand")
            self.hands.setdefault(sid, []).append(json.loads(to_bytes(hand)))

    def answer(self, sid: str, answer: Ack) -> None:
        self.order.append("answer")
        self.answers.setdefault(sid, []).append(json.loads(to_json(answer)))

    def spare(self) -> tuple[str, str] | None:
        return None

    def admit(self, sid: str, password: str, phone_key: bytes) -> None:
        assert len(phone_key) == 32
        self.order.append("admit")
        self.admitted[sid] = password
        self.keys[sid] = phone_key

    def release(self, sid: str) -> None:
        self.order.append("release")
        self.released.append(sid)
        self.admitted.pop(sid, None)


@dataclass
class FakeBoxes:
    """What seat boxes would have been told; `rounds` is what is open in each."""

    sent: list[tuple[Any, ...]] = field(default_factory=list)
    rounds: dict[str, SealedRound] = field(default_factory=dict)
    rings: dict[str, LampPicture] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    def open(self, box: str, sealed: SealedRound) -> None:
        self.sent.append(("open", box, sealed.round))
        self.rounds[box] = sealed

    def reveal(self, boxes: Sequence[str], round: int) -> None:
        self.sent += [("reveal", box, round) for box in boxes]

    def cancel(self, box: str, round: int) -> None:
        self.sent.append(("cancel", box, round))
        if box in self.rounds and self.rounds[box].round == round:
            del self.rounds[box]

    def ring(self, box: str, picture: LampPicture) -> None:
        self.rings[box] = picture

    def say(self, box: str, text: str) -> None:
        self.texts[box] = text

    def buzz(self, box: str, kind: str) -> None:
        self.sent.append(("buzz", box, kind))

    def revealed(self) -> set[str]:
        return {what[1] for what in self.sent if what[0] == "reveal"}


@dataclass
class FakeDice:
    """A reader that was armed, or not. `numbers` are those of the arms, `lying_arms` the ones that wanted no throw."""

    armed: list[tuple[int, int, int]] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    lying_arms: list[int] = field(default_factory=list)
    on: bool = False

    def arm(self, number: int, seat: int, count: int, sides: int, *, lying: bool = False) -> None:
        assert number > max(self.numbers, default=0), "an arm's number rises"
        self.armed.append((seat, count, sides))
        self.numbers.append(number)
        self.lying_arms += [number] if lying else []
        self.on = True

    def disarm(self) -> None:
        self.on = False


@dataclass
class FakeLamps:
    """Rings at the seats."""

    order: list[str] = field(default_factory=list)
    shown: list[dict[int, LampPicture]] = field(default_factory=list)

    def show(self, rings: Mapping[int, LampPicture]) -> None:
        self.order.append("rings")
        self.shown.append(dict(rings))


@dataclass
class FakePage:
    """A panel."""

    shown: list[tuple[int, bool]] = field(default_factory=list)
    codes: dict[str, str] = field(default_factory=dict)
    newest: ScreenState | None = None

    def show(self, public: ScreenState, settled: bool) -> None:
        self.newest = public
        self.shown.append((public.seq, settled))
        self.codes = public.claim_codes


class TableRig:
    """A table with everything around it, its boxes `placed` at their seats. With the `store` of an earlier rig: a restart.

    A match that nobody plays is put aside after 15 minutes: pass `patience` for more.
    """

    def __init__(
        self,
        seats: int = 3,
        *,
        boxes: bool = True,
        placed: bool = True,
        reader: bool | Dice = True,
        store: MemoryStore | None = None,
        offered: Sequence[Game] = (),
        seed: int = 1,
        start: bool = True,
        patience: Patience | None = None,
        house: HouseSettings | None = None,
        attract_seconds: float = 0,
        reveal_seconds: float = 0,
        hub_boxes: Boxes | None = None,
        language: Callable[[str], Language] | None = None,
        evenings: Sequence[str] = (),
        cups: Sequence[int] = (),
    ) -> None:
        self.order: list[str] = []
        self.store = store or MemoryStore()
        self.store.order = self.order
        self.clock, self.phones, self.boxes = HeldClock(), FakePhones(self.order), FakeBoxes()
        self.dice, self.lamps, self.page = FakeDice(), FakeLamps(self.order), FakePage()
        self.store.starts += 1
        started = f"{seed}, start {self.store.starts}"  # a restarted hub does not draw the same log-ins again
        self.random, chance = Random(f"phones {started}"), Random(f"table {started}")
        self.ports = Ports(
            self.store, self.phones, self.clock, Chance(seed), self.wall, chance, [self.lamps], [self.page]
        )
        self.thoughts: list[Callable[[], None]] = []
        """What hints would have begun to reckon on threads."""
        self.ports.background = self.thoughts.append
        self.ports.boxes = hub_boxes or (self.boxes if boxes else None)
        self.ports.language = language or self.ports.language
        self.ports.dice = self.dice if reader is True else reader or None
        self.cups = {seat: FakeDice() for seat in cups}
        self.ports.cups = dict(self.cups)
        self.named = {f"box-{seat}": seat for seat in range(1, seats + 1)} if boxes and placed else {}
        self.table = Table(
            "1", "Table 1", seats, offered or [games.find("bid-and-bait")], self.ports,
            address=lambda: "http://10.42.0.1:8080", place_boxes=self.named,
            settings=TableSettings(
                "", patience or Patience(), house or HouseSettings(), {}, evenings, attract_seconds, reveal_seconds
            ),
        )  # fmt: skip
        self.decided: list[ClaimDecided] = []
        self.sids: dict[int, str] = {}
        self.seats = seats
        if start:
            self.table.start()

    def wall(self) -> float:
        """The time of day: the table's clock, from a moment of 2026 on."""
        return RIG_STARTS + self.clock.time

    def fresh_id(self, size: int = 8) -> str:
        """What a phone calls a request or a claim of its own."""
        return self.random.randbytes(size).hex()

    # --- people ---

    def take(self, *signals: object) -> None:
        for signal in signals:
            self.table.handle_signal(signal)

    def boxes_up(self, boot: str = "b1") -> None:
        self.take(*(BoxUp(box, boot, "1", 8) for box in self.named))

    def claim(
        self, seat: int, code: str | None = None, name: str = "", earlier: Sequence[bytes] = ()
    ) -> ClaimDecided | None:
        """Ask for a seat with a new key; the decision, if there is one at once."""
        before = len(self.decided)

        def answer(decided: ClaimDecided) -> None:
            self.order.append("decided")
            self.decided.append(decided)

        self.take(ClaimRequest(self.fresh_id(4), seat, next(KEYS), code, name, answer, earlier))
        return self.decided[-1] if len(self.decided) > before else None

    def code(self, seat: int) -> str:
        """The code of a seat, as the table's own screens show it."""
        return self.page.codes[str(seat)]

    def sit(self, *seats: int) -> None:
        """Sit down with a phone by the seat's code."""
        for seat in seats or range(1, self.seats + 1):
            decided = self.claim(seat, self.code(seat), f"Guest {seat}")
            assert decided is not None
            assert decided.held
            self.sids[seat] = decided.sid
            self.take(PhoneLink(decided.sid, True))

    def key(self, seat: int) -> bytes:
        """The public key of the phone that holds a seat: what it proves to have when it comes back."""
        return self.phones.keys[self.sids[seat]]

    def sit_again(self, seat: int, earlier: Sequence[bytes]) -> None:
        """Sit down with a phone that has sat here before, and has proved that it has its earlier keys."""
        decided = self.claim(seat, self.code(seat), f"Guest {seat}", earlier)
        assert decided
        self.sids[seat] = decided.sid
        self.take(PhoneLink(decided.sid, True))

    def say(
        self, seat: int, verb: str, args: dict[str, Any] | None = None, *,
        number: int | None = None, epoch: int | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """A phone's request, and its answer."""
        sid, request = self.sids[seat], self.fresh_id()
        self.take(
            PhoneRequest(sid, request, 1, self.state["epoch"] if epoch is None else epoch, number, verb, args or {})
        )
        answer = self.phones.answers[sid][-1]
        assert answer["re"] == request
        return answer

    def say_leave(self, seat: int) -> None:
        """A phone gives its seat up, and its login with it."""
        sid = self.sids.pop(seat)
        self.take(PhoneRequest(sid, self.fresh_id(), 1, self.state["epoch"], None, "leave", {}))

    def act(self, seat: int, move: str, **args: Any) -> dict[str, Any]:
        return self.say(seat, "act", {"move": move, **args})

    def start(self, game: str = "bid-and-bait", **options: Any) -> None:
        """Start a match at once: all who sit there are ready."""
        self.ready()
        assert self.say(min(self.sids), "start", {"game": game, "options": options})["ok"]

    def ready(self) -> None:
        """Let every phone but the first one be ready: that one starts."""
        self.ready_but()

    def ready_but(self, *absent: int) -> None:
        """Let every phone but the first one and these be ready."""
        for seat in sorted(self.sids.keys() - set(absent))[1:]:
            assert self.say(seat, "ready", {"ready": True})["ok"]

    def see(self, state: DiceState, *faces: int, say: str = "", arm: int = 0) -> None:
        """What the reader sees of the throw it is armed for, or of an older one."""
        self.take(DiceSeen("tray", arm or max(self.dice.numbers, default=1), state, faces, say))

    def roll(self, *faces: int) -> None:
        """The roller types its dice, and somebody else says yes."""
        roller = self.state["dice"]["seat"]
        assert self.say(roller, "roll", {"faces": list(faces)})["ok"]
        if self.state["dice"] and self.state["dice"]["state"] == "typed":
            other = next(seat for seat in self.sids if seat != roller and str(seat) in self.state["view"]["seats"])
            assert self.say(other, "dice", {"say": "accept"})["ok"]

    def press(self, seat: int, *controls: Any) -> None:
        self.take(*(Key(f"box-{seat}", control, "down") for control in controls))

    # --- what there is to see ---

    @property
    def state(self) -> dict[str, Any]:
        """The newest public state."""
        return self.phones.public[-1]

    def notice(self) -> str:
        """The most severe notice; empty if there is none."""
        return next((one["text"] for one in self.state["notices"]), "")

    def hand(self, seat: int) -> dict[str, Any]:
        """The newest hand of a seat."""
        return self.phones.hands[self.sids[seat]][-1]

    @property
    def match(self) -> Match:
        """The match as the record alone tells it."""
        head, lines = self.store.load(self.store.current["1"])
        known = msgspec.json.decode(head, type=Head)
        return Match.replay(games.find(known.game), known, [msgspec.json.decode(one.line, type=Entry) for one in lines])

    def seen(self) -> dict[str, Any]:
        """What all and each see of the match, without what counts messages."""
        state = self.state
        shared = {key: state[key] for key in ("match", "view", "state", "want", "over")}
        fields = ("you", "moves", "want", "locked", "number", "secret")
        hands = {seat: {key: self.hand(seat).get(key) for key in fields} for seat in self.sids}
        return deepcopy({"public": shared, "hands": hands})
