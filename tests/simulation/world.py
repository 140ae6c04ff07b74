"""A whole evening at the tables of one hub, decided by one seed."""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any, Self

from nacl.public import PrivateKey

from hub.network.encryption import HubKey
from hub.network.messages import to_bytes
from hub.ports import (
    AddressChanged,
    ClaimDecided,
    ClaimRequest,
    DeviceDown,
    DeviceUp,
    GameChanged,
    HelpRequest,
    StaffRequest,
)
from hub.state import ScreenState
from hub.table.parts import TableSettings
from hub.table.people.house_seats import HouseSettings
from hub.table.people.people import Patience
from tests.complete_states import read_state
from tests.phone_ui.rig import Keys
from tests.simulation import checks
from tests.simulation.auditor import Broken, facts
from tests.simulation.clock import Scheduler
from tests.simulation.devices import SimulatedBox, SimulatedDice, seed_firmware
from tests.simulation.disk import Files
from tests.simulation.hub import HubTable, SimulatedHub
from tests.simulation.people import (
    ALWAYS,
    DELICATE,
    RARE,
    Intent,
    box_step,
    chosen_behaviors,
    dice_step,
    next_step,
    owner_change,
    owner_news,
    owner_steps,
    secret_choices,
    staff_step,
)
from tests.simulation.phone import SimulatedPhone, shown
from tests.simulation.place import ANYBODY, Place

THINK_SECONDS = 3.0  # the mean time between two steps of a person
AWAY_SECONDS = 60.0
RESTART_SECONDS = 3.0
STALL_SECONDS = 5.0
TROUBLE = 15.0  # how much more frequent trouble is after a delicate request
CLAIM_SECONDS = 90.0  # a claim is answered after 30 s, or once a table that was called is freed
MEMORY = Path("/dev/shm")
CLAIMS = ("", "", "", "", "seat_code", "hand_over", "wrong", "none")
"""How people ask for a seat; two are keys of a hand, which somebody shows them."""
COMMITMENT = re.compile(rb'"c":"[0-9a-f]+"(.*)\*.*')
"""A commitment to a locked choice, and the checksum of its frame: they differ, and tell nothing before the reveal."""


@dataclass
class Person:
    """A guest, with a phone from the moment at which they ask for a seat, or with the box of a seat alone."""

    number: int
    random: Random
    place: Place
    seat: int = 0
    phone: SimulatedPhone | None = None
    keys: list[Keys] = field(default_factory=list)  # of earlier claims
    claims: bool = False
    is_here: bool = True
    has_phone: bool = True
    gave_at: float = 0.0
    """When the person last gave the seat away, or touched its box."""
    is_direct: bool = True
    """The phone shows the hub's own page; else it is a program that speaks to the broker alone."""


class World:
    """A hub with its tables, guests, staff and owner. Use it as a context manager.

    With a `script`, its intents happen at their times, and nobody has ideas of their own. `on_seen` gets everything that
    anybody can see: when, who or what sees it, and what; of encrypted messages others see the length. With `exchange`, the
    numbers of a deal and of two of its cards, these two change places.
    """

    def __init__(
        self,
        seed: int,
        script: Sequence[Intent] | None = None,
        on_seen: Callable[[float, str, Any], None] = lambda *_: None,
        exchange: tuple[int, int, int] | None = None,
    ) -> None:
        self.seed = seed
        draw = Random(f"world {seed}")
        self.behaviors = chosen_behaviors(draw)
        self.scheduler = Scheduler()
        self.script: list[Intent] = []
        self.secrets: list[tuple[int, Mapping[str, Any]]] = []
        """Of secret choices: the place of the intent in the script, and another choice that was possible."""
        self.deals: list[tuple[float, str, list[Any]]] = []
        """Shuffled piles: when, the number of the table, and the cards, top card first."""
        self._exchange = exchange
        self.history: list[tuple[float, ScreenState]] = []
        """What screens have shown, for the page that plays an evening."""
        self._given, self._on_seen = script, on_seen
        self._ideas_on = self._has_owner = script is None
        self._random = Random(f"ideas {seed}")
        self._hub_random = Random(f"hub {seed}")
        self._folder = tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None)
        self._files = Files(
            Path(self._folder.name), Random(f"disk {seed}"), torn="power cut" in self.behaviors and draw.random() < 0.5
        )
        self._key = HubKey(PrivateKey(hashlib.sha256(f"key {seed}".encode()).digest()))
        self.lines: list[str] = []
        seed_firmware(Random(f"boxes {seed}"))
        self.places = [self._new_place(f"{number}", draw) for number in range(1, draw.choice([2, 2, 2, 3]))]
        self.people: list[Person] = []
        for place in self.places:
            for _ in range(draw.randint(2, place.seats + 1)):
                self.add_person(place)
        for person in self.people:
            person.has_phone = not person.place.boxes or draw.random() < 0.8
            person.seat = 0 if person.has_phone else draw.randint(1, person.place.seats)
        self.hub: SimulatedHub | None = None
        self._delicate_at = 0.0
        self.ended_at = 0.0  # when the hub ended last
        self.trouble_until = 0.0  # the disk or the network is not well until then
        self.started = False

    def _new_place(self, number: str, draw: Random) -> Place:
        seats = draw.randint(2, 6)
        boxes = [SimulatedBox(f"box-{number}-{seat}") for seat in range(1, seats + 1)]
        has_boxes = draw.random() < 0.4
        return Place(
            number, seats, {one.name: one for one in boxes} if has_boxes else {}, draw.random() < 0.5, self._on_shown
        )

    def add_person(self, place: Place) -> Person:
        """Let somebody come to a table."""
        number = len(self.people)
        person = Person(
            number,
            Random(f"person {number} of {self.seed}"),
            place,
            is_direct=Random(f"phone {number} of {self.seed}").random() < 0.7,
        )
        self.people.append(person)
        return person

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.hub:
            self.hub.stop()
        self._files.close()
        self._folder.cleanup()

    def run(self, minutes: float) -> None:
        """Let an evening go on for so long, from the first start of the hub. Raise Broken."""
        if not self.started:
            self.started = True
            self._start_hub()
        end = self.scheduler.time + minutes * 60
        for person in self.people:
            self._later(person)
        self.scheduler.after(1.0, self._have_staff_ideas)
        self.scheduler.after(1.0, self._check_time)
        for intent in self._given or ():
            self.scheduler.after(intent.at - self.scheduler.time, partial(self._do, intent))
        self.scheduler.run_until(end)

    def say(self, line: str) -> None:
        """Add a line to the trace."""
        self.lines.append(f"{self.scheduler.time:.3f} {line}")

    def table_of(self, place: Place) -> HubTable | None:
        """Return a table of the running hub; None while there is no hub."""
        return self.hub.tables[place.number] if self.hub else None

    # --- ideas ---

    def _later(self, person: Person) -> None:
        self.scheduler.after(person.random.expovariate(1 / THINK_SECONDS), lambda: self._have_idea(person))

    def _have_idea(self, person: Person) -> None:
        if self._ideas_on and (step := self._next_step(person)):
            self._do(Intent(self.scheduler.time, person.number, *step))
        self._later(person)

    def _next_step(self, person: Person) -> tuple[str, Mapping[str, Any]] | None:
        random, phone, place = person.random, person.phone, person.place
        seat, table = self.seat_of(person), self.table_of(place)
        if (
            person.is_here
            and table
            and table.dice
            and (step := dice_step(table.dice.state(), seat, self.behaviors, random))
        ):
            return step
        is_at_box = person.is_here if not person.has_phone else phone and phone.has_seat and random.random() < 0.2
        if place.boxes and seat and is_at_box:
            box = [*place.boxes.values()][seat - 1]
            question = place.newest.question if place.newest else None
            answers = len(question.options) if question and seat in question.voters else 0
            return box_step(box.program.state(), box.is_plugged, answers, self.behaviors, random)
        if phone and phone.has_seat:
            return next_step(phone, seat, self.behaviors, random)
        if not person.has_phone:
            return None
        if person.is_here:
            if "call" in self.behaviors and random.random() < RARE["call"]:
                return "call", {}
            by = random.choice(CLAIMS) if "hand_over" in self.behaviors else ""
            return None if person.claims else ("claim", {"pick": random.random(), "by": by})
        return ("come", {}) if random.random() < THINK_SECONDS / AWAY_SECONDS else None

    def _have_staff_ideas(self) -> None:
        if self._has_owner:
            often = TROUBLE if self.scheduler.time - self._delicate_at < 1.5 else 1.0
            for step in owner_steps(self.behaviors, self._random, often=often):
                self._do(Intent(self.scheduler.time, -1, *step))
            tables = {place.number: place.seats for place in self.places if not place.boxes}
            if tables and (change := owner_change(self.behaviors, tables, self._random, often=often)):
                self._do(Intent(self.scheduler.time, -1, *change))
            for step in owner_news(self.behaviors, [place.number for place in self.places], self._random):
                self._do(Intent(self.scheduler.time, -1, *step))
            place = self._random.choice(self.places)
            if "staff" in self.behaviors and self._random.random() < 0.01 and place.newest:
                table = self.table_of(place)
                kept = [one.match for one in table.table.desk.put_aside] if table else []
                what, args = staff_step(read_state(to_bytes(place.newest)), kept, self._random)
                self._do(Intent(self.scheduler.time, -1, what, {"table": place.number, **args}))
            self.scheduler.after(1.0, self._have_staff_ideas)

    # --- what happens ---

    def _do(self, intent: Intent) -> None:
        self.script.append(intent)
        self.say(str(intent))
        if intent.who < 0:
            self._do_in_the_house(intent)
        elif intent.who < len(self.people):
            self._do_as(self.people[intent.who], intent.what, intent.args)

    def _do_in_the_house(self, intent: Intent) -> None:
        args, hub = intent.args, self.hub
        match intent.what:
            case "staff":
                self._ask_as_staff(args["table"], args["verb"], args["args"])
            case "options":
                self._set_options(next(one for one in self.places if one.number == args["table"]), args["args"])
            case "update":
                self._update(args["games"])
            case "settings" | "cards" | "device" if hub:
                place = next(one for one in self.places if one.number == args["table"])
                self._tell(place, hub.tables[place.number], intent.what, args)
            case "address" if hub:
                for one in hub.tables.values():
                    one.put(AddressChanged(args["url"]))
            case "restart":
                self._stop_hub()
            case "power cut" if hub:
                hub.disk.cuts_next_write = True
            case "full disk" if hub:
                self._suffer(args["seconds"])
                hub.disk.is_full = True
            case "slow disk" if hub:
                self._suffer(args["seconds"])
                hub.disk.slow_seconds = 0.3
            case "slow network" if hub:
                self._suffer(args["seconds"])
                hub.broker.slowness = 0.5
            case "noise" if hub:
                self._suffer(args["seconds"])
                for one in hub.tables.values():
                    one.cables.noise = 0.02
            case "broker" if hub:
                for connection in [*hub.broker.connections]:
                    hub.broker.close(connection)
            case "broker is down" if hub and hub.broker.is_up:
                self._suffer(args["seconds"])
                hub.lose_broker(args["seconds"])

    def _set_options(self, place: Place, options: Mapping[str, Any]) -> None:
        place.seats = options["seats"]
        place.settings = replace(
            place.settings, without=frozenset(options["without"]), patience=Patience(options["ask"], options["idle"]),
            house=HouseSettings(options["house"]),
        )  # fmt: skip
        self._stop_hub()

    @staticmethod
    def _tell(place: Place, table: HubTable, what: str, args: Mapping[str, Any]) -> None:
        """Tell a running table something."""
        match what:
            case "settings":
                ask, idle, house = (args["args"][name] for name in ("ask", "idle", "house"))
                place.settings = replace(place.settings, patience=Patience(ask, idle), house=HouseSettings(house))
                place.patience = Patience(min(ask, place.patience.ask), min(idle, place.patience.idle))
                table.put(TableSettings(place.name, place.settings.patience, place.settings.house))
            case "cards":
                changed = Counter(place.settings.changed_rules)
                changed[args["game"]] += 1
                place.settings = replace(place.settings, changed_rules=changed)
                for game in place.settings.games():
                    if game.name == args["game"]:
                        table.put(GameChanged(game))
            case _:
                table.put(DeviceUp("panel") if args["on"] else DeviceDown("panel", "The panel is lost."))

    def _update(self, names: Sequence[str]) -> None:
        for place in self.places:
            changed = Counter(place.settings.changed_rules)
            changed.update(names)
            place.settings = replace(place.settings, changed_rules=changed)
        self._stop_hub()

    def _do_as(self, person: Person, what: str, args: Mapping[str, Any]) -> None:
        phone, place = person.phone, person.place
        table = self.table_of(place)
        if what == "claim":
            self._claim(person, args["pick"], args.get("by", ""))
        elif what == "come":
            person.is_here = True
        elif what == "call":
            if table:
                table.put(HelpRequest())
        elif phone and self._do_with_phone(person, phone, what, args):
            return
        elif table and table.dice and self._do_with_dice(table.dice, what):
            self._note_asked(place, range(1, place.seats + 1))
        elif table and place.boxes and (seat := self.seat_of(person)):
            self._do_with_box(table, place, seat, what, args)

    @staticmethod
    def seat_of(person: Person) -> int:
        """Return where a person sits: where their phone says, or where they were."""
        hand = person.phone.hand if person.phone else None
        return int(hand["seat"]) if hand else person.seat

    def _do_with_phone(self, person: Person, phone: SimulatedPhone, what: str, args: Mapping[str, Any]) -> bool:
        """Do something with a phone. Return whether that was it."""
        match what:
            case "ask":
                self._ask(person, args["verb"], args["args"])
            case "sleep":
                phone.sleep()
            case "wake":
                phone.wake()
            case "drop":
                phone.drop()
            case "stall":
                phone.stall(STALL_SECONDS)
            case "vanish":
                phone.sleep()
                person.phone, person.is_here = None, False
            case "another phone":
                phone.sleep()
                person.phone = None
            case _:
                return False
        return True

    @staticmethod
    def _do_with_dice(dice: SimulatedDice, what: str) -> bool:
        """Do something with the dice or their reader. Return whether that was it."""
        match what:
            case "throw":
                dice.throw()
            case "dice lean":
                dice.cock()
            case "die is missed":
                dice.miscount()
            case "reader is lost":
                dice.lose()
            case "reader is back":
                dice.restore()
            case _:
                return False
        return True

    def _do_with_box(self, table: HubTable, place: Place, seat: int, what: str, args: Mapping[str, Any]) -> None:
        box = [*place.boxes.values()][seat - 1]
        match what:
            case "unplug":
                table.cables.unplug(box)
            case "plug":
                table.cables.plug(box)
            case "box loses power":
                table.cables.unplug(box)
                box.program.power_up()
                table.cables.plug(box)
            case "press":
                for other in self.people:
                    if other.place is place and other.phone and self.seat_of(other) == seat:
                        other.gave_at = self.scheduler.time
                self._note_asked(place, [seat])
                self._press(box, args)
                table.cables.look()

    def _press(self, box: SimulatedBox, args: Mapping[str, Any]) -> None:
        seen = box.program.state()
        if args["what"] == "both":
            box.program.hold_both()
            return
        if args["what"] != "dial":
            box.program.press(args["what"], args.get("hold", False))
            return
        if seen["sealed"] and not seen["locked"]:
            self.secrets.append((len(self.script) - 1, {**args, "detents": args["detents"] + 3}))
        box.program.turn(args["detents"])

    def _ask(self, person: Person, verb: str, args: Mapping[str, Any]) -> None:
        phone, place = person.phone, person.place
        assert phone
        hand, match = phone.hand, phone.hand["match"] if phone.hand else None
        if verb == "undo":
            self._note_undo(place)
        if verb in ("act", "roll") and hand and match:
            place.asked_moves.setdefault(match, Counter())[hand["seat"]] += 1
        elif verb == "dice":
            self._note_asked(place, range(1, place.seats + 1))
        if verb == "roll" and isinstance(args.get("faces"), list):
            place.note_faces("typed", args["faces"])
        if verb in DELICATE:
            place.delicate_at = self.scheduler.time
        if verb == "ask" and args.get("what") == "absent":
            place.asked_at = self.scheduler.time
        other, at = secret_choices(phone, verb, args) if phone.is_whole else None, len(self.script) - 1

        if (verb, args.get("say")) == ("claim", "give") or verb == "leave":
            person.gave_at = self.scheduler.time

        def on_answer(answer: dict[str, Any]) -> None:
            self.say(f"person {person.number}: {verb}: {shown(answer)}")
            place.auditor.on_answer(verb, answer)
            if verb in DELICATE and answer["ok"]:
                self._delicate_at = self.scheduler.time
            if other and answer["ok"]:
                self.secrets.append((at, other))
            if verb in ("act", "roll") and answer["ok"]:
                place.acted_at = self.scheduler.time
            if verb == "act" and answer["ok"] and hand and match and not self._needs_agreement(place, args):
                place.done_moves.setdefault(match, Counter())[hand["seat"]] += 1
            resumed = args["match"] if verb == "take_up" and answer["ok"] else None
            if resumed and not place.players.get(resumed, set()) & {person.number, ANYBODY}:
                raise Broken(f"Person {person.number} has resumed {args['match']}, which others have played.")
            if phone.hand:
                person.seat = phone.hand["seat"]  # a resumed match gives people the seats that they had
            if verb == "leave" and answer["ok"] and person.phone is phone:
                person.phone, person.is_here = None, False

        phone.ask(verb, args, on_answer)

    def _needs_agreement(self, place: Place, args: Mapping[str, Any]) -> bool:
        """Return whether others are asked before a move counts, which is acknowledged at once."""
        table = self.table_of(place)
        about = table.match.game.labels.moves.get(args["move"]) if table and table.match else None
        return about is not None and about.agreed

    @staticmethod
    def _note_asked(place: Place, seats: Iterable[int]) -> None:
        """Note that these seats may have one more action each, by their boxes or dice."""
        if place.newest and place.newest.match:
            place.asked_moves.setdefault(place.newest.match, Counter()).update(seats)

    def _note_undo(self, place: Place) -> None:
        place.auditor.may_lose = True
        if place.newest and place.newest.match:
            place.undone.add(place.newest.match)

    def _claim(self, person: Person, pick: float, by: str) -> None:
        """Ask for a seat: with a code of the screen, or with one that somebody there has shown, with a wrong one, or without."""
        place, hub = person.place, self.hub
        newest = place.newest
        if hub is None or newest is None or (person.phone and person.phone.has_seat):
            return
        codes = newest.claim_codes
        away = [f"{seat.seat}" for seat in newest.seats if seat.presence == "away"]
        choices = [*codes] or away or [f"{seat.seat}" for seat in newest.seats]
        seat = int(choices[int(pick * len(choices))])
        code = {"wrong": "ABCDEF", "none": None}.get(by, codes.get(f"{seat}"))
        owners = [
            one for one in self.people if one.place is place and one.phone and one.phone.hand and one.phone.hand.get(by)
        ]
        if owners:
            owner = owners[int(pick * len(owners))]
            assert owner.phone
            assert owner.phone.hand
            seat, code = owner.phone.hand["seat"], owner.phone.hand[by]
            owner.gave_at = place.delicate_at = self.scheduler.time
        keys = Keys(self._key.public, person.random.randbytes(32))
        claim = person.random.randbytes(4).hex()
        person.claims = True
        earlier = [one.public for one in person.keys]
        name = f"Guest {person.number}.{len(person.keys)}"  # another phone has another name, as the first one may still sit here
        asked_at, answers = self.scheduler.time, list[bool]()

        def decided(answer: ClaimDecided) -> None:
            person.claims = False
            answers.append(answer.held)
            self.say(f"person {person.number} {'has' if answer.held else 'does not get'} seat {seat}: {answer.say}")
            if answer.held and by == "wrong":
                raise Broken(f"Person {person.number} got seat {seat} with a wrong code.")
            if answer.held and self.hub is hub:
                if f"{seat}" not in codes:
                    checks.check_given(self, person, seat)
                person.seat = seat
                place.given_at[seat] = self.scheduler.time
                person.keys.append(keys)
                if person.phone:
                    person.phone.sleep()
                person.phone = self._new_phone(person, keys, answer, claim)

        def check() -> None:
            if not answers and self.hub is hub and self.trouble_until < asked_at:
                raise Broken(f"Nobody answers person {person.number}, who asked for seat {seat}.")

        hub.tables[place.number].put(ClaimRequest(claim, seat, keys.public, code, name, decided, earlier))
        self.scheduler.after(CLAIM_SECONDS, check)

    def _new_phone(self, person: Person, keys: Keys, answer: ClaimDecided, claim: str) -> SimulatedPhone:
        place = person.place

        def on_silence(verb: str) -> None:
            if self.trouble_until < self.scheduler.time - 60.0:
                raise Broken(f"Nobody answers person {person.number}, whose phone is connected: {verb}.")

        def on_hand(hand: dict[str, Any]) -> None:
            self._on_seen(self.scheduler.time, f"person {person.number}", hand)
            checks.check_codes(self, place.number, f"{hand | {'seat_code': 0, 'hand_over': 0}}".encode())
            if hand["match"]:
                place.players.setdefault(hand["match"], set()).add(person.number)

        return SimulatedPhone(
            self.scheduler, lambda: self.hub, place.number, keys, answer.sid, answer.password,
            Random(f"phone {claim}"), is_direct=person.is_direct, on_state=place.auditor.on_phone_state,
            on_hand=on_hand, on_silence=on_silence, on_lost=partial(checks.check_lost, self, person),
        )  # fmt: skip

    def _ask_as_staff(self, number: str, verb: str, args: Mapping[str, Any]) -> None:
        place = next(one for one in self.places if one.number == number)
        if verb == "undo":
            self._note_undo(place)
        place.freed_at = place.delicate_at = self.scheduler.time
        if verb == "reset" and place.newest and place.newest.match:
            place.wiped.add(place.newest.match)
        if table := self.table_of(place):
            hub, asked_at, answers = self.hub, self.scheduler.time, list[bool]()

            def answer(done: bool, sentence: str) -> None:
                answers.append(done)
                self.say(f"staff: {verb}: {'done' if done else 'refused'}: {sentence}")

            def check() -> None:
                if len(answers) != 1 and self.hub is hub and self.trouble_until < asked_at:
                    raise Broken(f"Staff have asked for {verb}, and got {len(answers)} answers.")

            table.put(StaffRequest(verb, args, answer))
            self.scheduler.after(checks.STAFF_SECONDS, check)

    # --- the hub ---

    def _start_hub(self) -> None:
        self.hub = SimulatedHub(
            self.scheduler, self._hub_random, self._files, self._key, self.places, self._on_cut, self._on_bytes,
            self._on_deal,
        )  # fmt: skip
        for place in self.places:
            place.patience = place.settings.patience
        self.hub.start()
        checks.check_seats(self)
        for person in self.people:
            if person.phone and person.phone.has_seat and person.phone.hand:
                check = partial(checks.check_is_back, self, person, person.phone, self.hub)
                self.scheduler.after(checks.BACK_SECONDS, check)

    def _stop_hub(self) -> None:
        if self.hub:
            for place in self.places:
                place.auditor.was_idle = self.hub.tables[place.number].is_idle
            self.hub.disk.lose_power()
            self.hub.stop()
            self._on_cut()

    def _on_cut(self) -> None:
        self.say("the hub ends")
        self.ended_at = self.scheduler.time
        self.hub = None
        for person in self.people:
            person.claims = False
        self._suffer(RESTART_SECONDS)
        self.scheduler.after(RESTART_SECONDS, self._start_hub)

    def _suffer(self, seconds: float) -> None:
        """Note trouble, and end it in so many seconds."""
        self.trouble_until = max(self.trouble_until, self.scheduler.time + seconds)
        self.scheduler.after(seconds, self._recover)

    def _recover(self) -> None:
        if self.hub and self.scheduler.time >= self.trouble_until:
            self.hub.disk.is_full, self.hub.disk.slow_seconds, self.hub.broker.slowness = False, 0.0, 0.05
            for one in self.hub.tables.values():
                one.cables.noise = 0.0

    def _on_bytes(self, where: str, data: bytes) -> None:
        if where.endswith("/state"):
            checks.check_codes(self, where.split("/")[-3], data)
            self._on_seen(self.scheduler.time, where, data)
        elif where.startswith("the cable"):
            self._on_seen(self.scheduler.time, where, COMMITMENT.sub(rb"\1", data))
        else:
            self._on_seen(self.scheduler.time, where, len(data))

    def _on_deal(self, number: str, cards: list[Any]) -> list[Any]:
        deal, dealt = len(self.deals), [*cards]
        if self._exchange and self._exchange[0] == deal:
            _, one, two = self._exchange
            dealt[one], dealt[two] = cards[two], cards[one]
        self.deals.append((self.scheduler.time, number, dealt))
        return dealt

    def _on_shown(self, place: Place, state: ScreenState) -> None:
        self.say(f"table {place.number}: state {state.seq} {state.state} {state.match} {state.want}")
        self.history.append((self.scheduler.time, state))
        self._on_seen(self.scheduler.time, f"screen {place.number}", state)
        if table := self.table_of(place):
            self._on_seen(self.scheduler.time, f"staff page {place.number}", table.table.desk)
        before = place.newest
        if state.starting and not (before and before.starting):
            place.starting_since = self.scheduler.time
        if before is None or _position(before) != _position(state):
            place.moved_at = self.scheduler.time
        if before and before.session == state.session:
            checks.check_asked(self, place, before, state)
            checks.check_left(self, place, before, state)
            checks.check_resumed(self, place, before, state)
            checks.check_started(self, place, before, state)

    def _check_time(self) -> None:
        is_well = self.hub is not None and self.is_well(20.0)
        for place in self.places:
            place.auditor.check_time(self.scheduler.time, is_well=is_well)
            place.check_boxes(self.scheduler.time, is_well=is_well)
            checks.check_offers(self, place)
            if (table := self.table_of(place)) and table.dice:
                place.check_dice(self.scheduler.time, table.dice, is_well=is_well)
        self.scheduler.after(1.0, self._check_time)

    # --- for those who check promises ---

    def is_well(self, seconds: float = 0.0) -> bool:
        """Return whether disk and network have been well for so long."""
        return self.trouble_until < self.scheduler.time - seconds

    def pass_time(self, seconds: float) -> None:
        """Let everything go on for so long."""
        self.scheduler.run_until(self.scheduler.time + seconds)

    def until(self, true: Callable[[], object], place: Place, seconds: float, what: str) -> None:
        """Wait until something is true. Raise Broken with `what` if that takes longer than the promised time."""
        end = self.scheduler.time + seconds
        while not true():
            if self.scheduler.time >= end:
                assert place.newest
                raise Broken(f"{what} within {seconds:.0f} s: {facts(place.newest)}")
            self.pass_time(1.0)

    def settle(self) -> None:
        """End all trouble: the disk and the network are well again, and everybody is boring from now on."""
        self.behaviors = ALWAYS
        self._ideas_on, self._has_owner = True, False
        self.trouble_until = min(self.trouble_until, self.scheduler.time)
        self._recover()
        if self.hub:
            self.hub.disk.cuts_next_write = False
        for person in self.people:
            person.is_here &= person.has_phone  # who has a box alone sees no hand, and presses whatever there is
            person.random = Random(f"calm {person.number} of {self.seed}")  # whatever it has decided before

    def silence(self) -> None:
        """Let nobody have ideas any more."""
        self._ideas_on = False

    def do(self, person: Person, what: str, **args: Any) -> None:
        """Let a person do something now."""
        self._do(Intent(self.scheduler.time, person.number, what, args))


def _position(state: ScreenState) -> tuple[object, ...]:
    """Return what changes only if a match goes on; an undo, or a move that is possible at any time, need not do that."""
    view = state.view
    return state.session, state.match, view and (view.round, view.phase, view.waiting)
