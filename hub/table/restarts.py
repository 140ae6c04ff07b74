"""Restart a table after an unforeseen error, or with other settings: everything in memory is rebuilt from its log.

The hub's other tables play on. `hub.table.faults` counts the errors. After the third within ten minutes the table stays
stopped until staff restart it.
"""

from __future__ import annotations

import logging
import queue
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from hub.engine.text import say
from hub.ports import ClaimDecided, ClaimRequest, PhoneLink, PhoneRequest, StaffRequest, Tick
from hub.state import Ack
from hub.table.base.ports import NewDevices, Ports
from hub.table.faults import NOT_DONE, RESTARTED, STOPPED, Faults, Surroundings
from hub.table.inbox import Inbox
from hub.table.parts import Parts, TableSettings
from hub.table.rate_limit import RateLimit

log = logging.getLogger(__name__)

RENAMES, RENAMES_SECONDS = 3, 3.0  # at most this many renames of a seat (each a disk write) in this time
LINKS, LINKS_SECONDS = 6, 6.0  # at most this many link changes of a phone (each published) in this time


class _Stop:
    """The last signal."""


class Restarts(ABC):
    """A table that restarts after a fault. `make_parts` returns new parts, as they are before a start, with these `settings`."""

    def __init__(
        self, table: str, ports: Ports, make_parts: Callable[[TableSettings], Parts], settings: TableSettings
    ) -> None:
        self._ports, self._make_parts, self._settings = ports, make_parts, settings
        self._new_settings: TableSettings | None = None  # until no match is being played
        self._new_devices: NewDevices | None = None  # likewise
        self._inbox = Inbox()
        self._faults, self._surroundings = Faults(table, ports.clock), Surroundings()
        self._is_broken = False  # after a fault, until the restart succeeds
        self._thread_error: Exception | None = None  # of another thread, until the table's own has noted it
        self._set_up()

    @abstractmethod
    def handle_signal(self, signal: object) -> None:
        """Handle one signal and publish what has changed."""

    @abstractmethod
    def _seconds_until_due(self) -> float:
        """Return the seconds until the next part is due, at most 1."""

    @abstractmethod
    def _start(self) -> None:
        """Resume from the disk and publish the state."""

    @abstractmethod
    def _show(self) -> None:
        """Publish the latest complete state."""

    def _set_up(self) -> None:
        """Create everything that the table keeps in memory: at the start and after each fault."""
        self._parts = parts = self._make_parts(self._settings)
        self._renames: RateLimit[PhoneRequest] = RateLimit(RENAMES, RENAMES_SECONDS)
        self._links: RateLimit[PhoneLink] = RateLimit(LINKS, LINKS_SECONDS)
        core = parts.core
        self._notices, self._disk, self._play, self._seats = core.notices, core.disk, core.play, core.seats
        self._rolls, self._boxes, self._house, self._people = parts.rolls, parts.boxes, parts.people.house, parts.people
        self._presses, self._requests, self._staff = parts.presses, parts.requests, parts.staff
        self._snapshots, self._publisher, self._reveal = parts.snapshots, parts.publisher, parts.reveal
        self._demonstration, self._resumption = parts.demonstration, parts.resumption
        self._hints, self._lessons = parts.hints, parts.lessons
        self._current_request: tuple[PhoneRequest, object] | None = (
            None  # the request being handled, and the log's position before it
        )

    @property
    def fault(self) -> str:
        """Return a sentence if the table stays stopped after repeated faults; else ""."""
        return STOPPED if self._faults.stopped else ""

    def start(self) -> None:
        """Resume from the disk: the seats and the match under way.

        If the disk fails, the table stops with a notice, and each tick tries again.
        """
        try:
            self._start()
        except Exception as error:  # noqa: BLE001 - as in `receive`
            self._fail(error, None)

    def run(self, ticked: Callable[[], None] = lambda: None) -> None:
        """Read the inbox until `stop`. `ticked` is called at least once a second: it feeds the watchdog."""
        while self.step(self.wait_seconds()):
            ticked()

    def step(self, patience: float) -> bool:
        """Handle the next signal, or a tick if none arrives within `patience` seconds. Return False after `stop`."""
        try:
            signal = self._inbox.get(timeout=patience)
        except queue.Empty:
            signal = Tick()
        if isinstance(signal, _Stop):
            return False
        self.receive(signal)
        return True

    @property
    def waiting(self) -> int:
        """Return the number of signals in the inbox."""
        return len(self._inbox)

    def stop(self) -> None:
        """End `run` after what is already in the inbox."""
        self._inbox.put(_Stop())

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Guard work of another thread for this table: after an unforeseen error the table restarts."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - as in `receive`
            self._thread_error = error

    def wait_seconds(self) -> float:
        """Return how many seconds to wait for a signal; a part whose `due_at` fails is a fault like any other."""
        if not self._is_broken:
            try:
                return self._seconds_until_due()
            except Exception as error:  # noqa: BLE001 - as in `receive`
                self._fail(error, Tick())
        return 1.0

    def receive(self, signal: object) -> None:
        """Handle one signal. After an unforeseen error restart the table, or stop it (see the module)."""
        if isinstance(signal, TableSettings):
            self._new_settings, signal = signal, Tick()
        elif isinstance(signal, NewDevices):
            self._new_devices, signal = signal, Tick()
        self._surroundings.note(signal)
        try:
            if self._faults.stopped:
                self._handle_while_stopped(signal)
                return
            if self._is_broken:
                try:
                    self._start_again()
                except Exception:
                    self._refuse(signal, NOT_DONE)
                    raise
            self.handle_signal(signal)
            self._change_settings()
        except Exception as error:  # noqa: BLE001 - one table's fault must not end the others
            self._fail(error, signal)
        failed, self._thread_error = self._thread_error, None
        if failed:
            self._fail(failed, Tick())

    def _fail(self, error: Exception, signal: object) -> None:
        """Count a fault and restart. If that fails, the next signal or tick tries again."""
        was_broken, self._is_broken = self._is_broken, True
        try:
            self._faults.note(error, signal)
            if not was_broken:
                self._answer_failed(signal)
            if not (was_broken or self._faults.stopped):
                self._start_again()
        except Exception as another:  # noqa: BLE001 - as in `receive`
            self._faults.note(another, None)
        if self._is_broken:
            with suppress(Exception):  # publishing may be what fails; the journal and the doctor report it
                self._publisher.show_stopped(
                    STOPPED if self._faults.stopped else RESTARTED, self._resumption.table, len(list(self._seats))
                )

    def _change_settings(self) -> None:
        """Restart the table with the owner's new settings and devices, unless a match is being played."""
        settings, devices = self._new_settings, self._new_devices
        if not (settings or devices) or (self._play.match is not None and not self._play.match.over):
            return
        self._new_settings = self._new_devices = None
        self._settings = settings or self._settings
        if devices:
            gone = devices.put_into(self._ports)
            self._inbox.forget(gone)
            self._surroundings.forget(gone)
        self._rebuild()
        self._show()
        log.info("table %s: it has the new settings.", self._resumption.table.id)

    def _start_again(self) -> None:
        """Rebuild the table after a fault, and say so."""
        self._rebuild()
        self._notices.post("restarted", RESTARTED)
        self._is_broken = False
        self._show()

    def _rebuild(self) -> None:
        """Rebuild the table from its log, with the phones and devices that it knows."""
        before, publisher, arms = list(self._seats), self._publisher, self._rolls.dice.open.arms
        cups = self._parts.cups
        for number in self._seats.claimed_seats:
            self._seats.refuse(number, NOT_DONE)
        self._set_up()
        self._publisher.continue_after(publisher)
        self._rolls.dice.open.continue_numbering(arms)
        self._parts.cups.continue_numbering(cups)
        self._start()
        for one in self._surroundings:
            self.handle_signal(one)
        for seat in before:
            if seat.sid and self._seats.held_by(seat.sid):
                self.handle_signal(PhoneLink(seat.sid, on=seat.phone_on))
            elif seat.sid and self._resumption.knows_seats:
                self._ports.phones.release(seat.sid)

    def _answer_failed(self, signal: object) -> None:
        """Answer the sender of the failed signal. A request that reached the disk counts as done."""
        if self._current_request:
            request, written = self._current_request
            is_done = self._play.log.position != written
            self._answer_at_once(request, "" if is_done else NOT_DONE)
        elif isinstance(signal, ClaimRequest):
            signal.answer(ClaimDecided(signal.claim, False, NOT_DONE))
        elif isinstance(signal, StaffRequest):
            signal.answer(False, say("Something went wrong at this table: check whether your last action was done."))

    def _answer_at_once(self, request: PhoneRequest, refusal: str) -> None:
        code = "FAULT" if refusal else None
        self._ports.phones.answer(request.sid, Ack(request.id, not refusal, refusal or None, code, self._snapshots.seq))

    def _handle_while_stopped(self, signal: object) -> None:
        """Refuse the signals of a stopped table, except a restart by staff."""
        match signal:
            case StaffRequest("done", {"key": "fault"}) | StaffRequest("reset"):
                self._faults.reset()
                try:
                    self._start_again_for_staff(signal.args.get("match"))
                except Exception:
                    signal.answer(False, STOPPED)
                    raise
                log.info("table %s: staff: the table is started again.", self._resumption.table.id)
                if signal.verb == "reset":
                    self.handle_signal(signal)
                else:
                    signal.answer(True, say("The table was restarted."))
            case _:
                self._refuse(signal, STOPPED)

    def _start_again_for_staff(self, match: object) -> None:
        """Start again. If that fails, and staff have said what becomes of the match, do that first: it may be why."""
        try:
            self._start_again()
        except Exception as error:
            if match not in ("aside", "end") or self._play.match is None:
                raise
            log.error(
                "table %s: it does not start with its match: %s.", self._resumption.table.id, type(error).__name__
            )
            name = self._play.log.match
            if self._play.match.over:
                self._play.clear_finished()
            elif match == "aside":
                self._people.endings.put_aside("staff")
            else:
                self._play.end()
                if name:
                    self._play.log.wipe(name)
            self._start_again()

    def _refuse(self, signal: object, sentence: str) -> None:
        """Refuse a signal if its sender waits for an answer."""
        match signal:
            case StaffRequest():
                signal.answer(False, sentence)
            case ClaimRequest():
                signal.answer(ClaimDecided(signal.claim, False, sentence))
            case PhoneRequest():
                self._answer_at_once(signal, sentence)
