"""A whole box on its board: power-up, watchdog, display, sound, flash mode, faults, and what must not be seen."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from drivers.common.frames import TO_HUB, Beat, Bid, Detents, Frame, FrameReader, Hello, Locked, Ok, Press, mark
from hub.ports import BoxBid, BoxLocked, BoxUp, Key, LampPicture, SealedRound
from hub.table.boxes import lettering
from tests.drivers.bench import BOX, Wire
from tests.firmware.pico import (
    FIRMWARE,
    GPIO,
    PINS,
    RIGHT,
    MicroPythonBox,
    Pico,
    Probe,
    micropython,
    needs_micropython,
)

pytestmark = needs_micropython

MAIN = FIRMWARE / "main.py"
Boards = Callable[..., Pico]


class Hub:
    """The hub's words to a box, numbered, and the box's answers."""

    def __init__(self, probe: Probe, box: Pico) -> None:
        self._probe = probe
        self._number = 0
        self._reader = FrameReader(TO_HUB)
        self.box = box

    def say(self, t: str, ms: int = 0, **fields: Any) -> list[object]:
        self._number += 1
        line = self._probe(f"frames.encode({ {'t': t, 's': self._number, **fields}!r}).decode()")
        self.box.hear(line.encode())
        self.box.go(ms)
        return self.heard()

    def heard(self) -> list[object]:
        return [*self._reader.feed(self.box.take_said())]


@pytest.fixture
def hub(probe: Probe, pico: Boards) -> Hub:
    return Hub(probe, pico())


def kinds(heard: list[object]) -> list[type]:
    return [type(frame) for frame in heard]


def tap(box: Pico, name: str) -> None:
    box.go(0, [box.pin(name, closed=True)])
    box.go(60)
    box.go(0, [box.pin(name, closed=False)])
    box.go(60)


# --- power -----------------------------------------------------------------------------------------------


def test_every_power_up_has_a_name_of_its_own(pico: Boards) -> None:
    one, other = pico(), pico()
    assert one.shown["id"] == other.shown["id"] == BOX
    assert one.shown["boot"] != other.shown["boot"]


def test_a_box_is_dark_and_silent_at_power_up_but_for_its_heartbeat(pico: Boards) -> None:
    box = pico()
    box.go(10)
    assert set(box.shown["lamps"]) == {"0"}
    assert box.shown["tone"] == 0
    assert kinds([*FrameReader(TO_HUB).feed(box.take_said())]) == [Beat]


def test_the_heart_beats_once_a_second_and_counts_the_seconds(hub: Hub) -> None:
    hub.box.go()
    hub.heard()
    beats = []
    for _ in range(500):
        hub.box.go(10)
        beats += [frame for frame in hub.heard() if isinstance(frame, Beat)]
    assert [beat.up for beat in beats] == [1, 2, 3, 4, 5]


def test_who_is_answered_with_id_boot_and_version(hub: Hub) -> None:
    hub.box.go()
    hub.heard()
    (hello,) = hub.say("who")
    assert isinstance(hello, Hello)
    assert (hello.id, hello.boot, hello.k, hello.n) == (BOX, hub.box.shown["boot"], "buttons", 8)
    assert hello.v.count(".") == 2


def test_a_dial_held_in_at_power_up_leaves_the_box_at_the_prompt() -> None:
    held = micropython(
        MAIN, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env={"BOARD_CLOSED": "4", "BOARD_ID": BOX}
    )
    said, _ = held.communicate(timeout=10)
    assert held.returncode == 0
    assert b"The dial is pushed in" in said
    assert b"~" not in said


def test_a_fault_is_told_and_the_box_begins_anew(pico: Boards) -> None:
    """main.py itself: the traceback is chatter to the hub, and whoever has a terminal open can read it."""
    box = pico(program=MAIN)
    box.go(10)
    box.go(10, ["fail"])
    assert box.shown["end"] == "reset"
    assert b"Traceback" in box.said
    assert b"a fault in the program" in box.said


def test_the_watchdog_hears_of_every_look(pico: Boards) -> None:
    box = pico()
    assert box.shown["fed"] == 1


def test_a_box_that_is_asked_for_firmware_says_so_and_becomes_a_drive(hub: Hub) -> None:
    hub.box.go()
    hub.heard()
    (done,) = hub.say("boot")
    assert done == Ok(re=1, s=2)
    assert hub.box.shown["end"] == "bootloader"


# --- display and sound -----------------------------------------------------------------------------------


def dots(box: Pico) -> list[str]:
    """The glass as rows of dots."""
    memory = bytes.fromhex(box.shown["glass"])
    return ["".join(" #"[memory[row // 8 * 128 + x] >> row % 8 & 1] for x in range(128)) for row in range(64)]


def test_the_display_shows_what_the_hub_says_and_the_hood_what_is_chosen(probe: Probe, pico: Boards) -> None:
    hub = Hub(probe, pico(BOARD_DISPLAY="yes"))
    hub.say("say", x="Bid 1 to 6")
    for _ in range(8):
        hub.box.go(1)
    before = dots(hub.box)
    assert any("#" in row for row in before[:8])
    assert not any("#" in row for row in before[10:])
    hub.say("open", r=1, lo=0, hi=5, at=2, kind="sealed")
    for _ in range(8):
        hub.box.go(1)
    chosen = dots(hub.box)
    assert any("#" in row for row in chosen[32:])
    tap(hub.box, "k5")
    for _ in range(8):
        hub.box.go(1)
    assert dots(hub.box)[32:] != chosen[32:]
    assert dots(hub.box)[:8] == before[:8]


def test_a_line_is_broken_between_words_into_letters_the_display_has(probe: Probe) -> None:
    wrapped = {
        "Bid 1 to 6": ["Bid 1 to 6"],
        "Choose one of the cards in your hand": ["Choose one of", "the cards in", "your hand"],
        "Ångström wählt – ●": ["Angstrom wahlt -", "*"],
        "x" * 40: ["x" * 16, "x" * 16, "x" * 8],
        "": [],
    }
    for text, lines in wrapped.items():
        assert probe(f"oled.wrapped({text!r})") == lines


@pytest.mark.parametrize(
    "text", ["", "Bid $45 | bar: Drop", "Dice: 1 2 3 _  <3>", "x" * 17 + " y", "a" * 40, "ab " * 13]
)
def test_the_hub_knows_where_the_display_breaks_a_line(probe: Probe, text: str) -> None:
    assert probe(f"oled.wrapped({text!r})") == [line for line in lettering.lines(text) if line]


def test_a_box_without_a_display_or_with_a_broken_one_plays_on(probe: Probe, pico: Boards) -> None:
    for env in ({}, {"BOARD_DISPLAY": "broken"}):
        hub = Hub(probe, pico(**env))
        hub.say("say", x="Your turn")
        assert Hello in kinds(hub.say("who"))


@pytest.mark.parametrize(("name", "tones"), [("lock", [880]), ("error", [220]), ("reveal", [660, 990])])
def test_a_sound_begins_at_once_and_ends_by_itself(hub: Hub, name: str, tones: list[int]) -> None:
    hub.say("buzz", k=name)
    heard = [hub.box.shown["tone"]]
    for _ in range(60):
        hub.box.go(10)
        heard.append(hub.box.shown["tone"])
    assert [tone for place, tone in enumerate(heard) if place == 0 or heard[place - 1] != tone] == [*tones, 0]


# --- hands -----------------------------------------------------------------------------------------------


def keys(heard: list[object]) -> list[tuple[str, str]]:
    return [(frame.k, frame.e) for frame in heard if isinstance(frame, Press)]


def test_edges_between_two_looks_are_not_lost(hub: Hub) -> None:
    """A picture is being drawn: three detents and a push happen before the program looks again."""
    box = hub.box
    hub.say("who")
    orders: list[str] = []
    for number, at in enumerate(RIGHT * 3):
        orders += [f"ms {box.ms + number}", *box.dial(at)]
    orders += [box.pin("push", closed=True), f"ms {box.ms + 40}", box.pin("push", closed=False)]
    box.go(50, orders)
    (turn,) = hub.heard()
    assert isinstance(turn, Detents)
    assert turn.d == 3
    assert keys(hub.say("ack", re=turn.s)) == [("push", "down")]


def test_a_storm_of_bouncing_fills_no_memory_and_ends_with_the_switch_as_it_is(hub: Hub) -> None:
    box = hub.box
    hub.say("who")
    hub.heard()
    box.go(5, [box.pin("push", closed=number % 2 == 0) for number in range(501)])
    box.go(50)
    assert keys(hub.heard()) == [("push", "down")]
    hub.say("ack", re=3)
    box.go(50, [box.pin("push", closed=False)])
    tap(box, "push")
    assert ("push", "down") in keys(hub.heard())


def test_what_was_pressed_before_a_hub_came_is_not_told_to_it(hub: Hub) -> None:
    tap(hub.box, "push")
    tap(hub.box, "k2")
    assert set(keys(hub.heard())) == {("push", "down")}
    assert keys(hub.say("who")) == []
    for _ in range(20):
        hub.box.go(100)
        assert keys(hub.heard()) == []
    tap(hub.box, "k3")
    assert keys(hub.heard()) == [("k3", "down")]


# --- the sealed value --------------------------------------------------------------------------------------


def test_nothing_that_can_be_seen_or_heard_at_a_box_depends_on_the_sealed_value(probe: Probe, pico: Boards) -> None:
    """Lamps, sound and cable, moment by moment; the display is under the hood."""

    def seen(value: int) -> list[tuple[object, ...]]:
        hub = Hub(probe, pico(BOARD_DISPLAY="yes"))
        hub.say("who")
        hub.say("ring", p="choosing", n=0, c="2f7de1")
        hub.say("open", r=1, lo=0, hi=5, at=2, kind="sealed")
        moments: list[tuple[object, ...]] = []
        for name in (f"k{value + 1}", "push"):
            hub.box.go(0, [hub.box.pin(name, closed=True)])
            for _ in range(30):
                hub.box.go(10)
                lengths = [(type(frame), frame.s) for frame in hub.heard() if isinstance(frame, Frame)]
                moments.append((hub.box.shown["lamps"], hub.box.shown["tone"], lengths))
            hub.box.go(0, [hub.box.pin(name, closed=False)])
            hub.box.go(60)
        assert hub.box.shown["locked"]
        return moments

    first = seen(0)
    assert all(seen(value) == first for value in range(1, 6))


def test_once_locked_the_keys_answer_what_the_hub_asks_then_and_nothing_else(hub: Hub) -> None:
    hub.say("who")
    hub.say("open", r=7, lo=0, hi=5, at=2, kind="sealed")
    hub.say("say", x="Bid 1 to 6")
    tap(hub.box, "k4")
    hub.say("name", r=7, i=2, x=["three", "four"])
    assert keys(hub.heard()) == []
    tap(hub.box, "push")
    locked = next(frame for frame in hub.heard() if isinstance(frame, Locked))
    hub.say("ack", re=locked.s)
    tap(hub.box, "k1")
    assert keys(hub.heard()) == [], "nothing else is asked: whoever would change the bid tells nobody"
    assert hub.box.shown["text"] == "four"
    hub.say("say", x="Seat 3 away: 1 wait 2 safe 3 house")
    hub.box.go(60)
    assert hub.box.shown["text"] == "Seat 3 away: 1 wait 2 safe 3 house"
    tap(hub.box, "k2")
    (key,) = [frame for frame in hub.heard() if isinstance(frame, Press)]
    assert (key.k, key.e) == ("k2", "down")
    hub.say("ack", re=key.s)
    hub.say("say", x="Bid 1 to 6")
    hub.box.go(60)
    assert hub.box.shown["text"] == "four"
    tap(hub.box, "k2")
    assert keys(hub.heard()) == []
    bids = [frame for frame in hub.say("reveal", r=7, c=[mark(locked.c)]) if isinstance(frame, Bid)]
    assert [bid.b for bid in bids] == [3]


def test_a_lock_holds_its_value_until_the_reveal_of_its_round(hub: Hub) -> None:
    hub.say("who")
    hub.say("open", r=7, lo=0, hi=5, at=2, kind="sealed")
    assert Bid not in kinds(hub.say("reveal", r=7, c=["0" * 16])), "nothing is locked"
    tap(hub.box, "push")
    locked = next(frame for frame in hub.heard() if isinstance(frame, Locked))
    assert Bid not in kinds(hub.say("reveal", r=6, c=[mark(locked.c)])), "of another round"
    hub.say("ack", re=locked.s)
    bids = [frame for frame in hub.say("reveal", r=7, c=[mark(locked.c)]) if isinstance(frame, Bid)]
    assert [(bid.r, bid.b) for bid in bids] == [(7, 2)]
    assert bids[0].n not in (locked.c, "")


def test_what_belongs_to_a_lock_is_repeated_for_ever_and_a_key_for_a_second(hub: Hub) -> None:
    hub.say("who")
    tap(hub.box, "push")
    pressed = keys(hub.heard())
    for _ in range(200):
        hub.box.go(50)
        pressed += keys(hub.heard())
    assert pressed == [("push", "down")] * 5
    hub.say("open", r=1, lo=0, hi=5, at=2, kind="sealed")
    tap(hub.box, "push")
    locks = 0
    for _ in range(200):
        hub.box.go(50)
        locks += kinds(hub.heard()).count(Locked)
    assert 45 <= locks <= 51


# --- time and memory -----------------------------------------------------------------------------------


def test_a_match_goes_on_while_the_clock_of_the_box_comes_round() -> None:
    end = MicroPythonBox(ms=2**30 - 3000)
    try:
        wire = Wire(program=end)
        wire.until(lambda: wire.all(BoxUp))
        for round in range(1, 6):
            wire.fleet.ring(BOX, LampPicture("turn"))
            wire.fleet.open(BOX, SealedRound(round, 5, 2))
            wire.until(lambda: end.state()["sealed"], limit=0.5)
            end.press("k4")
            end.press("push")
            wire.until(lambda round=round: BoxLocked(BOX, round) in wire.signals, limit=0.5)  # type: ignore[misc]
            wire.fleet.reveal([BOX], round)
            wire.until(lambda round=round: BoxBid(BOX, round, 3) in wire.signals, limit=0.5)  # type: ignore[misc]
            end.press("bar", hold=True)
            wire.wait(1.0)
        assert wire.all(Key) == [Key(BOX, "bar", "hold")] * 5
        assert end.pico.ms > 2**30 + 3000
    finally:
        end.close()


@pytest.mark.slow
def test_a_long_evening_takes_no_more_memory_than_its_first_minutes(hub: Hub, probe: Probe) -> None:
    """The heap is 256 KB here; a Pico's holds more of these, for its objects are half as large."""

    def an_hour(first: int) -> int:
        for round in range(first, first + 60):
            hub.say("ring", p="nudge", n=0, c="2f7de1")
            hub.say("say", x=f"Round {round}: bid, or pass with the bar")
            hub.say("open", r=round, lo=0, hi=39, at=round % 40, kind="sealed")
            hub.box.hear(b"\x00\xff garbage ~{\n" + b"~" * 300 + b'\n~{"t":"bid"}*0000\n')
            for at in RIGHT * 3:
                hub.box.go(1, hub.box.dial(at))
            tap(hub.box, "push")
            marks = ["0" * 16] * 5
            for frame in hub.heard():
                if isinstance(frame, Locked):
                    hub.say("ack", re=frame.s)
                    marks = [mark(frame.c), *marks]
            for frame in hub.say("reveal", ms=100, r=round, c=marks):
                if isinstance(frame, Bid):
                    hub.say("ack", re=frame.s)
            hub.say("cancel", r=0)
            for name in GPIO.keys() & set(PINS["CONTROLS"]):
                tap(hub.box, name)
            hub.box.go(60_000)
            hub.heard()
        hub.box.go(0, ["count"])
        return int(hub.box.shown["memory"])

    settled = an_hour(1)
    assert an_hour(61) - settled < 2000
    assert settled < 100_000


def test_presses_that_nobody_hears_are_not_kept_for_ever(hub: Hub) -> None:
    hub.box.go(0, ["count"])
    before = hub.box.shown["memory"]
    for _ in range(300):
        tap(hub.box, "k1")
    hub.box.take_said()
    hub.box.go(0, ["count"])
    assert hub.box.shown["memory"] - before < 8000
    assert Hello in kinds(hub.say("who"))


def test_every_pin_is_there_once_and_where_the_pico_has_it() -> None:
    """Pins of the board in the order of their GPIO: Raspberry Pi Pico datasheet, section 2.1."""
    ground, others = {3, 8, 13, 18, 23, 28, 33, 38}, {30, 35, 36, 37, 39, 40}
    by_gpio = [pin for pin in range(1, 41) if pin not in ground | others]
    where = dict(zip([*range(23), 26, 27, 28], by_gpio, strict=True))
    assert len(set(GPIO.values())) == len(GPIO) == len(PINS["WIRES"])
    for name, gpio, pin, _ in PINS["WIRES"]:
        assert where[gpio] == pin, name
    assert {name: pins for name, pins, _ in PINS["SUPPLIES"]}["ground"] == tuple(sorted(ground))
