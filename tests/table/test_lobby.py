"""The lobby: the owner's presets, and what a game needs that is not there."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from hub import games
from hub.engine.match import Head
from hub.ports import Dice, DiceKit, Turn
from hub.state import Preset
from hub.table.loop import Table
from hub.table.parts import TableSettings
from hub.table.people.lobby import PUSH_AGAIN_SECONDS
from tests.table.fakes import FakeBoxes, TableRig

FULL = Preset("full", "All the advanced rules.", {"advanced": True})
LONG = Preset("long", "Five points win.", {"match": 5, "teams": "none"})
OFFERED = [games.find("bid-it"), games.find("bid-and-bait"), games.find("i-bid-you-not")]


class PresetRig(TableRig):
    """A table whose owner has two presets of BID*IT!."""

    def __init__(self, seats: int = 3, *, boxes: bool = True, reader: bool | Dice = True) -> None:
        super().__init__(seats, boxes=boxes, reader=reader, offered=OFFERED, start=False)
        self.table = Table(
            "1", "Table 1", seats, OFFERED, self.ports, place_boxes=self.named,
            settings=TableSettings(presets={"bid-it": [FULL, LONG]}),
        )  # fmt: skip
        self.table.start()

    def offer(self, game: str) -> dict[str, Any]:
        return next(one for one in self.state["games"] if one["name"] == game)

    def turn(self, detents: int) -> None:
        self.take(Turn("box-1", detents))


def options(rig: TableRig) -> dict[str, Any]:
    """The options of the match that was begun last, as the disk has them."""
    head, _ = rig.store.load(list(rig.store.heads)[-1])
    return dict(msgspec.json.decode(head, type=Head).options)


# --- presets -------------------------------------------------------------------------------------------


def test_presets_are_offered_with_their_effect_and_a_wish_chooses_one() -> None:
    rig = PresetRig(boxes=False)
    rig.sit()
    assert [(one["name"], one["effect"]) for one in rig.offer("bid-it")["presets"]] == [
        ("full", "All the advanced rules."),
        ("long", "Five points win."),
    ]
    assert rig.offer("bid-and-bait")["presets"] == []
    assert rig.say(2, "wish", {"game": "bid-it", "preset": "long"})["ok"]
    assert (rig.state["game"], rig.state["preset"]) == ("bid-it", "long")
    assert rig.say(1, "wish", {"game": "bid-and-bait"})["ok"]
    assert rig.say(3, "wish", {"game": "bid-it", "preset": "full"})["ok"]
    assert (rig.state["game"], rig.state["preset"]) == ("bid-it", "full"), "the newest of those who want that game"
    assert rig.say(1, "wish", {"game": "bid-and-bait"})["ok"]
    assert (rig.state["game"], rig.state["preset"]) == ("bid-it", "full"), (
        "who wants another game changes nothing of it"
    )


@pytest.mark.parametrize("preset", ["short", ["full"], {"full": 1}, 5])
def test_a_preset_that_is_not_there_is_refused(preset: object) -> None:
    rig = PresetRig(boxes=False)
    rig.sit()
    assert not rig.say(1, "wish", {"game": "bid-it", "preset": preset})["ok"]
    assert (rig.state["preset"], rig.state["seats"][0]["wish"]) == ("", "")


def test_everybody_sees_which_preset_somebody_starts() -> None:
    rig = PresetRig(boxes=False)
    rig.sit()
    rig.say(1, "start", {"game": "bid-it", "options": {"advanced": True}})
    assert rig.state["starting"]["preset"] == "full"
    rig.say(2, "wait")
    rig.say(1, "start", {"game": "bid-it", "options": {"double": True}})
    assert rig.state["starting"]["preset"] == ""


def test_a_dial_turns_through_games_and_presets_and_a_push_starts_what_it_says() -> None:
    rig = PresetRig()
    rig.boxes_up()
    seen = []
    for _ in range(6):
        rig.turn(1)
        seen.append((rig.state["game"], rig.state["preset"]))
    assert seen == [
        ("bid-it", ""), ("bid-it", "full"), ("bid-it", "long"), ("bid-and-bait", ""), ("i-bid-you-not", ""),
        ("bid-it", ""),
    ]  # fmt: skip
    rig.turn(1)
    assert "Push a dial to start BID★IT! “full” (All the advanced rules.), for 2 to" in rig.notice()
    for seat in (1, 2, 3):
        rig.press(seat, "push")
    rig.press(1, "push", "push")
    assert options(rig)["advanced"] is True
    assert rig.state["preset"] == "full", "it stands for the next match"


def test_the_first_turn_of_a_dial_goes_to_the_first_game_or_back_to_the_last_one() -> None:
    for detents, game in ((1, "bid-it"), (-1, "i-bid-you-not")):
        rig = PresetRig()
        rig.boxes_up()
        rig.turn(detents)
        assert (rig.state["game"], rig.state["preset"]) == (game, "")


def test_a_push_starts_the_game_that_the_dial_has_chosen() -> None:
    rig = PresetRig()
    rig.boxes_up()
    rig.turn(-2)
    assert rig.state["game"] == "bid-and-bait"
    for seat in (1, 2, 3):
        rig.press(seat, "push")
    rig.press(1, "push", "push")
    assert rig.table.match
    assert rig.table.match.game.name == "bid-and-bait"


def test_the_game_that_most_wish_for_has_no_preset_of_a_game_that_a_dial_has_chosen() -> None:
    rig = PresetRig()
    rig.boxes_up()
    rig.sit()
    for seat in (1, 2):
        assert rig.say(seat, "wish", {"game": "bid-and-bait"})["ok"]
    while rig.state["preset"] != "full":
        rig.turn(1)
    assert rig.say(3, "wish", {"game": "i-bid-you-not"})["ok"]
    assert (rig.state["game"], rig.state["preset"], rig.state["options"]) == ("bid-and-bait", "", {})


def test_a_wish_may_name_all_options_of_its_game() -> None:
    rig = PresetRig(boxes=False)
    rig.sit()
    usual = {name: option.default for name, option in OFFERED[1].options.items()}
    assert rig.say(1, "wish", {"game": "bid-and-bait", "options": usual})["ok"]
    assert rig.state["options"] == {}


# --- what is missing -----------------------------------------------------------------------------------


def test_a_game_says_which_seats_have_no_phone_for_its_hand() -> None:
    rig = PresetRig()
    rig.boxes_up()
    rig.sit(1)
    assert rig.offer("bid-it")["lacks"] == [], "who does not sit there needs nothing"
    rig.press(2, "push")
    assert rig.offer("bid-it")["lacks"] == ["BID★IT! needs a phone for each hand: seat 2 has none."]
    rig.press(3, "push")
    assert rig.offer("bid-it")["lacks"] == ["BID★IT! needs a phone for each hand: seats 2 and 3 have none."]
    assert rig.offer("bid-and-bait")["lacks"] == [], "its bids are in the boxes, and dice are read here"
    for seat in (2, 3):
        rig.press(seat, "bar", "bar")
    rig.sit(2, 3)
    assert rig.offer("bid-it")["lacks"] == []


def test_a_start_with_something_missing_waits_and_the_first_push_is_told() -> None:
    rig = PresetRig()
    rig.boxes_up()
    rig.sit(1)
    for seat in (2, 3):
        rig.press(seat, "push")
    assert rig.say(1, "start", {"game": "bid-it", "options": {}})["ok"]
    assert rig.state["state"] == "lobby", "all are ready, and still there is time to wait"
    assert rig.state["starting"]["game"] == "bid-it"
    assert rig.say(1, "wait")["ok"]
    rig.turn(1)
    assert boxes(rig).texts["box-1"] == "BIDIT!: no phone for each hand"
    assert rig.say(1, "ready", {"ready": True})["ok"]
    rig.press(2, "push")
    assert rig.state["state"] == "lobby"
    assert boxes(rig).texts["box-2"].startswith("Push again to start all the same")
    assert "needs a phone for each hand: seats 2 and 3 have none" in rig.notice()
    rig.clock.time += PUSH_AGAIN_SECONDS
    rig.press(2, "push")
    assert rig.state["state"] == "lobby", "that was told too long ago"
    rig.clock.time += PUSH_AGAIN_SECONDS - 1
    rig.press(3, "push")
    assert rig.state["state"] == "playing"


def boxes(rig: TableRig) -> FakeBoxes:
    return rig.boxes


def test_dice_that_are_not_there_are_said_before_a_match() -> None:
    assert PresetRig(reader=False).offer("bid-and-bait")["lacks"] == [
        "This table has no dice reader: type the rolls of Bid & Bait!, or let the hub roll."
    ]
    rig = PresetRig()
    rig.take(DiceKit("tray", 1))
    assert rig.offer("bid-and-bait")["lacks"] == [
        "Bid & Bait! rolls 2 dice at once, but the reader has 1 die: type the rest."
    ]
    rig.take(DiceKit("tray", 6))
    assert rig.offer("bid-and-bait")["lacks"] == []


def test_nothing_is_offered_while_a_match_is_under_way() -> None:
    rig = PresetRig(boxes=False, reader=False)
    rig.sit()
    assert rig.state["games"]
    rig.start("bid-it")
    assert rig.state["games"] == []


def test_options_that_somebody_chooses_in_the_lobby_are_told_to_all_and_begin_with_the_match() -> None:
    rig = TableRig(3, offered=[games.find("big-idea"), games.find("bidness")])
    rig.boxes_up()
    rig.sit()
    usual = {"printed_cards": False, "tight_game": False}
    assert rig.say(1, "wish", {"game": "big-idea", "options": usual | {"printed_cards": True}})["ok"]
    assert rig.state["options"] == {"printed_cards": True}, "only what is not as usual"
    assert rig.say(2, "wish", {"game": "big-idea"})["ok"]
    assert rig.state["options"] == {"printed_cards": True}, "who wants the same game changes nothing of it"
    for wrong in ({"no_such": True}, {"printed_cards": "yes"}, ["printed_cards"], None):
        assert not rig.say(3, "wish", {"game": "big-idea", "options": wrong})["ok"]
        assert rig.state["options"] == {"printed_cards": True}
    for seat in (1, 2, 3):
        rig.say(seat, "wish", {"game": "bidness"})
    assert rig.state["options"] == {}, "another game has its own"
    for seat in (1, 2, 3):
        rig.say(seat, "wish", {"game": "big-idea"})
    rig.say(2, "wish", {"game": "big-idea", "options": {"tight_game": True}})
    for seat in (1, 2, 3, 1):
        rig.press(seat, "push")
    assert rig.state["state"] == "playing"
    assert rig.table.match
    assert rig.table.match.setup.options["tight_game"] is True
    assert rig.state["options"] == {"tight_game": True}
