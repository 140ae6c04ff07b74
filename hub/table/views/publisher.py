"""Publish the latest complete state: to phones and kiosk first, then to rings and panels."""

from __future__ import annotations

from dataclasses import replace
from threading import Lock

from msgspec import structs

from hub.display import dimmed, rings
from hub.state import Notice, PublicSeat, PublicState, ScreenState
from hub.table.base.notices import KINDS
from hub.table.base.slow_disk import SLOW_DISK, SLOW_SECONDS
from hub.table.core import Core
from hub.table.staff.desk import StaffDesk
from hub.table.views.demonstration import Demonstration
from hub.table.views.reveal import Reveal
from hub.table.views.snapshot import Identity, Snapshots


class Publisher:
    """The outputs of one table: phones, lamps, rings of boxes, pages."""

    def __init__(
        self, core: Core, snapshots: Snapshots, staff: StaffDesk, demonstration: Demonstration, reveal: Reveal
    ) -> None:
        ports, self._play, self._seats, self._disk = core.ports, core.play, core.seats, core.disk
        self._phones, self._lamps, self._boxes = ports.phones, ports.lamps, ports.boxes
        self._pages, self._panels = ports.pages, ports.panels
        self._snapshots, self._staff, self._demonstration, self._reveal = snapshots, staff, demonstration, reveal
        self._newest: PublicState | None = None
        self._lock = Lock()  # the table's thread publishes, and another one while that waits for the disk
        self._shown: tuple[PublicState, ScreenState] | None = None

    def show_phones(self, table: Identity) -> PublicState:
        """Send phones and kiosk the latest state; call it first, as their path is the longest. Return the public state."""
        state = self._newest = self._snapshots.public(table)
        with self._phones.together():
            with self._lock:
                self._phones.show_public(state)
                self._shown = None
            self.show_hands()
        return state

    def show_hands(self) -> None:
        """Send each phone its latest hand."""
        hands = {seat.sid: self._snapshots.hand(seat) for seat in self._seats if seat.sid}
        self._phones.show_hands(hands, self._play.hand_blocks)

    def show_around(self, state: PublicState, *, settled: bool) -> None:
        """Show a state on rings and panels. `settled`: it may stay for a while, so a panel may do a full refresh."""
        demonstration = self._demonstration.picture(state)
        self._show_rings(state, demonstration)
        paper = self._demonstration.panel_picture(demonstration)
        screen = structs.replace(self._snapshots.screen(state), demonstration=demonstration, paper=paper)
        with self._lock:
            for page in (*self._pages, *self._panels):
                page.show(screen, settled)
            self._shown = state, screen

    def _show_rings(self, state: PublicState, demonstration: PublicState | None) -> None:
        if demonstration:
            pictures = rings(demonstration, self._demonstration.labels)
        else:
            pictures = rings(state, self._play.labels, revealing=self._reveal.due_at is not None)
        pictures |= self._staff.tests.rings()
        pictures = {seat: replace(one, colour=dimmed(one.colour, self._staff.light)) for seat, one in pictures.items()}
        for lamps in self._lamps:
            lamps.show(pictures)
        if self._boxes:
            for seat in self._seats:
                if seat.box and seat.number in pictures:
                    self._boxes.ring(seat.box, pictures[seat.number])

    def show_rings(self) -> None:
        """Update rings at the end of a reveal; phones and screens do not change."""
        if self._newest is not None:
            self._show_rings(self._newest, self._demonstration.picture(self._newest))

    def show_demonstration(self) -> None:
        """Show the next picture of the demonstration on rings and screens; phones do not change."""
        if self._newest is not None:
            self.show_around(self._newest, settled=False)

    def continue_after(self, before: Publisher) -> None:
        """Continue from the last state of the publisher before a fault."""
        with before._lock:
            self._newest = before._newest

    def show_stopped(self, text: str, table: Identity, seats: int) -> None:
        """Publish the last state as that of a stopped table, with `text` as its only notice.

        Without a last state, show a table with `seats` free seats.
        """
        said = [Notice("fault", "error", text, can_acknowledge=False)]
        with self._lock:
            places = [PublicSeat(number) for number in range(1, seats + 1)]
            before = self._newest or PublicState(
                table.id, table.name, table.code, table.address(), 0, 0, "stopped", places
            )
            after = structs.replace(before, state="stopped", notices=said, seq=before.seq + 1)
            self._newest, self._shown = after, None
            self._phones.show_public(after)
            screen = ScreenState(**{name: getattr(after, name) for name in PublicState.__struct_fields__})
            for page in (*self._pages, *self._panels):
                page.show(structs.replace(screen, light=self._staff.light), False)

    def show_waiting(self) -> None:
        """Show that the table waits for its disk, if it does. Call it on any thread but the table's."""
        if self._disk.pending_seconds() < SLOW_SECONDS:
            return
        with self._lock:
            shown, self._shown = self._shown, None  # once; the table's next state has the notice as well
            if (
                shown is None
                or self._disk.pending_seconds() < SLOW_SECONDS
                or any(one.key == "disk" for one in shown[0].notices)
            ):
                return
            said = [one for one in shown[0].notices if one.key != "slow_disk"]
            said.append(Notice("slow_disk", KINDS["slow_disk"].severity, SLOW_DISK, can_acknowledge=False))
            self._phones.show_public(structs.replace(shown[0], notices=said))
            for page in (*self._pages, *self._panels):
                page.show(structs.replace(shown[1], notices=said), False)
