"""Drivers that do everything wrong: each takes only itself down."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from hub import isolation
from hub.app import Hub
from hub.config import Config, DevicePart, HubPart, TablePart, WebPart, dump
from hub.engine.text import say
from hub.isolation import MOST_SUBJECTS, DeviceGuard, GuardedDevice, close_all
from hub.ports import BoxUp, DeviceDown, DeviceUp, DiceKit, DiceSeen, DriverContext, Key, LampPicture, Turn
from hub.state import ScreenState
from tests.patience import PATIENCE
from tests.phone_ui.rig import until
from tests.test_app import sit, state

pytestmark = [pytest.mark.real_chance, pytest.mark.real_time]


class Bad:
    """A device that is its own lamps, page, boxes and dice, and does what a test wants of it."""

    def __init__(self, inbox: Callable[[object], None] = print) -> None:
        self.inbox = inbox
        self.lamps: Any = self
        self.page: Any = self
        self.boxes: Any = None
        self.dice: Any = None
        self.shown = 0
        self.do: Callable[[], None] = lambda: None
        self.starting: Callable[[], None] = lambda: None
        self.closing: Callable[[], None] = lambda: None

    def show(self, *_: Mapping[int, LampPicture] | ScreenState | bool) -> None:
        self.shown += 1
        self.do()

    def start(self) -> None:
        self.starting()

    def close(self) -> None:
        self.closing()


def fails() -> None:
    raise RuntimeError("a driver's own trouble with the password swordfish")


def hangs() -> None:
    threading.Event().wait()


# --- one guard -----------------------------------------------------------------------------------------


class Box:
    """A table's inbox."""

    def __init__(self) -> None:
        self.signals: list[object] = []

    def __call__(self, signal: object) -> None:
        self.signals.append(signal)


def test_a_device_that_raises_is_told_once_and_again_once_it_has_recovered(monkeypatch: pytest.MonkeyPatch) -> None:
    inbox = Box()
    bad = Bad()
    guarded = GuardedDevice(bad, DeviceGuard("the panel", inbox))
    guarded.start()

    def show() -> None:
        assert guarded.page
        before = bad.shown
        guarded.page.show(None, False)  # type: ignore[arg-type]
        until(lambda: bad.shown > before and guarded._call_began is None, "the picture")

    bad.do = fails
    for _ in range(5):
        show()
    (down,) = inbox.signals
    assert isinstance(down, DeviceDown)
    assert down.why == "The driver of the panel has failed. The table plays on without it."
    bad.do = lambda: None
    show()
    assert len(inbox.signals) == 1, "who fails every other time is not told every time"
    monkeypatch.setattr(isolation, "CALM_SECONDS", 0.0)
    show()
    guarded.close()
    assert inbox.signals[1:] == [DeviceUp(down.device)]


@pytest.mark.parametrize(
    "said",
    [
        "hello",
        None,
        Key("a", "k9", "down"),  # type: ignore[arg-type]
        Key(7, "k1", "down"),  # type: ignore[arg-type]
        BoxUp("a", "b", "1", "many"),  # type: ignore[arg-type]
        DeviceDown("lamp \ud800", "It is lost."),
        DeviceDown("lamp", "\udcff"),
        DeviceUp("x" * 1001),
        DiceKit("tray", -1),
        DiceKit("tray", 101),
        DiceKit("tray", 6, ("red", "\ud800")),
        DiceKit("tray", 6, ("red" * 400,)),
        DiceSeen("tray", 1, "no_reader", say="\ud800"),
        DiceKit("tray", 6, ["red"]),  # type: ignore[arg-type]
        DiceKit("tray", 6, ("red",) * 201),
        DiceSeen("tray", 1, "settled", (1,) * 201),
        DiceSeen("tray", 1, "settled", (2**53,)),
        Turn("a", -(2**53)),
    ],
    ids=[
        "text",
        "nothing",
        "no such key",
        "no id",
        "no number",
        "half a character",
        "half a sentence",
        "long name",
        "too few dice",
        "too many dice",
        "half a die's name",
        "a die's long name",
        "half a reason",
        "a list",
        "many names",
        "many faces",
        "a large face",
        "a large turn",
    ],
)
def test_what_is_no_signal_never_reaches_the_table(said: object) -> None:
    inbox = Box()
    guard = DeviceGuard("the box", inbox)
    guard.put(said)
    guard.put(Key("a", "k1", "down"))
    down, key = inbox.signals
    assert isinstance(down, DeviceDown)
    assert "sends invalid signals" in down.why
    assert key == Key("a", "k1", "down")


def test_names_and_sentences_of_any_language_reach_the_table() -> None:
    inbox = Box()
    guard = DeviceGuard("the box", inbox)
    signals: list[object] = [
        DeviceDown("Lämpchen 灯 🎲", say("{device} is lost.", device="灯")),
        DiceKit("tray", 0),
        DiceKit("x" * 1000, 100, ("red",) * 200),
        Turn("a", 2**53 - 1),
    ]
    for one in signals:
        guard.put(one)
    assert inbox.signals == signals


def test_a_device_has_no_more_names_than_a_screen_has_room_for() -> None:
    inbox = Box()
    guard = DeviceGuard("the box", inbox)
    for number in range(MOST_SUBJECTS):
        guard.put(DeviceUp(f"lamp {number}"))
    assert len(inbox.signals) == MOST_SUBJECTS
    for number in range(3):
        guard.put(DeviceDown(f"one more {number}", "It is lost."))
    (told,) = inbox.signals[MOST_SUBJECTS:]
    assert isinstance(told, DeviceDown)
    assert told.why == "The driver of the box reports about too many devices. The table plays on without it."
    guard.put(DeviceDown("lamp 7", "It is lost."))
    guard.put(Key("lamp 7", "k1", "down"))
    assert inbox.signals[-2:] == [DeviceDown("lamp 7", "It is lost."), Key("lamp 7", "k1", "down")]


class Lacking(Bad):
    """A device whose ports have no methods."""

    def __init__(self) -> None:
        super().__init__()
        self.lamps = self.page = self.boxes = self.dice = object()


def test_a_port_without_its_methods_is_a_fault_of_the_device_and_not_of_the_table() -> None:
    inbox = Box()
    guarded = GuardedDevice(Lacking(), DeviceGuard("the box", inbox))
    guarded.start()
    assert guarded.lamps
    assert guarded.page
    assert guarded.boxes
    assert guarded.dice
    guarded.lamps.show({})
    guarded.page.show(None, False)  # type: ignore[arg-type]
    guarded.boxes.open("a", None)  # type: ignore[arg-type]
    guarded.boxes.reveal(["a"], 1)
    guarded.boxes.cancel("a", 1)
    guarded.boxes.ring("a", LampPicture("off"))
    guarded.boxes.say("a", "text")
    guarded.boxes.buzz("a", "lock")
    guarded.dice.arm(1, 1, 1, 6)
    guarded.dice.disarm()
    until(lambda: not guarded._queue and guarded._call_began is None, "all calls")
    assert isinstance(inbox.signals[-1], DeviceDown)
    assert "has failed" in inbox.signals[-1].why
    guarded.close()


def test_a_device_that_ends_its_thread_is_told_and_goes_on() -> None:
    inbox, bad = Box(), Bad()
    bad.starting = sys.exit
    bad.do = sys.exit
    guarded = GuardedDevice(bad, DeviceGuard("the panel", inbox))
    guarded.start()
    assert guarded.page
    for _ in range(2):
        before = bad.shown
        guarded.page.show(None, False)  # type: ignore[arg-type]
        until(lambda before=before: bad.shown > before, "the picture")  # type: ignore[misc]
    guarded.close()
    assert [type(one) for one in inbox.signals] == [DeviceDown, DeviceDown]
    assert "has failed" in inbox.signals[0].why  # type: ignore[attr-defined]


def test_a_flood_is_cut_off_and_told_until_it_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1.0]
    monkeypatch.setattr(isolation, "monotonic", lambda: now[0])
    monkeypatch.setattr(isolation, "CALM_SECONDS", 0.05)
    inbox = Box()
    guard = DeviceGuard("the box", inbox)
    for _ in range(5000):
        guard.put(Key("a", "k1", "down"))
    keys = [one for one in inbox.signals if isinstance(one, Key)]
    assert len(keys) == isolation.AT_ONCE
    assert [type(one) for one in inbox.signals if one not in keys] == [DeviceDown]
    now[0] += 0.1
    until(lambda: isinstance(inbox.signals[-1], DeviceUp), "the end of the flood")
    guard.put(Key("a", "k1", "down"))
    assert isinstance(inbox.signals[-1], Key), "and the box is heard again"


def test_a_device_that_does_not_start_or_close_holds_nobody_up(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(isolation, "START_SECONDS", 1.0)  # the good one starts within
    monkeypatch.setattr(isolation, "CLOSE_SECONDS", 1.0)
    inbox, bad, good = Box(), Bad(), Bad()
    bad.starting = bad.closing = hangs
    closed = threading.Event()
    good.closing = closed.set
    devices = [
        GuardedDevice(bad, DeviceGuard("the bad one", inbox)),
        GuardedDevice(good, DeviceGuard("the good one", inbox)),
    ]
    begun = time.monotonic()
    for device in devices:
        device.start()
    close_all(devices)
    assert time.monotonic() - begun < 5
    assert closed.is_set()
    (down,) = inbox.signals
    assert isinstance(down, DeviceDown)
    assert "hangs at startup" in down.why
    assert "left alone: the bad one." in caplog.text


class Paper(Bad):
    """A device that keeps what it was shown and asked, and that may wait before it comes back."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()
        self.go.set()
        self.done: list[object] = []
        self.boxes = self.dice = self

    def show(self, *what: object) -> None:
        self.go.wait()
        self.done.append(what)

    def reveal(self, boxes: Sequence[str], round: int) -> None:
        self.done.append(("reveal", *boxes, round))

    def cancel(self, box: str, round: int) -> None:
        self.done.append(("cancel", box, round))

    def disarm(self) -> None:
        self.done.append("disarm")


def test_a_call_that_does_not_come_back_holds_nobody_up_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1.0]
    monkeypatch.setattr(isolation, "monotonic", lambda: now[0])
    inbox, paper = Box(), Paper()
    guarded = GuardedDevice(paper, DeviceGuard("the strip", inbox))
    guarded.start()
    assert guarded.page
    assert guarded.lamps
    assert guarded.boxes
    assert guarded.dice
    paper.go.clear()
    guarded.page.show(0, False)  # type: ignore[arg-type]
    until(lambda: guarded._call_began is not None, "the call that hangs")
    for number in range(100):
        guarded.page.show(number, number == 50)  # type: ignore[arg-type]
        guarded.lamps.show({number: None})  # type: ignore[dict-item]
        guarded.check_answering()
    for number in range(5):
        guarded.boxes.reveal(["a"], number)
    guarded.boxes.cancel("a", 4)
    guarded.dice.disarm()
    now[0] += isolation.ANSWER_SECONDS - 0.1
    guarded.check_answering()
    assert not inbox.signals
    now[0] += 0.2
    for _ in range(3):
        guarded.check_answering()
    (down,) = inbox.signals
    assert isinstance(down, DeviceDown)
    assert down.why == "The driver of the strip does not answer. The table plays on without it."
    paper.go.set()
    guarded.close()
    asked = [("reveal", "a", number) for number in range(5)]
    assert [one for one in paper.done if one not in (paper.done[0], ({99: None},), (99, True))] == [
        *asked, ("cancel", "a", 4), "disarm",
    ], "all that it was asked, in order"  # fmt: skip
    assert len(paper.done) <= 3 + len(asked) + 2, "of a hundred pictures the first and the newest"
    assert (99, True) in paper.done, "that the table had settled meanwhile is not lost"
    now[0] += isolation.CALM_SECONDS
    guarded.check_answering()
    assert inbox.signals[1:] == [DeviceUp(down.device)]


def test_what_a_device_does_not_take_is_bounded() -> None:
    paper = Paper()
    guarded = GuardedDevice(paper, DeviceGuard("the strip", Box()))
    assert guarded.boxes
    for number in range(5000):
        guarded.boxes.reveal(["a"], number)
    guarded.start()
    guarded.close()
    assert paper.done == [("reveal", "a", number) for number in range(5000 - isolation.MAX_QUEUED, 5000)]


# --- the whole hub -------------------------------------------------------------------------------------


@pytest.mark.parametrize("trouble", ["show", "flood", "nonsense", "start", "hang"])
def test_a_bad_device_takes_only_itself_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: str) -> None:
    made: list[Bad] = []

    def connect(block: DevicePart, context: DriverContext) -> Bad:
        made.append(Bad(context.inbox))
        return made[-1]

    monkeypatch.setattr("hub.table_devices.connect", connect)
    monkeypatch.setattr(isolation, "START_SECONDS", 0.1)
    monkeypatch.setattr(isolation, "ANSWER_SECONDS", 0.3)
    config = Config(
        hub=HubPart(state=str(tmp_path / "state")), web=WebPart("127.0.0.1", 0),
        table=(TablePart("1"), TablePart("bar")), device=(DevicePart("simulated", "1", "the strip"),),
    )  # fmt: skip
    stop = threading.Event()
    with Hub(config) as hub:
        (bad,) = made
        if trouble == "show":
            bad.do = fails
        elif trouble == "start":
            bad.starting = hangs
        hub.start()
        waiting = threading.Thread(target=hub.wait, daemon=True)
        waiting.start()
        if trouble == "hang":
            bad.do = hangs
            hub.tables["1"].put(DeviceDown("another", "A lamp is lost."))  # something to show
        if trouble == "nonsense":
            bad.inbox(object())
        elif trouble == "flood":

            def flood() -> None:
                while not stop.is_set():
                    bad.inbox(Key("nobody's", "k1", "down"))

            threading.Thread(target=flood, daemon=True).start()
        try:
            until(lambda: "The driver of the strip" in str(state(hub)["notices"]), "the notice")
            assert not [one for one in state(hub, "bar")["notices"] if one["key"].startswith("device")]
            sit(hub, "1", 1)
            sit(hub, "bar", 2)
            assert "swordfish" not in str(state(hub))
            assert hub.supervisor
            assert not hub._stop.is_set()
            assert not hub.supervisor.find_stuck()
        finally:
            stop.set()
            hub.stop()
            waiting.join(PATIENCE)


HANGING = """
import sys, threading
import hub.app
import hub.table_devices
from hub.__main__ import main
class Hanging:
    lamps = page = boxes = dice = None
    def start(self): pass
    def close(self): threading.Event().wait()
hub.table_devices.connect = lambda block, context: Hanging()
if sys.argv[2] == "table":
    from hub.table.loop import Table
    Table.run = lambda self, ticked=None: threading.Event().wait()
sys.exit(main(["run", "--config", sys.argv[1]]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("hangs", ["device", "table"])
def test_a_hub_that_is_told_to_stop_has_ended_within_ten_seconds_whatever_hangs(tmp_path: Path, hangs: str) -> None:
    file = tmp_path / "hub.toml"
    parts = HubPart(state=str(tmp_path / "state")), WebPart("127.0.0.1", 0)
    file.write_text(dump(Config(hub=parts[0], web=parts[1], device=(DevicePart("simulated", "1", "bench"),))))
    command = [sys.executable, "-c", HANGING, str(file), hangs]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as hub:
        assert hub.stdout
        assert "code" in hub.stdout.readline()
        begun = time.monotonic()
        hub.send_signal(signal.SIGTERM)
        try:
            hub.wait(PATIENCE)
        finally:
            hub.kill()
    assert time.monotonic() - begun < 10
