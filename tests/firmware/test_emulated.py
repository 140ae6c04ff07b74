"""The one file that an owner drags onto a Pico, run by the real MicroPython on an emulated board, with the hub's driver.

One board through all tests of this file, in their order: booting takes the emulator most of its time.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from drivers.button_box import ButtonBoxes
from hub.ports import BoxBid, BoxLocked, BoxUp, Key, LampPicture, SealedRound, Turn
from tests.dial import ANTICLOCKWISE, CLOCKWISE
from tests.drivers.bench import Inbox
from tests.firmware.boot_rom import Rp2040
from tests.firmware.emulator import EmulatedPico
from tests.firmware.pico import PINS, needs_real_micropython

build_uf2 = importlib.import_module("firmware.build_uf2")  # a program, no package

pytestmark = [needs_real_micropython, pytest.mark.long]


class Table:
    """The board, the driver that has its port, and what the table hears."""

    def __init__(self) -> None:
        board = build_uf2.BOARDS["RPI_PICO"]
        micropython = Path(os.environ["MICROPYTHON_UF2"]).read_bytes()
        rom = Rp2040(bytearray(board.flash))
        rom.copy(build_uf2.build(board, build_uf2.compiled(), micropython))
        self.pico = EmulatedPico(bytes(rom.flash))
        self.inbox = Inbox()
        self.hub = ButtonBoxes(self.inbox, [self.pico.port], self.pico, Random(1))
        self.box = ""

    def hear(self, kind: type, count: int = 1) -> None:
        """Run the board until the table has heard so many signals of that kind in all."""
        self.pico.run(lambda: len(self.inbox.all(kind)) >= count, 3.0, kind.__name__)

    def close(self) -> None:
        self.hub.close()
        self.pico.close()


@pytest.fixture(scope="module")
def table() -> Iterator[Table]:
    table = Table()
    yield table
    table.close()


@pytest.fixture
def up(table: Table) -> Table:
    """The table once its box has said hello."""
    if not table.box:
        table.pico.power_up()
        table.hub.start()
        table.hear(BoxUp)
        table.box = table.inbox.all(BoxUp)[0].box
    return table


def test_the_joined_file_boots_and_the_box_says_hello_to_the_hub(up: Table) -> None:
    hello = up.inbox.all(BoxUp)[0]
    assert (len(hello.box), hello.firmware, hello.controls) == (16, build_uf2.version(), 8)


def test_a_bouncing_key_is_one_press(up: Table) -> None:
    for closed in (True, False, True, False, True):
        up.pico.put("push", closed)
        up.pico.passes(0.0003)
    up.pico.passes(0.03)
    up.pico.put("push", closed=False)
    up.pico.passes(0.03)
    up.hear(Key)
    assert up.inbox.all(Key) == [Key(up.box, "push", "down")]


@pytest.mark.parametrize(("order", "detents"), [(CLOCKWISE, 1), (ANTICLOCKWISE, -1)], ids=["right", "left"])
def test_contact_a_first_turns_to_the_right(up: Table, order: tuple, detents: int) -> None:
    heard = len(up.inbox.all(Turn))
    up.pico.turn(order)
    up.hear(Turn, heard + 1)
    assert up.inbox.all(Turn)[heard:] == [Turn(up.box, detents)]


def test_a_dial_that_turns_faster_than_any_hand_loses_no_detent(up: Table) -> None:
    """Edges come while the program looks at those before them: each is seen once, in its order."""
    heard = len(up.inbox.all(Turn))

    def turned() -> int:
        return sum(signal.detents for signal in up.inbox.all(Turn)[heard:])

    up.pico.turn(CLOCKWISE * 30, 0.001)
    up.pico.run(lambda: turned() >= 30, 0.5, "thirty detents")
    assert turned() == 30


def test_the_ring_shows_the_seats_colour_within_what_a_usb_port_gives(up: Table) -> None:
    up.pico.exact = True
    up.pico.pictures.clear()
    up.hub.ring(up.box, LampPicture("locked", 0, "ff0000"))
    up.pico.run(lambda: up.pico.pictures, 1.0, "a picture")
    up.pico.exact = False
    red, green, blue = up.pico.pictures[-1][0]
    assert up.pico.pictures[-1] == [(red, green, blue)] * PINS["LAMPS"]
    assert green == blue == 0
    milliamperes = PINS["LAMPS"] * red * 20 / 255  # one colour of a lamp takes 20 mA at its brightest
    assert 0.95 * PINS["MILLIAMPERES"] <= milliamperes <= PINS["MILLIAMPERES"]


def test_a_sealed_round_is_played_with_the_hubs_own_driver(up: Table) -> None:
    """The driver checks the commitment that the board computed against the value that it tells afterwards."""
    up.hub.open(up.box, SealedRound(1, 5, 2))
    opened = bytes(up.pico.said)
    up.pico.run(lambda: b'"ok"' in up.pico.said[len(opened) :], 2.0, "the open round")
    up.pico.turn((*CLOCKWISE, *CLOCKWISE))
    up.pico.put("push", closed=True)
    up.hear(BoxLocked)
    up.pico.put("push", closed=False)
    up.hub.reveal([up.box], 1)
    up.hear(BoxBid)
    assert up.inbox.all(BoxBid) == [BoxBid(up.box, 1, 4)]
