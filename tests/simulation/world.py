"""A whole evening at one table, decided by one seed."""

from __future__ import annotations

import hashlib
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any, Self

from nacl.public import PrivateKey

from hub.network.encryption import HubKey
from hub.network.messages import Topics, to_bytes
from hub.ports import ClaimDecided, ClaimRequest, StaffRequest
from hub.state import ScreenState
from tests.complete_states import read_state
from tests.phone_ui.rig import Keys
from tests.simulation.auditor import Auditor, Broken, facts
from tests.simulation.clock import Scheduler
from tests.simulation.hub import SimulatedHub
from tests.simulation.people import ALWAYS, Intent, chosen_behaviors, next_step, owner_steps, staff_step
from tests.simulation.phone import SimulatedPhone, shown

THINK_SECONDS = 3.0  # the mean time between two steps of a person
AWAY_SECONDS = 60.0
RESTART_SECONDS = 3.0
MEMORY = Path("/dev/shm")


@dataclass
class Person:
    """A guest, with a phone from the moment at which they ask for a seat."""

    number: int
    random: Random
    seat: int = 0
    phone: SimulatedPhone | None = None
    keys: list[Keys] = field(default_factory=list)  # of earlier claims
    claims: bool = False
    is_here: bool = True


class World:
    """One table with its hub, its guests, staff and owner. Use it as a context manager.

    With a `script`, its intents happen at their times, and nobody has ideas of their own.
    """

    def __init__(self, seed: int, script: Sequence[Intent] | None = None) -> None:
        self.seed = seed
        draw = Random(f"world {seed}")
        self.behaviors = chosen_behaviors(draw)
        self.scheduler = Scheduler()
        self.script: list[Intent] = []
        self._given = script
        self._ideas_on = self._has_owner = script is None
        self.seats = draw.randint(2, 6)
        self._random = Random(f"ideas {seed}")
        self._hub_random = Random(f"hub {seed}")
        self._folder = tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None)
        self._key = HubKey(PrivateKey(hashlib.sha256(f"key {seed}".encode()).digest()))
        self.topics = Topics("hub", "1")
        self.auditor = Auditor()
        self.trace = hashlib.sha256()
        self.lines: list[str] = []
        self.people = [
            Person(number, Random(f"person {number} of {seed}")) for number in range(draw.randint(2, self.seats + 1))
        ]
        self.hub: SimulatedHub | None = None
        self.asked_moves: dict[str, Counter[int]] = {}
        """By match, how many moves the phones of each seat have asked for."""
        self.house_moved: set[str] = set()
        """Matches in which the house has played a seat."""
        self._start_hub()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.hub:
            self.hub.stop()
        self._folder.cleanup()

    def run(self, minutes: float) -> None:
        """Let an evening go on for so long. Raise Broken."""
        end = self.scheduler.time + minutes * 60
        for person in self.people:
            self._later(person)
        self.scheduler.after(1.0, self._have_staff_ideas)
        for intent in self._given or ():
            self.scheduler.after(intent.at - self.scheduler.time, lambda intent=intent: self._do(intent))  # type: ignore[misc]
        self.scheduler.run_until(end)

    def say(self, line: str) -> None:
        """Add a line to the trace."""
        stamped = f"{self.scheduler.time:.3f} {line}"
        self.trace.update(stamped.encode())
        self.lines.append(stamped)

    # --- ideas ---

    def _later(self, person: Person) -> None:
        self.scheduler.after(person.random.expovariate(1 / THINK_SECONDS), lambda: self._have_idea(person))

    def _have_idea(self, person: Person) -> None:
        if self._ideas_on:
            if person.phone and person.phone.has_seat:
                step = next_step(
                    person.phone, (person.phone.hand or {}).get("seat", person.seat), self.behaviors, person.random
                )
            elif person.is_here:
                step = None if person.claims else ("claim", {"pick": person.random.random()})
            else:
                step = ("come", {}) if person.random.random() < THINK_SECONDS / AWAY_SECONDS else None
            if step:
                self._do(Intent(self.scheduler.time, person.number, *step))
        self._later(person)

    def _have_staff_ideas(self) -> None:
        if self._has_owner:
            for step in owner_steps(self.behaviors, self._random):
                self._do(Intent(self.scheduler.time, -1, *step))
            if "staff" in self.behaviors and self._random.random() < 0.01 and self.auditor.newest:
                state = read_state(to_bytes(self.auditor.newest))
                self._do(Intent(self.scheduler.time, -1, *staff_step(state, self._random)))
            self.scheduler.after(1.0, self._have_staff_ideas)

    # --- what happens ---

    def _do(self, intent: Intent) -> None:
        self.script.append(intent)
        self.say(str(intent))
        person = self.people[intent.who] if 0 <= intent.who < len(self.people) else None
        args = intent.args
        match intent.what:
            case "ask" if person and person.phone:
                self._ask(person, args["verb"], args["args"])
            case "claim" if person:
                self._claim(person, args["pick"])
            case "sleep" if person and person.phone:
                person.phone.sleep()
            case "wake" if person and person.phone:
                person.phone.wake()
            case "drop" if person and person.phone:
                person.phone.drop()
            case "vanish" if person and person.phone:
                person.phone.sleep()
                person.phone, person.is_here = None, False
            case "another phone" if person and person.phone:
                person.phone.sleep()
                person.phone = None
            case "come" if person:
                person.is_here = True
            case "staff":
                self._ask_as_staff(args["verb"], args["args"])
            case "restart":
                self._stop_hub()
            case "power cut" if self.hub:
                self.hub.disk.cuts_next_write = True
            case "full disk" if self.hub:
                self.hub.disk.is_full = True
                self.scheduler.after(args["seconds"], self._free_disk)
            case "slow network" if self.hub:
                self.hub.broker.slowness = 0.5
                self.scheduler.after(args["seconds"], self._hurry)
            case "broker" if self.hub:
                for one in [*self.hub.broker.connections]:
                    self.hub.broker.close(one)

    def _ask(self, person: Person, verb: str, args: Mapping[str, Any]) -> None:
        phone = person.phone
        assert phone
        self.auditor.may_lose |= verb == "undo"
        if verb in ("act", "roll") and phone.hand and phone.hand["match"]:
            self.asked_moves.setdefault(phone.hand["match"], Counter())[phone.hand["seat"]] += 1

        def on_answer(answer: dict[str, Any]) -> None:
            self.say(f"person {person.number}: {verb}: {shown(answer)}")
            self.auditor.on_answer(verb, answer)
            if phone.hand:
                person.seat = phone.hand["seat"]  # a resumed match gives people the seats that they had
            if verb == "leave" and answer["ok"] and person.phone is phone:
                person.phone, person.is_here = None, False

        phone.ask(verb, args, on_answer)

    def _claim(self, person: Person, pick: float) -> None:
        newest = self.auditor.newest
        if self.hub is None or newest is None or (person.phone and person.phone.has_seat):
            return
        codes = newest.claim_codes
        away = [f"{seat.seat}" for seat in newest.seats if seat.presence == "away"]
        choices = [*codes] or away or [f"{seat.seat}" for seat in newest.seats]
        seat = int(choices[int(pick * len(choices))])
        keys = Keys(self._key.public, person.random.randbytes(32))
        claim = person.random.randbytes(4).hex()
        person.claims = True
        earlier = [one.public for one in person.keys]
        name = f"Guest {person.number}.{len(person.keys)}"  # another phone has another name, as the first one may still sit here

        def decided(answer: ClaimDecided) -> None:
            person.claims = False
            self.say(f"person {person.number}: seat {seat}: {answer.held} {answer.say}")
            if answer.held and self.hub:
                person.seat = seat
                person.keys.append(keys)
                if person.phone:
                    person.phone.sleep()
                person.phone = SimulatedPhone(
                    self.scheduler, lambda: self.hub.broker if self.hub else None, self.topics, keys, answer.sid,
                    answer.password, Random(f"phone {claim}"),
                )  # fmt: skip

        self.hub.put(ClaimRequest(claim, seat, keys.public, codes.get(f"{seat}"), name, decided, earlier))
        self.scheduler.after(60.0, lambda: setattr(person, "claims", False))

    def _ask_as_staff(self, verb: str, args: Mapping[str, Any]) -> None:
        self.auditor.may_lose |= verb == "undo"
        if self.hub:
            self.hub.put(StaffRequest(verb, args, lambda done, say: self.say(f"staff: {verb}: {done} {say}")))

    # --- the hub ---

    def _start_hub(self) -> None:
        self.hub = SimulatedHub(
            self.scheduler,
            self._hub_random,
            Path(self._folder.name),
            self._key,
            self.seats,
            self._on_state,
            self._on_cut,
        )
        self.hub.start()

    def _stop_hub(self) -> None:
        if self.hub:
            self.hub.stop()
            self._on_cut()

    def _on_cut(self) -> None:
        self.say("the hub ends")
        self.hub = None
        for person in self.people:
            person.claims = False
        self.scheduler.after(RESTART_SECONDS, self._start_hub)

    def _free_disk(self) -> None:
        if self.hub:
            self.hub.disk.is_full = False

    def _hurry(self) -> None:
        if self.hub:
            self.hub.broker.slowness = 0.05

    def _on_state(self, state: ScreenState) -> None:
        self.say(f"state {state.seq} {state.state} {state.match} {state.want}")
        self.auditor.on_state(state)
        if state.match and (state.stood_in or any(seat.house for seat in state.seats)):
            self.house_moved.add(state.match)
        if self.hub and self.hub.table.fault:
            raise Broken("The table has failed three times, and stands still.")

    # --- for those who check promises ---

    def pass_time(self, seconds: float) -> None:
        """Let everything go on for so long."""
        self.scheduler.run_until(self.scheduler.time + seconds)

    def until(self, true: Callable[[], object], seconds: float, what: str) -> None:
        """Wait until something is true. Raise Broken with `what` if that takes longer than the promised time."""
        end = self.scheduler.time + seconds
        while not true():
            if self.scheduler.time >= end:
                assert self.auditor.newest
                raise Broken(f"{what} within {seconds:.0f} s: {facts(self.auditor.newest)}")
            self.pass_time(1.0)

    def settle(self) -> None:
        """End all trouble: the disk and the network are well again, and everybody is boring from now on."""
        self.behaviors = ALWAYS
        self._ideas_on, self._has_owner = True, False
        self._free_disk()
        self._hurry()
        if self.hub:
            self.hub.disk.cuts_next_write = False
        for person in self.people:
            person.random = Random(f"calm {person.number} of {self.seed}")  # whatever it has decided before

    def silence(self) -> None:
        """Let nobody have ideas any more."""
        self._ideas_on = False

    def do(self, person: Person, what: str, **args: Any) -> None:
        """Let a person do something now."""
        self._do(Intent(self.scheduler.time, person.number, what, args))
