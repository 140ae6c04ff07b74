"""The real big screen: cage without a monitor, Debian's Chromium, and a hub; its page is killed, and hangs."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from hub.app import Hub
from hub.config import Config, HubPart, TablePart, WebPart
from tests.chromium import CHROMIUM, NONE

KIOSK = Path(__file__).parents[2] / "systemd/kiosk.sh"
NOBODY = 65534  # cage does not run as root
LIMIT = 150.0

pytestmark = [
    pytest.mark.long,
    pytest.mark.slow,
    pytest.mark.browser,
    pytest.mark.broker,
    pytest.mark.skipif(CHROMIUM is None, reason=NONE),
    pytest.mark.skipif(
        shutil.which("cage") is None or shutil.which("Xwayland") is None, reason="apt-get install cage xwayland"
    ),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can start it as another user"),
]


class Screen:
    """The big screen of a hub, and the processes below it."""

    def __init__(self, hub: Hub, folder: Path) -> None:
        assert hub.web
        self.hub = hub
        self.runtime = folder / "run"
        self.runtime.mkdir(mode=0o700)
        os.chown(self.runtime, NOBODY, NOBODY)
        browser = folder / "bin/chromium"  # no sandbox in a container
        browser.parent.mkdir()
        browser.write_text(f'#!/bin/sh\nexec {CHROMIUM} --no-sandbox --disable-gpu "$@"\n')
        browser.chmod(0o755)
        environment = {
            "PATH": f"{browser.parent}:/usr/bin:/bin",
            "XDG_RUNTIME_DIR": f"{self.runtime}",
            "WLR_BACKENDS": "headless",
            "WLR_RENDERER": "pixman",
            "LIBSEAT_BACKEND": "noop",
            "WLR_XWAYLAND": "/bin/false",  # no X server can start, whoever on this machine asks for one
        }
        as_nobody = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        self._log = (folder / "log").open("w")
        self.process = subprocess.Popen(
            [*as_nobody, str(KIOSK), f"http://127.0.0.1:{hub.web.port}/t/1/kiosk"],
            env=environment,
            stdout=self._log,
            stderr=self._log,
        )

    def processes(self) -> dict[int, str]:
        """Return the command lines of everything below the kiosk, by process."""
        children: dict[int, list[int]] = {}
        lines: dict[int, str] = {}
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(folder.name))
                if line := (folder / "cmdline").read_text().replace("\0", " "):  # else it has just ended
                    lines[int(folder.name)] = line
        found, below = {}, [self.process.pid]
        while below:
            one = below.pop()
            below += children.get(one, [])
            if one in lines:
                found[one] = lines[one]
        return found

    def renderers(self) -> list[int]:
        return [one for one, line in self.processes().items() if "--type=renderer" in line]

    def pages(self) -> set[str]:
        """Return the pages that the hub has heard."""
        return {page for _, page in self.hub.screens._pages}

    def close(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(30)
        finally:
            for one in [*self.processes()][1:]:
                with suppress(ProcessLookupError):
                    os.kill(one, signal.SIGKILL)
            self._log.close()


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[Screen]:
    public = Path(tempfile.mkdtemp(prefix="big-screen."))  # another user gets into none of pytest's folders
    public.chmod(0o755)
    state = HubPart(state=str(tmp_path / "state"))
    with Hub(Config(hub=state, web=WebPart("127.0.0.1", 0), table=(TablePart("1"),))) as hub:
        hub.start()
        shown = Screen(hub, public)
        try:
            yield shown
        finally:
            shown.close()
            shutil.rmtree(public, ignore_errors=True)


def until(true: Callable[[], object], what: str, seconds: float = LIMIT) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, what
        time.sleep(0.5)


def test_a_page_that_was_killed_or_hangs_is_there_again_and_nothing_of_it_needs_an_x_server(screen: Screen) -> None:
    until(screen.pages, "the page is heard")
    lines = [*screen.processes().values()]
    assert any("--type=gpu-process" in line and "--ozone-platform=wayland" in line for line in lines), lines
    for number in (signal.SIGKILL, signal.SIGSTOP):
        before = screen.pages()
        for renderer in screen.renderers():
            os.kill(renderer, number)
        until(lambda before=before: screen.pages() - before, f"another page after {number.name}")  # type: ignore[misc]
    assert len(list(screen.runtime.glob("table-hub-kiosk.*"))) == 1, "the earlier profiles are gone"


def test_a_healthy_page_is_left_alone(screen: Screen) -> None:
    until(screen.pages, "the page is heard")
    renderers = screen.renderers()
    time.sleep(45)
    assert screen.renderers() == renderers
    assert len(screen.pages()) == 1
