"""The lobby: presets of the owner, what a game needs that is not there, wishes, and starts of matches."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from hub import games
from hub.engine.match import Head
from hub.ports import BoxDown, Dice, DiceKit, Turn
from hub.state import Preset
from hub.table.loop import Table
from hub.table.parts import TableSettings
from hub.table.people.lobby import MOST_SEATS, MOST_WAITS, PUSH_AGAIN_SECONDS, START_SECONDS
from hub.table.seating.seats import LEFT_SECONDS
from tests.table.fakes import FakeBoxes, TableRig
from tests.table.guests import keys, later, pass_time, sleep, staff
from tests.table.test_house_seats import alone, play_to_end

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


def choice(rig: TableRig) -> tuple[str | None, str, dict[str, Any]]:
    return rig.state.get("game"), rig.state.get("preset", ""), rig.state.get("options", {})


def test_what_guests_have_chosen_goes_with_the_last_of_them() -> None:
    rig = PresetRig(boxes=False)
    rig.sit()
    chosen = ("bid-it", "", {"double": True})
    assert rig.say(1, "wish", {"game": "bid-it", "options": {"double": True}})["ok"]
    for seat in (2, 3):
        rig.say(seat, "leave")
        pass_time(rig, 1)
        assert choice(rig) == chosen, "somebody of them is there"
    rig.say(1, "leave")
    pass_time(rig, 1)
    assert choice(rig) == (None, "", {})


def test_the_next_guests_find_what_staff_have_offered() -> None:
    rig = PresetRig(boxes=False)
    assert staff(rig, "offer", game="bid-it", preset="long")[0]
    rig.sit()
    assert choice(rig)[:2] == ("bid-it", "long"), "newcomers change nothing"
    rig.start("bid-it", double=True)
    assert choice(rig) == ("bid-it", "", {"double": True})
    assert staff(rig, "reset", match="end")[0]
    pass_time(rig, 1)
    rig.sit(1)
    pass_time(rig, 1)
    assert choice(rig)[:2] == ("bid-it", "long")


def test_guests_without_phones_choose_with_a_dial_before_they_sit_down() -> None:
    rig = PresetRig()
    rig.boxes_up()
    rig.turn(1)
    chosen = choice(rig)
    assert chosen[0]
    pass_time(rig, 5)
    assert choice(rig) == chosen
    rig.press(1, "push")
    pass_time(rig, 1)
    assert choice(rig) == chosen


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


@pytest.mark.parametrize("chosen", [{}, {"double": True}])
def test_everybody_sees_with_which_options_somebody_starts_a_game(chosen: dict[str, bool]) -> None:
    rig = PresetRig(boxes=False)
    rig.sit()
    assert rig.say(1, "start", {"game": "bid-it", "options": chosen})["ok"]
    assert rig.state["starting"]
    assert rig.state["options"] == chosen


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
    for dice in (2, 6):
        rig.take(DiceKit("tray", dice))
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


# --- starts, wishes and seats ------------------------------------------------------------------------------


def test_a_start_that_is_asked_for_again_and_again_begins_in_time() -> None:
    rig = TableRig(boxes=False)
    rig.sit()
    for _ in range(int(START_SECONDS)):
        rig.say(1, "start", {"game": "bid-and-bait", "options": {}})
        pass_time(rig, 1)
    assert rig.state["state"] == "playing"


def test_one_guest_holds_a_start_up_twice_and_no_more() -> None:
    rig = TableRig(boxes=False)
    rig.sit()
    for _ in range(MOST_WAITS):
        rig.say(1, "start", {"game": "bid-and-bait", "options": {}})
        rig.say(3, "ready", {"ready": False})
        assert rig.state["starting"] is None
    rig.say(1, "start", {"game": "bid-and-bait", "options": {}})
    rig.say(3, "ready", {"ready": False})
    assert rig.state["starting"]
    pass_time(rig, START_SECONDS - 1)
    rig.say(3, "start", {"game": "bid-and-bait", "options": {}})
    pass_time(rig, 1)
    assert rig.state["state"] == "playing", "another start does not begin the seconds anew"


def test_who_would_start_another_game_lets_the_first_wait_before() -> None:
    rig = TableRig(boxes=False, offered=[games.find(name) for name in ("bid-and-bait", "bid-it")])
    rig.sit()
    rig.say(1, "start", {"game": "bid-and-bait", "options": {}})
    assert "Seat 1 is starting another game" in rig.say(3, "start", {"game": "bid-it", "options": {}})["error"]
    assert rig.state["starting"]["game"] == "bid-and-bait"
    odd: list[Any] = [None, False, 0, [], {}]
    for preset in odd:
        assert not rig.say(3, "wish", {"game": "bid-it", "preset": preset})["ok"]


def test_two_waits_are_enough() -> None:
    rig = TableRig(boxes=False)
    rig.sit()
    for _ in range(2):
        rig.say(1, "start", {"game": "bid-and-bait", "options": {}})
        assert rig.say(2, "wait")["ok"]
    rig.say(1, "start", {"game": "bid-and-bait", "options": {}})
    assert not rig.say(2, "wait")["ok"]
    pass_time(rig, START_SECONDS)
    assert rig.state["state"] == "playing"
    assert not rig.say(2, "ready", {"ready": "no"})["ok"]


def test_the_starts_of_a_match_are_delayed_twelve_times_in_all_whoever_sits_down_anew() -> None:
    rig = TableRig(boxes=False)
    rig.sit()
    for _ in range(2):  # the count begins anew with each match
        for delays in range(MOST_WAITS * MOST_SEATS):
            if delays % MOST_WAITS == 0:
                rig.say_leave(2)
                rig.sit(2)
            assert rig.say(1, "start", {"game": "bid-and-bait", "options": {}})["ok"]
            assert rig.say(2, "wait")["ok"]
        rig.say(1, "start", {"game": "bid-and-bait", "options": {}})
        assert not rig.say(3, "wait")["ok"]
        later(rig, START_SECONDS)
        assert rig.state["state"] == "playing"
        assert staff(rig, "end")[0]


def test_a_start_whose_time_is_past_while_the_disk_fails_is_shown_without_seconds() -> None:
    rig = TableRig(boxes=False)
    rig.sit()
    rig.say(1, "start", {"game": "bid-and-bait", "options": {}})
    rig.store.broken = "no space"
    rig.clock.time += START_SECONDS + 3
    before = len(rig.phones.public)
    rig.say(2, "name", {"name": "Ada"})
    shown = rig.phones.public[before:]
    assert [one["starting"]["seconds"] for one in shown if one["starting"]] == [0]


@pytest.mark.parametrize(("seat", "freed"), [(2, False), (3, False), (4, True), (6, False)])
def test_only_the_seat_of_somebody_who_is_gone_is_freed(seat: int, freed: bool) -> None:
    """Seat 2 is the house's, seat 3 is empty; somebody has pushed box 4, which has just been unplugged."""
    rig = TableRig(4)
    rig.boxes_up()
    rig.sit(1)
    assert rig.say(1, "house", {"seat": 2, "strength": "easy"})["ok"]
    rig.press(4, "push")
    rig.take(BoxDown("box-4", "unplugged"))
    before = [one["held"] for one in rig.state["seats"]]
    assert rig.say(1, "free", {"seat": seat})["ok"] is freed
    assert [one["held"] for one in rig.state["seats"]] == ([*before[:3], False] if freed else before)


def test_the_seat_of_a_player_who_is_gone_is_not_freed_in_a_match(phones: TableRig) -> None:
    sleep(phones, 3)
    pass_time(phones, LEFT_SECONDS)
    assert not phones.say(1, "free", {"seat": 3})["ok"]
    assert phones.state["seats"][2]["held"]


@pytest.mark.parametrize(
    ("wishes", "chosen"),
    [(("bid-it", "bid-and-bait", "bid-and-bait"), "bid-and-bait"), (("bid-and-bait", "bid-it"), "bid-it")],
)
def test_the_game_with_most_wishes_is_chosen_and_in_a_tie_the_newest(wishes: tuple[str, ...], chosen: str) -> None:
    rig = TableRig(boxes=False, offered=[games.find(name) for name in ("bid-and-bait", "bid-it")])
    rig.sit()
    for seat, game in enumerate(wishes, 1):
        assert rig.say(seat, "wish", {"game": game})["ok"]
    assert (rig.state["game"], rig.state["preset"]) == (chosen, "")


def test_what_most_wish_for_is_chosen_after_a_restart_too() -> None:
    offered = [games.find(name) for name in ("bid-and-bait", "bid-it")]
    rig = TableRig(boxes=False, offered=offered)
    rig.sit()
    for seat in (1, 2):
        assert rig.say(seat, "wish", {"game": "bid-it"})["ok"]
    assert TableRig(boxes=False, offered=offered, store=rig.store).state["game"] == "bid-it"


def test_a_match_begins_when_all_are_ready_or_five_seconds_after_one_insists() -> None:
    rig = TableRig(boxes=False)
    rig.sit()
    assert rig.say(1, "start", {"game": "bid-and-bait", "options": {}})["ok"]
    assert (rig.state["state"], rig.state["starting"]["seconds"]) == ("lobby", START_SECONDS)
    assert rig.say(2, "wait")["ok"]
    assert rig.state["starting"] is None
    rig.say(1, "start", {"game": "bid-and-bait", "options": {}})
    rig.say(2, "ready")
    assert rig.state["state"] == "lobby"
    rig.say(3, "ready")
    assert rig.state["state"] == "playing"
    other = TableRig(boxes=False)
    other.sit()
    other.say(1, "start", {"game": "bid-and-bait", "options": {}})
    pass_time(other, START_SECONDS)
    assert other.state["state"] == "playing"


def test_a_dead_phone_is_not_dealt_in_and_anybody_seated_frees_its_seat() -> None:
    rig = TableRig(4, boxes=False)
    rig.sit()
    sleep(rig, 4)
    assert not rig.say(1, "free", {"seat": 3})["ok"], "somebody is there"
    rig.ready_but(4)
    assert rig.say(1, "start", {"game": "bid-and-bait", "options": {}})["ok"]
    assert rig.state["starting"], "a phone that sleeps for a moment may come back"
    pass_time(rig, START_SECONDS)
    assert set(rig.state["view"]["seats"]) == {"1", "2", "3"}
    other = TableRig(4, boxes=False)
    other.sit()
    sleep(other, 4)
    pass_time(other, LEFT_SECONDS)
    assert other.say(1, "free", {"seat": 4})["ok"]
    assert not other.state["seats"][3]["held"]


def test_what_most_wish_for_is_chosen() -> None:
    rig = TableRig(boxes=False, offered=[games.find(name) for name in ("bid-and-bait", "bid-it")])
    rig.sit()
    assert rig.say(1, "wish", {"game": "bid-and-bait"})["ok"]
    assert rig.say(2, "wish", {"game": "bid-it"})["ok"]
    assert rig.say(3, "wish", {"game": "bid-it"})["ok"]
    assert [seat["wish"] for seat in rig.state["seats"]] == ["bid-and-bait", "bid-it", "bid-it"]
    assert rig.say(1, "wish", {"game": "bid-and-bait"})["ok"]
    assert rig.state["game"] == "bid-it"
    assert not rig.say(1, "wish", {"game": "chess"})["ok"]
    assert not rig.say(1, "wish", {"game": ["bid-it"]})["ok"]
    rig.start("bid-it")
    assert not rig.say(1, "wish", {"game": "bid-it"})["ok"]
    assert {seat["wish"] for seat in rig.state["seats"]} == {""}


def test_a_seat_that_starts_the_game_that_another_one_is_starting_is_ready_for_it() -> None:
    rig = TableRig(boxes=False)
    rig.sit()
    for seat in (1, 2):
        assert rig.say(seat, "start", {"game": "bid-and-bait", "options": {}})["ok"]
    assert rig.state["starting"]["seat"] == 1
    assert [seat["ready"] for seat in rig.state["seats"]] == [False, True, False]
    assert rig.say(3, "start", {"game": "bid-and-bait", "options": {}})["ok"]
    assert rig.state["state"] == "playing"


@pytest.mark.parametrize("printed", [False, True])
def test_a_push_starts_a_game_at_once_if_its_options_need_no_phone(printed: bool) -> None:
    rig = TableRig(3, offered=[games.find("bid-it")])
    rig.boxes_up()
    rig.sit(1)
    assert rig.say(1, "wish", {"game": "bid-it", "options": {"printed_cards": printed}})["ok"]
    for seat in (1, 2, 3, 1):
        rig.press(seat, "push")
    assert rig.state["state"] == ("playing" if printed else "lobby")
    rig.press(1, "push")
    assert rig.state["state"] == "playing", "the second push starts it anyway"


def test_a_start_that_is_refused_after_a_match_changes_nothing_in_the_lobby() -> None:
    rig = alone("goofspiel", boxes=True)
    rig.boxes_up()
    rig.start("goofspiel")
    play_to_end(rig)
    for seat in (2, 3):
        assert rig.say(1, "house", {"seat": seat, "strength": ""})["ok"]
    assert rig.say(1, "wish", {"game": "goofspiel"})["ok"]
    rig.press(1, "push")
    assert rig.state["seats"][0]["ready"]
    rig.press(1, "push")
    assert keys(rig) == ["not_started"]
    assert (rig.state["seats"][0]["ready"], rig.state["seats"][0]["wish"]) == (True, "goofspiel")


@pytest.mark.parametrize("printed", [False, True])
def test_no_match_with_printed_cards_starts_while_the_house_has_a_seat(printed: bool) -> None:
    rig = alone("big-idea")
    answer = rig.say(1, "start", {"game": "big-idea", "options": {"printed_cards": printed}})
    assert answer["ok"] is not printed
    assert rig.state["state"] == ("lobby" if printed else "playing")
