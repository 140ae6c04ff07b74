"""The venue as staff see and operate it: all tables of this hub, their faults, and the machine.

Staff see public states and the reports of devices. Nothing that only one seat may see gets here.
"""

from __future__ import annotations

import logging
import threading
import time
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Literal

import msgspec
from msgspec.structs import replace

from hub.decks import CardLists
from hub.devices import DeviceHealth
from hub.engine.game import Game
from hub.engine.match import Head
from hub.engine.text import listed, person, say, say_count
from hub.errors import HubError, LogError
from hub.found_devices import FoundDevices
from hub.handouts import Handouts
from hub.hotspot import Hotspot
from hub.network.screen_messages import ScreenSeen
from hub.network.staff_messages import (
    CameraSeen,
    Evenings,
    Fault,
    Settings,
    StaffAsk,
    StaffFile,
    StaffTable,
    Upstream,
    Venue,
)
from hub.network.staff_verbs import (
    STAFF_ARGS,
    TABLE_ARGS,
    AddPackageArgs,
    BackupArgs,
    CardsArgs,
    ChangeSettingsArgs,
    FirmwareArgs,
    JoinWifiArgs,
    LeaveDeviceArgs,
    RemovePackageArgs,
    RestartArgs,
    ScreenLinkArgs,
    SettingsRequest,
    UpdateArgs,
    UseDeviceArgs,
)
from hub.network.verbs import NOT_UNDERSTOOD, read_args
from hub.network.wifi import LONGEST_NAME, is_wifi_password
from hub.package_folder import PackageFolder
from hub.ports import CalibrationStep, DiceCamera, GameChanged, LogStore, StaffRequest
from hub.power import PowerControl
from hub.settings.desk import SettingsDesk
from hub.state import PublicState, ScreenState
from hub.stick_backups import StickBackups
from hub.table.loop import Table
from hub.table_devices import TableDevices
from hub.updates import Updates
from hub.version import version
from phone_ui.latest import Latest
from phone_ui.staff_pin import ALARM_AFTER

log = logging.getLogger(__name__)

ANSWER_SECONDS = 10.0
"""How long staff wait for a table, which may wait for its disk."""
MAX_AGE_SECONDS = 15.0
"""The picture of the venue is updated at least this often."""
MIN_AGE_SECONDS = 0.25
"""... and at most this often."""


class StaffFeed:
    """The Page port for staff: the newest public state of a table, without long lists and without the codes of seats."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self.newest: PublicState | None = None
        self._changed = changed

    def show(self, public: ScreenState, settled: bool) -> None:  # noqa: ARG002 (the port's)
        """Keep the newest state, and report whether it differs from the last one."""
        shown = {name: getattr(public, name) for name in PublicState.__struct_fields__}
        newest = PublicState(**shown | {"events": public.events[-1:]})
        if newest != self.newest:  # a demonstration does not change it
            self.newest = newest
            self._changed()


class VenueTable:
    """One table as staff see it, without a request to the table."""

    def __init__(
        self,
        table: Table,
        feed: StaffFeed,
        health: DeviceHealth,
        store: LogStore,
        screens: Callable[[], list[ScreenSeen]] = list,
        devices: TableDevices | None = None,
    ) -> None:
        """Create it. `screens` returns the big screens of the table and how long ago each was seen."""
        self._devices = devices
        self.table, self._feed, self._health, self._store, self._screens = table, feed, health, store, screens
        self._match_began: tuple[str | None, int | None] = (None, None)

    def staff_table(self) -> StaffTable | None:
        """Return the table as staff see it; None before its first state."""
        public = self._feed.newest
        if public is None:
            return None
        return StaffTable(
            public, self.table.desk, self._began_at(public.match), self._faults(), self._screens(),
            camera=self.camera is not None, panels=self._devices is not None and self._devices.has_panels,
        )  # fmt: skip

    @property
    def camera(self) -> DiceCamera | None:
        """Return the camera over its dice tray, if it has one."""
        return self._devices.camera if self._devices else None

    @property
    def name(self) -> str:
        """Return the name of the table."""
        return self._feed.newest.name if self._feed.newest else ""

    @property
    def public(self) -> PublicState | None:
        """Return the newest public state without long lists; None before the first one."""
        return self._feed.newest

    @property
    def is_playing(self) -> bool:
        """Return whether a match is being played."""
        return self._feed.newest is not None and self._feed.newest.state in ("playing", "stopped")

    def title_if_playing(self, game: str) -> str:
        """Return the title of `game` if this table is playing it, else ""."""
        public = self._feed.newest
        if public is None or public.game != game or not self.is_playing:
            return ""
        return public.title

    def count_suspended(self, game: Game) -> int:
        """Return how many suspended matches of this table need exactly this game's rules and cards. Raise LogError."""
        count = 0
        for one in self._store.all_put_aside(self.table.id):
            with suppress(ValueError, TypeError, RecursionError):  # a damaged head: nobody can resume this match
                head = msgspec.json.decode(one.head, type=Head)
                count += head.game == game.name and game.has_same_rules(head.digest)
        return count

    def _began_at(self, match: str | None) -> int | None:
        if match != self._match_began[0]:
            try:
                self._match_began = match, self._store.started_at(match) if match else None
            except LogError:  # a notice reports the failing disk
                return None
        return self._match_began[1]

    def _box_down(self, box: str, why: str) -> str:
        """Return a sentence about a missing box: by its seat, which staff can see; without a seat, the driver's sentence."""
        seat = self.table.seat_with(box)
        return say("The box of seat {seat} is disconnected.", seat=seat) if seat else why

    def _faults(self) -> list[Fault]:
        health = self._health.snapshot()
        found = [
            Fault(
                self._box_down(name, box["why"]),
                say("Plug its cable in again. A person with a phone can play on there."),
            )
            for name, box in health["boxes"].items()
            if not box["on"]
        ]
        found += [
            Fault(
                say("{device}: {problem}", device=name, problem=why),
                say("Check its cable and power. The hub tries again by itself."),
            )
            for name, why in health["devices"].items()
            if why
        ]
        for reader, kit in health["dice"].items():
            if kit["why"]:
                why = say("{device}: {problem}", device=reader, problem=kit["why"])
                found.append(Fault(why, say("Type the dice on a phone or a box until the reader is back.")))
            elif kit["weak"]:
                low = say("{device}: low battery: {dice}.", device=reader, dice=listed(kit["weak"], ","))
                found.append(Fault(low, say("Charge before the next match.")))
        if broker := health["broker"]:
            do = say("Boxes play on. The hub tries again by itself.")
            found.append(Fault(say("Phones cannot be reached: {problem}", problem=broker), do, "error"))
        if self.table.fault:
            do = say("Press “Restart this table”. If the table stops again, restart the hub and keep its support file.")
            found.append(Fault(self.table.fault, do, "error"))
        if self.table.stopped:
            do = say("Play is stopped until the disk works. Check the card and its free space.")
            found.append(Fault(self.table.stopped, do, "error"))
        return found


class VenueDesk:
    """The venue as the staff page sees and works it: the `StaffFace` of the web port.

    - `changed`: is set when something has changed that the picture shows.
    - `examine`: examines the machine and the configuration.
    - `upstream`: returns what is known of the other hubs of the venue.
    - `settings`: reads and changes the owner's configuration.
    - `hotspot`: the hub's Wi-Fi; None if the hub leaves the network alone.
    - `found`: devices that are plugged in and not in use; None if the hub does not look for them.
    - `handouts`: makes the files and links that staff take away from their page.
    - `evenings`: returns what was played in a month, for tables with these names.
    - `notices`: faults that were found, and repaired, when the hub started.
    """

    def __init__(
        self,
        hub: str,
        power: PowerControl,
        tables: Mapping[str, VenueTable],
        changed: threading.Event,
        cards: CardLists,
        *,
        examine: Callable[[], Sequence[Fault]] | None = None,
        upstream: Callable[[], Upstream] | None = None,
        settings: SettingsDesk | None = None,
        hotspot: Hotspot | None = None,
        found: FoundDevices | None = None,
        handouts: Handouts | None = None,
        notices: Sequence[Fault] = (),
        updates: Updates | None = None,
        backups: StickBackups | None = None,
        packages: PackageFolder | None = None,
        evenings: Callable[[Mapping[str, str], str], Evenings] | None = None,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._hub, self._power, self._tables, self._changed = hub, power, tables, changed
        self._cards, self._examine, self._upstream, self._wall = cards, examine, upstream, wall
        self._updates = updates or Updates(wall=wall)
        self._backups = backups or StickBackups(wall=wall)
        self._settings, self._restart_is_planned = settings, False
        self._hotspot, self._found, self._handouts, self._packages = hotspot, found, handouts, packages
        self._evenings = evenings
        self._using = threading.Lock()
        self.notices = list(notices)
        self._latest = Latest()
        self.picture: tuple[int, Venue | None] = (0, None)  # the newest one and its number; 0 before the first one
        self._closing = threading.Event()
        self._wrong = 0
        self._thread = threading.Thread(target=self._run, name="venue", daemon=True)

    def start(self) -> None:
        """Start the thread that updates the picture."""
        self._thread.start()

    def close(self) -> None:
        """End the thread."""
        self._closing.set()
        self._changed.set()
        if self._thread.is_alive():
            self._thread.join(2)

    def _run(self) -> None:
        while not self._closing.is_set():
            self._changed.clear()
            self.update()
            self.restart_if_planned()
            self._updates.run_daily(is_playing=self._is_playing)
            self._changed.wait(MAX_AGE_SECONDS)
            self._closing.wait(MIN_AGE_SECONDS)

    def update(self) -> None:
        """Update the picture of the venue, and notify the callbacks of `on_change` if it has changed."""
        number, before = self.picture
        tables = [one for table in self._tables.values() if (one := table.staff_table())]
        no_restart, no_power_off = self._power.why_no_restart, self._power.why_no_power_off
        upstream = self._upstream() if self._upstream else None
        now, faults = int(self._wall()), self._faults()
        update, wifi = self._updates.seen(), self._hotspot.status if self._hotspot else None
        found = self._found.seen if self._found else []
        venue = Venue(
            now, self._hub, version(), tables, faults, no_restart, no_power_off, upstream, update, wifi, found,
            self._backups.seen(),
        )  # fmt: skip
        if before is not None and replace(before, now=now) == venue and now - before.now < MAX_AGE_SECONDS:
            return
        self.picture = number + 1, venue
        self._latest.put(b"")

    def restart_if_planned(self) -> None:
        """Restart the hub if staff have planned that and no match is being played."""
        if self._restart_is_planned and not self._is_playing:
            self._restart_is_planned = False
            self._power.restart_hub()
            log.info("staff: the hub restarts, because no match is being played.")

    @property
    def _is_playing(self) -> bool:
        return any(table.is_playing for table in self._tables.values())

    def _faults(self) -> list[Fault]:
        found = list(self.notices)
        if self._hotspot and (problem := self._hotspot.status.problem):
            found.append(Fault(problem, say("Guests join the Wi-Fi that the big screen shows.")))
        if self._wrong < ALARM_AFTER:
            return found
        what = say_count(
            "{count} wrong staff PIN was typed within a day: somebody is guessing.",
            "{count} wrong staff PINs were typed within a day: somebody is guessing.",
            self._wrong,
        )
        return [*found, Fault(what, say("Run `table-hub staff-pin --new` on the hub to make a new PIN."))]

    # --- for the web port ------------------------------------------------------------------------------

    def on_change(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` after each new picture. Return a function that ends this."""
        return self._latest.subscribe(callback)

    def note_wrong_pins(self, wrong: int) -> None:
        """Note how many wrong PINs were entered within a day."""
        self._wrong = wrong
        self._changed.set()

    def do(self, ask: StaffAsk) -> tuple[str, list[Fault] | None]:
        """Execute a request of staff. Return a sentence, and the faults that an examination of the machine found. Raise HubError."""
        if ask.verb in TABLE_ARGS:
            return self._at_table(ask), None
        match ask.verb, read_args(STAFF_ARGS, ask.verb, ask.args):
            case "doctor", _:
                return self._examine_machine()
            case "cards", CardsArgs(game=game, changes=changes):
                return self._enter_cards(game, changes), None
            case "wifi", JoinWifiArgs(name=name, password=password):
                return self._change_wifi(name, password), None
            case "restart", RestartArgs(when="idle") if self._is_playing:
                return self._plan_restart(), None
            case "restart", _:
                self._power.restart_hub()
                log.info("staff: the hub is started again.")
                return say("The hub restarts: this page comes back in half a minute and asks for the PIN."), None
            case "off", _:
                self._power.power_off()
                log.info("staff: the machine is switched off.")
                return say("The machine switches itself off. Pull the plug when its light has stopped blinking."), None
            case "update", UpdateArgs(what=what):
                return self._update(what), None
            case "backup", BackupArgs(step=step):
                return self._back_up(step), None
            case "use_device", UseDeviceArgs(device=device):
                return self._use_device(device, ask.table), None
            case "leave_device", LeaveDeviceArgs(device=device) if self._found:
                self._found.leave(device)
                return "", None
            case "firmware", FirmwareArgs(device=device, program=program) if self._found:
                self._found.write_firmware(device, program)
                return say(
                    "The hub is writing the firmware. This takes half a minute: leave the Pico plugged in."
                ), None
        raise HubError(NOT_UNDERSTOOD)

    def _update(self, what: Literal["look", "install"]) -> str:
        """Look for a newer version, or install it while nobody plays. Raise HubError."""
        if what == "look":
            self._updates.look()
            self._changed.set()
            return say("The hub looks for a newer version…")
        self._check_idle()
        self._updates.install()
        self._changed.set()
        log.info("staff: an update is installed.")
        return say(
            "The update is installed. The hub restarts: this page comes back in a few minutes and asks for the PIN."
        )

    def _back_up(self, step: Literal["save", "look", "restore"]) -> str:
        """Save a backup, look for one, or restore it while nobody plays. Raise HubError."""
        if step == "restore":
            self._check_idle()
        self._backups.begin(step)
        self._changed.set()
        log.info("staff: a backup on a USB stick: %s.", step)
        if step == "restore":
            return say("The backup is being restored. The hub restarts: this page comes back in a minute.")
        return ""

    def _check_idle(self) -> None:
        """Raise HubError if a match is being played."""
        if playing := next((table.name for table in self._tables.values() if table.is_playing), ""):
            raise HubError(say("A match is being played at {table}: do this after it, or suspend it.", table=playing))

    def camera(self, table: str, step: Literal["look"] | CalibrationStep) -> CameraSeen:
        """Return what the camera of a table's dice tray shows, after beginning a step of its calibration. Raise HubError."""
        camera = self._tables[table].camera if table in self._tables else None
        if camera is None:
            raise HubError(say("No camera reads the dice of this table."))
        if step != "look":
            camera.calibrate(step)
            log.info("staff: a step of the calibration of table %s's camera: %s.", table, step)
        view = camera.look()
        return CameraSeen(b64encode(view.jpeg).decode(), view.step, view.text)

    def _use_device(self, device: str, table: str) -> str:
        """Let a table use a device that was found. Raise HubError."""
        if self._found is None or self._settings is None:
            raise HubError(NOT_UNDERSTOOD)
        with self._using:  # two phones may press at once
            block = self._found.block_for(device, table)
            is_applied = self._settings.add_device(block)
        log.info("staff: table %s gets the device %s.", table, block.driver)
        self._found.update()
        if not is_applied:
            return say("Saved. The hub uses the device after a restart.")
        if self._tables[table].is_playing:
            return say("Saved. The table uses the device after this match.")
        return say("The table uses the device now.")

    def settings(self, asked: SettingsRequest) -> tuple[str, Settings]:
        """Read or change the configuration, or the packages. Return a sentence, "" if there is none, and both. Raise HubError."""
        if self._settings is None or self._packages is None:
            raise HubError(NOT_UNDERSTOOD)
        match asked:
            case ChangeSettingsArgs():
                sentence, settings = self._settings.change(asked)
            case AddPackageArgs():
                settings = self._settings.read([])  # first: if it fails, nothing has changed
                sentence = self._packages.add(asked)
            case RemovePackageArgs(file=file):
                settings = self._settings.read([])
                sentence = self._packages.remove(file)
            case _:
                sentence, settings = "", self._settings.read(asked.drivers)
        packages = self._packages.seen()
        waiting = [*settings.waiting, *(one.package for one in packages if one.waits)]
        settings = replace(
            settings, is_playing=self._is_playing, restart_is_planned=self._restart_is_planned, packages=packages,
            waiting=waiting,
        )  # fmt: skip
        return sentence, settings

    def evenings(self, month: str) -> Evenings:
        """Return what was played in the evenings of a month, "" for the newest. Raise HubError."""
        if self._evenings is None:
            raise HubError(say("This hub keeps no matches."))
        return self._evenings({table: one.name for table, one in self._tables.items()}, month)

    def hand_out(self, ask: StaffAsk) -> tuple[str, StaffFile | str]:
        """Return a sentence, "" if there is none, and what staff take away: a file or a link. Raise HubError."""
        table = self._tables.get(ask.table)
        public = table.public if table else None
        if public is None or self._handouts is None:
            raise HubError(say("This hub has no such table."))
        match read_args(STAFF_ARGS, ask.verb, ask.args):
            case ScreenLinkArgs(new=new):
                sentence, link = self._handouts.screen_link(public, new=new)
                log.info("staff: the link of a big screen was %s.", "renewed" if new else "shown")
                return sentence, link
        sentence, file = self._handouts.table_card(public)
        log.info("staff: the card of table %s was saved.", public.table)
        return sentence, file

    def _plan_restart(self) -> str:
        """Restart when no match is being played. Raise HubError if the hub cannot restart."""
        if self._power.why_no_restart:
            raise HubError(self._power.why_no_restart)
        self._restart_is_planned = True
        return say("The hub restarts when no match is being played.")

    def _at_table(self, ask: StaffAsk) -> str:
        """Let a table execute the request, and wait until the result is on its disk."""
        table = self._tables.get(ask.table)
        if table is None:
            raise HubError(say("This hub has no such table."))
        answers = SimpleQueue[tuple[bool, str]]()
        table.table.put(StaffRequest(ask.verb, ask.args, lambda is_done, sentence: answers.put((is_done, sentence))))
        try:
            is_done, sentence = answers.get(timeout=ANSWER_SECONDS)
        except Empty:
            raise HubError(say("The table did not answer in time. Check whether your change was made.")) from None
        if not is_done:
            raise HubError(sentence)
        return sentence

    def _enter_cards(self, name: str, changes: Mapping[str, object]) -> str:
        """Use changed cards for the next matches of a game. Raise HubError."""
        for table in self._tables.values():
            if title := table.title_if_playing(name):
                raise HubError(
                    say(
                        "{game} is being played at {table}: change its cards after that match.",
                        game=title,
                        table=table.name,
                    )
                )
        earlier = next((game for game in self._cards.all if game.name == name), None)
        if earlier is None:
            raise HubError(say("There is no game with cards that can be changed."))
        game = self._cards.enter(name, changes)
        for table in self._tables.values():
            table.table.put(GameChanged(game))
        log.info("staff: other cards were entered for %s.", name)
        kept = 0
        if game.digest != earlier.digest:
            with suppress(LogError):  # the new cards were saved all the same
                kept = sum(table.count_suspended(earlier) for table in self._tables.values())
        if not kept:
            return say("{game} is played with these cards from the next match on.", game=game.title)
        return say_count(
            "{game} is played with these cards from the next match on. {count} suspended match needs the earlier cards.",
            "{game} is played with these cards from the next match on. {count} suspended matches need the earlier cards.",
            kept,
            game=game.title,
        )

    def _change_wifi(self, name: str, password: str) -> str:
        if self._hotspot is None:
            raise HubError(say("This hub leaves the network alone. Set `hotspot = true` in [wifi] first."))
        if self._hotspot.status.state == "off":
            raise HubError(say("The hub has no Wi-Fi, or it is switched off."))
        if len(name.encode()) > LONGEST_NAME:
            raise HubError(say("That name is too long for a Wi-Fi."))
        if password and not is_wifi_password(password):
            raise HubError(say("A Wi-Fi password has 8 to 63 characters."))
        log.info("staff: the hub joins another Wi-Fi.")
        self._hotspot.join(name, password)
        return say("The hub joins “{name}”. If that fails, its own Wi-Fi is back in half a minute.", name=person(name))

    def _examine_machine(self) -> tuple[str, list[Fault]]:
        if self._examine is None:
            raise HubError(say("Run `table-hub doctor` on the hub's machine."))
        found = list(self._examine())
        return (say("To check: {count}.", count=len(found)) if found else say("All is well.")), found
