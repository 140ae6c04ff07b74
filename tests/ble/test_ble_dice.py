"""Smart dice as a dice reader: what a throw is, and the real bleak over an emulated air."""

from __future__ import annotations

import asyncio
import queue
import time
from collections.abc import Iterator

import pytest

from drivers.ble_dice import NAME, BleDice, Kit, Radio, Settings, find
from drivers.ble_dice.protocols import Battery, GoDice, Moved, Pixels
from hub.errors import DeviceLost
from hub.ports import DeviceDown, DeviceUp, DiceKit, DiceSeen
from tests.ble.air import Air, AirDie
from tests.drivers.test_dice_protocols import LEGACY_SIX

ROLLING = Moved("rolling")


def kit(count: int) -> tuple[Kit, list[object]]:
    reported: list[object] = []
    dice = Kit(reported.append)
    for n in range(count):
        dice.on_connected(f"d{n}", f"Die {n}", 0.0)
    reported.clear()
    return dice, reported


def states(reported: list[object]) -> list[tuple[str, tuple[int, ...]]]:
    return [(seen.state, seen.faces) for seen in reported if isinstance(seen, DiceSeen)]


def test_a_throw_settles_when_all_dice_have_lain_still_for_700_ms() -> None:
    dice, reported = kit(2)
    dice.arm(7, 2, 6, 1.0, lying=False)
    dice.on_message("d0", ROLLING, 1.1)
    dice.on_message("d1", ROLLING, 1.1)
    dice.on_message("d0", Moved("rolled", 4), 1.5)
    dice.on_message("d1", Moved("rolled", 2), 2.0)
    dice.run_due(2.6)
    assert states(reported) == [("armed", ()), ("rolling", ())]
    dice.run_due(2.8)
    assert states(reported)[-1] == ("settled", (4, 2))
    assert all(seen.arm == 7 for seen in reported if isinstance(seen, DiceSeen))


def test_dice_that_lay_there_before_the_arm_are_no_throw() -> None:
    dice, reported = kit(1)
    dice.on_message("d0", ROLLING, 0.1)
    dice.on_message("d0", Moved("rolled", 6), 0.5)
    dice.arm(1, 1, 6, 1.0, lying=False)
    dice.run_due(9.0)
    assert states(reported) == [("armed", ())]


def test_what_lies_there_is_read_again_when_the_table_wants_it() -> None:
    dice, reported = kit(1)
    dice.arm(1, 1, 6, 1.0, lying=False)
    dice.on_message("d0", ROLLING, 1.1)
    dice.on_message("d0", Moved("rolled", 6), 1.5)
    dice.run_due(3.0)
    dice.arm(2, 1, 6, 4.0, lying=True)
    dice.run_due(5.0)
    assert [(seen.arm, seen.state, seen.faces) for seen in reported if isinstance(seen, DiceSeen)][-2:] == [
        (2, "armed", ()),
        (2, "settled", (6,)),
    ]


def test_a_leaning_die_alone_is_thrown_again() -> None:
    dice, reported = kit(2)
    dice.arm(1, 2, 6, 0.0, lying=False)
    for key in ("d0", "d1"):
        dice.on_message(key, ROLLING, 0.1)
    dice.on_message("d0", Moved("rolled", 3), 0.5)
    dice.on_message("d1", Moved("leaning"), 0.5)
    dice.run_due(1.3)
    assert states(reported)[-1] == ("cocked", (3,))
    dice.on_message("d1", ROLLING, 2.0)
    dice.on_message("d1", Moved("rolled", 5), 2.5)
    dice.run_due(3.3)
    assert states(reported)[-1] == ("settled", (3, 5))


def test_one_die_too_many_or_too_few_is_a_wrong_count() -> None:
    dice, reported = kit(3)
    dice.arm(1, 2, 6, 0.0, lying=False)
    for key in ("d0", "d1", "d2"):
        dice.on_message(key, ROLLING, 0.1)
        dice.on_message(key, Moved("rolled", 1), 0.5)
    dice.run_due(1.3)
    assert states(reported)[-1] == ("wrong_count", ())
    dice.on_message("d0", ROLLING, 2.0)
    dice.on_message("d0", Moved("rolled", 1), 2.5)
    dice.run_due(4.0)
    assert states(reported)[-1] == ("rolling", ())  # the second may still be in a hand
    dice.run_due(6.6)
    assert states(reported)[-1] == ("wrong_count", ())
    last = reported[-1]
    assert isinstance(last, DiceSeen)
    assert last.say == "I see 1 of 2 dice: throw them all again."


def test_a_die_that_a_hand_turned_after_the_throw_does_not_count() -> None:
    dice, reported = kit(1)
    dice.arm(1, 1, 6, 0.0, lying=False)
    dice.on_message("d0", ROLLING, 0.1)
    dice.on_message("d0", Moved("rolled", 2), 0.5)
    dice.on_message("d0", Moved("handled", 6), 0.8)
    dice.run_due(9.0)
    assert "settled" not in [state for state, _ in states(reported)]


def test_a_lost_die_says_how_it_fell_when_it_is_back() -> None:
    dice, reported = kit(1)
    dice.arm(1, 1, 6, 0.0, lying=False)
    dice.on_message("d0", ROLLING, 0.1)
    dice.on_disconnected("d0", 0.3)
    assert states(reported)[-1] == ("no_reader", ())
    dice.on_connected("d0", "Die 0", 2.0)
    dice.on_message("d0", Moved("rolled", 5), 2.1)
    dice.run_due(3.0)
    assert states(reported)[-1] == ("settled", (5,))


def test_too_few_dice_are_said_before_anybody_throws() -> None:
    dice, reported = kit(1)
    dice.arm(1, 4, 6, 0.0, lying=False)
    assert isinstance(reported[-1], DiceSeen)
    assert reported[-1].say == "Only 1 of 4 smart dice answers: type what you see."


def test_a_low_battery_is_known_before_the_match() -> None:
    dice, reported = kit(2)
    dice.on_message("d1", Battery(12), 0.1)
    assert reported[-1] == DiceKit(NAME, 2, ("Die 1",))


# --- over the air --------------------------------------------------------------------------------


def pixels_answer(data: bytes) -> list[bytes]:
    return {1: [LEGACY_SIX], 23: [bytes([3, 5, 2])], 33: [bytes([34, 87, 0])]}.get(data[0], [])


class Sky:
    """A Pixels die and a GoDice in the air, and the driver that looks for them."""

    def __init__(self, settings: Settings) -> None:
        self.one = AirDie("Pixel one", "F0:F1:F2:F3:F4:F5", Pixels(legacy=True), pixels_answer)
        self.two = AirDie(
            "GoDice_1A2B3C_R_v03", "F0:F1:F2:F3:F4:F6", GoDice(), lambda d: [b"Bat\x09"] if d == b"\x03" else []
        )
        self.air = Air([self.one, self.two])
        self.signals: queue.Queue[object] = queue.Queue()
        self.dice = BleDice(settings, self.signals.put, radio=Radio(self.air.scanner, self.air.client))

    def until(self, wanted: object) -> None:
        seen = []
        while True:
            try:
                seen.append(self.signals.get(timeout=8))
            except queue.Empty:
                raise AssertionError(f"{wanted} was not told, but {seen}") from None
            if seen[-1] == wanted:
                return


@pytest.fixture
def sky() -> Iterator[Sky]:
    sky = Sky(Settings())
    yield sky
    sky.dice.close()


def seen(arm: int, state: object, faces: tuple[int, ...] = (), say: str = "") -> DiceSeen:
    return DiceSeen(NAME, arm, state, faces, say)  # type: ignore[arg-type]


@pytest.mark.real_time
def test_two_makes_of_dice_are_found_thrown_and_read(sky: Sky) -> None:
    sky.dice.start()
    sky.until(DiceKit(NAME, 2, ("GoDice_1A2B3C_R_v03",)))
    sky.dice.arm(1, 1, 2, 6)
    sky.until(seen(1, "armed"))
    sky.air.do(sky.one.say(bytes([3, 3, 0])))
    sky.air.do(sky.two.say(b"R"))
    sky.until(seen(1, "rolling"))
    sky.air.do(sky.one.say(bytes([3, 1, 1])))
    sky.air.do(sky.two.say(bytes([83, 64, 0, 0])))
    sky.until(seen(1, "settled", (5, 6)))
    assert bytes([29]) in [data[:1] for data in sky.one.asked]  # it lit up green when it was found


@pytest.mark.real_time
def test_a_die_that_was_carried_away_is_missed_and_taken_back(sky: Sky) -> None:
    sky.dice.start()
    sky.until(DiceKit(NAME, 2, ("GoDice_1A2B3C_R_v03",)))
    sky.dice.arm(4, 1, 2, 6)
    sky.air.do(sky.two.fall_silent())
    sky.until(seen(4, "no_reader", (), "Only 1 of 2 smart dice answers: type what you see."))
    sky.air.do(sky.two.come_back())
    sky.until(seen(4, "armed"))


@pytest.mark.real_time
def test_only_the_dice_of_this_table_are_taken() -> None:
    sky = Sky(Settings(dice=["f0:f1:f2:f3:f4:f6"]))
    sky.dice.start()
    try:
        sky.until(DiceKit(NAME, 1, ("GoDice_1A2B3C_R_v03",)))
        assert sky.one.asked == []
    finally:
        sky.dice.close()


@pytest.mark.real_time
def test_a_missing_adapter_is_told_once_and_looked_for_again(sky: Sky) -> None:
    sky.air.broken = True
    sky.dice.start()
    down = sky.signals.get(timeout=5)
    assert isinstance(down, DeviceDown)
    assert down.why.startswith("The Bluetooth radio cannot be used")
    sky.air.broken = False
    sky.until(DeviceUp(NAME))


class ScooterUart(GoDice):
    """The service of Nordic's UART with one characteristic only."""

    notify = "6e40000a-b5a3-f393-e0a9-e50e24dcca9e"


SCOOTER = ("MIScooter4711", "F0:F1:F2:F3:F4:F7")


@pytest.mark.real_time
@pytest.mark.parametrize(
    "stranger",
    [
        AirDie(*SCOOTER, Pixels(legacy=True), lambda _: []),
        AirDie(*SCOOTER, Pixels(legacy=True), lambda data: [data, b"\x02", b"\x02" + bytes(30)]),
        AirDie(*SCOOTER, Pixels(legacy=False), lambda _: []),
        AirDie(*SCOOTER, ScooterUart(), lambda _: []),
    ],
    ids=["silent", "echoes", "new service", "lacks a characteristic"],
)
def test_a_gadget_that_does_not_answer_as_a_die_is_let_go_for_good(
    stranger: AirDie, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "drivers.ble_dice")
    sky = Sky(Settings())
    sky.air.dice = {stranger.address: stranger} | sky.air.dice
    sky.dice.start()
    try:
        sky.until(DiceKit(NAME, 2, ("GoDice_1A2B3C_R_v03",)))
        line = f"{stranger.name} ({stranger.address}) offers the service of a smart die and does not answer as one: it is let go."
        deadline = time.monotonic() + 20
        while line not in caplog.messages and time.monotonic() < deadline:
            time.sleep(0.05)
        assert caplog.messages.count(line) == 1
        assert stranger._device is not None
        assert [data for data in stranger.asked if data[:1] == bytes([29])] == [], "nothing is lit on a stranger"
        sky.air.do(asyncio.sleep(2.5))  # it is heard again a hundred times
        assert stranger.visits == 1
        assert not stranger._device.connections
        assert [signal for signal in list(sky.signals.queue) if isinstance(signal, DiceKit) and signal.dice > 2] == []
    finally:
        sky.dice.close()


@pytest.mark.real_time
def test_a_pixels_die_that_advertises_as_one_is_believed_whatever_its_answer() -> None:
    sky = Sky(Settings())
    slow = AirDie("Pixel slow", "F0:F1:F2:F3:F4:F8", Pixels(legacy=True), lambda _: [])
    slow.manufacturer = {0xFFFF: bytes([6, 0x21, 1, 3, 0xD0])}
    slow.service_data = {"0000180a-0000-1000-8000-00805f9b34fb": bytes.fromhex("cdab341200f15365")}
    sky.air.dice[slow.address] = slow
    sky.dice.start()
    try:
        sky.until(DiceKit(NAME, 3, ("GoDice_1A2B3C_R_v03",)))
    finally:
        sky.dice.close()


def test_the_dice_in_the_air_are_listed_and_light_up_and_strangers_are_named() -> None:
    sky = Sky(Settings())
    stranger = AirDie(*SCOOTER, Pixels(legacy=True), lambda _: [])
    sky.air.dice[stranger.address] = stranger
    found = find(0.5, Radio(sky.air.scanner, sky.air.client))
    assert found == [
        ("GoDice_1A2B3C_R_v03", sky.two.address, True),
        (*SCOOTER, False),
        ("Pixel one", sky.one.address, True),
    ]
    assert [data[0] for data in sky.one.asked] == [1, 29]
    assert [data[0] for data in sky.two.asked] == [16]
    assert [data[0] for data in stranger.asked] == [1]


def test_without_a_radio_nothing_is_found_and_it_is_said() -> None:
    sky = Sky(Settings())
    sky.air.broken = True
    with pytest.raises(DeviceLost, match="The Bluetooth radio cannot be used"):
        find(0.1, Radio(sky.air.scanner, sky.air.client))
