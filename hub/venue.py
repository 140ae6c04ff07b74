"""The venue as its staff see and work it: all tables of this hub, their faults, the machine itself.

What staff see is made of public states and of what devices say of themselves: nothing that only a seat may see comes here.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec
from msgspec.structs import replace

from hub.decks import CardLists
from hub.devices import DeviceHealth
from hub.engine.game import Game
from hub.engine.match import Head
from hub.errors import HubError, LogError
from hub.network.screen_messages import ScreenSeen
from hub.network.staff_messages import Fault, StaffAsk, StaffTable, Upstream, Venue
from hub.network.staff_verbs import STAFF_ARGS, TABLE_ARGS, CardsArgs
from hub.network.verbs import NOT_UNDERSTOOD, read_args
from hub.ports import GameChanged, LogStore, StaffAsked
from hub.power import PowerControl
from hub.state import PublicState, ScreenState
from hub.table.loop import Table
from hub.version import version
from phone_ui.latest import Latest
from phone_ui.staff_pin import ALARM_AFTER

log = logging.getLogger(__name__)

ANSWER_SECONDS = 10.0
"""So long staff wait for a table, which may wait for its disk."""
LOOK_SECONDS = 15.0
"""The picture of the venue is drawn anew after so long, and at most every `PAUSE_SECONDS`."""
PAUSE_SECONDS = 0.25


class StaffFeed:
    """The Page port of the staff: the newest public state of a table, without its long lists and the codes of seats."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self.newest: PublicState | None = None
        self._changed = changed

    def show(self, public: ScreenState, settled: bool) -> None:  # noqa: ARG002 (the port's)
        """Take the newest state."""
        shown = {name: getattr(public, name) for name in PublicState.__struct_fields__}
        newest = PublicState(**shown | {"events": public.events[-1:]})
        if newest != self.newest:  # a demonstration changes nothing here
            self.newest = newest
            self._changed()


class VenueTable:
    """One table, and what is known of it without asking it."""

    def __init__(
        self,
        table: Table,
        feed: StaffFeed,
        health: DeviceHealth,
        store: LogStore,
        screens: Callable[[], list[ScreenSeen]] = list,
    ) -> None:
        """`screens` returns the table's big screens and when each was seen last."""
        self.table, self._feed, self._health, self._store, self._screens = table, feed, health, store, screens
        self._begun: tuple[str | None, int | None] = (None, None)

    def seen(self) -> StaffTable | None:
        """Return the table as staff see it; None before its first picture."""
        public = self._feed.newest
        if public is None:
            return None
        return StaffTable(public, self.table.desk, self._when_begun(public.match), self._faults(), self._screens())

    @property
    def name(self) -> str:
        """Return the name of the table."""
        return self._feed.newest.name if self._feed.newest else ""

    def playing(self, game: str) -> str:
        """Return the title of `game` if a match of it is under way at this table, else ""."""
        public = self._feed.newest
        if public is None or public.game != game or public.state not in ("playing", "stopped"):
            return ""
        return public.title

    def put_aside_with(self, game: Game) -> int:
        """Return how many matches were put aside here that only go on with this game's rules and cards. Raise LogError."""
        found = 0
        for one in self._store.all_put_aside(self.table.id):
            with suppress(ValueError, TypeError, RecursionError):  # its head cannot be read: nobody can go on with it
                head = msgspec.json.decode(one.head, type=Head)
                found += (head.game, head.digest) == (game.name, game.digest)
        return found

    def _when_begun(self, match: str | None) -> int | None:
        if match != self._begun[0]:
            try:
                self._begun = match, self._store.begun(match) if match else None
            except LogError:  # the disk fails, which a notice says
                return None
        return self._begun[1]

    def _gone(self, box: str, why: str) -> str:
        """Return which box is gone: by its seat, which staff can see, and only without one in the driver's words."""
        seat = self.table.seat_with(box)
        return f"The box of seat {seat} is gone." if seat else why

    def _faults(self) -> list[Fault]:
        health = self._health.snapshot()
        found = [
            Fault(self._gone(name, box["why"]), "Plug its cable in again. A person with a phone can play on there.")
            for name, box in health["boxes"].items()
            if not box["on"]
        ]
        found += [
            Fault(f"{name}: {why}", "Look at its cable and power; the hub tries it again by itself.")
            for name, why in health["devices"].items()
            if why
        ]
        for reader, kit in health["dice"].items():
            if kit["why"]:
                found.append(Fault(f"{reader}: {kit['why']}", "Dice are typed on a phone or a box until it is back."))
            elif kit["weak"]:
                found.append(
                    Fault(f"{reader}: low battery: {', '.join(kit['weak'])}.", "Charge before the next match.")
                )
        if health["broker"]:
            found.append(
                Fault(
                    f"Phones cannot be reached: {health['broker']}",
                    "Boxes play on. It is tried again by itself.",
                    "error",
                )
            )
        if self.table.fault:
            do = "Press *Start this table again*. If it stops again, start the hub again and keep its support file."
            found.append(Fault(self.table.fault, do, "error"))
        if self.table.stopped:
            found.append(
                Fault(
                    self.table.stopped, "Play stands still until the disk works. Look at card and free space.", "error"
                )
            )
        return found


class VenueDesk:
    """The venue as the staff page sees and works it: the `StaffFace` of the web port.

    - `changed`: is set when something has changed that the picture shows.
    - `examine`: examines the machine and the configuration.
    - `upstream`: returns what is known of the other hubs of the venue.
    - `notices`: faults that were found, and repaired, when the hub started.
    """

    def __init__(
        self,
        hub: str,
        power: PowerControl,
        tables: Mapping[str, VenueTable],
        changed: threading.Event,
        *,
        cards: CardLists | None = None,
        examine: Callable[[], Sequence[Fault]] | None = None,
        upstream: Callable[[], Upstream] | None = None,
        notices: Sequence[Fault] = (),
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._hub, self._power, self._tables, self._changed = hub, power, tables, changed
        self._cards, self._examine, self._upstream, self._wall = cards, examine, upstream, wall
        self.notices = list(notices)
        self._latest = Latest()
        self._newest: tuple[int, Venue | None] = (0, None)
        self._closing = threading.Event()
        self._wrong = 0
        self._thread = threading.Thread(target=self._follow, name="venue", daemon=True)

    def start(self) -> None:
        """Start the thread that draws the picture."""
        self._thread.start()

    def close(self) -> None:
        """End the thread."""
        self._closing.set()
        self._changed.set()
        if self._thread.is_alive():
            self._thread.join(2)

    def _follow(self) -> None:
        while not self._closing.is_set():
            self._changed.clear()
            self.draw()
            self._changed.wait(LOOK_SECONDS)
            self._closing.wait(PAUSE_SECONDS)

    def draw(self) -> None:
        """Draw the picture of the venue; whoever follows is told where it is another one."""
        number, before = self._newest
        seen = [one for table in self._tables.values() if (one := table.seen())]
        venue = Venue(
            int(self._wall()),
            self._hub,
            version(),
            seen,
            self._faults(),
            self._power.why_no_restart,
            self._power.why_no_power_off,
            self._upstream() if self._upstream else None,
        )
        if before is not None and replace(before, now=venue.now) == venue and venue.now - before.now < LOOK_SECONDS:
            return
        self._newest = number + 1, venue
        self._latest.put(b"")

    def _faults(self) -> list[Fault]:
        if self._wrong < ALARM_AFTER:
            return self.notices
        return [
            *self.notices,
            Fault(
                f"{self._wrong} wrong PINs of the staff were typed within a day: somebody guesses.",
                "`table-hub staff-pin --new` on the hub makes another one.",
            ),
        ]

    # --- the web port's --------------------------------------------------------------------------------

    @property
    def picture(self) -> tuple[int, Venue | None]:
        """Return the newest picture and its number; 0 before the first."""
        return self._newest

    def follow(self, nudge: Callable[[], None]) -> Callable[[], None]:
        """Call `nudge` after each new picture. Return what ends this."""
        return self._latest.follow(nudge)

    def guessed(self, wrong: int) -> None:
        """Take note of how many wrong PINs came within a day."""
        self._wrong = wrong
        self._changed.set()

    def do(self, ask: StaffAsk) -> tuple[str, list[Fault] | None]:
        """Do what staff ask; return a sentence, and what a look over the machine has found. Raise HubError."""
        if ask.verb in TABLE_ARGS:
            return self._at_table(ask), None
        match ask.verb, read_args(STAFF_ARGS, ask.verb, ask.args):
            case "doctor", _:
                return self._look_over()
            case "cards", CardsArgs(game=game, changes=changes):
                return self._enter_cards(game, changes), None
            case "restart", _:
                self._power.restart_hub()
                log.info("staff: the hub is started again.")
                return "The hub starts again: this page comes back in half a minute and asks for the PIN.", None
            case "off", _:
                self._power.power_off()
                log.info("staff: the machine is switched off.")
                return "The machine switches itself off. Pull the plug once its light is still.", None
        raise HubError(NOT_UNDERSTOOD)

    def _at_table(self, ask: StaffAsk) -> str:
        """Let a table do it, and wait until its disk has it."""
        table = self._tables.get(ask.table)
        if table is None:
            raise HubError("This hub has no such table.")
        done, answers = threading.Event(), list[tuple[bool, str]]()

        def answer(is_done: bool, say: str) -> None:
            answers.append((is_done, say))
            done.set()

        table.table.put(StaffAsked(ask.verb, ask.args, answer))
        if not done.wait(ANSWER_SECONDS):
            raise HubError("The table does not answer in time; look again whether it was done.")
        is_done, say = answers[0]
        if not is_done:
            raise HubError(say)
        return say

    def _enter_cards(self, name: str, changes: Mapping[str, Any]) -> str:
        """Let the next matches of a game be played with changed cards. Raise HubError."""
        for table in self._tables.values():
            if title := table.playing(name):
                raise HubError(f"{title} is being played at {table.name}: change its cards after that match.")
        if self._cards is None:
            raise HubError("There is no game with cards that can be changed.")
        earlier = [game for game in self._cards.all if game.name == name]
        game = self._cards.enter(name, changes)
        for table in self._tables.values():
            table.table.put(GameChanged(game))
        log.info("staff: other cards were entered for %s.", name)
        say = f"{game.title} is played with these cards from the next match on."
        kept = 0 if game.digest == earlier[0].digest else self._put_aside_with(earlier[0])
        return f"{say} Matches put aside that need the earlier cards: {kept}." if kept else say

    def _put_aside_with(self, game: Game) -> int:
        with suppress(LogError):  # the cards are kept all the same
            return sum(table.put_aside_with(game) for table in self._tables.values())
        return 0

    def _look_over(self) -> tuple[str, list[Fault]]:
        if self._examine is None:
            raise HubError("Run `table-hub doctor` on the hub's machine.")
        found = list(self._examine())
        return ("All is well." if not found else f"{len(found)} to look at."), found
