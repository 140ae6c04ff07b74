"""What dice with a radio say, byte by byte."""

from __future__ import annotations

import pytest

from drivers.ble_dice.protocols import Battery, DieProtocol, GoDice, Identified, Moved, Pixels, is_certain, protocol_of

LEGACY_SIX = bytes.fromhex("02060502 00000000 cdab3412 e803 00f15365 01 00 57 01")  # built 14 November 2023
NEW_SIX = bytes.fromhex(
    "02"  # I am a die
    "0f 0a00 00c5c466 0100 0100 0100 0100"  # version; built in August 2024
    "0a cdab3412 01 02 06 05 00"  # die: a d6 with six lights
    "01"  # no design of its own
    "06 50697865 00"  # its name
    "0d 00000000 00100000 00200000"  # settings
    "05 0f 02 01 03"  # status: 15 percent, charging
)


def rolled(die: DieProtocol, index: int) -> list[object]:
    die.parse(bytes([3, 3, 0]))
    return list(die.parse(bytes([3, 1, index])))


def test_a_pixels_die_counts_only_what_rolled_and_came_to_rest() -> None:
    die = Pixels(legacy=False)
    assert die.parse(bytes([3, 1, 4])) == [Moved("handled", 5)]  # it lay there when we came
    assert die.parse(bytes([3, 2, 0])) == [Moved("handled")]
    assert die.parse(bytes([3, 3, 0])) == [Moved("rolling")]
    assert die.parse(bytes([3, 1, 4])) == [Moved("rolled", 5)]
    assert die.parse(bytes([3, 3, 0])) == [Moved("rolling")]
    assert die.parse(bytes([3, 4, 2])) == [Moved("leaning")]
    assert die.parse(bytes([3, 3, 0])) == [Moved("rolling")]
    assert die.parse(bytes([3, 5, 2])) == [Moved("handled", 3)]  # laid down by a hand


def test_a_six_of_old_firmware_has_its_faces_in_another_order() -> None:
    die = Pixels(legacy=True)
    assert die.parse(LEGACY_SIX) == [Identified(6), Battery(0x57, charging=False)]
    assert [rolled(die, index) for index in range(6)] == [[Moved("rolled", face)] for face in (1, 5, 4, 3, 2, 6)]


def test_a_legacy_answer_that_was_cut_at_twenty_bytes_still_tells_the_die() -> None:
    die = Pixels(legacy=True)
    assert die.parse(LEGACY_SIX[:20]) == [Identified(6)]
    assert rolled(die, 4) == [Moved("rolled", 2)]


@pytest.mark.parametrize(
    ("lights", "told", "sides"), [(6, 0, 6), (21, 0, 6), (20, 0, 20), (10, 0, 10), (7, 0, 0), (21, 7, 20), (6, 2, 6)]
)
def test_a_die_that_does_not_tell_its_type_is_known_by_its_lights(lights: int, told: int, sides: int) -> None:
    answer = bytearray(LEGACY_SIX)
    answer[1], answer[3] = lights, told
    assert Pixels(legacy=True).parse(bytes(answer))[0] == Identified(sides)


def test_a_new_firmware_tells_itself_in_chunks() -> None:
    die = Pixels(legacy=False)
    assert die.parse(NEW_SIX) == [Identified(6), Battery(15, charging=True)]
    assert rolled(die, 4) == [Moved("rolled", 5)]


@pytest.mark.parametrize("length", range(len(NEW_SIX)))
def test_an_answer_cut_anywhere_never_fails(length: int) -> None:
    assert len(Pixels(legacy=False).parse(NEW_SIX[:length])) <= 2


def test_a_battery_is_told() -> None:
    assert Pixels(legacy=False).parse(bytes([34, 18, 1])) == [Battery(18, charging=False)]
    assert GoDice().parse(b"Bat\x12") == [Battery(18)]


@pytest.mark.parametrize(
    ("vector", "face"),
    [((-60, 3, 5), 1), ((2, -4, 62), 2), ((1, 66, 0), 3), ((-5, -61, 9), 4), ((0, 2, -64), 5), ((63, 1, 1), 6)],
)
def test_a_godice_shows_the_face_that_is_nearest_to_up(vector: tuple[int, int, int], face: int) -> None:
    assert GoDice().parse(b"S" + bytes(v % 256 for v in vector)) == [Moved("rolled", face)]


def test_a_godice_that_was_tilted_or_moved_has_not_rolled() -> None:
    die = GoDice()
    assert die.parse(b"R") == [Moved("rolling")]
    assert die.parse(b"TS\x40\x00\x00") == [Moved("leaning")]
    assert die.parse(b"FS\x40\x00\x00") == [Moved("handled", 6)]
    assert die.parse(b"MS\x40\x00\x00") == [Moved("handled", 6)]


@pytest.mark.parametrize("die", [Pixels(legacy=True), Pixels(legacy=False), GoDice()])
def test_bytes_that_mean_nothing_say_nothing(die: DieProtocol) -> None:
    for data in (b"", b"\x00", b"\xff" * 3, b"\x03\x01", b"S\x01", b"Ba", b"\x22"):
        assert die.parse(data) == []


def test_dice_are_told_apart_by_name_and_service() -> None:
    uart, current = Pixels(legacy=True).service, Pixels(legacy=False).service
    assert isinstance(protocol_of("GoDice_1A2B3C_R_v03", [uart]), GoDice)
    legacy, new = protocol_of("Bob", [uart.upper()]), protocol_of("Bob", [current])
    assert isinstance(legacy, Pixels)
    assert isinstance(new, Pixels)
    assert legacy.notify != new.notify
    assert protocol_of("Headphones", ["0000180f-0000-1000-8000-00805f9b34fb"]) is None


def test_a_die_is_certain_by_what_its_maker_puts_on_the_air() -> None:
    number = {"0000180a-0000-1000-8000-00805f9b34fb": bytes.fromhex("cdab341200f15365")}
    rolls = {0xFFFF: bytes([6, 0x21, 1, 3, 0xD0])}
    assert is_certain("GoDice_1A2B3C_R_v03", {}, {})
    assert is_certain("Bob", rolls, number)
    for name, manufacturer, service in (
        ("Bob", {}, {}),
        ("GoDice", {}, {}),  # somebody's own name for it; the maker's goes on
        ("Bob", rolls, {}),
        ("Bob", {}, number),
        ("Bob", rolls, {"180a": bytes(8)}),
        ("MIScooter4711", {0x424E: bytes([0x21, 2, 0, 0, 0, 0, 0, 0xDE])}, {}),
        ("Bob", {0x0590: bytes([6, 0x21, 77, 3, 0])}, number),
    ):
        assert not is_certain(name, manufacturer, service)


@pytest.mark.parametrize(
    "data", [b"\x02", b"\x02" + bytes(17), b"\x02" + bytes(40), b"\x02\x0f" + bytes(14) + b"\x0a" + bytes(9)]
)
def test_an_answer_without_a_dies_number_is_none(data: bytes) -> None:
    assert [told for told in Pixels(legacy=True).parse(data) if isinstance(told, Identified)] == []
