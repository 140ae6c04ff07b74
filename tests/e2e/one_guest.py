"""One guest with any way to work a page, against the house: sits down, chooses a game, plays a whole match."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from hub.table.seating.seats import SHOWN_SECONDS
from tests.e2e import hub_process
from tests.e2e.answering import Hands
from tests.e2e.hub_process import HubProcess, State
from tests.e2e.random_players import RandomPlayers
from tests.free_port import free_port
from tests.patience import PATIENCE

SEAT = 1
SEATS = 3
OPTIONS: Mapping[str, Mapping[str, Any]] = {"bidness": {"round_limit": 1}, "big-idea": {"rounds": 3}}
"""What keeps a match short, where the rules have such an option."""
DRAWN = "(css) => document.querySelector(css) !== null"
WRITE_FAULTS = """() => {
  if (window.faults) return;
  window.faults = [];
  addEventListener("error", (event) => window.faults.push(String(event.message)));
  addEventListener("unhandledrejection", (event) => window.faults.push(String(event.reason)));
}"""


@contextmanager
def hub_with_house(folder: Path) -> Iterator[HubProcess]:
    """Start a hub at whose simulated table the house has all seats but the first, and takes no time to think."""
    port, config = free_port(), folder / "table-hub.toml"
    config.write_text(
        f'[hub]\nstate = "{folder / "state"}"\n[web]\nhost = "127.0.0.1"\nport = {port}\n'
        f"[[table]]\nseats = {SEATS}\nhouse_seats = {SEATS - 1}\nhouse_seconds = 0\nattract_seconds = 0\n"
        f'[[device]]\ndriver = "simulated"\nseats = {SEATS}\n'
    )
    command = [str(hub_process.PROGRAM), "run", "--config", str(config)]
    with HubProcess(folder / "state", port=port, command=command) as hub:
        yield hub


class OneGuest(RandomPlayers):
    """The guest at seat 1; the house has the others. `at_question` is called before each answer."""

    def __init__(
        self, hub: HubProcess, hands: Hands, random: Random, at_question: Callable[[State], None] = lambda _: None
    ) -> None:
        super().__init__(hub, {SEAT: self}, random)
        self.hands, self._at_question = hands, at_question

    def drawn(self, css: str) -> None:
        """Wait until the page shows something."""
        end = time.monotonic() + PATIENCE
        while not self.hands.ask(DRAWN, css):
            assert time.monotonic() < end, f"no {css}: {self.hands.ask('() => document.body.innerText')}"
            time.sleep(0.05)

    def sit_down(self) -> None:
        """Scan the code, choose the seat, and press the box."""
        self.hands.open(f"{self.hub.address}/t/1#k={self.hub.key}")
        self.hands.ask(WRITE_FAULTS)
        self.drawn(f".seat-button.seat-{SEAT}")
        self.hands.press(f".seat-button.seat-{SEAT}")
        self.hub.until(lambda s: s["claiming"] == [SEAT], "the box is asked")
        time.sleep(SHOWN_SECONDS + 0.2)  # a claim is shown before anybody can agree to it
        self.hub.bench(box=SEAT, both=True)
        self.hub.until(lambda s: s["seats"][SEAT - 1]["phone"] == "on", "the phone is at the table")
        self.drawn(".lobby")

    def start(self, game: str) -> None:
        """Choose a game and start it."""
        wanted = f'input[name=game][value="{game}"]'
        self.drawn(wanted)
        self.hands.press(wanted)
        self.hub.until(lambda s: s["seats"][SEAT - 1]["wish"] == game, "the wish is told")
        for name, value in OPTIONS.get(game, {}).items():
            self.drawn(".options summary")
            self.hands.press(".options summary")
            self.drawn(f".options[open] #option-{name}")
            self.hands.fill(f"#option-{name}", str(value))
        self.drawn(".lobby .dock .act.primary:enabled")
        self.hands.press(".lobby .dock .act.primary")
        self.hub.until(lambda s: s["state"] == "playing", f"{game} begins")

    def on_the_page(self, seat: int, state: State) -> None:
        """Answer, once what is asked was looked at."""
        self._at_question(state)
        super().on_the_page(seat, state)
