"""Updates as staff see them: what root notes is told in a sentence, and systemd is asked for what comes next."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hub.errors import HubError
from hub.operations.update import Machine, Updater
from hub.root_services import INSTALLED
from hub.updates import LONGEST_SECONDS, Updates

ALLOWED, REFUSED = 0, 1


class Clocked(Machine):
    """A machine whose clock is the test's."""

    def __init__(self, wall: Callable[[], float]) -> None:
        self._wall = wall

    def wall(self) -> float:
        return self._wall()


class Desk:
    """The hub's side and root's side of updates, with a systemctl that writes down what it is asked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.now = 1000.0
        self.root = Updater(Clocked(lambda: self.now), folder)
        self.hub = Updates(root=INSTALLED, status=folder / "status.json", wall=lambda: self.now)

    def systemctl(self, code: int) -> None:
        script = self.folder / "systemctl"
        script.write_text(
            f'#!/bin/sh\necho "$@" >>{self.folder}/asked\n[ {code} = 0 ] || echo "Access denied" >&2\nexit {code}\n'
        )
        script.chmod(0o755)

    @property
    def asked(self) -> list[str]:
        file = self.folder / "asked"
        return [line.split()[-1] for line in file.read_text().splitlines()] if file.exists() else []


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    made = Desk(tmp_path)
    made.systemctl(ALLOWED)
    return made


@pytest.mark.parametrize(
    ("state", "can", "words"),
    [
        ("looking", "", "looks for a newer version"),
        ("newest", "look", "There is no newer version."),
        ("found", "install", "Version 1.1 is there."),
        ("nowhere", "look", "Plug in a USB stick"),
        ("unsigned", "look", "not made by the makers"),
        ("failed", "look", "The update failed."),
        ("installing", "", "Version 1.1 is being installed."),
        ("installed", "look", "Version 1.1 was installed."),
        ("returned", "look", "The previous version runs again."),
    ],
)
def test_staff_are_told_what_root_has_noted_and_what_they_can_do(desk: Desk, state: str, can: str, words: str) -> None:
    desk.root.note(state, "1.1")
    seen = desk.hub.seen()
    assert seen
    assert (seen.can, seen.at) == (can, 1000)
    assert words in seen.text


def test_before_the_first_look_there_is_nothing_to_tell_and_rubbish_is_nothing(desk: Desk) -> None:
    for content in (None, b"{", b'{"state": "odd", "version": "", "at": 1}'):
        if content is not None:
            (desk.folder / "status.json").write_bytes(content)
        seen = desk.hub.seen()
        assert seen
        assert (seen.can, seen.text) == ("look", "")


@pytest.mark.parametrize("state", ["looking", "installing"])
def test_what_never_ends_has_failed(desk: Desk, state: str) -> None:
    desk.root.note(state, "1.1")
    desk.now += LONGEST_SECONDS
    assert desk.hub.seen().can == ""  # type: ignore[union-attr]
    desk.now += 1
    seen = desk.hub.seen()
    assert seen
    assert (seen.can, seen.text.partition(".")[0]) == ("look", "The update failed")


def test_systemd_is_asked_for_one_step_after_the_other(desk: Desk) -> None:
    with pytest.raises(HubError, match=r"^Look for a newer version first\.$"):
        desk.hub.install()
    desk.hub.look()
    desk.root.note("found", "1.1")
    desk.hub.install()
    assert desk.asked == ["table-hub-update@look.service", "table-hub-update@install.service"]


def test_without_polkit_staff_are_told_another_way(desk: Desk) -> None:
    desk.systemctl(REFUSED)
    with pytest.raises(HubError, match="sudo table-hub update"):
        desk.hub.look()


def test_a_clone_is_not_updated_by_its_staff(tmp_path: Path) -> None:
    clone = Updates(root=tmp_path, status=tmp_path / "status.json")
    assert clone.seen() is None
    for begin in (clone.look, clone.install):
        with pytest.raises(HubError, match="runs from a clone"):
            begin()


# --- every day ----------------------------------------------------------------------------------------------------

DAY = 86_400.0


@pytest.fixture
def nightly(desk: Desk) -> Iterator[Desk]:
    """A hub in Berlin that looks at four o'clock; it is a minute before that, at the end of November."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "Europe/Berlin")
        time.tzset()
        desk.now = datetime(2026, 11, 26, 2, 59, tzinfo=UTC).timestamp()
        desk.hub = Updates(daily="04:00", root=INSTALLED, status=desk.folder / "status.json", wall=lambda: desk.now)
        yield desk
    time.tzset()


def pass_night(desk: Desk, *, after: float = 60.0, is_playing: bool = False) -> list[str]:
    """Let time pass, and return what root has been asked so far."""
    desk.now += after
    desk.hub.run_daily(is_playing=is_playing)
    desk.hub.run_daily(is_playing=is_playing)
    return [one.partition("@")[2].partition(".")[0] for one in desk.asked]


def test_once_a_day_the_hub_looks_and_installs_what_it_finds(nightly: Desk) -> None:
    assert pass_night(nightly, after=59.0) == []
    assert pass_night(nightly, after=1.0) == ["look"]
    nightly.root.note("looking")
    assert pass_night(nightly) == ["look"]
    nightly.root.note("found", "1.1")
    assert pass_night(nightly, is_playing=True) == ["look"]
    assert pass_night(nightly) == ["look", "install"]
    nightly.root.note("installed", "1.1")
    assert pass_night(nightly) == ["look", "install"]
    assert pass_night(nightly, after=DAY) == ["look", "install", "look"]


def test_an_update_waits_two_hours_for_the_last_match_and_then_for_the_next_day(nightly: Desk) -> None:
    pass_night(nightly)
    nightly.root.note("found", "1.1")
    assert pass_night(nightly, after=7199.0, is_playing=True) == ["look"]
    assert pass_night(nightly, after=1.0) == ["look"]
    assert pass_night(nightly, after=DAY - 7200.0) == ["look", "look"], "what was found yesterday may be old"


@pytest.mark.parametrize(("state", "version", "looks"), [
    ("returned", "1.1", False), ("failed", "1.1", False), ("failed", "", True), ("found", "1.1", True), ("nowhere", "", True),
])  # fmt: skip
def test_after_a_version_that_did_not_run_the_hub_waits_for_staff(
    nightly: Desk, state: str, version: str, looks: bool
) -> None:
    nightly.root.note(state, version)
    assert (pass_night(nightly) == ["look"]) is looks


def test_a_hub_without_a_time_or_with_a_clock_that_was_never_set_does_nothing(nightly: Desk) -> None:
    never = Updates(root=INSTALLED, status=nightly.folder / "status.json", wall=lambda: nightly.now + 60)
    never.run_daily(is_playing=False)
    clone = Updates(daily="04:00", status=nightly.folder / "status.json", wall=lambda: nightly.now + 60)
    clone.run_daily(is_playing=False)
    assert nightly.asked == []
    nightly.now = datetime(2024, 11, 26, 2, 59, tzinfo=UTC).timestamp()
    assert pass_night(nightly) == []


def test_a_refusal_is_not_repeated_all_night(nightly: Desk) -> None:
    nightly.systemctl(REFUSED)
    assert pass_night(nightly) == ["look"]
    assert pass_night(nightly) == ["look"]
