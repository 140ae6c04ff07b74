"""Players who know no game: phones at some seats, boxes at the others. They answer at random what is offered."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from random import Random
from typing import Any, Protocol

from playwright.sync_api import Error as PlaywrightError  # too late, or the page has not drawn it yet
from playwright.sync_api import Locator
from selenium.common.exceptions import WebDriverException

from tests.e2e import hub_process
from tests.e2e.answering import CannotAnswer, Hands, answer
from tests.e2e.hub_process import TRIES, HubProcess, SeatPhone, State, asked, rolling, sealed

TOO_LATE = (PlaywrightError, WebDriverException)
SHOWN = "() => document.querySelector('main')?.innerText"
BAR_SECONDS = 0.15  # seconds until an answer by the bar is known
CONTROLS: list[dict[str, Any]] = [
    {"turn": -2}, {"turn": -1}, {"turn": 1}, {"turn": 2}, {"press": "k1"}, {"press": "k3"}, {"press": "bar"},
]  # fmt: skip


def ready(seat: int) -> Callable[[State], bool]:
    return lambda state: bool(state["seats"][seat - 1]["ready"])


class Guest(Protocol):
    """Somebody at a seat."""

    @property
    def hands(self) -> Hands:
        """What works a page for them."""


class RandomPlayers:
    """All players of one table. The seats of `guests` play on pages, the house's by themselves, the others on boxes."""

    def __init__(self, hub: HubProcess, guests: Mapping[int, Guest], random: Random) -> None:
        self.hub, self.guests, self.random = hub, guests, random

    def step(self, state: State) -> None:
        """Let one seat that is waited for do something."""
        seq = state["seq"]
        if (question := state["question"]) and question["kind"] == "pitch":
            self.end_the_pitch(question["seat"])
            return
        if rolling(state):
            self.hub.throw()
            self.hub.until(lambda s: s["seq"] > seq and _later(s, state), "the roll counts")
            return
        house = [entry["seat"] for entry in state["seats"] if entry["house"]]
        waited = [seat for seat in asked(state) if seat not in (*state["locked"], *house)]
        if waited:
            seat = self.random.choice(waited)
            (self.on_the_page if seat in self.guests else self.on_the_box)(seat, state)
        else:
            self.hub.until(lambda s: s["seq"] > seq, "the match goes on")

    def end_the_pitch(self, seat: int) -> None:
        """Whoever reads aloud is done."""
        if seat in self.guests:
            with suppress(*TOO_LATE):
                self.guests[seat].hands.press(".table-question-answers button")
        else:
            self.hub.bench(box=seat, press="push")
        self.hub.until(lambda s: not s["question"] or s["question"]["seat"] != seat, "the pitch is over")

    def on_the_page(self, seat: int, state: State) -> None:
        """Choose until the button can be pressed. The page may still show the question before: then try again."""
        for _ in range(TRIES):
            with suppress(CannotAnswer, *TOO_LATE):
                answer(self.guests[seat].hands, self.random)
            if self.hub.public.soon(lambda s: _answered(s, state, seat), 1.0):
                return
        raise AssertionError(f"seat {seat} could not answer: {self.guests[seat].hands.ask(SHOWN)}")

    def on_the_box(self, seat: int, state: State) -> None:
        """A few detents, a key or the bar, and a push; in a sealed choice a key, and a push."""
        if sealed(state):
            self.hub.boxes.until(lambda b: b["boxes"][str(seat)]["sealed"], f"box {seat} is open")
            self.hub.bench(box=seat, press=f"k{self.random.randint(1, 2)}")
        else:
            self.hub.bench(box=seat, **self.random.choice(CONTROLS))
            if self.hub.public.soon(
                lambda s: _answered(s, state, seat), BAR_SECONDS
            ):  # the bar may have been the answer
                return
        for _ in range(TRIES):
            self.hub.bench(box=seat, press="push")
            if self.hub.public.soon(lambda s: _answered(s, state, seat), 1.0):
                return
        raise AssertionError(f"box {seat} could not answer: {self.hub.box(seat)}")

    def play(self, enough: float, watch: Callable[[State], None] = lambda _: None) -> State:
        """Play until the match is over and return its last state; fail at the time `enough`."""
        while (state := self.hub.public.now)["state"] == "playing":
            assert time.monotonic() < enough, f"too slow: round {state['view']['round']}, {state['want']}"
            watch(state)
            self.step(state)
        return state


class PhonePlayers(RandomPlayers):
    """Players of whom the seats of `phones` play on them, and the others on their boxes."""

    def __init__(self, hub: HubProcess, phones: Mapping[int, SeatPhone], random: Random) -> None:
        super().__init__(hub, phones, random)
        self.phones = phones

    def sit_down(self, game: str, options: Mapping[str, Any], before_start: Callable[[], None] = lambda: None) -> None:
        """All take their seats; the first phone chooses the game and its options, and starts."""
        hub_process.sit({phone: hub_process.NAMES[seat] for seat, phone in self.phones.items()})
        for entry in self.hub.public.now["seats"]:
            if entry["seat"] not in self.phones:
                self.hub.bench(box=entry["seat"], press="push")
                self.hub.until(ready(entry["seat"]), f"seat {entry['seat']} is ready")
        (title,) = [one["title"] for one in self.hub.public.now["games"] if one["name"] == game]
        page = self.phones[min(self.phones)].page
        page.get_by_role("radio", name=title).check(force=True)
        if options:
            page.get_by_text("Options", exact=True).click()
        for name, value in options.items():
            _set(page.locator(f"#option-{name}"), value)
        before_start()
        for phone in list(self.phones.values())[1:]:
            phone.page.get_by_role("button", name="I am ready").click()
        page.get_by_role("button", name=f"Start {title}").click()
        self.hub.until(lambda s: s["state"] == "playing", "the match begins")


def _answered(state: State, before: State, seat: int) -> bool:
    return seat in state["locked"] or _later(state, before)


def _later(state: State, before: State) -> bool:
    """Return whether something has happened since."""
    last = [one["events"][-1]["n"] if one["events"] else -1 for one in (before, state)]
    if state["state"] != before["state"] or last[1] > last[0]:
        return True
    return not sealed(before) and _moment(state) != _moment(
        before
    )  # some answers are told to nobody: somebody else is asked


def _moment(state: State) -> tuple[Any, ...]:
    """Return what is asked of whom."""
    waiting = state["view"]["waiting"]
    return state["view"]["phase"], waiting["seats"], waiting.get("roll")


def _set(control: Locator, value: Any) -> None:
    """Set an option in the lobby, whatever kind it is."""
    if isinstance(value, bool):
        if control.is_checked() != value:
            control.press("Space")  # a click may land on the dock that lies over the end of a long list
    elif control.evaluate("one => one.tagName") == "SELECT":
        control.select_option(str(value))
    else:
        control.fill(str(value))
