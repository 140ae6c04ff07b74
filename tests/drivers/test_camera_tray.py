"""The camera tray: when a throw may be believed, and the way from pictures in a folder to the table."""

from __future__ import annotations

import datetime as dt
import queue
from pathlib import Path

import cv2
import numpy as np
import pytest

from drivers.camera_tray import NAME, NO_VIEW, SILENT, WATCHED, CameraTray, Settings, calibrate, connect
from drivers.camera_tray.calibration import UNCALIBRATED, load, measure, save
from drivers.camera_tray.doubtful import DoubtfulPictures
from drivers.camera_tray.throw_watch import UNSURE, ThrowWatch, has_moved
from drivers.camera_tray.vision import LEANS, STRANGE, DieFace, Picture, Reading
from hub.errors import ConfigError, DeviceLost
from hub.ports import CalibrationStep, CameraView, DeviceDown, DeviceUp, DiceKit, DiceSeen
from tests.drivers.contexts import context
from tests.table.fakes import HeldClock
from tests.vision.painter import CAMERA, DIE, PaintedDie, Scene, empty, leaning, paint, upright

CHANCE = np.random.default_rng


def reading(*numbers: int, at: float = 0.0, doubt: str = "") -> Reading:
    return Reading(tuple(DieFace(number, at + 80.0 * n, 100.0, 0.1) for n, number in enumerate(numbers)), doubt)


def painted(*faces: int, shift: float = 0.0, tray: str = "green") -> Picture:
    dice = [PaintedDie((-50.0 + 25 * n + shift, 10.0), upright(face, 0.3 * n)) for n, face in enumerate(faces)]
    return paint(Scene(dice, tray), CHANCE(5))


# --- when to believe -----------------------------------------------------------------------------


def test_three_pictures_over_700_ms_make_a_throw() -> None:
    watch = ThrowWatch(2, 0.0)
    assert watch.update(reading(4, 1), 0.1)[0] == "armed"  # the last throw still lies there
    assert watch.update(None, 0.2)[0] == "rolling"
    assert [watch.update(reading(6, 2, at=9), 0.5 + 0.2 * n)[0] for n in range(4)] == ["rolling"] * 4
    assert watch.update(reading(6, 2, at=9), 1.3) == ("settled", (6, 2), "")


def test_the_dice_of_the_last_throw_are_not_read_again() -> None:
    watch = ThrowWatch(1, 0.0)
    assert {watch.update(reading(5), 0.2 * n)[0] for n in range(30)} == {"armed"}


def test_what_lies_there_is_read_when_the_table_wants_it() -> None:
    watch = ThrowWatch(1, 0.0, lying=True)
    assert [watch.update(reading(5), 0.4 * n)[0] for n in range(3)] == ["rolling", "rolling", "settled"]


def test_pictures_that_differ_are_asked_about() -> None:
    watch = ThrowWatch(1, 0.0)
    watch.update(None, 0.0)
    reports = [watch.update(reading(5 + n % 2), 0.1 + 0.15 * n) for n in range(20)]
    assert reports[-1] == ("cocked", (), UNSURE)
    assert "settled" not in [state for state, _, _ in reports]


def test_a_doubt_that_stays_is_told_and_a_die_thrown_again_settles() -> None:
    watch = ThrowWatch(2, 0.0)
    watch.update(None, 0.0)
    reports = [watch.update(reading(5, doubt=LEANS), 0.1 + 0.2 * n) for n in range(12)]
    assert reports[-1] == ("cocked", (), LEANS)
    assert watch.update(None, 3.0)[0] == "rolling"
    assert [watch.update(reading(5, 3), 3.2 + 0.4 * n)[0] for n in range(3)][-1] == "settled"


def test_a_missing_die_is_a_wrong_count_and_an_empty_tray_is_no_throw() -> None:
    watch = ThrowWatch(3, 0.0)
    watch.update(None, 0.0)
    state, faces, say = [watch.update(reading(5, 2), 0.4 * n) for n in range(1, 5)][-1]
    assert (state, faces, say) == (
        "wrong_count",
        (),
        "I see 2 of 3 dice: throw them all again, or type what they show.",
    )
    watch.update(None, 3.0)
    assert [watch.update(reading(), 3.2 + 0.4 * n)[0] for n in range(4)][-1] == "armed"


def test_grain_is_no_movement_and_a_moved_die_is() -> None:
    scene = Scene([PaintedDie((0, 0), upright(3, 0.2))], noise=5.0)
    assert not has_moved(paint(scene, CHANCE(1)), paint(scene, CHANCE(2)))
    assert has_moved(painted(3), painted(3, shift=3.0))


# --- from a folder to the table ------------------------------------------------------------------


class Bench:
    """A tray whose camera is a folder, calibrated."""

    def __init__(self, folder: Path) -> None:
        self.pictures = folder / "pictures"
        self.pictures.mkdir()
        self.calibration = folder / "tray.npz"
        self.signals: queue.Queue[object] = queue.Queue()
        one = paint(Scene([PaintedDie((0, 0), upright(5, 0.4))]), CHANCE(3))
        save(measure(empty(Scene([]), CHANCE(4)), one, CAMERA / DIE), self.calibration)
        settings = Settings(source=f"folder:{self.pictures}", calibration=str(self.calibration))
        self.tray = CameraTray(settings, self.signals.put)
        self._shown = 0

    def show(self, picture: Picture) -> None:
        self._shown += 1
        half = self.pictures / "half"
        half.write_bytes(cv2.imencode(".png", picture)[1].tobytes())
        half.rename(self.pictures / f"{self._shown:04}.png")

    def until(self, state: str) -> DiceSeen:
        while True:
            signal = self.signals.get(timeout=20)
            if isinstance(signal, DiceSeen) and signal.state == state:
                return signal


@pytest.mark.real_time
@pytest.mark.slow
def test_a_throw_is_read_from_the_folder_of_another_program(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.show(painted(2, 2))
    bench.tray.start()
    try:
        assert bench.signals.get(timeout=10) == DiceKit(NAME, 6)
        bench.tray.arm(3, 1, 2, 6)
        assert bench.until("armed").arm == 3
        bench.show(painted(6, 1, shift=20))
        assert bench.until("settled") == DiceSeen(NAME, 3, "settled", (6, 1))
        bench.show(paint(Scene([PaintedDie((30, 20), leaning(4, 0.5, 0.6))]), CHANCE(8)))
        assert bench.until("cocked").faces == ()
        for picture in bench.pictures.iterdir():
            picture.unlink()
        assert bench.until("no_reader").say == SILENT
    finally:
        bench.tray.close()


@pytest.mark.real_time
def test_a_tray_that_was_never_calibrated_says_what_to_do(tmp_path: Path) -> None:
    signals: queue.Queue[object] = queue.Queue()
    tray = connect({"source": f"folder:{tmp_path}", "calibration": str(tmp_path / "none.npz")}, context(signals.put))
    tray.start()
    try:
        assert signals.get(timeout=5) == DeviceDown(NAME, UNCALIBRATED)
    finally:
        tray.close()


# --- calibrating on the staff page -----------------------------------------------------------------


BARE = empty(Scene([]), CHANCE(4))


class NewTray:
    """A tray that was never calibrated, whose camera is a folder; a test turns its clock and its thread."""

    def __init__(self, folder: Path) -> None:
        self.pictures, self.kept = folder / "pictures", folder / "kept" / "tray.npz"
        self.pictures.mkdir()
        self.signals: list[object] = []
        self.clock = HeldClock()
        settings = Settings(source=f"folder:{self.pictures}", calibration=str(self.kept))
        self.tray = CameraTray(settings, self.signals.append, self.clock)
        self._shown = 0
        self.show(BARE)

    def show(self, picture: Picture) -> None:
        self._shown += 1
        (self.pictures / f"{self._shown:04}.png").write_bytes(cv2.imencode(".png", picture)[1].tobytes())

    def look(self, seconds: float = 1.0) -> CameraView:
        """Look after so long, and once more when the driver has had its turn."""
        self.clock.time += seconds
        self.tray.look()
        self.turn()
        return self.tray.look()

    def turn(self) -> None:
        """What the driver's thread does."""
        for call in list(self.tray._thread._calls):
            call()
        self.tray._thread._calls.clear()
        if self.tray._camera is None:
            self.tray.acquire()
        self.tray.step(self.clock.now())

    def calibrate(self, step: CalibrationStep) -> CameraView:
        self.tray.calibrate(step)
        return self.look()


@pytest.mark.slow
def test_staff_calibrate_in_two_steps_and_see_what_is_read(tmp_path: Path) -> None:
    new = NewTray(tmp_path)
    view = new.look()
    assert (view.step, view.text) == ("empty", "")
    shown = cv2.imdecode(np.frombuffer(view.jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert shown is not None
    assert shown.shape[1] == 480
    assert new.calibrate("empty").step == "die"
    new.show(painted_one())
    assert new.signals == []
    view = new.calibrate("die")
    assert (view.step, view.text) == ("ready", "The dice are moving.")
    assert new.look().text == "It reads 5."
    assert new.signals == [DiceKit(NAME, 6)]
    assert load(new.kept).height == 20.0
    new.show(BARE)
    new.look()
    assert new.look().text == "It sees no dice."


@pytest.mark.slow
def test_a_step_that_fails_says_why_and_can_be_done_again(tmp_path: Path) -> None:
    new = NewTray(tmp_path)
    new.look()
    assert new.calibrate("die").step == "empty", "the empty tray comes first"
    new.calibrate("empty")
    view = new.calibrate("die")
    assert (view.step, view.text) == (
        "die",
        "I see no difference between the empty tray and the die: take dice of another color, or more light.",
    )
    assert not new.kept.exists()
    new.show(painted_one())
    assert new.calibrate("die").step == "ready"


@pytest.mark.slow
def test_a_calibration_that_cannot_be_saved_is_told(tmp_path: Path) -> None:
    new = NewTray(tmp_path)
    new.kept.parent.write_text("a file is in the way", encoding="utf-8")
    new.look()
    new.calibrate("empty")
    new.show(painted_one())
    view = new.calibrate("die")
    assert (view.step, view.text) == ("die", "The calibration cannot be saved (File exists).")


@pytest.mark.slow
def test_a_calibration_that_is_left_alone_leaves_the_old_one(tmp_path: Path) -> None:
    new = NewTray(tmp_path)
    save(measure(BARE, painted_one(), CAMERA / DIE), new.kept)
    assert new.look().step == "ready"
    assert new.calibrate("again").step == "empty"
    assert new.calibrate("empty").step == "die"
    new.clock.time += WATCHED
    with pytest.raises(DeviceLost, match="is not calibrated"):
        new.turn()
    new.tray.release()
    assert new.tray._view == NO_VIEW
    assert new.look().step == "ready"


@pytest.mark.slow
def test_staff_read_once_that_the_tray_is_not_calibrated_however_often_they_look(tmp_path: Path) -> None:
    new = NewTray(tmp_path)
    advance, tray = new.tray._thread._advance, new.tray
    advance()
    assert new.signals == [DeviceDown(NAME, UNCALIBRATED)]
    for _ in range(2):
        new.clock.time += 60
        tray.look()
        advance()
        assert tray._camera is not None, "it is open for them"
        new.clock.time += WATCHED
        advance()
        assert tray._camera is None
    assert new.signals == [DeviceDown(NAME, UNCALIBRATED), DiceKit(NAME, 0), DiceKit(NAME, 0)]
    new.clock.time += 60
    tray.look()
    advance()
    new.calibrate("empty")
    new.show(painted_one())
    new.calibrate("die")
    advance()
    assert new.signals[-2:] == [DiceKit(NAME, 6), DeviceUp(NAME)]


@pytest.mark.slow
def test_nobody_calibrates_while_dice_are_rolled(tmp_path: Path) -> None:
    new = NewTray(tmp_path)
    save(measure(BARE, painted_one(), CAMERA / DIE), new.kept)
    new.look()
    new.tray._begin(1, 2, 6, lying=False)
    view = new.calibrate("again")
    assert (view.step, view.text) == ("ready", "Dice are being rolled at this table. Calibrate after that.")
    new.tray._end()
    assert new.calibrate("again").step == "empty"


def test_a_roll_at_an_uncalibrated_tray_is_typed(tmp_path: Path) -> None:
    new = NewTray(tmp_path)
    new.look()
    new.tray._begin(1, 2, 6, lying=False)
    assert new.signals == [DiceSeen(NAME, 1, "no_reader", (), SILENT)]


@pytest.mark.slow
def test_pictures_are_prepared_only_for_those_who_look(tmp_path: Path) -> None:
    new = NewTray(tmp_path)
    save(measure(BARE, painted_one(), CAMERA / DIE), new.kept)
    assert new.look().jpeg
    new.clock.time += WATCHED - 0.1
    new.turn()
    assert new.tray._view.jpeg
    new.clock.time += 0.1
    new.turn()
    assert new.tray._view == NO_VIEW


@pytest.mark.slow
def test_calibration_measures_a_die_and_refuses_what_it_cannot_read(tmp_path: Path) -> None:
    bare = empty(Scene([]), CHANCE(4))
    for face in (1, 4, 6):
        one = paint(Scene([PaintedDie((2, -3), upright(face, 0.7))]), CHANCE(6))
        tray = measure(bare, one, CAMERA / DIE)
        assert abs(tray.side - 60.6) < 3
        save(tray, tmp_path / "t.npz")
        assert load(tmp_path / "t.npz").side == tray.side
    with pytest.raises(DeviceLost, match="no difference"):
        measure(bare, bare, CAMERA / DIE)
    with pytest.raises(DeviceLost, match="cannot read the die"):
        measure(bare, paint(Scene([PaintedDie((0, 0), leaning(3, 0.2, 0.6))]), CHANCE(6)), CAMERA / DIE)


def test_a_source_that_does_not_exist_is_the_owners_error() -> None:
    with pytest.raises(ConfigError, match="source"):
        connect({"source": "webcam"}, context())


def test_a_person_is_led_through_the_calibration(tmp_path: Path) -> None:
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    shown = iter(
        [empty(Scene([]), CHANCE(4)), paint(Scene([PaintedDie((0, 0), upright(5, 0.4))]), CHANCE(3)), painted(6, 1)]
    )
    asked: list[str] = []
    said: list[str] = []

    def ask(question: str) -> str:
        asked.append(question)
        if len(asked) == 4:
            return "q"
        cv2.imwrite(str(pictures / f"{len(asked)}.png"), next(shown))
        return ""

    kept = tmp_path / "kept" / "tray.npz"
    calibrate({"source": f"folder:{pictures}", "calibration": str(kept)}, ask, said.append)
    assert [question.split(" ", 1)[0] for question in asked] == ["Empty", "Lay", "Throw", "Throw"]
    assert said[-1] == "6 1"
    assert load(kept).height == 20.0


# --- what it learns and keeps --------------------------------------------------------------------


@pytest.mark.slow
def test_the_tray_is_learned_while_nobody_throws_and_what_was_learned_outlives_the_camera(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    tray, lit = bench.tray, empty(Scene([], spot=0.3), CHANCE(9))
    bench.show(lit)
    tray.acquire()
    first = tray._background
    assert first is not None
    for n in range(30):
        tray.step(2.0 * n)
    assert np.abs(first.calibration.empty.astype(int) - lit).mean() < 3
    tray.release()
    tray.acquire()
    assert tray._background is first
    save(measure(empty(Scene([]), CHANCE(7)), painted_one(), CAMERA / DIE), bench.calibration)
    tray.release()
    tray.acquire()
    assert tray._background is not first, "calibrated anew"


def painted_one() -> Picture:
    return paint(Scene([PaintedDie((0, 0), upright(5, 0.4))]), CHANCE(3))


@pytest.mark.real_time
@pytest.mark.slow
@pytest.mark.parametrize(("most", "kept"), [(0, 0), (5, 1)])
def test_a_throw_that_is_asked_about_is_kept_only_for_an_owner_who_wants_it(
    tmp_path: Path, most: int, kept: int
) -> None:
    bench = Bench(tmp_path)
    settings = Settings(source=f"folder:{bench.pictures}", calibration=str(bench.calibration), doubtful=most)
    tray = CameraTray(settings, bench.signals.put)
    bench.show(paint(Scene([PaintedDie((30, 20), leaning(4, 0.5, 0.6))]), CHANCE(8)))
    tray.acquire()
    tray._begin(12, 1, 6, lying=True)
    for n in range(6):
        tray.step(tray._clock.now() + n)
    folder = bench.calibration.parent / "doubtful-dice"
    pictures, texts = sorted(folder.glob("*.jpg")), sorted(folder.glob("*.txt"))
    assert (len(pictures), len(texts)) == (kept, kept)
    if kept:
        assert pictures[0].stem.endswith("-throw-12-of-1")
        assert texts[0].read_text("utf-8") in [f"Throw 12, 1 dice: {doubt}\n" for doubt in (LEANS, STRANGE)]
        assert cv2.imread(str(pictures[0])) is not None


def test_doubtful_pictures_are_bounded_in_number_and_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = iter(range(60))
    doubtful = DoubtfulPictures(
        tmp_path / "kept", 4, lambda: dt.datetime(2026, 11, 22, 12, 0, next(seconds), tzinfo=dt.UTC)
    )
    grain = CHANCE(1).integers(0, 255, (48, 64, 3)).astype(np.uint8)
    for throw in range(9):
        doubtful.save(grain, throw, 2, "?")
    names = [file.name for file in sorted(doubtful.folder.glob("*.jpg"))]
    assert [name.split("-throw-")[1] for name in names] == [f"{throw}-of-2.jpg" for throw in (5, 6, 7, 8)]
    assert len(list(doubtful.folder.iterdir())) == 8
    monkeypatch.setattr("drivers.camera_tray.doubtful.MOST_BYTES", 2.5 * (doubtful.folder / names[0]).stat().st_size)
    doubtful.save(grain, 9, 2, "?")
    assert len(list(doubtful.folder.glob("*.jpg"))) == 2


@pytest.mark.real_time
def test_a_disk_that_takes_no_picture_is_logged_and_nothing_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "kept").write_text("a file is in the way", encoding="utf-8")
    DoubtfulPictures(tmp_path / "kept", 4).save(np.zeros((9, 9, 3), np.uint8), 1, 1, "?")
    assert "cannot be kept" in caplog.text
