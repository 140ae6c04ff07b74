"""Matches to their end on the real program, two phones in a browser and two boxes: one with dice of every sort and a power cut."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Error as PlaywrightError

from hub import games
from hub.authoring.house_laws import house_plays
from hub.engine.match import Match
from tests.chromium import HEADLESS, NONE, headless
from tests.e2e.hub_process import (
    NAMES,
    HubProcess,
    SeatPhone,
    State,
    asked,
    choosing,
    rolling,
    sealed,
    store_match,
    take_seats,
)
from tests.e2e.random_players import PhonePlayers, ready

pytestmark = [
    pytest.mark.browser,
    pytest.mark.broker,
    pytest.mark.slow,
    pytest.mark.skipif(HEADLESS is None, reason=NONE),
]

MINUTES = 3.0
BEGINS = 5
"""The first round on phones; a match of four has seven or more."""
MOST_STEPS = 600
EVERYTHING: dict[str, Any] = dict.fromkeys(
    ("winners_choice", "middle_returns", "cheap_skip", "ordered_skip", "extremes", "odd_inventions", "double_devices",
     "generated"), True,
) | {"trim": 80}  # fmt: skip


class Players:
    """Four people at Bid & Bait!: seats 1 and 2 on phones, 3 and 4 on boxes."""

    def __init__(self, hub: HubProcess, phones: dict[int, SeatPhone]) -> None:
        self.hub, self.phones = hub, phones
        self.fish: dict[int, str] = {}
        self.rolls: set[str] = set()
        self.reloads: set[str] = set()
        self._face = 2
        self._offered = 0

    def sit_down(self) -> None:
        take_seats({phone: NAMES[seat] for seat, phone in self.phones.items()})
        self.fish = {seat: phone.secret_fish() for seat, phone in self.phones.items()}

    def same_hands(self) -> None:
        for seat, phone in self.phones.items():
            assert phone.secret_fish() == self.fish[seat]

    def reload(self, phase: str, seat: int) -> None:
        """Once a phase: the phone is reloaded and has the same hand."""
        if phase in self.reloads:
            return
        self.reloads.add(phase)
        self.phones[seat].reload()
        assert self.phones[seat].secret_fish() == self.fish[seat]

    def bid(self, state: State, seat: int) -> None:
        number = (state["view"]["round"] + seat) % 3 + 2
        if seat in self.phones:
            self.reload("bid", seat)
            self.phones[seat].bid(number)
        else:
            self.hub.boxes.until(lambda b: b["boxes"][str(seat)]["sealed"], f"box {seat} is open")
            self.hub.bench(box=seat, press=f"k{number}")
            self.hub.bench(box=seat, press="push")
        decision = state["match"], state["view"]["round"], state["view"]["phase"]
        self.hub.until(
            lambda s: seat in s["locked"] or not sealed(s) or decision != (s["match"], s["view"]["round"], s["view"]["phase"]),
            f"the bid of seat {seat} is locked",
        )  # fmt: skip

    def roll(self, state: State) -> None:
        seat, seq = state["dice"]["seat"], state["seq"]
        self.reload("roll", seat if seat in self.phones else 1)
        if seat == 1:
            self._face = self._face % 6 + 1
            self.phones[1].type_die(self._face)
            self.vouch(4)
            self.rolls.add("typed on a phone")
        elif seat == 2:
            self.hub.throw()
            with suppress(PlaywrightError):  # after a second it stands by itself, and a busy phone is slower than that
                self.phones[2].page.get_by_role("button", name="That is right").click(timeout=3_000)
                self.rolls.add("thrown, accepted on a phone")
        elif seat == 3:
            self._face = self._face % 6 + 1
            self.hub.bench(box=3, press=f"k{self._face}")
            self.hub.bench(box=3, press="push")
            self.vouch(4)
            self.rolls.add("typed on a box")
        else:
            self.hub.throw()
            self.rolls.add("thrown, stands by itself")
        events = state["events"][-1]["n"]
        self.hub.until(lambda s: s["seq"] > seq and s["events"][-1]["n"] > events, f"the roll of seat {seat} counts")

    def vouch(self, seat: int) -> None:
        """Another player must confirm typed dice."""
        self.hub.until(lambda s: s["dice"] and s["dice"]["state"] == "typed", "the dice are typed")
        self.hub.bench(box=seat, press="push")

    def choose(self, state: State) -> None:
        seat, events = asked(state)[0], state["events"][-1]["n"]
        self.reload("take", seat if seat in self.phones else 1)
        if seat in self.phones:
            self.phones[seat].answer(lambda s: s["events"][-1]["n"] > events)
        else:
            self.hub.bench(box=seat, press="push")
            self.hub.until(lambda s: s["events"][-1]["n"] > events, f"seat {seat} has chosen")

    def step(self, state: State) -> None:
        if sealed(state):
            for seat in asked(state):
                if seat not in state["locked"]:
                    self.bid(state, seat)
            self.hub.until(lambda s: s["seq"] > state["seq"] and not (sealed(s) and s["locked"]), "the bids are open")
        elif rolling(state):
            self.roll(state)
        elif choosing(state):
            self.choose(state)
        else:
            self.hub.until(lambda s: s["seq"] > state["seq"], "the match goes on")

    def play(self, enough: float, rounds: int = 99) -> State:
        """Play on until the end, or until bids are asked for in that round."""
        for _ in range(MOST_STEPS):
            state = self.hub.public.now
            if state["state"] == "over" or (sealed(state) and state["view"]["round"] >= rounds):
                return state
            assert time.monotonic() < enough, f"too slow: {state['view']['round']}, {state['want']}"
            self.step(state)
        raise AssertionError(f"no end in {MOST_STEPS} steps")


def last_rounds() -> Match:
    """A match of four that the house has played until a few rounds are left: all that there is comes in each of them.

    A box is asked, and not for a bid: nobody takes a seat whose box chooses.
    """
    match = Match(games.find("bid-and-bait"), (1, 2, 3, 4))
    for seat in house_plays(match, Random(1), "easy"):
        if match.state.round == BEGINS - 1 and match.state.phase == "take" and seat in (3, 4):
            return match
    raise AssertionError(f"no box is asked in round {BEGINS - 1}")


def test_a_match_on_phones_and_boxes_goes_to_its_end_through_reloads_and_a_power_cut(tmp_path: Path) -> None:
    enough = time.monotonic() + MINUTES * 60
    store_match(tmp_path / "state", last_rounds())
    with headless() as browser, HubProcess(tmp_path / "state") as hub:
        phones = {seat: SeatPhone(hub, browser, seat) for seat in (1, 2)}
        players = Players(hub, phones)
        players.sit_down()
        players.play(enough, rounds=BEGINS)

        # A phone that has locked and is reloaded still has its lock.
        players.bid(hub.public.now, 2)
        players.reload("locked", 2)
        assert "You locked: Bid" in phones[2].hand()
        state = players.play(enough, rounds=BEGINS + 1)
        assert state["state"] == "playing"

        # The power goes after two locks: an acknowledged bid of a phone is on disk, a box forgets.
        phones[1].bid(5)
        hub.until(lambda s: 1 in s["locked"], "seat 1 has locked")
        players.bid(hub.public.now, 3)
        hub.until(lambda s: s["locked"] == [1, 3], "two have locked")
        hub.cut()
        hub.until(lambda s: s["locked"] == [1], "the phone's lock is there again")
        hub.until(lambda s: all(s["seats"][seat - 1]["phone"] == "on" for seat in (1, 2)), "both phones are back")
        players.same_hands()
        assert "You locked: Bid 5" in phones[1].hand()

        state = players.play(enough)
        assert state["over"]["winners"]
        for phone in phones.values():
            phone.page.get_by_role("region", name="Result").wait_for()
            assert phone.errors == []
        assert players.reloads == {"bid", "locked", "roll", "take"}
        assert len(players.rolls) >= 2

        # And once more: two pushes, so that the push that ended the match never starts the next one.
        hub.bench(box=3, press="push")
        hub.until(lambda s: s["state"] == "over" and ready(3)(s), "one push is not enough")
        hub.bench(box=3, press="push")
        hub.until(lambda s: sealed(s) and s["match"] != state["match"], "the next match")


@pytest.mark.long
@pytest.mark.parametrize(
    ("game", "options"),
    [("bid-it", {"double": True}), ("i-bid-you-not", EVERYTHING), ("bidness", {"round_limit": 1})],
)
def test_players_who_know_no_rules_play_a_match_to_its_end(tmp_path: Path, game: str, options: dict[str, Any]) -> None:
    enough = time.monotonic() + MINUTES * 60
    with headless() as browser, HubProcess(tmp_path / "state") as hub:
        phones = {seat: SeatPhone(hub, browser, seat) for seat in (1, 2)}
        players = PhonePlayers(hub, phones, Random(1))
        players.sit_down(game, options)
        if game != "bidness":  # where cards are dealt after the first dice: until then there is nothing to cover
            held = phones[2].hand()
            phones[2].reload()
            assert phones[2].hand() == held
        waited: set[int] = set()
        state = players.play(enough, lambda s: waited.update(asked(s)))
        assert state["over"]["winners"]
        assert waited == {1, 2, 3, 4}
        for phone in phones.values():
            phone.page.get_by_role("region", name="Result").wait_for()
            assert phone.errors == []
