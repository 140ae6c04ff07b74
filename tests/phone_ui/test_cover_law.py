"""What a phone draws outside the cover of its hand follows from nothing that only its owner may see, in every game.

Two matches are dealt so that one seat holds other cards and everybody else sees the same. Both are shown to that seat on the
real page, and whatever stands outside the cover must be equal.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from hub import games
from hub.authoring.laws import beginning, steps
from hub.engine.decision import Action, OneOf, Won, ask, offer, shuffle
from hub.engine.event import Setup, State
from hub.engine.game import Rulebook
from hub.engine.match import Match
from hub.engine.options import Option
from hub.engine.printed import OPTION
from hub.engine.secret import Secret, own
from hub.engine.text import to_json
from hub.errors import HubError
from hub.table.views.snapshot import view
from tests.chromium import HEADLESS, NONE, PHONE, headless
from tests.engine.ladder import game as made_game
from tests.phone_ui import scenes
from tests.phone_ui.fake_hub import FakeHub, labels_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SEEDS = 8
LONG = 40
"""Actions of a match in which other deals are looked for."""
TRIES = 12
LOOKS = 1
"""Pairs that are drawn of each phase of a game."""
PHONES = 4
"""Seats of the made-up table."""
OUTSIDE = """() => {
  const body = document.body.cloneNode(true);
  for (const hand of body.querySelectorAll('[data-part=hand]')) hand.replaceChildren();
  const drawn = [document.title, body.outerHTML].join(' ').replaceAll(/Look \\d+\\./g, '');
  return drawn.replaceAll('<', '\\n<').split('\\n');
}"""


# --- Two deals that one seat can tell from each other -------------------------------------------------


def dealt_otherwise(match: Match, random: Random) -> tuple[Match, int] | None:
    """The same match with two cards of a shuffle exchanged, and the one seat that sees another hand; None if there is none."""
    shuffles = [number for number, entry in enumerate(match.log) if entry.move in ("shuffle", "pick")]
    if not shuffles:
        return None
    number = random.choice(shuffles)
    entry = match.log[number]
    if entry.move == "pick":
        changed = {**entry.args, "index": random.randrange(6)}
    else:
        order = list(entry.args["order"])
        first, second = random.sample(range(len(order)), 2)
        order[first], order[second] = order[second], order[first]
        changed = {**entry.args, "order": order}
    other = Match(match.game, match.setup.seats, match.setup.options)
    try:
        for at, one in enumerate(match.log):
            other.act(Action(seat=one.seat, move=one.move, args=changed if at == number else one.args))
    except HubError:
        return None
    if other.fault or other.open is None or match.open is None or other.view(None) != match.view(None):
        return None
    seats = [seat for seat in match.state.seats if own(match.state, seat) != own(other.state, seat)]
    return (other, seats[0]) if len(seats) == 1 and match.open.offers(seats[0]) else None


def pairs(match: Match, random: Random) -> Iterator[tuple[Match, Match, int]]:
    """Pairs of matches that only one seat, which is asked, can tell from each other."""
    for _ in steps(match, random, LONG):
        for _ in range(TRIES):
            if match.open and not match.open.by_chance and (found := dealt_otherwise(match, random)):
                yield match, *found
                break


# --- What a page draws of them ------------------------------------------------------------------------


@dataclass
class Screen:
    """A phone at a seat of one game."""

    page: Page
    hub: FakeHub
    seat: int
    looks: int = 0

    def outside(self, match: Match, **change: Any) -> list[str]:
        """What the page draws outside the cover of the hand."""
        self.looks += 1
        decision = match.open
        assert decision
        notes, covered = match.notes_and_covered(self.seat)
        public = scenes.public(
            state="playing", match="m-1", game=match.game.name, title=match.game.title, view=json.loads(to_json(view(match))),
            want=decision.others or decision.want, seq=50 + self.looks,
        )  # fmt: skip
        hand = scenes.hand(
            self.seat, match="m-1", seq=50 + self.looks, you=match.own(self.seat), number=decision.number,
            secret=decision.kind == "sealed", want=f"{decision.want} Look {self.looks}.", moves=match.moves(self.seat),
            barred=match.barred(self.seat), notes=notes, covered=covered,
        )  # fmt: skip
        self.hub.public(public)
        self.hub.hand(self.seat, hand | change)
        expect(self.page.get_by_text(f"Look {self.looks}.").first).to_be_visible()
        drawn: list[str] = self.page.evaluate(OUTSIDE)
        return drawn


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if HEADLESS is None:
        pytest.skip(NONE)
    with headless() as opened:
        yield opened


@pytest.fixture
def screens(browser: Browser) -> Iterator[Any]:
    """What makes a phone at a seat, for a game with these labels."""
    hubs: list[FakeHub] = []
    with browser.new_context(viewport=PHONE) as context:

        def sit(seat: int, name: str, labels: dict[str, Any]) -> Screen:
            hub = FakeHub().start()
            hubs.append(hub)
            hub.labels[name] = labels
            hub.public(scenes.public(seats=scenes.seats(held=0)[:seat] + scenes.seats(held=0)[seat:]))
            page = context.new_page()
            page.goto(f"{hub.address}/t/1#k={hub.k}")
            page.get_by_label(re.compile(f"^seat {seat},")).click()
            expect(page.get_by_text("What shall we play?")).to_be_visible()
            return Screen(page, hub, seat)

        yield sit
        for hub in hubs:
            hub.stop()


@pytest.mark.parametrize("name", games.names())
@pytest.mark.timeout(300)
def test_nothing_of_a_hand_is_drawn_outside_its_cover(screens: Any, name: str) -> None:
    drawn: Counter[str] = Counter()
    phones: dict[int, Screen] = {}
    has_secrets = False
    for seed in range(SEEDS):
        match, random = beginning(name, seed, (OPTION,))
        has_secrets = has_secrets or any(any(own(match.state, seat).values()) for seat in match.state.seats)
        for one, two, seat in pairs(match, random):
            if seat <= PHONES and drawn[one.state.phase] < LOOKS:
                phones[seat] = phones.get(seat) or screens(seat, name, labels_of(name))
                assert phones[seat].outside(one) == phones[seat].outside(two), (
                    one.state.phase,
                    one.moves(seat),
                    two.moves(seat),
                )
                drawn[one.state.phase] += 1
    assert drawn or not has_secrets, "nothing is proved"


# --- A game as somebody may write it ------------------------------------------------------------------


@dataclass
class Cup:
    """A player with dice under a cup."""

    dice: Secret[list[int]]
    locked: bool = False


@dataclass
class Felt:
    """The table."""

    bid: str = ""


Dice = State[Cup, Felt]


def deal(setup: Setup) -> Dice:
    return Dice(setup, {seat: Cup(Secret([], (seat,))) for seat in setup.seats}, Felt(), round=1, phase="bid")


async def play(s: Dice) -> None:
    faces = await shuffle(s, [1 + number % 6 for number in range(24)], "dice")
    for place, seat in enumerate(s.seats):
        s.seats[seat].dice.value = faces[place * 5 : place * 5 + 5]
    for seat in s.seats:
        told = f" You hold {s.seats[seat].dice.value.count(6)} sixes." if s.setup.options.get("told") else ""
        await ask(s, seat, [offer("bid", face=OneOf([1, 2, 3, 4, 5, 6])), offer("call")], f"Bid a face.{told}")
    raise Won([1], dict.fromkeys(s.seats, 0), "It is over.")


def notes(s: Dice, seat: int) -> dict[str, dict[str, str]]:
    """As a first-time author wrote it: how many of each face one holds oneself."""
    return {"face": {str(face): f"you hold {s.seats[seat].dice.value.count(face)}" for face in range(1, 7)}}


LABELS: dict[str, Any] = {
    "moves": {"bid": {"label": "Bid {face}"}, "call": {"label": "Call"}},
    "parameters": {"face": {"label": "Face"}},
    "facts": {"dice": {"where": "you", "label": "Your dice"}},
}


def two_deals(told: bool = False) -> tuple[Match, Match, int]:
    """Two matches of that game that differ in the dice of the seat that is asked."""
    rules = Rulebook(deal=deal, play=play, explain=lambda s, action: None, notes=notes)
    game = made_game(rules, {"told": Option(default=False, effect="The question says what one holds.")})
    for seed in range(50):
        match = Match(game, (1, 2, 3), {"told": told})
        for found in pairs(match, Random(seed)):
            if not told or (found[0].open and found[1].open and found[0].open.want != found[1].open.want):
                return found
    raise AssertionError("no two deals")


def test_a_note_that_follows_from_a_hand_lies_under_its_cover(screens: Any) -> None:
    one, two, seat = two_deals()
    assert one.notes(seat) != two.notes(seat)
    screen = screens(seat, "ladder", {"name": "ladder", "title": "Dice", **LABELS})
    assert screen.outside(one) == screen.outside(two)
    assert "you hold" not in screen.page.inner_text("body")
    screen.page.get_by_role("button", name="Show my hand to choose").click()
    expect(screen.page.get_by_text(re.compile("you hold")).first).to_be_visible()


def test_the_law_finds_a_hand_in_the_sentence_of_a_question(screens: Any) -> None:
    one, two, seat = two_deals(told=True)
    screen = screens(seat, "ladder", {"name": "ladder", "title": "Dice", **LABELS})
    assert screen.outside(one) != screen.outside(two)


def test_the_law_finds_a_note_that_is_drawn_outside(screens: Any) -> None:
    one, two, seat = two_deals()
    screen = screens(seat, "ladder", {"name": "ladder", "title": "Dice", **LABELS})
    assert screen.outside(one, covered=[]) != screen.outside(two, covered=[])
