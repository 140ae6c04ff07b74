"""The browser of the big screen: started, watched, and started again when its page has failed.

    big_screen.py URL SPLASH -- chromium --flags ...

A page whose process was killed, or that hangs, stays as it is for ever, and the browser goes on. The page tells the hub that
it is alive, under an id that is new with each start; this program asks the hub when it did so last. systemd/kiosk.sh runs this
file with Python alone, so it imports only the standard library.
"""

from __future__ import annotations

import http.client
import json
import os
import secrets
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.parse
from contextlib import suppress
from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType

LOOK_SECONDS = 5.0
"""Between two questions to the hub."""
SILENT_SECONDS = 30.0
"""A page that the hub has not heard for so long has failed; a living one is heard every five seconds."""
START_SECONDS = 180.0
"""The first page may take so long: Chromium on a Pi Zero 2 starts slowly."""
GAP_SECONDS = 20.0
"""If this program itself stood still for so long, the page did, too: then the count begins again."""
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
STEADY_SECONDS = 300.0
"""A browser that ran for so long has not failed at its start: its next pause is a short one."""
END_SECONDS = 5.0


@dataclass(frozen=True)
class Heard:
    """What the hub says of a page: how many `seconds` ago it was heard, None for never; `here`: the hub is on this machine."""

    seconds: float | None
    here: bool


class PageWatch:
    """Decides when the page has failed, from what the hub has said of it. Times are in seconds that only grow."""

    def __init__(self, now: float) -> None:
        """Begin with a browser that starts now."""
        self._last = now
        self._since: float | None = None  # from when on the hub has answered without a gap
        self._was_heard = False

    def failed(self, now: float, heard: Heard | None) -> bool:
        """Return whether the page has failed. `heard` is None if the hub does not answer: then nothing is known."""
        gap, self._last = now - self._last, now
        if heard is None:
            self._since = None
            return False
        if self._since is None or gap > GAP_SECONDS:
            self._since = now
        self._was_heard = self._was_heard or heard.seconds is not None
        silent = now - self._since
        if heard.seconds is not None:
            silent = min(silent, heard.seconds)
        if self._was_heard:
            return silent >= SILENT_SECONDS
        # A screen of another hub without a link is never heard there, and plays all the same.
        return heard.here and silent >= START_SECONDS


def ask(url: str, page: str) -> Heard | None:
    """Return what the hub of a big screen's URL says of a page; None if there is no such answer."""
    parts = urllib.parse.urlsplit(url)
    if not parts.hostname or not parts.path.endswith("/kiosk"):
        return None
    port = parts.port or (443 if parts.scheme == "https" else 80)
    link: http.client.HTTPConnection
    if parts.scheme == "https":
        context = ssl.create_default_context()
        context.check_hostname = False  # nothing secret is asked; the browser looks at the certificate
        context.verify_mode = ssl.CERT_NONE
        link = http.client.HTTPSConnection(parts.hostname, port, timeout=LOOK_SECONDS, context=context)
    else:
        link = http.client.HTTPConnection(parts.hostname, port, timeout=LOOK_SECONDS)
    try:
        link.request("GET", f"{parts.path.removesuffix('/kiosk')}/screen/alive?screen={page}")
        answer = link.getresponse()
        said = json.loads(answer.read(1000)) if answer.status == 200 else None
        return Heard(said["seconds"], bool(said["here"])) if said else None
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        return None
    finally:
        link.close()


class Screen:
    """Keeps a browser with a living page on the screen."""

    def __init__(
        self,
        url: str,
        splash: str,
        command: Sequence[str],
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[float], None] = time.sleep,
        asked: Callable[[str, str], Heard | None] = ask,
    ) -> None:
        self._url, self._splash, self._command = url, splash, command
        self._clock, self._wait, self._asked = clock, wait, asked
        self._parent = os.getppid()
        self._browser: subprocess.Popen[bytes] | None = None
        self._profile = ""

    def run(self) -> None:
        """Show the screen until the display server ends."""
        pause = FIRST_PAUSE
        while os.getppid() == self._parent:
            began = self._clock()
            self._start()
            why = self._watch()
            self.end()
            if os.getppid() != self._parent:
                return
            if self._clock() - began >= STEADY_SECONDS:
                pause = FIRST_PAUSE
            sys.stderr.write(f"kiosk: {why} It starts again in {pause:.0f} s.\n")
            sys.stderr.flush()
            self._wait(pause)
            pause = min(LONGEST_PAUSE, pause * 2)

    def _start(self) -> None:
        """Start the browser with a new profile: after a power cut nothing asks to restore pages."""
        self._profile = tempfile.mkdtemp(prefix="table-hub-kiosk.", dir=os.environ.get("XDG_RUNTIME_DIR") or None)
        self._page = secrets.token_hex(8)
        url = f"{self._url}{'&' if '#' in self._url else '#'}screen={self._page}"
        self._browser = subprocess.Popen(
            [*self._command, f"--user-data-dir={self._profile}", f"{self._splash}#{url}"],
            env={**os.environ, "HOME": self._profile},  # the service's user has no home
            start_new_session=True,
        )

    def _watch(self) -> str:
        """Return why the browser has to start again, once it has."""
        assert self._browser
        watch, look_at = PageWatch(self._clock()), self._clock() + LOOK_SECONDS
        while os.getppid() == self._parent:
            if (code := self._browser.poll()) is not None:
                return f"The browser has ended ({code})."
            if self._clock() >= look_at:
                look_at = self._clock() + LOOK_SECONDS
                if watch.failed(self._clock(), self._asked(self._url, self._page)):
                    return f"The hub has not heard the page for {SILENT_SECONDS:.0f} s."
            self._wait(0.5)
        return "The display server has ended."

    def end(self) -> None:
        """End the browser with all its processes, also those that were stopped, and remove its profile."""
        browser, self._browser = self._browser, None
        if browser is None:
            return
        if browser.poll() is None:
            browser.terminate()
            with suppress(subprocess.TimeoutExpired):
                browser.wait(END_SECONDS)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(browser.pid, signal.SIGKILL)
        browser.wait()
        for _ in range(20):  # a process that just ends may write once more
            shutil.rmtree(self._profile, ignore_errors=True)
            if not os.path.lexists(self._profile):  # also if its folder cannot be read any more
                break
            time.sleep(0.1)


def main(argv: Sequence[str]) -> int:
    """Run until SIGTERM, or the end of the display server."""
    url, splash, separator, *command = argv
    assert separator == "--"
    screen = Screen(url, splash, command)

    def leave(number: int, _: FrameType | None) -> None:
        raise SystemExit(128 + number)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, leave)
    try:
        screen.run()
    finally:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        screen.end()
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
