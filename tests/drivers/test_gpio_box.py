"""Boxes on the header: bouncing switches, lamps, a second box, pins that somebody else has."""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable, Iterator

import gpiozero
import pytest
from gpiozero import Factory, GPIOPinInUse

from drivers import gpio_box
from drivers.common import gpio_header
from drivers.common.gpio_header import Wire
from drivers.gpio_box import BOUNCE, STEADY, BoxPins, Contact, levels
from hub.display.rings import frame
from hub.errors import ConfigError, DeviceLost
from hub.ports import (
    BoxBid,
    BoxDown,
    BoxLocked,
    BoxUnlocked,
    BoxUp,
    DeviceDown,
    DeviceUp,
    Key,
    LampPicture,
    SealedRound,
    Turn,
)
from tests.drivers.contexts import context
from tests.drivers.wired import Header
from tests.patience import PATIENCE


@pytest.fixture
def started() -> Iterator[Callable[..., Header]]:
    headers: list[Header] = []

    def start(*boxes: BoxPins, open_pins: Callable[[], Factory] | None = None) -> Header:
        headers.append(Header(*boxes, open_pins=open_pins))
        headers[-1].start()
        return headers[-1]

    yield start
    for one in headers:
        one.close()


Start = Callable[..., Header]


# --- switches ------------------------------------------------------------------------------------------


def test_a_switch_that_bounces_counts_once_and_from_when_it_was_quiet() -> None:
    contact = Contact()
    for number in range(20):
        contact.on_edge(closed=number % 2 == 0, now=number / 1000)
        assert not contact.settle(number / 1000)
    assert contact.deadline() is None, "it stands as it did before"
    contact.on_edge(closed=True, now=0.020)
    assert contact.deadline() == pytest.approx(0.020 + STEADY)
    assert not contact.settle(0.022)
    assert contact.settle(0.0235)
    assert (contact.closed, contact.since) == (True, 0.020)
    assert not contact.settle(0.040), "it is looked at once more when it has bounced out"
    assert contact.deadline() is None


def test_a_change_within_the_bouncing_of_the_last_one_counts_when_that_is_over() -> None:
    contact = Contact()
    contact.on_edge(closed=True, now=0.0)
    assert contact.settle(0.005)
    contact.on_edge(closed=False, now=0.005)
    assert contact.deadline() == BOUNCE
    assert not contact.settle(0.015)
    assert contact.closed
    assert contact.settle(BOUNCE)
    assert not contact.closed


def test_what_a_busy_machine_hears_of_late_is_told_in_the_order_of_the_hands(started: Start) -> None:
    """Edges come with their own times, all of them after the moment at which the first was to be looked at."""
    table = started()
    wired = table.device._wired["box-1"]
    edges = [("k1", True, 1.0), ("k1", False, 1.08), ("push", True, 1.2), ("push", False, 1.25), ("k2", True, 1.4)]
    for control, closed, at in edges:
        wired.on_edge(control, closed, at)  # type: ignore[arg-type]
    wired.on_turn(1, 2.0)
    wired.on_edge("k2", closed=False, at=4.0)
    wired.on_edge("k3", closed=True, at=4.1)
    pressed = [(signal.control, signal.edge) for signal in table.inbox.all(Key)]
    assert pressed == [("k1", "down"), ("push", "down"), ("k2", "down")]


@pytest.mark.parametrize("microseconds", [1, 100, 1900])
def test_a_spike_on_the_wire_of_the_push_locks_nothing(started: Start, microseconds: int) -> None:
    table = started()
    table.device.open("box-1", SealedRound(1, 5, 3))
    push = table.pins[0].inputs()["push"]
    for _ in range(50):
        table.drive(push, True)
        table.clock.skip(microseconds / 1e6)
        table.drive(push, False)
        table.clock.advance(0.01)
    table.device.reveal(["box-1"], 1)
    table.device.cancel("box-1", 1)
    table.press("k1")
    table.inbox.next(Key)
    assert (table.inbox.all(BoxLocked), table.inbox.all(BoxBid)) == ([], [])
    assert table.inbox.all(Key) == [Key("box-1", "k1", "down")]


@pytest.mark.parametrize("seed", range(20))
def test_however_a_key_bounces_the_table_hears_it_once(started: Start, seed: int) -> None:
    chance = random.Random(seed)
    table = started()
    pin = table.pins[0].inputs()["k1"]
    for down in (True, False, True, False):
        for _ in range(chance.randrange(6)):
            table.drive(pin, down)
            table.clock.advance(chance.uniform(0, BOUNCE / 15))
            table.drive(pin, not down)
            table.clock.advance(chance.uniform(0, BOUNCE / 15))
        table.drive(pin, down)
        table.clock.advance(0.1)
    table.press("k2")
    assert [table.inbox.next(Key) for _ in range(3)] == [Key("box-1", key, "down") for key in ("k1", "k1", "k2")]


def test_a_key_that_is_let_go_while_the_thread_looks_at_the_clock_was_pressed_all_the_same(
    started: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    late: list[Callable[[], None]] = []
    table = started()
    k1 = table.pins[0].inputs()["k1"]
    thread = table.device._thread
    call_soon = thread.call_soon
    table.drive(k1, True)
    monkeypatch.setattr(thread, "call_soon", late.append)  # the edge is seen and has not arrived yet
    table.clock.skip(0.05)
    table.drive(k1, False)
    looked = threading.Event()

    def look() -> None:
        table.device.step(table.clock.now())
        looked.set()

    call_soon(look)
    assert looked.wait(PATIENCE)
    monkeypatch.undo()
    for call in late:
        thread.call_soon(call)
    table.clock.advance(0.05)
    assert table.inbox.next(Key) == Key("box-1", "k1", "down")


def test_a_key_held_for_two_seconds_asks_what_it_is_and_the_bar_calls_after_three(started: Start) -> None:
    table = started()
    inputs = table.pins[0].inputs()
    table.drive(inputs["k1"], True)
    table.clock.advance(1.99)
    assert table.inbox.all(Key) == []
    table.clock.advance(0.01)
    assert table.inbox.next(Key) == Key("box-1", "k1", "hold")
    table.drive(inputs["k1"], False)
    table.drive(inputs["bar"], True)
    table.clock.advance(2.9)
    assert len(table.inbox.all(Key)) == 1, "the key that was held is not pressed, too"
    table.clock.advance(0.1)
    assert table.inbox.next(Key) == Key("box-1", "bar", "hold")
    table.drive(inputs["bar"], False)
    table.clock.advance(0.1)
    table.press("push")
    assert table.inbox.next(Key) == Key("box-1", "push", "down")
    assert len(table.inbox.all(Key)) == 3


def test_a_press_that_is_still_on_is_told_before_what_is_done_next(started: Start) -> None:
    table = started()
    table.drive(table.pins[0].inputs()["k1"], True)
    table.clock.advance(0.1)
    table.press("push")
    assert [table.inbox.next(Key).control for _ in range(2)] == ["k1", "push"]
    table.drive(table.pins[0].inputs()["k1"], False)
    table.clock.advance(5.0)
    table.press("push")
    assert table.inbox.next(Key).control == "push"


def test_a_key_in_a_sealed_choice_asks_nothing_however_long_it_is_held(started: Start) -> None:
    table = started()
    table.device.open("box-1", SealedRound(1, 5, 0))
    table.press("k1", hold=True)
    table.press("push", hold=True)
    table.inbox.next(BoxLocked)
    table.device.cancel("box-1", 1)
    table.press("k2")
    assert table.inbox.next(Key) == Key("box-1", "k2", "down")
    assert len(table.inbox.all(Key)) == 1


def test_a_dial_that_trembles_between_two_steps_turns_nowhere(started: Start) -> None:
    table = started()
    first, _ = table.pins[0].dial
    for _ in range(10):
        table.drive(first, True)
        table.drive(first, False)
    table.turn(1)
    assert table.inbox.next(Turn) == Turn("box-1", 1)


def test_a_fast_turn_is_told_in_order_with_the_keys(started: Start) -> None:
    table = started()
    table.turn(7)
    table.press("push")
    assert table.inbox.next(Key) == Key("box-1", "push", "down")
    table.turn(-2)
    table.press("bar")
    table.inbox.next(Key)
    turned = [signal.detents for signal in table.inbox.all(Turn)]
    assert sum(turned) == 5
    heard = [type(signal) for signal in table.inbox.signals[1:]]
    assert heard.index(Key) == len([one for one in turned if one > 0]), "all turns to the right came before the push"


# --- sealed rounds ---------------------------------------------------------------------------------------


def test_a_sealed_value_is_in_no_log_and_in_no_signal_before_the_reveal(
    started: Start, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        table = started()
        table.device.open("box-1", SealedRound(1, 40, 17))
        table.turn(6)
        table.press("push")
        table.inbox.next(BoxLocked)
        assert "23" not in repr(table.inbox.signals[1:])
        table.device.reveal(["box-1"], 1)
        table.press("k1")
        table.inbox.next(Key)
    assert "23" not in caplog.text
    assert "17" not in caplog.text


def test_without_a_lock_nothing_is_revealed(started: Start) -> None:
    table = started()
    table.device.open("box-1", SealedRound(1, 5, 2))
    table.press("k4")
    table.device.reveal(["box-1"], 1)
    table.press("push")
    table.inbox.next(BoxLocked)
    assert table.inbox.all(BoxBid) == []
    table.device.reveal(["box-1"], 1)
    assert table.inbox.next(BoxBid) == BoxBid("box-1", 1, 3)


def test_a_lock_is_told_again_when_the_pins_come_back(started: Start) -> None:
    table = started()
    table.device.open("box-1", SealedRound(1, 5, 4))
    table.press("push")
    table.inbox.next(BoxLocked)
    lamp = table.factory.pin(table.pins[0].lamps[0])
    lamp._set_state = broken
    table.device.ring("box-1", LampPicture("locked"))
    assert "tried" not in table.inbox.next(BoxDown).why
    assert "pins fail" in table.inbox.next(DeviceDown).why
    del lamp._set_state
    table.clock.advance(0.5)
    up = table.inbox.next(BoxUp)
    assert up == next(iter(table.inbox.all(BoxUp))), "the same boot: the value is still held"
    assert table.inbox.next(BoxLocked) == BoxLocked("box-1", 1)
    table.inbox.next(DeviceUp)
    table.press("bar")
    assert table.inbox.next(BoxUnlocked) == BoxUnlocked("box-1", 1)


def broken(_: float) -> None:
    raise OSError("chip gone")


# --- lamps and sound -----------------------------------------------------------------------------------


def shows(table: Header, pin: int, level: float) -> bool:
    """Whether a lamp is that bright once everything told so far is done: each box's lamps have a thread of their own."""
    for _ in range(200):
        table.press("k6")
        table.inbox.next(Key)
        if table.level(pin) == pytest.approx(level, abs=0.01):
            return True
        time.sleep(0.02)
    return False


def test_lamps_show_the_picture_and_a_moving_one_moves_with_the_clock(started: Start) -> None:
    table = started(BoxPins(id="box-1", lamps=[21, 20]))
    table.device.ring("box-1", LampPicture("waiting", 0, "2f7de1"))
    assert shows(table, 21, 0.25)
    table.clock.advance(1.0)
    table.device.ring("box-1", LampPicture("turn", 0, "2f7de1"))
    table.clock.advance(0.0)
    table.press("k6")
    table.inbox.next(Key)
    began = table.level(21)
    table.clock.advance(0.92)
    assert table.level(20) == 0.0, "the far lamp is not part of the half that breathes"
    assert shows(table, 21, 1.0)
    assert began < 0.4


def test_a_single_lamp_sees_the_players_half_of_the_ring() -> None:
    assert levels(frame(LampPicture("locked"), 0), 1) == [1.0]
    assert levels(frame(LampPicture("out"), 0), 1) == [pytest.approx(0.3, abs=0.01)]
    blinks = [levels(frame(LampPicture("roll"), t / 100), 1)[0] for t in range(100)]
    assert min(blinks) < 0.5 < max(blinks)


def test_sixteen_lamps_are_the_whole_ring() -> None:
    ring = frame(LampPicture("number", 5), 0.0)
    assert [level > 0 for level in levels(ring, 16)] == [place < 5 for place in range(16)]


def test_the_buzzer_ticks_once_for_a_lock_and_twice_for_an_error(started: Start) -> None:
    table = started(BoxPins(id="box-1", buzzer=20))
    pin = table.factory.pin(20)
    pin.clear_states()
    for kind, ticks in (("lock", 1), ("error", 2)):
        pin.clear_states()
        table.device.buzz("box-1", kind)  # type: ignore[arg-type]
        for _ in range(10):
            table.press("k6")
            table.inbox.next(Key)
        assert [bool(state.state) for state in pin.states] == [False, *[True, False] * ticks]


# --- several boxes, and who has which pin ----------------------------------------------------------------


SECOND = BoxPins(id="box-2", dial=(2, 3), push=14, bar=15, keys=[17], lamps=[18])


def test_two_boxes_on_one_header_are_two_boxes(started: Start) -> None:
    table = started(BoxPins(id="box-1"), SECOND)
    assert [up.controls for up in (table.inbox.all(BoxUp)[0], table.inbox.next(BoxUp))] == [8, 3]
    table.device.open("box-2", SealedRound(3, 1, 0))
    table.press("k1", box=0)
    table.press("k1", box=1)
    table.turn(1, box=0)
    table.turn(1, box=1)
    assert table.inbox.next(Key) == Key("box-1", "k1", "down")
    assert table.inbox.next(Turn) == Turn("box-1", 1)
    table.press("push", box=1)
    assert table.inbox.next(BoxLocked) == BoxLocked("box-2", 3)
    table.device.ring("box-2", LampPicture("locked"))
    assert shows(table, 18, 1.0)
    assert table.level(21) == 0.0


def test_pins_that_another_program_has_are_asked_for_again_until_they_are_free() -> None:
    tries: list[int] = []

    def open_pins() -> Factory:
        tries.append(1)
        if len(tries) < 6:
            raise DeviceLost("The header's pins cannot be opened.")
        return table.factory

    table = Header(open_pins=open_pins)
    table.device.start()
    try:
        assert table.inbox.next(DeviceDown).why == "The header's pins cannot be opened."
        assert table.inbox.all(BoxUp) == []
        for rest in (0.5, 1.0, 2.0, 4.0, 5.0):
            table.clock.advance(rest)
            wait_for_tries(tries, rest)
        table.inbox.next(BoxUp)
        table.inbox.next(DeviceUp)
        assert len(table.inbox.all(DeviceDown)) == 1, "told once, not at every try"
    finally:
        table.close()


def wait_for_tries(tries: list[int], rest: float) -> None:
    import threading

    wanted = {0.5: 2, 1.0: 3, 2.0: 4, 4.0: 5, 5.0: 6}[rest]
    tick = threading.Event()
    for _ in range(500):
        if len(tries) >= wanted:
            return
        tick.wait(0.01)
    raise AssertionError(f"{len(tries)} tries, {wanted} wanted")


def test_a_box_whose_pin_is_taken_is_named() -> None:
    table = Header()
    table.factory.reserve_pins(object_with_a_name := Holder(), 13)
    table.device.start()
    try:
        assert "The pins of box box-1 cannot be used" in table.inbox.next(DeviceDown).why
        table.factory.release_pins(object_with_a_name, 13)
        table.clock.advance(0.5)
        table.inbox.next(BoxUp)
    finally:
        table.close()


class Holder:
    """Somebody else who has a pin."""


def test_two_wires_on_one_pin_are_refused_with_both_named() -> None:
    with pytest.raises(ConfigError, match="GPIO13 is given to pins-1 push and to pins-1 bar"):
        gpio_box.connect({"boxes": [{"bar": 13}]}, context())
    with pytest.raises(ConfigError, match="two boxes have the id 'pins-1'"):
        gpio_box.connect({"boxes": [{}, {}]}, context())
    with pytest.raises(ConfigError, match="there is no GPIO28 for pins-1 push; the header has GPIO2 to 27"):
        gpio_box.connect({"boxes": [{"push": 28}]}, context())


def test_two_devices_on_one_pin_are_refused_with_both_named_and_every_such_pin() -> None:
    box = ("gpio_box", gpio_box.wiring({}))
    panel = ("eink", [Wire(13, "reset"), Wire(24, "busy"), Wire(26, "DC"), Wire("GND", "GND", shared=True)])
    with pytest.raises(ConfigError) as refusal:
        gpio_header.check_devices([box, panel])
    assert str(refusal.value) == (
        "gpio_box and eink are both wired to GPIO13 (pins-1 push and reset), GPIO26 (pins-1 bar and DC): "
        "move one of them."
    )
    gpio_header.check_devices([box])


def test_the_owners_settings_are_checked_down_to_the_single_box() -> None:
    with pytest.raises(ConfigError, match="has no key box: did you mean boxes"):
        gpio_box.connect({"box": []}, context())
    with pytest.raises(ConfigError, match=r"boxes\]\] number 2 has no key busser: did you mean buzzer"):
        gpio_box.connect({"boxes": [{}, {"busser": 3}]}, context())
    with pytest.raises(ConfigError, match="gpio_box"):
        gpio_box.connect({"pins": "rpigpio"}, context())
    device = gpio_box.connect({"pins": "mock"}, context())
    assert (device.boxes, device.lamps, device.page, device.dice) == (device, None, None, None)
    device.close()


# --- which pins ----------------------------------------------------------------------------------------------


def test_the_pins_are_chosen_by_configuration_and_never_by_gpiozero(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "pigpio")
    monkeypatch.setattr(gpiozero.Device, "pin_factory", None)
    table = Header()
    table.start()
    table.press("k1")
    assert table.inbox.next(Key).control == "k1"
    table.close()
    assert gpiozero.Device.pin_factory is None


def test_a_machine_without_pins_says_so_and_is_not_given_pretended_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    with pytest.raises(DeviceLost, match=r"lgpio is missing|cannot be opened"):
        gpio_header.open_pins("lgpio")


def test_pins_that_are_in_use_are_a_pins_trouble() -> None:
    assert issubclass(GPIOPinInUse, gpio_header.pin_errors())
