"""How a table outlives an error that nobody foresaw: all that it keeps in memory is made anew from its log.

The hub's other tables play on. `hub.table.faults` counts the errors, and after the third within ten minutes the table stays
stopped until staff start it again.
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
from hub.table.base.ports import Ports
from hub.table.faults import NOT_DONE, RESTARTED, STOPPED, Faults, Surroundings
from hub.table.inbox import Inbox
from hub.table.pace import Pace
from hub.table.parts import Parts

log = logging.getLogger(__name__)

RENAMES, RENAMES_SECONDS = 3, 3.0  # changes of a seat's name, each a write to the disk, and within how many seconds
LINKS, LINKS_SECONDS = 6, 6.0  # how often a phone may come or go, each shown to everybody, and within how many seconds


class _Stop:
    """The last signal."""


class Restarts(ABC):
    """A table that starts again by itself after a fault. `make_parts` makes its parts, as they are before a start."""

    def __init__(self, table: str, ports: Ports, make_parts: Callable[[], Parts]) -> None:
        self._ports, self._make_parts = ports, make_parts
        self._inbox = Inbox()
        self._faults, self._surroundings = Faults(table, ports.clock), Surroundings()
        self._is_broken = False  # after a fault, until it has started again
        self._failed: Exception | None = (
            None  # what has failed on another thread, until the table's own takes note of it
        )
        self._set_up()

    @abstractmethod
    def take(self, signal: object) -> None:
        """Let one signal have its effect, and show what came of it."""

    @abstractmethod
    def _patience(self) -> float:
        """Return the seconds until something is due by itself, one at most."""

    @abstractmethod
    def _start(self) -> None:
        """Take up what the disk has, and show it."""

    @abstractmethod
    def _show(self) -> None:
        """Give everybody the newest complete picture."""

    def _set_up(self) -> None:
        """Make all that is kept in memory of the table: at the start, and anew after a fault."""
        self._parts = parts = self._make_parts()
        self._renames: Pace[PhoneRequest] = Pace(RENAMES, RENAMES_SECONDS)
        self._links: Pace[PhoneLink] = Pace(LINKS, LINKS_SECONDS)
        core = parts.core
        self._notices, self._disk, self._play, self._seats = core.notices, core.disk, core.play, core.seats
        self._rolls, self._boxes, self._house, self._people = parts.rolls, parts.boxes, parts.people.house, parts.people
        self._presses, self._requests, self._staff = parts.presses, parts.requests, parts.staff
        self._snapshots, self._publisher, self._reveal = parts.snapshots, parts.publisher, parts.reveal
        self._demonstration, self._resumption = parts.demonstration, parts.resumption
        self._hints, self._lessons = parts.hints, parts.lessons
        self._asked: tuple[PhoneRequest, object] | None = (
            None  # what a phone asks just now, and where the log was before
        )

    @property
    def fault(self) -> str:
        """Return a sentence if the table stays stopped after repeated faults; else ""."""
        return STOPPED if self._faults.stopped else ""

    def start(self) -> None:
        """Take up what the disk has: who sat where, and the match under way.

        If the disk fails, the table stands still and says so, and each tick tries it again.
        """
        try:
            self._start()
        except Exception as error:  # noqa: BLE001 - as in `receive`
            self._fail(error, None)

    def run(self, ticked: Callable[[], None] = lambda: None) -> None:
        """Read the inbox until `stop`. `ticked` is called at least once a second: it feeds the watchdog."""
        while True:
            try:
                signal = self._inbox.get(timeout=self._wait_seconds())
            except queue.Empty:
                signal = Tick()
            if isinstance(signal, _Stop):
                return
            self.receive(signal)
            ticked()

    def stop(self) -> None:
        """End `run` after what is already in the inbox."""
        self._inbox.put(_Stop())

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Guard what another thread does for this table: after an unforeseen error the table starts again by itself."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - as in `receive`
            self._failed = error

    def _wait_seconds(self) -> float:
        """Return how long to wait for a signal: also what says when something is due may fail."""
        if not self._is_broken:
            try:
                return self._patience()
            except Exception as error:  # noqa: BLE001 - as in `receive`
                self._fail(error, Tick())
        return 1.0

    def receive(self, signal: object) -> None:
        """Take one signal. After an error that nobody foresaw, start the table again from its log; other tables play on.

        Three such errors within ten minutes, and the table stays stopped until staff start it again.
        """
        self._surroundings.note(signal)
        try:
            if self._faults.stopped:
                self._take_stopped(signal)
                return
            if self._is_broken:
                try:
                    self._start_again()
                except Exception:
                    self._refuse(signal, NOT_DONE)
                    raise
            self.take(signal)
        except Exception as error:  # noqa: BLE001 - one table's fault must not end the others
            self._fail(error, signal)
        failed, self._failed = self._failed, None
        if failed:
            self._fail(failed, Tick())

    def _fail(self, error: Exception, signal: object) -> None:
        """Take note of a fault, and start again; if that fails as well, the next signal or tick tries it once more."""
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
            with suppress(Exception):  # what shows the table may be what fails: the journal and the doctor tell of it
                self._publisher.show_stopped(
                    STOPPED if self._faults.stopped else RESTARTED, self._resumption.table, len(list(self._seats))
                )

    def _start_again(self) -> None:
        """Make the table anew from its log, with the phones and devices that it knows."""
        before, publisher, arms = list(self._seats), self._publisher, self._rolls.dice.open.arms
        for number in self._seats.claimed:
            self._seats.refuse(number, NOT_DONE)
        self._set_up()
        self._publisher.continue_after(publisher)
        self._rolls.dice.open.number_from(arms)
        self._start()
        for one in self._surroundings:
            self.take(one)
        for seat in before:
            if seat.sid and self._seats.held_by(seat.sid):
                self.take(PhoneLink(seat.sid, on=seat.phone_on))
            elif seat.sid and self._resumption.knows_seats:
                self._ports.phones.release(seat.sid)
        self._notices.post("restarted", RESTARTED)
        self._is_broken = False
        self._show()

    def _answer_failed(self, signal: object) -> None:
        """Answer whoever waits for what has failed. A request that reached the disk is done all the same."""
        if self._asked:
            request, written = self._asked
            is_done = self._play.log.position != written
            self._answer_at_once(request, "" if is_done else NOT_DONE)
        elif isinstance(signal, ClaimRequest):
            signal.answer(ClaimDecided(signal.claim, False, NOT_DONE))
        elif isinstance(signal, StaffRequest):
            signal.answer(False, say("Something went wrong at this table: check whether it was done."))

    def _answer_at_once(self, request: PhoneRequest, refusal: str) -> None:
        code = "FAULT" if refusal else None
        self._ports.phones.answer(request.sid, Ack(request.id, not refusal, refusal or None, code, self._snapshots.seq))

    def _take_stopped(self, signal: object) -> None:
        """Refuse what people ask of a table that stays stopped; staff may have it started again."""
        match signal:
            case StaffRequest("done", {"key": "fault"}) | StaffRequest("reset"):
                self._faults.forget()
                try:
                    self._start_again()
                except Exception:
                    signal.answer(False, STOPPED)
                    raise
                log.info("table %s: staff: the table is started again.", self._resumption.table.id)
                if signal.verb == "reset":
                    self.take(signal)
                else:
                    signal.answer(True, say("The table was started again."))
            case _:
                self._refuse(signal, STOPPED)

    def _refuse(self, signal: object, sentence: str) -> None:
        """Refuse a signal with a sentence, if its sender waits for an answer."""
        match signal:
            case StaffRequest():
                signal.answer(False, sentence)
            case ClaimRequest():
                signal.answer(ClaimDecided(signal.claim, False, sentence))
            case PhoneRequest():
                self._answer_at_once(signal, sentence)
