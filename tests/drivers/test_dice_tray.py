"""The hub's end of a dice tray's cable: which throw counts, and what a tray that comes and goes costs."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from drivers.common.board_session import QUIET
from drivers.common.frames import (
    PROTOCOL,
    TO_BOX,
    Ack,
    Arm,
    Beat,
    Disarm,
    Frame,
    FrameReader,
    Hello,
    Ok,
    Thrown,
    Who,
    checksum,
    encode,
)
from drivers.dice_tray import NAME, SILENT, TraySession, TrayState, connect
from hub.errors import ConfigError, DeviceLost
from hub.ports import DeviceDown, DeviceUp, DiceKit, DiceSeen, DiceState
from tests.drivers.contexts import context

HELLO = Hello(id="e661640843210a2c", boot="b1", p=PROTOCOL, v="1.0.0", k="tray", n=6)


class Far:
    """The other end of a cable, a hand at a time."""

    def __init__(self, tray: TrayState, port: str = "port-1", now: float = 100.0) -> None:
        self.session = TraySession(tray, port)
        self.now = now
        self.number = 0
        self.session.on_open(now)

    def hears(self, seconds: float = 0.0) -> list[Frame]:
        """What the hub says after so long."""
        self.now += seconds
        self.session.run_due(self.now)
        return [
            frame for frame in FrameReader(TO_BOX).feed(self.session.outgoing(self.now)) if isinstance(frame, Frame)
        ]

    def says(self, frame: Frame, number: int | None = None) -> list[Frame]:
        """A frame, and what the hub answers. With a number it is a repeat."""
        if number is None:
            self.number += 1
        self.session.on_data(encode(msgspec.structs.replace(frame, s=number or self.number)), self.now)
        return self.hears()

    def arms(self) -> Arm:
        """Confirm the throw that the hub asks for."""
        (arm,) = [frame for frame in self.hears(0.3) if isinstance(frame, Arm)]
        self.says(Ok(re=arm.s))
        return arm


def up() -> tuple[TrayState, list[object], Far]:
    signals: list[object] = []
    tray = TrayState(signals.append, Random(1))
    far = Far(tray)
    assert [type(frame) for frame in far.hears()] == [Who]
    (disarm,) = far.says(HELLO)
    assert isinstance(disarm, Disarm), "a tray may still hold a throw of an earlier hub"
    far.says(Ok(re=disarm.s))
    assert signals == [DiceKit(NAME, 6)]
    signals.clear()
    return tray, signals, far


def seen(signals: list[object]) -> list[tuple[int, DiceState, tuple[int, ...]]]:
    return [(one.arm, one.state, one.faces) for one in signals if isinstance(one, DiceSeen)]


def test_a_throw_is_armed_at_once_and_told_to_its_end() -> None:
    tray, signals, far = up()
    tray.arm(3, 2, 6, lying=False)
    assert seen(signals) == [(3, "armed", ())]
    arm = far.arms()
    assert (arm.n, arm.f, arm.l) == (2, 6, 0)
    throw: list[tuple[DiceState, list[int]]] = [("armed", []), ("rolling", [4]), ("settled", [4, 1])]
    for state, faces in throw:
        (answer,) = far.says(Thrown(a=arm.a, st=state, f=faces))
        assert answer == Ack(s=answer.s, re=far.number)
    assert seen(signals) == [(3, "armed", ()), (3, "rolling", (4,)), (3, "settled", (4, 1))]


def test_a_throw_that_is_told_twice_counts_once() -> None:
    tray, signals, far = up()
    tray.arm(1, 1, 6, lying=False)
    arm = far.arms()
    for _ in range(3):
        far.says(Thrown(a=arm.a, st="settled", f=[5]), number=40)
    far.says(Thrown(a=arm.a, st="settled", f=[5]))
    assert seen(signals) == [(1, "armed", ()), (1, "settled", (5,))]


def test_a_throw_that_nobody_asks_for_any_more_is_acknowledged_and_not_told() -> None:
    tray, signals, far = up()
    tray.arm(1, 1, 6, lying=False)
    old = far.arms()
    tray.arm(2, 1, 6, lying=True)
    new = far.arms()
    assert new.l == 1
    assert far.says(Thrown(a=old.a, st="settled", f=[5]))
    assert seen(signals)[-1] == (2, "armed", ())
    tray.disarm()
    far.says(Thrown(a=new.a, st="settled", f=[5]))
    assert seen(signals)[-1] == (2, "armed", ())


def test_a_tray_that_is_silent_is_typed_for_and_tells_afterwards_what_it_read() -> None:
    tray, signals, far = up()
    tray.arm(1, 2, 6, lying=False)
    arm = far.arms()
    far.says(Thrown(a=arm.a, st="rolling", f=[2]))
    far.hears(QUIET + 0.1)
    (down,) = [signal for signal in signals if isinstance(signal, DeviceDown)]
    assert down.why == "The dice tray is silent. Check its cable."
    assert signals[-2:] == [DiceKit(NAME, 0), DiceSeen(NAME, 1, "no_reader", (), SILENT)]
    far.says(HELLO)
    assert DeviceUp(NAME) in signals
    assert far.arms().a == arm.a, "the same throw, for the tray knows it by its number"
    far.says(Thrown(a=arm.a, st="settled", f=[2, 6]))
    assert seen(signals)[-1] == (1, "settled", (2, 6))


def test_a_throw_that_stands_stays_so_when_the_tray_is_pulled_out() -> None:
    tray, signals, far = up()
    tray.arm(1, 1, 6, lying=False)
    far.says(Thrown(a=far.arms().a, st="settled", f=[2]))
    far.session.on_close(DeviceLost("port-1 was unplugged."))
    assert seen(signals)[-1] == (1, "settled", (2,))
    assert DiceKit(NAME, 0) in signals


def test_without_a_tray_the_table_is_told_at_once_to_type() -> None:
    signals: list[object] = []
    TrayState(signals.append, Random(1)).arm(1, 2, 6, lying=False)
    assert signals == [DiceSeen(NAME, 1, "no_reader", (), SILENT)]


def test_a_tray_that_does_not_answer_is_lost_and_asked_again() -> None:
    tray, signals, far = up()
    tray.arm(1, 1, 6, lying=False)
    heard = [frame for _ in range(12) for frame in far.hears(0.2)]
    assert len([frame for frame in heard if isinstance(frame, Arm)]) == 5
    assert seen(signals)[-1][1] == "no_reader"
    assert any(isinstance(frame, Who) for _ in range(12) for frame in far.hears(0.5))


def test_a_tray_that_speaks_again_is_asked_at_once() -> None:
    _, _, far = up()
    for _ in range(10):
        far.hears(QUIET + 2)
    assert far.hears(QUIET + 0.1) == [], "a long rest"
    (who,) = far.says(Beat(up=PROTOCOL, st="idle"))
    assert isinstance(who, Who)


def test_a_tray_on_another_port_takes_the_place_of_the_old_cable() -> None:
    tray, signals, far = up()
    other = Far(tray, "port-2", far.now)
    other.hears()
    other.says(HELLO)
    assert far.session.finished
    assert tray.session is other.session
    assert not [signal for signal in signals if isinstance(signal, DeviceDown)]


def test_what_is_no_tray_or_not_ours_is_given_up() -> None:
    tray = TrayState(lambda _: None, Random(1), tray_id="mine")
    for hello in (HELLO, msgspec.structs.replace(HELLO, id="mine", k="buttons")):
        far = Far(tray)
        far.hears()
        far.says(hello)
        assert far.session.finished
    assert tray.session is None


def test_a_tray_of_another_protocol_is_named_if_it_is_ours() -> None:
    _, signals, far = up()
    payload = b'{"t":"hello","id":"e661640843210a2c","p":7,"v":"9.0","s":1}'
    far.session.on_data(b"~" + payload + b"*" + checksum(payload).encode() + b"\n", far.now)
    assert isinstance(signals[-1], DeviceDown)
    assert "newer firmware" in signals[-1].why


def test_dice_that_the_tray_cannot_read_are_typed() -> None:
    tray, signals, far = up()
    tray.arm(1, 1, 10, lying=False)
    far.says(Thrown(a=far.arms().a, st="no_reader", f=[]))
    assert signals[-1] == DiceSeen(
        NAME, 1, "no_reader", (), "The tray cannot read dice with 10 sides: type what they show."
    )


def test_a_wrong_count_says_both_numbers_and_keeps_no_die() -> None:
    tray, signals, far = up()
    tray.arm(1, 3, 6, lying=False)
    far.says(Thrown(a=far.arms().a, st="wrong_count", f=[1, 2]))
    seen = signals[-1]
    assert isinstance(seen, DiceSeen)
    assert (seen.state, seen.faces, "2 of 3" in seen.say) == ("wrong_count", (), True)


def test_a_restarted_tray_is_armed_anew() -> None:
    tray, signals, far = up()
    tray.arm(1, 1, 6, lying=False)
    arm = far.arms()
    far.says(msgspec.structs.replace(HELLO, boot="b2"))
    assert far.arms().a == arm.a
    far.says(Beat(up=PROTOCOL, st="armed"))
    assert seen(signals) == [(1, "armed", ())]


@pytest.mark.real_time
def test_its_block_is_checked() -> None:
    with pytest.raises(ConfigError, match="has no key prots: did you mean ports"):
        connect({"prots": []}, context())
    tray = connect({"tray": "e66"}, context())
    assert tray.dice is tray
