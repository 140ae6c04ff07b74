"""The real program in its own process, simulated devices on its bench, and phones in a real Chromium."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import msgspec
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect
from playwright.sync_api import Error as PlaywrightError  # a control that is gone, or not drawn yet

from hub.engine.match import Match
from hub.ports import LogEntry
from hub.store import Store
from hub.table.seating.seats import SHOWN_SECONDS
from tests.chromium import PHONE
from tests.complete_states import complete
from tests.e2e.hands import CENTRE, Finger
from tests.free_port import free_port
from tests.patience import PATIENCE

PROGRAM = Path(sys.executable).with_name("table-hub")
HOST = "127.0.0.1"
ARMED_SECONDS = 5.0
STARTS = 60.0  # seconds that a hub may take to start on a busy computer
TRIES = 10  # at a page that does not show the question yet
NAMES = {1: "Ana", 2: "Ben"}

State = dict[str, Any]


def hub_with_tables(folder: Path, count: int) -> HubProcess:
    """Start a hub with several tables, each with simulated devices."""
    port, config = free_port(), folder / "table-hub.toml"
    tables = "".join(
        f'[[table]]\nid = "{n}"\nname = "Table {n}"\n'
        f'[[device]]\ndriver = "simulated"\nname = "simulated-{n}"\ntable = "{n}"\n'
        for n in range(1, count + 1)
    )
    own = f'[hub]\nstate = "{folder / "state"}"\n[web]\nhost = "{HOST}"\nport = {port}\n'
    config.write_text(own + tables, "utf-8")
    return HubProcess(folder / "state", port, [str(PROGRAM), "run", "--config", str(config)])


class EventStream:
    """A client of one event stream of the hub: `now` is the newest state. It reconnects when the hub was restarted."""

    def __init__(self, port: int, path: str) -> None:
        self._port, self._path = port, path
        self.now: State = {}
        self.received: list[str] = []
        self._changed = threading.Condition()
        self._closing = threading.Event()
        self._connection: http.client.HTTPConnection | None = None
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def _follow(self) -> None:
        while not self._closing.is_set():
            try:
                self._read()
            except (OSError, http.client.HTTPException, AttributeError, ValueError):
                self._closing.wait(0.05)  # the hub is down, or `close` has shut the socket down

    def _read(self) -> None:
        self._connection = http.client.HTTPConnection(HOST, self._port, timeout=30)
        try:
            self._connection.request("GET", self._path)
            answer = self._connection.getresponse()
            while line := answer.readline():
                if line.startswith(b"data: {"):  # a beat has no state in it
                    text = line[6:].decode()
                    with self._changed:
                        self.now = json.loads(text)
                        if "epoch" in self.now:  # and not a picture of the bench
                            self.now = complete(self.now)
                        self.received.append(text)
                        self._changed.notify_all()
        finally:
            self._connection.close()

    def until(self, true: Callable[[State], Any], what: str, patience: float = PATIENCE) -> State:
        """Wait for a state for which `true` holds, and return it."""
        with self._changed:
            assert self._changed.wait_for(lambda: bool(self.now) and true(self.now), patience), (
                f"waited in vain until {what}; last: {json.dumps(self.now)[:2500]}"
            )
            return self.now

    def soon(self, true: Callable[[State], Any], patience: float) -> bool:
        """Return whether a state for which `true` holds comes within `patience` seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: bool(self.now) and bool(true(self.now)), patience)

    def clear(self) -> None:
        """Forget the state of a hub that has ended."""
        with self._changed:
            self.now = {}

    def close(self) -> None:
        self._closing.set()
        if self._connection and self._connection.sock:
            with suppress(OSError):
                self._connection.sock.shutdown(socket.SHUT_RDWR)
        self._thread.join(5)


class HubProcess:
    """`table-hub demo` as a person starts it."""

    def __init__(self, state: Path, port: int | None = None, command: list[str] | None = None, seats: int = 4) -> None:
        self.port = port or free_port()
        self.state = state
        self.address = f"http://{HOST}:{self.port}"
        self._command, self._seats = command, seats
        self.output: deque[str] = deque()
        self._process: subprocess.Popen[str] | None = None
        self._reader: threading.Thread | None = None
        self.start(fresh=not state.exists())
        self.public = EventStream(self.port, "/t/1/screen/events")
        self.boxes = EventStream(self.port, "/t/1/bench/events")
        try:
            self.public.until(lambda s: all(seat["box"] == "on" for seat in s["seats"]), "all boxes are there", STARTS)
            self.key: str = self.get(f"/code/{self.public.now['code']}.json")["k"]
        except BaseException:  # nobody else would end it
            self.close()
            raise

    def start(self, *, fresh: bool = False) -> None:
        command = self._command or [
            str(PROGRAM), "demo", "--house", "0", "--port", str(self.port), "--state", str(self.state), "--seats", str(self._seats),
            *(["--fresh"] if fresh else []),
        ]  # fmt: skip
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self._reader = threading.Thread(target=self._keep_output, args=(self._process,), daemon=True)
        self._reader.start()

    def _keep_output(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout
        with process.stdout as lines:
            self.output.extend(lines)

    def cut(self) -> None:
        """Kill the hub as a power cut would, and start it again."""
        self.switch_off()
        self.switch_on()

    def switch_off(self) -> None:
        """Kill the hub, and leave it so."""
        self._end(signal.SIGKILL)
        self.public.clear()

    def switch_on(self) -> None:
        """Start the hub that was switched off."""
        self.start()
        self.public.until(
            lambda s: all(seat["box"] == "on" for seat in s["seats"]), "all boxes are there again", STARTS
        )

    def _end(self, how: signal.Signals) -> None:
        assert self._process
        assert self._reader
        self._process.send_signal(how)
        self._process.wait(15)
        self._reader.join(5)

    def get(self, path: str) -> Any:
        return self._ask("GET", path, None)

    def bench(self, **command: Any) -> None:
        """Send a command to the bench page's devices."""
        self._ask("POST", "/t/1/bench", json.dumps(command))

    def throw(self) -> None:
        """Throw the simulated dice, once their reader is asked: it learns of a roll a moment after the screens."""
        end = time.monotonic() + ARMED_SECONDS
        while True:
            try:
                self.bench(dice="throw")
                return
            except AssertionError:
                if not rolling(self.public.now):  # the roll is over already
                    return
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)

    def _ask(self, method: str, path: str, body: str | None) -> Any:
        connection = http.client.HTTPConnection(HOST, self.port, timeout=10)
        try:
            connection.request(method, path, body, {"content-type": "application/json"} if body else {})
            answer = connection.getresponse()
            content = answer.read()
            assert answer.status == 200, content
            return json.loads(content)
        finally:
            connection.close()

    def panel(self, size: str) -> bytes:
        connection = http.client.HTTPConnection(HOST, self.port, timeout=10)
        try:
            connection.request("GET", f"/t/1/bench/panel/{size}.png")
            return connection.getresponse().read()
        finally:
            connection.close()

    def until(self, true: Callable[[State], Any], what: str, patience: float = PATIENCE) -> State:
        return self.public.until(true, what, patience)

    def box(self, seat: int) -> State:
        """Return the state of the simulated box at that seat."""
        found: State = self.boxes.now["boxes"][str(seat)]
        return found

    def close(self) -> None:
        self.public.close()
        self.boxes.close()
        self._end(signal.SIGTERM)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def store_match(state: Path, match: Match) -> None:
    """Store a match under way for a hub, which continues it as after a power cut."""
    store = Store(state / "table-hub.db")
    begun = store.begin("1", msgspec.json.encode(match.head))
    store.append(begun, [LogEntry(number, msgspec.json.encode(entry)) for number, entry in enumerate(match.log)])
    store.close()


class SeatPhone:
    """A phone that plays at one seat."""

    def __init__(
        self, hub: HubProcess, browser: Browser, seat: int, before: Callable[[Page], None] = lambda _: None
    ) -> None:
        self.hub, self.seat = hub, seat
        self.context: BrowserContext = browser.new_context(viewport=PHONE, color_scheme="dark")
        self.context.set_default_timeout(PATIENCE * 1000)
        self.page = self.context.new_page()
        self.errors: list[str] = []
        self.hands = Finger(self.page)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        before(self.page)

    def sit(self, name: str = "") -> None:
        """Take the seat and wait for the lobby."""
        sit({self: name})

    def take_seat(self, name: str = "") -> None:
        """Scan the code, pick the seat, press the box; also in the middle of a match."""
        take_seats({self: name})

    def claim(self, name: str) -> None:
        self.page.goto(f"{self.hub.address}/t/1#k={self.hub.key}")
        if name:
            self.page.get_by_label("Your name").fill(name)
        self.page.get_by_label(f"seat {self.seat}, ").click()
        self.hub.until(lambda s: self.seat in s["claiming"], "the box is asked")

    def agree(self) -> None:
        self.hub.bench(box=self.seat, both=True)
        self.hub.until(lambda s: s["seats"][self.seat - 1]["phone"] == "on", "the phone is at the table")

    @property
    def dock(self) -> Locator:
        return self.page.get_by_role("group", name="Actions")

    @property
    def covered(self) -> Locator:
        return self.page.get_by_role("button", name="Hold to see your hand")

    def hand(self) -> str:
        """Return the text of the covered hand, uncovered for a moment with the space bar."""
        self.covered.focus()
        self.page.keyboard.down("Space")
        cover = self.page.locator(".secret.open")
        expect(cover).to_be_visible()
        seen = cover.inner_text()
        self.page.keyboard.up("Space")
        expect(self.covered).to_be_visible()
        return seen

    def secret_fish(self) -> str:
        return next(word for word in self.hand().split() if word in FISH)

    def reload(self) -> None:
        """Reload the page, until the hand can be seen again."""
        self.page.reload(wait_until="commit")
        self.covered.wait_for()

    def bid(self, number: int) -> None:
        """Choose, and bid. A page that has just changed may move the button away: then try again.

        On a busy computer, a click may count although the browser reports it too late.
        """
        before = self.hub.public.now
        for _ in range(TRIES):
            try:
                number_on_page = self.page.get_by_role("radio", name=str(number), exact=True)
                number_on_page.evaluate(CENTRE, timeout=2_000)
                number_on_page.check(force=True, timeout=2_000)
                self.dock.get_by_role("button", name=f"Bid {number}").click(timeout=2_000)
                return
            except PlaywrightError:
                now = self.hub.public.now
                if self.seat not in before["locked"] and (self.seat in now["locked"] or sealed(before) > sealed(now)):
                    return
        raise AssertionError(f"seat {self.seat} could not bid: {self.page.locator('body').inner_text()}")

    def vote(self, answer: str, done: Callable[[State], Any]) -> None:
        """Answer a question to the table, until `done`. It may end and be asked again in that moment: then try again."""
        asked = self.page.get_by_role("alertdialog", name="A question to the table")
        for _ in range(TRIES):
            with suppress(PlaywrightError):
                asked.get_by_role("button", name=answer).click()
            if self.hub.public.soon(done, 3.0):
                return
        raise AssertionError(f"seat {self.seat} could not answer {answer!r}")

    def type_die(self, face: int) -> None:
        self.page.get_by_role("button", name="Type what you see").click()
        self.page.get_by_role("button", name=f"die shows {face}").click()
        self.page.get_by_role("button", name=f"I rolled {face}").click()

    def answer(self, done: Callable[[State], Any]) -> None:
        """Take the first thing that is offered. The page may still show the question before: then try again."""
        for _ in range(TRIES):
            with suppress(PlaywrightError):
                self._answer(1_000)
            if self.hub.public.soon(done, 1.0):
                return
        raise AssertionError(f"seat {self.seat} could not answer: {self.page.locator('main').inner_text()}")

    def _answer(self, patience: float) -> None:
        if not self.page.locator(".question input:checked").count():
            for choice in (".question .pick-move input", ".question .fields input[type=radio]"):
                if self.page.locator(choice).count():
                    self.page.locator(choice).first.evaluate(CENTRE, timeout=patience)
                    self.page.locator(choice).first.check(force=True, timeout=patience)
        ready = self.dock.locator("button.act:not([disabled])").filter(has_not_text="Take back").first
        ready.click(timeout=patience)


FISH = ("Bream", "Carp", "Eel", "Perch", "Pike", "Trout")


def asked(state: State) -> list[int]:
    """Return the seats that an open decision waits for."""
    waiting = (state["view"] or {}).get("waiting") or {}
    return [int(seat) for seat in waiting.get("seats", [])]


def sealed(state: State) -> bool:
    return state["state"] == "playing" and bool(state["view"]["waiting"].get("secret"))


def rolling(state: State) -> bool:
    return state["state"] == "playing" and state["dice"] is not None


def choosing(state: State) -> bool:
    return state["state"] == "playing" and not sealed(state) and not rolling(state) and bool(asked(state))


def take_seats(names: Mapping[SeatPhone, str]) -> None:
    """Let these phones take their seats, all within one wait: a claim is shown before anybody can agree to it."""
    for phone, name in names.items():
        phone.claim(name)
    time.sleep(SHOWN_SECONDS + 0.2)
    for phone in names:
        phone.agree()


def sit(names: Mapping[SeatPhone, str]) -> None:
    """Let these phones take their seats, and wait for the lobby."""
    take_seats(names)
    for phone in names:
        expect(phone.page.get_by_text("What shall we play?")).to_be_visible()
